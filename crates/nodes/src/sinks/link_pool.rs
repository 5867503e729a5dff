//! `link_pool`: shares the frames of one stream over several workers: runs with a `link_in` each, on this host or others
//! (`docs/many-hosts.md`).
//!
//! In: any frame but values of a program's own type. Out: nothing. Each frame goes to the worker with the fewest frames
//! under way, of those that are there and have room. Workers may come late, leave, be killed and come back at any time. Each
//! has a link of its own, with an account of its own among the `cuts` of the report.
//!
//! A frame is kept until its worker has completed it, and with it all frames that were made of it. When a worker has been gone
//! for `retake_after`, its frames are taken back and go to others: they are `retaken` in the account of its link, and
//! offered again in the account of another one. At most `sent_again` frames are handled twice. Results come in any order;
//! `in_order` restores the order of the source, and drops the second of two results.
//!
//! With no room at any worker the node waits, so that the queue before it fills, and its policy decides what is lost there.
//! When no worker has been there for `peers_within`, frames are lost as `link_down`, and at the end of the run as `peer_gone`.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use livetime_engine::{Context, CutSide, Cuts, Kept, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::{Frame, FramePool, Payload};
use livetime_link::{NotTaken, Retain, Settings};
use livetime_runtime::LossReason;

use crate::link::{self, Begun, Bell, Bounds, Link, Pools, Progress, Worker, cut_account};

/// Parameters of `link_pool`.
#[derive(Params)]
pub struct LinkPoolParams {
    /// Where the `link_in` of each worker listens, as `daq2:7441, daq3:7441`.
    pub to: String,
    /// For links over ZeroMQ: for each address in `to` the folder with the keys of this end (`livetime keys`); empty: nothing
    /// is encrypted.
    pub keys: String,
    /// Name of the links, the same at all ends.
    #[param(default = "link")]
    pub link: String,
    /// Hash of the pipeline file of all hosts, in hexadecimal digits: the same at all ends. Empty for files of their own.
    pub pipeline: String,
    /// Frames under way at a worker at most; twice as many for frames that were taken back from others.
    #[param(default = 16, min = 1, max = 100_000)]
    pub window_frames: u64,
    /// Bytes under way at a worker at most, and one frame more; twice as many for frames that were taken back.
    #[param(default = 67_108_864, min = 1, max = 1_099_511_627_776_i64, unit = "B")]
    pub window_bytes: u64,
    /// Bytes of the largest frame; the workers must take as many.
    #[param(default = 67_108_864, min = 1, max = 1_073_741_824, unit = "B")]
    pub max_frame_bytes: u64,
    /// How long the frames of a worker that is gone wait for it, before others get them.
    #[param(default = 1.0, min = 0.0, max = 3600.0, unit = "s")]
    pub retake_after: f64,
    /// How long frames wait when no worker is there.
    #[param(default = 60.0, min = 0.0, max = 1e6, unit = "s")]
    pub peers_within: f64,
    /// Workers that are there.
    #[param(readback)]
    pub workers: usize,
    /// How often a worker came, or came back.
    #[param(readback)]
    pub meetings: u64,
    /// Frames that were offered to the pool.
    #[param(readback, role = Frames)]
    pub offered: u64,
    /// Of these, frames that workers have completed.
    #[param(readback)]
    pub delivered: u64,
    /// Frames lost by a link or a worker.
    #[param(readback)]
    pub lost: u64,
    /// Frames that are kept or on the way.
    #[param(readback)]
    pub queued: u64,
    /// Frames taken back from workers that were gone.
    #[param(readback)]
    pub retaken: u64,
    /// Frames sent again, because a worker died: at most so many were handled twice.
    #[param(readback)]
    pub sent_again: u64,
}

/// Shares frames over workers.
pub struct LinkPool {
    params: LinkPoolParams,
    pool: Option<Pool>,
    begun: Begun,
}

/// A wait is interrupted so often, to look for workers that are gone, and whether the run was aborted.
const LOOK: Duration = Duration::from_millis(50);
/// So long nothing is completed before workers are told the end: a node may keep its last frame until then.
const STUCK_NS: u64 = 5_000_000_000;
/// How long an aborted run waits for a worker's word which frames it has.
const FAREWELL: Duration = Duration::from_secs(1);

