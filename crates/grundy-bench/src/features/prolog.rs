//! A tabled Prolog that values the same features, state by state.
//!
//! Static predicates are written as facts, so that they are evaluated once; everything else is tabled, and the tables are
//! abolished for each state.

use super::speed::Speed;
use crate::BenchError;
use crate::grounding::Rival;
use crate::process::{Bounds, How, measure};
use crate::scratch::Scratch;
use grundy::features::{Aggregate, Features};
use grundy::syntax::{Budget, Literal, Notation, PredicateId, Printer, Program, Rule};
use grundy_reference::{Evaluator, Limits};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What the program prints.
#[derive(Deserialize)]
struct Answer {
    states: usize,
    seconds: f64,
    sum: i64,
}

/// The time limit of the program.
const MOST_TIME: Duration = Duration::from_secs(600);

/// How many of its last lines are shown when it fails.
const MOST_LINES: usize = 8;

/// Values some states with SWI-Prolog.
pub(super) fn run(
    theory: &Program,
    features: &Program,
    all: &Features,
    states: &[Vec<String>],
    budget: &Budget,
) -> Result<Speed, BenchError> {
    let found = Rival::Swipl.find().map_err(|why| failed(format!("swipl: {why}")))?;
    let text = program(theory, features, all, states)?;
    let files = || -> io::Result<(Scratch, Command)> {
        let scratch = Scratch::new()?;
        scratch.create("features.pl")?.write_all(text.as_bytes())?;
        let mut command = found.ground(&scratch.path("features.pl"), 4 << 30);
        command.stdin(Stdio::null()).stdout(scratch.create("out")?).stderr(scratch.create("err")?);
        Ok((scratch, command))
    };
    let (scratch, mut command) = files().map_err(BenchError::process("cannot create a temporary file"))?;
    let ended = measure(&mut command, Bounds { time: MOST_TIME, memory: None }, budget)
        .map_err(BenchError::process("cannot run swipl"))?;
    let answer: Option<Answer> =
        scratch.text("out").lines().last().and_then(|line| serde_json::from_str(line).ok());
    let answer = answer.filter(|_| ended.how == How::Exited(0)).ok_or_else(|| {
        failed(format!("swipl failed: {}\n{}", ended.how, last_lines(&scratch.text("err"))))
    })?;
    Ok(Speed {
        method: format!("swipl ({})", found.version.trim_start_matches("SWI-Prolog version ")),
        states: answer.states,
        time: Duration::from_secs_f64(answer.seconds),
        of_match: None,
        checksum: answer.sum,
        expected: None,
    })
}

fn failed(message: String) -> BenchError {
    BenchError::Features(message)
}

/// The last lines of the messages of a program: warnings come first, the cause of a failure last.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(MOST_LINES)..].join("\n")
}

/// The program: facts, rules, and a loop over the states.
fn program(
    theory: &Program,
    features: &Program,
    all: &Features,
    states: &[Vec<String>],
) -> Result<String, BenchError> {
    let libraries = ["aggregate", "yall", "apply"];
    let mut text: String = libraries.map(|name| format!(":- use_module(library({name})).\n")).concat();
    for declaration in &theory.dynamic {
        let predicate = Printer::new(theory, Notation::Prolog).predicate(declaration.predicate);
        _ = writeln!(text, ":- dynamic({predicate}).");
    }
    let dynamic = dynamic_predicates(theory);
    text.push_str(&static_facts(theory, &dynamic)?);
    let rules = theory.rules.iter().filter(|rule| dynamic.contains(&rule.head.predicate));
    write_rules(theory, rules.collect(), &mut text);
    write_rules(features, features.rules.iter().collect(), &mut text);
    write_values(all, &mut text);
    states.iter().for_each(|facts| _ = writeln!(text, "state([{}]).", facts.join(", ")));
    write_loop(theory, &mut text);
    Ok(text)
}

