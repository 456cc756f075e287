//! What a user should know about the choice of an engine.

use super::self_check::Disagreement;
use grundy_syntax::Exhausted;
use std::fmt;

/// A remark about the choice of an engine. Its text is one message for a user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The engine was chosen automatically.
    Chosen {
        /// Its name.
        engine: &'static str,
    },
    /// The lifted engine was chosen automatically.
    NoNetwork {
        /// Why there is no network.
        reason: String,
    },
    /// The lifted engine helps a machine.
    Hybrid {
        /// The answers that it gives.
        answers: Vec<&'static str>,
        /// The predicate with too many instances.
        predicate: String,
    },
    /// Invariants could have made the network smaller, but for a limit.
    CutShort(Exhausted),
    /// The engine agrees with the reference.
    Agrees {
        /// Its name.
        engine: &'static str,
        /// How many states were compared.
        states: u64,
        /// Why there were no more, if a limit was in the way.
        cut_short: Option<String>,
    },
    /// The engine is not used, since it disagrees with the reference.
    Disagrees {
        /// Its name.
        engine: &'static str,
        /// Where.
        disagreement: Box<Disagreement>,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Chosen { engine } => write!(f, "engine: {engine} (chosen automatically)"),
            Note::NoNetwork { reason } => {
                write!(f, "engine: lifted (chosen automatically, since there is no network: {reason})")
            }
            Note::Hybrid { answers, predicate } => {
                let answers = answers.join(" and ");
                write!(f, "`lifted` answers for {answers}: `{predicate}` has too many instances to be ground")
            }
            Note::CutShort(limit) => {
                let limit = limit.name();
                write!(
                    f,
                    "note: invariants were cut short (limit `{limit}`): another run may have another network"
                )
            }
            Note::Agrees { engine, states, cut_short } => {
                let plural = if *states == 1 { "" } else { "s" };
                write!(f, "self-check: `{engine}` agrees with the reference in {states} state{plural}")?;
                cut_short.as_ref().map_or(Ok(()), |why| write!(f, "; {why}"))
            }
            Note::Disagrees { engine, disagreement } => write!(
                f,
                "warning: `{engine}` is not used: it disagrees with the reference\n{disagreement}\n\
                 This is a bug in this program; please report it with the sheet."
            ),
        }
    }
}
