//! Starting the processes, one after the other, and reading their output.

use super::Results;
use super::record::{Record, Run, Size, Status, Task, Trouble};
use super::rivals::Found;
use super::summary::Summary;
use crate::BenchError;
use crate::numbers::{bytes, count, grouped};
use crate::process::{Bounds, Ended, How, measure};
use crate::report::Origin;
use crate::scratch::Scratch;
use grundy::syntax::Budget;
use serde::Deserialize;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// `grundy ground` enforces its time limit itself and names the responsible rule; it is killed only if it is later than
/// this.
const GRACE: Duration = Duration::from_secs(3);

/// The files of a process in the scratch folder: its standard streams.
const OUTPUT: &str = "output";
const MESSAGES: &str = "messages";

/// What to run, and within which limits.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The `grundy` command.
    pub program: PathBuf,
    /// What to run with it for each sheet.
    pub tasks: Vec<Task>,
    /// Other grounders to run on the same sheets.
    pub rivals: Vec<Found>,
    /// The time limit of a process.
    pub timeout: Duration,
    /// The memory limit of a process, in bytes.
    pub max_memory: u64,
    /// The limit on rules of a ground program.
    pub max_rules: u64,
    /// How many sheets are ground at a time.
    pub jobs: usize,
    /// Interrupted when the user wants to stop.
    pub budget: Budget,
}

/// A sheet and its name in tables.
#[derive(Clone, Debug)]
pub struct Sheet {
    path: String,
    game: String,
}

impl Sheet {
    /// The name of a sheet is its path below a folder, without the ending.
    pub fn below(folder: &str, path: &str) -> Sheet {
        let below = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
        let game = below.strip_suffix(".kif").unwrap_or(below).to_owned();
        Sheet { path: path.to_owned(), game }
    }
}

/// Progress of a bench.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A sheet with this name is next.
    Started(&'a str),
    /// A sheet is done.
    Done,
}

impl Bench {
    /// Runs everything for all sheets. If the user stops it, the results are those of the sheets that are done.
    pub fn run(&self, sheets: &[Sheet], progress: &(dyn Fn(Event) + Sync)) -> Result<Results, BenchError> {
        let origin = Origin::now(self.settings());
        let records = self.records(sheets, progress)?;
        let summary = Summary::of(&records, self);
        Ok(Results { records, summary, origin })
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let limits = [
            format!("{} s", self.timeout.as_secs_f64()),
            bytes(self.max_memory),
            count(grouped(self.max_rules), "rule"),
        ];
        let rivals = self.rivals.iter().map(|found| (found.rival.task().name(), found.version.clone()));
        let own = [("limits of a process", limits.join("; ")), ("sheets at a time", self.jobs.to_string())];
        own.into_iter().chain(rivals).collect()
    }

