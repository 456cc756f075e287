//! Features against the reference: every kind of table and every evaluator gives the values that the reference counts.

#![allow(dead_code, reason = "the support is shared between tests")]

#[path = "support/theory.rs"]
mod theory_support;

use fastrand::Rng;
use grundy::features::{
    Aggregate, Batch, FactSet, FeatureConfig, FeatureError, FeatureId, Features, HeadId, Incremental, Naive,
    Scratch, StateReader, TableKind, Value,
};
use grundy::syntax::{Notation, Program};
use std::collections::BTreeSet;
use theory_support::{TheoryJudge, bundled, theory};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A theory with random rules, and features over it. Views are stratified: each looks at earlier ones, or at itself.
fn random_theory(rng: &mut Rng) -> (String, String) {
    let mut text = String::from(":- dynamic p/1.\n:- dynamic q/2.\n:- dynamic r/0.\n");
    NAMES.iter().for_each(|name| text.push_str(&format!("dom({name}). ")));
    for _ in 0..rng.usize(2..8) {
        text.push_str(&format!("e({}, {}). ", pick(rng), pick(rng)));
    }
    for (number, name) in NAMES.iter().enumerate() {
        text.push_str(&format!("weight({name}, {}). ", number * 3 - 2 * (number % 2)));
    }
    text.push('\n');
    if rng.bool() {
        text.push_str("base(p(X)) :- dom(X).\nbase(q(X, Y)) :- dom(X), dom(Y).\nbase(r).\n");
    }
    if rng.bool() {
        text.push_str(":- p(X), q(X, X).\n");
    }
    if rng.bool() {
        text.push_str(":- q(X, Y), q(X, Z), Y \\== Z.\n");
    }
    if rng.bool() {
        text.push_str(":- dom(X), p(X), r, \\+ q(X, X).\n");
    }
    for view in 0..3 {
        for _ in 0..rng.usize(1..3) {
            let recursive = rng.u8(0..4) == 0;
            text.push_str(&rule(rng, &format!("v{view}(X, Y)"), view, recursive));
        }
    }
    let mut features = String::new();
    for feature in 0..4 {
        let head = match rng.usize(0..5) {
            0 => format!("f{feature}(X, Y)"),
            1 => format!("f{feature}(X)"),
            2 => format!("f{feature}"),
            3 => format!("f{feature}(X, max(W)) :- weight(Y, W), v0(X, Y).\n"),
            _ => format!("f{feature}(sum(W), X) :- weight(X, W), dom(X), dom(Y), v1(X, Y).\n"),
        };
        if head.ends_with('\n') {
            features.push_str(&head);
            continue;
        }
        for _ in 0..rng.usize(1..3) {
            features.push_str(&rule(rng, &head, 3, false));
        }
    }
    (text, features)
}

fn pick(rng: &mut Rng) -> &'static str {
    NAMES[rng.usize(..NAMES.len())]
}

fn rule(rng: &mut Rng, head: &str, views: usize, recursive: bool) -> String {
    let mut body = match rng.usize(0..3) {
        0 => vec!["e(X, Y)".to_owned()],
        1 => vec!["dom(X)".to_owned(), "dom(Y)".to_owned()],
        // Dynamic facts bind as well.
        _ => vec!["q(X, Y)".to_owned()],
    };
    for _ in 0..rng.usize(1..4) {
        let (x, y) = (["X", "Y", pick(rng)][rng.usize(..3)], ["X", "Y"][rng.usize(..2)]);
        let atom = match rng.usize(0..6) {
            0 => format!("p({x})"),
            1 => "r".to_owned(),
            2 => format!("q({x}, {y})"),
            3 => format!("{x} \\== {y}"),
            4 | 5 if views > 0 => format!("v{}({x}, {y})", rng.usize(..views)),
            _ => format!("q({y}, {x})"),
        };
        let negated = rng.u8(0..3) == 0 && !atom.contains("\\==");
        body.push(if negated { format!("\\+ {atom}") } else { atom });
    }
    if recursive {
        let name = head.split('(').next().unwrap_or(head);
        body = vec!["e(X, Z)".to_owned(), "p(Z)".to_owned(), format!("{name}(Z, Y)")];
    }
    format!("{head} :- {}.\n", body.join(", "))
}

