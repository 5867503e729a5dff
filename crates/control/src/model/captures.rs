//! Captures that cannot get all their frames any more.
//!
//! A capture of a given number of frames ends when it has them. If some were lost on their way, it would wait for ever,
//! and its client with it. The looker ends it, and the reason names what is missing, when three things hold: the frames
//! that it has and those lost since it began are as many as it wanted, no source ahead of it is acquiring, and two
//! successive looks show all nodes on the way idle. As long as a source is acquiring, later frames may fill the gap.

use livetime_engine::{Role, Value};

use super::caller::Caller;
use super::capture::{lost_on_the_way, whole};
use super::locks::try_lock;
use super::moment::Moment;
use super::node::Node;
use super::quiet::done_if_quiet;
use super::refused::ShortCapture;
use super::shared::Shared;

impl Shared {
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
}
