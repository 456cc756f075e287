//! Random programs, and what they mean by a method that is too simple to be wrong.
//!
//! All rules are instantiated with all terms. The instances are propositional, and their
//! well-founded model is computed by its definition: the alternating fixpoint over all atoms at once,
//! where every fixpoint is found by trying all instances again and again. No components, no tiers,
//! no indexes, no new rows.

use grundy_reference::{Error, Evaluator, Limits};
use grundy_syntax::{Dialect, Notation, PredicateId, Source, Term, TermId, read};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// How deep terms may nest. `(f (f a))` is the deepest.
const DEPTH: usize = 3;
const CONSTANTS: [&str; 3] = ["a", "b", "c"];
const VARIABLES: [&str; 3] = ["?x", "?y", "?z"];

/// Names and numbers of arguments. The first three are given from outside: `s` and `t` belong to the
/// state, `m` to the moves. Rules define the others.
const PREDICATES: [(&str, usize); 8] =
    [("s", 1), ("t", 2), ("m", 1), ("g", 2), ("p", 0), ("u", 1), ("v", 1), ("d", 2)];
const STATE: [usize; 2] = [0, 1];
const MOVES: [usize; 1] = [2];
const GIVEN: usize = 3;

/// A constant or a variable inside so many `f`.
#[derive(Clone, Copy, Debug)]
struct Expr {
    functions: usize,
    inside: Inside,
}

#[derive(Clone, Copy, Debug)]
enum Inside {
    Constant(usize),
    Variable(usize),
}

#[derive(Clone, Debug)]
struct Atom {
    predicate: usize,
    args: Vec<Expr>,
}

#[derive(Clone, Debug)]
enum Condition {
    Holds(Atom),
    Not(Atom),
    Distinct(Expr, Expr),
}

#[derive(Clone, Debug)]
struct Rule {
    head: Atom,
    body: Vec<Condition>,
}

/// Facts that are given, instead of those of the last such step.
#[derive(Clone, Debug)]
enum Step {
    State(Vec<Atom>),
    Moves(Vec<Atom>),
}

mod random {
    use super::*;
    use std::ops::Range;

    /// Functions are rare, lest most programs grow terms without end.
    fn functions() -> impl Strategy<Value = usize> {
        prop_oneof![20 => Just(0), 2 => Just(1), 1 => Just(2)]
    }

    /// A term of a rule.
    fn expr() -> impl Strategy<Value = Expr> {
        let inside = prop_oneof![
            1 => (0..CONSTANTS.len()).prop_map(Inside::Constant),
            8 => (0..VARIABLES.len()).prop_map(Inside::Variable),
        ];
        (functions(), inside).prop_map(|(functions, inside)| Expr { functions, inside })
    }

    fn ground_expr() -> impl Strategy<Value = Expr> {
        let inside = (0..CONSTANTS.len()).prop_map(Inside::Constant);
        (functions(), inside).prop_map(|(functions, inside)| Expr { functions, inside })
    }

    fn atom(predicates: Range<usize>, expr: BoxedStrategy<Expr>) -> impl Strategy<Value = Atom> {
        predicates.prop_flat_map(move |predicate| {
            let args = prop::collection::vec(expr.clone(), PREDICATES[predicate].1);
            args.prop_map(move |args| Atom { predicate, args })
        })
    }

    fn facts(predicates: Range<usize>, count: Range<usize>) -> impl Strategy<Value = Vec<Atom>> {
        prop::collection::vec(atom(predicates, ground_expr().boxed()), count)
    }

    /// A rule. If negation is to be stratified, predicates depend on themselves and those before
    /// them, and on the negation of those before them.
    fn rule(stratified: bool) -> impl Strategy<Value = Rule> {
        let all = PREDICATES.len();
        atom(GIVEN..all, expr().boxed()).prop_flat_map(move |head| {
            let (may_hold, may_not) =
                if stratified { (head.predicate + 1, head.predicate) } else { (all, all) };
            let condition = prop_oneof![
                6 => atom(0..may_hold, expr().boxed()).prop_map(Condition::Holds),
                3 => atom(0..may_not, expr().boxed()).prop_map(Condition::Not),
                1 => (expr(), expr()).prop_map(|(a, b)| Condition::Distinct(a, b)),
            ];
            let body = prop::collection::vec(condition, 1..5);
            body.prop_map(move |body| safe(Rule { head: head.clone(), body }))
        })
    }

    pub(super) fn rules(stratified: bool) -> impl Strategy<Value = Vec<Rule>> {
        (facts(GIVEN..PREDICATES.len(), 0..12), prop::collection::vec(rule(stratified), 3..10)).prop_map(
            |(facts, mut rules)| {
                rules.extend(facts.into_iter().map(|head| Rule { head, body: Vec::new() }));
                rules
            },
        )
    }

