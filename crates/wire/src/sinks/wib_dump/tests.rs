use livetime_engine::testing::{Harness, assert_compliant_fed};
use livetime_engine::{Next, Value};
use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
use tempfile::TempDir;

use super::*;
use crate::sources::wib_file::WibFile;
use crate::{RawFormat, RawLabels};

fn sink(folder: &TempDir, params: &[(&str, Value)]) -> Harness {
    let path = [("path", folder.path().to_str().unwrap().into())];
    Harness::new::<WibDump>(&[&path[..], params].concat()).unwrap()
}

/// A batch of ten frames that begins with frame `first` of its link.
fn batch(harness: &Harness, link: u16, first: u64) -> Frame {
    let mut frame = harness.pool().allocator().bytes(10 * Wib1Frame::BYTES).unwrap();
    for (bytes, number) in frame.bytes_mut().chunks_mut(Wib1Frame::BYTES).zip(first..) {
        bytes.fill((number % 250) as u8);
        let mut frame = Wib1FrameMut::new(bytes).unwrap();
        frame.set_identity(1, 2, link as u8 % 2 + 1);
        frame.set_errors(false, false, 0);
        (0..4).for_each(|block| frame.set_capture_errors(block, [0, 0]));
        frame.set_timestamp(1000 + 25 * number);
    }
    RawLabels::new(RawFormat::Wib1).put(frame.header_mut(), link, 1000 + 25 * first, 0);
    frame.freeze()
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_recorded_is_played_again() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[]);
    let mut wanted = [Vec::new(), Vec::new()];
    // Of the second link ten frames are missing.
    for (link, first) in [(4, 0), (7, 0), (4, 10), (4, 20), (7, 20)] {
        let batch = batch(&harness, link, first);
        harness.feed(&batch).unwrap();
        wanted[usize::from(link == 7)].extend_from_slice(batch.bytes());
    }
    assert_eq!(names(&folder), ["link_0001-l04.wib.inprogress", "link_0001-l07.wib.inprogress"]);
    harness.drain().unwrap();
    assert_eq!(names(&folder), ["link_0001-l04.wib", "link_0001-l07.wib"]);
    let counts = ["frames_written", "bytes_written", "num_captured"].map(|name| harness.number_of(name));
    assert_eq!(counts, [50.0, 50.0 * 464.0, 2.0]);
    let pattern = folder.path().join("link_0001-l*.wib");
    let params = [("file", pattern.to_str().unwrap().into()), ("first_link", 4.into())];
    let mut source = Harness::new::<WibFile>(&params).unwrap();
    let mut played = [Vec::new(), Vec::new()];
    loop {
        let (frames, next) = source.produce().unwrap();
        for batch in frames.iter().filter_map(|frame| RawBatch::of(frame).ok()) {
            played[usize::from(batch.link - 4)].extend_from_slice(batch.bytes);
        }
        if next == Next::Finished {
            break;
        }
    }
    assert!(played == wanted);
    assert_eq!(source.number_of("missing"), 10.0);
}

#[test]
fn a_recording_ends_when_it_is_large_enough_and_the_next_has_another_number() {
    for limit in [("stop_after_frames", Value::Int(30)), ("stop_after_bytes", Value::Int(30 * 464))] {
        let folder = TempDir::new().unwrap();
        let mut harness = sink(&folder, &[limit]);
        for first in [0, 10, 20, 30, 40] {
            let batch = batch(&harness, 0, first);
            harness.feed(&batch).unwrap();
        }
        assert_eq!(names(&folder), ["link_0001-l00.wib"]);
        assert_eq!((harness.number_of("frames_written"), harness.number_of("ignored")), (30.0, 2.0));
        assert_eq!(harness.get("capture"), Some(false.into()));
        assert!(harness.events().iter().any(|e| e.message.contains("as wanted")));
        harness.set("capture", true).unwrap();
        let batch = batch(&harness, 1, 50);
        harness.feed(&batch).unwrap();
        harness.drain().unwrap();
        assert_eq!(names(&folder), ["link_0001-l00.wib", "link_0002-l01.wib"]);
        // Another program finds the numbers of existing files taken, whatever their link.
        let mut other = sink(&folder, &[]);
        other.feed(&batch).unwrap();
        other.drain().unwrap();
        assert_eq!(names(&folder)[2..], ["link_0003-l01.wib"]);
    }
}

