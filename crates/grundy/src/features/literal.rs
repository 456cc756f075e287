//! [`InputLiteral`]: an input of the and-table, or its negation.

use super::FactId;

grundy_syntax::define_id! {
    /// An input of the and-table in the upper bits, and in the lowest bit whether it is negated. The inputs are the facts
    /// and, after them, the auxiliary inputs of flat tables.
    pub(super) struct InputLiteral(u32);
}

impl InputLiteral {
    /// The literal of a fact.
    pub(super) fn of_fact(fact: FactId, positive: bool) -> InputLiteral {
        InputLiteral::of_input(fact.0, positive)
    }

    /// The literal of an input, by its number among facts and auxiliary inputs.
    pub(super) fn of_input(input: u32, positive: bool) -> InputLiteral {
        InputLiteral(input << 1 | u32::from(!positive))
    }

    /// The number of the input among facts and auxiliary inputs.
    pub(super) fn input(self) -> u32 {
        self.0 >> 1
    }

    pub(super) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn negated(self) -> InputLiteral {
        InputLiteral(self.0 ^ 1)
    }

    /// How many literals there are over a number of inputs.
    pub(super) fn count(inputs: usize) -> usize {
        2 * inputs
    }
}
