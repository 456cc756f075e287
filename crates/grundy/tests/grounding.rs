//! Ground programs: the same whatever the method, and with the meaning of the sheet.

mod support;

use grundy::ground::{GroundConfig, GroundProgram, JoinOrder, Method, Thresholds, ground, write_kif};
use grundy::syntax::{Keyword, Program};
use proptest::prelude::*;
use std::collections::BTreeSet;
use support::{assert_agree, bundled_games, program, random_game, reference};

fn ground_with(program: &Program, method: Method, faithful: bool) -> GroundProgram {
    let config = GroundConfig { method, faithful, max_rules: 2_000_000, ..GroundConfig::default() };
    ground(program, &config).expect("the game is ground")
}

/// In faithful form, with every static view evaluated on demand that can be.
fn faithful_with_statics_on_demand(program: &Program, method: Method) -> GroundProgram {
    let thresholds = Thresholds { demand_static: 2, ..Thresholds::default() };
    let config = GroundConfig { method, faithful: true, thresholds, ..GroundConfig::default() };
    ground(program, &config).expect("the game is ground")
}

/// All rules as text; conditions are sets.
fn rules(ground: &GroundProgram) -> BTreeSet<(String, BTreeSet<String>)> {
    let mut rules = BTreeSet::new();
    ground.for_each_rule(|head, body| {
        let sign = |positive: bool| if positive { "" } else { "not " };
        let body = body
            .iter()
            .map(|literal| format!("{}{}", sign(literal.positive), ground.atom_text(literal.atom)));
        let new = rules.insert((ground.atom_text(head), body.collect()));
        assert!(new, "a rule stands there twice: {}", ground.atom_text(head));
    });
    rules
}

fn atoms(ground: &GroundProgram, keyword: Keyword) -> BTreeSet<String> {
    ground.atoms_of(keyword).map(|atom| ground.atom_text(atom)).collect()
}

fn check_methods(program: &Program) {
    let fused = ground_with(program, Method::Fused, true);
    let wanted = rules(&fused);
    for method in [Method::OneStep, Method::Iterative] {
        let other = ground_with(program, method, true);
        assert_eq!(atoms(&fused, Keyword::True), atoms(&other, Keyword::True), "base, {method:?}");
        assert_eq!(atoms(&fused, Keyword::Does), atoms(&other, Keyword::Does), "input, {method:?}");
        assert_eq!(wanted, rules(&other), "rules, {method:?}");
        let on_demand = faithful_with_statics_on_demand(program, method);
        assert_eq!(wanted, rules(&on_demand), "rules with static views on demand, {method:?}");
    }
    let written = GroundConfig { faithful: true, join_order: JoinOrder::Written, ..GroundConfig::default() };
    let written = ground(program, &written).expect("the game is ground");
    assert_eq!(wanted, rules(&written), "rules, in the written order");
    let compact = ground_with(program, Method::Fused, false);
    // Facts that never change can rule other facts and moves out in compact form.
    for keyword in [Keyword::True, Keyword::Does] {
        let (faithful, compact) = (atoms(&fused, keyword), atoms(&compact, keyword));
        assert!(compact.is_subset(&faithful), "{keyword:?}: compact {compact:?}, faithful {faithful:?}");
    }
    for method in [Method::OneStep, Method::Iterative] {
        // Sets of moves are numbered as they are met.
        let sizes = |ground: &GroundProgram| (ground.rule_count(), ground.literal_count());
        assert_eq!(sizes(&compact), sizes(&ground_with(program, method, false)), "compact, {method:?}");
    }
}

/// The forms of a ground program: faithful, compact, and compact with all means that are kept for large games.
fn forms() -> Vec<GroundConfig> {
    let compact = GroundConfig { max_rules: 2_000_000, ..GroundConfig::default() };
    let with = |split: f64, demand: u64, lift: u64| GroundConfig {
        thresholds: Thresholds { split, demand, demand_static: demand, lift, ..Thresholds::default() },
        ..compact.clone()
    };
    vec![
        GroundConfig { faithful: true, ..compact.clone() },
        compact.clone(),
        GroundConfig { join_order: JoinOrder::Written, ..compact.clone() },
        with(0.0, u64::MAX, u64::MAX),
        with(400.0, 2, u64::MAX),
        with(0.0, 2, 4),
    ]
}

