//! Houdini-style induction: the largest inductive subset of the guessed claims.
//!
//! A set of claims is *inductive* if each of them holds in the initial state, and after every legal joint move from a state
//! in which all of them hold. All claims of an inductive set hold in all reachable states. The union of inductive sets is
//! inductive, so that there is a largest one among the guesses, and it is found from above, as in Houdini (Flanagan & Leino,
//! 2001):
//!
//! 1. Assume all claims before the move and ask the SAT solver for a transition after which one claim, or one of a chunk of
//!    claims, is violated. The transition relation is in the solver once; claims are switched by assumption literals.
//! 2. A model is a counterexample to induction: drop all claims that are violated after the transition. The remaining
//!    claims hold in that state, so that every state that random play reaches from it is a counterexample as well.
//! 3. If there is no model, record the *unsat core*: the claims that the proof used. When one of these is dropped later,
//!    this proof is repeated; other proofs stay valid.
//! 4. Stop when every remaining claim has a proof.
//!
//! A query that exceeds its share of work counts as a counterexample, which loses invariants but not soundness. The same
//! holds for a network that is only partly translated: nodes without clauses are free variables, so that there are more
//! transitions than in the game. [`prove`] uses this twice: first a small part of the network, which proves most claims
//! fast, then all of it. Claims that the direct analysis of moves (`by_moves`) has proved are assumed from the start.

use super::by_moves::kept_by_moves;
use super::candidates::{Candidate, Claim, Family, FamilyId, Guesses, Name, Shapes};
use super::counting::{at_most_one, compare, two_of};
use super::effort::{Effort, Units, units};
use super::samples::{RandomPlay, Samples};
use super::solver::{Answer, Solver};
use super::transition::Transition;
use super::{Invariant, InvariantConfig, InvariantKind};
use crate::ids::{IdVec, float};
use crate::machine::State;
use crate::network::{FluentId, Network};
use batsat::Lit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

/// Random play from a counterexample: the number of playouts and their length. Guesses.
const PLAYOUTS: usize = 2;
const PLAYOUT_STEPS: usize = 12;

/// Limit: the work of one query to the solver in the first attempt. A guess.
const QUERY_UNITS: Units = units(Duration::from_millis(300));

/// The number of constant facts that are checked by one query. A guess.
const FACTS_PER_QUERY: usize = 64;

/// The first attempt translates only this fraction of the literals that the configuration allows. A guess.
const COARSE_DIVISOR: usize = 40;

/// The work of evaluating a claim in a state: a guess.
const CLAIM_UNITS: usize = 4;

/// How often failed groups are replaced by smaller ones. A guess: keys rarely have more arguments.
const MOST_REFINEMENTS: usize = 4;

/// Guesses and proves. `played` is the network after all passes, for legal moves alone, if there is one. Returns what was
/// proved, and whether everything was decided; fills in the families. What was proved before the work became too much, or
/// before the budget was used up, is proved.
pub(super) fn prove(
    network: &Network,
    played: Option<&Network>,
    config: &InvariantConfig,
    effort: &Effort,
    families: &mut IdVec<FamilyId, Family>,
) -> (Vec<Invariant>, bool) {
    let end = config.effort;
    let Ok(mut play) = RandomPlay::new(network, config.seed, effort) else { return (Vec::new(), false) };
    let initial = initial_state(network);
    let samples = Samples::collect(&mut play, &initial, config.samples, effort.share(end, 0.25));
    let shapes = Shapes::new(network.interface().fluents.iter().map(|fluent| fluent.text.as_str()));
    let mut guesses = Guesses::new(&shapes, &samples, effort);
    let (whole, partial) = guesses.groups();
    let (mut open, mut proved, mut complete) = (vec![whole, partial], Vec::new(), true);
    if let Some(played) = played {
        let all = open.concat();
        proved = kept_by_moves(played, &initial, &all, effort, effort.share(end, 0.4));
        let names: FxHashSet<Name> = proved.iter().map(Candidate::name).collect();
        open.iter_mut().for_each(|candidates| candidates.retain(|one| !names.contains(&one.name())));
    }
    for (most_literals, share) in
        [(config.clause_literals / COARSE_DIVISOR, 0.4), (config.clause_literals, 1.0)]
    {
        let until = effort.share(end, share);
        let mut prover = Prover::new(network, play, initial.clone(), most_literals, proved, effort);
        let mut failed = Vec::new();
        // Patterns that fit everywhere come first: they are the likely ones, and help with the others.
        for candidates in open {
            let share = effort.share(until, 0.6);
            failed.extend(prover.extend_and_refine(candidates, &mut guesses, share));
        }
        complete = prover.extend(guesses.constants(), QUERY_UNITS, effort.share(until, 0.5)).is_none();
        // What could not be proved without constants, or with little work, is tried again.
        if !effort.is_over(until) {
            failed = prover.extend_by_family(failed, 4 * QUERY_UNITS, until);
        }
        complete &= !effort.is_over(until);
        let whole = !prover.transition.is_open;
        (open, proved, play) = (vec![failed], prover.proved, prover.play);
        if whole {
            break;
        }
    }
    let mut prover = Prover::new(network, play, initial, config.clause_literals, proved, effort);
    complete &= prover.extend(guesses.all_counts(), QUERY_UNITS, end).is_none();
    complete &= !effort.is_stopped();
    let proved = prover.proved;
    *families = guesses.families;
    (invariants(proved), complete)
}

