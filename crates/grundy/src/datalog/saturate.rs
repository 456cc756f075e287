//! Semi-naive evaluation of one component of mutually recursive relations.
//!
//! A component is evaluated in rounds until no rule derives a new row. Each relation of the component has a *delta*: the
//! rows that the previous round added. A rule with recursive conditions runs once for each of them: this condition sees
//! only its delta, the recursive conditions before it see only the rows before the delta, and those behind it see all
//! rows. Hence every combination of rows is matched exactly once, in the round after its youngest row was added.
//!
//! There are two drivers:
//!
//! - [`Engine::saturate`] plans as it runs, and plans again when a relation has more than tripled. Grounding uses it,
//!   since its relations start empty and grow by orders of magnitude. It also collects overflows: when one rule has more
//!   instances than allowed, the other rules still finish the round, so that the caller learns of several at once.
//! - [`Engine::saturate_planned`] runs plans that were made once ([`Engine::plans`]). The lifted engine uses it, since it
//!   evaluates the same rules in every state.
//!
//! Negation inside a component is evaluated by the alternating fixpoint (Van Gelder 1993), driven by the caller:
//! [`Engine::saturate_against`] tests negations of members against an estimate of their rows.

use super::engine::{Derive, Engine, Stop, purpose};
use super::join::Fire;
use super::plan::{Plan, Purpose, Visible, plan};
use super::relation::{Relation, Relations};
use crate::flat::{FlatLiteral, FlatRule, FlatRuleId, RelationId};

/// The steps that the remaining rules of a round may take together after an overflow, so that their overflows show as
/// well. A guess.
const STEPS_AFTER_OVERFLOW: u64 = 1 << 24;

/// A plan is made again when a relation has more than this many times the rows for which it was made. A guess.
const REPLAN_GROWTH: u32 = 3;

impl Engine {
    /// Runs the rules of a component until no rule derives a new row, planning joins on the way.
    ///
    /// An error names the responsible rules. After an overflow, the remaining rules of the round still run.
    pub(crate) fn saturate<F: Fire>(
        &mut self,
        rules: &[(FlatRuleId, &FlatRule)],
        members: &[RelationId],
        ignored: impl Fn(&FlatLiteral) -> bool + Copy,
        fire: &mut F,
    ) -> Result<(), (Stop, Vec<FlatRuleId>)> {
        members.iter().for_each(|&member| self.fresh[member] = Some((0, 0)));
        let grows = |engine: &Engine, literal: &FlatLiteral| match literal {
            FlatLiteral::Holds(atom) => engine.fresh[atom.relation].is_some(),
            _ => false,
        };
        let (recursive, plain): (Vec<_>, Vec<_>) =
            rules.iter().partition(|(_, rule)| rule.body.iter().any(|literal| grows(self, literal)));
        let mut overflows = Overflows::default();
        for (id, rule) in plain {
            let group = fire.group(id);
            if overflows.may_run(group) {
                fire.select(id);
                let done = self.run_once(rule, ignored, fire);
                overflows.collect(self, (id, group), done)?;
            }
        }
        overflows.end()?;
        let mut plans: Vec<Vec<Option<Planned>>> =
            recursive.iter().map(|(_, rule)| rule.body.iter().map(|_| None).collect()).collect();
        while self.next_round(members) {
            for ((id, rule), plans) in recursive.iter().zip(&mut plans) {
                let group = fire.group(*id);
                if overflows.may_run(group) {
                    fire.select(*id);
                    let done = self.run_new(rule, plans, ignored, fire);
                    overflows.collect(self, (*id, group), done)?;
                }
            }
            overflows.end()?;
        }
        members.iter().for_each(|&member| self.fresh[member] = None);
        Ok(())
    }

    /// Makes the rows that the last round added the new deltas. Returns whether there are any.
    fn next_round(&mut self, members: &[RelationId]) -> bool {
        let mut any = false;
        for &member in members {
            let (_, start) = self.fresh[member].unwrap_or_default();
            let end = self.relations[member].len();
            self.fresh[member] = Some((start, end));
            any |= start < end;
        }
        any
    }

