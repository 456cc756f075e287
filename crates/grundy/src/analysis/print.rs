//! Printing of an analysis: one line for each component, in order of dependence.

use super::{Analysis, Class};
use grundy_syntax::{Notation, PredicateId, Printer, Program};
use std::fmt::Write;

/// Predicates by component, with stratum, class and number of rules.
pub fn print_analysis(program: &Program, analysis: &Analysis) -> String {
    let printer = Printer::new(program, Notation::Kif);
    let mut out = String::new();
    for members in analysis.components() {
        let Some(&first) = members.first() else { continue };
        let stratum = analysis.stratum(analysis.component_of(first));
        let class = match analysis.class(first) {
            Class::Static => "static",
            Class::State => "state",
            Class::Move => "move",
        };
        let rules = |predicate: PredicateId| {
            program.rules.iter().filter(move |rule| rule.head.predicate == predicate)
        };
        let conditions = || members.iter().flat_map(|&member| rules(member)).flat_map(|rule| rule.literals());
        let recursive =
            conditions().filter_map(|literal| literal.atom()).any(|atom| members.contains(&atom.predicate));
        let names: Vec<String> = members
            .iter()
            .map(|&member| format!("{} ({})", printer.predicate(member), rules(member).count()))
            .collect();
        let mark = if recursive { "  recursive" } else { "" };
        let _ = writeln!(out, "stratum {:<3} {class:<7} {}{mark}", stratum, names.join(", "));
    }
    out
}
