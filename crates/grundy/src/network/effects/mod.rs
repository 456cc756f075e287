//! The effects of each move: next values partially evaluated (cofactored) with respect to the moves.
//!
//! Exactly one of hundreds of moves is played at a step, so most of what decides the next state is known once the move
//! is. Each move gets a list of the fluents whose next value it changes, with the cofactor of that value: the next value
//! with the move set to true and all others to false, in which moves no longer occur. All other fluents get the value
//! that they have when no move is played ([`Quiet`](quiet::Quiet)), which is nearly always the fluent itself (a frame
//! axiom).
//!
//! Moves of which at most one is played at a time form a *slot* (`slots.rs`); in most games there is one slot. Where
//! several roles move at once, the moves of other slots stay in the values as inputs.

mod afford;
mod quiet;
mod replies;
mod scope;
mod slots;
mod trace;

use super::{Builder, Fluent, FluentId, MoveId, Network, Signal};
use crate::ids::IdVec;
use afford::Costs;
use grundy_syntax::{Budget, Exhausted, Ticks};
use quiet::{Quiet, WORK};
pub(crate) use replies::with_safe_moves;
use scope::Scope;
use slots::Slot;
use trace::Tracer;

/// A fluent that a move may change, and its next value when that move is played.
pub(crate) type Effect = (FluentId, Signal);

/// A network with the effects of each move.
pub(crate) struct Effects {
    /// The network, with additional nodes after all others. The next value of a fluent is now correct if no move with an
    /// effect on it is played.
    pub(crate) network: Network,
    pub(crate) of_move: IdVec<MoveId, MoveEffects>,
    /// Signals that effects depend on and that are too large to be evaluated with each move.
    pub(crate) kept: Vec<Signal>,
}

/// The effects of a move. All lists are in the order of the fluents.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoveEffects {
    /// If no other move is played that has a contested fluent in common with it.
    pub(crate) alone: Vec<Effect>,
    /// If there is one; moves that are played together agree about a fluent.
    pub(crate) together: Vec<Effect>,
    /// Fluents that it may change, as moves of other slots may.
    pub(crate) contested: Vec<FluentId>,
}

/// Computes the effects of all moves. Next values that are cheaper to keep up to date than to evaluate with each move
/// are left alone.
pub(crate) fn effects(network: &Network, budget: &Budget) -> Result<Effects, Exhausted> {
    let interface = network.interface();
    let scope = Scope::new(network, budget)?;
    let slots = slots::slots(interface, &scope);
    budget.check_room(Builder::bytes_for(network.node_count(), network.edge_count()))?;
    let mut builder = Builder::resume(network);
    let all: Vec<&Slot> = slots.iter().collect();
    let quiet = Quiet::new(&mut builder, network, &scope, &all, budget)?;
    let traced = of_moves(&mut builder, network, &scope, &slots, &quiet, budget)?;
    let Some((mut of_move, is_complete)) = traced else {
        let of_move = IdVec::filled(MoveEffects::default(), interface.moves.len());
        return Ok(Effects { network: network.clone(), of_move, kept: Vec::new() });
    };
    let costs = Costs::new(&builder, network, &scope);
    let mut affordable = costs.affordable(&scope, &of_move);
    affordable.iter_mut().zip(is_complete).for_each(|(affordable, complete)| *affordable &= complete);
    let mut interface = interface.clone();
    for (info, _) in interface.fluents.iter_mut().zip(&affordable).filter(|(_, affordable)| **affordable) {
        info.next = quiet.value(info.next);
    }
    if let [slot] = &slots[..] {
        let nexts: IdVec<FluentId, Signal> = interface.fluents.iter().map(|info| info.next).collect();
        let mut ticks = Ticks::default();
        for fluent in nexts.ids().filter(|&fluent| affordable[fluent]) {
            ticks.work(budget, WORK * slot.group.len())?;
            let stays = Signal::of(interface.fluent_node(fluent));
            if prefer(&mut of_move, slot, fluent, nexts[fluent], stays) {
                interface.fluents[fluent].next = stays;
            }
        }
    }
    budget.check_with(builder.bytes())?;
    afford::leave_out_kept(&builder, network.interface(), &mut interface, &of_move, &mut affordable);
    of_move.iter_mut().for_each(|effects| effects.retain(|fluent| affordable[fluent]));
    let kept = costs.kept(&builder, &of_move);
    budget.check()?;
    Ok(Effects { network: builder.finish(interface), of_move, kept })
}

/// The next values of all fluents, move by move, in games in which one move matters at a time.
pub(crate) struct Outcomes {
    /// The next value of each fluent if the move has no effect on it.
    pub(crate) quiet: IdVec<FluentId, Signal>,
    pub(crate) of_move: IdVec<MoveId, MoveEffects>,
    /// For each fluent whether its next values are complete; otherwise they were too large to be computed.
    pub(crate) is_complete: IdVec<FluentId, bool>,
}

/// Computes the effects of all moves; `None` if several moves matter at once, or if there is too much to trace.
pub(crate) fn outcomes(
    builder: &mut Builder,
    network: &Network,
    budget: &Budget,
) -> Result<Option<Outcomes>, Exhausted> {
    let scope = Scope::new(network, budget)?;
    let slots = slots::slots(network.interface(), &scope);
    let all: Vec<&Slot> = slots.iter().collect();
    let quiet = Quiet::new(builder, network, &scope, &all, budget)?;
    let traced = of_moves(builder, network, &scope, &slots, &quiet, budget)?;
    let Some((of_move, is_traced)) = traced else { return Ok(None) };
    let fluents = &network.interface().fluents;
    let has_all = |(fluent, info): (FluentId, &Fluent)| {
        is_traced[fluent] && (scope.has_fluent[fluent] || !scope.is_moved.contains(info.next.node()))
    };
    let is_complete = fluents.entries().map(has_all).collect();
    let quiet = fluents.iter().map(|info| quiet.value(info.next)).collect();
    Ok((slots.len() <= 1).then_some(Outcomes { quiet, of_move, is_complete }))
}

