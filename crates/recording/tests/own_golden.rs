//! A run of LCLS-II of our own in `testdata/xtc2`: two streams, one of them in two chunks with its small data. Every
//! later version reads the values that this one reads; and the values follow the published layout, because no writer of
//! ours makes the files but [`livetime_testkit::xtc2`], byte by byte.

use std::fs;
use std::path::PathBuf;

use livetime_formats::file::{Next, Reader as Datagrams};
use livetime_formats::xtc2::small_data::Original;
use livetime_formats::xtc2::summary::Summary;
use livetime_formats::xtc2::{Datagram, DatagramHeader, NamesTable, Transition};
use livetime_recording::{Account, OnDamage, Options, Reader, Recording};
use livetime_testkit::xtc2::{
    BEGIN_STEP, CONFIGURE, END_RUN, EPOCH_S, L1_ACCEPT, Names, SLOW_UPDATE, datagram, names, record,
};
use tempfile::TempDir;

const MS: u64 = 1_000_000;
const BEGIN_RUN: u8 = 4;
const ENABLE: u8 = 8;
const EVENTS: u64 = 10;
/// Events from this one on lie in the second chunk of the first stream.
const SECOND_CHUNK: u64 = 6;
/// One of its panels is damaged.
const DAMAGED: u64 = 4;
const ROWS: u32 = 12;
const COLUMNS: u32 = 16;

/// Names in `testdata/xtc2`.
const FILES: [&str; 3] = ["own-r0001-s000-c000.xtc2", "own-r0001-s000-c001.xtc2", "own-r0001-s001-c000.xtc2"];
const SMALL: &str = "own-r0001-s000-c000.smd.xtc2";

fn panel(segment: u32) -> Names<'static> {
    Names {
        id: 0x100 + segment,
        detector: "area",
        algorithm: "raw",
        segment,
        fields: &[("raw", 1, 2), ("gain", 8, 0)],
    }
}

const EPICS: Names<'_> =
    Names { id: 0x200, detector: "epics", algorithm: "raw", segment: 0, fields: &[("LAS:TEMP", 9, 0)] };
const SCAN: Names<'_> =
    Names { id: 0x201, detector: "scan", algorithm: "raw", segment: 0, fields: &[("delay", 9, 0)] };
const CHUNK: Names<'_> = Names {
    id: 0x202,
    detector: "chunkinfo",
    algorithm: "chunkinfo",
    segment: 0,
    fields: &[("chunkid", 2, 0), ("filename", 10, 1)],
};
const WAVES: Names<'_> = Names {
    id: 0x300,
    detector: "digitiser",
    algorithm: "fex",
    segment: 0,
    fields: &[("wave", 5, 1), ("peak", 9, 0)],
};
const SMALL_INFO: Names<'_> = Names {
    id: 0x400,
    detector: "smdinfo",
    algorithm: "offsetAlg",
    segment: 0,
    fields: &[("intOffset", 3, 0), ("intDgramSize", 3, 0)],
};

fn time(event: u64) -> u64 {
    100_000 * MS + 8 * MS * event
}

/// The same in our times.
fn since_1970(ns: u64) -> u64 {
    EPOCH_S * 1000 * MS + ns
}

fn pixels(event: u64, segment: u32) -> Vec<u16> {
    (0..ROWS * COLUMNS).map(|i| (100 * event + u64::from(1000 * segment + i * 7 % 50)) as u16).collect()
}

fn area(event: u64, segment: u32) -> Vec<u8> {
    let data = pixels(event, segment).into_iter().flat_map(u16::to_le_bytes);
    let data: Vec<u8> = data.chain((0.5 + segment as f32).to_le_bytes()).collect();
    let damage = if event == DAMAGED && segment == 1 { 1 << 12 } else { 0 };
    record(panel(segment).id, damage, &[&[ROWS, COLUMNS]], &data)
}

/// As long as the number of the event says.
fn wave(event: u64) -> Vec<i16> {
    (0..20 + 3 * event as i16).map(|i| i * (event as i16 + 1) - 50).collect()
}

fn digitised(event: u64) -> Vec<u8> {
    let wave = wave(event);
    let data: Vec<u8> =
        wave.iter().flat_map(|v| v.to_le_bytes()).chain((event as f64).to_le_bytes()).collect();
    record(WAVES.id, 0, &[&[wave.len() as u32]], &data)
}

fn number(names: &Names<'_>, value: f64) -> Vec<u8> {
    record(names.id, 0, &[], &value.to_le_bytes())
}

fn goes_on_in(chunk: u32, file: &str) -> Vec<u8> {
    let data = [&chunk.to_le_bytes()[..], file.as_bytes(), &[0]].concat();
    record(CHUNK.id, 0, &[&[file.len() as u32 + 1]], &data)
}

