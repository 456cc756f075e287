//! Files in, sources and programs out.
//!
//! The only place where the project opens files, except for the temporary files of `grundy-bench`.

use crate::limits;
use crate::output::{Failure, Outcome, note};
use crate::render;
use anyhow::{Context, Result};
use clap::ValueEnum;
use grundy::analysis::{self, Analysis};
use grundy_syntax::{Code, Dialect, Limits, Notation, Program, Reading, Severity, Source, Stage, read};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How to read a file.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ReadArgs {
    /// How the file is written; by default `.pl` files are Prolog, all others KIF
    #[arg(long, value_enum, global = true, help_heading = "Reading")]
    notation: Option<NotationArg>,

    /// What the file is; by default KIF files are games and Prolog files theories
    #[arg(long, value_enum, global = true, help_heading = "Reading")]
    dialect: Option<DialectArg>,

    /// Limit: how deep parentheses may nest
    #[arg(long, value_name = "N", default_value_t = Limits::default().nesting as u32, help_heading = "Limits", hide_short_help = true,
          value_parser = clap::value_parser!(u32).range(1..=2000))]
    max_nesting: u32,

    /// Limit: how many rules one rule with `or` may become
    #[arg(long, value_name = "N", default_value_t = Limits::default().branches, help_heading = "Limits", hide_short_help = true)]
    max_branches: usize,

    /// Limit: how many rules a sheet may have
    #[arg(long, value_name = "N", default_value_t = Limits::default().rules, help_heading = "Limits", hide_short_help = true)]
    max_source_rules: usize,

    /// Limit: how many bytes a file may have
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30, help_heading = "Limits", hide_short_help = true,
          value_parser = clap::value_parser!(u64).range(1..=grundy_syntax::MAX_SOURCE_BYTES as u64))]
    max_file_bytes: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum NotationArg {
    Kif,
    Prolog,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DialectArg {
    Game,
    Theory,
}

impl ReadArgs {
    /// The bounds that the readers get.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            nesting: self.max_nesting as usize,
            branches: self.max_branches,
            rules: self.max_source_rules,
            budget: limits::budget(),
            ..Limits::default()
        }
    }

    /// How a file of this name is written.
    pub(crate) fn notation(&self, path: &str) -> Notation {
        match self.notation {
            Some(NotationArg::Kif) => Notation::Kif,
            Some(NotationArg::Prolog) => Notation::Prolog,
            None if Path::new(path).extension().is_some_and(|extension| extension == "pl") => {
                Notation::Prolog
            }
            None => Notation::Kif,
        }
    }

    fn dialect(&self, path: &str) -> Dialect {
        match (self.dialect, self.notation(path)) {
            (Some(DialectArg::Game), _) | (None, Notation::Kif) => Dialect::Game,
            (Some(DialectArg::Theory), _) | (None, Notation::Prolog) => Dialect::Theory,
        }
    }
}

/// A file that was read, checked, and perhaps found wanting.
pub(crate) struct Loaded {
    pub(crate) source: Arc<Source>,
    pub(crate) program: Program,
    pub(crate) analysis: Analysis,
    pub(crate) diagnostics: Vec<grundy_syntax::Diagnostic>,
}

/// Reads the text of a file, or of standard input for `-`.
pub(crate) fn read_source(path: &str, args: &ReadArgs) -> Result<Source> {
    let mut bytes = Vec::new();
    let limit = args.max_file_bytes;
    let read = if path == "-" {
        io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::new(Outcome::Wrong, format!("cannot read `{path}`: {error}")).at("read"))?;
    if bytes.len() as u64 > limit {
        let message = format!(
            "`{path}` has more than {} (limit `file-bytes`, --max-file-bytes)",
            render::count(limit, "byte")
        );
        return Err(Failure::limit("file-bytes", message).at("read").into());
    }
    let name = if path == "-" { "<stdin>" } else { path };
    Ok(Source::from_bytes(name, bytes))
}

/// Reads and checks a file; what is wrong with it is in the diagnostics.
pub(crate) fn load(path: &str, args: &ReadArgs) -> Result<Loaded> {
    let source = Arc::new(read_source(path, args)?);
    limits::set_sheet(&source);
    let budget = limits::budget();
    budget.enter(Stage::Read);
    let Reading { program, mut diagnostics } =
        read(&source, args.notation(path), args.dialect(path), &args.limits());
    let is_cut_short = diagnostics.iter().any(|found| found.code == Code::ReadBudget);
    let analysis = if is_cut_short {
        analysis::classify(&program)
    } else {
        analysis::analyze(&source, &program, &mut diagnostics, &budget).map_err(limits::failure)?
    };
    Ok(Loaded { source, program, analysis, diagnostics })
}

