//! [`Flat`]: a program whose relations have columns instead of nested terms.
//!
//! GDL packs facts into functions: `(true (cell 1 2 x))`. Flattening splits `true` into one relation for each function that
//! is possible in it (`true/cell` with three columns, `true/control` with one), so that joins see columns, and rows hold
//! constants. A rule with a variable for a whole fact or move, `(true ?f)`, becomes one rule for each relation.
//!
//! Reachability (`base` and `input` in the paper) is expressed by rules as well: `true(F) ← init(F)`, `true(F) ← next(F)`,
//! `does(R, M) ← legal(R, M)`. No ground rules are made from these *links*.
//!
//! # Columns that hold constants and functions
//!
//! A position can hold constants beside functions. With `(init (f a))`, `(init (f (g b)))` and `(init (f (g (g c))))`, the
//! argument of `f` has two shapes: a constant, or the function `g` of something. `true` then becomes one relation for each
//! shape, written as [`print_flat`] writes them:
//!
//! | relation | template | rows |
//! |---|---|---|
//! | `true/f[-]` | `(f ?0)`, `?0` a constant | `a` |
//! | `true/f[g]` | `(f (g ?0))` | `b`, `(g c)` |
//!
//! The argument of `g` may have several shapes as well. It is split in the same way, or, as here, holds whole terms where
//! functions nest in themselves.
//!
//! A template alone does not say where an atom belongs: `(f ?0)` matches `(f (g b))`, too. So a relation also says which of its
//! columns hold constants alone ([`RelationInfo::is_constant`]); `-` in the table. With that, the relations of a predicate do
//! not overlap, and the search for the relation of an atom (`RelationInfo::collect`) finds one.
//!
//! A rule with a variable in such a position becomes one rule for each shape: `(next (f ?x)) ← (true (f ?x))` becomes
//! `next/f[-](V0) ← true/f[-](V0)` and `next/f[g](V0) ← true/f[g](V0)`. A variable that occurs twice has the same shape in both
//! places. The rule for constants has nothing but the variable to say so. So a positive condition on a column that is split
//! in the same way must bind it; where no condition does, the column is not split, and holds whole terms.
//!
//! Code that reads atoms from rows has to use the whole template. A role, for instance, has a column of its own in `legal/-/m`,
//! and is `(g ?0)` in `legal/g/m`: `lifted/state.rs` compares the columns with those of each role.
//!
//! Guarantees: every ground atom belongs to exactly one relation. The instances of the rules are those
//! of the rules of the program, one to one, as far as these can match.

mod build;
mod components;
mod demand;
mod order;
mod print;
mod shapes;
mod split;
mod text;
mod views;

use crate::ids::{BitSet, IdVec};
pub use build::flatten;
pub(crate) use build::kind_of;
pub(crate) use components::{component_numbers, components};
pub(crate) use demand::{
    add_demanded, callers, demand, demandable, demandable_statics, raise_kinds, with_growing_calls,
};
pub(crate) use order::rules_in_order;
pub use print::print_flat;
pub(crate) use split::{Substitution, renumber, substitute};
pub use text::read_ground_term;
pub(crate) use text::write_term;
pub use views::{matched, stored};

use grundy_syntax::{Budget, Keyword, PredicateId, Program, RuleId, Term, TermId, Terms, VariableId};

grundy_syntax::define_id! {
    /// A relation of a [`Flat`] program.
    pub struct RelationId(u32);
}

grundy_syntax::define_id! {
    /// A rule of a [`Flat`] program: its position in the order of the rules.
    pub(crate) struct FlatRuleId(u32);
}

/// The kind of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationKind {
    /// Facts that hold in every state.
    Static,
    /// Possible values of some columns. Guards take part in matching only.
    Guard,
    /// Atoms that hold in some states: what depends on `true` or `does`, and the answers themselves.
    Dynamic,
}

/// A predicate, or the part of it whose atoms have a certain shape.
#[derive(Clone, Debug)]
pub struct RelationInfo {
    /// The predicate that it is a part of.
    pub predicate: PredicateId,
    /// The arguments of an atom; variable number `i` stands for column `i`.
    pub template: Box<[TermId]>,
    /// For each column whether it holds constants alone, since functions have relations of their own.
    pub(crate) constant: Box<[bool]>,
    /// The number of columns.
    pub arity: usize,
    /// The kind of its rows.
    pub kind: RelationKind,
    /// Whether it was introduced when a rule was split.
    pub is_part: bool,
}

impl RelationInfo {
    /// A relation whose columns are the arguments of the predicate.
    pub(crate) fn plain(
        terms: &mut Terms,
        predicate: PredicateId,
        arity: usize,
        kind: RelationKind,
    ) -> RelationInfo {
        let template = (0..arity).map(|column| terms.variable(VariableId::new(column))).collect();
        RelationInfo { predicate, template, constant: vec![false; arity].into(), arity, kind, is_part: false }
    }

    /// Whether a column holds constants alone. Atoms with a function there belong to another relation.
    pub fn is_constant(&self, column: usize) -> bool {
        self.constant[column]
    }

