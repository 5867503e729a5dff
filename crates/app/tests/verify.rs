//! `livetime verify`, and the records of a replay, as users run them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use crate::common;

use std::path::Path;

use common::{Pipeline, livetime, stderr, stdout};
use serde_json::Value;

/// Two simulated links in files, and a pipeline from them to trigger records in `folder`.
fn records(name: &str, folder: &Path) -> Pipeline {
    let dump = folder.join("clean");
    let dump = dump.to_str().unwrap();
    let made = livetime(&["sim", "wib", dump, "--links", "2", "--seconds", "0.003"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let text = format!(
        "nodes:
  src: {{type: wib_file, params: {{file: \"{dump}-l00.wib\\n{dump}-l01.wib\", batch: 777}}}}
  h0: {{type: hit_finder, from: {{node: src, queue: 500, when_full: block}}, params: {{noisy_rate: 0}}}}
  m: {{type: hit_merger, from: {{node: h0, queue: 2000, when_full: block}}, params: {{links: \"0-1\"}}}}
  tr: {{type: trigger_prescale, from: {{node: m, queue: 2000, when_full: block}}, params: {{every: 2}}}}
  dec: {{type: trigger_candidate, from: {{node: tr, queue: 2000, when_full: block}}, params: {{before: 10900, after: 17932, buffer: 0}}}}
  buf: {{type: readout_buffer, from: [{{node: src, to: raw, queue: 500, when_full: block}}, {{node: m, to: hits, queue: 2000, when_full: block}}, {{node: dec, to: decisions, queue: 2000, when_full: block}}], params: {{seconds: 10, deadline: 2, links: \"0-1\"}}}}
  rec: {{type: trigger_records, from: {{node: buf, queue: 1000, when_full: block}}, params: {{path: \"{}\", create_directory: -1}}}}
",
        folder.join("out").display()
    );
    Pipeline::new(name, &text)
}

#[test]
fn a_replay_and_its_files_are_the_same_at_every_run_and_nothing_of_them_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = records("verify", folder.path());
    let output = livetime(&["verify", pipeline.path(), "--runs", "3", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&verdict["same"], &verdict["runs"]), (&true.into(), &3.into()), "{verdict}");
    assert!(verdict["frames"].as_u64() > Some(50), "{verdict}");
    assert_eq!((&verdict["files"], &verdict["live"]), (&1.into(), &Value::Null), "{verdict}");
    assert!(!folder.path().join("out").exists());
}

/// A simulated camera with a recorder, a node of this text behind it, and a mean.
fn recorded(name: &str, recorder: &str, node: &str) -> Pipeline {
    let text = format!(
        "nodes:
  cam: {{type: sim_detector, params: {{size_x: 32, size_y: 16, acquire_period: 1 ms}}}}
  rec: {{type: {recorder}, from: {{node: cam, queue: 500, when_full: block}}, params: {{path: /nowhere/RECORDER}}}}
  part: {node}
  end: {{type: 'null', from: {{node: part, queue: 500, when_full: block}}}}
"
    );
    let more = if recorder == "hdf5_files" { "/nowhere, mode: stream, capture: true" } else { "/nowhere" };
    Pipeline::new(name, &text.replace("/nowhere/RECORDER", more))
}

fn live(pipeline: &Pipeline) -> (Option<i32>, Value) {
    let output = livetime(&["verify", pipeline.path(), "--live", "--frames", "60", "--runs", "3", "--json"]);
    let verdict = serde_json::from_slice(&output.stdout);
    (output.status.code(), verdict.unwrap_or_else(|_| panic!("{}{}", stdout(&output), stderr(&output))))
}

#[test]
fn a_live_run_gives_what_the_replay_of_its_recording_gives() {
    let node = "{type: roi, from: {node: cam, queue: 500, when_full: block}, params: {size_x: 8}}";
    for recorder in ["xtc_recorder", "hdf5_files"] {
        let pipeline = recorded(&format!("live-{recorder}"), recorder, node);
        let (code, verdict) = live(&pipeline);
        assert_eq!((code, &verdict["same"]), (Some(0), &true.into()), "{recorder}: {verdict:#}");
        assert_eq!(
            (&verdict["runs"], &verdict["frames"]),
            (&3.into(), &180.into()),
            "{recorder}: {verdict:#}"
        );
        let nothing = Value::Array(Vec::new());
        let of_live = &verdict["live"];
        assert_eq!(
            (&of_live["losses"], &of_live["not_compared"]),
            (&nothing, &nothing),
            "{recorder}: {verdict:#}"
        );
    }
}

#[test]
fn what_a_live_run_has_lost_is_named_and_is_no_difference() {
    let limited = |kind: &str| {
        format!("{{type: {kind}, from: {{node: cam, queue: 500, when_full: block, max_rate: 0.1 Hz}}}}")
    };
    // A region keeps no state: what came through it is compared. An average is another one.
    let (code, verdict) = live(&recorded("live-limited", "xtc_recorder", &limited("roi")));
    assert_eq!((code, &verdict["same"]), (Some(0), &true.into()), "{verdict:#}");
    let losses = verdict["live"]["losses"].to_string();
    assert!(losses.contains("cam.out to part.in: ") && losses.contains(" rate_limited"), "{verdict:#}");
    assert_eq!(verdict["live"]["not_compared"], Value::Array(Vec::new()), "{verdict:#}");
    let (code, verdict) = live(&recorded("live-state", "xtc_recorder", &limited("process")));
    assert_eq!((code, &verdict["same"]), (Some(3), &true.into()), "{verdict:#}");
    assert_eq!(verdict["live"]["not_compared"][0], "part to end", "{verdict:#}");
}

#[test]
fn a_live_source_without_a_recorder_is_refused() {
    let text = "nodes:\n  cam: {type: sim_detector}\n  end: {type: 'null', from: cam}\n";
    let pipeline = Pipeline::new("live-unrecorded", text);
    let output = livetime(&["verify", pipeline.path(), "--live", "--frames", "5"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("wanted a recorder directly behind `cam`"), "{}", stderr(&output));
}

#[test]
fn runs_of_a_replay_write_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = records("records", folder.path());
    for _ in 0..2 {
        let output = livetime(&["run", pipeline.path(), "--no-pva", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    }
    let read = |name: &str| std::fs::read(folder.path().join("out").join(name)).unwrap();
    let first = read("run_0001.records");
    assert!(first.len() > 100_000 && first == read("run_0002.records"));
}

#[test]
fn a_live_source_is_refused_without_a_number_of_frames() {
    let text =
        "nodes:\n  d: {type: sim_detector, params: {acquire_period: 1 ms}}\n  n: {type: null, from: d}\n";
    let pipeline = Pipeline::new("verify-live", &text.replace("null", "\"null\""));
    let output = livetime(&["verify", pipeline.path()]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("give --frames N"), "{}", stderr(&output));
    let output = livetime(&["verify", pipeline.path(), "--frames", "20", "--runs", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert_eq!(stdout(&output), "the same: 2 runs, 20 frames on 1 edge\n");
}
