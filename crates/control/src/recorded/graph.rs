//! A pipeline file as the work of an analysis: all that its nodes do.

use std::ops::Range;
use std::time::{Duration, Instant};

use livetime_analysis::{GoOn, Progress};
use livetime_engine::{
    EventHandler, Graph, NodeType, Placement, Plan, Report, Run, RunOptions, Services, Value,
};
use livetime_frame::{FramePool, Layout};
use livetime_recording::{Detector, OpenRun, Recording, Wanted};

use super::error::RecordedError;
use crate::config::{self, Pipeline, Problem, ProblemKind, Problems, Purpose, Replaced, Replay, Setting};
use crate::report::EndedBy;

/// The period at which the progress of a run is read.
const LOOK: Duration = Duration::from_millis(100);
/// How long the frames under way may take after an early end.
const DRAIN_LIMIT: Duration = Duration::from_secs(30);
/// Frames that the copies of a node in a pool may be ahead of the slowest, for each copy, and that one source thread holds.
const AHEAD: usize = 16;
/// Frames that nodes may keep for themselves, as a recorder does.
const KEPT: usize = 64;

/// How a pipeline is analysed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphOptions {
    /// Threads for each node that may have several, and threads that read and decompress.
    pub workers: usize,
    /// Numbers of the events, from 0 on; numbers beyond the end of the run are ignored.
    pub events: Range<usize>,
    /// The source whose place the run takes; needed if the pipeline has several.
    pub source: Option<String>,
    /// Parameters that are not as in the file.
    pub settings: Vec<Setting>,
}

/// All events, with as many workers as there are cores.
impl Default for GraphOptions {
    fn default() -> GraphOptions {
        let livetime_analysis::Options { workers, events, .. } = livetime_analysis::Options::default();
        GraphOptions { workers, events, source: None, settings: Vec::new() }
    }
}

/// A pipeline whose source is a recorded run, checked.
///
/// All edges block and none limits the rate; nodes that declare that they keep no state from frame to frame
/// ([`NodeSpec::parallel`](livetime_engine::NodeSpec::parallel)) have `workers` threads with the order restored, the others one: the
/// frames that each node sees, and their order, do not depend on the number of workers. It does where edges meet in one node, see
/// [`GraphAnalysis::meeting_points`].
///
/// ```no_run
/// use livetime_analysis::GoOn;
/// use livetime_control::recorded::{GraphAnalysis, GraphOptions};
/// use livetime_recording::Recording;
///
/// let recording = Recording::open(&["e236-r0003-s04-c00.xtc"])?;
/// let detector = recording.detector("")?;
/// let text = "nodes:\n  cam: {type: sim_detector}\n  s: {type: statistics, from: cam}\n";
/// let options = GraphOptions::default();
/// let work = GraphAnalysis::new(&recording, &detector, ("my.yaml", text), &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &options)?;
/// let found = work.run(&recording, None, &mut |_| GoOn::Yes)?;
/// for (spec, value) in &found.report.nodes[1].last_values {
///     println!("{}: {value}", spec.name);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GraphAnalysis {
    pipeline: Pipeline,
    source: usize,
    left_out: Vec<String>,
    layout: Layout,
    events: Range<usize>,
    /// As the source is told them.
    files: String,
    /// Bytes that the frames of the run may take.
    frames_bytes: usize,
}

/// The result of a graph's run over recorded events.
pub struct GraphFound {
    /// The ledger, the times, and the parameters of all nodes at their end
    /// ([`NodeReport::last_values`](livetime_engine::NodeReport::last_values)).
    pub report: Report,
    /// Frames that the run gave: events with a picture that could be read.
    pub frames: u64,
    /// Frames of these whose data are damaged or not all there.
    pub damaged: u64,
    /// Bytes of these, uncompressed.
    pub raw_bytes: u64,
    /// Bytes in the files of all events that the source came to.
    pub file_bytes: u64,
    /// The reason of its end.
    pub ended_by: EndedBy,
}

