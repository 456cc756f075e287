//! The components that each answer depends on, in order of evaluation.

use super::phases::classes;
use crate::analysis::Class;
use crate::datalog::RulePlans;
use crate::flat::{Flat, FlatLiteral, FlatRuleId, Origin, RelationId};
use crate::graph::{Graph, component_of};
use crate::ids::{BitSet, Id, IdVec};
use grundy_syntax::{Keyword, Program};

/// An answer about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

impl Id for Answer {
    fn new(index: usize) -> Answer {
        Answer::ALL[index]
    }

    fn index(self) -> usize {
        // `ALL` lists the answers in the order of their declaration.
        self as usize
    }
}

grundy_syntax::define_id! {
    /// A component of relations that depend on each other; it comes after those that it reads.
    pub(super) struct ComponentId(u32);
}

/// Relations that depend on each other, with their rules.
pub(super) struct Component {
    pub(super) members: Vec<RelationId>,
    pub(super) rules: Vec<FlatRuleId>,
    pub(super) class: Class,
    /// Whether a member depends on the negation of a member.
    pub(super) has_negation: bool,
    /// The join plans; empty until they are made.
    pub(super) plans: Vec<RulePlans>,
}

/// The components, and those that each answer depends on, in order.
pub(super) struct Schedule {
    pub(super) components: IdVec<ComponentId, Component>,
    needed: IdVec<Answer, Vec<ComponentId>>,
}

impl Schedule {
    pub(super) fn new(program: &Program, flat: &Flat) -> Schedule {
        let classes = classes(program, flat);
        let rules = || flat.rules.entries().filter(|(_, rule)| rule.origin != Origin::Link);
        let mut graph = Graph::new(flat.relations.len());
        for (_, rule) in rules() {
            rule.relations_read().for_each(|read| graph.add_edge(rule.head.relation, read));
        }
        let members = graph.components();
        let numbers = component_of(&members, flat.relations.len());
        let component_of: ComponentOf = numbers.iter().map(|&number| ComponentId(number)).collect();
        let mut components: IdVec<ComponentId, Component> = IdVec::default();
        for members in members {
            let class = classes[members[0]];
            components.push(Component {
                members,
                rules: Vec::new(),
                class,
                has_negation: false,
                plans: Vec::new(),
            });
        }
        for (id, rule) in rules() {
            let component = component_of[rule.head.relation];
            let negated = |literal: &FlatLiteral| matches!(literal, FlatLiteral::Not(atom) if component_of[atom.relation] == component);
            components[component].has_negation |= rule.body.iter().any(negated);
            components[component].rules.push(id);
        }
        let needed = Answer::ALL.map(|answer| needed(program, flat, &components, &component_of, answer));
        Schedule { components, needed: needed.into_iter().collect() }
    }

    /// The components that an answer needs, in order of evaluation.
    pub(super) fn needed(&self, answer: Answer) -> &[ComponentId] {
        &self.needed[answer]
    }
}

/// The component of each relation.
type ComponentOf = IdVec<RelationId, ComponentId>;

fn needed(
    program: &Program,
    flat: &Flat,
    components: &IdVec<ComponentId, Component>,
    component_of: &ComponentOf,
    answer: Answer,
) -> Vec<ComponentId> {
    let predicate = program.keyword(answer.keyword());
    let mut needed = BitSet::empty(components.len());
    for (relation, _) in flat.relations.entries().filter(|(_, info)| Some(info.predicate) == predicate) {
        needed.set(component_of[relation], true);
    }
    // Components come after those that they depend on, so one reverse pass is enough.
    for id in components.ids().rev() {
        if needed.contains(id) {
            let read = components[id].rules.iter().flat_map(|&rule| flat.rules[rule].relations_read());
            read.for_each(|read| needed.set(component_of[read], true));
        }
    }
    needed.iter().filter(|&id| components[id].class != Class::Static).collect()
}
