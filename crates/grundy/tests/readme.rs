//! The example of the package's README, which is a part of this file.

use grundy::game::{Game, MachineConfig};

#[test]
fn the_example_runs() -> Result<(), Box<dyn std::error::Error>> {
    // Two players take one or two of five matches in turn; the player to take the last one wins.
    let game = Game::from_kif(
        "(role first) (role second) (init (left 5)) (init (turn first))
         (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
         (amount 1) (amount 2) (other first second) (other second first)
         (<= (minus ?n 1 ?m) (succ ?m ?n))
         (<= (minus ?n 2 ?m) (succ ?l ?n) (succ ?m ?l))
         (<= (legal ?r (take ?a)) (true (turn ?r)) (true (left ?n)) (amount ?a) (minus ?n ?a ?_m))
         (<= (legal ?r wait) (true (turn ?o)) (other ?o ?r))
         (<= (next (left ?m)) (does ?_r (take ?a)) (true (left ?n)) (minus ?n ?a ?m))
         (<= (next (turn ?r)) (true (turn ?o)) (other ?o ?r))
         (<= terminal (true (left 0)))
         (<= (goal ?r 100) (true (left 0)) (true (turn ?o)) (other ?o ?r))
         (<= (goal ?r 0) (true (left 0)) (true (turn ?r)))",
    )?;
    let machine = game.machine(&MachineConfig::default())?;

    // Both players always play their first legal move, which takes one match.
    let mut position = machine.initial();
    while !position.is_terminal() {
        let joint: Vec<_> = position.roles().map(|role| position.legal(role)[0]).collect();
        position.play(&joint)?;
    }
    assert_eq!(position.goals(), [Some(100), Some(0)]);

    // Random games: the same seed and number give the same games.
    let totals = machine.playouts(1_000, 1);
    assert_eq!(totals.playouts, 1_000);
    Ok(())
}

#[test]
fn the_example_is_the_one_above() {
    let this: Vec<&str> = include_str!("readme.rs").lines().map(str::trim).collect();
    let example = include_str!("../README.md").split("```").nth(1).expect("the page has an example");
    for part in example.trim_start_matches("rust").split("\n\n") {
        let part: Vec<&str> = part.trim().lines().map(str::trim).collect();
        assert!(
            this.windows(part.len()).any(|lines| lines == part),
            "not in this file:\n{}",
            part.join("\n")
        );
    }
}
