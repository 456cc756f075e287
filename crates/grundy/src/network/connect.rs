//! From a ground program to its network, rule by rule: a rule is an AND, an atom the OR of its rules.

use super::{Builder, Fluent, Goal, Interface, Kind, Move, MoveId, Network, Open, Percept, RoleId, Signal};
use crate::graph::components;
use crate::ground::{AtomId, GroundLiteral, GroundProgram};
use crate::ids::{BitSet, Csr, Id, ids, length, narrow};
use grundy_syntax::{Budget, Exhausted, Keyword, Stage, Ticks};
use rustc_hash::FxHashMap;

/// Why a ground program has no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// An atom depends on its own negation.
    #[error("`{0}` depends on its own negation")]
    NegationCycle(String),
    /// A predicate was left lifted when the game was ground.
    #[error(
        "`{0}` has too many instances to be ground (limit `instances`); only the lifted engine can evaluate it"
    )]
    Lifted(String),
    /// There are more rules than a network can hold.
    #[error("the network would have too many edges (limit `edges`)")]
    TooLarge,
    /// The budget was used up.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

/// More edges do not fit into numbers of 32 bits, with a bit for inversion.
const MOST_EDGES: u64 = 1 << 30;

/// The work for a condition, as [`Ticks`] count it.
const WORK: usize = 8;

/// Makes the network of a ground program. Predicates that stayed lifted may matter for the end of a game, goals and percepts:
/// these answers are left [open](Open).
pub fn connect(ground: &GroundProgram, budget: &Budget) -> Result<Network, ConnectError> {
    budget.enter(Stage::Network);
    if ground.literal_count() + ground.rule_count() + u64::from(ground.atom_count()) > MOST_EDGES {
        return Err(ConnectError::TooLarge);
    }
    let rules = RulesByHead::new(ground, budget)?;
    let components = rules.components(budget)?;
    let (mut interface, mut signals) = inputs(ground, &rules, budget)?;
    interface.open = open_answers(ground, &rules, &components)?;
    let mut ticks = Ticks::default();
    let mut builder =
        Builder::with_capacity(&interface, length(ground.rule_count()), length(ground.literal_count()));
    for members in components {
        ticks.work(budget, WORK * members.iter().map(|&member| rules.size(member)).sum::<usize>())?;
        if let [only] = members[..]
            && !rules.mentions(only, only)
        {
            if !rules.of(only).is_empty() {
                let mut ands = ands(&mut builder, &rules, &signals, only);
                signals[only.index()] = builder.node(Kind::Or, &mut ands);
            }
        } else {
            connect_loop(ground, &mut builder, &rules, &mut signals, &members)?;
        }
    }
    budget.check_with(builder.bytes())?;
    outputs(ground, &signals, &mut interface);
    Ok(builder.finish(interface))
}

/// The answers that depend on external atoms. Moves and what follows from them may not: passes rely on these.
fn open_answers(
    ground: &GroundProgram,
    rules: &RulesByHead,
    components: &[Vec<u32>],
) -> Result<Open, ConnectError> {
    let Some(lifted) = ground.lifted().first() else { return Ok(Open::default()) };
    let name = ground.program().name(ground.lifted_predicate(lifted)).to_owned();
    let mut unknown = vec![false; ground.atom_count().index()];
    ground.external_atoms().for_each(|atom| unknown[atom.index()] = true);
    for members in components {
        let conditions =
            members.iter().flat_map(|&member| rules.of(member)).flat_map(|&rule| rules.body(rule));
        if conditions.map(|literal| literal.atom).any(|atom| unknown[atom.index()]) {
            members.iter().for_each(|&member| unknown[member.index()] = true);
        }
    }
    let is_open = |keyword| ground.atoms_of(keyword).any(|atom| unknown[atom.index()]);
    if is_open(Keyword::Legal) || is_open(Keyword::Next) {
        return Err(ConnectError::Lifted(name));
    }
    let (terminal, goals) = (is_open(Keyword::Terminal), is_open(Keyword::Goal));
    Ok(Open { terminal, goals, sees: is_open(Keyword::Sees), because_of: name })
}

/// The atoms of a cycle get their nodes first, and the inputs of these later.
fn connect_loop(
    ground: &GroundProgram,
    builder: &mut Builder,
    rules: &RulesByHead,
    signals: &mut [Signal],
    members: &[u32],
) -> Result<(), ConnectError> {
    for &member in members {
        let negated =
            |literal: &GroundLiteral| !literal.positive && members.binary_search(&literal.atom.0).is_ok();
        if rules.of(member).iter().any(|&rule| rules.body(rule).iter().any(negated)) {
            return Err(ConnectError::NegationCycle(ground.atom_text(AtomId(member))));
        }
    }
    builder.open_loop();
    let nodes: Vec<_> = members.iter().map(|_| builder.reserve()).collect();
    for (&member, &node) in members.iter().zip(&nodes) {
        signals[member.index()] = Signal::of(node);
    }
    for (&member, &node) in members.iter().zip(&nodes) {
        let mut ands = ands(builder, rules, signals, member);
        ands.sort_unstable();
        ands.dedup();
        builder.define(node, Kind::Or, &ands);
    }
    builder.close_loop();
    Ok(())
}