/// The datagrams of the first stream, by chunk.
fn first_stream() -> [Vec<Vec<u8>>; 2] {
    let described = [panel(0), panel(1), EPICS, SCAN, CHUNK].map(|n| names(&n));
    let event = |n| datagram(L1_ACCEPT, time(n), 0, &[area(n, 0), area(n, 1)]);
    let mut first = vec![
        datagram(CONFIGURE, MS, 0, &described),
        datagram(BEGIN_RUN, 2 * MS, 0, &[]),
        datagram(BEGIN_STEP, 3 * MS, 0, &[number(&SCAN, -1.25)]),
        datagram(ENABLE, 4 * MS, 0, &[]),
        datagram(SLOW_UPDATE, 5 * MS, 0, &[number(&EPICS, 20.5)]),
    ];
    first.extend((0..SECOND_CHUNK).map(event));
    first.push(datagram(SLOW_UPDATE, time(SECOND_CHUNK - 1) + MS, 0, &[number(&EPICS, 21.5)]));
    first.push(datagram(ENABLE, time(SECOND_CHUNK - 1) + 2 * MS, 0, &[goes_on_in(1, FILES[1])]));
    let mut second: Vec<Vec<u8>> = (SECOND_CHUNK..EVENTS).map(event).collect();
    second.push(datagram(END_RUN, time(EVENTS), 0, &[]));
    [first, second]
}

/// The second stream has every other event.
fn second_stream() -> Vec<Vec<u8>> {
    let mut all = vec![
        datagram(CONFIGURE, MS, 0, &[names(&WAVES)]),
        datagram(BEGIN_RUN, 2 * MS, 0, &[]),
        datagram(BEGIN_STEP, 3 * MS, 0, &[]),
        datagram(ENABLE, 4 * MS, 0, &[]),
    ];
    all.extend((0..EVENTS).step_by(2).map(|n| datagram(L1_ACCEPT, time(n), 0, &[digitised(n)])));
    all.push(datagram(END_RUN, time(EVENTS), 0, &[]));
    all
}

/// Of each event of the first chunk where it lies, and how long it is.
fn small_data() -> Vec<u8> {
    let mut all = datagram(CONFIGURE, MS, 0, &[names(&SMALL_INFO)]);
    let (mut offset, mut event) = (0u64, 0);
    for bytes in &first_stream()[0] {
        let length = bytes.len() as u64;
        if bytes[11] & 0xF == L1_ACCEPT {
            let data = [offset, length].map(u64::to_le_bytes).concat();
            all.extend(datagram(L1_ACCEPT, time(event), 0, &[record(SMALL_INFO.id, 0, &[], &data)]));
            event += 1;
        }
        offset += length;
    }
    all
}

/// The stored files, in a folder where nothing else lies; they are what would be made today.
fn stored() -> (TempDir, PathBuf) {
    let [first, second] = first_stream().map(|datagrams| datagrams.concat());
    let folder = TempDir::new().unwrap();
    for (name, made) in FILES.into_iter().zip([first, second, second_stream().concat()]) {
        let golden = livetime_testkit::golden(&format!("xtc2/{name}"), &made).unwrap();
        assert!(golden == made, "{name} is not what the published layout says");
        fs::write(folder.path().join(name), golden).unwrap();
    }
    let path = folder.path().join(FILES[0]);
    (folder, path)
}

#[test]
fn two_streams_and_two_chunks_are_one_run() {
    let (_folder, path) = stored();
    let files = livetime_formats::xtc2::run::Run::files_of(&path).unwrap();
    let recording = Recording::open(&files).unwrap();
    assert_eq!((recording.format().name(), recording.events() as u64), ("xtc2", EVENTS));
    assert_eq!(recording.files().len(), 3);
    assert!(recording.problems().is_empty(), "{:?}", recording.problems());
    for event in 0..EVENTS {
        assert_eq!(recording.time_ns(event as usize), since_1970(time(event)));
        assert_eq!(recording.pieces(event as usize).len() as u64, 2 - event % 2, "event {event}");
    }
}

#[test]
fn pictures_have_the_pixels_that_were_written() {
    let (_folder, path) = stored();
    let recording = Recording::open(&[&path]).unwrap();
    let detector = recording.detector("area").unwrap();
    let wanted = Account { whole: EVENTS - 1, partial: 1, ..Account::default() };
    assert_eq!(recording.judge(&detector), wanted);
    let options = Options { on_damage: OnDamage::Skip, ..Options::default() };
    let found: Vec<_> = recording.frames(&detector, options).map(Result::unwrap).collect();
    let events: Vec<u64> = (0..EVENTS).filter(|event| *event != DAMAGED).collect();
    assert_eq!(found.iter().map(|f| f.event as u64).collect::<Vec<_>>(), events);
    for frame in found {
        let array = frame.frame.array().unwrap();
        assert_eq!(array.layout().to_string(), "2x12x16 u16 mono");
        let event = frame.event as u64;
        assert!(*array.elements::<u16>().unwrap() == *[pixels(event, 0), pixels(event, 1)].concat());
    }
}