impl MoveEffects {
    fn retain(&mut self, is_wanted: impl Fn(FluentId) -> bool) {
        self.alone.retain(|&(fluent, _)| is_wanted(fluent));
        self.together.retain(|&(fluent, _)| is_wanted(fluent));
        self.contested.retain(|&fluent| is_wanted(fluent));
    }
}

/// The effects of all moves, and for each fluent whether they are complete.
type AllEffects = (IdVec<MoveId, MoveEffects>, IdVec<FluentId, bool>);

/// The effects of all moves; `None` if that would take too long.
fn of_moves(
    builder: &mut Builder,
    network: &Network,
    scope: &Scope,
    slots: &[Slot],
    all_quiet: &Quiet,
    budget: &Budget,
) -> Result<Option<AllEffects>, Exhausted> {
    let mut of_move = IdVec::filled(MoveEffects::default(), network.interface().moves.len());
    let mut tracer = Tracer::new(network, scope, budget);
    for slot in slots {
        for &member in &slot.moves {
            let effects = tracer.trace(builder, slot, all_quiet, member);
            budget.check_with(builder.bytes())?;
            let Some(effects) = effects else { return Ok(None) };
            of_move[member].alone = effects;
        }
    }
    if slots.len() > 1 {
        for slot in slots {
            let quiet = Quiet::new(builder, network, scope, &[slot], budget)?;
            for &member in &slot.moves {
                let effects = tracer.trace(builder, slot, &quiet, member);
                budget.check_with(builder.bytes())?;
                let Some(effects) = effects else { return Ok(None) };
                of_move[member].together = effects;
            }
        }
        find_contested(&mut of_move, slots, network.interface().fluents.len());
    }
    Ok(Some((of_move, tracer.finish())))
}

/// Finds the fluents that moves of several slots can change.
fn find_contested(of_move: &mut IdVec<MoveId, MoveEffects>, slots: &[Slot], fluents: usize) {
    /// The slot that can change a fluent.
    #[derive(Clone, Copy, PartialEq)]
    enum By {
        None,
        One(usize),
        Several,
    }
    let mut changed: IdVec<FluentId, By> = IdVec::filled(By::None, fluents);
    for (number, slot) in slots.iter().enumerate() {
        for &(fluent, _) in slot.moves.iter().flat_map(|&member| &of_move[member].together) {
            let by = &mut changed[fluent];
            *by = if *by == By::None || *by == By::One(number) { By::One(number) } else { By::Several };
        }
    }
    for effects in of_move.iter_mut() {
        let fluents = effects.together.iter().map(|&(fluent, _)| fluent);
        effects.contested = fluents.filter(|&fluent| changed[fluent] == By::Several).collect();
    }
}

/// Changes the value that a fluent gets from moves without an effect on it, if most moves give it the other value.
fn prefer(
    of_move: &mut IdVec<MoveId, MoveEffects>,
    slot: &Slot,
    fluent: FluentId,
    value: Signal,
    other: Signal,
) -> bool {
    if value == other || slot.group.len() < slot.moves.len() {
        return false;
    }
    let find = |effects: &MoveEffects| effects.alone.binary_search_by_key(&fluent, |&(fluent, _)| fluent);
    let is_other = |effects: &&MoveEffects| find(effects).is_ok_and(|at| effects.alone[at].1 == other);
    let as_other = slot.group.iter().map(|&member| &of_move[member]).filter(is_other).count();
    if as_other * 2 <= slot.group.len() {
        return false;
    }
    for &member in &slot.group {
        let effects = &mut of_move[member];
        match find(effects) {
            Err(at) => effects.alone.insert(at, (fluent, value)),
            Ok(at) if effects.alone[at].1 == other => drop(effects.alone.remove(at)),
            Ok(_) => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::effects;
    use crate::network::Signal;
    use crate::network::testing::{network, optimized};
    use grundy_syntax::Budget;

    /// A cell is filled by one move and emptied by another; all others leave it alone.
    #[test]
    fn a_move_has_effects_where_it_makes_a_difference() {
        let rules = "(<= (next (f 1)) (does r (a 1)) (true (f 2))) \
                     (<= (next (f 1)) (true (f 1)) (not (does r (a 2)))) (<= (next (f 2)) (does r noop))";
        let network = optimized(network(rules), &["single-input"]);
        let interface = network.interface();
        let value = |fluent| Signal::of(interface.fluent_node(fluent));
        let (one, two) = (interface.find_fluent("(f 1)").unwrap(), interface.find_fluent("(f 2)").unwrap());
        let effects = effects(&network, &Budget::default()).expect("the budget has no bounds");
        let of = |text: &str| {
            let (played, _) = interface.moves.entries().find(|(_, m)| m.text == text).unwrap();
            &effects.of_move[played].alone
        };
        assert_eq!(*of("(a 2)"), [(one, Signal::FALSE)]);
        assert_eq!(*of("noop"), [(two, Signal::TRUE)]);
        assert_eq!(of("(a 3)").len(), 0);
        assert_eq!(of("(a 1)")[0].0, one);
        let nexts = &effects.network.interface().fluents;
        assert_eq!((nexts[one].next, nexts[two].next), (value(one), Signal::FALSE));
    }
}
