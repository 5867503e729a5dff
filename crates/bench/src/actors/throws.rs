//! A ball is thrown from agent to agent.

use std::time::{Duration, Instant};

use livetime_actors::{
    Agent, AgentError, Chain, Channel, ChannelKind, Context, Placement, Publisher, System,
};

use super::sample::{PATIENCE, Sample, Setting, missing};

/// How often the ball is still to be thrown.
type Ball = u64;

/// Throws every ball on, until it is not to be thrown any more.
struct Player {
    from: Channel<Ball>,
    to: Publisher<Ball>,
    done: Chain<()>,
    /// Each ball renews a time limit.
    is_limited: bool,
}

impl Player {
    fn new(from: &Channel<Ball>, to: &Channel<Ball>, done: &Chain<()>) -> Player {
        Player { from: from.clone(), to: to.publisher(), done: done.clone(), is_limited: false }
    }

    fn ball(&mut self, left: Ball, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        if self.is_limited {
            ctx.renew_limit();
        }
        match left {
            0 => _ = self.done.send(()),
            left => _ = ctx.publish(&mut self.to, left - 1),
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Up,
    Down,
}

impl Agent for Player {
    type State = State;

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        if self.is_limited {
            ctx.limit_state(Duration::from_millis(500), State::Down);
        }
        ctx.on(&self.from, Self::ball);
        Ok(())
    }
}

/// From the throw of a ball that is thrown `throws` times until it lies, per throw.
fn throw(system: System, first: &Channel<Ball>, throws: u64, done: &Chain<()>) -> Result<Sample, AgentError> {
    let start = Instant::now();
    first.publish(throws);
    done.receive(PATIENCE).ok_or_else(missing)?;
    let ns = start.elapsed().as_nanos() as f64 / throws as f64;
    Ok(Sample::of(ns).waited(system.stop(PATIENCE).agents.first()))
}

fn between_two(placement: Placement, throws: u64) -> Result<Sample, AgentError> {
    let system = System::default();
    let (ping, pong) = (system.channel("ping")?, system.channel("pong")?);
    let done = Chain::new(1);
    let group = system.group("game").placement(placement);
    group.add("a", Player::new(&ping, &pong, &done)).add("b", Player::new(&pong, &ping, &done)).start()?;
    throw(system, &ping, throws, &done)
}

pub(super) fn hop(setting: &Setting) -> Result<Sample, AgentError> {
    between_two(Placement::group("both"), 10_000_000 / setting.scale)
}

pub(super) fn round_trip(setting: &Setting) -> Result<Sample, AgentError> {
    let one_way = between_two(Placement::Own, 1_000_000 / setting.scale)?;
    // Two throws are a round trip.
    Ok(Sample { ns: 2.0 * one_way.ns, ..one_way })
}

pub(super) fn ring(setting: &Setting) -> Result<Sample, AgentError> {
    const AGENTS: usize = 1000;
    let system = System::default();
    let channels: Vec<Channel<Ball>> =
        (0..AGENTS).map(|i| Channel::new(&format!("link {i}"), ChannelKind::Broadcast)).collect();
    let done = Chain::new(1);
    let mut group = system.group("ring").placement(Placement::group("ring"));
    for (i, from) in channels.iter().enumerate() {
        group = group.add(&format!("{i}"), Player::new(from, &channels[(i + 1) % AGENTS], &done));
    }
    group.start()?;
    throw(system, &channels[0], 10_000_000 / setting.scale, &done)
}

/// The time that renewing a time limit adds to a message that an agent sends itself.
pub(super) fn time_limit(setting: &Setting) -> Result<Sample, AgentError> {
    let alone = |is_limited: bool| {
        let system = System::default();
        let channel = system.channel("frames")?;
        let done = Chain::new(1);
        let player = Player { is_limited, ..Player::new(&channel, &channel, &done) };
        system.group("watcher").add("watcher", player).start()?;
        throw(system, &channel, 10_000_000 / setting.scale, &done)
    };
    let plain = alone(false)?.ns;
    Ok(Sample::of(alone(true)?.ns - plain))
}
