//! Frames that a node's own threads continue with: the ledger closes with what these say.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use common::*;
use livetime_engine::{
    Context, Graph, LossReason, Node, NodeError, NodeSpec, NodeType, Params, PortSpec, Report, Run,
    RunOptions, UnderWay, WhenFull,
};
use livetime_frame::Frame;

const LIMIT: Duration = livetime_testkit::HANG;

/// Parameters of the keeper.
#[derive(Params)]
struct KeeperParams {
    /// The thread waits for [`GO_ON`] before the first frame.
    waits: bool,
    /// Returns an error or panics for a frame that it has given to its thread.
    fails: bool,
    /// Takes all back when told to stop, without a word.
    gives_up: bool,
}

/// Set by the test that lets keepers wait.
static GO_ON: AtomicBool = AtomicBool::new(false);

/// Gives frames to a thread, which completes those with even numbers, loses others, and drops every tenth.
struct Keeper {
    params: KeeperParams,
    frames: Option<Sender<(u64, UnderWay)>>,
    thread: Option<JoinHandle<()>>,
}

impl Node for Keeper {
    type Params = KeeperParams;
    const SPEC: NodeSpec = NodeSpec::sink("keeper", "Keeps frames.", &[PortSpec::any("in")]);

    fn new(params: KeeperParams) -> Result<Keeper, NodeError> {
        Ok(Keeper { params, frames: None, thread: None })
    }

    fn params(&mut self) -> &mut KeeperParams {
        &mut self.params
    }

    fn start(&mut self, _: &mut Context) -> Result<(), NodeError> {
        let (sender, frames) = channel::<(u64, UnderWay)>();
        let (waits, gives_up) = (self.params.waits, self.params.gives_up);
        let thread = std::thread::spawn(move || {
            while waits && !GO_ON.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            for (number, frame) in frames {
                match number {
                    n if n % 10 == 0 || gives_up => drop(frame),
                    n if n % 2 == 0 => frame.completed(),
                    n => frame.lost(format!("wanted an even number, found {n}")),
                }
            }
        });
        (self.frames, self.thread) = (Some(sender), Some(thread));
        Ok(())
    }

    fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let number = frame.header().sequence;
        let Some(sender) = &self.frames else { return Ok(()) };
        sender.send((number, ctx.under_way())).map_err(NodeError::new)?;
        match number % 3 {
            0 if self.params.fails => Err(NodeError::new("trouble after all")),
            1 if self.params.fails => panic!("the test's own panic"),
            _ => Ok(()),
        }
    }

    fn stop(&mut self) {
        self.frames = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn graph(frames: u64) -> Graph {
    let mut graph = Graph::default();
    graph.add("counter", COUNTER).unwrap();
    graph.add("keeper", NodeType::of::<Keeper>()).unwrap();
    graph.connect("counter", "keeper", options(WhenFull::Block, 16)).unwrap();
    set(&mut graph, "counter", "frames", frames as i64);
    graph
}

fn run(graph: &Graph) -> Report {
    let run = Run::start(graph, RunOptions::default()).unwrap();
    assert!(run.wait(LIMIT), "did not end: {:#?}", run.report());
    run.finish(LIMIT)
}

#[test]
fn each_is_what_its_thread_says() {
    for fails in [false, true] {
        let mut graph = graph(100);
        set(&mut graph, "keeper", "fails", fails);
        let report = run(&graph);
        assert_balanced(&report);
        let keeper = &report.nodes[1];
        // Of 1 to 100: 40 are even and not tens.
        assert_eq!((keeper.received, keeper.completed), (100, 40), "{fails}");
        assert_eq!(keeper.lost.get(&LossReason::NodeError), Some(&60), "{fails}: {:?}", keeper.lost);
        let told = |text: &str| times_told(&report, "keeper", text);
        let odd = (1..100).step_by(2).map(|n| told(&format!("wanted an even number, found {n}")));
        assert_eq!((odd.sum::<usize>(), told("trouble after all")), (50, if fails { 33 } else { 0 }));
        assert_eq!(told("a frame was given up while it was under way"), 10);
    }
}

#[test]
fn until_then_it_is_neither_completed_nor_lost() {
    let mut graph = graph(4);
    set(&mut graph, "keeper", "waits", true);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    while run.report().nodes[1].received < 4 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let report = run.report();
    assert_eq!(report.nodes[1].completed + report.nodes[1].lost_inside(), 0, "{report:#?}");
    assert!(report.imbalances().is_empty());
    GO_ON.store(true, Ordering::Relaxed);
    assert!(run.wait(LIMIT));
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    assert_eq!(report.nodes[1].completed, 2);
}

#[test]
fn an_aborted_run_closes_too() {
    let mut graph = graph(0);
    set(&mut graph, "keeper", "gives_up", true);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    while run.report().nodes[1].received < 100 {
        std::thread::sleep(Duration::from_millis(1));
    }
    run.abort();
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    assert_eq!(report.nodes[1].completed, 0);
    assert_eq!(report.nodes[1].lost_inside(), report.nodes[1].received);
}
