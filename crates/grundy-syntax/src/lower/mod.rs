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
use crate::ordered_set::OrderedSet;
use crate::program::{
    Atom, Condition, Constraint, Declaration, Dialect, Literal, PredicateId, Program, Rule, SymbolId, TermId,
};
use crate::source::Span;
use equality::{Budget, Substitution, Unsolved};
use hashbrown::HashTable;
use normal_form::{Simple, TooMuch};
use rustc_hash::{FxHashSet, FxHasher};
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
    /// The predicates of the program's declarations.
    declared: FxHashSet<PredicateId>,
    /// How many warnings and how many errors are kept.
    kept: [usize; 2],
    /// Arguments of the terms that are being built, outermost first.
    args: Vec<TermId>,
}

impl Lowering {
    pub(crate) fn new(dialect: Dialect, limits: &Limits) -> Lowering {
        Lowering {
            program: Program::new(dialect),
            limits: *limits,
            diagnostics: Vec::new(),
            known: HashTable::new(),
            declared: FxHashSet::default(),
            kept: [0; 2],
            args: Vec::new(),
        }
    }

    /// Keeps a finding, within the limit. Warnings never push out an error: a program that came
    /// without one is trusted.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        let kept = &mut self.kept[usize::from(diagnostic.is_error())];
        if *kept < self.limits.diagnostics {
            *kept += 1;
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether the limit on rules is reached; says so, at this place, if it is.
    pub(crate) fn is_full(&mut self, place: Span) -> bool {
        let full = self.program.rules.len() + self.program.constraints.len() >= self.limits.rules;
        if full {
            let message = format!("more than {} rules (limit `rules`)", self.limits.rules);
            self.report(Diagnostic::new(Code::RuleLimit, place, message));
        }
        full
    }

    /// Declares a dynamic predicate.
    pub(crate) fn add_declaration(&mut self, name: SymbolId, arity: usize, span: Span) {
        let predicate = self.program.predicate_of(name, arity);
        if self.declared.insert(predicate) {
            self.program.dynamic.push(Declaration { predicate, span });
        }
    }

    /// Adds the rules that a clause stands for.
    pub(crate) fn add_clause(&mut self, clause: &Clause) {
        variables::check_use_of_variables(self, clause);
        let branches = match normal_form::branches(&clause.body, self.limits.branches) {
            Ok(branches) => branches,
            Err(excess) => return self.report_branch_limit(clause.span, excess),
        };
        // Solving may look at everything a few times, and do some work on top of that.
        let steps = (clause.span.range().len() * branches.len()).saturating_mul(4) + 10_000;
        // A rule is printed with `<=`, `not` and an atom around its terms, and is to be read again.
        let mut budget = Budget { steps, depth: self.limits.nesting.saturating_sub(2) };
        let first_new = self.program.rules.len();
        for branch in &branches {
            self.add_branch(clause, branch, &mut budget, first_new);
        }
    }

    fn report_branch_limit(&mut self, place: Span, excess: TooMuch) {
        let what = match excess {
            TooMuch::Branches => format!("more than {} rules", self.limits.branches),
            TooMuch::Conditions(most) => format!("rules with more than {most} conditions in all"),
        };
        let message = format!("this rule would become {what} (limit `branches`)");
        self.report(Diagnostic::new(Code::BranchLimit, place, message));
    }

    fn add_branch(&mut self, clause: &Clause, branch: &[Simple<'_>], budget: &mut Budget, first_new: usize) {
        let substitution = match equality::solve(clause.head.as_ref(), branch, budget) {
            Ok(substitution) => substitution,
            Err(Unsolved::Never(place)) => {
                let never = Diagnostic::new(Code::NeverTrue, place, "these two terms are never equal");
                return self.report(never.label("the rule never fires"));
            }
            Err(Unsolved::TooLarge) => {
                let message = "the terms that have to be equal here grow too large (limit `nesting`)";
                return self.report(Diagnostic::new(Code::NestingLimit, clause.span, message));
            }
        };
        let mut numbering = Numbering::new();
        let head = clause.head.as_ref().map(|head| self.atom(head, &substitution, &mut numbering));
        let body = self.body(branch, &substitution, &mut numbering);
        let variables = numbering.names();
        match head {
            None => self.program.constraints.push(Constraint { body, variables, span: clause.span }),
            Some(head) => {
                let head_span = clause.head.as_ref().map_or(clause.span, |head| head.span);
                self.add_rule(Rule { head, body, variables, span: clause.span, head_span }, first_new);
            }
        }
    }

    fn body<'f>(
        &mut self,
        branch: &[Simple<'f>],
        substitution: &Substitution<'f>,
        numbering: &mut Numbering,
    ) -> Vec<Condition> {
        let mut literals = OrderedSet::new();
        let mut spans = Vec::with_capacity(branch.len());
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
            if let (_, true) = literals.insert(literal) {
                spans.push(span);
            }
        }
        self.check_contradictions(&literals, &spans);
        let conditions = literals.into_items().into_iter().zip(spans);
        conditions.map(|(literal, span)| Condition { literal, span }).collect()
    }

    fn atom<'f>(
        &mut self,
        atom: &'f Expr,
        substitution: &Substitution<'f>,
        numbering: &mut Numbering,
    ) -> Atom {
        match &atom.kind {
            ExprKind::Apply(name, args) => Atom {
                predicate: self.program.predicate_of(*name, args.len()),
                args: args.iter().map(|arg| self.term(arg, substitution, numbering)).collect(),
            },
            ExprKind::Variable(_) => unreachable!("the readers reject variables in the place of atoms"),
        }
    }

    fn term<'f>(
        &mut self,
        term: &'f Expr,
        substitution: &Substitution<'f>,
        numbering: &mut Numbering,
    ) -> TermId {
        match &substitution.resolve(term).kind {
            ExprKind::Variable(variable) => self.program.terms.variable(numbering.number(*variable)),
            ExprKind::Apply(name, args) => {
                let first = self.args.len();
                for arg in args {
                    let arg = self.term(arg, substitution, numbering);
                    self.args.push(arg);
                }
                let term = self.program.terms.compound(*name, &self.args[first..]);
                self.args.truncate(first);
                term
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

    fn check_contradictions(&mut self, literals: &OrderedSet<Literal>, spans: &[Span]) {
        for (literal, &span) in literals.items().iter().zip(spans) {
            let message = match literal {
                Literal::Distinct(a, b) if a == b => "nothing is distinct from itself",
                Literal::Not(atom) if literals.find(&Literal::Holds(atom.clone())).is_some() => {
                    "this rule asks for a condition and its negation"
                }
                _ => continue,
            };
            let never = Diagnostic::new(Code::NeverTrue, span, message);
            self.report(never.label("the rule never fires"));
        }
    }
}

fn hash_rule(rule: &Rule) -> u64 {
    let mut hasher = FxHasher::default();
    rule.head.hash(&mut hasher);
    rule.literals().for_each(|literal| literal.hash(&mut hasher));
    hasher.finish()
}
