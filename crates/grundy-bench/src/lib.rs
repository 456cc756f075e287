//! Measurements beside published numbers and rival programs, and random games that compare all engines.
//!
//! A bench is a function from plain parameters to results; the results have a text, tables and plots. Reading sheets,
//! progress bars and writing files are left to the caller, which passes closures, or a [`Host`] where a bench works on a
//! folder of games. The measuring benches:
//!
//! - [`grounding`] grounds a folder of sheets, one process each, beside Vittaut & Méhat (2014);
//! - [`playouts`] measures how fast engines play at random;
//! - [`features`] repeats the experiments of Kaneko, Yamaguchi & Kawai (2000);
//! - [`metarules`] repeats those of Cazenave (1999).
//!
//! The correctness benches: [`random_game`] writes a rule sheet from a seed, [`mutant`] changes an existing one.
//! [`differential::check`] plays a sheet with the reference and compares every other way to play it: the lifted engine, the
//! machines with and without invariants and move rules, hybrids, and the ground programs of all methods and forms.
//! [`Campaign`] does so with many sheets at once. [`minimise()`] reduces a sheet on which they disagree.

#![forbid(unsafe_code)]

pub mod campaign;
mod coverage;
pub mod differential;
mod error;
pub mod features;
mod findings;
mod form;
pub mod grounding;
mod host;
pub mod metarules;
mod minimise;
mod mutant;
mod numbers;
pub mod playouts;
pub mod plot;
mod process;
mod random_game;
pub mod report;
mod scratch;
mod statistics;

pub use campaign::Campaign;
pub use coverage::{Coverage, TRAITS};
pub use error::BenchError;
pub use findings::{Failed, Findings};
pub use host::Host;
pub use minimise::{Minimised, minimise};
pub use mutant::mutant;
pub use numbers::{bytes, count, grouped, huge};
pub use random_game::{random_game, random_game_from};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
