//! Costs that grow with the number of agents, and costs that do not: counted in bytes, because times depend on the
//! machine.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::{Mutex, MutexGuard};

use livetime_actors::*;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// One test at a time: another would allocate meanwhile.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|e| e.into_inner())
}

fn taken() -> usize {
    ALLOCATOR.stats().bytes_allocated
}

fn held() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

#[test]
fn the_last_of_many_subscriptions_costs_what_the_first_did() {
    let _alone = alone();
    let channel = Channel::<u64>::new("shared", ChannelKind::Broadcast);
    let chains: Vec<Chain<u64>> = (0..4_000).map(|_| Chain::new(1)).collect();
    let bytes_of = |change: &dyn Fn(&Chain<u64>), chains: &[Chain<u64>]| {
        let before = taken();
        chains.iter().for_each(change);
        taken() - before
    };
    let subscribe = |chain: &Chain<u64>| chain.subscribe(&channel);
    let (early, late) = (bytes_of(&subscribe, &chains[..1_000]), bytes_of(&subscribe, &chains[3_000..]));
    assert!(late < 2 * early, "the first 1000 took {early} bytes, 1000 with thousands before them {late}");
    assert_eq!(channel.publish(1), 2_000);
    let unsubscribe = |chain: &Chain<u64>| chain.unsubscribe(&channel);
    let gone = bytes_of(&unsubscribe, &chains);
    // Four times as many, and a list of places for each; with a copy of all it would be a thousand times as much.
    assert!(gone < 8 * early, "to subscribe took {early} bytes, to unsubscribe {gone}");
    assert_eq!(channel.subscribers(), 0);
}

/// Can be written to.
struct Reachable(Chain<Address<u64>>);

impl Agent for Reachable {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        let address = ctx.inbox(|_: &mut Self, _: u64, _: &mut Context<Self>| ());
        self.0.send(address);
        Ok(())
    }
}

#[test]
fn an_input_that_was_used_a_little_takes_little() {
    const AGENTS: usize = 500;
    let _alone = alone();
    let (system, addresses) = (System::default(), Chain::new(AGENTS));
    let mut group = system.group("many").placement(Placement::group("one"));
    for i in 0..AGENTS {
        group = group.add(&format!("agent{i}"), Reachable(addresses.clone()));
    }
    group.start().unwrap();
    let addresses: Vec<_> = std::iter::from_fn(|| addresses.try_receive()).collect();
    let before = held();
    let completed = || system.report().agents.iter().map(|agent| agent.completed).sum::<u64>();
    for round in 1..=3 {
        addresses.iter().for_each(|address| _ = address.send(7));
        livetime_testkit::wait_until("all have their message", || completed() == round * AGENTS as u64);
    }
    let each = (held() - before) / AGENTS;
    assert!(each < 1024, "an input that had three messages takes {each} bytes");
    let report = system.stop(livetime_testkit::HANG);
    assert_eq!(report.agents.iter().map(|agent| agent.completed).sum::<u64>(), 3 * AGENTS as u64);
}
