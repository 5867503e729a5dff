//! Raw frames and trigger records that are followed while they are written.

use std::path::Path;
use std::time::Duration;

use livetime_formats::file::GrowingFile;
use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
use livetime_recording::{EventFrame, Fault, Frames, Options, Recording, Step};
use tempfile::TempDir;

const BEGIN: u64 = 80_150_024_000_000_000;

/// Frames of a link that were taken at these ticks.
fn frames(fiber: u8, ticks: std::ops::Range<u64>) -> Vec<u8> {
    let frame = |tick: u64| {
        let mut bytes = vec![0; Wib1Frame::BYTES];
        bytes[40..60].fill(tick as u8 ^ fiber);
        let mut frame = Wib1FrameMut::new(&mut bytes).unwrap();
        frame.set_identity(5, 2, fiber);
        frame.set_timestamp(BEGIN + 25 * tick);
        bytes
    };
    ticks.flat_map(frame).collect()
}

fn create(folder: &Path, link: u8) -> GrowingFile {
    GrowingFile::create(&folder.join(format!("run_0001-l{link:02}.wib"))).unwrap()
}

/// The frames that come until nothing is new.
fn now(frames: &mut Frames) -> Vec<EventFrame> {
    let mut found = Vec::new();
    loop {
        match frames.step() {
            Step::Frame(event) => found.push(event),
            Step::NotYet => return found,
            other => panic!("{other:?}"),
        }
    }
}

fn rest(frames: &mut Frames) -> (Vec<EventFrame>, Vec<Fault>) {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    frames.for_each(|step| match step {
        Ok(event) => found.push(event),
        Err(fault) => faults.push(fault),
    });
    (found, faults)
}

fn contents(events: &[EventFrame]) -> Vec<(usize, i64, Vec<u8>)> {
    let content = |event: &EventFrame| {
        (event.event, event.frame.header().event_time_ns, event.frame.array().unwrap().bytes().to_vec())
    };
    events.iter().map(content).collect()
}

fn following(quiet: Option<Duration>) -> Options {
    Options { follow: true, quiet, threads: 0, ..Options::default() }
}

#[test]
fn links_are_followed_to_their_end() {
    let folder = TempDir::new().unwrap();
    let mut files = [create(folder.path(), 0), create(folder.path(), 1)];
    let recording = Recording::open(&[files[0].written_path()]).unwrap();
    assert_eq!((recording.format().name(), recording.events()), ("wire", 0));
    assert!(recording.may_grow() && recording.problems().is_empty());
    let mut loops = recording.frames_of("fiber1", following(None));
    assert!(now(&mut loops).is_empty());
    // The other link is waited for; of what both have, the last event may become longer.
    let bytes = [1u8, 2].map(|fiber| frames(fiber, 0..5000));
    let part = |link: usize, ticks: std::ops::Range<usize>| &bytes[link][ticks.start * 464..ticks.end * 464];
    files[0].append(&[part(0, 0..3000), &part(0, 3000..3001)[..100]]).unwrap();
    assert!(now(&mut loops).is_empty());
    files[1].append(&[part(1, 0..1500)]).unwrap();
    let mut found = now(&mut loops);
    assert_eq!(found.len(), 1);
    files[0].append(&[&part(0, 3000..3001)[100..], part(0, 3001..5000)]).unwrap();
    files[1].append(&[part(1, 1500..4100)]).unwrap();
    found.extend(now(&mut loops));
    assert_eq!(found.len(), 4);
    // A link that sends only now has a file that was not there.
    let mut late = create(folder.path(), 2);
    late.append(&[&frames(3, 4000..5000)]).unwrap();
    files[1].append(&[part(1, 4100..5000)]).unwrap();
    let [one, other] = files;
    one.finish().unwrap();
    assert!(recording.may_grow());
    other.finish().unwrap();
    late.finish().unwrap();
    let (last, faults) = rest(&mut loops);
    found.extend(last);
    assert!(faults.is_empty(), "{faults:?}");
    assert!(!recording.may_grow() && recording.detectors().unwrap().len() == 3);
    assert!(recording.files().iter().all(|path| path.exists()));
    let whole = Recording::open(&[folder.path().join("run_0001-l01.wib")]).unwrap();
    let (wanted, _) = rest(&mut whole.frames_of("fiber1", Options::default()));
    assert!(wanted.len() == 5 && contents(&found) == contents(&wanted));
    assert_eq!(whole.problems(), recording.problems());
}

