//! Whole runs on real threads.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::common;

use std::time::Duration;

use common::*;
use livetime_engine::{
    Context, EdgeOptions, Graph, LossReason, Node, NodeError, NodeSpec, NodeType, OnFailure, Params,
    Placement, PortSpec, Report, Run, RunOptions, Teller, Value, WhenFull,
};
use livetime_frame::Frame;

const LIMIT: Duration = livetime_testkit::HANG;

fn wait_until(holds: impl Fn() -> bool) {
    livetime_testkit::wait_until("what the test needs of its run", holds);
}

fn run(graph: &Graph) -> Report {
    let run = Run::start(graph, RunOptions::default()).unwrap();
    assert!(run.wait(LIMIT), "did not end: {:#?}", run.report());
    run.finish(LIMIT)
}

fn edge(report: &Report, from: &str, to: &str) -> livetime_engine::EdgeAccount {
    report.edges.iter().find(|e| e.from == from && e.to == to).unwrap().clone()
}

#[test]
fn blocking_edges_lose_nothing() {
    let mut graph = chain(WhenFull::Block, 4);
    set(&mut graph, "counter", "frames", 5_000);
    let report = run(&graph);
    assert_balanced(&report);
    assert_eq!(report.unintended_losses(), 0);
    assert!(report.nodes[1..].iter().all(|n| n.completed == 5_000), "{report:#?}");
    let timed = report.nodes[2].service.count;
    assert!((5_000 / 16..=5_000).contains(&timed), "{timed}");
}

#[test]
fn every_placement_carries_every_frame_in_order() {
    for placement in [
        Placement::Own,
        Placement::Group("g".into()),
        Placement::Inline,
        Placement::Pool(1),
        Placement::Pool(3),
    ] {
        let mut graph = chain(WhenFull::Block, 8);
        set(&mut graph, "counter", "frames", 2_000);
        let pass = graph.node("pass").unwrap();
        graph.options_mut(pass).unwrap().placement = placement.clone();
        let run = Run::start(&graph, RunOptions::default()).unwrap();
        assert!(run.wait(LIMIT), "{placement:?} did not end: {:#?}", run.report());
        let report = run.finish(LIMIT);
        assert_balanced(&report);
        assert_eq!(report.unintended_losses(), 0, "{placement:?}");
        assert_eq!(report.nodes[2].completed, 2_000, "{placement:?}");
    }
}

#[test]
fn a_pool_restores_the_order_of_frames_that_take_different_times() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "counter", "frames", 400);
    set(&mut graph, "pass", "sleep", 0.000_05);
    let pass = graph.node("pass").unwrap();
    graph.options_mut(pass).unwrap().placement = Placement::Pool(4);
    set(&mut graph, "counter", "period", 0.000_01);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    let mut disordered = Value::Int(0);
    while !run.is_finished() {
        if let Ok(values) = run.params("tally") {
            disordered = values[2].1.clone();
        }
    }
    assert_eq!(disordered, Value::Int(0));
    assert_eq!(run.finish(LIMIT).nodes[2].completed, 400);
}

#[test]
fn a_parameter_is_set_in_all_copies_of_a_pool() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "counter", "frames", 0);
    let pass = graph.node("pass").unwrap();
    graph.options_mut(pass).unwrap().placement = Placement::Pool(3);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    // From now on every copy refuses every frame.
    run.set("pass", "fail_every", &Value::Int(1)).unwrap();
    let node = |run: &Run| run.report().nodes[1].clone();
    let before = node(&run);
    while node(&run).lost_inside() < before.lost_inside() + 1000 {
        std::thread::yield_now();
    }
    assert_eq!(node(&run).completed, before.completed);
    run.stop();
    assert_balanced(&run.finish(LIMIT));
}

#[test]
fn a_whole_graph_on_one_thread_loses_nothing() {
    let mut graph = chain(WhenFull::Block, 2);
    set(&mut graph, "counter", "frames", 10_000);
    for node in 0..3 {
        graph.options_mut(node).unwrap().placement = Placement::Group("all".into());
    }
    let report = run(&graph);
    assert_balanced(&report);
    assert_eq!((report.unintended_losses(), report.nodes[2].completed), (0, 10_000));
}

