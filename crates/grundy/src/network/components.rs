//! Strongly connected components of large graphs, by Tarjan's algorithm without recursion.

use grundy_syntax::{Budget, Exhausted, Ticks};

/// The components of a graph over the numbers below `starts.len() - 1`, each behind all that it has edges to.
/// The edges of `n` are `targets[starts[n]..starts[n + 1]]`.
pub(crate) fn components(
    starts: &[u32],
    targets: &[u32],
    budget: &Budget,
) -> Result<Vec<Vec<u32>>, Exhausted> {
    let size = starts.len() - 1;
    let mut search = Search {
        starts,
        targets,
        index: vec![0; size],
        low: vec![0; size],
        open: Vec::new(),
        counter: 0,
        found: Vec::new(),
    };
    let mut ticks = Ticks::default();
    for root in 0..size as u32 {
        if search.index[root as usize] == 0 {
            search.run(root, budget, &mut ticks)?;
        }
    }
    Ok(search.found)
}

/// The work for an edge or a node, as [`Ticks`] count it.
const WORK: usize = 2;

/// The index of a node whose component is complete.
const DONE: u32 = u32::MAX;

struct Search<'a> {
    starts: &'a [u32],
    targets: &'a [u32],
    /// The order of discovery, from 1 on; 0 if not seen.
    index: Vec<u32>,
    low: Vec<u32>,
    /// Nodes whose component is not complete.
    open: Vec<u32>,
    counter: u32,
    found: Vec<Vec<u32>>,
}

impl Search<'_> {
    fn run(&mut self, root: u32, budget: &Budget, ticks: &mut Ticks) -> Result<(), Exhausted> {
        let mut path = vec![(root, self.enter(root))];
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            ticks.work(budget, WORK)?;
            if *next < self.starts[node as usize + 1] {
                let target = self.targets[*next as usize];
                *next += 1;
                match self.index[target as usize] {
                    0 => path.push((target, self.enter(target))),
                    DONE => {}
                    index => self.low[node as usize] = self.low[node as usize].min(index),
                }
            } else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent as usize] = self.low[parent as usize].min(self.low[node as usize]);
                }
                if self.low[node as usize] == self.index[node as usize] {
                    self.close(node);
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, node: u32) -> u32 {
        self.counter += 1;
        self.index[node as usize] = self.counter;
        self.low[node as usize] = self.counter;
        self.open.push(node);
        self.starts[node as usize]
    }

    fn close(&mut self, node: u32) {
        let at = self.open.iter().rposition(|&open| open == node).expect("the node is open");
        let mut members = self.open.split_off(at);
        members.iter().for_each(|&member| self.index[member as usize] = DONE);
        members.sort_unstable();
        self.found.push(members);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_stand_behind_what_they_need() {
        // 0 → 1, 1 ⇄ 2, 3 → 0, 2 → 4
        let found = components(&[0, 1, 2, 4, 5, 5], &[1, 2, 1, 4, 0], &Budget::default());
        assert_eq!(found, Ok(vec![vec![4], vec![1, 2], vec![0], vec![3]]));
    }
}
