//! The paper's examples on boards: a grid, and Abalone's.

use super::{Section, domain_limits, numbers, search, unfold_config};
use crate::numbers::grouped;
use grundy::metarules::{Domain, MetaError, MetaPrinter, find_metarules, tries};
use grundy::syntax::{Budget, Dialect, Literal, Notation, Program, Term, TermId};
use grundy::unfold::ParsedGoal;
use grundy::unfold::{Kinds, UnfoldConfig, unfold};
use std::fmt::Write;

/// The published tries of a path of length four: the conditions as written, and without useless ones.
const WRITTEN: [u64; 10] = [4, 4, 16, 12, 12, 48, 48, 36, 36, 144];
const SIMPLIFIED: [u64; 6] = [4, 16, 12, 48, 36, 144];

/// Whether the impossible patterns of the paper are found.
pub fn impossible(grid: &Program, abalone: &Program, budget: &Budget) -> Result<Section, MetaError> {
    let mut text = String::from("Impossible conditions\n");
    let examples = [
        ("grid", grid, ":- connected(X, Y), connected(Y, Z), connected(Z, X)."),
        ("Abalone", abalone, ":- connected(X, Y, Z), connected(Y, X, Z)."),
    ];
    for (name, program, published) in examples {
        let mut domain = Domain::new(program, &[], &domain_limits(budget))?;
        let metarules = find_metarules(&mut domain, &[], &search(budget))?;
        let mut printer = MetaPrinter::new(&mut domain, Notation::Prolog);
        let found = metarules.impossible.iter().any(|one| printer.impossible(one).text == published);
        let verdict = if found { "found" } else { "NOT FOUND" };
        _ = writeln!(
            text,
            "  {name:<10}{published:<60}{verdict}, among {} minimal ones",
            metarules.impossible.len()
        );
    }
    Ok(Section::of_text(text + "\n"))
}

/// The tries of a path of length four from an inner point, before and after useless conditions are removed.
pub fn path(grid: &Program, budget: &Budget) -> Result<Section, MetaError> {
    let goal = ParsedGoal::read("path(X, D, 4)", Notation::Prolog, Dialect::Theory)?;
    let mut domain = goal.domain(grid, &domain_limits(budget))?;
    let target = goal.target(&mut domain, 0)?;
    let metarules = find_metarules(&mut domain, &[], &search(budget))?;
    let rules = |domain: &mut Domain, useless: bool| {
        let kinds = Kinds { ordering: false, useless, ..Kinds::default() };
        unfold(
            domain,
            &target,
            Some(&metarules),
            &[],
            &UnfoldConfig { moves: 0, kinds, ..unfold_config(budget) },
        )
    };
    let written = rules(&mut domain, false)?.rules;
    let simplified = rules(&mut domain, true)?.rules;
    let centre = centre(&mut domain);
    let memory = domain.topology().clone();
    let mut text = String::from("A path of length four from an inner point: successes of each condition\n");
    for (what, rule, published) in
        [("written", &written[0], &WRITTEN[..]), ("simplified", &simplified[0], &SIMPLIFIED[..])]
    {
        let Term::Variable(start) = domain.program().terms.get(rule.head.args[0]) else {
            return Err(MetaError::Wrong("the path begins at a variable".to_owned()));
        };
        let literals: Vec<&Literal> = rule.body.iter().collect();
        let counts = tries(&domain, &memory, &literals, &[(start, centre)], u64::MAX).counts;
        let total: u64 = 1 + counts.iter().sum::<u64>();
        let published_total: u64 = 1 + published.iter().sum::<u64>();
        _ = writeln!(text, "  {what:<12}{:<48}{} with the call", numbers(&counts), grouped(total));
        _ = writeln!(text, "  {:<12}{:<48}{}", "  published", numbers(published), grouped(published_total));
    }
    Ok(Section::of_text(text + "\n"))
}

/// The point in the middle of the grid, whose size is a fact of the theory.
fn centre(domain: &mut Domain) -> TermId {
    let program = domain.program();
    let size = program.find_predicate("size", 1);
    let fact = program.rules.iter().find(|rule| Some(rule.head.predicate) == size);
    let size = fact.and_then(|rule| match program.terms.get(rule.head.args[0]) {
        Term::Constant(name) => program.symbols.name(name).parse::<u32>().ok(),
        _ => None,
    });
    let middle = size.unwrap_or(9).div_ceil(2);
    domain.ground_term(&format!("(p {middle} {middle})"))
}
