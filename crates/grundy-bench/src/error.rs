//! What ends a bench early.

use grundy::features::FeatureError;
use grundy::game::GameError;
use grundy::ground::GroundError;
use grundy::metarules::MetaError;
use grundy::network::ConnectError;
use grundy::play::trace::TraceError;
use grundy::reasoner::ReasonError;
use grundy::syntax::Exhausted;

/// What ends a bench early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The budget of the call is used up.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// A game has no network or no machine.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A game cannot be ground.
    #[error(transparent)]
    Ground(#[from] GroundError),
    /// A ground game has no network.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The search for metarules, or unfolding, has failed.
    #[error(transparent)]
    Meta(#[from] MetaError),
    /// An engine cannot play a game.
    #[error(transparent)]
    Reason(#[from] ReasonError),
    /// A recorded game cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// Features cannot be compiled.
    #[error("{0}")]
    Features(String),
    /// A process, or a file that it needs, has failed.
    #[error("{0}: {1}")]
    Process(String, #[source] std::io::Error),
    /// A function of the caller has failed.
    #[error(transparent)]
    Caller(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl BenchError {
    /// Makes an error of input and output one of a bench; `what` names the action that failed.
    pub(crate) fn process(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> BenchError {
        let what = what.into();
        move |error| BenchError::Process(what, error)
    }

    /// The error of features, or the limit that explains it.
    pub(crate) fn features(error: FeatureError) -> BenchError {
        match error {
            FeatureError::Exhausted(reason) => BenchError::Exhausted(reason),
            error => BenchError::Features(error.to_string()),
        }
    }
}
