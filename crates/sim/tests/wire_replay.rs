//! A replay of raw frames to records, regions and a ledger: the same bytes under every schedule, and nothing missing in a record.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex};

use livetime_engine::testing::{Random, Simulation};
use livetime_engine::{
    Context, EdgeOptions, Graph, Node, NodeError, NodeSpec, NodeType, Params, Placement, PortSpec, Run,
    RunOptions, Value, WhenFull,
};
use livetime_formats::trigger::MissingReason;
use livetime_frame::{Frame, Payload};
use livetime_sim::wib_simulator::{SimulatedLinks, WibSimulatorParams};
use livetime_wire::{ALL, TriggerRecord};

/// Time of the first frame.
const FIRST: u64 = 80_000_000_000_000_000;

/// Everything that one sink of a graph got, in this order, by the sink's name.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<(String, u64)>>>);

struct Log {
    params: (),
    name: String,
    seen: Seen,
}

impl Node for Log {
    type Params = ();
    const SPEC: NodeSpec = NodeSpec::sink("log", "Remembers.", &[PortSpec::any("in")]);

    fn new(params: ()) -> Result<Log, NodeError> {
        Ok(Log { params, name: String::new(), seen: Seen::default() })
    }

    fn params(&mut self) -> &mut () {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        (self.name, self.seen) = (ctx.name().to_owned(), ctx.service());
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        let mut hasher = DefaultHasher::new();
        let header = frame.header();
        (header.sequence, header.event_time_ns, format!("{:?}", header.attributes)).hash(&mut hasher);
        hash_bytes(frame, &mut hasher);
        if let Ok(record) = frame.value::<TriggerRecord>() {
            // Before the first frame and behind the last one there is nothing; all else must be there.
            let raw = record.fragments.iter().flat_map(|fragment| &fragment.missing);
            for missing in raw.chain(record.hits.iter().flat_map(|hits| &hits.missing)) {
                let is_outside = missing.begin < FIRST || missing.reason == MissingReason::NotYet;
                assert!(is_outside, "{:?}: {missing:?}", record.decision);
            }
            hash_record(record, &mut hasher);
        }
        self.seen.0.lock().unwrap().push((self.name.clone(), hasher.finish()));
        Ok(())
    }
}

/// The bytes between the columns of a table are the bytes that were there before.
fn hash_bytes(frame: &Frame, hasher: &mut DefaultHasher) {
    let Payload::Table(layout) = frame.payload() else { return frame.bytes().hash(hasher) };
    for (begin, dtype) in (0..layout.schema().columns().len()).filter_map(|column| layout.place(column)) {
        frame.bytes()[begin..begin + layout.rows() * dtype.bytes()].hash(hasher);
    }
}

fn hash_record(record: &TriggerRecord, hasher: &mut DefaultHasher) {
    format!("{:?}", record.decision).hash(hasher);
    for fragment in &record.fragments {
        fragment.link.hash(hasher);
        fragment.pieces.iter().for_each(|piece| (piece.first, piece.bytes()).hash(hasher));
    }
    for hits in &record.hits {
        let mut rows = Vec::new();
        hits.rows(&record.decision, &mut rows).unwrap();
        format!("{rows:?}").hash(hasher);
    }
}

