//! The stable codes of diagnostics, each with a title and an explanation.

use std::fmt;
use std::str::FromStr;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The text is wrong.
    Error,
    /// A bound on what reading may cost was hit.
    Limit,
    /// The text can be used, but something in it is doubtful.
    Warning,
}

/// Declares the codes: `Name = "X000", severity, "title", "explanation";`.
macro_rules! codes {
    ($($name:ident = $id:literal, $severity:ident, $title:literal, $explanation:literal;)*) => {
        /// The kind of a diagnostic. Codes are stable: scripts may rely on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The code as it is printed, such as `E101`.
            pub fn id(self) -> &'static str {
                match self { $(Code::$name => $id,)* }
            }

            /// How bad findings of this kind are.
            pub fn severity(self) -> Severity {
                match self { $(Code::$name => Severity::$severity,)* }
            }

            /// A few words that name the kind.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }

            /// What it means, with a small example.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$name => $explanation,)* }
            }
        }
    };
}

codes! {
    UnclosedForm = "E101", Error, "a form is never closed",
"A parenthesis was opened and not closed before the next rule, or before the end of the file.

    (<= (next (mark ?x))
        (does white (put ?x))      ; one `)` is missing here
    (<= terminal (true over))

Grundy closes the form where the next rule begins and reads on. The broken form itself is left
out of all further checks, so that one slip gives one message.";
    ExtraParenthesis = "E102", Error, "a closing parenthesis too many",
"A `)` that closes nothing.

    (role white))

The rest of the sheet is still read. Forms directly before the extra parenthesis are left out of
further checks: it often belongs to a rule that was closed too early.";
    EmptyForm = "E103", Error, "an empty form",
"`()` names nothing and can be neither a fact, nor a condition, nor a term.";
    MalformedForm = "E104", Error, "a form that does not begin with a name",
"A fact, a condition or a compound term begins with a name: `(cell 1 2)`. It cannot begin with a
list or with a variable.

    ((cell 1) 2)
    (?p 1 2)";
    MalformedRule = "E105", Error, "a rule without a head",
"A rule is written `(<= head condition …)`. Here there is no head.";
    LoneSymbol = "E106", Error, "a word outside any form",
"At the top level of a sheet stand facts and rules, each in parentheses. Words that stand alone are
usually what is left of a form, or a comment without its `;`.

    A game for two players.
    (role white)";
    PrologSyntax = "E107", Error, "a clause that cannot be read",
"In a theory (Prolog notation) every clause is `head.` or `head :- condition, condition.`, every
directive is `:- dynamic name/arity.`, and every integrity constraint is `:- condition, condition.`

    owns(x, a1)      % the full stop is missing
    blank(b1).";
    Unterminated = "E108", Error, "a quoted name or a comment that never ends",
"A `'` or a `/*` was opened and the file ended before its partner came.";
    UnsupportedProlog = "E109", Error, "a construct of Prolog that theories do not have",
"Theories are Horn clauses with negation over finite domains: no lists, no cuts, no arithmetic
evaluation (`is`, `<`), no if-then-else.";

    KeywordArity = "E201", Error, "a keyword with the wrong number of arguments",
"Each keyword of GDL has a fixed number of arguments: `(role r)`, `(init f)`, `(true f)`, `(next f)`,
`(base f)`, `(legal r m)`, `(does r m)`, `(input r m)`, `(sees r p)`, `(goal r n)`, `terminal`,
`(distinct a b)`, `(not c)`.

    (goal white)";
    PredicateArity = "E202", Error, "a predicate with two numbers of arguments",
"One predicate name is used with different numbers of arguments. They would be two unrelated
predicates, which is hardly ever meant.

    (succ 1 2)
    (<= (larger ?a ?b) (succ ?b ?_step ?a))";
    FactArity = "E203", Error, "a fact or a move with two numbers of arguments",
"One function name is used with different numbers of arguments for facts of the state (under `init`, `true`,
`next`), or for moves (under `legal`, `does`). Such terms are never equal, which is hardly ever meant.

    (init (cell 1 1))
    (<= terminal (true (cell 1 1 x)))";
    KeywordInHead = "E204", Error, "a keyword that cannot be defined",
"`true` and `does` are given by the state and by the moves of the players, `distinct`, `not`, `or` and
`and` are part of the language: none of them can be the head of a rule.

    (<= (true (control white)) (true (control black)))     ; `next` is meant";
    KeywordInBody = "E205", Error, "a keyword that cannot be a condition",
