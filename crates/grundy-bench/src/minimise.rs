//! Making a sheet small that shows a failure.

use crate::form::{Form, forms_of, print};

/// A sheet that was made small.
#[derive(Clone, Debug)]
pub struct Minimised {
    /// The rules.
    pub sheet: String,
    /// Whether nothing more can be taken away; if not, there was no time for it.
    pub is_minimal: bool,
}

/// The smallest sheet that can be had such that `fails` still holds: runs of rules are taken away, then rules, conditions
/// and arguments of `or`, then terms become constants. `has_time` is asked before each try.
pub fn minimise(sheet: &str, mut has_time: impl FnMut() -> bool, fails: impl Fn(&str) -> bool) -> Minimised {
    let mut forms = forms_of(sheet);
    let is_minimal = reduce(&mut forms, &mut || has_time(), &|forms| fails(&print(forms))).is_some();
    Minimised { sheet: print(&forms), is_minimal }
}

/// `None` if there was no time to go to the end.
fn reduce(
    forms: &mut Vec<Form>,
    has_time: &mut dyn FnMut() -> bool,
    fails: &dyn Fn(&[Form]) -> bool,
) -> Option<()> {
    let mut size = forms.len() / 2;
    while size > 1 {
        remove_runs(forms, size, has_time, fails)?;
        size /= 2;
    }
    loop {
        let mut is_smaller = false;
        let mut at = 0;
        while at < forms.len() {
            let instead = std::iter::once(None).chain(reduced(&forms[at]).into_iter().map(Some));
            let mut found = false;
            for instead in instead.collect::<Vec<_>>() {
                if !has_time() {
                    return None;
                }
                let mut candidate = forms.clone();
                match instead {
                    None => _ = candidate.remove(at),
                    Some(form) => candidate[at] = form,
                }
                if fails(&candidate) {
                    *forms = candidate;
                    (is_smaller, found) = (true, true);
                    break;
                }
            }
            at += usize::from(!found);
        }
        if !is_smaller {
            return Some(());
        }
    }
}

/// Takes runs of so many rules away.
fn remove_runs(
    forms: &mut Vec<Form>,
    size: usize,
    has_time: &mut dyn FnMut() -> bool,
    fails: &dyn Fn(&[Form]) -> bool,
) -> Option<()> {
    let mut at = 0;
    while at < forms.len() {
        if !has_time() {
            return None;
        }
        let mut candidate = forms.clone();
        candidate.drain(at..(at + size).min(forms.len()));
        if fails(&candidate) {
            *forms = candidate;
        } else {
            at += size;
        }
    }
    Some(())
}

/// A rule with one condition less, with a part of a condition in its place, or with a term less.
fn reduced(form: &Form) -> Vec<Form> {
    let Form::List(parts) = form else { return Vec::new() };
    let mut found = Vec::new();
    if form.is_rule() {
        for at in 2..parts.len() {
            let mut shorter = parts.clone();
            shorter.remove(at);
            found.push(if shorter.len() == 2 { shorter.swap_remove(1) } else { Form::List(shorter) });
            if matches!(parts[at].name(), Some("or" | "and" | "not")) {
                for instead in parts[at].parts().iter().skip(1) {
                    let mut other = parts.clone();
                    other[at] = instead.clone();
                    found.push(Form::List(other));
                }
            }
        }
    }
    // The terms of a rule are inside of its atoms.
    found.extend(with_smaller_terms(form, if form.is_rule() { 2 } else { 1 }));
    found
}

/// The form with a function replaced by one of its own arguments; there are no functions above this depth.
fn with_smaller_terms(form: &Form, above: usize) -> Vec<Form> {
    let Form::List(parts) = form else { return Vec::new() };
    let mut found = Vec::new();
    if above == 0 && parts.len() > 1 {
        found.extend(parts[1..].iter().cloned());
    }
    for (at, part) in parts.iter().enumerate() {
        found.extend(with_smaller_terms(part, above.saturating_sub(1)).into_iter().map(|smaller| {
            let mut other = parts.clone();
            other[at] = smaller;
            Form::List(other)
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_fails_is_left() {
        let sheet = "(role a) (role b) (init (f 1)) (<= terminal (true (f 1)) (or (p 2) (not (q (g 3)))) (r 4)) (s 5)";
        let small = minimise(sheet, || true, |sheet| sheet.contains('q') && sheet.contains("role b"));
        assert!(small.is_minimal);
        assert_eq!(small.sheet, "(role b)\n(<= terminal (q 3))\n");
        let mut tries = 0;
        let hurried = minimise(
            sheet,
            || {
                tries += 1;
                tries < 3
            },
            |sheet| sheet.contains('q'),
        );
        assert!(!hurried.is_minimal && hurried.sheet.contains('q'));
    }
}
