//! Counts of a file of LCLS-I.

use std::path::Path;

use livetime_formats::xtc1::compressed::Engine;
use livetime_formats::xtc1::summary::{Contributions, Leaves, Summary};
use livetime_formats::xtc1::{Damage, Src, TypeId};
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
    Damage(damage).to_string()
}

fn text(path: &Path, size: u64, summary: &Summary) -> String {
    let mut text = datagrams_text(path, "XTC of LCLS-I", size, summary.run, &summary.datagrams, words);
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
    text += &unsound_line(&summary.datagrams);
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
    let incomplete = |((src, damage), found): (&(Src, u32), &Contributions)| {
        json!({
            "sender": src.to_string(),
            "damage": Damage(*damage).to_string(),
            "contributions": found.count,
            "bytes": found.bytes,
        })
    };
    let damaged = |(src, events): (&Src, &u64)| json!({ "sender": src.to_string(), "events": events });
    let mut all = datagrams_json(path, "xtc1", size, &summary.datagrams, words);
    all["run"] = json!(summary.run);
    all["incomplete_contributions"] = summary.incomplete.iter().map(incomplete).collect();
    all["damaged_pictures"] = summary.damaged_pictures.iter().map(damaged).collect();
    all["leaves"] = summary.leaves.iter().map(leaf).collect();
    all
}
