//! `link_in`: the frames that a `link_out` of another graph sends, from this host or another, with an account of both ends
//! (`docs/scale.md`).
//!
//! Out: the frames as they were sent, once and in order, with their numbers, times, flags, attributes and payloads; only
//! the source and the time of entry are this graph's. Numbers that were left out before the link are no loss here: the
//! sending run has counted them.
//!
//! A frame is completed when every node of this graph has dropped it and all frames that were made of it, also those that a
//! `link_out` sends on; then the sender is told so. A node that keeps frames must keep fewer than `window_frames`, else none
//! can follow. Received frames lie in memory of the node's own, at most `window_bytes` and one frame. An edge behind the
//! node that must not lose needs `when_full: block`; the sender waits then.
//!
//! The source ends when the sender's run has ended, or was aborted. A sender that dies and comes back begins anew: frames
//! that it told of and did not send are in doubt. The node waits for frames itself, for a few ms at a time, and needs a
//! thread of its own.
//!
//! The node listens beyond this host only over ZeroMQ with `keys`, which keep every other sender out and encrypt all bytes,
//! or with `beyond_loopback`, for networks that are trusted.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use livetime_engine::{
    Context, CutSide, Cuts, Kept, Next, Node, NodeError, NodeSpec, ParamEnum, Params, PortSpec, Stream,
};
use livetime_frame::{Frame, FramePool};
use livetime_link::{ReceiverEvent, Retain, Settings, Token};
use livetime_runtime::LossReason;

use crate::link::{self, Begun, Bounds, End, Link, Pools, Progress, Receiving, cut_account};

/// What a stop of the receiving run means for the sending one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum WhenStopped {
    /// The sender waits for the next run of the receiver.
    #[default]
    Leave,
    /// The sending run is stopped too, and all of its frames are handled here before the end.
    Drain,
}

/// Parameters of `link_in`.
#[derive(Params)]
pub struct LinkInParams {
    /// Where to wait for the sender, as `127.0.0.1:7440` over TCP, or `zmq://127.0.0.1:7440`; port 0 takes a free one, which
    /// the log tells. Or the topic of Kafka to read, as `kafka://broker:9092/hits`.
    #[param(default = "127.0.0.1:7440")]
    pub listen: String,
    /// Whether `listen` may be an address that other hosts reach. There is no password and no encryption.
    pub beyond_loopback: bool,
    /// Folder with the keys of this end of a link over ZeroMQ (`livetime keys`); empty: nothing is encrypted. With keys
    /// `listen` may be any address.
    pub keys: String,
    /// Name of the link, the same at both ends.
    #[param(default = "link")]
    pub link: String,
    /// Hash of the pipeline file of both hosts, in hexadecimal digits: the same at both ends. Empty for two files.
    pub pipeline: String,
    /// What a stop of the run means for the sender.
    pub when_stopped: WhenStopped,
    /// Frames under way in this graph at most.
    #[param(default = 2000, min = 1, max = 1_000_000)]
    pub window_frames: u64,
    /// Bytes under way in this graph at most, and one frame more.
    #[param(default = 67_108_864, min = 1, max = 1_099_511_627_776_i64, unit = "B")]
    pub window_bytes: u64,
    /// Bytes of the largest frame.
    #[param(default = 67_108_864, min = 1, max = 1_073_741_824, unit = "B")]
    pub max_frame_bytes: u64,
    /// How long a sender that is not there is waited for; 0: without limit.
    #[param(default = 0.0, min = 0.0, max = 1e6, unit = "s")]
    pub peers_within: f64,
    /// The `link_pool` whose results come here: its name, also if it is in the graph of another host. A frame that a worker
    /// told of before it died is made again by another one, and not in doubt. Where the pool is in this graph, the source
    /// ends with it, also when the worker does not come back.
    pub pool: String,
    /// Where the node listens.
    #[param(readback)]
    pub listening: String,
    /// Whether a sender is there.
    #[param(readback)]
    pub connected: bool,
    /// Frames so far.
    #[param(readback, role = Frames)]
    pub frames: u64,
    /// Frames that the sender told of.
    #[param(readback)]
    pub offered: u64,
    /// Of these, frames that this graph has completed.
    #[param(readback)]
    pub delivered: u64,
    /// Frames lost by either end.
    #[param(readback)]
    pub lost: u64,
    /// Frames that have not come yet, or are under way in this graph.
    #[param(readback)]
    pub queued: u64,
    /// Frames that a sender told of before it died, and that never came.
    #[param(readback)]
    pub in_doubt: u64,
    /// The same where another worker of a pool makes them again.
    #[param(readback)]
    pub retaken: u64,
}

/// Frames from a link.
pub struct LinkIn {
    params: LinkInParams,
    link: Option<(Arc<Link<Receiving>>, JoinHandle<()>)>,
    begun: Begun,
    pool: Option<Arc<Progress>>,
    /// Since when no sender is there, on the link's clock.
    alone_since_ns: Option<u64>,
    /// When the run was stopped without a sender, on the link's clock.
    stopped_ns: Option<u64>,
    is_drained: bool,
}

