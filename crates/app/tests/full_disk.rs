//! Every sink on a disk that becomes full: the run says so, counts every frame that is not safe, and all that it counts as written can be read.
//!
//! The disk is one of the system's memory, in a namespace of its own that ends with the program.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg(all(target_os = "linux", feature = "parquet"))]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{Pipeline, livetime, stderr, stdout};

/// So many frames do not come.
const ENDLESS: &str = "1000000000";

/// Where the small disk is, as the program sees it.
const DISK: &str = "/mnt";

/// Runs the program where `/mnt` is a disk of this size, or one that is `full` from the start, and copies what it leaves there to `left`;
/// `None` if the system does not allow that.
fn with_small_disk(size: &str, args: &[&str], left: &Path) -> Option<Output> {
    let in_namespace = |script: &str, args: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script, "sh"]).args(args).output()
    };
    let mount = "if [ $1 = full ]; then size=4k; else size=$1; fi; \
                 mount -t tmpfs -o size=$size none /mnt || exit 99; \
                 if [ $1 = full ]; then head -c 4096 /dev/zero >/mnt/.full; fi;";
    let tried = in_namespace(mount, &[size]);
    if !tried.is_ok_and(|tried| tried.status.success()) {
        livetime_testkit::skip("machine/namespaces", "`unshare` cannot mount a disk of its own here");
        return None;
    }
    let script = format!(
        "{mount} left=$2; shift 2; \"$@\"; code=$?; rm -f /mnt/.full; cp -a /mnt/. \"$left\"; exit $code"
    );
    let program = [size, left.to_str().unwrap(), env!("CARGO_BIN_EXE_livetime")];
    Some(in_namespace(&script, &[&program[..], args].concat()).unwrap())
}

/// The report of a run of this pipeline, its exit code, and the files on its small disk; the node of interest is called
/// `sink`.
fn run(name: &str, size: &str, frames: &str, nodes: &str) -> Option<(Value, Option<i32>, TempDir)> {
    let pipeline = Pipeline::new(&format!("full-{name}"), &format!("memory: 256 MiB\nnodes:\n{nodes}"));
    let left = TempDir::new().unwrap();
    let output = with_small_disk(
        size,
        &["run", pipeline.path(), "--json", "--no-pva", "--frames", frames],
        left.path(),
    )?;
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{name}: {e}: {}{}", stdout(&output), stderr(&output)));
    let errors = stderr(&output);
    assert!(errors.contains("No space left on device") && !errors.contains("panicked"), "{name}: {errors}");
    assert_eq!(report["ledger_closed"], true, "{name}");
    assert_eq!(report["exit_code"], output.status.code().unwrap(), "{name}");
    Some((report, output.status.code(), left))
}

fn sink(report: &Value) -> &Value {
    let nodes = report["nodes"].as_array().unwrap();
    nodes.iter().find(|node| node["name"] == "sink").unwrap()
}