/// The ground program, written down and read back, plays as the sheet does.
fn check_meaning(sheet: &Program, playouts: u64, steps: usize) {
    for config in forms() {
        let mut text = Vec::new();
        let grounded = ground(sheet, &config).expect("the game is ground");
        write_kif(&grounded, &mut text).expect("memory takes all");
        let read_back = program("ground.kif", &String::from_utf8(text).expect("KIF is text"));
        assert_agree(&mut reference(sheet), &mut reference(&read_back), playouts, steps);
    }
}

#[test]
fn methods_agree_on_bundled_games() {
    for (name, sheet) in bundled_games().into_iter().filter(|(name, _)| name != "chess") {
        check_methods(&program(&name, &sheet));
    }
}

#[test]
fn bundled_games_keep_their_meaning() {
    for (name, sheet) in bundled_games() {
        let program = program(&name, &sheet);
        if ground_with(&program, Method::Fused, true).rule_count() < 10_000 {
            check_meaning(&program, 1, 6);
        }
    }
}

/// Views with columns of which only the sort of their values matters, some of them negated, and some that only look it.
const NEUTRAL: &str = "
(role robot) (bit 0) (bit 1) (colour red) (colour 1)
(init (step 0)) (succ 0 1) (succ 1 2) (succ 2 0)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next gone) (does robot go)) (<= (next gone) (true gone))
(<= (three ?a ?b ?c) (bit ?a) (bit ?b) (bit ?c) (true (step 2)))
(<= (two ?a ?b) (bit ?a) (bit ?b) (three ?a ?b 0) (three ?a ?b 1))
(<= (two ?a ?b) (bit ?a) (bit ?b) (not (three 0 ?b ?a)) (true gone))
(<= (one ?a) (colour ?a) (two ?a 0))
(<= (same ?a ?b) (bit ?a) (bit ?b) (distinct ?a ?b) (true (step 1)))
(legal robot wait)
(<= (legal robot go) (two 0 1))
(<= (legal robot (paint ?c)) (colour ?c) (one ?c))
(<= (legal robot stop) (not (two 1 1)))
(<= (legal robot odd) (two 0 red))
(<= (legal robot (pair ?a ?b)) (same ?a ?b) (bit ?a) (bit ?b) (not (three ?a ?b 1)))
(<= (goal robot 100) (same 0 1)) (<= (goal robot 0) (not (same 0 1)))
(<= terminal (true gone) (true (step 1)))";

/// Four players name numbers, which are added by a static view with a row for each pair.
fn sums(numbers: usize) -> String {
    let mut sheet = String::from(
        "(role a) (role b) (role c) (role d)
        (number 0)
        (<= (number ?y) (succ ?x ?y))
        (<= (sum ?x 0 ?x) (number ?x))
        (<= (sum ?x ?y ?z) (succ ?y1 ?y) (sum ?x ?y1 ?z1) (succ ?z1 ?z))
        (<= (lte ?x ?x) (number ?x))
        (<= (lte ?x ?y) (succ ?y1 ?y) (lte ?x ?y1))
        (<= (named ?x) (lte ?x 100))
        (<= (legal ?r (name ?n)) (role ?r) (named ?n))
        (<= (next (said ?r ?n)) (does ?r (name ?n)))
        (<= (total ?t) (true (said a ?x)) (true (said b ?y)) (sum ?x ?y ?s)
            (true (said c ?z)) (sum ?s ?z ?u) (true (said d ?v)) (sum ?u ?v ?t))
        (<= terminal (true (said a ?x)))
        (<= (hit ?r) (total ?t) (true (said ?r ?x)) (lte ?t ?x))
        (<= (goal ?r 100) (hit ?r))
        (<= (goal ?r 0) (role ?r) (not (hit ?r)))",
    );
    for number in 1..=numbers {
        sheet += &format!("(succ {} {number})", number - 1);
    }
    sheet
}

