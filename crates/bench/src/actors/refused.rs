//! The cost of a message that a full input refuses and counts.

use std::time::Instant;

use livetime_actors::{Agent, AgentError, Chain, Channel, Context, System};
use livetime_engine::{EdgeOptions, LossReason, WhenFull};
use livetime_frame::{Frame, FramePool};

use super::sample::{PATIENCE, Sample, Setting, missing};

/// Stands still at its first frame.
struct Full {
    frames: Channel<Frame>,
    is_here: Chain<()>,
    go: Chain<()>,
}

impl Agent for Full {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        let one = EdgeOptions { when_full: WhenFull::DropNewest, queue: 1, ..EdgeOptions::default() };
        ctx.on(&self.frames, Self::frame).options(one);
        Ok(())
    }
}

impl Full {
    fn frame(&mut self, _: Frame, _: &mut Context<Self>) -> Result<(), AgentError> {
        self.is_here.send(());
        self.go.receive(PATIENCE);
        Ok(())
    }
}

pub(super) fn refused(setting: &Setting) -> Result<Sample, AgentError> {
    let (system, pool) = (System::default(), FramePool::new(1 << 20));
    let frames = system.channel::<Frame>("frames")?;
    let (is_here, go) = (Chain::new(2), Chain::new(2));
    let full = Full { frames: frames.clone(), is_here: is_here.clone(), go: go.clone() };
    system.group("full").add("full", full).start()?;
    let frame = pool.allocator().bytes(64).map_err(AgentError::new)?.freeze();
    let (mut publisher, messages) = (frames.publisher(), 10_000_000 / setting.scale);
    publisher.publish(frame.clone());
    is_here.receive(PATIENCE).ok_or_else(missing)?;
    // One is handled and one is queued; from here on all are refused.
    publisher.publish(frame.clone());
    let start = Instant::now();
    for _ in 0..messages {
        publisher.publish(frame.clone());
    }
    let ns = start.elapsed().as_nanos() as f64 / messages as f64;
    (0..2).for_each(|_| _ = go.send(()));
    let report = system.stop(PATIENCE);
    let lost = report.agent("full").and_then(|a| a.inputs.first()?.lost.get(&LossReason::QueueFull).copied());
    // A refusal that is not counted would be faster, so a wrong count makes the measurement worthless.
    match lost.unwrap_or(0) {
        counted if counted == messages => Ok(Sample::of(ns)),
        counted => Err(AgentError::new(format!("wanted {messages} losses counted, found {counted}"))),
    }
}
