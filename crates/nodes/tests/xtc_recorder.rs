//! `xtc_recorder` when the program is killed and when the disk is full, each in a process of its own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use livetime_engine::testing::Harness;
use livetime_engine::{
    EdgeOptions, Graph, LossReason, Next, NodeType, Report, Run as GraphRun, RunOptions, Value, WhenFull,
};
use livetime_formats::xtc1::recover::{Found, Recovery};
use livetime_formats::xtc1::run::Run;
use livetime_frame::{AttributeValue, Frame};
use livetime_nodes::sinks::xtc_recorder::XtcRecorder;
use livetime_nodes::sources::recording::Recording;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::test_pictures::Pictures;

/// Names the folder in which a child records.
const FOLDER: &str = "LIVETIME_TEST_RECORDS";

/// The test `name` of this program in a process of its own, in which large files fail instead of ending it.
fn child(name: &str, folder: &Path) -> Child {
    livetime_testkit::test_process(module_path!(), name).unwrap().env(FOLDER, folder).spawn().unwrap()
}

fn recorder(folder: &Path, codec: &str) -> Harness {
    let path = folder.to_str().unwrap();
    let params = [("path", path.into()), ("compression", codec.into()), ("threads", 2.into())];
    Harness::new::<XtcRecorder>(&params).unwrap()
}

fn image(harness: &mut Harness, number: u16) -> Frame {
    let pixels: Vec<u16> = (0..100 * 100).map(|i| 1000 + number % 50 + i % 60).collect();
    harness.image(&[100, 100], &pixels).unwrap()
}

fn play(file: &Path) -> Vec<Frame> {
    let mut source = Harness::new::<Recording>(&[("file", file.to_str().unwrap().into())]).unwrap();
    let mut frames = Vec::new();
    loop {
        let (more, next) = source.produce().unwrap();
        frames.extend(more);
        if next == Next::Finished {
            return frames;
        }
    }
}

#[test]
#[ignore = "run by `a_killed_recording_is_there_up_to_its_last_datagram`"]
fn records_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut harness = recorder(Path::new(&folder), "blockpack");
    for number in 0.. {
        let frame = image(&mut harness, number as u16);
        harness.feed(&frame).unwrap();
    }
}

#[test]
fn a_killed_recording_is_there_up_to_its_last_datagram() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run-r0001-s00-c00.xtc.inprogress");
    let mut child = child("records_until_it_is_killed", folder.path());
    while fs::metadata(&file).map_or(0, |m| m.len()) < 1 << 20 {
        assert!(child.try_wait().unwrap().is_none(), "it has ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let bytes = fs::read(&file).unwrap();
    let (mut recovery, mut whole) = (Recovery::new(&bytes[..]), 0);
    while let Some(found) = recovery.next().unwrap() {
        match found {
            Found::Datagram(raw) => whole = raw.offset + raw.bytes.len() as u64,
            Found::Unsound(_, error) => panic!("{error}"),
            Found::Lost(lost) => assert_eq!(lost.offset + lost.length, bytes.len() as u64, "only at the end"),
        }
    }
    assert!(whole > (1 << 20) - 40_000);
    assert!(Run::open(&[&file]).unwrap().problems().is_empty(), "a growing file may end anywhere");
    let frames = play(&file);
    assert!(frames.len() > 50);
    for (number, frame) in frames.iter().enumerate() {
        let recorded = frame.header().attributes.get("RecordedSequence");
        assert_eq!(recorded, Some(&AttributeValue::Uint(number as u64)));
        let pixels = frame.array().unwrap().elements::<u16>().unwrap();
        assert_eq!(pixels[..3], [0, 1, 2].map(|i| 1000 + number as u16 % 50 + i));
    }
}

fn limit_files(bytes: Option<u64>) {
    setrlimit(Resource::Fsize, Rlimit { current: bytes, ..getrlimit(Resource::Fsize) }).unwrap();
}

#[test]
#[ignore = "run by `a_full_disk_loses_what_is_said_and_nothing_else`"]
fn records_onto_a_full_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut harness = recorder(Path::new(&folder), "none");
    limit_files(Some(110_000));
    let mut refused = 0;
    for number in 0..10 {
        let frame = image(&mut harness, number);
        refused += u32::from(harness.feed(&frame).is_err());
    }
    assert_eq!(harness.number_of("num_captured"), 5.0);
    assert_eq!((refused, harness.number_of("write_errors")), (5, 5.0));
    assert_eq!(harness.get("write_status"), Some("error".into()));
    let message = harness.get("write_message").unwrap().to_string();
    assert!(message.contains("wanted to write the file") && message.contains("inprogress"), "{message}");
    // A second later: still no room.
    harness.advance(2_000_000_000).unwrap();
    let frame = image(&mut harness, 10);
    assert!(harness.feed(&frame).is_err());
    limit_files(None);
    assert!(harness.feed(&frame).is_err(), "not yet tried again");
    harness.advance(4_000_000_000).unwrap();
    for number in 11..13 {
        let frame = image(&mut harness, number);
        harness.feed(&frame).unwrap();
    }
    harness.drain().unwrap();
    assert_eq!((harness.number_of("num_captured"), harness.number_of("write_errors")), (7.0, 7.0));
    assert_eq!(harness.get("write_message"), Some("".into()));
}

