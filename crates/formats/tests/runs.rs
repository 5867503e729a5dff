//! Streams, chunks, cameras, files that grow, and writers that die.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking"
)]

use crate::common;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use common::{damaged, datagram};
use livetime_formats::file::{Follower, Progress};
use livetime_formats::xtc1::run::{EventBytes, Run};
use livetime_formats::xtc1::{Damage, Datagram, DatagramHeader, Src, Transition, Writer};

const SECOND: u64 = 1_000_000_000;

fn event(second: u64, fiducial: u32, payload: u8) -> Vec<u8> {
    datagram(Transition::L1Accept, second * SECOND, fiducial, &[payload; 8])
}

fn change(transition: Transition, second: u64) -> Vec<u8> {
    datagram(transition, second * SECOND, 0, &[1; 4])
}

fn write(folder: &Path, name: &str, datagrams: &[Vec<u8>]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, datagrams.concat()).unwrap();
    path
}

/// Each event as its second and the first bytes of its pieces' payloads.
fn contents(run: &Run) -> Vec<(u64, Vec<u8>)> {
    let mut bytes = EventBytes::default();
    let read = |event| {
        run.read(event, &mut bytes).unwrap();
        let pieces = bytes.pieces().map(|p| Datagram::parse(p).unwrap().leaves().next().unwrap().payload[0]);
        (event.clock.ns() / SECOND, pieces.collect())
    };
    run.events().iter().map(read).collect()
}

#[test]
fn streams_and_chunks_become_one_run_in_the_order_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let configure = change(Transition::Configure, 1);
    let begin = change(Transition::BeginCalibCycle, 2);
    let s0 = [configure.clone(), begin.clone(), event(10, 1, 10), event(13, 4, 13)];
    let s1 = [configure, begin, event(12, 3, 12), event(11, 2, 11)];
    let paths = [
        write(folder.path(), "e1-r0007-s00-c00.xtc", &s0),
        write(folder.path(), "e1-r0007-s01-c00.xtc", &s1),
        write(folder.path(), "e1-r0007-s00-c01.xtc", &[event(14, 5, 14)]),
    ];
    assert_eq!(Run::files_of(&paths[1]).unwrap(), [paths[0].clone(), paths[2].clone(), paths[1].clone()]);
    let run = Run::open(&paths).unwrap();
    assert!(run.problems().is_empty() && !run.is_growing());
    let expected: Vec<(u64, Vec<u8>)> = (10..15).map(|s| (s, vec![s as u8])).collect();
    assert_eq!(contents(&run), expected);
    assert_eq!(run.transitions().iter().map(|t| t.copies).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(run.events()[0].step, Some(0));
    // Chunk 1 has no configuration of its own.
    assert_eq!(run.configs(&run.events()[4]).iter().count(), 1);
}

#[test]
fn pieces_of_one_event_are_joined_and_repeated_events_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let split = damaged(Transition::L1Accept, 11 * SECOND, 2, &[3; 8], Damage::DROPPED);
    let s0 = [event(10, 1, 1), split.clone(), split, event(12, 3, 5), event(12, 3, 6)];
    let paths = [
        write(folder.path(), "e1-r0007-s00-c00.xtc", &s0),
        write(folder.path(), "e1-r0007-s01-c00.xtc", &[event(10, 1, 2)]),
    ];
    let run = Run::open(&paths).unwrap();
    assert_eq!(contents(&run), [(10, vec![1, 2]), (11, vec![3, 3]), (12, vec![5]), (12, vec![6])]);
    assert_eq!(run.counts().repeated, 1);
}

