//! Grundy turns the logical description of a game into a fast program.
//!
//! The stages, in the order in which a sheet passes them, are the modules of this crate; reading
//! text is the business of [`grundy_syntax`], which is re-exported as [`syntax`]. Who wants to play goes straight to
//! [`game::Game`].

pub mod analysis;
mod datalog;
pub mod engine;
pub mod features;
pub mod flat;
pub mod game;
mod graph;
pub mod ground;
mod ids;
pub mod invariants;
pub mod lifted;
pub mod machine;
pub mod metarules;
pub mod network;
pub mod play;
pub mod reasoner;
mod rewrite;
pub mod unfold;
mod variants;
pub mod winning;

pub use grundy_syntax as syntax;
pub use ids::IdVec;
