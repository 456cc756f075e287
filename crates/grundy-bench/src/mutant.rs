//! Sheets changed in a few places, as authors and judges of engines change them.
//!
//! Edits are made at random; a sheet that is no longer legal is thrown away and another edit is tried.

use crate::form::{Form, forms_of, print};
use fastrand::Rng;
use grundy::analysis::analyze;
use grundy::syntax::{Source, read_game};

/// How often an edit is tried that may leave no legal sheet.
const TRIES: usize = 60;

/// Functions that edits bring in, beside those of the sheet.
const NEW_FUNCTIONS: [&str; 2] = ["g", "pair"];

/// A legal sheet that differs from another one by a few small edits. The same seed makes the same edits. `None` if
/// no legal one was found.
pub fn mutant(sheet: &str, seed: u64) -> Option<String> {
    let mut rng = Rng::with_seed(seed);
    let mut forms = forms_of(sheet);
    let vocabulary = Vocabulary::of(&forms);
    let wanted = 1 + rng.usize(..4);
    let mut made = 0;
    for _ in 0..TRIES {
        let before = forms.clone();
        edit(&mut forms, &vocabulary, &mut rng);
        if forms != before && is_legal(&print(&forms)) {
            made += 1;
        } else {
            forms = before;
        }
        if made == wanted {
            break;
        }
    }
    (made > 0).then(|| print(&forms))
}

fn is_legal(sheet: &str) -> bool {
    let source = Source::new("mutant.kif", sheet);
    let mut reading = read_game(&source, &Default::default());
    let unlimited = Default::default();
    let _ = analyze(&source, &reading.program, &mut reading.diagnostics, &unlimited);
    !reading.diagnostics.iter().any(|diagnostic| diagnostic.code.stops())
}

/// The words of a sheet.
struct Vocabulary {
    constants: Vec<String>,
    functions: Vec<String>,
}

impl Vocabulary {
    fn of(forms: &[Form]) -> Vocabulary {
        let mut words = Vocabulary { constants: Vec::new(), functions: Vec::new() };
        for form in forms {
            for path in slots(form) {
                match at(form, &path) {
                    Form::Word(word) if !word.starts_with('?') => words.constants.push(word.clone()),
                    Form::List(parts) => words.functions.extend(parts[0].word().map(str::to_owned)),
                    Form::Word(_) => {}
                }
            }
        }
        words.functions.extend(NEW_FUNCTIONS.map(str::to_owned));
        for list in [&mut words.constants, &mut words.functions] {
            list.sort_unstable();
            list.dedup();
        }
        words
    }

    fn constant(&self, rng: &mut Rng) -> Form {
        let number = rng.usize(..self.constants.len().max(1));
        Form::Word(self.constants.get(number).map_or("1", |name| name).to_owned())
    }

    /// A function around a term.
    fn applied(&self, inside: Form, rng: &mut Rng) -> Form {
        let name = self.functions[rng.usize(..self.functions.len())].clone();
        let mut parts = vec![Form::Word(name), inside];
        if rng.u8(..4) == 0 {
            parts.push(self.constant(rng));
        }
        Form::List(parts)
    }
}

/// The way to a part of a form: the number of the part at each level.
type Path = Vec<usize>;

fn at<'a>(form: &'a Form, path: &[usize]) -> &'a Form {
    path.iter().fold(form, |form, &part| &form.parts()[part])
}

fn replace(form: &mut Form, path: &[usize], new: Form) {
    match (path, form) {
        ([first, rest @ ..], Form::List(parts)) => replace(&mut parts[*first], rest, new),
        (_, form) => *form = new,
    }
}

/// Where the terms are: the arguments of atoms, and what is inside of them.
fn slots(form: &Form) -> Vec<Path> {
    let mut found = Vec::new();
    for atom in atoms(form) {
        below(form, &atom, &mut found);
    }
    found
}

fn below(form: &Form, path: &[usize], found: &mut Vec<Path>) {
    for part in 1..at(form, path).parts().len() {
        let mut longer = path.to_vec();
        longer.push(part);
        found.push(longer.clone());
        below(form, &longer, found);
    }
}

/// Where the atoms are.
fn atoms(form: &Form) -> Vec<Path> {
    let mut found = Vec::new();
    let starts = if form.is_rule() {
        (1..form.parts().len()).map(|part| vec![part]).collect()
    } else {
        vec![Vec::new()]
    };
    for start in starts {
        atoms_below(form, start, &mut found);
    }
    found
}

fn atoms_below(form: &Form, path: Path, found: &mut Vec<Path>) {
    let part = at(form, &path);
    if !matches!(part.name(), Some("or" | "and" | "not")) || part.word().is_some() {
        found.push(path);
        return;
    }
    for inner in 1..part.parts().len() {
        let mut longer = path.clone();
        longer.push(inner);
        atoms_below(form, longer, found);
    }
}