/// Two links in files.
fn dumps(folder: &Path, seconds: f64) -> String {
    let mut params = WibSimulatorParams::default();
    params.set_by_name("links", 2.into());
    params.set_by_name("first_timestamp", (FIRST as i64).into());
    let links = SimulatedLinks::new(&params, seconds).unwrap();
    let file = |link: usize| {
        let path = folder.join(format!("l{link}.wib"));
        let mut bytes = Vec::new();
        links
            .write(link, |frames| {
                bytes.extend_from_slice(frames);
                Ok(())
            })
            .unwrap();
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    format!("{}\n{}", file(0), file(1))
}

trait SetByName {
    fn set_by_name(&mut self, name: &str, value: Value);
}

impl<P: Params> SetByName for P {
    fn set_by_name(&mut self, name: &str, value: Value) {
        livetime_engine::assign(self, name, &value).unwrap();
    }
}

/// Adds a node; `from` are outputs, and the inputs that they lead to.
fn add(graph: &mut Graph, name: &str, kind: &str, params: &[(&str, Value)], from: &[(&str, &str)]) {
    let found = ALL.iter().find(|node| node.spec.name == kind).cloned();
    let node = graph.add(name, found.unwrap_or(NodeType::of::<Log>())).unwrap();
    params.iter().for_each(|(param, value)| graph.set(node, param, value).unwrap());
    let block = EdgeOptions { when_full: WhenFull::Block, queue: 4000, ..EdgeOptions::default() };
    for (output, input) in from {
        graph.connect(output, &format!("{name}.{input}"), block).unwrap();
    }
}

/// Every node with several inputs, behind two finders.
fn graph(files: &str, batch: i64) -> Graph {
    let mut graph = Graph::default();
    let g = &mut graph;
    add(g, "src", "wib_file", &[("file", files.into()), ("batch", batch.into())], &[]);
    for (finder, links) in [("h0", "0"), ("h1", "1")] {
        add(
            g,
            finder,
            "hit_finder",
            &[("noisy_rate", 0.0.into()), ("links", links.into())],
            &[("src", "in")],
        );
    }
    add(g, "m", "hit_merger", &[("links", "0-1".into())], &[("h0", "in"), ("h1", "in")]);
    add(g, "tr", "trigger_prescale", &[("every", 2.into())], &[("m", "in")]);
    add(g, "bundle", "trigger_bundle", &[("bundle", 5.into())], &[("m", "in")]);
    let windows =
        [("before", 900.into()), ("after", 1932.into()), ("buffer", 0.into()), ("inputs", 2.into())];
    add(g, "dec", "trigger_candidate", &windows, &[("tr", "in"), ("bundle", "in2")]);
    let params = [("seconds", 10.0.into()), ("deadline", 2.0.into()), ("links", "0-1".into())];
    add(g, "buf", "readout_buffer", &params, &[("src", "raw"), ("m", "hits"), ("dec", "decisions")]);
    add(g, "roi", "roi_selector", &[], &[("src", "raw"), ("m", "hits")]);
    add(g, "records", "log", &[], &[("buf", "in")]);
    add(g, "rois", "log", &[], &[("roi", "in"), ("roi.samples", "in")]);
    let ledgers = ["src.ledger", "h0.ledger", "h1.ledger", "m.ledger", "buf.ledger"].map(|l| (l, "in"));
    add(g, "ledger", "log", &[], &ledgers);
    graph
}

/// By sink, because two sinks need not do their work in one order.
fn sorted(seen: &Seen) -> Vec<(String, u64)> {
    let mut seen = seen.0.lock().unwrap().clone();
    seen.sort_by(|one, other| one.0.cmp(&other.0));
    seen
}

fn simulated(graph: &Graph, seed: u64) -> Vec<(String, u64)> {
    let mut simulation = Simulation::new(graph, seed).unwrap();
    assert!(simulation.run_to_end(1_000_000), "stuck: {:#?}", simulation.report());
    assert_eq!(simulation.report().unintended_losses(), 0, "{:#?}", simulation.report());
    sorted(&simulation.visit("records", |log: &mut Log| log.seen.clone()).unwrap())
}

#[test]
fn every_schedule_gives_the_same_bytes_and_whole_records() {
    let folder = tempfile::tempdir().unwrap();
    let files = dumps(folder.path(), 0.004);
    for batch in [777, 100] {
        let mut graph = graph(&files, batch);
        let first = simulated(&graph, 0);
        let records = first.iter().filter(|(sink, _)| sink == "records").count();
        assert!(records > 10 && first.len() > 3 * records / 2, "{records} of {}", first.len());
        let mut random = Random::new(batch as u64);
        for seed in 1..5 {
            // Nodes that share threads are another schedule.
            for node in 0..graph.nodes().len() {
                let group = Placement::Group(["a", "b"][random.below(2)].into());
                let placement = if random.below(2) == 0 { group } else { Placement::Own };
                graph.options_mut(node).unwrap().placement = placement;
            }
            assert!(simulated(&graph, seed) == first, "batch {batch}, seed {seed}");
        }
        (0..graph.nodes().len()).for_each(|node| graph.options_mut(node).unwrap().placement = Placement::Own);
        let run = Run::start(&graph, RunOptions::default()).unwrap();
        let seen: Seen = run.service();
        let report = run.finish(livetime_testkit::HANG);
        assert_eq!((report.failure.as_deref(), report.unintended_losses()), (None, 0));
        assert!(sorted(&seen) == first, "batch {batch}, with threads");
    }
}
