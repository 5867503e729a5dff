//! `livetime analyze --pipeline`: a graph as the work.

use std::iter;
use std::path::Path;

use livetime_control::describe::value_json;
use livetime_engine::{NodeType, ParamSpec, Report as Ledger, Value};
use serde_json::{Map, Value as Json, json};

use super::args::AnalyzeArgs;
use super::files::{self, Files};
use super::pipeline::{damaged_text, of_pipeline};
use super::recorded::{RunFiles, check_events, detector, tell_indices};
use crate::analyze::{Detector, GoOn, GraphAnalysis, GraphFound, GraphOptions, RecordedError, Recording};
use crate::interrupts::Interrupts;
use crate::log::queue::queue;
use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::report::json::ending_json;
use crate::report::numbers::bytes;
use crate::report::table::{Style, Table, cell};
use crate::report::{Ending, summary};
use crate::usage::{Meter, Usage};

/// Longer lists are only counted in the table.
const SHOWN: usize = 6;

/// Gives the run to the pipeline `file` and reports.
pub(super) fn run(
    args: &AnalyzeArgs,
    file: &Path,
    nodes: &[NodeType],
    output: &mut Output,
) -> Result<Exit, Failure> {
    let failed = |error: livetime_formats::Error| Failure::of(&error);
    let Some(workers) = args.workers.only() else {
        let message =
            "--pipeline: wanted one number of workers, found a range: nodes write their files each time";
        return Err(Failure::new(Exit::Usage, message));
    };
    // These options are refused and not ignored, so that a missing result is noticed.
    refuse_reducing(args)?;
    let meter = Meter::start();
    let recording = args.open().map_err(failed)?;
    check_events(args, &recording)?;
    tell_indices(&recording, output);
    let detector = detector(&recording, args)?;
    let options = GraphOptions {
        workers,
        events: args.events.clone(),
        source: args.source.clone(),
        settings: args.settings.clone(),
    };
    let run = (&recording, &detector);
    let make = |pipeline: (&str, &str)| GraphAnalysis::new(run.0, run.1, pipeline, nodes, &options);
    let work = of_pipeline(args, file, run, output, make)?;
    let found = watched(&work, &recording, output).map_err(|e| Failure::new(Exit::Failed, e))?;
    let usage = meter.stop(found.file_bytes, found.raw_bytes);
    let name = file.display().to_string();
    let ending = Ending::new(&name, &found.report, found.ended_by);
    let report = Report {
        recording: &recording,
        detector: &detector,
        work: &work,
        found: &found,
        ending,
        usage,
        workers,
    };
    if let Some(folder) = &args.output {
        let stores = args.stores();
        let written = files::make_folder(&stores, folder)
            .and_then(|()| Files::new(&stores).finish(folder, &report.json()));
        written.map_err(|e| Failure::new(Exit::Failed, e))?;
    }
    match args.json {
        true => output.json(&report.json())?,
        false => output.data(&report.text(output.is_coloured))?,
    }
    Ok(report.exit())
}

/// Options that choose the results of reducers.
///
/// # Errors
/// If there is one: without `--with` there are no reducers.
fn refuse_reducing(args: &AnalyzeArgs) -> Result<(), Failure> {
    let useless = [
        (args.every > 1, "--every"),
        (args.threshold.is_some(), "--threshold"),
        (args.bins.is_some(), "--bins"),
        (args.range.is_some(), "--range"),
        (args.correct.select.is_some(), "--select"),
        (args.correct.has_geometry(), "--geometry"),
        (args.correct.first_correction().is_some(), args.correct.first_correction().unwrap_or_default()),
    ];
    let Some((_, option)) = useless.iter().find(|(is_useless, _)| *is_useless) else { return Ok(()) };
    let why = format!("`{option}` cannot be used with `--pipeline` alone: it is for what `--with` finds");
    Err(Failure::new(Exit::Usage, why))
}

