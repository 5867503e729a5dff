//! The run that is analysed: its files, the wanted events, the detector.

use std::sync::Arc;

use livetime_recording::select::Selected;
use serde_json::{Value as Json, json};

use super::args::AnalyzeArgs;
use crate::analyze::{self, Detector, Plan, Recording};
use crate::output::{Exit, Failure, Output};

/// Whether the run has any of the events that are wanted.
pub(super) fn check_events(args: &AnalyzeArgs, recording: &Recording) -> Result<(), Failure> {
    let checked = recording.check_range(&args.events);
    checked.map_err(|why| Failure::new(Exit::Failed, format!("--events: {why}")))
}

/// Names the indices that were of no use, so that a user can write them again; nothing of the run is missing.
pub(super) fn tell_indices(recording: &Recording, output: &mut Output) {
    for why in recording.ignored_indices() {
        output.log(format_args!(
            "livetime: {why}; the file was scanned instead (`livetime index` writes its index)"
        ));
    }
    for object in recording.scanned_objects() {
        output.log(format_args!(
            "livetime: {}: no index beside it, so that every datagram was asked for; `livetime index` writes one for the file",
            object.display()
        ));
    }
}

/// Judges the events that are wanted.
///
/// # Errors
/// If the expression names a value that the run does not have.
pub(super) fn select(args: &AnalyzeArgs, recording: &Recording) -> Result<Option<Arc<Selected>>, Failure> {
    let Some(expression) = &args.correct.select else { return Ok(None) };
    let threads = args.workers.all().last().unwrap_or(1);
    let selected = recording.select(expression, args.events.clone(), threads);
    let selected = selected.map_err(|why| Failure::new(Exit::Usage, why))?;
    let selected = selected.with_some().map_err(|why| Failure::new(Exit::Failed, why))?;
    Ok(Some(Arc::new(selected)))
}

/// The detector that is wanted. Not to find one is a wrong use of the command only if the files are whole and hold others: a file that was cut
/// before its first picture has failed, whatever was asked for.
pub(super) fn detector(recording: &Recording, args: &AnalyzeArgs) -> Result<Detector, Failure> {
    analyze::detector(recording, args.detector.as_deref()).map_err(|error| {
        let has_others = analyze::detectors(recording).is_ok_and(|all| !all.is_empty());
        if has_others && recording.problems().is_empty() {
            return Failure::new(Exit::Usage, error);
        }
        let problems = RunFiles::of(recording).problems_text();
        let events = recording.events();
        Failure::new(Exit::Failed, format!("{error} ({events} events)\n{problems}").trim_end())
    })
}

/// The files of the run that was analysed.
pub(super) struct RunFiles {
    names: Vec<String>,
    /// File, and its fault.
    problems: Vec<(String, String)>,
    /// There will be more.
    is_growing: bool,
    /// The expression that selected the events of a plan.
    pub(super) expression: Option<String>,
}

impl RunFiles {
    pub(super) fn of(recording: &Recording) -> RunFiles {
        let mut problems = recording.problems();
        // Threads find those inside of events in any order.
        problems.sort_by_key(|problem| problem.event);
        RunFiles {
            names: recording.files().iter().map(|path| path.display().to_string()).collect(),
            problems: problems.into_iter().map(|p| (p.path.display().to_string(), p.why)).collect(),
            is_growing: recording.is_growing(),
            expression: None,
        }
    }

    /// As they were when the plan was made, with the problems that the plan and its parts found.
    pub(super) fn planned(plan: &Plan, problems: Vec<(String, String)>) -> RunFiles {
        RunFiles {
            names: plan.files().map(|path| path.display().to_string()).collect(),
            problems,
            is_growing: false,
            expression: plan.select().map(|select| select.expression().to_owned()),
        }
    }

    /// How many places cannot be read.
    pub(super) fn problems(&self) -> u64 {
        self.problems.len() as u64
    }

    /// The problems of the files, and whether there will be more.
    pub(super) fn problems_text(&self) -> String {
        let mut text: String =
            self.problems.iter().map(|(file, error)| format!("{file}: {error}\n")).collect();
        if self.is_growing {
            text += "the run is still being written: these are the events so far\n";
        }
        text
    }

    pub(super) fn json(&self) -> Json {
        let problem = |(file, error): &(String, String)| json!({ "file": file, "error": error });
        json!({
            "files": self.names,
            "problems": self.problems.iter().map(problem).collect::<Vec<_>>(),
            "growing": self.is_growing,
        })
    }
}
