//! Checks of the conditions of a merged program.

use super::{Merger, WORK_OF_CONDITION, own_name};
use crate::features::error::File;
use crate::features::merge::predicates_below;
use grundy_syntax::{Atom, Dialect, Exhausted, Keyword, Literal, PredicateId, Program, Rule, Span};
use rustc_hash::FxHashSet;

impl Merger<'_> {
    /// Every condition is about something: a fact of the state, or what a rule defines.
    pub(super) fn check_conditions(&mut self) -> Result<(), Exhausted> {
        let theory = self.theory;
        let needed = self.needed();
        let mut sources: Vec<(File, &Program, &Rule)> = Vec::new();
        sources.extend(self.source.rules.iter().map(|rule| (File::Features, self.source, rule)));
        if theory.dialect == Dialect::Theory {
            let rules = theory.rules.iter().filter(|rule| needed.contains(&rule.head.predicate));
            sources.extend(rules.map(|rule| (File::Theory, theory, rule)));
        }
        for (file, program, rule) in sources {
            for condition in &rule.body {
                self.ticks.work(&self.budget, WORK_OF_CONDITION)?;
                if let Some(atom) = condition.literal.atom() {
                    self.check_condition(file, program, atom, condition.span);
                }
            }
        }
        Ok(())
    }

    /// The predicates of the theory that the features depend on.
    fn needed(&self) -> FxHashSet<PredicateId> {
        let (theory, source) = (self.theory, self.source);
        let atoms = source.rules.iter().flat_map(|rule| rule.literals().filter_map(Literal::atom));
        let named = atoms.filter_map(|atom| {
            let info = source.info(atom.predicate);
            theory.find_predicate(source.symbols.name(info.name), info.arity)
        });
        predicates_below(theory, named)
    }

    fn check_condition(&mut self, file: File, program: &Program, atom: &Atom, span: Span) {
        let (name, arity) = own_name(program, atom);
        let keyword = program.info(atom.predicate).keyword;
        let does = keyword == Some(Keyword::Does)
            || (self.theory.dialect == Dialect::Theory && name == "does" && arity == 1);
        if does {
            let hint = "a feature is valued in a position, before anybody moves";
            self.find(file, span, "a feature cannot depend on the moves that are made", "", hint);
            return;
        }
        if keyword.is_some() {
            return;
        }
        let key = (name, arity);
        if self.known.contains(&key) {
            return;
        }
        let (name, arity) = key;
        let message = format!("`{name}/{arity}` is neither declared dynamic nor defined by a clause");
        let hint = match self.theory.dialect {
            Dialect::Theory => format!("facts of the state are declared: `:- dynamic {name}/{arity}.`"),
            Dialect::Game => format!("facts of the state are asked for with `(true ({name} …))`"),
        };
        let hint = self.other_arity(&name, arity).unwrap_or(hint);
        self.find(file, span, &message, "nothing is known about this", &hint);
    }

    /// A hint if the name is right and the number of arguments is not.
    fn other_arity(&self, name: &str, arity: usize) -> Option<String> {
        let others = [self.theory, self.source].into_iter().flat_map(known_names);
        let found = others.into_iter().find(|(other, count)| other == name && *count != arity)?;
        Some(format!("there is `{}/{}`", found.0, found.1))
    }
}

/// Name and arity of each predicate that has a rule or is declared.
pub(super) fn known_names(program: &Program) -> impl Iterator<Item = (String, usize)> {
    let declared = program.dynamic.iter().map(|declaration| {
        let info = program.info(declaration.predicate);
        (program.symbols.name(info.name).to_owned(), info.arity)
    });
    program.rules.iter().map(|rule| own_name(program, &rule.head)).chain(declared)
}
