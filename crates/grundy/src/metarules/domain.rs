//! [`Domain`]: a theory or game as unfolding and the search for metarules see it.
//!
//! Metarules and unfolding work on predicates, and treat each kind differently. So the program is normalised here, in
//! the same way for both dialects:
//!
//! - *Topology*: static predicates that rules with dynamic heads read. Their facts are derived once and are complete, so
//!   that the absence of a fact is knowledge, too. They are in a [`Memory`], which the searches for patterns match.
//! - *Fluents*: the facts of a state. In a theory these are the dynamic predicates. In a game, `true` is a single
//!   predicate over terms; each function inside it, such as `cell` in `(true (cell 1 1 x))`, becomes a predicate of its
//!   own, `true cell/3`. A rule with a variable for a whole fact is copied for each function.
//! - *Effects*: the rules of `next`, stored under the fluent that they make true. They are successor-state axioms:
//!   regression over a move replaces a fluent by the body of an effect.
//! - *Views*: all other predicates with rules.
//! - *Does*: the moves that are made. A theory declares moves by `does/1`, `legal/1` and `next/1`, like a game with a
//!   single role.
//!
//! Unfolding adds predicates, so that a domain can grow ([`Domain::new_view`]); facts never change.

use super::clause::Clause;
use super::dependence::{
    copy_bytes, derive_topology, predicates_by_moves, recursive_predicates, topology_of, with_components,
};
use super::limits::MetaError;
use super::memory::Memory;
use super::terms::{Bindings, copy_term, map_atom, map_literal, variables_of};
use crate::analysis::{Class, classify};
use crate::ids::IdVec;
use grundy_syntax::{
    Atom, Budget, Dialect, Keyword, Literal, PredicateId, Program, Span, Stage, SymbolId, Term, TermId,
    Ticks, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a predicate is to unfolding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Its facts are complete and never change.
    Topology,
    /// A fact of the state.
    Fluent,
    /// Defined by rules.
    View,
    /// The moves that are made.
    Does,
}

/// What preparing a domain may cost.
#[derive(Clone, Debug)]
pub struct DomainLimits {
    /// How many facts the topology may have.
    pub facts: usize,
    /// How many steps deriving them may take: conditions that are matched with a fact.
    pub steps: u64,
    /// The time and memory of the call.
    pub budget: Budget,
}

impl Default for DomainLimits {
    fn default() -> DomainLimits {
        DomainLimits { facts: 2_000_000, steps: 400_000_000, budget: Budget::default() }
    }
}

/// The work of copying a condition of a rule, in units of [`Ticks::work`]: a guess.
const WORK_OF_RULE: usize = 16;

/// Limit: the copies of one rule that has variables for whole facts. A guess, far above what sheets need.
const MOST_VARIANTS: usize = 256;

/// A theory or game, prepared. See the module's documentation.
#[derive(Clone)]
pub struct Domain {
    pub(crate) program: Program,
    pub(crate) topology: Memory,
    pub(crate) roles: Vec<TermId>,
    pub(crate) does: Option<PredicateId>,
    pub(crate) legal: Option<PredicateId>,
    /// Conditions that never hold together, as the theory says.
    pub(crate) constraints: Vec<Vec<Literal>>,
    kinds: IdVec<PredicateId, Kind>,
    rules: FxHashMap<PredicateId, Vec<Clause>>,
    effects: FxHashMap<PredicateId, Vec<Clause>>,
    recursive: FxHashSet<PredicateId>,
    by_moves: FxHashSet<PredicateId>,
    /// Static predicates that only other static predicates read: their facts are not kept.
    unasked: FxHashSet<PredicateId>,
    /// Predicates that were added, and of which no rules are known here.
    added: FxHashSet<PredicateId>,
    shared: FxHashMap<(String, usize), PredicateId>,
    /// Fluents of a game, with the function inside `true`.
    functions: FxHashMap<PredicateId, SymbolId>,
    fluent_of: FxHashMap<(SymbolId, usize), PredicateId>,
    /// The first rule of each predicate.
    places: FxHashMap<PredicateId, Span>,
}

