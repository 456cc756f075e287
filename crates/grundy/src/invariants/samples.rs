//! States of random play, to thin out candidates with.

use super::effort::{Effort, Units};
use crate::ids::Id;
use crate::machine::incremental::{IncrementalCursor, IncrementalMachine};
use crate::machine::{CompiledGame, Cursor, State};
use crate::network::{FluentId, MoveId, Network};
use grundy_syntax::Exhausted;
use std::sync::Arc;

/// Limit: the steps of a playout. A guess.
const MOST_STEPS: usize = 1_000;

/// After the first playout, one state of this number is kept, so that samples come from more playouts. A guess.
const STATES_PER_SAMPLE: u32 = 4;

/// Limit: the bits of all samples, 32 MB.
const MOST_BITS: usize = 1 << 28;

/// Plays at random.
pub(super) struct RandomPlay {
    player: IncrementalCursor,
    rng: fastrand::Rng,
    joint: Vec<MoveId>,
    state: State,
    effort: Effort,
    /// The work of a step.
    step_units: usize,
}

impl RandomPlay {
    pub(super) fn new(network: &Network, seed: u64, effort: &Effort) -> Result<RandomPlay, Exhausted> {
        let rules = Arc::new(CompiledGame::new(network.clone(), effort.budget())?);
        let state = rules.initial().clone();
        let machine = IncrementalMachine::new(rules, effort.budget())?;
        let player = Arc::new(machine).cursor();
        let (rng, effort) = (fastrand::Rng::with_seed(seed), effort.clone());
        Ok(RandomPlay { player, rng, joint: Vec::new(), state, effort, step_units: step_units(network) })
    }

    /// Plays on from a state and passes all following states to `visit`, until the limit of steps, the end of the game or
    /// the end of the budget.
    pub(super) fn from(&mut self, state: &State, steps: usize, mut visit: impl FnMut(&State)) {
        self.player.look_at(state);
        for _ in 0..steps {
            self.effort.spend(self.step_units);
            if self.effort.is_stopped() || !self.step() {
                return;
            }
            self.player.state_into(&mut self.state);
            visit(&self.state);
        }
    }

    /// Makes one move of each role; `false` if there is none.
    fn step(&mut self) -> bool {
        if self.player.is_terminal() {
            return false;
        }
        self.joint.clear();
        let roles: Vec<_> = self.player.game().interface().role_ids().collect();
        for role in roles {
            let Some(action) = self.player.pick(role, &mut self.rng) else { return false };
            self.joint.push(action);
        }
        self.player.play(&self.joint);
        true
    }
}

/// The approximate work of a step in a network, most of which does not change. The coefficients are guesses.
pub(super) fn step_units(network: &Network) -> usize {
    const AT_LEAST: usize = 100;
    const INPUTS_A_UNIT: usize = 8;
    const EDGES_A_UNIT: usize = 64;
    let inputs = network.interface().first_gate().index();
    AT_LEAST + inputs / INPUTS_A_UNIT + network.edge_count() / EDGES_A_UNIT
}

/// States of random play, a row of bits for each fluent.
pub(super) struct Samples {
    words: usize,
    /// How many states there are.
    pub(super) count: usize,
    rows: Vec<u64>,
}

impl Samples {
    /// Plays until there are enough states, or until the work has reached a number of units. The first one is the initial
    /// state.
    pub(super) fn collect(play: &mut RandomPlay, initial: &State, wanted: usize, until: Units) -> Samples {
        let fluents = play.player.game().interface().fluents.len();
        let most = wanted.min(MOST_BITS / fluents.max(1)).max(1);
        let words = most.div_ceil(64);
        let mut samples = Samples { words, count: 0, rows: vec![0; fluents * words] };
        samples.add(initial);
        let mut playouts = 0;
        let mut choose = fastrand::Rng::with_seed(play.rng.u64(..));
        while samples.count < most && playouts < wanted && !play.effort.is_over(until) {
            let mut steps = 0;
            play.from(initial, MOST_STEPS, |state| {
                steps += 1;
                if samples.count < most && (playouts == 0 || choose.u32(..STATES_PER_SAMPLE) == 0) {
                    samples.add(state);
                }
            });
            if steps == 0 {
                break;
            }
            playouts += 1;
        }
        samples
    }

    fn add(&mut self, state: &State) {
        for fluent in state.ones() {
            self.rows[fluent.index() * self.words + self.count / 64] |= 1 << (self.count % 64);
        }
        self.count += 1;
    }

    /// How many words of bits a fluent has.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// In which states a fluent holds.
    pub(super) fn of(&self, fluent: FluentId) -> &[u64] {
        &self.rows[fluent.index() * self.words..][..self.words]
    }

    /// The bits of all states in a word.
    pub(super) fn all(&self, word: usize) -> u64 {
        match self.count.saturating_sub(word * 64) {
            0 => 0,
            left @ 1..64 => (1 << left) - 1,
            _ => u64::MAX,
        }
    }

    /// Whether two of these hold somewhere, and whether one of them holds everywhere.
    pub(super) fn look(&self, members: &[FluentId]) -> Look {
        let mut look = Look { twice: false, everywhere: true };
        for word in 0..self.words {
            let (mut seen, mut twice) = (0, 0);
            for &member in members {
                let bits = self.of(member)[word];
                twice |= seen & bits;
                seen |= bits;
            }
            look.twice |= twice != 0;
            look.everywhere &= seen == self.all(word);
        }
        look
    }

    /// How many of these hold, if it is the same number everywhere.
    pub(super) fn constant_count(&self, members: &[FluentId]) -> Option<u32> {
        let mut counts = vec![0u32; self.count];
        for &member in members {
            for (word, &bits) in self.of(member).iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    counts[word * 64 + bits.trailing_zeros().index()] += 1;
                    bits &= bits - 1;
                }
            }
        }
        counts.windows(2).all(|pair| pair[0] == pair[1]).then_some(counts[0])
    }
}

/// What samples say about a group.
pub(super) struct Look {
    /// Two hold at once, somewhere.
    pub(super) twice: bool,
    /// One holds, everywhere.
    pub(super) everywhere: bool,
}