/// Frames that the sink has completed and lost; both are some.
fn completed_and_lost(name: &str, report: &Value) -> (u64, u64) {
    let sink = sink(report);
    let [completed, lost, arrived] =
        [&sink["completed"], &sink["lost"]["node_error"], &sink["arrived"]].map(|n| n.as_u64().unwrap_or(0));
    assert_eq!(completed + lost, arrived, "{name}: {sink:#}");
    assert!(completed > 0 && lost > 0, "{name}: {sink:#}");
    (completed, lost)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// A camera of 600 pictures of 4 kB, which waits for the sink.
fn camera(sink: &str, params: &str) -> String {
    format!(
        "  cam: {{type: sim_detector, params: {{max_size_x: 64, max_size_y: 64, acquire_time: 0, acquire_period: 0}}}}\n  \
         sink: {{type: {sink}, from: {{node: cam, when_full: block}}, params: {{path: {DISK}{params}}}}}\n"
    )
}

/// Two simulated links for a moment, and hits of them.
fn wires(seconds: f64, argon_rate: u32, rest: &str) -> String {
    format!(
        "  apa: {{type: wib_simulator, params: {{links: 2, rate: 0, duration: {seconds} s, loop_time: 10 ms, argon_rate: {argon_rate}}}}}\n{rest}"
    )
}

const HITS: &str = "  finder: {type: hit_finder, from: {node: apa, when_full: block}}\n";

#[test]
fn pictures_that_find_no_room_are_counted_and_all_others_are_there() {
    for (number, (kind, params)) in [
        ("npy_files", ""),
        ("npy_files", ", grouping: single"),
        ("tiff_files", ""),
        ("tiff_files", ", temp_suffix: \"\""),
        ("tiff_files", ", overwrite: true"),
        ("xtc_recorder", ""),
        ("xtc_recorder", ", compression: blockpack, threads: 2"),
        ("xtc_recorder", ", chunk_bytes: 100000"),
        ("hdf5_files", ", mode: stream, capture: true"),
        ("hdf5_files", ", mode: stream, capture: true, extra_dims: 1, extra_dim_size_x: 600"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("{kind}-{number}");
        let Some((report, code, left)) = run(&name, "1m", "600", &camera(kind, params)) else { return };
        let (completed, _) = completed_and_lost(&name, &report);
        // Whether the end of an XTC run has room behind its events is chance.
        let ending = (code, report["unfinished"].as_array().unwrap().is_empty());
        assert!(matches!(ending, (Some(3), true) | (Some(1), false)), "{name}: {report:#}");
        assert!(ending.0 == Some(3) || kind == "xtc_recorder", "{name}");
        let readable: u64 = files(left.path()).iter().map(|file| pictures(file)).sum();
        assert_eq!(readable, completed, "{name}");
    }
}

/// Pictures that can be read from a file, which is whole.
fn pictures(file: &Path) -> u64 {
    let bytes = std::fs::read(file).unwrap();
    match file.extension().and_then(|end| end.to_str()) {
        Some("npy") => {
            let text = String::from_utf8_lossy(&bytes[..128]);
            let shape = text.split("'shape': (").nth(1).unwrap().split(')').next().unwrap();
            let axes: Vec<usize> = shape.split(',').filter_map(|axis| axis.trim().parse().ok()).collect();
            assert_eq!(bytes.len(), 128 + axes.iter().product::<usize>(), "{}", file.display());
            axes[..axes.len() - 2].iter().product::<usize>() as u64
        }
        Some("tif") => {
            assert!(bytes.len() > 64 * 64, "{}", file.display());
            1
        }
        Some("h5") => {
            let survey = livetime_formats::hdf5::survey(file).unwrap();
            assert!(!survey.is_open && survey.unreadable.is_empty(), "{survey:?}");
            survey.frames().unwrap()
        }
        _ => events(file),
    }
}

/// Events in a whole file of XTC, of which nothing has to be recovered.
fn events(file: &Path) -> u64 {
    let output = livetime(&["inspect", file.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}: {}", file.display(), stdout(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let saved = file.with_extension("saved");
    let output = livetime(&["recover", file.to_str().unwrap(), "-o", saved.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}: {}", file.display(), stdout(&output));
    let recovered: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(recovered["events"], told[0]["events"], "{}", file.display());
    told[0]["events"].as_u64().unwrap()
}

/// 9500 small datagrams fill the disk to a few bytes, so that the end of the run has no room.
#[test]
fn a_run_that_has_no_room_for_its_end_says_where_its_events_are() {
    let nodes = format!(
        "  cam: {{type: sim_detector, params: {{max_size_x: 16, max_size_y: 23, acquire_time: 0, acquire_period: 0}}}}\n  \
         sink: {{type: xtc_recorder, from: {{node: cam, when_full: block}}, params: {{path: {DISK}}}}}\n"
    );
    let Some((report, code, left)) = run("no-end", "4m", "9500", &nodes) else { return };
    let (completed, _) = completed_and_lost("no-end", &report);
    assert_eq!(code, Some(1), "{report:#}");
    let told = report["unfinished"][0].as_str().unwrap();
    let name = format!("{DISK}/run-r0001-s00-c00.xtc");
    assert!(told.contains(&format!("`{name}`")) && told.contains("all events are there"), "{told}");
    assert_eq!(sink(&report)["readbacks"]["full_file_name"], name);
    assert_eq!(events(&files(left.path())[0]), completed);
}

#[test]
fn raw_frames_that_find_no_room_are_counted_and_all_others_are_there() {
    let nodes = wires(
        0.01,
        3000,
        &format!(
            "  sink: {{type: wib_dump, from: {{node: apa, when_full: block}}, params: {{path: {DISK}}}}}\n"
        ),
    );
    let Some((report, code, left)) = run("dump", "2m", ENDLESS, &nodes) else { return };
    completed_and_lost("dump", &report);
    assert_eq!(code, Some(3));
    let told = &sink(&report)["readbacks"];
    let bytes: u64 = files(left.path()).iter().map(|file| std::fs::metadata(file).unwrap().len()).sum();
    assert_eq!(told["bytes_written"], bytes);
    for file in files(left.path()) {
        let output = livetime(&["inspect", file.to_str().unwrap(), "--json"]);
        let inspected: Value = serde_json::from_slice(&output.stdout).unwrap();
        let frames = inspected[0]["links"][0]["frames"].as_u64();
        assert_eq!(frames, Some(std::fs::metadata(&file).unwrap().len() / 464), "{inspected:#}");
    }
}

#[test]
fn rows_that_find_no_room_are_counted_and_all_others_are_there() {
    let nodes = wires(
        1.0,
        70,
        &format!(
            "  sink: {{type: table_csv, from: {{node: apa.truth, when_full: block}}, params: {{file: {DISK}/t.csv}}}}\n"
        ),
    );
    let Some((report, code, left)) = run("table", "512k", ENDLESS, &nodes) else { return };
    completed_and_lost("table", &report);
    assert_eq!(code, Some(3));
    let text = std::fs::read_to_string(left.path().join("t.csv")).unwrap();
    assert!(text.ends_with('\n'));
    let told = &sink(&report)["readbacks"];
    assert_eq!(
        (&told["rows"], &told["bytes_written"]),
        (&(text.lines().count() - 1).into(), &text.len().into())
    );
}

#[test]
fn hits_that_find_no_room_are_counted_and_all_others_are_there() {
    let nodes = wires(
        0.2,
        3000,
        &format!(
            "{HITS}  sink: {{type: hits_parquet, from: {{node: finder, when_full: block}}, params: {{path: {DISK}, row_group: 1000}}}}\n"
        ),
    );
    let Some((report, code, left)) = run("hits", "64k", ENDLESS, &nodes) else { return };
    completed_and_lost("hits", &report);
    assert_eq!(code, Some(3));
    let mut rows = 0;
    for file in files(left.path()) {
        let output = livetime(&["inspect", file.to_str().unwrap(), "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        rows += told[0]["rows"].as_u64().unwrap();
    }
    let told = &sink(&report)["readbacks"];
    assert_eq!(told["hits_written"], rows);
    let found = report["nodes"].as_array().unwrap().iter().find(|node| node["name"] == "finder").unwrap();
    assert_eq!(
        Some(rows + told["hits_lost"].as_u64().unwrap()),
        found["readbacks"]["hits"].as_u64(),
        "{told:#}"
    );
}

#[test]
fn records_that_find_no_room_are_counted_and_all_others_are_there() {
    let nodes = wires(
        0.1,
        3000,
        &format!(
            "{HITS}  merged: {{type: hit_merger, from: {{node: finder, when_full: block}}}}
  activity: {{type: trigger_prescale, from: {{node: merged, when_full: block}}, params: {{every: 50}}}}
  trigger: {{type: trigger_candidate, from: {{node: activity, when_full: block}}, params: {{hold_off: 0}}}}
  readout:
    type: readout_buffer
    from:
      - {{node: merged, to: hits, when_full: block}}
      - {{node: trigger, to: decisions, when_full: block}}
  sink: {{type: trigger_records, from: {{node: readout, when_full: block}}, params: {{path: {DISK}}}}}
"
        ),
    );
    let Some((report, code, left)) = run("records", "1m", ENDLESS, &nodes) else { return };
    let (completed, _) = completed_and_lost("records", &report);
    assert_eq!(code, Some(3));
    let file = left.path().join("run_0001.records");
    let output = livetime(&["inspect", file.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told[0]["records"].as_array().unwrap().len() as u64, completed);
    // There is nothing to save, and how the records are read is said.
    let none = left.path().join("none");
    let output = livetime(&["recover", file.to_str().unwrap(), "-o", none.to_str().unwrap()]);
    assert!(output.status.code() == Some(1) && !none.exists());
    assert!(
        stdout(&output).contains("it holds trigger records, which are read as they are"),
        "{}",
        stdout(&output)
    );
}

/// Conversions and analyses on a full disk leave no file, and an earlier analysis as it was.
#[test]
fn conversions_and_analyses_that_find_no_room_leave_nothing_half() {
    let (folder, left) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let run = folder.path().join("run.xtc");
    let run = run.to_str().unwrap();
    assert_eq!(livetime(&["sim", "xtc", run, "--count", "2"]).status.code(), Some(0));
    let commands: [&[&str]; 5] = [
        &["analyze", run, "-o", "/mnt/out"],
        &["convert", run, "-o", "/mnt/packed.xtc"],
        &["convert", run, "-o", "/mnt/packed.h5"],
        &["sim", "xtc", "/mnt/other.xtc", "--count", "2"],
        &["sim", "wib", "/mnt/wires", "--duration", "10ms"],
    ];
    for args in commands {
        let Some(output) = with_small_disk("1m", args, left.path()) else { return };
        let told = stderr(&output);
        assert!(
            output.status.code() == Some(1) && told.contains("No space left on device"),
            "{args:?}: {told}"
        );
        let out = left.path().join("out");
        let kept: Vec<PathBuf> = files(left.path()).into_iter().filter(|path| *path != out).collect();
        assert!(kept.is_empty() && (!out.exists() || files(&out).is_empty()), "{args:?}: {kept:?}");
    }
}

#[test]
fn a_ledger_of_links_and_a_trace_that_find_no_room_leave_nothing_half() {
    let nodes = wires(
        0.1,
        70,
        &format!(
            "  sink: {{type: link_ledger, from: {{node: apa.ledger, when_full: block}}, params: {{file: {DISK}/l.json}}}}\n"
        ),
    );
    let pipeline = Pipeline::new("full-ledger", &format!("memory: 256 MiB\nnodes:\n{nodes}"));
    let left = TempDir::new().unwrap();
    let args = ["run", pipeline.path(), "--json", "--no-pva", "--trace", "/mnt/t.json", "--trace-every", "1"];
    let Some(output) = with_small_disk("full", &args, left.path()) else { return };
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &report["exit_code"]), (Some(1), &1.into()), "{report:#}");
    let unfinished = report["unfinished"].to_string();
    assert!(unfinished.contains("l.json`: wanted to write it"), "{unfinished}");
    assert!(unfinished.contains("cannot write the trace /mnt/t.json: No space left"), "{unfinished}");
    assert_eq!(files(left.path()), Vec::<PathBuf>::new());
}

/// Pages and a token are small, and a part of one is as bad as a part of any other file.
#[test]
fn pages_and_tokens_that_find_no_room_leave_nothing_half() {
    let pipeline = Pipeline::new("full-token", "nodes:\n  cam: {type: sim_detector}\n");
    let (file, web) = (pipeline.path(), ["--web", "127.0.0.1:0", "--web-token-file", "/mnt/token"]);
    // A run without a page is a run all the same.
    let run = [&["run", file, "--no-pva", "--frames", "3"][..], &web].concat();
    for (size, code, args) in [("8k", 1, &["man", "--output", "/mnt"][..]), ("full", 0, &run)] {
        let left = TempDir::new().unwrap();
        let Some(output) = with_small_disk(size, args, left.path()) else { return };
        let told = stderr(&output);
        assert!(told.contains("No space left on device"), "{args:?}: {told}");
        assert_eq!(output.status.code(), Some(code), "{args:?}: {told}");
        assert_eq!(files(left.path()), Vec::<PathBuf>::new(), "{args:?}");
    }
}

/// Parts of a plan, each by a process of its own.
#[test]
fn a_part_that_finds_no_room_leaves_nothing_half() {
    let (folder, left) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let at = |name: &str| folder.path().join(name).display().to_string();
    assert_eq!(livetime(&["sim", "xtc", &at("run.xtc"), "--count", "20"]).status.code(), Some(0));
    let plan = livetime(&["analyze", &at("run.xtc"), "--parts", "2", "--plan", &at("plan.json")]);
    assert_eq!(plan.status.code(), Some(0), "{}", stderr(&plan));
    let args = ["analyze", "--plan", &at("plan.json"), "--part", "0", "-o", "/mnt/parts"];
    let Some(output) = with_small_disk("64k", &args, left.path()) else { return };
    let told = stderr(&output);
    assert!(output.status.code() == Some(1) && told.contains("No space left on device"), "{told}");
    assert!(told.contains("/mnt/parts/part-00000.ltpart: wanted to write the file"), "{told}");
    assert_eq!(files(&left.path().join("parts")), Vec::<PathBuf>::new());
}
