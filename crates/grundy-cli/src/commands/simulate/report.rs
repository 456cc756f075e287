//! What is told at the end.

use super::{Played, Session};
use crate::output::{Failure, Outcome, note, print, print_json};
use crate::render::count;
use anyhow::Result;
use grundy::machine::{GoalSum, Sightings};
use grundy::reasoner::GoalValue;
use serde_json::{Map, Value, json};

/// Longer lines of moves are printed with `--json` only.
const LONGEST_LINE: usize = 2_000;

pub(super) struct Report<'a> {
    session: &'a Session<'a>,
    played: &'a Played,
}

impl<'a> Report<'a> {
    pub(super) fn new(session: &'a Session<'a>, played: &'a Played) -> Report<'a> {
        Report { session, played }
    }

    /// Prints it; a limit that was hit is the failure.
    pub(super) fn print(&self) -> Result<Outcome> {
        if self.session.args.json {
            print_json(self.json());
        } else {
            print(&self.text())?;
        }
        let Played { totals, limit, .. } = self.played;
        if totals.stuck > 0 {
            note(&format!("note: {} ended because a role had no legal move", count(totals.stuck, "game")));
        }
        if let Some(Failure { outcome, message, details }) = limit {
            return Err(Failure::new(*outcome, message).with((**details).clone()).into());
        }
        if totals.unfinished > 0 {
            let message = format!(
                "{} not finished after {} (limit `steps`, --max-steps)",
                count(totals.unfinished, "game"),
                count(self.session.args.max_steps, "move")
            );
            return Err(Failure::limit("steps", message).at("play").into());
        }
        Ok(Outcome::Fine)
    }

    /// Roles with their goal values.
    fn goals(&self) -> impl Iterator<Item = (&String, &GoalSum)> {
        self.played.roles.iter().zip(&self.played.totals.goals)
    }

    /// Final states whose goals are not as they should be. The role `random` needs no goal.
    fn irregular(&self) -> impl Iterator<Item = (&String, GoalValue, Sightings)> {
        let kinds =
            self.goals().flat_map(|(role, goal)| goal.irregular().map(|(kind, seen)| (role, kind, seen)));
        kinds.filter(|(role, kind, seen)| {
            seen.games > 0 && !(role.as_str() == "random" && *kind == GoalValue::Missing)
        })
    }

    fn stuck(&self) -> impl Iterator<Item = (&String, Sightings)> {
        let roles = self.played.roles.iter().zip(self.played.totals.stuck_roles.iter().copied());
        roles.filter(|(_, seen)| seen.games > 0)
    }

    /// The moves that lead to the first sighting; the time may have been over before they were found.
    fn line(&self, seen: Sightings) -> Option<String> {
        let (_, line) = self.played.lines.iter().find(|(game, _)| Some(*game) == seen.first)?;
        Some(line.to_string())
    }

    fn json(&self) -> Value {
        let Played { totals, setup, elapsed, .. } = self.played;
        let seconds = elapsed.as_secs_f64().max(1e-9);
        let goals: Map<String, Value> =
            self.goals().map(|(role, goal)| (role.clone(), json!(goal.mean()))).collect();
        let first = |seen: Sightings| json!({"playout": seen.first, "moves": self.line(seen)});
        let irregular = self.irregular().map(|(role, kind, seen)| {
            json!({"role": role, "goal": kind.to_string(), "games": seen.games, "first": first(seen)})
        });
        let stuck = self.stuck();
        let stuck =
            stuck.map(|(role, seen)| json!({"role": role, "games": seen.games, "first": first(seen)}));
        json!({
            "engine": self.session.engine,
            "playouts": totals.playouts,
            "states": totals.states,
            "seconds": seconds,
            "playouts_per_second": totals.playouts as f64 / seconds,
            "states_per_second": totals.states as f64 / seconds,
            "mean_length": self.mean_length(),
            "setup_seconds": setup.as_secs_f64(),
            "goals": goals,
            "irregular_goals": irregular.collect::<Vec<_>>(),
            "stuck": totals.stuck,
            "stuck_roles": stuck.collect::<Vec<_>>(),
            "unfinished": totals.unfinished,
        })
    }

    fn mean_length(&self) -> f64 {
        self.played.totals.states as f64 / self.played.totals.playouts.max(1) as f64
    }

    fn text(&self) -> String {
        let totals = &self.played.totals;
        let seconds = self.played.elapsed.as_secs_f64().max(1e-9);
        let mut text = format!(
            "{} of {} in {seconds:.2} s: {:.0} playouts/s, {:.0} states/s, {:.1} moves a game\n",
            count(totals.playouts, "playout"),
            self.session.game.source.name(),
            totals.playouts as f64 / seconds,
            totals.states as f64 / seconds,
            self.mean_length(),
        );
        for (role, goal) in self.goals() {
            let mean = goal.mean().map_or("no goal value".to_owned(), |mean| format!("{mean:.2}"));
            let is_of_all = goal.count == totals.playouts || goal.count == 0;
            let games = if is_of_all { String::new() } else { format!(" in {}", count(goal.count, "game")) };
            text.push_str(&format!("  {role}: {mean}{games}\n"));
        }
        for (role, kind, seen) in self.irregular() {
            let what = match kind {
                GoalValue::Several => "several goals",
                GoalValue::NotANumber => "a goal that is not a number",
                GoalValue::Missing | GoalValue::Number(_) => "no goal",
            };
            text.push_str(&self.sighting(&format!("{role} has {what} at the end of"), seen));
        }
        for (role, seen) in self.stuck() {
            text.push_str(&self.sighting(&format!("{role} has no legal move in"), seen));
        }
        text
    }

    fn sighting(&self, what: &str, seen: Sightings) -> String {
        let first = seen.first.unwrap_or_default();
        let line = match self.line(seen) {
            Some(line) if line.is_empty() => ", in the initial state".to_owned(),
            Some(line) if line.len() <= LONGEST_LINE => format!(", --moves \"{line}\""),
            Some(_) => ", whose moves are printed with `--json`".to_owned(),
            None => String::new(),
        };
        format!("  {what} {}; the first is playout {first}{line}\n", count(seen.games, "game"))
    }
}
