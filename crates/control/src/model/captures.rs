//! Captures that cannot get all their frames any more.
//!
//! A capture of a given number of frames ends when it has them. If some were lost on their way, it would wait for ever,
//! and its client with it. The looker ends it, and the reason names what is missing, when three things hold: the frames
//! that it has and those lost since it began are as many as it wanted, no source ahead of it is acquiring, and two
//! successive looks show all nodes on the way idle. As long as a source is acquiring, later frames may fill the gap.

use livetime_engine::{Report, Role, Value};

use super::acquire::done_if_quiet;
use super::caller::Caller;
use super::locks::{lock, try_lock};
use super::looker::Shared;
use super::moment::Moment;
use super::node::Node;
use super::refused::ShortCapture;

/// The capture that a node is in, or was in last.
#[derive(Default)]
pub(super) struct Capture {
    /// Frames of it, as the node said last; `None` outside of a capture.
    captured: Option<i64>,
    /// The losses on the way to the node up to the begin of the capture.
    lost_before: Vec<Lost>,
    /// The frames that the nodes on the way had handled when they were seen idle.
    seen: Option<u64>,
    /// The missing frames for which the capture was ended.
    missing: Option<ShortCapture>,
}

/// A place on the way of frames, and the frames that were lost there unintentionally.
type Lost = (String, u64);

impl Capture {
    /// The outcome of the capture.
    ///
    /// # Errors
    /// The missing frames.
    pub(super) fn result(&self) -> Result<(), ShortCapture> {
        self.missing.clone().map_or(Ok(()), Err)
    }

    /// Enters what the node says now. A count that fell belongs to a capture that began between two looks.
    fn follow(&mut self, captured: Option<i64>, lost: impl FnOnce() -> Vec<Lost>) {
        let is_new = captured.is_some_and(|now| self.captured.is_none_or(|before| now < before));
        if is_new {
            *self = Capture { lost_before: lost(), ..Capture::default() };
        }
        self.captured = captured;
    }

    /// Places with the frames that were lost there since the capture began.
    fn lost_since(&self, now: Vec<Lost>) -> Vec<Lost> {
        let before =
            |place: &str| self.lost_before.iter().find(|(known, _)| known == place).map_or(0, |(_, n)| *n);
        let since = now.into_iter().map(|(place, count)| {
            let count = count.saturating_sub(before(&place));
            (place, count)
        });
        since.filter(|(_, count)| *count > 0).collect()
    }
}

impl Shared {
    /// Takes note of a capture that begins or ends. The caller holds the lock of `node`.
    pub(super) fn follow_capture(&self, node: &mut Node, report: &Report) {
        if node.number_of(Role::Capture).is_none() {
            return;
        }
        let is_on = node.value_of(Role::Capture) == Some(&Value::Bool(true));
        let captured = node.value_of(Role::Captured).and_then(whole).filter(|_| is_on);
        let number = node.number;
        node.capture.follow(captured, || lost_on_the_way(report, &self.ahead(number), number));
    }

    /// Ends the captures of `moment` that cannot get all their frames any more.
    pub(super) fn end_captures(&self, moment: &Moment) {
        let captures = moment.nodes.iter().enumerate().filter(|(_, node)| node.is_capturing());
        for (number, node) in captures {
            let (Some(wanted @ 1..), Some(captured)) = (
                node.value_of(Role::CaptureSize).and_then(whole),
                node.value_of(Role::Captured).and_then(whole),
            ) else {
                continue;
            };
            if captured < wanted {
                self.end_if_short(moment, number, captured, wanted);
            }
        }
    }

    fn end_if_short(&self, moment: &Moment, number: usize, captured: i64, wanted: i64) {
        let ahead = self.ahead(number);
        let acquires = |source: &usize| moment.nodes.get(*source).is_some_and(|node| node.state.is_acquiring);
        let Some(mut node) = try_lock(&self.nodes[number]) else { return };
        let lost = node.capture.lost_since(lost_on_the_way(&moment.report, &ahead, number));
        let missing: u64 = lost.iter().map(|(_, count)| count).sum();
        let is_short = captured.saturating_add_unsigned(missing) >= wanted && !ahead.iter().any(acquires);
        let nodes: Vec<usize> = ahead.iter().copied().chain([number]).collect();
        let done = done_if_quiet(&moment.report, &nodes).filter(|_| is_short && missing > 0);
        let is_over = done.is_some() && done == node.capture.seen;
        node.capture.seen = done;
        if is_over {
            self.end_short(&mut node, ShortCapture { wanted, found: captured, lost });
        }
    }

    /// The answer is not waited for: the next look sees it.
    fn end_short(&self, node: &mut Node, missing: ShortCapture) {
        let Some(capture) = node.number_of(Role::Capture) else { return };
        if self.run.set_later(node.number, capture, &Value::Bool(false)).is_err() {
            return;
        }
        node.actions += 1;
        node.forget_question();
        self.log().action(Caller::program(), node.name.clone(), &format!("end the capture: {missing}"), None);
        node.capture.missing = Some(missing);
        self.waker().ring();
    }

    /// The nodes whose frames reach node `number`.
    fn ahead(&self, number: usize) -> Vec<usize> {
        lock(&self.wires).ahead(number)
    }
}

fn whole(value: &Value) -> Option<i64> {
    if let Value::Int(value) = value { Some(*value) } else { None }
}

/// The unintended losses in the nodes `ahead` of node `number`, in the node itself, and on the edges between them.
fn lost_on_the_way(report: &Report, ahead: &[usize], number: usize) -> Vec<Lost> {
    let is_on_the_way = |node: usize| node == number || ahead.contains(&node);
    let edges = report.edges.iter().filter(|edge| edge.nodes.1.is_some_and(is_on_the_way));
    let edges = edges.map(|edge| (format!("{} -> {}", edge.from, edge.to), edge.unintended()));
    let nodes = report.nodes.iter().enumerate().filter(|(node, _)| is_on_the_way(*node));
    let nodes = nodes.map(|(_, node)| (node.name.clone(), node.lost_inside()));
    edges.chain(nodes).filter(|(_, count)| *count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(places: &[(&str, u64)]) -> Vec<Lost> {
        places.iter().map(|(place, count)| ((*place).to_owned(), *count)).collect()
    }

    #[test]
    fn losses_count_from_the_beginning_of_a_capture() {
        let mut capture = Capture::default();
        capture.follow(None, || panic!("nothing begins"));
        capture.follow(Some(0), || lost(&[("a", 3)]));
        capture.follow(Some(7), || panic!("it goes on"));
        assert_eq!(capture.lost_since(lost(&[("a", 3), ("b", 2)])), lost(&[("b", 2)]));
        let missing = ShortCapture { wanted: 9, found: 7, lost: lost(&[("b", 2)]) };
        assert_eq!(missing.to_string(), "wanted 9 frames, found 7: 2 lost at b");
        capture.missing = Some(missing.clone());
        assert_eq!(capture.result(), Err(missing));
        // Another one began between two looks.
        capture.follow(Some(1), || lost(&[("a", 3), ("b", 2)]));
        assert_eq!(capture.lost_since(lost(&[("a", 4), ("b", 2)])), lost(&[("a", 1)]));
        assert_eq!(capture.result(), Ok(()));
    }
}
