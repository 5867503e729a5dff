//! The losses of a run: the one place where losses are listed and summed. Faces show the numbers of this module and count nothing
//! themselves.

use std::collections::BTreeMap;

use jiff::Timestamp;
use livetime_engine::{EdgeAccount, LossReason, Report};

/// Where frames were lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// On an edge, by its place in the report.
    Edge(usize),
    /// On a cut, by its place in the report.
    Cut(usize),
    /// In a node, by its number: frames that a source never sent, and frames that a handler lost.
    Node(usize),
}

impl Place {
    /// The place of the edge in the report, if it is one.
    pub fn edge(self) -> Option<usize> {
        match self {
            Place::Edge(edge) => Some(edge),
            Place::Cut(_) | Place::Node(_) => None,
        }
    }
}

/// The losses of one place for one reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loss {
    /// Where.
    pub place: Place,
    /// Why.
    pub reason: LossReason,
    /// Whether the pipeline, or a person, asked for it.
    pub is_intended: bool,
    /// Frames, or parts of frames for [`LossReason::Late`].
    pub count: u64,
}

impl Loss {
    /// The node that did not get these frames, or in which they were lost; `None` on an edge to the program itself.
    pub fn node(&self, report: &Report) -> Option<usize> {
        // An edge to a node outside the run has no node here.
        match self.place {
            Place::Edge(edge) => report.edges.get(edge)?.nodes.1,
            Place::Cut(cut) => {
                let cut = report.cuts.get(cut)?;
                report.nodes.iter().position(|node| node.name == cut.node)
            }
            Place::Node(node) => Some(node),
        }
    }

    /// `queue full on cam.out -> stats.in`, `source gap in apa`, `unknown in far since 2026-11-28T11:00:01.250Z`.
    pub fn describe(&self, report: &Report) -> String {
        let reason = self.reason.name().replace('_', " ");
        match self.place {
            Place::Edge(edge) => {
                let names = report.edges.get(edge).map(|e| format!("{} -> {}", e.from, e.to));
                format!("{reason} on {}", names.unwrap_or_default())
            }
            Place::Cut(cut) => {
                let name = report.cuts.get(cut).map_or("", |cut| &cut.cut);
                format!("{reason} on the link {name}")
            }
            Place::Node(node) => {
                let Some(node) = report.nodes.get(node) else { return reason };
                let since = node.unknown_since_ns.filter(|_| self.reason == LossReason::Unknown);
                let since = since.map(|since| format!(" since {}", utc(since))).unwrap_or_default();
                format!("{reason} in {}{since}", node.name)
            }
        }
    }
}

/// A time of day in ns since 1970, in UTC.
pub fn utc(ns: i64) -> String {
    Timestamp::from_nanosecond(ns.into()).map(|time| format!("{time:.3}")).unwrap_or_default()
}

/// Every loss that there was, those on edges first.
pub fn all(report: &Report) -> impl Iterator<Item = Loss> {
    let on_edges = report.edges.iter().enumerate().flat_map(|(edge, account)| {
        account.lost.iter().map(move |(reason, count)| Loss {
            place: Place::Edge(edge),
            reason: *reason,
            // The policy of an edge decides whether an overwritten frame was intended.
            is_intended: account.is_intended(*reason),
            count: *count,
        })
    });
    let in_nodes = report.nodes.iter().enumerate().flat_map(|(node, counts)| {
        counts.lost.iter().map(move |(reason, count)| Loss {
            place: Place::Node(node),
            reason: *reason,
            is_intended: reason.is_intended(),
            count: *count,
        })
    });
    let on_cuts = report.cuts.iter().enumerate().flat_map(|(cut, account)| {
        let loss = move |(reason, count): (&LossReason, &u64)| Loss {
            place: Place::Cut(cut),
            reason: *reason,
            is_intended: false,
            count: *count,
        };
        account.lost.iter().map(loss)
    });
    // Counts of 0 would fill the tables of every face.
    on_edges.chain(in_nodes).chain(on_cuts).filter(|loss| loss.count > 0)
}

/// The accounts of a run, summed. On edges offered = delivered + queued + lost; losses in nodes are beside that, and in both sums of
/// losses here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sums {
    /// Frames offered to edges.
    pub offered: u64,
    /// Frames that edges handed on.
    pub delivered: u64,
    /// Frames that wait in edges.
    pub queued: u64,
    /// Unintended losses, on edges and in nodes.
    pub unintended: u64,
    /// Intended ones.
    pub intended: u64,
}

