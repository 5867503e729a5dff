//! The accounts of all edges of a run: each existing edge, and sums of the ended edges.
//!
//! An edge that existed from the start keeps an account of its own. Edges that are added and removed during
//! the run are summed by sending output, receiver and policy; the policy belongs to the key because it
//! decides which losses are intended. The list is therefore only as long as there are such combinations,
//! however often they are connected.

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};

use livetime_runtime::{EdgeCounts, Times, WhenFull};

use super::EdgeAccount;
use crate::edge::{Edge, OUTLET};
use crate::graph::Graph;

/// Shared by the run, the threads of its nodes, and its outlets.
pub(crate) type SharedBooks = Arc<Mutex<Books>>;

#[derive(Default)]
pub(crate) struct Books {
    accounts: Vec<Account>,
}

/// Everything that went from one output to one receiver by edges of one policy.
struct Account {
    from: (usize, usize),
    to: (usize, usize),
    when_full: WhenFull,
    /// The sum of all ended edges.
    ended: EdgeCounts,
    waited: Times,
    /// Edges that exist, or that are still held.
    edges: Vec<Arc<Edge>>,
    /// This many edges, from the first, belong to the declared graph: they stay, with their capacity, after the end of
    /// the run.
    given: usize,
}

impl Books {
    /// For the edges with which a run begins, each with an account of its own, in their order.
    pub(crate) fn new(edges: Vec<Arc<Edge>>) -> Books {
        Books { accounts: edges.into_iter().map(|edge| Account::new(edge, 1)).collect() }
    }

    /// Adds an edge that is made later.
    pub(crate) fn add(&mut self, edge: Arc<Edge>) {
        // Ended edges are summed first, so that the list of an account stays short however often an edge is made.
        self.settle();
        let is_like =
            |a: &&mut Account| (a.from, a.to, a.when_full) == (edge.from, edge.to, edge.options.when_full);
        match self.accounts.iter_mut().find(is_like) {
            Some(account) => account.edges.push(edge),
            None => self.accounts.push(Account::new(edge, 0)),
        }
    }

    /// Takes back an edge that could not be connected: no frame has come to it.
    pub(crate) fn forget(&mut self, edge: &Arc<Edge>) {
        let Some(number) =
            self.accounts.iter().position(|a| a.edges.iter().any(|known| Arc::ptr_eq(known, edge)))
        else {
            return;
        };
        let account = &mut self.accounts[number];
        account.edges.retain(|known| !Arc::ptr_eq(known, edge));
        // The account stays if earlier edges have left counts in it.
        if account.edges.is_empty() && account.ended == EdgeCounts::default() {
            self.accounts.remove(number);
        }
    }

    /// Adds edges that are no longer held to the sums, because their counts cannot change any more.
    pub(crate) fn settle(&mut self) {
        self.accounts.iter_mut().for_each(Account::settle);
    }

    /// Closes the accounts at the end of the run. Frames that a sender put while its receiver was ending are lost,
    /// unless a thread is left behind that may still come back to them. Outlets can still be read.
    pub(crate) fn end(&self, have_all_ended: bool) {
        for edge in self.edges() {
            match edge.reader() {
                // The program may still read the frames in its outlet.
                Some(_) => edge.end(),
                None if have_all_ended => edge.discard(&mut 0),
                // A thread that was left behind may still take frames.
                None => {}
            }
        }
    }

    /// All edges that are there.
    pub(crate) fn edges(&self) -> impl Iterator<Item = &Arc<Edge>> {
        self.accounts.iter().flat_map(|account| &account.edges)
    }

    /// How many of these frames the edges on the way to `node` have left out on purpose. A number that several of them
    /// have left out counts for each.
    pub(crate) fn left_out(&self, node: usize, numbers: &RangeInclusive<u64>) -> u64 {
        let (mut nodes, mut count, mut next) = (vec![node], 0, 0);
        while let Some(&to) = nodes.get(next) {
            next += 1;
            for edge in self.edges().filter(|edge| edge.to.0 == to) {
                count += edge.left_out.count(numbers);
                if !nodes.contains(&edge.from.0) {
                    nodes.push(edge.from.0);
                }
            }
        }
        count
    }

    /// The current accounts.
    pub(crate) fn accounts(&mut self, graph: &Graph) -> Vec<EdgeAccount> {
        self.settle();
        self.accounts.iter().map(|account| account.read(graph)).collect()
    }

    /// The current counts, without times and without a change to the books.
    pub(crate) fn counts(&self, graph: &Graph) -> Vec<EdgeAccount> {
        self.accounts.iter().map(|account| account.counts(graph)).collect()
    }
}

impl Account {
    fn new(edge: Arc<Edge>, given: usize) -> Account {
        Account {
            from: edge.from,
            to: edge.to,
            when_full: edge.options.when_full,
            ended: EdgeCounts::default(),
            waited: Times::default(),
            edges: vec![edge],
            given,
        }
    }

    fn settle(&mut self) {
        // From the end, because `swap_remove` moves the last edge into the gap.
        for number in (self.given..self.edges.len()).rev() {
            // The edge is still in the graph, or belongs to an outlet.
            if Arc::strong_count(&self.edges[number]) > 1 {
                continue;
            }
            // Only the books hold the edge now, so that no thread can change its counts between reading and closing.
            match Arc::try_unwrap(self.edges.swap_remove(number)) {
                Ok(edge) => self.close(&edge),
                Err(edge) => self.edges.push(edge),
            }
        }
    }

    fn close(&mut self, edge: &Edge) {
        // Frames that a sender put while its receiver was ending.
        edge.discard(&mut 0);
        self.ended.add(&edge.counts());
        self.waited.merge(&edge.waiting());
    }

    fn read(&self, graph: &Graph) -> EdgeAccount {
        let mut waiting = self.waited.clone();
        self.edges.iter().for_each(|edge| waiting.merge(&edge.waiting()));
        EdgeAccount { waiting, ..self.counts(graph) }
    }

    fn counts(&self, graph: &Graph) -> EdgeAccount {
        let mut counts = self.ended;
        self.edges.iter().for_each(|edge| counts.add(&edge.counts()));
        let sender = &graph.nodes[self.from.0];
        EdgeAccount {
            from: format!("{}.{}", sender.name, sender.node_type.spec.outputs[self.from.1].name),
            to: receiver_name(graph, self.to),
            nodes: (self.from.0, Some(self.to.0).filter(|node| *node != OUTLET)),
            when_full: self.when_full,
            offered: counts.offered,
            delivered: counts.delivered,
            queued: counts.queued,
            capacity: self.edges.iter().filter(|e| !e.is_detached()).map(|e| e.capacity()).sum(),
            lost: counts.losses(),
            waiting: Times::default(),
        }
    }
}

fn receiver_name(graph: &Graph, to: (usize, usize)) -> String {
    match graph.nodes.get(to.0) {
        Some(node) => format!("{}.{}", node.name, node.node_type.spec.inputs[to.1].name),
        // No node can have this name.
        None => "(outlet)".into(),
    }
}
