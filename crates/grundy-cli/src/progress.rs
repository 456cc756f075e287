//! A line on a terminal that tells how far grounding is.

use crate::render::count;
use grundy::ground::Progress;
use indicatif::{HumanBytes, HumanCount, ProgressBar};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Who is done sooner is not watched.
const SOON: Duration = Duration::from_secs(1);

/// How often the line changes.
const TICK: Duration = Duration::from_millis(100);

/// Shows the line until it is dropped.
pub(crate) struct Watch(Option<(Sender<()>, JoinHandle<()>)>);

impl Watch {
    /// Starts to watch, if standard error is a terminal.
    pub(crate) fn start(progress: Arc<Progress>) -> Watch {
        if !std::io::stderr().is_terminal() {
            return Watch(None);
        }
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            let start = Instant::now();
            let goes_on = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if goes_on(SOON) {
                let bar = ProgressBar::new_spinner();
                while goes_on(TICK) {
                    bar.set_message(line(&progress, start.elapsed()));
                    bar.tick();
                }
                bar.finish_and_clear();
            }
        });
        Watch(Some((stop, thread)))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

fn line(progress: &Progress, elapsed: Duration) -> String {
    let rules = progress.rules();
    let rate = (rules as f64 / elapsed.as_secs_f64()) as u64;
    let memory = HumanBytes(progress.bytes());
    format!("{}, {} a second, {memory}", count(HumanCount(rules), "rule"), HumanCount(rate))
}