/// All links of a running pool.
struct Pool {
    links: Vec<Arc<Link<Worker>>>,
    threads: Vec<JoinHandle<()>>,
    /// Frames taken back that no worker has got yet. They come before new ones.
    again: VecDeque<Frame>,
    bell: Arc<Bell>,
    /// More frames and bytes are for frames that were taken back.
    most: (u64, u64),
    retake_after: Duration,
    /// The link whose turn it is, of several with the same load.
    turn: usize,
    /// Frames so far.
    offered: u64,
    /// For the nodes that handle the results.
    progress: Arc<Progress>,
}

impl Pool {
    /// Takes frames back from workers that are gone, and gives them to others.
    fn tend(&mut self) {
        for link in &self.links {
            let retake_after = self.retake_after;
            if link.look(|worker, now_ns| worker.is_lost(retake_after, now_ns)) {
                self.again.extend(link.with(|worker, _| {
                    worker.give_up();
                    worker.renew();
                    worker.take_spare()
                }));
            }
        }
        while let Some(frame) = self.again.pop_front() {
            if self.place(&frame, (u64::MAX, u64::MAX)).is_none() {
                self.again.push_front(frame);
                return;
            }
        }
    }

    /// Gives a frame to the worker with the fewest, if one has room and fewer than `most` frames and bytes.
    fn place(&mut self, frame: &Frame, most: (u64, u64)) -> Option<()> {
        let (turn, count) = (self.turn, self.links.len());
        let loads = self.links.iter().enumerate().filter_map(|(number, link)| {
            let (frames, bytes) = link.look(|worker, _| worker.load())?;
            let turn = (number + count - turn) % count;
            (frames < most.0 && bytes < most.1).then_some((frames, bytes, turn, number))
        });
        let (_, _, _, number) = loads.min()?;
        self.turn = (number + 1) % count;
        self.links.get(number)?.with(|worker, _| match worker.offer(frame) {
            Ok(()) => Some(()),
            Err(NotTaken::TooLarge { .. }) => {
                worker.lose(LossReason::NodeError);
                self.progress.lose(frame.header().sequence);
                Some(())
            }
            // It has ended just now.
            Err(NotTaken::Full | NotTaken::Ended) => None,
        })
    }

    fn offer(&mut self, frame: &Frame) -> Option<()> {
        self.tend();
        if self.again.is_empty() { self.place(frame, self.most) } else { None }
    }

    /// True when no worker has been there for so long.
    fn is_alone_for(&self, limit: Duration) -> bool {
        self.links.iter().all(|link| link.look(|worker, now_ns| worker.is_alone_for(limit, now_ns)))
    }

    /// Counts a frame that no worker gets, in the account of the first link.
    fn lose(&self, frame: &Frame, reason: LossReason) {
        self.progress.lose(frame.header().sequence);
        self.links.iter().take(1).for_each(|link| link.with(|worker, _| worker.lose(reason)));
    }

    /// Frames at workers, and frames that they have completed.
    fn standing(&self) -> (u64, u64) {
        let accounts = self.links.iter().map(|link| link.look(|worker, _| worker.account()));
        accounts.fold((0, 0), |sum, account| (sum.0 + account.queued, sum.1 + account.delivered))
    }

    /// No frame will follow for workers that are there.
    fn finish(&self) {
        self.links.iter().for_each(|link| link.with(|worker, _| worker.finish()));
    }

    /// True when each worker that is there has ended.
    fn has_ended(&self) -> bool {
        self.links.iter().all(|link| link.look(|worker, _| worker.has_ended() || !worker.is_connected()))
    }

    /// Loses all frames that are left.
    fn give_up(&mut self, reason: LossReason) {
        for link in &self.links {
            self.again.extend(link.with(|worker, _| {
                worker.give_up();
                worker.take_spare()
            }));
        }
        let left = std::mem::take(&mut self.again);
        left.iter().for_each(|frame| self.lose(frame, reason));
    }

    /// Workers that have ended may come back for frames that are left.
    fn invite(&self) {
        for link in self.links.iter().filter(|link| link.look(|worker, _| worker.has_ended())) {
            link.with(|worker, _| worker.renew());
        }
    }
}

