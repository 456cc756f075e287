//! Random games, and the comparison of all engines on them.
//!
//! [`random_game`] writes a rule sheet from a seed. [`differential::check`] plays it with the reference and compares
//! every other way to play it: the lifted engine, the machines with and without invariants and move rules, hybrids,
//! and the ground programs of all methods and forms. [`minimise()`] makes a sheet on which they disagree small.

#![forbid(unsafe_code)]

pub mod differential;
mod minimise;
mod random_game;

pub use minimise::minimise;
pub use random_game::{random_game, random_game_from};
