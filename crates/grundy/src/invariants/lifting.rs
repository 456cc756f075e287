//! Invariants as text, one line for all groups of a pattern.

use super::candidates::{Family, Part, parts_of};
use super::{Invariant, InvariantKind, Invariants};
use crate::ids::Id;

/// Invariants of one pattern and kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiftedInvariant {
    /// In words, such as `for each x, y: exactly one c with (cell x y c)`.
    pub text: String,
    /// What is said.
    pub kind: InvariantKind,
    /// About how many groups.
    pub groups: usize,
    /// The patterns of the facts in its groups.
    pub conditions: Vec<String>,
}

/// Names of arguments that are the same in a group, and of those that differ.
const KEYS: [&str; 8] = ["x", "y", "z", "w", "v", "u", "t", "s"];
const VALUES: [&str; 8] = ["c", "d", "e", "f", "g", "h", "i", "j"];

/// The number of facts or groups that a text lists.
const MOST_NAMED: usize = 4;

fn name(names: &[&str; 8], number: usize) -> String {
    match number / names.len() {
        0 => names[number].to_owned(),
        round => format!("{}{round}", names[number % names.len()]),
    }
}

/// The pattern of a part, with the names of its values.
fn pattern(part: &Part) -> (String, Vec<String>) {
    let (mut keys, mut values) = (0, Vec::new());
    let mut text = part.name.clone();
    for at in 0..part.arity {
        text.push(' ');
        if part.key >> at & 1 == 1 {
            text.push_str(&name(&KEYS, keys));
            keys += 1;
        } else {
            let value = name(&VALUES, values.len());
            text.push_str(&value);
            values.push(value);
        }
    }
    (if part.arity == 0 { text } else { format!("({text})") }, values)
}

impl Invariants {
    /// The invariants, those of one pattern and kind together.
    pub fn lifted(&self) -> Vec<LiftedInvariant> {
        let same = |a: &Invariant, b: &Invariant| a.family == b.family && a.kind == b.kind;
        let one = |run: &[Invariant]| {
            let family = &self.families[run[0].family];
            match run[0].kind {
                InvariantKind::Never | InvariantKind::Always => self.constants(family, run),
                kind => self.groups_of(family, kind, run),
            }
        };
        self.proved.chunk_by(same).map(one).collect()
    }

    fn groups_of(&self, family: &Family, kind: InvariantKind, run: &[Invariant]) -> LiftedInvariant {
        let number = match kind {
            InvariantKind::AtMostOne => "at most one".to_owned(),
            InvariantKind::ExactlyOne => "exactly one".to_owned(),
            InvariantKind::Exactly(number) => format!("exactly {number}"),
            InvariantKind::Never | InvariantKind::Always => String::new(),
        };
        let patterns: Vec<(String, Vec<String>)> = family.parts.iter().map(pattern).collect();
        let what = match &patterns[..] {
            [(text, values)] if values.is_empty() => text.clone(),
            [(text, values)] => format!("{} with {text}", values.join(", ")),
            _ => format!(
                "of {}",
                patterns.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(", ")
            ),
        };
        let keys = family.parts[0].key.count_ones().index();
        let names = (0..keys).map(|number| name(&KEYS, number)).collect::<Vec<_>>().join(", ");
        let text = match keys {
            0 => format!("{number} {what}"),
            _ if run.len() == family.groups => format!("for each {names}: {number} {what}"),
            _ => {
                let values: Vec<String> =
                    run.iter().take(MOST_NAMED).map(|one| self.key_of(&family.parts[0], one)).collect();
                let dots = if run.len() > MOST_NAMED { ", …" } else { "" };
                format!("for {names} = {}{dots}: {number} {what}", values.join("; "))
            }
        };
        let conditions = patterns.into_iter().map(|(text, _)| text).collect();
        LiftedInvariant { text, kind, groups: run.len(), conditions }
    }

    /// The key of a group.
    fn key_of(&self, part: &Part, invariant: &Invariant) -> String {
        let (_, args) = parts_of(&self.fluents[invariant.members[0]]);
        let keys = args.iter().enumerate().filter(|(at, _)| part.key >> at & 1 == 1);
        keys.map(|(_, arg)| *arg).collect::<Vec<_>>().join(", ")
    }

    fn constants(&self, family: &Family, run: &[Invariant]) -> LiftedInvariant {
        let word = if run[0].kind == InvariantKind::Never { "never" } else { "always" };
        let (text, _) = pattern(&family.parts[0]);
        let facts: Vec<&str> = run.iter().map(|one| self.fluents[one.members[0]].as_str()).collect();
        let text = if facts.len() == family.groups && family.parts[0].arity > 0 {
            format!("{word} {text}, for any arguments")
        } else if facts.len() > MOST_NAMED {
            format!("{word} {}, … ({} of {})", facts[..MOST_NAMED].join(", "), facts.len(), family.groups)
        } else {
            format!("{word} {}", facts.join(", "))
        };
        LiftedInvariant {
            text,
            kind: run[0].kind,
            groups: run.len(),
            conditions: facts.into_iter().map(str::to_owned).collect(),
        }
    }
}
