//! How relations are evaluated: whole, or on demand.
//!
//! What is only called with constants is evaluated on demand, everything else whole at first. A component that takes
//! too many steps ends the attempt; its relations are evaluated on demand from then on. If that is not possible, or not
//! enough, it may take all the steps that it needs.

use super::phases::{demand_by_phase, negation_cycles};
use crate::flat::{Flat, FlatRule, ask, askable};
use crate::ground::called_with_constants;
use grundy_syntax::{Program, Terms};

/// The steps that a component may take in a state before its relations are evaluated on demand. Few views of ordinary
/// games need so many, and those that do are looked at in few places.
const STEPS: u64 = 32_000;

/// The same for a component that is evaluated once, because it is static.
const STATIC_STEPS: u64 = 3_000_000;

/// The treatment of all relations of a game.
pub(super) struct Treatment {
    simplified: Flat,
    askable: Vec<bool>,
    demanded: Vec<bool>,
    /// For each rule of the sheet, whether its relation has had its chance.
    settled: Vec<bool>,
}

impl Treatment {
    pub(super) fn new(program: &Program, simplified: Flat) -> Treatment {
        let askable = askable(program, &simplified);
        let called = called_with_constants(&simplified, &askable);
        let mut treatment = Treatment {
            askable,
            demanded: vec![false; simplified.relations.len()],
            settled: vec![false; program.rules.len()],
            simplified,
        };
        (0..called.len()).filter(|&relation| called[relation]).for_each(|relation| {
            treatment.demand(program, relation);
        });
        treatment
    }

    /// The rules to evaluate. `terms` are those of the simplified rules, and others.
    pub(super) fn rules(&self, program: &mut Program, terms: Terms) -> Flat {
        let mut flat = Flat { terms, ..self.simplified.clone() };
        demand_by_phase(program, &mut flat, &self.demanded);
        flat
    }

    /// How many steps a component with these rules may take.
    pub(super) fn steps<'r>(&self, rules: impl Iterator<Item = &'r FlatRule>, is_static: bool) -> u64 {
        let mut numbers = rules.filter_map(|rule| rule.origin.rule());
        match numbers.all(|number| self.settled[number]) {
            true => u64::MAX,
            false if is_static => STATIC_STEPS,
            false => STEPS,
        }
    }

    /// Draws the conclusion from a component with these rules that took too many steps.
    pub(super) fn answer<'r>(&mut self, program: &Program, rules: impl Iterator<Item = &'r FlatRule>) {
        for number in rules.filter_map(|rule| rule.origin.rule()) {
            if std::mem::replace(&mut self.settled[number], true) {
                continue;
            }
            let of_rule = |rule: &&FlatRule| rule.origin.rule() == Some(number);
            let heads: Vec<usize> = self
                .simplified
                .rules
                .iter()
                .filter(of_rule)
                .map(|rule| rule.head.relation.0 as usize)
                .collect();
            for head in heads {
                if self.askable[head] && !self.demanded[head] {
                    self.demand(program, head);
                }
            }
        }
    }

    /// Evaluates a relation on demand, unless negation would have to wait for itself then.
    fn demand(&mut self, program: &Program, relation: usize) {
        let mut demanded = self.demanded.clone();
        ask(&self.simplified, &self.askable, &mut demanded, relation);
        let before = negation_cycles(&self.simplified);
        let mut flat = self.simplified.clone();
        demand_by_phase(&mut program.clone(), &mut flat, &demanded);
        let after = negation_cycles(&flat);
        let is_new = |relation: usize| after[relation] && !before.get(relation).is_some_and(|known| *known);
        if !(0..after.len()).any(is_new) {
            self.demanded = demanded;
        }
    }
}