#[test]
fn waveforms_have_another_length_in_each_event_and_are_not_in_all() {
    let (_folder, path) = stored();
    let files = livetime_formats::xtc2::run::Run::files_of(&path).unwrap();
    let recording = Recording::open(&files).unwrap();
    let detector = recording.detector("digitiser").unwrap();
    let wanted = Account { whole: EVENTS / 2, missing: EVENTS / 2, ..Account::default() };
    assert_eq!(recording.judge(&detector), wanted);
    for frame in recording.frames(&detector, Options::default()) {
        let frame = frame.unwrap();
        assert_eq!(*frame.frame.array().unwrap().elements::<i16>().unwrap(), *wave(frame.event as u64));
    }
}

#[test]
fn slow_values_and_steps_hold_until_the_next_ones() {
    let (_folder, path) = stored();
    let recording = Recording::open(&[&path]).unwrap();
    let mut reader = Reader::default();
    for event in 0..EVENTS {
        let values = recording.configuration(event as usize, &mut reader).unwrap();
        let value = |name: &str| values.iter().find(|v| v.name == name).and_then(|v| v.number());
        assert_eq!(value("delay"), Some(-1.25), "event {event}");
        let temperature = if event < SECOND_CHUNK { 20.5 } else { 21.5 };
        assert_eq!(value("LAS:TEMP"), Some(temperature), "event {event}");
        let small = recording.small_data(event as usize, &mut reader).unwrap();
        let gains: Vec<Option<f64>> = small.iter().filter(|v| v.name == "gain").map(|v| v.number()).collect();
        assert!(gains.contains(&Some(0.5)), "event {event}: {small:?}");
    }
}

#[test]
fn small_data_tell_where_the_events_lie() {
    let made = small_data();
    let small = livetime_testkit::golden(&format!("xtc2/{SMALL}"), &made).unwrap();
    assert!(small == made, "the small data are not what the published layout says");
    let big = first_stream()[0].concat();
    let (mut reader, mut names, mut found) =
        (Datagrams::<DatagramHeader, _>::new(&small[..]), NamesTable::default(), 0);
    while let Next::Datagram(raw) = reader.next().unwrap() {
        let datagram = Datagram::parse(raw.bytes).unwrap();
        names.update(&datagram);
        let Some(original) = Original::find(&datagram, &names) else { continue };
        let event = Datagram::parse(&big[original.offset as usize..]).unwrap();
        assert_eq!(
            (event.header.event_time_ns, event.bytes.len() as u64),
            (since_1970(time(found)), original.length)
        );
        found += 1;
    }
    assert_eq!(found, SECOND_CHUNK);
}

#[test]
fn a_summary_counts_records_and_transitions() {
    let (_folder, path) = stored();
    let summary = Summary::scan(fs::File::open(&path).unwrap(), |_| true).unwrap();
    assert!(summary.datagrams.is_whole());
    assert_eq!((summary.datagrams.events, summary.undescribed), (SECOND_CHUNK, 0));
    let panels = summary.records.iter().filter(|(r, _)| r.detector == "area" && r.algorithm == "raw 1.2.3");
    assert_eq!(panels.map(|(_, counts)| counts.count).sum::<u64>(), 2 * SECOND_CHUNK);
}

#[test]
fn a_file_cut_anywhere_is_read_up_to_its_last_datagram() {
    let bytes = first_stream()[0].concat();
    let ends: Vec<u64> = first_stream()[0]
        .iter()
        .scan(0, |end, datagram| {
            *end += datagram.len() as u64;
            Some(*end)
        })
        .collect();
    for cut in (0..bytes.len()).step_by(11) {
        let mut reader = Datagrams::<DatagramHeader, _>::new(&bytes[..cut]);
        let mut found = Vec::new();
        while let Next::Datagram(raw) = reader.next().unwrap() {
            found.push(raw.offset + raw.bytes.len() as u64);
        }
        let wanted: Vec<u64> = ends.iter().copied().filter(|end| *end <= cut as u64).collect();
        assert_eq!(found, wanted, "cut at {cut}");
    }
    let header = Datagram::parse(&bytes).unwrap().header;
    assert_eq!(header.transition(), Transition::Configure);
}