"`init`, `next`, `base`, `input` and `sees` are what a sheet defines for others; they cannot be used as
conditions. The state is read with `true`.

    (<= (legal ?r wait) (role ?r) (init (control ?r)))";
    KeywordAsTerm = "E206", Error, "a keyword in the place of a term",
"Keywords are no constants and no functions: they cannot stand inside a term.

    (init (next 1 2))";
    VariableCondition = "E207", Error, "a variable in the place of a condition",
"A condition needs a predicate: `(true ?fact)` is one, `?fact` alone is not.";
    NestedRule = "E208", Error, "a rule inside another form",
"`<=` can only begin a form at the top level.";

    MissingRole = "E301", Error, "no role",
"A game needs at least one fact `(role name)`.";
    MissingTerminal = "E302", Error, "no `terminal`",
"No rule says when the game is over.";
    MissingGoal = "E303", Error, "no `goal`",
"No rule says what the players get.";
    MissingLegal = "E304", Error, "no `legal`",
"No rule says what the players may do.";
    RoleNotFact = "E305", Error, "a `role` that is not a ground fact",
"The players of a game are fixed: `(role white)`. A role can have no variable and no condition.

    (<= (role ?r) (player ?r))";
    DependsOnState = "E306", Error, "`init`, `base` or `input` depends on the state",
"What is true at the start, what can be true and what can be done at all are fixed. They cannot depend
on `true` or `does`, neither directly nor through a view.

    (<= (init (lamp on)) (true (switch on)))";
    DependsOnMove = "E307", Error, "`legal`, `goal` or `terminal` depends on the moves",
"What is legal, what the score is and whether the game is over are properties of a state. They cannot
depend on `does`, neither directly nor through a view.

    (<= terminal (does ?_r resign))       ; let `next` remember it, and test that with `true`";
    GoalValue = "E308", Error, "a goal value that is no number from 0 to 100",
"Scores are whole numbers from 0 to 100.

    (<= (goal white win) (line white))";
    NotARole = "E309", Error, "something that is no role in the place of a role",
"The first argument of `legal`, `does`, `goal`, `sees` and `input` is a role of the game, or a variable.

    (role xplayer)
    (<= (legal x noop) (true (control o)))";

    UnsafeHead = "E401", Error, "a variable of the head that no condition binds",
"Every variable of a head has to occur in a positive condition of the body; otherwise the rule would
hold for everything in the world. Of an `or`, only what *all* its branches bind counts.

    (<= (free ?x ?y) (column ?x))";
    UnsafeNegation = "E402", Error, "a variable under `not` that no condition binds",