/// A node for each rule of an atom.
fn ands(builder: &mut Builder, rules: &RulesByHead, signals: &[Signal], head: u32) -> Vec<Signal> {
    let mut inputs = Vec::new();
    let and = |&rule: &u32| {
        inputs.clear();
        let signal = |literal: &GroundLiteral| signals[literal.atom.index()].inverted_if(!literal.positive);
        inputs.extend(rules.body(rule).iter().map(signal));
        builder.node(Kind::And, &mut inputs)
    };
    rules.of(head).iter().map(and).collect()
}

/// The rules of a ground program, sorted by the atom that they lead to.
pub(crate) struct RulesByHead {
    /// The conditions of each rule.
    bodies: Csr<u32, GroundLiteral>,
    /// The rules of each atom.
    rules: Csr<u32, u32>,
}

impl RulesByHead {
    pub(crate) fn new(ground: &GroundProgram, budget: &Budget) -> Result<RulesByHead, Exhausted> {
        let (rules, literals) = (length(ground.rule_count()), length(ground.literal_count()));
        budget.check_room(rules * 3 * size_of::<u32>() + literals * size_of::<GroundLiteral>())?;
        let mut ticks = Ticks::default();
        let mut bodies = Csr::with_capacity(rules, literals);
        let mut heads = Vec::with_capacity(rules);
        ground.for_each_rule(|head, body| {
            // The rest is over soon, and of no use then.
            if ticks.work(budget, WORK * (1 + body.len())).is_err() {
                return;
            }
            heads.push((head.0, bodies.push(body.iter().copied())));
        });
        budget.check()?;
        let rules = Csr::grouped(ground.atom_count().index(), heads.iter().copied());
        Ok(RulesByHead { bodies, rules })
    }

    pub(crate) fn of(&self, head: u32) -> &[u32] {
        &self.rules[head]
    }

    pub(crate) fn body(&self, rule: u32) -> &[GroundLiteral] {
        &self.bodies[rule]
    }

    /// The rules of an atom and their conditions, counted.
    fn size(&self, head: u32) -> usize {
        self.of(head).iter().map(|&rule| 1 + self.body(rule).len()).sum()
    }

    /// The atoms that are a condition somewhere.
    fn mentioned(&self) -> BitSet<AtomId> {
        let mut mentioned = BitSet::empty(self.rules.len());
        self.bodies.items().iter().for_each(|literal| mentioned.set(literal.atom, true));
        mentioned
    }

    pub(crate) fn mentions(&self, head: u32, atom: u32) -> bool {
        self.of(head).iter().any(|&rule| self.body(rule).iter().any(|literal| literal.atom.0 == atom))
    }

    /// Atoms that depend on each other, each behind all that it needs.
    pub(crate) fn components(&self, budget: &Budget) -> Result<Vec<Vec<u32>>, Exhausted> {
        let needs =
            |head| self.of(head).iter().flat_map(|&rule| self.body(rule)).map(|literal| literal.atom.0);
        let edges: Csr<u32, u32> = ids(self.rules.len()).map(needs).collect();
        components(&edges, budget)
    }
}