/// A state that breaks no constraint of [`random_theory`], as far as it has them.
fn random_state(rng: &mut Rng, theory: &str) -> Vec<String> {
    let mut facts = BTreeSet::new();
    for name in NAMES {
        if rng.bool() {
            facts.insert(format!("p({name})"));
        }
        let mut others = NAMES.to_vec();
        rng.shuffle(&mut others);
        let most = if theory.contains("Y \\== Z") { 1 } else { 3 };
        for other in &others[..rng.usize(0..=most)] {
            if !(theory.contains("q(X, X).") && facts.contains(&format!("p({name})")) && *other == name) {
                facts.insert(format!("q({name}, {other})"));
            }
        }
    }
    let breaks = |facts: &BTreeSet<String>| {
        NAMES.iter().any(|n| facts.contains(&format!("p({n})")) && !facts.contains(&format!("q({n}, {n})")))
    };
    if rng.bool() && !(theory.contains("r, \\+") && breaks(&facts)) {
        facts.insert("r".to_owned());
    }
    facts.into_iter().collect()
}

/// What the reference counts, for a theory with its features in one program.
fn judged(program: &Program, features: &Features, states: &[Vec<String>]) -> Vec<Vec<Value>> {
    let predicates: Vec<_> = features
        .features()
        .iter()
        .map(|feature| program.find_predicate(&feature.name, feature.arity).expect("the feature is there"))
        .collect();
    let mut judge = TheoryJudge::new(program, &predicates);
    let mut all = Vec::new();
    for state in states {
        judge.look_at(state);
        let value = |(feature, &predicate): (&grundy::features::Feature, _)| {
            let rows = judge.rows(predicate);
            let numbers = |argument: usize| {
                let plain = |text: &String| {
                    text.trim_start_matches(|c: char| c.is_alphabetic() || c == '(').replace(')', "")
                };
                rows.iter()
                    .map(|row| plain(&row[argument]).parse::<i64>().expect("a number"))
                    .collect::<Vec<_>>()
            };
            match feature.aggregate {
                Aggregate::Count => Some(rows.len() as i64),
                Aggregate::Sum(argument) => Some(numbers(argument).into_iter().sum()),
                Aggregate::Min(argument) => numbers(argument).into_iter().min(),
                Aggregate::Max(argument) => numbers(argument).into_iter().max(),
            }
        };
        all.push(features.features().iter().zip(&predicates).map(value).collect());
    }
    all
}

/// The values of all evaluators on one kind of table, compared with what they should be.
fn compare(
    features: &Features,
    kind: TableKind,
    states: &[FactSet],
    wanted: &[Vec<Value>],
) -> Result<(), FeatureError> {
    let tables = features.compile(kind, &FeatureConfig::default())?;
    let plan = tables.plan(features)?;
    let (mut scratch, mut incremental) = (Scratch::new(plan.clone()), Incremental::new(plan.clone()));
    let mut batch = Vec::new();
    // More states than are valued at once.
    let many: Vec<FactSet> = states.iter().cycle().take(Batch::LANES + 70).cloned().collect();
    Batch::new(plan.clone()).value(&many, |values| batch.push(values.to_vec()));
    assert_eq!(batch.len(), many.len());
    assert!(
        batch.iter().zip(wanted.iter().cycle()).all(|(found, wanted)| found == wanted),
        "batch, {kind:?}"
    );
    let mut values = Vec::new();
    let mut before: BTreeSet<(FeatureId, HeadId)> = BTreeSet::new();
    for (number, (state, wanted)) in states.iter().zip(wanted).enumerate() {
        scratch.value(state, &mut values);
        assert_eq!(&values, wanted, "scratch, {kind:?}");
        let changes = incremental.changes(state);
        incremental.values(&mut values);
        assert_eq!(&values, wanted, "incremental, {kind:?}");
        // What became true and what false is the difference between the solutions.
        let solutions =
            |feature| features.explain(&plan, feature, state).into_iter().map(move |head| (feature, head));
        let now: BTreeSet<_> =
            (0..features.features().len()).map(FeatureId::new).flat_map(solutions).collect();
        if number > 0 {
            let reported: Vec<HeadId> = changes.iter().map(|change| change.solution).collect();
            let mut differ: Vec<HeadId> = now.symmetric_difference(&before).map(|&(_, head)| head).collect();
            differ.sort_unstable();
            assert_eq!(reported, differ);
            assert!(changes.iter().all(|c| c.is_true == now.iter().any(|&(_, head)| head == c.solution)));
        }
        before = now;
    }
    Ok(())
}