/// A clause for the value of each feature.
fn write_values(all: &Features, text: &mut String) {
    for feature in all.features() {
        let args: Vec<String> = (0..feature.arity).map(|number| format!("X{number}")).collect();
        let head = if args.is_empty() {
            feature.name.clone()
        } else {
            format!("{}({})", feature.name, args.join(", "))
        };
        let goal = match feature.aggregate {
            Aggregate::Count => format!("aggregate_all(count, {head}, V)"),
            Aggregate::Sum(n) => format!("aggregate_all(sum(X{n}), {head}, V)"),
            Aggregate::Min(n) => format!("(aggregate_all(min(X{n}), {head}, V) -> true ; V = 0)"),
            Aggregate::Max(n) => format!("(aggregate_all(max(X{n}), {head}, V) -> true ; V = 0)"),
        };
        _ = writeln!(text, "value(V) :- {goal}.");
    }
}

/// The loop over the states: asserts the facts of each, and sums up all values.
fn write_loop(theory: &Program, text: &mut String) {
    let retract = |declaration: &grundy::syntax::Declaration| {
        let info = theory.info(declaration.predicate);
        let (number, name) = (declaration.predicate.0, theory.symbols.name(info.name));
        format!("functor(H{number}, {name}, {}), retractall(H{number})", info.arity)
    };
    let given: Vec<String> = theory.dynamic.iter().map(retract).collect();
    _ = write!(
        text,
        "look(Facts, Sum) :- {}, abolish_all_tables, forall(member(F, Facts), assertz(F)),\n    \
         aggregate_all(sum(V), value(V), Sum).\n\
         main :- findall(F, state(F), States), length(States, N), get_time(T0),\n    \
         foldl([F, S0, S]>>(look(F, V), S is S0 + V), States, 0, Sum), get_time(T1), T is T1 - T0,\n    \
         format('{{\"states\":~w,\"seconds\":~w,\"sum\":~w}}~n', [N, T, Sum]).\n",
        given.join(", ")
    );
}

/// The predicates that depend on the state.
fn dynamic_predicates(theory: &Program) -> BTreeSet<PredicateId> {
    let mut found: BTreeSet<PredicateId> =
        theory.dynamic.iter().map(|declaration| declaration.predicate).collect();
    loop {
        let before = found.len();
        for rule in &theory.rules {
            if rule.literals().filter_map(Literal::atom).any(|atom| found.contains(&atom.predicate)) {
                found.insert(rule.head.predicate);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// All facts that are the same in all states.
fn static_facts(theory: &Program, dynamic: &BTreeSet<PredicateId>) -> Result<String, BenchError> {
    let heads: BTreeSet<PredicateId> = theory.rules.iter().map(|rule| rule.head.predicate).collect();
    let wanted: Vec<PredicateId> = heads.into_iter().filter(|head| !dynamic.contains(head)).collect();
    let given = vec![theory.dynamic.iter().map(|declaration| declaration.predicate).collect()];
    let evaluator = Evaluator::new(theory.clone(), given, &wanted, Limits::default());
    let evaluator = evaluator.map_err(|error| failed(error.to_string()))?;
    let mut own = theory.clone();
    own.terms = evaluator.terms().clone();
    let printer = Printer::new(&own, Notation::Prolog);
    let mut text = String::new();
    for &predicate in &wanted {
        let mut rows: Vec<String> = evaluator
            .rows(predicate)
            .map(|row| printer.atom(&grundy::syntax::Atom { predicate, args: row.into() }, &[]))
            .collect();
        rows.sort_unstable();
        rows.iter().for_each(|row| _ = writeln!(text, "{row}."));
    }
    Ok(text)
}

/// Rules, with their predicates tabled, and aggregates taken out of heads.
fn write_rules(program: &Program, rules: Vec<&Rule>, text: &mut String) {
    let printer = Printer::new(program, Notation::Prolog);
    let heads: BTreeSet<PredicateId> = rules.iter().map(|rule| rule.head.predicate).collect();
    heads.iter().for_each(|&head| _ = writeln!(text, ":- table {}.", printer.predicate(head)));
    for rule in rules {
        let line = printer.rule(rule);
        let (head, body) = line.split_once(":-").unwrap_or((&line, ""));
        let mut head = head.to_owned();
        for aggregate in ["max(", "min(", "sum(", "count("] {
            if let Some(at) = head.find(aggregate)
                && let Some(end) = head[at..].find(')')
            {
                head = format!(
                    "{}{}{}",
                    &head[..at],
                    &head[at + aggregate.len()..at + end],
                    &head[at + end + 1..]
                );
            }
        }
        let _ = if body.is_empty() { writeln!(text, "{head}") } else { writeln!(text, "{head}:-{body}") };
    }
}
