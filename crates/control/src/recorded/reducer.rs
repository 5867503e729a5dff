//! A pipeline between the events of a run and the reducers of an analysis.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use livetime_analysis::{
    Block, EventPictures, Layout as Panels, Loader, Named, Panel, Recorded, ReduceError, Reducer, Reducers,
    Saver,
};
use livetime_engine::{DirectRun, Given, Graph, NodeError, NodeType, RunOptions};
use livetime_frame::{Flags, Frame, Layout};
use livetime_recording::{Detector, Picture, Reader, Recording};

use super::account::{LostEvent, PipelineAccount};
use super::describe::{Description, KIND};
use super::error::{PictureError, RecordedError};
use super::{MOST_LOOKED_AT, SOURCE, first_picture};
use crate::config::{self, Pipeline, Problems, Purpose, Replaced, Replay, Setting};

/// The wanted part of a pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReducedOptions {
    /// Numbers of the events that are analysed; the first pictures among them say what comes out of the pipeline.
    pub events: Range<usize>,
    /// The source whose place the run takes; needed if the pipeline has several.
    pub source: Option<String>,
    /// The output whose pictures are wanted: `node` or `node.output`; needed if several outputs send to no node, or to
    /// sinks only. Only the nodes on the way there are then looked at.
    pub of: Option<String>,
    /// Parameters that are not as in the file.
    pub settings: Vec<Setting>,
}

/// All events, of a pipeline with one source and one end, as in its file.
impl Default for ReducedOptions {
    fn default() -> ReducedOptions {
        ReducedOptions { events: 0..usize::MAX, source: None, of: None, settings: Vec::new() }
    }
}

/// The account of the events, once the results are made.
pub type Outcome = Arc<Mutex<Option<PipelineAccount>>>;

/// Gives the picture of each event to the nodes of a pipeline, and what comes out at one of them to other reducers.
///
/// It is a [`Reducer`]: an analysis with it has the same bits for any number of workers, parts and machines. So the nodes on the way must
/// keep no state from frame to frame ([`NodeSpec::parallel`](livetime_engine::NodeSpec::parallel)), which is checked. Each worker has nodes of
/// its own, which run on its thread ([`DirectRun`]).
///
/// The nodes get the frames that the source `recording` sends: of each event with a picture, whatever its shape, with attributes and flags.
/// Only the number of a frame may differ. A source numbers the frames that it sends; how many come before an event is unknown where events
/// are taken in any order, so the number is the event's among the analysed events, the same where each has a picture.
///
/// Pictures that come out must be like the first one, and undamaged: another event is lost, with the reason
/// ([`PipelineReducer::outcome`]). So is one that a node fails in, by an error or a panic; if the node's policy is to stop, the
/// analysis ends.
///
/// ```no_run
/// use livetime_analysis::{GoOn, Options, PixelStatistics, Reducers, analyze};
/// use livetime_control::recorded::{PipelineReducer, ReducedOptions};
///
/// let file = "e236-r0003-s04-c00.xtc";
/// let recording = livetime_recording::Recording::open(&[file])?;
/// let text = "nodes:\n  cam: {type: sim_detector}\n  small: {type: roi, from: cam, params: {size_x: 100}}\n";
/// let inner = Reducers::default().with(PixelStatistics::all());
/// let options = ReducedOptions::default();
/// let pipeline = ("my.yaml", text);
/// let reducer =
///     PipelineReducer::new(&recording, &recording.detector("")?, pipeline, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &options, inner)?;
/// let outcome = reducer.outcome();
///
/// let events = livetime_analysis::Recording::open(&[file])?;
/// let detector = events.detector(None)?;
/// let reducers = Reducers::default().with(reducer);
/// let found = analyze(&events, &detector, &Options::default(), &reducers, &mut |_| GoOn::Yes)?;
/// println!("{} results, {:?}", found.results.len(), outcome.lock());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PipelineReducer {
    description: Description,
    way: Way,
    inner: Reducers,
    /// Nodes that no worker has just now.
    idle: Mutex<Vec<DirectRun>>,
    outcome: Outcome,
}

/// The nodes that lead from the source to the output.
struct Way {
    graph: Graph,
    output: String,
    source: String,
    left_out: Vec<String>,
}

/// A result of some events.
pub struct Partial {
    account: PipelineAccount,
    inner: <Reducers as Reducer>::Partial,
}

