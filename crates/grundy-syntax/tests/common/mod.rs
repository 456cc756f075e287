//! What has to be true of every reading of every text, whatever is in it.
//!
//! The property tests and the fuzz targets (`fuzz/`) share this file.

#![allow(dead_code, reason = "not every test uses all of it")]

use grundy_syntax::{
    Atom, Condition, Dialect, Limits, Literal, Notation, Printer, Program, Reading, Source, Span, Term,
    TermId, print_sexprs, read, read_sexprs,
};

/// A program, a rule, a condition or a term, with all ids resolved: two programs are the same if
/// their trees are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// A variable by its number in the rule.
    Variable(u32),
    /// Anything else.
    Node(String, Vec<Tree>),
}

/// The tree of a whole program.
pub(crate) fn tree(program: &Program) -> Tree {
    let dynamic = program.dynamic.iter().map(|declaration| {
        let arity = program.info(declaration.predicate).arity;
        node("dynamic", [node(&format!("{}/{arity}", program.name(declaration.predicate)), [])])
    });
    let rules = program.rules.iter().map(|rule| {
        let head = atom_tree(program, &rule.head);
        node("rule", std::iter::once(head).chain(body_trees(program, &rule.body)))
    });
    let constraints =
        program.constraints.iter().map(|constraint| node("never", body_trees(program, &constraint.body)));
    node("program", dynamic.chain(rules).chain(constraints))
}

fn node(name: &str, parts: impl IntoIterator<Item = Tree>) -> Tree {
    Tree::Node(name.to_owned(), parts.into_iter().collect())
}

fn body_trees<'a>(program: &'a Program, body: &'a [Condition]) -> impl Iterator<Item = Tree> + 'a {
    body.iter().map(|condition| match &condition.literal {
        Literal::Holds(atom) => node("holds", [atom_tree(program, atom)]),
        Literal::Not(atom) => node("not", [atom_tree(program, atom)]),
        Literal::Distinct(a, b) => node("distinct", [term_tree(program, *a), term_tree(program, *b)]),
    })
}

fn atom_tree(program: &Program, atom: &Atom) -> Tree {
    node(program.name(atom.predicate), atom.args.iter().map(|&arg| term_tree(program, arg)))
}

fn term_tree(program: &Program, term: TermId) -> Tree {
    match program.terms.get(term) {
        Term::Variable(variable) => Tree::Variable(variable.0),
        Term::Constant(name) => node(program.symbols.name(name), []),
        Term::Compound(name, args) => {
            node(program.symbols.name(name), args.iter().map(|&arg| term_tree(program, arg)))
        }
    }
}

/// Reads a text in one way, and checks everything that can be said of the outcome: places are
/// valid, ids are in range, and what is printed reads back as the same program.
pub(crate) fn check_all(source: &Source, notation: Notation, dialect: Dialect, limits: &Limits) -> Reading {
    let reading = read(source, notation, dialect, limits);
    check_diagnostics(source, &reading, limits);
    check_program(source, &reading.program);
    check_round_trip(&reading.program, notation, limits);
    reading
}

fn check_diagnostics(source: &Source, reading: &Reading, limits: &Limits) {
    let diagnostics = &reading.diagnostics;
    for diagnostic in diagnostics {
        assert_valid(source, diagnostic.primary);
        diagnostic.secondary.iter().for_each(|label| assert_valid(source, label.span));
        assert!(!diagnostic.message.contains('\n'), "{:?}", diagnostic.message);
    }
    assert!(diagnostics.is_sorted_by_key(|diagnostic| diagnostic.primary), "not in the order of the text");
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    assert!(errors <= limits.diagnostics && diagnostics.len() - errors <= limits.diagnostics);
}