/// Reads a file for an engine: errors are printed and end the command. Errors that do not stop the engine are printed as
/// warnings; warnings proper are left to `grundy check`.
pub(crate) fn load_sound(path: &str, args: &ReadArgs) -> Result<Loaded> {
    let loaded = load(path, args)?;
    let fatal: Vec<_> = loaded.diagnostics.iter().filter(|d| d.code.stops()).collect();
    let Some(worst) = fatal.iter().map(|d| d.severity()).max() else {
        warn_of_errors(&loaded);
        return Ok(loaded);
    };
    let outcome = if worst == Severity::Limit { Outcome::Limit } else { Outcome::Wrong };
    let message = format!("`{path}` cannot be used: {}", render::count(fatal.len(), "error"));
    let details = render::details(&loaded.source, &fatal);
    let (shown, _) = render::most_telling(fatal, render::MOST_MESSAGES);
    shown
        .iter()
        .for_each(|diagnostic| note(&format!("{}\n", render::diagnostic(&loaded.source, diagnostic))));
    Err(Failure::new(outcome, message).with(details).at("read").into())
}

/// Shows the errors of a sheet that can be used in spite of them.
pub(crate) fn warn_of_errors(loaded: &Loaded) {
    let errors = loaded.diagnostics.iter().filter(|d| d.is_error()).collect();
    let (shown, hidden) = render::most_telling(errors, render::MOST_MESSAGES);
    for diagnostic in shown {
        note(&format!("{}\n", render::as_warning(&loaded.source, diagnostic)));
    }
    if hidden > 0 {
        let more = render::count(hidden, "more error");
        note(&format!("{}: {more} (`grundy check` shows all)\n", loaded.source.name()));
    }
}

/// Reads a sheet that has to be a game.
pub(crate) fn load_game(path: &str, args: &ReadArgs) -> Result<Loaded> {
    let loaded = load_sound(path, args)?;
    if loaded.program.dialect != Dialect::Game {
        return Err(Failure::new(Outcome::Wrong, format!("`{path}` is a theory, and a game is needed"))
            .at("read")
            .into());
    }
    Ok(loaded)
}

/// The paths of all `.kif` and `.pl` files in a folder and its subfolders.
pub(crate) fn sheets_below(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|error| {
        Failure::new(Outcome::Wrong, format!("cannot read `{}`: {error}", folder.display())).at("read")
    })?;
    for entry in entries {
        let path = entry?.path();
        // A link to a folder above would have no end.
        if path.is_dir() && !path.is_symlink() {
            found.append(&mut sheets_below(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "kif" || extension == "pl") {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(found)
}

/// Makes a folder, and those above it, if they are not there.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("cannot make `{}`", path.display()))
}

/// Writes a file at once.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<()> {
    write_streamed(path, |out| Ok(out.write_all(text.as_bytes())?))
}

/// Writes a file piece by piece: first under another name, then in place, so that no half of it is left.
/// What is no file, such as `/dev/null`, is written as it is.
pub(crate) fn write_streamed(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<()> {
    let is_special = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let mut name = path.as_os_str().to_owned();
    name.push(if is_special { "" } else { ".part" });
    if !is_special {
        unfinished().push(PathBuf::from(&name));
    }
    let written = fill(Path::new(&name), write).and_then(|()| match is_special {
        true => Ok(()),
        false => Ok(std::fs::rename(&name, path)?),
    });
    if written.is_err() && !is_special {
        let _ = std::fs::remove_file(&name);
    }
    unfinished().retain(|other| other.as_os_str() != name);
    written.with_context(|| format!("cannot write `{}`", path.display()))
}

/// The files that are being written under another name.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files that are not finished, before the process ends in the middle of them.
pub(crate) fn remove_unfinished() {
    for path in unfinished().drain(..) {
        let _ = std::fs::remove_file(path);
    }
}

fn fill(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, File::create(path)?);
    write(&mut out)?;
    Ok(out.flush()?)
}

/// The most memory that this process had at any time, where the system tells.
pub(crate) fn peak_memory() -> Option<u64> {
    memory_status("VmHWM:")
}

/// The bytes that the system holds for this process now, where it says so. What the allocator keeps of freed blocks is part of
/// them, and so is the program itself.
pub(crate) fn resident_memory() -> Option<usize> {
    usize::try_from(memory_status("VmRSS:")?).ok()
}

/// A line of the process status that Linux keeps as a file, in bytes.
fn memory_status(name: &str) -> Option<u64> {
    let mut status = String::new();
    File::open("/proc/self/status").and_then(|mut file| file.read_to_string(&mut status)).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
