//! All ways to ground a game.

use super::engines::MOST_RULES;
use super::session::{Session, differs};
use super::transcript::States;
use super::{Difference, reference};
use grundy::ground::{GroundConfig, GroundProgram, JoinOrder, Method, Thresholds, ground, write_kif};
use grundy::syntax::{Keyword, Source, read_game};
use std::collections::BTreeSet;

const METHODS: [Method; 3] = [Method::Fused, Method::OneStep, Method::Iterative];

type Rules = BTreeSet<(String, BTreeSet<String>)>;

/// Ground programs with more rules are not read back, since the reference plays them. One in a hundred random games has more.
const MOST_READ_BACK: usize = 3_000;

pub(super) fn check(session: &mut Session) -> Result<(), Difference> {
    let limited = GroundConfig {
        max_rules: if session.may_skip() { MOST_RULES / 10 } else { MOST_RULES },
        ..GroundConfig::default()
    };
    let faithful = GroundConfig { faithful: true, ..limited.clone() };
    let wanted = grounded(session, "ground, faithful", &faithful)?;
    let compact = grounded(session, "ground, compact", &limited)?;
    if let (Some(wanted), Some(compact)) = (&wanted, &compact) {
        fewer_atoms("ground, compact", wanted, compact)?;
    }
    if let Some(wanted) = &wanted {
        let rules = rules_of("ground, faithful", wanted)?;
        for method in METHODS {
            // The first one is fused already, in the other order.
            let join_order = if method == Method::Fused { JoinOrder::Written } else { JoinOrder::Branching };
            let name = format!("ground, faithful, {method:?}, {join_order:?}");
            let config = GroundConfig { method, join_order, ..faithful.clone() };
            let Some(other) = grounded(session, &name, &config)? else { continue };
            same_atoms(&name, wanted, &other)?;
            same_rules(&name, &rules, &rules_of(&name, &other)?)?;
        }
        read_back(session, "ground, faithful, read back", wanted)?;
    }
    if let Some(compact) = &compact {
        rules_of("ground, compact", compact)?;
        for method in METHODS {
            let join_order = if method == Method::Fused { JoinOrder::Written } else { JoinOrder::Branching };
            let name = format!("ground, compact, {method:?}, {join_order:?}");
            let config = GroundConfig { method, join_order, ..limited.clone() };
            let Some(other) = grounded(session, &name, &config)? else { continue };
            rules_of(&name, &other)?;
            same_atoms(&name, compact, &other)?;
        }
    }
    let with = |split: f64, demand: u64, lift: u64| GroundConfig {
        thresholds: Thresholds { split, demand, demand_static: demand, lift, ..Thresholds::default() },
        ..limited.clone()
    };
    if let Some(compact) = &compact {
        read_back(session, "ground, compact, read back", compact)?;
    }
    let forms = [
        ("split", with(0.0, u64::MAX, u64::MAX)),
        ("on demand", with(400.0, 2, u64::MAX)),
        ("lifted", with(0.0, 2, 4)),
    ];
    for (form, config) in forms {
        let name = format!("ground, {form}, read back");
        if let Some(ground) = grounded(session, &name, &config)? {
            rules_of(&name, &ground)?;
            read_back(session, &name, &ground)?;
        }
    }
    Ok(())
}

fn grounded(
    session: &mut Session,
    name: &str,
    config: &GroundConfig,
) -> Result<Option<GroundProgram>, Difference> {
    if !session.enter(name) {
        return Ok(None);
    }
    let config = GroundConfig { budget: session.budget(), ..config.clone() };
    session.made(name, ground(session.program, &config))
}

/// All rules as text; conditions are sets.
fn rules_of(name: &str, ground: &GroundProgram) -> Result<Rules, Difference> {
    let mut rules = Rules::new();
    let mut twice = None;
    ground.for_each_rule(|head, body| {
        let sign = |positive: bool| if positive { "" } else { "not " };
        let texts = body
            .iter()
            .map(|literal| format!("{}{}", sign(literal.positive), ground.atom_text(literal.atom)));
        if !rules.insert((ground.atom_text(head), texts.collect())) {
            twice = Some(ground.atom_text(head));
        }
    });
    match twice {
        Some(head) => Err(differs(name, format!("a rule of {head} occurs twice"))),
        None => Ok(rules),
    }
}

fn atoms(ground: &GroundProgram, keyword: Keyword) -> BTreeSet<String> {
    ground.atoms_of(keyword).map(|atom| ground.atom_text(atom)).collect()
}

/// What the compact form knows to be permanent rules facts and moves out; it never adds any.
fn fewer_atoms(name: &str, one: &GroundProgram, other: &GroundProgram) -> Result<(), Difference> {
    for keyword in [Keyword::True, Keyword::Does] {
        if let Some(extra) = atoms(other, keyword).difference(&atoms(one, keyword)).next() {
            return Err(differs(name, format!("{}: extra {extra}", keyword.name())));
        }
    }
    Ok(())
}

fn same_atoms(name: &str, one: &GroundProgram, other: &GroundProgram) -> Result<(), Difference> {
    for keyword in [Keyword::True, Keyword::Does] {
        let (wanted, found) = (atoms(one, keyword), atoms(other, keyword));
        if wanted != found {
            let (missing, extra) = (wanted.difference(&found).next(), found.difference(&wanted).next());
            return Err(differs(name, format!("{}: missing {missing:?}, extra {extra:?}", keyword.name())));
        }
    }
    Ok(())
}

fn same_rules(name: &str, wanted: &Rules, found: &Rules) -> Result<(), Difference> {
    if wanted == found {
        return Ok(());
    }
    let (missing, extra) = (wanted.difference(found).next(), found.difference(wanted).next());
    Err(differs(name, format!("rules: missing {missing:?}, extra {extra:?}")))
}

/// The ground program, written as a sheet and read again, plays as the sheet does.
fn read_back(session: &mut Session, name: &str, ground: &GroundProgram) -> Result<(), Difference> {
    let mut text = Vec::new();
    write_kif(ground, &mut text).map_err(|error| differs(name, error.to_string()))?;
    if text.iter().filter(|&&byte| byte == b'\n').count() > MOST_READ_BACK {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let reading = read_game(&Source::new("ground.kif", text), &Default::default());
    if let Some(error) = reading.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        return Err(differs(name, error.message.clone()));
    }
    if !session.enter(name) {
        return Ok(());
    }
    let budget = session.budget();
    let again = reference(&reading.program, budget);
    match session.made(name, again)? {
        Some(mut again) => session.compare(name, &mut again, States::Whole),
        None => Ok(()),
    }
}
