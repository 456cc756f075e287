//! `grundy metarules`: what the facts of a domain say about its rules.

use crate::files::{ReadArgs, load_sound};
use crate::limits::{self, LimitArgs, budget, seconds};
use crate::output::{Outcome, note, print, print_json};
use crate::render::count;
use crate::sample::{SampleArgs, failure};
use anyhow::Result;
use grundy::game::{Game, GameError};
use grundy::ground::GroundConfig;
use grundy::invariants::{InvariantConfig, InvariantKind, LiftedInvariant};
use grundy::metarules::{
    Branching, Clause, Domain, DomainLimits, Memory, MetaPrinter, Metarules, Ordering, Printed, Reordered,
    ReorderedSet, SearchConfig, SingleValued, Tries, metarules_so_far,
};
use grundy_syntax::{Dialect, Exhausted, Program};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Find metarules: conditions that are impossible, useless or single-valued, and branching figures
///
/// A metarule is a rule about rules. From the facts that are the same in all states (the board of a game, a
/// table of numbers) Grundy finds which conditions never hold together, which arguments determine
/// others, which conditions follow from others, and how many answers a condition has on average.
///
/// Impossible and single-valued conditions are printed as integrity constraints, useless ones as rules:
/// the condition in front follows from those behind it. In branching figures, + is a bound argument
/// and - a free one.
///
/// For games there are invariants of states, too, about groups of facts: at most one holds, exactly one, always the
/// same number, none ever, all always. They are guessed from the arguments of the facts and from random play, and proved
/// by induction over the moves with a SAT solver; what cannot be proved is not told.
///
/// With `--order`, the conditions of the rules are put in order by the branching figures, and the tries are counted that
/// matching takes in the written order and in the new one. Without `--states`, rules of a theory are matched with the
/// complete facts alone.
#[derive(clap::Args)]
#[command(after_help = "Try:  grundy metarules theories/grid.pl\n      \
                        grundy metarules theories/grid.pl --with 'size(19)'\n      \
                        grundy metarules games/connect-four.kif --json\n      \
                        grundy metarules theories/tic-tac-toe.pl --order --states theories/tic-tac-toe_states.jsonl")]
pub(crate) struct Args {
    /// The rule sheet or theory, or `-`
    file: String,

    /// How many conditions an impossible pattern may have
    #[arg(long, value_name = "N", default_value_t = SearchConfig::default().size as u8,
          value_parser = clap::value_parser!(u8).range(1..=6))]
    size: u8,

    /// Limit: how many patterns to look at
    #[arg(long, value_name = "N", default_value_t = SearchConfig::default().patterns, help_heading = "Limits")]
    max_patterns: usize,

    /// Limit: how many steps to search for patterns; a step is about the matching of a row
    #[arg(long, value_name = "N", default_value_t = SearchConfig::default().steps, help_heading = "Limits")]
    max_steps: u64,

    /// Limit: how many seconds to look for invariants of states; with 0, none are looked for. This is a last resort, since
    /// counted work bounds the search
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "600", help_heading = "Limits")]
    invariants_timeout: Duration,

    /// Limit: how many complete facts the domain may have
    #[arg(long, value_name = "N", default_value_t = DomainLimits::default().facts, help_heading = "Limits")]
    max_facts: usize,

    /// Put the conditions of the rules in order, too, and count the tries before and after
    #[arg(long)]
    order: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    sample: SampleArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let start = Instant::now();
    let mut loaded = load_sound(&args.file, &args.read)?;
    args.sample.replace_facts(&mut loaded, &args.read)?;
    let limits = DomainLimits { facts: args.max_facts, steps: u64::MAX, budget: budget() };
    let mut domain = Domain::new(&loaded.program, &[], &limits).map_err(failure)?;
    let states = args.sample.states(&loaded, &args.read)?;
    let memories = args.sample.memories(&loaded, &mut domain, &states)?;
    let config = SearchConfig {
        size: usize::from(args.size),
        patterns: args.max_patterns,
        steps: args.max_steps,
        budget: budget(),
    };
    let metarules = metarules_so_far(&mut domain, &memories, &config);
    let (invariants, decided, cut_short_by) = match invariants(args, &loaded.program) {
        Err(error) if !budget().is_over() => return Err(error),
        // What was found before the time was over is printed all the same.
        found => found.unwrap_or_default(),
    };
    let facts = domain.topology().len();
    let ordered = args.order.then(|| put_in_order(&domain, &metarules, &memories));
    let ended = budget().check();
    if ended == Err(Exhausted::Memory) {
        return Err(limits::failure(Exhausted::Memory).into());
    }
    let mut printer = MetaPrinter::new(&mut domain, args.read.notation(&args.file));
    match args.json {
        true => {
            let mut all = to_json(&mut printer, &metarules, &invariants);
            all["invariants_complete"] = json!(decided);
            all["invariants_cut_short_by"] = json!(cut_short_by.map(Exhausted::name));
            if let Some(rules) = &ordered {
                all["ordering"] = ordering_to_json(&mut printer, rules);
            }
            print_json(all);
        }
        false => {
            let mut all = to_text(&mut printer, &metarules, &invariants);
            if let Some(rules) = &ordered {
                all += &ordering_to_text(&mut printer, rules);
            }
            print(&all)?;
        }
    }
    note(&format!(
        "{} impossible, {} single-valued, {} useless, {}, {} from {} and {} in {:.3} s",
        metarules.impossible.len(),
        metarules.single_valued.len(),
        metarules.useless.len(),
        count(metarules.branching.len(), "branching figure"),
        count(invariants.len(), "invariant"),
        count(facts, "complete fact"),
        count(memories.len(), "state"),
        start.elapsed().as_secs_f64(),
    ));
    if let Some(rules) = &ordered {
        tell_tries(rules);
    }
    if !decided {
        match cut_short_by {
            Some(limit) => note(&format!("note: invariants were cut short (limit `{}`)", limit.name())),
            None => note("note: not all invariants were decided (limit `effort`)"),
        }
    }
    if !metarules.complete {
        note(
            "note: not all patterns were looked at (limits `patterns`, --max-patterns, and `steps`, --max-steps)",
        );
    }
    ended?;
    Ok(Outcome::Fine)
}

