//! Ctrl-C: stopping in good order.

use crate::output::{Details, Failure, Outcome};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is set when the user asks to stop. Without it, from a second call on or where signals
/// cannot be had, the program just ends.
pub(crate) fn on_ctrl_c() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let in_handler = flag.clone();
    let _ = ctrlc::set_handler(move || in_handler.store(true, Ordering::Relaxed));
    flag
}

/// How a command ends that was asked to stop.
pub(crate) fn failure() -> Failure {
    let details = Details { limit: Some("interrupt".to_owned()), interrupted: true, ..Details::default() };
    Failure::new(Outcome::Limit, "interrupted (limit `interrupt`)").with(details)
}

/// A writer that fails once the user asks to stop.
pub(crate) struct Interruptible<'a, W> {
    pub(crate) out: W,
    pub(crate) flag: &'a AtomicBool,
}

impl<W: Write> Write for Interruptible<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // An error of the kind `Interrupted` would be tried again.
        if self.flag.load(Ordering::Relaxed) {
            return Err(io::Error::other(failure()));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
