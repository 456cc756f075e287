//! Random games, and the comparison of all engines on them.
//!
//! [`random_game`] writes a rule sheet from a seed, [`mutant`] changes one that is there. [`differential::check`] plays a
//! sheet with the reference and compares every other way to play it: the lifted engine, the machines with and without
//! invariants and move rules, hybrids, and the ground programs of all methods and forms. [`Campaign`] does so with many
//! sheets at once. [`minimise()`] makes a sheet on which they disagree small.

#![forbid(unsafe_code)]

pub mod campaign;
mod coverage;
pub mod differential;
mod form;
mod minimise;
mod mutant;
mod random_game;

pub use campaign::Campaign;
pub use coverage::{Coverage, TRAITS};
pub use minimise::{Minimised, minimise};
pub use mutant::mutant;
pub use random_game::{random_game, random_game_from};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
