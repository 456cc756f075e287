//! Claims that every single move preserves, proved without a solver.
//!
//! In games in which one move takes effect at a time, `network/effects` lists the few fluents that each move changes, with
//! their next values. A move preserves a claim about a group that it does not change. For the others, a case split over
//! the next values nearly always suffices: a cell is cleared, or it gets the content of another cell, of which at most one
//! fluent holds. This is the same Houdini-style induction as with the solver (`induction`), with an incomplete but much
//! faster test: all guesses are assumed, and those that a move may violate are dropped until none is. Claims that fail here
//! are left to the solver.

use super::candidates::{Candidate, Claim};
use super::effort::{Effort, Units};
use crate::ids::{BitSet, Csr, IdVec, ids};
use crate::machine::State;
use crate::network::{
    Builder, FluentId, Kind, MoveId, Network, Outcomes, Signal, known_of_moves, outcomes, view,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;

grundy_syntax::define_id! {
    /// A guessed claim, by its place among the candidates.
    struct ClaimId(u32);
}

/// Limits of the case split of one next value: the depth of conjunctions, the cases, and the splits, which recursive rules
/// would make unbounded. Guesses.
const CASE_DEPTH: u32 = 4;
const MOST_CASES: usize = 24;
const MOST_SPLITS: usize = 48;

/// The work of comparing two conditions: a guess.
const COMPARISON_UNITS: usize = 2;

/// Claims that hold in the initial state and that every move preserves together, as far as case splits prove it. The network
/// has to be optimized by all passes that need no proofs. Empty if the limit of work is reached.
pub(super) fn kept_by_moves(
    network: &Network,
    initial: &State,
    candidates: &[Candidate],
    effort: &Effort,
    until: Units,
) -> Vec<Candidate> {
    let mut builder = Builder::resume(network);
    let Ok(Some(outcomes)) = outcomes(&mut builder, network, effort.budget()) else { return Vec::new() };
    let Ok(known) = known_of_moves(network, effort.budget()) else { return Vec::new() };
    effort.spend(network.edge_count());
    let mut keeper = Keeper::new(&builder, network, &outcomes, &known, candidates, (effort, until));
    for (claim, candidate) in ids(candidates.len()).zip(candidates) {
        let is_about_groups = matches!(candidate.claim, Claim::AtMostOne | Claim::AtLeastOne);
        keeper.alive.set(claim, is_about_groups && candidate.holds_in(initial));
    }
    // The claims that each proof uses. When one of them is dropped, the proof is repeated.
    let mut needs: IdVec<ClaimId, Option<FxHashSet<ClaimId>>> = IdVec::filled(None, candidates.len());
    // All claims before this one are dropped or proved.
    let mut first = 0;
    while let Some(claim) = (first..candidates.len())
        .map(ClaimId::new)
        .find(|&claim| keeper.alive.contains(claim) && needs[claim].is_none())
    {
        if effort.is_over(until) {
            return Vec::new();
        }
        first = claim.index() + 1;
        keeper.used.borrow_mut().clear();
        if keeper.is_kept(claim) {
            needs[claim] = Some(keeper.used.take());
        } else {
            keeper.alive.set(claim, false);
            // A proof that was cut short looks like one that failed.
            if effort.is_over(until) {
                return Vec::new();
            }
            effort.spend(COMPARISON_UNITS * needs.len());
            for (other, need) in needs.iter_mut().enumerate() {
                if need.as_ref().is_some_and(|need| need.contains(&claim)) {
                    *need = None;
                    first = first.min(other);
                }
            }
        }
    }
    keeper.alive.iter().map(|claim| candidates[claim.index()].clone()).collect()
}

/// Conditions that hold together.
type Case = SmallVec<[Signal; 8]>;

/// What happens to the members of a group.
struct Change<'a> {
    /// What is known when it happens, sorted.
    known: &'a [Signal],
    /// The next values, those that the move changes first.
    values: Vec<Signal>,
    /// The number of values that the move changes.
    touched: usize,
}

struct Keeper<'a> {
    builder: &'a Builder,
    network: &'a Network,
    outcomes: &'a Outcomes,
    known: &'a IdVec<MoveId, Vec<Signal>>,
    candidates: &'a [Candidate],
    alive: BitSet<ClaimId>,
    /// The claims that the current proof uses.
    used: RefCell<FxHashSet<ClaimId>>,
    /// For each fluent the claims about it.
    claims_of: Csr<FluentId, ClaimId>,
    /// For each fluent the moves that have an effect on it, with its next value.
    touched_by: Csr<FluentId, (MoveId, Signal)>,
    effort: &'a Effort,
    until: Units,
}