    /// The records of all sheets that were done, in the order of the sheets.
    fn records(
        &self,
        sheets: &[Sheet],
        progress: &(dyn Fn(Event) + Sync),
    ) -> Result<Vec<Record>, BenchError> {
        let next = AtomicUsize::new(0);
        let records: Mutex<Vec<(usize, Record)>> = Mutex::default();
        let work = || -> Result<(), BenchError> {
            let scratch = Scratch::new().map_err(BenchError::process("cannot make a temporary folder"))?;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(sheet) = sheets.get(number) else { return Ok(()) };
                progress(Event::Started(&sheet.game));
                let Some(record) = self.record(sheet, &scratch)? else { return Ok(()) };
                progress(Event::Done);
                records.lock().expect("no worker panics").push((number, record));
            }
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.min(sheets.len())).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("no worker panics"))
        })?;
        let mut records = records.into_inner().expect("no worker panics");
        records.sort_by_key(|(number, _)| *number);
        Ok(records.into_iter().map(|(_, record)| record).collect())
    }

    /// All runs of a sheet; `None` if the user stops before they are done.
    fn record(&self, sheet: &Sheet, scratch: &Scratch) -> Result<Option<Record>, BenchError> {
        let mut record = Record { game: sheet.game.clone(), runs: Vec::new() };
        for &task in &self.tasks {
            let Some(run) = self.run_task(sheet, task, scratch)? else { return Ok(None) };
            record.runs.push(run);
            if record.is_unreadable() {
                return Ok(Some(record));
            }
        }
        for rival in &self.rivals {
            let Some(run) = self.run_rival(sheet, rival, scratch)? else { return Ok(None) };
            record.runs.push(run);
        }
        Ok(Some(record))
    }

    /// Grounds a sheet with this program.
    fn run_task(&self, sheet: &Sheet, task: Task, scratch: &Scratch) -> Result<Option<Run>, BenchError> {
        let mut command = Command::new(&self.program);
        command.args(["ground", "--json", "--timeout", &self.timeout.as_secs_f64().to_string()]);
        command.args(["--max-rules", &self.max_rules.to_string()]);
        command.args(["--max-memory", &self.max_memory.to_string()]);
        command.args(options(task));
        if task == Task::Aspif {
            command.arg("--out").arg(scratch.path("grundy.aspif"));
        }
        command.args(["--", &sheet.path]);
        let bounds = Bounds { time: self.timeout + GRACE, memory: None };
        let Some(ended) = self.measure(command, bounds, scratch)? else { return Ok(None) };
        Ok(Some(run_of_ours(task, &ended, &scratch.text(OUTPUT), &scratch.text(MESSAGES))))
    }

    /// Grounds a sheet with another program, in the language of that program. The translation is not measured.
    fn run_rival(&self, sheet: &Sheet, rival: &Found, scratch: &Scratch) -> Result<Option<Run>, BenchError> {
        let mut export = Command::new(&self.program);
        export.args(["export", rival.rival.export(), "--", &sheet.path]);
        export.stdin(Stdio::null()).stdout(create(scratch, "game")?).stderr(Stdio::null());
        export.status().map_err(BenchError::process("cannot start `grundy export`"))?;
        let command = rival.ground(&scratch.path("game"), self.max_memory);
        let bounds = Bounds { time: self.timeout, memory: Some(self.max_memory) };
        let Some(ended) = self.measure(command, bounds, scratch)? else { return Ok(None) };
        let size = match ended.how {
            How::Exited(0) => scratch.open(OUTPUT).and_then(|file| rival.size(BufReader::new(file))).ok(),
            _ => None,
        };
        Ok(Some(run_of_theirs(rival.rival.task(), &ended, size, &scratch.text(MESSAGES))))
    }

    /// Runs a command with its output in files. `None` if the user stops.
    fn measure(
        &self,
        mut command: Command,
        bounds: Bounds,
        scratch: &Scratch,
    ) -> Result<Option<Ended>, BenchError> {
        if self.budget.is_interrupted() {
            return Ok(None);
        }
        command.stdout(create(scratch, OUTPUT)?).stderr(create(scratch, MESSAGES)?);
        command.stdin(Stdio::null()).env("NO_COLOR", "1");
        let what = format!("cannot run `{}`", command.get_program().display());
        let ended = measure(&mut command, bounds, &self.budget).map_err(BenchError::process(what))?;
        // A signal from the terminal reaches both, and the process may well be the first to end.
        let is_stopped = ended.how == How::Interrupted || self.budget.is_interrupted();
        Ok((!is_stopped).then_some(ended))
    }
}

fn options(task: Task) -> &'static [&'static str] {
    match task {
        Task::Faithful => &["--faithful"],
        Task::OneStep => &["--faithful", "--method", "one-step"],
        Task::Iterative => &["--faithful", "--method", "iterative"],
        Task::Aspif => &["--faithful", "--emit", "aspif"],
        Task::Compact | Task::Gringo | Task::Swipl => &[],
    }
}

fn create(scratch: &Scratch, name: &str) -> Result<File, BenchError> {
    scratch.create(name).map_err(BenchError::process("cannot create a temporary file"))
}

