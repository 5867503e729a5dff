//! `publish`: gives frames to the agents of the program that runs the graph.
//!
//! In: any frame. Out: nothing. Each frame is published on the channel of this name, where agents and chains subscribe (see
//! `docs/actors.md`); they get references, no copies. A subscriber that must not lose anything and has no room holds the
//! node back, as an edge that blocks would. A program hands its channels to a run as
//! one of the [`RunOptions::services`](livetime_engine::RunOptions::services).
//!
//! ```
//! use livetime_engine::Value;
//! use livetime_actors::{Chain, ChannelKind, Channels};
//! use livetime_engine::testing::Harness;
//! use livetime_frame::Frame;
//! use livetime_nodes::sinks::publish::Publish;
//!
//! let mut node = Harness::new::<Publish>(&[("channel", Value::from("images"))])?;
//! let seen = Chain::<Frame>::new(4);
//! seen.subscribe(&node.service::<Channels>().channel("images", ChannelKind::Broadcast).unwrap());
//! let image = node.image::<u8>(&[1, 2], &[3, 4])?;
//! node.feed(&image)?;
//! assert_eq!(seen.try_receive().unwrap().bytes(), [3, 4]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_actors::{ChannelKind, Channels, Publisher};
use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_frame::Frame;

/// Parameters of `publish`.
#[derive(Params)]
pub struct PublishParams {
    /// Name of the channel.
    #[param(default = "frames")]
    pub channel: String,
    /// Frames published so far.
    #[param(readback)]
    pub frames: u64,
    /// Frames without a receiver: there was no subscriber, or none accepted the frame.
    #[param(readback)]
    pub unheard: u64,
}

/// Publishes frames on a channel.
pub struct Publish {
    params: PublishParams,
    publisher: Option<Publisher<Frame>>,
}

impl Node for Publish {
    type Params = PublishParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "publish",
        "Gives frames to the agents of the program around the graph.",
        &[PortSpec::any("in")],
    );

    fn new(params: PublishParams) -> Result<Publish, NodeError> {
        Ok(Publish { params, publisher: None })
    }

    fn params(&mut self) -> &mut PublishParams {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let channel = ctx.service::<Channels>().channel(&self.params.channel, ChannelKind::Broadcast);
        self.publisher = Some(channel.map_err(NodeError::new)?.publisher());
        Ok(())
    }

    fn changed(&mut self, _index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        self.start(ctx)
    }

    fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        let heard = self.publisher.as_mut().map_or(0, |publisher| publisher.publish(frame.clone()));
        self.params.frames += 1;
        self.params.unheard += u64::from(heard == 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use livetime_actors::Chain;
    use livetime_engine::Value;
    use livetime_engine::testing::{Harness, assert_compliant};

    use super::*;

    #[test]
    fn what_nobody_hears_is_counted() {
        let mut node = Harness::new::<Publish>(&[("channel", Value::from("a"))]).unwrap();
        let channel = node.service::<Channels>().channel::<Frame>("a", ChannelKind::Broadcast).unwrap();
        let image = node.image::<u8>(&[1, 3], &[0; 3]).unwrap();
        node.feed(&image).unwrap();
        let seen = Chain::new(1);
        seen.subscribe(&channel);
        node.feed(&image).unwrap();
        assert_eq!((node.number_of("frames"), node.number_of("unheard")), (2.0, 1.0));
        assert_eq!(seen.len(), 1);
    }

    #[test]
    fn a_channel_of_other_messages_is_refused_by_name() {
        let mut node = Harness::new::<Publish>(&[]).unwrap();
        node.service::<Channels>().channel::<u32>("numbers", ChannelKind::Broadcast).unwrap();
        let error = node.set("channel", "numbers").unwrap_err().to_string();
        assert!(error.contains("`numbers` is one of u32"), "{error}");
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<Publish>(&[]);
    }
}
