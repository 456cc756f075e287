//! One random game, with any engine.

use crate::machine::{Ending, stream};
use crate::network::RoleId;
use crate::reasoner::{ReasonError, Reasoner};

/// Which random game.
#[derive(Clone, Copy, Debug)]
pub struct RandomGame {
    /// The seed of all games.
    pub seed: u64,
    /// The number of this one.
    pub number: u64,
    /// With more moves it is given up.
    pub max_steps: u64,
}

/// Plays a random game from a state: how many joint moves were made, and how it ended.
///
/// `look` sees each state with its number and the joint move that is about to be made, and the last state without one. It
/// can stop the game by an error.
pub fn play_random<R: Reasoner, E: From<ReasonError>>(
    reasoner: &mut R,
    start: &R::State,
    game: &RandomGame,
    mut look: impl FnMut(&mut R, u64, &R::State, Option<&[R::Move]>) -> Result<(), E>,
) -> Result<(u64, Ending), E> {
    let mut rng = fastrand::Rng::with_seed(stream(game.seed, game.number));
    let mut state = start.clone();
    let mut steps = 0;
    let ending = loop {
        if reasoner.is_terminal(&state)? {
            break Ending::Terminal(reasoner.goals(&state)?);
        }
        let legal = reasoner.legal(&state)?;
        let stuck = (0..).map(RoleId).zip(&legal).filter(|(_, moves)| moves.is_empty());
        let stuck: Vec<RoleId> = stuck.map(|(role, _)| role).collect();
        if !stuck.is_empty() {
            break Ending::Stuck(stuck);
        }
        if steps == game.max_steps {
            break Ending::Unfinished;
        }
        let joint: Vec<R::Move> = legal.iter().map(|moves| moves[rng.usize(..moves.len())]).collect();
        look(reasoner, steps, &state, Some(&joint))?;
        state = reasoner.next(&state, &joint)?;
        steps += 1;
    };
    look(reasoner, steps, &state, None)?;
    Ok((steps, ending))
}
