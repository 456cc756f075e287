//! What a bench that works on a folder of games asks of its caller.

use crate::BenchError;
use grundy::syntax::{Budget, Program, Source};
use std::path::Path;

/// The caller of a bench: the only one that opens sheets, knows the limits of the call, and shows messages.
pub trait Host {
    /// The budget of the call.
    fn budget(&self) -> Budget;

    /// Shows a line of progress, or a message.
    fn note(&self, line: &str);

    /// Reads and checks a game.
    fn game(&self, path: &Path) -> Result<Program, BenchError>;

    /// Reads a text, such as a recorded game.
    fn source(&self, path: &Path) -> Result<Source, BenchError>;

    /// The states of some random playouts, printed, without the terminal ones.
    fn random_states(&self, game: &Program, playouts: u64, seed: u64)
    -> Result<Vec<Vec<String>>, BenchError>;
}
