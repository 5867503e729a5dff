//! `livetime nodes`, `livetime schema`, and the command line itself.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::common;

use common::{Pipeline, livetime, own_nodes, stderr, stdout};
use serde_json::Value;

#[test]
fn nodes_are_listed_and_described() {
    let list = stdout(&livetime(&["nodes"]));
    assert!(list.lines().any(|l| l.starts_with("null ") && l.contains("sink")), "{list}");
    let one = stdout(&own_nodes().args(["nodes", "counter"]).output().unwrap());
    assert!(one.starts_with("counter (source): Sends images whose pixels hold their number.\n"), "{one}");
    assert!(one.contains("size_x     int in px, 1 to 4096    4        SizeX "), "{one}");
    let unknown = livetime(&["nodes", "nul"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert_eq!(stderr(&unknown), "livetime: unknown node type `nul`; did you mean `null`?\n");
}

#[test]
fn nodes_are_json_on_request() {
    let all: Value = serde_json::from_slice(&livetime(&["nodes", "--json"]).stdout).unwrap();
    assert!(all.as_array().unwrap().iter().any(|n| n["name"] == "null" && n["kind"] == "sink"));
    let one = own_nodes().args(["nodes", "counter", "--json"]).output().unwrap();
    let one: Value = serde_json::from_slice(&one.stdout).unwrap();
    let period = &one["params"][2];
    assert_eq!(period["name"], "period");
    assert_eq!((&period["unit"], &period["pv"]), (&"s".into(), &"AcquirePeriod".into()));
}

#[test]
fn pvs_are_described_with_their_nodes() {
    let one = own_nodes().args(["nodes", "counter", "--json"]).output().unwrap();
    let one: Value = serde_json::from_slice(&one.stdout).unwrap();
    let find = |name: &str| one["pvs"].as_array().unwrap().iter().find(|pv| pv["name"] == name).unwrap();
    let period = find("AcquirePeriod");
    assert_eq!(
        (&one["instance"], &period["type"], &period["unit"]),
        (&"cam".into(), &"double".into(), &"s".into())
    );
    assert_eq!((&period["param"], &period["writable"]), (&"period".into(), &true.into()));
    assert_eq!(find("AcquirePeriod_RBV")["writable"], false);
    assert_eq!(find("Acquire")["choices"], serde_json::json!(["Done", "Acquire"]));
    let text = stdout(&livetime(&["nodes", "statistics", "--pvs"]));
    assert!(text.lines().any(|l| l.starts_with("MeanValue_RBV ") && l.contains("double")), "{text}");
    let run = stdout(&livetime(&["nodes", "--pvs"]));
    assert!(run.contains("Run:State_RBV") && run.contains("enum: Running · Ended · Failed"), "{run}");
}

#[test]
fn node_types_made_at_run_time_are_as_others() {
    let text = stdout(&own_nodes().args(["nodes", "brighten"]).output().unwrap());
    assert!(
        text.starts_with("brighten (process): Applies the function `brighten` to every pixel.\n"),
        "{text}"
    );
    assert!(text.contains("in    input   array of u16") && text.contains("float, at least 1"), "{text}");
    let schema: Value = serde_json::from_slice(&own_nodes().arg("schema").output().unwrap().stdout).unwrap();
    assert!(schema.to_string().contains("What the function takes beside the pixel."));
    let made = |params: &str| {
        let nodes = "nodes:\n  cam: {type: counter, params: {count: 30}}\n";
        let made = format!("  b: {{type: brighten, from: cam, when_full: block, params: {{{params}}}}}\n");
        Pipeline::new("made", &format!("{nodes}{made}  end: {{type: slow, from: b, when_full: block}}\n"))
    };
    let wrong = made("by: 0.5");
    let output = own_nodes().args(["check", wrong.path()]).output().unwrap();
    assert!(
        stderr(&output).contains(":3:65: b: `by`: wanted float, at least 1, found 0.5"),
        "{}",
        stderr(&output)
    );
    // The pixels hold 0 to 29: from 10 on, 7000 times as much does not fit.
    let file = made("by: 7000");
    let output = own_nodes().args(["run", file.path(), "--json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["ledger_closed"], &report["nodes"][2]["completed"]),
        (&true.into(), &10.into()),
        "{report}"
    );
    assert_eq!(report["nodes"][1]["lost"]["node_error"], 20);
    let message = report["events"][0]["message"].as_str().unwrap();
    assert_eq!(message, "cannot apply the function: wanted a pixel of at most 65535, found 70000");
}

#[test]
fn the_schema_is_json_and_whole() {
    let output = livetime(&["schema"]);
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut references = Vec::new();
    collect(&schema, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(schema.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

/// All `$ref`s of a schema.
fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            references.extend(map.get("$ref").and_then(Value::as_str).map(String::from));
            map.values().for_each(|v| collect(v, references));
        }
        Value::Array(list) => list.iter().for_each(|v| collect(v, references)),
        _ => {}
    }
}

#[test]
fn wrong_usage_ends_with_2_and_help_with_0() {
    for args in
        [&["run", "--frames", "0"][..], &["run", "--duration", "soon"], &["rum"], &[], &["run", "--set", "x"]]
    {
        let output = livetime(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!stderr(&output).is_empty() && output.stdout.is_empty(), "{args:?}");
    }
    let help = livetime(&["run", "--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("--set detector.acquire_period=2ms"));
}

#[test]
fn the_version_names_the_commit() {
    let said = stdout(&livetime(&["--version"]));
    let commit = said.trim_end().strip_prefix(concat!("livetime ", env!("CARGO_PKG_VERSION"), " ("));
    let commit = commit.and_then(|rest| rest.strip_suffix(')')).unwrap_or_else(|| panic!("{said}"));
    assert!(commit == "unknown" || commit.len() >= 12, "{said}");
}

#[test]
fn shells_and_man_know_every_command() {
    let help = stdout(&livetime(&["--help"]));
    let commands =
        help.lines().skip_while(|l| !l.starts_with("Commands:")).skip(1).take_while(|l| !l.is_empty());
    let commands: Vec<&str> = commands.filter_map(|l| l.split_whitespace().next()).collect();
    assert!(commands.contains(&"verify") && !commands.contains(&"hits-score"), "{commands:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&livetime(&["completions", shell]));
        let missing: Vec<_> = commands.iter().filter(|c| !script.contains(**c)).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
    }
    assert!(stdout(&livetime(&["man"])).starts_with(".ie"), "{}", stdout(&livetime(&["man"])));
    let folder = tempfile::tempdir().unwrap();
    let output = livetime(&["man", "--output", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for command in commands.into_iter().filter(|c| *c != "help") {
        assert!(folder.path().join(format!("livetime-{command}.1")).is_file(), "{command}");
    }
}

/// Sourced by the real shell, the completions offer the subcommands.
#[test]
fn bash_completes_subcommands() {
    let script = stdout(&livetime(&["completions", "bash"]));
    let ask = "COMP_WORDS=(livetime insp); COMP_CWORD=1; _livetime livetime insp livetime; echo \"${COMPREPLY[*]}\"";
    let bash =
        std::process::Command::new("bash").args(["--norc", "-c", &format!("{script}\n{ask}")]).output();
    let Ok(bash) = bash else { return livetime_testkit::skip("machine/bash", "bash does not start") };
    assert_eq!(stdout(&bash).trim(), "inspect", "{}", stderr(&bash));
}
