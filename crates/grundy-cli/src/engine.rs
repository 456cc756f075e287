//! Which engine answers.

use crate::files::Loaded;
use crate::output::Failure;
use clap::ValueEnum;
use grundy::lifted::{Lifted, LiftedConfig};
use grundy::reasoner::Reference;
use std::time::{Duration, Instant};

/// The engines that can be asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Slow and obvious: it judges the others
    Reference,
    /// No grounding: the tabling engine evaluates the rules for each state
    Lifted,
}

impl Engine {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Engine::Reference => "reference",
            Engine::Lifted => "lifted",
        }
    }
}

/// Bounds on reasoning, for all commands that play.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ReasonArgs {
    /// Limit: how many facts may be derived in one state
    #[arg(long, value_name = "N", default_value_t = 20_000_000, help_heading = "Limits")]
    max_facts: usize,

    /// Limit: how deep terms may nest
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Limits")]
    max_term_depth: usize,

    /// Limit: how many seconds the whole command may take
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Limits")]
    timeout: Option<Duration>,
}

impl ReasonArgs {
    /// The limits of the reference engine, with the clock started now.
    fn limits(&self) -> grundy_reference::Limits {
        grundy_reference::Limits {
            facts: self.max_facts,
            term_depth: self.max_term_depth,
            deadline: self.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
        }
    }

    /// The lifted engine for a game.
    pub(crate) fn lifted(&self, game: &Loaded) -> Result<Lifted, Failure> {
        let deadline = self.limits().deadline;
        let config =
            LiftedConfig { max_term_depth: self.max_term_depth, deadline, ..LiftedConfig::default() };
        Ok(Lifted::new(&game.program, &config)?)
    }

    /// The reference engine for a game.
    pub(crate) fn reference(&self, game: &Loaded) -> Result<Reference, Failure> {
        Ok(Reference::new(game.program.clone(), self.limits())?)
    }
}

/// Reads a positive number of seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    if !(seconds > 0.0 && seconds < 1e9) {
        return Err("the number of seconds has to be positive".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}
