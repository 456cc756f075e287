//! Lowering: from clauses, one at a time, to the rules of a [`Program`].
//!
//! 1. [`normal_form`]: `or` becomes several rules, `not` moves inwards.
//! 2. [`equality`]: what has to be equal is made equal.
//! 3. Variables are numbered, names and terms interned, conditions and rules that stand there
//!    already are dropped.

mod equality;
mod normal_form;
mod variables;

use crate::budget::Ticks;
use crate::clause::{Clause, Expr, ExprKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::ids::{Id, narrow};
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
    ticks: Ticks,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Rules of the program by what they say, each with its hash: to hash a rule again when the
    /// table grows would touch memory all over the place.
    known: HashTable<(u64, u32)>,
    /// The predicates of the program's declarations.
    declared: FxHashSet<PredicateId>,
    /// Keywords that have been reported as names.
    keywords_as_names: FxHashSet<SymbolId>,
    /// How many warnings and how many errors are kept.
    kept: [usize; 2],
    /// Arguments of the terms that are being built, outermost first.
    args: Vec<TermId>,
}

impl Lowering {
    pub(crate) fn new(dialect: Dialect, limits: &Limits) -> Lowering {
        Lowering {
            program: Program::new(dialect),
            limits: limits.clone(),
            ticks: Ticks::default(),
            diagnostics: Vec::new(),
            known: HashTable::new(),
            declared: FxHashSet::default(),
            keywords_as_names: FxHashSet::default(),
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

    /// Reports that a keyword is used as a name, at the first place only: such a name is everywhere.
    pub(crate) fn report_keyword_as_name(&mut self, word: &str, warning: Diagnostic) {
        let word = self.program.symbols.intern(word);
        if self.keywords_as_names.insert(word) {
            self.report(warning);
        }
    }

    /// Whether the limit on rules is reached or the budget is used up; reports it at this place if so.
    pub(crate) fn is_full(&mut self, place: Span) -> bool {
        self.limits.budget.at_rule(place);
        if let Err(exhausted) = self.ticks.work(&self.limits.budget, place.range().len()) {
            self.report(Diagnostic::new(Code::ReadBudget, place, exhausted.to_string()));
            return true;
        }
        let full = self.program.rules.len() + self.program.constraints.len() >= self.limits.rules;
        if full {
            let message = format!("more than {} rules (limit `rules`)", self.limits.rules);
            let hint = "`--max-source-rules N` raises the limit";
            self.report(Diagnostic::new(Code::RuleLimit, place, message).hint(hint));
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
            Err(excess) => {
                self.report_branch_limit(clause.span, excess);
                return self.leave_out(clause);
            }
        };
        // Solving may look at everything a few times, and do some work on top of that.
        let steps = 10_000 + 4 * clause.span.range().len() * branches.len();
        // A rule is printed with `<=`, `not` and an atom around its terms, and is to be read again.
        let mut budget = Budget { steps, depth: self.limits.nesting.saturating_sub(2) };
        let first_new = self.program.rules.len();
        if branches.is_empty() {
            self.leave_out(clause);
        }
        for branch in &branches {
            if let Some(rule) = self.lower_branch(clause, branch, &mut budget) {
                self.add_rule(rule, first_new, branches.len() > 1);
            }
        }
    }

    /// Remembers the names of a clause that became no rule, or not all of its rules.
    fn leave_out(&mut self, clause: &Clause) {
        let left_out = &mut self.program.left_out;
        let mut insert = |name: SymbolId| _ = left_out.insert(name);
        clause.head.iter().for_each(|head| head.for_each_name(&mut insert));
        for formula in &clause.body {
            formula.for_each_expr(&mut |expr| expr.for_each_name(&mut insert));
        }
    }

    fn report_branch_limit(&mut self, place: Span, excess: TooMuch) {
        let what = match excess {
            TooMuch::Branches => format!("more than {} rules", self.limits.branches),
            TooMuch::Conditions(most) => format!("rules with more than {most} conditions in all"),
        };
        let message = format!("this rule would become {what} (limit `branches`)");
        let hint = "`--max-branches N` raises the limit; views keep the number of rules small";
        self.report(Diagnostic::new(Code::BranchLimit, place, message).hint(hint));
    }

    /// The rule of one branch. A constraint is no rule, and is added here.
    fn lower_branch(&mut self, clause: &Clause, branch: &[Simple<'_>], budget: &mut Budget) -> Option<Rule> {
        let substitution = match equality::solve(clause.head.as_ref(), branch, budget) {
            Ok(substitution) => substitution,
            Err(unsolved) => {
                self.report_unsolved(clause.span, unsolved);
                self.leave_out(clause);
                return None;
            }
        };
        let mut numbering = Numbering::new();
        let head = clause.head.as_ref().map(|head| self.atom(head, &substitution, &mut numbering));
        let body = self.body(branch, &substitution, &mut numbering);
        let variables = numbering.names();
        let Some(head) = head else {
            self.program.constraints.push(Constraint { body, variables, span: clause.span });
            return None;
        };
        let head_span = clause.head.as_ref().map_or(clause.span, |head| head.span);
        Some(Rule { head, body, variables, span: clause.span, head_span })
    }

    fn report_unsolved(&mut self, clause: Span, unsolved: Unsolved) {
        self.report(match unsolved {
            Unsolved::Never(place) => {
                let never = Diagnostic::new(Code::NeverTrue, place, "these two terms are never equal");
                never.label("the rule never fires")
            }
            Unsolved::TooLarge => {
                let message = "the terms that have to be equal here grow too large (limit `nesting`)";
                Diagnostic::new(Code::NestingLimit, clause, message)
                    .hint("`--max-nesting N` raises the limit")
            }
        });
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
    fn add_rule(&mut self, rule: Rule, first_new: usize, is_branch: bool) {
        let rules = &mut self.program.rules;
        let hash = hash_rule(&rule);
        let same = |&(other, id): &(u64, u32)| other == hash && rules[id.index()].same_as(&rule);
        if let Some(&(_, known)) = self.known.find(hash, same) {
            if (known.index()) < first_new {
                let earlier = rules[known.index()].span;
                let what = match (is_branch, rule.body.is_empty()) {
                    (true, _) => "a branch of this rule",
                    (false, true) => "this fact",
                    (false, false) => "this rule",
                };
                let message = format!("{what} is written twice");
                let warning = Diagnostic::new(Code::DuplicateRule, rule.span, message);
                self.report(warning.second(earlier, "first written here"));
            }
            return;
        }
        let id = narrow(rules.len());
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
