//! Errors of nodes keep what caused them.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use livetime_engine::{
    Context, Event, EventHandler, Graph, Node, NodeError, NodeSpec, NodeType, Params, PortSpec, Report, Run,
    RunOptions, Value, WhenFull,
};
use livetime_frame::Frame;

use crate::common::*;

const LIMIT: Duration = livetime_testkit::HANG;

/// Stands for the exception of another language.
#[derive(Debug)]
struct Exception {
    frame: u64,
    cause: Option<std::num::ParseIntError>,
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyError in frame {}", self.frame)
    }
}

impl Error for Exception {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.cause.as_ref()?)
    }
}

fn raise(frame: u64) -> NodeError {
    let exception = Exception { frame, cause: "x".parse::<i32>().err() };
    NodeError::with_source("the function failed", Arc::new(exception))
}

#[derive(Params)]
struct RaiserParams {
    /// Where it fails.
    #[param(default = "frame")]
    at: String,
    /// Refused.
    refuse: bool,
}

struct Raiser(RaiserParams);

impl Raiser {
    fn at(&self, here: &str, frame: u64) -> Result<(), NodeError> {
        if self.0.at == here { Err(raise(frame)) } else { Ok(()) }
    }
}

impl Node for Raiser {
    type Params = RaiserParams;
    const SPEC: NodeSpec = NodeSpec::sink("raiser", "Fails with a cause.", &[PortSpec::any("in")]);

    fn new(params: RaiserParams) -> Result<Self, NodeError> {
        Ok(Raiser(params))
    }

    fn params(&mut self) -> &mut RaiserParams {
        &mut self.0
    }

    fn plan(&mut self, _: &[livetime_engine::Stream]) -> Result<Vec<livetime_engine::Stream>, NodeError> {
        self.at("plan", 0).map(|()| vec![])
    }

    fn start(&mut self, _: &mut Context) -> Result<(), NodeError> {
        self.at("start", 0)
    }

    fn changed(&mut self, _: usize, _: &mut Context) -> Result<(), NodeError> {
        if self.0.refuse { Err(raise(0)) } else { Ok(()) }
    }

    fn frame(&mut self, _: usize, frame: &Frame, _: &mut Context) -> Result<(), NodeError> {
        let number = frame.header().sequence;
        if self.0.at == "every frame in its own way" {
            let text = "a".repeat(number as usize);
            return Err(NodeError::with_source(text, Arc::new(Exception { frame: number, cause: None })));
        }
        self.at("frame", number)
    }

    fn drain(&mut self, _: &mut Context) -> Result<(), NodeError> {
        self.at("drain", 0)
    }
}

fn graph(at: &str) -> Graph {
    let mut graph = Graph::default();
    graph.add("counter", COUNTER).unwrap();
    for name in ["one", "two"] {
        graph.add(name, NodeType::of::<Raiser>()).unwrap();
        graph.connect("counter", name, options(WhenFull::Block, 4)).unwrap();
        set(&mut graph, name, "at", at);
    }
    graph
}

/// The report, and the events as they were told.
fn run(graph: &Graph) -> (Report, Vec<Event>) {
    let seen: Arc<Mutex<Vec<Event>>> = Arc::default();
    let all = seen.clone();
    let on_event: EventHandler = Arc::new(move |event| all.lock().unwrap().push(event.clone()));
    let run = Run::start(graph, RunOptions { on_event: Some(on_event), ..RunOptions::default() }).unwrap();
    assert!(run.wait(LIMIT));
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    (report, seen)
}

const IN_FULL: &str = "the function failed: KeyError in frame 0: invalid digit found in string";

fn exception<'a>(error: &'a (dyn Error + 'static)) -> &'a Exception {
    error.downcast_ref().unwrap()
}

#[test]
fn the_first_causes_of_each_node_are_in_the_report() {
    let (report, seen) = run(&graph("frame"));
    for node in ["one", "two"] {
        let first = report.events.iter().find(|e| e.node == node).unwrap();
        assert_eq!(first.message, IN_FULL.replace("frame 0", "frame 1"));
        let cause = exception(first.cause.as_ref().unwrap().error());
        assert_eq!((cause.frame, cause.source().is_some()), (1, true));
        assert_eq!(lost(&report, node), [("node_error".into(), 100)]);
    }
    assert!(seen.iter().any(|e| e.cause.is_some()));
}

#[test]
fn a_report_keeps_a_few_causes_of_a_node_and_not_all() {
    // Each text is of a kind of its own, and told.
    let (report, seen) = run(&graph("every frame in its own way"));
    for node in ["one", "two"] {
        let with_cause =
            |events: &[Event]| events.iter().filter(|e| e.node == node && e.cause.is_some()).count();
        let told = report.events.iter().filter(|e| e.node == node).count();
        assert!(told > 10 && with_cause(&report.events) == 4, "{told}, {}", with_cause(&report.events));
        assert!(with_cause(&seen) > 10);
    }
}

#[test]
fn a_parameter_that_is_refused_tells_the_cause() {
    let mut graph = graph("never");
    set(&mut graph, "counter", "frames", 0);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    let one = run.set("one", "refuse", &Value::Bool(true)).unwrap_err();
    let all = run.set_all("two", &[("refuse", true.into()), ("at", "frame".into())]).unwrap_err();
    for error in [one, all] {
        assert_eq!(error.to_string(), IN_FULL);
        assert_eq!(exception(error.source().unwrap()).frame, 0);
    }
    run.stop();
    assert_balanced(&run.finish(LIMIT));
}

#[test]
fn what_keeps_a_graph_from_starting_has_its_cause_too() {
    for (at, text) in [("plan", "one: "), ("start", "one: ")] {
        let errors = Run::start(&graph(at), RunOptions::default()).err().unwrap();
        assert_eq!(errors[0].to_string(), format!("{text}{IN_FULL}"));
        assert_eq!(exception(errors[0].source().unwrap()).frame, 0);
    }
}

#[test]
fn what_is_not_finished_names_its_cause() {
    let (report, _) = run(&graph("drain"));
    assert!(report.unfinished.contains(&format!("one: {IN_FULL}")), "{:?}", report.unfinished);
    assert!(report.events.iter().any(|e| e.node == "two" && e.cause.is_some()));
}