#[test]
fn camera_pieces_belong_to_the_event_with_their_fiducial() {
    let folder = tempfile::tempdir().unwrap();
    let cameras = [
        change(Transition::Configure, 1),
        event(104, 100, 1), // 4 s from its event
        event(190, 200, 2), // 80 s from its event
        event(600, 300, 3), // fiducials come again after 364 s: not this one
        event(110, 131_050, 4),
        event(112, 400, 5),
        event(113, 400, 6), // twice the same: neither can be believed
    ];
    let builders = [event(100, 100, 10), event(110, 200, 20), event(111, 300, 30), event(112, 400, 40)];
    let paths = [
        write(folder.path(), "e1-r0007-s00-c00.xtc", &builders),
        write(folder.path(), "e1-r0007-s80-c00.xtc", &cameras),
    ];
    let run = Run::open(&paths).unwrap();
    assert_eq!(contents(&run), [(100, vec![10, 1]), (110, vec![20, 2]), (111, vec![30]), (112, vec![40])]);
    let counts = run.counts();
    assert_eq!((counts.camera_joined, counts.camera_unmatched), (2, 1));
    assert_eq!((counts.camera_invalid, counts.camera_ambiguous), (1, 2));
    assert!(run.transitions().is_empty());
    assert_eq!(run.configs(&run.events()[0]).iter().count(), 1);
    // Without event builders the cameras' stream is the run.
    assert_eq!(Run::open(&paths[1..]).unwrap().events().len(), 6);
}

#[test]
fn files_of_two_runs_or_twice_the_same_chunk_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let name = |n: &str| write(folder.path(), n, &[event(10, 1, 1)]);
    let (a, b) = (name("e1-r0007-s00-c00.xtc"), name("e1-r0008-s00-c00.xtc"));
    let again = name("e1-r0007-s00-c00.copy.xtc");
    assert!(Run::open(&[&a, &b]).unwrap_err().to_string().contains("run 7 of e1"));
    assert!(Run::open(&[&a, &again]).unwrap_err().to_string().contains("one file for each chunk"));
    assert!(Run::open::<&Path>(&[]).is_err());
    let gap = Run::open(&[&a, &name("e1-r0007-s00-c02.xtc")]).unwrap();
    assert!(gap.problems()[0].error.to_string().contains("wanted chunk 1 of stream 0, found chunk 2"));
}

#[test]
fn a_broken_file_is_scanned_up_to_there_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "any.xtc", &[event(10, 1, 1), vec![0xEE; 100]]);
    let run = Run::open(&[&path]).unwrap();
    assert_eq!(run.events().len(), 1);
    let offset = event(10, 1, 1).len() as u64;
    assert_eq!(run.problems()[0].error.offset(), Some(offset));
    let cut = write(folder.path(), "cut.xtc", &[event(10, 1, 1), event(11, 2, 2)[..50].to_vec()]);
    let run = Run::open(&[&cut]).unwrap();
    let error = run.problems()[0].error.to_string();
    assert!(error.contains("found 50 bytes up to the end of the file"), "{error}");
}

#[test]
fn a_growing_run_is_followed_over_chunks_to_its_exact_end() {
    let folder = tempfile::tempdir().unwrap();
    let name = |chunk: u32, end: &str| folder.path().join(format!("e1-r0007-s00-c{chunk:02}.xtc{end}"));
    let mut file = OpenOptions::new().create_new(true).append(true).open(name(0, ".inprogress")).unwrap();
    let mut run = Run::open(&[name(0, ".inprogress")]).unwrap();
    assert!(run.is_growing() && run.events().is_empty());
    let second = event(11, 2, 2);
    file.write_all(&[event(10, 1, 1), second[..60].to_vec()].concat()).unwrap();
    run.refresh().unwrap();
    // Another stream could still bring something at the same time; here there is none, but nothing is later yet.
    assert!(run.events().is_empty());
    file.write_all(&second[60..]).unwrap();
    run.refresh().unwrap();
    assert_eq!(contents(&run), [(10, vec![1])]);
    fs::rename(name(0, ".inprogress"), name(0, "")).unwrap();
    let mut next = OpenOptions::new().create_new(true).append(true).open(name(1, ".inprogress")).unwrap();
    next.write_all(&event(12, 3, 3)).unwrap();
    run.refresh().unwrap();
    assert!(run.is_growing());
    assert_eq!(contents(&run), [(10, vec![1]), (11, vec![2])]);
    fs::rename(name(1, ".inprogress"), name(1, "")).unwrap();
    run.refresh().unwrap();
    assert!(!run.is_growing() && run.problems().is_empty());
    assert_eq!(contents(&run), [(10, vec![1]), (11, vec![2]), (12, vec![3])]);
}