"Every variable of a negated condition has to occur in a positive condition of the same body. `(not
(true (cell ?x ?y b)))` with an unbound `?x` would ask whether something is false of *some* of all
things; define a view and negate that.

    (<= (open ?y) (row ?y) (not (true (cell ?x ?y b))))";
    UnsafeDistinct = "E403", Error, "a variable under `distinct` that no condition binds",
"Every variable of `distinct` has to occur in a positive condition of the same body.

    (<= (legal ?r (pass ?q)) (role ?r) (distinct ?r ?q))";

    NegationCycle = "E501", Error, "negation in a cycle",
"A predicate depends on its own negation, so that the rules may have no clear meaning, and other programs may refuse
them or read them in another way.

    (<= (wins ?x) (beats ?x ?y) (not (wins ?y)))

Where it is clear that no atom depends on itself, such as one value of `goal` that is defined by the absence of
another, this is not reported. Otherwise it depends on the facts. Grundy plays such a sheet: if `beats` has no cycle,
the rule above has a meaning, and if it has one, playing ends with an error that names an atom of the cycle.";
    RecursionRestriction = "E502", Error, "a recursion whose terms can grow without end",
"In a recursive rule every argument of the recursive condition has to be ground, or to be an argument
of the head, or to be bound by a condition outside the recursion. Here compound terms are built inside
the cycle, and nothing bounds their depth.

    (<= (number (s ?n)) (number ?n))";

    StuckRole = "E601", Error, "a role without a legal move",
"Found by playing (`grundy check --play N`): there is a state that is not terminal, and in it the role has no legal move.
The game cannot go on. The line of moves that is printed leads to such a state; show it with

    grundy simulate SHEET --playouts 1 --show --moves \"(mark 1 1) noop; noop (mark 2 2)\"

Often a `noop` is missing for the role that is not at turn, or a position without moves ought to be terminal.";
    NoFinalGoal = "E602", Error, "a final state without a goal",
"Found by playing (`grundy check --play N`): in a terminal state no goal rule of the role applies. Such games
count for no mean value. Every role but `random` needs a goal in every terminal state.";
    SeveralGoals = "E603", Error, "a final state with several goals for a role",
"Found by playing (`grundy check --play N`): in a terminal state several goal rules of the role apply, with different
values. Each role needs exactly one.";
    GoalNotANumber = "E604", Error, "a goal that is not a number",
"Found by playing (`grundy check --play N`): in a terminal state the only goal of the role is not a number.

    (<= (goal white win) (true (line white)))";

    NestingLimit = "L101", Limit, "parentheses nest too deeply",
"The limit `nesting` (`--max-nesting`) was hit. The form is left out.

Terms that have to be equal can become too deep, or too large, without any deep form in the sheet:

    (<= (p ?c) (q ?a) (not (distinct ?b (f ?a ?a))) (not (distinct ?c (f ?b ?b))))     ; and so on";
    BranchLimit = "L102", Limit, "a rule with `or` becomes too many rules",
"The limit `branches` (`--max-branches`) was hit: an `or` multiplies its rule by the number of its
branches, and several of them multiply with each other. Define views for them. (The rules may have
a hundred conditions each, on average; a few `or` in a very long body hit the limit as well.)";
    RuleLimit = "L103", Limit, "too many rules",
"The limit `rules` (`--max-source-rules`) was hit.";
    ReadBudget = "L104", Limit, "out of time or memory",
"The time (`--timeout`) or the memory (`--max-memory`) of the call was used up, or the call was interrupted,
while the file was read and checked. The rest of the file was not looked at.";

    InvalidUtf8 = "W101", Warning, "text that is not UTF-8",
"Bytes that are no valid UTF-8 were replaced by U+FFFD. In a comment that is harmless.";

    UnusedPredicate = "W201", Warning, "a predicate that nobody uses",
"The predicate is defined, but no rule that matters for the game has it as a condition. Perhaps it is misspelt
where it is used.";
    UndefinedPredicate = "W202", Warning, "a predicate that nothing defines",
"The predicate is used as a condition, but there is no fact and no rule for it: it is false everywhere.
Perhaps it is misspelt.

    (<= terminal (bord-full))";
    Capitalisation = "W203", Warning, "names that differ only in case",
"Keywords may be written in any case, but other names are case-sensitive: `cell` and `Cell` are two
different names.";
    FunctionArity = "W204", Warning, "a function with two numbers of arguments",
"One function name is used with different numbers of arguments. Such terms are never equal. Between facts
of the state, or between moves, that is an error (E203); elsewhere it is a warning.

    (<= (neighbour (square ?x) (square ?x ?y)) (cell ?x ?y))";
    KeywordAsName = "W205", Warning, "a keyword in the place of a name",
"`base`, `input`, `sees`, `not`, `and` and `or` inside a term are ordinary names to most systems, but strict
readers reject them.

    (init (piece base 1))";
    UndefinedFact = "W206", Warning, "a fact that nothing makes true",
"The fact is asked for with `true`, but no `init` and no `next` makes it: it is false in every state.
Perhaps it is misspelt, or it is a view, which is asked for without `true`. Arguments are looked at, too, with all that
rules can put there.

    (init (control white))
    (<= terminal (true (contrl black)))     ; no such fact
    (<= terminal (true (control green)))    ; never with this argument

Or the other way round: the fact is made with an argument for which no condition asks, and which is nearly one of those
that conditions ask for.

    (<= (next (control whit)) (true (control black)))";
    UndefinedMove = "W207", Warning, "a move that is never legal",
"The move is asked for with `does`, but no `legal` allows it, with these arguments or at all: it is never made. Perhaps it
is misspelt.

    (<= (legal ?r (mark ?x)) (free ?r ?x))
    (<= (next (marked ?x)) (does ?_r (makr ?x)))";

    GivenBase = "W301", Warning, "`base` or `input` is given",
"Grundy computes which facts and moves there can be, and never needs the sheet's own `base` and `input`.
They are not used, except that a difference is worth a look.";
    MissingInit = "W302", Warning, "no `init`",
"The game begins in the empty state.";

    SingletonVariable = "W401", Warning, "a variable that is used only once",
"A variable that occurs only once in a rule stands for «anything». If that is meant, let its name begin
with `?_` (in a theory, with `_`); otherwise it is perhaps misspelt.

    (<= (occupied ?x) (true (cell ?x ?y)))       ; write ?_y";
    UnusedVariable = "W402", Warning, "a variable marked as unused is used",
"A name that begins with `?_` says that the variable is not looked at, but it occurs more than once
in this rule, so that the places have to agree.";

    DuplicateRule = "W501", Warning, "the same rule twice",
"The rule stands in the sheet already, perhaps with other variable names. One of the two can go; perhaps
one of them was meant to be changed.";
    EmptyBody = "W502", Warning, "a rule with an empty body",
"`(<= head)` is the fact `head`; write it as a fact.";
    ZeroArity = "W503", Warning, "parentheses around a lone name",
"`(terminal)` means `terminal`. Strict readers reject the parentheses.";
    DeprecatedOr = "W504", Warning, "`or` is deprecated",
"`or` is no longer part of GDL; several rules with the same head, or a view, say the same.";
    NonStandard = "W505", Warning, "a form outside standard GDL",
"Grundy understands it, other systems may not: `and`, `not` of anything but a single condition,
`base` or `input` with an unusual number of arguments.";
    NeverTrue = "W506", Warning, "a condition that can never hold",
"`(distinct ?x ?x)`, `(distinct a a)`, or a condition together with its own negation: the rule never fires.";
    LooseRecursion = "W507", Warning, "a recursion outside the recursion restriction",
"In a recursive rule, an argument of the recursive condition should be ground, or be an argument of the head,
or be bound by a condition outside the recursion. Here it is none of these. No compound term is built in the cycle, so
there are finitely many answers and Grundy can go on; other systems may not.";

    EndlessGame = "W605", Warning, "a game that does not end",
"Found by playing (`grundy check --play N`). Where all reachable states were visited, no sequence of moves leads
from some of them to a terminal state: that is proved. Where random games were played, some had no end after many moves; they might
still end later.";
    MoveNeverLegal = "W606", Warning, "a move that is legal in no state that was visited",
"Found by playing (`grundy check --play N`). The move is possible as far as rules tell without playing, but was never
legal. Where the message says «in all … reachable states», that is proved. Where it says «in … random games», it may only be rare.";
    FactNeverHolds = "W607", Warning, "a fact that holds in no state that was visited",
"Found by playing (`grundy check --play N`). The fact is possible as far as rules tell without playing, but it
never held. Where the message says «in all … reachable states», that is proved. Where it says «in … random games», it may only be
rare.";
    RuleNeverFires = "W608", Warning, "a rule that never fires",
"Found by playing (`grundy check --play N`): in no state that was visited were all conditions of the rule true. Where the message
says «in all … reachable states», the rule can go. Where it says «in … random games», it may only be rare.";
    GivenDiffers = "W609", Warning, "`base` or `input` differ from what is possible",
"Found by `grundy check --play N`: the facts and moves that the sheet declares with `base` and `input` are
not those that its rules can lead to, as grounding computes them. Players that rely on the sheet's own may miss some.";
}

impl Code {
    /// Whether the program that comes with such a finding cannot be used. Some errors are slips of
    /// the author that players have always got by with: the rule in question just never matters.
    pub fn stops(self) -> bool {
        let harmless = matches!(
            self,
            Code::PredicateArity
                | Code::FactArity
                | Code::GoalValue
                | Code::NegationCycle
                | Code::NotARole
                | Code::RecursionRestriction
                | Code::StuckRole
                | Code::NoFinalGoal
                | Code::SeveralGoals
                | Code::GoalNotANumber
        );
        self.severity() != Severity::Warning && !harmless
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// A code that does not exist was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCode(pub String);

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no diagnostic `{}`", self.0)
    }
}

impl std::error::Error for UnknownCode {}

impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Code, UnknownCode> {
        let found = Code::ALL.iter().find(|code| code.id().eq_ignore_ascii_case(text.trim()));
        found.copied().ok_or_else(|| UnknownCode(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_distinct_and_tell_the_severity() {
        for (i, code) in Code::ALL.iter().enumerate() {
            assert_eq!(code.id().parse(), Ok(*code));
            assert!(!Code::ALL[..i].iter().any(|other| other.id() == code.id()), "{code} twice");
            let letter = match code.severity() {
                Severity::Error => 'E',
                Severity::Limit => 'L',
                Severity::Warning => 'W',
            };
            assert!(code.id().starts_with(letter));
        }
    }
}