#[test]
fn a_static_view_on_demand_does_not_hide_how_rules_can_be_split() {
    let sheet = program("sums.kif", &sums(400));
    let thresholds = Thresholds { demand_static: 50_000, lift: 3_000_000, ..Thresholds::default() };
    let ground =
        ground(&sheet, &GroundConfig { thresholds, ..GroundConfig::default() }).expect("it is ground");
    // Unsplit, the rule of `total` has an instance for each four numbers.
    assert!(ground.rule_count() < 100_000, "{} rules", ground.rule_count());
    assert!(ground.lifted().is_empty(), "nothing stays lifted");
}

/// A board of six by six cells, among more coordinates, on which a stone goes one step or two at a time.
const STONES: &str = "
(role robot)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
(<= (number ?x) (succ ?x ?y))
(board 1) (board 2) (board 3) (board 4) (board 5) (board 6)
(<= (init (cell ?x ?y blank)) (board ?x) (board ?y) (distinct ?x 3))
(<= (init (cell 3 ?y stone)) (board ?y))
(<= (near ?x ?y) (succ ?x ?y)) (<= (near ?x ?y) (succ ?y ?x))
(<= (far ?x ?y) (succ ?x ?z) (succ ?z ?y)) (<= (far ?x ?y) (succ ?z ?x) (succ ?y ?z))
(<= (other ?x ?y ?a ?b) (number ?x) (number ?y) (number ?a) (number ?b) (or (distinct ?x ?a) (distinct ?y ?b)))
(<= (legal robot (step ?a ?b ?c ?b)) (true (cell ?a ?b stone)) (true (cell ?c ?b blank)) (near ?a ?c))
(<= (legal robot (step ?a ?b ?a ?d)) (true (cell ?a ?b stone)) (true (cell ?a ?d blank)) (near ?b ?d))
(<= (legal robot (jump ?a ?b ?c ?b)) (true (cell ?a ?b stone)) (true (cell ?c ?b blank)) (far ?a ?c))
(<= (legal robot (jump ?a ?b ?a ?d)) (true (cell ?a ?b stone)) (true (cell ?a ?d blank)) (far ?b ?d))
(<= (moves ?a ?b ?c ?d) (does robot (step ?a ?b ?c ?d)))
(<= (moves ?a ?b ?c ?d) (does robot (jump ?a ?b ?c ?d)))
(<= (next (cell ?a ?b blank)) (moves ?a ?b ?c ?d))
(<= (next (cell ?c ?d stone)) (moves ?a ?b ?c ?d))
(<= (next (cell ?x ?y ?p)) (does robot (step ?a ?b ?c ?d)) (true (cell ?x ?y ?p))
    (other ?x ?y ?a ?b) (other ?x ?y ?c ?d))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does robot (jump ?a ?b ?c ?d))
    (other ?x ?y ?a ?b) (other ?x ?y ?c ?d))
(<= line (true (cell 6 1 stone)) (true (cell 6 2 stone)))
(<= terminal line)
(<= (goal robot 100) line)
(<= (goal robot 0) (not line))
";

#[test]
fn what_stays_after_most_moves_is_said_by_the_others() {
    let sheet = program("stones.kif", STONES);
    check_methods(&sheet);
    check_meaning(&sheet, 4, 30);
    let faithful = ground_with(&sheet, Method::Fused, true);
    let compact = ground_with(&sheet, Method::Fused, false);
    let of = |ground: &GroundProgram| {
        let rules = rules(ground).into_iter();
        rules.filter(|(head, body)| head.starts_with("(next") && body.len() == 2).collect::<Vec<_>>()
    };
    let (cells, moves, touching) = (36, 216, 2 * 216);
    assert_eq!(of(&faithful).len(), 2 * (cells * moves - touching));
    // One rule for each cell and what is on it, with one condition for all moves.
    assert_eq!(of(&compact).len(), 2 * cells);
    assert!(compact.rule_count() < 2_000, "{} rules", compact.rule_count());
}

