//! The grounding program for a Prolog with tabling: the paper's own method.
//!
//! Every predicate that has rules is tabled, `true` and `does` stand for all that can be true and be
//! done. The goal `main` first asks for these two (the paper's *one step* method) and keeps them as
//! facts `base` and `input`; then it asks for each rule g(R) and stores s(R), sorted, in a trie, so
//! that a rule is kept once. It prints how many there are of each. Negations of atoms that nothing
//! makes true are still conditions here; so two rules can differ that are one for gringo and for us.
//!
//! Predicates have the prefix `p_`, since Prolog has its own idea of `succ` or `true`.

use super::names::Names;
use crate::analysis::classify;
use crate::flat::{RelationKind, kind_of};
use grundy_syntax::{Atom, Keyword, Literal, PredicateId, Program, Rule, VariableId};
use std::io::{self, Write};

/// What links a state to the next one.
const LINKS: &str = "\
p_true(F) :- p_init(F).
p_true(F) :- p_next(F).
p_does(R,M) :- p_legal(R,M).
";

/// The goals: what can be true and be done, then the rules.
const MAIN: &str = "\
store(Rules,Head,Body) :- sort(Body,Set), (trie_insert(Rules,Head-Set) -> true ; true).

main :-
    forall(p_true(F), assertz(base(F))),
    forall(p_does(R,M), assertz(input(R,M))),
    trie_new(Rules),
    forall(rule(Head,Body), store(Rules,Head,Body)),
    aggregate_all(count, base(_), Base),
    aggregate_all(count, input(_,_), Input),
    aggregate_all(count, trie_gen(Rules,_), Stored),
    format('{\"base\":~d,\"input\":~d,\"rules\":~d}~n', [Base,Input,Stored]).
";

/// The keywords that the links speak of, so that they have to be known to Prolog.
const LINKED: [Keyword; 5] = [Keyword::True, Keyword::Does, Keyword::Init, Keyword::Next, Keyword::Legal];

/// Writes the program g(R) for a Prolog with tabling.
pub fn write_prolog(program: &Program, out: &mut impl Write) -> io::Result<()> {
    let mut program = program.clone();
    for keyword in LINKED {
        program.predicate(keyword.name(), keyword.arity());
    }
    let exporter = Exporter::new(&program);
    let mut text = Vec::new();
    exporter.push_declarations(&mut text);
    text.extend_from_slice(LINKS.as_bytes());
    let wanted = |rule: &&Rule| !exporter.is(rule.head.predicate, &[Keyword::Base, Keyword::Input]);
    program.rules.iter().filter(wanted).for_each(|rule| exporter.push_rule(rule, &mut text));
    let stored = |rule: &&Rule| exporter.is_dynamic(&rule.head);
    program.rules.iter().filter(stored).for_each(|rule| exporter.push_stored(rule, &mut text));
    text.extend_from_slice(MAIN.as_bytes());
    out.write_all(&text)
}

/// Where a condition stands: in a rule that is tabled, or in one that is stored, where what can be true
/// and be done is known already.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Tabled,
    Stored,
}

struct Exporter<'a> {
    program: &'a Program,
    names: Names,
    /// By predicate.
    dynamic: Vec<bool>,
}

impl<'a> Exporter<'a> {
    fn new(program: &'a Program) -> Exporter<'a> {
        let analysis = classify(program);
        let is_dynamic = |(predicate, _)| kind_of(program, &analysis, predicate) == RelationKind::Dynamic;
        let dynamic = program.predicates().map(is_dynamic).collect();
        Exporter { program, names: Names::new(&program.symbols), dynamic }
    }

    fn is(&self, predicate: PredicateId, keywords: &[Keyword]) -> bool {
        self.program.info(predicate).keyword.is_some_and(|keyword| keywords.contains(&keyword))
    }

    fn is_dynamic(&self, atom: &Atom) -> bool {
        self.dynamic[atom.predicate.index()]
    }

    /// Tables for what has rules; plain facts need none, and what nothing defines is false.
    fn push_declarations(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b":- style_check(-singleton).\n:- style_check(-discontiguous).\n");
        out.extend_from_slice(b":- dynamic base/1, input/2, rule/2.\n");
        for (predicate, info) in self.program.predicates() {
            let mut rules = self.program.rules.iter().filter(|rule| rule.head.predicate == predicate);
            let is_linked = self.is(predicate, &[Keyword::True, Keyword::Does]);
            let directive = if is_linked || rules.clone().any(|rule| !rule.body.is_empty()) {
                ":- table"
            } else if rules.next().is_none() {
                ":- dynamic"
            } else {
                continue;
            };
            out.extend_from_slice(format!("{directive} p_").as_bytes());
            self.names.push_atom(&self.program.terms, info.name, &[], &push_variable, out);
            out.extend_from_slice(format!("/{}.\n", info.arity).as_bytes());
        }
    }

