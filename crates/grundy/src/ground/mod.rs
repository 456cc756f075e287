//! [`GroundProgram`]: a game without variables.
//!
//! Every rule is an instance of a rule of the sheet. Static conditions are evaluated and removed; the remaining atoms can be
//! true in some state, as far as the grounder knows (dynamic negation never prunes). No rule is repeated.
//!
//! The method follows Vittaut & Méhat, *Efficient Grounding of Game Descriptions with Tabling* (2014). [`ground`] is its
//! outline.

mod arena;
mod atoms;
mod branches;
mod build;
mod config;
mod emit;
mod lift;
mod negation;
mod rebuild;
mod recipe;
mod repeats;
mod responsible;
mod seed;
mod simplify;
mod store;
mod tactics;

pub use crate::datalog::{JoinOrder, Progress};
use crate::ids::{IdVec, wide};
pub use crate::rewrite::Thresholds;
pub use build::ground;
pub use config::{GroundConfig, GroundError, LimitKind, Method};
pub use emit::{
    DotError, MOST_NODES, Slice, write_asp, write_aspif, write_dot, write_json, write_kif, write_prolog,
};

use crate::datalog::Relations;
use crate::flat::{Flat, FlatRule, RelationId, write_term};
use arena::Arena;
use atoms::Atoms;
use grundy_syntax::{Keyword, PredicateId, Program, RuleId, TermId};
use smallvec::SmallVec;
use std::time::Duration;

grundy_syntax::define_id! {
    /// An atom of a ground program.
    pub struct AtomId(u32);
}

/// A condition of a ground rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroundLiteral {
    /// The atom.
    pub atom: AtomId,
    /// Whether it has to hold, or not to hold.
    pub positive: bool,
}

/// The duration of the parts of grounding.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroundTimes {
    /// Flattening, and evaluation of static relations.
    pub statics: Duration,
    /// Finding the possible facts and moves, if that is a separate step.
    pub reach: Duration,
    /// The rest.
    pub ground: Duration,
}

grundy_syntax::define_id! {
    /// A [`Block`] of a ground program.
    struct BlockId(u32);
}

/// Rules with the same head relation and the same relations and signs of conditions, so that each is a record of row
/// numbers.
struct Block {
    head: RelationId,
    /// Relation and sign of each condition.
    literals: Box<[(RelationId, bool)]>,
    /// For each rule the row of the head and a row for each condition.
    rows: Arena,
}

/// A game without variables. See the module's documentation.
pub struct GroundProgram {
    program: Program,
    flat: Flat,
    relations: Relations,
    atoms: Atoms,
    blocks: IdVec<BlockId, Block>,
    repeats: u64,
    times: GroundTimes,
    steps: u64,
    /// The rules of the lifted relations, and of all relations that these depend on.
    residue: Vec<FlatRule>,
    lifted: Vec<LiftedRelation>,
}

/// A relation that was not grounded because it has too many instances.
#[derive(Clone, Debug)]
pub struct LiftedRelation {
    pub(crate) relation: RelationId,
    /// The responsible rule of the program.
    pub rule: RuleId,
    /// The number of its instances when the attempt ended.
    pub instances: u64,
}

impl GroundProgram {
    /// The relations that were not grounded. Their atoms are external: no rule defines them.
    pub fn lifted(&self) -> &[LiftedRelation] {
        &self.lifted
    }

    /// The predicate of a relation that was not grounded.
    pub fn lifted_predicate(&self, lifted: &LiftedRelation) -> PredicateId {
        self.flat.info(lifted.relation).predicate
    }

