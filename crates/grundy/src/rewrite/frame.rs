//! Frame rules, which are split and grounded last.
//!
//! A frame axiom `next(f) ← true(f), …` derives only facts that are possible without it, so reachability does not depend on
//! it. Such rules have many instances. Splitting them last uses the sizes of complete relations instead of estimates.

use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, Origin, RelationId, RelationKind};
use crate::ids::IdVec;
use grundy_syntax::TermId;

/// Removes the frame rules from a program.
pub(crate) fn take_frame_rules(flat: &mut Flat) -> Vec<FlatRule> {
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
    let is_frame_rule = |rule: &FlatRule| {
        matches!(rule.origin, Origin::Rule(_))
            && flat.info(rule.head.relation).kind == RelationKind::Dynamic
            && !readers[rule.head.relation].is_empty()
            && readers[rule.head.relation].iter().all(|reader| derives_own_condition(rule, reader))
    };
    let flags: Vec<bool> = flat.rules.iter().map(is_frame_rule).collect();
    let (frame_rules, rest): (Vec<_>, Vec<_>) =
        std::mem::take(&mut flat.rules).into_iter().zip(flags).partition(|(_, is_frame_rule)| *is_frame_rule);
    flat.rules = rest.into_iter().map(|(rule, _)| rule).collect();
    frame_rules.into_iter().map(|(rule, _)| rule).collect()
}

/// Whether a link, applied to the head of a rule, derives only an atom that is a condition of the rule.
fn derives_own_condition(rule: &FlatRule, link: &FlatRule) -> bool {
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