    /// Runs a rule for all combinations of rows with a new one. `plans` has a plan for each recursive condition, kept from
    /// round to round as long as it fits the sizes of the relations.
    fn run_new<F: Fire>(
        &mut self,
        rule: &FlatRule,
        plans: &mut [Option<Planned>],
        ignored: impl Fn(&FlatLiteral) -> bool + Copy,
        fire: &mut F,
    ) -> Result<(), Stop> {
        let fresh_of = |engine: &Engine, literal: &FlatLiteral| match literal {
            FlatLiteral::Holds(atom) => engine.fresh[atom.relation],
            _ => None,
        };
        for (number, literal) in rule.body.iter().enumerate() {
            let Some((start, end)) = fresh_of(self, literal) else { continue };
            if start < end {
                let known = plans[number].take().filter(|known| known.fits(rule, &self.relations));
                let planned = known.unwrap_or_else(|| {
                    let visible = (0..rule.body.len()).map(|other| match fresh_of(self, &rule.body[other]) {
                        Some(_) if other < number => Visible::Old,
                        Some(_) if other == number => Visible::New,
                        _ => Visible::All,
                    });
                    let visible = visible.collect();
                    let purpose = purpose(self.order, ignored, fire);
                    Planned {
                        plan: plan(&self.terms, &mut self.relations, rule, Some(number), visible, &purpose),
                        sizes: sizes(rule, &self.relations).collect(),
                    }
                });
                self.start(&planned.plan, rule, fire)?;
                plans[number] = Some(planned);
            }
            // Without old rows here, the conditions that follow find no match.
            if start == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Plans a rule for repeated runs, by the sizes that relations have now.
    pub(crate) fn plans(&mut self, rule: &FlatRule, members: &[RelationId]) -> RulePlans {
        let grows = |literal: &FlatLiteral| match literal {
            FlatLiteral::Holds(atom) => members.contains(&atom.relation),
            _ => false,
        };
        let growing: Vec<usize> = (0..rule.body.len()).filter(|&number| grows(&rule.body[number])).collect();
        let mut plan_for = |first: Option<usize>| {
            let visible = (0..rule.body.len()).map(|other| match first {
                Some(first) if other == first => Visible::New,
                Some(first) if other < first && growing.contains(&other) => Visible::Old,
                _ => Visible::All,
            });
            let purpose = Purpose { lasting: true, ..purpose(self.order, |_| false, &Derive) };
            plan(&self.terms, &mut self.relations, rule, first, visible.collect(), &purpose)
        };
        let delta = |&first: &usize| Some((rule.body[first].atom()?.relation, plan_for(Some(first))));
        let deltas = growing.iter().filter_map(delta).collect();
        RulePlans { once: growing.is_empty().then(|| plan_for(None)), deltas, conditions: rule.body.len() }
    }

    /// Runs planned rules until no rule derives a new row.
    pub(crate) fn saturate_planned(
        &mut self,
        rules: &[RulePlans],
        members: &[RelationId],
    ) -> Result<(), Stop> {
        let recursive = rules.iter().any(|rule| !rule.deltas.is_empty());
        if !recursive {
            return rules
                .iter()
                .filter_map(|rule| Some((rule.once.as_ref()?, rule)))
                .try_for_each(|(plan, rule)| self.start_planned(plan, rule.conditions));
        }
        members.iter().for_each(|&member| self.fresh[member] = Some((0, 0)));
        for rule in rules {
            if let Some(plan) = &rule.once {
                self.start_planned(plan, rule.conditions)?;
            }
        }
        while self.next_round(members) {
            for rule in rules {
                for (relation, plan) in &rule.deltas {
                    if self.fresh[*relation].is_some_and(|(start, end)| start < end) {
                        self.start_planned(plan, rule.conditions)?;
                    }
                }
            }
        }
        members.iter().for_each(|&member| self.fresh[member] = None);
        Ok(())
    }

    /// Like [`saturate_planned`](Self::saturate_planned), with negations of members tested against an estimate, which stays
    /// until [`end_estimate`](Self::end_estimate).
    pub(crate) fn saturate_against(
        &mut self,
        rules: &[RulePlans],
        members: &[RelationId],
        estimate: Vec<Relation>,
    ) -> Result<(), Stop> {
        for (&member, relation) in members.iter().zip(estimate) {
            self.estimates[member] = Some(relation);
        }
        self.saturate_planned(rules, members)
    }

    /// Removes and returns the estimate.
    pub(crate) fn end_estimate(&mut self, members: &[RelationId]) -> Vec<Relation> {
        members.iter().map(|&member| self.estimates[member].take().unwrap_or_default()).collect()
    }

    /// Removes and returns the rows of a relation.
    pub(crate) fn take_rows(&mut self, relation: RelationId) -> Relation {
        let taken = self.relations[relation].copy_rows();
        self.relations[relation].clear();
        taken
    }
}

/// The overflows of a round.
#[derive(Default)]
struct Overflows {
    rules: Vec<FlatRuleId>,
    groups: Vec<RelationId>,
    /// Whether some rule did not run to its end.
    incomplete: bool,
}

impl Overflows {
    /// Whether running a rule of this group can report another overflow.
    fn may_run(&self, group: Option<RelationId>) -> bool {
        group.is_none_or(|group| !self.groups.contains(&group))
    }

    /// Records the outcome of a rule. A stop other than an overflow ends the round.
    fn collect(
        &mut self,
        engine: &mut Engine,
        (rule, group): (FlatRuleId, Option<RelationId>),
        done: Result<(), Stop>,
    ) -> Result<(), (Stop, Vec<FlatRuleId>)> {
        match done {
            Ok(()) => {}
            Err(Stop::Overflow) => {
                self.rules.push(rule);
                self.groups.extend(group);
                self.incomplete = true;
                engine.spare.get_or_insert(STEPS_AFTER_OVERFLOW);
            }
            Err(Stop::GaveUp) => self.incomplete = true,
            Err(stop) => return Err((stop, vec![rule])),
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), (Stop, Vec<FlatRuleId>)> {
        if self.incomplete { Err((Stop::Overflow, std::mem::take(&mut self.rules))) } else { Ok(()) }
    }
}

/// A plan with the sizes of the relations that it was made for.
struct Planned {
    plan: Plan,
    sizes: Vec<u32>,
}

impl Planned {
    /// Whether no relation has grown by more than [`REPLAN_GROWTH`].
    fn fits(&self, rule: &FlatRule, relations: &Relations) -> bool {
        sizes(rule, relations).zip(&self.sizes).all(|(now, &then)| now <= then.saturating_mul(REPLAN_GROWTH))
    }
}

/// The sizes of the relations of a rule's conditions.
fn sizes<'a>(rule: &'a FlatRule, relations: &'a Relations) -> impl Iterator<Item = u32> + 'a {
    rule.body.iter().filter_map(FlatLiteral::atom).map(|atom| relations[atom.relation].len())
}

/// The plans of a rule: a single one if no condition is recursive, otherwise one for each recursive condition.
pub(crate) struct RulePlans {
    once: Option<Plan>,
    deltas: Vec<(RelationId, Plan)>,
    conditions: usize,
}
