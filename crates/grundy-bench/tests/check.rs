//! What `grundy check` says about random games, compared with what the reference sees in all their states.

use grundy::analysis::analyze;
use grundy::play::{FollowError, Line, Scope, SurveyConfig, follow, survey};
use grundy::reasoner::{GoalValue, Reasoner, Reference};
use grundy::syntax::{Code, Diagnostic, Limits, Program, Source, read_game};
use grundy_bench::random_game;
use std::collections::{BTreeSet, VecDeque};

fn read(sheet: &str) -> (Program, Vec<Diagnostic>) {
    let source = Source::new("random.kif", sheet);
    let mut reading = read_game(&source, &Limits::default());
    let budget = Default::default();
    analyze(&source, &reading.program, &mut reading.diagnostics, &budget).expect("no limits");
    (reading.program, reading.diagnostics)
}

/// All states that play can reach, as the reference sees them.
#[derive(Default)]
struct Judged {
    states: BTreeSet<Vec<String>>,
    facts: BTreeSet<String>,
    /// Final states in which a role has no single number as goal, and states in which a role is stuck: code and role.
    troubles: BTreeSet<(&'static str, String)>,
}

/// More states are not visited: then nothing is returned.
const MOST_STATES: usize = 300;

fn judge(program: &Program) -> Option<Judged> {
    let mut reference = Reference::new(program.clone(), Default::default()).ok()?;
    let roles = reference.roles();
    let mut judged = Judged::default();
    let initial = reference.initial().ok()?;
    judged.states.insert(reference.facts(&initial));
    let mut open = VecDeque::from([initial]);
    while let Some(state) = open.pop_front() {
        judged.facts.extend(reference.facts(&state));
        if reference.is_terminal(&state).ok()? {
            for (role, goal) in roles.iter().zip(reference.goals(&state).ok()?) {
                let code = match goal {
                    GoalValue::Missing if role != "random" => "E602",
                    GoalValue::Missing | GoalValue::Number(_) => continue,
                    GoalValue::Several => "E603",
                    GoalValue::NotANumber => "E604",
                };
                judged.troubles.insert((code, role.clone()));
            }
            continue;
        }
        let legal = reference.legal(&state).ok()?;
        let stuck = roles.iter().zip(&legal).filter(|(_, moves)| moves.is_empty());
        judged.troubles.extend(stuck.map(|(role, _)| ("E601", role.clone())));
        let joints: usize = legal.iter().map(Vec::len).product();
        if joints > 200 {
            return None;
        }
        for mut number in 0..joints {
            let pick = |moves: &Vec<_>| {
                let one_move = moves[number % moves.len()];
                number /= moves.len();
                one_move
            };
            let joint: Vec<_> = legal.iter().map(pick).collect();
            let next = reference.next(&state, &joint).ok()?;
            if judged.states.insert(reference.facts(&next)) {
                open.push_back(next);
            }
        }
        if judged.states.len() > MOST_STATES {
            return None;
        }
    }
    Some(judged)
}

const GAMES: u64 = 400;

/// Whether anything is said about a fact that is asked for.
fn is_warned_about(diagnostics: &[Diagnostic], fact: &str) -> bool {
    let is_about = |found: &&Diagnostic| {
        found.code == Code::UndefinedFact
            && found.message.contains(&format!("`{fact}` true"))
            && found.label == "never true"
    };
    diagnostics.iter().find(is_about).is_some()
}

/// Whoever asks for a fact that does hold in some state is never told that it cannot.
#[test]
fn facts_that_hold_are_never_called_impossible() {
    let (mut facts, mut impossible) = (0, 0);
    for seed in 0..GAMES {
        let sheet = random_game(seed);
        let Some(judged) = judge(&read(&sheet).0) else { continue };
        let ask = |fact: &String| format!("(<= (asked) (true {fact}))");
        let asked: String = judged.facts.iter().map(ask).collect();
        let (_, diagnostics) = read(&format!("{sheet} {asked}"));
        for fact in &judged.facts {
            facts += 1;
            assert!(
                !is_warned_about(&diagnostics, fact),
                "seed {seed}: {fact} holds\n{sheet}\n{diagnostics:?}"
            );
            // The same fact with another argument.
            if let Some((head, _)) = fact.rsplit_once(' ') {
                let other =
                    format!("{head} never-made{}", ")".repeat(fact.len() - fact.trim_end_matches(')').len()));
                let (_, diagnostics) = read(&format!("{sheet} (<= (asked) (true {other}))"));
                impossible += u32::from(is_warned_about(&diagnostics, &other));
            }
        }
    }
    assert!(facts > 1000 && impossible > 300, "{facts} facts, {impossible} that are impossible");
}

/// A search through all states counts what the reference counts, and finds the same troubles; every line leads to one.
#[test]
fn surveys_agree_with_the_reference() {
    let (mut searched, mut troubled) = (0, 0);
    for seed in 0..GAMES {
        let sheet = random_game(seed);
        let (program, diagnostics) = read(&sheet);
        if diagnostics.iter().any(|found| found.code.stops()) {
            continue;
        }
        let Some(judged) = judge(&program) else { continue };
        let Ok(survey) = survey(&program, &SurveyConfig::default()) else { continue };
        let Scope::AllStates(states) = survey.scope else { continue };
        searched += 1;
        assert_eq!(states, judged.states.len() as u64, "seed {seed}\n{sheet}");
        let mut reference = Reference::new(program.clone(), Default::default()).unwrap();
        let mut found = BTreeSet::new();
        for finding in survey.findings.iter().filter(|finding| finding.code.id().starts_with("E60")) {
            // A role may be a term with blanks in it.
            let roles = reference.roles().into_iter();
            let role = roles.filter(|role| finding.message.starts_with(role)).max_by_key(String::len);
            let role = role.expect("the message begins with a role");
            let line = finding.line.as_ref().expect("a line");
            check_line(&mut reference, finding.code.id(), &role, line);
            found.insert((finding.code.id(), role));
        }
        assert_eq!(found, judged.troubles, "seed {seed}\n{sheet}");
        troubled += usize::from(!found.is_empty());
    }
    assert!(searched > 50 && troubled > 20, "{searched} searched, {troubled} with troubles");
}

fn check_line(reference: &mut Reference, code: &str, role: &str, line: &Line) {
    let number = reference.roles().iter().position(|name| name == role).expect("a role");
    let initial = reference.initial().unwrap();
    let state = follow(reference, initial, line, |_, _, _, _| Ok::<(), FollowError>(())).unwrap();
    let is_terminal = reference.is_terminal(&state).unwrap();
    let goal = reference.goals(&state).unwrap()[number];
    match code {
        "E601" => assert!(!is_terminal && reference.legal(&state).unwrap()[number].is_empty(), "{line}"),
        "E602" => assert_eq!((is_terminal, goal), (true, GoalValue::Missing), "{line}"),
        "E603" => assert_eq!((is_terminal, goal), (true, GoalValue::Several), "{line}"),
        _ => assert_eq!((is_terminal, goal), (true, GoalValue::NotANumber), "{line}"),
    }
}
