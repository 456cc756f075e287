//! Terms, hash-consed: equal terms have equal ids, and comparing or hashing one costs nothing.

use super::symbol::{SymbolId, hash_of};
use crate::ids::{Id, narrow};
use hashbrown::HashTable;

crate::define_id! {
    /// An interned term.
    pub struct TermId(u32);
}

crate::define_id! {
    /// A variable of a rule, numbered by its first occurrence in it. Rules share terms, so that the
    /// same variable number has another meaning, and another name, in each rule.
    pub struct VariableId(u32);
}

/// A look at a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term<'a> {
    /// A variable.
    Variable(VariableId),
    /// A name or a number.
    Constant(SymbolId),
    /// A function applied to one or more terms.
    Compound(SymbolId, &'a [TermId]),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    head: Head,
    args_start: u32,
    args_len: u32,
    depth: u32,
    ground: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    Variable(VariableId),
    Name(SymbolId),
}

/// A store of terms.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    args: Vec<TermId>,
    /// The terms of constants by their names, and of variables by their numbers, as far as there are
    /// any: most terms are one of these, and need no hashing.
    constants: Vec<Option<TermId>>,
    variables: Vec<Option<TermId>>,
    /// The other terms by their hash, which stands beside them: to hash a term again when the table
    /// grows would touch memory all over the place.
    compounds: HashTable<(u64, TermId)>,
}

impl Terms {
    /// The memory that is held.
    pub fn bytes(&self) -> usize {
        let known = self.constants.capacity() + self.variables.capacity();
        self.nodes.capacity() * size_of::<Node>()
            + self.args.capacity() * size_of::<TermId>()
            + known * size_of::<Option<TermId>>()
            + self.compounds.allocation_size()
    }

    /// The term that is a variable.
    pub fn variable(&mut self, variable: VariableId) -> TermId {
        let place = variable.index();
        if let Some(&Some(known)) = self.variables.get(place) {
            return known;
        }
        let term = self.push(Head::Variable(variable), &[]);
        set(&mut self.variables, place, term);
        term
    }

    /// The term that is a constant.
    pub fn constant(&mut self, name: SymbolId) -> TermId {
        let place = name.index();
        if let Some(&Some(known)) = self.constants.get(place) {
            return known;
        }
        let term = self.push(Head::Name(name), &[]);
        set(&mut self.constants, place, term);
        term
    }

    /// A function applied to arguments; without arguments, the constant.
    pub fn compound(&mut self, name: SymbolId, args: &[TermId]) -> TermId {
        if args.is_empty() {
            return self.constant(name);
        }
        let head = Head::Name(name);
        let hash = hash_of(&(name, args));
        let same = |&(other, id): &(u64, TermId)| {
            let node = &self.nodes[id.index()];
            other == hash && node.head == head && self.args_of(node) == args
        };
        if let Some(&(_, known)) = self.compounds.find(hash, same) {
            return known;
        }
        let term = self.push(head, args);
        self.compounds.insert_unique(hash, (hash, term), |&(hash, _)| hash);
        term
    }

    /// What a term is made of.
    pub fn get(&self, id: TermId) -> Term<'_> {
        let node = &self.nodes[id.index()];
        match node.head {
            Head::Variable(variable) => Term::Variable(variable),
            Head::Name(name) if node.args_len == 0 => Term::Constant(name),
            Head::Name(name) => Term::Compound(name, self.args_of(node)),
        }
    }

    /// Whether a term has no variable.
    pub fn is_ground(&self, id: TermId) -> bool {
        self.nodes[id.index()].ground
    }

    /// One for a constant or a variable, one more for each function around it.
    pub fn depth(&self, id: TermId) -> usize {
        self.nodes[id.index()].depth.index()
    }

    /// The number of different terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Calls `visit` for every occurrence of a variable, from left to right.
    pub fn for_each_variable(&self, id: TermId, visit: &mut impl FnMut(VariableId)) {
        match self.get(id) {
            Term::Variable(variable) => visit(variable),
            Term::Constant(_) => {}
            Term::Compound(..) if self.is_ground(id) => {}
            Term::Compound(_, args) => args.iter().for_each(|&arg| self.for_each_variable(arg, visit)),
        }
    }

    /// Whether a variable occurs in a term.
    pub fn contains(&self, id: TermId, variable: VariableId) -> bool {
        let mut found = false;
        self.for_each_variable(id, &mut |v| found |= v == variable);
        found
    }

    fn args_of(&self, node: &Node) -> &[TermId] {
        &self.args[node.args_start.index()..][..node.args_len.index()]
    }

    fn push(&mut self, head: Head, args: &[TermId]) -> TermId {
        self.nodes.push(Node {
            head,
            args_start: narrow(self.args.len()),
            args_len: narrow(args.len()),
            depth: 1 + args.iter().map(|arg| self.nodes[arg.index()].depth).max().unwrap_or(0),
            ground: matches!(head, Head::Name(_)) && args.iter().all(|&arg| self.is_ground(arg)),
        });
        self.args.extend_from_slice(args);
        TermId(narrow(self.nodes.len()) - 1)
    }
}

fn set(terms: &mut Vec<Option<TermId>>, place: usize, term: TermId) {
    if terms.len() <= place {
        terms.resize(place + 1, None);
    }
    terms[place] = Some(term);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_one() {
        let mut terms = Terms::default();
        let a = terms.constant(SymbolId(0));
        let x = terms.variable(VariableId(0));
        let f = terms.compound(SymbolId(1), &[a, x]);
        assert_eq!(terms.compound(SymbolId(1), &[a, x]), f);
        assert_ne!(terms.compound(SymbolId(1), &[x, a]), f);
        assert_eq!(terms.compound(SymbolId(0), &[]), a);
        assert_eq!(terms.get(f), Term::Compound(SymbolId(1), &[a, x]));
        assert!(!terms.is_ground(f) && terms.is_ground(a));
        assert_eq!(terms.depth(f), 2);
        assert!(terms.contains(f, VariableId(0)) && !terms.contains(f, VariableId(1)));
    }
}