fn initial_state(network: &Network) -> State {
    let fluents = &network.interface().fluents;
    let mut state = State::empty(fluents.len());
    fluents.entries().for_each(|(number, fluent)| state.set(number, fluent.initial));
    state
}

/// Merges claims about the same group. A lower bound alone is not kept, since no pass uses it.
fn invariants(proved: Vec<Candidate>) -> Vec<Invariant> {
    let mut kinds: FxHashMap<(Vec<FluentId>, FamilyId), Vec<Claim>> = FxHashMap::default();
    for candidate in proved {
        kinds.entry((candidate.members, candidate.family)).or_default().push(candidate.claim);
    }
    let mut invariants = Vec::new();
    for ((members, family), mut claims) in kinds {
        claims.sort_unstable();
        claims.dedup();
        let kind = match claims[..] {
            [Claim::AtMostOne, Claim::AtLeastOne, ..] => InvariantKind::ExactlyOne,
            [Claim::AtMostOne, ..] => InvariantKind::AtMostOne,
            [Claim::AtLeastOne] | [] => continue,
            [.., Claim::Exactly(number)] => InvariantKind::Exactly(number),
            [.., Claim::Never] => InvariantKind::Never,
            [.., Claim::Always] => InvariantKind::Always,
            [.., Claim::AtMostOne | Claim::AtLeastOne] => continue,
        };
        invariants.push(Invariant { kind, members, family });
    }
    invariants.sort_by(|a, b| (a.family, a.kind, &a.members).cmp(&(b.family, b.kind, &b.members)));
    invariants
}

/// A candidate with two literals: it holds before the transition, and it is violated after the transition.
struct Posed {
    candidate: Candidate,
    assumed: Lit,
    violated: Lit,
    /// Once it is proved: the claims that the proof uses.
    core: Option<Rc<FxHashSet<Lit>>>,
}

struct Prover {
    solver: Solver,
    transition: Transition,
    play: RandomPlay,
    state: State,
    proved: Vec<Candidate>,
    names: FxHashSet<Name>,
    effort: Effort,
}

impl Prover {
    /// Translates the network up to a number of literals, and asserts what is proved already.
    fn new(
        network: &Network,
        play: RandomPlay,
        state: State,
        most_literals: usize,
        proved: Vec<Candidate>,
        effort: &Effort,
    ) -> Prover {
        let mut solver = Solver::new(effort);
        let transition = Transition::new(network, &mut solver, most_literals);
        let (effort, names) = (effort.clone(), FxHashSet::default());
        let mut prover = Prover { solver, transition, play, state, proved: Vec::new(), names, effort };
        for candidate in &proved {
            let (assumed, _) = prover.pose(candidate);
            prover.solver.add([assumed]);
        }
        prover.names = proved.iter().map(Candidate::name).collect();
        prover.proved = proved;
        prover
    }

    fn is_proved(&self, candidate: &Candidate) -> bool {
        self.names.contains(&candidate.name())
    }

