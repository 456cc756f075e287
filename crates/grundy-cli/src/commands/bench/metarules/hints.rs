//! Winning and forced moves read off a state, against trying all moves.

use super::Section;
use crate::files::{ReadArgs, load_game};
use crate::limits;
use crate::sample::{failure, random_states};
use anyhow::Result;
use grundy::game::{Game, MachineConfig};
use grundy::ground::GroundConfig;
use grundy::machine::Player;
use grundy::machine::incremental::{IncrementalMachine, IncrementalPlayer};
use grundy::metarules::MetaError;
use grundy::network::{MoveId, RoleId};
use grundy::winning::MoveRulesConfig;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The games, and whether forced moves are looked at, too: there, each state takes all moves and all replies.
const GAMES: [(&str, bool); 5] = [
    ("tic-tac-toe", true),
    ("connect-four", true),
    ("breakthrough", true),
    ("knightthrough", true),
    ("gomoku", true),
];

/// States to look at, and for how long at most.
const STATES: usize = 2_000;
const TIME: Duration = Duration::from_secs(2);

/// Time of reading a hint and of trying moves, over the same states.
struct Measured {
    states: usize,
    reading: f64,
    trying: f64,
    differences: usize,
}

pub(super) fn hints(folder: &Path, seed: u64, read: &ReadArgs) -> Result<Section> {
    let mut section = Section {
        text: String::from(
            "Winning and forced moves read off a state, against trying all moves (and replies)\n  \
             game            moves     states  read, µs/state   try, µs/state   times cheaper   differences\n",
        ),
        ..Section::default()
    };
    let mut table = String::from("game\tmoves\tstates\tread_seconds\ttry_seconds\tdifferences\n");
    for (name, forced) in GAMES {
        let game = load_game(&folder.join(name).with_extension("kif").to_string_lossy(), read)?;
        let states = random_states(&game, 8, seed)?;
        let game = Game::from_program(game.program);
        let plain = machine(&game)?;
        let mut kinds = vec![("wins", winning as Try)];
        kinds.extend(forced.then_some(("safe", safe as Try)));
        for (hint, by_trying) in kinds {
            let budget = limits::budget();
            let config = MoveRulesConfig { forced: hint == "safe", budget, ..MoveRulesConfig::default() };
            let with_rules = match game.with_move_rules(&states, &config) {
                Ok(with_rules) => machine(&with_rules)?,
                Err(MetaError::Limit { limit, .. }) => {
                    _ = writeln!(section.text, "  {name:<16}{hint:<8}no rules (limit `{limit}`)");
                    continue;
                }
                Err(error) => return Err(failure(error).into()),
            };
            let measured = measure((with_rules.player(), plain.player()), seed, hint, by_trying);
            limits::budget().check()?;
            let micros = |seconds: f64| 1e6 * seconds / measured.states.max(1) as f64;
            _ = writeln!(
                section.text,
                "  {name:<16}{hint:<8}{:>8}{:>16.2}{:>16.2}{:>16.1}{:>14}",
                measured.states,
                micros(measured.reading),
                micros(measured.trying),
                measured.trying / measured.reading.max(1e-9),
                measured.differences,
            );
            _ = writeln!(
                table,
                "{name}\t{hint}\t{}\t{}\t{}\t{}",
                measured.states, measured.reading, measured.trying, measured.differences
            );
        }
    }
    section.text.push('\n');
    section.tables.push(("hints.tsv", table));
    Ok(section)
}

fn machine(game: &Game) -> Result<Arc<IncrementalMachine>> {
    let ground = GroundConfig { budget: limits::budget(), ..GroundConfig::default() };
    let rules = game
        .rules(&MachineConfig { ground, ..MachineConfig::default() })
        .map_err(|error| crate::engine::failure(&error))?;
    Ok(Arc::new(IncrementalMachine::new(rules, &limits::budget())?))
}

/// Finds moves by making all moves.
type Try = fn(&mut IncrementalPlayer) -> Vec<MoveId>;

/// Plays the same games with both machines: after each move, one reads the hints of the state, the other one tries
/// all moves. The move itself counts, because it is where hints are kept up to date.
fn measure(
    (mut hinted, mut plain): (IncrementalPlayer, IncrementalPlayer),
    seed: u64,
    hint: &str,
    by_trying: Try,
) -> Measured {
    let mut measured = Measured { states: 0, reading: 0.0, trying: 0.0, differences: 0 };
    let mut rng = fastrand::Rng::with_seed(seed);
    let roles: Vec<RoleId> = plain.rules().interface().role_ids().collect();
    plain.keep_trail(true);
    let begin = Instant::now();
    let goes_on = || begin.elapsed() < TIME && !limits::budget().is_over();
    while measured.states < STATES && goes_on() {
        hinted.reset();
        plain.reset();
        while !plain.is_terminal() && measured.states < STATES && goes_on() {
            let joint: Option<Vec<MoveId>> = roles.iter().map(|&role| plain.pick(role, &mut rng)).collect();
            let Some(joint) = joint else { break };
            let start = Instant::now();
            hinted.play(&joint);
            let mut read = hinted.hinted(hint);
            measured.reading += start.elapsed().as_secs_f64();
            let start = Instant::now();
            plain.play(&joint);
            let mut tried = by_trying(&mut plain);
            measured.trying += start.elapsed().as_secs_f64();
            read.sort_unstable();
            tried.sort_unstable();
            tried.dedup();
            // In a terminal state nobody moves, whatever rules say.
            measured.differences += usize::from(read != tried && !plain.is_terminal());
            measured.states += 1;
        }
    }
    measured
}

fn joint_moves(player: &mut IncrementalPlayer) -> Vec<Vec<MoveId>> {
    let roles: Vec<RoleId> = player.rules().interface().role_ids().collect();
    let mut joints = vec![Vec::new()];
    for role in roles {
        let moves = player.rules().interface().moves_of(role).map(MoveId);
        let legal: Vec<MoveId> = moves.filter(|&one_move| player.is_legal(one_move)).collect();
        joints = joints
            .iter()
            .flat_map(|joint: &Vec<MoveId>| {
                legal.iter().map(move |&one| joint.iter().copied().chain([one]).collect())
            })
            .collect();
    }
    joints
}

/// The moves that win at once.
fn winning(player: &mut IncrementalPlayer) -> Vec<MoveId> {
    let mut found = Vec::new();
    for joint in joint_moves(player) {
        player.play(&joint);
        if player.is_terminal() {
            for (role, &one_move) in joint.iter().enumerate() {
                if player.goal(RoleId(role as u16)).number() == Some(100) {
                    found.push(one_move);
                }
            }
        }
        player.undo();
    }
    found
}

/// The moves after which no other role can win at once.
fn safe(player: &mut IncrementalPlayer) -> Vec<MoveId> {
    let (mut all, mut losing) = (Vec::new(), Vec::new());
    for joint in joint_moves(player) {
        player.play(&joint);
        let wins = if player.is_terminal() { Vec::new() } else { winning(player) };
        player.undo();
        for &own in &joint {
            let role = |one: &MoveId| player.rules().interface().moves[one.0 as usize].role;
            all.push(own);
            if wins.iter().any(|win| role(win) != role(&own)) {
                losing.push(own);
            }
        }
    }
    all.retain(|one| !losing.contains(one));
    all
}
