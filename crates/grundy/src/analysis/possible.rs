//! The possible arguments of atoms: abstract interpretation with sets of names.
//!
//! For each predicate, each kind of fact of the state and each kind of move, every argument gets the set of constants and
//! functions that rules can derive: the least fixpoint over positive conditions, with all negations assumed to hold. It is an
//! over-approximation of the reachable states, since arguments are considered separately. A set that grows too large, or a
//! rule that derives all facts, makes the arguments unknown.

use super::Context;
use grundy_syntax::{Atom, Keyword, Literal, PredicateId, Program, Rule, SymbolId, Term, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A constant, or a function with its number of arguments.
pub(super) type Item = (SymbolId, usize);

/// The possible values of an argument or variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values {
    /// Anything.
    Any,
    /// These, in order.
    Only(Rc<[Item]>),
}

/// The largest set; a larger one becomes [`Values::Any`]. A guess.
const MOST_ITEMS: usize = 512;

/// The largest number of visited items, after which the fixpoint is abandoned. A guess.
const MOST_WORK: usize = 20_000_000;

impl Values {
    fn none() -> Values {
        Values::Only(Rc::new([]))
    }

    fn one(item: Item) -> Values {
        Values::Only(Rc::new([item]))
    }

    fn is_empty(&self) -> bool {
        matches!(self, Values::Only(items) if items.is_empty())
    }

    pub(super) fn contains(&self, item: Item) -> bool {
        match self {
            Values::Any => true,
            Values::Only(items) => items.binary_search(&item).is_ok(),
        }
    }

    /// The items, where they are known.
    pub(super) fn items(&self) -> &[Item] {
        match self {
            Values::Any => &[],
            Values::Only(items) => items,
        }
    }

    pub(super) fn meet(&self, other: &Values) -> Values {
        match (self, other) {
            (Values::Any, values) | (values, Values::Any) => values.clone(),
            (Values::Only(mine), Values::Only(theirs)) if Rc::ptr_eq(mine, theirs) => self.clone(),
            (Values::Only(mine), Values::Only(theirs)) => {
                let both = mine.iter().copied().filter(|item| theirs.binary_search(item).is_ok());
                Values::Only(both.collect())
            }
        }
    }

    /// Adds the values of another set. Returns whether any is new.
    pub(super) fn join(&mut self, other: &Values) -> bool {
        let joined = match (&*self, other) {
            (Values::Any, _) => return false,
            (_, Values::Any) => Values::Any,
            (Values::Only(mine), Values::Only(theirs)) => {
                let new = theirs.iter().filter(|item| mine.binary_search(item).is_err());
                let new: Vec<Item> = new.copied().collect();
                if new.is_empty() {
                    return false;
                }
                let mut all = [&mine[..], &new].concat();
                all.sort_unstable();
                if all.len() > MOST_ITEMS { Values::Any } else { Values::Only(all.into()) }
            }
        };
        *self = joined;
        true
    }
}

/// A kind of atom with arguments of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Predicate(PredicateId),
    /// A fact of the state, under `init`, `next` and `true`.
    Fact(Item),
    /// A move, under `legal` and `does`; its first argument is the role.
    Move(Item),
}

/// The kind and the arguments of an atom; `None` if its fact or move is a variable.
pub(super) fn kind_of(program: &Program, atom: &Atom) -> Option<(Kind, Vec<TermId>)> {
    let inside = |term: TermId| match program.terms.get(term) {
        Term::Variable(_) => None,
        Term::Constant(name) => Some(((name, 0), &[][..])),
        Term::Compound(name, args) => Some(((name, args.len()), args)),
    };
    match program.info(atom.predicate).keyword {
        Some(Keyword::Init | Keyword::Next | Keyword::True) => {
            let (item, args) = inside(atom.args[0])?;
            Some((Kind::Fact(item), args.to_vec()))
        }
        Some(Keyword::Legal | Keyword::Does) => {
            let (item, args) = inside(atom.args[1])?;
            Some((Kind::Move(item), [&atom.args[..1], args].concat()))
        }
        _ => Some((Kind::Predicate(atom.predicate), atom.args.to_vec())),
    }
}

/// The result of the analysis.
pub(super) struct Possible {
    arguments: FxHashMap<Kind, Vec<Values>>,
    /// Whether some rule derives unknown facts, or moves.
    any_fact: bool,
    any_move: bool,
}

impl Possible {
    /// The least fixpoint; `None` if it takes too long, or if forms of the sheet were left out.
    pub(super) fn of(context: &Context<'_>) -> Option<Possible> {
        let program = context.program;
        if !program.left_out.is_empty() {
            return None;
        }
        let mut possible = Possible { arguments: FxHashMap::default(), any_fact: false, any_move: false };
        // Facts are visited once.
        let (facts, rules): (Vec<&Rule>, Vec<&Rule>) =
            program.rules.iter().partition(|rule| rule.body.is_empty());
        let mut work = 0;
        possible.sweep(context, &facts, &mut work);
        let mut in_order: Vec<&Rule> = rules;
        in_order.sort_by_key(|rule| context.analysis.component_of(rule.head.predicate));
        while possible.sweep(context, &in_order, &mut work) {
            if work > MOST_WORK {
                return None;
            }
        }
        Some(possible)
    }

