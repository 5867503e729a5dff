//! Nodes that several senders lead to, in a replay: the same output under every schedule.

use std::sync::{Arc, Mutex};

use livetime_engine::testing::Simulation;
use livetime_engine::{
    Context, EdgeOptions, Graph, Next, Node, NodeError, NodeSpec, NodeType, Params, PortSpec, Value, WhenFull,
};
use livetime_frame::Frame;
use livetime_nodes::ALL;

#[derive(Params)]
struct TapeParams {
    /// Number of the first frame.
    first: u64,
    /// Every n-th number is sent.
    #[param(default = 1)]
    step: u64,
}

/// A recording of 40 frames, one in a microsecond by its number.
struct Tape {
    params: TapeParams,
    sent: u64,
}

impl Node for Tape {
    type Params = TapeParams;
    const SPEC: NodeSpec = NodeSpec::source("tape", "Stored.", &[PortSpec::any("out")]);
    const IS_STORED: bool = true;

    fn new(params: TapeParams) -> Result<Tape, NodeError> {
        Ok(Tape { params, sent: 0 })
    }

    fn params(&mut self) -> &mut TapeParams {
        &mut self.params
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        if self.sent == 40 {
            return Ok(Next::Finished);
        }
        let mut frame = ctx.bytes(8)?;
        let number = self.params.first + self.sent * self.params.step;
        frame.header_mut().sequence = number;
        frame.header_mut().event_time_ns = 1_000_000 + 1000 * number as i64;
        self.sent += 1;
        ctx.emit(frame)?;
        Ok(Next::Now)
    }
}

/// The frames that came: source, number, position.
type Seen = Vec<(u16, u64, String)>;

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Seen>>);

struct Log {
    params: (),
    seen: Shared,
}

impl Node for Log {
    type Params = ();
    const SPEC: NodeSpec = NodeSpec::sink("log", "Remembers.", &[PortSpec::any("in")]);

    fn new(params: ()) -> Result<Log, NodeError> {
        Ok(Log { params, seen: Shared::default() })
    }

    fn params(&mut self) -> &mut () {
        &mut self.params
    }

    fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        let header = frame.header();
        let x = header.attributes.get("x").map_or_else(String::new, ToString::to_string);
        self.seen.0.lock().unwrap().push((header.source.0, header.sequence, x));
        Ok(())
    }
}

/// The frames that a node of this type sends for the frames of three tapes.
fn sent(kind: &str, params: &[(&str, Value)], seed: u64) -> Seen {
    let mut graph = Graph::default();
    let block = EdgeOptions { when_full: WhenFull::Block, queue: 3, ..EdgeOptions::default() };
    let node_type = ALL.iter().find(|node| node.spec.name == kind).unwrap();
    let node = graph.add("node", node_type.clone()).unwrap();
    params.iter().for_each(|(name, value)| graph.set(node, name, value).unwrap());
    for (tape, (first, step)) in [(0i64, 3i64), (1, 3), (2, 4)].into_iter().enumerate() {
        let name = format!("tape{tape}");
        let number = graph.add(&name, NodeType::of::<Tape>()).unwrap();
        graph.set(number, "first", &first.into()).unwrap();
        graph.set(number, "step", &step.into()).unwrap();
        graph.connect(&name, "node", block).unwrap();
    }
    graph.add("log", NodeType::of::<Log>()).unwrap();
    // In virtual time no thread makes room while the node sends what waited.
    graph.connect("node", "log", EdgeOptions { queue: 200, ..block }).unwrap();
    let mut simulation = Simulation::new(&graph, seed).unwrap();
    assert!(simulation.run_to_end(100_000), "stuck: {:#?}", simulation.report());
    simulation.visit("log", |log: &mut Log| log.seen.0.lock().unwrap().clone()).unwrap()
}

fn assert_same(kind: &str, params: &[(&str, Value)]) -> Seen {
    let first = sent(kind, params, 0);
    (1..30).for_each(|seed| assert_eq!(sent(kind, params, seed), first, "{kind}, seed {seed}"));
    first
}

#[test]
fn gathered_frames_come_by_the_times_of_their_events() {
    let seen = assert_same("gather", &[]);
    assert_eq!(seen.len(), 120);
    let numbers: Vec<u64> = seen.iter().map(|frame| frame.1).collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
    // A frame that is missing is waited for by the time of the data.
    let sorting = [("sort_mode", "sorted".into()), ("sort_time", 5e-6.into())];
    assert_eq!(assert_same("gather", &sorting).len(), 120);
}

#[test]
fn positions_are_given_to_the_same_frames() {
    let positions: String = (0..100).map(|x| format!("<position x=\"{x}\"/>")).collect();
    let text = format!("<pos_layout><dimension name=\"x\"/>{positions}</pos_layout>");
    let seen = assert_same("positions", &[("file_name", text.as_str().into()), ("running", true.into())]);
    assert_eq!((seen.len(), seen[0].2.as_str()), (76, "0"), "{seen:?}");
}
