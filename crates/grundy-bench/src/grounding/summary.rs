//! What follows from the records of all sheets.

use super::published::{self, BUDGETS};
use super::record::{Record, Run, Task};
use super::run::Bench;
use crate::numbers::float;
use crate::statistics::{PowerLaw, fit, median, share_below};
use serde::{Serialize, Serializer};

/// From this number of rules on, the growth of time is fitted.
pub(super) const GROWS_FROM: u64 = 10_000;

/// With fewer games there is no fit: a single outlier would decide.
const GROWTH_GAMES: usize = 10;

/// Shorter runs consist to a large part of the start of the process.
const LONG_SECONDS: f64 = 0.1;

/// From this number of rules on, speed and memory a rule are reported.
const LARGE: u64 = 1_000_000;

/// The numbers of rules at which total times are compared with another grounder.
const COMPARED: std::ops::RangeInclusive<u64> = 100_000..=10_000_000;

/// Games on which ours is slower than another grounder by more than this are listed.
const SLOWER_SECONDS: f64 = 0.02;

/// The lines of the table that are about whole processes.
pub(super) const COMPACT: &str = "compact, whole process";
pub(super) const FAITHFUL: &str = "faithful, whole process";
pub(super) const ASPIF: &str = "faithful, with aspif";
pub(super) const GRINGO: &str = "gringo, with aspif";
pub(super) const SWIPL: &str = "swipl, whole process";

/// The content of the text, the page and the JSON object.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Summary {
    pub(super) sheets: usize,
    pub(super) unreadable: Vec<String>,
    pub(super) limits: Limits,
    /// How much of a core our processes had, in percent; unknown if none of them was long enough.
    pub(super) core_share: Option<f64>,
    /// The time budgets of the shares, in seconds.
    pub(super) budgets: [f64; BUDGETS.len()],
    pub(super) shares: Vec<Shares>,
    pub(super) large: Vec<Large>,
    pub(super) growth: Vec<Growth>,
    pub(super) literals: Option<Literals>,
    pub(super) against: Vec<Against>,
    pub(super) failures: Vec<Failure>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Limits {
    pub(super) seconds: f64,
    pub(super) bytes: u64,
    pub(super) rules: u64,
}

/// A line of the table of shares.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Shares {
    pub(super) what: &'static str,
    pub(super) sheets: usize,
    /// In percent, for each of the budgets.
    pub(super) below: Vec<f64>,
    pub(super) failed: usize,
    #[serde(skip)]
    pub(super) seconds: Vec<Option<f64>>,
}

/// Speed and memory of the games with many rules.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Large {
    pub(super) form: &'static str,
    pub(super) games: usize,
    /// Of all of them together.
    pub(super) rules_per_second: f64,
    pub(super) slowest: String,
    pub(super) slowest_rules_per_second: f64,
    pub(super) median_bytes_per_rule: Option<f64>,
    pub(super) most_bytes_per_rule: Option<f64>,
}

/// How time grows with the number of rules.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Growth {
    pub(super) form: &'static str,
    #[serde(serialize_with = "slope", rename = "slope")]
    pub(super) law: PowerLaw,
    pub(super) games: usize,
}

fn slope<S: Serializer>(law: &PowerLaw, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(law.slope)
}

fn task_name<S: Serializer>(task: &Task, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(task.name())
}

/// Conditions of the compact form against the faithful one, over the games that have both.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Literals {
    pub(super) games: usize,
    pub(super) compact: u64,
    pub(super) faithful: u64,
    /// Games whose compact form has fewer by a factor of ten or more.
    pub(super) tenfold: usize,
    /// Games whose compact form has more, and how many times as many.
    pub(super) more: Vec<(String, f64)>,
}

/// Another grounder on the same games.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Against {
    pub(super) name: &'static str,
    pub(super) version: String,
    pub(super) games: usize,
    /// Games that only one of the two has ground.
    pub(super) only_ours: usize,
    pub(super) only_theirs: usize,
    pub(super) median_ratio: Option<f64>,
    /// Over the games of middle size.
    pub(super) compared_games: usize,
    pub(super) our_seconds: f64,
    pub(super) their_seconds: f64,
    pub(super) slower: Vec<(String, f64)>,
    /// Games whose numbers of rules differ, repeats aside.
    pub(super) other_counts: Vec<String>,
}

/// A run without a ground program.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Failure {
    pub(super) game: String,
    #[serde(serialize_with = "task_name")]
    pub(super) run: Task,
    pub(super) why: String,
}

