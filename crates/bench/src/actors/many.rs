//! Many agents.

use std::time::Instant;

use livetime_actors::{Address, Agent, AgentError, Chain, Channel, Context, Placement, System};

use super::sample::{PATIENCE, Sample, Setting, missing};

/// An agent without any work.
struct Idle;

impl Agent for Idle {
    type State = ();

    fn start(&mut self, _: &mut Context<Self>) -> Result<(), AgentError> {
        Ok(())
    }
}

/// Starts the number of agents in a message.
struct Parent {
    wanted: Channel<u64>,
    done: Chain<()>,
}

impl Agent for Parent {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.wanted, Self::spawn);
        Ok(())
    }
}

impl Parent {
    fn spawn(&mut self, count: u64, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        (0..count).try_for_each(|_| ctx.spawn(Idle))?;
        self.done.send(());
        Ok(())
    }
}

/// An agent starts others.
pub(super) fn start(setting: &Setting) -> Result<Sample, AgentError> {
    let system = System::default();
    let (wanted, done, count) = (system.channel("wanted")?, Chain::new(1), 200_000 / setting.scale);
    system.group("parent").add("parent", Parent { wanted: wanted.clone(), done: done.clone() }).start()?;
    let start = Instant::now();
    wanted.publish(count);
    done.receive(PATIENCE).ok_or_else(missing)?;
    Ok(Sample::of(start.elapsed().as_nanos() as f64 / count as f64))
}

/// A thread that is no agent starts groups of one agent each, all of them on one other thread.
pub(super) fn start_groups(setting: &Setting) -> Result<Sample, AgentError> {
    let system = System::default();
    let count = (20_000 / setting.scale).max(1);
    let start = Instant::now();
    for _ in 0..count {
        system.group("one").placement(Placement::group("all")).add("idle", Idle).start()?;
    }
    Ok(Sample::of(start.elapsed().as_nanos() as f64 / count as f64))
}

/// Starts ten others, and adds up their results; a leaf sends its number.
struct Skynet {
    parent: Parentage,
    number: u64,
    size: u64,
    sum: u64,
    answers: u32,
}

/// To whom the sum is sent.
enum Parentage {
    Root(Chain<u64>),
    Child(Address<u64>),
}

impl Skynet {
    fn new(parent: Parentage, number: u64, size: u64) -> Skynet {
        Skynet { parent, number, size, sum: 0, answers: 0 }
    }

    fn answer(&mut self, sum: u64, ctx: &mut Context<Self>) {
        match &self.parent {
            Parentage::Root(chain) => _ = chain.send(sum),
            Parentage::Child(parent) => _ = ctx.send(parent, sum),
        }
    }

    fn number(&mut self, number: u64, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        self.sum += number;
        self.answers += 1;
        if self.answers == 10 {
            self.answer(self.sum, ctx);
        }
        Ok(())
    }
}

impl Agent for Skynet {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        if self.size == 1 {
            self.answer(self.number, ctx);
            return Ok(());
        }
        let (own, size) = (ctx.inbox(Self::number), self.size / 10);
        (0..10).try_for_each(|i| {
            ctx.spawn(Skynet::new(Parentage::Child(own.clone()), self.number + i * size, size))
        })
    }
}

/// A million leaves and 111,111 agents above them. The measured time is the whole time.
pub(super) fn skynet(setting: &Setting) -> Result<Sample, AgentError> {
    let leaves: u64 = if setting.scale == 1 { 1_000_000 } else { 1_000 };
    // The sum of 1, 10, 100 … up to the leaves.
    let agents = (leaves * 10 - 1) / 9;
    let (system, answer) = (System::default(), Chain::new(1));
    let before = (setting.allocated)().bytes;
    let start = Instant::now();
    let root = Skynet::new(Parentage::Root(answer.clone()), 0, leaves);
    system.group("skynet").add("skynet", root).start()?;
    let sum = answer.receive(PATIENCE).ok_or_else(missing)?;
    let ns = start.elapsed().as_nanos() as f64;
    let bytes = (setting.allocated)().bytes.saturating_sub(before) as f64 / agents as f64;
    // The sum proves that each of the million agents has run and has answered.
    match leaves * (leaves - 1) / 2 {
        wanted if wanted == sum => Ok(Sample { ns, bytes: Some(bytes), ..Sample::default() }),
        wanted => Err(AgentError::new(format!("wanted the sum {wanted}, found {sum}"))),
    }
}
