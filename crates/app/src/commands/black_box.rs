//! The black box of a run: where it is, and what is said of it and of runs that were killed.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use livetime_control::black_box::{BlackBox, Place, Problem};
use livetime_control::ledger::RunAccount;
use livetime_engine::Run;
use livetime_nodes::sources::pva_source::Interrupted;
use serde_json::{Value, json};

use super::run_args::RunArgs;
use crate::log::Level;
use crate::log::queue::Writer;
use crate::output::Output;

/// Where the run has its black box, with a line in the log for each run that was killed before; `None` if it has none: it is not
/// wanted, or there is no pipeline file that a next run could have, too.
pub(crate) fn place(args: &RunArgs, output: &mut Output) -> Option<Place> {
    let file: &PathBuf = args.pipeline.file.as_ref().filter(|file| file.is_file())?;
    if args.no_black_box {
        return None;
    }
    let place = match Place::new(file, args.pipeline.host_part(), args.black_box.as_deref()) {
        Ok(place) => place,
        Err(error) => {
            output.tell(Level::Warn, format_args!("no black box: {}: {error}", file.display()));
            return None;
        }
    };
    place.left.lines().for_each(|line| output.tell(Level::Warn, line));
    for problem in &place.left.problems {
        output.tell(Level::Warn, format_args!("a black box is refused: {problem}"));
    }
    Some(place)
}

/// The sources whose accounts end with the kill of the last run: their losses since then are unknown.
pub(crate) fn interrupted(place: &Place) -> Interrupted {
    let runs = place.left.runs.iter().filter_map(|run| {
        let until: Timestamp = run.known_until.as_deref()?.parse().ok()?;
        Some((run, i64::try_from(until.as_nanosecond()).ok()?))
    });
    // A source without a frame had not begun its account. Of several runs the last one counts.
    let sources = |(run, until): (&RunAccount, i64)| {
        run.nodes
            .iter()
            .filter(|node| node.emitted > 0)
            .map(move |node| (node.name.clone(), until))
            .collect::<Vec<_>>()
    };
    runs.flat_map(sources).collect()
}

/// Begins to copy the counts of the run.
pub(crate) fn begin(place: Place, run: &Arc<Run>, log: &Writer) -> BlackBox {
    let log = log.clone();
    let tell: Problem = Arc::new(move |problem| match problem {
        Some(problem) => {
            log.tell(Level::Warn, format_args!("black box, without which a kill loses the counts: {problem}"))
        }
        None => log.tell(Level::Info, format_args!("the black box is written again")),
    });
    place.begin(run, &tell)
}

/// Adds the id of the run and the accounts of killed runs to its report.
pub(crate) fn add(black_box: Option<&BlackBox>, report: &mut Value) {
    report["run"] = json!(black_box.map(BlackBox::run));
    report["previous"] = black_box.map_or(json!([]), BlackBox::previous);
    report["previous_dropped"] = json!(black_box.map_or(0, BlackBox::dropped));
}

/// The report is printed: the black box is no longer needed.
pub(crate) fn remove(black_box: BlackBox, output: &mut Output) {
    for problem in black_box.remove() {
        output.tell(Level::Warn, format_args!("a black box stays, and will be told again: {problem}"));
    }
}
