//! The findings of all checks.

use super::suggest::closest;
use grundy_syntax::{Code, Diagnostic, Limits, Severity, Span, SymbolId};
use rustc_hash::FxHashSet;

/// The largest number of names that are compared with all others, to bound the time for invalid input. A guess.
const MOST_SUGGESTIONS: usize = 200;

/// The findings of all checks, up to a limit, since invalid input can have any number of them.
pub(super) struct Findings<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
    /// The number of warnings, and of errors.
    kept: [usize; 2],
    /// Names with a finding that explains why they are unused or undefined.
    pub(super) explained: FxHashSet<SymbolId>,
    /// The number of names that may still be compared with all others.
    suggestions_left: usize,
}

impl<'a> Findings<'a> {
    pub(super) fn new(diagnostics: &'a mut Vec<Diagnostic>) -> Findings<'a> {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
        let kept = [diagnostics.len() - errors, errors];
        Findings { diagnostics, kept, explained: FxHashSet::default(), suggestions_left: MOST_SUGGESTIONS }
    }

    /// Whether there is an error because of which rules may derive less than intended.
    pub(super) fn has_telling_error(&self) -> bool {
        self.diagnostics.iter().any(|found| found.is_error() && found.code != Code::GoalValue)
    }

    pub(super) fn may_suggest(&self) -> bool {
        self.suggestions_left > 0
    }

    /// The candidate that a name is most likely a misspelling of.
    pub(super) fn suggest<'c>(
        &mut self,
        name: &str,
        candidates: impl Iterator<Item = &'c str>,
    ) -> Option<&'c str> {
        self.suggestions_left = self.suggestions_left.checked_sub(1)?;
        closest(name, candidates)
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let kept = &mut self.kept[usize::from(diagnostic.is_error())];
        if *kept < Limits::default().diagnostics {
            *kept += 1;
            self.diagnostics.push(diagnostic);
        }
    }

    /// Removes and returns all findings of a code.
    pub(super) fn take(&mut self, code: Code) -> Vec<Diagnostic> {
        let taken: Vec<Diagnostic> = self.diagnostics.extract_if(.., |found| found.code == code).collect();
        self.kept[usize::from(code.severity() != Severity::Warning)] -= taken.len();
        taken
    }

    /// Drops findings that only follow from others: an unbound variable is often a singleton, and a singleton variable or an
    /// undefined fact is often a name in another case.
    pub(super) fn drop_consequences(&mut self) {
        let unsafe_places = self
            .places(|code| matches!(code, Code::UnsafeHead | Code::UnsafeNegation | Code::UnsafeDistinct));
        self.diagnostics.retain(|diagnostic| {
            let follows = matches!(
                diagnostic.code,
                Code::SingletonVariable | Code::Capitalisation | Code::LooseRecursion
            );
            !(follows && unsafe_places.contains(&diagnostic.primary))
        });
        let miswritten_places = self.places(|code| code == Code::Capitalisation);
        self.diagnostics.retain(|diagnostic| {
            let follows = matches!(
                diagnostic.code,
                Code::SingletonVariable | Code::UndefinedFact | Code::UndefinedMove
            );
            !(follows && miswritten_places.contains(&diagnostic.primary))
        });
    }

    /// All places of the findings of some codes.
    fn places(&self, is_wanted: impl Fn(Code) -> bool) -> FxHashSet<Span> {
        let wanted = self.diagnostics.iter().filter(|diagnostic| is_wanted(diagnostic.code));
        let places = wanted.flat_map(|diagnostic| {
            let others = diagnostic.secondary.iter().map(|label| label.span);
            std::iter::once(diagnostic.primary).chain(others)
        });
        places.collect()
    }
}
