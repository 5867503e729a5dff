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
        set(&mut graph, "tally", "sleep", 0.001);
        let run = Run::start(&graph, RunOptions::default()).unwrap();
        // A slow sink fills all queues: from then on there are as many frames as there will ever be.
        std::thread::sleep(Duration::from_millis(200));
        run.set("tally", "sleep", &0.0.into()).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let before = ALLOCATOR.stats().allocations + ALLOCATOR.stats().reallocations;
        std::thread::sleep(Duration::from_millis(200));
        let after = ALLOCATOR.stats().allocations + ALLOCATOR.stats().reallocations;
        let frames = run.report().nodes[2].completed;
        run.abort();
        run.finish(Duration::from_secs(10));
        assert!(frames > 1000, "{placement:?}: only {frames} frames");
        assert_eq!(after - before, 0, "{placement:?}");
    }
}
