//! Rules of Go: unfolded with and without metarules, and put in order.

use super::positions::Board;
use super::{Args, Section, domain_limits, search, unfold_config};
use crate::commands::unfold::count_text;
use crate::limits::budget;
use crate::plot::{Axis, Mark, Plot, Series, Unit};
use crate::render;
use grundy::metarules::{
    Branching, COUNTING_STEPS, Clause, Domain, Memory, MetaError, MetaPrinter, Ordering, Reordered,
    ReorderedSet, Tries, WorkingMemories, branching_of, find_metarules, match_all, replace_fact,
};
use grundy::unfold::ParsedGoal;
use grundy::unfold::{Count, Kinds, UnfoldConfig, Unfolding, count_unfolded, split_by_rules, unfold};
use grundy::winning::extend;
use grundy_reference::Limits;
use grundy_syntax::{Dialect, Literal, Notation, Program};
use std::fmt::Write;
use std::time::Instant;

/// The published numbers of rules of six unfolded rules, without and with metarules.
const PUBLISHED: (Count, usize) = (166_391_568, 106);

/// The published tries of the rule about connecting, as somebody wrote it and put in order.
const PUBLISHED_TRIES: u64 = 2249;

/// What to measure on.
pub(super) struct Sample {
    positions: usize,
    size: usize,
    seed: u64,
}

impl Sample {
    pub(super) fn of(args: &Args) -> Sample {
        Sample { positions: args.positions.into(), size: args.size.into(), seed: args.seed }
    }

    /// Positions of games that are about half played.
    fn positions(&self, seed: u64) -> Vec<Vec<String>> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let area = self.size * self.size;
        let mut board = || {
            let moves = area / 3 + rng.usize(..area / 3 + 1);
            Board::random(self.size, moves, &mut |most| rng.usize(..most)).facts()
        };
        (0..self.positions).map(|_| board()).collect()
    }
}

/// The six rules about taking stones, each unfolded over one move.
pub(super) fn unfolding(go: &Program) -> Result<Section, MetaError> {
    let goal = ParsedGoal::read("taking(C, S)", Notation::Prolog, Dialect::Theory)?;
    let mut domain = goal.domain(go, &domain_limits())?;
    let target = goal.target(&mut domain, 1)?;
    let metarules = find_metarules(&mut domain, &[], &search())?;
    let config = unfold_config();
    let mut text = String::from(
        "Six rules about taking stones, unfolded over one move\n  \
         rule    without metarules    cumulated      with metarules   cumulated   auxiliary     seconds\n",
    );
    let mut table = String::from("rule\twithout\twith\tauxiliary\tseconds\n");
    let (mut without, mut with) = (0, 0);
    let (mut figure_5, mut figure_6) = (vec![(0.0, 0.0)], vec![(0.0, 0.0)]);
    for (number, rule) in split_by_rules(&mut domain, &target).iter().enumerate() {
        let start = Instant::now();
        let counted = count_unfolded(&mut domain, rule, &config)?;
        let unfolded = unfold(&mut domain, rule, Some(&metarules), &[], &config)?;
        let seconds = start.elapsed().as_secs_f64();
        let (kept, auxiliary) = (unfolded.rules.len(), unfolded.auxiliary.len());
        without += counted;
        with += kept;
        let number = number + 1;
        _ = writeln!(
            text,
            "  {number:<8}{:>17}{:>13}{kept:>20}{with:>12}{auxiliary:>12}{seconds:>12.3}",
            count_text(counted),
            count_text(without),
        );
        _ = writeln!(table, "{number}\t{counted}\t{kept}\t{auxiliary}\t{seconds}");
        figure_5.push((number as f64, without as f64));
        figure_6.push((number as f64, with as f64));
    }
    let ratio = without as f64 / with.max(1) as f64;
    _ = writeln!(
        text,
        "  all     {:>17}{:>33}    {ratio:.1e} times fewer\n  published{:>16}{:>33}    {:.1e} times fewer\n",
        count_text(without),
        with,
        count_text(PUBLISHED.0),
        PUBLISHED.1,
        PUBLISHED.0 as f64 / PUBLISHED.1 as f64,
    );
    let axes = || {
        (Axis::linear("rules unfolded", Unit::Count), Axis::linear("rules generated, cumulated", Unit::Count))
    };
    let figure = |title: &str, points: Vec<(f64, f64)>| {
        let (x, y) = axes();
        Plot { title: title.to_owned(), x, y, series: vec![Series::new("rules of Go", Mark::Line, points)] }
    };
    Ok(Section {
        text,
        figures: vec![
            ("figure-5.svg", figure("Figure 5: without metarules", figure_5)),
            ("figure-6.svg", figure("Figure 6: with metarules", figure_6)),
        ],
        tables: vec![("unfolding.tsv", table)],
    })
}

