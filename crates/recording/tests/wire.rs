//! Dumps of raw frames and trigger records as recorded runs.

use std::path::{Path, PathBuf};

use livetime_formats::trigger::{
    Missing, MissingReason, NewFragment, RecordWriter, SourceId, TriggerCandidate, TriggerRecordHeader,
    fragment_type,
};
use livetime_formats::wib::{RawFormat, Wib1Frame, Wib1FrameMut};
use livetime_frame::{AttributeValue, Flags};
use livetime_recording::select::Expression;
use livetime_recording::{
    Condition, Detector, EventFrame, Fault, FaultKind, OnDamage, Options, Picture, Reader, Recording,
    RunFormat, SmallValue, Step,
};
use proptest::prelude::*;
use tempfile::TempDir;

const TICKS: usize = 1024;
/// Of the frames that tests make, ticks of the clock.
const BEGIN: u64 = 80_150_024_000_000_000;

fn frame(fiber: u8, number: u64, phase: u64) -> Vec<u8> {
    let mut state = number * 2 + u64::from(fiber);
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let mut bytes: Vec<u8> = (0..Wib1Frame::BYTES).map(|_| noise()).collect();
    // Without errors: headers of blocks are zero.
    bytes[..16].fill(0);
    (0..4).for_each(|block| bytes[16 + 112 * block..][..16].fill(0));
    let mut frame = Wib1FrameMut::new(&mut bytes).unwrap();
    frame.set_identity(5, 2, fiber);
    frame.set_timestamp(BEGIN + 25 * number + phase);
    bytes
}

/// The samples of a frame.
fn samples(frame: &[u8], format: RawFormat) -> Vec<i16> {
    let mut samples = vec![0; format.samples() * format.channels()];
    format.unpack(frame, &mut samples).unwrap();
    samples
}

/// One tick of an event: a value for each channel.
fn column(event: &EventFrame, tick: usize) -> Vec<i16> {
    let array = event.frame.array().unwrap();
    let ticks = array.layout().shape().nth(1).unwrap();
    let elements = array.elements::<u16>().unwrap();
    elements.chunks(ticks).map(|row| row[tick] as i16).collect()
}

fn dump(name: &str, frames: &[Vec<u8>]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, frames.concat()).unwrap();
    (folder, path)
}

fn all(recording: &Recording, detector: &Detector, threads: usize) -> (Vec<EventFrame>, Vec<Fault>) {
    let (mut events, mut faults) = (Vec::new(), Vec::new());
    for found in recording.frames(detector, Options { threads, ..Options::default() }) {
        match found {
            Ok(event) => events.push(event),
            Err(fault) => faults.push(fault),
        }
    }
    (events, faults)
}

fn value(small: &[SmallValue], source: &str, name: &str) -> Option<f64> {
    small.iter().find(|value| value.source == source && value.name == name)?.number()
}

