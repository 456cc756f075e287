//! A slow, obvious evaluator of games and theories. It judges the fast ones.
//!
//! The meaning of a program in a state is computed by the textbook: the facts of the state are put
//! beside the rules, and everything that follows is derived bottom-up, one component of mutually
//! dependent predicates after the other. A component in which a predicate depends on its own
//! negation is evaluated by the alternating fixpoint of the well-founded semantics, so that
//! negation need only be stratified by ground atom.
//!
//! The crate shares no code with the engines of `grundy`; it knows nothing but
//! [`grundy_syntax::Program`].
//!
//! ```
//! use grundy_reference::{Game, Limits};
//! use grundy_syntax::{Source, read_game};
//!
//! let sheet = "(role walker) (init (at 0)) (step 0 1) (step 1 2)
//!     (<= (legal walker go) (true (at ?x)) (step ?x ?_y))
//!     (<= (next (at ?y)) (does walker go) (true (at ?x)) (step ?x ?y))
//!     (<= terminal (true (at 2)))
//!     (<= (goal walker 100) (true (at 2)))";
//! let program = read_game(&Source::new("walk.kif", sheet), &Default::default()).program;
//! let mut game = Game::new(program, Limits::default())?;
//! let start = game.initial()?;
//! let moves = game.legal(&start)?;
//! let next = game.next(&start, &[moves[0][0]])?;
//! assert_eq!(game.text(next[0]), "(at 1)");
//! assert!(!game.is_terminal(&next)?);
//! # Ok::<(), grundy_reference::Error>(())
//! ```

#![forbid(unsafe_code)]

mod components;
mod error;
mod evaluator;
mod facts;
mod fixpoint;
mod game;
mod matching;
mod plan;
mod relation;
mod tuples;

pub use error::{Error, Limits};
pub use evaluator::Evaluator;
pub use game::{Game, State};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
