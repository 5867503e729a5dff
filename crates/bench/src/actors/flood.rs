//! Messages as fast as they can be made, to agents on threads of their own. None is lost.
//!
//! In the rows that are compared with another engine both sides allocate a picture for each message, and both sides'
//! producers are the same: agents, or plain threads. All of them are there and at rest before the clock starts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_actors::{Address, Agent, AgentError, Chain, Channel, Context, Publisher, System};
use livetime_engine::{EdgeOptions, WhenFull};
use livetime_frame::{Allocator, Frame, FramePool};

use super::sample::{PATIENCE, Sample, missing};

/// Messages made by one call of a producer.
const BATCH: u64 = 64;
const LOSSLESS: EdgeOptions = EdgeOptions {
    when_full: WhenFull::Block,
    queue: 1024,
    every: 1,
    max_rate_hz: None,
    max_bytes_per_s: None,
};
/// Small, so that the measured time is spent on passing frames on, and not on filling them.
const FRAME_BYTES: usize = 64;

/// Makes messages.
trait Source: Send + 'static {
    type Message: Clone + Send + 'static;

    fn next(&mut self) -> Result<Self::Message, AgentError>;
}

/// As large as a frame of the same bytes.
struct Picture {
    _number: u64,
    _bytes: [u8; FRAME_BYTES],
}

/// Takes each picture from the system's allocator.
#[derive(Default)]
struct Allocated(u64);

impl Source for Allocated {
    type Message = Arc<Picture>;

    fn next(&mut self) -> Result<Arc<Picture>, AgentError> {
        self.0 += 1;
        Ok(Arc::new(Picture { _number: self.0, _bytes: [0; FRAME_BYTES] }))
    }
}

impl Source for Allocator {
    type Message = Frame;

    fn next(&mut self) -> Result<Frame, AgentError> {
        Ok(self.bytes(FRAME_BYTES).map_err(AgentError::new)?.freeze())
    }
}

/// Makes messages step by step, so that it could be stopped in between.
struct Producer<S: Source> {
    to: Publisher<S::Message>,
    source: S,
    left: u64,
    again: Option<Address<()>>,
    go: Channel<()>,
}

impl<S: Source> Agent for Producer<S> {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        self.again = Some(ctx.inbox(Self::step));
        ctx.on(&self.go, Self::step);
        Ok(())
    }
}

impl<S: Source> Producer<S> {
    fn step(&mut self, _: (), ctx: &mut Context<Self>) -> Result<(), AgentError> {
        for _ in 0..BATCH.min(self.left) {
            let message = self.source.next()?;
            ctx.publish(&mut self.to, message);
        }
        self.left -= BATCH.min(self.left);
        // The producer sends itself a message between batches, so that other messages of its thread get their turn.
        if self.left > 0
            && let Some(again) = &self.again
        {
            ctx.send(again, ());
        }
        Ok(())
    }
}

/// Counts messages.
struct Counter<M: Clone + Send + 'static> {
    from: Channel<M>,
    left: u64,
    done: Chain<()>,
}

impl<M: Clone + Send + 'static> Agent for Counter<M> {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.from, Self::message).options(LOSSLESS);
        Ok(())
    }
}

impl<M: Clone + Send + 'static> Counter<M> {
    fn message(&mut self, message: M, _: &mut Context<Self>) -> Result<(), AgentError> {
        // The message is dropped inside the measured time, since the release of a frame is a part of its cost.
        drop(message);
        self.left -= 1;
        if self.left == 0 {
            self.done.send(());
        }
        Ok(())
    }
}

/// Subscribers on threads of their own, and where each says that it has all messages.
struct Flood<M> {
    system: System,
    channel: Channel<M>,
    receivers: usize,
    messages: u64,
    done: Chain<()>,
}

impl<M: Clone + Send + 'static> Flood<M> {
    fn new(receivers: usize, messages: u64) -> Result<Flood<M>, AgentError> {
        let (system, done) = (System::default(), Chain::new(receivers));
        let channel = system.channel::<M>("frames")?;
        for i in 0..receivers {
            let counter = Counter { from: channel.clone(), left: messages, done: done.clone() };
            system.group(&format!("counter{i}")).add(&format!("counter{i}"), counter).start()?;
        }
        Ok(Flood { system, channel, receivers, messages, done })
    }

    /// Time per message from `go` until the last subscriber has had the last one.
    fn time(self, go: impl FnOnce()) -> Result<Sample, AgentError> {
        // All threads have come to rest.
        std::thread::sleep(Duration::from_millis(20));
        let start = Instant::now();
        // The clock starts before the first message and stops after the last receiver has all of them.
        go();
        for _ in 0..self.receivers {
            self.done.receive(PATIENCE).ok_or_else(missing)?;
        }
        let ns = start.elapsed().as_nanos() as f64 / self.messages as f64;
        let report = self.system.stop(PATIENCE);
        // A message that is lost costs less, so its time must not count.
        match report.unintended_losses() {
            0 => Ok(Sample::of(ns).waited(report.agent("counter0"))),
            lost => Err(AgentError::new(format!("wanted no loss, found {lost} messages lost"))),
        }
    }
}

/// `producers` agents on threads of their own, which send `each` messages, to `receivers`.
fn from_agents<S: Source>(
    producers: u64,
    receivers: usize,
    each: u64,
    source: impl Fn() -> S,
) -> Result<Sample, AgentError> {
    let flood = Flood::new(receivers, producers * each)?;
    let go = flood.system.channel::<()>("go")?;
    for i in 0..producers {
        let to = flood.channel.publisher();
        let producer = Producer { to, source: source(), left: each, again: None, go: go.clone() };
        flood.system.group(&format!("producer{i}")).add(&format!("producer{i}"), producer).start()?;
    }
    flood.time(|| _ = go.publish(()))
}

/// Agents that allocate each message.
pub(super) fn agents(producers: u64, receivers: usize, each: u64) -> Result<Sample, AgentError> {
    from_agents(producers, receivers, each, Allocated::default)
}

/// Agents that take frames from a pool.
pub(super) fn pooled(producers: u64, receivers: usize, each: u64) -> Result<Sample, AgentError> {
    let pool = FramePool::new(1 << 28);
    from_agents(producers, receivers, each, || pool.allocator())
}

/// `producers` threads that are no agents, which allocate and send `each` messages, to one agent.
pub(super) fn threads(producers: u64, each: u64) -> Result<Sample, AgentError> {
    let flood = Flood::new(1, producers * each)?;
    // The barrier lets all producers begin at one moment, with their threads already running.
    let start = Arc::new(std::sync::Barrier::new(producers as usize + 1));
    let mut joins = Vec::new();
    for _ in 0..producers {
        let (mut to, mut source, start) = (flood.channel.publisher(), Allocated::default(), start.clone());
        joins.push(std::thread::spawn(move || {
            start.wait();
            (0..each).try_for_each(|_| source.next().map(|message| _ = to.publish(message)))
        }));
    }
    let sample = flood.time(|| _ = start.wait())?;
    for join in joins {
        join.join().map_err(|_| AgentError::new("a producer panicked"))??;
    }
    Ok(sample)
}
