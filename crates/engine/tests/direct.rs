//! Graphs that a program drives itself.

use crate::common;

use common::*;
use livetime_engine::{DirectRun, EdgeOptions, Given, Graph, NodeType, OnFailure, RunOptions, WhenFull};

fn start(graph: &Graph, outputs: &[&str]) -> Result<DirectRun, String> {
    let started = DirectRun::start(graph, outputs, RunOptions::default());
    started.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

/// Gives an array of one element, numbered from 1 on.
fn give(run: &mut DirectRun, number: u64) -> Result<Given, String> {
    let layout =
        livetime_frame::Layout::packed(livetime_frame::DType::U64, Default::default(), &[1]).unwrap();
    let mut frame = run.array(layout).unwrap();
    frame.elements_mut::<u64>().unwrap()[0] = number;
    frame.header_mut().sequence = number;
    run.give(frame).map_err(|e| e.to_string())
}

#[test]
fn every_node_has_done_its_work_when_a_frame_is_given() {
    for placement in [livetime_engine::Placement::Own, livetime_engine::Placement::Pool(3)] {
        let mut graph = chain(WhenFull::Latest, 1);
        graph.edge_options_mut(0).unwrap().when_full = WhenFull::Block;
        let pass = graph.node("pass").unwrap();
        graph.options_mut(pass).unwrap().placement = placement;
        let mut run = start(&graph, &["pass", "counter.out"]).unwrap();
        for number in 1..=100 {
            let given = give(&mut run, number).unwrap();
            let frames: Vec<(usize, u64)> =
                given.frames.iter().map(|(n, f)| (*n, f.header().sequence)).collect();
            assert_eq!(frames, [(0, number), (1, number)]);
            assert!(given.failures.is_empty());
            assert!(run.report().nodes[1..].iter().all(|node| node.completed == number));
        }
        let report = run.end();
        assert_balanced(&report);
        assert!(report.finished && report.unintended_losses() == 0, "{report:#?}");
        let outlets: Vec<u64> =
            report.edges.iter().filter(|e| e.to == "(outlet)").map(|e| e.delivered).collect();
        assert_eq!(outlets, [100, 100]);
    }
}

#[test]
fn each_failure_is_told_with_its_node() {
    let mut graph = chain(WhenFull::Block, 1);
    set(&mut graph, "pass", "fail_every", 3);
    set(&mut graph, "pass", "panic_every", 5);
    let mut run = start(&graph, &["pass"]).unwrap();
    let (mut lost, mut passed) = (Vec::new(), 0);
    for number in 1..=15 {
        let given = give(&mut run, number).unwrap();
        passed += given.frames.len();
        lost.extend(
            given.failures.into_iter().map(|failure| (number, failure.is_panic, failure.to_string())),
        );
    }
    let error = |n| (n, false, "pass: wanted another number, found this one".to_owned());
    let panic = |n| (n, true, "pass: panicked: a number to panic at".to_owned());
    // Every failure is told, also a repeated one that a log would leave out.
    assert_eq!(lost, [error(2), panic(4), error(5), error(8), panic(9), error(11), error(14)]);
    let report = run.end();
    assert_balanced(&report);
    assert_eq!((passed, report.unintended_losses(), report.nodes[1].restarts), (8, 7, 2));
}

#[test]
fn a_node_whose_policy_is_to_stop_ends_it() {
    let mut graph = chain(WhenFull::Block, 1);
    set(&mut graph, "pass", "fail_every", 3);
    let pass = graph.node("pass").unwrap();
    graph.options_mut(pass).unwrap().on_error = OnFailure::Stop;
    let mut run = start(&graph, &[]).unwrap();
    assert!(give(&mut run, 1).is_ok());
    assert_eq!(give(&mut run, 2).unwrap_err(), "pass: wanted another number, found this one");
    assert!(give(&mut run, 3).is_err());
    let report = run.end();
    assert_eq!(report.failure.as_deref(), Some("pass: wanted another number, found this one"));
}

#[test]
fn graphs_that_cannot_be_driven_are_refused() {
    let graph = chain(WhenFull::Block, 1);
    assert!(start(&graph, &["nobody"]).unwrap_err().starts_with("unknown node `nobody`"));
    assert!(start(&graph, &["tally"]).unwrap_err().contains("has no output"));
    let mut two = graph.clone();
    two.add("other", NodeType::of::<Counter>()).unwrap();
    assert!(start(&two, &[]).unwrap_err().contains("wanted one source"));
    two.connect("other", "pass.in2", EdgeOptions::default()).unwrap();
    assert!(start(&two, &[]).unwrap_err().contains("exactly one edge to it, found 2"));
    let mut broken = graph;
    set(&mut broken, "pass", "impossible", true);
    assert!(start(&broken, &[]).unwrap_err().contains("that cannot be"));
}
