//! A run's reports about itself: times per edge, the trace, and the bottleneck.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::common;

use std::collections::BTreeMap;

use common::*;
use livetime_engine::testing::Simulation;
use livetime_engine::{Graph, Limit, Placement, Report, Run, RunOptions, Span, Times, WhenFull};

/// Two counters of 5 ms and 7 ms to one node that keeps all.
fn two_to_one() -> Graph {
    let mut graph = Graph::default();
    for (name, period) in [("fast", 0.005), ("slow", 0.007)] {
        graph.add(name, COUNTER).unwrap();
        set(&mut graph, name, "period", period);
    }
    graph.add("pass", PASS).unwrap();
    graph.add("tally", TALLY).unwrap();
    graph.connect("fast", "pass.in", options(WhenFull::Block, 8)).unwrap();
    graph.connect("slow", "pass.in2", options(WhenFull::Block, 8)).unwrap();
    graph.connect("pass", "tally", options(WhenFull::Block, 8)).unwrap();
    graph
}

fn merged<'a>(all: impl IntoIterator<Item = &'a Times>) -> Times {
    all.into_iter().fold(Times::default(), |mut sum, times| {
        sum.merge(times);
        sum
    })
}

#[test]
fn waiting_is_known_per_edge_and_a_node_has_the_sum() {
    for seed in 0..20 {
        let mut simulation = Simulation::new(&two_to_one(), seed).unwrap();
        assert!(simulation.run_to_end(100_000));
        let report = simulation.report();
        for (number, node) in report.nodes.iter().enumerate() {
            let edges = report.edges.iter().filter(|e| e.nodes.1 == Some(number));
            assert_eq!(node.waiting, merged(edges.map(|e| &e.waiting)));
        }
        let [fast, slow, behind] = [0, 1, 2].map(|e| report.edges[e].waiting.count);
        assert!(fast > 0 && slow > 0 && fast + slow == behind, "{fast} + {slow} = {behind}");
    }
}

#[test]
fn every_copy_of_a_pool_tells_its_waiting_and_inline_nodes_wait_no_time() {
    for placement in [Placement::Pool(2), Placement::Inline] {
        let mut graph = chain(WhenFull::Block, 8);
        set(&mut graph, "counter", "period", 0.0002);
        graph.options_mut(1).unwrap().placement = placement.clone();
        let report = Run::start(&graph, RunOptions::default()).unwrap().finish(livetime_testkit::HANG);
        let waiting = &report.nodes[1].waiting;
        // Frames that follow one another at once, as on a busy machine, are timed one in eight.
        assert!((12..=100).contains(&waiting.count), "{placement:?}: {waiting:?}");
        assert_eq!(waiting.max_ns == 0, placement == Placement::Inline);
    }
}

// ---- Trace ----

fn by_frame(spans: &[Span]) -> BTreeMap<(u16, u64), Vec<Span>> {
    let mut frames: BTreeMap<_, Vec<Span>> = BTreeMap::new();
    for span in spans {
        assert!(span.queued_ns <= span.start_ns && span.start_ns <= span.end_ns, "{span:?}");
        frames.entry((span.source, span.sequence)).or_default().push(*span);
    }
    frames
}

#[test]
fn one_frame_in_n_is_followed_through_all_nodes() {
    let mut simulation = Simulation::new(&two_to_one(), 3).unwrap();
    let tracer = simulation.tracer();
    tracer.start(10, 1000);
    assert!(simulation.run_to_end(100_000));
    let spans = tracer.take();
    let frames = by_frame(&spans);
    let wanted: Vec<(u16, u64)> = (0..2).flat_map(|s| (1..=10).map(move |n| (s, 10 * n))).collect();
    assert_eq!(frames.keys().copied().collect::<Vec<_>>(), wanted);
    for ((source, _), spans) in &frames {
        let way: Vec<_> = spans.iter().map(|s| (s.from, s.node)).collect();
        let source = usize::from(*source);
        assert_eq!(way, [(None, source), (Some(source), 2), (Some(2), 3)]);
        assert!(spans.windows(2).all(|w| w[0].end_ns <= w[1].queued_ns.max(w[1].start_ns)), "{spans:?}");
    }
    assert_eq!((tracer.lost(), tracer.take().len()), (0, 0));
}