/// The object that `grundy ground --json` prints on failure.
#[derive(Deserialize)]
struct Complaint {
    error: Trouble,
}

fn run_of_ours(task: Task, ended: &Ended, output: &str, messages: &str) -> Run {
    let complaint = serde_json::from_str::<Complaint>(output).ok().map(|complaint| complaint.error);
    let size: Option<Size> = serde_json::from_str(output).ok();
    let status = match ended.how {
        How::Exited(0) if size.is_some() => Status::Fine,
        How::Exited(1) => Status::Unreadable,
        How::Exited(3) | How::OutOfTime => Status::Limit,
        _ => Status::Failed,
    };
    let mut trouble = complaint.unwrap_or_default();
    if status != Status::Fine {
        trouble.reason = trouble.reason.or_else(|| Some(reason(ended, messages)));
    }
    run(task, status, ended, size, trouble)
}

fn run_of_theirs(task: Task, ended: &Ended, size: Option<Size>, messages: &str) -> Run {
    let status = match (ended.how, &size) {
        (How::Exited(0), Some(_)) => Status::Fine,
        (How::OutOfTime, _) => Status::Limit,
        _ => Status::Failed,
    };
    let reason = (status != Status::Fine).then(|| reason(ended, messages));
    run(task, status, ended, size, Trouble { reason, ..Trouble::default() })
}

fn run(task: Task, status: Status, ended: &Ended, size: Option<Size>, trouble: Trouble) -> Run {
    let (seconds, cpu_seconds) = (ended.wall.as_secs_f64(), ended.cpu.as_secs_f64());
    let size = size.filter(|_| status == Status::Fine);
    Run { task, status, seconds, cpu_seconds, peak_bytes: ended.peak_bytes, size, trouble }
}

/// Why a process failed: how it ended, or the first error in its messages.
fn reason(ended: &Ended, messages: &str) -> String {
    match ended.how {
        How::OutOfTime => "timeout (killed)".to_owned(),
        How::Crashed => "crash".to_owned(),
        How::Interrupted => "interrupted".to_owned(),
        How::Exited(code) => {
            let is_error = |line: &&str| line.to_lowercase().contains("error");
            let line =
                messages.lines().find(is_error).or_else(|| messages.lines().find(|line| !line.is_empty()));
            line.map_or(format!("exit code {code}"), |line| line.trim().chars().take(160).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(how: How) -> Ended {
        Ended { how, wall: Duration::from_secs(1), cpu: Duration::from_secs(1), peak_bytes: None }
    }

    #[test]
    fn the_name_of_a_sheet_is_its_path_below_the_folder() {
        assert_eq!(Sheet::below("a/b", "a/b/c/d.kif").game, "c/d");
        assert_eq!(Sheet::below("a/b/", "a/b/d.kif").game, "d");
        assert_eq!(Sheet::below("", "x/d.kif").game, "x/d");
    }

    #[test]
    fn a_limit_comes_with_its_rule() {
        let output = r#"{"error":{"limit":"rules","rule":"(<= a b)","instances":12000,"line":3,"column":1}}"#;
        let run = run_of_ours(Task::Compact, &ended(How::Exited(3)), output, "error: no ground program");
        assert_eq!(run.status, Status::Limit);
        assert_eq!(run.why(), "rules; line 3 has 12,000 instances");
    }

    #[test]
    fn any_other_end_has_a_reason() {
        let check = |how, messages: &str, status, why: &str| {
            let run = run_of_ours(Task::Compact, &ended(how), "", messages);
            assert_eq!((run.status, run.why().as_str()), (status, why));
        };
        check(How::Exited(1), "\nerror[E101]: bad\n --> x", Status::Unreadable, "error[E101]: bad");
        check(How::Exited(0), "", Status::Failed, "exit code 0");
        check(How::Exited(101), "thread panicked\n", Status::Failed, "thread panicked");
        check(How::OutOfTime, "", Status::Limit, "timeout (killed)");
        check(How::Crashed, "", Status::Failed, "crash");
    }
}
