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
    // A region keeps no state: its frames are compared. An average keeps one.
    let (code, verdict) = live(&recorded("live-limited", "xtc_recorder", &limited("roi")));
    assert_eq!((code, &verdict["same"]), (Some(0), &true.into()), "{verdict:#}");
    let losses = verdict["live"]["losses"].to_string();
    assert!(losses.contains("cam.out to part.in: ") && losses.contains(" rate_limited"), "{verdict:#}");
    assert_eq!(verdict["live"]["not_compared"], Value::Array(Vec::new()), "{verdict:#}");
    let (code, verdict) = live(&recorded("live-state", "xtc_recorder", &limited("process")));
    assert_eq!((code, &verdict["same"]), (Some(3), &true.into()), "{verdict:#}");
    assert_eq!(verdict["live"]["not_compared"][0], "part to end", "{verdict:#}");
}

/// Two simulated links with a dump, hits, triggers and records of what was read out. Nothing is late, however slow the machine is.
fn wires(name: &str, params: &str) -> Pipeline {
    let edge = "queue: 500, when_full: block";
    let text = format!(
        "nodes:
  src: {{type: wib_simulator, params: {{links: 2, rate: 0.02, loop_time: 10 ms, batch: 16, argon_rate: 3000, first_timestamp: 50000, lossless: true{params}}}}}
  dump: {{type: wib_dump, from: {{node: src, {edge}}}, params: {{path: /nowhere}}}}
  h: {{type: hit_finder, from: {{node: src, {edge}}}, params: {{noisy_rate: 0}}}}
  m: {{type: hit_merger, from: {{node: h, {edge}}}, params: {{links: \"0-1\", dead_after: 1000}}}}
  tr: {{type: trigger_prescale, from: {{node: m, {edge}}}, params: {{every: 20}}}}
  dec: {{type: trigger_candidate, from: {{node: tr, {edge}}}, params: {{before: 10900, after: 17932, buffer: 0}}}}
  buf: {{type: readout_buffer, from: [{{node: src, to: raw, {edge}}}, {{node: m, to: hits, {edge}}}, {{node: dec, to: decisions, {edge}}}], params: {{seconds: 10, deadline: 1000, dead_after: 1000, links: \"0-1\"}}}}
  rec: {{type: trigger_records, from: {{node: buf, {edge}}}, params: {{path: /nowhere}}}}
  led: {{type: link_ledger, from: [{{node: src.ledger, {edge}}}, {{node: h.ledger, {edge}}}], params: {{file: ledger.json}}}}
"
    );
    Pipeline::new(name, &text)
}

#[test]
fn a_live_run_of_the_wire_readout_gives_what_the_replay_of_its_dump_gives() {
    let (code, verdict) = live(&wires("live-wires", ""));
    assert_eq!((code, &verdict["same"]), (Some(0), &true.into()), "{verdict:#}");
    let of_live = &verdict["live"];
    let nothing = Value::Array(Vec::new());
    assert_eq!((&of_live["losses"], &of_live["not_compared"]), (&nothing, &nothing), "{verdict:#}");
    let edges =
        ["src to dump", "src to h", "src to buf", "h to m", "m to tr", "m to buf", "tr to dec", "dec to buf"];
    let mut named: Vec<&str> =
        of_live["compared_by_rows"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    named.sort_unstable();
    let mut wanted = edges.to_vec();
    wanted.sort_unstable();
    assert_eq!(named, wanted, "{verdict:#}");
    assert_eq!(of_live["ledgers_not_compared"][0], "src to led", "{verdict:#}");
    // Records were made and compared.
    let told =
        livetime(&["verify", wires("live-wires-told", "").path(), "--live", "--frames", "60", "--runs", "2"]);
    let told = stdout(&told);
    assert!(
        told.contains("compared by raw frames and rows, which the recording plays in other batches: "),
        "{told}"
    );
    assert!(
        told.contains("not compared, because ledgers of links tell how frames came: src to led"),
        "{told}"
    );
}

/// Missing frames end batches elsewhere in the replay, and what came out of order is in order in the dump.
#[test]
fn frames_that_a_live_link_lacks_are_no_difference_to_the_replay() {
    let faults = ", faults: \"drop 700+3; link 1 swap 900; link 0 repeat 1500; checksum 1100 2\"";
    let (code, verdict) = live(&wires("live-faulty-wires", faults));
    assert_eq!((code, &verdict["same"]), (Some(3), &true.into()), "{verdict:#}");
    assert_eq!(verdict["live"]["not_compared"], Value::Array(Vec::new()), "{verdict:#}");
    assert!(verdict["live"]["losses"].to_string().contains("src: "), "{verdict:#}");
}

#[test]
fn of_live_links_only_what_a_dump_plays_can_be_used() {
    let refused = |more: &str, wanted: &str| {
        let text = "nodes:\n  src: {type: wib_simulator, params: {links: 1, loop_time: 1 ms}}\n  dump: {type: wib_dump, from: src, params: {path: /nowhere}}\n";
        let pipeline = Pipeline::new("live-wires-refused", &format!("{text}{more}"));
        let output = livetime(&["verify", pipeline.path(), "--live", "--frames", "5"]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(wanted), "{}", stderr(&output));
    };
    refused("  end: {type: 'null', from: src.truth}\n", "found `src.truth`");
    refused(
        "  tape: {type: recording, params: {file: /nowhere.xtc}}\n  end: {type: 'null', from: tape}\n",
        "wanted raw frames from live sources alone, found the recording `tape`",
    );
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
