//! One module for each command: its arguments, what it does, how it reports.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod dump;
pub(crate) mod export;
pub(crate) mod features;
pub(crate) mod ground;
pub(crate) mod metarules;
pub(crate) mod perft;
pub(crate) mod simulate;
pub(crate) mod unfold;
pub(crate) mod verify;
