//! The effects of moves, compiled for the cursor.

use super::lower::Lower;
use super::{LazyGates, Probe};
use crate::ids::{Csr, Id, IdVec, narrow};
use crate::network::{Effect as NetworkEffect, FluentId, Kind, MoveEffects, MoveId, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};
use std::ops::Range;

/// The work for an input of a gate, as [`Ticks`] count it: a guess.
const WORK: usize = 16;

/// A fluent that a move may change, and its next value when that move is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    /// The number of the fluent, and in the lowest bit whether it does not simply stay as it is if no move changes it.
    fluent: u32,
    pub(super) next: Probe,
}

impl Effect {
    #[inline(always)]
    pub(super) fn fluent(self) -> FluentId {
        FluentId(self.fluent >> 1)
    }

    /// Whether the fluent has another value than now if no move changes it.
    #[inline(always)]
    pub(super) fn drifts(self) -> bool {
        self.fluent & 1 == 1
    }
}

/// A conditional effect in sparse form: a move makes a fluent true if another fluent is true and some conditions hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    from: FluentId,
    by: MoveId,
    pub(super) to: FluentId,
    /// Where its conditions are.
    start: u32,
    end: u32,
}

/// What moves do.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    alone: Lists,
    /// If moves that are played together can change the same fluent.
    together: Lists,
    /// For each move the fluents that other moves may change at the same time.
    contested: Csr<MoveId, FluentId>,
    /// For each fluent where its truth is carried to, in the order of moves. All these fluents become false unless a move
    /// keeps them, and so each of them is visited in every step in which it is true.
    carried: Csr<FluentId, Carried>,
    conditions: Vec<Probe>,
}

/// Gates to evaluate and effects to have, for one move after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub(super) gates: LazyGates,
    effects: Vec<Effect>,
    /// Where the gates and the effects of each move begin, and, behind the last move, where they end.
    starts: IdVec<MoveId, (u32, u32)>,
}

impl Lists {
    /// The gates that a move needs.
    #[inline]
    pub(super) fn gates_of(&self, played: MoveId) -> Range<usize> {
        self.starts[played].0.index()..self.starts[MoveId(played.0 + 1)].0.index()
    }

    /// The effects of a move.
    #[inline]
    pub(super) fn of(&self, played: MoveId) -> &[Effect] {
        &self.effects[self.starts[played].1.index()..self.starts[MoveId(played.0 + 1)].1.index()]
    }

    fn begin(&mut self) {
        self.starts.push((narrow(self.gates.gates.len()), narrow(self.effects.len())));
    }

    fn new<'e>(
        lower: &Lower,
        moves: impl Iterator<Item = &'e [NetworkEffect]>,
        slice: impl Fn(&[NetworkEffect]) -> Vec<NodeId>,
        budget: &Budget,
    ) -> Result<Lists, Exhausted> {
        let mut ticks = Ticks::default();
        let interface = lower.network.interface();
        let mut lists = Lists::default();
        for effects in moves {
            lists.begin();
            let before = lists.gates.inputs.len();
            slice(effects).into_iter().for_each(|node| lower.add_lazy(&mut lists.gates, node));
            ticks.work(budget, WORK * (1 + effects.len() + lists.gates.inputs.len() - before))?;
            for &(fluent, next) in effects {
                let stays = Signal::of(interface.fluent_node(fluent));
                let drifts = interface.fluents[fluent].next != stays;
                let fluent = fluent.0 << 1 | u32::from(drifts);
                lists.effects.push(Effect { fluent, next: lower.probe(next) });
            }
        }
        lists.begin();
        Ok(lists)
    }
}

impl Effects {
    /// The lists that apply when these moves are played together.
    #[inline]
    pub(super) fn lists(&self, joint: &[MoveId], claims: &mut Claims) -> &Lists {
        if self.contested.items().is_empty() || !self.is_contested(joint, claims) {
            &self.alone
        } else {
            &self.together
        }
    }

    /// Whether two of these moves may change the same fluent.
    fn is_contested(&self, joint: &[MoveId], claims: &mut Claims) -> bool {
        claims.now += 1;
        joint.iter().any(|&played| {
            self.contested[played].iter().any(|&fluent| {
                let before = std::mem::replace(&mut claims.of_fluents[fluent], (claims.now, played));
                before.0 == claims.now && before.1 != played
            })
        })
    }

    /// Whether these are the lists of moves that contest no fluent.
    pub(super) fn are_alone(&self, lists: &Lists) -> bool {
        std::ptr::eq(lists, &self.alone)
    }