/// The fate of one event.
enum Passed {
    Out(Frame),
    LeftOut,
    /// The node that failed, and why.
    Lost(Option<String>, String),
}

impl PipelineReducer {
    /// Puts the pictures of `detector` in the place of the source of a pipeline file, given as name and text, and looks at what comes out of
    /// the first events.
    ///
    /// # Errors
    /// Everything that is wrong with the pipeline, with places; that a node on the way keeps state; or that nothing comes out.
    pub fn new(
        recording: &Recording,
        detector: &Detector,
        (name, text): (&str, &str),
        node_types: &[NodeType],
        options: &ReducedOptions,
        inner: Reducers,
    ) -> Result<PipelineReducer, Problems> {
        let refuse = |error: RecordedError| Problems::new(name, vec![error.into()]);
        let (input, first) = first_picture(recording, detector, &options.events).map_err(refuse)?;
        let mut description = Description {
            file: name.to_owned(),
            text: text.to_owned(),
            source: options.source.clone(),
            of: options.of.clone(),
            settings: options.settings.clone(),
            input,
            output: Panels { panels: Vec::new(), first_values: (f64::INFINITY, f64::NEG_INFINITY) },
            reducers: inner.describe(),
        };
        let way = Way::new(&description, node_types)?;
        // The range may be open, so the run bounds it.
        let events = options.events.start..options.events.end.min(recording.events());
        description.output =
            way.first_output(recording, detector, (events, first), &input).map_err(refuse)?;
        Ok(PipelineReducer { description, way, inner, idle: Mutex::default(), outcome: Outcome::default() })
    }

    /// Whether a reducer that describes itself so is one of these.
    pub fn is_described(line: &str) -> bool {
        line.starts_with(KIND)
    }

    /// Makes it again from how it describes itself, without a look at the run.
    ///
    /// # Errors
    /// If it is no such description, or its pipeline cannot be made of these types of nodes, or the nodes of this program are others.
    pub fn described(line: &str, node_types: &[NodeType]) -> Result<PipelineReducer, RecordedError> {
        let description = Description::parse(line).ok_or(RecordedError::Changed)?;
        let inner = Reducers::described(&description.reducers).map_err(RecordedError::Reducers)?;
        let way = Way::new(&description, node_types).map_err(RecordedError::Pipeline)?;
        Ok(PipelineReducer { description, way, inner, idle: Mutex::default(), outcome: Outcome::default() })
    }

    /// Name of the pipeline file.
    pub fn file(&self) -> &str {
        &self.description.file
    }

    /// The hash of what is in the pipeline file: 16 digits.
    pub fn hash(&self) -> String {
        self.description.hash()
    }

    /// The source whose place the run takes.
    pub fn source(&self) -> &str {
        &self.way.source
    }

    /// The output whose pictures are reduced: `node` or `node.output`.
    pub fn output(&self) -> &str {
        &self.way.output
    }

    /// The nodes that do not lead there.
    pub fn left_out(&self) -> &[String] {
        &self.way.left_out
    }

    /// The layout of the pictures that come out.
    pub fn layout(&self) -> &Panels {
        &self.description.output
    }

    /// Where the account will be when the results are made.
    pub fn outcome(&self) -> Outcome {
        self.outcome.clone()
    }

    /// Nodes that are started.
    fn nodes(&self) -> Result<DirectRun, ReduceError> {
        // A panic elsewhere leaves a list of whole values, so that poison does not matter.
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.way.start().map_err(ReduceError::from), Ok)
    }
}

impl Way {
    fn new(description: &Description, node_types: &[NodeType]) -> Result<Way, Problems> {
        let replay = Replay {
            type_name: SOURCE,
            params: Vec::new(),
            layout: description.input,
            source: description.source.clone(),
            workers: 1,
            purpose: Purpose::Output { of: description.of.clone() },
        };
        let Description { file, text, settings, .. } = description;
        let (pipeline, replaced) = config::parse_replay(file, text, node_types, settings, &replay)?;
        let (Pipeline { graph, .. }, Replaced { source, left_out, output }) = (pipeline, replaced);
        // Without a chosen output the only end of the graph is meant.
        let way = Way { graph, output: output.unwrap_or_default(), source, left_out };
        // A start reports a wrong output before the first event is read.
        way.start().map_err(|error| Problems::new(file, vec![error.into()]))?;
        Ok(way)
    }

    fn start(&self) -> Result<DirectRun, RecordedError> {
        // Statistics would cost time for each event and are not asked for.
        let options = RunOptions { statistics: false, ..RunOptions::default() };
        DirectRun::start(&self.graph, &[&self.output], options).map_err(RecordedError::Nodes)
    }

