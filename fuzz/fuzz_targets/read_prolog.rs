//! Any bytes as a theory in Prolog notation: a program, its print in both notations, read again.

#![no_main]

#[path = "../../crates/grundy-syntax/tests/common/mod.rs"]
mod common;

use grundy_syntax::{Dialect, Limits, Notation, Source};
use libfuzzer_sys::fuzz_target;

/// Low limits, so that small texts reach them.
fn limits() -> Limits {
    Limits { nesting: 12, branches: 20, rules: 1000, diagnostics: 15, ..Limits::default() }
}

fuzz_target!(|bytes: &[u8]| {
    let source = Source::from_bytes("fuzz", bytes.to_vec());
    common::check_all(&source, Notation::Prolog, Dialect::Theory, &limits());
    common::check_all(&source, Notation::Prolog, Dialect::Game, &limits());
});
