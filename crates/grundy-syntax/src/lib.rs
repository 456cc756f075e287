//! Text in, [`Program`] out.
//!
//! Two notations are read: KIF, in which games are written (GDL), and Prolog clauses, in which
//! domain theories are written. Both lower to one type.
//!
//! ```
//! use grundy_syntax::{Notation, Printer, Source, read_game};
//!
//! let source = Source::new("coin.kif", "(role thrower) (<= (legal ?r throw) (or (role ?r) (guest ?r)))");
//! let reading = read_game(&source, &Default::default());
//! assert_eq!(reading.program.rules.len(), 3); // one fact, and a rule for each branch of the `or`
//! assert_eq!(reading.diagnostics[0].code.id(), "W504"); // `or` is deprecated
//! let printed = Printer::new(&reading.program, Notation::Kif).program();
//! assert!(printed.contains("(<= (legal ?r throw)\n    (guest ?r))"));
//! ```
//!
//! Reading never fails and never panics: what is wrong becomes a [`Diagnostic`], and the program
//! holds whatever could be understood. The crate does no input or output.

#![forbid(unsafe_code)]

mod budget;
mod clause;
mod diagnostic;
mod ids;
mod kif;
mod limits;
mod lower;
mod ordered_set;
mod program;
mod prolog;
mod sexpr;
mod source;

pub use budget::{Budget, Exhausted, Stage, Ticks};
pub use diagnostic::{Code, Diagnostic, Label, Severity, tidy};
pub use ids::{Id, float, length, narrow, wide};
pub use limits::Limits;
pub use program::{
    Atom, Condition, Constraint, Declaration, Dialect, Keyword, Literal, Notation, Predicate, PredicateId,
    Printer, Program, Rule, RuleId, SymbolId, Symbols, Term, TermId, Terms, VariableId,
};
pub use sexpr::{Kind, SexprId, Sexprs, print_sexprs, read_sexprs};
pub use source::{MAX_SOURCE_BYTES, Place, Source, Span};

use lower::Lowering;

/// What came of reading a text.
#[derive(Clone, Debug)]
pub struct Reading {
    /// All that could be understood.
    pub program: Program,
    /// All that was found, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a game in KIF notation.
pub fn read_game(source: &Source, limits: &Limits) -> Reading {
    read(source, Notation::Kif, Dialect::Game, limits)
}

/// Reads a domain theory in Prolog notation.
pub fn read_theory(source: &Source, limits: &Limits) -> Reading {
    read(source, Notation::Prolog, Dialect::Theory, limits)
}

/// Reads a text in either notation, with or without the keywords of games.
pub fn read(source: &Source, notation: Notation, dialect: Dialect, limits: &Limits) -> Reading {
    let mut lowering = Lowering::new(dialect, limits);
    if let Some(span) = source.first_invalid_byte() {
        let hint = "what could not be read became `\u{FFFD}`; save the file as UTF-8";
        lowering.report(Diagnostic::new(Code::InvalidUtf8, span, "this text is not UTF-8").hint(hint));
    }
    match notation {
        Notation::Kif => {
            let (sexprs, diagnostics) = read_sexprs(source, limits);
            diagnostics.into_iter().for_each(|diagnostic| lowering.report(diagnostic));
            kif::lower_sexprs(&mut lowering, source, &sexprs);
        }
        Notation::Prolog => prolog::lower_clauses(&mut lowering, source),
    }
    let Lowering { program, mut diagnostics, .. } = lowering;
    tidy(&mut diagnostics);
    Reading { program, diagnostics }
}

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
