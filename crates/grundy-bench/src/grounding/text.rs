//! The summary for a terminal.

use super::published::{self, BUDGETS, Published};
use super::record::Task;
use super::summary::{Against, Failure, Growth, Large, Literals, Shares, Summary};
use crate::numbers::{bytes, count, float, grouped};
use crate::report::Origin;
use std::fmt::Write;

/// With less than this share of a core, in percent, times come with a warning: what is missing took other programs.
const WHOLE_CORE: f64 = 90.0;

/// How many games of a list are named.
const NAMED: usize = 10;

/// The whole text.
pub(super) fn text(summary: &Summary, origin: &Origin) -> String {
    let mut text = head(summary) + &origin.line() + &busy(summary) + "\n";
    text.push_str(&table(summary));
    let findings = findings(summary);
    if !findings.is_empty() {
        _ = write!(text, "\n{}", findings.concat());
    }
    text.push_str(&failures(summary));
    text
}

/// What there is to say about large games, growth, conditions and rivals.
pub(super) fn findings(summary: &Summary) -> Vec<String> {
    let mut findings: Vec<String> = Vec::new();
    findings.extend(summary.large.iter().map(large));
    findings.extend(summary.growth.iter().map(growth));
    findings.extend(summary.literals.iter().map(literals));
    findings.extend(summary.against.iter().map(against));
    findings
}

/// What was run.
pub(super) fn head(summary: &Summary) -> String {
    let unreadable = match summary.unreadable.len() {
        0 => String::new(),
        n => format!(" ({n} more cannot be read)"),
    };
    let limits = &summary.limits;
    format!(
        "{}{unreadable}, one process each; limits {} s, {}, {}\n",
        count(grouped(summary.sheets), "sheet"),
        limits.seconds,
        bytes(limits.bytes),
        count(grouped(limits.rules), "rule")
    )
}

/// A warning, if other programs used the machine.
pub(super) fn busy(summary: &Summary) -> String {
    match summary.core_share {
        Some(share) if share < WHOLE_CORE => format!(
            "the machine was busy: processes had {share:.0} % of a core, so times are too long, and limits on time \
             were hit too early\n"
        ),
        _ => String::new(),
    }
}

/// A line of the table of shares, as text.
pub(super) struct ShareLine {
    pub(super) what: &'static str,
    pub(super) sheets: String,
    pub(super) below: Vec<String>,
    pub(super) failed: String,
    pub(super) is_published: bool,
}

impl ShareLine {
    fn ours(summary: &Summary, shares: &Shares) -> ShareLine {
        ShareLine {
            what: shares.what,
            sheets: grouped(shares.sheets),
            below: our_cells(summary, shares),
            failed: grouped(shares.failed),
            is_published: false,
        }
    }

    fn published(published: &Published) -> ShareLine {
        let cell = |share: Option<f64>| share.map_or("–".to_owned(), percent);
        ShareLine {
            what: published.what,
            sheets: grouped(published.sheets),
            below: published.below.map(cell).to_vec(),
            failed: published.failed.map_or("–".to_owned(), grouped),
            is_published: true,
        }
    }
}

/// Our shares, each followed by the published ones of the same step; then the published ones of steps that were not run.
pub(super) fn share_lines(summary: &Summary) -> Vec<ShareLine> {
    let is_ours = |published: &Published| summary.shares.iter().any(|shares| shares.what == published.what);
    let mut lines = Vec::new();
    for shares in &summary.shares {
        lines.push(ShareLine::ours(summary, shares));
        let same = published::TABLE.iter().filter(|published| published.what == shares.what);
        lines.extend(same.map(|published| ShareLine::published(published)));
    }
    let others = published::TABLE.iter().filter(|published| !is_ours(published));
    lines.extend(others.map(|published| ShareLine::published(published)));
    lines
}

fn table(summary: &Summary) -> String {
    let budgets = BUDGETS.map(|(_, name)| name.to_owned());
    let mut text = line("share of sheets done within", "sheets", &budgets, "failed");
    let lines = share_lines(summary);
    // Published lines at the end have a heading, those between ours have the year.
    let between = lines.iter().rposition(|line| !line.is_published).map_or(0, |last| last + 1);
    let between =
        between + usize::from(lines.get(between).is_some_and(|next| lines[between - 1].what == next.what));
    for (number, share) in lines.iter().enumerate() {
        if number == between {
            text.push_str("published in 2014 (2.4 GHz)\n");
        }
        let is_below_ours = share.is_published && number < between;
        let what = if is_below_ours { "    published in 2014" } else { &format!("  {}", share.what) };
        text.push_str(&line(what, &share.sheets, &share.below, &share.failed));
    }
    text
}

/// The shares for all budgets. What ran out of time before a budget did might have been done within it.
fn our_cells(summary: &Summary, shares: &Shares) -> Vec<String> {
    let is_open = |budget: f64| shares.failed > 0 && budget > summary.limits.seconds;
    let cell = |(budget, share): (f64, f64)| match is_open(budget) {
        true => format!("≥ {}", percent(share)),
        false => percent(share),
    };
    BUDGETS.iter().map(|(budget, _)| *budget).zip(shares.below.iter().copied()).map(cell).collect()
}

