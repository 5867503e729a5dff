//! Things by the node they belong to.

/// Numbers of things by the node they belong to. One pass makes the table, so that a loop over all nodes need not
/// search all edges for each of them.
///
/// ```
/// use livetime_engine::ByNode;
///
/// // Four edges: to node 1, to node 0, out of the graph, to node 1.
/// let edges = ByNode::new(2, [Some(1), Some(0), None, Some(1)].into_iter());
/// assert_eq!(edges.of(1).collect::<Vec<_>>(), [0, 3]);
/// assert_eq!(edges.of(7).count(), 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ByNode {
    /// The index in `numbers` at which the things of each node begin; the last entry is the length of `numbers`.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl ByNode {
    /// `owners` gives, in the order of the things, the number of the node that each one belongs to. A thing without a
    /// node (`None`, or a number that no node has) is left out.
    pub fn new(nodes: usize, owners: impl Iterator<Item = Option<usize>> + Clone) -> ByNode {
        let owned = || {
            let numbered = owners.clone().enumerate();
            numbered.filter_map(|(number, owner)| Some((number, owner.filter(|node| *node < nodes)?)))
        };
        // A counting sort: it keeps the order of the things, and needs no list for each node.
        let mut starts = vec![0_u32; nodes + 1];
        owned().for_each(|(_, node)| starts[node + 1] += 1);
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut numbers = vec![0; starts[nodes] as usize];
        for (number, node) in owned() {
            let place = &mut free[node];
            numbers[*place as usize] = number as u32;
            *place += 1;
        }
        ByNode { starts, numbers }
    }

    /// The numbers of the things of node number `node`, in their order.
    pub fn of(&self, node: usize) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        let range = match (self.starts.get(node), self.starts.get(node + 1)) {
            (Some(from), Some(to)) => *from as usize..*to as usize,
            _ => 0..0,
        };
        self.numbers[range].iter().map(|number| *number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_found_by_their_node_in_their_order() {
        let by_node =
            ByNode::new(3, [Some(2), Some(0), Some(2), None, Some(1), Some(9), Some(2)].into_iter());
        let found = [0, 1, 2, 3].map(|node| by_node.of(node).collect::<Vec<_>>());
        assert_eq!(found, [vec![1], vec![4], vec![0, 2, 6], vec![]]);
        assert_eq!(ByNode::new(0, std::iter::empty()).of(0).len(), 0);
        assert_eq!(ByNode::default().of(0).len(), 0);
    }
}
