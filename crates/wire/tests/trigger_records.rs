//! `trigger_records` when the program is killed and when the disk is full, each in a process of its own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use livetime_engine::testing::Harness;
use livetime_formats::file::End;
use livetime_formats::trigger::RecordReader;
use livetime_frame::Frame;
use livetime_wire::sinks::trigger_records::TriggerRecords;
use livetime_wire::{DecisionRow, Fragment, Piece, RawFormat, TriggerRecord};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Names the folder in which a child writes.
const FOLDER: &str = "LIVETIME_TEST_TRIGGER_RECORDS";
const FRAME: usize = RawFormat::Wib1.bytes();
/// Frames in a piece, and pieces in a record: more than one system call takes.
const FRAMES: usize = 3;
const PIECES: usize = 1100;

/// The test `name` of this program in a process of its own, in which large files fail instead of ending it.
fn child(name: &str, folder: &Path) -> Child {
    livetime_testkit::test_process(module_path!(), name).unwrap().env(FOLDER, folder).spawn().unwrap()
}

fn sink(folder: &Path) -> Harness {
    Harness::new::<TriggerRecords>(&[("path", folder.to_str().unwrap().into())]).unwrap()
}

/// A record whose bytes are its number.
fn record(harness: &Harness, number: u64, pieces: usize) -> Frame {
    let mut memory = harness.pool().allocator();
    let mut frame = memory.bytes(FRAMES * FRAME).unwrap();
    frame.bytes_mut().fill(number as u8);
    let piece = Piece { frame: frame.freeze(), range: 0..FRAMES * FRAME, first: 0 };
    let fragment =
        Fragment { link: 1, format: RawFormat::Wib1, pieces: vec![piece; pieces], missing: Vec::new() };
    let decision = DecisionRow { number, window_end: 1, ..DecisionRow::default() };
    let record = TriggerRecord { decision, fragments: vec![fragment], hits: Vec::new() };
    memory.value(Arc::new(record)).unwrap().freeze()
}

/// Numbers of the records in a file, whose data are checked, and how it ends.
fn read(file: &Path) -> (Vec<u64>, End) {
    let mut reader = RecordReader::new(File::open(file).unwrap());
    let (mut numbers, mut payload) = (Vec::new(), Vec::new());
    while let Some(record) = reader.next().unwrap() {
        let number = record.header.trigger_number;
        reader.payload(&record.fragments[0], &mut payload).unwrap();
        assert!(!payload.is_empty() && payload.iter().all(|byte| *byte == number as u8));
        numbers.push(number);
    }
    (numbers, reader.end())
}

#[test]
#[ignore = "run by `what_a_killed_program_wrote_is_read_up_to_its_last_record`"]
fn writes_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut harness = sink(Path::new(&folder));
    for number in 0.. {
        let frame = record(&harness, number, PIECES);
        harness.feed(&frame).unwrap();
    }
}

#[test]
fn what_a_killed_program_wrote_is_read_up_to_its_last_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run_0001.records.inprogress");
    let mut child = child("writes_until_it_is_killed", folder.path());
    while fs::metadata(&file).map_or(0, |m| m.len()) < 20 << 20 {
        assert!(child.try_wait().unwrap().is_none(), "it has ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (numbers, end) = read(&file);
    assert!(numbers.len() >= (20 << 20) / (FRAMES * FRAME * PIECES + 1000) - 1);
    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    assert_eq!(end.offset() + end.partial_bytes(), fs::metadata(&file).unwrap().len());
}

fn limit_files(bytes: Option<u64>) {
    setrlimit(Resource::Fsize, Rlimit { current: bytes, ..getrlimit(Resource::Fsize) }).unwrap();
}

#[test]
#[ignore = "run by `a_full_disk_loses_what_is_said_and_nothing_else`"]
fn writes_onto_a_full_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut harness = sink(Path::new(&folder));
    // Each record has 14,088 bytes.
    limit_files(Some(50_000));
    for number in 0..6 {
        let frame = record(&harness, number, 10);
        assert_eq!(harness.feed(&frame).is_ok(), number < 3);
    }
    let message = harness.get("write_message").unwrap().to_string();
    assert!(message.contains("wanted to write the file") && message.contains("inprogress"), "{message}");
    assert_eq!((harness.number_of("num_captured"), harness.number_of("write_errors")), (3.0, 3.0));
    // The prefix can be read, although half a record may be behind it.
    let written = Path::new(&folder).join("run_0001.records.inprogress");
    assert_eq!(read(&written).0, [0, 1, 2]);
    limit_files(None);
    let frame = record(&harness, 6, 10);
    assert!(harness.feed(&frame).is_err(), "not yet tried again");
    harness.advance(1_000_000_000).unwrap();
    for number in 7..9 {
        let frame = record(&harness, number, 10);
        harness.feed(&frame).unwrap();
    }
    harness.drain().unwrap();
    assert_eq!((harness.number_of("num_captured"), harness.number_of("write_errors")), (5.0, 4.0));
}

#[test]
fn a_full_disk_loses_what_is_said_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    assert!(child("writes_onto_a_full_disk", folder.path()).wait().unwrap().success());
    let (numbers, end) = read(&folder.path().join("run_0001.records"));
    assert_eq!((numbers, end.partial_bytes()), (vec![0, 1, 2, 7, 8], 0));
}
