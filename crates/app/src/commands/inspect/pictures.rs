//! How good the pictures of a run are: every one is read and judged as sources and analysis do.

use std::path::Path;

use livetime_formats::Error;
use livetime_recording::{Account, Recording};
use serde_json::json;

use super::{Report, exit_of, worse};
use crate::output::Exit;
use crate::report::table::{Style, Table, cell};

/// Adds the judgement on the run that the file belongs to, and ends as everything does that reads all of it. Damage that the
/// recorder noted of pictures that are there is no loss.
pub(super) fn judged(report: Report, path: &Path) -> Result<Report, Error> {
    let recording = Recording::open(&[path])?;
    let detectors = recording.detectors()?;
    let judged: Vec<(String, Account)> =
        detectors.iter().map(|detector| (detector.to_string(), recording.judge(detector))).collect();
    let is_readable = judged.iter().all(|(_, account)| account.failures() + account.no_memory == 0);
    let is_readable = is_readable && recording.problems().is_empty();
    // The run may have other files than this one.
    let has_any = judged.iter().any(|(_, account)| account.whole + account.not_whole() > 0);
    let of_file = if has_any && report.exit == Exit::Failed { Exit::Loss } else { report.exit };
    let mut json = report.json;
    json["run_events"] = recording.events().into();
    json["pictures"] = judged.iter().map(|(name, account)| as_json(name, account)).collect();
    let text = format!("{}{}", report.text, table(recording.events(), &judged));
    Ok(Report { text, json, exit: worse(of_file, exit_of(is_readable, has_any)) })
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
