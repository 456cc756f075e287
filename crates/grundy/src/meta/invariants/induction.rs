//! The induction: claims that one step keeps, if all of them hold before it.

use super::candidates::{Candidate, Claim, Family, Guesses, Shapes};
use super::counting::{at_most_one, compare, two_of};
use super::samples::{Play, Samples};
use super::solver::{Answer, Solver};
use super::step::Step;
use super::{Invariant, InvariantConfig, InvariantKind};
use crate::machine::State;
use crate::network::Network;
use batsat::Lit;
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Random play goes on from a counterexample so often, and so far.
const RUNS: usize = 2;
const STEPS: usize = 12;

/// Claims that are checked in one search.
const CHUNK: usize = 512;

/// Candidates of smaller groups are tried this often.
const MOST_ROUNDS: usize = 4;

/// Guesses and proves. Returns what was proved, and whether everything was decided; fills in the families.
pub(super) fn prove(
    network: &Network,
    config: &InvariantConfig,
    deadline: Instant,
    families: &mut Vec<Family>,
) -> (Vec<Invariant>, bool) {
    let mut play = Play::new(network, config.seed);
    let initial = initial_state(network);
    let samples = Samples::collect(&mut play, &initial, config.samples, part_of(deadline, 0.25));
    let shapes = Shapes::new(network.interface().fluents.iter().map(|fluent| fluent.text.as_str()));
    let mut guesses = Guesses::new(&shapes, &samples);
    let mut solver = Solver::new(deadline);
    let step = Step::new(network, &mut solver, config.clause_literals);
    let mut prover = Prover { solver, step, play, state: initial, proved: Vec::new() };

    let mut complete = true;
    let mut failed = Vec::new();
    let mut candidates = guesses.groups();
    for _ in 0..MOST_ROUNDS {
        let Some(dropped) = prover.extend(candidates, part_of(deadline, 0.5)) else {
            complete = false;
            break;
        };
        candidates = dropped.iter().flat_map(|one| guesses.inside(one)).collect();
        candidates.retain(|one| !prover.proved.contains(one));
        failed.extend(dropped);
        if candidates.is_empty() {
            break;
        }
    }
    match prover.extend(guesses.constants(), part_of(deadline, 0.7)) {
        None => complete = false,
        // What could not be proved without them is tried again.
        Some(_) => complete &= prover.extend(failed, deadline).is_some(),
    }
    families.append(&mut guesses.families);
    (invariants(prover.proved), complete)
}

/// This share of the time that is left.
fn part_of(deadline: Instant, share: f64) -> Instant {
    let now = Instant::now();
    now + deadline.saturating_duration_since(now).mul_f64(share)
}

fn initial_state(network: &Network) -> State {
    let fluents = &network.interface().fluents;
    let mut state = State::empty(fluents.len());
    fluents.iter().enumerate().for_each(|(number, fluent)| state.set(number, fluent.initial));
    state
}

/// Claims about the same group become one; at least one alone says too little to be kept.
fn invariants(proved: Vec<Candidate>) -> Vec<Invariant> {
    let mut kinds: FxHashMap<(Vec<u32>, u32), Vec<Claim>> = FxHashMap::default();
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

/// A candidate with its literals: that it holds before the step, and that it does not hold after it.
struct Posed {
    candidate: Candidate,
    assumed: Lit,
    violated: Lit,
}

struct Prover {
    solver: Solver,
    step: Step,
    play: Play,
    state: State,
    proved: Vec<Candidate>,
}

impl Prover {
    /// Adds the largest set of these claims to what is proved that one step keeps together with it. Returns the claims
    /// that are not in it; `None` if there was no time to find out, and nothing is added.
    fn extend(&mut self, candidates: Vec<Candidate>, deadline: Instant) -> Option<Vec<Candidate>> {
        self.solver.set_deadline(deadline);
        let mut alive = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            if Instant::now() >= deadline {
                return self.give_up(alive);
            }
            let (assumed, violated) = self.pose(&candidate);
            alive.push(Posed { candidate, assumed, violated });
        }
        alive.sort_by_key(|posed| (posed.candidate.claim, posed.candidate.family));
        let mut dropped = Vec::new();
        let mut clean = 0;
        let mut all = self.all_of(&alive);
        while clean < alive.len() {
            let chunk = clean..alive.len().min(clean + CHUNK);
            let some = self.solver.fresh();
            let violations: Vec<Lit> = alive[chunk.clone()].iter().map(|posed| posed.violated).collect();
            self.solver.add(violations.into_iter().chain([!some]));
            let answer = self.solver.solve(&[all, some]);
            match answer {
                Answer::Late => return self.give_up(alive),
                Answer::None => clean = chunk.end,
                Answer::Model => {
                    self.drop_violated(&mut alive, &mut dropped);
                    self.solver.add([!all]);
                    all = self.all_of(&alive);
                    clean = 0;
                }
            }
            self.solver.add([!some]);
        }
        for posed in alive {
            self.solver.add([posed.assumed]);
            self.proved.push(posed.candidate);
        }
        Some(dropped)
    }

    /// A literal that can only hold if all these claims are assumed.
    fn all_of(&mut self, alive: &[Posed]) -> Lit {
        let all = self.solver.fresh();
        alive.iter().for_each(|posed| self.solver.add([!all, posed.assumed]));
        all
    }

    fn give_up(&mut self, alive: Vec<Posed>) -> Option<Vec<Candidate>> {
        alive.iter().for_each(|posed| self.solver.add([!posed.assumed]));
        None
    }

    /// Drops what does not hold after the step of the last model, nor in random play from there.
    fn drop_violated(&mut self, alive: &mut Vec<Posed>, dropped: &mut Vec<Candidate>) {
        for (fluent, &after) in self.step.after.iter().enumerate() {
            self.state.set(fluent, self.solver.value(after));
        }
        let Prover { solver, play, state, .. } = self;
        let mut look = |state: &State| {
            let is_violated = |posed: &mut Posed| !posed.candidate.holds_in(state);
            for posed in alive.extract_if(.., is_violated) {
                solver.add([!posed.assumed]);
                dropped.push(posed.candidate);
            }
        };
        look(state);
        // All claims that are left hold now, so that what play makes of this state counts, too.
        for _ in 0..RUNS {
            play.from(state, STEPS, &mut look);
        }
    }

    /// Says in clauses that a claim holds before the step, and that it does not hold after it.
    fn pose(&mut self, candidate: &Candidate) -> (Lit, Lit) {
        let Prover { solver, step, .. } = self;
        let of = |literals: &[Lit]| -> Vec<Lit> {
            candidate.members.iter().map(|&member| literals[member as usize]).collect()
        };
        let (before, after) = (of(&step.before), of(&step.after));
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