    /// Where a move carries the truth of a fluent.
    #[inline]
    pub(super) fn carried(&self, fluent: FluentId, by: MoveId) -> impl Iterator<Item = Carried> + '_ {
        let all = &self.carried[fluent];
        let first = all.partition_point(|carried| carried.by < by);
        all[first..].iter().take_while(move |carried| carried.by == by).copied()
    }

    /// The conditions under which a fact is carried.
    #[inline]
    pub(super) fn conditions(&self, carried: Carried) -> &[Probe] {
        &self.conditions[carried.start.index()..carried.end.index()]
    }

    pub(super) fn carries_anything(&self) -> bool {
        !self.carried.items().is_empty()
    }

    pub(super) fn new(
        lower: &Lower,
        of_move: &IdVec<MoveId, MoveEffects>,
        slice: impl Fn(&[NetworkEffect]) -> Vec<NodeId>,
        budget: &Budget,
    ) -> Result<Effects, Exhausted> {
        let mut effects = Effects::default();
        let (kept, carried) = effects.take_carried(lower, of_move);
        budget.check()?;
        effects.alone = Lists::new(lower, kept.iter().map(|effects| &effects[..]), &slice, budget)?;
        let together = of_move.iter().map(|effects| &effects.together[..]);
        effects.together = Lists::new(lower, together, &slice, budget)?;
        effects.contested = of_move.iter().map(|one| one.contested.iter().copied()).collect();
        let fluents = lower.network.interface().fluents.len();
        effects.carried = Csr::grouped(fluents, carried.iter().map(|&carried| (carried.from, carried)));
        Ok(effects)
    }

    /// Extracts the effects that only carry a fact from the lists, sorted by the fluent that is carried.
    fn take_carried(
        &mut self,
        lower: &Lower,
        of_move: &IdVec<MoveId, MoveEffects>,
    ) -> (Vec<Vec<NetworkEffect>>, Vec<Carried>) {
        let interface = lower.network.interface();
        let fades = |fluent: FluentId| interface.fluents[fluent].next == Signal::FALSE;
        let mut carried = Vec::new();
        let mut kept = Vec::with_capacity(of_move.len());
        for (by, effects) in of_move.entries() {
            let mut rest = Vec::with_capacity(effects.alone.len());
            for &(fluent, next) in &effects.alone {
                let parts = if fades(fluent) { conjuncts(lower, next) } else { Vec::new() };
                let source = |part: &Signal| {
                    interface.fluent_of(part.node()).filter(|&fluent| !part.is_inverted() && fades(fluent))
                };
                // A fluent that carries itself is true more often than others, but never in vain.
                let Some((at, from)) =
                    parts.iter().enumerate().find_map(|(at, part)| Some((at, source(part)?)))
                else {
                    rest.push((fluent, next));
                    continue;
                };
                let start = narrow(self.conditions.len());
                let others = parts.iter().filter(|&&part| part != parts[at]);
                self.conditions.extend(others.map(|&part| lower.probe(part)));
                let end = narrow(self.conditions.len());
                carried.push(Carried { from, by, to: fluent, start, end });
            }
            kept.push(rest);
        }
        carried.sort_unstable_by_key(|&Carried { from, by, to, .. }| (from, by, to));
        (kept, carried)
    }
}

/// The last step and move that may change each fluent, to find out whether two moves of a step contest one.
#[derive(Clone, Debug)]
pub(super) struct Claims {
    now: u32,
    /// For each fluent the step and the move that claimed it last.
    of_fluents: IdVec<FluentId, (u32, MoveId)>,
}

impl Claims {
    pub(super) fn new(fluents: usize) -> Claims {
        Claims { now: 0, of_fluents: IdVec::filled((0, MoveId(0)), fluents) }
    }
}

/// The signals of which this one is the conjunction: itself if it is kept up to date, or else the inputs of an AND if all
/// of these are. Otherwise none.
fn conjuncts(lower: &Lower, signal: Signal) -> Vec<Signal> {
    if lower.is_kept(signal) {
        return vec![signal];
    }
    let inputs = lower.network.inputs(signal.node());
    let is_and = (lower.network.kind(signal.node()) == Kind::And) != signal.is_inverted();
    let parts: Vec<Signal> = inputs.iter().map(|input| input.inverted_if(signal.is_inverted())).collect();
    if is_and && parts.iter().all(|&part| lower.is_kept(part)) { parts } else { Vec::new() }
}
