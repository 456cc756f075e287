//! [`GroundProgram`]: a game without variables.
//!
//! Every rule is an instance of a rule of the sheet: static conditions are evaluated and gone, what
//! is left speaks of atoms that can be true in some state, by the measure of the grounder (dynamic
//! negation never prunes). No rule stands there twice.
//!
//! The method is that of Vittaut & Méhat, *Efficient Grounding of Game Descriptions with Tabling*
//! (2014): [`ground`] is its outline.

mod arena;
mod blame;
mod branches;
mod build;
mod config;
mod emit;
mod lift;
mod negation;
mod rebuild;
mod recipe;
mod repeats;
mod seed;
mod simplify;
mod store;
mod tactics;

pub use crate::datalog::{JoinOrder, Progress};
use crate::ids::wide;
pub use crate::rewrite::Thresholds;
pub use build::ground;
pub use config::{GroundConfig, GroundError, LimitKind, Method};
pub use emit::{
    DotError, MOST_NODES, Slice, write_asp, write_aspif, write_dot, write_json, write_kif, write_prolog,
};

use crate::datalog::Relation;
use crate::flat::{Flat, FlatRule, RelationId, write_term};
use arena::Arena;
use grundy_syntax::{Keyword, PredicateId, Program, TermId};
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

/// How long the parts of grounding took.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroundTimes {
    /// Taking functions apart and evaluating what is static.
    pub statics: Duration,
    /// Finding what can be true and be done, where that is a step of its own.
    pub reach: Duration,
    /// The rest.
    pub ground: Duration,
}

/// Rules with the same head relation and the same relations of conditions, so that each of them is
/// just a few row numbers.
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
    relations: Vec<Relation>,
    /// The first atom of each relation, and, at the end, the number of atoms.
    offsets: Vec<u32>,
    blocks: Vec<Block>,
    repeats: u64,
    times: GroundTimes,
    steps: u64,
    /// The rules of the relations that are lifted, and of all that these need.
    residue: Vec<FlatRule>,
    lifted: Vec<LiftedRelation>,
}

/// A relation that was not grounded, because it would be too large.
#[derive(Clone, Debug)]
pub struct LiftedRelation {
    pub(crate) relation: RelationId,
    /// The rule of the program that had too many instances.
    pub rule: u32,
    /// How many it had when it was given up.
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
        let relations = self.lifted.iter().map(|lifted| lifted.relation.index());
        relations.flat_map(|relation| (self.offsets[relation]..self.offsets[relation + 1]).map(AtomId))
    }

    /// The number of rules.
    pub fn rule_count(&self) -> u64 {
        self.blocks.iter().map(|block| wide(block.rows.len())).sum()
    }

    /// The number of conditions of all rules.
    pub fn literal_count(&self) -> u64 {
        self.blocks.iter().map(|block| wide(block.rows.len()) * wide(block.literals.len())).sum()
    }

    /// How many instances were the same as another one.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// How long it took.
    pub fn times(&self) -> GroundTimes {
        self.times
    }

    /// How many steps it took: attempts to match a condition. Those of attempts that were given up do not count.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The memory of the rules.
    pub fn arena_bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.rows.bytes()).sum()
    }

    /// The number of atoms.
    pub fn atom_count(&self) -> u32 {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// The atoms of a keyword, such as all that can be true.
    pub fn atoms_of(&self, keyword: Keyword) -> impl Iterator<Item = AtomId> + '_ {
        let predicate = self.program.keyword(keyword);
        let is_wanted = move |relation: &usize| Some(self.flat.relations[*relation].predicate) == predicate;
        let relations = (0..self.relations.len()).filter(is_wanted);
        relations.flat_map(|relation| (self.offsets[relation]..self.offsets[relation + 1]).map(AtomId))
    }

    /// Calls `visit` with the head and the conditions of every rule.
    pub fn for_each_rule(&self, mut visit: impl FnMut(AtomId, &[GroundLiteral])) {
        let mut body = Vec::new();
        for block in &self.blocks {
            let head_offset = self.offsets[block.head.index()];
            for row in block.rows.iter() {
                body.clear();
                let literals = block.literals.iter().zip(&row[1..]);
                body.extend(literals.map(|(&(relation, positive), &row)| GroundLiteral {
                    atom: AtomId(self.offsets[relation.index()] + row),
                    positive,
                }));
                visit(AtomId(head_offset + row[0]), &body);
            }
        }
    }

    /// An atom in KIF notation.
    pub fn atom_text(&self, atom: AtomId) -> String {
        let (relation, row) = self.place_of(atom);
        let mut out = String::new();
        self.write_row(relation, row, &mut out);
        out
    }

    /// The arguments of an atom: terms in which a variable stands for the column of its number, and the columns.
    pub(crate) fn atom_parts(&self, atom: AtomId) -> (&[TermId], SmallVec<[u32; 8]>) {
        let (relation, row) = self.place_of(atom);
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
        self.flat.relations[self.place_of(atom).0].predicate
    }

    /// The rules that were ground: in compact form those that splitting and evaluation on demand have made.
    pub fn flat(&self) -> &Flat {
        &self.flat
    }

    /// The game that was grounded.
    pub fn program(&self) -> &Program {
        &self.program
    }

    fn write_row(&self, relation: usize, row: u32, out: &mut String) {
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
