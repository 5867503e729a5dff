//! `livetime run`: runs come to their end, the ledger closes, and the exit code says what happened.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::common;

use std::process::{Output, Stdio};

use common::{Pipeline, own_nodes, stderr, stdout};
use serde_json::Value;

const LOSSLESS: &str = "\
nodes:
  cam: {type: counter, params: {period: 1 ms}}
  end: {type: slow, from: cam, when_full: block}
";

fn run(name: &str, text: &str, args: &[&str]) -> Output {
    let file = Pipeline::new(name, text);
    own_nodes().args(["run", file.path()]).args(args).stdin(Stdio::null()).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", stdout(output)))
}

#[test]
fn a_run_without_loss_ends_with_0() {
    let output = run("lossless", LOSSLESS, &["--set", "cam.count=50", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = json(&output);
    assert_eq!((&report["ledger_closed"], &report["unintended_losses"]), (&true.into(), &0.into()));
    assert_eq!((&report["ended_by"], &report["exit_reason"]), (&"sources_ended".into(), &"ok".into()));
    let end = &report["nodes"][1];
    assert_eq!((&end["name"], &end["completed"]), (&"end".into(), &50.into()));
    // Frames that follow each other within a us are timed one in eight.
    assert!((6..=50).contains(&end["waiting"]["count"].as_u64().unwrap_or(0)), "{end}");
    assert_eq!(report["edges"][0]["offered"], 50);
}

#[test]
fn a_run_for_people_ends_with_a_summary_on_stdout() {
    let output = run("summary", LOSSLESS, &["--frames", "20", "--no-web"]);
    let text = stdout(&output);
    assert!(text.contains(": all sources have ended after "), "{text}");
    assert!(text.contains("cam.out  end.in  block "), "{text}");
    assert!(text.ends_with("ledger closed; nothing was lost that should not be\n"), "{text}");
    assert!(!text.contains('\x1b'), "no colours in files");
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_duration_ends_the_run() {
    let output = run("duration", LOSSLESS, &["--duration", "300ms", "--json"]);
    let report = json(&output);
    assert_eq!((output.status.code(), &report["ended_by"]), (Some(0), &"duration".into()));
    assert!(report["elapsed_ns"].as_u64().unwrap() >= 300_000_000);
}

#[test]
fn unintended_losses_end_with_3_and_intended_ones_do_not() {
    let slow = LOSSLESS.replace("when_full: block", "queue: 1, params: {takes: 5 ms}");
    let output = run("loss", &slow, &["--frames", "40", "--json"]);
    let report = json(&output);
    assert_eq!((output.status.code(), &report["exit_reason"]), (Some(3), &"unintended_losses".into()));
    assert!(report["edges"][0]["lost"]["queue_full"].as_u64().unwrap() > 0);
    assert_eq!(report["ledger_closed"], true);
    let every = LOSSLESS.replace("when_full: block", "when_full: block, every: 4");
    let output = run("every", &every, &["--frames", "40", "--json"]);
    assert_eq!((output.status.code(), &json(&output)["intended_losses"]), (Some(0), &30.into()));
}

#[test]
fn errors_and_panics_of_a_node_are_told_and_survived() {
    let settings = ["--set", "end.fail_every=10", "--set", "end.panic_every=7", "--frames", "20", "--json"];
    let output = run("failing", LOSSLESS, &settings);
    assert_eq!(output.status.code(), Some(3));
    let report = json(&output);
    let lost = &report["nodes"][1]["lost"];
    assert!(lost["node_panic"].as_u64().unwrap() >= 2, "{report}");
    assert!(stderr(&output).contains("Z error end: "), "{}", stderr(&output));
}

#[test]
fn a_failure_that_stops_the_run_ends_with_1() {
    let stop = LOSSLESS.replace("when_full: block", "on_error: stop");
    let output = run("stop", &stop, &["--set", "end.fail_every=5", "--json"]);
    let report = json(&output);
    assert_eq!((output.status.code(), &report["ended_by"]), (Some(1), &"failure".into()));
    assert!(report["failure"].as_str().unwrap().contains("asked to fail"));
}

#[test]
fn wrong_settings_end_with_2_before_anything_starts() {
    let output = run("setting", LOSSLESS, &["--set", "cam.perod=1 s"]);
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(2), ""));
    assert!(stderr(&output).contains("unknown parameter `perod`; did you mean `period`?"));
}

#[cfg(unix)]
mod signals {
    use super::*;
    use std::io::Read;
    use std::process::Output;

    use common::Running;

    fn start(file: &Pipeline) -> Running {
        Running::start(&[file.path(), "--json"])
    }

    /// Interrupts it, and once more if that is wanted; returns its output and the rest of its stderr.
    fn interrupted(mut run: Running, signal: &str, twice: bool) -> (Output, Vec<String>) {
        run.signal(signal);
        assert!(run.log.any(|line| line.unwrap().contains("again to abort")));
        if twice {
            run.signal(signal);
        }
        let output = run.program.wait_with_output().unwrap();
        (output, run.log.map(Result::unwrap).collect())
    }

    #[test]
    fn the_first_interrupt_drains() {
        for signal in ["-INT", "-TERM"] {
            let file = Pipeline::new(signal, LOSSLESS);
            let (output, rest) = interrupted(start(&file), signal, false);
            assert_eq!(output.status.code(), Some(0), "{rest:?}");
            assert_eq!(json(&output)["ended_by"], "interrupted");
        }
    }

    #[test]
    fn the_second_interrupt_aborts_and_the_ledger_says_what_it_cost() {
        let slow = LOSSLESS.replace("when_full: block", "queue: 1000, params: {takes: 200 ms}");
        let file = Pipeline::new("abort", &slow);
        let run = start(&file);
        // Two minutes of work, of which the second interrupt leaves something on any machine.
        run.wait_for("livetime_queue_frames{", 600.0);
        let (output, _) = interrupted(run, "-INT", true);
        let report = json(&output);
        assert_eq!((output.status.code(), &report["ended_by"]), (Some(3), &"aborted".into()));
        assert!(report["edges"][0]["lost"]["aborted"].as_u64().unwrap() > 0);
        assert_eq!(report["ledger_closed"], true);
    }

    #[test]
    fn the_second_interrupt_ends_a_run_whose_node_does_not_return() {
        let stuck = LOSSLESS.replace("when_full: block", "queue: 1000, params: {takes: 1000 s}");
        let file = Pipeline::new("stuck", &stuck);
        let run = start(&file);
        run.wait_for("livetime_queue_frames{", 1.0);
        let (output, rest) = interrupted(run, "-TERM", true);
        assert_eq!(output.status.code(), Some(1), "{rest:?}");
        // On a machine that is busy the report may not come in time: then stderr has the last word.
        if output.stdout.is_empty() {
            return assert!(rest.iter().any(|line| line.contains("node `end` does not return")), "{rest:?}");
        }
        let report = json(&output);
        assert!(report["failure"].as_str().unwrap().contains("node `end` does not return"), "{report}");
        assert_eq!((&report["finished"], &report["imbalances"]), (&false.into(), &serde_json::json!([])));
    }

    #[test]
    fn a_reader_that_has_enough_is_no_failure() {
        let file = Pipeline::new("pipe", LOSSLESS);
        let mut command = own_nodes();
        command
            .args(["run", file.path(), "--frames", "20", "--no-web"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!((child.wait().unwrap().code(), &*errors), (Some(0), ""));
    }
}
