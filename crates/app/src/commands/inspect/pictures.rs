//! How good the pictures of a run are: every one is read and judged as sources and analysis do.

use std::path::Path;

use livetime_formats::Error;
use livetime_recording::{Account, Findings, Recording, Stores};
use serde_json::json;

use super::report::{Report, worse};
use crate::output::Exit;
use crate::report::table::{Style, Table, cell};

/// Adds the judgement on the run that the file belongs to, and ends as everything does that reads all of it. Damage that the
/// recorder noted of pictures that are there is no loss.
pub(super) fn judged(report: Report, stores: &Stores, path: &Path) -> Result<Report, Error> {
    let recording = Recording::open_from(stores, &[path])?;
    let detectors = recording.detectors()?;
    let judged: Vec<(String, Account)> =
        detectors.iter().map(|detector| (detector.to_string(), recording.judge(detector))).collect();
    let found = judged
        .iter()
        .map(|(_, account)| Findings { problems: 0, ..Findings::of_pictures(account, &recording) });
    let problems = recording.problems();
    let found = found.fold(Findings::of_file(0, problems.is_empty()), Findings::and);
    // The run may have other files than this one.
    let of_file = if found.usable > 0 && report.exit == Exit::Failed { Exit::Loss } else { report.exit };
    let mut json = report.json;
    json["run_events"] = recording.events().into();
    json["pictures"] = judged.iter().map(|(name, account)| as_json(name, account)).collect();
    json["problems"] =
        problems.iter().map(|p| json!({ "file": p.path.display().to_string(), "error": p.why })).collect();
    let places: String = problems.iter().map(|p| format!("{}: {}\n", p.path.display(), p.why)).collect();
    let text = format!("{}{places}{}", report.text, table(recording.events(), &judged));
    Ok(Report { text, json, exit: worse(of_file, found.judgement().into()) })
}

fn as_json(name: &str, account: &Account) -> serde_json::Value {
    json!({
        "detector": name,
        "whole": account.whole,
        "partial": account.partial,
        "damaged": account.damaged,
        "missing": account.missing,
        "lost": account.lost,
        "broken": account.broken,
        "unreadable": account.unreadable,
    })
}

fn table(events: usize, judged: &[(String, Account)]) -> String {
    let headings = ["detector", "whole", "partial", "damaged", "missing", "lost", "broken", "unreadable"];
    let mut table = Table::new(&headings).right(1..8);
    for (name, account) in judged {
        let Account { whole, partial, damaged, missing, lost, broken, unreadable, .. } = *account;
        let number = |count: u64, is_bad: bool| cell(count.to_string(), is_bad && count > 0);
        let good =
            [number(whole, false), number(partial, true), number(damaged, true), number(missing, false)];
        let bad = [lost, broken, unreadable].map(|count| number(count, true));
        table.row([cell(name.clone(), false)].into_iter().chain(good).chain(bad));
    }
    if table.is_empty() {
        return format!("\npictures in the {events} events of the run: none\n");
    }
    format!("\npictures in the {events} events of the run:\n{}", table.render(Style::default()))
}
