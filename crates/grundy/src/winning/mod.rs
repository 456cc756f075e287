//! Winning and forced moves of games, as rules.
//!
//! A move wins if the state after it is terminal and has the wanted goal value. Unfolding that goal over one
//! move gives rules that find all winning moves of a state without trying any. In the same way, over
//! two moves, come the moves after which the opponent wins at once; the others are the *safe* moves, and
//! where the opponent threatens to win they are *forced*.

use crate::metarules::{
    Clause, Domain, DomainLimits, Memory, MetaError, Metarules, SearchConfig, SingleValued, WorkingMemories,
    find_metarules,
};
use crate::unfold::{
    InductionConfig, UnfoldConfig, Unfolding, losing_target, prove_single_valued, unfold, winning_target,
};
use grundy_reference::Limits;
use grundy_syntax::{Atom, Budget, Keyword, Literal, PredicateId, Program, Rule, TermId, VariableId};

/// The program with unfolded rules beside its own.
pub fn extend(domain: &mut Domain, unfoldings: &[&Unfolding]) -> Program {
    let clauses: Vec<Clause> = unfoldings
        .iter()
        .flat_map(|unfolding| unfolding.rules.iter().chain(&unfolding.auxiliary))
        .cloned()
        .collect();
    let rules: Vec<Rule> = clauses.iter().map(|clause| source_rule(domain, clause)).collect();
    let mut program = domain.program.clone();
    program.rules.extend(rules);
    program
}

fn source_rule(domain: &mut Domain, clause: &Clause) -> Rule {
    let body: Vec<Literal> = clause.body.iter().map(|literal| domain.in_source(literal)).collect();
    Clause { body, ..clause.clone() }.to_rule(&mut domain.program)
}

/// Rules for the moves that stop the immediate win of other roles.
pub struct Forced {
    /// The moves after which another role can win at once: `(loses role move)`.
    pub loses: Vec<Unfolding>,
    /// That a move is safe and that it is forced, by `loses`.
    pub rules: Vec<Rule>,
    /// `(safe role move)`: legal, and no other role can win at once afterwards.
    pub safe: PredicateId,
    /// `(forced role move)`: safe, in a state in which some other move is not.
    pub forced: PredicateId,
}

/// Unfolds the moves of a role that stop the immediate win of all other roles.
pub fn forced_moves(
    domain: &mut Domain,
    role: TermId,
    value: TermId,
    metarules: Option<&Metarules>,
    proved: &[SingleValued],
    config: &UnfoldConfig,
) -> Result<Forced, MetaError> {
    let others: Vec<TermId> = domain.roles.iter().copied().filter(|&other| other != role).collect();
    let mut loses = Vec::new();
    let mut head = None;
    for other in others {
        let target = losing_target(domain, role, other, value)?;
        head = Some(target.head);
        loses.push(unfold(domain, &target, metarules, proved, &UnfoldConfig { moves: 2, ..config.clone() })?);
    }
    let loses_head = head.ok_or_else(|| MetaError::BadGoal("there is no other role".to_owned()))?;
    let legal = domain.legal.ok_or_else(|| MetaError::Wrong("the game has no `legal`".to_owned()))?;
    let (safe, forced) = (domain.shared_view("safe", 2), domain.shared_view("forced", 2));
    let [one, another] = [0, 1].map(|number| domain.program.terms.variable(VariableId(number)));
    let atom =
        |predicate: PredicateId, its_move: TermId| Atom { predicate, args: Box::new([role, its_move]) };
    let safe_body = vec![Literal::Holds(atom(legal, one)), Literal::Not(atom(loses_head, one))];
    let forced_body = vec![Literal::Holds(atom(safe, one)), Literal::Holds(atom(loses_head, another))];
    let mut rule = |head: Atom, body: Vec<Literal>| {
        let clause = Clause::new(&mut domain.program.terms, &head, &body);
        clause.to_rule(&mut domain.program)
    };
    let rules = vec![rule(atom(safe, one), safe_body), rule(atom(forced, one), forced_body)];
    Ok(Forced { loses, rules, safe, forced })
}

/// A game with rules for its winning and forced moves: an extension that any engine can run.
pub struct MoveRules {
    /// The game with the rules.
    pub program: Program,
    /// `(wins role move)`: the move wins at once.
    pub wins: PredicateId,
    /// `(safe role move)` and `(forced role move)`, if they were asked for.
    pub forced: Option<(PredicateId, PredicateId)>,
    /// How many rules were added.
    pub rules: usize,
}

