//! Random games through every engine.
//!
//! `GRUNDY_GAMES=10000` compares that many games, `GRUNDY_SEED=7` begins with another seed.

use grundy_bench::differential::{Config, Verdict, check};
use grundy_bench::{minimise, random_game};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn all_engines_agree_on_random_games() {
    let (games, first) = (number("GRUNDY_GAMES", 1000), number("GRUNDY_SEED", 0));
    let mut rejected = 0;
    for seed in first..first + games {
        let sheet = random_game(seed);
        match check(&sheet, &Config::default()) {
            Verdict::Agree(_) => {}
            Verdict::Rejected(_) => rejected += 1,
            Verdict::Differs(difference) => {
                let fails = |sheet: &str| matches!(check(sheet, &Config::default()), Verdict::Differs(_));
                let small = minimise(&sheet, 2000, fails);
                panic!("seed {seed}: {difference}\n{small}{:?}", check(&small, &Config::default()));
            }
        }
    }
    assert!(rejected * 10 <= games, "{rejected} of {games} games are rejected: the generator is broken");
}
