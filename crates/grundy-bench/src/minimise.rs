//! Making a sheet small that shows a failure.

use grundy::syntax::{Kind, SexprId, Sexprs, Source, read_sexprs};

/// A form of a sheet, without places.
#[derive(Clone)]
enum Form {
    Word(String),
    List(Vec<Form>),
}

/// The smallest sheet that can be had by taking rules, conditions and arguments of `or` away one at a time, such that
/// `fails` still holds. It is asked at most `most` times.
pub fn minimise(sheet: &str, most: usize, fails: impl Fn(&str) -> bool) -> String {
    let source = Source::new("sheet.kif", sheet);
    let (sexprs, _) = read_sexprs(&source, &Default::default());
    let mut forms: Vec<Form> = sexprs.forms().map(|form| form_of(&source, &sexprs, form)).collect();
    let mut left = most;
    loop {
        let mut smaller = false;
        let mut at = 0;
        while at < forms.len() {
            let mut tries: Vec<Option<Form>> = vec![None];
            tries.extend(reduced(&forms[at]).into_iter().map(Some));
            let mut found = false;
            for instead in tries {
                if left == 0 {
                    return print(&forms);
                }
                left -= 1;
                let mut candidate = forms.clone();
                match instead {
                    None => _ = candidate.remove(at),
                    Some(form) => candidate[at] = form,
                }
                if fails(&print(&candidate)) {
                    forms = candidate;
                    (smaller, found) = (true, true);
                    break;
                }
            }
            at += usize::from(!found);
        }
        if !smaller {
            return print(&forms);
        }
    }
}

/// A rule with one condition less, or with a part of a condition in its place.
fn reduced(form: &Form) -> Vec<Form> {
    let Form::List(parts) = form else { return Vec::new() };
    let mut found = Vec::new();
    let is_rule = matches!(parts.first(), Some(Form::Word(name)) if name == "<=");
    for at in 2..parts.len() {
        if !is_rule {
            break;
        }
        let mut shorter = parts.clone();
        shorter.remove(at);
        found.push(if shorter.len() == 2 { shorter.swap_remove(1) } else { Form::List(shorter) });
        if let Form::List(inner) = &parts[at]
            && matches!(inner.first(), Some(Form::Word(name)) if ["or", "and", "not"].contains(&name.as_str()))
        {
            for instead in &inner[1..] {
                let mut other = parts.clone();
                other[at] = instead.clone();
                found.push(Form::List(other));
            }
        }
    }
    found
}

fn form_of(source: &Source, sexprs: &Sexprs, id: SexprId) -> Form {
    match sexprs.kind(id) {
        Kind::Atom => Form::Word(sexprs.atom(source, id).unwrap_or_default().to_owned()),
        Kind::List => Form::List(sexprs.children(id).map(|child| form_of(source, sexprs, child)).collect()),
    }
}

fn print(forms: &[Form]) -> String {
    let mut out = String::new();
    for form in forms {
        write(form, &mut out);
        out.push('\n');
    }
    out
}

fn write(form: &Form, out: &mut String) {
    match form {
        Form::Word(word) => out.push_str(word),
        Form::List(parts) => {
            out.push('(');
            for (number, part) in parts.iter().enumerate() {
                if number > 0 {
                    out.push(' ');
                }
                write(part, out);
            }
            out.push(')');
        }
    }
}
