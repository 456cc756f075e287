//! The functions that are possible in each column: a forward analysis over rules.

use super::{Flat, FlatLiteral, FlatRule, RelationId, rules_in_order};
use crate::ids::{BitSet, IdVec};
use grundy_syntax::{SymbolId, Term, TermId, Terms, Ticks, VariableId};
use smallvec::{SmallVec, smallvec};

/// The outermost shape of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Shape {
    /// A constant.
    Atomic,
    /// A function with its number of arguments.
    Function(SymbolId, usize),
}

/// The possible shapes of a column or variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shapes {
    /// All shapes.
    Any,
    /// These and no others, in order.
    Only(SmallVec<[Shape; 2]>),
}

impl Shapes {
    fn none() -> Shapes {
        Shapes::Only(SmallVec::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Shapes::Only(shapes) if shapes.is_empty())
    }

    fn meet(&mut self, other: &Shapes) {
        match (&mut *self, other) {
            (_, Shapes::Any) => {}
            (Shapes::Any, _) => *self = other.clone(),
            (Shapes::Only(mine), Shapes::Only(theirs)) => mine.retain(|shape| theirs.contains(shape)),
        }
    }

    /// Adds the shapes of another set. Returns whether any is new.
    fn join(&mut self, other: &Shapes) -> bool {
        match (&mut *self, other) {
            (Shapes::Any, _) => false,
            (_, Shapes::Any) => {
                *self = Shapes::Any;
                true
            }
            (Shapes::Only(mine), Shapes::Only(theirs)) => {
                let before = mine.len();
                for &shape in theirs {
                    if let Err(place) = mine.binary_search(&shape) {
                        mine.insert(place, shape);
                    }
                }
                mine.len() > before
            }
        }
    }

    /// Whether both constants and functions are possible.
    pub(super) fn is_mixed(&self) -> bool {
        matches!(self, Shapes::Only(shapes) if shapes.len() > 1 && shapes.contains(&Shape::Atomic))
    }

    fn contains(&self, shape: Shape) -> bool {
        match self {
            Shapes::Any => true,
            Shapes::Only(shapes) => shapes.contains(&shape),
        }
    }
}

/// The shapes that each variable of a rule can have.
pub(super) type VariableShapes = IdVec<VariableId, Shapes>;

/// The result of the analysis.
pub(super) struct Inferred {
    /// The shapes of each column of each relation.
    pub(super) columns: IdVec<RelationId, Vec<Shapes>>,
    /// The relations that some rule can derive; relations without columns have no shapes to show it.
    reached: BitSet<RelationId>,
}

/// The least solution: shapes flow from heads to bodies until nothing changes.
pub(super) fn infer(flat: &Flat) -> Inferred {
    let mut inferred = Inferred {
        columns: flat.relations.iter().map(|info| vec![Shapes::none(); info.arity]).collect(),
        reached: flat.no_relations(),
    };
    let order = rules_in_order(flat);
    let mut ticks = Ticks::default();
    let mut changed = true;
    while changed && !flat.budget.is_over() {
        changed = false;
        for &id in &order {
            let rule = &flat.rules[id];
            if ticks.work(&flat.budget, 1 + rule.variables + rule.body.len()).is_err() {
                break;
            }
            let Some(variables) = inferred.variables(&flat.terms, rule) else { continue };
            let head = rule.head.relation;
            changed |= inferred.reached.insert(head);
            for (column, &arg) in rule.head.args.iter().enumerate() {
                let known = &mut inferred.columns[head][column];
                changed |= match shape_of(&flat.terms, arg) {
                    Ok(shape) => known.join(&Shapes::Only(smallvec![shape])),
                    Err(variable) => known.join(&variables[variable]),
                };
            }
        }
    }
    inferred
}

/// The shape of a term, or the variable that it is.
pub(super) fn shape_of(terms: &Terms, term: TermId) -> Result<Shape, VariableId> {
    match terms.get(term) {
        Term::Variable(variable) => Err(variable),
        Term::Constant(_) => Ok(Shape::Atomic),
        Term::Compound(name, args) => Ok(Shape::Function(name, args.len())),
    }
}

impl Inferred {
    /// The shapes of the variables of a rule; `None` if the rule cannot match.
    pub(super) fn variables(&self, terms: &Terms, rule: &FlatRule) -> Option<VariableShapes> {
        let mut variables = VariableShapes::filled(Shapes::Any, rule.variables);
        for literal in &rule.body {
            let FlatLiteral::Holds(atom) = literal else { continue };
            let relation = atom.relation;
            if !self.reached.contains(relation) {
                return None;
            }
            for (column, &arg) in atom.args.iter().enumerate() {
                let possible = &self.columns[relation][column];
                match shape_of(terms, arg) {
                    Ok(shape) if possible.contains(shape) => {}
                    Ok(_) => return None,
                    Err(variable) => variables[variable].meet(possible),
                }
            }
        }
        variables.iter().all(|shapes| !shapes.is_empty()).then_some(variables)
    }
}
