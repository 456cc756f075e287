//! Metarules are sound: what the searches find is checked by trying everything.

#[path = "support/theory.rs"]
#[allow(dead_code, reason = "only a part of it is needed here")]
mod theory;

use grundy::metarules::{
    Domain, DomainLimits, MetaPrinter, SearchConfig, find_metarules, match_all, tries, usual_notation,
};
use grundy::syntax::{Literal, Program, Term, TermId};
use proptest::prelude::*;
use rustc_hash::FxHashSet;
use theory::{bundled, theory};

/// Facts over a few constants: predicates of one, two and three arguments.
fn fact_bases() -> impl Strategy<Value = String> {
    let unary = proptest::collection::vec(0..4u8, 1..4);
    let binary = proptest::collection::vec((0..4u8, 0..4u8), 1..7);
    let other = proptest::collection::vec((0..3u8, 0..3u8), 1..5);
    let ternary = proptest::collection::vec((0..3u8, 0..3u8, 0..3u8), 1..5);
    (unary, binary, other, ternary).prop_map(|(a, e, f, t)| {
        let mut facts: FxHashSet<String> = FxHashSet::default();
        facts.extend(a.iter().map(|x| format!("a(c{x}).")));
        facts.extend(e.iter().map(|(x, y)| format!("e(c{x}, c{y}).")));
        facts.extend(f.iter().map(|(x, y)| format!("f(c{x}, c{y}).")));
        facts.extend(t.iter().map(|(x, y, z)| format!("t(c{x}, c{y}, c{z}).")));
        let mut facts: Vec<String> = facts.into_iter().collect();
        facts.sort_unstable();
        facts.join("\n")
    })
}

/// A fact base, and what its constants are.
struct Facts {
    known: FxHashSet<(u32, Vec<TermId>)>,
    constants: Vec<TermId>,
}

impl Facts {
    fn new(program: &Program) -> Facts {
        let known: FxHashSet<(u32, Vec<TermId>)> =
            program.rules.iter().map(|rule| (rule.head.predicate.0, rule.head.args.to_vec())).collect();
        let mut constants: Vec<TermId> = known.iter().flat_map(|(_, args)| args.clone()).collect();
        constants.sort_unstable();
        constants.dedup();
        Facts { known, constants }
    }

    fn holds(&self, program: &Program, literal: &Literal, values: &[TermId]) -> bool {
        let value = |term: TermId| match program.terms.get(term) {
            Term::Variable(variable) => values[variable.0 as usize],
            _ => term,
        };
        match literal {
            Literal::Holds(atom) => {
                self.known.contains(&(atom.predicate.0, atom.args.iter().map(|&arg| value(arg)).collect()))
            }
            Literal::Not(atom) => {
                !self.known.contains(&(atom.predicate.0, atom.args.iter().map(|&arg| value(arg)).collect()))
            }
            Literal::Distinct(a, b) => value(*a) != value(*b),
        }
    }

    /// Whether some values of the variables meet all conditions: all are tried.
    fn can_hold(&self, program: &Program, literals: &[Literal], variables: u32) -> bool {
        let mut values = vec![0usize; variables as usize];
        loop {
            let chosen: Vec<TermId> = values.iter().map(|&place| self.constants[place]).collect();
            if literals.iter().all(|literal| self.holds(program, literal, &chosen)) {
                return true;
            }
            let Some(place) = values.iter().position(|&place| place + 1 < self.constants.len()) else {
                return false;
            };
            values[place] += 1;
            values[..place].fill(0);
        }
    }
}

