//! The order of the data: a node with several inputs gets the same frames in the same order, whatever the threads do.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{COUNTER, PASS, TALLY};
use livetime_engine::testing::{Random, Simulation};
use livetime_engine::{
    Context, EdgeOptions, Graph, Next, Node, NodeError, NodeKind, NodeSpec, NodeType, Note, Params,
    Placement, PortSpec, Rehearsal, Report, Run, RunOptions, WhenFull,
};
use livetime_frame::Frame;
use proptest::prelude::*;

#[derive(Params)]
struct TapeParams {
    /// Frames.
    #[param(default = 50)]
    frames: u64,
    /// Time from one event to the next; 0 means that events have no time.
    step: u64,
}

/// A source that sends what is stored.
struct Tape {
    params: TapeParams,
    sent: u64,
}

impl Node for Tape {
    type Params = TapeParams;
    const SPEC: NodeSpec =
        NodeSpec::source("tape", "Stored.", &[PortSpec::any("out"), PortSpec::any("third")]);
    const IS_STORED: bool = true;

    fn new(params: TapeParams) -> Result<Tape, NodeError> {
        Ok(Tape { params, sent: 0 })
    }

    fn params(&mut self) -> &mut TapeParams {
        &mut self.params
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        // Every third frame goes out at the other output.
        for output in [0, 0, 1] {
            if self.sent == self.params.frames {
                return Ok(Next::Finished);
            }
            let mut frame = ctx.bytes(8)?;
            frame.header_mut().sequence = self.sent;
            frame.header_mut().event_time_ns = (self.sent * self.params.step) as i64;
            self.sent += 1;
            ctx.emit_to(output, frame)?;
        }
        Ok(Next::Now)
    }
}

#[derive(Params)]
struct DelayParams {
    /// Passes every n-th frame.
    #[param(default = 1, min = 1)]
    every: u64,
    /// How many frames are held back.
    held: usize,
    /// Time of the data after which what is held is sent nevertheless; 0 means never.
    #[param(unit = "ns")]
    after: u64,
}

/// Holds frames back, and leaves out some.
struct Delay {
    params: DelayParams,
    held: Vec<Frame>,
    came: u64,
}

impl Node for Delay {
    type Params = DelayParams;
    const SPEC: NodeSpec = NodeSpec {
        name: "delay",
        kind: NodeKind::Process,
        summary: "Delays.",
        inputs: &[PortSpec::any("in"), PortSpec::any("in2")],
        outputs: &[PortSpec::any("out")],
        parallel: true,
    };

    fn new(params: DelayParams) -> Result<Delay, NodeError> {
        Ok(Delay { params, held: Vec::new(), came: 0 })
    }

    fn params(&mut self) -> &mut DelayParams {
        &mut self.params
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.came += 1;
        if self.came.is_multiple_of(self.params.every) {
            self.held.push(frame.clone());
        }
        if self.params.after > 0 {
            ctx.set_data_timer(Some(ctx.data_ns() + self.params.after));
        }
        if self.held.len() > self.params.held {
            let first = self.held.remove(0);
            return ctx.forward(0, &first);
        }
        Ok(())
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.held.pop().map_or(Ok(()), |last| ctx.forward(0, &last))
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        std::mem::take(&mut self.held).iter().try_for_each(|frame| ctx.forward(0, frame))
    }
}

/// Input, source and number of what came.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<(usize, u16, u64)>>>);

/// Remembers what came in which order.
struct Log {
    params: (),
    seen: Seen,
}

impl Node for Log {
    type Params = ();
    const SPEC: NodeSpec = NodeSpec::sink("log", "Remembers.", &[PortSpec::any("in"), PortSpec::any("in2")]);

    fn new(params: ()) -> Result<Log, NodeError> {
        Ok(Log { params, seen: Seen::default() })
    }

    fn params(&mut self) -> &mut () {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.seen = ctx.service();
        Ok(())
    }

    fn frame(&mut self, input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        self.seen.0.lock().unwrap().push((input, frame.header().source.0, frame.header().sequence));
        Ok(())
    }
}

fn lossless(random: &mut Random) -> EdgeOptions {
    let every = 1 + random.below(4) as u64 / 3;
    // Room for all frames: in virtual time no thread makes any while one waits.
    EdgeOptions { when_full: WhenFull::Block, queue: 400, every, ..EdgeOptions::default() }
}

