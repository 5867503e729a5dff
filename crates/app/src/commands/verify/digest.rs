//! A number for all that a frame holds, but for when it was handled.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use livetime_engine::{Note, Part};
use livetime_frame::{DType, Frame, Layout, Payload, TableLayout};
use livetime_wire::{LedgerRow, RawBatch, Row, TriggerRecord, link_of};

/// The part of a ledger of links.
pub(super) const OF_LEDGER: &str = "row of a ledger";

/// Of a frame of a recording.
pub(super) fn of_stored(frame: &Frame, notes: &mut Vec<Note>) {
    // The notes of one process are compared, so the hash need not be the same in later versions of Rust.
    let mut hasher = DefaultHasher::new();
    let header = frame.header();
    header.event_time_ns.hash(&mut hasher);
    for attribute in header.attributes.iter() {
        (&*attribute.name, format!("{:?}", attribute.value)).hash(&mut hasher);
    }
    hash_data(frame, &mut hasher);
    notes.push(Note::of(frame, hasher.finish()));
}

/// Of a frame of a live source, whose times, and attributes that may be times, differ.
pub(super) fn of_live(frame: &Frame, notes: &mut Vec<Note>) {
    let mut hasher = DefaultHasher::new();
    hash_data(frame, &mut hasher);
    notes.push(Note::of(frame, hasher.finish()));
}

/// Of a frame of a live source or of its recording, which numbers frames anew and adds attributes.
pub(super) fn of_recorded(frame: &Frame, notes: &mut Vec<Note>) {
    let mut hasher = DefaultHasher::new();
    hash_payload(frame, &mut hasher);
    notes.push(Note::of(frame, hasher.finish()));
}

/// Of what a frame holds, where the recording may be played in other batches than the live source sent: raw frames, rows of tables, and pieces of
/// arrays that have the attribute `link`.
pub(super) fn of_parts(frame: &Frame, notes: &mut Vec<Note>) {
    match (frame.payload(), link_of(frame)) {
        (Payload::Table(layout), _) => of_rows(frame, layout, notes),
        (Payload::Array(layout), Some(_)) if layout.is_packed() => of_pieces(frame, layout, notes),
        (Payload::Bytes, Some(_)) => match RawBatch::of(frame) {
            Ok(batch) => of_raw(frame, &batch, notes),
            // A broken batch has no frames to compare, so it counts as a whole.
            Err(_) => of_recorded(frame, notes),
        },
        _ => of_recorded(frame, notes),
    }
}

fn of_raw(frame: &Frame, batch: &RawBatch, notes: &mut Vec<Note>) {
    let times = (0..).map(|number| batch.first.wrapping_add(number * batch.format.step()));
    notes.extend(batch.frames().zip(times).map(|(bytes, time)| {
        part(frame, Part { kind: "raw frame", stream: Some(batch.link), time }, &[bytes])
    }));
}

/// Rows have the time of their first column of 64 bits.
fn of_rows(frame: &Frame, layout: &TableLayout, notes: &mut Vec<Note>) {
    let kind = if *layout.schema() == LedgerRow::schema() { OF_LEDGER } else { "row" };
    let places: Vec<(usize, DType)> =
        (0..layout.schema().columns().len()).filter_map(|index| layout.place(index)).collect();
    for row in 0..layout.rows() {
        let value = |(begin, dtype): &(usize, DType)| {
            let begin = begin + row * dtype.bytes();
            frame.bytes().get(begin..begin + dtype.bytes()).unwrap_or_default()
        };
        let time = places.iter().find(|(_, dtype)| *dtype == DType::U64).map(value);
        let time = time.and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_ne_bytes);
        let values: Vec<&[u8]> = places.iter().map(value).collect();
        notes.push(part(frame, Part { kind, stream: link_of(frame), time }, &values));
    }
}

/// The elements behind each index of the first axis.
fn of_pieces(frame: &Frame, layout: &Layout, notes: &mut Vec<Note>) {
    let pieces = layout.shape().next().unwrap_or(0);
    // An array of length 0 has no pieces.
    let size = frame.bytes().len() / pieces.max(1);
    let of = Part { kind: "piece", stream: link_of(frame), time: 0 };
    notes.extend(frame.bytes().chunks_exact(size.max(1)).map(|bytes| part(frame, of, &[bytes])));
}

fn part(frame: &Frame, part: Part, values: &[&[u8]]) -> Note {
    let mut hasher = DefaultHasher::new();
    (part.kind, part.stream, values).hash(&mut hasher);
    Note { part: Some(part), ..Note::of(frame, hasher.finish()) }
}

fn hash_data(frame: &Frame, hasher: &mut DefaultHasher) {
    let header = frame.header();
    (header.sequence, header.source.0, format!("{:?}", header.flags)).hash(hasher);
    hash_payload(frame, hasher);
}

fn hash_payload(frame: &Frame, hasher: &mut DefaultHasher) {
    match frame.payload() {
        Payload::Bytes => frame.bytes().hash(hasher),
        Payload::Array(layout) => (format!("{layout:?}"), frame.bytes()).hash(hasher),
        Payload::Table(layout) => hash_table(layout, frame.bytes(), hasher),
        Payload::Any(_) => {
            if let Ok(record) = frame.value::<TriggerRecord>() {
                hash_record(record, hasher);
            }
        }
    }
}

/// The columns, without the bytes between them.
fn hash_table(layout: &TableLayout, bytes: &[u8], hasher: &mut DefaultHasher) {
    layout.rows().hash(hasher);
    for index in 0..layout.schema().columns().len() {
        let Some((begin, dtype)) = layout.place(index) else { continue };
        bytes.get(begin..begin + layout.rows() * dtype.bytes()).hash(hasher);
    }
}

fn hash_record(record: &TriggerRecord, hasher: &mut DefaultHasher) {
    format!("{:?}", record.decision).hash(hasher);
    for fragment in &record.fragments {
        (fragment.link, format!("{:?}", fragment.missing)).hash(hasher);
        // The borders of batches do not count: the time of each frame follows from the window and its missing parts.
        let frames = fragment.pieces.iter().flat_map(|piece| piece.bytes().chunks(fragment.format.bytes()));
        frames.for_each(|frame| frame.hash(hasher));
    }
    for hits in &record.hits {
        let mut rows = Vec::new();
        let read = hits.rows(&record.decision, &mut rows).is_ok();
        (hits.link, read, format!("{rows:?}{:?}", hits.missing)).hash(hasher);
    }
}