fn opposite(literal: &Literal) -> Option<Literal> {
    match literal {
        Literal::Holds(atom) => Some(Literal::Not(atom.clone())),
        Literal::Not(atom) => Some(Literal::Holds(atom.clone())),
        Literal::Distinct(..) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn counting_tries_is_matching(text in fact_bases(), parts in proptest::collection::vec((0..6usize, 0..5u8, 0..5u8), 1..7)) {
        let body: Vec<String> = parts.iter().map(|&(kind, x, y)| match kind {
            0 => format!("a(X{x})"),
            1 => format!("e(X{x}, X{y})"),
            2 => format!("f(X{x}, X{y})"),
            3 => format!("t(X{x}, c1, X{y})"),
            4 => format!("e(X{x}, X{y}), X{x} \\== X{y}"),
            _ => format!("f(X{x}, X{y}), \\+ e(X{x}, X{y})"),
        }).collect();
        let program = theory(&format!("{text}\nrule :- {}.", body.join(", ")));
        let domain = Domain::new(&program, &[], &DomainLimits::default()).unwrap();
        let rule = program.rules.iter().find(|rule| !rule.body.is_empty()).expect("the rule is there");
        let literals: Vec<&Literal> = rule.body.iter().map(|condition| &condition.literal).collect();
        let memory = domain.topology().clone();
        let counted = tries(&domain, &memory, &literals, &[], u64::MAX);
        prop_assert_eq!(counted, match_all(&domain, &memory, &literals, &[], u64::MAX));
    }

    #[test]
    fn what_is_found_in_random_facts_is_true(text in fact_bases()) {
        let program = theory(&text);
        let facts = Facts::new(&program);
        let mut domain = Domain::new(&program, &[], &DomainLimits::default()).unwrap();
        let config = SearchConfig { size: 2, ..SearchConfig::default() };
        let metarules = find_metarules(&mut domain, &[], &config).unwrap();
        let program = domain.program();
        for pattern in &metarules.impossible {
            prop_assert!(!facts.can_hold(program, &pattern.literals, pattern.variables), "{pattern:?}");
            for place in 0..pattern.literals.len() {
                let mut fewer = pattern.literals.clone();
                fewer.remove(place);
                prop_assert!(facts.can_hold(program, &fewer, pattern.variables), "not minimal: {pattern:?}");
            }
        }
        for useless in &metarules.useless {
            let mut against = useless.given.clone();
            match &useless.condition {
                // Two variables that never differ: give both every common value.
                Literal::Distinct(a, b) => {
                    let (Term::Variable(a), Term::Variable(b)) = (program.terms.get(*a), program.terms.get(*b)) else {
                        panic!("tests compare variables")
                    };
                    let same = |values: &[TermId]| values[a.0 as usize] == values[b.0 as usize];
                    prop_assert!(!exists(&facts, program, &against, useless.variables, &same), "{useless:?}");
                }
                condition => {
                    against.extend(opposite(condition));
                    prop_assert!(!facts.can_hold(program, &against, useless.variables), "{useless:?}");
                }
            }
        }
        for metarule in &metarules.single_valued {
            let rows: Vec<&Vec<TermId>> =
                facts.known.iter().filter(|(predicate, _)| *predicate == metarule.predicate.0).map(|(_, row)| row).collect();
            for a in &rows {
                for b in &rows {
                    let same_key = metarule.key_arguments().iter().all(|&column| a[column] == b[column]);
                    prop_assert!(!same_key || a[metarule.value] == b[metarule.value], "{metarule:?}");
                }
            }
        }
        for figure in &metarules.branching {
            if figure.bound.iter().all(|bound| *bound) {
                prop_assert!((0.0..=1.0).contains(&figure.mean), "a test scores between 0 and 1: {figure:?}");
            }
        }
    }
}

/// Whether some values meet all conditions and a test.
fn exists(
    facts: &Facts,
    program: &Program,
    literals: &[Literal],
    variables: u32,
    test: &dyn Fn(&[TermId]) -> bool,
) -> bool {
    let count = facts.constants.len().pow(variables);
    (0..count).any(|mut number| {
        let values: Vec<TermId> = (0..variables)
            .map(|_| {
                let value = facts.constants[number % facts.constants.len()];
                number /= facts.constants.len();
                value
            })
            .collect();
        test(&values) && literals.iter().all(|literal| facts.holds(program, literal, &values))
    })
}

/// The impossible patterns of a theory, in print.
fn impossible(program: &Program, size: usize) -> Vec<String> {
    let mut domain = Domain::new(program, &[], &DomainLimits::default()).unwrap();
    let metarules =
        find_metarules(&mut domain, &[], &SearchConfig { size, ..SearchConfig::default() }).unwrap();
    assert!(metarules.complete);
    let mut printer = MetaPrinter::new(&mut domain, usual_notation(program.dialect));
    metarules.impossible.iter().map(|pattern| printer.impossible(pattern).text).collect()
}

#[test]
fn no_point_of_a_grid_is_at_distance_three_of_itself() {
    let found = impossible(&bundled("grid.pl"), 3);
    assert!(found.contains(&":- connected(X, Y), connected(Y, Z), connected(Z, X).".to_owned()), "{found:?}");
    assert!(
        !found.iter().any(|text| text.matches("connected").count() == 2),
        "two steps lead back: {found:?}"
    );
}

#[test]
fn no_two_cells_of_abalone_are_neighbours_in_one_direction_both_ways() {
    let found = impossible(&bundled("abalone.pl"), 2);
    assert!(found.contains(&":- connected(X, Y, Z), connected(Y, X, Z).".to_owned()), "{found:?}");
}

#[test]
fn a_bound_on_patterns_is_kept_and_told() {
    let mut domain = Domain::new(&bundled("abalone.pl"), &[], &DomainLimits::default()).unwrap();
    let metarules =
        find_metarules(&mut domain, &[], &SearchConfig { patterns: 5, ..SearchConfig::default() }).unwrap();
    assert!(!metarules.complete);
}

#[test]
fn too_many_facts_are_an_error() {
    let limits = DomainLimits { facts: 50, ..DomainLimits::default() };
    let result = Domain::new(&bundled("grid.pl"), &[], &limits);
    assert!(result.is_err_and(|error| error.is_limit()));
}