impl Summary {
    pub(super) fn of(records: &[Record], bench: &Bench) -> Summary {
        let readable: Vec<&Record> = records.iter().filter(|record| !record.is_unreadable()).collect();
        let unreadable = records.iter().filter(|record| record.is_unreadable());
        let forms = [Task::Compact, Task::Faithful].into_iter().filter(|form| bench.tasks.contains(form));
        Summary {
            sheets: readable.len(),
            unreadable: unreadable.map(|record| record.game.clone()).collect(),
            limits: Limits {
                seconds: bench.timeout.as_secs_f64(),
                bytes: bench.max_memory,
                rules: bench.max_rules,
            },
            core_share: core_share(&readable, &bench.tasks),
            budgets: BUDGETS.map(|(seconds, _)| seconds),
            shares: all_shares(&readable, bench),
            large: forms.clone().filter_map(|form| large(&readable, form)).collect(),
            growth: forms.filter_map(|form| growth(&readable, form)).collect(),
            literals: literals(&readable),
            against: bench
                .rivals
                .iter()
                .map(|found| against(&readable, found.rival.task(), found.version.clone()))
                .collect(),
            failures: failures(&readable),
        }
    }
}

/// Processor time as a share of the time by the clock. Grounding has one thread and never waits, so that less than a whole
/// core means that other programs were running.
fn core_share(records: &[&Record], ours: &[Task]) -> Option<f64> {
    let runs = records.iter().flat_map(|record| &record.runs);
    let long = runs.filter(|run| ours.contains(&run.task) && run.seconds > LONG_SECONDS);
    let (cpu, wall) = long.fold((0.0, 0.0), |(cpu, wall), run| (cpu + run.cpu_seconds, wall + run.seconds));
    (wall > 0.0).then(|| 100.0 * cpu / wall)
}

/// The lines of the table: whole processes first, then the steps that the paper measured.
fn all_shares(records: &[&Record], bench: &Bench) -> Vec<Shares> {
    type Seconds = fn(&Run) -> Option<f64>;
    let whole: Seconds = |run| Some(run.seconds);
    let lines: [(&'static str, Task, Seconds); 8] = [
        (COMPACT, Task::Compact, whole),
        (FAITHFUL, Task::Faithful, whole),
        (ASPIF, Task::Aspif, whole),
        (GRINGO, Task::Gringo, whole),
        (SWIPL, Task::Swipl, whole),
        (published::ONE_STEP.what, Task::OneStep, Run::reach_seconds),
        (published::ITERATIVE.what, Task::Iterative, Run::reach_seconds),
        (published::RULES.what, Task::OneStep, Run::rules_seconds),
    ];
    let runs =
        |task| bench.tasks.contains(&task) || bench.rivals.iter().any(|found| found.rival.task() == task);
    let wanted = lines.into_iter().filter(|(_, task, _)| runs(*task));
    wanted.map(|(what, task, seconds)| shares(records, what, |record| seconds(record.fine(task)?))).collect()
}

fn shares(records: &[&Record], what: &'static str, seconds: impl Fn(&Record) -> Option<f64>) -> Shares {
    let seconds: Vec<Option<f64>> = records.iter().map(|record| seconds(record)).collect();
    let below = BUDGETS.iter().map(|(budget, _)| share_below(&seconds, *budget)).collect();
    let failed = seconds.iter().filter(|seconds| seconds.is_none()).count();
    Shares { what, sheets: seconds.len(), below, failed, seconds }
}

/// The games of a form that were ground, with their rules and the run.
fn finished<'a>(records: &'a [&Record], form: Task) -> impl Iterator<Item = (&'a str, u64, &'a Run)> {
    records.iter().filter_map(move |record| {
        let run = record.fine(form)?;
        Some((record.game.as_str(), run.rules()?, run))
    })
}

fn large(records: &[&Record], form: Task) -> Option<Large> {
    let games: Vec<_> = finished(records, form).filter(|(_, rules, _)| *rules > LARGE).collect();
    let rate = |(_, rules, run): &(&str, u64, &Run)| float(*rules) / run.seconds;
    let slowest = games.iter().min_by(|a, b| rate(a).total_cmp(&rate(b)))?;
    let rules: u64 = games.iter().map(|(_, rules, _)| rules).sum();
    let seconds: f64 = games.iter().map(|(_, _, run)| run.seconds).sum();
    let bytes = || games.iter().filter_map(|(_, rules, run)| Some(float(run.peak_bytes?) / float(*rules)));
    Some(Large {
        form: form.name(),
        games: games.len(),
        rules_per_second: float(rules) / seconds,
        slowest: slowest.0.to_owned(),
        slowest_rules_per_second: rate(slowest),
        median_bytes_per_rule: median(bytes()),
        most_bytes_per_rule: bytes().max_by(f64::total_cmp),
    })
}

fn growth(records: &[&Record], form: Task) -> Option<Growth> {
    let games = finished(records, form).filter(|(_, rules, _)| *rules > GROWS_FROM);
    let points: Vec<(f64, f64)> = games.map(|(_, rules, run)| (float(rules), run.seconds)).collect();
    let law = fit(&points).filter(|law| law.points >= GROWTH_GAMES)?;
    Some(Growth { form: form.name(), law, games: law.points })
}