/// Two players take turns to use up what they have: one of two things by putting a mark, the other by covering a cell.
const STORES: &str = "
(role a) (role b)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(index 1) (index 2) (index 3) (index 4) (index 5)
(init (marks a 6)) (init (marks b 6)) (init (covers a 3)) (init (covers b 3)) (init (turn a))
(<= (init (cell ?x ?y free)) (index ?x) (index ?y))
(<= (legal ?r (mark ?x ?y)) (true (turn ?r)) (true (cell ?x ?y free)) (true (marks ?r ?n)) (succ ?m ?n))
(<= (legal ?r (cover ?x ?y)) (true (turn ?r)) (true (cell ?x ?y free)) (true (covers ?r ?n)) (succ ?m ?n))
(<= (legal a wait) (true (turn b))) (<= (legal b wait) (true (turn a)))
(<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
(<= (next (cell ?x ?y ?r)) (does ?r (mark ?x ?y)))
(<= (next (cell ?x ?y covered)) (does ?r (cover ?x ?y)))
(<= (next (cell ?x ?y ?s)) (true (cell ?x ?y ?s)) (distinct ?s free))
(<= (next (cell ?x ?y free)) (true (cell ?x ?y free)) (does ?r (mark ?u ?v)) (or (distinct ?x ?u) (distinct ?y ?v)))
(<= (next (cell ?x ?y free)) (true (cell ?x ?y free)) (does ?r (cover ?u ?v)) (or (distinct ?x ?u) (distinct ?y ?v)))
(<= (next (marks ?r ?n)) (does ?r (mark ?x ?y)) (true (marks ?r ?m)) (succ ?n ?m))
(<= (next (covers ?r ?n)) (does ?r (cover ?x ?y)) (true (covers ?r ?m)) (succ ?n ?m))
(<= (next (marks ?r ?n)) (true (marks ?r ?n)) (does ?r (cover ?x ?y)))
(<= (next (covers ?r ?n)) (true (covers ?r ?n)) (does ?r (mark ?x ?y)))
(<= (next (marks ?r ?n)) (true (marks ?r ?n)) (true (turn ?s)) (distinct ?r ?s))
(<= (next (covers ?r ?n)) (true (covers ?r ?n)) (true (turn ?s)) (distinct ?r ?s))
(<= (out ?r) (true (marks ?r 0)))
(<= (out ?r) (true (marks ?r 1)) (true (covers ?r 0)))
(<= terminal (out ?r))
(<= (goal ?r 100) (role ?r) (not (out ?r)))
(<= (goal ?r 0) (out ?r))
";

#[test]
fn a_part_that_others_use_is_not_made_wider() {
    let sheet = program("stores.kif", STORES);
    check_methods(&sheet);
    check_meaning(&sheet, 20, 16);
}

/// Three lamps that are not lit, in any order; two places, with both their coordinates exchanged.
const EXCHANGED: &str = "
(role robot)
(lamp 1) (lamp 2) (lamp 3) (lamp 4) (lamp 5) (lamp 6)
(beside 1 2) (beside 2 1) (beside 2 3) (beside 3 2)
(<= (init (place ?x ?y on)) (beside ?x ?z) (beside ?y ?w))
(init (lit 1))
(<= (legal robot (light ?x)) (lamp ?x))
(<= (next (lit ?x)) (does robot (light ?x)))
(<= (next (lit ?x)) (true (lit ?x)))
(<= (next (place ?x ?y off)) (true (place ?x ?y on)) (does robot (light ?x)))
(<= (next (place ?x ?y ?s)) (true (place ?x ?y ?s)) (does robot (light ?z)) (distinct ?x ?z))
(<= three_dark (lamp ?a) (lamp ?b) (lamp ?c) (distinct ?a ?b) (distinct ?b ?c) (distinct ?a ?c)
    (not (true (lit ?a))) (not (true (lit ?b))) (not (true (lit ?c))))
(<= two_off (true (place ?x ?y off)) (true (place ?u ?v off)) (distinct ?x ?u) (distinct ?y ?v))
(<= terminal (not three_dark))
(<= terminal two_off)
(<= (goal robot 100) two_off)
(<= (goal robot 0) (not two_off))
";

#[test]
fn exchanges_of_variables_make_no_further_rules() {
    let sheet = program("exchanged.kif", EXCHANGED);
    check_methods(&sheet);
    check_meaning(&sheet, 20, 8);
    // Nothing is split in so small a game, so both forms have the same rules of these.
    let faithful = ground_with(&sheet, Method::Fused, true);
    let compact = ground_with(&sheet, Method::Fused, false);
    let of = |ground: &GroundProgram, name: &str| {
        rules(ground).into_iter().filter(|(head, _)| head == name).collect::<Vec<_>>()
    };
    for (name, count) in [("three_dark", 6 * 5 * 4 / 6), ("two_off", 9 * 4 / 2)] {
        assert_eq!(of(&faithful, name).len(), count, "{name}");
        assert_eq!(of(&faithful, name), of(&compact, name));
    }
    // Each three were met six times, each two twice; in compact form that does not happen.
    assert_eq!((faithful.repeats(), compact.repeats()), (5 * 20 + 18, 0));
}

/// Rules with alternatives that are comparisons: of what is stored, of that and something else, and several of them.
const ALTERNATIVES: &str = "
(role robot) (number 1) (number 2) (number 3) (number 4)
(init (at 1 1))
(<= (legal robot (go ?u ?v)) (true (at ?x ?y)) (number ?u) (number ?v) (or (distinct ?x ?u) (distinct ?y ?v)))
(<= (next (at ?u ?v)) (does robot (go ?u ?v)))
(<= apart (true (at ?x ?y)) (number ?u) (or (distinct ?x ?u) (distinct ?y ?u)))
(<= (next (free ?u ?v)) (true (at ?x ?y)) (does robot (go ?u ?v))
    (or (distinct ?x ?u) (distinct ?y ?v)) (or (distinct ?x 1) (distinct ?v 4)))
(<= terminal (not apart))
(<= (goal robot 100) (true (free 1 1))) (<= (goal robot 0) (not (true (free 1 1))))";

#[test]
fn alternatives_that_are_comparisons_are_counted_like_rules() {
    let sheet = program("alternatives.kif", ALTERNATIVES);
    check_methods(&sheet);
    check_meaning(&sheet, 20, 4);
    let faithful = ground_with(&sheet, Method::Fused, true);
    let count = |name: &str| rules(&faithful).iter().filter(|(head, _)| head.starts_with(name)).count();
    let pairs = |wanted: &dyn Fn([u32; 4]) -> usize| -> usize {
        let all = (0..256).map(|n| [n % 4 + 1, n / 4 % 4 + 1, n / 16 % 4 + 1, n / 64 + 1]);
        all.map(wanted).sum()
    };
    let branches = |[x, y, u, v]: [u32; 4]| usize::from(x != u) + usize::from(y != v);
    let others = |[x, _, _, v]: [u32; 4]| usize::from(x != 1) + usize::from(v != 4);
    let legal = pairs(&|p| branches(p).min(1));
    let free = pairs(&|p| (branches(p) * others(p)).min(1));
    assert_eq!((count("(legal"), count("(next (free")), (legal, free));
    // Both branches of `apart` see each of 16 places with three numbers.
    let instances = pairs(&branches) + pairs(&|p| branches(p) * others(p)) + 16 * 2 * 3;
    assert_eq!(faithful.repeats() as usize, instances - legal - free - 16);
}

#[test]
fn columns_that_make_no_difference_are_dropped() {
    let sheet = program("neutral.kif", NEUTRAL);
    check_methods(&sheet);
    check_meaning(&sheet, 20, 8);
    let compact = ground_with(&sheet, Method::Fused, false);
    let heads: BTreeSet<String> = rules(&compact).into_iter().map(|(head, _)| head).collect();
    let of = |name: &str| heads.iter().filter(|head| head.starts_with(name)).count();
    assert_eq!((of("(three"), of("three")), (0, 1), "{heads:?}");
    assert_eq!((of("(two"), of("two")), (0, 1), "{heads:?}");
    assert_eq!(of("(same"), 2, "{heads:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn methods_agree_on_random_games(choices in prop::collection::vec(any::<u8>(), 0..160)) {
        check_methods(&program("random.kif", &random_game(&choices)));
    }

    #[test]
    fn random_games_keep_their_meaning(choices in prop::collection::vec(any::<u8>(), 0..160)) {
        check_meaning(&program("random.kif", &random_game(&choices)), 2, 5);
    }
}