    pub(super) fn wanted() -> impl Strategy<Value = Vec<usize>> {
        let all: Vec<usize> = (GIVEN..PREDICATES.len()).collect();
        prop_oneof![Just(all.clone()), prop::sample::subsequence(all, 1..PREDICATES.len() - GIVEN)]
    }

    pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            facts(STATE[0]..MOVES[0], 0..16).prop_map(Step::State),
            facts(MOVES[0]..GIVEN, 0..4).prop_map(Step::Moves),
        ];
        prop::collection::vec(step, 1..8)
    }

    /// Replaces variables that no positive condition binds, by one that is bound or by a constant.
    fn safe(mut rule: Rule) -> Rule {
        let positive = rule.body.iter().filter_map(|condition| match condition {
            Condition::Holds(atom) => Some(atom),
            Condition::Not(_) | Condition::Distinct(..) => None,
        });
        let bound: Vec<usize> = positive.flat_map(|atom| &atom.args).filter_map(Expr::variable).collect();
        let other = bound.first().map_or(Inside::Constant(0), |&variable| Inside::Variable(variable));
        rule.for_each_expr(|expr| {
            if expr.variable().is_some_and(|variable| !bound.contains(&variable)) {
                expr.inside = other;
            }
        });
        rule
    }
}

impl Rule {
    fn for_each_expr(&mut self, mut visit: impl FnMut(&mut Expr)) {
        self.head.args.iter_mut().for_each(&mut visit);
        for condition in &mut self.body {
            match condition {
                Condition::Holds(atom) | Condition::Not(atom) => atom.args.iter_mut().for_each(&mut visit),
                Condition::Distinct(a, b) => [a, b].into_iter().for_each(&mut visit),
            }
        }
    }
}

impl Expr {
    fn variable(&self) -> Option<usize> {
        match self.inside {
            Inside::Variable(variable) => Some(variable),
            Inside::Constant(_) => None,
        }
    }

    /// The text, with other texts for the variables.
    fn text(&self, values: &[&str]) -> String {
        let inside = match self.inside {
            Inside::Constant(constant) => CONSTANTS[constant],
            Inside::Variable(variable) => values[variable],
        };
        format!("{}{inside}{}", "(f ".repeat(self.functions), ")".repeat(self.functions))
    }
}

impl Atom {
    fn text(&self, values: &[&str]) -> String {
        let args: String = self.args.iter().map(|arg| format!(" {}", arg.text(values))).collect();
        format!("({}{args})", PREDICATES[self.predicate].0)
    }
}

impl Condition {
    fn text(&self) -> String {
        match self {
            Condition::Holds(atom) => atom.text(&VARIABLES),
            Condition::Not(atom) => format!("(not {})", atom.text(&VARIABLES)),
            Condition::Distinct(a, b) => format!("(distinct {} {})", a.text(&VARIABLES), b.text(&VARIABLES)),
        }
    }

    fn predicate(&self) -> Option<usize> {
        match self {
            Condition::Holds(atom) | Condition::Not(atom) => Some(atom.predicate),
            Condition::Distinct(..) => None,
        }
    }
}

fn sheet(rules: &[Rule]) -> String {
    let rule = |rule: &Rule| {
        let body: String = rule.body.iter().map(|condition| format!(" {}", condition.text())).collect();
        format!("(<= {}{body})\n", rule.head.text(&VARIABLES))
    };
    rules.iter().map(rule).collect()
}

/// A rule without variables; its parts are numbers of atoms.
struct Instance {
    head: usize,
    holds: Vec<usize>,
    not: Vec<usize>,
}

/// All instances of a program's rules.
#[derive(Default)]
struct Ground {
    /// Atoms as text, with their numbers and predicates.
    atoms: BTreeMap<String, (usize, usize)>,
    instances: Vec<Instance>,
}

/// The well-founded model: what is true, and what is true or undefined.
struct Model {
    certain: Vec<bool>,
    possible: Vec<bool>,
    /// What would be true if every negation were.
    thinkable: Vec<bool>,
}

impl Ground {
    fn new(rules: &[Rule]) -> Ground {
        let constant = |functions, constant| Expr { functions, inside: Inside::Constant(constant) };
        let terms: Vec<String> = (0..DEPTH)
            .flat_map(|functions| (0..CONSTANTS.len()).map(move |c| constant(functions, c).text(&[])))
            .collect();
        let mut ground = Ground::default();
        for rule in rules {
            let mut used = [false; VARIABLES.len()];
            rule.clone().for_each_expr(|expr| expr.variable().into_iter().for_each(|v| used[v] = true));
            let values = |variable: usize| if used[variable] { &terms[..] } else { &terms[..1] };
            for x in values(0) {
                for y in values(1) {
                    for z in values(2) {
                        ground.add_instance(rule, &[x, y, z]);
                    }
                }
            }
        }
        ground
    }

