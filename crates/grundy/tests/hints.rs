//! Winning and forced moves as outputs of the network: machines read off a state what trying every move finds. The lifted
//! engine tries them, with the rules of the sheet alone.
//!
//! `GRUNDY_STATES=5000` looks at that many states of each game.

mod support;

use grundy::game::{Game, MachineConfig};
use grundy::lifted::{Lifted, LiftedConfig};
use grundy::machine::{Machine, MachineKind, Position, State};
use grundy::network::{Interface, MoveId};
use grundy::reasoner::Reasoner;
use grundy::winning::MoveRulesConfig;
use std::collections::BTreeSet;
use support::{bundled_games, program};

/// Roles and moves, in print.
type Found = BTreeSet<(String, String)>;

type LiftedState = <Lifted as Reasoner>::State;

/// A joint move, by role, and the state after it.
type Successor = (Vec<(String, String)>, LiftedState);

fn states_wanted(default: usize) -> usize {
    std::env::var("GRUNDY_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn sheet(name: &str) -> String {
    bundled_games().into_iter().find(|(game, _)| game == name).expect("the game is there").1
}

/// A game with rules for its winning moves, and perhaps its forced ones.
fn game_with_rules(name: &str, forced: bool) -> Game {
    let game = Game::from_kif(&sheet(name)).expect("the game is sound");
    let plain = game.machine(&MachineConfig::default()).expect("the game has a machine");
    let facts: Vec<Vec<String>> =
        sample(&plain, 60, 7).iter().map(|state| plain.game().facts(state)).collect();
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

/// The engine that tries moves.
struct Judge {
    lifted: Lifted,
    roles: Vec<String>,
}

impl Judge {
    fn new(name: &str) -> Judge {
        let lifted = Lifted::new(&program(name, &sheet(name)), &LiftedConfig::default());
        let lifted = lifted.expect("the lifted engine takes the game");
        Judge { roles: lifted.roles(), lifted }
    }

    fn state_of(&mut self, facts: &[String]) -> LiftedState {
        self.lifted.state_of(facts).expect("facts are terms")
    }

    /// All joint moves, each with the state after it.
    fn successors(&mut self, state: &LiftedState) -> Vec<Successor> {
        let legal = self.lifted.legal(state).expect("there are moves");
        let joints = legal.iter().fold(vec![Vec::new()], |joint, moves| {
            let longer = |prefix: &Vec<_>| {
                let prefix = prefix.clone();
                moves.iter().map(move |&one| prefix.iter().copied().chain([one]).collect::<Vec<_>>())
            };
            joint.iter().flat_map(longer).collect()
        });
        let mut successors = Vec::new();
        for joint in joints {
            let texts = joint.iter().map(|&one| self.lifted.move_text(one));
            let texts = self.roles.iter().cloned().zip(texts).collect();
            successors.push((texts, self.lifted.next(state, &joint).expect("there is a state")));
        }
        successors
    }

    /// The moves that win at once.
    fn winning(&mut self, state: &LiftedState) -> Found {
        let mut found = Found::new();
        for (joint, next) in self.successors(state) {
            if self.lifted.is_terminal(&next) == Ok(true) {
                let goals = self.lifted.goals(&next).expect("there are goals");
                found.extend(
                    joint
                        .into_iter()
                        .zip(goals)
                        .filter(|(_, goal)| goal.number() == Some(100))
                        .map(|(one, _)| one),
                );
            }
        }
        found
    }

    /// The moves after which no other role can win at once: all replies are tried.
    fn safe(&mut self, state: &LiftedState) -> Found {
        let (mut all, mut losing) = (Found::new(), Found::new());
        for (joint, next) in self.successors(state) {
            let has_ended = self.lifted.is_terminal(&next) == Ok(true);
            let wins = if has_ended { Found::new() } else { self.winning(&next) };
            for (role, its_move) in joint {
                if wins.iter().any(|(winner, _)| *winner != role) {
                    losing.insert((role.clone(), its_move.clone()));
                }
                all.insert((role, its_move));
            }
        }
        all.difference(&losing).cloned().collect()
    }

    /// The safe moves of roles that have another one as well.
    fn forced(&mut self, state: &LiftedState, safe: &Found) -> Found {
        let legal = self.lifted.legal(state).expect("there are moves");
        let mut forced = safe.clone();
        for (role, moves) in self.roles.iter().zip(legal) {
            if safe.iter().filter(|(who, _)| who == role).count() == moves.len() {
                forced.retain(|(who, _)| who != role);
            }
        }
        forced
    }
}

/// The machines that tell hints, each with its own position.
fn machines(game: &Game) -> Vec<(MachineKind, Machine)> {
    let kinds = [MachineKind::Incremental, MachineKind::Scratch, MachineKind::Batch];
    let machine = |kind| {
        let config = MachineConfig { kind, ..MachineConfig::default() };
        (kind, game.machine(&config).expect("the game has a machine"))
    };
    kinds.map(machine).into()
}

fn hinted(interface: &Interface, position: &mut Position, name: &str) -> Found {
    let moves = position.hinted(name).into_iter();
    moves
        .map(|one| {
            let role = interface.moves[one].role;
            (position.role_name(role).to_owned(), position.move_text(one).to_owned())
        })
        .collect()
}

fn check_winning(name: &str, states: usize) {
    let game = game_with_rules(name, false);
    let machines = machines(&game);
    let mut judge = Judge::new(name);
    let mut wins = 0;
    for state in sample(&machines[0].1, states_wanted(states), 1) {
        let facts = machines[0].1.game().facts(&state);
        let lifted = judge.state_of(&facts);
        let expected = judge.winning(&lifted);
        for (kind, machine) in &machines {
            let found = hinted(machine.game().interface(), &mut machine.position(&state), "wins");
            assert_eq!(found, expected, "{name}, {kind:?}, in {facts:?}");
        }
        wins += expected.len();
    }
    assert!(wins > 0, "{name}: no winning move was seen");
}

fn check_forced(name: &str, states: usize) {
    let game = game_with_rules(name, true);
    let machines = machines(&game);
    let mut judge = Judge::new(name);
    let mut threats = 0;
    // States from all of a game: races have no threats at their beginning.
    for state in sample(&machines[0].1, 17 * states_wanted(states), 2).into_iter().step_by(17) {
        let facts = machines[0].1.game().facts(&state);
        let lifted = judge.state_of(&facts);
        let safe = judge.safe(&lifted);
        let forced = judge.forced(&lifted, &safe);
        for (kind, machine) in &machines {
            let (interface, mut position) = (machine.game().interface(), machine.position(&state));
            assert_eq!(hinted(interface, &mut position, "safe"), safe, "{name}, {kind:?}, in {facts:?}");
            assert_eq!(hinted(interface, &mut position, "forced"), forced, "{name}, {kind:?}, in {facts:?}");
        }
        let legal = judge.lifted.legal(&lifted).expect("there are moves");
        threats += usize::from(safe.len() < legal.iter().map(Vec::len).sum());
    }
    assert!(threats > 0, "{name}: no threat was seen");
}

#[test]
fn winning_moves_are_read_off() {
    check_winning("tic-tac-toe", 600);
    check_winning("connect-four", 200);
    check_winning("breakthrough", 200);
    check_winning("knightthrough", 200);
}

#[test]
fn winning_moves_of_gomoku_are_read_off() {
    check_winning("gomoku", 40);
}

#[test]
fn forced_moves_are_read_off() {
    check_forced("tic-tac-toe", 200);
    check_forced("connect-four", 6);
}

#[test]
fn forced_moves_of_races_are_read_off() {
    check_forced("breakthrough", 8);
    check_forced("knightthrough", 4);
}
