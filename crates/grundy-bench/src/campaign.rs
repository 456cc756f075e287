//! Many sheets, compared by several threads.
//!
//! Results are returned in the order of the sheets, for any number of threads. When an engine does not return in time, its
//! thread is abandoned and another one continues with the next sheet.

use crate::differential::{Config, Verdict, Watch, check_watched};
use crate::{mutant, random_game};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A sheet to compare the engines on.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Its name, such as `seed-123`.
    pub name: String,
    /// The rules.
    pub text: String,
}

/// Makes the sheet with a number.
pub type Sheets = dyn Fn(u64) -> Sheet + Send + Sync;

/// Random games: sheet 0 has the seed `first`, and each further one the next seed.
pub fn random_games(first: u64) -> Box<Sheets> {
    Box::new(move |number| {
        let seed = first.wrapping_add(number);
        Sheet { name: format!("seed-{seed}"), text: random_game(seed) }
    })
}

/// These sheets, in order; there has to be one for each number.
pub fn given(sheets: Vec<Sheet>) -> Box<Sheets> {
    Box::new(move |number| sheets[index(number)].clone())
}

/// Mutants: one of each sheet with the seed `first`, then one of each with the next seed, and so on.
pub fn mutants(parents: Vec<Sheet>, first: u64) -> Box<Sheets> {
    Box::new(move |number| {
        let (round, parent) = (index(number) / parents.len(), index(number) % parents.len());
        let parent = &parents[parent];
        let seed = first.wrapping_add(u64::try_from(round).unwrap_or(u64::MAX));
        let text = mutant(&parent.text, seed).unwrap_or_else(|| parent.text.clone());
        Sheet { name: format!("{}-mutant-{seed}", parent.name), text }
    })
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("there are as many sheets in memory")
}

/// A sheet with its outcome.
#[derive(Clone, Debug)]
pub struct Done {
    /// The sheet.
    pub sheet: Sheet,
    /// Its outcome.
    pub outcome: Outcome,
}

/// The outcome of a sheet.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It was compared.
    Checked(Verdict),
    /// This engine did not return in time.
    Stuck(String),
}

/// How to compare many sheets.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How many.
    pub sheets: u64,
    /// How many threads.
    pub threads: usize,
    /// How each is compared.
    pub config: Config,
    /// An engine is abandoned when a sheet takes longer than this.
    pub patience: Duration,
}

/// A comparison under way.
pub struct Campaign {
    plan: Plan,
    shared: Arc<Shared>,
    sender: Sender<(u64, Done)>,
    receiver: Receiver<(u64, Done)>,
    /// Sheets that were compared before it was their turn.
    early: BTreeMap<u64, Done>,
    next: u64,
}

struct Shared {
    sheets: Box<Sheets>,
    next: AtomicU64,
    stop: AtomicBool,
    /// What the threads are at.
    running: Mutex<Vec<Running>>,
}

/// A sheet that a thread is at.
struct Running {
    number: u64,
    sheet: Sheet,
    watch: Arc<Watch>,
    since: Instant,
}

impl Campaign {
    /// Begins to compare sheets 0, 1, 2 and so on.
    pub fn start(plan: Plan, sheets: Box<Sheets>) -> Campaign {
        let (sender, receiver) = channel();
        let shared = Arc::new(Shared {
            sheets,
            next: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            running: Mutex::new(Vec::new()),
        });
        let campaign = Campaign { plan, shared, sender, receiver, early: BTreeMap::new(), next: 0 };
        (0..plan.threads.max(1)).for_each(|_| campaign.spawn());
        campaign
    }

    fn spawn(&self) {
        let (plan, shared, sender) = (self.plan, self.shared.clone(), self.sender.clone());
        // Deeply nested rules take more stack than threads have.
        let thread = std::thread::Builder::new().stack_size(64 << 20);
        let work = move || work(&plan, &shared, &sender);
        drop(thread.spawn(work).expect("a thread can be started"));
    }

    /// The next sheet that is done, in order. After `wait` without one, there is `Wait::NotYet`.
    pub fn next(&mut self, wait: Duration) -> Wait {
        let until = Instant::now() + wait;
        loop {
            if self.next == self.plan.sheets {
                return Wait::Over;
            }
            if let Some(done) = self.early.remove(&self.next) {
                self.next += 1;
                return Wait::Done(Box::new(done));
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.receiver.recv_timeout(left) {
                // An abandoned thread may still return.
                Ok((number, done)) if number >= self.next => _ = self.early.entry(number).or_insert(done),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    self.give_up();
                    if !self.early.contains_key(&self.next) {
                        return Wait::NotYet;
                    }
                }
            }
        }
    }

    /// Replaces threads that do not return.
    fn give_up(&mut self) {
        let mut running = self.shared.running.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = self.plan.patience;
        let stuck: Vec<Running> = running.extract_if(.., |one| one.since.elapsed() > patience).collect();
        drop(running);
        for Running { number, sheet, watch, .. } in stuck {
            let outcome = Outcome::Stuck(watch.engine());
            self.early.entry(number).or_insert(Done { sheet, outcome });
            self.spawn();
        }
    }
}

impl Drop for Campaign {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }
}

/// What waiting for a sheet comes to.
#[derive(Debug)]
pub enum Wait {
    /// A sheet is done.
    Done(Box<Done>),
    /// None was done in that time.
    NotYet,
    /// All were handed out.
    Over,
}

/// Compares sheets until there are no more.
fn work(plan: &Plan, shared: &Shared, sender: &Sender<(u64, Done)>) {
    while !shared.stop.load(Ordering::Relaxed) {
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        if number >= plan.sheets {
            return;
        }
        let sheet = (shared.sheets)(number);
        let watch = Arc::new(Watch::default());
        let running = Running { number, sheet: sheet.clone(), watch: watch.clone(), since: Instant::now() };
        let lock = || shared.running.lock().unwrap_or_else(PoisonError::into_inner);
        lock().push(running);
        let verdict = check_watched(&sheet.text, &plan.config, &watch);
        let was_given_up = lock().extract_if(.., |one| one.number == number).next().is_none();
        if was_given_up || sender.send((number, Done { sheet, outcome: Outcome::Checked(verdict) })).is_err()
        {
            return;
        }
    }
}
