//! Recordings that are cut, or have wrong bytes, at random places: all commands say the same of them, end as the
//! documents say, and do not panic.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{Pipeline, account_of, analyzed_in_parts, livetime, stderr, stdout};

/// A file of golden data with a defect, chosen by a number.
fn broken(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below
    };
    let (mut bytes, at) = (bytes.to_vec(), random(bytes.len()));
    match random(5) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << random(8),
        2 => (0..1 + random(8)).for_each(|_| {
            let at = random(bytes.len());
            bytes[at] = random(256) as u8;
        }),
        3 => drop(bytes.drain(at..bytes.len().min(at + 1 + random(900)))),
        _ => drop(bytes.splice(at..at, vec![random(256) as u8; 1 + random(900)])),
    }
    bytes
}

/// Exit code and what is said as JSON, if anything is.
fn told(args: &[&str], codes: &[i32]) -> (i32, Value) {
    let output = livetime(args);
    let code = output.status.code().unwrap();
    assert!(codes.contains(&code), "{args:?}: {code}: {}{}", stdout(&output), stderr(&output));
    assert!(!stderr(&output).contains("panicked"), "{args:?}: {}", stderr(&output));
    (code, serde_json::from_slice(&output.stdout).unwrap_or_default())
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// All that reads the run `file` agrees about this detector.
fn all_agree(file: &Path, detector: &str, what: &str) {
    let name = file.to_str().unwrap();
    let (inspect, inspected) = told(&["inspect", name, "--pictures", "--json"], &[0, 1, 3]);
    let text = format!(
        "nodes:\n  run: {{type: recording, params: {{file: \"{name}\", detector: \"{detector}\"}}}}\n  \
         end: {{type: \"null\", from: {{node: run, when_full: block}}}}\n"
    );
    let pipeline = Pipeline::new("broken-file", &text);
    let (code, run) = told(&["run", pipeline.path(), "--json", "--no-pva"], &[0, 1, 3]);
    let (analyzed, analysis) = told(&["analyze", name, "--detector", detector, "--json"], &[0, 1, 2, 3]);
    let found = inspected[0]["pictures"].as_array().into_iter().flatten();
    let found = found.into_iter().find(|pictures| pictures["detector"] == detector);
    let Some(nodes) = run["nodes"].as_array() else {
        // Nothing can be sent of it, so nothing may be found in it.
        let pictures = found.map_or(0, |found| number(&found["whole"]));
        return assert!(pictures == 0 && analyzed != 0, "{what}: {inspected:#} {run:#}");
    };
    let said = |name: &str| number(&nodes[0]["readbacks"][name]);
    let count = |names: [&str; 3]| found.map_or(0, |f| names.iter().map(|n| number(&f[*n])).sum::<u64>());
    assert_eq!(run["ledger_closed"], true, "{what}");
    assert_eq!(code != 0, number(&run["unintended_losses"]) > 0, "{what}: {run:#}");
    assert_eq!(
        said("array_counter"),
        count(["whole", "damaged", "partial"]),
        "{what}: {inspected:#} {run:#}"
    );
    assert_eq!(said("failures"), count(["lost", "broken", "unreadable"]), "{what}: {inspected:#} {run:#}");
    assert_eq!(said("num_events"), number(&inspected[0]["run_events"]), "{what}: {inspected:#} {run:#}");
    // All commands end with the same code for this detector; `inspect` speaks for the other detectors, too.
    let is_alone = inspected[0]["pictures"].as_array().is_some_and(|all| all.len() == 1);
    let is_worse = inspect != 0 && !is_alone;
    assert!(
        inspect == code || is_worse,
        "{what}: inspect ends with {inspect}, run with {code}: {inspected:#} {run:#}"
    );
    // An analysis does not use what is damaged or changes its shape, and without any picture there is no detector for it.
    let left_out =
        ["damaged", "changed"].iter().map(|kind| number(&analysis["not_used"][*kind])).sum::<u64>();
    let is_same = match (analyzed, code) {
        (3, 0) => left_out > 0,
        (1 | 2, 1) => true,
        (1 | 2, 0) => said("array_counter") == 0,
        (analyzed, code) => analyzed == code,
    };
    assert!(is_same, "{what}: analyze ends with {analyzed}, run with {code}: {analysis:#} {run:#}");
    if analyzed == 0 || analyzed == 3 {
        analyses_agree(name, detector, (analyzed, &analysis), what);
        // All commands that give pictures to a pipeline end alike.
        let args = ["analyze", name, "--detector", detector, "--pipeline", pipeline.path(), "--json"];
        let (through, graph) = told(&args, &[0, 1, 3]);
        assert_eq!(through, code, "{what}: {graph:#} {run:#}");
        assert_eq!(number(&graph["used"]), said("array_counter"), "{what}: {graph:#} {run:#}");
    }
}

/// In parts an analysis finds the same as in one piece.
fn analyses_agree(file: &str, detector: &str, (code, analysis): (i32, &Value), what: &str) {
    let (merged, parts) = analyzed_in_parts(file, &["--detector", detector]);
    assert_eq!(merged, Some(code), "{what}: {parts:#} {analysis:#}");
    assert_eq!(account_of(&parts), account_of(analysis), "{what}");
}

/// The commands that copy a file of LCLS-I say whether it is whole as `inspect` does.
fn copies_agree(file: &Path, folder: &Path, what: &str) {
    let name = |path: &Path| path.to_str().unwrap().to_owned();
    let (file, saved, converted) = (name(file), folder.join("saved"), folder.join("converted.xtc"));
    let (inspect, inspected) = told(&["inspect", &file, "--json"], &[0, 1, 3]);
    let (recover, recovered) = told(&["recover", &file, "-o", &name(&saved), "--json"], &[0, 1, 3]);
    assert_eq!(saved.exists(), recover != 1, "{what}");
    assert_eq!(
        recover == 0,
        inspect == 0,
        "{what}: recover ends with {recover}, inspect with {inspect}: {recovered:#}"
    );
    if saved.exists() {
        let (_, inspected) = told(&["inspect", &name(&saved), "--json"], &[0, 1, 3]);
        assert_eq!(inspected[0]["events"], recovered["events"], "{what}");
    }
    let new = converted.clone();
    let (convert, converted) = told(&["convert", &file, "-o", &name(&converted), "--json"], &[0, 1, 3]);
    assert_eq!(new.exists(), convert != 1, "{what}: convert ends with {convert}: {converted:#}");
    let has_events = number(&inspected[0]["events"]) > 0;
    assert!(
        convert == inspect || !has_events,
        "{what}: convert ends with {convert}, inspect with {inspect}: {converted:#} {inspected:#}"
    );
}

#[test]
fn of_broken_files_of_lcls1_the_same_is_said_by_all_and_what_is_recovered_is_counted() {
    let whole = fs::read(livetime_testkit::repository().join("testdata/xtc1/camera.hist16.xtc")).unwrap();
    for seed in 1..=24 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("e1-r0001-s00-c00.xtc");
        fs::write(&file, broken(&whole, seed)).unwrap();
        all_agree(&file, "CxiEndstation-0|Opal1000-1", &format!("xtc1 {seed}"));
        copies_agree(&file, folder.path(), &format!("xtc1 {seed}"));
    }
}

