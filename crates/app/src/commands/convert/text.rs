//! The report of a conversion, as text and as JSON.

use livetime_formats::xtc1::convert::{Kept, Leaves, Lost, Reason, Report};
use livetime_formats::xtc1::{Src, TypeId};
use serde_json::{Value, json};

use crate::report::numbers::{bytes, utc};
use crate::report::table::{Style, Table, cell};
use crate::usage::Usage;

pub(super) fn text(report: &Report, usage: &Usage) -> String {
    let mut text = String::new();
    for (path, size) in &report.files {
        text += &format!("{}: {}\n", path.display(), bytes(*size));
    }
    let (raw, out) = (report.raw_bytes, report.output_bytes);
    let ratio = out as f64 / raw.max(1) as f64;
    let (events, datagrams) = (report.events, report.datagrams);
    text += &format!(
        "{datagrams} datagrams, {events} events: {} raw, {} of file, ratio {ratio:.3}\n",
        bytes(raw),
        bytes(out)
    );
    if report.events_left_out > 0 {
        text += &format!("left out because it was asked: {} events\n", report.events_left_out);
    }
    let joined = report.joined;
    if joined.pieces + joined.copies > 0 {
        text += &format!(
            "put together: {} pieces of events, {} copies of transitions\n",
            joined.pieces, joined.copies
        );
    }
    text += &format!("\n{}", table(report));
    for ((src, type_id, reason), kept) in &report.kept {
        let (count, first) = (kept.count, utc(kept.first_ns));
        text += &format!("copied unchanged: {count} x {type_id} of {src}: {reason}; the first at {first}\n");
    }
    for lost in &report.lost {
        let Lost { path, offset, length, reason } = lost;
        text += &format!(
            "LOST: {length} bytes from byte {offset} of {}: {reason}; see livetime recover\n",
            path.display()
        );
    }
    if joined.cameras_left_out > 0 {
        text +=
            &format!("LOST: {} pieces of slow cameras, which belong to no event\n", joined.cameras_left_out);
    }
    text += "every leaf is in the output and comes back as it was; the file was read again and is what was compared\n";
    text + &usage.text()
}

fn table(report: &Report) -> String {
    let mut table =
        Table::new(&["sender", "type", "leaves", "changed", "left out", "raw", "before", "after", "ratio"])
            .right(2..9);
    for ((src, type_id), leaves) in &report.leaves {
        table.row([
            cell(src.to_string(), false),
            cell(type_id.to_string(), false),
            cell(leaves.count.to_string(), false),
            cell(leaves.changed.to_string(), false),
            cell(leaves.left_out.to_string(), false),
            cell(bytes(leaves.raw_bytes), false),
            cell(bytes(leaves.input_bytes), false),
            cell(bytes(leaves.output_bytes), false),
            cell(format!("{:.3}", leaves.ratio()), false),
        ]);
    }
    if table.is_empty() { String::new() } else { table.render(Style::default()) }
}

pub(super) fn as_json(report: &Report, usage: &Usage, workers: usize) -> Value {
    let file = |(path, size): &(std::path::PathBuf, u64)| json!({ "file": path.display().to_string(), "bytes": size });
    let joined = report.joined;
    json!({
        "files": report.files.iter().map(file).collect::<Vec<_>>(),
        "complete": report.is_complete(),
        "workers": workers,
        "input_bytes": report.input_bytes,
        "output_bytes": report.output_bytes,
        "raw_bytes": report.raw_bytes,
        "ratio": report.output_bytes as f64 / report.raw_bytes.max(1) as f64,
        "datagrams": report.datagrams,
        "events": report.events,
        "events_left_out": report.events_left_out,
        "joined_pieces": joined.pieces,
        "joined_copies": joined.copies,
        "camera_pieces_left_out": joined.cameras_left_out,
        "leaves": report.leaves.iter().map(leaves).collect::<Vec<_>>(),
        "kept": report.kept.iter().map(kept).collect::<Vec<_>>(),
        "lost": report.lost.iter().map(lost).collect::<Vec<_>>(),
        "usage": usage.json(),
    })
}

fn leaves(((src, type_id), leaves): (&(Src, TypeId), &Leaves)) -> Value {
    json!({
        "sender": src.to_string(),
        "type": type_id.to_string(),
        "leaves": leaves.count,
        "changed": leaves.changed,
        "left_out": leaves.left_out,
        "raw_bytes": leaves.raw_bytes,
        "input_bytes": leaves.input_bytes,
        "output_bytes": leaves.output_bytes,
        "ratio": leaves.ratio(),
    })
}

fn kept(((src, type_id, reason), kept): (&(Src, TypeId, Reason), &Kept)) -> Value {
    json!({
        "sender": src.to_string(),
        "type": type_id.to_string(),
        "reason": reason.to_string(),
        "leaves": kept.count,
        "first_ns": kept.first_ns,
    })
}

fn lost(lost: &Lost) -> Value {
    json!({
        "file": lost.path.display().to_string(),
        "offset": lost.offset,
        "bytes": lost.length,
        "reason": lost.reason,
    })
}