#[test]
fn a_link_that_sends_nothing_any_more_holds_up_the_others_for_a_second_of_data() {
    let folder = TempDir::new().unwrap();
    let mut files = [create(folder.path(), 0), create(folder.path(), 1)];
    files[0].append(&[&frames(1, 0..2000)]).unwrap();
    files[1].append(&[&frames(2, 0..2000)]).unwrap();
    let recording = Recording::open(&[files[0].written_path()]).unwrap();
    let mut loops = recording.frames_of("fiber1", following(None));
    assert_eq!(now(&mut loops).len(), 1);
    let far = 1024 * 2060;
    files[0].append(&[&frames(1, far..far + 3000)]).unwrap();
    // The second event, which only one of the links could still change.
    assert_eq!(now(&mut loops).len(), 1);
}

#[test]
fn a_writer_that_died_is_given_up() {
    let folder = TempDir::new().unwrap();
    let mut file = create(folder.path(), 0);
    file.append(&[&frames(1, 0..2500)[..], &[0xAB; 50][..]]).unwrap();
    let path = file.written_path().to_owned();
    // No writer finishes the file.
    drop(file);
    let recording = Recording::open(&[&path]).unwrap();
    let mut loops = recording.frames_of("", following(Some(Duration::from_millis(100))));
    assert_eq!(now(&mut loops).len(), 2);
    let (last, faults) = rest(&mut loops);
    assert_eq!((last.len(), faults.len()), (1, 1));
    assert!(faults[0].why.contains("found 50 bytes that belong to none"), "{}", faults[0].why);
    assert!(!recording.may_grow());
}

#[test]
fn frames_of_other_programs_are_followed_until_they_are_quiet() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("felix.bin");
    let bytes = frames(1, 0..4000);
    std::fs::write(&path, &bytes[..2000 * 464 + 7]).unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    assert!(!recording.may_grow() && recording.events() == 2 && recording.problems().len() == 1);
    let mut loops = recording.frames_of("", following(Some(Duration::from_millis(300))));
    let mut found = now(&mut loops);
    assert_eq!(found.len(), 1);
    std::fs::write(&path, &bytes).unwrap();
    let (last, faults) = rest(&mut loops);
    found.extend(last);
    assert!(faults.is_empty() && found.len() == 4, "{faults:?}");
    let (wanted, _) = rest(&mut Recording::open(&[&path]).unwrap().frames_of("", Options::default()));
    assert_eq!(contents(&found), contents(&wanted));
}

/// The data that a killed writer left are all there, and the same as under the name that the file would have got.
#[test]
fn all_that_a_dead_writer_left_is_shown() {
    let folder = TempDir::new().unwrap();
    let mut files = [create(folder.path(), 0), create(folder.path(), 1), create(folder.path(), 2)];
    // Two frames behind a gap, a link that is behind, and one that never sent anything.
    files[0].append(&[&frames(1, 0..2500), &frames(1, 2600..2602)]).unwrap();
    files[1].append(&[&frames(2, 0..1500)]).unwrap();
    let paths = files.each_ref().map(|file| file.written_path().to_owned());
    drop(files);
    // A writer that is killed leaves its empty file; one that is dropped takes it away.
    std::fs::write(&paths[2], []).unwrap();
    let recording = Recording::open(&paths[..1]).unwrap();
    assert_eq!((recording.events(), recording.complete()), (3, 0));
    let (found, faults) = rest(&mut recording.frames_of("fiber1", Options::default()));
    assert!(found.len() == 3 && faults.is_empty(), "{faults:?}");
    let (other, _) = rest(&mut recording.frames_of("fiber2", Options::default()));
    assert_eq!(other.len(), 2);
    // A reader that follows the run waits.
    assert!(now(&mut recording.frames_of("fiber1", following(None))).is_empty());
    for path in &paths {
        std::fs::rename(path, path.with_extension("")).unwrap();
    }
    let whole = Recording::open(&[folder.path().join("run_0001-l00.wib")]).unwrap();
    let (wanted, _) = rest(&mut whole.frames_of("fiber1", Options::default()));
    assert_eq!(contents(&found), contents(&wanted));
}