impl<'a> Keeper<'a> {
    fn new(
        builder: &'a Builder,
        network: &'a Network,
        outcomes: &'a Outcomes,
        known: &'a IdVec<MoveId, Vec<Signal>>,
        candidates: &'a [Candidate],
        (effort, until): (&'a Effort, Units),
    ) -> Keeper<'a> {
        let fluents = network.interface().fluents.len();
        let claims = ids::<ClaimId>(candidates.len()).zip(candidates);
        let claims = claims.flat_map(|(claim, one)| one.members.iter().map(move |&member| (member, claim)));
        let claims_of = Csr::grouped(fluents, claims);
        let touched = outcomes.of_move.entries().flat_map(|(action, effects)| {
            let effect = move |&(fluent, next)| (fluent, (action, next));
            effects.alone.iter().map(effect)
        });
        let touched_by = Csr::grouped(fluents, touched);
        let alive = BitSet::empty(candidates.len());
        let used = RefCell::default();
        Keeper {
            builder,
            network,
            outcomes,
            known,
            candidates,
            alive,
            used,
            claims_of,
            touched_by,
            effort,
            until,
        }
    }

    /// Whether all moves preserve a claim, and so does a move without effects. False if that takes too much work.
    fn is_kept(&self, claim: ClaimId) -> bool {
        let candidate = &self.candidates[claim.index()];
        let members = &candidate.members;
        if !members.iter().all(|&member| self.outcomes.is_complete[member]) {
            return false;
        }
        let quiet = |member: FluentId| self.outcomes.quiet[member];
        self.effort.spend(COMPARISON_UNITS * members.len());
        let moved: Vec<FluentId> =
            members.iter().copied().filter(|&one| quiet(one) != self.fluent(one)).collect();
        let stays = members.iter().copied().filter(|one| !moved.contains(one)).map(quiet);
        let values: Vec<Signal> = moved.iter().map(|&one| quiet(one)).chain(stays).collect();
        let is_kept = |change: &Change| match candidate.claim {
            Claim::AtMostOne => self.keeps_at_most_one(change),
            _ => self.keeps_at_least_one(change),
        };
        if !moved.is_empty() && !is_kept(&Change { known: &[], values, touched: moved.len() }) {
            return false;
        }
        let mut by_move: FxHashMap<MoveId, Vec<(FluentId, Signal)>> = FxHashMap::default();
        for &member in members {
            for &(action, next) in &self.touched_by[member] {
                by_move.entry(action).or_default().push((member, next));
            }
        }
        by_move.iter().all(|(&action, touched)| {
            self.effort.spend(COMPARISON_UNITS * members.len() * (1 + touched.len()));
            if self.effort.is_over(self.until) {
                return false;
            }
            let others =
                members.iter().copied().filter(|one| !touched.iter().any(|(member, _)| member == one));
            let values = touched.iter().map(|&(_, next)| next).chain(others.map(quiet)).collect();
            is_kept(&Change { known: &self.known[action], values, touched: touched.len() })
        })
    }

    fn fluent(&self, fluent: FluentId) -> Signal {
        Signal::of(self.network.interface().fluent_node(fluent))
    }

    /// Whether no two next values can hold together, of which at least one is changed.
    fn keeps_at_most_one(&self, change: &Change) -> bool {
        let mut cases: Vec<Vec<Case>> = Vec::with_capacity(change.values.len());
        for &value in &change.values {
            if self.effort.is_over(self.until) {
                return false;
            }
            cases.push(self.cases(value, change.known));
        }
        let exclude = |one: &[Case], other: &[Case]| {
            !self.effort.is_over(self.until)
                && one.iter().all(|case| other.iter().all(|other| self.excludes(case, other)))
        };
        (0..change.touched).all(|one| cases[one + 1..].iter().all(|other| exclude(&cases[one], other)))
    }

    /// Whether one of the next values certainly holds: it is known, or the values contain all possible members of a group of
    /// which one holds.
    fn keeps_at_least_one(&self, change: &Change) -> bool {
        let is_known = |&value: &Signal| value == Signal::TRUE || change.known.binary_search(&value).is_ok();
        if change.values.iter().any(is_known) {
            return true;
        }
        let has = |member: FluentId| {
            let fluent = self.fluent(member);
            change.values.contains(&fluent) || self.is_impossible(&[fluent], change.known)
        };
        let fluents = change.values.iter().filter_map(|&value| self.fluent_of(value));
        let mut claims = fluents.flat_map(|fluent| &self.claims_of[fluent]);
        self.uses(claims.find(|&&claim| {
            let candidate = &self.candidates[claim.index()];
            self.alive.contains(claim)
                && candidate.claim == Claim::AtLeastOne
                && candidate.members.iter().all(|&member| has(member))
        }))
    }

    /// The cases in which a signal holds, without those that contradict known conditions. Beyond the limits, signals are not
    /// split further.
    fn cases(&self, signal: Signal, known: &[Signal]) -> Vec<Case> {
        let mut first = Case::new();
        self.conditions(signal, CASE_DEPTH, &mut first);
        let mut open = vec![first];
        let mut cases = Vec::new();
        let mut splits = 0;
        while let Some(case) = open.pop() {
            if self.is_impossible(&case, known) {
                continue;
            }
            let room =
                if splits < MOST_SPLITS { MOST_CASES.saturating_sub(open.len() + cases.len()) } else { 0 };
            let branches =
                case.iter().enumerate().find_map(|(at, &one)| Some((at, self.branches(one, room)?)));
            let Some((at, branches)) = branches else {
                cases.push(case);
                continue;
            };
            splits += 1;
            for input in branches {
                let mut longer = case.clone();
                longer.remove(at);
                self.conditions(input, CASE_DEPTH, &mut longer);
                open.push(longer);
            }
        }
        cases
    }

