//! [`Analysis`]: static analysis of a program.
//!
//! Every predicate has a [`Class`] and belongs to a component of mutually dependent predicates; each component depends on
//! earlier ones only. If no diagnostic [stops](grundy_syntax::Code::stops) it, the program is safe (every variable is bound
//! by a positive condition), stratified by ground atom as far as unification of heads and conditions shows, and, if it is a
//! game, complete.
//!
//! [`analyze`] runs all checks; each has a file of its own.

mod arity;
mod cycles;
mod facts;
mod findings;
mod game;
mod possible;
mod print;
mod recursion;
mod safety;
mod spelling;
mod suggest;
mod uses;

pub use print::print_analysis;

use crate::graph::{Graph, component_of};
use crate::ids::{BitSet, Csr, IdVec};
use findings::Findings;
use grundy_syntax::{
    Atom, Budget, Condition, Diagnostic, Dialect, Exhausted, Keyword, Literal, PredicateId, Program, RuleId,
    Source, Span, Stage, tidy,
};

/// What the atoms of a predicate depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Neither state nor moves: the same in all states.
    Static,
    /// The state: `true`, or dynamic facts of a theory.
    State,
    /// The moves as well.
    Move,
}

/// Classes, components and strata of the predicates of a program.
#[derive(Clone, Debug)]
pub struct Analysis {
    components: Vec<Vec<PredicateId>>,
    component_of: IdVec<PredicateId, ComponentId>,
    classes: IdVec<PredicateId, Class>,
    strata: IdVec<ComponentId, usize>,
}

grundy_syntax::define_id! {
    /// A component of mutually dependent predicates: its position in [`Analysis::components`].
    pub struct ComponentId(u32);
}

impl Analysis {
    /// Components of mutually dependent predicates; each depends on earlier ones only.
    pub fn components(&self) -> &[Vec<PredicateId>] {
        &self.components
    }

    /// The members of a component.
    pub fn component(&self, component: ComponentId) -> &[PredicateId] {
        &self.components[component.index()]
    }

    /// The component of a predicate.
    pub fn component_of(&self, predicate: PredicateId) -> ComponentId {
        self.component_of[predicate]
    }

    /// The class of a predicate.
    pub fn class(&self, predicate: PredicateId) -> Class {
        self.classes[predicate]
    }

    /// The stratum of a component: the largest number of negations on a path to what it depends on.
    pub fn stratum(&self, component: ComponentId) -> usize {
        self.strata[component]
    }

    fn same_component(&self, a: PredicateId, b: PredicateId) -> bool {
        self.component_of(a) == self.component_of(b)
    }
}

/// A check of a program.
type Check = fn(&Context<'_>, &mut Findings<'_>);

/// All checks in order, and whether they apply to games only.
const CHECKS: [(Check, bool); 9] = [
    (arity::check, false),
    (game::check, true),
    (spelling::check, false),
    (spelling::pair_singletons, false),
    (uses::check, false),
    (facts::check, true),
    (safety::check, false),
    (cycles::check, false),
    (recursion::check, false),
];

/// Analyses a program, and adds its errors and warnings to the diagnostics.
pub fn analyze(
    source: &Source,
    program: &Program,
    diagnostics: &mut Vec<Diagnostic>,
    budget: &Budget,
) -> Result<Analysis, Exhausted> {
    budget.enter(Stage::Check);
    let analysis = classify(program);
    let context = Context::new(source, program, &analysis);
    let mut findings = Findings::new(diagnostics);
    let is_game = program.dialect == Dialect::Game;
    for (check, _) in CHECKS.iter().filter(|(_, for_games)| is_game || !for_games) {
        budget.check()?;
        check(&context, &mut findings);
    }
    findings.drop_consequences();
    tidy(diagnostics);
    budget.check()?;
    Ok(analysis)
}

/// The input of the checks.
struct Context<'a> {
    source: &'a Source,
    program: &'a Program,
    analysis: &'a Analysis,
    /// The predicates with a rule, or with facts in states from outside.
    defined: BitSet<PredicateId>,
}