/// A run with a camera and, in a container of its own, a second sender.
fn two_senders() -> Vec<u8> {
    use livetime_formats::xtc1::{Builder, DatagramHeader, Src, TypeId, XtcHeader, id};

    let event = |number: u8| {
        let mut bytes = Vec::new();
        let header = DatagramHeader::event(1_000_000_000 + u64::from(number), 3);
        let mut builder = Builder::new(&mut bytes, &header);
        let camera =
            XtcHeader::new(Src::named("CxiEndstation-0|Opal1000-1").unwrap(), TypeId::new(id::FRAME, 1));
        let words = [3u32, 2, 8, 0].map(u32::to_le_bytes).concat();
        builder.open(XtcHeader::new(Src::segment(1), TypeId::CONTAINER)).unwrap();
        builder.leaf(camera, &[&words, &[number; 6], &[0; 2]]).unwrap();
        builder.close();
        builder.open(XtcHeader::new(Src::segment(2), TypeId::CONTAINER)).unwrap();
        builder.leaf(XtcHeader::new(Src::segment(2), TypeId::new(13, 1)), &[&[9; 16]]).unwrap();
        builder.close();
        builder.finish().unwrap();
        bytes
    };
    (0..4).flat_map(event).collect()
}

#[test]
fn a_break_in_the_data_of_another_sender_is_told_by_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("e1-r0001-s00-c00.xtc");
    let whole = two_senders();
    let size = whole.len() / 4;
    for (event, wanted) in [(None, 0), (Some(1), 3), (Some(3), 3)] {
        let mut bytes = whole.clone();
        if let Some(event) = event {
            // The extent of the second sender's leaf, which ends its datagram: it would end behind it.
            let extent = size * (event + 1) - 16 - 4;
            bytes[extent..extent + 4].copy_from_slice(&1000u32.to_le_bytes());
        }
        fs::write(&file, bytes).unwrap();
        let what = format!("broken in event {event:?}");
        all_agree(&file, "CxiEndstation-0|Opal1000-1", &what);
        copies_agree(&file, tempfile::tempdir_in(folder.path()).unwrap().path(), &what);
        let name = file.to_str().unwrap();
        let (inspect, inspected) = told(&["inspect", name, "--pictures", "--json"], &[wanted]);
        assert_eq!(
            inspected[0]["problems"].as_array().unwrap().len(),
            usize::from(event.is_some()),
            "{what}: {inspect}"
        );
        let (_, analysis) = told(&["analyze", name, "--json"], &[wanted]);
        assert_eq!(number(&analysis["used"]), 4, "{what}");
        let problems = analysis["problems"].as_array().unwrap().len();
        assert_eq!(problems, usize::from(event.is_some()), "{what}: {analysis:#}");
        told(
            &["convert", name, "-o", folder.path().join(format!("{wanted}-{event:?}.h5")).to_str().unwrap()],
            &[wanted],
        );
    }
}