/// The node's wait for a frame before it returns to the engine for other requests.
const WAIT: Duration = Duration::from_millis(5);
/// When it looks again if there was none.
const PAUSE_NS: u64 = 10_000;
/// A stopped run waits so long for a sender that is not there, to ask it to end.
const COMING_NS: u64 = 1_000_000_000;
/// How long a source that has ended waits for the nodes behind it to complete their frames, and for the sender to hear of it.
const FAREWELL: Duration = Duration::from_secs(10);

impl Node for LinkIn {
    type Params = LinkInParams;

    const SPEC: NodeSpec = NodeSpec::source(
        "link_in",
        "Frames that a link_out of another graph or host sends.",
        &[PortSpec::any("out")],
    );

    fn new(params: LinkInParams) -> Result<LinkIn, NodeError> {
        Ok(LinkIn {
            params,
            link: None,
            begun: Begun::default(),
            pool: None,
            alone_since_ns: Some(0),
            stopped_ns: None,
            is_drained: false,
        })
    }

    fn params(&mut self) -> &mut LinkInParams {
        self.read_back();
        &mut self.params
    }

    fn keeps(&self, _inputs: &[Stream], outputs: &[Stream]) -> Kept {
        let bounds = self.bounds();
        Kept { of_run: 0, own: bounds.frames_of(outputs.first()).unwrap_or(pool_bytes(&bounds)) }
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let LinkInParams { listen, keys, beyond_loopback, .. } = &self.params;
        let bounds = self.bounds();
        let is_pool = !self.params.pool.is_empty();
        self.pool = is_pool.then(|| ctx.service::<Pools>().of(&self.params.pool));
        let cut = link::cut(&self.params.link, &self.params.pipeline)?;
        let settings = Settings { retakes: is_pool, ..link::settings(cut, Retain::default(), &bounds) };
        let epoch = link::new_epoch();
        let side = link::Side { settings: &settings, keys, epoch };
        let carrier = link::listen(listen, *beyond_loopback, &side)?;
        self.params.listening = carrier.address().unwrap_or_default();
        let link = Link::new(Receiving::new(settings, epoch), ctx.teller());
        let (counted, node, cut) = (link.clone(), ctx.name().to_owned(), self.params.link.clone());
        ctx.service::<Cuts>().add(move || {
            let parts = counted.with(|receiving, _| receiving.receiver().parts());
            parts.iter().map(|part| cut_account(&node, &cut, CutSide::Receiver, part)).collect()
        });
        let thread = link.start(ctx.name(), carrier, pool(&bounds))?;
        ctx.tell(format!("waits for a sender at {}", self.params.listening));
        (self.link, self.begun) = (Some((link, thread)), Begun::with(&self.params));
        (self.alone_since_ns, self.is_drained) = (Some(0), false);
        ctx.ends_itself(self.ends_itself());
        Ok(())
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let Some((link, _)) = &self.link else { return Ok(Next::Idle) };
        let link = link.clone();
        // The results of a pool come until it has ended, also after a stop.
        let is_of_pool = self.pool.as_ref().is_some_and(|pool| pool.is_here());
        if ctx.is_stopping() && !is_of_pool {
            if self.params.when_stopped == WhenStopped::Leave {
                return Ok(Next::Finished);
            }
            link.with(|receiving, _| receiving.ask_to_end());
        }
        match link.wait(WAIT, |receiving, now_ns| receiving.next_event(now_ns)) {
            Some(ReceiverEvent::Frame(token, frame)) => {
                self.send(&link, token, frame, ctx)?;
                return Ok(Next::Now);
            }
            Some(ReceiverEvent::Met { is_new, .. }) => {
                ctx.tell(if is_new { "a sender is there" } else { "the sender is back" });
            }
            Some(ReceiverEvent::End) if is_of_pool => {
                // The pool ends the source: a worker that has left may come back, or another one in its place.
                return Ok(Next::Now);
            }
            Some(ReceiverEvent::End) => {
                if link.with(|receiving, _| receiving.receiver().was_stopped()) && !ctx.is_stopping() {
                    ctx.tell("the sending run was stopped, and stops this one");
                    ctx.teller().stop_run();
                }
                return Ok(Next::Finished);
            }
            // Frames of the worker go to others.
            Some(ReceiverEvent::Aborted(why)) if is_of_pool => {
                ctx.tell_error(format!("the worker has aborted: {why}"));
                return Ok(Next::Now);
            }
            Some(ReceiverEvent::Aborted(why)) => {
                let told = format!("the sender has aborted: {why}");
                // Both ends are of one pipeline over hosts, which is one run.
                if self.params.pipeline.is_empty() {
                    ctx.tell_error(told);
                } else {
                    ctx.teller().abort_run(told);
                }
                return Ok(Next::Finished);
            }
            // Without a sender its end would never come.
            None if ctx.is_stopping() && !is_of_pool && !link.with(|receiving, _| receiving.is_up()) => {
                // One that is just coming would wait for a receiver that has gone.
                let now_ns = link.now_ns();
                if now_ns - *self.stopped_ns.get_or_insert(now_ns) >= COMING_NS {
                    ctx.tell("the run is stopped, and no sender is there");
                    return Ok(Next::Finished);
                }
            }
            None => {}
        }
        Ok(if self.gives_up(&link, ctx) { Next::Finished } else { Next::At(ctx.now_ns() + PAUSE_NS) })
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let Some((link, _)) = &self.link else { return Ok(()) };
        let is_used =
            link.with(|receiving, _| receiving.is_up() || receiving.receiver().account().offered > 0);
        if self.params.name(index) == "when_stopped" {
            ctx.ends_itself(self.ends_itself());
            return Ok(());
        }
        if self.params.name(index) == "peers_within"
            || !self.begun.differs(&mut self.params, index, is_used)?
        {
            return Ok(());
        }
        self.is_drained = true;
        self.stop();
        self.start(ctx)
    }

