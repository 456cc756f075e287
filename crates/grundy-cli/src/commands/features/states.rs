//! States from files, from recorded matches and from random play.

use super::Args;
use super::load::Compiled;
use crate::files::{ReadArgs, read_source};
use crate::limits;
use crate::output::{Failure, Outcome, note};
use crate::render;
use anyhow::Result;
use grundy::features::{FactSet, StateReader, UnknownFact};
use grundy::game::{Game, MachineConfig};
use grundy::ground::GroundConfig;
use grundy::play::trace::read_trace;
use grundy_syntax::{Dialect, Source, Span, Stage};
use serde::Deserialize;

/// A line of a file of states.
#[derive(Deserialize)]
struct StateLine {
    facts: Vec<String>,
}

/// States, as far as they could be read.
#[derive(Default)]
pub(super) struct States {
    /// One for each line; what could not be understood is `None`.
    pub(super) states: Vec<Option<FactSet>>,
    /// For each state the match that it belongs to.
    pub(super) matches: Vec<u64>,
    pub(super) unknown: usize,
}

impl States {
    fn push(&mut self, state: Option<FactSet>, playout: u64) {
        self.unknown += usize::from(state.is_none());
        self.states.push(state);
        self.matches.push(playout);
    }
}

/// A playout that is longer than this is left there.
const MOST_STEPS: usize = 1_000;

/// Reads the states that are asked for.
pub(super) fn read(args: &Args, compiled: &Compiled) -> Result<States> {
    match (&args.states, &args.trace, args.playouts) {
        (Some(path), ..) => read_lines(path, &args.read, compiled),
        (_, Some(path), _) => read_matches(path, &args.read, compiled),
        (.., Some(playouts)) => play(compiled, playouts, args.seed),
        _ => Ok(States::default()),
    }
}

fn read_lines(path: &str, read: &ReadArgs, compiled: &Compiled) -> Result<States> {
    let source = read_source(path, read)?;
    let mut reader = StateReader::new(&compiled.features);
    let mut states = States::default();
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        limits::budget().check()?;
        let span = Span::new(start, start + line.trim_end().len() as u32);
        start += line.len() as u32;
        if line.trim().is_empty() {
            continue;
        }
        let state = match serde_json::from_str::<StateLine>(line) {
            Err(error) => {
                let at = span.start + (error.column() as u32).saturating_sub(1).min(span.end - span.start);
                let message = format!("this is not a line of states: {}", plain(&error));
                complain(&source, Span::new(at, at), &message, r#"a line is {"facts":["…","…"]}"#);
                None
            }
            Ok(line) => {
                let read = reader.read(&line.facts);
                read.map_err(|unknown| complain_about(&source, span, &line.facts, &unknown)).ok()
            }
        };
        states.push(state, 0);
    }
    Ok(states)
}

/// The message of an error without its place, which is not that in the file.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(message, _)| message.to_owned())
}

/// Tells that a fact is unknown, and where it stands.
fn complain_about(source: &Source, line: Span, facts: &[String], unknown: &UnknownFact) {
    let text = source.slice(line);
    let wanted = serde_json::to_string(&facts[unknown.number]).unwrap_or_default();
    let before = facts[..unknown.number].iter().filter(|fact| **fact == facts[unknown.number]).count();
    let found = text.match_indices(&wanted).nth(before);
    let span = found.map_or(line, |(at, text)| {
        let start = line.start + at as u32;
        Span::new(start, start + text.len() as u32)
    });
    complain(source, span, &unknown.why, "");
}

fn complain(source: &Source, span: Span, message: &str, hint: &str) {
    note(&format!("{}\n", render::error_at(source, span, message, "this state is not valued", hint)));
}

fn read_matches(path: &str, read: &ReadArgs, compiled: &Compiled) -> Result<States> {
    let source = read_source(path, read)?;
    let trace = read_trace(&source).map_err(Failure::from)?;
    let mut reader = StateReader::new(&compiled.features);
    let mut states = States::default();
    let lines: Vec<Span> = lines(&source);
    for (step, &line) in trace.iter().zip(&lines) {
        limits::budget().check()?;
        let state = reader.read(step.state());
        let state = state.map_err(|unknown| complain_about(&source, line, step.state(), &unknown)).ok();
        states.push(state, step.playout());
    }
    Ok(states)
}

/// The places of all lines with something in them.
fn lines(source: &Source) -> Vec<Span> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in source.text().split_inclusive('\n') {
        if !line.trim().is_empty() {
            found.push(Span::new(start, start + line.trim_end().len() as u32));
        }
        start += line.len() as u32;
    }
    found
}

/// Plays a game at random.
fn play(compiled: &Compiled, playouts: u64, seed: u64) -> Result<States> {
    if compiled.program.dialect != Dialect::Game {
        let message = "a theory cannot be played; `--states F` reads states from a file";
        return Err(Failure::new(Outcome::Usage, message).into());
    }
    let budget = limits::budget();
    let ground = GroundConfig { budget: budget.clone(), ..GroundConfig::default() };
    let machine = Game::from_program(compiled.program.clone())
        .machine(&MachineConfig { ground, ..MachineConfig::default() })
        .map_err(|error| crate::engine::failure(&error))?;
    budget.enter(Stage::Play);
    let mut reader = StateReader::new(&compiled.features);
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut states = States::default();
    for playout in 0..playouts {
        let mut position = machine.initial();
        for _ in 0..MOST_STEPS {
            budget.check()?;
            let state = reader.read(&position.facts());
            states.push(state.map_err(|unknown| note(&format!("error: {}", unknown.why))).ok(), playout);
            if position.is_terminal() {
                break;
            }
            let roles: Vec<_> = position.roles().collect();
            let joint: Option<Vec<_>> =
                roles.into_iter().map(|role| position.random_move(role, &mut rng)).collect();
            let Some(joint) = joint else { break };
            position.play_unchecked(&joint);
        }
    }
    Ok(states)
}
