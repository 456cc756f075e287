//! Rules that are there already: equal up to renaming, or special cases of others.

use super::partial::Partial;
use super::unfolder::Unfolder;
use crate::ids::{BitSet, IdVec, wide};
use crate::metarules::clause::Clause;
use crate::metarules::pattern::{STEPS_OF_SIGNATURE, contains, is_variant, signature};
use grundy_syntax::{Literal, TermId};
use rustc_hash::FxHashMap;

/// Rules that were seen before, up to renaming.
#[derive(Default)]
pub(super) struct Seen(FxHashMap<u64, Vec<HeadAndBody>>);

/// What is seen of a rule from outside, and its conditions.
type HeadAndBody = (Vec<TermId>, Vec<Literal>);

impl Seen {
    /// Whether a rule was seen; from now on it was.
    pub(super) fn contains(&mut self, unfolder: &Unfolder<'_>, rule: &Partial) -> bool {
        let terms = &unfolder.domain.program.terms;
        let outside = rule.outside();
        let body: Vec<Literal> = rule.body.iter().map(|goal| goal.literal.clone()).collect();
        let size = STEPS_OF_SIGNATURE * wide(body.len());
        if unfolder.work.work(size).is_err() {
            return false;
        }
        let same = self.0.entry(signature(terms, &outside, &body)).or_default();
        let found = same
            .iter()
            .any(|(head, other)| is_variant(terms, (&outside, &body), (head, other), unfolder.work));
        if !found {
            same.push((outside, body));
        }
        found
    }
}

grundy_syntax::define_id! {
    /// A finished rule.
    pub(super) struct ResultId(u32);
}

/// Finished rules, each once up to renaming.
#[derive(Default)]
pub(super) struct Results {
    pub(super) clauses: IdVec<ResultId, Clause>,
    by_signature: FxHashMap<u64, Vec<ResultId>>,
}

/// More rules than this are not compared with each other.
const MOST_COMPARED: usize = 3_000;

impl Results {
    pub(super) fn insert(&mut self, unfolder: &mut Unfolder<'_>, clause: Clause) {
        if unfolder.work.work(STEPS_OF_SIGNATURE * wide(clause.body.len())).is_err() {
            return;
        }
        let terms = &unfolder.domain.program.terms;
        let same = self.by_signature.entry(signature(terms, &clause.head.args, &clause.body)).or_default();
        let (clauses, work) = (&self.clauses, unfolder.work);
        let is_known = |&other: &ResultId| {
            let other = &clauses[other];
            is_variant(terms, (&clause.head.args, &clause.body), (&other.head.args, &other.body), work)
        };
        if same.iter().any(is_known) {
            unfolder.counts.duplicates += 1;
            return;
        }
        same.push(self.clauses.push(clause));
    }

    /// The rules without those that another one covers.
    pub(super) fn without_special_cases(self, unfolder: &mut Unfolder<'_>) -> Vec<Clause> {
        if self.clauses.len() > MOST_COMPARED || !unfolder.config.kinds.useless {
            return self.clauses.into_iter().collect();
        }
        let terms = &unfolder.domain.program.terms;
        // The head takes part as a condition of a predicate that occurs nowhere in bodies.
        let whole = |clause: &Clause| {
            std::iter::once(Literal::Holds(clause.head.clone()))
                .chain(clause.body.iter().cloned())
                .collect::<Vec<_>>()
        };
        let all: IdVec<ResultId, Vec<Literal>> = self.clauses.iter().map(whole).collect();
        let mut is_covered = BitSet::empty(all.len());
        for at in all.ids() {
            let body: Vec<&Literal> = all[at].iter().collect();
            let covered = all.ids().any(|other| {
                other != at
                    && !is_covered.contains(other)
                    && all[other].len() <= all[at].len()
                    && contains(terms, &all[other], &body, unfolder.work)
            });
            if covered {
                is_covered.set(at, true);
                unfolder.counts.duplicates += 1;
            }
        }
        let ids = self.clauses.ids();
        ids.zip(self.clauses).filter(|(id, _)| !is_covered.contains(*id)).map(|(_, clause)| clause).collect()
    }
}