#[test]
fn a_slow_subscriber_slows_neither_source_nor_sibling() {
    let mut graph = Graph::default();
    graph.add("counter", COUNTER).unwrap();
    graph.add("slow", TALLY).unwrap();
    graph.add("fast", TALLY).unwrap();
    graph.connect("counter", "slow", options(WhenFull::DropNewest, 5)).unwrap();
    graph.connect("counter", "fast", options(WhenFull::Block, 1000)).unwrap();
    set(&mut graph, "counter", "frames", 500);
    set(&mut graph, "slow", "sleep", 0.005);
    let report = run(&graph);
    assert_balanced(&report);
    let slow = edge(&report, "counter.out", "slow.in");
    assert_eq!(slow.offered, 500);
    assert_eq!(slow.lost[&LossReason::QueueFull], 500 - slow.delivered);
    assert!(slow.delivered < 100);
    assert_eq!(edge(&report, "counter.out", "fast.in").delivered, 500);
    assert_eq!(report.unintended_losses(), 500 - slow.delivered);
}

#[test]
fn dropping_the_oldest_keeps_the_newest() {
    for (when_full, intended) in [(WhenFull::DropOldest, false), (WhenFull::Latest, true)] {
        let mut graph = Graph::default();
        graph.add("counter", COUNTER).unwrap();
        graph.add("slow", TALLY).unwrap();
        graph.connect("counter", "slow", options(when_full, 5)).unwrap();
        set(&mut graph, "counter", "frames", 500);
        set(&mut graph, "slow", "sleep", 0.002);
        let run = Run::start(&graph, RunOptions::default()).unwrap();
        assert!(run.wait(LIMIT));
        let report = run.finish(LIMIT);
        assert_balanced(&report);
        let account = edge(&report, "counter.out", "slow.in");
        assert_eq!(account.lost[&LossReason::Overwritten], 500 - account.delivered);
        assert_eq!(report.unintended_losses() == 0, intended);
    }
}

#[test]
fn a_full_failing_edge_fails_the_run() {
    let mut graph = Graph::default();
    graph.add("counter", COUNTER).unwrap();
    graph.add("slow", TALLY).unwrap();
    graph.connect("counter", "slow", options(WhenFull::Fail, 5)).unwrap();
    set(&mut graph, "slow", "sleep", 0.01);
    graph.options_mut(0).unwrap().on_error = OnFailure::Stop;
    let report = run(&graph);
    assert_balanced(&report);
    assert!(report.failure.unwrap().contains("policy `fail` is full"));
}

#[test]
fn decimation_and_rate_limits_are_intended_losses() {
    let mut graph = Graph::default();
    graph.add("counter", COUNTER).unwrap();
    graph.add("tenth", TALLY).unwrap();
    graph.add("limited", TALLY).unwrap();
    let block = options(WhenFull::Block, 8);
    graph.connect("counter", "tenth", EdgeOptions { every: 10, ..block }).unwrap();
    graph.connect("counter", "limited", EdgeOptions { max_rate_hz: Some(100.0), ..block }).unwrap();
    set(&mut graph, "counter", "frames", 300);
    set(&mut graph, "counter", "period", 0.001);
    let report = run(&graph);
    assert_balanced(&report);
    assert_eq!(report.unintended_losses(), 0);
    assert_eq!(edge(&report, "counter.out", "tenth.in").delivered, 30);
    let limited = edge(&report, "counter.out", "limited.in");
    let seconds = report.elapsed_ns as f64 / 1e9;
    assert!(limited.delivered as f64 <= 100.0 * seconds + 2.0, "{limited:?} in {seconds} s");
    assert_eq!(limited.lost[&LossReason::RateLimited], 300 - limited.delivered);
}

#[test]
fn failing_frames_are_counted_and_named() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "pass", "fail_every", 10);
    let report = run(&graph);
    assert_balanced(&report);
    assert_eq!(lost(&report, "pass"), [("node_error".into(), 10)]);
    assert_eq!(report.nodes[2].completed, 90);
    assert_eq!(report.events[0].node, "pass");
    assert!(report.events[0].message.contains("wanted another number"));
}

#[test]
fn a_panic_costs_one_frame_and_the_node_starts_anew() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "pass", "panic_every", 50);
    let report = run(&graph);
    assert_balanced(&report);
    assert_eq!(lost(&report, "pass"), [("node_panic".into(), 2)]);
    assert_eq!((report.nodes[1].restarts, report.nodes[2].completed), (2, 98));
    assert!(report.events[0].message.contains("a number to panic at"));
    assert_eq!(report.failure, None);
}

