//! Logical features, compiled: what a position is worth counting, written as logic.
//!
//! A feature is a clause, and its value in a state is the number of its solutions:
//!
//! ```
//! use grundy::features::{FeatureConfig, Features, Incremental, StateReader, TableKind};
//! use grundy::syntax::{Source, read_theory};
//!
//! let theory = "square(a1). square(b1). square(c1). next_to(a1, b1). next_to(b1, c1).
//!               :- dynamic owns/2.";
//! let features = "pieces(S) :- square(S), owns(black, S).
//!                 chain(S, T) :- next_to(S, T), owns(black, S), owns(black, T).";
//! let read = |text: &str| read_theory(&Source::new("text", text), &Default::default()).program;
//! let config = FeatureConfig::default();
//! let features = Features::new(&read(theory), &read(features), &Default::default(), &[], &config)?;
//! let tables = features.compile(TableKind::Shared, &config)?;
//!
//! let state = StateReader::new(&features).read(&["owns(black, a1)", "owns(black, b1)"]).unwrap();
//! let mut evaluator = Incremental::new(tables.plan(&features)?);
//! evaluator.go_to(&state);
//! let mut values = Vec::new();
//! evaluator.values(&mut values);
//! assert_eq!(values, [Some(2), Some(1)]);
//! # Ok::<(), grundy::features::FeatureError>(())
//! ```
//!
//! The method is that of Kaneko, Yamaguchi & Kawai, *Compiling Logical Features into Specialized State-Evaluators by
//! Partial Evaluation, Boolean Tables and Incremental Calculation* (2000). The path, a file or folder for each stage:
//!
//! | stage | what happens |
//! |---|---|
//! | `merge` | theory and features become one game: dynamic facts stand in `true`, features are what an observer sees |
//! | `candidates` | which dynamic facts there can be |
//! | `clauses` | grounding: static conditions are gone, facts are numbered; `conflicts` has the constraints |
//! | `flat` | exhaustive unfolding, and-table and or-table, as in the paper |
//! | `shared` | a network instead, that shares views and does not explode |
//! | `evaluate` | values, in four ways |
//! | `generate` | features made from the rules of a game |

mod aggregate;
mod candidates;
mod clauses;
mod conflicts;
mod conjunctions;
mod endless;
mod error;
mod evaluate;
mod flat;
mod generate;
mod literal;
mod merge;
mod needed;
mod shared;
mod state;
mod tables;

pub use aggregate::Aggregate;
pub use conflicts::Determined;
pub use error::{FeatureError, File, Finding, Location};
pub use evaluate::{Batch, Change, FactSet, Incremental, Naive, Plan, Scratch, Value};
pub use generate::{GenerateConfig, Generated, Generation, generate};
pub use merge::{Feature, Selection};
pub use state::{StateReader, UnknownFact};
pub use tables::{Sizes, TableKind, Tables};

use candidates::Shape;
use clauses::Clauses;
use grundy_syntax::{Budget, Dialect, Keyword, Literal, Notation, Program, Stage, Term};
use rustc_hash::FxHashSet;
use std::sync::Arc;

grundy_syntax::define_id! {
    /// A solution that a feature can have.
    pub struct HeadId(u32);
}

grundy_syntax::define_id! {
    /// A dynamic fact that features read, in the order of grounding.
    pub struct FactId(u32);
}

grundy_syntax::define_id! {
    /// A feature, in the order of the text.
    pub struct FeatureId(u32);
}

/// How to compile, and what it may cost.
#[derive(Clone, Debug)]
pub struct FeatureConfig {
    /// Whether integrity constraints prune.
    pub constraints: bool,
    /// Whether views are unfolded in the order in which they are written, instead of those with the fewest clauses first.
    pub written_order: bool,
    /// Limit: ground clauses.
    pub max_clauses: u64,
    /// The time and memory of the call.
    pub budget: Budget,
}

impl Default for FeatureConfig {
    fn default() -> FeatureConfig {
        FeatureConfig {
            constraints: true,
            written_order: false,
            max_clauses: 50_000_000,
            budget: Budget::default(),
        }
    }
}

/// A theory with features, ground.
pub struct Features {
    clauses: Clauses,
}

