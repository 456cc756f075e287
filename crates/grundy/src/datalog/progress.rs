//! Progress of an evaluation.

use crate::ids::wide;
use std::sync::atomic::{AtomicU64, Ordering};

/// The progress of grounding, to be read from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    rules: AtomicU64,
    bytes: AtomicU64,
}

impl Progress {
    /// The number of rules so far.
    pub fn rules(&self) -> u64 {
        self.rules.load(Ordering::Relaxed)
    }

    /// The memory held by relations and rules.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, rules: u64, bytes: usize) {
        self.rules.store(rules, Ordering::Relaxed);
        self.bytes.store(wide(bytes), Ordering::Relaxed);
    }
}
