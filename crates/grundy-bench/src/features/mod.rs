//! The experiments of Kaneko, Yamaguchi & Kawai (2000) with logical features, beside their numbers.
//!
//! [`Bench::run`] is the outline. `matches.rs` plays Othello, `speed.rs` has table 3 and figure 1, `sizes.rs` table 4 and
//! figure 2, `prolog.rs` the comparison with a tabled Prolog, `report.rs` the presentation of the results.

mod matches;
mod prolog;
mod published;
mod report;
mod sizes;
mod speed;

use crate::BenchError;
use crate::numbers::{count, grouped};
use crate::report::Origin;
use fastrand::Rng;
use grundy::features::{FeatureConfig, Features, Selection};
use grundy::syntax::{Budget, Program};
use speed::Experiment;

pub use report::Results;

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct Bench<'a> {
    /// The theory of Othello, with a fact `size(N)` for the board of the matches.
    pub theory: &'a Program,
    /// The features.
    pub features: &'a Program,
    /// The side of the board of the matches.
    pub side: u8,
    /// How many matches are valued.
    pub matches: u16,
    /// How many of them the naive evaluator values.
    pub naive_matches: u16,
    /// The sides of the boards of table 4.
    pub sizes: &'a [u32],
    /// How many states SWI-Prolog values; `None` leaves it out.
    pub prolog_states: Option<usize>,
    /// The seed of the matches.
    pub seed: u64,
    /// The budget of the call.
    pub budget: &'a Budget,
}

/// How to compile, within the budget of the call.
fn config(budget: &Budget) -> FeatureConfig {
    FeatureConfig { budget: budget.clone(), ..FeatureConfig::default() }
}

/// The numbers of features in figure 1.
const GROWTH: [usize; 9] = [8, 16, 32, 48, 64, 80, 96, 112, 127];

impl Bench<'_> {
    /// Measures everything. `note` shows messages: a rival that is not there, and methods that disagree.
    pub fn run(&self, note: &dyn Fn(&str)) -> Result<Results, BenchError> {
        let origin = Origin::now(self.settings());
        let mut rng = Rng::with_seed(self.seed);
        let matches: Vec<_> = (0..self.matches).map(|_| matches::play(self.side, &mut rng)).collect();
        let Bench { theory, features, budget, .. } = *self;
        let experiment = Experiment { theory, features, matches: &matches, budget };
        let (features_count, mut speeds) = experiment.table(usize::from(self.naive_matches))?;
        if let Some(states) = self.prolog_states {
            let states: Vec<Vec<String>> = matches.iter().flatten().take(states).cloned().collect();
            match self.prolog(&experiment, &states) {
                Ok(speed) => speeds.push(speed),
                Err(BenchError::Exhausted(reason)) => return Err(reason.into()),
                Err(error) => note(&format!("note: {error}")),
            }
        }
        let growth = experiment.growth(&GROWTH, self.seed)?;
        let board = |&side: &u32| sizes::measure(theory, features, side, budget);
        let boards = self.sizes.iter().map(board).collect::<Result<_, _>>()?;
        let matches = matches.len();
        let results = Results { origin, features: features_count, matches, speeds, growth, boards };
        results.disagreeing().for_each(|method| note(&format!("error: {method} gives other values")));
        Ok(results)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("seed", self.seed.to_string()),
            ("run length", count(grouped(self.matches), "match")),
            ("naive evaluation of", count(grouped(self.naive_matches), "match")),
            ("side of the board", self.side.to_string()),
        ]
    }

    /// Values states with SWI-Prolog. The sum of their values has to be ours.
    fn prolog(&self, experiment: &Experiment, states: &[Vec<String>]) -> Result<speed::Speed, BenchError> {
        let selection = Selection::default();
        let all = Features::new(self.theory, self.features, &selection, &[], &config(self.budget));
        let all = all.map_err(BenchError::features)?;
        let speed = prolog::run(self.theory, self.features, &all, states, self.budget)?;
        let checksum = experiment.checksum(speed.states)?;
        Ok(speed::Speed { expected: Some(checksum), ..speed })
    }
}