fn check_program(source: &Source, program: &Program) {
    for rule in &program.rules {
        assert_valid(source, rule.span);
        assert_valid(source, rule.head_span);
        check_atom(program, &rule.head);
        check_body(source, program, &rule.body);
    }
    for constraint in &program.constraints {
        assert_valid(source, constraint.span);
        check_body(source, program, &constraint.body);
    }
    program.dynamic.iter().for_each(|declaration| assert_valid(source, declaration.span));
    for (id, info) in program.predicates() {
        let name = program.symbols.name(info.name);
        assert_eq!(program.find_predicate(name, info.arity), Some(id), "`{name}` is two predicates");
        if let Some(keyword) = info.keyword {
            assert_eq!((name, info.arity), (keyword.name(), keyword.arity()));
        }
    }
}

fn check_body(source: &Source, program: &Program, body: &[Condition]) {
    for condition in body {
        assert_valid(source, condition.span);
        if let Some(atom) = condition.literal.atom() {
            check_atom(program, atom);
        }
    }
}

fn check_atom(program: &Program, atom: &Atom) {
    assert_eq!(atom.args.len(), program.info(atom.predicate).arity);
}

/// A span is inside the text and cuts no character.
fn assert_valid(source: &Source, span: Span) {
    assert!(span.start <= span.end, "{span:?} ends before it starts");
    assert!(source.text().get(span.range()).is_some(), "{span:?} is no part of {:?}", source.text());
}

/// Prints a program, reads that, and compares: in its own notation, and in Prolog in any case.
///
/// The other way there is no promise: KIF cannot say everything that Prolog notation can. But such
/// a text, too, can be printed and read without a panic.
pub(crate) fn check_round_trip(program: &Program, notation: Notation, limits: &Limits) {
    assert_reads_back(program, notation, limits);
    assert_reads_back(program, Notation::Prolog, limits);
    reread(program, Notation::Kif, limits);
}

fn assert_reads_back(program: &Program, notation: Notation, limits: &Limits) {
    let (printed, again) = reread(program, notation, limits);
    let errors: Vec<_> = again.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).collect();
    assert!(errors.is_empty(), "{printed}\n{errors:#?}");
    assert!(tree(&again.program) == tree(program), "not the same program any more:\n{printed}");
    let twice = Printer::new(&again.program, notation).program();
    assert_eq!(twice, printed, "printing is not stable");
}

fn reread(program: &Program, notation: Notation, limits: &Limits) -> (String, Reading) {
    let printed = Printer::new(program, notation).program();
    let source = Source::new("printed", printed.as_str());
    let again = read(&source, notation, program.dialect, limits);
    (printed, again)
}

/// S-expressions have valid places and, unless something is wrong, the tokens of the text.
pub(crate) fn check_sexprs(source: &Source, limits: &Limits) {
    let (sexprs, diagnostics) = read_sexprs(source, limits);
    for id in sexprs.forms().flat_map(|form| sexprs.subtree(form)) {
        assert_valid(source, sexprs.span(id));
        let outer = sexprs.span(id);
        assert!(sexprs.children(id).all(|child| outer.to(sexprs.span(child)) == outer), "a part sticks out");
    }
    // The line break keeps a word that begins like a byte order mark from being taken for one.
    let printed = format!("\n{}", print_sexprs(source, &sexprs));
    if diagnostics.is_empty() {
        assert_eq!(kif_tokens(&printed), kif_tokens(source.text()));
    }
    let again = Source::new("printed", printed.as_str());
    let (sexprs, diagnostics) = read_sexprs(&again, limits);
    assert!(diagnostics.is_empty(), "{printed:?} has {diagnostics:?}");
    assert_eq!(print_sexprs(&again, &sexprs), printed[1..]);
}

/// The tokens of KIF, found in the most obvious way.
fn kif_tokens(text: &str) -> Vec<String> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let bare: Vec<&str> = text.split('\n').map(|line| line.split(';').next().unwrap_or("")).collect();
    let spaced = bare.join("\n").replace('(', " ( ").replace(')', " ) ");
    spaced.split(|c| c <= ' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