/// One or two sources, some nodes that delay in a row or side by side, and a sink behind all of them.
fn random_graph(random: &mut Random) -> Graph {
    let mut graph = Graph::default();
    let mut ends = Vec::new();
    for i in 0..1 + random.below(2) {
        let name = format!("tape{i}");
        let tape = graph.add(&name, NodeType::of::<Tape>()).unwrap();
        graph.set(tape, "frames", &(random.below(80) as i64).into()).unwrap();
        graph.set(tape, "step", &(random.below(3) as i64).into()).unwrap();
        ends.extend([name.clone(), format!("{name}.third")]);
    }
    for i in 0..1 + random.below(5) {
        let name = format!("delay{i}");
        let delay = graph.add(&name, NodeType::of::<Delay>()).unwrap();
        graph.set(delay, "every", &(1 + random.below(3) as i64).into()).unwrap();
        graph.set(delay, "held", &(random.below(4) as i64).into()).unwrap();
        graph.set(delay, "after", &(random.below(4) as i64).into()).unwrap();
        let inputs = 1 + random.below(3);
        for input in 0..inputs {
            let from = ends[random.below(ends.len())].clone();
            let to = if input == 1 { format!("{name}.in2") } else { name.clone() };
            graph.connect(&from, &to, lossless(random)).unwrap();
        }
        let placements = [Placement::Own, Placement::Group("a".into()), Placement::Inline];
        graph.options_mut(delay).unwrap().placement = placements[random.below(3)].clone();
        if graph.check().is_err() {
            graph.options_mut(delay).unwrap().placement = Placement::Own;
        }
        ends.push(name);
    }
    graph.add("log", NodeType::of::<Log>()).unwrap();
    for (i, end) in ends.iter().enumerate() {
        graph.connect(end, ["log", "log.in2"][i % 2], lossless(random)).unwrap();
    }
    graph
}

fn seen(graph: &Graph, seed: u64) -> Vec<(usize, u16, u64)> {
    let mut simulation = Simulation::new(graph, seed).unwrap();
    assert!(simulation.run_to_end(200_000), "stuck: {:#?}", simulation.report());
    assert_eq!(simulation.report().unintended_losses(), 0);
    simulation.visit("log", |log: &mut Log| log.seen.0.lock().unwrap().clone()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_schedule_brings_the_same_frames_in_the_same_order(graph in any::<u64>(), seeds in any::<[u64; 4]>()) {
        let graph = random_graph(&mut Random::new(graph));
        let first = seen(&graph, 0);
        for seed in seeds {
            prop_assert_eq!(&seen(&graph, seed), &first);
        }
    }
}

#[test]
fn threads_bring_the_same_order_as_a_simulation_and_short_queues_stop_nothing() {
    for number in 0..12 {
        let mut graph = random_graph(&mut Random::new(number));
        let wanted = seen(&graph, 0);
        for edge in 0..graph.edges().len() {
            graph.edge_options_mut(edge).unwrap().queue = 4;
        }
        // A group would have to wait for itself.
        for node in 0..graph.nodes().len() {
            let options = graph.options_mut(node).unwrap();
            if matches!(options.placement, Placement::Group(_)) {
                options.placement = Placement::Own;
            }
        }
        let run = Run::start(&graph, RunOptions::default()).unwrap();
        let seen: Seen = run.service();
        let report = run.finish(livetime_testkit::HANG);
        assert!(report.failure.is_none(), "{report:#?}");
        assert_eq!(report.unintended_losses(), 0);
        assert_eq!(*seen.0.lock().unwrap(), wanted, "graph {number}");
    }
}

#[test]
fn a_pool_keeps_the_order_and_passes_on_what_it_has_done() {
    let mut graph = Graph::default();
    let block = EdgeOptions { when_full: WhenFull::Block, queue: 60, ..EdgeOptions::default() };
    graph.add("tape", NodeType::of::<Tape>()).unwrap();
    let pool = graph.add("pool", NodeType::of::<Delay>()).unwrap();
    graph.options_mut(pool).unwrap().placement = Placement::Pool(3);
    graph.add("log", NodeType::of::<Log>()).unwrap();
    graph.connect("tape", "pool", block).unwrap();
    graph.connect("pool", "log", block).unwrap();
    graph.connect("tape", "log.in2", block).unwrap();
    let first = seen(&graph, 0);
    assert!((1..20).all(|seed| seen(&graph, seed) == first));
    // Of equal places the first edge comes first, and the third of each three goes elsewhere.
    assert_eq!(first[..5], [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1), (0, 0, 3)]);
}

/// Sends some frames in one call, or follows what never goes on.
struct Train {
    params: TrainParams,
    sent: u64,
}

#[derive(Params)]
struct TrainParams {
    /// Frames.
    frames: u64,
    /// Whether more may be written.
    follow: bool,
}

impl Node for Train {
    type Params = TrainParams;
    const SPEC: NodeSpec =
        NodeSpec::source("train", "Stored.", &[PortSpec::any("out"), PortSpec::any("seldom")]);
    const IS_STORED: bool = true;
    const LIVE_IF: Option<&'static str> = Some("follow");

    fn new(params: TrainParams) -> Result<Train, NodeError> {
        Ok(Train { params, sent: 0 })
    }

    fn params(&mut self) -> &mut TrainParams {
        &mut self.params
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        while self.sent < self.params.frames {
            self.sent += 1;
            let mut frame = ctx.bytes(8)?;
            frame.header_mut().sequence = self.sent;
            ctx.emit(frame)?;
        }
        Ok(if self.params.follow { Next::Idle } else { Next::Finished })
    }
}

/// Makes ten frames of each.
struct Ten(());

impl Node for Ten {
    type Params = ();
    const SPEC: NodeSpec = NodeSpec::process(
        "ten",
        "Multiplies.",
        &[PortSpec::any("in")],
        &[PortSpec::any("out"), PortSpec::any("seldom")],
    );