    /// Whether another relation has atoms with the same arguments.
    pub(crate) fn is_same_part(&self, other: &RelationInfo) -> bool {
        self.template == other.template && self.constant == other.constant
    }

    /// Collects the values of the columns in this part of the template, in order. Returns whether the term matches the part.
    pub(crate) fn collect(&self, terms: &Terms, part: TermId, term: TermId, values: &mut Vec<u32>) -> bool {
        match (terms.get(part), terms.get(term)) {
            (Term::Variable(column), Term::Compound(..)) if self.is_constant(column.index()) => false,
            (Term::Variable(_), _) => {
                values.push(term.0);
                true
            }
            (Term::Compound(f, xs), Term::Compound(g, ys)) => {
                let mut pairs = xs.iter().zip(ys);
                f == g && xs.len() == ys.len() && pairs.all(|(&x, &y)| self.collect(terms, x, y, values))
            }
            (Term::Constant(_), Term::Constant(_)) => part == term,
            _ => false,
        }
    }
}

/// A relation applied to terms, one for each column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FlatAtom {
    /// The relation.
    pub relation: RelationId,
    /// Variables, constants, and functions where they could not be taken apart.
    pub args: Box<[TermId]>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FlatLiteral {
    /// The atom holds.
    Holds(FlatAtom),
    /// The atom does not hold.
    Not(FlatAtom),
    /// At least one of the pairs differs.
    Distinct(Box<[(TermId, TermId)]>),
}

impl FlatLiteral {
    /// The atom of a positive or negative condition.
    pub fn atom(&self) -> Option<&FlatAtom> {
        match self {
            FlatLiteral::Holds(atom) | FlatLiteral::Not(atom) => Some(atom),
            FlatLiteral::Distinct(_) => None,
        }
    }

    /// All terms of the condition.
    pub fn terms(&self) -> impl Iterator<Item = TermId> + '_ {
        let (args, pairs) = match self {
            FlatLiteral::Holds(atom) | FlatLiteral::Not(atom) => (&atom.args[..], &[][..]),
            FlatLiteral::Distinct(pairs) => (&[][..], &pairs[..]),
        };
        args.iter().copied().chain(pairs.iter().flat_map(|&(a, b)| [a, b]))
    }
}

/// The origin of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This rule of the program.
    Rule(RuleId),
    /// Enumerates the atoms of a lifted relation in this rule of the program.
    External(RuleId),
    /// A link between `init`, `next`, `legal` and `true`, `does`.
    Link,
}

impl Origin {
    /// The rule of the program that it was made from, if there is one.
    pub fn rule(self) -> Option<RuleId> {
        match self {
            Origin::Rule(rule) | Origin::External(rule) => Some(rule),
            Origin::Link => None,
        }
    }
}

/// A rule over relations.
#[derive(Clone, Debug)]
pub struct FlatRule {
    /// The derived atom.
    pub head: FlatAtom,
    /// The conditions.
    pub body: Vec<FlatLiteral>,
    /// Variables are numbered below this.
    pub variables: usize,
    /// Its origin.
    pub origin: Origin,
}

impl FlatRule {
    /// The atoms of its conditions, positive and negative.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = &FlatAtom> + Clone {
        self.body.iter().filter_map(FlatLiteral::atom)
    }

    /// The relations of the atoms of its conditions, one for each atom.
    pub(crate) fn relations_read(&self) -> impl Iterator<Item = RelationId> + '_ {
        self.atoms().map(|atom| atom.relation)
    }
}

/// A program over relations. See the module's documentation.
#[derive(Clone, Debug, Default)]
pub struct Flat {
    /// The relations.
    pub(crate) relations: IdVec<RelationId, RelationInfo>,
    /// The rules, in the order of the sheet.
    pub(crate) rules: IdVec<FlatRuleId, FlatRule>,
    /// The terms of the rules and templates; engines add the terms that they derive.
    pub terms: Terms,
    /// The budget of the call. Functions on flat programs stop early when it is used up, and leave the program in an
    /// unspecified state; the calling stage has to check the budget before it continues.
    pub(crate) budget: Budget,
}

impl Flat {
    /// A relation by its id.
    pub fn info(&self, relation: RelationId) -> &RelationInfo {
        &self.relations[relation]
    }

    /// The number of relations.
    pub fn relation_count(&self) -> usize {
        self.relations.len()
    }

    /// The number of rules.
    pub fn rule_count(&self) -> usize {
        self.rules.len()
    }

    /// The keyword of a relation's predicate.
    pub(crate) fn keyword(&self, program: &Program, relation: RelationId) -> Option<Keyword> {
        program.info(self.relations[relation].predicate).keyword
    }

    /// An empty set with room for all relations.
    pub(crate) fn no_relations(&self) -> BitSet<RelationId> {
        BitSet::empty(self.relations.len())
    }

    /// The relations that satisfy a condition.
    pub(crate) fn relations_where(&self, contains: impl FnMut(&RelationId) -> bool) -> BitSet<RelationId> {
        BitSet::of(self.relations.len(), contains)
    }

    pub(crate) fn add_relation(&mut self, info: RelationInfo) -> RelationId {
        self.relations.push(info)
    }
}
