//! The text of a game, with variations that change nothing.

use super::Generator;

impl Generator<'_> {
    /// The sheet. Rules stand in any order; keywords may be in upper case, and lone names in parentheses.
    pub(super) fn print(mut self) -> String {
        let mut statements = std::mem::take(&mut self.statements);
        if self.one_in(2) {
            for number in (self.roles.len() + 1..statements.len()).rev() {
                let other = self.roles.len() + self.pick(number + 1 - self.roles.len());
                statements.swap(number, other);
            }
        }
        let mut text = statements.join("\n") + "\n";
        if self.one_in(8) {
            text = self.in_upper_case(&text);
        }
        if self.one_in(8) {
            text = text.replace(" terminal)", " (terminal))").replace("(<= terminal ", "(<= (terminal) ");
            text = text.replace(" noop)", " (noop))").replace(" b)", " (b))");
        }
        text
    }

    pub(super) fn in_upper_case(&mut self, text: &str) -> String {
        const KEYWORDS: [&str; 11] =
            ["role", "init", "true", "next", "legal", "does", "not", "or", "distinct", "goal", "terminal"];
        let keyword = self.any(&KEYWORDS);
        let is_all = self.one_in(2);
        let words = text.split_inclusive(|c: char| c.is_whitespace() || c == '(' || c == ')');
        words
            .map(|word| {
                let name = word.trim_end_matches(|c: char| c.is_whitespace() || c == '(' || c == ')');
                let is_keyword = name == keyword || (is_all && KEYWORDS.contains(&name));
                if is_keyword { word.to_uppercase() } else { word.to_owned() }
            })
            .collect()
    }
}
