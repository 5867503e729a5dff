//! Recordings that are cut, or have wrong bytes, at random places: whatever looks at them says the same of them, ends as the documents say, and does not panic.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{Pipeline, livetime, stderr, stdout};

/// What is done to a file of golden data, by a number.
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
    let (analyzed, _) = told(&["analyze", name, "--detector", detector, "--json"], &[0, 1, 2, 3]);
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
    assert_eq!(code == 3, number(&run["unintended_losses"]) > 0, "{what}: {run:#}");
    assert_eq!(
        said("array_counter"),
        count(["whole", "damaged", "partial"]),
        "{what}: {inspected:#} {run:#}"
    );
    assert_eq!(said("failures"), count(["lost", "broken", "unreadable"]), "{what}: {inspected:#} {run:#}");
    assert_eq!(said("num_events"), number(&inspected[0]["run_events"]), "{what}: {inspected:#} {run:#}");
    assert!(analyzed != 0 || code == 0, "{what}: analyze ends with 0, run with {code}");
    assert!(inspect != 0 || code == 0, "{what}: inspect ends with 0, run with {code}");
    let has_any = said("array_counter") > 0;
    assert!(code == 0 || inspect == code || !has_any, "{what}: inspect ends with {inspect}, run with {code}");
    assert!(code != 0 || matches!(analyzed, 0 | 3), "{what}: analyze ends with {analyzed}, run with 0");
}

#[test]
fn of_broken_files_of_lcls1_the_same_is_said_by_all_and_what_is_recovered_is_counted() {
    let whole = fs::read(livetime_testkit::repository().join("testdata/xtc1/camera.hist16.xtc")).unwrap();
    for seed in 1..=24 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("e1-r0001-s00-c00.xtc");
        fs::write(&file, broken(&whole, seed)).unwrap();
        all_agree(&file, "CxiEndstation-0|Opal1000-1", &format!("xtc1 {seed}"));
        let saved = folder.path().join("saved");
        let name = |path: &Path| path.to_str().unwrap().to_owned();
        let (code, recovered) = told(&["recover", &name(&file), "-o", &name(&saved), "--json"], &[0, 1, 3]);
        assert_eq!(saved.exists(), code != 1, "xtc1 {seed}");
        if saved.exists() {
            let (_, inspected) = told(&["inspect", &name(&saved), "--json"], &[0, 1, 3]);
            assert_eq!(inspected[0]["events"], recovered["events"], "xtc1 {seed}");
        }
    }
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
    for seed in 1..=24 {
        let file = folder.path().join(format!("broken-{seed}.h5"));
        fs::write(&file, broken(&whole, seed)).unwrap();
        all_agree(&file, "/data", &format!("hdf5 {seed}"));
    }
}