/// The invariants of a game, whether all candidates were decided, and the limit of the budget that cut the search short, if
/// one did.
fn invariants(args: &Args, program: &Program) -> Result<(Vec<LiftedInvariant>, bool, Option<Exhausted>)> {
    if program.dialect != Dialect::Game || args.invariants_timeout.is_zero() {
        return Ok((Vec::new(), true, None));
    }
    let config = InvariantConfig {
        timeout: args.invariants_timeout,
        seed: args.sample.seed,
        budget: budget(),
        ..InvariantConfig::default()
    };
    let ground = GroundConfig {
        // A larger program would not be looked at.
        max_rules: config.edges as u64,
        budget: budget().part(args.invariants_timeout),
        ..GroundConfig::default()
    };
    match Game::from_program(program.clone()).invariants(&ground, &config) {
        Ok(invariants) => Ok((invariants.lifted(), invariants.complete, invariants.exhausted)),
        // A game that has no network can still have metarules.
        Err(error @ (GameError::Ground(_) | GameError::Connect(_))) => {
            note(&format!("note: no invariants: {error}"));
            Ok((Vec::new(), true, None))
        }
        Err(error) => Err(crate::engine::failure(&error).into()),
    }
}

/// All rules that have an order, with the tries in both orders.
fn put_in_order(domain: &Domain, metarules: &Metarules, memories: &[Memory]) -> Vec<(Clause, Reordered)> {
    let complete_facts = [domain.topology().clone()];
    let memories = if memories.is_empty() { &complete_facts } else { memories };
    let budget = budget();
    let table = Ordering::new(&metarules.branching).within(&budget);
    let reordered = |clause: Clause| {
        let order = table.learn(domain, memories, &clause);
        let rule = Reordered::count(domain, memories, &clause, order, &budget);
        let body = clause.in_order(&rule.order).into_iter().cloned().collect();
        (Clause { body, ..clause }, rule)
    };
    domain.ordered_rules().into_iter().take_while(|_| !budget.is_over()).map(reordered).collect()
}

/// A number of tries, and a sign if there are more.
fn tries_text(tries: &Tries) -> String {
    let sign = if tries.complete { "" } else { "≥" };
    format!("{sign}{}", tries.total())
}

fn ordering_to_text(printer: &mut MetaPrinter<'_>, rules: &[(Clause, Reordered)]) -> String {
    let mut out = String::from("ordering\n     written       order  rule\n");
    for (clause, rule) in rules {
        let (written, learned) = (tries_text(&rule.written), tries_text(&rule.learned));
        let text = printer.clause(clause).replace('\n', "\n                            ");
        out.push_str(&format!("{written:>12}{learned:>12}  {text}\n"));
    }
    out
}