    fn sweep(&mut self, context: &Context<'_>, rules: &[&Rule], work: &mut usize) -> bool {
        let mut changed = false;
        for rule in rules {
            *work += 1 + rule.body.len();
            if *work > MOST_WORK {
                return true;
            }
            let Some(variables) = self.variables(context, rule) else { continue };
            *work += variables.iter().map(|values| values.items().len()).sum::<usize>();
            changed |= self.derive(context.program, rule, &variables);
        }
        changed
    }

    fn derive(&mut self, program: &Program, rule: &Rule, variables: &[Values]) -> bool {
        let Some((kind, args)) = kind_of(program, &rule.head) else { return self.derive_any(program, rule) };
        let is_new = !self.arguments.contains_key(&kind);
        let known = self.arguments.entry(kind).or_insert_with(|| vec![Values::none(); args.len()]);
        let mut changed = is_new;
        for (known, &arg) in known.iter_mut().zip(&args) {
            changed |= known.join(&values_of(program, arg, variables));
        }
        changed
    }

    /// Handles a head whose fact or move is a variable. A frame rule derives nothing new.
    fn derive_any(&mut self, program: &Program, rule: &Rule) -> bool {
        let keyword = program.info(rule.head.predicate).keyword;
        let keeps = |literal: &Literal| {
            let Literal::Holds(atom) = literal else { return false };
            program.info(atom.predicate).keyword == Some(Keyword::True) && atom.args == rule.head.args
        };
        let flag = match keyword {
            Some(Keyword::Next) if rule.literals().any(keeps) => return false,
            Some(Keyword::Next | Keyword::Init) => &mut self.any_fact,
            _ => &mut self.any_move,
        };
        !std::mem::replace(flag, true)
    }

    /// Whether the arguments of a kind are unknown: some rule derives all facts, or its facts come from outside.
    fn is_open(&self, context: &Context<'_>, kind: Kind) -> bool {
        match kind {
            Kind::Fact(_) => self.any_fact,
            Kind::Move(_) => self.any_move,
            Kind::Predicate(predicate) => !context.is_defined(predicate),
        }
    }

    /// The possible values of each variable of a rule; `None` if the rule can never match.
    pub(super) fn variables(&self, context: &Context<'_>, rule: &Rule) -> Option<Vec<Values>> {
        let program = context.program;
        let mut variables = vec![Values::Any; rule.variables.len()];
        for literal in rule.literals() {
            let Literal::Holds(atom) = literal else { continue };
            let Some((kind, args)) = kind_of(program, atom) else { continue };
            if self.is_open(context, kind) {
                continue;
            }
            let known = self.arguments.get(&kind)?;
            for (known, &arg) in known.iter().zip(&args) {
                match program.terms.get(arg) {
                    Term::Variable(variable) => {
                        let values = &mut variables[variable.index()];
                        *values = values.meet(known);
                    }
                    Term::Constant(name) if known.contains((name, 0)) => {}
                    Term::Compound(name, args) if known.contains((name, args.len())) => {}
                    Term::Constant(_) | Term::Compound(..) => return None,
                }
            }
        }
        self.restrict_role(context, rule, &mut variables);
        (!variables.iter().any(Values::is_empty)).then_some(variables)
    }

    /// Restricts the first argument of `legal`, `goal` and `sees` to roles.
    fn restrict_role(&self, context: &Context<'_>, rule: &Rule, variables: &mut [Values]) {
        let program = context.program;
        let of_role = matches!(
            program.info(rule.head.predicate).keyword,
            Some(Keyword::Legal | Keyword::Goal | Keyword::Sees)
        );
        let Some(role) = program.keyword(Keyword::Role).filter(|_| of_role) else { return };
        if let Term::Variable(variable) = program.terms.get(rule.head.args[0]) {
            let roles = self.arguments.get(&Kind::Predicate(role));
            let roles = roles.map_or_else(Values::none, |arguments| arguments[0].clone());
            let values = &mut variables[variable.index()];
            *values = values.meet(&roles);
        }
    }

    /// The arguments that a kind can have: all unknown, none at all, or these.
    pub(super) fn arguments(&self, context: &Context<'_>, kind: Kind) -> Known<'_> {
        if self.is_open(context, kind) {
            return Known::Nothing;
        }
        self.arguments.get(&kind).map_or(Known::Never, |arguments| Known::Arguments(arguments))
    }
}

/// What is known about a kind of atoms.
pub(super) enum Known<'a> {
    Nothing,
    /// There are none.
    Never,
    Arguments(&'a [Values]),
}

/// What a term can be, given what its variables can be.
pub(super) fn values_of(program: &Program, term: TermId, variables: &[Values]) -> Values {
    match program.terms.get(term) {
        Term::Variable(variable) => variables[variable.index()].clone(),
        Term::Constant(name) => Values::one((name, 0)),
        Term::Compound(name, args) => Values::one((name, args.len())),
    }
}