#[test]
fn the_trace_is_switched_while_running_and_counts_what_it_could_not_keep() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "counter", "frames", 0);
    set(&mut graph, "counter", "period", 0.001);
    let mut simulation = Simulation::new(&graph, 1).unwrap();
    let tracer = simulation.tracer();
    let mut run = |steps: usize| (0..steps).for_each(|_| _ = simulation.step());
    run(1000);
    assert_eq!(tracer.take(), []);
    tracer.start(1, 16);
    run(3000);
    let spans = tracer.take();
    assert_eq!(spans.len(), 3 * 16);
    assert!(tracer.lost() > 1000);
    tracer.start(2, 16);
    run(60);
    assert!(tracer.take().iter().all(|s| s.sequence.is_multiple_of(2)));
    tracer.stop();
    run(100);
    tracer.take();
    run(1000);
    assert_eq!(tracer.take(), []);
}

#[test]
fn threads_trace_whole_ways_too() {
    for placement in [Placement::Own, Placement::Group("g".into()), Placement::Inline, Placement::Pool(2)] {
        let mut graph = chain(WhenFull::Block, 8);
        set(&mut graph, "counter", "frames", 6_000);
        graph.options_mut(1).unwrap().placement = placement.clone();
        let run = Run::start(&graph, RunOptions { hold_sources: true, ..RunOptions::default() }).unwrap();
        let tracer = run.tracer();
        tracer.start(20, 1000);
        run.release_sources();
        let report = run.finish(livetime_testkit::HANG);
        let frames = by_frame(&tracer.take());
        assert_eq!(tracer.lost(), 0);
        // Frames that were under way when the trace began are known from where they were met.
        let whole = frames.values().filter(|spans| spans.len() == 3).count();
        assert!(whole + 3 >= frames.len() && whole > 100, "{placement:?}: {whole} of {}", frames.len());
        for span in frames.values().flatten() {
            assert!(report.threads[span.thread].nodes.contains(&span.node), "{span:?}");
        }
    }
}

// ---- What limits ----

/// The report of a run, as if no thread had waited for a core: the time of handlers is then all their own, however busy
/// the machine is.
fn finished(graph: &Graph) -> Report {
    let mut report = Run::start(graph, RunOptions::default()).unwrap().finish(livetime_testkit::HANG);
    assert_balanced(&report);
    report.threads.iter_mut().for_each(|t| t.delayed_ns = Some(0));
    report
}

#[test]
fn a_node_that_sleeps_is_found_and_its_sleep_bounds_the_estimate() {
    let mut graph = chain(WhenFull::Block, 4);
    set(&mut graph, "pass", "sleep", 0.004);
    set(&mut graph, "tally", "sleep", 0.001);
    let report = finished(&graph);
    let found = report.bottleneck().unwrap();
    assert_eq!(found.limit, Limit::Node(1), "{found:?}");
    // A node that sleeps 4 ms sleeps no less: not more than 250 frames a second.
    assert!(found.sustainable_hz <= 250.0, "{found:?}");
}

#[test]
fn one_more_thread_gives_what_was_foretold() {
    let mut graph = chain(WhenFull::Block, 16);
    set(&mut graph, "pass", "sleep", 0.005);
    let foretold = finished(&graph).bottleneck().unwrap();
    let more = foretold.one_more.unwrap();
    assert_eq!((more.node, &more.placement), (1, &Placement::Pool(2)));
    graph.options_mut(1).unwrap().placement = more.placement;
    let found = finished(&graph).bottleneck().unwrap();
    assert_eq!(found.node, 1);
    // Two threads that sleep 5 ms each cannot make more, and what was foretold keeps below that.
    assert!(more.sustainable_hz <= 400.0 && found.sustainable_hz <= 400.0);
    assert!(more.sustainable_hz > foretold.sustainable_hz);
}
