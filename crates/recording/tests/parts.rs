//! Needs of an analysis in parts: events found again in another process, their sizes, and pictures without a copy.

use std::path::PathBuf;

use livetime_recording::{
    EventFrame, Fault, FaultKind, FileEnds, FileRange, Options, Picture, Prefetch, Reader, Recording,
};

use crate::common::{BAD, Leaf, OPAL, event, leaf, other, run};

/// A run of two files of one stream, with another stream beside them.
fn three_files() -> (tempfile::TempDir, PathBuf) {
    let events: Vec<Vec<u8>> = (0..10).map(|n| event(n, &[leaf(n as u16)])).collect();
    let (folder, path) = run(&events[..6]);
    std::fs::write(folder.path().join("e1-r0001-s00-c01.xtc"), events[6..].concat()).unwrap();
    let others: Vec<Vec<u8>> = (0..10).map(|n| event(n, &[other()])).collect();
    std::fs::write(folder.path().join("e1-r0001-s01-c00.xtc"), others.concat()).unwrap();
    (folder, path)
}

fn values(recording: &Recording) -> Vec<(usize, u16)> {
    let detector = recording.detector("Opal1000").unwrap();
    let frames = recording.frames(&detector, Options { threads: 2, ..Options::default() });
    let events: Result<Vec<EventFrame>, Fault> = frames.collect();
    let value = |e: EventFrame| (e.event, e.frame.array().unwrap().elements::<u16>().unwrap()[0]);
    events.unwrap().into_iter().map(value).collect()
}

#[test]
fn a_part_has_the_events_of_the_run_with_their_numbers() {
    let (_folder, path) = three_files();
    let whole = Recording::open(&[path]).unwrap();
    let (state, files) = (whole.state_places(), whole.files());
    for range in [0..10, 0..3, 3..8, 6..10, 9..10] {
        let places = whole.places(range.clone());
        assert_eq!(places.events, range);
        let part = Recording::open_part(&files, whole.format(), &state, &places).unwrap();
        assert_eq!(part.events(), range.end);
        let wanted: Vec<(usize, u16)> = range.clone().map(|n| (n, n as u16)).collect();
        assert_eq!(values(&part), wanted);
        for number in range.clone() {
            assert_eq!(part.time_ns(number), whole.time_ns(number));
            assert_eq!(part.event_bytes(number), whole.event_bytes(number));
            assert_eq!(part.place(number), whole.place(number));
        }
        let before = range.start.checked_sub(1);
        assert!(before.is_none_or(|number| part.time_ns(number) == 0 && part.pieces(number).is_empty()));
    }
}

#[test]
fn a_part_of_another_run_is_refused() {
    let (_folder, path) = three_files();
    let whole = Recording::open(&[&path]).unwrap();
    let (state, files, places) = (whole.state_places(), whole.files(), whole.places(3..8));
    let ends: Vec<FileEnds> = files.iter().map(|file| FileEnds::of(file).unwrap()).collect();
    // One event fewer: all others lie elsewhere.
    let events: Vec<Vec<u8>> = (1..6).map(|n| event(n, &[leaf(n as u16)])).collect();
    std::fs::write(&path, events.concat()).unwrap();
    let other = Recording::open_part(&files, whole.format(), &state, &places);
    assert!(other.is_err());
    let changed = files.iter().zip(ends).filter(|(file, ends)| FileEnds::of(file).unwrap() != *ends);
    assert_eq!(changed.count(), 1);
    assert!(FileEnds::of(&path.with_extension("none")).is_err());
    assert!(!FileRange { file: 3, bytes: 0..1 }.is_in(3));
}

#[test]
fn an_event_has_the_bytes_of_all_its_pieces() {
    let (_folder, path) = three_files();
    let recording = Recording::open(&[path]).unwrap();
    let all: u64 = (0..recording.events()).map(|number| recording.event_bytes(number)).sum();
    let files: u64 = recording.files().iter().map(|file| file.metadata().unwrap().len()).sum();
    assert_eq!((all, recording.event_bytes(10)), (files, 0));
}

/// A program cannot see from outside which bytes the system has read; but asking must never fail or change anything.
#[test]
fn events_are_asked_for_whatever_has_become_of_their_files() {
    let (_folder, path) = three_files();
    let recording = Recording::open(&[&path]).unwrap();
    let prefetch = Prefetch::new(&recording);
    prefetch.ask_for([9, 0, 3, 1000]);
    assert_eq!(values(&recording).len(), 10);
    std::fs::write(&path, []).unwrap();
    prefetch.ask_for(0..10);
    std::fs::remove_file(&path).unwrap();
    Prefetch::new(&recording).ask_for(0..10);
}

#[test]
fn the_good_panels_of_a_picture_lie_where_they_were_read() {
    let bad = Leaf { damage: BAD, ..leaf(2) };
    let broken = Leaf { cut: 5, ..leaf(90) };
    let (_folder, path) =
        run(&[event(0, &[leaf(1)]), event(1, &[bad]), event(2, &[broken, bad]), event(3, &[])]);
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector(OPAL).unwrap();
    let (mut reader, mut picture) = (Reader::default(), Picture::default());
    let mut read = |event| recording.read(&detector, event, &mut reader, &mut picture);
    read(0).unwrap();
    let panels: Vec<_> = picture.good_panels().unwrap().map(|p| (p.number, p.shape, p.bytes)).collect();
    assert_eq!(panels, [(0, &[2, 3][..], &[1, 0].repeat(6)[..])]);
    let mut read = |event| recording.read(&detector, event, &mut reader, &mut picture);
    assert_eq!(read(3).unwrap_err().kind, FaultKind::Missing);
    assert_eq!(read(4).unwrap_err().kind, FaultKind::Unreadable);
    for event in [1, 2] {
        recording.read(&detector, event, &mut reader, &mut picture).unwrap();
        let fault = picture.good_panels().err().unwrap();
        assert_eq!(fault.kind, FaultKind::Damaged);
        assert!(fault.why.starts_with("wanted an undamaged picture, found only one with damage: "));
        // It can be shown all the same.
        assert_eq!(picture.panels().map(|panel| panel.bytes[0]).collect::<Vec<_>>(), [2]);
    }
}

/// A detector that is wanted by name is looked for only as far as it takes, and without the data of events.
#[test]
fn a_detector_that_is_rare_is_found_by_its_name() {
    let mut events: Vec<Vec<u8>> = (0..30).map(|n| event(n, &[leaf(n as u16)])).collect();
    events[20] = event(20, &[leaf(20), other()]);
    let (_folder, path) = run(&events);
    let recording = Recording::open(&[path]).unwrap();
    assert_eq!(recording.detectors().unwrap().len(), 1);
    assert_eq!(recording.detector("").unwrap().to_string(), OPAL);
    assert_eq!(recording.detector("Timepix").unwrap().to_string(), crate::common::TIMEPIX);
    assert_eq!(recording.detectors_for(&"Opal1000".into()).unwrap().len(), 1);
}