    /// Proves groups, and where that fails, smaller groups inside them. Returns what failed.
    fn extend_and_refine(
        &mut self,
        mut candidates: Vec<Candidate>,
        guesses: &mut Guesses<'_>,
        until: Units,
    ) -> Vec<Candidate> {
        let mut failed: Vec<Candidate> = Vec::new();
        for _ in 0..MOST_REFINEMENTS {
            let dropped = self.extend_by_family(candidates, QUERY_UNITS, until);
            candidates = Vec::new();
            for one in dropped.iter().take_while(|_| !self.effort.is_over(until)) {
                candidates.extend(guesses.inside(one));
            }
            let tried: FxHashSet<Name> = failed.iter().map(Candidate::name).collect();
            candidates.retain(|one| !self.is_proved(one) && !tried.contains(&one.name()));
            failed.extend(dropped);
            if candidates.is_empty() || self.effort.is_over(until) {
                break;
            }
        }
        failed
    }

    /// Like [`extend`](Self::extend); if all claims together are too much work, family by family. Returns the
    /// claims that could not be proved.
    fn extend_by_family(
        &mut self,
        candidates: Vec<Candidate>,
        query_units: Units,
        until: Units,
    ) -> Vec<Candidate> {
        let Some(late) = self.extend(candidates.clone(), query_units, self.effort.share(until, 0.4)) else {
            return candidates.into_iter().filter(|one| !self.is_proved(one)).collect();
        };
        let mut families: Vec<(usize, FamilyId)> =
            late.iter().map(|one| (one.members.len(), one.family)).collect();
        families.sort_unstable();
        let mut seen = FxHashSet::default();
        families.retain(|(_, family)| seen.insert(*family));
        for (number, &(_, family)) in families.iter().enumerate() {
            let members = candidates.iter().filter(|one| one.family == family).cloned().collect();
            let share = (2.0 / float(families.len() - number)).min(0.5);
            self.extend(members, query_units, self.effort.share(until, share));
        }
        candidates.into_iter().filter(|one| !self.is_proved(one)).collect()
    }

    /// Adds the largest set of these claims to what is proved that one step keeps together with it; a claim that takes
    /// too much work counts as one that is not kept. If the end comes first, nothing is added, and the claims that
    /// are still open are returned.
    fn extend(
        &mut self,
        candidates: Vec<Candidate>,
        query_units: Units,
        until: Units,
    ) -> Option<Vec<Candidate>> {
        let mut alive: Vec<Posed> = Vec::with_capacity(candidates.len());
        let mut candidates = candidates.into_iter();
        while let Some(candidate) = candidates.next() {
            if self.effort.is_over(until) {
                let posed = alive.into_iter().map(|posed| self.forget(posed));
                return Some(
                    posed.collect::<Vec<_>>().into_iter().chain([candidate]).chain(candidates).collect(),
                );
            }
            let (assumed, violated) = self.pose(&candidate);
            alive.push(Posed { candidate, assumed, violated, core: None });
        }
        alive.sort_by_key(|posed| (posed.candidate.claim, posed.candidate.family));
        let mut dropped = Vec::new();
        while let Some(first) = alive.iter().position(|posed| posed.core.is_none()) {
            self.effort.spend(CLAIM_UNITS * alive.len());
            if self.effort.is_over(until) {
                return Some(alive.into_iter().map(|posed| self.forget(posed)).collect());
            }
            let chunk = self.chunk(&alive, first);
            let some = self.solver.fresh();
            let violations: Vec<Lit> = alive[chunk.clone()].iter().map(|posed| posed.violated).collect();
            self.solver.add(violations.into_iter().chain([!some]));
            let assumptions: Vec<Lit> = alive.iter().map(|posed| posed.assumed).chain([some]).collect();
            let before = dropped.len();
            let query_units = until.min(self.effort.spent() + query_units);
            match self.solver.solve(&assumptions, query_units) {
                Answer::Unsatisfiable => {
                    let core: Rc<FxHashSet<Lit>> =
                        Rc::new(self.solver.core().filter(|&literal| literal != some).collect());
                    alive[chunk].iter_mut().for_each(|posed| posed.core = Some(core.clone()));
                }
                Answer::Satisfiable => self.drop_violated(&mut alive, &mut dropped),
                Answer::GivenUp => {
                    let late: Vec<Posed> = alive.drain(chunk).collect();
                    dropped.extend(late.into_iter().map(|posed| self.forget(posed)));
                }
            }
            self.solver.add([!some]);
            if dropped.len() > before {
                self.look_again(&mut alive);
            }
        }
        for posed in alive {
            self.solver.add([posed.assumed]);
            self.names.insert(posed.candidate.name());
            self.proved.push(posed.candidate);
        }
        None
    }

