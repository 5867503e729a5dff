//! Counts of a file of LCLS-II.

use std::path::Path;

use livetime_formats::xtc2::Damage;
use livetime_formats::xtc2::summary::{Counts, Records, Summary};
use serde_json::{Value, json};

use super::report::{Report, datagrams_json, datagrams_text, exit_of, unsound_line};
use crate::report::numbers::bytes;
use crate::report::table::{Style, Table, cell};

pub(super) fn report(path: &Path, size: u64, summary: &Summary) -> Report {
    Report {
        text: text(path, size, summary),
        json: as_json(path, size, summary),
        exit: exit_of(summary.datagrams.events, summary.datagrams.is_whole()),
    }
}

fn words(damage: u32) -> String {
    Damage(damage as u16).to_string()
}

fn text(path: &Path, size: u64, summary: &Summary) -> String {
    let mut text = datagrams_text(path, "XTC of LCLS-II", size, None, &summary.datagrams, words);
    text += &unsound_line(&summary.datagrams);
    if summary.undescribed > 0 {
        text += &format!("records without a description: {}\n", summary.undescribed);
    }
    let mut table = Table::new(&["detector", "type", "segment", "algorithm", "records", "bytes", "damaged"])
        .right([2, 4, 5, 6]);
    for (records, counts) in &summary.records {
        table.row([
            cell(records.detector.clone(), false),
            cell(records.detector_type.clone(), false),
            cell(records.segment.to_string(), false),
            cell(records.algorithm.clone(), false),
            cell(counts.count.to_string(), false),
            cell(bytes(counts.bytes), false),
            cell(counts.damaged.to_string(), counts.damaged > 0),
        ]);
    }
    if table.is_empty() { text } else { format!("{text}\n{}", table.render(Style::default())) }
}

fn as_json(path: &Path, size: u64, summary: &Summary) -> Value {
    let record = |(records, counts): (&Records, &Counts)| {
        json!({
            "detector": records.detector,
            "type": records.detector_type,
            "segment": records.segment,
            "algorithm": records.algorithm,
            "records": counts.count,
            "bytes": counts.bytes,
            "damaged": counts.damaged,
        })
    };
    let mut all = datagrams_json(path, "xtc2", size, &summary.datagrams, words);
    all["undescribed"] = json!(summary.undescribed);
    all["records"] = summary.records.iter().map(record).collect();
    all
}
