//! Runs of LCLS-II: segments, damage, detectors, and recorded samples.

use std::path::PathBuf;

use livetime_frame::{AttributeValue, Flags};
use livetime_recording::{
    Account, Condition, FaultKind, OnDamage, Options, Picture, Reader, Recording, Wanted,
};
use livetime_testkit::xtc2::{CONFIGURE, L1_ACCEPT, Names, datagram, names, record};
use tempfile::TempDir;

const FIELDS: &[(&str, u32, u32)] = &[("raw", 1, 2), ("gain", 8, 0)];
const DROPPED: u16 = 1 << 4;
const BAD: u16 = 1 << 12;

fn panel(segment: u32) -> Names<'static> {
    Names { id: 0x100 + segment, detector: "epix", algorithm: "raw", segment, fields: FIELDS }
}

/// A segment's record: pictures of 2 x 3 pixels with this value; `cut` bytes are missing at the end.
fn segment(segment: u32, value: u16, damage: u16, cut: usize) -> Vec<u8> {
    let data = [value.to_le_bytes().repeat(6), 1.5f32.to_le_bytes().to_vec()].concat();
    record(panel(segment).id, damage, &[&[2, 3]], &data[..data.len() - cut])
}

fn event(number: u64, damage: u16, records: &[Vec<u8>]) -> Vec<u8> {
    datagram(L1_ACCEPT, 1_000_000_000 + number * 10_000_000, damage, records)
}

/// A run of a detector with two segments, and another one.
fn run(events: &[Vec<u8>]) -> (TempDir, PathBuf) {
    let vls = Names { id: 0x200, detector: "vls", algorithm: "raw", segment: 0, fields: &[("trace", 1, 1)] };
    let described = [names(&panel(0)), names(&panel(1)), names(&vls)];
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("xpp1-r0001-s000-c000.xtc2");
    let configure = datagram(CONFIGURE, 900_000_000, 0, &described);
    std::fs::write(&path, [&[configure], events].concat().concat()).unwrap();
    (folder, path)
}

#[test]
fn segments_are_judged_alone() {
    let whole = |n| vec![segment(0, n, 0, 0), segment(1, n, 0, 0)];
    let events = [
        event(0, 0, &whole(0)),
        // One is bad; of two of one segment the good one counts.
        event(1, 0, &[segment(0, 1, 0, 0), segment(1, 1, BAD, 0)]),
        event(2, 0, &[segment(0, 90, BAD, 0), segment(0, 2, 0, 0), segment(1, 2, 0, 0)]),
        event(3, 0, &[segment(0, 3, BAD, 0), segment(1, 3, BAD, 0)]),
        // One is missing; nothing is there; nothing is there, and the event says why.
        event(4, 0, &[segment(1, 4, 0, 0)]),
        event(5, 0, &[]),
        event(6, DROPPED, &[]),
        // Broken, and broken as the recorder says.
        event(7, 0, &[segment(0, 7, 0, 0), segment(1, 7, 0, 8)]),
        event(8, 0, &[segment(0, 8, 0, 0), segment(1, 8, BAD, 8)]),
        event(9, 0, &[segment(0, 9, BAD, 8), segment(1, 9, BAD, 8)]),
        event(10, DROPPED, &whole(10)),
    ];
    let (_folder, path) = run(&events);
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector("epix").unwrap();
    use Condition::{Damaged, Partial, Whole};
    let wanted = [
        Ok(Whole),
        Ok(Partial),
        Ok(Whole),
        Ok(Damaged),
        Ok(Partial),
        Err(FaultKind::Missing),
        Err(FaultKind::Lost),
        Err(FaultKind::Broken),
        Ok(Partial),
        Err(FaultKind::Lost),
        Ok(Whole),
    ];
    let (mut reader, mut picture) = (Reader::default(), Picture::default());
    for (event, wanted) in wanted.into_iter().enumerate() {
        let read = recording.read(&detector, event, &mut reader, &mut picture);
        assert_eq!(read.map(|()| picture.condition()).map_err(|f| f.kind), wanted, "event {event}");
        if wanted.is_ok() {
            let good = picture.panels().filter(|p| p.damage == 0 && p.bytes[0] == event as u8).count();
            assert_eq!(good > 0, wanted != Ok(Damaged), "event {event}");
        }
    }
    let account =
        Account { whole: 3, partial: 3, damaged: 1, missing: 1, lost: 2, broken: 1, ..Account::default() };
    for (on_damage, frames, skipped) in [(OnDamage::Keep, 7, 0), (OnDamage::Skip, 3, 4)] {
        let options = Options { on_damage, threads: 2, ..Options::default() };
        let mut found = recording.frames(&detector, options);
        let given: Vec<_> = found.by_ref().flatten().collect();
        assert_eq!(found.account(), Account { frames, skipped, ..account });
        let marked = given.iter().filter(|e| e.frame.header().flags.contains(Flags::DAMAGED)).count();
        assert_eq!((given.len() as u64, marked as u64), (frames, 4 - skipped));
    }
}