#[test]
fn all_tables_and_evaluators_agree_with_the_reference() {
    let mut flat = 0;
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let (text, clauses) = random_theory(&mut rng);
        let states: Vec<Vec<String>> = (0..12).map(|_| random_state(&mut rng, &text)).collect();
        let program = theory(&text);
        let config = FeatureConfig::default();
        let features = match Features::new(&program, &theory(&clauses), &Default::default(), &[], &config) {
            Ok(features) => features,
            // A fact that nothing tells the arguments of.
            Err(FeatureError::Wrong(_)) => continue,
            Err(error) => panic!("seed {seed}: {error}\n{text}{clauses}"),
        };
        let whole = theory(&format!("{text}{}", clauses.replace("max(W)", "W").replace("sum(W)", "W")));
        let wanted = judged(&whole, &features, &states);
        let mut reader = StateReader::new(&features);
        let read: Result<Vec<FactSet>, _> = states.iter().map(|state| reader.read(state)).collect();
        // Facts outside of what is known are refused; the others are valued.
        let Ok(read) = read else { continue };
        let mut naive = Naive::new(&features).expect("the theory is sound");
        let mut values = Vec::new();
        for (state, wanted) in read.iter().zip(&wanted) {
            naive.value(state, &mut values).expect("within the limits");
            assert_eq!(&values, wanted, "naive, seed {seed}\n{text}{clauses}");
        }
        compare(&features, TableKind::Shared, &read, &wanted)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        match compare(&features, TableKind::Flat, &read, &wanted) {
            Ok(()) => flat += 1,
            Err(error) => {
                assert!(error.to_string().contains("never ends"), "seed {seed}: {error}\n{text}{clauses}");
            }
        }
    }
    assert!(flat > 100, "most theories can be unfolded: {flat}");
}

/// The number of ground clauses of predicates of a bundled theory, with a fact replaced.
fn clause_counts(name: &str, fact: &str, predicates: &[(&str, usize)]) -> Vec<u64> {
    let mut program = bundled(name);
    grundy::metarules::replace_fact(&mut program, Notation::Prolog, fact).expect("there is such a fact");
    let also = predicates.iter().map(|&(name, arity)| (name.to_owned(), arity)).collect();
    let selection = grundy::features::Selection { also, only: None };
    let config = FeatureConfig::default();
    let features = Features::new(&program, &theory(""), &selection, &[], &config).expect("a sound theory");
    features
        .compile(TableKind::Flat, &config)
        .expect("small tables")
        .clauses_by_feature()
        .expect("flat tables")
        .to_vec()
}

#[test]
fn the_appendix_unfolds_to_as_many_clauses_as_it_should() {
    let predicates = [("span", 4), ("bs", 3)];
    assert_eq!(clause_counts("othello.pl", "size(4)", &predicates), [560, 136]);
    assert_eq!(clause_counts("othello.pl", "size(8)", &predicates), [3_936, 2_072]);
    assert_eq!(clause_counts("othello.pl", "size(16)", &predicates), [29_376, 21_560]);
}

#[test]
fn solutions_with_the_same_conjunctions_share_a_row() {
    let program = theory(":- dynamic owns/1.\nsquare(a). square(b). next(a, b). next(b, a).");
    let text = "pair(X, Y) :- next(X, Y), owns(X), owns(Y). any(X) :- next(X, Y), owns(Y). any(X) :- square(X), owns(X).";
    let config = FeatureConfig::default();
    let features = Features::new(&program, &theory(text), &Default::default(), &[], &config).expect("sound");
    let sizes = features.compile(TableKind::Flat, &config).expect("small").sizes();
    // `pair(a, b)` and `pair(b, a)` have one conjunction, `any(a)` and `any(b)` one set of two.
    assert_eq!((sizes.ground_clauses, sizes.and_rows, sizes.or_rows), (6, 3, 2));
}

#[test]
fn what_cannot_be_unfolded_names_its_clause() {
    let program = theory(":- dynamic o/1.\nedge(a, b). edge(b, a).");
    let config = FeatureConfig::default();
    let compile = |text: &str, kind| {
        Features::new(&program, &theory(text), &Default::default(), &[], &config)
            .and_then(|f| f.compile(kind, &config))
    };
    let around = "path(X, Y) :- edge(X, Y), o(Y). path(X, Z) :- edge(X, Y), o(Y), path(Y, Z).";
    let Err(FeatureError::Wrong(findings)) = compile(around, TableKind::Flat) else {
        panic!("it never ends")
    };
    assert!(findings[0].message.contains("`path/2` never ends"), "{findings:?}");
    assert_eq!(findings[0].place.span.start, 32);
    assert!(compile(around, TableKind::Shared).is_ok());
    let growing = "n(z) :- o(a). n(s(X)) :- n(X).";
    let Err(FeatureError::Limit { finding, .. }) = compile(growing, TableKind::Shared) else {
        panic!("it grows")
    };
    assert_eq!(finding.place.span.start, 14);
    let Err(FeatureError::Wrong(findings)) = compile("f(X) :- o(X).", TableKind::Flat) else {
        panic!("not ground")
    };
    assert!(findings[0].message.contains("cannot be made ground"), "{findings:?}");
}
