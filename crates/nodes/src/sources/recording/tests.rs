use std::path::PathBuf;

use livetime_engine::testing::{Harness, assert_compliant};
use livetime_engine::{Next, NodeType, Value};
use livetime_formats::xtc1::{Builder, Damage, DatagramHeader, Src, TypeId, XtcHeader, id};
use livetime_frame::Flags;
use livetime_testkit::xtc2::{self, CONFIGURE, L1_ACCEPT, Names};
use tempfile::TempDir;

use super::Recording;

/// Five events of a camera; the third is damaged.
fn lcls1() -> (TempDir, PathBuf) {
    let mut bytes = Vec::new();
    for number in 0..5u8 {
        let header = DatagramHeader::event(1_000_000_000 + u64::from(number), 3);
        let mut builder = Builder::new(&mut bytes, &header);
        let src = Src::named("CxiEndstation-0|Opal1000-1").unwrap();
        let damage = Damage(if number == 2 { 1 << 14 } else { 0 });
        let leaf = XtcHeader { damage, ..XtcHeader::new(src, TypeId::new(id::FRAME, 1)) };
        builder.leaf(leaf, &[&[3u32, 2, 8, 0].map(u32::to_le_bytes).concat(), &[number; 6]]).unwrap();
        builder.finish().unwrap();
    }
    file("e1-r0001-s00-c00.xtc", &bytes)
}

/// The same events of a detector of LCLS-II.
fn lcls2() -> (TempDir, PathBuf) {
    let fields = &[("raw", 0, 2)];
    let names = Names { id: 1, detector: "opal", algorithm: "raw", segment: 0, fields };
    let mut bytes = xtc2::datagram(CONFIGURE, 1, 0, &[xtc2::names(&names)]);
    for number in 0..5u8 {
        let record = xtc2::record(1, if number == 2 { 1 << 12 } else { 0 }, &[&[2, 3]], &[number; 6]);
        bytes.extend(xtc2::datagram(L1_ACCEPT, 1_000_000_000 + u64::from(number), 0, &[record]));
    }
    file("xpp1-r0001-s000-c000.xtc2", &bytes)
}

fn file(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn source(node_type: NodeType, path: &std::path::Path, params: &[(&str, Value)]) -> Harness {
    let file = [("file", path.to_str().unwrap().into())];
    Harness::of(node_type, &[&file[..], params].concat()).unwrap()
}

/// First pixels of the frames, which of them are marked, and errors.
fn play(harness: &mut Harness) -> (Vec<(u8, bool)>, Vec<String>) {
    let (mut frames, mut errors) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        match harness.produce() {
            Ok((more, next)) => {
                let one =
                    |f: &livetime_frame::Frame| (f.bytes()[0], f.header().flags.contains(Flags::DAMAGED));
                frames.extend(more.iter().map(one));
                if next == Next::Finished {
                    return (frames, errors);
                }
            }
            Err(error) => errors.push(error.to_string()),
        }
    }
    panic!("no end after {frames:?} and {errors:?}");
}

#[test]
fn the_format_is_found_by_the_file_and_the_older_names_do_the_same() {
    for ((_folder, path), older) in [(lcls1(), "xtc"), (lcls2(), "xtc2")] {
        let older = crate::find(older).unwrap();
        let all = [(0, false), (1, false), (2, true), (3, false), (4, false)];
        for node_type in [NodeType::of::<Recording>(), older] {
            let mut harness = source(node_type, &path, &[]);
            let (frames, errors) = play(&mut harness);
            assert_eq!((&frames[..], errors.len()), (&all[..], 0), "{}", path.display());
            let counts = ["num_events", "array_counter", "damaged", "failures", "missing"];
            assert_eq!(counts.map(|name| harness.number_of(name)), [5.0, 5.0, 1.0, 0.0, 0.0]);
        }
    }
}

#[test]
fn damage_is_kept_left_out_or_the_end() {
    for (_folder, path) in [lcls1(), lcls2()] {
        for threads in [0, 2] {
            let damage = |damage: &str| [("damage", Value::from(damage)), ("threads", threads.into())];
            let mut skip = source(NodeType::of::<Recording>(), &path, &damage("skip"));
            let (frames, errors) = play(&mut skip);
            assert_eq!(frames, [0, 1, 3, 4].map(|n| (n, false)));
            assert_eq!(
                (errors.len(), skip.number_of("damaged"), skip.number_of("array_counter")),
                (0, 1.0, 4.0)
            );
            let mut stop = source(NodeType::of::<Recording>(), &path, &damage("stop"));
            let (frames, errors) = play(&mut stop);
            assert_eq!(frames, [0, 1].map(|n| (n, false)));
            assert!(errors.len() == 1 && errors[0].contains("event 2 at"), "{errors:?}");
            assert_eq!(stop.number_of("damaged"), 1.0);
        }
    }
}

