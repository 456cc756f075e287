//! Metarules and generated rules as text, in the notation of the source.

use super::branching::Branching;
use super::clause::{Clause, variable_names};
use super::domain::Domain;
use super::pattern::Pattern;
use super::single_valued::SingleValued;
use super::useless::Useless;
use crate::ids::{ids, narrow};
use grundy_syntax::{Atom, Dialect, Literal, Notation, PredicateId, Printer};

/// A metarule in print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The metarule.
    pub text: String,
    /// The conditions that it speaks of.
    pub conditions: Vec<String>,
}

/// Prints what was found in a domain.
pub struct MetaPrinter<'a> {
    domain: &'a mut Domain,
    notation: Notation,
}

impl<'a> MetaPrinter<'a> {
    /// A printer for what was found in this domain.
    pub fn new(domain: &'a mut Domain, notation: Notation) -> MetaPrinter<'a> {
        MetaPrinter { domain, notation }
    }

    /// An impossible pattern as an integrity constraint.
    pub fn impossible(&mut self, pattern: &Pattern) -> Printed {
        let conditions = self.literals(&pattern.literals, pattern.variables);
        Printed { text: self.constraint(&conditions), conditions }
    }

    /// A single-valued argument as an integrity constraint.
    pub fn single_valued(&mut self, metarule: &SingleValued) -> Printed {
        let arity = self.domain.program.info(metarule.predicate).arity;
        let literals = metarule.conditions(&mut self.domain.program.terms, arity);
        let conditions = self.literals(&literals, 2 * narrow(arity));
        Printed { text: self.constraint(&conditions), conditions }
    }

    /// A useless condition as a rule: it follows from what is given.
    pub fn useless(&mut self, metarule: &Useless) -> Printed {
        let mut literals = vec![metarule.condition.clone()];
        literals.extend(metarule.given.iter().cloned());
        let conditions = self.literals(&literals, metarule.variables);
        let (condition, given) = conditions.split_first().expect("there is a condition");
        let text = match self.notation {
            Notation::Kif => format!("(<= {condition} {})", given.join(" ")),
            Notation::Prolog => format!("{condition} :- {}.", given.join(", ")),
        };
        Printed { text, conditions }
    }

    /// A branching figure: `+` stands for a bound argument, `-` for a free one.
    pub fn branching(&mut self, figure: &Branching) -> String {
        let name = self.predicate(figure.predicate);
        let constant =
            |column: usize| figure.constant.filter(|(own, _)| *own == column).map(|(_, value)| value);
        let printer = Printer::new(&self.domain.program, self.notation);
        let argument = |(column, &bound): (usize, &bool)| match (constant(column), bound) {
            (Some(value), _) => printer.term(value, &[]),
            (None, true) => "+".to_owned(),
            (None, false) => "-".to_owned(),
        };
        let args: Vec<String> = figure.bound.iter().enumerate().map(argument).collect();
        match (self.notation, name.strip_prefix("true ")) {
            (Notation::Kif, Some(function)) => format!("(true ({function} {}))", args.join(" ")),
            (Notation::Kif, None) => format!("({name} {})", args.join(" ")),
            (Notation::Prolog, _) => format!("{name}({})", args.join(", ")),
        }
    }

    /// A proved dependency of the facts of a state in words: for each key, at most one value.
    pub fn invariant(&mut self, metarule: &SingleValued) -> String {
        let arity = self.domain.program.info(metarule.predicate).arity;
        let args: Vec<_> = ids(arity).map(|variable| self.domain.program.terms.variable(variable)).collect();
        let atom = Literal::Holds(Atom { predicate: metarule.predicate, args: args.into() });
        let fact = self.literals(&[atom], narrow(arity)).remove(0);
        let names = variable_names(&mut self.domain.program, narrow(arity));
        let names = Printer::new(&self.domain.program, self.notation).variable_names(&names);
        let key: Vec<&str> = metarule.key_arguments().iter().map(|&column| names[column].as_str()).collect();
        let value = &names[metarule.value];
        match key.is_empty() {
            true => format!("at most one {value} with {fact}"),
            false => format!("for each {}: at most one {value} with {fact}", key.join(", ")),
        }
    }

    /// How comments begin.
    pub fn comment(&self) -> &'static str {
        match self.notation {
            Notation::Kif => ";",
            Notation::Prolog => "%",
        }
    }

    /// The name of a predicate; a fluent of a game is `true` with its function.
    pub fn predicate(&self, predicate: PredicateId) -> String {
        self.domain.program.name(predicate).to_owned()
    }

    /// A generated rule.
    pub fn clause(&mut self, clause: &Clause) -> String {
        let body: Vec<Literal> = clause.body.iter().map(|literal| self.domain.in_source(literal)).collect();
        let clause = Clause { body, ..clause.clone() };
        let rule = clause.to_rule(&mut self.domain.program);
        Printer::new(&self.domain.program, self.notation).rule(&rule)
    }

    /// Conditions of one rule.
    pub fn literals(&mut self, literals: &[Literal], variables: u32) -> Vec<String> {
        let literals: Vec<Literal> = literals.iter().map(|literal| self.domain.in_source(literal)).collect();
        let names = variable_names(&mut self.domain.program, variables);
        let printer = Printer::new(&self.domain.program, self.notation);
        let names = printer.variable_names(&names);
        literals.iter().map(|literal| printer.literal(literal, &names)).collect()
    }

    fn constraint(&self, conditions: &[String]) -> String {
        match self.notation {
            Notation::Kif => format!("(<= impossible {})", conditions.join(" ")),
            Notation::Prolog => format!(":- {}.", conditions.join(", ")),
        }
    }
}

/// The notation in which a dialect is usually written.
pub fn usual_notation(dialect: Dialect) -> Notation {
    match dialect {
        Dialect::Game => Notation::Kif,
        Dialect::Theory => Notation::Prolog,
    }
}