fn literals(records: &[&Record]) -> Option<Literals> {
    let count = |record: &Record, form| record.fine(form)?.size.as_ref()?.literals;
    let both = records.iter().filter_map(|record| {
        Some((&record.game, count(record, Task::Compact)?, count(record, Task::Faithful)?))
    });
    let both: Vec<_> = both.collect();
    let more = both.iter().filter(|(_, compact, faithful)| compact > faithful);
    let times = |compact: u64, faithful: u64| float(compact) / float(faithful.max(1));
    (!both.is_empty()).then(|| Literals {
        games: both.len(),
        compact: both.iter().map(|(_, compact, _)| compact).sum(),
        faithful: both.iter().map(|(_, _, faithful)| faithful).sum(),
        tenfold: both
            .iter()
            .filter(|(_, compact, faithful)| compact * 10 <= *faithful && *faithful > 0)
            .count(),
        more: more.map(|(game, compact, faithful)| ((*game).clone(), times(*compact, *faithful))).collect(),
    })
}

/// gringo is compared with our run that writes aspif as well; Prolog only stores the rules.
fn against(records: &[&Record], rival: Task, version: String) -> Against {
    let ours = if rival == Task::Gringo { Task::Aspif } else { Task::Faithful };
    let is_fine = |record: &Record, task| record.fine(task).is_some();
    let only = |fine, failed| records.iter().filter(|r| is_fine(r, fine) && !is_fine(r, failed)).count();
    let both: Vec<(&str, &Run, &Run)> = records
        .iter()
        .filter_map(|record| Some((record.game.as_str(), record.fine(ours)?, record.fine(rival)?)))
        .collect();
    let is_compared = |run: &Run| run.rules().is_some_and(|rules| COMPARED.contains(&rules));
    let compared: Vec<_> = both.iter().filter(|(_, our_run, _)| is_compared(our_run)).collect();
    let slower = both.iter().map(|(game, ours, theirs)| (game, ours.seconds - theirs.seconds));
    Against {
        name: rival.name(),
        version,
        games: both.len(),
        only_ours: only(ours, rival),
        only_theirs: only(rival, ours),
        median_ratio: median(both.iter().map(|(_, ours, theirs)| theirs.seconds / ours.seconds)),
        compared_games: compared.len(),
        our_seconds: compared.iter().map(|(_, ours, _)| ours.seconds).sum(),
        their_seconds: compared.iter().map(|(_, _, theirs)| theirs.seconds).sum(),
        slower: slower
            .filter(|(_, seconds)| *seconds > SLOWER_SECONDS)
            .map(|(game, seconds)| ((*game).to_owned(), seconds))
            .collect(),
        other_counts: both
            .iter()
            .filter(|(_, ours, theirs)| !counts_agree(ours, theirs))
            .map(|(game, _, _)| (*game).to_owned())
            .collect(),
    }
}

/// Whether the other program has as many rules, with or without repeated ones.
fn counts_agree(ours: &Run, theirs: &Run) -> bool {
    let (Some(our_rules), Some(their_rules)) = (ours.rules(), theirs.rules()) else { return false };
    let repeats = ours.size.as_ref().and_then(|size| size.repeats).unwrap_or(0);
    (our_rules..=our_rules + repeats).contains(&their_rules)
}

fn failures(records: &[&Record]) -> Vec<Failure> {
    let failed = records.iter().flat_map(|record| {
        let runs = record.runs.iter().filter(|run| !run.is_fine());
        runs.map(|run| Failure { game: record.game.clone(), run: run.task, why: run.why() })
    });
    failed.collect()
}

#[cfg(test)]
mod tests {
    use super::super::record::{Status, Trouble};
    use super::*;

    fn record(task: Task, seconds: f64, cpu_seconds: f64) -> Record {
        let (status, trouble) = (Status::Fine, Trouble::default());
        let run = Run { task, status, seconds, cpu_seconds, peak_bytes: None, size: None, trouble };
        Record { game: String::new(), runs: vec![run] }
    }

    #[test]
    fn a_busy_machine_is_seen_by_the_time_of_the_processor() {
        let long = [record(Task::Compact, 2.0, 1.0), record(Task::Compact, 2.0, 0.5)];
        let left_out = [record(Task::Compact, 0.05, 0.001), record(Task::Swipl, 9.0, 0.1)];
        let all: Vec<&Record> = long.iter().chain(&left_out).collect();
        assert_eq!(core_share(&all, &[Task::Compact]), Some(37.5));
        assert_eq!(core_share(&all[2..], &[Task::Compact]), None);
    }
}
