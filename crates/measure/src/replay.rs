//! Nodes that hold real frames: one takes them from a graph, one feeds them to another.

use livetime_engine::{Context, Next, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_frame::Frame;

/// Parameters of `collect`.
#[derive(Params)]
pub(crate) struct CollectParams {
    /// Frames to take; those behind them are let go.
    #[param(default = 64)]
    frames: usize,
    /// Bytes to take, but at least one frame.
    #[param(default = 1073741824, unit = "B")]
    bytes: usize,
}

/// Takes the first frames that come.
pub(crate) struct Collect {
    params: CollectParams,
    pub(crate) taken: Vec<Frame>,
    bytes: usize,
    full: bool,
}

impl Collect {
    /// True when it takes no more.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }
}

impl Node for Collect {
    type Params = CollectParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "collect",
        "Takes the first frames that come.",
        &[PortSpec::any("in"), PortSpec::any("open")],
    );

    fn new(params: CollectParams) -> Result<Collect, NodeError> {
        Ok(Collect { params, taken: vec![], bytes: 0, full: false })
    }

    fn params(&mut self) -> &mut CollectParams {
        &mut self.params
    }

    fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        let bytes = frame.bytes().len();
        self.full |= self.taken.len() >= self.params.frames
            || !self.taken.is_empty() && self.bytes + bytes > self.params.bytes;
        if !self.full {
            self.taken.push(frame.clone());
            self.bytes += bytes;
            self.full = self.taken.len() >= self.params.frames;
        }
        Ok(())
    }
}

/// Parameters of `replay`.
#[derive(Params)]
pub(crate) struct ReplayParams {
    /// Frames to send, by repeating the held ones; 0 until the node holds frames.
    frames: u64,
    /// Time between frames; 0 sends them as fast as they are taken.
    #[param(default = 0.0, min = 0.0, unit = "s")]
    period: f64,
}

/// Sends the frames that it holds, numbered from 0, without copying them.
pub(crate) struct Replay {
    params: ReplayParams,
    pub(crate) frames: Vec<Frame>,
    sent: u64,
    first_ns: u64,
}

impl Node for Replay {
    type Params = ReplayParams;

    const SPEC: NodeSpec =
        NodeSpec::source("replay", "Sends the frames that it holds.", &[PortSpec::any("out")]);

    fn new(params: ReplayParams) -> Result<Replay, NodeError> {
        Ok(Replay { params, frames: vec![], sent: 0, first_ns: 0 })
    }

    fn params(&mut self) -> &mut ReplayParams {
        &mut self.params
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        if self.params.frames == 0 || self.frames.is_empty() {
            return Ok(Next::Idle);
        }
        if self.sent == 0 {
            self.first_ns = ctx.now_ns();
        }
        let held = &self.frames[(self.sent % self.frames.len() as u64) as usize];
        let mut frame = ctx.relabel(held)?;
        frame.header_mut().sequence = self.sent;
        ctx.emit(frame)?;
        self.sent += 1;
        Ok(match self.params.period {
            _ if self.sent >= self.params.frames => Next::Finished,
            period if period > 0.0 => Next::At(self.first_ns + (self.sent as f64 * period * 1e9) as u64),
            _ => Next::Now,
        })
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};

    use super::*;

    #[test]
    fn keep_the_contract() {
        assert_compliant::<Collect>(&[]);
        assert_compliant::<Replay>(&[]);
    }

    #[test]
    fn as_many_frames_are_sent_as_wanted_and_no_pixel_is_copied() {
        let mut harness = Harness::new::<Replay>(&[]).unwrap();
        let images = [harness.bytes(&[1]).unwrap(), harness.bytes(&[2]).unwrap()];
        harness.node::<Replay>().unwrap().frames = images.to_vec();
        assert!(harness.run_source(3).unwrap().is_empty());
        harness.set("frames", 5).unwrap();
        let sent = harness.run_source(10).unwrap();
        let found: Vec<_> = sent.iter().map(|f| (f.header().sequence, f.bytes()[0])).collect();
        assert_eq!(found, [(0, 1), (1, 2), (2, 1), (3, 2), (4, 1)]);
        assert_eq!(sent[2].bytes().as_ptr(), images[0].bytes().as_ptr());
    }

    #[test]
    fn collecting_ends_with_frames_or_bytes() {
        for (params, wanted) in [
            ([("frames", 2.into()), ("bytes", 100.into())], 2),
            ([("frames", 9.into()), ("bytes", 25.into())], 2),
        ] {
            let mut harness = Harness::new::<Collect>(&params).unwrap();
            for _ in 0..4 {
                let frame = harness.bytes(&[0; 10]).unwrap();
                harness.feed(&frame).unwrap();
            }
            let collect = harness.node::<Collect>().unwrap();
            assert_eq!((collect.taken.len(), collect.is_full()), (wanted, true));
        }
    }
}
