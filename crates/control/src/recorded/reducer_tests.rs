//! The results of a pipeline have the same bits for any number of workers and parts, and every event is accounted for.

use std::path::{Path, PathBuf};

use livetime_analysis::{
    Array, Found, GoOn, Histogram, Hits, Options, PixelStatistics, Plan, Reducers, Value, Work, analyze,
};
use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, NodeType, Params, PortSpec};
use livetime_formats::xtc1::Damage;
use livetime_formats::xtc1::compressed::Engine;
use livetime_frame::{ColorMode, DType, Frame, Layout};
use livetime_recording::Recording;

use super::camera::{Leaf, OTHER, datagram, frame, write};
use super::describe::Description;
use super::*;
use crate::test_nodes;

/// Nodes that keep no state, with an array that is compressed on its way, a view, and a branch that is not wanted.
const WAY: &str = "\
nodes:
  cam: {type: sim_detector}
  codec: {type: compress, from: cam, when_full: latest, params: {compressor: zstd}}
  back: {type: decompress, from: codec, queue: 1, max_rate: 1 Hz}
  part: {type: roi, from: back, params: {min_x: 3, size_x: 12, min_y: 2, size_y: 7}}
  turned: {type: transform, from: part, params: {operation: rot90}}
  end: {type: null, from: turned}
";

/// Fails, panics, leaves out or changes events by their number.
#[derive(Params)]
struct MoodyParams {
    /// An error.
    #[param(default = 1000)]
    fails_at: u64,
    /// A panic.
    #[param(default = 1000)]
    panics_at: u64,
    /// Is left out.
    #[param(default = 1000)]
    leaves_out: u64,
}

struct Moody(MoodyParams);

impl Node for Moody {
    type Params = MoodyParams;
    const SPEC: NodeSpec = NodeSpec {
        name: "moody",
        kind: NodeKind::Process,
        summary: "Does not like some events.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    fn new(params: MoodyParams) -> Result<Moody, NodeError> {
        Ok(Moody(params))
    }

    fn params(&mut self) -> &mut MoodyParams {
        &mut self.0
    }

    fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        // Events are numbered from 0 on, frames from 1 on.
        let event = frame.header().sequence - 1;
        assert!(event != self.0.panics_at, "wanted a better event");
        if event == self.0.fails_at {
            return Err(NodeError::new(format_args!("wanted a good event, found {event}")));
        }
        if event == self.0.leaves_out { Ok(()) } else { ctx.forward(0, frame) }
    }
}

/// Thirds, whose sums depend on their order.
struct Thirds(());

impl Node for Thirds {
    type Params = ();
    const SPEC: NodeSpec = NodeSpec {
        name: "thirds",
        kind: NodeKind::Process,
        summary: "Makes floats of integers.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    fn new(_: ()) -> Result<Thirds, NodeError> {
        Ok(Thirds(()))
    }

    fn params(&mut self) -> &mut () {
        &mut self.0
    }

    fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        let shape: Vec<usize> = array.layout().shape().collect();
        let mut out = ctx.array(Layout::packed(DType::F64, ColorMode::Mono, &shape)?)?;
        for (to, from) in out.elements_mut::<f64>()?.iter_mut().zip(array.elements::<u16>()?) {
            *to = f64::from(*from) / 3.0;
        }
        out.inherit(frame);
        ctx.emit(out)
    }
}

fn nodes() -> Vec<NodeType> {
    [test_nodes::all(), vec![NodeType::of::<Moody>(), NodeType::of::<Thirds>()]].concat()
}

/// A run of so many events of a camera, one of which is of another detector only, one of another size, and one damaged.
fn recorded(folder: &Path, events: u64) -> PathBuf {
    let leaf = |event| {
        let wide = if event == 30 { 26 } else { 24 };
        let damage = Damage(if event == 40 { 1 << 14 } else { 0 });
        let leaf = Leaf { engine: Engine::HIST16, damage, ..Leaf::new(frame(wide, 16, 16, event)) };
        if event == 20 { Leaf { src: OTHER, ..leaf } } else { leaf }
    };
    write(folder, &(0..events).map(|event| datagram(event, &[leaf(event)])).collect::<Vec<_>>())
}

fn inner() -> Reducers {
    let all = Reducers::default().with(PixelStatistics::all()).with(Histogram::default());
    all.with(Hits { threshold: 150.0 })
}

fn reducer(path: &Path, text: &str, of: Option<&str>) -> Result<PipelineReducer, String> {
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector("Opal1000").unwrap();
    let options = ReducedOptions { of: of.map(str::to_owned), ..ReducedOptions::default() };
    let made = PipelineReducer::new(&recording, &detector, ("p.yaml", text), &nodes(), &options, inner());
    made.map_err(|problems| problems.to_string())
}

