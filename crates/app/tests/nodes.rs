//! `livetime nodes`, `livetime schema`, and the command line itself.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{livetime, own_nodes, stderr, stdout};
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
    assert!(stdout(&livetime(&["--version"])).starts_with("livetime "));
}
