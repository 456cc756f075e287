//! From what was seen to findings.

use super::visits::{Trouble, Visits};
use super::{PlayFinding, Scope, Survey, SurveyConfig, base};
use crate::ids::wide;
use crate::network::RoleId;
use crate::play::Line;
use grundy_syntax::{Code, Keyword, Program, Span, Term, TermId};
use std::collections::BTreeMap;

pub(super) fn collect(
    program: &Program,
    visits: Visits,
    config: &SurveyConfig,
    scope: Scope,
    cut_short: Option<String>,
) -> Survey {
    let mut collector = Collector { program, scope, findings: Vec::new() };
    collector.troubles(&visits);
    collector.endless(&visits);
    let computed = base::computed(program, config);
    if has_evidence(scope, &visits) {
        if let Some(computed) = &computed {
            collector.never_held(computed, &visits);
            collector.never_legal(computed, &visits);
        }
        collector.silent_rules(&visits);
    }
    if let (Some(computed), Ok(given)) = (&computed, base::given(program, config)) {
        collector.given(computed, given);
    }
    let mut findings = collector.findings;
    findings.sort_by_key(|finding| finding.code);
    Survey { scope, states: visits.states, findings, cut_short }
}

/// Without a single game there is nothing to say about what never happened.
fn has_evidence(scope: Scope, visits: &Visits) -> bool {
    scope != Scope::Games(0) && visits.states > 0
}

struct Collector<'a> {
    program: &'a Program,
    scope: Scope,
    findings: Vec<PlayFinding>,
}

/// The number of examples in a finding.
const MOST_EXAMPLES: usize = 3;

