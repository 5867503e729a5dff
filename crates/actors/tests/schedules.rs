//! Random agents under random schedules in virtual time: accounts close at every step, order and lossless inputs are
//! kept, whatever fails.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use livetime_actors::*;
use livetime_runtime::Random;
use proptest::prelude::*;

/// A message knows its sender, and its number among the sender's messages.
#[derive(Clone, Copy, Debug)]
struct Message {
    sender: usize,
    number: u64,
}

/// State that all incarnations of an agent share with the test.
#[derive(Default)]
struct Memory {
    sent: u64,
    /// The last message of each sender.
    last: HashMap<usize, u64>,
    handled: u64,
    disorder: Option<String>,
}

type Known = Arc<Mutex<Memory>>;

/// Sends itself one message after the other, and publishes one for each.
struct Source {
    id: usize,
    left: u64,
    again: Option<Address<()>>,
    out: Publisher<Message>,
    known: Known,
}

impl Agent for Source {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        let again = ctx.inbox(Self::next);
        ctx.send(&again, ());
        self.again = Some(again);
        Ok(())
    }
}

impl Source {
    fn next(&mut self, (): (), ctx: &mut Context<Self>) {
        let number = count(&self.known);
        ctx.publish(&mut self.out, Message { sender: self.id, number });
        self.left -= 1;
        if let Some(again) = self.again.as_ref().filter(|_| self.left > 0) {
            ctx.send(again, ());
        }
    }
}

fn count(known: &Known) -> u64 {
    let mut known = known.lock().unwrap();
    known.sent += 1;
    known.sent
}

/// Passes messages on under its own name; fails on some.
#[derive(Clone)]
struct Relay {
    id: usize,
    inputs: Vec<(Channel<Message>, EdgeOptions)>,
    fail_every: u64,
    panics: bool,
    out: Publisher<Message>,
    known: Known,
}

impl Agent for Relay {
    type State = bool;

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        for (channel, options) in &self.inputs {
            ctx.on(channel, Self::message).options(*options);
        }
        ctx.limit_state(Duration::from_millis(1), true);
        Ok(())
    }
}

impl Relay {
    fn message(&mut self, message: Message, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        let handled = {
            let mut known = self.known.lock().unwrap();
            known.handled += 1;
            let last = known.last.insert(message.sender, message.number);
            if last.is_some_and(|last| last >= message.number) {
                known.disorder = Some(format!("agent {}: {message:?} after {last:?}", self.id));
            }
            known.handled
        };
        if self.fail_every > 0 && handled.is_multiple_of(self.fail_every) {
            assert!(!self.panics, "a panic on purpose");
            return Err(AgentError::new("an error on purpose"));
        }
        let number = count(&self.known);
        ctx.publish(&mut self.out, Message { sender: self.id, number });
        Ok(())
    }
}

const POLICIES: [WhenFull; 4] =
    [WhenFull::Block, WhenFull::DropNewest, WhenFull::DropOldest, WhenFull::Latest];

fn placement(random: &mut Random) -> Placement {
    match random.below(5) {
        0 => Placement::Own,
        1 => Placement::group("a"),
        2 => Placement::group("b"),
        3 => Placement::pool("p", 2),
        _ => Placement::Pool { name: "q".into(), threads: 2, order: PoolOrder::ByGroup },
    }
}

fn options(random: &mut Random, policies: &[WhenFull]) -> EdgeOptions {
    EdgeOptions {
        when_full: policies[random.below(policies.len())],
        queue: 1 + random.below(6),
        every: 1 + (random.below(6) == 0 && policies.len() > 1) as u64 * 2,
        max_rate_hz: None,
        max_bytes_per_s: None,
    }
}

/// Two layers of relays behind some sources; returns what each knows.
fn build(system: &System, random: &mut Random, policies: &[WhenFull]) -> Vec<Known> {
    let (sources, relays) = (1 + random.below(3), 1 + random.below(5));
    let channels: Vec<Channel<Message>> =
        (0..sources + relays).map(|i| system.channel(&format!("c{i}")).unwrap()).collect();
    let known: Vec<Known> = channels.iter().map(|_| Known::default()).collect();
    let mut group = system.group("all");
    for id in (sources..sources + relays).rev() {
        let mut from: Vec<usize> = (0..1 + random.below(2)).map(|_| random.below(id)).collect();
        from.dedup();
        let inputs = from.iter().map(|i| (channels[*i].clone(), options(random, policies))).collect();
        let relay = Relay {
            id,
            inputs,
            fail_every: random.below(3) as u64 * 5,
            panics: random.below(2) == 0,
            out: channels[id].publisher(),
            known: known[id].clone(),
        };
        let what = match random.below(2) {
            0 => OnFailure::Ignore,
            _ => OnFailure::Restart { first: Duration::from_micros(100), most: 1000 },
        };
        group = group.placement(placement(random)).on_failure(what);
        group = group.add_factory(&format!("relay{id}"), move || relay.clone());
    }
    for id in 0..sources {
        let (out, known) = (channels[id].publisher(), known[id].clone());
        let source = Source { id, left: 1 + random.below(200) as u64, again: None, out, known };
        group = group.placement(placement(random)).add(&format!("source{id}"), source);
    }
    group.start().unwrap();
    known
}

