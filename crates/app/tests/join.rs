//! `livetime join`: what several writers of one run have left, as one file that all readers take.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Pipeline, livetime, stderr, stdout};
use crate::hdf5::findings;

/// Frames that are dealt out to two writers, as to two hosts, and the file of one writer that got them all.
fn recorded(folder: &Path, frames: &str) {
    let text = format!(
        "nodes:\n  cam:\n    type: sim_detector\n    params: {{max_size_x: 100, max_size_y: 60, data_type: u16, \
         acquire_time: 0, acquire_period: 0.2 ms}}\n  \
         deal: {{type: scatter, from: {{node: cam, queue: 100, when_full: block}}}}\n  \
         one:\n    type: hdf5_files\n    from: {{node: deal.out1, queue: 100, when_full: block}}\n    \
         params: {{path: {0}/a, create_directory: -1, file_name: part, mode: stream, capture: true, compression: bslz4}}\n  \
         two:\n    type: hdf5_files\n    from: {{node: deal.out2, queue: 100, when_full: block}}\n    \
         params: {{path: {0}/b, create_directory: -1, file_name: part, mode: stream, capture: true}}\n  \
         all:\n    type: hdf5_files\n    from: {{node: cam, queue: 100, when_full: block}}\n    \
         params: {{path: {0}, file_name: whole, mode: stream, capture: true}}\n",
        folder.display()
    );
    let pipeline = Pipeline::new("join", &text);
    let output = livetime(&["run", pipeline.path(), "--no-pva", "--frames", frames]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

fn join(folder: &Path, files: &[&str], more: &[&str]) -> (Option<i32>, Value) {
    let files: Vec<String> = files.iter().map(|file| folder.join(file).display().to_string()).collect();
    let files = files.iter().map(String::as_str);
    let args: Vec<&str> = ["join", "--json"].into_iter().chain(files).chain(more.iter().copied()).collect();
    let output = livetime(&args);
    let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", stderr(&output)));
    (output.status.code(), json)
}

#[test]
fn the_files_of_two_writers_are_read_as_the_file_of_one() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path(), "40");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let parts = ["a/part_001.h5", "b/part_001.h5"];
    let (code, told) = join(folder.path(), &parts, &["-o", &at("master.h5")]);
    assert_eq!(
        (code, &told["frames"], &told["missing_frames"]),
        (Some(0), &40.into(), &0.into()),
        "{told:#}"
    );
    assert_eq!(
        told["files"][0]["frames"].as_u64().unwrap() + told["files"][1]["frames"].as_u64().unwrap(),
        40
    );
    // All readers see one run, and the same pictures.
    let means = ["master.h5", "whole_001.h5"].map(|name| {
        let out = at(&format!("{name}.out"));
        let output = livetime(&["analyze", &at(name), "--with", "mean,std", "-o", &out]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        ["mean.npy", "std.npy"].map(|file| std::fs::read(Path::new(&out).join(file)).unwrap())
    });
    assert!(means[0] == means[1]);
    let output = livetime(&["inspect", &at("master.h5")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("40"), "{}", stdout(&output));
    let output = livetime(&["convert", &at("master.h5"), "-o", &at("one.h5"), "--codec", "none"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    if let Some(findings) = findings(&folder.path().join("master.h5")) {
        assert!(findings.is_empty(), "{findings:#?}");
    }
    let lines = "
import sys, h5py, hdf5plugin
with h5py.File(sys.argv[1]) as a, h5py.File(sys.argv[2]) as b, h5py.File(sys.argv[3]) as c:
    for name in ['data/data', 'instrument/NDAttributes/NDArrayUniqueId', 'instrument/NDAttributes/NDArrayEventTime']:
        assert (a['entry'][name][:] == b['entry'][name][:]).all() and len(a['entry'][name]) == 40, name
    assert (a['entry/data/data'][:] == c['entry/data/data'][:]).all()
    assert a['entry/data/data'].is_virtual
";
    let Some(python) = livetime_testkit::python("hdf5") else { return };
    let files = ["master.h5", "whole_001.h5", "one.h5"].map(at);
    let output = Command::new(python).arg("-c").arg(lines).args(files).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn missing_frames_are_named_and_end_with_3() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path(), "20");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (code, told) = join(folder.path(), &["a/part_001.h5"], &["-o", &at("half.h5")]);
    assert_eq!((code, told["exit_reason"].as_str()), (Some(3), Some("missing_frames")), "{told:#}");
    let frames = told["frames"].as_i64().unwrap();
    let span = told["last"].as_i64().unwrap() - told["first"].as_i64().unwrap() + 1;
    assert_eq!(told["missing_frames"].as_i64().unwrap(), span - frames);
    let output = livetime(&["join", &at("a/part_001.h5"), "-o", &at("text.h5")]);
    assert!(
        stdout(&output).contains("MISSING: ") && stdout(&output).contains(" in every file"),
        "{}",
        stdout(&output)
    );
    // Whatever is there stays.
    let before = std::fs::read(at("half.h5")).unwrap();
    let (code, told) = join(folder.path(), &["a/part_001.h5", "b/part_001.h5"], &["-o", &at("half.h5")]);
    assert_eq!((code, told["errors"][0]["code"].as_str()), (Some(1), Some("exists")));
    assert!(before == std::fs::read(at("half.h5")).unwrap());
}