/// Blocks of few events, so that there are many.
fn options(workers: usize) -> Options {
    Options { workers, block_bytes: 4 * 24 * 16 * 2, ..Options::default() }
}

fn found(path: &Path, reducer: PipelineReducer, workers: usize) -> (Found, PipelineAccount) {
    let outcome = reducer.outcome();
    let recording = livetime_analysis::Recording::open(&[path]).unwrap();
    let detector = recording.detector(Some("Opal1000")).unwrap();
    let reducers = Reducers::default().with(reducer);
    let found = analyze(&recording, &detector, &options(workers), &reducers, &mut |_| GoOn::Yes).unwrap();
    let account = outcome.lock().unwrap().clone().unwrap();
    (found, account)
}

fn array<'a>(found: &'a Found, name: &str) -> &'a Array {
    match &found.results.iter().find(|named| named.name == name).unwrap().value {
        Value::Array(array) => array,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_bits_for_any_number_of_workers_and_parts() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), 60);
    // Floats have other last bits in another order.
    for text in [WAY.to_owned(), format!("{WAY}  thirds: {{type: thirds, from: turned}}\n")] {
        same_for_all(&path, &text, folder.path());
    }
}

fn same_for_all(path: &Path, text: &str, folder: &Path) {
    let made = || reducer(path, text, None).unwrap();
    let (one, account) = found(path, made(), 1);
    // The event of another detector is missing; of the picture of another size the same part comes out.
    assert_eq!((one.account.used, account.used, account.given()), (59, 58, 59));
    assert_eq!((account.lost, account.damaged, account.named[0].event), (1, 1, 40));
    assert_eq!(array(&one, "mean").shape(), [12, 7]);
    for workers in [2, 3, 5] {
        let (other, its) = found(path, made(), workers);
        assert!(one.results == other.results && its == account, "{workers} workers");
    }
    for count in [1, 2, 7] {
        let (merged, its) = in_parts(path, made(), count, &folder.join(format!("{}-{count}", text.len())));
        assert!(one.results == merged.results && its == account, "{count} parts");
        assert_eq!(one.account, merged.account);
    }
}

/// Each part by reducers that were made again from the plan, the last one first.
fn in_parts(path: &Path, made: PipelineReducer, count: usize, out: &Path) -> (Found, PipelineAccount) {
    let recording = livetime_analysis::Recording::open(&[path]).unwrap();
    let detector = recording.detector(Some("Opal1000")).unwrap();
    let hash = made.hash();
    let reducers = Reducers::default().with(made);
    let work = Work::new(&recording, &detector, &options(1), &reducers).unwrap();
    let file = out.with_extension("json");
    Plan::new(&recording, &work, Some(count)).unwrap().write(&file).unwrap();
    let plan = Plan::read(&file).unwrap();
    let again = || PipelineReducer::described(&plan.described()[0], &nodes()).unwrap();
    assert_eq!(again().hash(), hash);
    for part in (0..count).rev() {
        let reducers = Reducers::default().with(again());
        let found = plan.reduce(&plan.work(&reducers).unwrap(), part, 1 + part % 3, &mut |_| GoOn::Yes);
        found.unwrap().write(out).unwrap();
    }
    let last = again();
    let outcome = last.outcome();
    let reducers = Reducers::default().with(last);
    let merged = plan.merge(&plan.work(&reducers).unwrap(), &[out.to_owned()]).unwrap();
    let account = outcome.lock().unwrap().clone().unwrap();
    (merged.found, account)
}

#[test]
fn what_comes_out_is_what_the_nodes_make_of_the_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), 7);
    let plain = "nodes:\n  cam: {type: sim_detector}\n  same: {type: transform, from: cam}\n";
    let (through, _) = found(&path, reducer(&path, plain, None).unwrap(), 1);
    let recording = livetime_analysis::Recording::open(&[&path]).unwrap();
    let detector = recording.detector(None).unwrap();
    let direct = analyze(&recording, &detector, &options(1), &inner(), &mut |_| GoOn::Yes).unwrap();
    assert!(through.results == direct.results);
    // A quarter turn of a part: rows of the part become columns.
    let (turned, _) = found(&path, reducer(&path, WAY, None).unwrap(), 1);
    let (whole, turned) = (array(&direct, "sum").values(), array(&turned, "sum").values());
    let part: f64 = (2..9).flat_map(|y| (3..15).map(move |x| y * 24 + x)).map(|at| whole[at]).sum();
    assert_eq!(turned.iter().sum::<f64>(), part);
}

