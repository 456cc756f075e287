//! Forms of a sheet without places: to change them and to print them again.

use grundy::syntax::{Kind, SexprId, Sexprs, Source, read_sexprs};

/// A word, or a list of forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Word(String),
    List(Vec<Form>),
}

impl Form {
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Form::Word(word) => Some(word),
            Form::List(_) => None,
        }
    }

    pub(crate) fn parts(&self) -> &[Form] {
        match self {
            Form::Word(_) => &[],
            Form::List(parts) => parts,
        }
    }

    /// The first word.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Form::Word(word) => Some(word),
            Form::List(parts) => parts.first().and_then(Form::word),
        }
    }

    /// Whether it is `(<= head body…)`.
    pub(crate) fn is_rule(&self) -> bool {
        matches!(self, Form::List(_)) && self.name() == Some("<=")
    }

    pub(crate) fn is_variable(&self) -> bool {
        self.word().is_some_and(|word| word.starts_with('?'))
    }
}

/// The forms of a sheet.
pub(crate) fn forms_of(sheet: &str) -> Vec<Form> {
    let source = Source::new("sheet.kif", sheet);
    let (sexprs, _) = read_sexprs(&source, &Default::default());
    sexprs.forms().map(|form| form_of(&source, &sexprs, form)).collect()
}

fn form_of(source: &Source, sexprs: &Sexprs, id: SexprId) -> Form {
    match sexprs.kind(id) {
        Kind::Atom => Form::Word(sexprs.atom(source, id).unwrap_or_default().to_owned()),
        Kind::List => Form::List(sexprs.children(id).map(|child| form_of(source, sexprs, child)).collect()),
    }
}

/// The sheet of some forms.
pub(crate) fn print(forms: &[Form]) -> String {
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
