//! `gather`: brings the frames of several senders together (areaDetector's NDPluginGather), optionally in the order of
//! their numbers.
//!
//! In: frames of any kind, from any number of senders (`from: [A, B, C]`). Out: the same frames, not copied, in the
//! order of arrival, or, with `sort_mode: sorted`, by their numbers.
//!
//! Sorting waits for missing frames: a frame whose number does not follow on the last sent one waits for the numbers
//! between, at most for `sort_time`, and at most `sort_size` frames wait. Then the lowest number is sent although
//! frames are missing. A frame that arrives after later numbers were sent is sent at once and counted in
//! `disordered_arrays`; none is lost. The copies of a pool need no sorting: the engine keeps their order.
//!
//! With live sources the order of arrival, and with it the output of `unsorted`, differs from run to run. In a replay
//! on edges that lose nothing frames come by the times of their events, `sort_time` is time of the data, and the output
//! is the same at every run.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::gather::Gather;
//!
//! let mut node = Harness::new::<Gather>(&[("sort_mode", "sorted".into())])?;
//! let frames = (0..4).map(|_| node.image::<u8>(&[1], &[0])).collect::<Result<Vec<_>, _>>()?;
//! let mut sent = Vec::new();
//! for number in [0, 2, 3, 1] {
//!     sent.extend(node.feed(&frames[number])?.iter().map(|f| f.header().sequence));
//! }
//! assert_eq!(sent, [0, 1, 2, 3]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::collections::BTreeMap;

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, ParamEnum, Params, PortSpec, Stream};
use livetime_frame::Frame;

/// In which order frames leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum SortMode {
    /// As they come.
    #[default]
    #[pv("Unsorted")]
    Unsorted,
    /// By number.
    #[pv("Sorted")]
    Sorted,
}

/// Parameters of `gather`.
#[derive(Params)]
pub struct GatherParams {
    /// In which order frames leave.
    #[param(pv = "SortMode")]
    pub sort_mode: SortMode,
    /// How long a frame waits for those before it.
    #[param(default = 0.1, min = 0.0, max = 3600.0, unit = "s", pv = "SortTime")]
    pub sort_time: f64,
    /// Most frames that wait.
    #[param(default = 20, min = 1, max = 10_000, pv = "SortSize")]
    pub sort_size: usize,
    /// Frames that were sent after one with a later number; may be set back to 0.
    #[param(pv = "DisorderedArrays")]
    pub disordered_arrays: usize,
    /// How many more frames may wait.
    #[param(readback, default = 20, pv = "SortFree", form = Plain)]
    pub sort_free: usize,
}

/// Brings frames together.
pub struct Gather {
    params: GatherParams,
    /// Frames that wait, by number and, of equal numbers, in the order of arrival, with the end of their wait.
    waiting: BTreeMap<(u64, u64), (Frame, u64)>,
    /// The number that follows on the highest that was sent.
    next: Option<u64>,
    came: u64,
}

impl Gather {
    fn send(&mut self, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let (number, next) = (frame.header().sequence, self.next.unwrap_or(0));
        // The number before the next one is the same frame by another way, and not out of order.
        self.params.disordered_arrays += usize::from(number.saturating_add(1) < next);
        self.next = Some(next.max(number.saturating_add(1)));
        ctx.forward(0, frame)
    }

    /// Sends frames that no longer wait: the next numbers, frames whose time is over, and frames beyond `sort_size`.
    fn send_due(&mut self, ctx: &mut Context, everything: bool) -> Result<(), NodeError> {
        // From the lowest number on: only its fate decides about the others.
        while let Some((key, (_, end_ns))) = self.waiting.first_key_value() {
            let is_next = self.next.is_none_or(|next| key.0 <= next);
            let is_too_much = self.waiting.len() > self.params.sort_size;
            if !(everything || is_next || is_too_much || *end_ns <= ctx.data_ns()) {
                break;
            }
            let Some((_, (frame, _))) = self.waiting.pop_first() else { break };
            self.send(&frame, ctx)?;
        }
        let earliest = self.waiting.values().map(|(_, end_ns)| *end_ns).min();
        ctx.set_data_timer(earliest);
        self.params.sort_free = self.params.sort_size.saturating_sub(self.waiting.len());
        Ok(())
    }
}