#[test]
fn the_frames_of_protodune_are_a_run() {
    let Some(path) = livetime_testkit::data("wib/wib1_frames.bin.zst") else { return };
    let Some(known) = livetime_testkit::data("wib/wib1_adc16_first24.bin") else { return };
    let recording = Recording::open(&[&path]).unwrap();
    assert_eq!((recording.format().name(), recording.events()), ("wire", 3));
    assert_eq!(recording.problems(), []);
    let link = recording.detector("").unwrap();
    assert_eq!(link.to_string(), "crate5_slot2_fiber1");
    assert_eq!(recording.layout(&link).unwrap().to_string(), "256x1024 u16 mono");
    let known = std::fs::read(known).unwrap();
    let known: Vec<i16> = known.as_chunks().0.iter().map(|bytes| i16::from_le_bytes(*bytes)).collect();
    for threads in [0, 2] {
        let (events, faults) = all(&recording, &link, threads);
        assert!(events.len() == 3 && faults.is_empty(), "{faults:?}");
        for (tick, wanted) in known.chunks(256).enumerate() {
            assert_eq!(column(&events[0], tick), wanted, "tick {tick}");
        }
        let times: Vec<i64> = events.iter().map(|event| event.frame.header().event_time_ns).collect();
        let ns = |tick: i64| (BEGIN as i64 + 25 * tick) * 20;
        assert_eq!(times, [ns(0), ns(1024), ns(2048)]);
        // 3000 ticks are two windows and the begin of a third.
        let damaged = events.iter().map(|event| event.frame.header().flags.contains(Flags::DAMAGED));
        assert_eq!(damaged.collect::<Vec<_>>(), [false, false, true]);
        assert!(column(&events[2], 951).iter().any(|sample| *sample != 0));
        assert_eq!(column(&events[2], 952), [0; 256]);
    }
    // The same bytes, not packed.
    let (_folder, plain) =
        dump("plain.wib", &[zstd::decode_all(&std::fs::read(&path).unwrap()[..]).unwrap()]);
    let unpacked = Recording::open(&[&plain]).unwrap();
    let pixels = |recording: &Recording| -> Vec<Vec<u8>> {
        let (events, _) = all(recording, &link, 1);
        events.iter().map(|event| event.frame.array().unwrap().bytes().to_vec()).collect()
    };
    assert_eq!(pixels(&unpacked), pixels(&recording));
}

/// 14 bits each, one behind the other from the lowest bit on.
fn plain_wibeth(frame: &[u8]) -> Vec<i16> {
    let bit = |at: usize| frame[32 + at / 8] >> (at % 8) & 1;
    let sample = |number: usize| (0..14).map(|at| i16::from(bit(14 * number + at)) << at).sum();
    (0..64 * 64).map(sample).collect()
}

#[test]
fn frames_of_ethernet_are_a_run() {
    let Some(path) = livetime_testkit::data("wib/wibeth_frames.bin.zst") else { return };
    let recording = Recording::open(&[&path]).unwrap();
    let link = recording.detector("stream65").unwrap();
    assert_eq!(link.to_string(), "det3_crate1_slot2_stream65");
    let (events, faults) = all(&recording, &link, 1);
    assert!(events.len() == 8 && faults.is_empty() && recording.problems().is_empty());
    assert_eq!(events[0].frame.array().unwrap().layout().to_string(), "64x1024 u16 mono");
    let bytes = zstd::decode_all(&std::fs::read(&path).unwrap()[..]).unwrap();
    for (number, frame) in bytes.chunks(7200).enumerate() {
        let samples = plain_wibeth(frame);
        for tick in 0..64 {
            let at = 64 * number + tick;
            assert_eq!(column(&events[at / TICKS], at % TICKS), samples[64 * tick..][..64], "tick {at}");
        }
    }
    let small = recording.small_data(1, &mut Reader::default()).unwrap();
    let of_link = |name| value(&small, "det3_crate1_slot2_stream65", name);
    assert_eq!([of_link("stream"), of_link("frames")], [Some(65.0), Some(16.0)]);
    let begin = RawFormat::WibEth.stamp(&bytes) + 1024 * 32;
    assert_eq!([of_link("timestamp"), value(&small, "window", "begin")], [Some(begin as f64); 2]);
    assert_eq!(recording.time_ns(1), begin * 16);
}