/// Rules in order: tries of one rule, of all rules of the theory, and time against the number of metarules.
pub(super) fn ordering(go: &Program, sample: &Sample) -> Result<Section, MetaError> {
    let mut program = go.clone();
    replace_fact(&mut program, Notation::Prolog, &format!("size({})", sample.size))?;
    let goal = ParsedGoal::read("taking(C, S)", Notation::Prolog, Dialect::Theory)?;
    let mut domain = goal.domain(&program, &domain_limits())?;
    let target = goal.target(&mut domain, 1)?;
    let metarules = find_metarules(&mut domain, &[], &search())?;
    let config = UnfoldConfig { kinds: Kinds { ordering: false, ..Kinds::default() }, ..unfold_config() };
    let unfolded = unfold(&mut domain, &target, Some(&metarules), &[], &config)?;
    // The rules ask for auxiliary predicates, and for nothing that they conclude themselves.
    let auxiliary = Unfolding { auxiliary: unfolded.auxiliary.clone(), ..Unfolding::default() };
    let extended = extend(&mut domain, &[&auxiliary]);
    let limits = Limits { budget: budget(), ..Limits::default() };
    let mut working = WorkingMemories::new(&extended, &domain, limits)?;
    let mut memories = |domain: &mut Domain, seed: u64| -> Result<Vec<Memory>, MetaError> {
        sample.positions(seed).iter().map(|facts| working.memory(domain, facts)).collect()
    };
    let mut training = memories(&mut domain, sample.seed)?;
    let mut test = memories(&mut domain, sample.seed.wrapping_add(1))?;
    let figures = branching_of(&domain, &training, &budget())?;
    let table = Ordering::new(&figures).within(&budget());
    let mut section = Section::default();
    one_rule(&mut domain, &table, &mut training, &mut test, &mut section.text);
    let mut all = ReorderedSet::default();
    let sets = [("rules of the theory", domain.ordered_rules()), ("generated rules", unfolded.rules.clone())];
    for (what, rules) in sets {
        let set = reorder(&domain, &rules, (&table, &mut training), &mut test);
        tell(what, set, test.len(), &mut section.text);
        all = all + set;
    }
    tell("rules in all", all, test.len(), &mut section.text);
    figure_7(&domain, &unfolded.rules, &figures, &mut test, &mut section);
    budget().check()?;
    Ok(section)
}

/// Matching one rule with one position ends after so many steps.
const STEPS: u64 = 50_000;

/// The rule about connecting two strings, before and after, on the first test position.
fn one_rule(
    domain: &mut Domain,
    table: &Ordering,
    training: &mut [Memory],
    test: &mut [Memory],
    text: &mut String,
) {
    let Some(predicate) = domain.program().find_predicate("threat_to_connect", 4) else { return };
    let Some(clause) = domain.clauses_of(predicate).first().cloned() else { return };
    let written: Vec<usize> = (0..clause.body.len()).collect();
    let order = table.learn(domain, training, &clause);
    let rule = Reordered::count(domain, &test[..1], &clause, order, &budget());
    *text += "The rule threat_to_connect: successes of each condition in one position\n";
    for (what, order, tries) in
        [("as written", &written, &rule.written), ("in order", &rule.order, &rule.learned)]
    {
        _ = writeln!(text, "  {what}: {} in all", tries.total());
        let body: Vec<Literal> = clause.in_order(order).into_iter().cloned().collect();
        let printed = MetaPrinter::new(domain, Notation::Prolog).literals(&body, clause.variables);
        for (condition, count) in printed.iter().zip(&tries.counts) {
            _ = writeln!(text, "    {condition:<28}{count:>8}");
        }
    }
    _ = writeln!(text, "  published: {PUBLISHED_TRIES} as written, several times fewer in order\n");
}

