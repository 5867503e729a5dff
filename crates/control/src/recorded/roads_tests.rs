//! Three roads lead an event through a graph: `run` with the node `recording`, [`GraphAnalysis`] and [`PipelineReducer`]. Nodes see the same frames on
//! each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use livetime_analysis::{
    EventPictures, GoOn, Layout as Panels, Loader, Named, Options, ReduceError, Reducer, Reducers, Saver,
    Work, analyze,
};
use livetime_engine::{
    Context, Node, NodeError, NodeKind, NodeSpec, NodeType, Params, PortSpec, Run, RunOptions, Value,
};
use livetime_formats::xtc1::Damage;
use livetime_frame::{ColorMode, DType, Flags, Frame, Layout};
use livetime_recording::convert::{FramesOptions, Packing, Target, convert_frames};
use livetime_recording::{Recording, Wanted};
use livetime_testkit::xtc2;
use twox_hash::XxHash3_64;

use super::camera::{Leaf, OTHER, datagram, frame, write};
use super::*;
use crate::config;

/// The numbers that [`Seen`] makes of a frame.
const NUMBERS: usize = 6;

/// The facts of a frame: sequence number, time of the event, damage, and hashes of its attributes, its layout and its pixels.
type Facts = [u64; NUMBERS];

/// All that a node can see of a frame, as a picture that is not damaged.
struct Seen(());

impl Node for Seen {
    type Params = ();
    const SPEC: NodeSpec = NodeSpec {
        name: "seen",
        kind: NodeKind::Process,
        summary: "Sends the facts of a frame.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    fn new(_: ()) -> Result<Seen, NodeError> {
        Ok(Seen(()))
    }

    fn params(&mut self) -> &mut () {
        &mut self.0
    }

    fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let (header, array) = (frame.header(), frame.array()?);
        let hash = |bytes: &[u8]| XxHash3_64::oneshot(bytes);
        let attributes: Vec<String> = header.attributes.iter().map(|a| format!("{a:?}")).collect();
        let facts: Facts = [
            header.sequence,
            header.event_time_ns as u64,
            u64::from(header.flags.contains(Flags::DAMAGED)),
            hash(attributes.join("\n").as_bytes()),
            hash(array.layout().to_string().as_bytes()),
            hash(array.packed(&mut Vec::new())),
        ];
        let mut out = ctx.array(Layout::packed(DType::U64, ColorMode::Mono, &[1, NUMBERS])?)?;
        out.elements_mut::<u64>()?.copy_from_slice(&facts);
        out.header_mut().sequence = header.sequence;
        ctx.emit(out)
    }
}

/// Writes the facts that it gets to the end of a file.
#[derive(Params)]
struct NotedParams {
    /// The file.
    file: String,
}

struct Noted(NotedParams);

impl Node for Noted {
    type Params = NotedParams;
    const SPEC: NodeSpec = NodeSpec {
        name: "noted",
        kind: NodeKind::Sink,
        summary: "Notes facts.",
        inputs: &[PortSpec::array("in")],
        outputs: &[],
        parallel: false,
    };

    fn new(params: NotedParams) -> Result<Noted, NodeError> {
        Ok(Noted(params))
    }

    fn params(&mut self) -> &mut NotedParams {
        &mut self.0
    }

    fn frame(&mut self, _: usize, frame: &Frame, _: &mut Context) -> Result<(), NodeError> {
        let mut known = std::fs::read(&self.0.file).unwrap_or_default();
        known.extend_from_slice(frame.bytes());
        std::fs::write(&self.0.file, known).map_err(NodeError::new)
    }
}

/// Keeps the pictures that it gets, by event.
#[derive(Clone, Default)]
struct Keep(Arc<Mutex<BTreeMap<usize, Facts>>>);

impl Reducer for Keep {
    type Partial = ();

    fn partial(&self, _: &Panels) {}

    fn map(&self, _: &mut (), event: &EventPictures<'_>) -> Result<(), ReduceError> {
        let picture = event.picture(0).ok_or("wanted a picture, found none")?;
        self.0.lock().unwrap().insert(event.event, facts(picture.bytes)[0]);
        Ok(())
    }

    fn merge(&self, _: &mut (), _: &mut ()) -> Result<(), ReduceError> {
        Ok(())
    }

