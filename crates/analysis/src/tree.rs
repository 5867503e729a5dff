//! The fixed binary tree in which partial results of leaves are merged.
//!
//! A node of level k has the leaves from i 2^k to (i + 1) 2^k, as far as there are leaves. Its result is merged from
//! the two nodes below it: the one of the earlier leaves takes in the other. A node without a neighbour moves up
//! unchanged. So the order of merging depends on the number of leaves only, and not on the worker, time or place of a
//! result.

use std::collections::BTreeMap;
use std::ops::Range;

/// A place in the tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Node {
    pub(crate) level: u32,
    pub(crate) index: usize,
}

impl Node {
    pub(crate) fn leaf(index: usize) -> Node {
        Node { level: 0, index }
    }

    fn parent(self) -> Node {
        Node { level: self.level + 1, index: self.index / 2 }
    }

    fn neighbour(self) -> Node {
        Node { index: self.index ^ 1, ..self }
    }
}

/// Partial results that wait for their neighbours.
#[derive(Debug)]
pub(crate) struct Forest<P> {
    leaves: usize,
    waiting: BTreeMap<Node, P>,
}

/// A node that can be made: of `left`, which takes in `right` if there is one.
pub(crate) struct Pair<P> {
    pub(crate) node: Node,
    pub(crate) left: P,
    pub(crate) right: Option<P>,
}

impl<P> Forest<P> {
    /// An empty tree for `leaves` leaves.
    pub(crate) fn new(leaves: usize) -> Forest<P> {
        Forest { leaves, waiting: BTreeMap::new() }
    }

    /// Puts a partial result in its place, where it waits, or returns the pair that it makes with its neighbour. The worker that gets a pair merges it
    /// and puts the result in.
    pub(crate) fn put(&mut self, node: Node, partial: P) -> Option<Pair<P>> {
        let width = width(self.leaves, node.level);
        if width <= 1 {
            // The last node keeps its result: the analysis is complete.
            self.waiting.insert(node, partial);
            return None;
        }
        let parent = node.parent();
        // A node without a neighbour goes up unchanged, so that the tree is the same for any number of leaves.
        if node.neighbour().index >= width {
            return Some(Pair { node: parent, left: partial, right: None });
        }
        match self.waiting.remove(&node.neighbour()) {
            None => {
                self.waiting.insert(node, partial);
                None
            }
            // The left one takes in the right one, whichever came later.
            Some(other) if node.index.is_multiple_of(2) => {
                Some(Pair { node: parent, left: partial, right: Some(other) })
            }
            Some(other) => Some(Pair { node: parent, left: other, right: Some(partial) }),
        }
    }

    /// The waiting results, in the order of nodes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Node, &P)> {
        self.waiting.iter()
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = (Node, P)> {
        self.waiting.into_iter()
    }
}

/// The nodes that hold partial results of these leaves until they can be merged.
pub(crate) fn nodes_of(ranges: &[Range<usize>], leaves: usize) -> Vec<Node> {
    let mut forest = Forest::new(leaves);
    for leaf in ranges.iter().flat_map(Clone::clone) {
        let mut node = Node::leaf(leaf);
        while let Some(pair) = forest.put(node, ()) {
            node = pair.node;
        }
    }
    forest.into_iter().map(|(node, ())| node).collect()
}

/// How many nodes a level has.
fn width(leaves: usize, level: u32) -> usize {
    1usize.checked_shl(level).map_or(1, |span| leaves.div_ceil(span))
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of ranges, some of which have one")]
mod tests {
    use super::*;

    /// Merges leaves that come in this order; a partial result is the way in which it was merged.
    fn merged(leaves: usize, order: &[usize]) -> String {
        let mut forest = Forest::new(leaves);
        for leaf in order {
            let (mut node, mut text) = (Node::leaf(*leaf), leaf.to_string());
            while let Some(pair) = forest.put(node, text) {
                node = pair.node;
                text = pair.right.map_or(pair.left.clone(), |right| format!("({} {right})", pair.left));
            }
        }
        let all: Vec<String> = forest.into_iter().map(|(_, text)| text).collect();
        assert_eq!(all.len(), 1);
        all.concat()
    }

    #[test]
    fn every_order_makes_the_same_tree() {
        assert_eq!(merged(1, &[0]), "0");
        assert_eq!(merged(3, &[0, 1, 2]), "((0 1) 2)");
        assert_eq!(merged(6, &[5, 0, 3, 1, 4, 2]), "(((0 1) (2 3)) (4 5))");
        for leaves in 2..40 {
            let forwards: Vec<usize> = (0..leaves).collect();
            let backwards: Vec<usize> = (0..leaves).rev().collect();
            // 41 has no divisor in common with any of them.
            let mixed: Vec<usize> = (0..leaves).map(|i| i * 41 % leaves).collect();
            assert_eq!(merged(leaves, &forwards), merged(leaves, &backwards));
            assert_eq!(merged(leaves, &forwards), merged(leaves, &mixed));
        }
    }

    #[test]
    fn some_leaves_wait_in_few_nodes() {
        let node = |level, index| Node { level, index };
        assert_eq!(nodes_of(&[0..8], 8), [node(3, 0)]);
        assert_eq!(nodes_of(&[1..4], 8), [node(0, 1), node(1, 1)]);
        // The last node of a level that has no neighbour is one of the next level too.
        assert_eq!(nodes_of(&[4..5], 5), [node(2, 1)]);
        assert_eq!(nodes_of(&[0..1000], 1001).len(), 6);
        assert_eq!(nodes_of(&[], 5), []);
    }
}
