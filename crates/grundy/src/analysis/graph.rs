//! Strongly connected components.

/// A directed graph over the numbers below its size.
pub(crate) struct Graph {
    edges: Vec<Vec<usize>>,
}

impl Graph {
    pub(crate) fn new(size: usize) -> Graph {
        Graph { edges: vec![Vec::new(); size] }
    }

    pub(crate) fn add_edge(&mut self, from: usize, to: usize) {
        self.edges[from].push(to);
    }

    /// The components, each behind all that it has edges to. Kosaraju's algorithm: a depth-first
    /// search against the edges, in reverse order of finishing a search along them.
    pub(crate) fn components(&self) -> Vec<Vec<usize>> {
        let mut reversed = Graph::new(self.edges.len());
        for (from, targets) in self.edges.iter().enumerate() {
            targets.iter().for_each(|&to| reversed.add_edge(to, from));
        }
        let mut seen = vec![false; self.edges.len()];
        let mut finished = Vec::new();
        (0..self.edges.len()).for_each(|start| reversed.search(start, &mut seen, &mut finished));
        let mut seen = vec![false; self.edges.len()];
        let mut components = Vec::new();
        for &start in finished.iter().rev() {
            let mut component = Vec::new();
            self.search(start, &mut seen, &mut component);
            if !component.is_empty() {
                component.sort_unstable();
                components.push(component);
            }
        }
        components
    }

    /// Appends what can be reached from a node and was not seen yet, in order of finishing.
    fn search(&self, start: usize, seen: &mut [bool], finished: &mut Vec<usize>) {
        if std::mem::replace(&mut seen[start], true) {
            return;
        }
        let mut path = vec![(start, 0)];
        while let Some((node, next)) = path.last_mut() {
            match self.edges[*node].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        path.push((to, 0));
                    }
                }
                None => {
                    finished.push(*node);
                    path.pop();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_stand_behind_what_they_need() {
        let mut graph = Graph::new(5);
        for (from, to) in [(0, 1), (1, 2), (2, 1), (3, 0), (2, 4)] {
            graph.add_edge(from, to);
        }
        assert_eq!(graph.components(), [vec![4], vec![1, 2], vec![0], vec![3]]);
    }
}