impl Node for LinkPool {
    type Params = LinkPoolParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "link_pool",
        "Shares frames over workers: several runs with a link_in each.",
        &[PortSpec::any("in")],
    );

    fn new(params: LinkPoolParams) -> Result<LinkPool, NodeError> {
        Ok(LinkPool { params, pool: None, begun: Begun::default() })
    }

    fn params(&mut self) -> &mut LinkPoolParams {
        self.read_back();
        &mut self.params
    }

    fn keeps(&self, inputs: &[Stream], _outputs: &[Stream]) -> Kept {
        // Frames that are taken back leave one window and enter another one.
        let LinkPoolParams { window_frames, window_bytes, max_frame_bytes, .. } = self.params;
        let bounds = Bounds { frames: window_frames, bytes: window_bytes, frame_bytes: max_frame_bytes };
        let of_link = bounds.frames_of(inputs.first()).unwrap_or(bounds.bytes);
        Kept { of_run: of_link.saturating_mul(self.addresses().len() as u64), own: 0 }
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let settings = self.settings()?;
        let LinkPoolParams { window_frames, window_bytes, retake_after, .. } = self.params;
        let progress = ctx.service::<Pools>().of(ctx.name());
        progress.begin();
        let mut pool = Pool {
            links: Vec::new(),
            threads: Vec::new(),
            again: VecDeque::new(),
            bell: progress.bell.clone(),
            most: (window_frames, window_bytes),
            retake_after: Duration::from_secs_f64(retake_after),
            turn: 0,
            offered: 0,
            progress,
        };
        let addresses = self.addresses();
        let keys = self.keys(addresses.len())?;
        if let Some(topic) = addresses.iter().find(|to| to.starts_with("kafka:")) {
            let wanted = "`to`: wanted workers over tcp or zmq, whose load the pool knows";
            return Err(NodeError::new(format_args!("{wanted}, found `{topic}`")));
        }
        // All of them are read before the first thread starts.
        let carriers = addresses.iter().zip(keys).map(|(to, keys)| {
            // Each worker has an epoch of its own, which no carrier of a pool needs to know.
            link::connect(to, &link::Side { settings: &settings, keys, epoch: 0 })
        });
        let carriers = carriers.collect::<Result<Vec<_>, _>>()?;
        for (address, carrier) in addresses.iter().zip(carriers) {
            let worker = Worker::new(address, settings.clone(), ctx.teller(), pool.bell.clone());
            let link = Link::new(worker, ctx.teller(), None);
            let (counted, node, cut) = (link.clone(), ctx.name().to_owned(), self.params.link.clone());
            ctx.service::<Cuts>().add(move || {
                let parts = counted.look(|worker, _| worker.parts());
                parts.iter().map(|part| cut_account(&node, &cut, CutSide::Sender, part)).collect()
            });
            // Workers send no frames.
            pool.threads.push(link.start(ctx.name(), carrier, FramePool::new(0))?);
            pool.links.push(link);
        }
        (self.pool, self.begun) = (Some(pool), Begun::with(&self.params));
        ctx.set_timer(Some(ctx.now_ns() + LOOK.as_nanos() as u64));
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        if let Payload::Any(_) = frame.payload() {
            return Err(NodeError::new(
                "wanted an array, a table or bytes, found a value of a program's own type",
            ));
        }
        let patience = self.patience();
        let Some(pool) = &mut self.pool else { return Ok(()) };
        pool.offered += 1;
        // Results that wait for a lost worker's frame must leave it a way.
        while pool.progress.is_far_ahead() && !ctx.is_aborting() && !pool.is_alone_for(patience) {
            let seen = pool.bell.rung();
            pool.tend();
            if pool.progress.is_far_ahead() {
                pool.bell.wait(seen, LOOK);
            }
        }
        pool.progress.take(frame.header().sequence);
        loop {
            let seen = pool.bell.rung();
            if ctx.is_aborting() {
                pool.lose(frame, LossReason::Aborted);
            } else if pool.offer(frame).is_none() {
                if !pool.is_alone_for(patience) {
                    pool.bell.wait(seen, LOOK);
                    continue;
                }
                pool.lose(frame, LossReason::LinkDown);
            }
            return Ok(());
        }
    }

    /// Frames of a worker that is gone do not wait for the next new frame.
    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.pool.iter_mut().for_each(Pool::tend);
        ctx.set_timer(Some(ctx.now_ns() + LOOK.as_nanos() as u64));
        Ok(())
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let patience = self.patience();
        let Some(pool) = &mut self.pool else { return Ok(()) };
        let mut last = (pool.standing(), ctx.now_ns());
        while !ctx.is_aborting() {
            let seen = pool.bell.rung();
            pool.tend();
            let (standing, now_ns) = (pool.standing(), ctx.now_ns());
            if standing != last.0 {
                last = (standing, now_ns);
            }
            let is_stuck = now_ns - last.1 > pool.retake_after.as_nanos() as u64 + STUCK_NS;
            if !pool.again.is_empty() {
                pool.invite();
            } else if standing.0 == 0 || is_stuck {
                pool.finish();
                if standing.0 == 0 && pool.has_ended() {
                    break;
                }
            }
            if pool.is_alone_for(patience) {
                pool.give_up(LossReason::PeerGone);
                break;
            }
            pool.bell.wait(seen, LOOK);
        }
        pool.progress.end();
        Ok(())
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let Some(pool) = &self.pool else { return Ok(()) };
        let is_used =
            pool.offered > 0 || pool.links.iter().any(|link| link.look(|worker, _| worker.meetings > 0));
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
        let Some(mut pool) = self.pool.take() else { return };
        for link in &pool.links {
            link.with(|worker, _| worker.abort("the sending run was aborted"));
        }
        for link in &pool.links {
            let limit = if link.look(|worker, _| worker.is_connected()) { FAREWELL } else { Duration::ZERO };
            link.wait(limit, |worker, _| worker.has_ended().then_some(()));
        }
        pool.give_up(LossReason::Aborted);
        pool.links.iter().for_each(|link| link.close());
        pool.progress.end();
        // They end by themselves; a panic there was reported.
        pool.threads.drain(..).for_each(|thread| _ = thread.join());
        read(&mut self.params, &pool);
    }
}

