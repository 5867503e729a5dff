//! Graphs with known service times, as reports.

use std::collections::BTreeMap;

use livetime_frame::FramePool;
use livetime_runtime::Times;

use super::*;
use crate::run::{NodeReport, SourceReport};

/// One second of a run on `cores` cores.
struct Case(Report);

const MS: u64 = 1_000_000;

impl Case {
    fn new(cores: usize) -> Case {
        Case(Report {
            elapsed_ns: 1_000 * MS,
            finished: true,
            failure: None,
            unfinished: Vec::new(),
            nodes: vec![],
            edges: vec![],
            cuts: vec![],
            threads: vec![],
            cores,
            pool: FramePool::new(0).statistics(),
            cpu_ns: None,
            events: vec![],
            events_dropped: 0,
            events_repeated: 0,
        })
    }

    /// A node that handled `frames` frames and took `service_ns` for each.
    fn node(mut self, frames: u64, service_ns: u64) -> Case {
        let number = self.0.nodes.len();
        self.0.nodes.push(NodeReport {
            unknown_since_ns: None,
            name: format!("n{number}"),
            type_name: "test",
            placement: Placement::Own,
            parallel: true,
            threads: vec![],
            received: frames,
            completed: frames,
            emitted: frames,
            lost: BTreeMap::new(),
            queued: 0,
            capacity: 0,
            lost_before: 0,
            skipped_before: 0,
            waiting: Times::default(),
            service: Times::of(std::iter::repeat_n(service_ns, frames as usize)),
            latency: Times::default(),
            cpu_ns: None,
            restarts: 0,
            source: SourceReport::default(),
            last_values: Vec::new(),
        });
        self.thread(&[number])
    }

    fn thread(mut self, nodes: &[usize]) -> Case {
        let name = format!("t{}", self.0.threads.len());
        self.0.threads.push(ThreadReport { name, nodes: nodes.to_vec(), cpu_ns: None, delayed_ns: None });
        self
    }

    fn edge(mut self, from: usize, to: usize, lost: &[(LossReason, u64)]) -> Case {
        let delivered = self.0.nodes[to].received;
        self.0.edges.push(EdgeAccount {
            from: format!("n{from}.out"),
            to: format!("n{to}.in"),
            nodes: (from, Some(to)),
            when_full: WhenFull::DropNewest,
            offered: delivered + lost.iter().map(|(_, n)| n).sum::<u64>(),
            delivered,
            queued: 0,
            capacity: 20,
            lost: lost.iter().copied().collect(),
            waiting: Times::default(),
        });
        self
    }

    fn change(mut self, change: impl FnOnce(&mut Report)) -> Case {
        change(&mut self.0);
        self
    }

    fn bottleneck(&self) -> Bottleneck {
        self.0.bottleneck().unwrap()
    }
}

fn near(found: f64, wanted: f64) {
    assert!((found / wanted - 1.0).abs() < 1e-6, "wanted {wanted}, found {found}");
}

/// Source (1 us), a node of 2 ms, a node of 5 ms; 100 frames in a second, cores without end.
fn chain() -> Case {
    Case::new(100).node(100, 1_000).node(100, 2 * MS).node(100, 5 * MS).edge(0, 1, &[]).edge(1, 2, &[])
}

#[test]
fn the_slowest_node_of_a_chain_limits() {
    let found = chain().bottleneck();
    assert_eq!((found.limit, found.node), (Limit::Node(2), 2));
    near(found.rate_hz, 100.0);
    near(found.utilisation, 0.5);
    near(found.sustainable_hz, 200.0);
    let more = found.one_more.unwrap();
    assert_eq!((more.node, more.placement, more.limit), (2, Placement::Pool(2), Limit::Node(2)));
    near(more.sustainable_hz, 400.0);
}

#[test]
fn a_second_thread_gives_no_more_than_the_next_node_allows() {
    let more =
        chain().change(|r| r.nodes[1].service = Times::of([4 * MS; 100])).bottleneck().one_more.unwrap();
    assert_eq!(more.limit, Limit::Node(1));
    near(more.sustainable_hz, 250.0);
}

#[test]
fn who_keeps_state_cannot_have_a_second_thread() {
    let found = chain().change(|r| r.nodes[2].parallel = false).bottleneck();
    assert_eq!(found.one_more, None);
}

#[test]
fn nodes_of_a_group_share_their_thread() {
    let grouped = chain().change(|r| {
        r.threads.truncate(1);
        r.nodes.iter_mut().skip(1).for_each(|n| n.placement = Placement::Group("g".into()));
    });
    let found = grouped.thread(&[1, 2]).bottleneck();
    near(found.utilisation, 0.7);
    near(found.sustainable_hz, 100.0 / 0.7);
    let more = found.one_more.unwrap();
    assert_eq!((more.node, more.placement, more.limit), (2, Placement::Own, Limit::Node(2)));
    near(more.sustainable_hz, 200.0);
}

#[test]
fn what_runs_inside_a_node_is_not_counted_twice() {
    let inside = chain().change(|r| {
        r.threads.truncate(1);
        r.nodes[2].placement = Placement::Inline;
        r.nodes[1].service = Times::of([7 * MS; 100]);
    });
    let found = inside.thread(&[1, 2]).bottleneck();
    near(found.utilisation, 0.7);
    assert_eq!(found.node, 2);
    let more = found.one_more.unwrap();
    assert_eq!((more.node, more.placement), (2, Placement::Own));
    near(more.sustainable_hz, 200.0);
}