/// Trigger records are a recording, too.
#[test]
fn of_broken_trigger_records_the_same_is_said_by_all() {
    let folder = tempfile::tempdir().unwrap();
    let whole = trigger_records(folder.path());
    let file = folder.path().join("run_0001.records");
    for seed in 1..=12 {
        fs::write(&file, broken(&whole, seed)).unwrap();
        let name = file.to_str().unwrap();
        let (inspect, inspected) = told(&["inspect", name, "--pictures", "--json"], &[0, 1, 3]);
        let pictures = inspected[0]["pictures"].as_array().cloned().unwrap_or_default();
        if let Some(detector) = pictures.first().and_then(|found| found["detector"].as_str()) {
            all_agree(&file, detector, &format!("records {seed}: inspect ends with {inspect}"));
        }
    }
}

/// A file of them, of a simulated link.
fn trigger_records(folder: &Path) -> Vec<u8> {
    let dump = folder.join("clean");
    let made = livetime(&["sim", "wib", dump.to_str().unwrap(), "--links", "1", "--seconds", "0.002"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let text = format!(
        "nodes:
  src: {{type: wib_file, params: {{file: \"{0}-l00.wib\"}}}}
  hits: {{type: hit_finder, from: {{node: src, queue: 500, when_full: block}}, params: {{noisy_rate: 0}}}}
  tr: {{type: trigger_prescale, from: {{node: hits, queue: 2000, when_full: block}}, params: {{every: 2}}}}
  dec: {{type: trigger_candidate, from: {{node: tr, queue: 2000, when_full: block}}, params: {{before: 2000, after: 4000, buffer: 0}}}}
  buf: {{type: readout_buffer, from: [{{node: src, to: raw, queue: 500, when_full: block}}, {{node: hits, to: hits, queue: 2000, when_full: block}}, {{node: dec, to: decisions, queue: 2000, when_full: block}}], params: {{seconds: 10, deadline: 2, links: \"0\"}}}}
  rec: {{type: trigger_records, from: {{node: buf, queue: 1000, when_full: block}}, params: {{path: \"{1}\", create_directory: -1}}}}
",
        dump.display(),
        folder.join("out").display()
    );
    let pipeline = Pipeline::new("broken-records", &text);
    told(&["run", pipeline.path(), "--no-pva", "--json"], &[0]);
    fs::read(folder.join("out/run_0001.records")).unwrap()
}

#[test]
fn of_broken_files_of_lcls2_the_same_is_said_by_all() {
    let names = ["own-r0001-s000-c000.xtc2", "own-r0001-s000-c001.xtc2", "own-r0001-s001-c000.xtc2"];
    let golden = livetime_testkit::repository().join("testdata/xtc2");
    for seed in 1..=24 {
        let folder = tempfile::tempdir().unwrap();
        for (number, name) in names.into_iter().enumerate() {
            let bytes = fs::read(golden.join(name)).unwrap();
            let is_broken = seed as usize % names.len() == number;
            let bytes = if is_broken { broken(&bytes, seed) } else { bytes };
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        for detector in ["area.raw.raw", "digitiser.fex.wave"] {
            all_agree(&folder.path().join(names[0]), detector, &format!("xtc2 {seed} {detector}"));
        }
    }
}

#[test]
fn of_broken_files_of_hdf5_the_same_is_said_by_all() {
    use livetime_formats::hdf5::{Element, Growing, Tree, Writer};
    use livetime_frame::DType;

    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.h5");
    let mut tree = Tree::default();
    let column = |element| Growing { element, row: &[], chunk: 16, part: &[], filter: None };
    let frames = Growing { row: &[12, 10], chunk: 1, ..column(Element::Number(DType::U16)) };
    let (_, data) = tree.growing(Tree::ROOT, "data", frames, vec![]);
    let (_, time) = tree.growing(Tree::ROOT, "NDArrayEventTime", column(Element::Number(DType::I64)), vec![]);
    let mut writer = Writer::create(&whole, tree, false).unwrap();
    for row in 0..10u8 {
        writer.write_row(data, &[row; 240]).unwrap();
        writer.push(time, &i64::from(row).to_le_bytes());
    }
    writer.close().unwrap();
    let whole = fs::read(whole).unwrap();
    // Only the last bytes are missing, which hold no picture: the file is not what was written all the same.
    let (cut, copy) = (folder.path().join("cut.h5"), folder.path().join("copy.h5"));
    fs::write(&cut, &whole[..whole.len() - 1]).unwrap();
    let (name, copy) = (cut.to_str().unwrap(), copy.to_str().unwrap());
    all_agree(&cut, "/data", "hdf5, one byte cut off");
    let of_recover = ["recover", name, "-o", copy, "--json"];
    for args in [&["inspect", name, "--json"][..], &["analyze", name, "--json"], &of_recover] {
        let (_, told) = told(args, &[3]);
        assert!(told.to_string().contains(": it was cut"), "{told:#}");
    }
    for seed in 1..=24 {
        let file = folder.path().join(format!("broken-{seed}.h5"));
        fs::write(&file, broken(&whole, seed)).unwrap();
        all_agree(&file, "/data", &format!("hdf5 {seed}"));
    }
}
