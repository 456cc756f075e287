//! Strongly connected components.

use crate::ids::{Csr, Id, IdVec, ids, narrow};
use grundy_syntax::{Budget, Exhausted, Ticks};

/// A directed graph in the making.
pub(crate) struct Graph<N> {
    nodes: usize,
    edges: Vec<(N, N)>,
}

impl<N: Id> Graph<N> {
    /// A graph without edges.
    pub(crate) fn new(nodes: usize) -> Graph<N> {
        Graph { nodes, edges: Vec::new() }
    }

    pub(crate) fn add_edge(&mut self, from: N, to: N) {
        self.edges.push((from, to));
    }

    /// The components, each behind all that it has edges to.
    pub(crate) fn components(&self) -> Vec<Vec<N>> {
        let edges = Csr::grouped(self.nodes, self.edges.iter().copied());
        components(&edges, &Budget::default()).expect("a default budget has no limits")
    }
}

/// The components of a graph, each behind all that it has edges to, their members in order. Tarjan's algorithm with a stack
/// of its own, since graphs can be as deep as they are large.
pub(crate) fn components<N: Id>(edges: &Csr<N, N>, budget: &Budget) -> Result<Vec<Vec<N>>, Exhausted> {
    let mut search = Search {
        edges,
        index: IdVec::filled(0, edges.len()),
        low: IdVec::filled(0, edges.len()),
        open: Vec::new(),
        counter: 0,
        found: Vec::new(),
    };
    let mut ticks = Ticks::default();
    for root in ids(edges.len()) {
        if search.index[root] == 0 {
            search.run(root, budget, &mut ticks)?;
        }
    }
    Ok(search.found)
}

/// The number of the component of each node.
pub(crate) fn component_of<N: Id>(components: &[Vec<N>], nodes: usize) -> IdVec<N, u32> {
    let mut of = IdVec::filled(0, nodes);
    for (number, members) in components.iter().enumerate() {
        members.iter().for_each(|&member| of[member] = narrow(number));
    }
    of
}

/// The work for an edge or a node, as [`Ticks`] count it.
const WORK: usize = 2;

/// The index of a node whose component is complete.
const DONE: u32 = u32::MAX;

struct Search<'a, N> {
    edges: &'a Csr<N, N>,
    /// The order of discovery, from 1 on; 0 if not seen.
    index: IdVec<N, u32>,
    low: IdVec<N, u32>,
    /// Nodes whose component is not complete.
    open: Vec<N>,
    counter: u32,
    found: Vec<Vec<N>>,
}

impl<N: Id> Search<'_, N> {
    fn run(&mut self, root: N, budget: &Budget, ticks: &mut Ticks) -> Result<(), Exhausted> {
        self.enter(root);
        let mut path = vec![(root, 0)];
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            ticks.work(budget, WORK)?;
            if let Some(&target) = self.edges[node].get(*next) {
                *next += 1;
                match self.index[target] {
                    0 => {
                        self.enter(target);
                        path.push((target, 0));
                    }
                    DONE => {}
                    index => self.low[node] = self.low[node].min(index),
                }
            } else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
                if self.low[node] == self.index[node] {
                    self.close(node);
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, node: N) {
        self.counter += 1;
        self.index[node] = self.counter;
        self.low[node] = self.counter;
        self.open.push(node);
    }

    fn close(&mut self, node: N) {
        let at = self.open.iter().rposition(|&open| open == node).expect("the node is open");
        let mut members = self.open.split_off(at);
        members.iter().for_each(|&member| self.index[member] = DONE);
        members.sort_unstable();
        self.found.push(members);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_stand_behind_what_they_need() {
        let mut graph: Graph<u32> = Graph::new(5);
        for (from, to) in [(0, 1), (1, 2), (2, 1), (3, 0), (2, 4)] {
            graph.add_edge(from, to);
        }
        let found = graph.components();
        assert_eq!(found, [vec![4], vec![1, 2], vec![0], vec![3]]);
        assert_eq!(component_of(&found, 5).as_slice(), [2, 1, 1, 3, 0]);
    }
}
