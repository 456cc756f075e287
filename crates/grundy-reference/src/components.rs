//! Components of mutually dependent predicates, in an order in which each depends on earlier ones.

use grundy_syntax::{PredicateId, Program};

/// Tarjan's algorithm over «head depends on condition», negative conditions included.
///
/// The result lists every predicate once; a component stands behind all that it depends on.
pub(crate) fn components(program: &Program) -> Vec<Vec<PredicateId>> {
    let count = program.predicate_count();
    let mut depends_on: Vec<Vec<usize>> = vec![Vec::new(); count];
    for rule in &program.rules {
        let conditions = rule.literals().filter_map(|literal| literal.atom());
        depends_on[rule.head.predicate.index()].extend(conditions.map(|atom| atom.predicate.index()));
    }
    let mut search = Search {
        depends_on,
        order: vec![None; count],
        low: vec![0; count],
        on_stack: vec![false; count],
        stack: Vec::new(),
        found: Vec::new(),
        visited: 0,
    };
    (0..count).for_each(|predicate| search.start(predicate));
    search.found
}

struct Search {
    depends_on: Vec<Vec<usize>>,
    order: Vec<Option<usize>>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    found: Vec<Vec<PredicateId>>,
    visited: usize,
}

impl Search {
    /// Depth-first search with a stack of its own: chains of predicates may be long.
    fn start(&mut self, root: usize) {
        if self.order[root].is_some() {
            return;
        }
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, next_edge)) = path.last_mut() {
            let node = *node;
            if let Some(&to) = self.depends_on[node].get(*next_edge) {
                *next_edge += 1;
                match self.order[to] {
                    None => {
                        self.enter(to);
                        path.push((to, 0));
                    }
                    Some(order) if self.on_stack[to] => self.low[node] = self.low[node].min(order),
                    Some(_) => {}
                }
            } else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
                self.leave(node);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = Some(self.visited);
        self.low[node] = self.visited;
        self.visited += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    /// Closes a component if `node` is its root.
    fn leave(&mut self, node: usize) {
        if Some(self.low[node]) != self.order[node] {
            return;
        }
        let start = self.stack.iter().rposition(|&other| other == node).expect("the root is on the stack");
        let members = self.stack.split_off(start);
        members.iter().for_each(|&member| self.on_stack[member] = false);
        self.found.push(members.into_iter().map(PredicateId::new).collect());
    }
}
