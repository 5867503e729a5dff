//! A pipeline file as the work of an analysis.

use std::path::Path;

use super::args::AnalyzeArgs;
use crate::analyze::{Detector, Recording, first_picture};
use crate::config::{self, Problems};
use crate::output::{Exit, Failure, Output};

/// The work that `make` makes of the name and the text of a pipeline file. A run without pictures has failed, whatever is in the file.
pub(super) fn of_pipeline<T>(
    args: &AnalyzeArgs,
    file: &Path,
    (recording, detector): (&Recording, &Detector),
    output: &mut Output,
    make: impl FnOnce((&str, &str)) -> Result<T, Problems>,
) -> Result<T, Failure> {
    first_picture(recording, detector, &args.events).map_err(|why| Failure::new(Exit::Failed, why))?;
    let name = file.display().to_string();
    let text = config::read_text(file).map_err(|problem| Problems::new(&name, vec![problem]));
    let made = text.and_then(|text| make((&name, &text)));
    made.map_err(|problems| crate::commands::refuse(&problems, args.json, output))
}

/// The number of damaged pictures that a pipeline was given, as a line; empty for none.
pub(super) fn damaged_text(count: u64) -> String {
    match count {
        0 => String::new(),
        count => format!("with damage, or without some panel: {count} of the pictures\n"),
    }
}
