//! What each move does, worked out before play.
//!
//! Nearly all that decides the next state depends on the move, of which exactly one is played: of hundreds of rules
//! about moves, a handful is left when that move is put into them. So every move gets a list of the fluents that it
//! makes a difference to, each with its next value, in which the move itself no longer occurs. The next value of all
//! other fluents is what it is when nobody plays anything ([`Quiet`](quiet::Quiet)), and that is nearly always the
//! fluent itself: it stays as it is.
//!
//! Moves of which at most one is played at a time are a *slot* (`slots.rs`), in most games all of them. Where several
//! roles move at once, moves of other slots are left in the values as they are.

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

/// A network of which part of the next state was worked out for each move.
pub(crate) struct Effects {
    /// The network, with more nodes behind all others. The next value of a fluent is now right if no move is played
    /// that has an effect on it.
    pub(crate) network: Network,
    pub(crate) of_move: IdVec<MoveId, MoveEffects>,
    /// What effects depend on and what is too large to be evaluated with each move.
    pub(crate) kept: Vec<Signal>,
}

/// What a move does. All lists are in the order of the fluents.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoveEffects {
    /// If no other move is played that has a contested fluent in common with it.
    pub(crate) alone: Vec<Effect>,
    /// If there is one; several moves that are played together agree about a fluent.
    pub(crate) together: Vec<Effect>,
    /// Fluents that it may change, as moves of other slots may.
    pub(crate) contested: Vec<FluentId>,
}

/// Works out what the moves of a network do. Next values that are cheaper to keep up to date than to work out, by
/// the size of what would have to be evaluated, are left alone.
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
    /// What becomes of each fluent if the move has no effect on it.
    pub(crate) quiet: IdVec<FluentId, Signal>,
    pub(crate) of_move: IdVec<MoveId, MoveEffects>,
    /// For each fluent whether all this is so; otherwise it is too large to be told.
    pub(crate) is_told: IdVec<FluentId, bool>,
}

/// Works out all that moves do; `None` if several moves matter at once, or there is too much to look at.
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
    let Some((of_move, is_complete)) = traced else { return Ok(None) };
    let fluents = &network.interface().fluents;
    let can_be_told = |(fluent, info): (FluentId, &Fluent)| {
        is_complete[fluent] && (scope.has_fluent[fluent] || !scope.is_moved.contains(info.next.node()))
    };
    let is_told = fluents.entries().map(can_be_told).collect();
    let quiet = fluents.iter().map(|info| quiet.value(info.next)).collect();
    Ok((slots.len() <= 1).then_some(Outcomes { quiet, of_move, is_told }))
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
    silence: &Quiet,
    budget: &Budget,
) -> Result<Option<AllEffects>, Exhausted> {
    let mut of_move = IdVec::filled(MoveEffects::default(), network.interface().moves.len());
    let mut tracer = Tracer::new(network, scope, budget);
    for slot in slots {
        for &member in &slot.moves {
            let effects = tracer.trace(builder, slot, silence, member);
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

/// Lets a fluent have another value where no move has an effect on it, if most moves give it that value.
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
