//! Re-wiring beside a node that hangs.

use std::sync::mpsc::channel;

use livetime_engine::{Run, RunOptions, WhenFull};

use crate::common::{Pass, TALLY, assert_balanced, chain, options, set};

/// No test waits this long unless something is broken.
const LIMIT: std::time::Duration = livetime_testkit::HANG;

#[test]
fn who_rewires_a_node_that_hangs_delays_nobody_and_leaves_nothing_behind() {
    let mut graph = chain(WhenFull::DropNewest, 8);
    let options = || options(WhenFull::DropNewest, 3);
    for name in ["spare", "other"] {
        graph.add(name, TALLY).unwrap();
        graph.connect("counter", name, options()).unwrap();
    }
    set(&mut graph, "counter", "frames", 0);
    set(&mut graph, "counter", "period", 0.001);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    let (go, hang) = channel::<()>();
    let (tell, hangs) = channel();
    let pass = graph.node("pass").unwrap();
    let visit = move |_: &mut Pass| {
        tell.send(()).unwrap();
        let _ = hang.recv();
    };
    let visited = run.visit_later(pass, visit).unwrap();
    hangs.recv_timeout(LIMIT).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| run.connect("pass", "spare", options()));
        for _ in 0..10 {
            run.disconnect("counter", "other").unwrap();
            run.connect("counter", "other", options()).unwrap();
        }
        assert!(!waiting.is_finished());
        let error = waiting.join().unwrap().unwrap_err();
        assert!(error.to_string().contains("`pass` did not answer"), "{error}");
        assert!(run.disconnect("pass", "tally").unwrap_err().to_string().contains("did not answer"));
    });
    let count = |from: &str, to: &str| {
        let edges = run.report().edges;
        edges.iter().filter(|e| e.from.starts_with(from) && e.to.starts_with(to) && e.capacity > 0).count()
    };
    assert_eq!((count("pass", "spare"), count("pass", "tally")), (0, 1));
    drop(go);
    visited.recv_timeout(LIMIT).unwrap();
    // All that waited for it is done when it answers this.
    run.params("pass").unwrap();
    assert_eq!((count("pass", "spare"), count("pass", "tally")), (0, 1));
    run.connect("pass", "spare", options()).unwrap();
    run.disconnect("pass", "tally").unwrap();
    assert_eq!((count("pass", "spare"), count("pass", "tally")), (1, 0));
    run.stop();
    assert!(run.wait(LIMIT));
    assert_balanced(&run.finish(LIMIT));
}