    /// Adds the conditions that a signal implies.
    fn conditions(&self, signal: Signal, depth: u32, out: &mut Case) {
        match view(self.builder, signal) {
            Some((Kind::And, inputs)) if depth > 0 => {
                inputs.for_each(|input| self.conditions(input, depth - 1, out));
            }
            _ => out.push(signal),
        }
    }

    /// The inputs of an OR, if there are not too many.
    fn branches(&self, signal: Signal, most: usize) -> Option<impl Iterator<Item = Signal>> {
        let (kind, inputs) = view(self.builder, signal)?;
        (kind == Kind::Or && inputs.len() <= most).then_some(inputs)
    }

    /// Whether conditions contradict what is known, or each other.
    fn is_impossible(&self, case: &[Signal], known: &[Signal]) -> bool {
        self.effort.spend(COMPARISON_UNITS * case.len() * (case.len() + known.len()));
        case.contains(&Signal::FALSE)
            || case.iter().enumerate().any(|(at, &one)| {
                known.binary_search(&!one).is_ok()
                    || case[at + 1..].iter().chain(known).any(|&other| self.contradict(one, other))
            })
    }

    fn excludes(&self, case: &Case, other: &Case) -> bool {
        self.effort.spend(COMPARISON_UNITS * case.len() * other.len());
        case.iter().any(|&one| other.iter().any(|&two| self.contradict(one, two)))
    }

    /// Whether two conditions never hold together: opposites, or different members of a group of which at most one does.
    fn contradict(&self, one: Signal, two: Signal) -> bool {
        if one == !two {
            return true;
        }
        let (Some(first), Some(second)) = (self.fluent_of(one), self.fluent_of(two)) else { return false };
        let says_so = |claim: &&ClaimId| {
            self.alive.contains(**claim)
                && self.candidates[claim.index()].claim == Claim::AtMostOne
                && self.claims_of[second].contains(claim)
        };
        first != second && self.uses(self.claims_of[first].iter().find(says_so))
    }

    /// Remembers the claim that shows something, if there is one.
    fn uses(&self, claim: Option<&ClaimId>) -> bool {
        self.used.borrow_mut().extend(claim);
        claim.is_some()
    }

    /// The fluent that a signal says to be true.
    fn fluent_of(&self, signal: Signal) -> Option<FluentId> {
        self.network.interface().fluent_of(signal.node()).filter(|_| !signal.is_inverted())
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::FamilyId;
    use super::*;
    use crate::network::testing::{network, optimized};
    use grundy_syntax::Budget;

    /// A token goes from one place to another, and is seen where it was. What is near follows by recursive rules.
    const WALK: &str = "(init (at 1)) (<= (near ?x) (true (at ?x))) (<= (near ?x) (far ?x)) (<= (far ?x) (near ?x)) \
                        (<= (next (by ?x)) (near ?x)) (<= (next (by ?x)) (far ?x) (true (by ?x))) (<= (legal r (go ?x ?y)) (num ?x) (num ?y) (distinct ?x ?y) (true (at ?x))) \
                        (<= (next (at ?y)) (does r (go ?x ?y)) (true (at ?x))) (<= (next (at ?x)) (true (at ?x)) (does r noop)) \
                        (<= (next (seen ?x)) (true (at ?x))) (<= (next (seen ?x)) (true (seen ?x)))";

    fn kept(claim: Claim, functor: &str) -> bool {
        let network =
            optimized(network(WALK), &["constants", "single-input", "absorb", "legality", "factoring"]);
        let fluents = &network.interface().fluents;
        let mut initial = State::empty(fluents.len());
        fluents.entries().for_each(|(number, fluent)| initial.set(number, fluent.initial));
        let numbers = fluents.entries().filter(|(_, fluent)| fluent.text.starts_with(functor));
        let numbers = numbers.map(|(number, _)| number);
        let candidate = Candidate { claim, family: FamilyId(0), members: numbers.collect() };
        assert!(candidate.members.len() > 1, "there are facts of that name");
        let effort = Effort::new(Budget::default());
        !kept_by_moves(&network, &initial, &[candidate], &effort, Units::MAX).is_empty()
    }

    #[test]
    fn what_every_move_keeps_is_seen() {
        assert!(kept(Claim::AtMostOne, "(at "));
        assert!(!kept(Claim::AtMostOne, "(seen "));
        assert!(!kept(Claim::AtLeastOne, "(seen "));
        assert!(!kept(Claim::AtLeastOne, "(by "));
        assert!(!kept(Claim::AtMostOne, "(by "));
    }
}