impl Features {
    /// Grounds the features of a theory or game. `known` has what was proved of the states of a game.
    pub fn new(
        theory: &Program,
        features: &Program,
        selection: &Selection,
        known: &[Determined],
        config: &FeatureConfig,
    ) -> Result<Features, FeatureError> {
        config.budget.enter(Stage::Features);
        let merged = merge::merge(theory, features, selection, &config.budget)?;
        let clauses = clauses::ground_clauses(merged, known, config)?;
        let features = Features { clauses };
        tables::check_arguments(&features.clauses, &config.budget)?;
        Ok(features)
    }

    /// Makes tables of one kind or the other.
    pub fn compile(&self, kind: TableKind, config: &FeatureConfig) -> Result<Tables, FeatureError> {
        config.budget.enter(Stage::Features);
        Tables::new(&self.clauses, kind, config)
    }

    /// The features, in the order of the text.
    pub fn features(&self) -> &[Feature] {
        self.clauses.features()
    }

    /// How many clauses the theory and the features have.
    pub fn clause_count(&self) -> usize {
        self.clauses.merged.clauses
    }

    /// Whether the facts of states are those of a game or of a theory.
    pub fn dialect(&self) -> Dialect {
        self.clauses.merged.dialect
    }

    /// How many facts a state can have that features look at.
    pub fn fact_count(&self) -> usize {
        self.clauses.facts.len()
    }

    /// A fact in a notation.
    pub fn fact_text(&self, fact: FactId, notation: Notation) -> String {
        state::in_notation(notation, &self.fact_kif(fact))
    }

    /// All facts that features look at.
    pub(crate) fn facts(&self) -> impl Iterator<Item = FactId> + use<> {
        self.clauses.facts.ids()
    }

    pub(crate) fn fact_kif(&self, fact: FactId) -> String {
        self.clauses.fact_text(fact)
    }

    /// A solution in a notation: `pieces(a1)`.
    pub fn solution_text(&self, solution: HeadId, notation: Notation) -> String {
        let head = self.clauses.heads[solution];
        let feature = &self.features()[head.feature.index()];
        let args: Vec<String> = (0..feature.arity)
            .map(|number| state::in_notation(notation, &self.clauses.head_arg_text(solution, number)))
            .collect();
        match (notation, args.is_empty()) {
            (_, true) => feature.name.clone(),
            (Notation::Kif, _) => format!("({} {})", feature.name, args.join(" ")),
            (Notation::Prolog, _) => format!("{}({})", feature.name, args.join(", ")),
        }
    }

    /// The solutions of a feature in a state.
    pub fn explain(&self, plan: &Arc<Plan>, feature: FeatureId, state: &FactSet) -> Vec<HeadId> {
        let mut scratch = Scratch::new(plan.clone());
        scratch.look_at(state);
        let all = plan.solutions.entries();
        let own = all.filter(|(_, solution)| solution.feature == feature && scratch.holds(solution.holds));
        own.map(|(head, _)| head).collect()
    }

    /// The program that was made of the theory and the features.
    pub(crate) fn program(&self) -> &Program {
        &self.clauses.merged.program
    }

    fn shape(&self, name: &str, arity: usize) -> Option<Shape> {
        Some((self.program().symbols.find(name)?, arity))
    }

    fn is_dynamic(&self, name: &str, arity: usize) -> bool {
        self.shape(name, arity).is_some_and(|shape| self.clauses.merged.dynamic.contains(&shape))
    }

    /// Whether all facts of this shape that there can be are known.
    fn is_closed(&self, name: &str, arity: usize) -> bool {
        self.shape(name, arity).is_some_and(|shape| self.clauses.closed.contains_key(&shape))
    }

    /// The shapes of facts that clauses ask for.
    fn used_shapes(&self) -> FxHashSet<(String, usize)> {
        let program = self.program();
        let holds = program.keyword(Keyword::True);
        let atoms = program.rules.iter().flat_map(|rule| rule.literals().filter_map(Literal::atom));
        let facts = atoms.filter(|atom| Some(atom.predicate) == holds).map(|atom| atom.args[0]);
        facts
            .filter_map(|fact| match program.terms.get(fact) {
                Term::Constant(name) => Some((program.symbols.name(name).to_owned(), 0)),
                Term::Compound(name, args) => Some((program.symbols.name(name).to_owned(), args.len())),
                Term::Variable(_) => None,
            })
            .collect()
    }
}
