//! Playing with any engine, state by state.

use super::observer::{Observer, Place};
use super::{Played, Session, firsts, unplayable};
use crate::output::{Failure, Outcome};
use anyhow::Result;
use grundy::engine::{AnyEngine, Task};
use grundy::machine::Totals;
use grundy::play::{FollowError, Line, RandomGame, follow, play_random};
use grundy::reasoner::{ReasonError, Reasoner};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

pub(super) fn play(session: &Session, engine: &AnyEngine, observer: &mut Observer) -> Result<Played> {
    // A task can only fail in one way; what else goes wrong is carried past it.
    let mut error = None;
    let played = engine.run(Simulate { session, observer, error: &mut error });
    error.map_or(Ok(played?), Err)
}

struct Simulate<'a, 'o, 'w> {
    session: &'a Session<'a>,
    observer: &'o mut Observer<'w>,
    error: &'a mut Option<anyhow::Error>,
}

impl Task for Simulate<'_, '_, '_> {
    type Output = Played;
    type Error = Failure;

    fn run<R: Reasoner + Send>(self, make: impl Fn() -> Result<R, ReasonError>) -> Result<Played, Failure> {
        let Simulate { session, observer, error } = self;
        let args = session.args;
        let threads = if args.watches() { 1 } else { args.threads };
        let mut reasoners = (0..threads).map(|_| make()).collect::<Result<Vec<R>, ReasonError>>()?;
        let roles = reasoners[0].roles();
        let initial = reasoners[0].initial()?;
        follow(&mut reasoners[0], initial, &session.line, |_, _, _, _| Ok::<(), FollowError>(()))
            .map_err(unplayable)?;
        let setup = session.start.elapsed();
        let start = Instant::now();
        let quota = Quota::new(session);
        let (mut totals, mut lines) = (Totals::new(roles.len()), Vec::new());
        session.clock.watch(|| -> Result<(), Failure> {
            if args.watches() {
                match play_watched(&quota, &mut reasoners[0], observer) {
                    Ok(played) => totals = played,
                    Err(other) => *error = Some(other),
                }
            } else {
                totals = play_all(&quota, &mut reasoners)?;
            }
            for game in firsts(&totals) {
                lines.extend(line_of(session, &mut reasoners[0], game)?.map(|line| (game, line)));
            }
            Ok(())
        })?;
        quota.bar.finish_and_clear();
        let failure = quota.failure.into_inner().unwrap_or_default();
        if let Some(failure) = failure.as_ref().filter(|failure| failure.outcome != Outcome::Limit) {
            return Err(Failure::new(failure.outcome, &failure.message).with((*failure.details).clone()));
        }
        let limit = failure.or_else(|| session.clock.limit());
        Ok(Played { roles, totals, lines, setup, elapsed: start.elapsed(), limit })
    }
}

/// Why a game was not played to its end.
enum Stop {
    /// The clock says so.
    Halted,
    Failed(anyhow::Error),
}

impl From<ReasonError> for Stop {
    fn from(error: ReasonError) -> Stop {
        Stop::Failed(Failure::from(error).into())
    }
}

/// The playouts that are left, handed out by number.
struct Quota<'a> {
    session: &'a Session<'a>,
    next: AtomicU64,
    bar: ProgressBar,
    /// What ended playing, if it was not the clock.
    failure: Mutex<Option<Failure>>,
}

impl<'a> Quota<'a> {
    fn new(session: &'a Session<'a>) -> Quota<'a> {
        let args = session.args;
        // Drawn on standard error, and only if that is a terminal.
        let bar =
            if args.seconds.is_some() { ProgressBar::new_spinner() } else { ProgressBar::new(args.count()) };
        let style = ProgressStyle::with_template("{elapsed} {wide_bar} {pos}/{len} playouts");
        bar.set_style(style.expect("the template is well-formed"));
        Quota { session, next: AtomicU64::new(0), bar, failure: Mutex::default() }
    }

    fn take(&self) -> Option<RandomGame> {
        if self.session.clock.is_over() {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.session.args.count()).then(|| self.game(number))
    }

    fn game(&self, number: u64) -> RandomGame {
        RandomGame { seed: self.session.args.seed, number, max_steps: self.session.args.max_steps }
    }

    /// An engine failed: the first failure is kept, and all threads stop.
    fn fail(&self, failure: Failure) {
        self.failure.lock().expect("nothing panics with the lock").get_or_insert(failure);
        self.session.clock.finish.store(true, Ordering::Relaxed);
    }

    fn check(&self) -> Result<(), Stop> {
        if self.session.clock.is_halted() { Err(Stop::Halted) } else { Ok(()) }
    }
}

