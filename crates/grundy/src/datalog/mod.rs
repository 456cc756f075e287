//! The engine under grounding and lifted reasoning: relations of dense rows, join plans, and
//! semi-naive evaluation of components, in the manner of a tabling Prolog (Vittaut & Méhat 2014).
//!
//! Every answer is stored once, as a row of its relation; left recursion and mutual recursion
//! complete because a component is evaluated until no rule gives a new row. A plan is the body of a
//! rule in the order in which it is matched, compiled down to registers, columns and indexes.

mod codec;
mod engine;
mod join;
mod order;
mod plan;
mod progress;
mod relation;
mod symmetry;
mod table;
mod values;

pub(crate) use codec::Codec;
pub(crate) use engine::{Bounds, Engine, RulePlans, Stop};
pub(crate) use join::{Fire, share_done, values};
pub use order::JoinOrder;
pub(crate) use plan::Plan;
pub use progress::Progress;
pub(crate) use relation::{Queue, Relation, Relations};
pub(crate) use table::{Table, hash as hash_values};
pub(crate) use values::Row;
