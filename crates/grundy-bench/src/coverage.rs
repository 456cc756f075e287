//! Which constructs random games contain, as seen in play. Without a minimum of each, the comparison would miss errors.

use crate::form::{Form, forms_of};
use crate::numbers::float;
use grundy::analysis::analyze;
use grundy::syntax::{Source, read_game};
use grundy_reference::{Error, Game, Limits, State};
use std::collections::{BTreeMap, BTreeSet};

/// What a game may have, and in which share of random games it has to be, in percent.
pub const TRAITS: [(&str, u64); 26] = [
    ("three states or more", 50),
    ("ten states or more", 8),
    ("a choice of moves", 80),
    ("two roles choose at once", 40),
    ("roles take turns", 10),
    ("ends within a few moves", 35),
    ("a role without a legal move", 5),
    ("legal moves change", 33),
    ("facts: constants and terms in one position", 60),
    ("facts: terms of different shapes in one position", 20),
    ("facts: nested terms", 40),
    ("moves: constants and terms in one position", 40),
    ("static facts: constants and terms in one position", 80),
    ("propositions", 50),
    ("an empty state", 4),
    ("more than a hundred facts or moves", 2),
    ("a role without a goal", 40),
    ("several goals", 40),
    ("a goal that is no number", 12),
    ("`random` plays", 12),
    ("a role sees something", 12),
    ("`or`", 80),
    ("`not` of `or` or `and`", 70),
    ("one name with several arities", 35),
    ("a function that is also a constant or predicate", 50),
    ("twenty constants or more", 10),
];

/// In how many games each of the [`TRAITS`] was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Games that could be played.
    pub games: u64,
    /// For each trait.
    pub counts: [u64; TRAITS.len()],
}

impl Coverage {
    /// Looks at a game: plays it a few times with the reference.
    pub fn add(&mut self, sheet: &str) {
        let source = Source::new("random.kif", sheet);
        let mut reading = read_game(&source, &Default::default());
        let unlimited = Default::default();
        let _ = analyze(&source, &reading.program, &mut reading.diagnostics, &unlimited);
        if reading.diagnostics.iter().any(|diagnostic| diagnostic.code.stops()) {
            return;
        }
        let mut seen = Seen::default();
        seen.text(&forms_of(sheet));
        let limits = Limits { facts: 200_000, ..Limits::default() };
        let played = Game::new(reading.program, limits).and_then(|mut game| seen.play(&mut game));
        if played.is_ok() {
            self.games += 1;
            for (count, &name) in self.counts.iter_mut().zip(TRAITS.iter().map(|(name, _)| name)) {
                *count += u64::from(seen.traits.contains(name));
            }
        }
    }

    /// Adds what was seen in other games.
    pub fn merge(&mut self, other: &Coverage) {
        self.games += other.games;
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// The share of games with each trait in percent, and what it has to be.
    pub fn shares(&self) -> impl Iterator<Item = (&'static str, f64, u64)> {
        let games = float(self.games.max(1));
        TRAITS
            .iter()
            .zip(self.counts)
            .map(move |(&(name, least), count)| (name, 100.0 * float(count) / games, least))
    }
}

const PLAYOUTS: u64 = 3;
const STEPS: usize = 8;

/// What was seen in a game.
#[derive(Default)]
struct Seen {
    traits: BTreeSet<&'static str>,
}

/// What stands in a position: constants, and functions by name and arity.
type Positions = BTreeMap<(String, usize, usize), BTreeSet<(String, usize)>>;

impl Seen {
    fn note(&mut self, is_there: bool, name: &'static str) {
        debug_assert!(TRAITS.iter().any(|(other, _)| *other == name), "{name} is not counted");
        if is_there {
            self.traits.insert(name);
        }
    }

    fn text(&mut self, forms: &[Form]) {
        let mut words = Words::default();
        forms.iter().for_each(|form| words.statement(form));
        self.note(words.has_or, "`or`");
        self.note(words.has_negated_or, "`not` of `or` or `and`");
        let several =
            |names: &BTreeMap<String, BTreeSet<usize>>| names.values().any(|arities| arities.len() > 1);
        self.note(several(&words.functions) || several(&words.predicates), "one name with several arities");
        let doubles = words.functions.keys();
        let mut doubles =
            doubles.filter(|name| words.constants.contains(*name) || words.predicates.contains_key(*name));
        self.note(doubles.next().is_some(), "a function that is also a constant or predicate");
        self.note(words.constants.len() >= 20, "twenty constants or more");
        let mut positions = Positions::new();
        const KEYWORDS: [&str; 7] = ["role", "init", "legal", "goal", "base", "input", "sees"];
        for fact in forms.iter().filter(|form| !form.is_rule()) {
            if !KEYWORDS.contains(&fact.name().unwrap_or_default()) {
                note_positions(fact, &mut positions);
            }
        }
        self.note(is_mixed(&positions), "static facts: constants and terms in one position");
    }

