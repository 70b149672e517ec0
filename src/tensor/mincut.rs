//! The least weight of nodes that separates a source from a sink.

use std::collections::VecDeque;

/// A graph of nodes with weights. Edges cannot be cut.
#[derive(Debug, Default)]
pub(crate) struct Cut {
    /// For each edge where it leads and how much may still flow; an edge and the one back are neighbours.
    edges: Vec<(usize, u64)>,
    from: Vec<Vec<usize>>,
}

const SOURCE: usize = 0;
const SINK: usize = 1;

impl Cut {
    /// A graph of nodes with these weights.
    pub(crate) fn new(weights: &[u64]) -> Cut {
        let mut cut = Cut { edges: Vec::new(), from: vec![Vec::new(); 2 + 2 * weights.len()] };
        for (node, &weight) in weights.iter().enumerate() {
            cut.flow(2 + 2 * node, 3 + 2 * node, weight);
        }
        cut
    }

    fn flow(&mut self, from: usize, to: usize, most: u64) {
        self.from[from].push(self.edges.len());
        self.edges.push((to, most));
        self.from[to].push(self.edges.len());
        self.edges.push((from, 0));
    }

    /// An edge from one node to another.
    pub(crate) fn edge(&mut self, from: usize, to: usize) {
        self.flow(3 + 2 * from, 2 + 2 * to, u64::MAX / 4);
    }

    /// An edge from the source to a node.
    pub(crate) fn source(&mut self, to: usize) {
        self.flow(SOURCE, 2 + 2 * to, u64::MAX / 4);
    }

    /// An edge from a node to the sink.
    pub(crate) fn sink(&mut self, from: usize) {
        self.flow(3 + 2 * from, SINK, u64::MAX / 4);
    }

    /// The nodes of a cut of the least weight, those nearest to the source.
    pub(crate) fn nodes(mut self) -> Vec<bool> {
        loop {
            let reached = self.reached();
            if reached[SINK].is_none() {
                let nodes = (self.from.len() - 2) / 2;
                return (0..nodes)
                    .map(|n| reached[2 + 2 * n].is_some() && reached[3 + 2 * n].is_none())
                    .collect();
            }
            let mut path = Vec::new();
            let mut at = SINK;
            while let Some(edge) = reached[at].filter(|_| at != SOURCE) {
                path.push(edge);
                at = self.edges[edge ^ 1].0;
            }
            let more = path.iter().map(|&edge| self.edges[edge].1).min().unwrap_or(0);
            for edge in path {
                self.edges[edge].1 -= more;
                self.edges[edge ^ 1].1 += more;
            }
        }
    }

    /// For each node that more can flow to from the source the edge that leads there.
    fn reached(&self) -> Vec<Option<usize>> {
        let mut reached = vec![None; self.from.len()];
        reached[SOURCE] = Some(usize::MAX);
        let mut open = VecDeque::from([SOURCE]);
        while let Some(at) = open.pop_front() {
            for &edge in &self.from[at] {
                let (to, most) = self.edges[edge];
                if most > 0 && reached[to].is_none() {
                    reached[to] = Some(edge);
                    open.push_back(to);
                }
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::Cut;

    #[test]
    fn the_lightest_nodes_are_cut() {
        // Two ways from the source to the sink that meet in node 2.
        let chain = |weights: &[u64]| {
            let mut cut = Cut::new(weights);
            cut.source(0);
            cut.source(1);
            cut.edge(0, 2);
            cut.edge(1, 2);
            cut.edge(2, 3);
            cut.sink(3);
            cut.nodes()
        };
        assert_eq!(chain(&[4, 4, 9, 10]), [true, true, false, false]);
        assert_eq!(chain(&[4, 4, 7, 10]), [false, false, true, false]);
        assert_eq!(chain(&[4, 4, 7, 6]), [false, false, false, true]);
        assert_eq!(Cut::new(&[1]).nodes(), [false]);
    }
}
