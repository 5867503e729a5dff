//! Data that were recorded beside the pictures.

use crate::common::{pv, pv_configured, scan};
use livetime_formats::xtc1::{Builder, DatagramHeader, Src, Transition, TypeId, XtcHeader, id};
use livetime_frame::AttributeValue;
use livetime_recording::select::Verdict;
use livetime_recording::{Change, Reader, Recording, SmallValue};
use livetime_testkit::xtc2::{self, BEGIN_STEP, CONFIGURE, L1_ACCEPT, Names, SLOW_UPDATE};
use tempfile::TempDir;

const EPICS: Src = Src::detector(9, 0, 11, 0);

fn datagram(header: DatagramHeader, leaves: &[(Src, u16, u16, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, &header);
    for (src, number, version, payload) in leaves {
        builder.leaf(XtcHeader::new(*src, TypeId::new(*number, *version)), &[payload]).unwrap();
    }
    builder.finish().unwrap();
    bytes
}

fn find<'a>(values: &'a [SmallValue], name: &str) -> &'a SmallValue {
    values.iter().find(|v| v.name == name).unwrap_or_else(|| panic!("no {name} in {values:?}"))
}

#[test]
fn of_lcls1_event_codes_beam_line_data_process_variables_and_scans() {
    let control = Src::NONE;
    let (evr, cavity) = (Src::detector(0, 0, 4, 0), Src::detector(0, 0, 0, 0));
    let codes = [2u32, 100, 0, 140, 100, 0, 42].map(u32::to_le_bytes).concat();
    let beam = [1.5f64, 2.5, 3.5, 4.5].map(f64::to_le_bytes).concat();
    let begin = |ns| DatagramHeader::new(Transition::BeginCalibCycle, ns, 0);
    let bytes = [
        datagram(
            DatagramHeader::new(Transition::Configure, 1, 0),
            &[(EPICS, id::EPICS, 1, pv_configured(20.5)), (evr, 8, 7, vec![0; 8])],
        ),
        datagram(begin(2), &[(control, id::CONTROL_CONFIG, 1, scan(0.5))]),
        datagram(
            DatagramHeader::event(3, 3),
            &[
                (evr, id::EVR_DATA, 3, codes),
                (cavity, id::PHASE_CAVITY, 0, beam),
                (EPICS, id::EPICS, 1, pv(21.5)),
            ],
        ),
        datagram(begin(4), &[(control, id::CONTROL_CONFIG, 1, scan(0.75))]),
        datagram(DatagramHeader::event(5, 6), &[(cavity, id::PHASE_CAVITY, 9, vec![0; 3])]),
    ];
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("e1-r0001-s00-c00.xtc");
    std::fs::write(&path, bytes.concat()).unwrap();
    let recording = Recording::open(&[path]).unwrap();
    let mut reader = Reader::default();

    let values = recording.small_data(0, &mut reader).unwrap();
    let codes = [140, 42].map(AttributeValue::Uint);
    assert_eq!(find(&values, "event codes").values, codes);
    let time = find(&values, "fit_time_2");
    assert_eq!((time.number(), time.unit), (Some(2.5), "ps"));
    // The name of a process variable is in Configure.
    assert_eq!(find(&values, "LAS:TEMP").number(), Some(21.5));
    // A layout that is not known is named, without values.
    let values = recording.small_data(1, &mut reader).unwrap();
    assert!(values.len() == 1 && values[0].values.is_empty() && values[0].number().is_none());

    for (event, delay) in [(0, 0.5), (1, 0.75)] {
        let values = recording.configuration(event, &mut reader).unwrap();
        assert_eq!(find(&values, "LAS:DELAY").number(), Some(delay));
        assert_eq!(find(&values, "LAS:TEMP").number(), Some(20.5));
        assert_eq!(values.iter().filter(|v| v.values.is_empty()).count(), 1, "{values:?}");
    }
    assert!(recording.small_data(9, &mut reader).is_err());
    let transitions = recording.transitions();
    let found: Vec<_> = transitions.iter().map(|t| (t.change, t.time_ns, t.event)).collect();
    assert_eq!(found, [(Change::Configure, 1, 0), (Change::BeginStep, 2, 0), (Change::BeginStep, 4, 1)]);
}

