//! What never holds together: ground integrity constraints.
//!
//! Most constraints are about two literals; these are looked up by either. The rest is looked up by any of its literals.

use super::FactId;
use super::literal::InputLiteral;
use crate::ground::{AtomId, GroundProgram};
use crate::ids::{BitSet, Csr, IdVec};
use grundy_syntax::{Budget, Exhausted, Term, TermId, Ticks};
use rustc_hash::FxHashMap;

/// Something proved of the states of a game: facts of this name and number of arguments that agree in the key agree in
/// the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Determined {
    /// The name of the facts.
    pub name: String,
    /// Their number of arguments.
    pub arity: usize,
    /// The arguments that determine another one.
    pub key: Vec<usize>,
    /// The argument that is determined.
    pub value: usize,
}

/// Limit: the facts of a group whose pairs are listed, since their number is quadratic.
const LARGEST_GROUP: usize = 256;

/// Sets of literals that never hold together.
pub(super) struct Conflicts {
    /// For each literal of a fact the literals that never hold together with it.
    partners: Csr<InputLiteral, InputLiteral>,
    /// Constraints of more than two literals.
    wide: IdVec<WideId, Box<[InputLiteral]>>,
    wide_of: FxHashMap<InputLiteral, Vec<WideId>>,
    /// Literals that never hold.
    never: BitSet<InputLiteral>,
}

grundy_syntax::define_id! {
    /// A constraint of more than two literals.
    struct WideId(u32);
}

/// Two literals that never hold together.
pub(super) type Pair = (InputLiteral, InputLiteral);

impl Conflicts {
    /// From conjunctions and pairs of literals.
    pub(super) fn new(facts: usize, bodies: Vec<Vec<InputLiteral>>, exclusive: Vec<Pair>) -> Conflicts {
        let mut pairs = exclusive;
        pairs.extend_from_within(..);
        let half = pairs.len() / 2;
        pairs[half..].iter_mut().for_each(|(a, b)| std::mem::swap(a, b));
        let literals = InputLiteral::count(facts);
        let mut wide: Vec<Box<[InputLiteral]>> = Vec::new();
        let mut never = BitSet::empty(literals);
        for mut body in bodies {
            body.sort_unstable();
            body.dedup();
            match body[..] {
                [] => {}
                [one] => never.set(one, true),
                [a, b] => pairs.extend([(a, b), (b, a)]),
                _ => wide.push(body.into()),
            }
        }
        wide.sort_unstable();
        wide.dedup();
        let wide: IdVec<WideId, _> = wide.into();
        let mut wide_of: FxHashMap<InputLiteral, Vec<WideId>> = FxHashMap::default();
        for (id, body) in wide.entries() {
            body.iter().for_each(|&literal| wide_of.entry(literal).or_default().push(id));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Conflicts { partners: Csr::grouped(literals, pairs.iter().copied()), wide, wide_of, never }
    }

    /// Whether a literal can be added to a set of literals that hold; `has` is true for these.
    #[inline]
    pub(super) fn admits(&self, literal: InputLiteral, has: impl Fn(InputLiteral) -> bool) -> bool {
        if literal.index() >= self.partners.len() {
            return true;
        }
        let partners = &self.partners[literal];
        if has(literal.negated())
            || self.never.contains(literal)
            || partners.iter().any(|&partner| has(partner))
        {
            return false;
        }
        if self.wide_of.is_empty() {
            return true;
        }
        let holds = |&wide: &WideId| self.wide[wide].iter().all(|&other| other == literal || has(other));
        !self.wide_of.get(&literal).is_some_and(|constraints| constraints.iter().any(holds))
    }
}

/// The pairs of facts that something proved excludes, as literals.
pub(super) fn exclusive(
    ground: &GroundProgram,
    facts: &IdVec<FactId, AtomId>,
    known: &[Determined],
    budget: &Budget,
) -> Result<Vec<Pair>, Exhausted> {
    let (terms, symbols) = (&ground.flat().terms, &ground.program().symbols);
    let mut pairs: Vec<Pair> = Vec::new();
    let mut ticks = Ticks::default();
    for one in known {
        let mut groups: FxHashMap<Vec<TermId>, Vec<(FactId, TermId)>> = FxHashMap::default();
        for (fact, &atom) in facts.entries() {
            ticks.work(budget, WORK_OF_FACT)?;
            let (template, row) = ground.atom_parts(atom);
            let Term::Compound(name, args) = terms.get(template[0]) else { continue };
            if symbols.name(name) != one.name || args.len() != one.arity {
                continue;
            }
            let value = |arg: TermId| match terms.get(arg) {
                Term::Variable(column) => Some(TermId(row[column.index()])),
                _ => terms.is_ground(arg).then_some(arg),
            };
            let key: Option<Vec<TermId>> = one.key.iter().map(|&argument| value(args[argument])).collect();
            if let (Some(key), Some(value)) = (key, value(args[one.value])) {
                groups.entry(key).or_default().push((fact, value));
            }
        }
        for group in groups.values().filter(|group| group.len() <= LARGEST_GROUP) {
            for (place, &(a, value)) in group.iter().enumerate() {
                let others = group[place + 1..].iter().filter(|(_, other)| *other != value);
                let positive = |fact| InputLiteral::of_fact(fact, true);
                pairs.extend(others.map(|&(b, _)| (positive(a), positive(b))));
                ticks.work(budget, group.len())?;
            }
            // They are doubled later, and copied once more.
            budget.check_with(3 * pairs.len() * size_of::<Pair>())?;
        }
    }
    Ok(pairs)
}

/// The approximate work of reading a fact, in units of [`Ticks::work`].
const WORK_OF_FACT: usize = 8;
