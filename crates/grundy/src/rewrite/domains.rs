//! The possible values of each column: abstract interpretation of the reachable rows, one column at a time. The result is an
//! over-approximation.

use crate::datalog::Relations;
use crate::flat::{Flat, FlatLiteral, FlatRule, RelationId, RelationKind, rules_in_order};
use crate::ids::{Id, IdVec, narrow};
use grundy_syntax::{Term, Ticks, VariableId};

/// A set of term ids, or the set of all terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Domain {
    words: Vec<u64>,
    any: bool,
}

/// The assumed number of values of a column without a known domain. A guess.
const ANY_SIZE: f64 = 100.0;

impl Domain {
    fn any() -> Domain {
        Domain { words: Vec::new(), any: true }
    }

    fn insert(&mut self, value: u32) -> bool {
        let (word, bit) = (value.index() / 64, 1 << (value % 64));
        if self.any {
            return false;
        }
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    fn contains(&self, value: u32) -> bool {
        self.any || self.words.get(value.index() / 64).is_some_and(|word| word & (1 << (value % 64)) != 0)
    }

    fn is_empty(&self) -> bool {
        !self.any && self.words.iter().all(|&word| word == 0)
    }

    fn intersect(&mut self, other: &Domain) {
        match (self.any, other.any) {
            (_, true) => {}
            (true, false) => *self = other.clone(),
            (false, false) => {
                self.words.truncate(other.words.len());
                self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine &= theirs);
            }
        }
    }

    /// Adds all values of another domain. Returns whether any is new.
    fn unite(&mut self, other: &Domain) -> bool {
        if self.any || other.any {
            let new = !self.any;
            self.any = true;
            return new;
        }
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut new = false;
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            new |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        new
    }

    /// The values; `None` for all terms.
    pub(crate) fn values(&self) -> Option<impl Iterator<Item = u32> + '_> {
        let bits = |(number, &word): (usize, &u64)| {
            (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| narrow(number) * 64 + bit)
        };
        (!self.any).then(|| self.words.iter().enumerate().flat_map(bits))
    }

    /// The number of values.
    pub(crate) fn size(&self) -> f64 {
        if self.any {
            ANY_SIZE
        } else {
            f64::from(self.words.iter().map(|word| word.count_ones()).sum::<u32>())
        }
    }
}

/// For each relation its columns.
pub(crate) type Domains = IdVec<RelationId, Vec<Domain>>;

/// The least domains that the rules allow, given the rows of the static relations.
pub(crate) fn infer(flat: &Flat, relations: &Relations) -> Domains {
    let mut domains: Domains =
        flat.relations.iter().map(|info| vec![Domain::default(); info.arity]).collect();
    let mut reached = flat.no_relations();
    for (relation, rows) in relations.entries() {
        if flat.relations[relation].kind == RelationKind::Static {
            for row in (0..rows.len()).map(|row| rows.row(row)) {
                row.iter().zip(&mut domains[relation]).for_each(|(value, domain)| _ = domain.insert(value));
            }
            reached.set(relation, rows.len() > 0);
        }
    }
    let dynamic = |rule: &&FlatRule| {
        let head = rule.head.relation;
        flat.relations[head].kind != RelationKind::Static || relations.get(head).is_none()
    };
    let order = rules_in_order(flat);
    let mut ticks = Ticks::default();
    let mut changed = true;
    while changed && !flat.budget.is_over() {
        changed = false;
        for rule in order.iter().map(|&id| &flat.rules[id]).filter(dynamic) {
            if ticks.work(&flat.budget, 8 * (1 + rule.variables + rule.body.len())).is_err() {
                break;
            }
            let Some(variables) =
                variable_domains(flat, rule, &domains, |relation| reached.contains(relation))
            else {
                continue;
            };
            let head = rule.head.relation;
            changed |= reached.insert(head);
            for (column, &arg) in rule.head.args.iter().enumerate() {
                changed |= match flat.terms.get(arg) {
                    Term::Variable(variable) => domains[head][column].unite(&variables[variable]),
                    Term::Constant(_) => domains[head][column].insert(arg.0),
                    Term::Compound(..) => domains[head][column].unite(&Domain::any()),
                };
            }
        }
    }
    domains
}

/// The domain of each variable of a rule; `None` if the rule cannot match.
pub(super) fn variable_domains(
    flat: &Flat,
    rule: &FlatRule,
    domains: &Domains,
    reached: impl Fn(RelationId) -> bool,
) -> Option<IdVec<VariableId, Domain>> {
    let mut variables = IdVec::filled(Domain::any(), rule.variables);
    for literal in &rule.body {
        let FlatLiteral::Holds(atom) = literal else { continue };
        let relation = atom.relation;
        if !reached(relation) {
            return None;
        }
        for (&arg, domain) in atom.args.iter().zip(&domains[relation]) {
            match flat.terms.get(arg) {
                Term::Variable(variable) => variables[variable].intersect(domain),
                Term::Constant(_) if !domain.contains(arg.0) => return None,
                _ => {}
            }
        }
    }
    variables.iter().all(|domain| !domain.is_empty()).then_some(variables)
}
