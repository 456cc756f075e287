//! Where the checks put what they find.

use super::suggest::closest;
use grundy_syntax::{Code, Diagnostic, Limits, Severity, Span, SymbolId};
use rustc_hash::FxHashSet;

/// The findings of all checks, within a limit: garbage gives no end of them.
pub(super) struct Findings<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
    /// How many warnings and how many errors there are.
    kept: [usize; 2],
    /// Names about which the telling thing has been said; that nothing uses them, or that nothing
    /// defines them, only follows from it.
    pub(super) explained: FxHashSet<SymbolId>,
    /// How many more names are compared with all others.
    suggestions_left: usize,
}

impl<'a> Findings<'a> {
    pub(super) fn new(diagnostics: &'a mut Vec<Diagnostic>) -> Findings<'a> {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
        let kept = [diagnostics.len() - errors, errors];
        Findings { diagnostics, kept, explained: FxHashSet::default(), suggestions_left: 200 }
    }

    /// Whether there is an error from which it could follow that rules lead to less than was meant.
    pub(super) fn has_telling_error(&self) -> bool {
        self.diagnostics.iter().any(|found| found.is_error() && found.code != Code::GoalValue)
    }

    pub(super) fn may_suggest(&self) -> bool {
        self.suggestions_left > 0
    }

    /// The candidate that a name is most likely a slip of.
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

    /// Takes out all findings of a code.
    pub(super) fn take(&mut self, code: Code) -> Vec<Diagnostic> {
        let taken: Vec<Diagnostic> = self.diagnostics.extract_if(.., |found| found.code == code).collect();
        self.kept[usize::from(code.severity() != Severity::Warning)] -= taken.len();
        taken
    }

    /// Drops what only follows from another finding: an unbound variable is often one that stands
    /// alone, and a variable that stands alone, or a fact that nothing makes, is often one that is written in another case
    /// elsewhere.
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

    /// All places that findings of some codes speak of.
    fn places(&self, is_wanted: impl Fn(Code) -> bool) -> FxHashSet<Span> {
        let wanted = self.diagnostics.iter().filter(|diagnostic| is_wanted(diagnostic.code));
        let places = wanted.flat_map(|diagnostic| {
            let others = diagnostic.secondary.iter().map(|label| label.span);
            std::iter::once(diagnostic.primary).chain(others)
        });
        places.collect()
    }
}