impl Domain {
    /// Prepares a program. The predicates of `goals` will be unfolded, even if they are static.
    pub fn new(program: &Program, goals: &[PredicateId], limits: &DomainLimits) -> Result<Domain, MetaError> {
        let budget = &limits.budget;
        budget.enter(Stage::Metarules);
        let analysis = classify(program);
        budget.check()?;
        let unfolded = with_components(&analysis, goals);
        let wanted = topology_of(program, &analysis, &unfolded);
        budget.check_room(2 * copy_bytes(program))?;
        let evaluator = derive_topology(program, &wanted, limits)?;
        budget.check()?;
        let mut own = program.clone();
        own.terms = evaluator.terms().clone();
        let mut kinds = IdVec::filled(Kind::View, own.predicate_count());
        wanted.iter().for_each(|&predicate| kinds[predicate] = Kind::Topology);
        let facts = wanted.iter().flat_map(|&predicate| {
            let mut rows: Vec<&[TermId]> = evaluator.rows(predicate).collect();
            rows.sort_unstable();
            rows.into_iter().map(move |row| (predicate, Box::from(row)))
        });
        let topology = Memory::new(own.predicate_count(), facts, 0, budget)?;
        budget.check()?;
        let is_unasked =
            |id: &PredicateId| analysis.class(*id) == Class::Static && kinds[*id] != Kind::Topology;
        let unasked = program.predicates().map(|(id, _)| id).filter(is_unasked).collect();
        let mut domain = Domain {
            roles: own.roles(),
            does: None,
            legal: None,
            topology,
            constraints: Vec::new(),
            kinds,
            rules: FxHashMap::default(),
            effects: FxHashMap::default(),
            recursive: recursive_predicates(program, &analysis),
            by_moves: predicates_by_moves(program),
            unasked,
            added: FxHashSet::default(),
            shared: FxHashMap::default(),
            functions: FxHashMap::default(),
            fluent_of: FxHashMap::default(),
            places: FxHashMap::default(),
            program: own,
        };
        domain.name_moves();
        domain.name_fluents(program);
        budget.check()?;
        domain.sort_rules(program, budget)?;
        Ok(domain)
    }

    /// The parts that the search for patterns needs: it adds terms, reads facts, and reports rules by their spans.
    pub(crate) fn for_search(&mut self) -> (&mut Program, &Memory, &FxHashMap<PredicateId, Span>) {
        (&mut self.program, &self.topology, &self.places)
    }

    /// Records in a budget that a predicate is worked on, by its first rule.
    pub(crate) fn work_on(&self, predicate: PredicateId, budget: &Budget) {
        if let Some(&place) = self.places.get(&predicate) {
            budget.at_rule(place);
        }
    }

    /// The program, with the terms and predicates that were added.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The complete facts.
    pub fn topology(&self) -> &Memory {
        &self.topology
    }

    /// The rules of a view, as they are written.
    pub fn clauses_of(&self, predicate: PredicateId) -> &[Clause] {
        self.rules(predicate)
    }

    /// The views that the state determines.
    pub fn state_views(&self) -> Vec<PredicateId> {
        let by_state = |&predicate: &PredicateId| {
            self.kind(predicate) == Kind::View && !self.depends_on_moves(predicate)
        };
        self.program.predicates().map(|(id, _)| id).filter(by_state).collect()
    }

    /// A ground term in KIF notation, such as `(p 5 5)`; what is none becomes a constant.
    pub fn ground_term(&mut self, text: &str) -> TermId {
        let Program { symbols, terms, .. } = &mut self.program;
        let read = crate::flat::read_ground_term(text, symbols, terms);
        read.unwrap_or_else(|| terms.constant(symbols.intern(text)))
    }

    /// The name of the facts of a fluent; `None` for other predicates.
    pub fn fact_name(&self, predicate: PredicateId) -> Option<&str> {
        let is_fact = self.kind(predicate) == Kind::Fluent;
        let name = self.functions.get(&predicate).copied().unwrap_or(self.program.info(predicate).name);
        is_fact.then(|| self.program.symbols.name(name))
    }

    pub(crate) fn kind(&self, predicate: PredicateId) -> Kind {
        self.kinds.get(predicate).copied().unwrap_or(Kind::View)
    }

    /// The predicates whose facts are complete.
    pub(crate) fn topology_predicates(&self) -> Vec<PredicateId> {
        let all = self.program.predicates().map(|(id, _)| id);
        all.filter(|&predicate| self.kind(predicate) == Kind::Topology).collect()
    }

    /// All fluents.
    pub(crate) fn fluents(&self) -> Vec<PredicateId> {
        let all = self.program.predicates().map(|(id, _)| id);
        all.filter(|&predicate| self.kind(predicate) == Kind::Fluent).collect()
    }