fn assert_order(known: &[Known]) {
    for known in known {
        assert_eq!(known.lock().unwrap().disorder, None);
    }
}

fn quietly<R>(run: impl FnOnce() -> R) -> R {
    // Panics on purpose would fill the screen.
    std::panic::set_hook(Box::new(|info| {
        let text = info.payload().downcast_ref::<&str>().copied().unwrap_or_default();
        if text != "a panic on purpose" {
            eprintln!("{info}");
        }
    }));
    run()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn accounts_close_at_every_step_and_order_is_kept(seed in any::<u64>()) {
        quietly(|| {
            let mut random = Random::new(seed);
            let mut system = Simulation::new(seed);
            let known = build(&system, &mut random, &POLICIES);
            for step in 0..100_000 {
                if step % 13 == 0 {
                    let report = system.report();
                    for input in report.agents.iter().flat_map(|a| &a.inputs) {
                        assert!(input.is_closed(), "{input:?}");
                    }
                }
                if !system.step() {
                    break;
                }
            }
            let report = system.stop(100_000);
            assert_order(&known);
            assert_eq!(report.imbalances(), [""; 0]);
            assert!(report.agents.iter().all(|a| a.queued() == 0 && a.has_ended), "{report:#?}");
            assert!(report.failure.is_none(), "{report:#?}");
        });
    }

    #[test]
    fn a_lossless_channel_loses_nothing_though_agents_are_built_anew(seed in any::<u64>()) {
        quietly(|| {
            let mut random = Random::new(seed);
            let mut system = Simulation::new(seed);
            let known = build(&system, &mut random, &[WhenFull::Block]);
            let stop_early = random.below(3) == 0;
            assert!((0..if stop_early { 50 } else { 100_000 }).any(|_| !system.step()) || stop_early);
            let report = system.stop(100_000);
            assert_order(&known);
            assert_eq!(report.imbalances(), [""; 0]);
            for input in report.agents.iter().flat_map(|a| &a.inputs) {
                assert!(input.offered == input.delivered, "{input:?}");
            }
        });
    }
}

#[test]
fn a_seed_repeats_its_schedule() {
    let outcome = |seed| {
        quietly(|| {
            let mut system = Simulation::new(seed);
            build(&system, &mut Random::new(3), &POLICIES);
            assert!(system.run_to_end(100_000));
            let report = system.report();
            (
                report.elapsed_ns,
                report.agents.into_iter().map(|a| (a.completed, a.inputs)).collect::<Vec<_>>(),
            )
        })
    };
    assert_eq!(outcome(1), outcome(1));
}

#[test]
fn a_limit_is_over_when_virtual_time_says_so_and_only_once() {
    struct Watch {
        beats: Channel<()>,
        over: Chain<u64>,
    }
    impl Agent for Watch {
        type State = bool;
        fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
            ctx.on(&self.beats, |_: &mut Self, (), ctx| ctx.renew_limit());
            ctx.limit_state(Duration::from_millis(500), true);
            Ok(())
        }
        fn enter(&mut self, state: bool, ctx: &mut Context<Self>) {
            if state {
                self.over.send(ctx.now_ns() / 1_000_000);
            }
        }
    }
    let mut system = Simulation::new(7);
    let beats = system.channel::<()>("beats").unwrap();
    let over = Chain::new(10);
    system.group("watch").add("watch", Watch { beats: beats.clone(), over: over.clone() }).start().unwrap();
    let beat = system.every(Duration::from_millis(300), &beats, ());
    system.run_for(Duration::from_secs(10));
    assert!(over.is_empty(), "a beat every 300 ms renews a limit of 500 ms");
    beat.cancel();
    system.run_for(Duration::from_secs(100));
    // The last beat was at 9.9 s.
    assert_eq!((over.try_receive(), over.try_receive()), (Some(10_400), None));
}