    /// Claims to check in one search, from the first one on: constants many at once, groups one by one.
    fn chunk(&self, alive: &[Posed], first: usize) -> Range<usize> {
        let kind = |posed: &Posed| (posed.candidate.claim, posed.core.is_none());
        let most = match alive[first].candidate.claim {
            Claim::Never | Claim::Always => FACTS_PER_QUERY,
            _ => 1,
        };
        let same = alive[first..].iter().take(most).take_while(|posed| kind(posed) == kind(&alive[first]));
        first..first + same.count()
    }

    /// Discards the proofs that use a claim which has been dropped.
    fn look_again(&mut self, alive: &mut [Posed]) {
        let left: FxHashSet<Lit> = alive.iter().map(|posed| posed.assumed).collect();
        let mut known: FxHashMap<*const FxHashSet<Lit>, bool> = FxHashMap::default();
        for posed in alive.iter_mut() {
            if let Some(core) = &posed.core {
                let is_there = |literal: &Lit| left.contains(literal);
                let holds = *known.entry(Rc::as_ptr(core)).or_insert_with(|| core.iter().all(is_there));
                if !holds {
                    posed.core = None;
                }
            }
        }
    }

    fn forget(&mut self, posed: Posed) -> Candidate {
        self.solver.add([!posed.assumed]);
        posed.candidate
    }

    /// Drops the claims that are violated after the transition of the last model, or in random play from there.
    fn drop_violated(&mut self, alive: &mut Vec<Posed>, dropped: &mut Vec<Candidate>) {
        for (fluent, &after) in self.transition.after.entries() {
            self.state.set(fluent, self.solver.value(after));
        }
        let Prover { solver, play, state, effort, .. } = self;
        let mut look = |state: &State| {
            effort.spend(CLAIM_UNITS * alive.len());
            let is_violated = |posed: &mut Posed| !posed.candidate.holds_in(state);
            for posed in alive.extract_if(.., is_violated) {
                solver.add([!posed.assumed]);
                dropped.push(posed.candidate);
            }
        };
        look(state);
        // All claims that are left hold now, so that what play makes of this state counts, too.
        for _ in 0..PLAYOUTS {
            play.from(state, PLAYOUT_STEPS, &mut look);
        }
    }

    /// Adds the clauses of a claim: that it holds before the transition, and that it is violated after it.
    fn pose(&mut self, candidate: &Candidate) -> (Lit, Lit) {
        let Prover { solver, transition, .. } = self;
        let of = |literals: &IdVec<FluentId, Lit>| -> Vec<Lit> {
            candidate.members.iter().map(|&member| literals[member]).collect()
        };
        let (before, after) = (of(&transition.before), of(&transition.after));
        let (assumed, violated) = (solver.fresh(), solver.fresh());
        match candidate.claim {
            Claim::AtMostOne => {
                at_most_one(solver, &before, Some(assumed));
                let two = two_of(solver, &after);
                solver.add([!violated, two]);
            }
            Claim::AtLeastOne => {
                solver.add(before.into_iter().chain([!assumed]));
                after.iter().for_each(|&member| solver.add([!violated, !member]));
            }
            Claim::Exactly(number) => {
                let (enough, more) = compare(solver, &before, number);
                solver.add([!assumed, enough]);
                solver.add([!assumed, !more]);
                let (enough, more) = compare(solver, &after, number);
                solver.add([!violated, !enough, more]);
            }
            Claim::Never => {
                before.iter().for_each(|&member| solver.add([!assumed, !member]));
                solver.add(after.into_iter().chain([!violated]));
            }
            Claim::Always => {
                before.iter().for_each(|&member| solver.add([!assumed, member]));
                solver.add(after.into_iter().map(|member| !member).chain([!violated]));
            }
        }
        (assumed, violated)
    }
}
