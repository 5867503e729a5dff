//! `link_out`: sends frames to a `link_in` of another graph, on this host or another, with an account of both ends
//! (`docs/scale.md`).
//!
//! In: any frame but values of a program's own type. Out: nothing. The frames arrive once, in order, with their numbers,
//! times, flags, attributes and payloads. Each is kept until `retain` allows to forget it, at most `window_frames` frames
//! and `window_bytes` bytes: frames are references into the run's memory, not copies.
//!
//! With a full window the node waits, so that the queue before it fills, and its policy decides what is lost there. When
//! the receiver has been gone for `peers_within`, the node waits no longer: frames without room in the window are lost
//! and counted (`link_down`), and the others are kept for a receiver that comes back. At the end of the run the node waits
//! for the receiver in the same way, and counts the rest as lost (`peer_gone`), or as in doubt where the receiver had them.
//!
//! A receiver that dies and comes back gets all frames again that it may not have completed: at most `sent_again` frames
//! are handled twice. Without `keys` the connection is for one host, or a
//! network that is trusted.
//!
//! The node completes a frame when the link has it; what becomes of it then is in the account of the link, which the
//! report of the run has among its `cuts`.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use livetime_engine::{
    Context, CutSide, Cuts, Kept, Node, NodeError, NodeSpec, ParamEnum, Params, PortSpec, Stream,
};
use livetime_frame::{Frame, FramePool, Payload};
use livetime_link::{Part, Retain};
use livetime_runtime::LossReason;

use crate::link::{self, Begun, Bounds, Link, Sending, cut_account};

/// How long the sender keeps a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum RetainUntil {
    /// Until the receiver has it in memory. A receiver that dies leaves at most one window of frames in doubt.
    Received,
    /// Until the receiver's graph has completed it. A receiver that dies leaves nothing in doubt; some frames may be
    /// handled twice.
    #[default]
    Completed,
}

/// Parameters of `link_out`.
#[derive(Params)]
pub struct LinkOutParams {
    /// Where the `link_in` listens, as `daq2:7440` over TCP, or `zmq://daq2:7440`; or a topic of Kafka, as
    /// `kafka://broker:9092/hits`.
    pub to: String,
    /// Folder with the keys of this end: of a link over ZeroMQ (`livetime keys`), or `kafka.properties` for the brokers of
    /// Kafka; empty: nothing is encrypted.
    pub keys: String,
    /// Name of the link, the same at both ends.
    #[param(default = "link")]
    pub link: String,
    /// Hash of the pipeline file of both hosts, in hexadecimal digits: the same at both ends. Empty for two files.
    pub pipeline: String,
    /// How long a frame is kept, so that it can be sent again.
    pub retain: RetainUntil,
    /// Frames that are kept at most.
    #[param(default = 2000, min = 1, max = 1_000_000)]
    pub window_frames: u64,
    /// Bytes that are kept at most, and one frame more.
    #[param(default = 67_108_864, min = 1, max = 1_099_511_627_776_i64, unit = "B")]
    pub window_bytes: u64,
    /// Bytes of the largest frame; the receiver must take as many.
    #[param(default = 67_108_864, min = 1, max = 1_073_741_824, unit = "B")]
    pub max_frame_bytes: u64,
    /// How long frames wait for a receiver that is not there.
    #[param(default = 60.0, min = 0.0, max = 1e6, unit = "s")]
    pub peers_within: f64,
    /// Whether a receiver is there.
    #[param(readback)]
    pub connected: bool,
    /// How often a receiver came, or came back.
    #[param(readback)]
    pub meetings: u64,
    /// Frames that were offered to the link.
    #[param(readback, role = Frames)]
    pub offered: u64,
    /// Of these, frames that the receiver has completed.
    #[param(readback)]
    pub delivered: u64,
    /// Frames lost by the link or the receiver.
    #[param(readback)]
    pub lost: u64,
    /// Frames that are kept or on the way.
    #[param(readback)]
    pub queued: u64,
    /// Frames that a receiver had when it died, with an unknown end.
    #[param(readback)]
    pub in_doubt: u64,
    /// Frames sent again to a receiver that was started again: at most so many were handled twice.
    #[param(readback)]
    pub sent_again: u64,
}

/// Sends frames over a link.
pub struct LinkOut {
    params: LinkOutParams,
    link: Option<(Arc<Link<Sending>>, JoinHandle<()>)>,
    begun: Begun,
}

/// A wait for room or for the end is interrupted so often, to see whether the run was aborted.
const LOOK: Duration = Duration::from_millis(50);
/// How long an aborted run waits for the receiver's word which frames it has.
const FAREWELL: Duration = Duration::from_secs(1);

