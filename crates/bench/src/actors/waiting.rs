//! The latency of regular messages, and the CPU time of waiting for them.

use std::time::{Duration, Instant};

use livetime_actors::{Agent, AgentError, Chain, Channel, Context, System, ThreadOptions};
use livetime_engine::WaitStrategy;
use livetime_measure::{process_cpu, thread_cpu};

use rustix::thread::CpuSet;

use super::sample::{PATIENCE, Sample, Setting, missing};

/// 2 kHz: rare enough that threads sleep in between.
const PERIOD: Duration = Duration::from_micros(500);

/// Notes how long ago messages were sent.
struct Listener {
    from: Channel<Instant>,
    waits: Vec<f64>,
    wanted: usize,
    done: Chain<Vec<f64>>,
}

impl Agent for Listener {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.from, Self::message);
        Ok(())
    }
}

impl Listener {
    fn message(&mut self, sent: Instant, _: &mut Context<Self>) -> Result<(), AgentError> {
        self.waits.push(sent.elapsed().as_nanos() as f64);
        if self.waits.len() == self.wanted {
            self.done.send(std::mem::take(&mut self.waits));
        }
        Ok(())
    }
}

pub(super) fn adaptive(setting: &Setting) -> Result<Sample, AgentError> {
    waiting(WaitStrategy::Adaptive, 6_000 / setting.scale.min(100))
}

pub(super) fn predicting(setting: &Setting) -> Result<Sample, AgentError> {
    waiting(WaitStrategy::Predict, 6_000 / setting.scale.min(100))
}

pub(super) fn parked(setting: &Setting) -> Result<Sample, AgentError> {
    waiting(WaitStrategy::Park, 6_000 / setting.scale.min(100))
}

fn waiting(wait: WaitStrategy, messages: u64) -> Result<Sample, AgentError> {
    let system = System::default();
    let (channel, done) = (system.channel::<Instant>("messages")?, Chain::new(1));
    let wanted = messages as usize;
    let listener =
        Listener { from: channel.clone(), waits: Vec::with_capacity(wanted), wanted, done: done.clone() };
    // The threads are pinned to different CPUs, as a detector's thread and its receiver would be. Otherwise
    // the kernel puts two threads that mostly sleep on one CPU, and the receiver continues only when the
    // sender sleeps again.
    let cpus = rustix::thread::sched_getaffinity(None).map_err(AgentError::new)?;
    let [own, other] = two_of(&cpus);
    let threads = ThreadOptions { wait, cpus: other.into_iter().collect(), ..ThreadOptions::default() };
    system.group("listener").threads(threads).add("listener", listener).start()?;
    let mut publisher = channel.publisher();
    pin(own)?;
    let (start, all_before, own_before) = (Instant::now(), process_cpu(), thread_cpu());
    for i in 1..=messages {
        // Counted from the start and not from the last message, so that delays do not add up.
        std::thread::sleep((start + PERIOD * i as u32).saturating_duration_since(Instant::now()));
        publisher.publish(Instant::now());
    }
    // Later measurements of this thread must see all CPUs again.
    rustix::thread::sched_setaffinity(None, &cpus).map_err(AgentError::new)?;
    let mut waits = done.receive(PATIENCE).ok_or_else(missing)?;
    // The sender sleeps and sends on this thread, so its time is not the receiver's.
    let cpu = (process_cpu() - all_before).saturating_sub(thread_cpu() - own_before);
    let cores = cpu.as_secs_f64() / start.elapsed().as_secs_f64();
    waits.sort_by(f64::total_cmp);
    let at = |percent: usize| waits[(waits.len() - 1) * percent / 100];
    Ok(Sample { ns: at(50), p50_ns: Some(at(50)), p99_ns: Some(at(99)), cores: Some(cores), bytes: None })
}

/// Two CPUs that this thread may run on, if there are.
fn two_of(cpus: &CpuSet) -> [Option<usize>; 2] {
    let mut found = (0..CpuSet::MAX_CPU).filter(|cpu| cpus.is_set(*cpu));
    match [found.next(), found.next()] {
        [Some(first), Some(second)] => [Some(first), Some(second)],
        _ => [None, None],
    }
}

fn pin(cpu: Option<usize>) -> Result<(), AgentError> {
    let Some(cpu) = cpu else { return Ok(()) };
    let mut set = CpuSet::new();
    set.set(cpu);
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}
