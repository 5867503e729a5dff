//! Random schedules of loss, repetition, delay, cuts and kills, with the truth kept beside them.
//!
//! `LIVETIME_LINK_SCHEDULES=1000000 LIVETIME_LINK_SEED=1 cargo test --release -p livetime-link --test all schedules::`
//! runs more of them; a failing schedule names its seed, which repeats it alone.

mod truth;
mod world;

use livetime_link::Retain;
use world::World;

/// Schedules of each kind in CI: some ten seconds in all, unoptimised.
const SCHEDULES: u64 = 4_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn run(retain: Retain) {
    run_all(retain, false);
}

fn run_all(retain: Retain, retakes: bool) {
    let first = number("LIVETIME_LINK_SEED").unwrap_or(0);
    let count = number("LIVETIME_LINK_SCHEDULES").unwrap_or(SCHEDULES);
    for seed in first..first + count {
        let result = std::panic::catch_unwind(|| World::new(seed, retain, retakes).run());
        assert!(result.is_ok(), "the schedule with seed {seed} of `retain: {}` fails", retain.name());
    }
}

#[test]
fn nothing_is_missing_or_twice_without_a_name_when_frames_are_kept_until_received() {
    run(Retain::Received);
}

#[test]
fn nothing_is_missing_or_twice_without_a_name_when_frames_are_kept_until_completed() {
    run(Retain::Completed);
}

#[test]
fn nothing_is_missing_or_twice_without_a_name_when_frames_are_kept_until_stored() {
    run(Retain::Stored);
}

#[test]
fn frames_of_a_receiver_that_is_given_up_go_to_another_one_and_close_both_accounts() {
    run_all(Retain::Completed, true);
    run_all(Retain::Received, true);
}

/// The schedules would prove little if most of them did nothing.
#[test]
fn schedules_meet_every_kind_of_event() {
    let mut seen = world::Seen::default();
    for seed in 0..300 {
        for retain in Retain::ALL {
            seen.add(&World::new(seed, retain, false).run());
            seen.add(&World::new(seed, retain, true).run());
        }
    }
    assert!(seen.has_all(), "{seen:?}");
}
