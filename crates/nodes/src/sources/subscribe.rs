//! `subscribe`: takes the frames that agents of the program around the graph publish.
//!
//! In: nothing. Out: the frames of the channel of this name, with the pixels in place and headers of their own:
//! numbered from 0 on, with the publisher's event time and attributes. Frames without room in the queue are lost as the
//! parameter `when_full` sets; the gap in the following numbers is their count.
//!
//! ```
//! use livetime_engine::Value;
//! use livetime_actors::{ChannelKind, Channels};
//! use livetime_engine::testing::Harness;
//! use livetime_frame::Frame;
//! use livetime_nodes::sources::subscribe::Subscribe;
//!
//! let mut node = Harness::new::<Subscribe>(&[("channel", Value::from("images"))])?;
//! let channel = node.service::<Channels>().channel::<Frame>("images", ChannelKind::Broadcast).unwrap();
//! channel.publish(node.image::<u8>(&[1, 2], &[3, 4])?);
//! let frames = node.run_source(1)?;
//! assert_eq!(frames[0].bytes(), [3, 4]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::time::Duration;

use livetime_actors::{Chain, Channel, ChannelKind, Channels};
use livetime_engine::{Context, Next, Node, NodeError, NodeSpec, ParamEnum, Params, PortSpec, WhenFull};
use livetime_frame::Frame;

/// The policy for a frame without room in the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum WhenNoRoom {
    /// The publisher waits.
    Block,
    /// It is lost.
    #[default]
    DropNewest,
    /// The oldest that waits is lost.
    DropOldest,
}

/// Parameters of `subscribe`.
#[derive(Params)]
pub struct SubscribeParams {
    /// Name of the channel.
    #[param(default = "frames")]
    pub channel: String,
    /// Frames that may wait.
    #[param(default = 20, min = 1, max = 100_000)]
    pub queue: u32,
    /// What happens to a frame for which there is no room.
    #[param(default = WhenNoRoom::DropNewest)]
    pub when_full: WhenNoRoom,
    /// Frames taken so far.
    #[param(readback)]
    pub frames: u64,
    /// Frames lost because there was no room.
    #[param(readback)]
    pub lost: u64,
}

/// A channel of frames as a source.
pub struct Subscribe {
    params: SubscribeParams,
    waiting: Option<(Channel<Frame>, Chain<Frame>)>,
    /// Lost frames that have been reported.
    told: u64,
    /// The number of the next frame.
    next: u64,
}

/// How long the node waits for a frame before it returns to the engine for other requests.
const WAIT: Duration = Duration::from_millis(5);
/// Time to the next check after a check without a frame.
const PAUSE_NS: u64 = 10_000;

impl Node for Subscribe {
    type Params = SubscribeParams;

    const SPEC: NodeSpec = NodeSpec::source(
        "subscribe",
        "Frames that the agents of the program around the graph publish.",
        &[PortSpec::any("out")],
    );

    fn new(params: SubscribeParams) -> Result<Subscribe, NodeError> {
        Ok(Subscribe { params, waiting: None, told: 0, next: 0 })
    }

    fn params(&mut self) -> &mut SubscribeParams {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let channel = ctx.service::<Channels>().channel(&self.params.channel, ChannelKind::Broadcast);
        let channel = channel.map_err(NodeError::new)?;
        let when_full = match self.params.when_full {
            WhenNoRoom::Block => WhenFull::Block,
            WhenNoRoom::DropNewest => WhenFull::DropNewest,
            WhenNoRoom::DropOldest => WhenFull::DropOldest,
        };
        let chain = Chain::with(self.params.queue as usize, when_full);
        chain.subscribe(&channel);
        (self.waiting, self.told) = (Some((channel, chain)), 0);
        Ok(())
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let Some((_, chain)) = &self.waiting else { return Ok(Next::Idle) };
        let Some(frame) = chain.receive(WAIT) else { return Ok(Next::At(ctx.now_ns() + PAUSE_NS)) };
        let lost = chain.counts().lost;
        let mut sent = ctx.relabel(&frame)?;
        // The engine counts numbers that are left out as lost.
        self.next += lost - self.told;
        self.params.lost += lost - self.told;
        self.told = lost;
        sent.inherit(&frame);
        sent.header_mut().sequence = self.next;
        self.next += 1;
        self.params.frames += 1;
        ctx.emit(sent)?;
        Ok(Next::Now)
    }

    fn changed(&mut self, _index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        self.stop();
        self.start(ctx)
    }

    fn stop(&mut self) {
        if let Some((channel, chain)) = self.waiting.take() {
            chain.unsubscribe(&channel);
            chain.close(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::Value;
    use livetime_engine::testing::{Harness, assert_compliant_fed};

    use super::*;

    #[test]
    fn losses_are_told_by_the_numbers() {
        let params = [("queue", Value::from(2))];
        let mut node = Harness::new::<Subscribe>(&params).unwrap();
        let channel = node.service::<Channels>().channel::<Frame>("frames", ChannelKind::Broadcast).unwrap();
        let image = node.image::<u16>(&[1, 1], &[7]).unwrap();
        (0..5).for_each(|_| _ = channel.publish(image.clone()));
        let first = node.run_source(2).unwrap();
        channel.publish(image);
        let second = node.run_source(1).unwrap();
        let numbers: Vec<u64> = first.iter().chain(&second).map(|f| f.header().sequence).collect();
        // The first frame that is taken after a loss reports it.
        assert_eq!(numbers, [3, 4, 5]);
        assert_eq!((node.number_of("frames"), node.number_of("lost")), (3.0, 3.0));
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant_fed::<Subscribe>(&[], |harness| {
            let image = harness.image::<u16>(&[1, 1], &[7]).unwrap();
            let channel =
                harness.service::<Channels>().channel::<Frame>("frames", ChannelKind::Broadcast).unwrap();
            (0..6).for_each(|_| _ = channel.publish(image.clone()));
        });
    }

    #[test]
    fn without_a_frame_it_asks_to_be_called_again() {
        let mut node = Harness::new::<Subscribe>(&[]).unwrap();
        let (frames, next) = node.produce().unwrap();
        assert!(frames.is_empty() && matches!(next, Next::At(_)), "{next:?}");
        node.set("channel", "others").unwrap();
        let channel = node.service::<Channels>().channel::<Frame>("others", ChannelKind::Broadcast).unwrap();
        assert_eq!(channel.subscribers(), 1);
        node.stop();
        assert_eq!(channel.subscribers(), 0);
    }
}