    /// The pictures that come out of the first events with this layout, from the event `first` on.
    fn first_output(
        &self,
        recording: &Recording,
        detector: &Detector,
        (events, first): (Range<usize>, usize),
        input: &Layout,
    ) -> Result<Panels, RecordedError> {
        let (mut reader, mut picture) = (Reader::default(), Picture::default());
        let mut nodes = self.start()?;
        let mut last = "none".to_owned();
        // The number of looked-at events is bounded: a pipeline that sends nothing would otherwise read the
        // whole run.
        for (event, number) in events.zip(1..).skip_while(|(event, _)| *event < first).take(MOST_LOOKED_AT) {
            let read = recording.read(detector, event, &mut reader, &mut picture);
            if read.and_then(|()| picture.layout()).ok() != Some(*input) {
                // A damaged picture, or one of another layout, does not show the usual output.
                continue;
            }
            let stopped = |source: NodeError| RecordedError::Stopped { event, source };
            let recorded = Recorded { picture: &picture, number };
            match pass(&mut nodes, &recorded, |_| Ok(())).map_err(stopped)? {
                Passed::Out(frame) => return Ok(described_output(&frame)?),
                Passed::LeftOut => {}
                Passed::Lost(None, why) => last = format!("event {event}: {why}"),
                Passed::Lost(Some(node), why) => last = format!("event {event}: {node}: {why}"),
            }
        }
        Err(RecordedError::NoOutput { output: self.output.clone(), last })
    }
}

impl Reducer for PipelineReducer {
    type Partial = Partial;

    fn partial(&self, _: &Panels) -> Partial {
        let inner = Reducer::partial(&self.inner, &self.description.output);
        Partial { account: PipelineAccount::default(), inner }
    }

    fn map(&self, partial: &mut Partial, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        self.map_block(partial, &Block::of(&[*event]))
    }

    /// All events of the block go through the nodes before the other reducers see any, which take many side by side.
    fn map_block(&self, partial: &mut Partial, block: &Block<'_>) -> Result<(), ReduceError> {
        let (mut nodes, output) = (self.nodes()?, &self.description.output);
        let mut out = Vec::new();
        for event in block.events() {
            let recorded =
                event.recorded.ok_or("wanted events as they were recorded, found other pictures")?;
            let passed = pass(&mut nodes, &recorded, |layout| is_like(layout, output))?;
            if let Some(frame) = partial.take(event, &recorded, passed) {
                out.push((event, frame, Vec::new()));
            }
        }
        let mut pictures = Vec::with_capacity(out.len());
        for (event, frame, scratch) in &mut out {
            pictures.push((*event, [Some(frame.array()?.packed(scratch))]));
        }
        let pictures =
            pictures.iter().map(|(e, bytes)| EventPictures::new(e.event, e.time_ns, &output.panels, bytes));
        let pictures: Vec<EventPictures<'_>> = pictures.collect();
        self.inner.map_block(&mut partial.inner, &block.with(&pictures))?;
        // Only after success: a failure may have left traces in the nodes.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(nodes);
        Ok(())
    }

    /// The nodes see what a source sends, damaged or not.
    fn takes_recorded(&self) -> bool {
        true
    }

    fn merge(&self, partial: &mut Partial, next: &mut Partial) -> Result<(), ReduceError> {
        partial.account.merge(&mut next.account);
        self.inner.merge(&mut partial.inner, &mut next.inner)
    }

    fn finish(&self, _: &Panels, partial: Partial) -> Result<Vec<Named>, ReduceError> {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(partial.account);
        self.inner.finish(&self.description.output, partial.inner)
    }

    fn takes_any_order(&self, _: &Panels) -> bool {
        self.inner.takes_any_order(&self.description.output)
    }

    /// The partial result of the other reducers, and the pictures that go through the nodes.
    fn memory(&self, layout: &Panels) -> u64 {
        let output = &self.description.output;
        let through = layout.bytes().saturating_add(output.bytes()) as u64;
        Reducer::memory(&self.inner, output).saturating_add(through)
    }

    fn describe(&self) -> String {
        self.description.line()
    }

    fn name(&self) -> String {
        format!("{KIND}{} {}", self.file(), self.hash())
    }

    fn save(&self, partial: &Partial, out: &mut Saver) -> Result<(), ReduceError> {
        partial.account.save(out);
        self.inner.save(&partial.inner, out)
    }