    fn add_instance(&mut self, rule: &Rule, values: &[&str]) {
        let mut instance = Instance { head: self.number(&rule.head, values), holds: vec![], not: vec![] };
        for condition in &rule.body {
            match condition {
                Condition::Holds(atom) => instance.holds.push(self.number(atom, values)),
                Condition::Not(atom) => instance.not.push(self.number(atom, values)),
                Condition::Distinct(a, b) if a.text(values) == b.text(values) => return,
                Condition::Distinct(..) => {}
            }
        }
        self.instances.push(instance);
    }

    fn number(&mut self, atom: &Atom, values: &[&str]) -> usize {
        let next = self.atoms.len();
        self.atoms.entry(atom.text(values)).or_insert((next, atom.predicate)).0
    }

    /// What follows if exactly the negations of these atoms fail.
    fn consequences(&self, given: &[usize], negated: &[bool]) -> Vec<bool> {
        let mut holds = vec![false; self.atoms.len()];
        given.iter().for_each(|&fact| holds[fact] = true);
        loop {
            let before = holds.clone();
            for Instance { head, holds: conditions, not } in &self.instances {
                holds[*head] |= conditions.iter().all(|&at| holds[at]) && !not.iter().any(|&at| negated[at]);
            }
            if holds == before {
                return holds;
            }
        }
    }

    fn model(&mut self, given: &[Atom]) -> Model {
        let given: Vec<usize> = given.iter().map(|fact| self.number(fact, &[])).collect();
        let mut certain = vec![false; self.atoms.len()];
        let thinkable = self.consequences(&given, &certain);
        loop {
            let possible = self.consequences(&given, &certain);
            let more_certain = self.consequences(&given, &possible);
            if more_certain == certain {
                return Model { certain, possible, thinkable };
            }
            certain = more_certain;
        }
    }
}

/// The brute force, and what of its answers an evaluator has to know.
struct Judge {
    ground: Ground,
    /// For each predicate, whether it is given or a wanted one depends on it.
    needed: Vec<bool>,
    /// For each predicate, how many of the tiers (state, moves) it depends on.
    tiers: Vec<usize>,
}

impl Judge {
    fn new(rules: &[Rule], wanted: &[usize]) -> Judge {
        let (on_state, on_moves) = (depends_on(rules, &STATE), depends_on(rules, &MOVES));
        let tier = |predicate: usize| if on_moves[predicate] { 2 } else { usize::from(on_state[predicate]) };
        let is_needed = |predicate| wanted.iter().any(|&other| depends_on(rules, &[predicate])[other]);
        Judge {
            ground: Ground::new(rules),
            needed: (0..PREDICATES.len())
                .map(|predicate| predicate < GIVEN || is_needed(predicate))
                .collect(),
            tiers: (0..PREDICATES.len()).map(tier).collect(),
        }
    }