/// Faults of frames are judged at the faulty frames, and all others stay as they were.
#[test]
fn frames_that_are_missing_or_faulty_are_told() {
    let mut frames: Vec<Vec<u8>> = (0..4096).map(|number| frame(1, number, 0)).collect();
    let mut bad = Wib1FrameMut::new(&mut frames[3000]).unwrap();
    bad.set_errors(true, false, 0);
    frames.swap(50, 51);
    frames.insert(300, frames[299].clone());
    // Frame 2000 is at 2001 now.
    frames.remove(2001);
    let (_folder, path) = dump("a.wib", &frames);
    let recording = Recording::open(&[&path]).unwrap();
    let link = recording.detector("slot2").unwrap();
    assert_eq!((recording.events(), recording.problems()), (4, vec![]));
    let (mut reader, mut picture) = (Reader::default(), Picture::default());
    let mut judged = |event| {
        recording.read(&link, event, &mut reader, &mut picture).unwrap();
        let damage = picture.panels().next().unwrap().damage;
        (picture.condition(), picture.damage_in_words(damage), picture.good_panels().is_ok())
    };
    let partial = |why: &str| (Condition::Partial, why.to_owned(), false);
    assert_eq!(judged(0), partial("timestamp not later"));
    assert_eq!(judged(1), partial("frames missing"));
    assert_eq!(judged(2), partial("mm"));
    assert_eq!(judged(3), (Condition::Whole, "".into(), true));
    let (events, _) = all(&recording, &link, 1);
    assert_eq!(column(&events[0], 50), samples(&frames[51], RawFormat::Wib1));
    assert_eq!(column(&events[1], 2000 - TICKS), [0; 256]);
    assert_eq!(events[1].frame.header().attributes.get("Damage"), Some(&AttributeValue::Uint(1 << 4)));
    let account = recording.judge(&link);
    assert_eq!((account.whole, account.partial, account.failures()), (1, 3, 0));
    let skip = Options { on_damage: OnDamage::Skip, ..Options::default() };
    assert_eq!(recording.frames(&link, skip).map(|event| event.unwrap().event).collect::<Vec<_>>(), [3]);
}

#[test]
fn a_dump_that_breaks_off_gives_what_it_has_and_says_so() {
    let frames: Vec<Vec<u8>> = (0..2000).map(|number| frame(1, number, 0)).collect();
    let (folder, path) = dump("a.wib", &frames);
    let whole = std::fs::read(&path).unwrap();
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let recording = Recording::open(&[&path]).unwrap();
        let link = recording.detector("").unwrap();
        let (events, faults) = all(&recording, &link, 1);
        (events.len(), faults.iter().map(|fault| fault.why.clone()).collect::<Vec<_>>())
    };
    let (events, faults) = read(&whole[..464 * 1500 + 100]);
    assert_eq!((events, faults.len()), (2, 1));
    assert!(faults[0].contains("found 100 bytes that belong to none"), "{faults:?}");
    // A link that sent nothing is told, and the other is read.
    let silent = folder.path().join("b-l01.wib");
    std::fs::write(&silent, b"").unwrap();
    std::fs::write(folder.path().join("b-l00.wib"), &whole).unwrap();
    let recording = Recording::open(&[folder.path().join("b-l00.wib")]).unwrap();
    assert_eq!((recording.events(), recording.problems()[0].path.clone()), (2, silent.clone()));
    assert!(Recording::open(&[silent]).is_err());
    let packed = zstd::encode_all(&whole[..], 1).unwrap();
    let (events, faults) = read(&packed[..packed.len() / 2]);
    assert!(
        events > 0 && faults.iter().any(|why| why.contains("wanted a packed file to its end")),
        "{faults:?}"
    );
}

