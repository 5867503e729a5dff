//! The program as its users call it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Output};

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_livetime-bench")).args(args).output().unwrap()
}

#[test]
fn a_benchmark_prints_its_record() {
    let output = bench(&["engine", "--quick", "--filter", "inline", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["bench"], "engine");
    assert!(record["commit"].is_string() && record["machine"]["cores"].is_u64(), "{record}");
    assert!(record["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{record}");
}

#[test]
fn a_server_of_another_process_is_this_program_again() {
    let output =
        bench(&["pva-get", "--quick", "--channels", "1", "--elements", "1", "--seconds", "0.01", "--json"]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn what_cannot_be_measured_is_told_on_both_streams() {
    let output = bench(&["codecs", "--quick", "--filter", "none", "--peer", "/no/such/python", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let why = told["errors"][0]["message"].as_str().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains(why), "{output:?}");
    assert_eq!(bench(&["nothing"]).status.code(), Some(2));
}

#[test]
fn hits_are_scored_with_arguments_of_their_own() {
    let args = ["hits-score", "--data", "white4", "--pulses", "20", "--without-pulses", "1", "--json"];
    let output = bench(&args);
    assert!(output.status.success(), "{output:?}");
    let scores: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(scores["data"][0]["name"], "white4", "{scores}");
    let refused = bench(&["hits-score", "--data", "white", "--json"]);
    let told: serde_json::Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!((refused.status.code(), &told["errors"][0]["code"]), (Some(2), &"usage".into()), "{told}");
    assert_eq!(bench(&[]).status.code(), Some(2));
}