impl Sums {
    /// Of all edges and nodes.
    pub fn of(report: &Report) -> Sums {
        let edges = |of: fn(&EdgeAccount) -> u64| report.edges.iter().map(of).sum();
        let (unintended, intended) = all(report).fold((0, 0), |(no, yes), loss| match loss.is_intended {
            true => (no, yes + loss.count),
            false => (no + loss.count, yes),
        });
        let (offered, delivered) = (edges(|edge| edge.offered), edges(|edge| edge.delivered));
        Sums { offered, delivered, queued: edges(|edge| edge.queued), unintended, intended }
    }
}

/// Lost frames by reason; the flag says whether the loss is intended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Losses(BTreeMap<(LossReason, bool), u64>);

impl FromIterator<Loss> for Losses {
    fn from_iter<T: IntoIterator<Item = Loss>>(losses: T) -> Losses {
        let mut found = Losses::default();
        losses.into_iter().for_each(|loss| found.add(&loss));
        found
    }
}

impl Losses {
    /// Of each edge of a report, in their order.
    pub fn of_edges(report: &Report) -> Vec<Losses> {
        let mut edges = vec![Losses::default(); report.edges.len()];
        for loss in all(report) {
            if let Place::Edge(edge) = loss.place {
                edges[edge].add(&loss);
            }
        }
        edges
    }

    /// Of each node of a report, in their order: on the way to it, and in it.
    pub fn of_nodes(report: &Report) -> Vec<Losses> {
        let mut nodes = vec![Losses::default(); report.nodes.len()];
        for loss in all(report) {
            if let Some(found) = loss.node(report).and_then(|node| nodes.get_mut(node)) {
                found.add(&loss);
            }
        }
        nodes
    }

    fn add(&mut self, loss: &Loss) {
        *self.0.entry((loss.reason, loss.is_intended)).or_default() += loss.count;
    }

    /// Unintentional losses.
    pub fn unintended(&self) -> u64 {
        self.sum(false)
    }

    /// Intended ones.
    pub fn intended(&self) -> u64 {
        self.sum(true)
    }

    fn sum(&self, wanted: bool) -> u64 {
        self.0.iter().filter(|((_, intended), _)| *intended == wanted).map(|(_, n)| n).sum()
    }

    /// `12 queue_full (3 decimated)`: intended ones in brackets.
    pub fn describe(&self) -> String {
        let listed = |intended: bool| {
            let some = self.0.iter().filter(|((_, i), n)| *i == intended && **n > 0);
            some.map(|((reason, _), n)| format!("{n} {reason}")).collect::<Vec<_>>().join(", ")
        };
        match (listed(false), listed(true)) {
            (no, wanted) if no.is_empty() && wanted.is_empty() => "0".into(),
            (no, wanted) if wanted.is_empty() => no,
            (no, wanted) if no.is_empty() => format!("({wanted})"),
            (no, wanted) => format!("{no} ({wanted})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    #[test]
    fn sums_are_those_of_the_engine_wherever_frames_were_lost() {
        let mut report = fixture::report(1);
        report.nodes[0].lost.insert(LossReason::SourceGap, 7);
        report.nodes[1].lost.extend([(LossReason::TakenBack, 3), (LossReason::Late, 0)]);
        let sums = Sums::of(&report);
        assert_eq!((sums.unintended, sums.intended), (47, 13));
        assert_eq!(sums.unintended, report.unintended_losses());
        assert_eq!((sums.offered, sums.delivered, sums.queued), (200, 150, 0));
        let texts: Vec<String> = all(&report).map(|loss| loss.describe(&report)).collect();
        let on_edge = ["queue full on cam.out -> end.in", "decimated on cam.out -> end.in"];
        assert_eq!(texts, [&on_edge[..], &["source gap in cam", "taken back in end"]].concat());
        let nodes = Losses::of_nodes(&report);
        assert_eq!(
            (nodes[0].describe(), nodes[1].unintended(), nodes[1].intended()),
            ("7 source_gap".into(), 40, 13)
        );
        assert_eq!(Losses::of_edges(&report)[0].describe(), "40 queue_full (10 decimated)");
    }
}
