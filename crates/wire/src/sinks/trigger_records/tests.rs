use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;

use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_formats::trigger::{
    Missing, MissingReason, PrimitiveV2, RecordReader, StoredRecord, fragment_error, fragment_type,
};
use livetime_frame::{Frame, TableLayout};
use tempfile::TempDir;

use super::*;
use crate::{DecisionRow, Fragment, HitFragment, HitRow, Piece, RawFormat, Row};

const BYTES: usize = 464;

fn sink(folder: &TempDir, params: &[(&str, Value)]) -> Harness {
    let path = [("path", folder.path().to_str().unwrap().into()), ("run", 42.into())];
    Harness::new::<TriggerRecords>(&[&path[..], params].concat()).unwrap()
}

/// Frames filled with `fill`; all but the first belong to the record.
fn piece(harness: &Harness, frames: usize, fill: u8) -> Piece {
    let mut frame = harness.pool().allocator().bytes(frames * BYTES).unwrap();
    frame.bytes_mut().fill(fill);
    Piece { frame: frame.freeze(), range: BYTES..frames * BYTES, first: 25 }
}

fn hits(harness: &Harness, rows: &[HitRow]) -> Frame {
    let mut allocator = harness.pool().allocator();
    let mut table = allocator.table(TableLayout::new(HitRow::schema(), rows.len()).unwrap()).unwrap();
    HitRow::put(rows, &mut table).unwrap();
    table.freeze()
}

fn record(harness: &Harness, number: u64, missing: &[Missing]) -> Frame {
    let hit =
        |time_start, channel, flags| HitRow { time_start, channel, adc_peak: 9, flags, ..HitRow::default() };
    let tables = vec![
        hits(harness, &[hit(300, 7, 0), hit(99, 1, 0)]),
        hits(harness, &[hit(150, u32::MAX, HitRow::CUT)]),
    ];
    let record = TriggerRecord {
        decision: DecisionRow {
            number,
            window_begin: 100,
            window_end: 400,
            time_candidate: 250,
            kinds: 1 << 7,
            ..DecisionRow::default()
        },
        fragments: vec![
            Fragment {
                link: 3,
                format: RawFormat::Wib1,
                pieces: vec![piece(harness, 3, 1), piece(harness, 2, 2)],
                missing: missing.to_vec(),
            },
            Fragment { link: 9, format: RawFormat::Wib1, pieces: Vec::new(), missing: missing.to_vec() },
        ],
        hits: vec![HitFragment { link: None, tables, missing: Vec::new() }],
    };
    harness.pool().allocator().value(Arc::new(record)).unwrap().freeze()
}

fn read(file: PathBuf) -> (Vec<StoredRecord>, RecordReader) {
    let mut reader = RecordReader::new(File::open(file).unwrap());
    let mut records = Vec::new();
    while let Some(record) = reader.next().unwrap() {
        records.push(record);
    }
    (records, reader)
}

