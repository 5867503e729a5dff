//! Opening runs, listing detectors, iterating events.

use std::fs;

use livetime_formats::xtc1::{Builder, DatagramHeader, Transition, Writer};
use livetime_frame::FramePool;
use livetime_recording::{Detector, EventFrame, Fault, FaultKind, Options, Recording, Step, Wanted};

use crate::common::{Leaf, OPAL, event, leaf, other, run};

fn values(found: &[EventFrame]) -> Vec<u16> {
    found.iter().map(|e| e.frame.array().unwrap().elements::<u16>().unwrap()[0]).collect()
}

fn read(recording: &Recording, options: Options) -> Vec<EventFrame> {
    let detector = recording.detector("Opal1000").unwrap();
    recording.frames(&detector, options).collect::<Result<_, Fault>>().unwrap()
}

fn ten_events() -> Vec<Vec<u8>> {
    (0..10).map(|n| event(n, &[leaf(n as u16), other()])).collect()
}

#[test]
fn frames_are_those_of_the_run_in_order_with_any_number_of_threads() {
    let (_folder, path) = run(&ten_events());
    let recording = Recording::open(&[&path]).unwrap();
    assert_eq!((recording.events(), recording.format().name()), (10, "xtc1"));
    for threads in [0, 1, 3] {
        let found = read(&recording, Options { threads, ..Options::default() });
        assert_eq!(values(&found), (0..10).collect::<Vec<u16>>(), "{threads} threads");
        let events: Vec<(usize, u64)> = found.iter().map(|e| (e.event, e.frame.header().sequence)).collect();
        assert_eq!(events, (0..10).map(|n| (n, n as u64 + 1)).collect::<Vec<_>>());
        assert_eq!(found[2].frame.header().event_time_ns, 1_020_000_000);
    }
    let part = read(&recording, Options { events: 3..5, ..Options::default() });
    assert_eq!(values(&part), [3, 4]);
    assert_eq!(values(&read(&recording, Options { events: 8..100, ..Options::default() })), [8, 9]);
    assert!(read(&recording, Options { events: 20..30, ..Options::default() }).is_empty());
}

/// A user of numpy wants memory that is aligned for its type, and that no later frame overwrites.
#[test]
fn frames_are_aligned_and_may_be_kept() {
    let (_folder, path) = run(&ten_events());
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector(OPAL).unwrap();
    let mut kept = Vec::new();
    for event in recording.frames(&detector, Options { threads: 2, ..Options::default() }) {
        kept.push(event.unwrap());
    }
    assert!(kept.iter().all(|e| (e.frame.bytes().as_ptr() as usize).is_multiple_of(64)));
    assert_eq!(values(&kept), (0..10).collect::<Vec<u16>>());
}

/// A reader that hands events over in batches gives the same events as one by one, of any kind, and with little memory.
#[test]
fn batches_are_as_events_alone() {
    let of = |n: u64| match n % 50 {
        7 => event(n, &[other()]),
        19 => event(n, &[Leaf { cut: 2, ..leaf(n as u16) }]),
        20..30 => event(n, &[Leaf { size: (5, 4), ..leaf(n as u16) }]),
        _ => event(n, &[leaf(n as u16), other()]),
    };
    let (_folder, path) = run(&(0..400).map(of).collect::<Vec<_>>());
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector(OPAL).unwrap();
    let found = |threads, batch_bytes, frames| {
        let pool = FramePool::new(frames * FramePool::cost_bytes(40));
        let mut all =
            recording.frames(&detector, Options { threads, batch_bytes, pool, ..Options::default() });
        let seen: Vec<(Option<usize>, Result<u16, FaultKind>)> = (&mut all)
            .map(|event| match event {
                Ok(event) => (Some(event.event), Ok(values(&[event])[0])),
                Err(fault) => (fault.event, Err(fault.kind)),
            })
            .collect();
        (seen, all.account())
    };
    let alone = found(0, 0, 400);
    assert_eq!((alone.0.len(), alone.1.frames, alone.1.missing, alone.1.broken), (392, 384, 8, 8));
    for (threads, batch_bytes, frames) in
        [(1, 256 << 10, 400), (3, 4 << 10, 400), (1, 256 << 10, 3), (2, 0, 5)]
    {
        assert!(found(threads, batch_bytes, frames) == alone, "{threads} threads, {batch_bytes} B, {frames}");
    }
}

/// A pool that is exhausted by kept frames is an error of each further event, until some are dropped.
#[test]
fn memory_that_is_kept_is_bounded() {
    let (_folder, path) = run(&ten_events());
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector(OPAL).unwrap();
    let pool = FramePool::new(2 * FramePool::cost_bytes(12));
    let mut frames = recording.frames(&detector, Options { threads: 0, pool, ..Options::default() });
    let kept: Vec<EventFrame> = frames.by_ref().take(2).map(Result::unwrap).collect();
    assert_eq!(frames.next().unwrap().unwrap_err().kind, FaultKind::NoMemory);
    drop(kept);
    assert_eq!(frames.by_ref().map(Result::unwrap).count(), 7);
    assert_eq!((frames.account().frames, frames.account().no_memory), (9, 1));
}