#[test]
fn a_follower_waits_for_a_writer_and_knows_when_it_has_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e1-r0007-s00-c00.xtc");
    let mut writer = Writer::create(&path).unwrap();
    assert!(Writer::create(&path).is_err());
    let mut follower = Follower::<DatagramHeader>::open(writer.written_path()).unwrap();
    assert!(matches!(follower.next().unwrap(), Progress::Wait(_)));
    writer.write(&[event(10, 1, 1), event(11, 2, 2)].concat()).unwrap();
    assert!(matches!(follower.next().unwrap(), Progress::Datagram(_)));
    assert!(writer.write(&event(12, 3, 3)[..70]).is_err());
    writer.finish().unwrap();
    assert!(matches!(follower.next().unwrap(), Progress::Datagram(_)));
    assert!(matches!(follower.next().unwrap(), Progress::End(_)));
    assert!(Writer::create(&path).unwrap_err().to_string().contains("not there yet"));
}

/// Not a test: the writer that the next one kills.
#[test]
#[ignore = "run by `what_a_killed_writer_had_written_can_be_read`"]
fn writes_until_it_is_killed() {
    let path = std::env::var_os("LIVETIME_TEST_WRITES").unwrap();
    let mut writer = Writer::create(Path::new(&path)).unwrap();
    for number in 1u32.. {
        let size = 100 + (number as usize * 7919) % 300_000 / 4 * 4;
        let payload = vec![number as u8; size];
        let bytes = datagram(Transition::L1Accept, u64::from(number) * SECOND, number % 131_040, &payload);
        writer.write(&bytes).unwrap();
        // Told after it was written: so many must be found.
        fs::write(Path::new(&path).with_extension("count"), number.to_string()).unwrap();
    }
}

#[test]
fn what_a_killed_writer_had_written_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e1-r0001-s00-c00.xtc");
    let count = path.with_extension("count");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(livetime_testkit::test_name(module_path!(), "writes_until_it_is_killed"))
        .args(["--exact", "--ignored"])
        .env("LIVETIME_TEST_WRITES", &path)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let told = || fs::read_to_string(&count).ok().and_then(|t| t.parse::<usize>().ok()).unwrap_or(0);
    while told() < 50 {
        std::thread::sleep(Duration::from_millis(5));
        assert!(child.try_wait().unwrap().is_none(), "the writer ended by itself");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let written = path.with_extension("xtc.inprogress");
    let mut follower = Follower::<DatagramHeader>::open(&written).unwrap();
    let mut found = 0;
    while let Progress::Datagram(raw) = follower.next().unwrap() {
        found += 1;
        let leaf = Datagram::parse(raw.bytes).unwrap().leaves().next().unwrap().payload.to_vec();
        assert!(leaf.iter().all(|b| *b == found as u8));
    }
    assert!(found >= told(), "{found} of {}", told());
}

#[test]
fn a_configuration_that_comes_again_is_held_once() {
    let folder = tempfile::tempdir().unwrap();
    let configure = |second, payload| datagram(Transition::Configure, second * SECOND, 0, &[payload; 4096]);
    let paths = [
        write(folder.path(), "e1-r0001-s00-c00.xtc", &[configure(1, 7), event(2, 1, 2)]),
        write(folder.path(), "e1-r0001-s01-c00.xtc", &[configure(3, 7), event(4, 2, 4)]),
        write(folder.path(), "e1-r0001-s02-c00.xtc", &[configure(5, 8), event(6, 3, 6)]),
    ];
    let run = Run::open(&paths).unwrap();
    let found: Vec<&[u8]> = run
        .events()
        .iter()
        .map(|event| run.configs(event).find(Src::detector(32, 0, 10, 0), 500).unwrap().1)
        .collect();
    assert_eq!(found.iter().map(|payload| payload[0]).collect::<Vec<_>>(), [7, 7, 8]);
    assert!(std::ptr::eq(found[0], found[1]));
}