fn ordering_to_json(printer: &mut MetaPrinter<'_>, rules: &[(Clause, Reordered)]) -> Value {
    let entry = |(clause, rule): &(Clause, Reordered)| {
        json!({
            "text": printer.clause(clause),
            "conditions": printer.literals(&clause.body, clause.variables),
            "order": rule.order,
            "written": {"tries": rule.written.counts, "complete": rule.written.complete},
            "learned": {"tries": rule.learned.counts, "complete": rule.learned.complete},
        })
    };
    rules.iter().map(entry).collect()
}

fn tell_tries(rules: &[(Clause, Reordered)]) {
    let mut set = ReorderedSet::default();
    rules.iter().for_each(|(_, rule)| set.add(rule));
    note(&format!(
        "{}: {} as written, {} in order, {:.1} times fewer; more for {}",
        count(set.rules, "rule"),
        count(set.written, "try"),
        set.learned,
        set.ratio(),
        count(set.worse, "rule"),
    ));
}

/// How an invariant is called, with its number if it has one.
fn kind_name(kind: InvariantKind) -> String {
    match kind {
        InvariantKind::Exactly(number) => format!("{}-{number}", kind.name()),
        _ => kind.name().to_owned(),
    }
}

fn to_text(printer: &mut MetaPrinter<'_>, metarules: &Metarules, invariants: &[LiftedInvariant]) -> String {
    let mut out = String::new();
    let mut section = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            out.push_str(&format!("{title}\n"));
            lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
        }
    };
    let texts = |printed: Vec<Printed>| printed.into_iter().map(|printed| printed.text).collect();
    section("impossible", texts(metarules.impossible.iter().map(|one| printer.impossible(one)).collect()));
    let single_valued = metarules.single_valued.iter().map(|one| {
        let text = printer.single_valued(one).text;
        format!("{text}  {} {}", printer.comment(), explain(one))
    });
    section("single-valued", single_valued.collect());
    section("useless", texts(metarules.useless.iter().map(|one| printer.useless(one)).collect()));
    let branching = |one: &Branching| format!("{:>12}  {}", significant(one.mean), printer.branching(one));
    section("branching", metarules.branching.iter().map(branching).collect());
    let invariant = |one: &LiftedInvariant| match one.groups {
        1 => one.text.clone(),
        groups => format!("{}  {} {}", one.text, printer.comment(), count(groups, "group")),
    };
    section("invariants", invariants.iter().map(invariant).collect());
    out
}

/// Which arguments determine which, in words; arguments are counted from 1.
fn explain(metarule: &SingleValued) -> String {
    let key: Vec<String> = metarule.key_arguments().iter().map(|column| (column + 1).to_string()).collect();
    match &key[..] {
        [] => format!("argument {} is always the same", metarule.value + 1),
        [one] => format!("argument {one} determines argument {}", metarule.value + 1),
        _ => format!("arguments {} determine argument {}", key.join(", "), metarule.value + 1),
    }
}

/// A number with as many digits as say something.
fn significant(number: f64) -> String {
    match number {
        n if n >= 1000.0 => format!("{n:.0}"),
        n if n >= 1.0 => format!("{n:.2}"),
        n if n >= 0.001 || n == 0.0 => format!("{n:.4}"),
        n => format!("{n:.1e}"),
    }
}

fn to_json(printer: &mut MetaPrinter<'_>, metarules: &Metarules, invariants: &[LiftedInvariant]) -> Value {
    let entry = |printed: Printed| json!({"text": printed.text, "conditions": printed.conditions});
    let impossible: Vec<Value> =
        metarules.impossible.iter().map(|one| entry(printer.impossible(one))).collect();
    let useless: Vec<Value> = metarules.useless.iter().map(|one| entry(printer.useless(one))).collect();
    let single_valued = metarules.single_valued.iter().map(|one| {
        let mut value = entry(printer.single_valued(one));
        value["predicate"] = json!(printer.predicate(one.predicate));
        value["key"] = json!(one.key_arguments());
        value["value"] = json!(one.value);
        value
    });
    let single_valued: Vec<Value> = single_valued.collect();
    let branching = metarules.branching.iter().map(|one| {
        json!({
            "predicate": printer.predicate(one.predicate),
            "bound": one.bound,
            "mean": one.mean,
            "text": printer.branching(one),
        })
    });
    let branching: Vec<Value> = branching.collect();
    let invariants = invariants.iter().map(|one| {
        json!({
            "text": one.text,
            "kind": kind_name(one.kind),
            "groups": one.groups,
            "conditions": one.conditions,
        })
    });
    let invariants: Vec<Value> = invariants.collect();
    json!({
        "impossible": impossible,
        "single_valued": single_valued,
        "useless": useless,
        "branching": branching,
        "invariants": invariants,
        "complete": metarules.complete,
    })
}
