//! Playing with any engine: random games, and lines of moves given as text.
//!
//! [`play_random`] plays one random game, state by state, and lets its caller look at each state. Machines play random games
//! faster by themselves ([`Machine::playouts_until`](crate::machine::Machine::playouts_until)); what games have in common
//! (seeds, [`Totals`](crate::machine::Totals), how they end) is the same here and there.
//!
//! # What a seed promises
//!
//! - The same engine, seed and number of playouts give the same games, at any number of threads, whether they are counted
//!   only, shown, or recorded.
//! - Engines that choose among the legal moves in the order of their texts play the same games as each other: the reference,
//!   the lifted engine, the scratch machine, and the hybrid. Game `i` depends on the seed and `i` alone.
//! - The incremental and the batch machine choose from structures that suit them, in an order that depends on the
//!   network, and so on the options that shape it, such as invariants. A batch shares random bits among the games that it plays
//!   at once: its games depend on the number of playouts as well.

mod line;
mod random;
mod survey;
pub mod trace;

pub use line::{FollowError, Line, LineError, follow};
pub use random::{RandomGame, play_random};
pub use survey::{PlayFinding, Scope, Survey, SurveyConfig, survey};