    /// The rules of a view.
    pub(crate) fn rules(&self, predicate: PredicateId) -> &[Clause] {
        self.rules.get(&predicate).map_or(&[], |rules| rules)
    }

    /// The rules that make a fluent true; their heads are the fluent itself. `None` if it stays as it is, as in a
    /// theory what no rule of `next` speaks of; in a game that is gone after the first move.
    pub(crate) fn effects(&self, fluent: PredicateId) -> Option<&[Clause]> {
        let rules = self.effects.get(&fluent).map(|rules| &rules[..]);
        rules.or_else(|| (self.program.dialect == Dialect::Game).then_some(&[]))
    }

    /// All rules, in no particular order of predicates.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = &Clause> {
        self.rules.values().chain(self.effects.values()).flatten()
    }

    /// All conditions of rules.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &Literal> {
        self.clauses().flat_map(|clause| &clause.body)
    }

    /// Whether a predicate depends on itself.
    pub(crate) fn is_recursive(&self, predicate: PredicateId) -> bool {
        self.recursive.contains(&predicate)
    }

    /// Whether working memories have all facts that a rule asks for.
    pub(crate) fn can_be_matched(&self, clause: &Clause) -> bool {
        clause.body.iter().filter_map(Literal::atom).all(|atom| !self.unasked.contains(&atom.predicate))
    }

    /// Whether a predicate depends on the moves that are made.
    pub(crate) fn depends_on_moves(&self, predicate: PredicateId) -> bool {
        self.by_moves.contains(&predicate)
    }

    /// A new predicate that rules will define; `wish` is its name unless it is taken.
    pub(crate) fn new_view(&mut self, wish: &str, arity: usize) -> PredicateId {
        let mut name = wish.to_owned();
        let mut number = 2;
        while self.program.find_predicate(&name, arity).is_some() {
            name = format!("{wish}{number}");
            number += 1;
        }
        let predicate = self.program.predicate(&name, arity);
        self.kinds.resize(self.program.predicate_count(), Kind::View);
        self.topology.grow(self.program.predicate_count());
        self.added.insert(predicate);
        predicate
    }

    /// The predicate that was added under this name, or a new one.
    pub(crate) fn shared_view(&mut self, wish: &str, arity: usize) -> PredicateId {
        let key = (wish.to_owned(), arity);
        if let Some(&known) = self.shared.get(&key) {
            return known;
        }
        let predicate = self.new_view(wish, arity);
        self.shared.insert(key, predicate);
        predicate
    }

    /// Whether all rules of a view are known, and none of them leads back to it.
    pub(crate) fn can_be_unfolded(&self, predicate: PredicateId) -> bool {
        let is_view = self.kind(predicate) == Kind::View;
        is_view && !self.is_recursive(predicate) && !self.added.contains(&predicate)
    }

    /// How many moves are made at a time.
    pub(crate) fn players(&self) -> usize {
        match self.program.dialect {
            Dialect::Game => self.roles.len(),
            Dialect::Theory => usize::from(self.does.is_some()),
        }
    }

    /// The fluent that a fact of a game is.
    pub(crate) fn fluent_atom(&self, fact: TermId) -> Option<Atom> {
        let (name, args): (SymbolId, Box<[TermId]>) = match self.program.terms.get(fact) {
            Term::Variable(_) => return None,
            Term::Constant(name) => (name, Box::new([])),
            Term::Compound(name, args) => (name, args.into()),
        };
        let predicate = *self.fluent_of.get(&(name, args.len()))?;
        Some(Atom { predicate, args })
    }

    /// A condition as it is written in the source, where a fluent of a game is an argument of `true`.
    pub(crate) fn in_source(&mut self, literal: &Literal) -> Literal {
        match literal {
            Literal::Holds(atom) => Literal::Holds(self.atom_in_source(atom)),
            Literal::Not(atom) => Literal::Not(self.atom_in_source(atom)),
            Literal::Distinct(..) => literal.clone(),
        }
    }

    fn atom_in_source(&mut self, atom: &Atom) -> Atom {
        let Some(&function) = self.functions.get(&atom.predicate) else { return atom.clone() };
        let fact = self.program.terms.compound(function, &atom.args);
        Atom { predicate: self.program.predicate(Keyword::True.name(), 1), args: Box::new([fact]) }
    }

    /// The conditions of a foreign clause with the fluents that they mean. A variable for a whole fact
    /// gives a variant for each fluent.
    pub(crate) fn with_fluents(&mut self, literals: &[Literal]) -> Result<Vec<Vec<Literal>>, MetaError> {
        let Some(holds) = self.true_predicate() else { return Ok(vec![literals.to_vec()]) };
        let mut done = Vec::new();
        let mut work = vec![literals.to_vec()];
        while let Some(body) = work.pop() {
            let bare = body.iter().find_map(|literal| {
                let atom = literal.atom().filter(|atom| atom.predicate == holds)?;
                match self.program.terms.get(atom.args[0]) {
                    Term::Variable(variable) => Some(variable),
                    _ => None,
                }
            });
            match bare {
                Some(variable) => work.extend(self.variants(&body, variable)),
                None => {
                    done.push(body.iter().filter_map(|literal| self.with_fluent(literal, holds)).collect());
                }
            }
            if work.len() + done.len() > MOST_VARIANTS {
                let what = "a variable stands for too many kinds of facts";
                return Err(MetaError::limit("variants", what));
            }
        }
        done.reverse();
        Ok(done)
    }

    fn true_predicate(&self) -> Option<PredicateId> {
        self.program.keyword(Keyword::True)
    }

    /// One body for each fluent that a variable can stand for.
    fn variants(&mut self, body: &[Literal], variable: VariableId) -> Vec<Vec<Literal>> {
        let highest = |terms: &grundy_syntax::Terms| {
            let all = body.iter().flat_map(|literal| variables_of(terms, literal));
            all.map(|variable| variable.0 + 1).max().unwrap_or(0)
        };
        let first_new = highest(&self.program.terms);
        let mut fluents: Vec<((SymbolId, usize), PredicateId)> =
            self.fluent_of.iter().map(|(&key, &fluent)| (key, fluent)).collect();
        fluents.sort_unstable_by_key(|&(_, fluent)| fluent);
        let mut variants = Vec::new();
        for ((name, arity), _) in fluents {
            let terms = &mut self.program.terms;
            let args: Vec<TermId> =
                (first_new..).take(arity).map(|variable| terms.variable(VariableId(variable))).collect();
            let fact = terms.compound(name, &args);
            let mut bindings = Bindings::default();
            bindings.bind(variable, fact);
            variants.push(
                body.iter().map(|literal| map_literal(literal, |term| bindings.apply(terms, term))).collect(),
            );
        }
        variants
    }

    /// A condition with its fluent. What no fluent can be is never true: a condition that it does not
    /// hold is left out, and one that it holds stays as it is, and fails.
    fn with_fluent(&self, literal: &Literal, holds: PredicateId) -> Option<Literal> {
        let atom = literal.atom().filter(|atom| atom.predicate == holds);
        let Some(atom) = atom else { return Some(literal.clone()) };
        match (literal, self.fluent_atom(atom.args[0])) {
            (Literal::Holds(_), Some(fluent)) => Some(Literal::Holds(fluent)),
            (Literal::Not(_), Some(fluent)) => Some(Literal::Not(fluent)),
            (Literal::Not(_), None) => None,
            _ => Some(literal.clone()),
        }
    }

    fn name_moves(&mut self) {
        let (does, legal) = match self.program.dialect {
            Dialect::Game => (self.program.keyword(Keyword::Does), self.program.keyword(Keyword::Legal)),
            Dialect::Theory => {
                (self.program.find_predicate("does", 1), self.program.find_predicate("legal", 1))
            }
        };
        if let Some(does) = does {
            self.kinds[does] = Kind::Does;
        }
        (self.does, self.legal) = (does, legal);
    }

    fn name_fluents(&mut self, program: &Program) {
        if program.dialect == Dialect::Theory {
            for declaration in &program.dynamic {
                if Some(declaration.predicate) != self.does {
                    self.kinds[declaration.predicate] = Kind::Fluent;
                    let info = program.info(declaration.predicate);
                    self.fluent_of.insert((info.name, info.arity), declaration.predicate);
                }
            }
            return;
        }
        let heads = [Keyword::Init, Keyword::Next].into_iter().filter_map(|keyword| program.keyword(keyword));
        let heads: Vec<PredicateId> = heads.collect();
        for rule in program.rules.iter().filter(|rule| heads.contains(&rule.head.predicate)) {
            let (name, arity) = match program.terms.get(rule.head.args[0]) {
                Term::Variable(_) => continue,
                Term::Constant(name) => (name, 0),
                Term::Compound(name, args) => (name, args.len()),
            };
            if !self.fluent_of.contains_key(&(name, arity)) {
                self.add_fluent(name, arity);
            }
        }
    }

    fn add_fluent(&mut self, function: SymbolId, arity: usize) {
        // A name with a space in it cannot be written in KIF; in quotes it can, so look twice.
        let mut name = format!("true {}", self.program.symbols.name(function));
        while self.program.find_predicate(&name, arity).is_some() {
            name.push(' ');
        }
        let predicate = self.program.predicate(&name, arity);
        self.kinds.resize(self.program.predicate_count(), Kind::View);
        self.kinds[predicate] = Kind::Fluent;
        self.topology.grow(self.program.predicate_count());
        self.functions.insert(predicate, function);
        self.fluent_of.insert((function, arity), predicate);
    }

    /// Puts every rule under what it defines.
    fn sort_rules(&mut self, program: &Program, budget: &Budget) -> Result<(), MetaError> {
        let mut ticks = Ticks::default();
        let next = match program.dialect {
            Dialect::Game => program.keyword(Keyword::Next),
            Dialect::Theory => program.find_predicate("next", 1),
        };
        let ignored: Vec<PredicateId> = [Keyword::Init, Keyword::Base, Keyword::Input, Keyword::Sees]
            .into_iter()
            .filter_map(|keyword| program.keyword(keyword))
            .collect();
        for rule in &program.rules {
            let predicate = rule.head.predicate;
            ticks.work(budget, WORK_OF_RULE * (1 + rule.body.len()))?;
            self.places.entry(predicate).or_insert(rule.span);
            if self.kind(predicate) == Kind::Topology || ignored.contains(&predicate) {
                continue;
            }
            let clause = Clause::of_rule(rule);
            // The head goes along as a condition, so that its variables are replaced as well.
            let mut literals = vec![Literal::Holds(clause.head)];
            if Some(predicate) == next
                && let Some(holds) = self.true_predicate()
            {
                literals = vec![Literal::Holds(Atom { predicate: holds, args: rule.head.args.clone() })];
            }
            literals.extend(clause.body);
            for mut variant in self.with_fluents(&literals)? {
                ticks.work(budget, WORK_OF_RULE * (1 + variant.len()))?;
                let Literal::Holds(mut head) = variant.remove(0) else { continue };
                if Some(predicate) == next && program.dialect == Dialect::Theory {
                    let Some(fluent) = self.fluent_atom(head.args[0]) else {
                        let what =
                            "`next` is about the dynamic predicates of the theory, and about nothing else";
                        return Err(MetaError::Wrong(what.to_owned()));
                    };
                    head = fluent;
                }
                let clause = Clause::new(&mut self.program.terms, &head, &variant);
                self.places.entry(head.predicate).or_insert(rule.span);
                let rules = if Some(predicate) == next { &mut self.effects } else { &mut self.rules };
                rules.entry(head.predicate).or_default().push(clause);
            }
        }
        for constraint in &program.constraints {
            self.constraints
                .push(constraint.body.iter().map(|condition| condition.literal.clone()).collect());
        }
        Ok(())
    }

    /// Brings conditions that were read elsewhere into this domain.
    pub(crate) fn import_literal(&mut self, from: &Program, literal: &Literal) -> Result<Literal, MetaError> {
        let atom = match literal {
            Literal::Holds(atom) | Literal::Not(atom) => atom,
            Literal::Distinct(a, b) => {
                let a = import_term(from, *a, &mut self.program);
                return Ok(Literal::Distinct(a, import_term(from, *b, &mut self.program)));
            }
        };
        let info = from.info(atom.predicate);
        let name = from.symbols.name(info.name);
        let Some(predicate) = self.program.find_predicate(name, info.arity) else {
            let what = format!("`{name}` with {} arguments does not occur in the theory", info.arity);
            return Err(MetaError::BadGoal(what));
        };
        let args = map_atom(atom, |term| import_term(from, term, &mut self.program)).args;
        let atom = Atom { predicate, args };
        Ok(if matches!(literal, Literal::Holds(_)) { Literal::Holds(atom) } else { Literal::Not(atom) })
    }
}

/// A term of one program in another.
fn import_term(from: &Program, term: TermId, to: &mut Program) -> TermId {
    copy_term((&from.symbols, &from.terms), term, (&mut to.symbols, &mut to.terms))
}
