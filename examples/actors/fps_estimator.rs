//! Pictures per second on several channels; and what the engine knows of every agent without being asked: arrival rate,
//! throughput, waiting time and service time, whose sum is the latency.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

mod pictures;

use std::time::Duration;

use livetime_actors::{Agent, AgentError, Channel, Context, Placement, System, Timer};
use livetime_frame::Frame;
use pictures::Camera;

struct Estimator {
    channels: Vec<Channel<Frame>>,
    counts: Vec<u64>,
    tick: Channel<()>,
    timer: Option<Timer>,
    since_ns: u64,
}

impl Agent for Estimator {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        for (i, channel) in self.channels.iter().enumerate() {
            ctx.on(channel, move |me: &mut Self, _: Frame, _: &mut Context<Self>| me.counts[i] += 1);
        }
        ctx.on(&self.tick, Self::log);
        self.timer = Some(ctx.every(Duration::from_millis(100), &self.tick, ()));
        self.since_ns = ctx.now_ns();
        Ok(())
    }
}

impl Estimator {
    fn log(&mut self, _: (), ctx: &mut Context<Self>) {
        let now_ns = ctx.now_ns();
        let seconds = (now_ns - self.since_ns) as f64 * 1e-9;
        for (channel, count) in self.channels.iter().zip(&mut self.counts) {
            println!("{}: {:.0} pictures/s", channel.name(), std::mem::take(count) as f64 / seconds);
        }
        self.since_ns = now_ns;
    }
}

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let channels = vec![system.channel::<Frame>("left")?, system.channel::<Frame>("right")?];
    let estimator = Estimator {
        channels: channels.clone(),
        counts: vec![0; channels.len()],
        tick: system.channel("tick")?,
        timer: None,
        since_ns: 0,
    };
    system.group("monitors").placement(Placement::group("monitors")).add("fps", estimator).start()?;
    let mut camera = Camera::new();
    for i in 0..100 {
        channels[i % 3 % 2].publish(camera.take()?);
        std::thread::sleep(Duration::from_millis(3));
    }
    let report = system.stop(Duration::from_secs(5));
    for agent in &report.agents {
        println!(
            "{}: arrival {:.0}/s, throughput {:.0}/s, waiting {} ns, service {} ns, latency {} ns",
            agent.name,
            agent.arrival_rate_hz(),
            agent.throughput_hz(),
            agent.waiting.mean_ns(),
            agent.service.mean_ns(),
            agent.latency.mean_ns()
        );
    }
    assert!(report.agent("fps").is_some_and(|fps| fps.completed >= 100));
    Ok(())
}