    /// Compares what an evaluator knows, when so many tiers are given, with what it should know.
    fn compare(
        &mut self,
        tiers: usize,
        given: &[Atom],
        found: Result<BTreeSet<String>, Error>,
    ) -> Result<(), TestCaseError> {
        let Model { certain, possible, thinkable } = self.ground.model(given);
        let is_known = |predicate: usize| self.needed[predicate] && self.tiers[predicate] <= tiers;
        let select = |holds: &dyn Fn(usize) -> bool| -> BTreeSet<String> {
            let atoms = self.ground.atoms.iter();
            let atoms = atoms.filter(|&(_, &(number, predicate))| is_known(predicate) && holds(number));
            atoms.map(|(text, _)| text.clone()).collect()
        };
        let undefined = select(&|number| possible[number] && !certain[number]);
        let thinkable = select(&|number| thinkable[number]);
        let certain = select(&|number| certain[number]);
        match found {
            Ok(found) => {
                prop_assert_eq!(found, certain);
                prop_assert_eq!(undefined, BTreeSet::new());
            }
            Err(Error::NegationCycle { atom }) => {
                let atom = if atom.starts_with('(') { atom } else { format!("({atom})") };
                prop_assert!(undefined.contains(&atom), "{atom} is none of {undefined:?}");
            }
            Err(Error::TooDeep { .. }) => {
                let too_deep = |atom: &String| atom.contains(&"(f ".repeat(DEPTH));
                prop_assert!(thinkable.iter().any(too_deep), "none is too deep of {thinkable:?}");
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
        Ok(())
    }
}

/// For each predicate, whether it is one of these, or depends on one.
fn depends_on(rules: &[Rule], these: &[usize]) -> Vec<bool> {
    let mut found: Vec<bool> = (0..PREDICATES.len()).map(|predicate| these.contains(&predicate)).collect();
    for _ in &PREDICATES {
        for rule in rules {
            let mut conditions = rule.body.iter().filter_map(Condition::predicate);
            found[rule.head.predicate] |= conditions.any(|predicate| found[predicate]);
        }
    }
    found
}

/// Evaluates a program with several states and moves, one after the other.
fn check(rules: &[Rule], wanted: &[usize], steps: &[Step]) -> Result<(), TestCaseError> {
    let source = Source::new("random", sheet(rules));
    let mut program = read(&source, Notation::Kif, Dialect::Theory, &Default::default()).program;
    let predicates = PREDICATES.map(|(name, arity)| program.predicate(name, arity));
    let ids = |of: &[usize]| of.iter().map(|&predicate| predicates[predicate]).collect::<Vec<_>>();
    let limits = Limits { term_depth: DEPTH, ..Limits::default() };

    let mut judge = Judge::new(rules, wanted);
    let result = Evaluator::new(program, vec![ids(&STATE), ids(&MOVES)], &ids(wanted), limits);
    let mut evaluator = match result {
        Ok(evaluator) => evaluator,
        Err(error) => return judge.compare(0, &[], Err(error)),
    };
    judge.compare(0, &[], Ok(facts_of(&evaluator, &predicates)))?;

    // None before the first state, and after a state that has no meaning.
    let mut state: Option<&[Atom]> = None;
    for step in steps {
        let (tier, facts, given) = match (step, state) {
            (Step::State(facts), _) => (0, facts, facts.clone()),
            (Step::Moves(facts), Some(state)) => (1, facts, [state, facts].concat()),
            (Step::Moves(_), None) => continue,
        };
        let rows: Vec<_> = facts.iter().map(|fact| row_of(&mut evaluator, &predicates, fact)).collect();
        let result = evaluator.set(tier, rows).map(|()| facts_of(&evaluator, &predicates));
        if tier == 0 {
            state = result.is_ok().then_some(facts);
        }
        judge.compare(tier + 1, &given, result)?;
    }
    Ok(())
}

fn row_of(
    evaluator: &mut Evaluator,
    predicates: &[PredicateId],
    fact: &Atom,
) -> (PredicateId, Box<[TermId]>) {
    let (symbols, terms) = evaluator.names_and_terms_mut();
    let f = symbols.intern("f");
    let mut term = |arg: &Expr| {
        let Inside::Constant(constant) = arg.inside else { unreachable!("facts are ground") };
        let inside = terms.constant(symbols.intern(CONSTANTS[constant]));
        (0..arg.functions).fold(inside, |inside, _| terms.compound(f, &[inside]))
    };
    (predicates[fact.predicate], fact.args.iter().map(&mut term).collect())
}

/// All that the evaluator knows.
fn facts_of(evaluator: &Evaluator, predicates: &[PredicateId]) -> BTreeSet<String> {
    let text = |predicate: PredicateId, row: &[TermId]| {
        let args: String = row.iter().map(|&arg| format!(" {}", term_text(evaluator, arg))).collect();
        format!("({}{args})", evaluator.program().name(predicate))
    };
    let rows = |predicate| evaluator.rows(predicate).map(move |row| text(predicate, row));
    predicates.iter().flat_map(|&predicate| rows(predicate)).collect()
}

fn term_text(evaluator: &Evaluator, term: TermId) -> String {
    match evaluator.terms().get(term) {
        Term::Variable(_) => unreachable!("facts are ground"),
        Term::Constant(name) => evaluator.program().symbols.name(name).to_owned(),
        Term::Compound(name, args) => {
            let name = evaluator.program().symbols.name(name);
            let args: String = args.iter().map(|&arg| format!(" {}", term_text(evaluator, arg))).collect();
            format!("({name}{args})")
        }
    }
}

/// Five times as many cases as usual: they are small. `PROPTEST_CASES` makes it more, or fewer.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: 5 * usual.cases, failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn stratified_programs(rules in random::rules(true), wanted in random::wanted(), steps in random::steps()) {
        check(&rules, &wanted, &steps)?;
    }

    #[test]
    fn arbitrary_programs(rules in random::rules(false), wanted in random::wanted(), steps in random::steps()) {
        check(&rules, &wanted, &steps)?;
    }
}
