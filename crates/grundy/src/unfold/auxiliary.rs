//! Auxiliary predicates: conditions that cannot be regressed piece by piece get a name, and rules of their own.

use super::partial::{Goal, Partial};
use super::unfolder::Unfolder;
use crate::ids::narrow;
use crate::metarules::domain::Kind;
use crate::metarules::ordering::variables_in;
use crate::metarules::pattern::is_variant;
use crate::metarules::terms::{Bindings, variables_of};
use grundy_syntax::{Atom, Dialect, Literal, PredicateId, TermId, VariableId};

/// A predicate that stands for an atom at a later time: what makes it true, asked before the moves.
#[derive(Clone, Debug)]
pub(super) struct Auxiliary {
    pub(super) predicate: PredicateId,
    pub(super) atom: Atom,
    pub(super) time: u8,
    /// The arguments (those of the atom, and the moves), with what is known of them where the
    /// predicate is asked for.
    pub(super) context: Partial,
}

impl Unfolder<'_> {
    /// A rule with a condition at a later time replaced by its auxiliary predicate.
    pub(super) fn with_auxiliary(
        &mut self,
        mut rest: Partial,
        atom: &Atom,
        time: u8,
        positive: bool,
    ) -> Partial {
        let levels = self.levels(&Goal::new(Literal::Holds(atom.clone()), time));
        let count = usize::from(levels) * self.domain.players();
        let mut context = match self.domain.is_recursive(atom.predicate) {
            // A context would grow from call to call.
            true => {
                let head = self.fresh(0, atom.args.len());
                let moves = self.fresh(narrow(atom.args.len()), count);
                Partial { head, moves, body: Vec::new(), variables: narrow(atom.args.len() + count) }
            }
            false => self.context(&rest, atom, count),
        };
        let args: Box<[TermId]> = atom.args.iter().chain(&rest.moves[..count]).copied().collect();
        context.substitute(&mut self.domain.program.terms, &Bindings::default());
        let predicate = self.auxiliary(atom, time, levels, context);
        let atom = Atom { predicate, args };
        rest.body.push(Goal::new(if positive { Literal::Holds(atom) } else { Literal::Not(atom) }, 0));
        rest
    }

    /// What a rule says about the arguments of an atom and the moves before it: conditions on the state
    /// before the moves that have no other variables than theirs, and those that they determine.
    pub(super) fn context(&self, rule: &Partial, atom: &Atom, moves: usize) -> Partial {
        let mut context = Partial {
            head: atom.args.to_vec(),
            moves: rule.moves[..moves].to_vec(),
            body: Vec::new(),
            variables: rule.variables,
        };
        let terms = &self.domain.program.terms;
        let mut known = variables_in(terms, &context.outside());
        let mut conditions: Vec<&Atom> = Vec::new();
        for goal in rule.body.iter().filter(|goal| goal.time == 0) {
            if let Literal::Holds(atom) = &goal.literal
                && matches!(self.domain.kind(atom.predicate), Kind::Fluent | Kind::Topology)
            {
                conditions.push(atom);
            }
        }
        loop {
            let before = known.len();
            for metarule in self.knowledge.single_valued_at(0) {
                for atom in conditions.iter().filter(|atom| atom.predicate == metarule.predicate) {
                    let key: Vec<TermId> =
                        metarule.key_arguments().iter().map(|&column| atom.args[column]).collect();
                    if variables_in(terms, &key).iter().all(|variable| known.contains(variable)) {
                        let value = variables_in(terms, &[atom.args[metarule.value]]);
                        known.extend(
                            value
                                .into_iter()
                                .filter(|variable| !known.contains(variable))
                                .collect::<Vec<_>>(),
                        );
                    }
                }
            }
            if known.len() == before {
                break;
            }
        }
        let is_known =
            |atom: &&&Atom| variables_in(terms, &atom.args).iter().all(|variable| known.contains(variable));
        let kept = conditions.iter().filter(is_known).map(|&atom| Goal::new(Literal::Holds(atom.clone()), 0));
        context.body = kept.collect();
        context
    }

    /// The auxiliary predicate for an atom in a context, new or known.
    pub(super) fn auxiliary(&mut self, atom: &Atom, time: u8, levels: u8, context: Partial) -> PredicateId {
        let atom = Atom { predicate: atom.predicate, args: context.head.clone().into() };
        let terms = &self.domain.program.terms;
        let literals =
            |context: &Partial| context.body.iter().map(|goal| goal.literal.clone()).collect::<Vec<_>>();
        let own = (context.outside(), literals(&context));
        let same = self.auxiliaries.iter().find(|other| {
            let theirs = (other.context.outside(), literals(&other.context));
            (other.atom.predicate, other.time) == (atom.predicate, time)
                && is_variant(terms, (&own.0, &own.1), (&theirs.0, &theirs.1), self.work)
        });
        if let Some(known) = same {
            return known.predicate;
        }
        let name = self.domain.program.name(atom.predicate);
        let name = name.strip_prefix("true ").unwrap_or(name).trim_end();
        let separator = if self.domain.program.dialect == Dialect::Game { '-' } else { '_' };
        let wish = match levels {
            1 => format!("{name}{separator}after"),
            _ => format!("{name}{separator}after{separator}{levels}{separator}moves"),
        };
        let predicate = self.domain.new_view(&wish, own.0.len());
        self.auxiliaries.push(Auxiliary { predicate, atom, time, context });
        predicate
    }

    /// The rules of an auxiliary predicate, to be unfolded: one for each definition.
    pub(super) fn auxiliary_rules(&mut self, auxiliary: &Auxiliary) -> Vec<Partial> {
        let mut rule = auxiliary.context.clone();
        let terms = &self.domain.program.terms;
        let bound: Vec<VariableId> =
            rule.body.iter().flat_map(|goal| variables_of(terms, &goal.literal)).collect();
        let moves = rule.moves.clone();
        if !variables_in(terms, &moves).iter().all(|variable| bound.contains(variable)) {
            rule.body.extend(self.legal_goals(&moves));
        }
        let Auxiliary { atom, time, .. } = auxiliary;
        if self.domain.kind(atom.predicate) == Kind::Does {
            return self.made(&rule, atom, *time);
        }
        let definitions = self.definitions(atom, *time);
        definitions.into_iter().filter_map(|(body, time)| self.resolve(&rule, atom, &body, time)).collect()
    }
}