fn edit(forms: &mut Vec<Form>, vocabulary: &Vocabulary, rng: &mut Rng) {
    if forms.is_empty() {
        return;
    }
    // Facts are many and rules are few, but rules are what matters.
    let rules: Vec<usize> = (0..forms.len()).filter(|&form| forms[form].is_rule()).collect();
    let number = match rules.is_empty() || rng.u8(..4) == 0 {
        true => rng.usize(..forms.len()),
        false => rules[rng.usize(..rules.len())],
    };
    match rng.u8(..16) {
        0..=8 => edit_term(&mut forms[number], vocabulary, rng),
        9 => _ = forms.remove(number),
        10 => {
            let mut copy = forms[number].clone();
            edit_term(&mut copy, vocabulary, rng);
            forms.insert(number, copy);
        }
        11 => {
            let copy = forms[number].clone();
            forms.insert(rng.usize(..=forms.len()), copy);
        }
        _ => {
            let other = rules.get(rng.usize(..rules.len().max(1))).map(|&rule| forms[rule].clone());
            edit_body(&mut forms[number], other.as_ref(), rng);
        }
    }
}

fn edit_term(form: &mut Form, vocabulary: &Vocabulary, rng: &mut Rng) {
    let slots = slots(form);
    if slots.is_empty() {
        return;
    }
    let path = &slots[rng.usize(..slots.len())];
    let old = at(form, path).clone();
    let others: Vec<Form> = slots.iter().map(|slot| at(form, slot).clone()).collect();
    let variables: Vec<&Form> = others.iter().filter(|other| other.is_variable()).collect();
    let new = match rng.u8(..8) {
        0 | 1 => vocabulary.constant(rng),
        2 | 3 => vocabulary.applied(old, rng),
        4 => others[rng.usize(..others.len())].clone(),
        5 => old.parts().get(1).cloned().unwrap_or_else(|| vocabulary.constant(rng)),
        _ if variables.is_empty() => vocabulary.constant(rng),
        6 => variables[rng.usize(..variables.len())].clone(),
        _ => {
            // A variable becomes another one everywhere, so that they join.
            let [from, to] = [0, 1].map(|_| variables[rng.usize(..variables.len())].clone());
            let renamed: Vec<Path> = slots.iter().filter(|slot| *at(form, slot) == from).cloned().collect();
            renamed.iter().for_each(|slot| replace(form, slot, to.clone()));
            return;
        }
    };
    replace(form, path, new);
}

fn edit_body(form: &mut Form, other: Option<&Form>, rng: &mut Rng) {
    let foreign = other.map(|other| &other.parts()[2..]).filter(|body| !body.is_empty());
    let foreign = foreign.map(|body| body[rng.usize(..body.len())].clone());
    if !form.is_rule() {
        if let Some(condition) = foreign {
            *form = Form::List(vec![Form::Word("<=".to_owned()), form.clone(), condition]);
        }
        return;
    }
    let Form::List(parts) = form else { return };
    if parts.len() < 3 {
        return;
    }
    let number = rng.usize(2..parts.len());
    let word = |text: &str| Form::Word(text.to_owned());
    match (rng.u8(..6), foreign) {
        (0, _) => _ = parts.remove(number),
        (1 | 2, _) => {
            let old = parts[number].clone();
            parts[number] = match old.name() {
                Some("not") if old.parts().len() == 2 => old.parts()[1].clone(),
                _ => Form::List(vec![word("not"), old]),
            };
        }
        (3, Some(condition)) => parts.push(condition),
        (4, Some(condition)) => {
            let old = parts[number].clone();
            parts[number] = Form::List(vec![word("or"), old, condition]);
        }
        _ => {
            let last = parts.len() - 1;
            parts.swap(number, last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHEET: &str = "(role a) (init (f 1)) (init (f (g 1)))
        (<= (legal a (m ?x)) (true (f ?x))) (<= (next (f ?x)) (does a (m ?x)) (not (true (f 2))))
        (<= terminal (true (f 3))) (goal a 50)";

    #[test]
    fn mutants_are_legal_and_differ() {
        let plain = print(&forms_of(SHEET));
        let mutants: Vec<String> = (0..100).filter_map(|seed| mutant(SHEET, seed)).collect();
        assert!(mutants.len() > 90, "{}", mutants.len());
        let mut different = mutants.clone();
        different.sort_unstable();
        different.dedup();
        assert!(different.len() > 70, "{}", different.len());
        assert!(mutants.iter().all(|mutant| is_legal(mutant) && *mutant != plain));
        assert_eq!(mutant(SHEET, 5), mutant(SHEET, 5));
    }

    #[test]
    fn terms_are_inside_of_atoms() {
        let forms = forms_of("(<= (p ?x) (not (q (g ?x) 1)) (or (r a) t))");
        let texts: Vec<String> =
            slots(&forms[0]).iter().map(|path| print(&[at(&forms[0], path).clone()])).collect();
        assert_eq!(texts.concat(), "?x\n(g ?x)\n?x\n1\na\n");
    }
}
