//! Events selected by what was recorded beside the pictures.

use std::path::{Path, PathBuf};

use crate::common::{pv, pv_configured, scan};
use livetime_formats::xtc1::{Builder, Damage, DatagramHeader, Src, Transition, TypeId, XtcHeader, id};
use livetime_recording::Recording;
use livetime_recording::convert::{self, Selection, convert};
use livetime_recording::select::{Expression, Selected, Verdict};
use livetime_testkit::xtc2::{self, CONFIGURE, L1_ACCEPT, Names, SLOW_UPDATE};

const EVENTS: usize = 200;
const EPICS: Src = Src::detector(9, 0, 11, 0);
const EVR: Src = Src::detector(0, 0, 4, 0);
const CAVITY: Src = Src { log: 6 << 24, phy: 1 };
const CAMERA: Src = Src::detector(24, 0, 3, 1);

type Leaf = (Src, u16, u16, u32, Vec<u8>);

fn datagram(header: DatagramHeader, leaves: &[Leaf]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, &header);
    for (src, number, version, damage, payload) in leaves {
        let header = XtcHeader::new(*src, TypeId::new(*number, *version));
        builder.leaf(XtcHeader { damage: Damage(*damage), ..header }, &[payload]).unwrap();
    }
    builder.finish().unwrap();
    bytes
}

fn codes(codes: &[u32]) -> Vec<u8> {
    let events = codes.iter().flat_map(|code| [100, 0, *code]);
    std::iter::once(codes.len() as u32).chain(events).flat_map(u32::to_le_bytes).collect()
}

fn time_ns(event: usize) -> u64 {
    1_000_000_000 + event as u64 * 8_333_333
}

/// Even events have code 140, each third 41. The cavity says the number of the event, but in each fifth it says nothing and in event
/// 8 its leaf is damaged. The temperature is 20.5, from event 70 on 25; the delay 0.5, from event 100 on 0.75.
fn leaves(event: usize) -> Vec<Leaf> {
    let found = [(2, 140), (3, 41)].iter().filter(|(n, _)| event.is_multiple_of(*n)).map(|(_, code)| *code);
    let mut leaves = vec![(EVR, id::EVR_DATA, 3, 0, codes(&found.collect::<Vec<_>>()))];
    if event % 5 != 4 {
        let beam = [event as f64, 2.5, 3.5, f64::NAN].map(f64::to_le_bytes).concat();
        leaves.push((CAVITY, id::PHASE_CAVITY, 0, u32::from(event == 8) * 2, beam));
    }
    if event == 70 {
        leaves.push((EPICS, id::EPICS, 1, 0, pv(25.0)));
    }
    let picture = [[4u32, 2, 8, 0].map(u32::to_le_bytes).concat(), vec![event as u8; 8]].concat();
    leaves.push((CAMERA, id::FRAME, 1, 0, picture));
    leaves
}

fn run(folder: &Path) -> PathBuf {
    let begin = |ns, value| {
        let control = (Src::NONE, id::CONTROL_CONFIG, 1, 0, scan(value));
        datagram(DatagramHeader::new(Transition::BeginCalibCycle, ns, 0), &[control])
    };
    let configure = (EPICS, id::EPICS, 1, 0, pv_configured(20.5));
    let mut bytes = datagram(DatagramHeader::new(Transition::Configure, 1, 0), &[configure]);
    bytes.extend(begin(2, 0.5));
    for event in 0..EVENTS {
        if event == 100 {
            bytes.extend(begin(time_ns(event) - 1, 0.75));
        }
        bytes.extend(datagram(DatagramHeader::event(time_ns(event), 3 * event as u32), &leaves(event)));
    }
    let path = folder.join("e1-r0001-s00-c00.xtc");
    std::fs::write(&path, bytes).unwrap();
    path
}

fn selected(recording: &Recording, text: &str, events: std::ops::Range<usize>, threads: usize) -> Selected {
    recording.select(&text.parse::<Expression>().unwrap(), events, threads).unwrap()
}

/// Whether code 140, and what the cavity says, if it says anything.
fn truth(event: usize) -> (bool, Option<f64>) {
    (event.is_multiple_of(2), (event % 5 != 4 && event != 8).then_some(event as f64))
}

#[test]
fn every_event_has_the_verdict_of_a_plain_definition() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::open(&[run(folder.path())]).unwrap();
    type Decide = fn(usize) -> Option<bool>;
    let all: [(&str, Decide); 8] = [
        ("evr(140)", |event| Some(truth(event).0)),
        ("evr(140) and not evr(41)", |event| Some(event.is_multiple_of(2) && !event.is_multiple_of(3))),
        ("phasecavity.fit_time_1 >= 50", |event| truth(event).1.map(|v| v >= 50.0)),
        ("evr(140) and fit_time_1 / 2 < 30", |event| match truth(event) {
            (false, _) => Some(false),
            (true, value) => value.map(|v| v / 2.0 < 30.0),
        }),
        ("epics(\"LAS:TEMP\") > 22", |event| Some(event >= 70)),
        ("epics(\"LAS:DELAY\") == 0.75 or evr(41)", |event| Some(event >= 100 || event.is_multiple_of(3))),
        ("value(\"charge_2\") > 0", |event| truth(event).1.map(|_| false)),
        ("evr(77)", |_| Some(false)),
    ];
    for (text, decide) in all {
        for (events, threads) in [(0..usize::MAX, 1), (0..EVENTS, 4), (90..130, 3)] {
            let found = selected(&recording, text, events.clone(), threads);
            assert_eq!(found.events(), events.start..events.end.min(EVENTS));
            for event in found.events() {
                let wanted = match decide(event) {
                    Some(true) => Verdict::Selected,
                    Some(false) => Verdict::Refused,
                    None => Verdict::WithoutValue,
                };
                assert_eq!(found.verdict(event), wanted, "{text}, event {event}, {threads} threads");
            }
            assert_eq!(
                Verdict::ALL.iter().map(|v| found.count(*v)).sum::<u64>(),
                found.events().len() as u64
            );
        }
    }
}