#[test]
fn what_a_node_refused_is_not_there_when_it_starts_anew() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "pass", "sleep", 0.001);
    set(&mut graph, "pass", "panic_every", 100);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    let error = run.set("pass", "impossible", &Value::Bool(true)).unwrap_err();
    assert_eq!(error.to_string(), "that cannot be");
    assert!(run.wait(LIMIT));
    let report = run.finish(LIMIT);
    assert_eq!((report.nodes[1].restarts, report.failure), (1, None));
}

#[test]
fn waiting_frames_are_handled_together_and_fall_together() {
    let mut graph = chain(WhenFull::Block, 16);
    set(&mut graph, "pass", "together", 4);
    set(&mut graph, "pass", "sleep", 0.0005);
    set(&mut graph, "pass", "fail_every", 40);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    assert!(run.wait(LIMIT));
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    let [(reason, failed)] = &lost(&report, "pass")[..] else { panic!("{:?}", lost(&report, "pass")) };
    assert_eq!(reason, "node_error");
    // Two numbers of 100 fail, each with the frames that waited with it; all that waited were taken together.
    assert!((4..=8).contains(failed), "{failed}");
    assert_eq!(report.nodes[1].completed + failed, 100);
    assert_eq!(report.nodes[2].completed, 100 - failed);
    assert_eq!(report.nodes[1].service.count, 100);
}

#[test]
fn a_panic_when_asked_is_told_and_costs_no_frame() {
    let mut graph = chain(WhenFull::Block, 16);
    // A node is asked when frames wait: these 16 are shown at once, and the node is at its tenth while six wait.
    set(&mut graph, "counter", "burst", 16);
    set(&mut graph, "pass", "panic_when_asked", true);
    let report = run(&graph);
    assert_balanced(&report);
    assert!(report.nodes[1].restarts >= 1 && report.events[0].message.contains("asked at the wrong time"));
    assert_eq!(report.nodes[2].completed, 100);
}

#[test]
fn a_source_that_waits_for_memory_lets_others_see_what_it_sent() {
    let mut graph = Graph::default();
    graph.add("counter", COUNTER).unwrap();
    graph.add("tally", TALLY).unwrap();
    graph.connect("counter", "tally", options(WhenFull::DropNewest, 30)).unwrap();
    set(&mut graph, "counter", "bytes", 4096);
    set(&mut graph, "counter", "burst", 50);
    // Room for 13 frames, fewer than are shown at once.
    graph.memory_bytes = 64 << 10;
    graph.options_mut(0).unwrap().wait_for_memory = true;
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    assert!(run.wait(LIMIT), "the source waits for ever");
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    assert_eq!(report.nodes[1].completed, 100);
}

#[test]
fn a_node_that_ends_with_frames_in_hand_accounts_for_them() {
    let mut graph = chain(WhenFull::Block, 16);
    set(&mut graph, "pass", "together", 2);
    set(&mut graph, "pass", "sleep", 0.0005);
    set(&mut graph, "pass", "fail_every", 50);
    let pass = graph.node("pass").unwrap();
    graph.options_mut(pass).unwrap().on_error = OnFailure::Stop;
    let report = run(&graph);
    assert_balanced(&report);
    assert!(report.failure.is_some());
}

#[test]
fn a_failing_node_can_stop_the_run() {
    for when_full in [WhenFull::Block, WhenFull::DropNewest] {
        let mut graph = chain(when_full, 8);
        set(&mut graph, "counter", "frames", 0);
        set(&mut graph, "pass", "fail_every", 100);
        let pass = graph.node("pass").unwrap();
        graph.options_mut(pass).unwrap().on_error = OnFailure::Stop;
        let report = run(&graph);
        assert_balanced(&report);
        assert!(report.failure.clone().unwrap().starts_with("pass: wanted"), "{:?}", report.failure);
    }
}

#[test]
fn an_exhausted_pool_loses_frames_or_holds_the_source() {
    for wait in [false, true] {
        let mut graph = Graph::default();
        graph.add("counter", COUNTER).unwrap();
        graph.add("slow", TALLY).unwrap();
        graph.connect("counter", "slow", options(WhenFull::DropNewest, 30)).unwrap();
        set(&mut graph, "counter", "bytes", 4096);
        set(&mut graph, "counter", "frames", 60);
        set(&mut graph, "slow", "sleep", 0.002);
        // Room for 13 frames; a source that does not say how large its frames are passes the check.
        graph.memory_bytes = 64 << 10;
        graph.options_mut(0).unwrap().wait_for_memory = wait;
        let run = Run::start(&graph, RunOptions::default()).unwrap();
        assert!(run.wait(LIMIT));
        let report = run.finish(LIMIT);
        assert_balanced(&report);
        assert_eq!(lost(&report, "counter").is_empty(), wait, "{:?}", lost(&report, "counter"));
    }
}