fn line(what: &str, sheets: &str, cells: &[String], failed: &str) -> String {
    let cells: String = cells.iter().map(|cell| format!("{cell:>9}")).collect();
    format!("{what:<30}{sheets:>7}{cells}{failed:>8}\n")
}

/// A share, to a tenth of a percent.
fn percent(share: f64) -> String {
    format!("{share:.1} %")
}

fn large(large: &Large) -> String {
    let million = |rate: f64| format!("{:.2} million", rate / 1e6);
    let bytes = |bytes: Option<f64>| bytes.map_or("?".to_owned(), |bytes| format!("{bytes:.0}"));
    format!(
        "{}, {} above 10⁶ rules: {} rules a second in total, {} for the slowest game ({}); median {} bytes a rule, \
         at most {} (published: {})\n",
        large.form,
        count(grouped(large.games), "game"),
        million(large.rules_per_second),
        million(large.slowest_rules_per_second),
        large.slowest,
        bytes(large.median_bytes_per_rule),
        bytes(large.most_bytes_per_rule),
        published::BYTES_PER_RULE
    )
}

fn growth(growth: &Growth) -> String {
    format!(
        "{}, {} above 10⁴ rules: time grows with rules to the power of {:.2} (published: almost linearly)\n",
        growth.form,
        count(grouped(growth.games), "game"),
        growth.law.slope
    )
}

fn literals(literals: &Literals) -> String {
    let mut text = format!(
        "conditions, {} with both forms: {} compact, {} faithful ({:.1} times as many); \
         {} with ten times fewer\n",
        count(grouped(literals.games), "game"),
        grouped(literals.compact),
        grouped(literals.faithful),
        float(literals.faithful) / float(literals.compact.max(1)),
        count(grouped(literals.tenfold), "game"),
    );
    if !literals.more.is_empty() {
        let names = literals.more.iter().map(|(game, times)| format!("{game} (×{times:.2})"));
        _ = writeln!(text, "  more conditions in the compact form: {}", list(names));
    }
    text
}

fn against(against: &Against) -> String {
    let mut text = format!(
        "{} ({}): {} with both, ours {} times as fast (median); only ours {}, only theirs {}\n",
        against.name,
        against.version,
        count(grouped(against.games), "game"),
        against.median_ratio.map_or("?".to_owned(), |ratio| format!("{ratio:.1}")),
        grouped(against.only_ours),
        grouped(against.only_theirs),
    );
    if against.compared_games > 0 {
        _ = writeln!(
            text,
            "  {} with 10⁵ to 10⁷ rules: ours {:.2} s, theirs {:.2} s, {:.1} times as long",
            count(grouped(against.compared_games), "game"),
            against.our_seconds,
            against.their_seconds,
            against.their_seconds / against.our_seconds
        );
    }
    if !against.slower.is_empty() {
        let names = against.slower.iter().map(|(game, seconds)| format!("{game} ({:.0} ms)", seconds * 1e3));
        _ = writeln!(text, "  ours slower by more than 20 ms: {}", list(names));
    }
    if !against.other_counts.is_empty() {
        _ = writeln!(text, "  other numbers of rules: {}", list(against.other_counts.iter().cloned()));
    }
    text
}

/// The first names, and how many others there are.
fn list(names: impl ExactSizeIterator<Item = String>) -> String {
    let others = names.len().saturating_sub(NAMED);
    let mut shown: Vec<String> = names.take(NAMED).collect();
    if others > 0 {
        shown.push(format!("and {others} more"));
    }
    shown.join(", ")
}

/// Failures by run: games of the two forms with the reason, others by name only.
fn failures(summary: &Summary) -> String {
    let mut text = String::new();
    if !summary.unreadable.is_empty() {
        _ = writeln!(text, "\nnot readable: {}", list(summary.unreadable.iter().cloned()));
    }
    let mut tasks: Vec<Task> = summary.failures.iter().map(|failure| failure.run).collect();
    tasks.sort_unstable();
    tasks.dedup();
    for task in tasks {
        let failed: Vec<&Failure> = summary.failures.iter().filter(|failure| failure.run == task).collect();
        _ = write!(text, "\nfailed: {} ({})", task.name(), failed.len());
        if matches!(task, Task::Compact | Task::Faithful) {
            failed.iter().for_each(|failure| _ = write!(text, "\n  {}: {}", failure.game, failure.why));
            text.push('\n');
        } else {
            _ = writeln!(text, ": {}", list(failed.iter().map(|failure| failure.game.clone())));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_shares_stand_below_their_budgets() {
        let header = line("", "sheets", &BUDGETS.map(|(_, name)| name.to_owned()), "failed");
        let published = ShareLine::published(&published::RULES);
        let row = line(published.what, &published.sheets, &published.below, &published.failed);
        let end_of = |text: &str, part: &str| {
            let at = text.find(part).expect("it is there") + part.len();
            text[..at].chars().count()
        };
        assert_eq!(end_of(&header, "< 0.1 s"), end_of(&row, "24.0 %"));
        assert_eq!(end_of(&header, "< 1 min"), end_of(&row, "94.0 %"));
        assert_eq!(end_of(&header, "failed"), row.trim_end().chars().count());
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..12).map(|n| n.to_string()).collect();
        assert_eq!(list(names.into_iter()), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 2 more");
    }
}
