//! HDF5 files as h5py finds them: after a run, after a kill at any moment, after `recover`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{Pipeline, livetime, stderr, stdout};

/// Kills that the test makes; `LIVETIME_KILLS` sets another number.
const KILLS: u64 = 24;

fn pipeline(folder: &Path, params: &str) -> Pipeline {
    let text = format!(
        "nodes:\n  cam:\n    type: sim_detector\n    params: {{max_size_x: 100, max_size_y: 60, data_type: u16, \
         acquire_time: 0, acquire_period: 0.2 ms}}\n  \
         hdf5:\n    type: hdf5_files\n    from: {{node: cam, queue: 100, when_full: block}}\n    \
         params: {{path: {}, mode: stream, capture: true{params}}}\n",
        folder.display()
    );
    Pipeline::new("hdf5", &text)
}

/// Python that checks that every frame of `f` is the one that its number says: the ramp grows by one from frame to frame.
const CHECK: &str = "
import sys, h5py, hdf5plugin, numpy as np
def check(path, swmr):
    with h5py.File(path, 'r', swmr=swmr) as f:
        d, a = f['/entry/data/data'], f['/entry/instrument/NDAttributes']
        u = a['NDArrayUniqueId'][:].astype('i8')
        n = len(u)
        for name in a:
            assert n <= len(a[name]) <= n + 1000, (path, name, n, len(a[name]))
        assert d.shape[0] >= n
        if n:
            first = d[0].astype('i8')
            ramp = (first[0, 0] + np.arange(60)[:, None] + np.arange(100)) % 65536
            assert (first == ramp).all()
            for k in range(0, n, max(1, n // 50)):
                assert (d[k] == (first + (u[k] - u[0])) % 65536).all(), (path, k)
            assert (d[n - 1] == (first + (u[n - 1] - u[0])) % 65536).all()
        assert (np.diff(u) > 0).all()
        return n
";

fn python(lines: &str, args: &[&Path]) -> Option<String> {
    let python = livetime_testkit::python("hdf5")?;
    let output = Command::new(python).arg("-c").arg(format!("{CHECK}{lines}")).args(args).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    Some(stdout(&output))
}

#[test]
fn a_run_leaves_a_file_with_every_frame() {
    let folder = tempfile::TempDir::new().unwrap();
    for (name, params) in
        [("plain", ""), ("packed", ", compression: bslz4"), ("chunks", ", frames_per_chunk: 7")]
    {
        let pipeline = pipeline(folder.path(), &format!(", file_name: {name}{params}"));
        let output = livetime(&["run", pipeline.path(), "--no-pva", "--frames", "300", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let file = folder.path().join(format!("{name}_001.h5"));
        python("assert check(sys.argv[1], False) == 300", &[&file]);
        let output = livetime(&["recover", file.to_str().unwrap()]);
        assert!(stdout(&output).contains("300 frames are complete; it was finished"), "{}", stderr(&output));
    }
}

/// Findings of punx in `file` that are not as NeXus wants it, but for contents of collections: those may be anything.
pub(crate) fn findings(file: &Path) -> Option<Vec<String>> {
    let python = livetime_testkit::python("nexus")?;
    let args = ["-m", "punx.main", "validate", "--report", "OK,NOTE,WARN,ERROR"];
    let output = Command::new(python).args(args).arg(file).output().unwrap();
    let text = stdout(&output);
    assert!(text.contains("/entry/data@signal ") && text.contains("statistics"), "{text}{}", stderr(&output));
    let is_finding = |line: &&str| [" WARN ", " ERROR ", " NOTE "].iter().any(|word| line.contains(word));
    let lines = text.lines().filter(|line| line.starts_with('/')).filter(is_finding);
    Some(lines.filter(|line| !line.contains("NXcollection contains")).map(str::to_owned).collect())
}

#[test]
fn files_are_as_nexus_wants_them() {
    let folder = tempfile::TempDir::new().unwrap();
    let pipeline = pipeline(folder.path(), ", file_name: run, frames_per_file: 20");
    let output = livetime(&["run", pipeline.path(), "--no-pva", "--frames", "40"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for name in ["run_001.h5", "run_002.h5", "run_001_all.h5"] {
        if let Some(findings) = findings(&folder.path().join(name)) {
            assert!(findings.is_empty(), "{name}: {findings:#?}");
        }
    }
}

/// A layout, threads that compress, the axes of a scan: through the pipeline file, whose text is in the file.
#[test]
fn a_layout_and_the_axes_of_a_scan_come_from_the_pipeline_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let layout = folder.path().join("layout.xml");
    let text = "<hdf5_layout><group name='scan' ndattr_default='true'><dataset name='pixels' source='detector'/>\
                <dataset name='pipeline' source='livetime' value='pipeline'/>\
                <dataset name='version' source='livetime' value='version'/></group></hdf5_layout>";
    std::fs::write(&layout, text).unwrap();
    let params = format!(
        ", file_name: scan, compression: bslz4, workers: 3, extra_dims: 2, extra_dim_size_x: 5, extra_dim_size_y: 4, \
         extra_dim_size_n: 2, xml_file_name: {}",
        layout.display()
    );
    let pipeline = pipeline(folder.path(), &params);
    let output = livetime(&["run", pipeline.path(), "--no-pva", "--frames", "40", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    python(
        "
with h5py.File(sys.argv[1]) as f:
    d, u = f['scan/pixels'], f['scan/NDArrayUniqueId'][:]
    assert d.shape == (4, 5, 2, 60, 100) and len(u) == 40
    first = d[0, 0, 0].astype('i8')
    for k in range(40):
        assert (d[k // 10, k // 2 % 5, k % 2] == (first + (u[k] - u[0])) % 65536).all(), k
    assert b'extra_dim_size_y: 4' in f['scan/pipeline'][()] and b'.' in f['scan/version'][()]
",
        &[&folder.path().join("scan_001.h5")],
    );
    std::fs::write(&layout, "<hdf5_layout><grup/></hdf5_layout>").unwrap();
    let output = livetime(&["run", pipeline.path(), "--no-pva", "--frames", "1"]);
    assert!(stderr(&output).contains("layout.xml:1:14: wanted `name` in <grup>"), "{}", stderr(&output));
    assert_ne!(output.status.code(), Some(0));
}

#[test]
fn a_file_is_inspected_and_played() {
    let folder = tempfile::TempDir::new().unwrap();
    let recorded = pipeline(folder.path(), ", file_name: first, compression: bslz4");
    let output = livetime(&["run", recorded.path(), "--no-pva", "--frames", "200"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let file = folder.path().join("first_001.h5");
    let text = stdout(&livetime(&["inspect", file.to_str().unwrap()]));
    assert!(text.contains("as a recorded run: 200 events, "), "{text}");
    assert!(text.contains("  detector /entry/data/data: 60x100 u16 mono, bslz4\n"), "{text}");
    assert!(text.contains("frames lost before they were recorded: 0\n"), "{text}");
    let again = format!(
        "nodes:\n  run: {{type: recording, params: {{file: {}}}}}\n  hdf5:\n    type: hdf5_files\n    \
         from: {{node: run, when_full: block}}\n    \
         params: {{path: {}, mode: stream, capture: true, file_name: second}}\n",
        file.display(),
        folder.path().display()
    );
    let again = Pipeline::new("hdf5-again", &again);
    let output = livetime(&["run", again.path(), "--no-pva"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let lines = "
with h5py.File(sys.argv[1], 'r') as a, h5py.File(sys.argv[2], 'r') as b:
    assert a['entry/data/data'].shape == (200, 60, 100) and (a['entry/data/data'][:] == b['entry/data/data'][:]).all()
    time = 'entry/instrument/NDAttributes/NDArrayEventTime'
    assert (a[time][:] == b[time][:]).all()
";
    python(lines, &[&file, &folder.path().join("second_001.h5")]);
}

#[test]
fn parts_of_an_hdf5_file_write_the_same_files_as_one_process() {
    let folder = tempfile::TempDir::new().unwrap();
    let recorded = pipeline(folder.path(), ", file_name: parts, compression: bslz4");
    let output = livetime(&["run", recorded.path(), "--no-pva", "--frames", "22"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    crate::analyze::in_parts(&folder.path().join("parts_001.h5"), "/entry/data/data");
}

#[test]
fn conversions_that_have_no_meaning_are_refused() {
    let folder = tempfile::TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let xtc = at("e1-r0001-s00-c00.xtc");
    let output = livetime(&["sim", "xtc", &xtc, "--count", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let to = at("a.h5");
    for (args, code, words) in [
        (vec!["-o", &to, "--codec", "hist16"], 2, "found `hist16`, a codec of XTC"),
        (vec!["-o", &to, "--codec", "gzip9"], 2, "zlib, blosc, lz4, bslz4 or zstd (HDF5)"),
        (vec!["-o", &to, "--reference", "mean"], 2, "found --reference"),
        (vec!["-o", &to, "--split-events", "3"], 2, "found --split-"),
        (vec!["-o", &to, "--detector", "Nothing-3"], 1, "found `CxiDs1-0|Cspad-0`"),
        (vec!["-o", &at("b.xtc"), "--codec", "bslz4"], 2, "found `bslz4`, a codec of HDF5"),
    ] {
        let output = livetime(&[&["convert", &xtc], &args[..]].concat());
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{args:?}: {}", stderr(&output));
    }
    assert!(!Path::new(&to).exists());
    let output = livetime(&["convert", &xtc, "-o", &to, "--detector", "Cspad", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = livetime(&["convert", &xtc, "-o", &to, "--detector", "Cspad"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("a file that is not there yet"), "{}", stderr(&output));
}

#[test]
fn a_killed_writer_leaves_a_file_that_opens_and_holds_no_wrong_frame() {
    let folder = tempfile::TempDir::new().unwrap();
    let kills = std::env::var("LIVETIME_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(KILLS);
    let files: Vec<PathBuf> = (0..kills).filter_map(|number| kill_one(folder.path(), number)).collect();
    let Some(printed) = python(
        "print(sum(check(path, True) for path in open(sys.argv[1]).read().split()))",
        &[&list(folder.path(), &files)],
    ) else {
        return;
    };
    assert!(printed.trim().parse::<u64>().unwrap() > 0, "no frame in {} files", files.len());
    for file in &files {
        let output = livetime(&["recover", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    }
    python(
        "for path in open(sys.argv[1]).read().split(): check(path, False)",
        &[&list(folder.path(), &files)],
    );
}

fn list(folder: &Path, files: &[PathBuf]) -> PathBuf {
    let list = folder.join("list");
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    std::fs::write(&list, names.join("\n")).unwrap();
    list
}

/// Starts a run, with another way of writing each time, and kills it some time after its file has appeared.
fn kill_one(folder: &Path, number: u64) -> Option<PathBuf> {
    let ways = [
        "",
        ", flush_frames: 1",
        ", compression: bslz4, workers: 2",
        ", workers: 2, flush_frames: 1",
        ", frames_per_chunk: 5, flush_frames: 3",
    ];
    let name = format!("kill{number}");
    let params = format!(", file_name: {name}{}", ways[number as usize % ways.len()]);
    let pipeline = pipeline(folder, &params);
    let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
    command.args(["run", pipeline.path(), "--no-pva"]).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let file = folder.join(format!("{name}_001.h5"));
    while !file.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    // Moments that spread over 0.3 s, the first ones densest: files begin there.
    let moment = number.wrapping_mul(2_654_435_761) % 1000;
    std::thread::sleep(Duration::from_micros(moment * moment * 3 / 10));
    child.kill().unwrap();
    child.wait().unwrap();
    // In the first moment, before any frame is in it, a file is not one of HDF5 yet.
    std::fs::read(&file).is_ok_and(|bytes| bytes.starts_with(b"\x89HDF")).then_some(file)
}
