//! A running graph allocates nothing, wherever its nodes are placed.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use std::alloc::System;
use std::time::Duration;

use common::*;
use livetime_engine::{Placement, Run, RunOptions, WhenFull};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Alone in its file: other tests of the same process would allocate meanwhile.
#[test]
fn a_running_graph_allocates_nothing() {
    for placement in [Placement::Own, Placement::Group("g".into()), Placement::Inline, Placement::Pool(2)] {
        let mut graph = chain(WhenFull::Block, 16);
        set(&mut graph, "counter", "frames", 0);
        let pass = graph.node("pass").unwrap();
        graph.options_mut(pass).unwrap().placement = placement.clone();
        let run = Run::start(&graph, RunOptions::default()).unwrap();
        let fewest = fewest_allocations(|| run.report().nodes[2].completed, 1000);
        run.abort();
        run.finish(livetime_testkit::HANG);
        assert_eq!(fewest, 0, "{placement:?}");
    }
}

/// The fewest allocations in windows of time in which more than `frames` frames are completed, after as many.
///
/// The pool may still grow when a thread is held up for longer than ever before, up to the bound of the
/// queues. An allocation for each frame would show in every window.
fn fewest_allocations(completed: impl Fn() -> u64, frames: u64) -> usize {
    let window = Duration::from_millis(100);
    for _ in 0..600 {
        if completed() > frames {
            break;
        }
        std::thread::sleep(window);
    }
    let (before, mut fewest) = (completed(), usize::MAX);
    for number in 1..600 {
        fewest = fewest.min(allocations_in(window));
        if number >= 5 && completed() > before + frames {
            return fewest;
        }
    }
    usize::MAX
}

fn allocations_in(time: Duration) -> usize {
    let count = || ALLOCATOR.stats().allocations + ALLOCATOR.stats().reallocations;
    let before = count();
    std::thread::sleep(time);
    count() - before
}
