//! Rules of Go: unfolded with and without metarules, and their conditions put in order.

use super::positions::Board;
use super::{Section, domain_limits, search, unfold_config};
use crate::numbers::{count, float, grouped, huge, short};
use crate::plot::{Axis, Ink, Mark, Plot, Series, Unit};
use crate::report::{Row, Table};
use grundy::metarules::{
    Branching, COUNTING_STEPS, Clause, Domain, Memory, MetaError, MetaPrinter, Ordering, Reordered,
    ReorderedSet, Tries, WorkingMemories, branching_of, find_metarules, match_all, replace_fact,
};
use grundy::syntax::{Budget, Dialect, Literal, Notation, Program};
use grundy::unfold::ParsedGoal;
use grundy::unfold::{Count, Kinds, UnfoldConfig, Unfolding, count_unfolded, split_by_rules, unfold};
use grundy::winning::extend;
use grundy_reference::Limits;
use std::fmt::Write;
use std::time::Instant;

/// The published numbers of rules of six unfolded rules, without and with metarules.
const PUBLISHED: (Count, usize) = (166_391_568, 106);

/// The published tries of the rule about connecting, in the order of its author.
const PUBLISHED_TRIES: u64 = 2249;

/// The positions to measure on.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// How many positions branching figures are counted on, and as many again are measured.
    pub positions: usize,
    /// The side of the board.
    pub size: usize,
    /// The seed of the positions.
    pub seed: u64,
}