impl Node for Gather {
    type Params = GatherParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "gather",
        "Brings the frames of several senders together, by number if that is wanted.",
        &[PortSpec::any("in")],
        &[PortSpec::any("out")],
    );

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDPluginGather", "Gather"));

    fn new(params: GatherParams) -> Result<Gather, NodeError> {
        let mut node = Gather { params, waiting: BTreeMap::new(), next: None, came: 0 };
        node.params.sort_free = node.params.sort_size;
        Ok(node)
    }

    fn params(&mut self) -> &mut GatherParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(inputs.to_vec())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let number = frame.header().sequence;
        // The first frame defines the order; a late one goes at once.
        if self.params.sort_mode == SortMode::Unsorted || self.next.is_none_or(|next| number <= next) {
            self.send(frame, ctx)?;
        } else {
            let wait_ns = (self.params.sort_time * 1e9) as u64;
            self.came += 1;
            self.waiting.insert((number, self.came), (frame.clone(), ctx.data_ns().saturating_add(wait_ns)));
        }
        if self.waiting.is_empty() { Ok(()) } else { self.send_due(ctx, false) }
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.send_due(ctx, false)
    }

    fn changed(&mut self, _index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let is_unsorted = self.params.sort_mode == SortMode::Unsorted;
        // Frames that waited for an order leave when none is wanted any more.
        self.send_due(ctx, is_unsorted)
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.send_due(ctx, true)
    }

    fn stop(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};

    use super::*;

    fn sorting(size: i64) -> (Harness, Vec<Frame>) {
        let params = [("sort_mode", "sorted".into()), ("sort_size", size.into()), ("sort_time", 0.5.into())];
        with_frames(Harness::new::<Gather>(&params).unwrap())
    }

    fn with_frames(mut node: Harness) -> (Harness, Vec<Frame>) {
        let frames = (0..10).map(|n| node.image::<u8>(&[1], &[n]).unwrap()).collect();
        (node, frames)
    }

    fn fed((node, frames): (&mut Harness, &[Frame]), order: &[usize]) -> Vec<u64> {
        let mut sent = Vec::new();
        for number in order {
            sent.extend(node.feed(&frames[*number]).unwrap().iter().map(|f| f.header().sequence));
        }
        sent
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<Gather>(&[]);
        assert_compliant::<Gather>(&[("sort_mode", "sorted".into())]);
    }

    #[test]
    fn unsorted_frames_pass_and_are_counted() {
        let (mut node, frames) = with_frames(Harness::new::<Gather>(&[]).unwrap());
        assert_eq!(fed((&mut node, &frames), &[0, 2, 1, 3]), [0, 2, 1, 3]);
        assert_eq!(node.number_of("disordered_arrays"), 1.0);
    }

    #[test]
    fn a_missing_frame_is_waited_for_until_time_or_room_is_over() {
        let (mut node, frames) = sorting(2);
        // 1 is missing: the third waiting frame forces the lowest out, and the following numbers go with it.
        assert_eq!(fed((&mut node, &frames), &[0, 3, 2]), [0]);
        assert_eq!(node.number_of("sort_free"), 0.0);
        assert_eq!(fed((&mut node, &frames), &[5]), [2, 3]);
        let late = fed((&mut node, &frames), &[1]);
        assert_eq!((late, node.number_of("disordered_arrays")), (vec![1], 1.0));
        // 4 does not come.
        let sent = node.advance(1_000_000_000).unwrap();
        assert_eq!(sent.iter().map(|f| f.header().sequence).collect::<Vec<_>>(), [5]);
        assert_eq!(node.number_of("sort_free"), 2.0);
    }

    #[test]
    fn what_waits_is_sent_at_the_end() {
        let (mut node, frames) = sorting(20);
        assert_eq!(fed((&mut node, &frames), &[0, 9, 7]), [0]);
        let sent = node.drain().unwrap();
        assert_eq!(sent.iter().map(|f| f.header().sequence).collect::<Vec<_>>(), [7, 9]);
    }
}