#[test]
fn a_source_that_jumps_repeats_or_stalls_is_named() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "counter", "jump_every", 10);
    set(&mut graph, "counter", "repeat_every", 25);
    set(&mut graph, "counter", "stall", 0.6);
    let report = run(&graph);
    assert_balanced(&report);
    let source = report.nodes[0].source;
    assert_eq!((source.jumps, source.repeats, source.stalls), (10, 4 - 1, 1), "{source:?}");
    assert!(source.longest_gap_ns > 590_000_000);
    assert_eq!(lost(&report, "counter"), [("source_gap".into(), 10)]);
}

#[test]
fn what_a_source_cannot_read_is_a_loss_beside_its_frames() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "counter", "unreadable_every", 20);
    let report = run(&graph);
    assert_balanced(&report);
    assert_eq!(lost(&report, "counter"), [("unreadable".into(), 10)]);
    assert_eq!((report.unintended_losses(), report.nodes[2].completed), (10, 100));
    let told: Vec<_> = report.events.iter().filter(|e| e.is_error && e.node == "counter").collect();
    assert_eq!((told.len(), &*told[0].message), (5, "wanted two frames before frame 19, found noise"));
}

#[test]
fn what_came_too_late_is_a_loss_and_its_frames_are_completed() {
    for placement in [Placement::Own, Placement::Inline, Placement::Pool(3)] {
        let mut graph = chain(WhenFull::Block, 8);
        set(&mut graph, "pass", "late_every", 10);
        let pass = graph.node("pass").unwrap();
        graph.options_mut(pass).unwrap().placement = placement;
        let report = run(&graph);
        assert_balanced(&report);
        assert_eq!(lost(&report, "pass"), [("late".into(), 30)]);
        let node = &report.nodes[1];
        assert_eq!((node.received, node.completed, node.lost_of_received()), (100, 100, 0));
        assert_eq!(report.unintended_losses(), 30);
    }
}

#[test]
fn a_failing_source_goes_on() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "counter", "fail_every", 10);
    let report = run(&graph);
    assert_balanced(&report);
    assert_eq!(report.nodes[2].completed, 100);
    assert_eq!(lost(&report, "counter")[0].0, "node_error");
}

#[test]
fn parameters_change_while_running() {
    let mut graph = chain(WhenFull::DropNewest, 20);
    set(&mut graph, "counter", "frames", 0);
    set(&mut graph, "counter", "period", 0.001);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    run.set("pass", "fail_every", &Value::Int(2)).unwrap();
    assert!(run.set("pass", "fail_evry", &Value::Int(2)).unwrap_err().to_string().contains("did you mean"));
    assert!(run.set("pas", "fail_every", &Value::Int(2)).is_err());
    assert!(run.set("pass", "seen", &Value::Int(2)).is_err());
    // Twice what is asked for at the end: every second frame fails.
    let seen = || run.params("pass").unwrap().into_iter().find(|(s, _)| s.name == "seen").unwrap().1;
    wait_until(|| matches!(seen(), Value::Int(n) if n > 20));
    run.set("counter", "frames", &Value::Int(1)).unwrap();
    assert!(run.wait(LIMIT));
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    assert!(lost(&report, "pass")[0].1 > 5, "{:?}", lost(&report, "pass"));
}

#[test]
fn a_look_tells_parameters_and_the_last_frame() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "counter", "frames", 1_000_000_000);
    let options = RunOptions { remember_frames: true, ..RunOptions::default() };
    let run = Run::start(&graph, options).unwrap();
    let mut seen = 0;
    while seen == 0 {
        let looks: Vec<_> = (0..3).map(|node| run.look(node, [0].into()).unwrap()).collect();
        for look in looks {
            let snapshot = look.recv_timeout(LIMIT).unwrap();
            assert!(snapshot.values.len() <= 1);
            seen = snapshot.last.map_or(0, |last| last.sequence);
        }
    }
    assert!(run.look(9, [].into()).is_err());
    run.stop();
    assert!(run.wait(LIMIT));
    assert!(run.look(0, [0].into()).is_err());
    assert_balanced(&run.finish(LIMIT));
}