impl Node for LinkOut {
    type Params = LinkOutParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "link_out",
        "Sends frames to a link_in of another graph or host.",
        &[PortSpec::any("in")],
    );

    fn new(params: LinkOutParams) -> Result<LinkOut, NodeError> {
        Ok(LinkOut { params, link: None, begun: Begun::default() })
    }

    fn params(&mut self) -> &mut LinkOutParams {
        self.read_back();
        &mut self.params
    }

    fn keeps(&self, inputs: &[Stream], _outputs: &[Stream]) -> Kept {
        let frames = self.bounds().frames_of(inputs.first());
        Kept { of_run: frames.unwrap_or(self.params.window_bytes), own: 0 }
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let bounds = self.bounds();
        let retain = match self.params.retain {
            RetainUntil::Received => Retain::Received,
            RetainUntil::Completed => Retain::Completed,
        };
        let cut = link::cut(&self.params.link, &self.params.pipeline)?;
        let settings = link::settings(cut, retain, &bounds);
        let epoch = link::new_epoch();
        let carrier = link::connect(
            &self.params.to,
            &link::Side { settings: &settings, keys: &self.params.keys, epoch },
        )?;
        let link = Link::new(Sending::new(settings, epoch, ctx.teller(), 0), ctx.teller(), None);
        let (counted, node, cut) = (link.clone(), ctx.name().to_owned(), self.params.link.clone());
        ctx.service::<Cuts>().add(move || {
            let account = counted.look(|sending, _| sending.sender().account());
            vec![cut_account(&node, &cut, CutSide::Sender, &Part { epoch, start: 0, account })]
        });
        // Receivers send no frames.
        let thread = link.start(ctx.name(), carrier, FramePool::new(0))?;
        (self.link, self.begun) = (Some((link, thread)), Begun::with(&self.params));
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        if let Payload::Any(_) = frame.payload() {
            return Err(NodeError::new(
                "wanted an array, a table or bytes, found a value of a program's own type",
            ));
        }
        let Some((link, _)) = &self.link else { return Ok(()) };
        let patience = Duration::from_secs_f64(self.params.peers_within);
        loop {
            let is_aborting = ctx.is_aborting();
            let offered = link.wait(LOOK, |sending, now_ns| match is_aborting {
                true => sending.lose(LossReason::Aborted),
                false => sending.offer(frame, patience, now_ns),
            });
            if offered.is_some() {
                return Ok(());
            }
        }
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let Some((link, _)) = &self.link else { return Ok(()) };
        let patience = Duration::from_secs_f64(self.params.peers_within);
        link.with(|sending, _| sending.finish(ctx.was_stopped()));
        let mut has_ended = false;
        while !has_ended && !ctx.is_aborting() {
            let ended = link.wait(LOOK, |sending, now_ns| {
                if sending.is_alone_for(patience, now_ns) {
                    sending.give_up();
                }
                sending.sender().has_ended().then_some(())
            });
            has_ended = ended.is_some();
        }
        Ok(())
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let Some((link, _)) = &self.link else { return Ok(()) };
        let is_used = link.look(|sending, _| sending.meetings > 0 || sending.sender().account().offered > 0);
        if self.params.name(index) == "peers_within"
            || !self.begun.differs(&mut self.params, index, is_used)?
        {
            return Ok(());
        }
        // No frame was offered yet, so no account ends.
        self.stop();
        self.start(ctx)
    }

    fn stop(&mut self) {
        self.read_back();
        let Some((link, thread)) = self.link.take() else { return };
        link.with(|sending, _| sending.abort("the sending run was aborted"));
        let limit = if link.look(|sending, _| sending.is_connected()) { FAREWELL } else { Duration::ZERO };
        link.wait(limit, |sending, _| sending.sender().has_ended().then_some(()));
        link.with(|sending, _| sending.give_up());
        link.close();
        // It ends by itself; a panic there was reported.
        _ = thread.join();
        self.read(&link);
    }
}

impl Drop for LinkOut {
    /// A node that is dropped without a stop leaves no thread behind.
    fn drop(&mut self) {
        self.link.iter().for_each(|(link, _)| link.close());
    }
}

impl LinkOut {
    fn bounds(&self) -> Bounds {
        let LinkOutParams { window_frames, window_bytes, max_frame_bytes, .. } = self.params;
        Bounds { frames: window_frames, bytes: window_bytes, frame_bytes: max_frame_bytes }
    }

    fn read_back(&mut self) {
        if let Some((link, _)) = &self.link {
            let link = link.clone();
            self.read(&link);
        }
    }

    fn read(&mut self, link: &Link<Sending>) {
        let params = &mut self.params;
        let account = link.look(|sending, _| {
            (params.connected, params.meetings) = (sending.is_connected(), sending.meetings);
            sending.sender().account()
        });
        (params.offered, params.delivered) = (account.offered, account.delivered);
        (params.lost, params.queued) = (account.lost.total(), account.queued);
        (params.in_doubt, params.sent_again) = (account.in_doubt, account.sent_again);
    }
}