#[test]
fn of_lcls2_single_values_and_short_lists() {
    let ebeam = Names {
        id: 1,
        detector: "ebeam",
        algorithm: "raw",
        segment: 0,
        fields: &[("charge", 9, 0), ("pulse", 3, 0), ("codes", 0, 1), ("mode", 10, 1), ("trace", 1, 1)],
    };
    let epics = Names { id: 2, detector: "epics", algorithm: "raw", segment: 0, fields: &[("HX2:P", 9, 0)] };
    let step = Names { id: 3, detector: "scan", algorithm: "raw", segment: 0, fields: &[("delay", 9, 0)] };
    let double = |id, value: f64| xtc2::record(id, 0, &[], &value.to_le_bytes());
    let pulse = (1u64 << 60) + 1;
    let data = [&2.5f64.to_le_bytes()[..], &pulse.to_le_bytes(), &[40, 41], b"fast\0", &[0; 2000]].concat();
    let shapes: &[&[u32]] = &[&[2], &[5], &[1000]];
    let described = [&ebeam, &epics, &step].map(xtc2::names);
    let bytes = [
        xtc2::datagram(CONFIGURE, 1, 0, &described),
        xtc2::datagram(BEGIN_STEP, 2, 0, &[double(3, 0.5)]),
        xtc2::datagram(SLOW_UPDATE, 3, 0, &[double(2, 1.0)]),
        xtc2::datagram(SLOW_UPDATE, 4, 0, &[double(2, 2.0)]),
        xtc2::datagram(L1_ACCEPT, 5, 0, &[xtc2::record(1, 0, shapes, &data)]),
        xtc2::datagram(SLOW_UPDATE, 6, 0, &[double(2, 3.0)]),
    ];
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("xpp1-r0001-s000-c000.xtc2");
    std::fs::write(&path, bytes.concat()).unwrap();
    let recording = Recording::open(&[path]).unwrap();
    let mut reader = Reader::default();
    let values = recording.small_data(0, &mut reader).unwrap();
    let names: Vec<&str> = values.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["charge", "pulse", "codes", "mode"], "a waveform is no small data");
    assert_eq!((values[0].number(), values[0].source.as_str()), (Some(2.5), "ebeam.raw"));
    assert_eq!(values[1].values, [AttributeValue::Uint(pulse)]);
    assert_eq!(values[2].values, [40, 41].map(AttributeValue::Uint));
    assert_eq!(values[3].text(), Some("fast"));
    let values = recording.configuration(0, &mut reader).unwrap();
    assert_eq!(find(&values, "HX2:P").number(), Some(2.0));
    assert_eq!(find(&values, "delay").number(), Some(0.5));
}

/// The recorded samples: process variables in their records.
#[test]
fn of_recorded_runs() {
    let name = "xtc2/lcls2/multi-seg-epics/xpptut15-r0014-s000-c000.xtc2";
    let Some(path) = livetime_testkit::data(name) else { return };
    let recording = Recording::open(&[path]).unwrap();
    let mut reader = Reader::default();
    let mut named = 0;
    for event in 0..recording.events() {
        named += recording.small_data(event, &mut reader).unwrap().len();
        named += recording.configuration(event, &mut reader).unwrap().len();
    }
    assert!(named > 0);
}

/// A definition of a variable has the variable's name, and is no value of it; a variable may be in some updates only.
#[test]
fn a_definition_is_no_value() {
    let epics = Names { id: 1, detector: "epics", algorithm: "raw", segment: 0, fields: &[("HX2:P", 9, 0)] };
    let slow = Names { id: 2, detector: "epics", algorithm: "slow", segment: 0, fields: &[("HX2:T", 9, 0)] };
    let about = Names {
        id: 3,
        detector: "epicsinfo",
        algorithm: "epicsinfo",
        segment: 0,
        fields: &[("HX2:P", 10, 1)],
    };
    let double = |id, value: f64| xtc2::record(id, 0, &[], &value.to_le_bytes());
    let defined = xtc2::record(3, 0, &[&[8]], b"gauge 1\0");
    let mut configure: Vec<Vec<u8>> = [&epics, &slow, &about].map(xtc2::names).into();
    configure.push(defined);
    let bytes = [
        xtc2::datagram(CONFIGURE, 1, 0, &configure),
        xtc2::datagram(L1_ACCEPT, 2, 0, &[]),
        xtc2::datagram(SLOW_UPDATE, 3, 0, &[double(1, 1.0), double(2, 20.0)]),
        xtc2::datagram(SLOW_UPDATE, 4, 0, &[double(1, 2.0)]),
        xtc2::datagram(L1_ACCEPT, 5, 0, &[]),
    ];
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("xpp1-r0001-s000-c000.xtc2");
    std::fs::write(&path, bytes.concat()).unwrap();
    let recording = Recording::open(&[path]).unwrap();
    let mut reader = Reader::default();
    let before = recording.configuration(0, &mut reader).unwrap();
    assert_eq!(before.iter().map(|v| &*v.name).collect::<Vec<_>>(), ["definition of HX2:P"]);
    assert_eq!(before[0].text(), Some("gauge 1"));
    let after = recording.configuration(1, &mut reader).unwrap();
    assert_eq!((find(&after, "HX2:P").number(), find(&after, "HX2:T").number()), (Some(2.0), Some(20.0)));
    // A definition is none, and the first value comes late.
    let selected = recording.select(&"epics(\"HX2:P\") > 1.5".parse().unwrap(), 0..2, 1).unwrap();
    assert_eq!(selected.verdicts(), [Verdict::WithoutValue, Verdict::Selected]);
}