#[test]
fn edges_and_nodes_come_and_go_while_frames_flow() {
    let mut graph = chain(WhenFull::Block, 8);
    graph.add("spare", TALLY).unwrap();
    graph.connect("counter", "spare", options(WhenFull::Block, 8)).unwrap();
    set(&mut graph, "counter", "frames", 0);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    for _ in 0..20 {
        run.disconnect("pass", "tally").unwrap();
        assert!(run.disconnect("pass", "tally").is_err());
        run.connect("counter", "tally", options(WhenFull::DropNewest, 3)).unwrap();
        run.set_enabled("spare", false).unwrap();
        run.disconnect("counter", "tally").unwrap();
        run.set_enabled("spare", true).unwrap();
        run.connect("pass", "tally", options(WhenFull::Block, 2)).unwrap();
        run.set_enabled("counter", false).unwrap();
        run.set_enabled("counter", true).unwrap();
        let now = run.report();
        assert!(now.edges.iter().all(|e| e.is_closed()), "{now:#?}");
    }
    let cycle = run.connect("pass", "pass", options(WhenFull::Block, 2)).unwrap_err();
    assert!(cycle.to_string().contains("cycle"), "{cycle}");
    run.stop();
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    assert_eq!(report.failure, None);
    // One that came and went is summed with those from and to the same, if their policy is the same.
    assert_eq!(report.edges.len(), 3 + 1);
}

#[test]
fn an_abort_ends_at_once_and_accounts_for_what_was_queued() {
    let mut graph = chain(WhenFull::Block, 100);
    set(&mut graph, "counter", "frames", 0);
    set(&mut graph, "tally", "sleep", 0.01);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    wait_until(|| run.report().edges.iter().map(|edge| edge.queued).sum::<u64>() > 150);
    run.abort();
    assert!(run.wait(LIMIT));
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    let aborted: u64 = report.edges.iter().filter_map(|e| e.lost.get(&LossReason::Aborted)).sum();
    assert!(aborted >= 100, "{aborted}");
}

#[test]
fn a_reading_taken_at_any_moment_balances() {
    for when_full in [WhenFull::Block, WhenFull::DropNewest, WhenFull::DropOldest, WhenFull::Latest] {
        let mut graph = chain(when_full, 4);
        // On a busy machine each frame that waits costs turns of three threads.
        let frames = if when_full == WhenFull::Block { 5_000 } else { 200_000 };
        set(&mut graph, "counter", "frames", frames);
        let run = Run::start(&graph, RunOptions::default()).unwrap();
        let mut last = 0;
        while !run.is_finished() {
            let report = run.report();
            assert!(report.edges.iter().all(|e| e.is_closed()), "{report:#?}");
            assert!(report.edges.iter().all(|e| e.queued <= 4), "{report:#?}");
            assert!(report.edges[0].offered >= last);
            last = report.edges[0].offered;
        }
        let report = run.finish(LIMIT);
        assert_balanced(&report);
        assert_eq!(report.edges[0].offered, frames as u64);
    }
}

/// A sink whose last step fails, or that tells beside its frames that something is not complete.
struct Unfinished(UnfinishedParams, Option<Teller>);

#[derive(Params)]
struct UnfinishedParams {
    /// Where it fails: `drain`, `frame` or `stop`.
    at: String,
}

impl Node for Unfinished {
    type Params = UnfinishedParams;
    const SPEC: NodeSpec =
        NodeSpec::sink("unfinished", "Leaves something that is not complete.", &[PortSpec::any("in")]);

    fn new(params: UnfinishedParams) -> Result<Self, NodeError> {
        Ok(Unfinished(params, None))
    }

    fn params(&mut self) -> &mut UnfinishedParams {
        &mut self.0
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.1 = Some(ctx.teller());
        Ok(())
    }

    fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        if self.0.at == "frame" && frame.header().sequence == 3 {
            ctx.tell_unfinished("the data are in `a.inprogress`");
        }
        Ok(())
    }

    fn drain(&mut self, _: &mut Context) -> Result<(), NodeError> {
        if self.0.at == "drain" { Err(NodeError::new("the data are in `a.inprogress`")) } else { Ok(()) }
    }

    fn stop(&mut self) {
        if let Some(teller) = self.1.take().filter(|_| self.0.at == "stop") {
            teller.tell_unfinished("the data are in `a.inprogress`");
        }
    }
}

