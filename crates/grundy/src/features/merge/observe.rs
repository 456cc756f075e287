//! Features as percepts of an observer.

use super::{Feature, Merger};
use crate::features::error::File;
use crate::ids::ids;
use grundy_syntax::{Atom, Condition, Keyword, Literal, Program, Rule, Span, Symbols, Term, TermId, Terms};

impl Merger<'_> {
    /// For a feature that no other clause reads: its own clauses conclude what the observer sees.
    pub(super) fn observe_directly(&mut self, number: usize, feature: &Feature) {
        let observer = self.program.roles()[0];
        let sees = self.program.predicate(Keyword::Sees.name(), 2);
        let count = self.features.len();
        let Program { rules, terms, symbols, .. } = &mut self.program;
        for rule in rules.iter_mut().filter(|rule| rule.head.predicate == feature.predicate) {
            let percept = percept((symbols, terms), feature, &rule.head.args, (number, count));
            rule.head = Atom { predicate: sees, args: Box::new([observer, percept]) };
        }
    }

    /// `sees(observer, f(X, …)) ← f(X, …)`
    pub(super) fn observation(&mut self, number: usize, feature: &Feature) -> Rule {
        let observer = self.program.roles()[0];
        let count = self.features.len();
        let Program { terms, symbols, .. } = &mut self.program;
        let args: Vec<TermId> = ids(feature.arity).map(|variable| terms.variable(variable)).collect();
        let variables = (0..feature.arity).map(|v| symbols.intern(&format!("?v{v}"))).collect();
        let percept = percept((symbols, terms), feature, &args, (number, count));
        let sees = self.program.predicate(Keyword::Sees.name(), 2);
        let body = Literal::Holds(Atom { predicate: feature.predicate, args: args.into() });
        let span = Span::new(feature.place.span.start, feature.place.span.end);
        let offset = if feature.place.file == File::Features { self.offset } else { 0 };
        let span = Span::new(span.start + offset, span.end + offset);
        Rule {
            head: Atom { predicate: sees, args: Box::new([observer, percept]) },
            body: vec![Condition { literal: body, span }],
            variables,
            span,
            head_span: span,
        }
    }
}

/// The names of the functions that group percepts begin with this.
pub(in crate::features) const GROUP: &str = "group ";

/// The largest number of functions in one column. Grounding splits a column by function only up to a limit near this.
const GROUP_SIZE: usize = 40;

/// The percept of a solution. Features are grouped, and groups are grouped again, so that no column holds too many
/// functions.
fn percept(
    (symbols, terms): (&mut Symbols, &mut Terms),
    feature: &Feature,
    args: &[TermId],
    (mut number, mut count): (usize, usize),
) -> TermId {
    let mut percept = terms.compound(symbols.intern(&observation_name(feature)), args);
    let mut level = 0;
    while count > GROUP_SIZE {
        (number, count, level) = (number / GROUP_SIZE, count.div_ceil(GROUP_SIZE), level + 1);
        percept = terms.compound(symbols.intern(&format!("{GROUP}{level} {number}")), &[percept]);
    }
    percept
}

/// A percept without the groups around it.
pub(in crate::features) fn ungrouped(
    symbols: &Symbols,
    terms: &Terms,
    mut percept: TermId,
    row: &[u32],
) -> TermId {
    loop {
        match terms.get(percept) {
            Term::Variable(column) => percept = TermId(row[column.index()]),
            Term::Compound(name, [inner]) if symbols.name(name).starts_with(GROUP) => percept = *inner,
            _ => return percept,
        }
    }
}

/// The function of the percepts of a feature. Two features may share a name, but not name and arity.
pub(in crate::features) fn observation_name(feature: &Feature) -> String {
    format!("{}/{}", feature.name, feature.arity)
}