#[test]
fn who_has_others_inside_may_let_one_out() {
    let inside = chain().change(|r| {
        r.threads.truncate(1);
        r.nodes[2].placement = Placement::Inline;
        r.nodes[2].service = Times::of([MS; 100]);
        r.nodes[1].service = Times::of([5 * MS; 100]);
    });
    let found = inside.thread(&[1, 2]).bottleneck();
    assert_eq!(found.node, 1);
    let more = found.one_more.unwrap();
    assert_eq!((more.node, more.placement), (2, Placement::Own));
    near(more.sustainable_hz, 250.0);
}

#[test]
fn a_pool_works_on_all_its_threads() {
    let pool = chain().change(|r| r.nodes[2].placement = Placement::Pool(2)).thread(&[2]);
    let found = pool.bottleneck();
    near(found.utilisation, 0.25);
    near(found.sustainable_hz, 400.0);
    assert_eq!(found.one_more.unwrap().placement, Placement::Pool(3));
}

#[test]
fn losses_count_as_work_that_was_wanted_and_what_follows_them_too() {
    // A node of 20 ms that handles 50 of 100 frames, and one of 15 ms behind it.
    let lossy = Case::new(100).node(100, 1_000).node(50, 20 * MS).node(50, 15 * MS);
    let found = lossy.edge(0, 1, &[(LossReason::QueueFull, 50)]).edge(1, 2, &[]).bottleneck();
    assert_eq!(found.limit, Limit::Node(1));
    near(found.utilisation, 2.0);
    near(found.sustainable_hz, 50.0);
    near(found.one_more.unwrap().sustainable_hz, 100.0 / 1.5);
}

#[test]
fn what_the_pipeline_leaves_out_costs_nothing() {
    let every = Case::new(100).node(100, 1_000).node(10, 5 * MS);
    let found = every.edge(0, 1, &[(LossReason::Decimated, 90)]).bottleneck();
    near(found.sustainable_hz, 2_000.0);
}

#[test]
fn latest_and_rate_limits_do_not_grow_and_limit_nobody() {
    for reason in [LossReason::Overwritten, LossReason::RateLimited] {
        // A preview that works 90 % of its time, in a thread of its own, at any rate.
        let case = chain().node(90, 10 * MS).edge(0, 3, &[(reason, 10)]);
        let case = case.change(|r| {
            if reason == LossReason::Overwritten {
                r.edges[2].when_full = WhenFull::Latest;
            }
        });
        let found = case.bottleneck();
        assert_eq!(found.limit, Limit::Node(2));
        near(found.sustainable_hz, 200.0);
    }
}

#[test]
fn cores_limit_before_a_node_does() {
    let one_core = chain().change(|r| r.cores = 1);
    let found = one_core.bottleneck();
    assert_eq!((found.limit, found.node), (Limit::Cpu, 2));
    near(found.cpu_utilisation, 0.7001);
    near(found.sustainable_hz, 100.0 / 0.7001);
    let more = found.one_more.unwrap();
    assert_eq!(more.limit, Limit::Cpu);
    near(more.sustainable_hz, found.sustainable_hz);
}

#[test]
fn waiting_for_a_disk_is_no_cpu_time_and_waiting_for_a_core_is_no_service() {
    let times = |cpu_ms: u64, delayed_ms: u64| {
        chain().change(|r| {
            (r.threads[2].cpu_ns, r.threads[2].delayed_ns) = (Some(cpu_ms * MS), Some(delayed_ms * MS));
            r.cores = 1;
        })
    };
    // 500 ms in the handler, 20 of them on a core.
    let disk = times(20, 0).bottleneck();
    assert_eq!(disk.limit, Limit::Node(2));
    near(disk.sustainable_hz, 200.0);
    near(disk.cpu_utilisation, 0.2201);
    // 500 ms in the handler, 300 on a core and 200 waiting for one.
    let crowded = times(300, 200).bottleneck();
    assert_eq!(crowded.limit, Limit::Cpu);
    near(crowded.cpu_utilisation, 0.5001);
    // A thread that looks for work all the time.
    near(times(1_000, 0).bottleneck().cpu_utilisation, 0.7001);
}

#[test]
fn a_busy_machine_sustains_less_than_an_idle_one() {
    // 900 ms in the handler, 500 of them on a core: others had it for the rest.
    let crowded = chain().change(|r| {
        r.nodes[2].service = Times::of([9 * MS; 100]);
        (r.threads[2].cpu_ns, r.threads[2].delayed_ns) = (Some(500 * MS), Some(400 * MS));
    });
    let found = crowded.bottleneck();
    assert_eq!(found.limit, Limit::Node(2));
    near(found.delayed, 0.4);
    near(found.sustainable_hz, 100.0 / 0.9);
    // 90 % of the waiting was in the handler.
    near(found.undisturbed_hz, 100.0 / (0.9 - 0.9 * 0.4));
    let idle = chain().bottleneck();
    assert_eq!((idle.delayed, idle.sustainable_hz), (0.0, idle.undisturbed_hz));
}

#[test]
fn without_frames_or_times_nothing_is_said() {
    assert_eq!(Case::new(2).node(0, 0).0.bottleneck(), None);
    assert_eq!(Case::new(2).node(5, 0).node(5, 0).edge(0, 1, &[]).0.bottleneck(), None);
    assert_eq!(Case::new(2).0.bottleneck(), None);
}
