//! The figures of the paper, with our numbers, and one for all shares.

use super::published::{self, BUDGETS};
use super::record::{Record, Run, Task};
use super::summary::{ASPIF, COMPACT, FAITHFUL, GRINGO, GROWS_FROM, SWIPL, Shares, Summary};
use crate::numbers::{count, float, grouped};
use crate::plot::{Axis, Ink, Mark, Plot, Series, Unit};
use crate::statistics::growing_share;

/// A plot with its caption.
pub(super) struct Figure {
    /// The name of its file, without the ending.
    pub(super) file: &'static str,
    pub(super) plot: Plot,
    pub(super) caption: String,
}

/// All figures, in the order of the page.
pub(super) fn figures(records: &[Record], summary: &Summary) -> Vec<Figure> {
    let mut figures = vec![
        overview(summary),
        iterative_against_one_step(records),
        base_and_input(summary),
        rules(summary),
        rules_against_time(records, summary),
        other_grounders(summary),
    ];
    figures.extend(literals(records));
    figures
}

fn shares<'a>(summary: &'a Summary, what: &str) -> Option<&'a Shares> {
    summary.shares.iter().find(|shares| shares.what == what)
}

/// The share of sheets done within a budget against the budget, up to the limit on time: what would be done later is not
/// known.
fn curve(summary: &Summary, what: &str, name: &str) -> Option<Series> {
    let growing = growing_share(&shares(summary, what)?.seconds);
    let first = growing.first().map(|&(seconds, _)| (seconds, 0.0));
    let last = growing.last().map(|&(seconds, share)| (summary.limits.seconds.max(seconds), share));
    Some(Series::new(name, Mark::Steps, first.into_iter().chain(growing).chain(last)))
}

fn share_plot(title: &str, series: Vec<Series>) -> Plot {
    let x = Axis::log("time budget", Unit::Seconds).showing([0.001, 100.0]);
    let y = Axis::linear("share of the sheets", Unit::Percent).showing([0.0, 100.0]);
    Plot { title: title.to_owned(), x, y, series }
}

fn overview(summary: &Summary) -> Figure {
    let is_whole = |shares: &&Shares| !shares.what.contains("base and input");
    let ours = summary.shares.iter().filter(is_whole).map(|shares| {
        let bars = shares.below.iter().enumerate();
        let title = |share: f64| format!("{}: {share:.1} %", shares.what);
        Series::titled(shares.what, Mark::Bars, bars.map(|(n, &share)| (float(n), share, title(share))))
    });
    let bars = published::RULES.below.iter().enumerate();
    let bars =
        bars.filter_map(|(n, share)| Some((float(n), (*share)?, format!("published: {:.1} %", (*share)?))));
    let published = Series::titled("published, rules alone", Mark::Bars, bars).ink(Ink::Grey);
    let x = Axis::named("time budget", BUDGETS.iter().map(|(_, name)| (*name).to_owned()));
    let y = Axis::linear("share of the sheets", Unit::Percent).showing([0.0, 100.0]);
    let title = "Sheets done within a time budget".to_owned();
    let plot = Plot { title, x, y, series: ours.chain([published]).collect() };
    let caption = "Whole processes, from start to end. The published bars leave out the time for base and \
                   input, and were measured on one core of 2.4 GHz in 2014.";
    Figure { file: "shares", plot, caption: caption.to_owned() }
}

fn iterative_against_one_step(records: &[Record]) -> Figure {
    let both = records.iter().filter_map(|record| {
        let seconds = |task| record.fine(task).and_then(Run::reach_seconds);
        Some((seconds(Task::OneStep)?, seconds(Task::Iterative)?, record.game.clone()))
    });
    let both: Vec<(f64, f64, String)> = both.collect();
    let above = both.iter().filter(|(one_step, iterative, _)| iterative > one_step).count();
    let caption = format!(
        "Time for base and input, from the text on; above the diagonal one-step is faster. Ours: {above} of {} \
         above it. Published: 215 of the 225 games that both methods came to an end with.",
        both.len()
    );
    let times = || both.iter().flat_map(|(x, y, _)| [*x, *y]);
    let (low, high) = (times().fold(0.001, f64::min), times().fold(1.0, f64::max));
    let diagonal = Series::new("the same time", Mark::Dashes, [(low, low), (high, high)]).ink(Ink::Grey);
    let x = Axis::log("one-step", Unit::Seconds).showing([low, high]);
    let y = Axis::log("iterative", Unit::Seconds).showing([low, high]);
    let title = "Figure 2: base and input, iterative against one-step".to_owned();
    let series = vec![Series::titled("a sheet", Mark::Dots, both), diagonal];
    Figure { file: "figure-2", plot: Plot { title, x, y, series }, caption }
}

fn base_and_input(summary: &Summary) -> Figure {
    let methods = [("one-step", &published::ONE_STEP), ("iterative", &published::ITERATIVE)];
    let ours = methods.iter().filter_map(|(name, published)| curve(summary, published.what, name));
    let mut series: Vec<Series> = ours.collect();
    for (number, (name, published)) in methods.into_iter().enumerate() {
        let name = format!("{name}, published");
        series.push(Series::new(&name, Mark::Crosses, published.points()).ink(Ink::Of(number)));
    }
    let plot = share_plot("Figure 3: base and input within a time budget", series);
    let caption = "Published: one-step 45 % within 0.1 s, 84 % within 1 s, 98 % within a minute; iterative 0 %, \
                   75 % and 90 %. Of 240 games, 2 and 13 failed.";
    Figure { file: "figure-3", plot, caption: caption.to_owned() }
}

