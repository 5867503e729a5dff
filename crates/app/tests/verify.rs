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
fn a_replay_is_the_same_at_every_run_and_its_sinks_write_nothing_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = records("verify", folder.path());
    let output = livetime(&["verify", pipeline.path(), "--runs", "3", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&verdict["same"], &verdict["runs"]), (&true.into(), &3.into()), "{verdict}");
    assert!(verdict["frames"].as_u64() > Some(50), "{verdict}");
    assert!(!folder.path().join("out").exists());
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
