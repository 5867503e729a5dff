//! Trigger records: their data, and the missing data.

use std::path::Path;

use livetime_formats::file::{End, ReadAt, RecordedFile};
use livetime_formats::trigger::{
    MissingFrom, PrimitiveV2, RecordReader, StoredFragment, StoredRecord, TriggerRecordHeader, fragment_type,
};
use livetime_formats::{Error, Result};
use serde_json::{Value, json};

use super::report::{Report, state_json};
use crate::report::numbers::bytes;
use crate::report::table::{Style, Table, cell};

/// Whether `file` holds trigger records, by the name, or else by its first bytes.
pub(super) fn is_records(path: &Path, file: &RecordedFile) -> Result<bool> {
    let name = path.to_string_lossy();
    // A file that is being written has the ending of its format before its mark.
    if name.strip_suffix(".inprogress").unwrap_or(&name).ends_with(".records") {
        return Ok(true);
    }
    let mut head = [0; TriggerRecordHeader::BYTES];
    let count = file.read_at(&mut head, 0).map_err(|e| Error::io("to read the file", e))?;
    Ok(TriggerRecordHeader::read(&head[..count]).is_ok())
}

/// Of each record one line, or all its fragments and missing data.
pub(super) fn report(
    path: &Path,
    size: u64,
    file: &RecordedFile,
    all: bool,
    first: Option<u64>,
) -> Result<Report> {
    let mut reader = RecordReader::new(file);
    let (mut records, mut broken) = (Vec::new(), None);
    // Without a limit the whole file is read.
    while first.is_none_or(|first| (records.len() as u64) < first) {
        match reader.next() {
            Ok(Some(record)) => records.push(record),
            Ok(None) => break,
            // An error of the system is none of the file.
            Err(error) if error.io_error().is_some() => return Err(error),
            Err(error) => {
                broken = Some(error);
                break;
            }
        }
    }
    // A fault may come behind whole records, so both are asked.
    let is_whole = broken.is_none() && matches!(reader.end(), End::Whole { .. });
    let state = match (&broken, reader.end()) {
        (Some(error), end) => format!("broken at byte {}: {}", end.offset(), error.reason()),
        // A search with a limit of records ends before the end of the file.
        (None, End::Whole { offset }) if offset < size => format!("looked at up to byte {offset}"),
        (None, End::Whole { .. }) => "complete".into(),
        (None, End::Partial { offset, has, .. }) => {
            format!("ends inside a record: {has} bytes from byte {offset} on")
        }
    };
    let heading =
        format!("{}: trigger records, {}, {} records, {state}\n", path.display(), bytes(size), records.len());
    let text = if all { tree(&records) } else { table(&records) };
    let json = json!({
        "file": path.display().to_string(),
        "format": "trigger_records",
        "bytes": size,
        "state": state_json(reader.end(), broken.as_ref(), is_whole),
        "records": records.iter().map(as_json).collect::<Vec<_>>(),
    });
    Ok(Report { text: heading + &text, json, exit: super::exit_of(records.len() as u64, is_whole) })
}

fn table(records: &[StoredRecord]) -> String {
    let heads = ["trigger", "run", "time", "kinds", "fragments", "bytes", "hits", "missing", "ticks missing"];
    let mut table = Table::new(&heads).right([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    for record in records {
        let header = &record.header;
        // The windows come from the file, so the sum saturates.
        let missing: u64 = record.missing.iter().map(ticks).fold(0, u64::saturating_add);
        table.row([
            cell(header.trigger_number.to_string(), false),
            cell(header.run.to_string(), false),
            cell(header.trigger_timestamp.to_string(), false),
            cell(format!("{:#x}", header.trigger_type), false),
            cell(record.fragments.len().to_string(), false),
            cell(bytes(record.len), false),
            cell(record.fragments.iter().filter_map(hits).sum::<u64>().to_string(), false),
            cell(record.missing.len().to_string(), record.is_incomplete()),
            cell(missing.to_string(), record.is_incomplete()),
        ]);
    }
    if table.is_empty() { String::new() } else { format!("\n{}", table.render(Style::default())) }
}

fn tree(records: &[StoredRecord]) -> String {
    let mut text = String::new();
    for record in records {
        let header = &record.header;
        text += &format!(
            "{:>12} trigger {} of run {} at {}, kinds {:#x}, {} bytes\n",
            record.offset,
            header.trigger_number,
            header.run,
            header.trigger_timestamp,
            header.trigger_type,
            record.len
        );
        for fragment in &record.fragments {
            let f = &fragment.header;
            let what = hits(fragment).map_or_else(String::new, |hits| format!(", {hits} hits"));
            let errors =
                if f.error_bits == 0 { String::new() } else { format!(", errors {:#x}", f.error_bits) };
            text += &format!(
                "{:>12}   {} {} from {} {}, window {} to {}, {} bytes{what}{errors}\n",
                fragment.offset,
                kind(f.kind),
                f.kind,
                subsystem(f.source.subsystem),
                f.source.id,
                f.window[0],
                f.window[1],
                fragment.len
            );
        }
        for MissingFrom { source, missing } in &record.missing {
            text += &format!(
                "{:>12}   missing from {} {}: {} to {}, {}\n",
                "",
                subsystem(source.subsystem),
                source.id,
                missing.begin,
                missing.end,
                missing.reason.name()
            );
        }
    }
    text
}

fn as_json(record: &StoredRecord) -> Value {
    let fragment = |fragment: &StoredFragment| {
        let f = &fragment.header;
        json!({
            "kind": kind(f.kind),
            "subsystem": subsystem(f.source.subsystem),
            "id": f.source.id,
            "window_begin": f.window[0],
            "window_end": f.window[1],
            "bytes": fragment.len,
            "hits": hits(fragment),
            "error_bits": f.error_bits,
        })
    };
    let missing = |m: &MissingFrom| {
        json!({
            "subsystem": subsystem(m.source.subsystem),
            "id": m.source.id,
            "begin": m.missing.begin,
            "end": m.missing.end,
            "reason": m.missing.reason.name(),
        })
    };
    json!({
        "trigger": record.header.trigger_number,
        "run": record.header.run,
        "time": record.header.trigger_timestamp,
        "kinds": record.header.trigger_type,
        "offset": record.offset,
        "bytes": record.len,
        "incomplete": record.is_incomplete(),
        "fragments": record.fragments.iter().map(fragment).collect::<Vec<_>>(),
        "missing": record.missing.iter().map(missing).collect::<Vec<_>>(),
    })
}

/// Hits in a fragment of hits.
fn hits(fragment: &StoredFragment) -> Option<u64> {
    let is_hits = fragment.header.kind == fragment_type::TRIGGER_PRIMITIVE;
    // Other fragments have no rows of this size.
    is_hits.then_some(fragment.len / PrimitiveV2::BYTES as u64)
}

fn ticks(m: &MissingFrom) -> u64 {
    // A broken file may have an end before its begin.
    m.missing.end.saturating_sub(m.missing.begin)
}

fn kind(number: u32) -> &'static str {
    match number {
        fragment_type::PROTO_WIB => "wib1",
        fragment_type::WIB => "wib2",
        fragment_type::WIB_ETH => "wibeth",
        fragment_type::TRIGGER_PRIMITIVE => "hits",
        fragment_type::TRIGGER_ACTIVITY => "activities",
        fragment_type::TRIGGER_CANDIDATE => "candidates",
        _ => "type",
    }
}

fn subsystem(number: u16) -> &'static str {
    match number {
        1 => "readout",
        2 => "signals",
        3 => "trigger",
        4 => "builder",
        _ => "unknown",
    }
}