impl<'a> Context<'a> {
    fn new(source: &'a Source, program: &'a Program, analysis: &'a Analysis) -> Context<'a> {
        let mut defined = BitSet::empty(program.predicate_count());
        let heads = program.rules.iter().map(|rule| rule.head.predicate);
        let declared = program.dynamic.iter().map(|declaration| declaration.predicate);
        heads.chain(declared).for_each(|predicate| defined.set(predicate, true));
        Context { source, program, analysis, defined }
    }

    fn is_defined(&self, predicate: PredicateId) -> bool {
        self.defined.contains(predicate)
    }

    /// All conditions of rules and constraints.
    fn conditions(&self) -> impl Iterator<Item = &'a Condition> + use<'a> {
        let of_rules = self.program.rules.iter().flat_map(|rule| &rule.body);
        of_rules.chain(self.program.constraints.iter().flat_map(|constraint| &constraint.body))
    }

    /// All atoms of heads and conditions, with their spans.
    fn atoms(&self) -> impl Iterator<Item = (&'a Atom, Span)> + use<'a> {
        let in_body = |condition: &'a Condition| Some((condition.literal.atom()?, condition.span));
        let of_rules = self.program.rules.iter().flat_map(move |rule| {
            std::iter::once((&rule.head, rule.head_span)).chain(rule.body.iter().filter_map(in_body))
        });
        let constraints = self.program.constraints.iter().flat_map(|constraint| &constraint.body);
        of_rules.chain(constraints.filter_map(in_body))
    }

    /// The rules that define the predicates of each component, in the order of the text.
    fn rules_of_components(&self) -> Csr<ComponentId, RuleId> {
        rules_by_component(self.program, &self.analysis.component_of, self.analysis.components.len())
    }
}

/// Classes, components and strata, without checks.
pub fn classify(program: &Program) -> Analysis {
    let count = program.predicate_count();
    let mut graph = Graph::new(count);
    for rule in &program.rules {
        for atom in rule.literals().filter_map(Literal::atom) {
            graph.add_edge(rule.head.predicate, atom.predicate);
        }
    }
    let components: Vec<Vec<PredicateId>> = graph.components();
    let numbers = component_of(&components, count);
    let component_of = numbers.iter().map(|&number| ComponentId(number)).collect();
    let mut classes = given_classes(program);
    let mut strata: IdVec<ComponentId, usize> = IdVec::filled(0, components.len());
    let rules_of = rules_by_component(program, &component_of, components.len());
    for (component, members) in strata.ids().zip(&components) {
        let mut class = members.iter().map(|&member| classes[member]).max().unwrap_or(Class::Static);
        for &rule in &rules_of[component] {
            for literal in program.rule(rule).literals() {
                let Some(atom) = literal.atom() else { continue };
                class = class.max(classes[atom.predicate]);
                let negated = usize::from(matches!(literal, Literal::Not(_)));
                let below = component_of[atom.predicate];
                if below != component {
                    strata[component] = strata[component].max(strata[below] + negated);
                }
            }
        }
        members.iter().for_each(|&member| classes[member] = class);
    }
    Analysis { components, component_of, classes, strata }
}

/// The initial classes: those of the predicates with facts from outside.
fn given_classes(program: &Program) -> IdVec<PredicateId, Class> {
    let mut classes = IdVec::filled(Class::Static, program.predicate_count());
    for declaration in &program.dynamic {
        classes[declaration.predicate] = Class::State;
    }
    for (keyword, class) in [(Keyword::True, Class::State), (Keyword::Does, Class::Move)] {
        if let Some(predicate) = program.keyword(keyword) {
            classes[predicate] = class;
        }
    }
    classes
}

fn rules_by_component(
    program: &Program,
    component_of: &IdVec<PredicateId, ComponentId>,
    components: usize,
) -> Csr<ComponentId, RuleId> {
    let rules = program.rules_by_id();
    Csr::grouped(components, rules.map(|(id, rule)| (component_of[rule.head.predicate], id)))
}
