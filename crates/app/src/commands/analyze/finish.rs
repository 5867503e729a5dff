//! The end of an analysis: its files, its report and its exit code.

use std::time::Instant;

use livetime_recording::Findings;

use super::files::Files;
use super::report::{Report, Times};
use super::through::Through;
use crate::output::{Exit, Failure, Output};

/// Makes the files of the results, and reports. The files get their names with the report on them.
pub(super) fn finish(report: Report, begin: Instant, output: &mut Output) -> Result<Exit, Failure> {
    let failed = |error| Failure::new(Exit::Failed, error);
    let Report { args, last, all, .. } = report;
    let (making, stores) = (Instant::now(), args.stores());
    let made = args.output.as_ref().map(|folder| Files::make(&stores, folder, last, all, &args.tables));
    let (files, written) = made.transpose().map_err(failed)?.unwrap_or_default();
    let writing = (!written.is_empty()).then(|| making.elapsed());
    let report = Report { written: &written, times: Times { writing, total: begin.elapsed() }, ..report };
    let (json, text) = (report.json(), report.text());
    if let Some(folder) = &args.output {
        files.finish(folder, &json).map_err(failed)?;
    }
    match args.json {
        true => output.json(&json)?,
        false => output.data(&text)?,
    }
    if !report.is_same {
        // JSON has been written, and says it in `same_for_all_workers`.
        output.log("livetime: the results depend on the number of workers");
        return Ok(Exit::Failed);
    }
    Ok(exit_of(&report))
}

/// How an analysis ends: as every reader of the run does.
fn exit_of(report: &Report) -> Exit {
    let account = &report.last.found.account;
    let failures = account.lost() + report.through.map_or(0, Through::lost);
    Findings { usable: account.used, failures, problems: report.run.problems() }.judgement().into()
}