    fn finish(&self, _: &Panels, _: ()) -> Result<Vec<Named>, ReduceError> {
        Ok(Vec::new())
    }

    fn save(&self, _: &(), _: &mut Saver) -> Result<(), ReduceError> {
        Ok(())
    }

    fn load(&self, _: &Panels, _: &mut Loader<'_>) -> Result<(), ReduceError> {
        Ok(())
    }
}

fn facts(bytes: &[u8]) -> Vec<Facts> {
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let one = |bytes: &[u8]| std::array::from_fn(|at| number(&bytes[at * 8..at * 8 + 8]));
    bytes.chunks_exact(NUMBERS * 8).map(one).collect()
}

fn nodes() -> Vec<NodeType> {
    [livetime_nodes::ALL, livetime_sim::ALL, &[NodeType::of::<Seen>(), NodeType::of::<Noted>()]].concat()
}

/// The frames on the road of a graph: the facts of each, and the number of damaged pictures that the source counted.
type Came = (Vec<Facts>, u64);

fn graph(source: &str, file: &Path) -> String {
    format!(
        "nodes:\n  cam: {source}\n  seen: {{type: seen, from: {{node: cam, when_full: block}}}}\n  \
         noted: {{type: noted, from: {{node: seen, when_full: block}}, params: {{file: \"{}\"}}}}\n",
        file.display()
    )
}

fn came(file: &Path, report: &livetime_engine::Report) -> Came {
    let damaged = report.nodes[0].last_values.iter().find(|(spec, _)| spec.name == "damaged");
    let Some((_, Value::Int(damaged))) = damaged else { panic!("{damaged:?}") };
    (facts(&std::fs::read(file).unwrap_or_default()), *damaged as u64)
}

/// The road of `livetime run`.
fn by_run(run: &Path, detector: &Detector, events: &Range<usize>, file: &Path) -> Came {
    let Wanted { detector, algorithm, field } = Wanted::from(detector);
    let source = format!(
        "{{type: recording, params: {{file: \"{}\", detector: \"{detector}\", algorithm: \"{algorithm}\", \
         field: \"{field}\", events: \"{}..{}\"}}}}",
        run.display(),
        events.start,
        events.end
    );
    let graph = config::parse("p.yaml", &graph(&source, file), &nodes(), &[]).unwrap().graph;
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    while !run.wait(Duration::from_millis(100)) {}
    came(file, &run.finish(Duration::ZERO))
}

/// The road of `livetime analyze --pipeline`.
fn by_graph_analysis(run: &Recording, detector: &Detector, events: &Range<usize>, file: &Path) -> Came {
    let text = graph("{type: sim_detector}", file);
    let options = GraphOptions { workers: 2, events: events.clone(), ..GraphOptions::default() };
    let work = GraphAnalysis::new(run, detector, ("p.yaml", &text), &nodes(), &options).unwrap();
    let found = work.run(run, None, &mut |_| GoOn::Yes).unwrap();
    let came = came(file, &found.report);
    assert_eq!((came.0.len() as u64, came.1), (found.frames, found.damaged));
    came
}

/// The road of `livetime analyze --pipeline --with`: the facts by event.
fn by_reducer(
    run: &Recording,
    detector: &Detector,
    events: &Range<usize>,
) -> (BTreeMap<usize, Facts>, PipelineAccount) {
    let text = "nodes:\n  cam: {type: sim_detector}\n  seen: {type: seen, from: cam}\n";
    let keep = Keep::default();
    let inner = Reducers::default().with(keep.clone());
    let options = ReducedOptions { events: events.clone(), ..ReducedOptions::default() };
    let made = PipelineReducer::new(run, detector, ("p.yaml", text), &nodes(), &options, inner).unwrap();
    let outcome = made.outcome();
    let options = Options { events: events.clone(), block_bytes: 1, ..Options::default() };
    let reducers = Reducers::default().with(made);
    // In two parts, the second one first.
    let work = Work::new(run, detector, &options, &reducers).unwrap();
    let half = work.leaves() / 2;
    let mut all = work.reduce(run, half..work.leaves(), 2, &mut |_| GoOn::Yes).unwrap();
    let first = work.reduce(run, 0..half, 1, &mut |_| GoOn::Yes).unwrap();
    work.merge(&mut all, work.load(&work.save(&first).unwrap()).unwrap()).unwrap();
    work.finish(all).unwrap();
    let account = outcome.lock().unwrap().clone().unwrap();
    let kept = std::mem::take(&mut *keep.0.lock().unwrap());
    (kept, account)
}

