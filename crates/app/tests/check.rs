//! `livetime check`: good files pass, broken files are refused with the place of every mistake.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::common;

use std::path::{Path, PathBuf};

use common::{Pipeline, livetime, own_nodes, stderr, stdout};
use serde_json::Value;

/// Files of `tests/broken`, each with the expected parts of the messages beside it.
///
/// A first line `# needs: …` names the types of nodes without which the file would be refused for another
/// reason.
#[test]
fn broken_files_are_refused_with_places() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "yaml"));
    files.sort();
    assert!(files.len() >= 10);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let needs = text.lines().next().and_then(|l| l.strip_prefix("# needs: ")).unwrap_or_default();
        let program = if needs.contains("slow") { own_nodes } else { standard };
        let missing: Vec<&str> = needs.split_whitespace().filter(|n| !knows(program, n)).collect();
        if !missing.is_empty() {
            let reason = format!("{}: no node type {missing:?} yet", file.display());
            livetime_testkit::skip("machine/nodes", &reason);
            continue;
        }
        refuses(program, &file);
    }
}

fn standard() -> std::process::Command {
    std::process::Command::new(env!("CARGO_BIN_EXE_livetime"))
}

fn knows(program: fn() -> std::process::Command, node: &str) -> bool {
    program().args(["nodes", node]).output().unwrap().status.success()
}

fn refuses(program: fn() -> std::process::Command, file: &Path) {
    let output = program().arg("check").arg(file).output().unwrap();
    let (found, name) = (stderr(&output), file.display().to_string());
    assert_eq!(output.status.code(), Some(2), "{name}: {found}");
    assert_eq!(stdout(&output), "", "{name}");
    for expected in std::fs::read_to_string(file.with_extension("expected")).unwrap().lines() {
        let has_place = expected.starts_with(|c: char| c.is_ascii_digit());
        let expected = if has_place { format!("{name}:{expected}") } else { expected.to_owned() };
        assert!(found.contains(&expected), "{name}\nwanted {expected}\nfound {found}");
    }
}

#[test]
fn examples_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for file in files.filter(|file| file.extension().is_some_and(|e| e == "yaml")) {
        let output = livetime(&["check", file.to_str().unwrap()]);
        // Some play what others of them record, or pictures beside them.
        let waits = stderr(&output).starts_with("it would not start here and now: ");
        assert_eq!(output.status.code(), Some(i32::from(waits)), "{}", stderr(&output));
    }
}

#[test]
fn what_is_missing_here_and_now_is_told() {
    let file = Pipeline::new(
        "missing",
        "memory: 900 TiB\nnodes:\n  run: {type: recording, params: {file: /nonexistent/run.xtc}}\n  \
         pictures: {type: image_files, params: {path: /nonexistent}}\n  wires: {type: wib_file, params: {file: /nonexistent.wib}}\n  \
         end: {type: null, from: [run, pictures]}\n",
    );
    let output = livetime(&["check", file.path()]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let told = stderr(&output);
    let wanted = [
        "/nonexistent/run.xtc`: wanted a recorded file",
        "pictures: `/nonexistent`",
        "wires: `/nonexistent.wib`",
        "memory: wanted at most",
    ];
    assert!(
        wanted.iter().all(|part| told.contains(part)) && stdout(&output).contains("\nok: 4 nodes"),
        "{told}"
    );
    let json: Value = serde_json::from_slice(&livetime(&["check", "--json", file.path()]).stdout).unwrap();
    assert_eq!((&json["ok"], &json["exit_reason"]), (&false.into(), &"not_started".into()));
    assert_eq!(json["errors"].as_array().map(Vec::len), Some(4), "{json}");
}

#[test]
fn a_compression_that_can_only_be_named_is_refused() {
    for (compression, compressor) in [("Blosc", "lz4hc"), ("Blosc", "snappy"), ("szip", "lz4")] {
        let file = Pipeline::new(
            "named-only",
            &format!(
                "nodes:\n  cam: {{type: sim_detector}}\n  files: {{type: hdf5_files, from: cam, params: {{path: /tmp, \
                 compression: {compression}, blosc_compressor: {compressor}}}}}\n"
            ),
        );
        let output = livetime(&["check", file.path()]);
        assert_eq!(output.status.code(), Some(2), "{compression} {compressor}: {}", stdout(&output));
    }
}

#[test]
fn a_good_file_is_described() {
    let file = Pipeline::new(
        "good",
        "nodes:\n  cam: {type: counter}\n  show: {type: image, from: cam}\n  end: {type: slow, from: show}\n",
    );
    let output = own_nodes().args(["check", file.path()]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("cam.out   show.in  array 3x4 u16 mono"), "{}", stdout(&output));
    assert!(stdout(&output).contains("\nok: 3 nodes, 2 edges; full queues hold "));
    let output = own_nodes().args(["check", "--json", file.path()]).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&value["ok"], &value["edges"][1]["to"]), (&true.into(), &"end.in".into()));
}

#[test]
fn refusals_are_json_on_request() {
    let file = Pipeline::new("refused", "nodes:\n  end: {type: nul}\n");
    let output = livetime(&["check", "--json", file.path()]);
    assert_eq!((output.status.code(), &*stderr(&output)), (Some(2), ""));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = &value["errors"][0];
    assert_eq!((&value["ok"], &error["line"], &error["column"]), (&false.into(), &2.into(), &15.into()));
    assert_eq!(error["message"], "unknown node type `nul`; did you mean `null`?");
    assert_eq!((&error["code"], &error["hint"]), (&"unknown_type".into(), &"did you mean `null`?".into()));
    let run = livetime(&["run", "--json", file.path()]);
    let told: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(told["errors"], value["errors"]);
}

#[test]
fn a_missing_file_is_told() {
    let output = livetime(&["check", "/nonexistent/p.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot read the pipeline file /nonexistent/p.yaml"));
}