    /// g(R)
    fn push_rule(&self, rule: &Rule, out: &mut Vec<u8>) {
        self.push_atom(&rule.head, out);
        self.push_body(rule, Place::Tabled, out);
    }

    /// g(R) with s(R) as what it finds.
    fn push_stored(&self, rule: &Rule, out: &mut Vec<u8>) {
        out.extend_from_slice(b"rule(");
        self.push_atom(&rule.head, out);
        out.extend_from_slice(b",[");
        let kept = |literal: &&Literal| literal.atom().is_some_and(|atom| self.is_dynamic(atom));
        for (number, literal) in rule.literals().filter(kept).enumerate() {
            out.extend_from_slice(if number > 0 { b"," } else { b"" });
            let (before, after) = if matches!(literal, Literal::Not(_)) { ("not(", ")") } else { ("", "") };
            out.extend_from_slice(before.as_bytes());
            literal.atom().into_iter().for_each(|atom| self.push_atom(atom, out));
            out.extend_from_slice(after.as_bytes());
        }
        out.extend_from_slice(b"])");
        self.push_body(rule, Place::Stored, out);
    }

    fn push_body(&self, rule: &Rule, place: Place, out: &mut Vec<u8>) {
        let mut before = " :- ";
        for literal in self.in_order(rule) {
            out.extend_from_slice(before.as_bytes());
            self.push_literal(literal, place, out);
            before = ", ";
        }
        out.extend_from_slice(b".\n");
    }

    /// The conditions that take part in matching, positive ones as in the sheet, each of the others as
    /// soon as its variables have values.
    fn in_order<'r>(&self, rule: &'r Rule) -> Vec<&'r Literal> {
        let is_dropped = |literal: &Literal| matches!(literal, Literal::Not(atom) if self.is_dynamic(atom));
        let is_test = |literal: &&Literal| !matches!(literal, Literal::Holds(_));
        let (mut tests, binders): (Vec<_>, Vec<_>) =
            rule.literals().filter(|literal| !is_dropped(literal)).partition(is_test);
        let mut bound = vec![false; rule.variables.len()];
        let mut ordered = Vec::new();
        let mut add_ready = |bound: &[bool], ordered: &mut Vec<&'r Literal>| {
            let (ready, waiting) = tests.iter().partition(|test| self.is_bound(test, bound));
            tests = waiting;
            ordered.extend::<Vec<_>>(ready);
        };
        add_ready(&bound, &mut ordered);
        for binder in binders {
            ordered.push(binder);
            self.each_variable(binder, |variable| bound[variable.index()] = true);
            add_ready(&bound, &mut ordered);
        }
        ordered.extend(tests);
        ordered
    }

    fn is_bound(&self, literal: &Literal, bound: &[bool]) -> bool {
        let mut all = true;
        self.each_variable(literal, |variable| all &= bound[variable.index()]);
        all
    }

    fn each_variable(&self, literal: &Literal, mut visit: impl FnMut(VariableId)) {
        literal.terms().for_each(|term| self.program.terms.for_each_variable(term, &mut visit));
    }

    fn push_literal(&self, literal: &Literal, place: Place, out: &mut Vec<u8>) {
        match literal {
            Literal::Holds(atom) if place == Place::Stored && self.is(atom.predicate, &[Keyword::True]) => {
                self.push_as("base", atom, out);
            }
            Literal::Holds(atom) if place == Place::Stored && self.is(atom.predicate, &[Keyword::Does]) => {
                self.push_as("input", atom, out);
            }
            Literal::Holds(atom) => self.push_atom(atom, out),
            Literal::Not(atom) => {
                out.extend_from_slice(b"\\+ ");
                self.push_atom(atom, out);
            }
            Literal::Distinct(a, b) => {
                self.names.push_term(&self.program.terms, *a, &push_variable, out);
                out.extend_from_slice(b" \\== ");
                self.names.push_term(&self.program.terms, *b, &push_variable, out);
            }
        }
    }

    fn push_atom(&self, atom: &Atom, out: &mut Vec<u8>) {
        let name = self.program.info(atom.predicate).name;
        out.extend_from_slice(b"p_");
        self.names.push_atom(&self.program.terms, name, &atom.args, &push_variable, out);
    }

    /// The arguments of an atom under another name.
    fn push_as(&self, name: &str, atom: &Atom, out: &mut Vec<u8>) {
        out.extend_from_slice(name.as_bytes());
        for (number, &arg) in atom.args.iter().enumerate() {
            out.push(if number == 0 { b'(' } else { b',' });
            self.names.push_term(&self.program.terms, arg, &push_variable, out);
        }
        out.push(b')');
    }
}

fn push_variable(variable: VariableId, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("V{}", variable.0).as_bytes());
}
