//! Winning and forced moves as outputs of the network: machines read off a state what trying every move finds.
//!
//! `GRUNDY_STATES=5000` looks at that many states of each game.

mod support;

use grundy::game::{Game, MachineConfig};
use grundy::machine::{Machine, MachineKind, Position, State};
use grundy::meta::MoveRulesConfig;
use grundy::network::MoveId;
use std::collections::BTreeSet;
use support::bundled_games;

type Found = BTreeSet<MoveId>;

fn states_wanted(default: usize) -> usize {
    std::env::var("GRUNDY_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A game with rules for its winning moves, and perhaps its forced ones.
fn game_with_rules(name: &str, forced: bool) -> Game {
    let (_, text) = bundled_games().into_iter().find(|(game, _)| game == name).expect("the game is there");
    let game = Game::from_kif(&text).expect("the game is sound");
    let plain = game.machine(&MachineConfig::default()).expect("the game has a machine");
    let facts: Vec<Vec<String>> =
        sample(&plain, 60, 7).iter().map(|state| plain.rules().facts(state)).collect();
    let config = MoveRulesConfig { forced, ..MoveRulesConfig::default() };
    game.with_move_rules(&facts, &config).expect("there are rules")
}

/// States that are not terminal, of games in which moves are made close together, so that something happens.
fn sample(machine: &Machine, count: usize, seed: u64) -> Vec<State> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut states = Vec::new();
    while states.len() < count {
        let mut position = machine.initial();
        let (window, start) = (rng.usize(2..20), rng.f64());
        while states.len() < count && !position.is_terminal() {
            states.push(position.state());
            let mut choose = |moves: Vec<MoveId>| {
                let first = (moves.len() as f64 * start) as usize;
                moves[(first + rng.usize(..window.min(moves.len()))) % moves.len()]
            };
            let roles: Vec<_> = position.roles().collect();
            let joint: Vec<MoveId> = roles.iter().map(|&role| choose(position.legal(role))).collect();
            position.play_unchecked(&joint);
        }
    }
    states
}

/// All joint moves of a position.
fn joint_moves(position: &mut Position) -> Vec<Vec<MoveId>> {
    let roles: Vec<_> = position.roles().collect();
    let legal: Vec<Vec<MoveId>> = roles.iter().map(|&role| position.legal(role)).collect();
    legal.iter().fold(vec![Vec::new()], |joint, moves| {
        let longer = |prefix: &Vec<MoveId>| {
            let prefix = prefix.clone();
            moves.iter().map(move |&one| prefix.iter().copied().chain([one]).collect::<Vec<_>>())
        };
        joint.iter().flat_map(longer).collect()
    })
}

/// The moves that win at once, by trying them.
fn winning_by_trying(machine: &Machine, state: &State) -> Found {
    let mut found = Found::new();
    for joint in joint_moves(&mut machine.position(state)) {
        let mut next = machine.position(state);
        next.play_unchecked(&joint);
        if next.is_terminal() {
            let goals = next.goals();
            found.extend(joint.iter().zip(goals).filter(|(_, goal)| *goal == Some(100)).map(|(&one, _)| one));
        }
    }
    found
}

/// The moves after which no other role can win at once, by trying them and all replies.
fn safe_by_trying(machine: &Machine, state: &State) -> Found {
    let (mut all, mut losing) = (Found::new(), Found::new());
    let interface = machine.rules().interface();
    for joint in joint_moves(&mut machine.position(state)) {
        let mut next = machine.position(state);
        next.play_unchecked(&joint);
        let wins = if next.is_terminal() { Found::new() } else { winning_by_trying(machine, &next.state()) };
        for &its_move in &joint {
            let role = |one: MoveId| interface.moves[one.0 as usize].role;
            all.insert(its_move);
            if wins.iter().any(|&win| role(win) != role(its_move)) {
                losing.insert(its_move);
            }
        }
    }
    all.difference(&losing).copied().collect()
}

fn check_winning(name: &str, states: usize) {
    let game = game_with_rules(name, false);
    let kinds = [MachineKind::Incremental, MachineKind::Scratch];
    let machines = kinds.map(|kind| {
        game.machine(&MachineConfig { kind, ..MachineConfig::default() }).expect("the game has a machine")
    });
    let mut positions = machines.each_ref().map(Machine::initial);
    let mut wins = 0;
    for state in sample(&machines[0], states_wanted(states), 1) {
        let expected = winning_by_trying(&machines[0], &state);
        for position in &mut positions {
            *position = machines[0].position(&state);
            let found: Found = position.hinted("wins").into_iter().collect();
            assert_eq!(found, expected, "{name} in {:?}", position.facts());
        }
        wins += expected.len();
    }
    assert!(wins > 0, "{name}: no winning move was seen");
}

fn check_forced(name: &str, states: usize) {
    let game = game_with_rules(name, true);
    let machine = game.machine(&MachineConfig::default()).expect("the game has a machine");
    let mut threats = 0;
    // States from all of a game: races have no threats at their beginning.
    for state in sample(&machine, 17 * states_wanted(states), 2).into_iter().step_by(17) {
        let mut position = machine.position(&state);
        let expected = safe_by_trying(&machine, &state);
        let safe: Found = position.hinted("safe").into_iter().collect();
        assert_eq!(safe, expected, "{name} in {:?}", position.facts());
        let forced: Found = position.hinted("forced").into_iter().collect();
        let roles: Vec<_> = position.roles().collect();
        for role in roles {
            let of_role = |found: &Found| -> Found {
                let range = machine.rules().interface().moves_of(role);
                found.iter().copied().filter(|one| range.contains(&one.0)).collect()
            };
            let is_threatened = of_role(&safe).len() < position.legal(role).len();
            let wanted = if is_threatened { of_role(&safe) } else { Found::new() };
            assert_eq!(of_role(&forced), wanted, "{name} in {:?}", position.facts());
            threats += usize::from(is_threatened);
        }
    }
    assert!(threats > 0, "{name}: no threat was seen");
}

#[test]
fn winning_moves_are_read_off() {
    check_winning("tic-tac-toe", 3000);
    check_winning("connect-four", 2000);
    check_winning("breakthrough", 1000);
    check_winning("knightthrough", 1000);
}

#[test]
fn winning_moves_of_gomoku_are_read_off() {
    check_winning("gomoku", 20);
}

#[test]
fn forced_moves_are_read_off() {
    check_forced("tic-tac-toe", 1000);
    check_forced("connect-four", 6);
}

#[test]
fn forced_moves_of_races_are_read_off() {
    check_forced("breakthrough", 8);
    check_forced("knightthrough", 4);
}