fn rules(summary: &Summary) -> Figure {
    let names = [(published::RULES.what, "rules alone"), (COMPACT, COMPACT), (FAITHFUL, FAITHFUL)];
    let curves = names.iter().filter_map(|(what, name)| curve(summary, what, name));
    let mut series: Vec<Series> = curves.collect();
    let published = Series::new("rules alone, published", Mark::Crosses, published::RULES.points());
    series.push(published.ink(Ink::Of(0)));
    let plot = share_plot("Figure 4: rules within a time budget", series);
    let caption = "“Rules alone” is the faithful form without the time for base and input, as in the paper. \
                   Published: 24 % within 0.1 s, 72 % within 1 s, 94 % within a minute; 3 of 246 games abandoned \
                   after 30 minutes.";
    Figure { file: "figure-4", plot, caption: caption.to_owned() }
}

fn rules_against_time(records: &[Record], summary: &Summary) -> Figure {
    let mut series = Vec::new();
    for task in [Task::Compact, Task::Faithful] {
        let games = records.iter().filter_map(|record| {
            let run = record.fine(task)?;
            Some((run.seconds, float(run.rules()?), record.game.clone()))
        });
        let games: Vec<(f64, f64, String)> = games.collect();
        let most = games.iter().map(|(_, rules, _)| *rules).fold(0.0, f64::max);
        if games.is_empty() {
            continue;
        }
        let number = series.len();
        series.push(Series::titled(task.name(), Mark::Dots, games));
        if let Some(growth) = summary.growth.iter().find(|growth| growth.form == task.name()) {
            let ends = [float(GROWS_FROM), most].map(|rules| (growth.law.at(rules), rules));
            let name = format!("{}, fit: slope {:.2}", task.name(), growth.law.slope);
            series.push(Series::new(&name, Mark::Line, ends).ink(Ink::Of(number)));
        }
    }
    let slow = Series::new("published: 1 min, 10⁷", Mark::Crosses, [published::SLOW]).ink(Ink::Grey);
    series.push(slow);
    let x = Axis::log("time of the whole process", Unit::Seconds).showing([0.001, 1.0]);
    let y = Axis::log("rules", Unit::Count).showing([10.0, 1e6]);
    let title = "Figure 5: rules against time".to_owned();
    let mut caption = "The fit is of time against rules, above 10⁴ rules; a slope of 1 is linear. Published: almost \
                       linear above 10⁴; all games that took more than a minute had more than 10⁷ rules and facts."
        .to_owned();
    for growth in &summary.growth {
        caption += &format!(
            " Ours, {}: slope {:.2} over {}.",
            growth.form,
            growth.law.slope,
            count(grouped(growth.games), "game")
        );
    }
    Figure { file: "figure-5", plot: Plot { title, x, y, series }, caption }
}

fn other_grounders(summary: &Summary) -> Figure {
    let faithful = if shares(summary, ASPIF).is_some() { ASPIF } else { FAITHFUL };
    let names = [COMPACT, faithful, GRINGO, SWIPL];
    let mut series: Vec<Series> = names.iter().filter_map(|what| curve(summary, what, what)).collect();
    for (number, published) in
        [&published::KISSMANN_PROLOG, &published::KISSMANN_GRAPHS].into_iter().enumerate()
    {
        series.push(Series::new(published.what, Mark::Crosses, published.points()).ink(Ink::Of(4 + number)));
    }
    let plot = share_plot("Figure 6: against other grounders", series);
    let caption = "Published: Kissmann & Edelkamp ground 96 of 171 games in less than a minute with Prolog, 90 with \
                   dependency graphs; the paper has as many in less than a second. Their own curves were not \
                   published as numbers.";
    Figure { file: "figure-6", plot, caption: caption.to_owned() }
}

/// Conditions of both forms, if both were made.
fn literals(records: &[Record]) -> Option<Figure> {
    let both = records.iter().filter_map(|record| {
        let count = |task| Some(float(record.fine(task)?.size.as_ref()?.literals?));
        Some((count(Task::Faithful)?, count(Task::Compact)?, record.game.clone()))
    });
    let both: Vec<(f64, f64, String)> = both.collect();
    if both.is_empty() {
        return None;
    }
    let most = both.iter().map(|(faithful, ..)| *faithful).fold(10.0, f64::max);
    let line = |name: &str, factor: f64| {
        Series::new(name, Mark::Dashes, [(10.0 * factor.max(1.0), 10.0), (most, most / factor)])
    };
    let series = vec![
        Series::titled("a sheet", Mark::Dots, both),
        line("as many", 1.0).ink(Ink::Grey),
        line("ten times fewer", 10.0).ink(Ink::Of(2)),
    ];
    let (x, y) = (Axis::log("faithful", Unit::Count), Axis::log("compact", Unit::Count));
    let title = "Conditions of the compact form against the faithful one".to_owned();
    let caption = "Below the grey line the compact form has fewer conditions.".to_owned();
    Some(Figure { file: "conditions", plot: Plot { title, x, y, series }, caption })
}