/// Windows are the same for all links, whenever these begin.
#[test]
fn the_links_of_a_recording_are_one_run() {
    let folder = TempDir::new().unwrap();
    let path = |link: usize| folder.path().join(format!("link_0001-l0{link}.wib"));
    let frames = |fiber: u8, from, to, phase| -> Vec<Vec<u8>> {
        (from..to).map(|number| frame(fiber, number, phase)).collect()
    };
    let second = frames(2, 100, 1024 + 500, 7);
    std::fs::write(path(0), frames(1, 0, 3 * 1024, 0).concat()).unwrap();
    std::fs::write(path(1), second.concat()).unwrap();
    let recording = Recording::open(&[path(0)]).unwrap();
    assert_eq!((recording.events(), recording.files()), (3, vec![path(0), path(1)]));
    let names: Vec<String> = recording.detectors().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["crate5_slot2_fiber1", "crate5_slot2_fiber2"]);
    let error = recording.detector("slot2").unwrap_err().to_string();
    assert!(error.contains("`crate5_slot2_fiber1`, `crate5_slot2_fiber2`"), "{error}");
    let link = recording.detector("fiber2").unwrap();
    let (events, faults) = all(&recording, &link, 1);
    assert!(faults.is_empty());
    assert_eq!(events.iter().map(|event| event.event).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(column(&events[0], 99), [0; 256]);
    assert_eq!(column(&events[0], 100), samples(&second[0], RawFormat::Wib1));
    assert_eq!(column(&events[1], 499), samples(&second[1423], RawFormat::Wib1));
    assert_eq!(recording.judge(&link).missing, 1);
    // That a link begins and ends within a window is no damage for sums.
    let (mut reader, mut picture) = (Reader::default(), Picture::default());
    recording.read(&link, 0, &mut reader, &mut picture).unwrap();
    assert_eq!(picture.good_panels().err().unwrap().kind, FaultKind::Missing);
    let found = recording.select(&expression("crate5_slot2_fiber2.frames > 500"), 0..3, 1).unwrap();
    assert_eq!((0..3).map(|event| found.has(event)).collect::<Vec<_>>(), [true, false, false]);
    let places = recording.places(1..3);
    let part = Recording::open_part(&recording.files(), recording.format(), &[], &places).unwrap();
    assert_eq!(part.time_ns(2), recording.time_ns(2));
    std::fs::write(path(1), frames(2, 100, 1524, 7)[1..].concat()).unwrap();
    let other = recording.places(0..3);
    assert!(Recording::open_part(&recording.files(), recording.format(), &[], &other).is_err());
}

fn expression(text: &str) -> Expression {
    text.parse().unwrap()
}