impl MoveRules {
    /// The names of the predicates that say something about moves.
    pub(crate) fn hint_names(&self) -> Vec<String> {
        let predicates = self.forced.into_iter().flat_map(|(safe, forced)| [safe, forced]);
        predicates.chain([self.wins]).map(|predicate| self.program.name(predicate).to_owned()).collect()
    }

    /// The program with a percept for each of these: `(sees role (wins move))`. Percepts are answers, so that a network
    /// has outputs for them.
    pub(crate) fn as_percepts(&self) -> Program {
        let mut program = self.program.clone();
        let sees = program.predicate(Keyword::Sees.name(), Keyword::Sees.arity());
        let [role, its_move] = [0, 1].map(|number| program.terms.variable(VariableId(number)));
        let predicates = self.forced.into_iter().flat_map(|(safe, forced)| [safe, forced]);
        for predicate in predicates.chain([self.wins]) {
            let name = program.info(predicate).name;
            let percept = program.terms.compound(name, &[its_move]);
            let head = Atom { predicate: sees, args: Box::new([role, percept]) };
            let body = Literal::Holds(Atom { predicate, args: Box::new([role, its_move]) });
            let rule = Clause { head, body: vec![body], variables: 2 }.to_rule(&mut program);
            program.rules.push(rule);
        }
        program
    }
}

/// What rules to make, and at what cost.
#[derive(Clone, Debug)]
pub struct MoveRulesConfig {
    /// The goal value that is a win.
    pub value: u32,
    /// Whether to make rules for forced moves, too.
    pub forced: bool,
    /// How to unfold; the number of moves is not looked at.
    pub unfold: UnfoldConfig,
    /// How far to look for metarules.
    pub search: SearchConfig,
    /// How long to look for proofs.
    pub induction: InductionConfig,
    /// The time and memory of the call; the budgets of the parts above are not looked at.
    pub budget: Budget,
}

impl Default for MoveRulesConfig {
    fn default() -> MoveRulesConfig {
        MoveRulesConfig {
            value: 100,
            forced: false,
            unfold: UnfoldConfig { unfold_views: false, ..UnfoldConfig::default() },
            search: SearchConfig { size: 2, ..SearchConfig::default() },
            induction: InductionConfig::default(),
            budget: Budget::default(),
        }
    }
}

/// Makes the rules for winning moves, and perhaps forced moves, of all roles of a game. The states, each
/// a list of facts, are samples to guess invariants from and to order conditions by; the first one has
/// to be the initial state.
pub fn move_rules(
    program: &Program,
    states: &[Vec<String>],
    config: &MoveRulesConfig,
) -> Result<MoveRules, MetaError> {
    let budget = || config.budget.clone();
    let limits = DomainLimits { budget: budget(), ..DomainLimits::default() };
    let mut domain = Domain::new(program, &[], &limits)?;
    let limits = Limits { budget: budget(), ..Limits::default() };
    let mut working = WorkingMemories::new(program, &domain, limits)?;
    let memories =
        states.iter().map(|facts| working.memory(&mut domain, facts)).collect::<Result<Vec<Memory>, _>>()?;
    let search = SearchConfig { budget: budget(), ..config.search };
    let metarules = find_metarules(&mut domain, &memories, &search)?;
    let induction = InductionConfig { budget: budget(), ..config.induction };
    let proved = prove_single_valued(&mut domain, &memories, &metarules, &induction)?.dependencies;
    let unfold_config = UnfoldConfig { budget: budget(), ..config.unfold };
    let value = domain.program.symbols.intern(&config.value.to_string());
    let value = domain.program.terms.constant(value);
    let mut unfoldings = Vec::new();
    let mut more = Vec::new();
    let mut forced = None;
    for role in domain.roles.clone() {
        let target = winning_target(&mut domain, role, value, 1)?;
        let single_move = UnfoldConfig { moves: 1, ..unfold_config.clone() };
        unfoldings.push(unfold(&mut domain, &target, Some(&metarules), &proved, &single_move)?);
        if config.forced {
            let found = forced_moves(&mut domain, role, value, Some(&metarules), &proved, &unfold_config)?;
            unfoldings.extend(found.loses);
            more.extend(found.rules);
            forced = Some((found.safe, found.forced));
        }
    }
    // A goal that no role can have makes no rules, but the predicate is there.
    let wins = domain.shared_view("wins", 2);
    let own = domain.program.rules.len();
    let mut program = extend(&mut domain, &unfoldings.iter().collect::<Vec<_>>());
    program.rules.extend(more);
    let rules = program.rules.len() - own;
    Ok(MoveRules { program, wins, forced, rules })
}