    fn new(params: ()) -> Result<Ten, NodeError> {
        Ok(Ten(params))
    }

    fn params(&mut self) -> &mut () {
        &mut self.0
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        (0..10).try_for_each(|_| ctx.forward(0, frame))
    }
}

/// A source of `frames` frames at once, nodes behind it that make ten of each, and a sink, to which the node `seldom` has an edge, too,
/// without ever sending it anything. All queues are short.
fn multiplied(frames: i64, tens: &[&str], seldom: &str) -> (Report, usize) {
    let mut graph = Graph::default();
    let block = |queue| EdgeOptions { when_full: WhenFull::Block, queue, ..EdgeOptions::default() };
    let train = graph.add("train", NodeType::of::<Train>()).unwrap();
    graph.set(train, "frames", &frames.into()).unwrap();
    tens.iter().for_each(|ten| _ = graph.add(ten, NodeType::of::<Ten>()).unwrap());
    graph.add("log", NodeType::of::<Log>()).unwrap();
    graph.connect(&format!("{seldom}.seldom"), "log", block(4)).unwrap();
    let mut last = "train";
    for ten in tens {
        graph.connect(last, ten, block(1)).unwrap();
        last = ten;
    }
    graph.connect(last, "log.in2", block(4)).unwrap();
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    let seen: Seen = run.service();
    let report = run.finish(livetime_testkit::HANG);
    assert_eq!((report.unintended_losses(), report.failure.as_deref()), (0, None), "{report:#?}");
    let count = seen.0.lock().unwrap().len();
    (report, count)
}

/// The source waits for room in the middle of a call, and promises before it does.
#[test]
fn a_source_that_waits_for_room_stops_nothing() {
    assert_eq!(multiplied(5, &["ten"], "train").1, 50);
}

/// `x` waits for room with some of the frames that it makes of one, and so can promise nothing more to the other input.
#[test]
fn more_frames_of_one_than_a_queue_holds_stop_nothing_and_are_told() {
    let (report, seen) = multiplied(3, &["x", "y"], "x");
    let told = |event: &livetime_engine::Event| {
        event.node == "log"
            && event.message.contains("found a queue of 4 full of frames that were made of one")
    };
    assert_eq!((seen, report.events.iter().any(told)), (300, true), "{:#?}", report.events);
}

/// A recording that is followed may bring nothing for hours.
#[test]
fn a_source_that_follows_holds_up_no_other() {
    let graph = |follow: bool| {
        let mut graph = Graph::default();
        let tape = graph.add("tape", NodeType::of::<Tape>()).unwrap();
        let train = graph.add("train", NodeType::of::<Train>()).unwrap();
        graph.set(train, "frames", &3.into()).unwrap();
        graph.set(train, "follow", &follow.into()).unwrap();
        graph.set(tape, "step", &1.into()).unwrap();
        assert_eq!((graph.nodes()[tape].is_stored(), graph.nodes()[train].is_stored()), (true, !follow));
        graph.add("log", NodeType::of::<Log>()).unwrap();
        let block = EdgeOptions { when_full: WhenFull::Block, queue: 4, ..EdgeOptions::default() };
        graph.connect("tape", "log", block).unwrap();
        graph.connect("train", "log.in2", block).unwrap();
        graph
    };
    let run = Run::start(&graph(true), RunOptions::default()).unwrap();
    // All of the tape: two thirds of its frames go to this output.
    livetime_testkit::wait_until("the frames of the tape", || run.report().nodes[2].completed == 34 + 3);
    run.stop();
    assert_eq!(run.finish(livetime_testkit::HANG).unintended_losses(), 0);
}

#[test]
fn a_rehearsal_finds_an_order_that_depends_on_threads_and_a_repeatable_run_has_none() {
    let block = EdgeOptions { when_full: WhenFull::Block, queue: 10, ..EdgeOptions::default() };
    let mut graph = Graph::default();
    for (name, node_type) in [("one", COUNTER), ("two", COUNTER), ("pass", PASS), ("tally", TALLY)] {
        graph.add(name, node_type).unwrap();
    }
    for (from, to) in [("one", "pass"), ("two", "pass.in2"), ("pass", "tally")] {
        graph.connect(from, to, block).unwrap();
    }
    let trails = |seed: u64, repeatable: bool| {
        let digest: fn(&Frame, &mut Vec<Note>) =
            |frame, notes| notes.push(Note::of(frame, frame.header().source.0.into()));
        let rehearsal = Rehearsal { seed, digest };
        let options = RunOptions { repeatable, rehearsal: Some(rehearsal), ..RunOptions::default() };
        let run = Run::start(&graph, options).unwrap();
        while !run.wait(Duration::from_secs(1)) {}
        run.trails()
    };
    let first = trails(0, true);
    assert_eq!(first.iter().map(|trail| trail.notes.len()).collect::<Vec<_>>(), [100, 100, 200]);
    assert!((1..4).all(|seed| trails(seed, true) == first));
    // Which frame comes first is chance: of a hundred runs two differ.
    let live = trails(1, false);
    assert!((2..100).any(|seed| trails(seed, false) != live));
}