#[test]
fn what_was_read_out_is_read_back() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[]);
    let missing = [Missing { begin: 350, end: 400, reason: MissingReason::TooOld }];
    for (number, missing) in [(1, &missing[..]), (2, &[])] {
        let frame = record(&harness, number, missing);
        harness.feed(&frame).unwrap();
    }
    assert!(folder.path().join("run_0001.records.inprogress").exists());
    harness.drain().unwrap();
    let (records, reader) = read(folder.path().join("run_0001.records"));
    let header = records[0].header;
    assert_eq!(
        (header.trigger_number, header.run, header.trigger_type, header.trigger_timestamp),
        (1, 42, 128, 250)
    );
    assert_eq!(records.iter().map(StoredRecord::is_incomplete).collect::<Vec<_>>(), [true, false]);
    let [raw, none, hits] = &records[0].fragments[..] else { panic!("{records:?}") };
    let mut payload = Vec::new();
    reader.payload(raw, &mut payload).unwrap();
    assert_eq!(payload, [vec![1; 2 * BYTES], vec![2; BYTES]].concat());
    assert_eq!(
        (raw.header.kind, raw.header.window, raw.header.detector),
        (fragment_type::PROTO_WIB, [100, 400], 3)
    );
    assert_eq!((raw.header.source.subsystem, raw.header.source.id), (1, 3));
    let errors = [raw, none, hits].map(|fragment| fragment.header.error_bits);
    assert_eq!(errors, [fragment_error::INCOMPLETE, fragment_error::NOT_FOUND, 0]);
    assert_eq!(
        records[0].missing.iter().map(|m| (m.source.id, m.missing)).collect::<Vec<_>>(),
        [(3, missing[0]), (9, missing[0])]
    );
    reader.payload(hits, &mut payload).unwrap();
    let hits: Vec<_> = payload.chunks(24).map(|bytes| PrimitiveV2::read(bytes).unwrap()).collect();
    let seen: Vec<_> = hits.iter().map(|hit| (hit.time_start, hit.channel, hit.flag, hit.adc_peak)).collect();
    assert_eq!(seen, [(150, PrimitiveV2::NO_CHANNEL, 3, 9), (300, 7, 0, 9)]);
    let counts =
        ["num_captured", "incomplete", "channels_lost", "bytes_written"].map(|c| harness.number_of(c));
    let size = fs::metadata(folder.path().join("run_0001.records")).unwrap().len();
    assert_eq!(counts, [2.0, 1.0, 2.0, size as f64]);
}

#[test]
fn files_are_followed_by_others_and_none_is_replaced() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("run_0002.records"), "mine").unwrap();
    let mut harness = sink(&folder, &[("max_records", 2.into())]);
    for number in 1..6 {
        let frame = record(&harness, number, &[]);
        harness.feed(&frame).unwrap();
    }
    harness.set("capture", false).unwrap();
    let frame = record(&harness, 6, &[]);
    harness.feed(&frame).unwrap();
    assert_eq!(harness.number_of("ignored"), 1.0);
    let numbers = |name: &str| {
        let (records, _) = read(folder.path().join(name));
        records.iter().map(|record| record.header.trigger_number).collect::<Vec<_>>()
    };
    let files = ["run_0001.records", "run_0003.records", "run_0004.records"];
    assert_eq!(files.map(numbers), [vec![1, 2], vec![3, 4], vec![5]]);
    assert_eq!(fs::read(folder.path().join("run_0002.records")).unwrap(), b"mine");
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("max_bytes", 1.into())]);
    for number in 1..3 {
        let frame = record(&harness, number, &[]);
        harness.feed(&frame).unwrap();
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn what_is_no_record_is_refused() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[]);
    let other = harness.pool().allocator().value(Arc::new(5u8)).unwrap().freeze();
    assert!(harness.feed(&other).unwrap_err().to_string().contains("TriggerRecord"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_recording_ends_when_it_is_large_enough() {
    for (limit, wanted) in [
        (("stop_after_records", Value::Int(3)), 3.0),
        (("stop_after_bytes", Value::Int(1)), 1.0),
        (("stop_after_seconds", Value::Float(2.0)), 3.0),
    ] {
        let folder = TempDir::new().unwrap();
        let mut harness = sink(&folder, &[limit]);
        for number in 0..5 {
            harness.advance(number * 1_000_000_000).unwrap();
            let record = record(&harness, number, &[]);
            harness.feed(&record).unwrap();
        }
        let found = ["num_captured", "ignored"].map(|name| harness.number_of(name));
        assert_eq!((found, harness.get("capture")), ([wanted, 5.0 - wanted], Some(false.into())));
        let (records, _) = read(folder.path().join("run_0001.records"));
        assert_eq!(records.len() as f64, wanted);
        assert!(harness.events().iter().any(|event| event.message.contains("as wanted")));
        harness.set("capture", true).unwrap();
        let record = record(&harness, 9, &[]);
        harness.feed(&record).unwrap();
        harness.drain().unwrap();
        assert_eq!(read(folder.path().join("run_0002.records")).0.len(), 1);
    }
}

#[test]
fn keeps_the_contract() {
    let folder = TempDir::new().unwrap();
    assert_compliant::<TriggerRecords>(&[("path", folder.path().to_str().unwrap().into())]);
}
