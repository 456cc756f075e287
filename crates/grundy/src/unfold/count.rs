//! How many rules unfolding without metarules would make: counted, not built.
//!
//! Plain unfolding replaces each condition by each of its definitions, whatever the others are. The number
//! of rules is therefore a sum of products, and every atom, up to the names of its variables, is looked
//! at once.

use super::{Target, UnfoldConfig};
use crate::metarules::clause::Clause;
use crate::metarules::domain::{Domain, Kind};
use crate::metarules::limits::MetaError;
use crate::metarules::terms::{Bindings, Renumbering, map_atom};
use grundy_syntax::{Atom, Dialect, Literal, PredicateId, Stage, Ticks, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A number of rules; what is too large to count is [`u128::MAX`].
pub type Count = u128;

/// The approximate work of copying a condition, in units of [`Ticks::work`].
const WORK_OF_CONDITION: usize = 16;

/// Limit: the depth to which recursion is followed.
const MOST_DEPTH: u32 = 40;

/// How many rules unfolding a goal would make without metarules.
pub fn count_unfolded(
    domain: &mut Domain,
    target: &Target,
    config: &UnfoldConfig,
) -> Result<Count, MetaError> {
    config.budget.enter(Stage::Unfold);
    let mut counter = Counter {
        unfolded: target.goals.iter().filter_map(|(literal, _)| Some(literal.atom()?.predicate)).collect(),
        domain,
        config,
        steps: 0,
        ticks: Ticks::default(),
        known: FxHashMap::default(),
    };
    let mut total: Count = 1;
    for (literal, time) in &target.goals {
        total = total.saturating_mul(counter.literal(literal, *time, 0)?);
    }
    if let Some(legal) = counter.domain.legal {
        for time in 0..config.moves {
            for player in 0..counter.domain.players() {
                let terms = &mut counter.domain.program.terms;
                let made = terms.variable(VariableId(0));
                let args = match counter.domain.program.dialect {
                    Dialect::Theory => vec![made],
                    Dialect::Game => vec![counter.domain.roles[player], made],
                };
                let atom = Literal::Holds(Atom { predicate: legal, args: args.into() });
                total = total.saturating_mul(counter.literal(&atom, time, 0)?);
            }
        }
    }
    config.budget.check()?;
    Ok(total)
}

struct Counter<'a> {
    domain: &'a mut Domain,
    config: &'a UnfoldConfig,
    steps: u64,
    ticks: Ticks,
    unfolded: FxHashSet<PredicateId>,
    known: FxHashMap<(Atom, u8), Count>,
}

impl Counter<'_> {
    fn literal(&mut self, literal: &Literal, time: u8, depth: u32) -> Result<Count, MetaError> {
        let Literal::Holds(atom) = literal else { return Ok(1) };
        match self.domain.kind(atom.predicate) {
            Kind::Topology | Kind::Does => return Ok(1),
            Kind::Fluent if time == 0 => return Ok(1),
            Kind::View if !self.unfolds(atom.predicate, time) => return Ok(1),
            _ => {}
        }
        let mut renumbering = Renumbering::default();
        let terms = &mut self.domain.program.terms;
        let atom = map_atom(atom, |term| renumbering.term(terms, term));
        if let Some(&known) = self.known.get(&(atom.clone(), time)) {
            return Ok(known);
        }
        self.steps += 1;
        if self.steps > self.config.max_steps {
            return Err(MetaError::limit("steps", "counting takes too long"));
        }
        self.domain.work_on(atom.predicate, &self.config.budget);
        if depth > MOST_DEPTH {
            return Ok(1);
        }
        let (definitions, before): (Vec<Clause>, u8) = match self.domain.kind(atom.predicate) {
            Kind::Fluent => match self.domain.effects(atom.predicate) {
                Some(effects) => (effects.to_vec(), time - 1),
                None => return self.literal(&Literal::Holds(atom), time - 1, depth + 1),
            },
            _ => (self.domain.rules(atom.predicate).to_vec(), time),
        };
        let mut total: Count = 0;
        for definition in definitions {
            self.ticks.work(&self.config.budget, WORK_OF_CONDITION * (1 + definition.body.len()))?;
            let terms = &mut self.domain.program.terms;
            let definition = definition.renamed(terms, renumbering.count);
            let mut bindings = Bindings::default();
            if !definition.head.args.iter().zip(&atom.args).all(|(&a, &b)| bindings.unify(terms, a, b)) {
                continue;
            }
            let mut product: Count = 1;
            for literal in &definition.body {
                let terms = &mut self.domain.program.terms;
                let literal =
                    crate::metarules::terms::map_literal(literal, |term| bindings.apply(terms, term));
                product = product.saturating_mul(self.literal(&literal, before, depth + 1)?);
            }
            total = total.saturating_add(product);
        }
        self.known.insert((atom, time), total);
        Ok(total)
    }

    /// Whether a view is replaced by its definitions.
    fn unfolds(&self, predicate: PredicateId, time: u8) -> bool {
        if self.unfolded.contains(&predicate) {
            return true;
        }
        let is_later = time > 0 || self.domain.depends_on_moves(predicate);
        let is_legal = Some(predicate) == self.domain.legal;
        let single = self.domain.rules(predicate).len() <= 1;
        let unfolds_now = self.config.unfold_views || is_legal || single;
        !self.domain.is_recursive(predicate) && (is_later || unfolds_now)
    }
}
