//! Counts of a file of LCLS-I.

use std::path::Path;

use livetime_formats::xtc1::compressed::Engine;
use livetime_formats::xtc1::summary::{Contributions, Leaves, Summary};
use livetime_formats::xtc1::{Damage, Src, TypeId};
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
    let mut text = heading(path, "XTC of LCLS-I", size, summary.datagrams(), summary.end, broken);
    if let Some(run) = summary.run {
        text += &format!("run: {run}\n");
    }
    text += &events_line(summary.events, summary.event_times_ns, summary.event_rate_hz());
    let transitions: Vec<String> =
        summary.transitions.iter().map(|(name, n)| format!("{name} {n}")).collect();
    text += &format!("datagrams: {}\n", transitions.join(", "));
    for (damage, count) in &summary.damage {
        text += &format!("damage: {count} datagrams: {}\n", Damage(*damage));
    }
    for ((src, damage), Contributions { count, bytes: size }) in &summary.incomplete {
        text += &format!(
            "incomplete contributions: {count} of {src}, {} that cannot be read, damage: {}\n",
            bytes(*size),
            Damage(*damage)
        );
    }
    for (src, events) in &summary.damaged_pictures {
        text += &format!("pictures with damage, and none without: {src} in {events} events\n");
    }
    if let Some(error) = &summary.first_unsound {
        text += &format!("broken inside datagrams: {}, the first: {error}\n", summary.unsound);
    }
    let mut table =
        Table::new(&["sender", "type", "leaves", "bytes", "damaged", "compressed", "with", "ratio"])
            .right([2, 3, 4, 5, 7]);
    for ((src, type_id), leaves) in &summary.leaves {
        table.row([
            cell(src.to_string(), false),
            cell(type_id.to_string(), false),
            cell(leaves.count.to_string(), false),
            cell(bytes(leaves.bytes), false),
            cell(leaves.damaged.to_string(), leaves.damaged > 0),
            cell(leaves.compressed.to_string(), false),
            cell(engines(leaves).join(" "), false),
            cell(leaves.ratio().map_or("-".into(), |r| format!("{r:.3}")), false),
        ]);
    }
    if table.is_empty() { text } else { format!("{text}\n{}", table.render(Style::default())) }
}

fn engines(leaves: &Leaves) -> Vec<String> {
    leaves.engines.iter().map(|number| Engine(*number).to_string()).collect()
}

fn as_json(path: &Path, size: u64, summary: &Summary) -> Value {
    let leaf = |((src, type_id), leaves): (&(Src, TypeId), &Leaves)| {
        json!({
            "sender": src.to_string(),
            "type": type_id.to_string(),
            "leaves": leaves.count,
            "bytes": leaves.bytes,
            "damaged": leaves.damaged,
            "compressed": leaves.compressed,
            "compressed_bytes": leaves.compressed_bytes,
            "plain_bytes": leaves.plain_bytes,
            "ratio": leaves.ratio(),
            "engines": engines(leaves),
        })
    };
    let damage =
        |(word, count): (&u32, &u64)| json!({ "damage": Damage(*word).to_string(), "datagrams": count });
    let incomplete = |((src, damage), found): (&(Src, u32), &Contributions)| {
        json!({
            "sender": src.to_string(),
            "damage": Damage(*damage).to_string(),
            "contributions": found.count,
            "bytes": found.bytes,
        })
    };
    let damaged = |(src, events): (&Src, &u64)| json!({ "sender": src.to_string(), "events": events });
    json!({
        "file": path.display().to_string(),
        "format": "xtc1",
        "bytes": size,
        "state": state_json(summary.end, summary.broken.as_ref(), summary.is_whole()),
        "run": summary.run,
        "datagrams": summary.datagrams(),
        "transitions": summary.transitions,
        "events": summary.events,
        "first_event_ns": summary.event_times_ns.map(|t| t.0),
        "last_event_ns": summary.event_times_ns.map(|t| t.1),
        "event_rate_hz": summary.event_rate_hz(),
        "damage": summary.damage.iter().map(damage).collect::<Vec<_>>(),
        "incomplete_contributions": summary.incomplete.iter().map(incomplete).collect::<Vec<_>>(),
        "damaged_pictures": summary.damaged_pictures.iter().map(damaged).collect::<Vec<_>>(),
        "broken_inside": summary.unsound,
        "first_broken_inside": summary.first_unsound.as_ref().map(|e| e.to_string()),
        "leaves": summary.leaves.iter().map(leaf).collect::<Vec<_>>(),
    })
}