/// The tries of a set of rules over the test positions, as they are written and in the learned order.
fn reorder(
    domain: &Domain,
    rules: &[Clause],
    (table, training): (&Ordering, &mut [Memory]),
    test: &mut [Memory],
) -> ReorderedSet {
    let mut set = ReorderedSet::default();
    for clause in rules.iter().filter(|clause| clause.body.len() > 1).take_while(|_| !budget().is_over()) {
        let order = table.learn(domain, training, clause);
        set.add(&Reordered::count(domain, test, clause, order, &budget()));
    }
    set
}

fn tell(what: &str, set: ReorderedSet, positions: usize, text: &mut String) {
    let ReorderedSet { rules, written, learned, worse, ended } = set;
    let note = match ended {
        0 => String::new(),
        _ => format!(
            "\n  ({} as written not counted to the end: more than {COUNTING_STEPS} steps in a position)",
            render::count(ended, "rule")
        ),
    };
    _ = writeln!(
        text,
        "{}, {}: {} as written, {learned} in order, {:.1} times fewer; more for {}{note}\n",
        render::count(rules, what),
        render::count(positions, "position"),
        render::count(written, "try"),
        set.ratio(),
        render::count(worse, "rule"),
    );
}

/// Time and tries of the unfolded rules against the number of ordering metarules.
fn figure_7(
    domain: &Domain,
    rules: &[Clause],
    figures: &[Branching],
    test: &mut [Memory],
    section: &mut Section,
) {
    let mut table = String::from("metarules\ttries\tseconds\n");
    let (mut time, mut all) = (Vec::new(), Vec::new());
    section.text += "Matching the unfolded rules, by number of ordering metarules\n  metarules         tries     seconds\n";
    const PARTS: usize = 8;
    for part in 0..=PARTS {
        let count = figures.len() * part / PARTS;
        let ordering = Ordering::new(&figures[..count]);
        let orders: Vec<Vec<usize>> = rules
            .iter()
            .map(|rule| ordering.greedy_order(&domain.program().terms, &rule.body, &[]))
            .collect();
        let start = Instant::now();
        let mut all_tries = 0;
        let mut given_up = 0;
        for (rule, order) in rules.iter().zip(&orders) {
            if budget().is_over() {
                return;
            }
            let literals = rule.in_order(order);
            let tries =
                Tries::sum(test, &literals, |memory| match_all(domain, memory, &literals, &[], STEPS));
            all_tries += tries.total();
            given_up += usize::from(!tries.complete);
        }
        let seconds = start.elapsed().as_secs_f64();
        let note = if given_up > 0 {
            format!("   {} not matched to the end", render::count(given_up, "rule"))
        } else {
            String::new()
        };
        _ = writeln!(section.text, "  {count:>9}{all_tries:>14}{seconds:>12.3}{note}");
        _ = writeln!(table, "{count}\t{all_tries}\t{seconds}");
        time.push((count as f64, seconds));
        all.push(all_tries);
    }
    let falls = all.first() > all.last();
    _ = writeln!(
        section.text,
        "  published: falls as metarules are added; here it {}\n",
        if falls { "falls" } else { "does not" }
    );
    let plot = Plot {
        title: "Figure 7: match time and ordering metarules".to_owned(),
        x: Axis::linear("ordering metarules", Unit::Count),
        y: Axis::log("match time", Unit::Seconds),
        series: vec![Series::new("unfolded rules of Go", Mark::Line, time)],
    };
    section.figures.push(("figure-7.svg", plot));
    section.tables.push(("ordering.tsv", table));
}