#[test]
fn names_that_the_run_does_not_have_are_refused_with_those_that_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::open(&[run(folder.path())]).unwrap();
    let refused = |text: &str| recording.select(&text.parse().unwrap(), 0..10, 2).unwrap_err().to_string();
    let error = refused("ebeam.energy > 13");
    assert!(error.starts_with("wanted a value of the run for `ebeam.energy`, found "), "{error}");
    assert!(error.contains("fit_time_1") && error.contains("evr(…)"), "{error}");
    let error = refused("epics(\"NO:SUCH\") > 13");
    assert!(error.contains("LAS:TEMP") && error.contains("LAS:DELAY"), "{error}");
}

#[test]
fn a_file_that_breaks_off_is_selected_up_to_there_and_a_run_without_events_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path());
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    let found = selected(&recording, "evr(140)", 0..usize::MAX, 2);
    assert!(found.events().len() < EVENTS && found.count(Verdict::Selected) > 30);
    // Bytes within small data are anything.
    let mut broken = bytes;
    for at in (3000..broken.len()).step_by(997) {
        broken[at] ^= 0x5a;
    }
    std::fs::write(&path, broken).unwrap();
    if let Ok(recording) = Recording::open(&[&path]) {
        let _ = recording.select(&"evr(140) and fit_time_1 > 3".parse().unwrap(), 0..usize::MAX, 2);
    }
    std::fs::write(&path, datagram(DatagramHeader::new(Transition::Configure, 1, 0), &[])).unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    assert!(recording.select(&"evr(140)".parse().unwrap(), 0..usize::MAX, 2).is_err());
}

#[test]
fn convert_writes_the_events_that_are_selected() {
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path());
    let recording = Recording::open(&[&path]).unwrap();
    let found = selected(&recording, "evr(41) and epics(\"LAS:TEMP\") > 22", 0..usize::MAX, 2);
    let wanted: Vec<usize> = (70..EVENTS).filter(|event| event.is_multiple_of(3)).collect();
    let out = folder.path().join("cut.xtc");
    let selection = Selection::default().among(&recording, &found);
    let options = convert::Options { selection, workers: 2, ..convert::Options::default() };
    convert(&[&path], &out, &options, |_| true).unwrap();
    let cut = Recording::open(&[&out]).unwrap();
    let times: Vec<u64> = (0..cut.events()).map(|event| cut.time_ns(event)).collect();
    assert_eq!(times, wanted.iter().map(|event| recording.time_ns(*event)).collect::<Vec<_>>());
}

#[test]
fn lcls2_has_slow_updates_between_events_and_codes_as_bits() {
    let timing =
        Names { id: 1, detector: "timing", algorithm: "raw", segment: 0, fields: &[("eventcodes", 1, 1)] };
    let epics = Names { id: 2, detector: "epics", algorithm: "raw", segment: 0, fields: &[("HX2:P", 9, 0)] };
    let slow = |value: f64| xtc2::record(2, 0, &[], &value.to_le_bytes());
    let event = |code: usize| {
        let mut words = [0u16; 18];
        words[code / 16] |= 1 << (code % 16);
        xtc2::record(1, 0, &[&[18]], &words.map(u16::to_le_bytes).concat())
    };
    let bytes = [
        xtc2::datagram(CONFIGURE, 1, 0, &[&timing, &epics].map(xtc2::names)),
        xtc2::datagram(SLOW_UPDATE, 2, 0, &[slow(1.0)]),
        xtc2::datagram(L1_ACCEPT, 3, 0, &[event(140)]),
        xtc2::datagram(L1_ACCEPT, 4, 0, &[event(41)]),
        xtc2::datagram(SLOW_UPDATE, 5, 0, &[slow(2.0)]),
        xtc2::datagram(L1_ACCEPT, 6, 0, &[event(140)]),
        xtc2::datagram(L1_ACCEPT, 7, 0, &[event(272)]),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("xpp1-r0001-s000-c000.xtc2");
    std::fs::write(&path, bytes.concat()).unwrap();
    let recording = Recording::open(&[path]).unwrap();
    let numbers = |text: &str| {
        let found = selected(&recording, text, 0..usize::MAX, 2);
        found.events().filter(|event| found.has(*event)).collect::<Vec<_>>()
    };
    assert_eq!(numbers("evr(140)"), [0, 2]);
    assert_eq!(numbers("evr(272) or evr(41)"), [1, 3]);
    assert_eq!(numbers("epics(\"HX2:P\") > 1.5"), [2, 3]);
    assert_eq!(numbers("evr(140) and epics(\"HX2:P\") < 1.5"), [0]);
}

#[test]
fn slow_values_of_a_run_of_lcls2() {
    let Some(file) = livetime_testkit::data("xtc2/lcls2/chunking/xpptut15-r0014-s000-c000.xtc2") else {
        return;
    };
    let recording = Recording::open(&[file]).unwrap();
    let error = recording.select(&"no.such > 1".parse().unwrap(), 0..usize::MAX, 2).unwrap_err().to_string();
    assert!(error.contains("found "), "{error}");
    let all = selected(&recording, "1 == 1", 0..usize::MAX, 2);
    assert_eq!(all.count(Verdict::Selected), recording.events() as u64);
}
