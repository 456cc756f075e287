//! Substitutions over hash-consed terms: renaming, applying, unifying, matching.

use grundy_syntax::{Atom, Literal, Symbols, Term, TermId, Terms, VariableId};

/// What variables stand for; a variable may stand for a term with variables in it. Variables below
/// `frozen` count as constants when terms are unified.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    terms: Vec<Option<TermId>>,
    frozen: u32,
}

impl Bindings {
    /// No bindings, and none allowed for variables below this.
    pub(crate) fn frozen_below(frozen: u32) -> Bindings {
        Bindings { terms: Vec::new(), frozen }
    }

    /// What a variable stands for, if that is known.
    pub(crate) fn get(&self, variable: VariableId) -> Option<TermId> {
        self.terms.get(variable.index()).copied().flatten()
    }

    /// Binds a variable.
    pub(crate) fn bind(&mut self, variable: VariableId, term: TermId) {
        let place = variable.index();
        if self.terms.len() <= place {
            self.terms.resize(place + 1, None);
        }
        self.terms[place] = Some(term);
    }

    /// Forgets a variable.
    pub(crate) fn unbind(&mut self, variable: VariableId) {
        self.terms[variable.index()] = None;
    }

    /// Follows bound variables to what they stand for.
    pub(crate) fn walk(&self, terms: &Terms, mut term: TermId) -> TermId {
        while let Term::Variable(variable) = terms.get(term) {
            match self.get(variable) {
                Some(next) if next != term => term = next,
                _ => break,
            }
        }
        term
    }

    /// A term with all bound variables replaced.
    pub(crate) fn apply(&self, terms: &mut Terms, term: TermId) -> TermId {
        let term = self.walk(terms, term);
        if terms.is_ground(term) {
            return term;
        }
        match terms.get(term) {
            Term::Compound(name, args) => {
                let args: Vec<TermId> = args.to_vec();
                let args: Vec<TermId> = args.into_iter().map(|arg| self.apply(terms, arg)).collect();
                terms.compound(name, &args)
            }
            Term::Variable(_) | Term::Constant(_) => term,
        }
    }

    /// Makes two terms equal, if that is possible; what was bound on the way stays bound.
    pub(crate) fn unify(&mut self, terms: &Terms, a: TermId, b: TermId) -> bool {
        let (a, b) = (self.walk(terms, a), self.walk(terms, b));
        if a == b {
            return true;
        }
        match (terms.get(a), terms.get(b)) {
            (Term::Variable(variable), _) if variable.0 >= self.frozen => {
                self.bind_if_finite(terms, variable, b)
            }
            (_, Term::Variable(variable)) if variable.0 >= self.frozen => {
                self.bind_if_finite(terms, variable, a)
            }
            (Term::Compound(f, xs), Term::Compound(g, ys)) => {
                f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(&x, &y)| self.unify(terms, x, y))
            }
            _ => false,
        }
    }

    fn bind_if_finite(&mut self, terms: &Terms, variable: VariableId, term: TermId) -> bool {
        if self.occurs(terms, variable, term) {
            return false;
        }
        self.bind(variable, term);
        true
    }

    fn occurs(&self, terms: &Terms, variable: VariableId, term: TermId) -> bool {
        let mut found = false;
        terms.for_each_variable(term, &mut |inner| {
            found |=
                inner == variable || self.get(inner).is_some_and(|bound| self.occurs(terms, variable, bound));
        });
        found
    }
}

/// Whether two terms can be made equal.
pub(crate) fn unifiable(terms: &Terms, a: TermId, b: TermId) -> bool {
    a == b || Bindings::default().unify(terms, a, b)
}

/// Matches a pattern with a term whose variables count as constants; variables that get bound are
/// noted in `trail`.
pub(crate) fn match_term(
    terms: &Terms,
    pattern: TermId,
    term: TermId,
    bindings: &mut Bindings,
    trail: &mut Vec<VariableId>,
) -> bool {
    match terms.get(pattern) {
        Term::Variable(variable) => match bindings.get(variable) {
            Some(bound) => bound == term,
            None => {
                bindings.bind(variable, term);
                trail.push(variable);
                true
            }
        },
        Term::Constant(_) => pattern == term,
        Term::Compound(..) if terms.is_ground(pattern) => pattern == term,
        Term::Compound(f, xs) => match terms.get(term) {
            Term::Compound(g, ys) => {
                f == g
                    && xs.len() == ys.len()
                    && xs.iter().zip(ys).all(|(&x, &y)| match_term(terms, x, y, bindings, trail))
            }
            _ => false,
        },
    }
}

