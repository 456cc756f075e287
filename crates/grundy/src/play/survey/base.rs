//! The facts and moves that there can be, as grounding computes them, and as the sheet gives them.

use super::{SurveyConfig, lifted};
use crate::ground::{GroundConfig, Thresholds, ground};
use crate::ids::ids;
use crate::reasoner::{ReasonError, Reasoner};
use grundy_syntax::{Atom, Condition, Keyword, Literal, Program, Rule};
use std::collections::BTreeSet;

/// All that can be true, and all that roles can do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Base {
    pub(super) facts: BTreeSet<String>,
    /// Role and move.
    pub(super) moves: BTreeSet<(String, String)>,
}

/// Grounding is only tried with a bound like this, and a quarter of the time: it is one of many checks.
const MOST_RULES: u64 = 500_000;

/// What is computed; nothing if grounding is too much work.
pub(super) fn computed(program: &Program, config: &SurveyConfig) -> Option<Base> {
    let ground_config = GroundConfig {
        faithful: true,
        thresholds: Thresholds { complement: false, ..Thresholds::default() },
        max_rules: MOST_RULES,
        budget: config.budget.share(0.25),
        ..GroundConfig::default()
    };
    let ground = ground(program, &ground_config).ok()?;
    let mut base = Base::default();
    for keyword in [Keyword::True, Keyword::Next] {
        base.facts.extend(ground.atoms_of(keyword).map(|atom| ground.arg_text(atom, 0)));
    }
    let initial = ground.each_initial(|fact| {
        base.facts.insert(fact.to_owned());
        Ok(())
    });
    initial.ok()?;
    let roles: BTreeSet<String> = ground.role_names().into_iter().collect();
    let moves =
        ground.atoms_of(Keyword::Legal).map(|atom| (ground.arg_text(atom, 0), ground.arg_text(atom, 1)));
    base.moves.extend(moves.filter(|(role, _)| roles.contains(role)));
    Some(base)
}

/// The names of what is seen where `base` and `input` are given. No name in a sheet has a blank.
const GIVEN_BASE: &str = "given base";
const GIVEN_INPUT: &str = "given input";

/// Facts, and moves with their roles, as a sheet gives them; `None` for what it does not give.
pub(super) type Given = (Option<BTreeSet<String>>, Option<BTreeSet<(String, String)>>);

/// What the sheet gives.
pub(super) fn given(program: &Program, config: &SurveyConfig) -> Result<Given, ReasonError> {
    let gives = |keyword: Keyword| {
        let predicate = program.keyword(keyword);
        predicate.is_some_and(|predicate| program.rules.iter().any(|rule| rule.head.predicate == predicate))
    };
    let (has_base, has_input) = (gives(Keyword::Base), gives(Keyword::Input));
    if !has_base && !has_input {
        return Ok((None, None));
    }
    let mut program = program.clone();
    show(&mut program, Keyword::Base, GIVEN_BASE);
    show(&mut program, Keyword::Input, GIVEN_INPUT);
    let mut engine = lifted(&program, config)?;
    let initial = engine.initial()?;
    let seen = engine.sees_without_moves(&initial)?;
    let seen = || seen.iter().flatten();
    let inside = |percept: &str, name: &str| {
        Some(percept.strip_prefix('(')?.strip_prefix(name)?.strip_suffix(')')?.trim().to_owned())
    };
    let facts = seen().filter_map(|percept| inside(percept, GIVEN_BASE)).collect();
    let moves = seen().filter_map(|percept| inside(percept, GIVEN_INPUT));
    let pair = |text: String| text.split_once(' ').map(|(role, text)| (role.to_owned(), text.to_owned()));
    let moves = moves.filter_map(pair);
    Ok((has_base.then_some(facts), has_input.then(|| moves.collect())))
}

/// Lets the first role see what a keyword gives. Engines leave the keyword itself out.
fn show(program: &mut Program, keyword: Keyword, name: &str) {
    let (Some(given), Some(&role)) = (program.keyword(keyword), program.roles().first()) else { return };
    let own = program.fresh_predicate(name, keyword.arity());
    for rule in &mut program.rules {
        let atoms = rule.body.iter_mut().filter_map(|condition| match &mut condition.literal {
            Literal::Holds(atom) | Literal::Not(atom) => Some(atom),
            Literal::Distinct(..) => None,
        });
        for atom in atoms.chain([&mut rule.head]).filter(|atom| atom.predicate == given) {
            atom.predicate = own;
        }
    }
    let name = program.symbols.intern(name);
    let variables: Vec<_> = ids(keyword.arity()).map(|variable| program.terms.variable(variable)).collect();
    let percept = program.terms.compound(name, &variables);
    let sees = program.predicate(Keyword::Sees.name(), Keyword::Sees.arity());
    let condition = Literal::Holds(Atom { predicate: own, args: variables.clone().into() });
    program.rules.push(Rule {
        head: Atom { predicate: sees, args: [role, percept].into() },
        body: vec![Condition { literal: condition, span: Default::default() }],
        variables: vec![name; variables.len()],
        span: Default::default(),
        head_span: Default::default(),
    });
}
