//! Counting the successes of conditions without going through all matches.
//!
//! Matching goes through every way to satisfy the conditions so far. How often the next one succeeds only depends on the
//! variables that it or a later condition names; ways that agree on these are counted together. So the counts of an
//! order that would take days to match come out in a moment, and are exact.

use super::limits::{Steps, Stopped};
use super::matching::{Join, JoinStep};
use super::terms::{Bindings, variables_of};
use grundy_syntax::{TermId, VariableId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The values of the variables that still matter.
type Values = SmallVec<[Option<TermId>; 8]>;

impl Join<'_> {
    /// The successes of each condition, as [`run`](Join::run) would count them. If the steps end first, those of the
    /// conditions that were reached.
    pub(crate) fn tally(
        &self,
        bindings: &Bindings,
        steps: &Steps,
        counts: &mut [u64],
    ) -> Result<(), Stopped> {
        let live = self.live_variables();
        let mut ways: FxHashMap<Values, u64> = FxHashMap::default();
        ways.insert(live[0].iter().map(|&variable| bindings.get(variable)).collect(), 1);
        for number in 0..self.steps.len() {
            let mut next: FxHashMap<Values, u64> = FxHashMap::default();
            for (values, count) in ways {
                let mut bindings = Bindings::default();
                let named = live[number].iter().zip(values);
                named.for_each(|(&variable, value)| {
                    if let Some(value) = value {
                        bindings.bind(variable, value);
                    }
                });
                self.successes(number, &mut bindings, steps, |bindings| {
                    counts[number] = counts[number].saturating_add(count);
                    let values = live[number + 1].iter().map(|&variable| bindings.get(variable)).collect();
                    let ways = next.entry(values).or_default();
                    *ways = ways.saturating_add(count);
                })?;
            }
            ways = next;
        }
        Ok(())
    }

    /// For each condition, and behind the last one, the variables that are named from there on.
    fn live_variables(&self) -> Vec<Vec<VariableId>> {
        let mut live = vec![Vec::new()];
        for JoinStep { literal, .. } in self.steps.iter().rev() {
            let mut named: Vec<VariableId> = live.last().cloned().unwrap_or_default();
            named.extend(variables_of(self.terms, literal));
            named.sort_unstable();
            named.dedup();
            live.push(named);
        }
        live.reverse();
        live
    }
}
