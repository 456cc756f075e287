//! Random games through every engine, and a generator that is mean enough to find something.
//!
//! `GRUNDY_GAMES=10000` compares that many games, `GRUNDY_SEED=7` begins with another seed.

use grundy_bench::differential::{Config, Difference, Verdict, check};
use grundy_bench::{Coverage, TRAITS, minimise, mutant, random_game};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn all_engines_agree_on_random_games() {
    let (games, first) = (number("GRUNDY_GAMES", 1_000), number("GRUNDY_SEED", 0));
    let next = AtomicU64::new(first);
    let compared = Mutex::new(Compared::default());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + games {
                        break;
                    }
                    let verdict = check(&random_game(seed), &Config::default());
                    compared.lock().expect("no other thread has panicked").add(seed, verdict);
                }
            });
        }
    });
    let Compared { rejected, replays, skipped, different } =
        compared.into_inner().expect("all threads are done");
    assert_eq!(skipped.first_key_value(), None, "no engine may be left out");
    if let Some((seed, difference)) = different.first_key_value() {
        let small = minimised(&random_game(*seed), difference);
        panic!("seed {seed}: {difference}\n{small}{:?}", check(&small, &Config::default()));
    }
    assert!(rejected * 20 <= games, "{rejected} of {games} games are rejected: the generator is broken");
    // Networks of a game that are equal are compared once: about 43 replays a game.
    assert!(replays >= 36 * (games - rejected), "{replays} replays of {games} games: engines are left out");
}

/// What became of all games.
#[derive(Default)]
struct Compared {
    rejected: u64,
    replays: u64,
    skipped: BTreeMap<u64, Vec<String>>,
    different: BTreeMap<u64, Difference>,
}

impl Compared {
    fn add(&mut self, seed: u64, verdict: Verdict) {
        match verdict {
            Verdict::Agree(agreement) => {
                self.replays += agreement.engines as u64;
                if !agreement.skipped.is_empty() {
                    self.skipped.insert(seed, agreement.skipped);
                }
            }
            Verdict::Rejected(_) => self.rejected += 1,
            Verdict::Differs(difference) => drop(self.different.insert(seed, difference)),
        }
    }
}

/// A small sheet with the same kind of difference.
fn minimised(sheet: &str, difference: &Difference) -> String {
    let mut tries = 2000;
    let has_time = || {
        tries -= 1;
        tries > 0
    };
    let fails = |sheet: &str| match check(sheet, &Config::default()) {
        Verdict::Differs(found) => found.is_like(difference),
        _ => false,
    };
    minimise(sheet, has_time, fails).sheet
}

#[test]
fn random_games_are_not_tame() {
    let mut coverage = Coverage::default();
    (0..300).for_each(|seed| coverage.add(&random_game(seed)));
    assert!(coverage.games > 280, "{} of 300 games can be played", coverage.games);
    for (name, share, least) in coverage.shares() {
        assert!(share >= least as f64, "{share:.1} % of the games have {name}, {least} % are wanted");
    }
    assert_eq!(coverage.shares().count(), TRAITS.len());
}

/// Every sheet on which engines once disagreed.
#[test]
#[allow(clippy::disallowed_methods, reason = "tests read files")]
fn all_engines_agree_where_they_once_did_not() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/engines");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("the sheets are there") {
        let path = entry.expect("the folder can be listed").path();
        if path.extension().is_some_and(|extension| extension == "kif") {
            let sheet = std::fs::read_to_string(&path).expect("the sheet is text");
            match check(&sheet, &Config::default()) {
                Verdict::Agree(agreement) => assert!(agreement.states > 1, "{}", path.display()),
                other => panic!("{}: {other:?}", path.display()),
            }
            compared += 1;
        }
    }
    assert!(compared >= 7, "{compared} sheets");
}

/// Mutants of our own games: sheets that differ from them by a small edit.
#[test]
#[allow(clippy::disallowed_methods, reason = "tests read files")]
fn all_engines_agree_on_mutants_of_our_games() {
    let mutants = number("GRUNDY_MUTANTS", 6);
    let games = ["tic-tac-toe", "nim", "kuhn-poker", "prisoners-dilemma", "lights-out", "hanoi"];
    let mut compared = 0;
    for name in games {
        let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
        let sheet = std::fs::read_to_string(&path).expect("the game is there");
        for seed in 0..mutants {
            let mutant = mutant(&sheet, seed).expect("there is a legal one");
            assert_ne!(mutant, sheet);
            match check(&mutant, &Config::for_sheets(Duration::from_secs(60))) {
                Verdict::Agree(agreement) => compared += u64::from(agreement.engines > 20),
                // A mutant can have a cycle of negations, which only the ground atoms show, or grow without end.
                Verdict::Rejected(_) => {}
                Verdict::Differs(difference) => panic!("{name}, mutant {seed}: {difference}\n{mutant}"),
            }
        }
    }
    assert!(compared * 3 >= 2 * mutants * games.len() as u64, "only {compared} mutants are compared");
}

/// A limit is not agreement: without a time limit for the sheet, an engine has to be able to play what the reference can.
#[test]
fn limits_are_not_agreement() {
    let endless = "(role x) (init (f 0)) (legal x m) (<= (next (f (s ?n))) (true (f ?n))) (<= terminal (true k)) (goal x 0)";
    // The reference can play the first steps, but no ground program can hold all terms.
    assert!(matches!(check(endless, &Config::default()), Verdict::Differs(_)));
    let Verdict::Agree(agreement) = check(endless, &Config::for_sheets(Duration::from_secs(20))) else {
        panic!("limits are allowed here");
    };
    assert!(agreement.skipped.iter().any(|engine| engine.contains("machines")), "{:?}", agreement.skipped);
    assert!(matches!(check("(role x) (<= (p ?x) (not (q ?x)))", &Config::default()), Verdict::Rejected(_)));
}
