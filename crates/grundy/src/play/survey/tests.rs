//! What is found, by code.

use super::*;
use crate::play::{FollowError, follow};
use crate::reasoner::{GoalValue, Reference};
use grundy_syntax::{Limits, Source, read_game};

fn program(sheet: &str) -> Program {
    read_game(&Source::new("survey.kif", sheet), &Limits::default()).program
}

fn look(sheet: &str, config: &SurveyConfig) -> Survey {
    survey(&program(sheet), config).unwrap()
}

fn codes(survey: &Survey) -> Vec<&'static str> {
    survey.findings.iter().map(|finding| finding.code.id()).collect()
}

/// A count down by one or two, with a role that has to wait.
const CLEAN: &str = "(role a) (role b) (init (left 3)) (init (turn a)) (minus 3 1 2) (minus 3 2 1) (minus 2 1 1) (minus 2 2 0)
    (minus 1 1 0) (<= (legal ?r (take ?k)) (true (turn ?r)) (true (left ?m)) (minus ?m ?k ?_n))
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    (<= (next (left ?n)) (does ?_r (take ?k)) (true (left ?m)) (minus ?m ?k ?n))
    (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
    (<= terminal (true (left 0)))
    (<= (goal ?r 100) (role ?r) (not (true (turn ?r)))) (<= (goal ?r 0) (true (turn ?r)))";

#[test]
fn a_clean_game_has_no_findings_and_all_its_states_are_visited() {
    let survey = look(CLEAN, &SurveyConfig::default());
    assert_eq!(survey.findings, []);
    // 3 left and a, 2 and b, 1 and a or b, 0 and a or b.
    assert_eq!(survey.scope, Scope::AllStates(6));
    let games = look(CLEAN, &SurveyConfig { max_states: 2, games: 50, ..SurveyConfig::default() });
    assert_eq!((&games.findings[..], games.scope), (&[][..], Scope::Games(50)));
}

/// The goals, or the number of legal moves, that the reference sees at the end of a finding's line.
fn at_the_end(sheet: &str, finding: &PlayFinding) -> (bool, Vec<GoalValue>, Vec<usize>) {
    let mut reference = Reference::new(program(sheet), grundy_reference::Limits::default()).unwrap();
    let initial = reference.initial().unwrap();
    let line = finding.line.as_ref().expect("there is a line");
    let state = follow(&mut reference, initial, line, |_, _, _, _| Ok::<(), FollowError>(())).unwrap();
    let legal = reference.legal(&state).unwrap().iter().map(Vec::len).collect();
    (reference.is_terminal(&state).unwrap(), reference.goals(&state).unwrap(), legal)
}

#[test]
fn troubles_are_found_with_a_line_that_leads_there() {
    let sheet = CLEAN.replace("(minus 1 1 0)", "(minus 1 1 0) (odd 1)").replace(
        "(<= (legal ?r (take ?k))",
        "(<= (legal b wait) (true (left 1))) (<= (legal ?r (take ?k)) (not stuck)",
    ) + "(<= stuck (true (left 1)) (true (turn b)))";
    for config in
        [SurveyConfig::default(), SurveyConfig { max_states: 2, games: 60, ..SurveyConfig::default() }]
    {
        let survey =
            look(&sheet.replace("(goal ?r 0) (true (turn ?r))", "(goal ?r lost) (true (turn ?r))"), &config);
        assert!(codes(&survey).contains(&"E604"), "{survey:?}");
        let finding = survey.findings.iter().find(|finding| finding.code == Code::GoalNotANumber).unwrap();
        let changed = sheet.replace("(goal ?r 0) (true (turn ?r))", "(goal ?r lost) (true (turn ?r))");
        let (is_terminal, goals, _) = at_the_end(&changed, finding);
        assert!(is_terminal && goals.contains(&GoalValue::NotANumber), "{finding:?}");

        let survey = look(&sheet.replace("(<= (goal ?r 0) (true (turn ?r)))", ""), &config);
        let finding = survey.findings.iter().find(|finding| finding.code == Code::NoFinalGoal).unwrap();
        let (is_terminal, goals, _) =
            at_the_end(&sheet.replace("(<= (goal ?r 0) (true (turn ?r)))", ""), finding);
        assert!(is_terminal && goals.contains(&GoalValue::Missing), "{finding:?}");

        let double = format!("{sheet} (<= (goal a 1) (true (turn a)))");
        let survey = look(&double, &config);
        let finding = survey.findings.iter().find(|finding| finding.code == Code::SeveralGoals).unwrap();
        assert_eq!(at_the_end(&double, finding).1[0], GoalValue::Several, "{finding:?}");

        let stuck = sheet.replace("(legal ?r wait) (role ?r)", "(legal ?r wait) (role ?r) (not stuck)");
        let survey = look(&stuck, &config);
        let finding = survey.findings.iter().find(|finding| finding.code == Code::StuckRole).unwrap();
        let (is_terminal, _, legal) = at_the_end(&stuck, finding);
        assert!(!is_terminal && legal[0] == 0, "{finding:?}");
    }
}

#[test]
fn a_trap_without_an_end_is_proved() {
    let sheet = "(role a) (init (n 0)) (legal a left) (legal a right)
        (<= (next (n 1)) (true (n 0)) (does a left)) (<= (next (n 2)) (true (n 0)) (does a right))
        (<= (next (n 3)) (true (n 2))) (<= (next (n 2)) (true (n 3))) (<= terminal (true (n 1))) (goal a 0)";
    let survey = look(sheet, &SurveyConfig::default());
    assert_eq!(codes(&survey), ["W605"]);
    assert_eq!(survey.findings[0].line.as_ref().unwrap().to_string(), "right");
    assert!(survey.findings[0].message.contains("from 2 of all 4 reachable states"), "{survey:?}");
    let config = SurveyConfig { max_states: 1, games: 20, max_steps: 50, ..SurveyConfig::default() };
    let survey = look(sheet, &config);
    assert_eq!(codes(&survey), ["W605"]);
    assert!(
        survey.findings[0].message.ends_with("of 20 random games had no end after 50 moves"),
        "{survey:?}"
    );
}

#[test]
fn what_never_happens_is_found() {
    // 5 is possible one argument at a time: `both` joins two facts that never hold together.
    let sheet = "(role a) (init (p 1)) (init (q 2)) (legal a go) (<= (legal a leap) both)
        (<= both (true (p ?x)) (true (q ?x)))
        (<= (next (p 2)) (true (p 1))) (<= (next (p 1)) (true (p 2))) (<= (next (q 1)) (true (q 2)))
        (<= (next (q 2)) (true (q 1))) (<= (next done) (true (p 2))) (<= (next far) both)
        (<= terminal (true done)) (goal a 0)";
    let survey = look(sheet, &SurveyConfig::default());
    let of = |code: Code| survey.findings.iter().filter(move |finding| finding.code == code);
    assert_eq!(of(Code::MoveNeverLegal).count(), 1, "{survey:?}");
    let texts: Vec<&str> = of(Code::FactNeverHolds).map(|finding| finding.message.as_str()).collect();
    assert_eq!(texts, ["the fact `far` never held in all 3 reachable states"]);
    // The rules for `both`, `leap` and `far`.
    assert_eq!(of(Code::RuleNeverFires).count(), 3, "{survey:?}");
}

#[test]
fn given_base_and_input_are_compared_with_what_is_possible() {
    let given = "(<= (base (left ?n)) (number ?n)) (number 0) (number 1) (number 2) (number 7) (base (turn a)) (base (turn b))
        (<= (input ?r (take ?n)) (role ?r) (number ?n)) (<= (input ?r wait) (role ?r))";
    let survey = look(&format!("{CLEAN} {given}"), &SurveyConfig::default());
    let texts: Vec<&str> = survey.findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(codes(&survey), ["W609", "W609"]);
    assert_eq!(
        texts,
        [
            "`base` lacks 1 fact that rules can lead to, such as `(left 3)`, \
             and has 1 fact that no rule can lead to, such as `(left 7)`",
            "`input` has 4 moves that no rule can lead to, such as `a (take 0)`, `a (take 7)`, `b (take 0)`",
        ]
    );
}

#[test]
fn the_same_seed_finds_the_same_and_work_is_bounded() {
    let endless = "(role a) (init (n z)) (legal a go) (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true never)) (goal a 0)";
    let survey = look(endless, &SurveyConfig::default());
    assert_eq!(survey.scope, Scope::Games(0));
    assert!(survey.cut_short.is_some());
    let config = SurveyConfig { max_states: 1, games: 5, seed: 3, ..SurveyConfig::default() };
    assert_eq!(look(CLEAN, &config).states, look(CLEAN, &config).states);
    let few = SurveyConfig { max_work: 10, ..config };
    assert!(look(CLEAN, &few).cut_short.unwrap().contains("limit `work`"));
}