impl Drop for LinkPool {
    /// A node that is dropped without a stop leaves no thread behind.
    fn drop(&mut self) {
        self.pool.iter().flat_map(|pool| &pool.links).for_each(|link| link.close());
    }
}

impl LinkPool {
    fn patience(&self) -> Duration {
        Duration::from_secs_f64(self.params.peers_within)
    }

    fn addresses(&self) -> Vec<&str> {
        self.params.to.split(',').map(str::trim).collect()
    }

    /// The folder of keys for each of `workers` links.
    fn keys(&self, workers: usize) -> Result<Vec<&str>, NodeError> {
        if self.params.keys.is_empty() {
            return Ok(vec![""; workers]);
        }
        let keys: Vec<&str> = self.params.keys.split(',').map(str::trim).collect();
        if keys.len() != workers {
            let found = keys.len();
            let wanted = "`keys`: wanted one folder for each address in `to`";
            return Err(NodeError::new(format_args!("{wanted}, {workers}, found {found}")));
        }
        Ok(keys)
    }

    fn settings(&self) -> Result<Settings, NodeError> {
        let cut = link::cut(&self.params.link, &self.params.pipeline)?;
        // Frames that were taken back from one worker have room in the windows of the others.
        let LinkPoolParams { window_frames, window_bytes, max_frame_bytes, .. } = self.params;
        let bounds =
            Bounds { frames: 2 * window_frames, bytes: 2 * window_bytes, frame_bytes: max_frame_bytes };
        Ok(Settings { retakes: true, ..link::settings(cut, Retain::Completed, &bounds) })
    }

    fn read_back(&mut self) {
        self.pool.iter().for_each(|pool| read(&mut self.params, pool));
    }
}

fn read(params: &mut LinkPoolParams, pool: &Pool) {
    let (mut sum, mut workers, mut meetings) = (livetime_link::Account::default(), 0, 0);
    for link in &pool.links {
        link.look(|worker, _| {
            sum.add(&worker.account());
            workers += usize::from(worker.is_connected());
            meetings += worker.meetings;
        });
    }
    (params.workers, params.meetings) = (workers, meetings);
    (params.offered, params.delivered) = (pool.offered, sum.delivered);
    (params.lost, params.queued) = (sum.lost.total(), sum.queued + pool.again.len() as u64);
    (params.retaken, params.sent_again) = (sum.retaken, sum.sent_again);
}