/// The same frames come on all roads. Returns their facts.
fn same_on_all_roads(path: &Path, detector: &Detector, events: &Range<usize>) -> Came {
    let folder = tempfile::tempdir().unwrap();
    let run = Recording::open(&[path]).unwrap();
    let played = by_run(path, detector, events, &folder.path().join("run"));
    let analysed = by_graph_analysis(&run, detector, events, &folder.path().join("graph"));
    assert!(analysed == played, "{detector}: {analysed:?} {played:?}");
    let (reduced, account) = by_reducer(&run, detector, events);
    assert_eq!((account.used, account.lost, account.damaged), (played.0.len() as u64, 0, played.1));
    for (event, facts) in &reduced {
        assert_eq!(facts[0], (event - events.start) as u64 + 1, "{detector}");
    }
    // A source numbers the frames that it sends: without gaps, also where an event has no picture.
    let frames: Vec<Facts> = reduced.into_values().zip(1..).map(|(facts, n)| with_number(facts, n)).collect();
    assert!(frames == played.0, "{detector}: {frames:?} {:?}", played.0);
    played
}

fn with_number([_, rest @ ..]: Facts, number: u64) -> Facts {
    let mut facts = [number; NUMBERS];
    facts[1..].copy_from_slice(&rest);
    facts
}

/// All detectors with a picture of a run.
fn all_detectors(path: &Path, most: usize) -> usize {
    let run = Recording::open(&[path]).unwrap();
    let detectors = run.detectors().unwrap();
    let has_picture = |detector: &&Detector| first_picture(&run, detector, &(0..usize::MAX)).is_ok();
    let events = 0..run.events().min(most);
    let seen =
        detectors.iter().filter(has_picture).map(|detector| same_on_all_roads(path, detector, &events));
    seen.filter(|(frames, _)| !frames.is_empty()).count()
}

/// A picture of an event, which has damage in the third one.
fn third_is_damaged(event: u64) -> Leaf {
    Leaf { damage: Damage(if event == 2 { 1 << 14 } else { 0 }), ..Leaf::new(frame(8, 4, 16, event)) }
}

fn own(name: &str) -> PathBuf {
    livetime_testkit::repository().join("testdata").join(name)
}

#[test]
fn recorded_runs_of_all_formats_are_the_same_on_all_roads() {
    for name in
        ["xtc1/camera.xtc", "xtc1/camera.histn.xtc", "xtc2/own-r0001-s000-c000.xtc2", "adcore/scan.h5"]
    {
        assert!(all_detectors(&own(name), 20) > 0, "{name}");
    }
}

#[test]
fn runs_of_other_programs_are_the_same_on_all_roads() {
    let of_lcls2 = ["chunking", "intg_det", "mixed_rate", "multi-seg-epics"]
        .map(|name| format!("xtc2/lcls2/{name}/xpptut15-r0014-s000-c000.xtc2"));
    let of_lcls1 = ["xtc", "hist16.xtc"].map(|ending| format!("xtc1/container/e236-r0003-s04-c00.{ending}"));
    for name in of_lcls2.iter().chain(&of_lcls1) {
        let Some(path) = livetime_testkit::data(name) else { return };
        assert!(all_detectors(&path, 20) > 0, "{name}");
    }
}

/// A copy as HDF5 has the attributes of its frames as columns, and damage among them.
#[test]
fn a_copy_as_hdf5_is_the_same_on_all_roads() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &(0..9).map(|e| datagram(e, &[third_is_damaged(e)])).collect::<Vec<_>>());
    let copy = folder.path().join("copy.h5");
    let target = Target::Hdf5(Packing::named("bslz4").unwrap());
    let options = FramesOptions { detector: "Opal1000".into(), events: 0..usize::MAX, target, threads: 1 };
    convert_frames(&Recording::open(&[&path]).unwrap(), &copy, &options, |_| true).unwrap();
    let run = Recording::open(&[&copy]).unwrap();
    let (frames, damaged) = same_on_all_roads(&copy, &run.detector("").unwrap(), &(1..8));
    assert_eq!((frames.len(), damaged), (7, 1));
}

