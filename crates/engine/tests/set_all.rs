//! Several parameters of one node are written as one, or not at all.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use livetime_engine::{
    Context, Graph, Node, NodeError, NodeKind, NodeSpec, NodeType, OnFailure, Params, Placement, PortSpec,
    Report, Run, RunOptions, Value, WhenFull,
};
use livetime_frame::Frame;

use crate::common::*;

const LIMIT: Duration = livetime_testkit::HANG;

#[derive(Params)]
struct PairParams {
    /// A number.
    a: i64,
    /// The same number.
    b: i64,
    /// A number that a type of Rust bounds and the declaration does not.
    small: u32,
    /// Takes this long for each frame.
    #[param(default = 0.0, min = 0, unit = "s")]
    sleep: f64,
    /// Frames for which both numbers were not the same.
    #[param(readback, count)]
    unequal: u64,
    /// Changes of which the node was told.
    #[param(readback, count)]
    told: u64,
}

/// Refuses negative numbers once it is told of them, and fails from then on if it keeps one.
struct Pair(PairParams);

impl Node for Pair {
    type Params = PairParams;
    const SPEC: NodeSpec = NodeSpec {
        name: "pair",
        kind: NodeKind::Sink,
        summary: "Compares two numbers.",
        inputs: &[PortSpec::any("in")],
        outputs: &[],
        parallel: true,
    };

    fn new(params: PairParams) -> Result<Self, NodeError> {
        if params.b < 0 { Err(NodeError::new("wanted b of at least 0")) } else { Ok(Pair(params)) }
    }

    fn params(&mut self) -> &mut PairParams {
        &mut self.0
    }

    fn changed(&mut self, _: usize, _: &mut Context) -> Result<(), NodeError> {
        self.0.told += 1;
        // All values are there when the node is told of the first.
        self.0.unequal += u64::from(self.0.a != self.0.b);
        if self.0.b < 0 {
            Err(NodeError::new(format_args!("wanted b of at least 0, found {}", self.0.b)))
        } else {
            Ok(())
        }
    }

    fn frame(&mut self, _: usize, _: &Frame, _: &mut Context) -> Result<(), NodeError> {
        std::thread::sleep(Duration::from_secs_f64(self.0.sleep));
        self.0.unequal += u64::from(self.0.a != self.0.b);
        if self.0.a == 1001 { panic!("a number to panic at") } else { Ok(()) }
    }
}

fn graph(placement: Placement) -> Graph {
    let mut graph = Graph::default();
    graph.add("counter", COUNTER).unwrap();
    graph.add("pair", NodeType::of::<Pair>()).unwrap();
    graph.connect("counter", "pair", options(WhenFull::Block, 4)).unwrap();
    set(&mut graph, "counter", "frames", 0);
    graph.options_mut(1).unwrap().placement = placement;
    graph
}

fn both(a: i64, b: i64) -> [(&'static str, Value); 2] {
    [("a", a.into()), ("b", b.into())]
}

fn values(run: &Run) -> Vec<i64> {
    let params = run.params("pair").unwrap();
    params.iter().take(3).map(|(_, value)| if let Value::Int(v) = value { *v } else { -99 }).collect()
}

fn ended(run: Run) -> Report {
    run.stop();
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    report
}

fn last(report: &Report, param: &str) -> Value {
    report.nodes[1].last_values.iter().find(|(spec, _)| spec.name == param).unwrap().1.clone()
}

#[test]
fn all_act_between_the_same_two_frames() {
    for placement in [Placement::Own, Placement::Inline, Placement::Group("one".into()), Placement::Pool(2)] {
        let run = Run::start(&graph(placement), RunOptions::default()).unwrap();
        for n in 1..100 {
            run.set_all("pair", &both(n, n)).unwrap();
        }
        assert_eq!(values(&run), [99, 99, 0]);
        let report = ended(run);
        assert_eq!(
            (last(&report, "unequal"), last(&report, "a")),
            (Value::Int(0), Value::Int(99)),
            "{report:#?}"
        );
    }
}

#[test]
fn when_one_is_wrong_none_acts() {
    for placement in [Placement::Own, Placement::Inline, Placement::Pool(3)] {
        let run = Run::start(&graph(placement), RunOptions::default()).unwrap();
        run.set_all("pair", &both(7, 7)).unwrap();
        let refused = |values: &[(&str, Value)]| run.set_all("pair", values).unwrap_err().to_string();
        assert_eq!(
            refused(&[("a", 8.into()), ("bb", 8.into())]),
            "unknown parameter `bb`; did you mean `b`?"
        );
        assert_eq!(refused(&[("a", 8.into()), ("a", 9.into())]), "wanted `a` once, found it twice");
        assert_eq!(
            refused(&[("a", 8.into()), ("told", 0.into())]),
            "`told` is a readback: only the node writes it"
        );
        assert!(refused(&[("a", 8.into()), ("b", "eight".into())]).starts_with("`b`: wanted int"));
        // The declaration lets it pass, and the type does not.
        assert!(refused(&[("a", 8.into()), ("small", (-1).into())]).starts_with("`small`: wanted 0 to"));
        // The node itself refuses, after it was told of the first.
        assert_eq!(refused(&both(-8, -8)), "wanted b of at least 0, found -8");
        assert_eq!(values(&run), [7, 7, 0]);
        run.set_all("pair", &[]).unwrap();
        assert!(run.set_all("pare", &[]).is_err());
        let report = ended(run);
        assert_eq!((last(&report, "unequal"), last(&report, "a")), (Value::Int(0), Value::Int(7)));
    }
}

#[test]
fn a_node_that_starts_anew_starts_with_what_was_taken() {
    let mut graph = graph(Placement::Own);
    set(&mut graph, "pair", "sleep", 0.001);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    run.set_all("pair", &both(5, 5)).unwrap();
    assert!(run.set_all("pair", &both(-5, -5)).is_err());
    run.set("pair", "a", &Value::Int(1001)).unwrap();
    let until = std::time::Instant::now() + LIMIT;
    while run.report().nodes[1].restarts < 2 && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(values(&run), [1001, 5, 0]);
    run.set_all("pair", &both(6, 6)).unwrap();
    let report = ended(run);
    assert!(report.nodes[1].restarts >= 2 && report.failure.is_none(), "{report:#?}");
    assert_eq!(last(&report, "b"), Value::Int(6));
}

#[test]
fn a_node_that_has_ended_takes_nothing() {
    let mut graph = graph(Placement::Own);
    set(&mut graph, "counter", "frames", 3);
    graph.options_mut(1).unwrap().on_error = OnFailure::Stop;
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    assert!(run.wait(LIMIT));
    assert_eq!(run.set_all("pair", &both(1, 1)).unwrap_err().to_string(), "node `pair` has ended");
    ended(run);
}

/// Writers at the same time: each pair is written as a whole, in whichever order the writers come.
#[test]
fn two_writers_see_one_order() {
    let run = Run::start(&graph(Placement::Own), RunOptions::default()).unwrap();
    let written = AtomicU64::new(0);
    std::thread::scope(|threads| {
        for writer in 0..2 {
            let (run, written) = (&run, &written);
            threads.spawn(move || {
                for n in 0..50 {
                    run.set_all("pair", &both(2 * n + writer, 2 * n + writer)).unwrap();
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(written.load(Ordering::Relaxed), 100);
    let report = ended(run);
    assert_eq!((last(&report, "unequal"), last(&report, "told")), (Value::Int(0), Value::Int(200)));
}