#[test]
fn detectors_are_listed_with_names_types_and_shapes() {
    let (_folder, path) = run(&[event(0, &[leaf(1), Leaf { size: (512, 512), ..other() }])]);
    let recording = Recording::open(&[path]).unwrap();
    let all = recording.detectors().unwrap();
    let text = |d: &Detector| format!("{d}: {}", recording.layout(d).unwrap());
    let listed: Vec<String> = all.iter().map(text).collect();
    assert_eq!(listed, ["CxiEndstation-0|Opal1000-1: 2x3 u16 mono", "CxiDs1-0|Timepix-0: 512x512 u16 mono"]);
    // A listed detector is found by its own description.
    assert!(all.iter().all(|d| recording.detector(Wanted::from(d)).unwrap() == *d));
    let error = recording.detector("").unwrap_err().to_string();
    assert_eq!(
        error,
        "wanted the name of one detector, found `CxiEndstation-0|Opal1000-1`, `CxiDs1-0|Timepix-0`"
    );
    assert!(
        recording.detector("Cspad").unwrap_err().to_string().contains("wanted the pictures of a detector")
    );
    let lcls2 = Wanted { algorithm: "raw".into(), ..Wanted::default() };
    assert!(recording.detector(lcls2).unwrap_err().to_string().contains("known by its name alone"));
}

#[test]
fn a_run_is_one_file_with_what_lies_beside_it_or_a_pattern_or_lines() {
    let (folder, path) = run(&[event(0, &[leaf(1)])]);
    let second = folder.path().join("e1-r0001-s01-c00.xtc");
    fs::write(&second, event(1, &[leaf(2)])).unwrap();
    fs::write(path.with_extension("hist16.xtc"), event(0, &[leaf(7)])).unwrap();
    let found = |text: &str| values(&read(&Recording::find(text, None).unwrap(), Options::default()));
    let (first, second) = (path.to_str().unwrap(), second.to_str().unwrap());
    assert_eq!(found(first), [1, 2]);
    assert_eq!(found(&format!("{first}\n{second}")), [1, 2]);
    assert_eq!(found(folder.path().join("*-s01-*.xtc").to_str().unwrap()), [2]);
    assert_eq!(values(&read(&Recording::open(&[&path]).unwrap(), Options::default())), [1, 2]);
    let none = folder.path().join("e1-r0002-s00-c00.xtc");
    assert!(Recording::find(none.to_str().unwrap(), None).unwrap_err().to_string().ends_with("found none"));
    assert!(Recording::open::<&str>(&[]).is_err() && Recording::open(&[none]).is_err());
}

#[test]
fn a_run_that_is_being_written_is_followed_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(&folder.path().join("e1-r0001-s00-c00.xtc")).unwrap();
    // Nothing is known yet, not even the detector.
    let recording = Recording::open(&[writer.written_path()]).unwrap();
    assert!(recording.is_growing() && recording.events() == 0);
    assert!(recording.known_detector(&Wanted::default()).unwrap().is_none());
    let options = Options { follow: true, threads: 2, ..Options::default() };
    let mut frames = recording.frames_of("", options);
    assert!(matches!(frames.step(), Step::NotYet));
    writer.write(&event(0, &[leaf(10)])).unwrap();
    writer.write(&event(1, &[leaf(11)])).unwrap();
    // The last event may still be preceded by one of another stream.
    let step = |frames: &mut livetime_recording::Frames| match frames.step() {
        Step::Frame(event) => Some(values(&[event])[0]),
        Step::NotYet => None,
        other => panic!("{other:?}"),
    };
    assert_eq!([step(&mut frames), step(&mut frames)], [Some(10), None]);
    let mut end = Vec::new();
    let header = DatagramHeader::new(Transition::EndRun, 2_000_000_000, 0);
    Builder::new(&mut end, &header).finish().unwrap();
    writer.write(&end).unwrap();
    writer.finish().unwrap();
    let rest: Vec<u16> = frames.map(|event| values(&[event.unwrap()])[0]).collect();
    assert_eq!(rest, [11]);
    // A handle sees what another one found.
    assert_eq!(recording.events(), 2);
}

#[test]
fn a_wanted_detector_that_is_none_is_said_once() {
    let (_folder, path) = run(&ten_events());
    let mut frames = Recording::open(&[path]).unwrap().frames_of("Cspad", Options::default());
    assert!(frames.next().unwrap().unwrap_err().why.contains("wanted the pictures of a detector"));
    assert!(frames.next().is_none());
}