/// Everything that a pipeline file or a client may use of `recording` exists under its older names too.
#[test]
fn the_older_names_are_aliases() {
    let names =
        |node_type: &NodeType| -> Vec<&str> { node_type.param_specs().iter().map(|p| p.name).collect() };
    let newer = crate::find("recording").unwrap();
    for name in ["xtc", "xtc2"] {
        let older = crate::find(name).unwrap();
        assert_eq!((older.spec.name, older.alias_of, newer.alias_of), (name, Some("recording"), None));
        assert_eq!(names(&older), names(&newer));
    }
}

#[test]
fn keeps_the_contract() {
    let (_folder, path) = lcls1();
    assert_compliant::<Recording>(&[("file", path.to_str().unwrap().into()), ("loops", 0.into())]);
}

/// Twenty events with a camera and event codes: 140 in every second one, 41 in every third.
fn with_codes() -> (TempDir, PathBuf) {
    let mut bytes = Vec::new();
    for number in 0..20u8 {
        let header = DatagramHeader::event(1_000_000_000 + u64::from(number), 3);
        let mut builder = Builder::new(&mut bytes, &header);
        let codes = [(140u32, 2), (41, 3)].into_iter().filter(|(_, every)| number.is_multiple_of(*every));
        let codes: Vec<u32> = codes.flat_map(|(code, _)| [100, 0, code]).collect();
        let words = std::iter::once(codes.len() as u32 / 3).chain(codes);
        let payload: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let evr = XtcHeader::new(Src::detector(0, 0, 4, 0), TypeId::new(id::EVR_DATA, 3));
        builder.leaf(evr, &[&payload]).unwrap();
        let camera =
            XtcHeader::new(Src::named("CxiEndstation-0|Opal1000-1").unwrap(), TypeId::new(id::FRAME, 1));
        builder.leaf(camera, &[&[3u32, 2, 8, 0].map(u32::to_le_bytes).concat(), &[number; 6]]).unwrap();
        builder.finish().unwrap();
    }
    file("e1-r0001-s00-c00.xtc", &bytes)
}

#[test]
fn selected_events_are_sent_and_the_others_counted() {
    let (_folder, path) = with_codes();
    for threads in [0, 2] {
        let select = |text: &str| {
            source(
                NodeType::of::<Recording>(),
                &path,
                &[("select", text.into()), ("threads", threads.into())],
            )
        };
        let mut harness = select("evr(140) and not evr(41)");
        let (frames, errors) = play(&mut harness);
        let wanted = (0..20u8).filter(|n| n.is_multiple_of(2) && !n.is_multiple_of(3));
        assert_eq!(frames, wanted.map(|number| (number, false)).collect::<Vec<_>>());
        assert!(errors.is_empty());
        let counts = ["array_counter", "not_selected", "without_value", "failures", "problems"];
        assert_eq!(counts.map(|name| harness.number_of(name)), [6.0, 14.0, 0.0, 0.0, 0.0]);
    }
}

#[test]
fn a_selection_of_a_part_is_played_again_and_may_change() {
    let (_folder, path) = with_codes();
    let params: [(&str, Value); 3] =
        [("select", "evr(41)".into()), ("events", "4..14".into()), ("loops", 2.into())];
    let mut harness = source(NodeType::of::<Recording>(), &path, &params);
    let (frames, _) = play(&mut harness);
    let numbers: Vec<u8> = frames.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [6, 9, 12, 6, 9, 12]);
    assert_eq!(harness.number_of("not_selected"), 14.0);
    harness.set("select", "evr(140) and evr(41)").unwrap();
    let (frames, _) = play(&mut harness);
    assert_eq!(frames.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [6, 12, 6, 12]);
}

#[test]
fn a_selection_that_means_nothing_is_refused() {
    let (_folder, path) = with_codes();
    for (text, why) in [
        ("evr(140", "`)` at character 8"),
        ("ebeam.charge > 1", "wanted a value of the run for `ebeam.charge`, found evr(…)"),
        ("evr(77)", "`evr(77)`: wanted at least one event, found none in 20: 20 refused"),
    ] {
        let params = [("file", path.to_str().unwrap().into()), ("select", text.into())];
        let error = Harness::new::<Recording>(&params).err().unwrap().to_string();
        assert!(error.contains(why), "{error}");
    }
}
