//! Rules that can wait until all relations are complete.
//!
//! `next(f) ← true(f), …` says that something stays as it is, and derives nothing that could not be true before. There
//! are many instances of such rules, and when they are split, the sizes of all relations are known.

use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, Origin, RelationId, RelationKind};
use crate::ids::IdVec;
use grundy_syntax::TermId;

/// Takes such rules out of a program.
pub(crate) fn take_late(flat: &mut Flat) -> Vec<FlatRule> {
    let mut readers: IdVec<RelationId, Vec<&FlatRule>> = IdVec::filled(Vec::new(), flat.relations.len());
    for rule in &flat.rules {
        let is_matched = |literal: &&FlatLiteral| match literal {
            FlatLiteral::Not(atom) => flat.info(atom.relation).kind != RelationKind::Dynamic,
            FlatLiteral::Holds(_) | FlatLiteral::Distinct(_) => true,
        };
        for atom in rule.body.iter().filter(is_matched).filter_map(FlatLiteral::atom) {
            readers[atom.relation].push(rule);
        }
    }
    let is_late = |rule: &FlatRule| {
        matches!(rule.origin, Origin::Rule(_))
            && flat.info(rule.head.relation).kind == RelationKind::Dynamic
            && !readers[rule.head.relation].is_empty()
            && readers[rule.head.relation].iter().all(|reader| derives_what_is_there(rule, reader))
    };
    let late: Vec<bool> = flat.rules.iter().map(is_late).collect();
    let (late, rest): (Vec<_>, Vec<_>) =
        std::mem::take(&mut flat.rules).into_iter().zip(late).partition(|(_, is_late)| *is_late);
    flat.rules = rest.into_iter().map(|(rule, _)| rule).collect();
    late.into_iter().map(|(rule, _)| rule).collect()
}

/// Whether a link derives nothing from what a rule has derived but what the rule has asked for.
fn derives_what_is_there(rule: &FlatRule, link: &FlatRule) -> bool {
    let [FlatLiteral::Holds(linked)] = &link.body[..] else { return false };
    let value = |arg: &TermId| {
        let column = linked.args.iter().position(|other| other == arg)?;
        rule.head.args.get(column).copied()
    };
    let Some(args) = link.head.args.iter().map(value).collect::<Option<Box<[TermId]>>>() else {
        return false;
    };
    let derived = FlatLiteral::Holds(FlatAtom { relation: link.head.relation, args });
    link.origin == Origin::Link && rule.body.contains(&derived)
}