    fn load(&self, _: &Panels, from: &mut Loader<'_>) -> Result<Partial, ReduceError> {
        let account = PipelineAccount::load(from)?;
        Ok(Partial { account, inner: Reducer::load(&self.inner, &self.description.output, from)? })
    }
}

impl Partial {
    /// Counts an event, and returns its picture if there is one.
    fn take(&mut self, event: &EventPictures<'_>, recorded: &Recorded<'_>, passed: Passed) -> Option<Frame> {
        self.account.damaged += u64::from(recorded.picture.condition().is_damaged());
        match passed {
            Passed::Out(frame) => {
                self.account.used += 1;
                return Some(frame);
            }
            Passed::LeftOut => self.account.left_out += 1,
            Passed::Lost(node, why) => {
                self.account.lose(LostEvent { event: event.event, time_ns: event.time_ns, node, why });
            }
        }
        None
    }
}

/// Gives an event to the nodes as the frame that a source makes of it, and judges what comes out.
///
/// # Errors
/// That a node failed whose policy is to stop.
fn pass(
    nodes: &mut DirectRun,
    Recorded { picture, number }: &Recorded<'_>,
    check: impl Fn(&Layout) -> Result<(), PictureError>,
) -> Result<Passed, NodeError> {
    let layout = match picture.layout() {
        Ok(layout) => layout,
        Err(fault) => return Ok(Passed::Lost(None, fault.why)),
    };
    let mut frame = nodes.array(layout)?;
    picture.fill(&mut frame);
    // Numbers count from the first event of the run, as a source gives them.
    frame.header_mut().sequence = *number;
    let whole = |frame: &Frame| match frame.header().flags.contains(Flags::DAMAGED) {
        true => Err(PictureError::Damaged(picture.good_panels().err())),
        false => Ok(()),
    };
    Ok(passed(nodes.give(frame)?, |frame| {
        whole(frame)?;
        let array = frame.array()?;
        plain(array.layout())?;
        check(array.layout())
    }))
}

/// The fate of an event, by the frames and failures of the nodes.
fn passed(given: Given, check: impl Fn(&Frame) -> Result<(), PictureError>) -> Passed {
    // The first failure explains the later ones.
    if let Some(failure) = given.failures.into_iter().next() {
        return Passed::Lost(Some(failure.node), failure.message);
    }
    let mut frames = given.frames.into_iter().map(|(_, frame)| frame);
    match (frames.next(), frames.count()) {
        (None, _) => Passed::LeftOut,
        (Some(frame), 0) => match check(&frame) {
            Ok(()) => Passed::Out(frame),
            Err(why) => Passed::Lost(None, why.to_string()),
        },
        // Several pictures of one event cannot be told apart in a result.
        (Some(_), more) => Passed::Lost(None, format!("wanted one picture of an event, found {}", more + 1)),
    }
}

fn plain(layout: &Layout) -> Result<(), PictureError> {
    match layout.codec() {
        None => Ok(()),
        Some(_) => {
            let found = format!("{layout}: choose a node behind a `decompress`");
            Err(PictureError::kind("an uncompressed array", found))
        }
    }
}

fn is_like(layout: &Layout, wanted: &Panels) -> Result<(), PictureError> {
    let panel = wanted.panels.first();
    match panel.is_some_and(|p| p.dtype == layout.dtype() && layout.shape().eq(p.shape.iter().copied())) {
        true => Ok(()),
        false => {
            let wanted = panel.map_or_else(String::new, |p| format!("{} {:?}", p.dtype, p.shape));
            // Reducers add pictures element by element, so all must have one shape.
            Err(PictureError::kind(format!("{wanted} as of the first event"), layout.to_string()))
        }
    }
}

/// The layout of a picture that came out, as an analysis describes pictures.
fn described_output(frame: &Frame) -> Result<Panels, PictureError> {
    let array = frame.array()?;
    let layout = array.layout();
    let panel = Panel { number: 0, dtype: layout.dtype(), shape: layout.shape().collect() };
    let panels = vec![panel];
    let mut scratch = Vec::new();
    let bytes = [Some(array.packed(&mut scratch))];
    let values: Vec<f64> =
        EventPictures::new(0, 0, &panels, &bytes).pictures().flat_map(|p| p.values()).collect();
    // NaN and infinities give no range.
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let first_values = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    Ok(Panels { panels, first_values })
}