/// Damage, pictures of another size, and events without the detector.
#[test]
fn what_is_not_like_the_first_events_is_the_same_on_all_roads() {
    let folder = tempfile::tempdir().unwrap();
    let good = |event| Leaf::new(frame(8, 4, 16, event));
    let damaged = |event| Leaf { damage: Damage(1 << 14), ..good(event) };
    let wide = |event| Leaf::new(frame(12, 4, 16, event));
    let other = |event| Leaf { src: OTHER, ..good(event) };
    let leaves = [good(0), damaged(1), good(2), other(3), wide(4), damaged(5), good(6)];
    let datagrams = leaves.iter().zip(0..).map(|(leaf, event)| datagram(event, std::slice::from_ref(leaf)));
    let path = write(folder.path(), &datagrams.collect::<Vec<_>>());
    let run = Recording::open(&[&path]).unwrap();
    let detector = run.detector("Opal1000").unwrap();
    let (frames, count) = same_on_all_roads(&path, &detector, &(0..7));
    let marks: Vec<u64> = frames.iter().map(|facts| facts[2]).collect();
    assert_eq!((marks, count), (vec![0, 1, 0, 0, 1, 0], 2));
    // The attribute `Damage` is seen, too.
    assert!(frames[0][3] != frames[1][3]);
    assert_eq!(same_on_all_roads(&path, &detector, &(1..3)).0[1][0], 2);
}

/// A detector of two segments, one of which is damaged, and then missing.
#[test]
fn pictures_that_are_damaged_in_a_part_are_the_same_on_all_roads() {
    let folder = tempfile::tempdir().unwrap();
    let fields = &[("raw", 1, 2)];
    let panel = |segment: u8| xtc2::Names {
        id: 0x100 + u32::from(segment),
        detector: "epix",
        algorithm: "raw",
        segment: segment.into(),
        fields,
    };
    let record =
        |segment: u8, damage| xtc2::record(panel(segment).id, damage, &[&[2, 3]], &[segment + 1; 12]);
    let names = [0, 1].map(|segment| xtc2::names(&panel(segment)));
    let (configure, event) = (2, 12);
    let datagrams = [
        xtc2::datagram(configure, 1, 0, &names),
        xtc2::datagram(event, 1_000_000_000, 0, &[record(0, 0), record(1, 0)]),
        xtc2::datagram(event, 1_010_000_000, 0, &[record(0, 0), record(1, 1 << 12)]),
        xtc2::datagram(event, 1_020_000_000, 0, &[record(0, 0)]),
    ];
    let path = folder.path().join("x-r0001-s000-c000.xtc2");
    std::fs::write(&path, datagrams.concat()).unwrap();
    let run = Recording::open(&[&path]).unwrap();
    let (frames, count) = same_on_all_roads(&path, &run.detector("epix").unwrap(), &(0..3));
    assert_eq!((frames.iter().map(|facts| facts[2]).collect::<Vec<_>>(), count), (vec![0, 1, 1], 2));
}

/// Statistics leave out what comes out damaged, and say why.
#[test]
fn statistics_lose_pictures_that_come_out_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &(0..3).map(|e| datagram(e, &[third_is_damaged(e)])).collect::<Vec<_>>());
    let run = Recording::open(&[&path]).unwrap();
    let detector = run.detector("Opal1000").unwrap();
    let text = "nodes:\n  cam: {type: sim_detector}\n  t: {type: transform, from: cam}\n";
    let options = ReducedOptions::default();
    let (keep, pipeline) = (Keep::default(), ("p.yaml", text));
    let inner = Reducers::default().with(keep);
    let made = PipelineReducer::new(&run, &detector, pipeline, &nodes(), &options, inner);
    let outcome = made.as_ref().unwrap().outcome();
    let reducers = Reducers::default().with(made.unwrap());
    let found = analyze(&run, &detector, &Options::default(), &reducers, &mut |_| GoOn::Yes).unwrap();
    let account = outcome.lock().unwrap().clone().unwrap();
    assert_eq!((found.account.used, found.account.lost()), (3, 0));
    assert_eq!((account.used, account.left_out, account.lost, account.damaged), (2, 0, 1, 1));
    let [lost] = &account.named[..] else { panic!("{account:?}") };
    assert_eq!((lost.event, &lost.node), (2, &None));
    assert!(lost.why.starts_with("wanted an undamaged picture, found only one with damage"), "{}", lost.why);
}
