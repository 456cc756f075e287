//! Games: roles, states, moves.

use crate::error::{Error, Limits};
use crate::evaluator::Evaluator;
use grundy_syntax::{Keyword, PredicateId, Program, Symbols, Term, TermId, Terms};

/// A state: its true facts, sorted by id and without duplicates.
pub type State = Vec<TermId>;

/// A game that answers questions about its states, one after the other.
///
/// What follows from the last state asked about is kept, so that several questions about one state
/// cost one evaluation.
pub struct Game {
    evaluator: Evaluator,
    predicates: Predicates,
    roles: Vec<TermId>,
    current: Option<State>,
}

/// The predicates of the keywords; a sheet need not have them all.
struct Predicates {
    init: Option<PredicateId>,
    holds: PredicateId,
    does: PredicateId,
    legal: Option<PredicateId>,
    next: Option<PredicateId>,
    goal: Option<PredicateId>,
    terminal: Option<PredicateId>,
    sees: Option<PredicateId>,
}

/// The tiers of the facts that are given.
const STATE: usize = 0;
const MOVES: usize = 1;

/// What a game can be asked about, and its roles, which have to be sound.
const WANTED: [Keyword; 7] = [
    Keyword::Role,
    Keyword::Init,
    Keyword::Legal,
    Keyword::Next,
    Keyword::Goal,
    Keyword::Terminal,
    Keyword::Sees,
];

impl Game {
    /// Prepares a game. Everything that does not depend on a state is derived here.
    pub fn new(mut program: Program, limits: Limits) -> Result<Game, Error> {
        let holds = program.predicate("true", 1);
        let does = program.predicate("does", 2);
        let predicates = Predicates {
            init: program.keyword(Keyword::Init),
            holds,
            does,
            legal: program.keyword(Keyword::Legal),
            next: program.keyword(Keyword::Next),
            goal: program.keyword(Keyword::Goal),
            terminal: program.keyword(Keyword::Terminal),
            sees: program.keyword(Keyword::Sees),
        };
        let wanted: Vec<PredicateId> =
            WANTED.iter().filter_map(|&keyword| program.keyword(keyword)).collect();
        let roles = program.roles();
        let evaluator = Evaluator::new(program, vec![vec![holds], vec![does]], &wanted, limits)?;
        check_dependencies(&evaluator)?;
        Ok(Game { evaluator, predicates, roles, current: None })
    }

    /// Changes when to give up.
    pub fn set_limits(&mut self, limits: Limits) {
        self.evaluator.set_limits(limits);
    }

    /// The players, in the order of the sheet.
    pub fn roles(&self) -> &[TermId] {
        &self.roles
    }

    /// The state at the start.
    pub fn initial(&mut self) -> Result<State, Error> {
        Ok(self.column(self.predicates.init))
    }

    /// For each role its legal moves, sorted by id.
    pub fn legal(&mut self, state: &State) -> Result<Vec<Vec<TermId>>, Error> {
        self.look_at(state)?;
        Ok(self.by_role(self.predicates.legal))
    }

    /// Whether the game is over.
    pub fn is_terminal(&mut self, state: &State) -> Result<bool, Error> {
        self.look_at(state)?;
        Ok(self.predicates.terminal.is_some_and(|terminal| self.evaluator.holds(terminal, &[])))
    }

    /// For each role the values that its goal has: usually one, but a sheet may give none or several.
    pub fn goals(&mut self, state: &State) -> Result<Vec<Vec<TermId>>, Error> {
        self.look_at(state)?;
        Ok(self.by_role(self.predicates.goal))
    }

    /// The state after these moves, one for each role.
    pub fn next(&mut self, state: &State, moves: &[TermId]) -> Result<State, Error> {
        self.play(state, moves)?;
        Ok(self.column(self.predicates.next))
    }

    /// What each role is told when these moves are played.
    pub fn sees(&mut self, state: &State, moves: &[TermId]) -> Result<Vec<Vec<TermId>>, Error> {
        self.play(state, moves)?;
        Ok(self.by_role(self.predicates.sees))
    }

    /// A term in KIF notation.
    pub fn text(&self, term: TermId) -> String {
        text_of(&self.evaluator.program().symbols, self.evaluator.terms(), term)
    }

    /// The names and terms, to look up or add moves and facts.
    pub fn names_and_terms_mut(&mut self) -> (&mut Symbols, &mut Terms) {
        self.evaluator.names_and_terms_mut()
    }

    fn look_at(&mut self, state: &State) -> Result<(), Error> {
        if self.current.as_ref() != Some(state) {
            self.current = None;
            let facts = state.iter().map(|&fact| (self.predicates.holds, Box::from([fact])));
            self.evaluator.set(STATE, facts)?;
            self.current = Some(state.clone());
        }
        Ok(())
    }

    fn play(&mut self, state: &State, moves: &[TermId]) -> Result<(), Error> {
        if moves.len() != self.roles.len() {
            return Err(Error::WrongNumberOfMoves { found: moves.len(), roles: self.roles.len() });
        }
        self.look_at(state)?;
        let does = self.predicates.does;
        let facts: Vec<_> = self
            .roles
            .iter()
            .zip(moves)
            .map(|(&role, &its_move)| (does, Box::from([role, its_move])))
            .collect();
        self.evaluator.set(MOVES, facts)
    }

    fn column(&self, predicate: Option<PredicateId>) -> Vec<TermId> {
        let rows = predicate.into_iter().flat_map(|predicate| self.evaluator.rows(predicate));
        let mut column: Vec<TermId> = rows.map(|row| row[0]).collect();
        column.sort_unstable();
        column
    }

    fn by_role(&self, predicate: Option<PredicateId>) -> Vec<Vec<TermId>> {
        let of_role = |role: TermId| {
            let rows = predicate.into_iter().flat_map(|predicate| self.evaluator.rows(predicate));
            let mut values: Vec<TermId> = rows.filter(|row| row[0] == role).map(|row| row[1]).collect();
            values.sort_unstable();
            values
        };
        self.roles.iter().map(|&role| of_role(role)).collect()
    }
}

/// Checks that what is asked about a state, or before there is one, can be answered then.
fn check_dependencies(evaluator: &Evaluator) -> Result<(), Error> {
    // On how many of the tiers each may depend.
    let allowed = [
        (Keyword::Role, 0),
        (Keyword::Init, 0),
        (Keyword::Legal, 1),
        (Keyword::Goal, 1),
        (Keyword::Terminal, 1),
    ];
    for (keyword, most) in allowed {
        let tiers = evaluator.program().keyword(keyword).map_or(0, |predicate| evaluator.tier(predicate));
        if tiers > most {
            let on = if tiers == 1 { Keyword::True } else { Keyword::Does };
            return Err(Error::DependsOn { keyword, on });
        }
    }
    Ok(())
}

/// A ground term in KIF notation.
pub(crate) fn text_of(symbols: &Symbols, terms: &Terms, term: TermId) -> String {
    match terms.get(term) {
        Term::Variable(variable) => format!("?v{}", variable.0),
        Term::Constant(name) => symbols.name(name).to_owned(),
        Term::Compound(name, args) => {
            let args: Vec<String> = args.iter().map(|&arg| text_of(symbols, terms, arg)).collect();
            format!("({} {})", symbols.name(name), args.join(" "))
        }
    }
}
