//! A number for all that a frame holds, but for when it was handled.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use livetime_frame::{Frame, Payload, TableLayout};
use livetime_wire::TriggerRecord;

/// Of a frame of a recording.
pub(super) fn of_stored(frame: &Frame) -> u64 {
    let mut hasher = DefaultHasher::new();
    let header = frame.header();
    header.event_time_ns.hash(&mut hasher);
    for attribute in header.attributes.iter() {
        (&*attribute.name, format!("{:?}", attribute.value)).hash(&mut hasher);
    }
    hash_data(frame, &mut hasher);
    hasher.finish()
}

/// Of a frame of a live source, whose times, and attributes that may be times, differ.
pub(super) fn of_live(frame: &Frame) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_data(frame, &mut hasher);
    hasher.finish()
}

/// Of a frame of a live source or of its recording, which numbers frames anew and adds attributes.
pub(super) fn of_recorded(frame: &Frame) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_payload(frame, &mut hasher);
    hasher.finish()
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
        fragment.pieces.iter().for_each(|piece| (piece.first, piece.bytes()).hash(hasher));
    }
    for hits in &record.hits {
        let mut rows = Vec::new();
        let read = hits.rows(&record.decision, &mut rows).is_ok();
        (hits.link, read, format!("{rows:?}{:?}", hits.missing)).hash(hasher);
    }
}