    fn drain(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.is_drained = true;
        Ok(())
    }

    fn stop(&mut self) {
        let Some((link, thread)) = self.link.take() else { return };
        let is_aborted = !self.is_drained;
        link.with(|receiving, now_ns| {
            if is_aborted {
                receiving.abort("the receiving run was aborted");
            }
            receiving.leave(now_ns);
        });
        link.wait(FAREWELL, |receiving, now_ns| receiving.is_over(now_ns).then_some(()));
        link.close();
        _ = thread.join();
        self.read(&link);
    }
}

impl Drop for LinkIn {
    /// A node that is dropped without a stop leaves no thread behind.
    fn drop(&mut self) {
        self.link.iter().for_each(|(link, _)| link.close());
    }
}

impl LinkIn {
    fn bounds(&self) -> Bounds {
        let LinkInParams { window_frames, window_bytes, max_frame_bytes, .. } = self.params;
        Bounds { frames: window_frames, bytes: window_bytes, frame_bytes: max_frame_bytes }
    }

    /// Whether a stop of the run leaves the end to the source.
    fn ends_itself(&self) -> bool {
        self.pool.is_some() || self.params.when_stopped == WhenStopped::Drain
    }

    fn send(
        &mut self,
        link: &Link<Receiving>,
        token: Token,
        frame: Frame,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        // A header of this graph's own before the pixels of the link.
        let mut sent = match ctx.relabel(&frame) {
            Ok(sent) => sent,
            Err(error) => {
                link.with(|receiving, now_ns| receiving.lose(token, LossReason::PoolExhausted, now_ns));
                return Err(error);
            }
        };
        ctx.continue_at(frame.header().sequence);
        sent.pledge(&link.with(|receiving, _| receiving.hand_on(token)));
        self.params.frames += 1;
        ctx.emit(sent)
    }

    /// True when no sender came for `peers_within`, or none is there and the pool has ended.
    fn gives_up(&mut self, link: &Link<Receiving>, ctx: &Context) -> bool {
        let limit_ns = (self.params.peers_within * 1e9) as u64;
        let (is_up, now_ns) = link.with(|receiving, now_ns| (receiving.is_up(), now_ns));
        if is_up {
            self.alone_since_ns = None;
            return false;
        }
        let since_ns = *self.alone_since_ns.get_or_insert(now_ns);
        if self.pool.as_ref().is_some_and(|pool| pool.has_ended()) {
            link.with(|receiving, _| receiving.give_up());
            return true;
        }
        if limit_ns == 0 || now_ns - since_ns < limit_ns {
            return false;
        }
        link.with(|receiving, _| receiving.give_up());
        ctx.tell_unfinished(format!("wanted a sender within {} s, found none", self.params.peers_within));
        true
    }

    fn read_back(&mut self) {
        if let Some((link, _)) = &self.link {
            let link = link.clone();
            self.read(&link);
        }
    }

    fn read(&mut self, link: &Link<Receiving>) {
        let params = &mut self.params;
        let account = link.with(|receiving, _| {
            params.connected = receiving.is_up();
            receiving.receiver().account()
        });
        (params.offered, params.delivered) = (account.offered, account.delivered);
        (params.lost, params.queued) = (account.lost.total(), account.queued);
        (params.in_doubt, params.retaken) = (account.in_doubt, account.retaken);
    }
}

/// Memory for the window, one frame more, and the cells of frames, which are rounded up to sizes of their own.
fn pool(bounds: &Bounds) -> FramePool {
    FramePool::new(usize::try_from(pool_bytes(bounds)).unwrap_or(usize::MAX))
}

fn pool_bytes(bounds: &Bounds) -> u64 {
    let bytes = (bounds.bytes.saturating_add(bounds.frame_bytes)).saturating_mul(2);
    let cells = bounds.frames.saturating_mul(FramePool::cost_bytes(0) as u64);
    bytes.saturating_add(cells)
}