#[test]
fn what_is_not_finished_is_named_whenever_it_fails() {
    for at in ["drain", "frame", "stop", ""] {
        for aborted in [false, true] {
            let mut graph = chain(WhenFull::Block, 8);
            set(&mut graph, "counter", "frames", if aborted { 1 << 30 } else { 50 });
            graph.add("sink", NodeType::of::<Unfinished>()).unwrap();
            set(&mut graph, "sink", "at", at);
            graph.connect("counter", "sink", options(WhenFull::Block, 8)).unwrap();
            let report = if aborted {
                let run = Run::start(&graph, RunOptions::default()).unwrap();
                while run.report().nodes.last().unwrap().completed < 10 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                run.abort();
                run.finish(LIMIT)
            } else {
                run(&graph)
            };
            assert_balanced(&report);
            // An abort does not drain.
            let wanted: &[&str] = match (at, aborted) {
                ("", _) | ("drain", true) => &[],
                _ => &["sink: the data are in `a.inprogress`"],
            };
            assert_eq!(report.unfinished, wanted, "{at} {aborted}");
            assert_eq!(times_told(&report, "sink", "the data are in `a.inprogress`"), wanted.len());
            assert_eq!((report.failure, report.nodes.last().unwrap().lost.len()), (None, 0));
        }
    }
}

#[test]
fn a_node_that_fails_on_every_frame_tells_it_once_and_then_how_often() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "counter", "frames", 5_000);
    set(&mut graph, "pass", "fail_every", 2);
    let report = run(&graph);
    assert_eq!(lost(&report, "pass"), [("node_error".into(), 2_500)]);
    let told: Vec<&str> =
        report.events.iter().filter(|e| e.node == "pass").map(|e| e.message.as_str()).collect();
    // Once, then what was counted; one more for each 10 s on a machine that is busy.
    assert!((2..=4).contains(&told.len()), "{told:?}");
    assert!(told.last().unwrap().contains(" times in "), "{told:?}");
    assert!(report.events_repeated > 2_400 && report.events_dropped == 0, "{report:?}");
}

#[test]
fn a_node_that_is_well_again_says_so() {
    let mut graph = chain(WhenFull::DropNewest, 8);
    set(&mut graph, "counter", "frames", 1 << 30);
    set(&mut graph, "counter", "period", 0.001);
    set(&mut graph, "pass", "fail_every", 1);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    let until = |done: &dyn Fn(&Report) -> bool| wait_until(|| done(&run.report()));
    until(&|report| report.nodes[1].lost_inside() >= 50);
    run.set("pass", "fail_every", &Value::from(0)).unwrap();
    until(&|report| report.events.iter().any(|e| e.message.starts_with("works again, after ")));
    let told = run.finish(Duration::ZERO);
    let last = told.events.iter().rfind(|e| e.node == "pass").unwrap();
    assert!(!last.is_error && last.message.contains(" errors in "), "{last:?}");
}

#[test]
fn a_node_that_does_not_return_is_named_and_left_behind() {
    let mut graph = chain(WhenFull::DropNewest, 8);
    set(&mut graph, "counter", "frames", 0);
    set(&mut graph, "counter", "period", 0.001);
    set(&mut graph, "tally", "sleep", 1e6);
    // Three nodes on one thread, of which one hangs, inside of the call of another.
    for name in ["counter", "pass"] {
        let number = graph.node(name).unwrap();
        graph.options_mut(number).unwrap().placement = Placement::Group("g".into());
    }
    let tally = graph.node("tally").unwrap();
    graph.options_mut(tally).unwrap().placement = Placement::Inline;
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    wait_until(|| run.report().nodes[2].under_way() == 1);
    assert_eq!(run.not_returning(), ["tally"]);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| run.params("tally"));
        run.stop();
        assert!(!run.wait_or_leave(Duration::from_millis(10)));
        assert!(asking.join().unwrap().is_err());
    });
    let report = run.finish(Duration::ZERO);
    assert!(!report.finished);
    assert_eq!(
        report.failure.as_deref(),
        Some("node `tally` does not return from a call, and what was under way there is left behind")
    );
    assert_balanced(&report);
}
