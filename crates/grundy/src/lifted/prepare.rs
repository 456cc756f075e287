//! What has to be evaluated for which answer, in which order.

use super::phases::classes;
use crate::analysis::Class;
use crate::datalog::RulePlans;
use crate::flat::{Flat, FlatLiteral, Origin};
use crate::graph::Graph;
use grundy_syntax::{Keyword, Program};

/// What a state can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Legal,
    Terminal,
    Goal,
    Next,
    Sees,
}

impl Answer {
    pub(super) const ALL: [Answer; 5] =
        [Answer::Legal, Answer::Terminal, Answer::Goal, Answer::Next, Answer::Sees];

    pub(super) fn keyword(self) -> Keyword {
        match self {
            Answer::Legal => Keyword::Legal,
            Answer::Terminal => Keyword::Terminal,
            Answer::Goal => Keyword::Goal,
            Answer::Next => Keyword::Next,
            Answer::Sees => Keyword::Sees,
        }
    }
}

/// Relations that depend on each other, with their rules.
pub(super) struct Component {
    pub(super) members: Vec<usize>,
    /// Numbers of flat rules.
    pub(super) rules: Vec<usize>,
    pub(super) class: Class,
    /// Whether a member depends on the negation of a member.
    pub(super) has_negation: bool,
    /// The join plans, once they are made.
    pub(super) plans: Vec<RulePlans>,
}

/// The components, and for each answer the numbers of those that it needs, in order.
pub(super) struct Schedule {
    pub(super) components: Vec<Component>,
    needed: Vec<Vec<usize>>,
}

impl Schedule {
    pub(super) fn new(program: &Program, flat: &Flat) -> Schedule {
        let classes = classes(program, flat);
        let rules = || flat.rules.iter().enumerate().filter(|(_, rule)| rule.origin != Origin::Link);
        let mut graph = Graph::new(flat.relations.len());
        for (_, rule) in rules() {
            for atom in rule.body.iter().filter_map(FlatLiteral::atom) {
                graph.add_edge(rule.head.relation.index(), atom.relation.index());
            }
        }
        let mut component_of = vec![0; flat.relations.len()];
        let mut components: Vec<Component> = Vec::new();
        for members in graph.components() {
            members.iter().for_each(|&member| component_of[member] = components.len());
            let class = classes[members[0]];
            components.push(Component {
                members,
                rules: Vec::new(),
                class,
                has_negation: false,
                plans: Vec::new(),
            });
        }
        for (number, rule) in rules() {
            let component = component_of[rule.head.relation.index()];
            let negated = |literal: &FlatLiteral| matches!(literal, FlatLiteral::Not(atom) if component_of[atom.relation.index()] == component);
            components[component].has_negation |= rule.body.iter().any(negated);
            components[component].rules.push(number);
        }
        let needed = Answer::ALL.map(|answer| needed(program, flat, &components, &component_of, answer));
        Schedule { components, needed: needed.to_vec() }
    }

    /// The components that an answer needs, in order of evaluation.
    pub(super) fn needed(&self, answer: Answer) -> &[usize] {
        &self.needed[answer as usize]
    }
}

fn needed(
    program: &Program,
    flat: &Flat,
    components: &[Component],
    component_of: &[usize],
    answer: Answer,
) -> Vec<usize> {
    let predicate = program.keyword(answer.keyword());
    let mut is_needed = vec![false; components.len()];
    for (relation, info) in flat.relations.iter().enumerate() {
        is_needed[component_of[relation]] |= Some(info.predicate) == predicate;
    }
    // A component stands behind all that it needs, so one pass from the end finds everything.
    for number in (0..components.len()).rev() {
        if !is_needed[number] {
            continue;
        }
        for &rule in &components[number].rules {
            for atom in flat.rules[rule].body.iter().filter_map(FlatLiteral::atom) {
                is_needed[component_of[atom.relation.index()]] = true;
            }
        }
    }
    let dynamic = |number: &usize| is_needed[*number] && components[*number].class != Class::Static;
    (0..components.len()).filter(dynamic).collect()
}
