//! Every code of a problem once: by a file that has it, and in the table of `docs/pipeline-file.md`.

use std::collections::BTreeSet;

use livetime_frame::{ColorMode, DType, Layout};

use super::*;
use crate::recorded::RecordedError;
use crate::test_nodes::all as nodes;

/// Mistakes of a text, each with its code.
const TEXTS: [(&str, &str); 24] = [
    ("not_yaml", "a: {b: [}"),
    ("tag", "a: !!python/object x"),
    ("alias", "a: &x [*x]"),
    ("too_large", "a: 1\n---\nb: 1"),
    ("twice", "memory: 1 MiB\nmemory: 1 MiB"),
    ("unknown_key", "nodes: {cam: {type: sim_detector, typo: y}}"),
    ("unknown_type", "nodes: {cam: {type: sim_detektor}}"),
    ("missing", "memory: 1 MiB"),
    ("value", "nodes: {cam: {type: sim_detector, placement: 3}}"),
    ("value", "nodes: {cam: {type: sim_detector, params: {gain: }}}"),
    ("value", "nodes: {cam: {type: sim_detector, params: {gain: wide}}}"),
    ("rules", "web: {rules: [{may: none}, {may: read}]}\nnodes: {cam: {type: sim_detector}}"),
    ("unknown_parameter", "nodes: {cam: {type: sim_detector, params: {gane: 1}}}"),
    ("unknown_node", "nodes: {cam: {type: sim_detector}, cut: {type: roi, from: kam}}"),
    ("unknown_port", "nodes: {cam: {type: sim_detector}, cut: {type: roi, from: cam.outt}}"),
    ("name", "nodes: {'': {type: sim_detector}}"),
    ("no_source", "nodes: {cut: {type: roi, from: cut}}"),
    ("cycle", "nodes: {cut: {type: roi, from: cut}}"),
    ("no_input", "nodes: {cam: {type: sim_detector}, cut: {type: roi}}"),
    ("placement", "nodes: {cam: {type: sim_detector, placement: inline}}"),
    ("hosts", "nodes: {cam: {type: sim_detector, host: daq}}"),
    ("unknown_host", "hosts: {daq: {}}\nnodes: {cam: {type: sim_detector, host: dak}}"),
    ("memory", "memory: 1 KiB\nnodes: {cam: {type: sim_detector}, end: {type: 'null', from: cam}}"),
    (
        "node",
        "nodes: {cam: {type: sim_detector, params: {max_size_x: 9}}, cut: {type: roi, from: cam, params: {enable_x: true, min_x: 9, size_x: 9}}}",
    ),
];

fn of_text(text: &str) -> Vec<Problem> {
    parse("p.yaml", text, &nodes(), &[]).unwrap_err().list
}

fn of_replay(text: &str, purpose: Purpose) -> Vec<Problem> {
    let layout = Layout::packed(DType::U16, ColorMode::Mono, &[4, 5]).unwrap();
    let replay = Replay { type_name: "recording", params: vec![], layout, source: None, workers: 1, purpose };
    parse_replay("p.yaml", text, &nodes(), &[], &replay).err().unwrap().list
}

fn of_file(name: &str, bytes: Option<&[u8]>) -> Vec<Problem> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    bytes.iter().for_each(|bytes| std::fs::write(&path, bytes).unwrap());
    load(Some(&path), &nodes(), &[]).unwrap_err().list
}

/// Two cameras, and a node that keeps state.
const TWO: &str = "nodes: {a: {type: sim_detector}, b: {type: sim_detector}}";
const STATE: &str = "nodes: {a: {type: sim_detector}, p: {type: process, from: a}}";

/// Mistakes that need more than a text.
fn others() -> Vec<(&'static str, Vec<Problem>)> {
    let readback = |node: &&NodeType| node.param_specs().iter().any(|spec| spec.readback);
    let all = nodes();
    let node = all.iter().find(readback).unwrap();
    let spec = node.param_specs().iter().find(|spec| spec.readback).unwrap();
    let written = format!("nodes: {{a: {{type: {}, params: {{{}: 1}}}}}}", node.spec.name, spec.name);
    let same = "{type: tiff_files, from: a, params: {path: /tmp, file_name: a}}";
    let table = "nodes: {a: {type: sim_detector}, b: {type: table_csv, from: a}}";
    vec![
        ("unreadable", of_file("none.yaml", None)),
        ("not_utf8", of_file("latin1.yaml", Some(b"nodes:\n  caf\xe9: {}\n"))),
        ("read_only", of_text(&written)),
        ("same_file", of_text(&format!("nodes: {{a: {{type: sim_detector}}, b: {same}, c: {same}}}"))),
        ("stream", of_text(table)),
        ("ambiguous", of_replay(TWO, Purpose::Everything)),
        ("keeps_state", of_replay(STATE, Purpose::Output { of: Some("p".into()) })),
        ("recorded", vec![RecordedError::Changed.into()]),
        ("not_said", vec![Problem::elsewhere(ProblemKind::NotSaid)]),
    ]
}

#[test]
fn every_code_has_a_mistake_and_a_line_in_the_documents() {
    let texts = TEXTS.iter().map(|(code, text)| (*code, of_text(text)));
    let mut seen = BTreeSet::new();
    for (code, problems) in texts.chain(others()) {
        assert!(problems.iter().any(|problem| problem.code() == code), "{code}: {problems:?}");
        seen.extend(problems.iter().map(Problem::code));
    }
    let table = include_str!("../../../../docs/pipeline-file.md").split("## Problems").nth(1).unwrap();
    let listed: BTreeSet<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(code, _)| code)
        .collect();
    assert_eq!(seen, listed);
}

#[test]
fn programs_get_what_a_sentence_says() {
    let text = "nodes:\n  cam: {type: sim_detector, placement: 3, params: {gainn: 1}}\n";
    let problems = parse("p.yaml", text, &nodes(), &["cam.gain=wide".parse().unwrap()]).unwrap_err();
    let all = problems.json();
    let keys = ["file", "line", "column", "message", "code", "node", "key", "wanted", "found", "hint"];
    for problem in all.as_array().unwrap() {
        assert_eq!(problem.as_object().unwrap().len(), keys.len());
        assert!(keys.iter().all(|key| problem.get(key).is_some()), "{problem}");
    }
    let of = |code: &str, key: &str| {
        let is_it = |p: &&serde_json::Value| p["code"] == code && p["key"] == key;
        all.as_array().unwrap().iter().find(is_it).cloned().unwrap()
    };
    let placement = of("value", "placement");
    assert_eq!((&placement["line"], &placement["column"]), (&2.into(), &40.into()));
    assert_eq!((&placement["wanted"], &placement["found"]), (&"one of own, inline".into(), &"`3`".into()));
    let name = of("unknown_parameter", "gainn");
    assert_eq!((&name["node"], &name["hint"]), (&"cam".into(), &"did you mean `gain`?".into()));
    let setting = of("value", "gain");
    assert_eq!((&setting["file"], &setting["node"]), (&serde_json::Value::Null, &"cam".into()));
    assert!(
        setting["message"].as_str().unwrap().starts_with("--set cam.gain=wide: cam: `gain`: wanted "),
        "{setting}"
    );
}