impl Sample {
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

const UNFOLDING_COLUMNS: [(&str, &str); 7] = [
    ("rule", "the rules about taking stones, one by one, and all of them, ours and published"),
    ("without", "rules that unfolding without metarules would generate, counted"),
    ("without, cumulated", "their sum so far"),
    ("with", "rules that unfolding with metarules generates"),
    ("with, cumulated", "their sum so far"),
    ("auxiliary", "rules of auxiliary predicates that these use"),
    ("seconds", "time to count and to unfold"),
];

/// Six rules about taking stones, each unfolded over one move.
pub fn unfolding(go: &Program, budget: &Budget) -> Result<Section, MetaError> {
    let goal = ParsedGoal::read("taking(C, S)", Notation::Prolog, Dialect::Theory)?;
    let mut domain = goal.domain(go, &domain_limits(budget))?;
    let target = goal.target(&mut domain, 1)?;
    let metarules = find_metarules(&mut domain, &[], &search(budget))?;
    let config = unfold_config(budget);
    let mut table = Table::new("Six rules about taking stones, unfolded over one move", &UNFOLDING_COLUMNS);
    let (mut without, mut with): (Count, usize) = (0, 0);
    let (mut figure_5, mut figure_6) = (vec![(0.0, 0.0)], vec![(0.0, 0.0)]);
    for (number, rule) in split_by_rules(&mut domain, &target).iter().enumerate() {
        let start = Instant::now();
        let counted = count_unfolded(&mut domain, rule, &config)?;
        let unfolded = unfold(&mut domain, rule, Some(&metarules), &[], &config)?;
        let seconds = start.elapsed().as_secs_f64();
        let (kept, auxiliary) = (unfolded.rules.len(), unfolded.auxiliary.len());
        without += counted;
        with += kept;
        table.rows.push(Row::ours(vec![
            grouped(number + 1),
            huge(counted),
            huge(without),
            grouped(kept),
            grouped(with),
            grouped(auxiliary),
            format!("{seconds:.3}"),
        ]));
        figure_5.push((float(number + 1), float(without)));
        figure_6.push((float(number + 1), float(with)));
    }
    let sums = [("all", (without, with)), ("published", PUBLISHED)];
    table.rows.extend(sums.map(|(what, sums)| sum(what, sums)));
    let ratio = |(without, with): (Count, usize)| float(without) / float(with.max(1));
    let text = format!(
        "{}\nmetarules make them {:.1e} times fewer (published: {:.1e})\n\n",
        table.text(),
        ratio((without, with)),
        ratio(PUBLISHED)
    );
    let figures = vec![
        ("figure-5.svg", unfolding_plot("Figure 5: without metarules", figure_5, float(PUBLISHED.0))),
        ("figure-6.svg", unfolding_plot("Figure 6: with metarules", figure_6, float(PUBLISHED.1))),
    ];
    Ok(Section { text, figures, tables: vec![("unfolding.tsv", table)] })
}

fn sum(what: &str, (without, with): (Count, usize)) -> Row {
    let mut cells = vec![String::new(); UNFOLDING_COLUMNS.len()];
    (cells[0], cells[2], cells[4]) = (what.to_owned(), huge(without), grouped(with));
    Row { cells, is_published: what == "published" }
}

/// Our cumulated numbers, and the published total.
fn unfolding_plot(title: &str, points: Vec<(f64, f64)>, published: f64) -> Plot {
    let last = points.last().map_or(0.0, |&(rules, _)| rules);
    let series = vec![
        Series::new("rules of Go", Mark::Line, points),
        Series::new("published total", Mark::Crosses, [(last, published)]).ink(Ink::Of(0)),
    ];
    Plot {
        title: title.to_owned(),
        x: Axis::linear("rules unfolded", Unit::Count),
        y: Axis::linear("rules generated, cumulated", Unit::Count),
        series,
    }
}

/// Conditions in order: tries of one rule, of all rules of the theory, and time against the number of metarules.
pub fn ordering(go: &Program, sample: &Sample, budget: &Budget) -> Result<Section, MetaError> {
    let mut program = go.clone();
    replace_fact(&mut program, Notation::Prolog, &format!("size({})", sample.size))?;
    let goal = ParsedGoal::read("taking(C, S)", Notation::Prolog, Dialect::Theory)?;
    let mut domain = goal.domain(&program, &domain_limits(budget))?;
    let target = goal.target(&mut domain, 1)?;
    let metarules = find_metarules(&mut domain, &[], &search(budget))?;
    let config =
        UnfoldConfig { kinds: Kinds { ordering: false, ..Kinds::default() }, ..unfold_config(budget) };
    let unfolded = unfold(&mut domain, &target, Some(&metarules), &[], &config)?;
    // The generated rules use auxiliary predicates, but not their own conclusions.
    let auxiliary = Unfolding { auxiliary: unfolded.auxiliary.clone(), ..Unfolding::default() };
    let extended = extend(&mut domain, &[&auxiliary]);
    let limits = Limits { budget: budget.clone(), ..Limits::default() };
    let mut working = WorkingMemories::new(&extended, &domain, limits)?;
    let mut memories = |domain: &mut Domain, seed: u64| -> Result<Vec<Memory>, MetaError> {
        sample.positions(seed).iter().map(|facts| working.memory(domain, facts)).collect()
    };
    let mut training = memories(&mut domain, sample.seed)?;
    let mut test = memories(&mut domain, sample.seed.wrapping_add(1))?;
    let figures = branching_of(&domain, &training, budget)?;
    let table = Ordering::new(&figures).within(budget);
    let mut section = Section::default();
    section.text += &one_rule(&mut domain, &table, &mut training, &mut test, budget);
    let mut all = ReorderedSet::default();
    let sets = [("rules of the theory", domain.ordered_rules()), ("generated rules", unfolded.rules.clone())];
    for (what, rules) in sets {
        let set = reorder(&domain, &rules, (&table, &mut training), &mut test, budget);
        section.text += &sentence(what, set, test.len());
        all = all + set;
    }
    section.text += &sentence("rules in total", all, test.len());
    let points = figure_7(&domain, &unfolded.rules, &figures, &mut test, budget)?;
    ordering_report(&points, &mut section);
    Ok(section)
}

/// The limit on steps of matching one rule with one position.
const STEPS: u64 = 50_000;

/// The rule about connecting two strings, as written and in order, on the first test position.
fn one_rule(
    domain: &mut Domain,
    table: &Ordering,
    training: &mut [Memory],
    test: &mut [Memory],
    budget: &Budget,
) -> String {
    let Some(predicate) = domain.program().find_predicate("threat_to_connect", 4) else {
        return String::new();
    };
    let Some(clause) = domain.clauses_of(predicate).first().cloned() else { return String::new() };
    let written: Vec<usize> = (0..clause.body.len()).collect();
    let order = table.learn(domain, training, &clause);
    let rule = Reordered::count(domain, &test[..1], &clause, order, budget);
    let mut text = String::from("The rule threat_to_connect: successes of each condition in one position\n");
    for (what, order, tries) in
        [("as written", &written, &rule.written), ("in order", &rule.order, &rule.learned)]
    {
        _ = writeln!(text, "  {what}: {} in total", grouped(tries.total()));
        let body: Vec<Literal> = clause.in_order(order).into_iter().cloned().collect();
        let printed = MetaPrinter::new(domain, Notation::Prolog).literals(&body, clause.variables);
        for (condition, count) in printed.iter().zip(&tries.counts) {
            _ = writeln!(text, "    {condition:<28}{:>8}", grouped(*count));
        }
    }
    _ = writeln!(
        text,
        "  published: {} as written, several times fewer in order\n",
        grouped(PUBLISHED_TRIES)
    );
    text
}

/// The tries of a set of rules over the test positions, as they are written and in the learned order.
fn reorder(
    domain: &Domain,
    rules: &[Clause],
    (table, training): (&Ordering, &mut [Memory]),
    test: &mut [Memory],
    budget: &Budget,
) -> ReorderedSet {
    let mut set = ReorderedSet::default();
    for clause in rules.iter().filter(|clause| clause.body.len() > 1).take_while(|_| !budget.is_over()) {
        let order = table.learn(domain, training, clause);
        set.add(&Reordered::count(domain, test, clause, order, budget));
    }
    set
}

fn sentence(what: &str, set: ReorderedSet, positions: usize) -> String {
    let ReorderedSet { rules, written, learned, worse, ended } = set;
    let note = match ended {
        0 => String::new(),
        _ => format!(
            "\n  ({} as written not counted to the end: more than {} steps in a position)",
            count(grouped(ended), "rule"),
            grouped(COUNTING_STEPS)
        ),
    };
    format!(
        "{} {what}, {}: {} as written, {} in order, {} times fewer; more for {}{note}\n\n",
        grouped(rules),
        count(grouped(positions), "position"),
        count(grouped(written), "try"),
        grouped(learned),
        short(set.ratio()),
        count(grouped(worse), "rule"),
    )
}

/// A point of figure 7: matching the unfolded rules with some ordering metarules.
struct Point {
    metarules: usize,
    tries: u64,
    seconds: f64,
    /// How many rules were not matched to the end in some position.
    unfinished: usize,
}

/// Time and tries of the unfolded rules against the number of ordering metarules.
fn figure_7(
    domain: &Domain,
    rules: &[Clause],
    figures: &[Branching],
    test: &mut [Memory],
    budget: &Budget,
) -> Result<Vec<Point>, MetaError> {
    const PARTS: usize = 8;
    let mut points = Vec::new();
    for part in 0..=PARTS {
        let metarules = figures.len() * part / PARTS;
        let ordering = Ordering::new(&figures[..metarules]);
        let order = |rule: &Clause| ordering.greedy_order(&domain.program().terms, &rule.body, &[]);
        let orders: Vec<Vec<usize>> = rules.iter().map(order).collect();
        let start = Instant::now();
        let (mut all, mut unfinished) = (0, 0);
        for (rule, order) in rules.iter().zip(&orders) {
            budget.check()?;
            let literals = rule.in_order(order);
            let tries =
                Tries::sum(test, &literals, |memory| match_all(domain, memory, &literals, &[], STEPS));
            all += tries.total();
            unfinished += usize::from(!tries.complete);
        }
        points.push(Point { metarules, tries: all, seconds: start.elapsed().as_secs_f64(), unfinished });
    }
    Ok(points)
}

fn ordering_report(points: &[Point], section: &mut Section) {
    let columns = [
        ("metarules", "how many branching figures are known"),
        ("tries", "successes of all conditions over the test positions"),
        ("seconds", "time of matching"),
        ("not to the end", "rules whose matching ended at the limit on steps: their tries are lower bounds"),
    ];
    let row = |point: &Point| {
        let seconds = format!("{:.3}", point.seconds);
        Row::ours(vec![grouped(point.metarules), grouped(point.tries), seconds, grouped(point.unfinished)])
    };
    let title = "Matching the unfolded rules, by number of ordering metarules";
    let table = Table::new(title, &columns).with(points.iter().map(row));
    let falls = points.first().map(|point| point.tries) > points.last().map(|point| point.tries);
    let falls = if falls { "fall" } else { "do not fall" };
    section.text +=
        &format!("{}\npublished: time falls as metarules are added; here tries {falls}\n\n", table.text());
    let time = points.iter().map(|point| (float(point.metarules), point.seconds));
    let plot = Plot {
        title: "Figure 7: match time and ordering metarules".to_owned(),
        x: Axis::linear("ordering metarules", Unit::Count),
        y: Axis::log("match time", Unit::Seconds),
        series: vec![Series::new("unfolded rules of Go", Mark::Line, time)],
    };
    section.figures.push(("figure-7.svg", plot));
    section.tables.push(("ordering.tsv", table));
}
