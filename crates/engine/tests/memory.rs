//! When memory is exhausted, the run says who holds it.

use std::time::{Duration, Instant};

use livetime_engine::{Event, Graph, Run, RunOptions, WhenFull};

use crate::common::*;

const LIMIT: Duration = livetime_testkit::HANG;

/// counter -> slow, with room for 14 frames.
fn graph(waits: bool) -> Graph {
    let mut graph = Graph::default();
    graph.add("counter", COUNTER).unwrap();
    graph.add("slow", TALLY).unwrap();
    graph.connect("counter", "slow", options(WhenFull::DropNewest, 30)).unwrap();
    set(&mut graph, "counter", "bytes", 4096);
    graph.memory_bytes = 64 << 10;
    graph.options_mut(0).unwrap().wait_for_memory = waits;
    graph
}

fn exhausted(events: &[Event]) -> Vec<&Event> {
    events.iter().filter(|e| e.message.contains("frame pool exhausted")).collect()
}

#[test]
fn frames_lost_for_want_of_memory_say_who_holds_it() {
    let mut graph = graph(false);
    set(&mut graph, "counter", "frames", 60);
    set(&mut graph, "slow", "sleep", 0.002);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    assert!(run.wait(LIMIT));
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    let told = exhausted(&report.events);
    // Once when it happens, and at the end what was counted since.
    assert!((1..=2).contains(&told.len()), "{told:?}");
    let first = &told[0].message;
    assert!(first.contains(" frames: ") && first.contains(" in counter.out -> slow.in"), "{first}");
    assert!(told[0].is_error && told[0].node == "counter");
}

/// A program that keeps every frame used to stop the run without a word.
#[test]
fn a_source_that_waits_for_memory_says_who_holds_it() {
    let mut graph = graph(true);
    set(&mut graph, "counter", "frames", 0);
    let run = Run::start(&graph, RunOptions { hold_sources: true, ..RunOptions::default() }).unwrap();
    let mut outlet = run.subscribe("counter", options(WhenFull::Block, 2)).unwrap();
    assert!(outlet.wait_connected(LIMIT));
    run.release_sources();
    let mut kept = Vec::new();
    let until = Instant::now() + LIMIT;
    while exhausted(&run.report().events).is_empty() && Instant::now() < until {
        kept.extend(outlet.recv(Duration::from_millis(10)).ok());
    }
    let report = run.report();
    let [told] = exhausted(&report.events)[..] else { panic!("{:?}", report.events) };
    assert!(told.message.starts_with("waits for memory: frame pool exhausted: wanted "), "{}", told.message);
    assert!(told.message.contains(" frames: "), "{}", told.message);
    assert!(
        told.message.ends_with(" elsewhere (kept by nodes or by the program, or free)"),
        "{}",
        told.message
    );
    // With the memory back it continues.
    kept.clear();
    assert!(outlet.recv(LIMIT).is_ok());
    drop(outlet);
    run.stop();
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    // A stop that comes while the source waits ends the wait: that frame is lost, by name.
    let losses = lost(&report, "counter");
    assert!(losses.iter().all(|(reason, n)| reason == "pool_exhausted" && *n == 1), "{losses:?}");
}
