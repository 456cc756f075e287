//! Claims that every single move keeps, found without a solver.
//!
//! Where one move matters at a time, the network tells what each of them does: a handful of fluents with their next
//! values (`network/effects`). A claim about a group that a move leaves alone is kept. Of one that it touches, the new
//! values speak for themselves nearly always: a cell is cleared, or gets what another cell had, of which at most one
//! holds. So all guesses are taken for true, those that some move may violate are dropped, and that is repeated until no
//! move violates any: the same induction as with the solver, in milliseconds where that takes seconds. What it cannot see
//! is left to the solver.

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

/// How deep to look into a next value, how many cases to tell apart there, and how often to tell some apart: where rules
/// are recursive, that would go on for ever.
const DEPTH: u32 = 4;
const MOST_CASES: usize = 24;
const MOST_SPLITS: usize = 48;

/// The work for a condition that is compared with another one.
const WORK: usize = 2;

/// The largest part of some claims that hold in the initial state and that every move keeps, as far as that is easy to
/// see. The network has to have all passes behind it that need no proofs. Nothing if it takes more work than it may.
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
    // What a claim needs is looked at again when that is gone.
    let mut needs: IdVec<ClaimId, Option<FxHashSet<ClaimId>>> = IdVec::filled(None, candidates.len());
    // All claims before this one are not alive, or known to be kept.
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
            // What took too much work looks as if it was not kept.
            if effort.is_over(until) {
                return Vec::new();
            }
            effort.spend(WORK * needs.len());
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
    /// The next values, those that the move is to blame for first.
    values: Vec<Signal>,
    /// How many these are.
    touched: usize,
}

struct Keeper<'a> {
    builder: &'a Builder,
    network: &'a Network,
    outcomes: &'a Outcomes,
    known: &'a [Vec<Signal>],
    candidates: &'a [Candidate],
    alive: BitSet<ClaimId>,
    /// The claims that something was shown by.
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
        known: &'a [Vec<Signal>],
        candidates: &'a [Candidate],
        (effort, until): (&'a Effort, Units),
    ) -> Keeper<'a> {
        let fluents = network.interface().fluents.len();
        let claims = ids::<ClaimId>(candidates.len()).zip(candidates);
        let claims = claims.flat_map(|(claim, one)| one.members.iter().map(move |&member| (member, claim)));
        let claims_of = Csr::grouped(fluents, claims);
        let touched = outcomes.of_move.iter().enumerate().flat_map(|(number, effects)| {
            let effect = move |&(fluent, next)| (FluentId(fluent), (MoveId::new(number), next));
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

    /// Whether all moves keep a claim, and playing none that matters does. No, if that takes too much work.
    fn is_kept(&self, claim: ClaimId) -> bool {
        let candidate = &self.candidates[claim.index()];
        let members = &candidate.members;
        if !members.iter().all(|&member| self.outcomes.is_told[member.index()]) {
            return false;
        }
        let quiet = |member: FluentId| self.outcomes.quiet[member.index()];
        self.effort.spend(WORK * members.len());
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
            self.effort.spend(WORK * members.len() * (1 + touched.len()));
            if self.effort.is_over(self.until) {
                return false;
            }
            let others =
                members.iter().copied().filter(|one| !touched.iter().any(|(member, _)| member == one));
            let values = touched.iter().map(|&(_, next)| next).chain(others.map(quiet)).collect();
            is_kept(&Change { known: &self.known[action.index()], values, touched: touched.len() })
        })
    }

    fn fluent(&self, fluent: FluentId) -> Signal {
        Signal::of(self.network.interface().fluent_node(fluent.index()))
    }

    /// No two of the new values can hold together, if one of them is new.
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

    /// One of the new values is sure to hold: by itself, or because they are all that is left of a group of which one does.
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

    /// The cases in which a signal holds, without those that what is known excludes. What is too deep, or has too many
    /// cases, is taken as it is.
    fn cases(&self, signal: Signal, known: &[Signal]) -> Vec<Case> {
        let mut first = Case::new();
        self.conditions(signal, DEPTH, &mut first);
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
                self.conditions(input, DEPTH, &mut longer);
                open.push(longer);
            }
        }
        cases
    }

    /// Adds what holds whenever a signal does.
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
        self.effort.spend(WORK * case.len() * (case.len() + known.len()));
        case.contains(&Signal::FALSE)
            || case.iter().enumerate().any(|(at, &one)| {
                known.binary_search(&!one).is_ok()
                    || case[at + 1..].iter().chain(known).any(|&other| self.contradict(one, other))
            })
    }

    fn excludes(&self, case: &Case, other: &Case) -> bool {
        self.effort.spend(WORK * case.len() * other.len());
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
        let fluent = self.network.interface().fluent_of(signal.node())?;
        (!signal.is_inverted()).then_some(FluentId::new(fluent))
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
        fluents.iter().enumerate().for_each(|(number, fluent)| initial.set(number, fluent.initial));
        let numbers =
            ids::<FluentId>(fluents.len()).filter(|fluent| fluents[fluent.index()].text.starts_with(functor));
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
