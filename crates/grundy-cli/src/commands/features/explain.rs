//! `--explain FEATURE`: its solutions in a state.

use super::load::Compiled;
use super::states::States;
use super::value::plan;
use super::{Args, feature_named, unvalued};
use crate::output::{Failure, Outcome, print, print_json};
use crate::render::count;
use anyhow::Result;
use grundy::features::FeatureId;
use serde_json::json;

pub(super) fn run(args: &Args, compiled: &Compiled, states: &States) -> Result<Outcome> {
    let name = args.explain.as_deref().unwrap_or_default();
    let state = states.states.get(args.state.wrapping_sub(1)).ok_or_else(|| {
        let message = format!("there is no state {}; `--states F` has {}", args.state, states.states.len());
        Failure::new(Outcome::Usage, message)
    })?;
    let Some(state) = state else {
        return Err(Failure::new(Outcome::Wrong, format!("state {} could not be read", args.state)).into());
    };
    let plan = plan(compiled)?;
    let mut explained = Vec::new();
    for feature in feature_named(compiled, name)? {
        let found = compiled.features.explain(&plan, FeatureId::new(feature), state);
        let mut solutions: Vec<String> =
            found.into_iter().map(|head| compiled.features.solution_text(head, compiled.notation)).collect();
        solutions.sort_unstable();
        let column = compiled.features.features()[feature].column();
        if args.json {
            explained.push(json!({"feature": column, "state": args.state, "solutions": solutions}));
        } else {
            let lines: Vec<String> = solutions.iter().map(|solution| format!("  {solution}\n")).collect();
            print(&format!(
                "{column} has {} in state {}\n{}",
                count(solutions.len(), "solution"),
                args.state,
                lines.concat()
            ))?;
        }
    }
    if args.json {
        // A name without an arity can stand for several features.
        let several = explained.len() > 1;
        print_json(if several { json!({"features": explained}) } else { explained.remove(0) });
    }
    if states.unknown > 0 { Err(unvalued(states).into()) } else { Ok(Outcome::Fine) }
}
