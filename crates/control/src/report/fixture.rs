//! A report with round numbers, for tests.

use std::collections::BTreeMap;

use livetime_engine::{
    EdgeAccount, Event, LossReason, NodeReport, Placement, Report, SourceReport, ThreadReport, Times,
    WhenFull,
};
use livetime_frame::{FramePool, PoolStatistics};

/// A camera of 200 frames a second and a slow sink that gets 150 of them, after so many seconds.
pub(crate) fn report(seconds: u64) -> Report {
    let lost = BTreeMap::from([(LossReason::QueueFull, 40 * seconds), (LossReason::Decimated, 10 * seconds)]);
    let edge = EdgeAccount {
        from: "cam.out".into(),
        to: "end.in".into(),
        nodes: (0, Some(1)),
        when_full: WhenFull::DropNewest,
        offered: 200 * seconds,
        delivered: 150 * seconds,
        queued: 0,
        capacity: 20,
        lost,
        waiting: times(150 * seconds, 80_000_000),
    };
    Report {
        elapsed_ns: seconds * 1_000_000_000,
        finished: true,
        failure: None,
        unfinished: Vec::new(),
        nodes: vec![
            NodeReport {
                emitted: 200 * seconds,
                service: times(200 * seconds, 50_000),
                cpu_ns: Some(seconds * 500_000_000),
                source: SourceReport { longest_gap_ns: 6_000_000, ..SourceReport::default() },
                ..node("cam", "counter")
            },
            NodeReport {
                received: 150 * seconds,
                completed: 150 * seconds,
                capacity: 20,
                lost_before: 40 * seconds,
                skipped_before: 10 * seconds,
                waiting: times(150 * seconds, 80_000_000),
                service: times(150 * seconds, 6_500_000),
                latency: times(150 * seconds, 90_000_000),
                ..node("end", "slow")
            },
        ],
        edges: vec![edge],
        cuts: vec![],
        threads: vec![thread("cam", 0, 500_000_000 * seconds), thread("end", 1, 300_000_000 * seconds)],
        cores: 2,
        pool: PoolStatistics { peak_bytes: 3 << 20, buffers: 7, ..FramePool::new(64 << 20).statistics() },
        cpu_ns: Some(seconds * 800_000_000),
        events: vec![Event {
            at_ns: 500_000_000,
            node: "end".into(),
            is_error: true,
            message: "asked to fail".into(),
            cause: None,
        }],
        events_dropped: 0,
        events_repeated: 0,
    }
}

fn node(name: &str, type_name: &'static str) -> NodeReport {
    NodeReport {
        unknown_since_ns: None,
        name: name.into(),
        type_name,
        placement: Placement::Own,
        parallel: false,
        threads: vec![name.into()],
        received: 0,
        completed: 0,
        emitted: 0,
        lost: BTreeMap::new(),
        queued: 0,
        capacity: 0,
        lost_before: 0,
        skipped_before: 0,
        waiting: Times::default(),
        service: Times::default(),
        latency: Times::default(),
        cpu_ns: None,
        restarts: 0,
        source: SourceReport::default(),
        last_values: Vec::new(),
    }
}

fn thread(name: &str, node: usize, cpu_ns: u64) -> ThreadReport {
    ThreadReport { name: name.into(), nodes: vec![node], cpu_ns: Some(cpu_ns), delayed_ns: Some(0) }
}

fn times(count: u64, ns: u64) -> Times {
    // All alike but for 2 % of twice and one of three times as much.
    let unlike = (count / 50).max(1);
    let usual = std::iter::repeat_n(ns, (count - unlike) as usize);
    Times::of(usual.chain(std::iter::repeat_n(2 * ns, unlike as usize - 1)).chain([3 * ns]))
}