#[test]
fn events_that_a_node_fails_in_are_lost_with_node_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), 19);
    let text = |policy: &str| {
        format!(
            "nodes:\n  cam: {{type: sim_detector}}\n  \
             m: {{type: moody, from: cam, {policy}params: {{fails_at: 3, panics_at: 11, leaves_out: 7}}}}\n"
        )
    };
    for workers in [1, 3] {
        let (found, account) = found(&path, reducer(&path, &text(""), None).unwrap(), workers);
        assert_eq!((found.account.used, account.used, account.left_out, account.lost), (19, 16, 1, 2));
        let named: Vec<_> = account.named.iter().map(|l| (l.event, l.node.as_deref(), &*l.why)).collect();
        let panic = "panicked: wanted a better event";
        assert_eq!(named, [(3, Some("m"), "wanted a good event, found 3"), (11, Some("m"), panic)]);
    }
    let stops = reducer(&path, &text("on_error: stop, "), None).unwrap();
    let recording = livetime_analysis::Recording::open(&[&path]).unwrap();
    let detector = recording.detector(None).unwrap();
    let reducers = Reducers::default().with(stops);
    let error = analyze(&recording, &detector, &options(2), &reducers, &mut |_| GoOn::Yes).unwrap_err();
    assert!(error.to_string().contains("event 3: m: wanted a good event, found 3"), "{error}");
}

#[test]
fn nodes_that_keep_state_are_refused_by_name_and_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), 3);
    let refused = |lines: &str, of: Option<&str>| {
        let text = format!("nodes:\n  cam: {{type: sim_detector}}\n{lines}");
        reducer(&path, &text, of).err().unwrap()
    };
    let filter = "  filter: {type: process, from: cam, params: {enable_filter: true}}\n";
    let error = refused(filter, None);
    assert!(error.starts_with("p.yaml:3:3: filter: wanted a node that keeps no state"), "{error}");
    let behind = format!("{filter}  t: {{type: transform, from: filter}}\n");
    assert!(refused(&behind, Some("t")).contains("found `process`, which does"));
    // A user that names an output wants only the nodes that lead there.
    let beside =
        format!("nodes:\n  cam: {{type: sim_detector}}\n{filter}  t: {{type: transform, from: cam}}\n");
    assert!(reducer(&path, &beside, None).err().unwrap().contains("filter: wanted a node"));
    assert_eq!(reducer(&path, &beside, Some("t")).unwrap().left_out(), ["filter"]);
    let error = refused("  t: {type: transform, from: cam, every: 2}\n", None);
    assert!(
        error.contains("p.yaml:3:30: t: wanted an edge that takes every frame, found `every: 2`"),
        "{error}"
    );
    let two = "  a: {type: transform, from: cam}\n  b: {type: roi, from: cam}\n";
    assert!(refused(two, None).contains("found `a`, `b`; choose with --of NODE"));
    assert!(refused(two, Some("c")).starts_with("--of c: wanted a node of the pipeline that sends pictures"));
    assert!(refused(two, Some("a.nothing")).contains("node `a` has no output `nothing`"));
    let meet = format!("{two}  c: {{type: statistics, from: [a, b]}}\n");
    assert!(refused(&meet, Some("c")).contains("c: wanted one edge to a node, found 2"));
    let packed = "  c: {type: compress, from: cam, params: {compressor: zstd}}\n";
    assert!(refused(packed, None).contains("wanted an uncompressed array"));
}

#[test]
fn a_description_is_what_it_was_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), 3);
    let made = reducer(&path, WAY, None).unwrap();
    let line = livetime_analysis::Reducer::describe(&made);
    assert!(PipelineReducer::is_described(&line) && line.contains(&made.hash()));
    assert_eq!(Description::parse(&line).unwrap().line(), line);
    let changed = line.replace("size_x: 12", "size_x: 13");
    assert!(changed != line && PipelineReducer::described(&changed, &nodes()).is_err());
    assert!(PipelineReducer::described("pipeline {}", &nodes()).is_err());
}

#[test]
fn any_bytes_are_a_partial_result_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), 9);
    let text = "nodes:\n  cam: {type: sim_detector}\n  m: {type: moody, from: cam, params: {fails_at: 3}}\n";
    let reducers = Reducers::default().with(reducer(&path, text, None).unwrap());
    let recording = livetime_analysis::Recording::open(&[&path]).unwrap();
    let detector = recording.detector(None).unwrap();
    let work = Work::new(&recording, &detector, &options(1), &reducers).unwrap();
    let partial = work.reduce(&recording, 0..work.leaves(), 1, &mut |_| GoOn::Yes).unwrap();
    let good = work.save(&partial).unwrap();
    assert!(work.finish(work.load(&good).unwrap()).is_ok());
    let mut loaded = 0;
    for at in (0..good.len().min(4096) - 8).step_by(4) {
        for word in [u64::MAX, 1 << 40, 7, 0] {
            let mut bytes = good.clone();
            bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
            // A partial result that passes the checks must be of use, too.
            if let Ok(partial) = work.load(&bytes) {
                let _ = work.finish(partial);
                loaded += 1;
            }
        }
        assert!(work.load(&good[..at]).is_err());
    }
    assert!(loaded > 0);
}
