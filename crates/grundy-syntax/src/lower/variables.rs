//! Numbers for variables, and what looks odd about their use in a clause.

use super::Lowering;
use crate::clause::{Clause, Variable};
use crate::diagnostic::{Code, Diagnostic};
use crate::ordered_set::OrderedSet;
use crate::program::{SymbolId, VariableId};
use crate::source::Span;

/// Numbers variables in the order in which it meets them.
pub(super) struct Numbering {
    variables: OrderedSet<Variable>,
}

impl Numbering {
    pub(super) fn new() -> Numbering {
        Numbering { variables: OrderedSet::new() }
    }

    pub(super) fn number(&mut self, variable: Variable) -> VariableId {
        VariableId::new(self.variables.insert(variable).0)
    }

    pub(super) fn names(&self) -> Vec<SymbolId> {
        self.variables.items().iter().map(|variable| variable.name).collect()
    }
}

/// Warns about variables that stand alone, and about «unused» ones that do not.
pub(super) fn check_use_of_variables(lowering: &mut Lowering, clause: &Clause) {
    // The variables of a fact are unsafe, which is an error that says more.
    if clause.body.is_empty() {
        return;
    }
    let mut variables = OrderedSet::new();
    let mut uses: Vec<(Span, usize)> = Vec::new();
    let mut count = |variable: Variable, span: Span| match variables.insert(variable) {
        (_, true) => uses.push((span, 1)),
        (known, false) => uses[known].1 += 1,
    };
    clause.head.iter().for_each(|head| head.for_each_variable(&mut count));
    for formula in &clause.body {
        formula.for_each_expr(&mut |expr| expr.for_each_variable(&mut count));
    }
    for (variable, &(span, count)) in variables.items().iter().zip(&uses) {
        let name = lowering.program.symbols.name(variable.name);
        let marked = name.trim_start_matches('?').starts_with('_');
        if count == 1 && !marked {
            let sigil = if name.starts_with('?') { "?" } else { "" };
            let hint = format!("if it may be anything, call it `{sigil}_{}`", name.trim_start_matches('?'));
            let message = format!("the variable `{name}` is used only once");
            lowering.report(Diagnostic::new(Code::SingletonVariable, span, message).hint(hint));
        } else if count > 1 && marked && variable.anonymous == 0 {
            let message = format!("the variable `{name}` is marked as unused, but stands here {count} times");
            lowering.report(Diagnostic::new(Code::UnusedVariable, span, message));
        }
    }
}
