//! Ground programs and their non-ground originals for other tools.

mod asp;
mod aspif;
mod digits;
mod dot;
mod json;
mod kif;
mod names;
mod prolog;
mod text;

pub use asp::write_asp;
pub use aspif::write_aspif;
pub use dot::{DotError, MOST_NODES, Slice, write_dot};
pub use json::write_json;
pub use kif::write_kif;
pub use prolog::write_prolog;
