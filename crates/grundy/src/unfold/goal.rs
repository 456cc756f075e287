//! Goals as text: what to unfold.

use super::{Target, winning_target};
use crate::ids::narrow;
use crate::metarules::domain::{Domain, DomainLimits};
use crate::metarules::limits::MetaError;
use crate::metarules::ordering::variables_in;
use grundy_syntax::{Dialect, Keyword, Literal, Notation, PredicateId, Program, Source, TermId, read};

/// A goal that was read, before the domain is there.
#[derive(Clone, Debug)]
pub struct ParsedGoal {
    program: Program,
}

/// The head of the rule that a goal is read as.
const QUERY: &str = "query";

impl ParsedGoal {
    /// Reads a condition, or several, in a notation.
    pub fn read(text: &str, notation: Notation, dialect: Dialect) -> Result<ParsedGoal, MetaError> {
        let source = match notation {
            Notation::Kif => format!("(<= ({QUERY}) {text})"),
            Notation::Prolog => format!("{QUERY} :- {}.", text.trim().trim_end_matches('.')),
        };
        let reading = read(&Source::new("goal", source), notation, dialect, &Default::default());
        let error = reading.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        let bad = |why: &str| MetaError::BadGoal(format!("`{text}` is not a goal: {why}"));
        if let Some(error) = error {
            return Err(bad(&error.message));
        }
        match &reading.program.rules[..] {
            [rule] if !rule.body.is_empty() => Ok(ParsedGoal { program: reading.program }),
            _ => Err(bad("one condition is needed, or several")),
        }
    }

    /// The domain of a program in which this goal is unfolded.
    pub fn domain(&self, program: &Program, limits: &DomainLimits) -> Result<Domain, MetaError> {
        let literals = self.program.rules[0].literals().filter_map(Literal::atom);
        let own = |predicate: PredicateId| {
            let info = self.program.info(predicate);
            program.find_predicate(self.program.symbols.name(info.name), info.arity)
        };
        let goals: Vec<PredicateId> = literals.filter_map(|atom| own(atom.predicate)).collect();
        Domain::new(program, &goals, limits)
    }

    /// The conditions in a domain, and the number of their variables.
    pub(crate) fn literals(&self, domain: &mut Domain) -> Result<(Vec<Literal>, u32), MetaError> {
        let rule = &self.program.rules[0];
        let literals = rule
            .literals()
            .map(|literal| domain.import_literal(&self.program, literal))
            .collect::<Result<Vec<_>, _>>()?;
        let mut variants = domain.with_fluents(&literals)?;
        if variants.len() != 1 {
            return Err(MetaError::BadGoal("a goal names its facts".to_owned()));
        }
        Ok((variants.remove(0), narrow(rule.variables.len())))
    }

    /// The role and the value of a goal such as `(goal x 100)`.
    pub fn role_and_value(&self, domain: &mut Domain) -> Result<(TermId, TermId), MetaError> {
        let (literals, _) = self.literals(domain)?;
        match &literals[..] {
            [Literal::Holds(atom)] if domain.program.info(atom.predicate).keyword == Some(Keyword::Goal) => {
                Ok((atom.args[0], atom.args[1]))
            }
            _ => Err(MetaError::BadGoal("a goal value of a role is needed, such as (goal x 100)".to_owned())),
        }
    }

    /// What to unfold: these conditions after some moves. The goal value of a role has to be reached in a
    /// terminal state, and is named `wins`.
    pub fn target(&self, domain: &mut Domain, moves: u8) -> Result<Target, MetaError> {
        let (literals, variables) = self.literals(domain)?;
        if moves > 0 && domain.players() == 0 {
            return Err(MetaError::BadGoal(
                "the theory has no moves: it has no rules for `does` and `next`".to_owned(),
            ));
        }
        if let (Dialect::Game, [Literal::Holds(atom)]) = (domain.program.dialect, &literals[..])
            && domain.program.info(atom.predicate).keyword == Some(Keyword::Goal)
            && moves > 0
        {
            let (role, value) = (atom.args[0], atom.args[1]);
            return winning_target(domain, role, value, moves);
        }
        let args = self.arguments(domain, &literals);
        let players = domain.players();
        let shown_moves: Vec<(u8, usize)> =
            (0..moves).flat_map(|time| (0..players).map(move |player| (time, player))).collect();
        let head = self.head(domain, &literals, args.len() + shown_moves.len(), moves);
        let goals = literals.into_iter().map(|literal| (literal, moves)).collect();
        Ok(Target { head, args, shown_moves, goals, variables })
    }

    /// The arguments of a single goal, or all variables of several.
    fn arguments(&self, domain: &Domain, literals: &[Literal]) -> Vec<TermId> {
        if let [Literal::Holds(atom)] = literals {
            return atom.args.to_vec();
        }
        let terms: Vec<TermId> = literals.iter().flat_map(Literal::terms).collect();
        let mut variables = variables_in(&domain.program.terms, &terms);
        variables.sort_unstable();
        variables.dedup();
        let mut all: Vec<TermId> = Vec::new();
        for term in terms {
            if variables_in(&domain.program.terms, &[term]).len() == 1
                && !all.contains(&term)
                && !domain.program.terms.is_ground(term)
            {
                all.push(term);
            }
        }
        all
    }

    /// The predicate that the rules define: the goal itself, or a new one.
    fn head(&self, domain: &mut Domain, literals: &[Literal], arity: usize, moves: u8) -> PredicateId {
        let name = match literals {
            [Literal::Holds(atom)] if moves == 0 => return atom.predicate,
            [Literal::Holds(atom)] => {
                domain.program.name(atom.predicate).trim_start_matches("true ").to_owned()
            }
            _ => "goal".to_owned(),
        };
        let separator = if domain.program.dialect == Dialect::Game { '-' } else { '_' };
        let wish = match moves {
            0 => format!("{name}{separator}now"),
            1 => format!("{name}{separator}by"),
            _ => format!("{name}{separator}by{separator}{moves}"),
        };
        domain.new_view(&wish, arity)
    }
}
