//! The summary for a terminal.

use super::published::{self, BUDGETS, Published};
use super::record::Task;
use super::summary::{Against, Failure, Growth, Large, Literals, Shares, Summary};
use crate::render::count;
use indicatif::{HumanBytes, HumanCount};
use std::fmt::Write;

/// With less than this share of a core, in percent, times are told with a warning.
const WHOLE_CORE: f64 = 90.0;

/// How many games of a list are named.
const NAMED: usize = 10;

/// The whole text.
pub(super) fn text(summary: &Summary) -> String {
    let mut text = head(summary) + &busy(summary) + "\n";
    text.push_str(&table(summary));
    let mut paragraphs: Vec<String> = Vec::new();
    paragraphs.extend(summary.large.iter().map(large));
    paragraphs.extend(summary.growth.iter().map(growth));
    paragraphs.extend(summary.literals.iter().map(literals));
    paragraphs.extend(summary.against.iter().map(against));
    if !paragraphs.is_empty() {
        _ = write!(text, "\n{}", paragraphs.concat());
    }
    text.push_str(&failures(summary));
    text
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
        count(summary.sheets, "sheet"),
        limits.seconds,
        HumanBytes(limits.bytes),
        count(HumanCount(limits.rules), "rule")
    )
}

/// A warning, if others were at work on the machine.
pub(super) fn busy(summary: &Summary) -> String {
    match summary.core_share {
        Some(share) if share < WHOLE_CORE => format!(
            "the machine was busy: processes had {share:.0} % of a core, so times are too long, and limits on time \
             were hit too early\n"
        ),
        _ => String::new(),
    }
}

/// The shares of ours, then the published ones.
fn table(summary: &Summary) -> String {
    let budgets = BUDGETS.map(|(_, name)| name.to_owned());
    let mut text = line("share of sheets done within", "sheets", &budgets, "failed");
    summary.shares.iter().for_each(|shares| text.push_str(&our_line(summary, shares)));
    text.push_str("published in 2014 (2.4 GHz)\n");
    published::TABLE.iter().for_each(|published| text.push_str(&published_line(published)));
    text
}

fn our_line(summary: &Summary, shares: &Shares) -> String {
    let cells = our_cells(summary, shares);
    line(&format!("  {}", shares.what), &shares.sheets.to_string(), &cells, &shares.failed.to_string())
}

/// The shares for all budgets. What ran out of time before a budget did might have been done within it.
pub(super) fn our_cells(summary: &Summary, shares: &Shares) -> Vec<String> {
    let is_open = |budget: f64| shares.failed > 0 && budget > summary.limits.seconds;
    let cell = |(budget, share): (f64, f64)| match is_open(budget) {
        true => format!("≥ {}", percent(share)),
        false => percent(share),
    };
    BUDGETS.iter().map(|(budget, _)| *budget).zip(shares.below.iter().copied()).map(cell).collect()
}

fn published_line(published: &Published) -> String {
    let cells = published.below.map(|share| share.map_or("–".to_owned(), percent));
    let failed = published.failed.map_or("–".to_owned(), |failed| failed.to_string());
    line(&format!("  {}", published.what), &published.sheets.to_string(), &cells, &failed)
}

fn line(what: &str, sheets: &str, cells: &[String], failed: &str) -> String {
    let cells: String = cells.iter().map(|cell| format!("{cell:>9}")).collect();
    format!("{what:<30}{sheets:>7}{cells}{failed:>8}\n")
}

/// A share, to a tenth.
pub(super) fn percent(share: f64) -> String {
    format!("{share:.1} %")
}

pub(super) fn large(large: &Large) -> String {
    let million = |rate: f64| format!("{:.2} million", rate / 1e6);
    let bytes = |bytes: Option<f64>| bytes.map_or("?".to_owned(), |bytes| format!("{bytes:.0}"));
    format!(
        "{}, {} above 10⁶ rules: {} rules a second in all, at least {} ({}); {} bytes a rule \
         in the middle, at most {} (published: {})\n",
        large.form,
        count(large.games, "game"),
        million(large.rules_per_second),
        million(large.slowest_rules_per_second),
        large.slowest,
        bytes(large.median_bytes_per_rule),
        bytes(large.most_bytes_per_rule),
        published::BYTES_PER_RULE
    )
}

pub(super) fn growth(growth: &Growth) -> String {
    format!(
        "{}, {} above 10⁴ rules: time grows with rules to the power of {:.2} (published: almost linearly)\n",
        growth.form,
        count(growth.games, "game"),
        growth.law.slope
    )
}

pub(super) fn literals(literals: &Literals) -> String {
    let mut text = format!(
        "conditions, {} with both forms: {} compact, {} faithful ({:.1} times as many); \
         {} with ten times fewer\n",
        count(literals.games, "game"),
        HumanCount(literals.compact),
        HumanCount(literals.faithful),
        literals.faithful as f64 / literals.compact.max(1) as f64,
        count(literals.tenfold, "game"),
    );
    if !literals.more.is_empty() {
        let names = literals.more.iter().map(|(game, times)| format!("{game} (×{times:.2})"));
        _ = writeln!(text, "  more conditions in the compact form: {}", list(names));
    }
    text
}

pub(super) fn against(against: &Against) -> String {
    let mut text = format!(
        "{} ({}): {} with both, ours {} times as fast in the middle; only ours {}, only theirs {}\n",
        against.name,
        against.version,
        count(against.games, "game"),
        against.median_ratio.map_or("?".to_owned(), |ratio| format!("{ratio:.1}")),
        against.only_ours,
        against.only_theirs,
    );
    if against.compared_games > 0 {
        _ = writeln!(
            text,
            "  {} with 10⁵ to 10⁷ rules: ours {:.2} s, theirs {:.2} s, {:.1} times as long",
            count(against.compared_games, "game"),
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

/// Some names, and how many others there are.
fn list(names: impl ExactSizeIterator<Item = String>) -> String {
    let others = names.len().saturating_sub(NAMED);
    let mut shown: Vec<String> = names.take(NAMED).collect();
    if others > 0 {
        shown.push(format!("and {others} more"));
    }
    shown.join(", ")
}

/// What failed, by run: of the two forms every game with the reason, of the others the names.
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
        let row = published_line(&published::RULES);
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