#[test]
#[ignore = "run by `frames_under_way_when_the_disk_is_full_are_counted`"]
fn compresses_onto_a_full_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut harness = recorder(Path::new(&folder), "blockpack");
    limit_files(Some(50_000));
    for number in 0..60 {
        let frame = image(&mut harness, number);
        let _ = harness.feed(&frame);
    }
    let mut now_ns = 0;
    // Until all that were under way have failed, and then some more.
    while harness.number_of("num_captured") + harness.number_of("write_errors") < 60.0 {
        std::thread::sleep(Duration::from_millis(2));
        now_ns += 1_000_000_000;
        harness.advance(now_ns).unwrap();
    }
    limit_files(None);
    harness.advance(now_ns + 2_000_000_000).unwrap();
    let frame = image(&mut harness, 60);
    harness.feed(&frame).unwrap();
    harness.drain().unwrap();
    let (written, lost) = (harness.number_of("num_captured"), harness.number_of("write_errors"));
    assert!(written > 1.0 && lost > 0.0 && written + lost == 61.0, "{written} {lost}");
    fs::write(Path::new(&folder).join("written"), written.to_string()).unwrap();
}

#[test]
fn frames_under_way_when_the_disk_is_full_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    assert!(child("compresses_onto_a_full_disk", folder.path()).wait().unwrap().success());
    let frames = play(&folder.path().join("run-r0001-s00-c00.xtc"));
    let written = fs::read_to_string(folder.path().join("written")).unwrap();
    assert_eq!(frames.len().to_string(), written);
    assert_eq!(
        frames.last().unwrap().header().attributes.get("RecordedSequence"),
        Some(&AttributeValue::Uint(60))
    );
}

#[test]
fn a_full_disk_loses_what_is_said_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    assert!(child("records_onto_a_full_disk", folder.path()).wait().unwrap().success());
    let file: PathBuf = folder.path().join("run-r0001-s00-c00.xtc");
    assert!(Run::open(&[&file]).unwrap().problems().is_empty());
    let frames = play(&file);
    let firsts: Vec<u16> = frames.iter().map(|f| f.array().unwrap().elements::<u16>().unwrap()[0]).collect();
    assert_eq!(firsts, [1000, 1001, 1002, 1003, 1004, 1011, 1012]);
}

/// A source of `frames` frames whose recorder compresses with so many threads.
fn graph(folder: &Path, frames: i64, threads: i64) -> Graph {
    let mut graph = Graph::default();
    graph.add("cam", NodeType::of::<Pictures>()).unwrap();
    graph.add("rec", NodeType::of::<XtcRecorder>()).unwrap();
    let options = EdgeOptions { when_full: WhenFull::Block, queue: 8, ..EdgeOptions::default() };
    graph.connect("cam", "rec", options).unwrap();
    let path = folder.to_str().unwrap();
    let values: [(&str, &str, Value); 6] = [
        ("cam", "count", frames.into()),
        ("cam", "width", 100.into()),
        ("cam", "height", 100.into()),
        ("rec", "path", path.into()),
        ("rec", "compression", "blockpack".into()),
        ("rec", "threads", threads.into()),
    ];
    for (node, name, value) in values {
        let node = graph.node(node).unwrap();
        graph.set(node, name, &value).unwrap();
    }
    graph
}

/// Every frame that the recorder was given is in the file, or is told as lost, and never both.
fn assert_accounted(report: &Report, file: &Path) {
    assert_eq!(report.imbalances(), Vec::<String>::new());
    let recorder = &report.nodes[1];
    let count = |name: &str| match &recorder.last_values.iter().find(|(s, _)| s.name == name).unwrap().1 {
        Value::Int(count) => *count as u64,
        other => panic!("{other:?}"),
    };
    assert_eq!((count("num_captured"), count("write_errors")), (recorder.completed, recorder.lost_inside()));
    assert_eq!(recorder.lost.get(&LossReason::NodeError), Some(&recorder.lost_inside()));
    assert!(recorder.completed > 0 && recorder.lost_inside() > 0, "{recorder:#?}");
    let written: Vec<u64> = play(file)
        .iter()
        .map(|f| match f.header().attributes.get("RecordedSequence") {
            Some(AttributeValue::Uint(number)) => *number,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(written.len() as u64, recorder.completed);
    for event in report.events.iter().filter(|e| e.node == "rec") {
        if let Some(rest) = event.message.strip_prefix("frame ") {
            let number: u64 = rest.split(' ').next().unwrap().parse().unwrap();
            assert!(rest.contains("wanted to write the file") && !written.contains(&number), "{rest}");
        }
    }
}

#[test]
#[ignore = "run by `the_ledger_closes_when_the_disk_is_full`"]
fn a_graph_records_onto_a_full_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    for (frames, threads, limit) in [(60, 2, 40_000), (200, 1, 150_000), (60, 0, 40_000)] {
        let folder = Path::new(&folder).join(format!("{frames}-{threads}"));
        fs::create_dir(&folder).unwrap();
        let graph = graph(&folder, frames, threads);
        limit_files(Some(limit));
        let run = GraphRun::start(&graph, RunOptions::default()).unwrap();
        assert!(run.wait(livetime_testkit::HANG));
        let report = run.finish(Duration::ZERO);
        limit_files(None);
        let recorder = &report.nodes[1];
        assert_eq!(
            (recorder.received, recorder.completed + recorder.lost_inside()),
            (frames as u64, frames as u64)
        );
        let told = report.events.iter().any(|e| e.node == "rec" && e.message.starts_with("frame "));
        assert_eq!(told, threads > 0, "{:?}", report.events);
        assert_accounted(&report, &folder.join("run-r0001-s00-c00.xtc"));
    }
}

#[test]
fn the_ledger_closes_when_the_disk_is_full() {
    let folder = tempfile::tempdir().unwrap();
    assert!(child("a_graph_records_onto_a_full_disk", folder.path()).wait().unwrap().success());
}
