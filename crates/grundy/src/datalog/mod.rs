//! The Datalog engine under grounding and lifted evaluation: relations of dense rows, join plans, and semi-naive evaluation
//! of components. It takes the place of the tabling Prolog of Vittaut & Méhat 2014.
//!
//! Every answer is stored once, as a row of its relation. Left and mutual recursion terminate because a component is
//! evaluated until no rule derives a new row. A plan is the body of a rule in matching order, compiled to registers,
//! columns and indexes.

mod codec;
mod engine;
mod index;
mod join;
mod order;
mod plan;
mod progress;
mod relation;
mod saturate;
mod symmetry;
mod table;
mod values;

pub(crate) use codec::Codec;
pub(crate) use engine::{Bounds, Engine, Stop};
pub(crate) use join::{Fire, share_done, values};
pub use order::JoinOrder;
pub(crate) use plan::Plan;
pub use progress::Progress;
pub(crate) use relation::{Queue, Relation, Relations};
pub(crate) use saturate::RulePlans;
pub(crate) use table::{Table, hash as hash_values, lower, upper};
pub(crate) use values::Row;