/// The interface without outputs, and the signals of the atoms that are inputs. What is asked for nowhere, and never
/// becomes true, is no input.
fn inputs(
    ground: &GroundProgram,
    rules: &RulesByHead,
    budget: &Budget,
) -> Result<(Interface, Vec<Signal>), Exhausted> {
    let roles = ground.role_names();
    let mut fluents: Vec<String> = Vec::new();
    let is_mentioned = rules.mentioned();
    let is_there = |atom: &AtomId| is_mentioned.contains(*atom) || !rules.of(atom.0).is_empty();
    for keyword in [Keyword::True, Keyword::Next] {
        fluents.extend(ground.atoms_of(keyword).filter(is_there).map(|atom| ground.arg_text(atom, 0)));
    }
    let mut initial: Vec<String> = Vec::new();
    let collected = ground.each_initial(|fact| {
        initial.push(fact.to_owned());
        Ok(())
    });
    debug_assert!(collected.is_ok(), "collecting does not fail");
    budget.check()?;
    initial.sort_unstable();
    fluents.extend_from_slice(&initial);
    fluents.sort_unstable();
    fluents.dedup();
    let role_of = roles_by_name(&roles);
    let mut moves: Vec<(RoleId, String)> = Vec::new();
    for keyword in [Keyword::Legal, Keyword::Does] {
        moves.extend(
            ground.atoms_of(keyword).filter(is_there).filter_map(|atom| {
                Some((*role_of.get(&ground.arg_text(atom, 0))?, ground.arg_text(atom, 1)))
            }),
        );
    }
    budget.check()?;
    moves.sort_unstable();
    moves.dedup();
    let mut interface = Interface::default();
    let is_initial = |text: &String| initial.binary_search(text).is_ok();
    interface.fluents = fluents
        .into_iter()
        .map(|text| Fluent { initial: is_initial(&text), text, next: Signal::FALSE })
        .collect();
    interface.moves = moves
        .into_iter()
        .map(|(role, text)| Move { role, text, legal: Signal::FALSE, guard: Signal::TRUE })
        .collect();
    interface.moves_of = (0..roles.len() as u16)
        .map(|role| {
            let first = |role| narrow(interface.moves.partition_point(|m| m.role < RoleId(role)));
            first(role)..first(role + 1)
        })
        .collect();
    interface.goals = vec![Vec::new(); roles.len()];
    interface.sees = vec![Vec::new(); roles.len()];
    interface.roles = roles;
    let signals = input_signals(ground, &interface);
    Ok((interface, signals))
}

fn roles_by_name(roles: &[String]) -> FxHashMap<String, RoleId> {
    roles.iter().enumerate().map(|(number, name)| (name.clone(), RoleId(number as u16))).collect()
}

/// The signals of `true` and `does`; everything else is false until a rule says otherwise.
fn input_signals(ground: &GroundProgram, interface: &Interface) -> Vec<Signal> {
    let mut signals = vec![Signal::FALSE; ground.atom_count().index()];
    let role_of = roles_by_name(&interface.roles);
    for atom in ground.atoms_of(Keyword::True) {
        if let Some(fluent) = find_fluent(interface, &ground.arg_text(atom, 0)) {
            signals[atom.index()] = Signal::of(interface.fluent_node(fluent));
        }
    }
    for atom in ground.atoms_of(Keyword::Does) {
        if let Some(&role) = role_of.get(&ground.arg_text(atom, 0))
            && let Some(found) = find_move(interface, role, &ground.arg_text(atom, 1))
        {
            signals[atom.index()] = Signal::of(interface.move_node(found));
        }
    }
    signals
}

fn outputs(ground: &GroundProgram, signals: &[Signal], interface: &mut Interface) {
    let signal = |atom: AtomId| signals[atom.index()];
    let role_of = roles_by_name(&interface.roles);
    let of_role = |keyword| {
        let role_of = &role_of;
        ground.atoms_of(keyword).filter_map(move |atom| {
            Some((atom, *role_of.get(&ground.arg_text(atom, 0))?, ground.arg_text(atom, 1)))
        })
    };
    for atom in ground.atoms_of(Keyword::Next) {
        if let Some(fluent) = find_fluent(interface, &ground.arg_text(atom, 0)) {
            interface.fluents[fluent].next = signal(atom);
        }
    }
    for (atom, role, text) in of_role(Keyword::Legal) {
        if let Some(found) = find_move(interface, role, &text) {
            interface.moves[found.index()].legal = signal(atom);
        }
    }
    for (atom, role, text) in of_role(Keyword::Goal) {
        let goal = Goal { value: text.parse().ok(), holds: signal(atom) };
        interface.goals[role.index()].push(goal);
    }
    for (atom, role, text) in of_role(Keyword::Sees) {
        interface.sees[role.index()].push(Percept { text, holds: signal(atom) });
    }
    interface.sees.iter_mut().for_each(|percepts| percepts.sort_by(|a, b| a.text.cmp(&b.text)));
    interface.terminal =
        ground.atoms_of(Keyword::Terminal).next().map_or(Signal::FALSE, |atom| signals[atom.index()]);
}

/// The fluent of this text.
pub(crate) fn find_fluent(interface: &Interface, text: &str) -> Option<usize> {
    interface.fluents.binary_search_by(|fluent| fluent.text.as_str().cmp(text)).ok()
}

/// The move of this role and text.
pub(super) fn find_move(interface: &Interface, role: RoleId, text: &str) -> Option<MoveId> {
    let range = interface.moves_of(role);
    let moves = &interface.moves[range.start.index()..range.end.index()];
    let found = moves.binary_search_by(|one_move| one_move.text.as_str().cmp(text)).ok()?;
    Some(MoveId(range.start + narrow(found)))
}