impl GraphAnalysis {
    /// Puts the pictures of `detector` in the place of the source of a pipeline file, given as name and text.
    ///
    /// # Errors
    /// Everything that is wrong with the pipeline, with places; or that none of the first events has a picture.
    pub fn new(
        recording: &Recording,
        detector: &Detector,
        (name, text): (&str, &str),
        node_types: &[NodeType],
        options: &GraphOptions,
    ) -> Result<GraphAnalysis, Problems> {
        let refuse = |error: RecordedError| Problems::new(name, vec![error.into()]);
        let replay = replay(recording, detector, options).map_err(refuse)?;
        let parsed = config::parse_replay(name, text, node_types, &options.settings, &replay);
        let (mut pipeline, Replaced { source, left_out, .. }) = parsed?;
        let source = pipeline.graph.node(&source);
        let source = source.map_err(|error| {
            Problems::new(name, vec![Problem::elsewhere(ProblemKind::UnknownName(error))])
        })?;
        let frames = frames_bound(&pipeline.graph, &pipeline.plan, replay.workers);
        // Twice the bound, because some layouts are known only in the run. The pool takes memory only for
        // frames that are held.
        let most = usize::try_from(recording.memory().bytes()).unwrap_or(usize::MAX);
        let wanted = frames.saturating_mul(2).max(Graph::default().memory_bytes);
        pipeline.graph.memory_bytes = wanted.min(most).max(frames);
        let end = options.events.end.min(recording.events());
        let events = options.events.start.min(end)..end;
        let files = files_of(recording).map_err(refuse)?;
        let (layout, frames_bytes) = (replay.layout, frames);
        Ok(GraphAnalysis { pipeline, source, left_out, layout, events, files, frames_bytes })
    }

    /// Gives all events to the graph as fast as it takes them. `tell` is called several times a second, `on_event` with everything that
    /// nodes tell, on their threads.
    ///
    /// # Errors
    /// If the frames need more memory than may be taken, or a node does not start. Later failures are in the report.
    pub fn run(
        &self,
        recording: &Recording,
        on_event: Option<EventHandler>,
        tell: &mut dyn FnMut(Progress) -> GoOn,
    ) -> Result<GraphFound, RecordedError> {
        recording.memory().check(self.frames_bytes as u64, "the frames of a pipeline")?;
        let services = Services::default().with(OpenRun::new(&self.files, recording));
        let options = RunOptions { on_event, services, ..RunOptions::default() };
        let run = Run::start(&self.pipeline.graph, options).map_err(RecordedError::Graph)?;
        let ended_by = self.until_end(&run, tell);
        // `until_end` has waited: a run that has not ended is aborted.
        let report = run.finish(Duration::ZERO);
        let frames = report.nodes[self.source].emitted;
        let seen = self.events.clone().take(self.events_seen(&report));
        Ok(GraphFound {
            frames,
            damaged: self.told(&report, &["damaged"]),
            raw_bytes: frames * self.layout.span() as u64,
            file_bytes: seen.map(|event| recording.event_bytes(event)).sum(),
            report,
            ended_by,
        })
    }

    /// The source, which plays the run.
    pub fn source(&self) -> &str {
        &self.pipeline.graph.nodes()[self.source].name
    }

    /// The layout of the frames that the source sends.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How many events are played.
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// The nodes that were left out because they are only behind other sources.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// The nodes to which several edges lead. In which order these bring frames is another one in each run.
    pub fn meeting_points(&self) -> Vec<&str> {
        let graph = &self.pipeline.graph;
        let edges = |node: usize| graph.edges().iter().filter(|e| e.to.0 == node).count();
        let nodes = graph.nodes().iter().enumerate();
        nodes.filter(|(node, _)| edges(*node) > 1).map(|(_, decl)| &*decl.name).collect()
    }

