//! Frames from a pool, as fast as they can be made, to agents on threads of their own. No frame is lost.

use std::time::{Duration, Instant};

use livetime_engine::actors::{Address, Agent, AgentError, Chain, Channel, Context, Publisher, System};
use livetime_engine::{EdgeOptions, WhenFull};
use livetime_frame::{Allocator, Frame, FramePool};

use super::{PATIENCE, Sample, missing};

/// Frames made by one call of a producer.
const BATCH: u64 = 64;
const LOSSLESS: EdgeOptions =
    EdgeOptions { when_full: WhenFull::Block, queue: 1024, every: 1, max_rate_hz: None };
const FRAME_BYTES: usize = 64;

/// Makes frames step by step, so that it could be told to stop in between.
struct Producer {
    to: Publisher<Frame>,
    allocator: Allocator,
    left: u64,
    again: Option<Address<()>>,
    go: Channel<()>,
}

impl Agent for Producer {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        self.again = Some(ctx.inbox(Self::step));
        ctx.on(&self.go, Self::step);
        Ok(())
    }
}

impl Producer {
    fn step(&mut self, _: (), ctx: &mut Context<Self>) -> Result<(), AgentError> {
        for _ in 0..BATCH.min(self.left) {
            let frame = self.allocator.bytes(FRAME_BYTES).map_err(AgentError::new)?;
            ctx.publish(&mut self.to, frame.freeze());
        }
        self.left -= BATCH.min(self.left);
        if self.left > 0
            && let Some(again) = &self.again
        {
            ctx.send(again, ());
        }
        Ok(())
    }
}

/// Counts frames.
struct Counter {
    from: Channel<Frame>,
    left: u64,
    done: Chain<()>,
}

impl Agent for Counter {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.from, Self::frame).options(LOSSLESS);
        Ok(())
    }
}

impl Counter {
    fn frame(&mut self, frame: Frame, _: &mut Context<Self>) -> Result<(), AgentError> {
        drop(frame);
        self.left -= 1;
        if self.left == 0 {
            self.done.send(());
        }
        Ok(())
    }
}

/// The subscribers, and where each says that it has all `frames`.
fn subscribers(
    system: &System,
    count: usize,
    frames: u64,
) -> Result<(Channel<Frame>, Chain<()>), AgentError> {
    let (channel, done) = (system.channel::<Frame>("frames")?, Chain::new(count));
    for i in 0..count {
        let counter = Counter { from: channel.clone(), left: frames, done: done.clone() };
        system.group(&format!("counter{i}")).add(&format!("counter{i}"), counter).start()?;
    }
    Ok((channel, done))
}

/// Time per frame until the last subscriber has had the last frame.
fn until_done(
    system: System,
    count: usize,
    frames: u64,
    start: Instant,
    done: &Chain<()>,
) -> Result<Sample, AgentError> {
    for _ in 0..count {
        done.receive(PATIENCE).ok_or_else(missing)?;
    }
    let ns = start.elapsed().as_nanos() as f64 / frames as f64;
    let report = system.stop(PATIENCE);
    match report.unintended_losses() {
        0 => Ok(Sample::of(ns).waited(report.agent("counter0"))),
        lost => Err(AgentError::new(format!("wanted no loss, found {lost} frames lost"))),
    }
}

/// `producers` agents, which send `each` frames, to `receivers`.
pub(super) fn agents(producers: u64, receivers: usize, each: u64) -> Result<Sample, AgentError> {
    let (system, pool) = (System::default(), FramePool::new(1 << 28));
    let (channel, done) = subscribers(&system, receivers, producers * each)?;
    let go = system.channel::<()>("go")?;
    for i in 0..producers {
        let producer = Producer {
            to: channel.publisher(),
            allocator: pool.allocator(),
            left: each,
            again: None,
            go: go.clone(),
        };
        system.group(&format!("producer{i}")).add(&format!("producer{i}"), producer).start()?;
    }
    // All threads have come to rest.
    std::thread::sleep(Duration::from_millis(20));
    let start = Instant::now();
    go.publish(());
    until_done(system, receivers, producers * each, start, &done)
}

/// A thread that is no agent sends `frames` to one.
pub(super) fn thread(frames: u64) -> Result<Sample, AgentError> {
    let (system, pool) = (System::default(), FramePool::new(1 << 28));
    let (channel, done) = subscribers(&system, 1, frames)?;
    let (mut publisher, mut allocator) = (channel.publisher(), pool.allocator());
    let start = Instant::now();
    for _ in 0..frames {
        publisher.publish(allocator.bytes(FRAME_BYTES).map_err(AgentError::new)?.freeze());
    }
    until_done(system, 1, frames, start, &done)
}