/// Takes back what was bound since the trail had this length.
pub(crate) fn undo(bindings: &mut Bindings, trail: &mut Vec<VariableId>, length: usize) {
    while trail.len() > length {
        if let Some(variable) = trail.pop() {
            bindings.unbind(variable);
        }
    }
}

/// A condition with its terms replaced.
pub(crate) fn map_literal(literal: &Literal, mut map: impl FnMut(TermId) -> TermId) -> Literal {
    match literal {
        Literal::Holds(atom) => Literal::Holds(map_atom(atom, map)),
        Literal::Not(atom) => Literal::Not(map_atom(atom, map)),
        Literal::Distinct(a, b) => Literal::Distinct(map(*a), map(*b)),
    }
}

/// An atom with its terms replaced.
pub(crate) fn map_atom(atom: &Atom, map: impl FnMut(TermId) -> TermId) -> Atom {
    Atom { predicate: atom.predicate, args: atom.args.iter().copied().map(map).collect() }
}

/// A term whose variables have numbers that are higher by `offset`.
pub(crate) fn shift(terms: &mut Terms, term: TermId, offset: u32) -> TermId {
    if offset == 0 || terms.is_ground(term) {
        return term;
    }
    match terms.get(term) {
        Term::Variable(variable) => terms.variable(VariableId(variable.0 + offset)),
        Term::Constant(_) => term,
        Term::Compound(name, args) => {
            let args: Vec<TermId> = args.to_vec();
            let args: Vec<TermId> = args.into_iter().map(|arg| shift(terms, arg, offset)).collect();
            terms.compound(name, &args)
        }
    }
}

/// A term of one store in another one, whose names have other numbers.
pub(crate) fn copy_term(from: (&Symbols, &Terms), term: TermId, to: (&mut Symbols, &mut Terms)) -> TermId {
    let (symbols, terms) = to;
    match from.1.get(term) {
        Term::Variable(variable) => terms.variable(variable),
        Term::Constant(name) => terms.constant(symbols.intern(from.0.name(name))),
        Term::Compound(name, args) => {
            let copy = |&arg: &TermId| copy_term(from, arg, (&mut *symbols, &mut *terms));
            let args: Vec<TermId> = args.iter().map(copy).collect();
            terms.compound(symbols.intern(from.0.name(name)), &args)
        }
    }
}

/// The variables of a condition, in the order of their occurrences, each as often as it occurs.
pub(crate) fn variables_of(terms: &Terms, literal: &Literal) -> Vec<VariableId> {
    let mut found = Vec::new();
    literal.terms().for_each(|term| terms.for_each_variable(term, &mut |variable| found.push(variable)));
    found
}

/// Numbers variables by first occurrence.
#[derive(Default)]
pub(crate) struct Renumbering {
    bindings: Bindings,
    /// How many variables there are.
    pub(crate) count: u32,
}

impl Renumbering {
    /// A term in the new numbers.
    pub(crate) fn term(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        if terms.is_ground(term) {
            return term;
        }
        match terms.get(term) {
            Term::Variable(variable) => match self.bindings.get(variable) {
                Some(new) => new,
                None => {
                    let new = terms.variable(VariableId(self.count));
                    self.count += 1;
                    self.bindings.bind(variable, new);
                    new
                }
            },
            Term::Constant(_) => term,
            Term::Compound(name, args) => {
                let args: Vec<TermId> = args.to_vec();
                let args: Vec<TermId> = args.into_iter().map(|arg| self.term(terms, arg)).collect();
                terms.compound(name, &args)
            }
        }
    }

    /// Whether a variable has a new number already.
    pub(crate) fn knows(&self, variable: VariableId) -> bool {
        self.bindings.get(variable).is_some()
    }

    /// A condition in the new numbers.
    pub(crate) fn literal(&mut self, terms: &mut Terms, literal: &Literal) -> Literal {
        map_literal(literal, |term| self.term(terms, term))
    }
}
