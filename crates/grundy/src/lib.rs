//! Grundy turns the logical description of a game into a fast program.
//!
//! The stages, in the order in which a sheet passes them, are the modules of this crate; reading
//! text is the business of [`grundy_syntax`], which is re-exported as [`syntax`]. Who wants to play goes straight to
//! [`game::Game`].

pub mod analysis;
pub mod features;
pub mod flat;
pub mod game;
pub mod ground;
pub mod lifted;
pub mod machine;
pub mod meta;
pub mod network;
pub mod play;
pub mod reasoner;
pub mod self_check;
mod tabling;
mod variants;

pub use grundy_syntax as syntax;