    fn play(&mut self, game: &mut Game) -> Result<(), Error> {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut states = BTreeSet::new();
        let mut legal_moves = BTreeSet::new();
        let mut choosers = BTreeSet::new();
        for _ in 0..PLAYOUTS {
            let mut state = game.initial()?;
            for _ in 0..STEPS {
                states.insert(state.clone());
                self.state(game, &state)?;
                let legal = game.legal(&state)?;
                legal_moves.insert(legal.clone());
                let choose: Vec<usize> = (0..legal.len()).filter(|&role| legal[role].len() > 1).collect();
                self.note(!choose.is_empty(), "a choice of moves");
                self.note(choose.len() > 1, "two roles choose at once");
                if let [one] = choose[..] {
                    choosers.insert(one);
                }
                let is_terminal = game.is_terminal(&state)?;
                self.note(is_terminal, "ends within a few moves");
                let is_stuck = legal.iter().any(Vec::is_empty);
                self.note(is_stuck && !is_terminal, "a role without a legal move");
                if is_terminal || is_stuck {
                    break;
                }
                let joint: Vec<_> = legal.iter().map(|moves| moves[rng.usize(..moves.len())]).collect();
                let sees = game.sees(&state, &joint)?;
                self.note(sees.iter().any(|seen| !seen.is_empty()), "a role sees something");
                let random = game.roles().iter().position(|&role| game.text(role) == "random");
                self.note(random.is_some_and(|role| legal[role].len() > 1), "`random` plays");
                state = game.next(&state, &joint)?;
            }
        }
        self.note(states.len() >= 3, "three states or more");
        self.note(states.len() >= 10, "ten states or more");
        self.note(legal_moves.len() > 1, "legal moves change");
        self.note(choosers.len() > 1, "roles take turns");
        Ok(())
    }

    fn state(&mut self, game: &mut Game, state: &State) -> Result<(), Error> {
        let forms = |game: &Game, terms: &[_]| -> Vec<Form> {
            terms.iter().flat_map(|&term| forms_of(&game.text(term))).collect()
        };
        let facts = forms(game, state);
        let mut positions = Positions::new();
        facts.iter().for_each(|fact| note_positions(fact, &mut positions));
        self.note(is_mixed(&positions), "facts: constants and terms in one position");
        let shapes = |found: &BTreeSet<(String, usize)>| found.iter().filter(|(_, arity)| *arity > 0).count();
        self.note(
            positions.values().any(|found| shapes(found) > 1),
            "facts: terms of different shapes in one position",
        );
        self.note(facts.iter().any(|fact| depth(fact) > 2), "facts: nested terms");
        self.note(facts.iter().any(|fact| fact.word().is_some()), "propositions");
        self.note(facts.is_empty(), "an empty state");
        let legal = game.legal(state)?;
        let mut positions = Positions::new();
        legal
            .iter()
            .flat_map(|moves| forms(game, moves))
            .for_each(|one| note_positions(&one, &mut positions));
        self.note(is_mixed(&positions), "moves: constants and terms in one position");
        let size = legal.iter().map(Vec::len).sum::<usize>().max(facts.len());
        self.note(size > 100, "more than a hundred facts or moves");
        for values in game.goals(state)? {
            self.note(values.is_empty(), "a role without a goal");
            self.note(values.len() > 1, "several goals");
            let is_number = |text: String| text.parse::<i32>().is_ok();
            self.note(values.iter().any(|&value| !is_number(game.text(value))), "a goal that is no number");
        }
        Ok(())
    }
}

fn depth(form: &Form) -> usize {
    form.parts().iter().map(depth).max().map_or(0, |inside| inside + 1)
}

fn note_positions(fact: &Form, positions: &mut Positions) {
    let parts = fact.parts();
    for (at, part) in parts.iter().enumerate().skip(1) {
        let place = (fact.name().unwrap_or_default().to_owned(), parts.len(), at);
        let arity = part.parts().len();
        let name = if arity == 0 { "" } else { part.name().unwrap_or_default() };
        positions.entry(place).or_default().insert((name.to_owned(), arity));
        note_positions(part, positions);
    }
}

fn is_mixed(positions: &Positions) -> bool {
    positions.values().any(|found| found.len() > 1 && found.iter().any(|(_, arity)| *arity == 0))
}

/// The words of a sheet by their use.
#[derive(Default)]
struct Words {
    constants: BTreeSet<String>,
    functions: BTreeMap<String, BTreeSet<usize>>,
    predicates: BTreeMap<String, BTreeSet<usize>>,
    has_or: bool,
    has_negated_or: bool,
}

impl Words {
    fn statement(&mut self, form: &Form) {
        let atoms = if form.is_rule() { &form.parts()[1..] } else { std::slice::from_ref(form) };
        atoms.iter().for_each(|atom| self.atom(atom));
    }

    fn atom(&mut self, form: &Form) {
        let name = form.name().unwrap_or_default();
        let inside = form.parts().get(1..).unwrap_or_default();
        let is_or = |form: &Form| matches!(form.name(), Some("or" | "and"));
        match name {
            "or" | "and" | "not" => {
                self.has_or |= name == "or";
                self.has_negated_or |= name == "not" && inside.iter().any(is_or);
                inside.iter().for_each(|part| self.atom(part));
            }
            _ => {
                self.predicates.entry(name.to_owned()).or_default().insert(inside.len());
                inside.iter().for_each(|part| self.term(part));
            }
        }
    }

    fn term(&mut self, form: &Form) {
        match form {
            Form::Word(word) if word.starts_with('?') => {}
            Form::Word(word) => _ = self.constants.insert(word.clone()),
            Form::List(parts) => {
                let name = form.name().unwrap_or_default().to_owned();
                self.functions.entry(name).or_default().insert(parts.len() - 1);
                parts[1..].iter().for_each(|part| self.term(part));
            }
        }
    }
}