    fn until_end(&self, run: &Run, tell: &mut dyn FnMut(Progress) -> GoOn) -> EndedBy {
        let mut draining: Option<(Instant, EndedBy)> = None;
        while !run.wait(LOOK) {
            let report = run.report();
            let wish = match tell(self.progress(&report)) {
                // After a failure, frames under way are still handled.
                GoOn::Yes if report.failure.is_some() => Some(EndedBy::Failure),
                GoOn::Yes => None,
                GoOn::Drain => Some(EndedBy::Interrupt),
                GoOn::Abort => return EndedBy::Abort,
            };
            match (draining, wish) {
                (None, Some(ended_by)) => {
                    run.stop();
                    draining = Some((Instant::now(), ended_by));
                }
                (Some((since, _)), _) if since.elapsed() > DRAIN_LIMIT => return EndedBy::DrainLimit,
                _ => {}
            }
        }
        draining.map_or(EndedBy::Sources, |(_, ended_by)| ended_by)
    }

    /// Events with a picture, events without, and events that cannot be read.
    fn events_seen(&self, report: &Report) -> usize {
        self.told(report, &["array_counter", "missing", "failures"]) as usize
    }

    /// The sum of what the source tells under these names.
    fn told(&self, report: &Report, names: &[&str]) -> u64 {
        let told = report.nodes[self.source].last_values.iter();
        let counts = told.filter(|(spec, _)| names.contains(&spec.name));
        counts.map(|(_, v)| if let Value::Int(count) = v { *count as u64 } else { 0 }).sum()
    }

    fn progress(&self, report: &Report) -> Progress {
        let done = report.nodes[self.source].emitted;
        let raw_bytes = done * self.layout.span() as u64;
        Progress { done: done as usize, events: self.events(), raw_bytes }
    }
}

/// The source that plays the recording.
///
/// # Errors
/// If a path is no text, or none of the first events has a picture.
fn replay(
    recording: &Recording,
    detector: &Detector,
    options: &GraphOptions,
) -> Result<Replay, RecordedError> {
    let files = files_of(recording)?;
    let events = match &options.events {
        Range { start, end: usize::MAX } => format!("{start}.."),
        Range { start, end } => format!("{start}..{end}"),
    };
    let (layout, _) = super::first_picture(recording, detector, &options.events)?;
    let workers = options.workers.max(1);
    let threads = workers.min(64).to_string();
    let Wanted { detector, algorithm, field } = Wanted::from(detector);
    let named = [("detector", detector), ("algorithm", algorithm), ("field", field)];
    let how = [("file", files), ("events", events), ("threads", threads)];
    Ok(Replay {
        type_name: super::SOURCE,
        params: named.into_iter().chain(how).filter(|(_, value)| !value.is_empty()).collect(),
        layout,
        source: options.source.clone(),
        workers,
        purpose: Purpose::Everything,
    })
}

/// The files of a run as a source is told them: each in a line.
///
/// # Errors
/// If a path is no text of one line.
fn files_of(recording: &Recording) -> Result<String, RecordedError> {
    let line = |path: std::path::PathBuf| {
        let text = path.to_str().filter(|text| !text.contains('\n')).map(|text| format!("{text}\n"));
        text.ok_or(RecordedError::Path(path))
    };
    recording.files().into_iter().map(line).collect()
}

/// Bytes that full queues and pools can hold at most, if all frames are as large as the largest.
fn frames_bound(graph: &Graph, plan: &Plan, workers: usize) -> usize {
    let layouts = plan.streams.iter().flatten().filter_map(|stream| stream.layout());
    let frame = layouts.map(|layout| FramePool::cost_bytes(layout.span())).max().unwrap_or(0);
    let is_pool = |placement: &Placement| matches!(placement, Placement::Pool(_));
    let pools = graph.nodes().iter().filter(|n| is_pool(&n.options.placement)).count();
    // One more for the frame in the receiver's handler.
    let queued: usize = graph.edges().iter().map(|e| e.options.queue + 1).sum();
    let frames = queued + (pools + 1) * (AHEAD + 1) * workers + KEPT;
    frame.saturating_mul(frames)
}
