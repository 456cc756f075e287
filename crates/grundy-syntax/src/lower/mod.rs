//! Lowering: from clauses, one at a time, to the rules of a [`Program`].
//!
//! 1. [`normal_form`]: `or` becomes several rules, `not` moves inwards.
//! 2. [`equality`]: what has to be equal is made equal.
//! 3. Variables are numbered, names and terms interned, conditions and rules that stand there
//!    already are dropped.

mod equality;
mod normal_form;
mod variables;

use crate::clause::{Clause, Expr, ExprKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits::Limits;
use crate::program::{
    Atom, Condition, Constraint, Declaration, Dialect, Literal, Program, Rule, SymbolId, TermId, VariableId,
};
use crate::source::Span;
use equality::Substitution;
use hashbrown::HashTable;
use normal_form::Simple;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use variables::Numbering;

/// A program in the making.
pub(crate) struct Lowering {
    pub(crate) program: Program,
    pub(crate) limits: Limits,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Rules of the program by what they say, each with its hash: to hash a rule again when the
    /// table grows would touch memory all over the place.
    known: HashTable<(u64, u32)>,
}

impl Lowering {
    pub(crate) fn new(dialect: Dialect, limits: &Limits) -> Lowering {
        Lowering {
            program: Program::new(dialect),
            limits: *limits,
            diagnostics: Vec::new(),
            known: HashTable::new(),
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < self.limits.diagnostics {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether the limit on rules is reached; says so, at this place, if it is.
    pub(crate) fn is_full(&mut self, place: Span) -> bool {
        let full = self.program.rules.len() >= self.limits.rules;
        if full {
            let message = format!("more than {} rules (limit `rules`)", self.limits.rules);
            self.report(Diagnostic::new(Code::RuleLimit, place, message));
        }
        full
    }

    /// Declares a dynamic predicate.
    pub(crate) fn add_declaration(&mut self, name: SymbolId, arity: usize, span: Span) {
        let predicate = self.program.predicate_of(name, arity);
        if self.program.dynamic.iter().all(|known| known.predicate != predicate) {
            self.program.dynamic.push(Declaration { predicate, span });
        }
    }

    /// Adds the rules that a clause stands for.
    pub(crate) fn add_clause(&mut self, clause: &Clause) {
        variables::check_use_of_variables(self, clause);
        let Some(branches) = normal_form::branches(&clause.body, self.limits.branches) else {
            let message =
                format!("this rule would become more than {} rules (limit `branches`)", self.limits.branches);
            return self.report(Diagnostic::new(Code::BranchLimit, clause.span, message));
        };
        let first_new = self.program.rules.len();
        for branch in &branches {
            self.add_branch(clause, branch, first_new);
        }
    }

    fn add_branch(&mut self, clause: &Clause, branch: &[Simple<'_>], first_new: usize) {
        let substitution = match equality::solve(branch) {
            Ok(substitution) => substitution,
            Err(place) => {
                let never = Diagnostic::new(Code::NeverTrue, place, "these two terms are never equal");
                return self.report(never.label("the rule never fires"));
            }
        };
        let mut numbering = Numbering::default();
        let head = clause.head.as_ref().map(|head| self.atom(head, &substitution, &mut numbering));
        let body = self.body(branch, &substitution, &mut numbering);
        self.check_contradictions(&body);
        let variables = numbering.names();
        match head {
            None => self.program.constraints.push(Constraint { body, variables, span: clause.span }),
            Some(head) => {
                let head_span = clause.head.as_ref().map_or(clause.span, |head| head.span);
                self.add_rule(Rule { head, body, variables, span: clause.span, head_span }, first_new);
            }
        }
    }

    fn body(
        &mut self,
        branch: &[Simple<'_>],
        substitution: &Substitution,
        numbering: &mut Numbering,
    ) -> Vec<Condition> {
        let mut body: Vec<Condition> = Vec::with_capacity(branch.len());
        for simple in branch {
            let (literal, span) = match *simple {
                Simple::Holds(atom) => (Literal::Holds(self.atom(atom, substitution, numbering)), atom.span),
                Simple::Not(atom) => (Literal::Not(self.atom(atom, substitution, numbering)), atom.span),
                Simple::Distinct(a, b, span) => {
                    let a = self.term(a, substitution, numbering);
                    (Literal::Distinct(a, self.term(b, substitution, numbering)), span)
                }
                Simple::Equal(..) => continue,
            };
            if body.iter().all(|condition| condition.literal != literal) {
                body.push(Condition { literal, span });
            }
        }
        body
    }

    fn atom(&mut self, atom: &Expr, substitution: &Substitution, numbering: &mut Numbering) -> Atom {
        match &atom.kind {
            ExprKind::Apply(name, args) => Atom {
                predicate: self.program.predicate_of(*name, args.len()),
                args: args.iter().map(|arg| self.term(arg, substitution, numbering)).collect(),
            },
            ExprKind::Variable(_) => unreachable!("the readers reject variables in the place of atoms"),
        }
    }

    fn term(&mut self, term: &Expr, substitution: &Substitution, numbering: &mut Numbering) -> TermId {
        match &term.kind {
            ExprKind::Variable(variable) => match substitution.get(*variable) {
                Some(value) => self.term(value, substitution, numbering),
                None => {
                    let number: VariableId = numbering.number(*variable);
                    self.program.terms.variable(number)
                }
            },
            ExprKind::Apply(name, args) => {
                let args: Vec<TermId> =
                    args.iter().map(|arg| self.term(arg, substitution, numbering)).collect();
                self.program.terms.compound(*name, &args)
            }
        }
    }

    /// Adds a rule unless it is known. Branches of one clause may repeat each other; a clause that
    /// repeats another one is worth a warning.
    fn add_rule(&mut self, rule: Rule, first_new: usize) {
        let rules = &mut self.program.rules;
        let hash = hash_rule(&rule);
        let same = |&(other, id): &(u64, u32)| other == hash && rules[id as usize].same_as(&rule);
        if let Some(&(_, known)) = self.known.find(hash, same) {
            if (known as usize) < first_new {
                let earlier = rules[known as usize].span;
                let warning = Diagnostic::new(Code::DuplicateRule, rule.span, "this rule stands here twice");
                self.report(warning.second(earlier, "first written here"));
            }
            return;
        }
        let id = rules.len() as u32;
        rules.push(rule);
        self.known.insert_unique(hash, (hash, id), |&(hash, _)| hash);
    }

    fn check_contradictions(&mut self, body: &[Condition]) {
        for (i, condition) in body.iter().enumerate() {
            let message = match &condition.literal {
                Literal::Distinct(a, b) if a == b => "nothing is distinct from itself",
                Literal::Not(atom) if contains_atom(body, atom) => {
                    "this rule asks for a condition and its negation"
                }
                _ => continue,
            };
            let never = Diagnostic::new(Code::NeverTrue, body[i].span, message);
            self.report(never.label("the rule never fires"));
        }
    }
}

fn contains_atom(body: &[Condition], atom: &Atom) -> bool {
    body.iter().any(|condition| matches!(&condition.literal, Literal::Holds(other) if other == atom))
}

fn hash_rule(rule: &Rule) -> u64 {
    let mut hasher = FxHasher::default();
    rule.head.hash(&mut hasher);
    rule.literals().for_each(|literal| literal.hash(&mut hasher));
    hasher.finish()
}