    /// The external atoms.
    pub fn external_atoms(&self) -> impl Iterator<Item = AtomId> + '_ {
        let relations = self.lifted.iter().map(|lifted| lifted.relation);
        relations.flat_map(|relation| self.atoms.of(relation))
    }

    /// The number of rules.
    pub fn rule_count(&self) -> u64 {
        self.blocks.iter().map(|block| wide(block.rows.len())).sum()
    }

    /// The number of conditions of all rules.
    pub fn literal_count(&self) -> u64 {
        self.blocks.iter().map(|block| wide(block.rows.len()) * wide(block.literals.len())).sum()
    }

    /// The number of instances that were equal to another one.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// The duration of grounding.
    pub fn times(&self) -> GroundTimes {
        self.times
    }

    /// The number of steps, which are attempts to match a condition. Steps of abandoned attempts do not count.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The memory of the rules.
    pub fn arena_bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.rows.bytes()).sum()
    }

    /// The number of atoms.
    pub fn atom_count(&self) -> u32 {
        self.atoms.count()
    }

    /// The atoms of a keyword, such as all that can be true.
    pub fn atoms_of(&self, keyword: Keyword) -> impl Iterator<Item = AtomId> + '_ {
        let predicate = self.program.keyword(keyword);
        let is_wanted = move |relation: &RelationId| Some(self.flat.info(*relation).predicate) == predicate;
        let relations = self.relations.ids().filter(is_wanted);
        relations.flat_map(|relation| self.atoms.of(relation))
    }

    /// Calls `visit` with the head and the conditions of every rule.
    pub fn for_each_rule(&self, mut visit: impl FnMut(AtomId, &[GroundLiteral])) {
        let mut body = Vec::new();
        for block in &self.blocks {
            let head_offset = self.atoms.first(block.head);
            for row in block.rows.iter() {
                body.clear();
                let literals = block.literals.iter().zip(&row[1..]);
                body.extend(literals.map(|(&(relation, positive), &row)| GroundLiteral {
                    atom: AtomId(self.atoms.first(relation) + row),
                    positive,
                }));
                visit(AtomId(head_offset + row[0]), &body);
            }
        }
    }

    /// An atom in KIF notation.
    pub fn atom_text(&self, atom: AtomId) -> String {
        let (relation, row) = self.atoms.locate(atom);
        let mut out = String::new();
        self.write_row(relation, row, &mut out);
        out
    }

    /// The arguments of an atom: terms in which a variable stands for the column of its number, and the columns.
    pub(crate) fn atom_parts(&self, atom: AtomId) -> (&[TermId], SmallVec<[u32; 8]>) {
        let (relation, row) = self.atoms.locate(atom);
        let row = self.relations[relation].row(row);
        (&self.flat.relations[relation].template, row.to_vec())
    }

    /// The facts of the initial state, as [`atom_parts`](Self::atom_parts) of their arguments. They are static, and so they
    /// are no atoms.
    pub(crate) fn initial_parts(&self) -> impl Iterator<Item = (&[TermId], SmallVec<[u32; 8]>)> {
        let init = self.program.keyword(Keyword::Init);
        let relations = self.relations.iter().zip(&self.flat.relations);
        let of_init = relations.filter(move |(_, info)| Some(info.predicate) == init);
        of_init.flat_map(|(relation, info)| {
            (0..relation.len()).map(|row| (&*info.template, relation.row(row).to_vec()))
        })
    }

    /// The predicate of an atom.
    pub fn predicate_of(&self, atom: AtomId) -> PredicateId {
        self.flat.relations[self.atoms.locate(atom).0].predicate
    }

    /// The flat rules that were grounded: in compact form, after splitting and rewriting for evaluation on demand.
    pub fn flat(&self) -> &Flat {
        &self.flat
    }

    /// The game that was grounded.
    pub fn program(&self) -> &Program {
        &self.program
    }

    fn write_row(&self, relation: RelationId, row: u32, out: &mut String) {
        let info = &self.flat.relations[relation];
        let values = self.relations[relation].row(row).to_vec();
        let name = self.program.name(info.predicate);
        if info.template.is_empty() {
            out.push_str(name);
            return;
        }
        out.push('(');
        out.push_str(name);
        for &arg in &info.template {
            out.push(' ');
            write_term(&self.program.symbols, &self.flat.terms, arg, &values, out);
        }
        out.push(')');
    }
}