impl Collector<'_> {
    fn report(&mut self, code: Code, place: Span, message: String, line: Option<&Line>) {
        self.findings.push(PlayFinding { code, message, place, line: line.cloned() });
    }

    /// `in all 20 reachable states`, or `in 10 games`.
    fn everywhere(&self) -> String {
        match self.scope {
            Scope::AllStates(states) => format!("in all {}", counted(states, "reachable state")),
            Scope::Games(games) => format!("in {}", counted(games, "random game")),
        }
    }

    /// The first rule for a keyword about a role, or the role itself.
    fn place_of_role(&self, keyword: Option<Keyword>, role: RoleId) -> Span {
        let program = self.program;
        let term = program.roles()[role.index()];
        let is_about = |arg: TermId| arg == term || matches!(program.terms.get(arg), Term::Variable(_));
        let wanted = keyword.and_then(|keyword| program.keyword(keyword));
        let rule = program.rules.iter().find(|rule| {
            Some(rule.head.predicate) == wanted && rule.head.args.first().is_some_and(|&arg| is_about(arg))
        });
        let role = program.keyword(Keyword::Role);
        let fact =
            program.rules.iter().find(|rule| Some(rule.head.predicate) == role && rule.head.args[0] == term);
        rule.or(fact).map_or(Span::default(), |rule| rule.head_span)
    }

    fn troubles(&mut self, visits: &Visits) {
        for (&(trouble, role), seen) in &visits.troubles {
            let name = &visits.roles[role];
            let (code, keyword, what) = match trouble {
                Trouble::Stuck => (Code::StuckRole, Keyword::Legal, format!("{name} has no legal move")),
                Trouble::Missing => (Code::NoFinalGoal, Keyword::Goal, format!("{name} has no goal")),
                Trouble::Several => (Code::SeveralGoals, Keyword::Goal, format!("{name} has several goals")),
                Trouble::NotANumber => {
                    (Code::GoalNotANumber, Keyword::Goal, format!("{name} has a goal that is not a number"))
                }
            };
            let message = match (self.scope, trouble) {
                (Scope::AllStates(states), Trouble::Stuck) => {
                    format!("{what} in {} of all {}", seen.times, counted(states, "reachable state"))
                }
                (Scope::AllStates(_), _) => {
                    let ends = counted(visits.ends, "final state");
                    format!("{what} in {} of {ends}, {}", seen.times, self.everywhere())
                }
                (Scope::Games(games), Trouble::Stuck) => {
                    format!("{what}: {} of {} ended so", seen.times, counted(games, "random game"))
                }
                (Scope::Games(games), _) => {
                    format!("{what} at the end of {} of {}", seen.times, counted(games, "random game"))
                }
            };
            self.report(code, self.place_of_role(Some(keyword), role), message, Some(&seen.line));
        }
    }

    fn endless(&mut self, visits: &Visits) {
        if visits.endless.times == 0 {
            return;
        }
        let place = self.program.keyword(Keyword::Terminal);
        let rule = self.program.rules.iter().find(|rule| Some(rule.head.predicate) == place);
        let place = rule.map_or(Span::default(), |rule| rule.head_span);
        let times = visits.endless.times;
        match self.scope {
            Scope::AllStates(states) => {
                let message = format!(
                    "no end can be reached from {times} of all {}",
                    counted(states, "reachable state")
                );
                self.report(Code::EndlessGame, place, message, Some(&visits.endless.line));
            }
            Scope::Games(games) => {
                let moves = wide(visits.endless.line.joints.len());
                let message = format!(
                    "{times} of {} had no end after {}",
                    counted(games, "random game"),
                    counted(moves, "move")
                );
                self.report(Code::EndlessGame, place, message, None);
            }
        }
    }

    fn never_held(&mut self, computed: &base::Base, visits: &Visits) {
        let held = visits.facts();
        let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
        for fact in &computed.facts {
            groups.entry(functor(fact)).or_default().add(fact, held.contains(fact));
        }
        for (name, group) in groups {
            let place = self.maker(&[Keyword::Init, Keyword::Next], 0, name);
            if let Some(what) = self.describe(&group, "fact", name, None) {
                let message = format!("{what} held {}", self.everywhere());
                self.report(Code::FactNeverHolds, place, message, None);
            }
        }
    }

    fn never_legal(&mut self, computed: &base::Base, visits: &Visits) {
        let legal = visits.moves();
        let mut groups: BTreeMap<(RoleId, &str), Group> = BTreeMap::new();
        for (role, text) in &computed.moves {
            let Some((id, _)) = visits.roles.entries().find(|(_, name)| *name == role) else { continue };
            let was_legal = legal.contains(&(id, text.clone()));
            groups.entry((id, functor(text))).or_default().add(text, was_legal);
        }
        for ((role, name), group) in groups {
            let place = self.maker(&[Keyword::Legal], 1, name);
            if let Some(what) = self.describe(&group, "move", name, Some(&visits.roles[role])) {
                let message = format!("{what} was legal {}", self.everywhere());
                self.report(Code::MoveNeverLegal, place, message, None);
            }
        }
    }

    /// What never happened: where everything was visited, each single one counts; otherwise only a whole group does.
    fn describe(&self, group: &Group, what: &str, name: &str, role: Option<&str>) -> Option<String> {
        let of_role = role.map_or(String::new(), |role| format!(" of {role}"));
        let is_all = group.never == group.all;
        if group.never == 0 || (!is_all && matches!(self.scope, Scope::Games(_))) {
            return None;
        }
        let such = group.examples.join("`, `");
        Some(match (is_all, group.all) {
            (true, 1) => format!("the {what} `{such}`{of_role} never"),
            (true, all) => format!("none of the {all} {what}s `{name}`{of_role} (such as `{such}`) ever"),
            (false, all) if group.never == 1 => {
                format!("one of the {all} {what}s `{name}`{of_role}, `{such}`, never")
            }
            (false, all) => {
                format!("{} of the {all} {what}s `{name}`{of_role} (such as `{such}`) never", group.never)
            }
        })
    }

    /// The first rule that makes a fact, or allows a move, of this name.
    fn maker(&self, keywords: &[Keyword], argument: usize, name: &str) -> Span {
        let program = self.program;
        let is_named = |term: TermId| match program.terms.get(term) {
            Term::Variable(_) => true,
            Term::Constant(symbol) | Term::Compound(symbol, _) => program.symbols.name(symbol) == name,
        };
        let rule = program.rules.iter().find(|rule| {
            let keyword = program.info(rule.head.predicate).keyword;
            keyword.is_some_and(|keyword| keywords.contains(&keyword)) && is_named(rule.head.args[argument])
        });
        rule.map_or(Span::default(), |rule| rule.head_span)
    }

    fn silent_rules(&mut self, visits: &Visits) {
        // A rule with `or` became several: it fires if any of them does.
        let silent = visits.silent_rules();
        let mut rules: BTreeMap<(u32, u32), (usize, usize)> = BTreeMap::new();
        for (number, rule) in self.program.rules.iter().enumerate() {
            let (all, never) = rules.entry((rule.span.start, rule.span.end)).or_insert((0, 0));
            *all += 1;
            *never += usize::from(silent.binary_search(&number).is_ok());
        }
        let never: Vec<Span> = rules
            .into_iter()
            .filter(|(_, (all, never))| all == never)
            .map(|((start, end), _)| Span::new(start, end))
            .collect();
        for span in never {
            let message = format!("this rule never fired {}", self.everywhere());
            self.report(Code::RuleNeverFires, span, message, None);
        }
    }

    fn given(&mut self, computed: &base::Base, (facts, moves): base::Given) {
        if let Some(given) = facts {
            let lacks = computed.facts.difference(&given).cloned().collect();
            let extra = given.difference(&computed.facts).cloned().collect();
            self.given_differs(Keyword::Base, lacks, extra);
        }
        if let Some(given) = moves {
            let text = |(role, action): &(String, String)| format!("{role} {action}");
            let lacks = computed.moves.difference(&given).map(text).collect();
            let extra = given.difference(&computed.moves).map(text).collect();
            self.given_differs(Keyword::Input, lacks, extra);
        }
    }

    fn given_differs(&mut self, keyword: Keyword, lacks: Vec<String>, extra: Vec<String>) {
        let name = keyword.name();
        let what = if keyword == Keyword::Base { "fact" } else { "move" };
        let such = |texts: &[String]| texts[..texts.len().min(MOST_EXAMPLES)].join("`, `");
        let mut parts = Vec::new();
        if !lacks.is_empty() {
            let count = counted(wide(lacks.len()), what);
            parts.push(format!("lacks {count} that rules can lead to, such as `{}`", such(&lacks)));
        }
        if !extra.is_empty() {
            let count = counted(wide(extra.len()), what);
            parts.push(format!("has {count} that no rule can lead to, such as `{}`", such(&extra)));
        }
        if parts.is_empty() {
            return;
        }
        let predicate = self.program.keyword(keyword);
        let rule = self.program.rules.iter().find(|rule| Some(rule.head.predicate) == predicate);
        let place = rule.map_or(Span::default(), |rule| rule.head_span);
        self.report(Code::GivenDiffers, place, format!("`{name}` {}", parts.join(", and ")), None);
    }
}

/// Facts or moves of one name.
#[derive(Default)]
struct Group {
    all: usize,
    never: usize,
    examples: Vec<String>,
}

impl Group {
    fn add(&mut self, text: &str, was_seen: bool) {
        self.all += 1;
        if !was_seen {
            self.never += 1;
            if self.examples.len() < MOST_EXAMPLES {
                self.examples.push(text.to_owned());
            }
        }
    }
}

/// The name of a fact or move.
fn functor(text: &str) -> &str {
    text.trim_start_matches('(').split([' ', ')']).next().unwrap_or(text)
}

/// A number with a noun.
fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