#[test]
fn files_of_two_formats_are_refused() {
    let Some(wibeth) = livetime_testkit::data("wib/wibeth_frames.bin.zst") else { return };
    let (_folder, path) = dump("a.wib", &(0..10).map(|number| frame(1, number, 0)).collect::<Vec<_>>());
    let error = Recording::open(&[path, wibeth]).unwrap_err().to_string();
    assert!(error.ends_with("wanted frames of wib1, as in the files before, found wibeth"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// For any missing frames, each frame that is there is in its column, and all other samples are 0.
    #[test]
    fn every_frame_is_where_its_time_is(
        gaps in prop::collection::vec((4u64..2500, 1u64..300), 0..6),
        wide in prop::bool::ANY,
        threads in 0usize..3,
    ) {
        let is_there = |number: u64| !gaps.iter().any(|(from, count)| (*from..from + count).contains(&number));
        let numbers: Vec<u64> = (0..2600).filter(|number| is_there(*number)).collect();
        // Header and trailer of FELIX make each frame one of its own.
        let lie = |number: &u64| {
            let (before, behind) = if wide { (vec![0xEE; 8], vec![0xEE; 8]) } else { (vec![], vec![]) };
            [before, frame(1, *number, 0), behind].concat()
        };
        let frames: Vec<Vec<u8>> = numbers.iter().map(lie).collect();
        let (_folder, path) = dump("a.wib", &frames);
        let recording = Recording::open(&[&path]).unwrap();
        let (events, _) = all(&recording, &recording.detector("").unwrap(), threads);
        let mut found = 0;
        for event in &events {
            for tick in 0..TICKS {
                let number = (event.event * TICKS + tick) as u64;
                let column = column(event, tick);
                if number < 2600 && is_there(number) {
                    prop_assert_eq!(column, samples(&frame(1, number, 0), RawFormat::Wib1));
                    found += 1;
                } else {
                    prop_assert!(column.iter().all(|sample| *sample == 0));
                }
            }
        }
        prop_assert_eq!(found, numbers.len());
    }

    /// Bytes that were turned, cut out and put in are no panic, and no array is larger than the frames that there are.
    #[test]
    fn broken_files_are_read_or_refused(
        changes in prop::collection::vec((0usize..464 * 40, 0u8..3, 0u8..=255), 1..40),
        records in prop::bool::ANY,
    ) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a");
        let mut bytes = if records {
            write_records(&folder.path().join("b"), 3);
            std::fs::read(folder.path().join("b")).unwrap()
        } else {
            (0..40).flat_map(|number| frame(1, number, 0)).collect::<Vec<u8>>()
        };
        for (at, what, byte) in changes {
            let at = at % bytes.len();
            match what {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        std::fs::write(&path, &bytes).unwrap();
        let Ok(recording) = Recording::open(&[&path]) else { return Ok(()) };
        for detector in recording.detectors().unwrap() {
            let account = recording.judge(&detector);
            prop_assert!(account.whole + account.not_whole() <= recording.events() as u64);
        }
        for event in 0..recording.events() {
            let _ = recording.small_data(event, &mut Reader::default());
        }
    }
}

/// Records of two links and of hits; of the second link ten ticks are missing in record 1.
fn write_records(path: &Path, count: u64) {
    let mut writer = RecordWriter::create(path).unwrap();
    for number in 0..count {
        let window = [BEGIN + 25 * 1000 * number, BEGIN + 25 * (1000 * number + 400)];
        let frames = |fiber, numbers: std::ops::Range<u64>| -> Vec<u8> {
            numbers.flat_map(|tick| frame(fiber, 1000 * number + tick, 0)).collect()
        };
        let missing: &[Missing] =
            &[Missing { begin: window[0], end: window[0] + 250, reason: MissingReason::TooOld }];
        let missing = if number == 1 { missing } else { &[] };
        let (first, second) = (frames(1, 0..400), frames(2, if number == 1 { 10..400 } else { 0..400 }));
        let hits = vec![0; 24 * number as usize];
        let candidate = TriggerCandidate { kind: 7, time_candidate: window[0] + 100, ..Default::default() };
        let candidate = candidate.bytes();
        let parts: [[&[u8]; 1]; 4] = [[&first], [&second], [&hits], [&candidate]];
        let fragment = |kind, subsystem, id, part: usize, missing| NewFragment {
            kind,
            detector: 3,
            source: SourceId { subsystem, id },
            window,
            parts: &parts[part],
            missing,
        };
        let header = TriggerRecordHeader {
            trigger_number: number + 1,
            trigger_timestamp: window[0] + 100,
            trigger_type: 1 << 7,
            ..Default::default()
        };
        let fragments = [
            fragment(fragment_type::PROTO_WIB, 1, 3, 0, &[]),
            fragment(fragment_type::PROTO_WIB, 1, 4, 1, missing),
            fragment(fragment_type::TRIGGER_PRIMITIVE, 3, 1 << 16, 2, &[]),
            fragment(fragment_type::TRIGGER_CANDIDATE, 3, 9, 3, &[]),
        ];
        writer.write(header, &fragments).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn trigger_records_are_a_run() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("run_0001.records");
    write_records(&path, 3);
    let recording = Recording::open(&[&path]).unwrap();
    assert_eq!((recording.format().name(), recording.events()), ("records", 3));
    let names: Vec<String> = recording.detectors().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["readout3", "readout4"]);
    let link = recording.detector("readout4").unwrap();
    let (events, faults) = all(&recording, &link, 1);
    assert!(faults.is_empty() && events.len() == 3, "{faults:?}");
    for (number, event) in (0..).zip(&events) {
        assert_eq!(event.frame.array().unwrap().layout().to_string(), "256x400 u16 mono");
        assert_eq!(column(event, 399), samples(&frame(2, 1000 * number + 399, 0), RawFormat::Wib1));
        assert_eq!(event.frame.header().event_time_ns, (BEGIN as i64 + 25_000 * number as i64 + 100) * 20);
    }
    assert_eq!(column(&events[1], 9), [0; 256]);
    let account = recording.judge(&link);
    assert_eq!((account.whole, account.partial), (2, 1));
    let small = recording.small_data(1, &mut Reader::default()).unwrap();
    let known = [
        ("record", "trigger_number", 2.0),
        ("record", "trigger_type", 128.0),
        ("record", "error_bits", 1.0),
        ("readout4", "frames", 390.0),
        ("readout4", "missing", 250.0),
        ("readout3", "missing", 0.0),
        ("subsystem3_65536", "hits", 1.0),
        ("subsystem3_9", "candidate_type", 7.0),
        ("subsystem3_9", "candidate_time", (BEGIN + 25_000 + 100) as f64),
    ];
    for (source, name, wanted) in known {
        assert_eq!(value(&small, source, name), Some(wanted), "{source}.{name}");
    }
    let found = recording.select(&expression("readout4.missing == 0"), 0..3, 2).unwrap();
    assert_eq!((0..3).map(|event| found.has(event)).collect::<Vec<_>>(), [true, false, true]);
    let places = recording.places(1..3);
    let part = Recording::open_part(&recording.files(), recording.format(), &[], &places).unwrap();
    assert_eq!(part.time_ns(2), recording.time_ns(2));
}

#[test]
fn records_that_break_off_are_read_up_to_there() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("run_0001.records");
    write_records(&path, 3);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 1000]).unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    let mut frames = recording.frames(&recording.detector("readout3").unwrap(), Options::default());
    for _ in 0..2 {
        assert!(matches!(frames.step(), Step::Frame(_)));
    }
    let Step::Fault(fault) = frames.step() else { panic!("the end is missing") };
    assert!(fault.why.contains("wanted a whole record, found"), "{fault}");
    assert!(matches!(frames.step(), Step::End));
}