/// The state that the line of the call leads to.
fn start_of<R: Reasoner>(session: &Session, reasoner: &mut R) -> Result<R::State, Failure> {
    let initial = reasoner.initial()?;
    follow(reasoner, initial, &session.line, |_, _, _, _| Ok::<(), FollowError>(())).map_err(unplayable)
}

fn play_all<R: Reasoner + Send>(quota: &Quota, reasoners: &mut [R]) -> Result<Totals, Failure> {
    let (first, others) = reasoners.split_first_mut().expect("there is a thread");
    if others.is_empty() {
        return play_quota(quota, first);
    }
    std::thread::scope(|scope| {
        let others: Vec<_> = others.iter_mut().map(|r| scope.spawn(|| play_quota(quota, r))).collect();
        let mut totals = play_quota(quota, first)?;
        for other in others {
            totals.add(&other.join().expect("playouts do not panic")?);
        }
        Ok(totals)
    })
}

/// Plays games until there are no more; what was played before a failure counts.
fn play_quota<R: Reasoner>(quota: &Quota, reasoner: &mut R) -> Result<Totals, Failure> {
    let start = start_of(quota.session, reasoner)?;
    let mut totals = Totals::new(reasoner.roles().len());
    while let Some(game) = quota.take() {
        match play_random(reasoner, &start, &game, |_, _, _, _| quota.check()) {
            Ok((steps, ending)) => totals.add_game(game.number, steps, &ending),
            Err(Stop::Halted) => break,
            Err(Stop::Failed(error)) => {
                quota.fail(downcast(error)?);
                break;
            }
        }
        quota.bar.inc(1);
    }
    Ok(totals)
}

fn downcast(error: anyhow::Error) -> Result<Failure, Failure> {
    error.downcast::<Failure>().map_err(|error| Failure::new(Outcome::Wrong, format!("{error:#}")))
}

/// Plays games one after the other and lets the observer look.
fn play_watched<R: Reasoner>(quota: &Quota, reasoner: &mut R, observer: &mut Observer) -> Result<Totals> {
    let session = quota.session;
    let start = start_of(session, reasoner)?;
    observer.look_at_start(reasoner, &session.line, &start)?;
    let mut totals = Totals::new(reasoner.roles().len());
    while let Some(game) = quota.take() {
        let look = |reasoner: &mut R, step, state: &R::State, joint: Option<&[R::Move]>| {
            quota.check()?;
            let place = Place { game: game.number, step };
            observer.look(reasoner, place, &session.line, state, joint).map_err(Stop::Failed)
        };
        match play_random(reasoner, &start, &game, look) {
            Ok((steps, ending)) => totals.add_game(game.number, steps, &ending),
            Err(Stop::Halted) => break,
            Err(Stop::Failed(error)) => match error.downcast::<Failure>() {
                Ok(failure) => {
                    quota.fail(failure);
                    break;
                }
                Err(error) => return Err(error),
            },
        }
        quota.bar.inc(1);
    }
    Ok(totals)
}

/// The line of moves of a game that is played again; `None` if time is over.
fn line_of<R: Reasoner>(session: &Session, reasoner: &mut R, number: u64) -> Result<Option<Line>, Failure> {
    let start = start_of(session, reasoner)?;
    let game = RandomGame { seed: session.args.seed, number, max_steps: session.args.max_steps };
    let mut line = session.line.clone();
    let look = |reasoner: &mut R, _, _: &R::State, joint: Option<&[R::Move]>| {
        line.joints.extend(joint.map(|joint| joint.iter().map(|&one| reasoner.move_text(one)).collect()));
        if session.clock.is_halted() { Err(Stop::Halted) } else { Ok(()) }
    };
    match play_random(reasoner, &start, &game, look) {
        Ok(_) => Ok(Some(line)),
        Err(Stop::Halted) => Ok(None),
        Err(Stop::Failed(error)) => match downcast(error)? {
            failure if failure.outcome == Outcome::Limit => Ok(None),
            failure => Err(failure),
        },
    }
}
