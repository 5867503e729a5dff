//! Counts of a file of LCLS-II.

use std::path::Path;

use livetime_formats::xtc2::Damage;
use livetime_formats::xtc2::summary::{Counts, Records, Summary};
use serde_json::{Value, json};

use super::report::{Report, events_line, exit_of, heading, state_json};
use crate::report::numbers::bytes;
use crate::report::table::{Style, Table, cell};

pub(super) fn report(path: &Path, size: u64, summary: &Summary) -> Report {
    Report {
        text: text(path, size, summary),
        json: as_json(path, size, summary),
        exit: exit_of(summary.events, summary.is_whole()),
    }
}

fn text(path: &Path, size: u64, summary: &Summary) -> String {
    let broken = summary.broken.as_ref();
    let mut text = heading(path, "XTC of LCLS-II", size, summary.datagrams(), summary.end, broken);
    text += &events_line(summary.events, summary.event_times_ns, summary.event_rate_hz());
    let transitions: Vec<String> =
        summary.transitions.iter().map(|(name, n)| format!("{name} {n}")).collect();
    text += &format!("datagrams: {}\n", transitions.join(", "));
    for (damage, count) in &summary.damage {
        text += &format!("damage: {count} datagrams: {}\n", Damage(*damage));
    }
    if let Some(error) = &summary.first_unsound {
        text += &format!("broken inside datagrams: {}, the first: {error}\n", summary.unsound);
    }
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
    let damage =
        |(word, count): (&u16, &u64)| json!({ "damage": Damage(*word).to_string(), "datagrams": count });
    json!({
        "file": path.display().to_string(),
        "format": "xtc2",
        "bytes": size,
        "state": state_json(summary.end, summary.broken.as_ref(), summary.is_whole()),
        "datagrams": summary.datagrams(),
        "transitions": summary.transitions,
        "events": summary.events,
        "first_event_ns": summary.event_times_ns.map(|t| t.0),
        "last_event_ns": summary.event_times_ns.map(|t| t.1),
        "event_rate_hz": summary.event_rate_hz(),
        "damage": summary.damage.iter().map(damage).collect::<Vec<_>>(),
        "broken_inside": summary.unsound,
        "first_broken_inside": summary.first_unsound.as_ref().map(|e| e.to_string()),
        "undescribed": summary.undescribed,
        "records": summary.records.iter().map(record).collect::<Vec<_>>(),
    })
}