/// A header may claim any window, and no memory is taken for it.
#[test]
fn a_window_without_bound_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("run_0001.records");
    let mut writer = RecordWriter::create(&path).unwrap();
    let payload = frame(1, 0, 0);
    for window in [[BEGIN, u64::MAX], [0, u64::MAX], [BEGIN, BEGIN], [BEGIN, 5], [BEGIN, BEGIN + 25]] {
        let fragment = NewFragment {
            kind: fragment_type::PROTO_WIB,
            detector: 3,
            source: SourceId { subsystem: 1, id: 1 },
            window,
            parts: &[&payload],
            missing: &[],
        };
        writer.write(TriggerRecordHeader::default(), &[fragment]).unwrap();
    }
    writer.finish().unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    let (events, faults) = all(&recording, &recording.detector("").unwrap(), 0);
    assert_eq!((events.len(), faults.len()), (1, 4));
    assert!(faults.iter().all(|fault| fault.kind == FaultKind::Broken), "{faults:?}");
    assert!(faults[0].why.contains("wanted a window of 1 to 524288 ticks"), "{}", faults[0]);
}

/// A format is known by what is in a file. Files of the size of a frame may hold anything.
#[test]
fn files_of_the_size_of_a_frame_are_no_runs() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    let text = include_bytes!("../../../README.md");
    let mut seed = 7u64;
    let mut noise = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 56) as u8
    };
    for size in RawFormat::ALL.map(RawFormat::bytes) {
        let written: Vec<u8> = text.iter().copied().cycle().take(size).collect();
        let others = [written, vec![0; size], vec![0xFF; size]];
        for bytes in others.into_iter().chain((0..100).map(|_| (0..size).map(|_| noise()).collect())) {
            std::fs::write(&path, &bytes).unwrap();
            let found = RunFormat::of(&path);
            assert!(found.is_err(), "{size}: {found:?} {:?}", &bytes[..16]);
        }
    }
    std::fs::write(&path, frame(1, 5, 0)).unwrap();
    assert_eq!(RunFormat::of(&path).unwrap().name(), "wire");
    assert_eq!(Recording::open(&[&path]).unwrap().events(), 1);
}