#[test]
fn a_recording_ends_after_its_time() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("stop_after_seconds", 2.0.into())]);
    for second in 0..4 {
        harness.advance(second * 1_000_000_000).unwrap();
        let batch = batch(&harness, 0, 10 * second);
        harness.feed(&batch).unwrap();
    }
    assert_eq!((harness.number_of("frames_written"), harness.number_of("ignored")), (30.0, 1.0));
}

#[test]
fn what_cannot_be_written_is_counted_and_tried_again() {
    let folder = TempDir::new().unwrap();
    let gone = folder.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let mut harness = Harness::new::<WibDump>(&[("path", gone.to_str().unwrap().into())]).unwrap();
    std::fs::remove_dir(&gone).unwrap();
    let batch = batch(&harness, 0, 0);
    assert!(harness.feed(&batch).unwrap_err().to_string().contains("wanted a folder"));
    std::fs::create_dir(&gone).unwrap();
    assert!(harness.feed(&batch).is_err(), "not yet tried again");
    harness.advance(1_000_000_000).unwrap();
    harness.feed(&batch).unwrap();
    harness.drain().unwrap();
    assert_eq!((harness.number_of("write_errors"), harness.number_of("frames_written")), (2.0, 10.0));
    assert_eq!(std::fs::read(gone.join("link_0001-l00.wib")).unwrap(), batch.bytes());
}

/// A batch that was written is no failure when its file cannot have its name, and the log names the place of the data.
#[test]
fn a_file_that_cannot_have_its_name_is_told() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[("stop_after_frames", 20.into())]);
    let [first, second] = [0, 10].map(|first| batch(&harness, 0, first));
    harness.feed(&first).unwrap();
    std::fs::write(folder.path().join("link_0001-l00.wib"), "of somebody else").unwrap();
    harness.feed(&second).unwrap();
    let told =
        |event: &livetime_engine::Event| event.is_error && event.message.contains("l00.wib.inprogress");
    assert!(harness.events().iter().any(told), "{:?}", harness.events());
    assert_eq!((harness.number_of("frames_written"), harness.number_of("write_errors")), (20.0, 0.0));
    let kept = std::fs::read(folder.path().join("link_0001-l00.wib.inprogress")).unwrap();
    assert!(kept == [first.bytes(), second.bytes()].concat());
}

/// Within a second, also if it is the file of another link; then the next recording is begun.
#[test]
fn a_file_that_is_taken_away_is_noticed() {
    let folder = TempDir::new().unwrap();
    let mut harness = sink(&folder, &[]);
    let [first, second] = [0, 1].map(|link| batch(&harness, link, 0));
    harness.feed(&first).unwrap();
    harness.feed(&second).unwrap();
    std::fs::remove_file(folder.path().join("link_0001-l01.wib.inprogress")).unwrap();
    harness.advance(2_000_000_000).unwrap();
    harness.feed(&first).unwrap();
    let told = |event: &livetime_engine::Event| event.message.contains("the data are gone");
    assert!(harness.events().iter().any(told), "{:?}", harness.events());
    assert_eq!(names(&folder), ["link_0001-l00.wib", "link_0002-l00.wib.inprogress"]);
}

#[test]
fn keeps_the_contract() {
    let folder = TempDir::new().unwrap();
    let path: Value = folder.path().to_str().unwrap().into();
    assert_compliant_fed::<WibDump>(&[("path", path)], |_| ());
}