/// Shows the progress of the run and the messages of nodes, and ends the run when the user wants.
fn watched(
    work: &GraphAnalysis,
    recording: &Recording,
    output: &mut Output,
) -> Result<GraphFound, RecordedError> {
    let interrupts = Interrupts::counted(output);
    // The progress counts bytes of pictures, because all events have pictures of one size here.
    let size = work.layout().span() as u64 * work.events() as u64;
    let mut progress = Progress::new(size, output);
    let (writer, log) = queue(progress.level());
    let found = work.run(recording, Some(writer.events()), &mut |now| {
        log.lines(iter::empty()).iter().for_each(|line| progress.log(line));
        progress.tell(now.raw_bytes);
        // The first interrupt lets frames under way come through, the second one does not wait.
        match interrupts.count() {
            0 => GoOn::Yes,
            1 => GoOn::Drain,
            _ => GoOn::Abort,
        }
    });
    // Messages of the end came after the last look.
    log.lines(iter::empty()).iter().for_each(|line| progress.log(line));
    progress.clear();
    found
}

struct Report<'a> {
    recording: &'a Recording,
    detector: &'a Detector,
    work: &'a GraphAnalysis,
    found: &'a GraphFound,
    ending: Ending<'a>,
    usage: Usage,
    workers: usize,
}

impl Report<'_> {
    /// As `livetime run` of the same recording: frames that the source could not read are among the losses of the run,
    /// and pictures that the recorder noted damage of were given.
    fn exit(&self) -> Exit {
        self.ending.exit().0
    }

    fn text(&self, is_coloured: bool) -> String {
        let style = Style { width: None, is_coloured };
        let mut text = self.heading();
        text += &RunFiles::of(self.recording).problems_text();
        text += &format!("\n{}\n{}", summary::summary(&self.ending, style), self.readbacks().render(style));
        text + &format!("\n{} workers: {}", self.workers, self.usage.text())
    }

    fn heading(&self) -> String {
        let (work, found) = (self.work, self.found);
        let mut text = format!(
            "{}: {} in the place of `{}`, {} of {} events, {} of pictures from {} of files\n",
            self.detector,
            work.layout(),
            work.source(),
            found.frames,
            work.events(),
            bytes(found.raw_bytes),
            bytes(found.file_bytes),
        );
        text += &damaged_text(found.damaged);
        if !work.left_out().is_empty() {
            text += &format!("left out, behind other sources: {}\n", work.left_out().join(", "));
        }
        for node in work.meeting_points() {
            text +=
                &format!("{node}: several edges meet; the order among their frames is that of this run\n");
        }
        text
    }

    /// The readbacks of nodes at their end, without empty texts and lists.
    fn readbacks(&self) -> Table {
        let mut table = Table::new(&["node", "readback", "value", "unit"]);
        for (node, spec, value) in readbacks(&self.found.report) {
            // Empty readbacks say nothing.
            let Some(shown) = shown(value) else { continue };
            let texts =
                [node.to_owned(), spec.name.to_owned(), shown, spec.unit.unwrap_or_default().to_owned()];
            table.row(texts.map(|text| cell(text, false)));
        }
        table
    }

    fn json(&self) -> Json {
        let (work, found) = (self.work, self.found);
        let mut rates = json!({ "workers": self.workers });
        livetime_measure::merge(&mut rates, self.usage.json());
        let mut told: Map<String, Json> = Map::new();
        for (node, spec, value) in readbacks(&found.report) {
            told.entry(node).or_insert_with(|| json!({}))[spec.name] = value_json(value);
        }
        let mut json = RunFiles::of(self.recording).json();
        let more = json!({
            "detector": self.detector.to_string(),
            "frame": work.layout().to_string(),
            "source": work.source(),
            "left_out": work.left_out(),
            "meeting_points": work.meeting_points(),
            "events": work.events(),
            "used": found.frames,
            "damaged": found.damaged,
            "readbacks": told,
            "rates": [rates],
            "run": ending_json(&self.ending),
            "exit_code": self.exit() as u8,
        });
        livetime_measure::merge(&mut json, more);
        json
    }
}

/// The readbacks of all nodes, in order.
fn readbacks(ledger: &Ledger) -> impl Iterator<Item = (&str, &ParamSpec, &Value)> {
    ledger.nodes.iter().flat_map(|node| {
        let told = node.last_values.iter().filter(|(spec, _)| spec.readback);
        told.map(|(spec, value)| (&*node.name, *spec, value))
    })
}

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) if text.is_empty() => None,
        Value::List(list) if list.is_empty() => None,
        Value::List(list) if list.len() > SHOWN => Some(format!("{} numbers (--json)", list.len())),
        value => Some(value.to_string()),
    }
}