#[test]
fn frames_hold_all_segments_and_say_what_is_wrong() {
    let events =
        [event(0, 0, &[segment(1, 5, 0, 0), segment(0, 4, 0, 0)]), event(1, 0, &[segment(1, 6, 0, 0)])];
    let (_folder, path) = run(&events);
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector("epix").unwrap();
    let found: Vec<_> = recording.frames(&detector, Options::default()).map(Result::unwrap).collect();
    let array = found[0].frame.array().unwrap();
    assert_eq!(array.layout().to_string(), "2x2x3 u16 mono");
    let values: Vec<u16> = array.elements::<u16>().unwrap().to_vec();
    assert_eq!(values, [[4; 6], [5; 6]].concat());
    assert_eq!(found[1].frame.array().unwrap().layout().to_string(), "2x3 u16 mono");
    let damage = found[1].frame.header().attributes.get("Damage");
    assert_eq!(damage, Some(&AttributeValue::Uint(DROPPED.into())));
}

#[test]
fn a_picture_is_preferred_and_a_name_may_be_given_in_parts() {
    let (_folder, path) = run(&[event(0, 0, &[segment(0, 1, 0, 0), segment(1, 1, 0, 0)])]);
    let recording = Recording::open(&[path]).unwrap();
    assert_eq!(recording.format().name(), "xtc2");
    let listed: Vec<String> = recording.detectors().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(listed, ["epix.raw.raw", "vls.raw.trace"]);
    for wanted in ["", "epix", "epix.raw", "epix.raw.raw"] {
        assert_eq!(recording.detector(wanted).unwrap().to_string(), "epix.raw.raw", "{wanted}");
    }
    let field = Wanted { field: "trace".into(), ..Wanted::default() };
    assert_eq!(recording.detector(field).unwrap().to_string(), "vls.raw.trace");
    let error = recording.detector("ep").unwrap_err().to_string();
    assert_eq!(
        error,
        "wanted a field with arrays called `ep`, found `detector: epix, algorithm: raw, field: raw`; \
         `detector: vls, algorithm: raw, field: trace`"
    );
    // Described, and never there.
    let vls = recording.detector("vls").unwrap();
    assert!(recording.layout(&vls).is_none());
}

#[test]
fn recorded_samples_are_read_as_frames() {
    let name = "test_epix_calib.xtc2";
    let Some(packed) = livetime_testkit::data(&format!("xtc2/lcls2/{name}.zst")) else { return };
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, zstd::decode_all(&std::fs::read(packed).unwrap()[..]).unwrap()).unwrap();
    let recording = Recording::open(&[path]).unwrap();
    let wanted = Wanted { field: "raw".into(), ..Wanted::default() };
    let detector = recording.detector(wanted).unwrap();
    assert_eq!(recording.layout(&detector).unwrap().to_string(), "4x352x384 u16 mono");
    let mut frames = recording.frames(&detector, Options::default());
    assert_eq!(frames.by_ref().map(Result::unwrap).count(), 2);
    assert_eq!((frames.account().whole, frames.account().failures()), (2, 0));
}
