//! Observation of a run: metrics, a trace, and benchmarks of the user's own graph.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says what it skips"
)]

use crate::common;

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{Pipeline, Running, livetime, own_nodes, stderr, stdout};
use serde_json::Value;

const FILE: &str = "\
nodes:
  cam: {type: counter, params: {period: 1 ms}}
  end: {type: slow, from: cam, every: 3}
";

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}{}", stdout(output), stderr(output)))
}

// ---- Metrics ----

/// Ends the run as Ctrl-C does, and returns its report.
fn end(run: Running) -> Value {
    run.signal("-INT");
    let output = run.program.wait_with_output().unwrap();
    assert!(output.status.code().is_some());
    json(&output)
}

/// The interpreter that has Prometheus' client library.
fn python() -> Option<PathBuf> {
    livetime_testkit::python("metrics")
}

#[cfg(unix)]
#[test]
fn prometheus_reads_our_metrics_and_the_run_goes_on() {
    let file = Pipeline::new("metrics", FILE);
    let served = Running::start(&[file.path(), "--json"]);
    if let Some(python) = python() {
        // The first frame goes through, the second one is the first loss.
        served.wait_for("livetime_frames_discarded_total", 1.0);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/metrics.py");
        let output = Command::new(python).arg(script).arg(&served.url).output().unwrap();
        assert!(output.status.success() && stdout(&output).starts_with("ok "), "{}", stderr(&output));
    }
    // Clients that stay, hang up in the middle, or ask for what there is not.
    let mut kept: Vec<TcpStream> = (0..50).map(|_| served.connect()).collect();
    kept.iter_mut().step_by(2).for_each(|c| _ = c.write_all(b"GET /metrics HTTP/1.1\r\n"));
    let text = served.metrics();
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    assert!(text.contains("\nlivetime_frames_sent_total{node=\"cam\"} "), "{text}");
    let report = end(served);
    assert_eq!((&report["ledger_closed"], &report["ended_by"]), (&true.into(), &"interrupted".into()));
}

/// A number, of which Prometheus asks while the run continues, is at its end in the report.
#[cfg(unix)]
#[test]
fn readbacks_are_metrics_while_a_run_goes_on() {
    let file = Pipeline::new(
        "readbacks",
        "nodes:
  cam: {type: sim_detector, params: {max_size_x: 64, max_size_y: 32, acquire_period: 1 ms, acquire_time: 0 s}}
  stats: {type: statistics, from: {node: cam, when_full: block}}
",
    );
    let served = Running::start(&[file.path(), "--json"]);
    livetime_testkit::wait_until("a mean", || served.metrics().contains("name=\"mean_value\""));
    let metric = |name: &str| {
        let text = served.metrics();
        let begin = format!("livetime_node_readback{{node=\"stats\",name=\"{name}\"");
        let line = text.lines().find(|line| line.starts_with(&begin)).map(str::to_owned);
        line.unwrap_or_else(|| panic!("no {name}: {text}"))
            .rsplit_once(' ')
            .unwrap()
            .1
            .parse::<f64>()
            .unwrap()
    };
    let mean = metric("mean_value");
    assert!(mean.is_finite(), "{mean}");
    let report = end(served);
    let readbacks = &report["nodes"][1]["readbacks"];
    assert!(readbacks["mean_value"].is_f64() && readbacks["max_value"].is_f64(), "{readbacks}");
}

#[test]
fn an_address_that_is_taken_is_refused_before_the_run() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let file = Pipeline::new("taken", FILE);
    let port = taken.local_addr().unwrap().port().to_string();
    let output = own_nodes().args(["run", file.path(), "--metrics", &port]).output().unwrap();
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(1), ""));
    assert!(stderr(&output).contains("cannot serve metrics at 127.0.0.1:"), "{}", stderr(&output));
}

// ---- Trace ----

/// A file that is removed at the end.
struct Trace(PathBuf);

impl Trace {
    fn new(name: &str) -> Trace {
        Trace(common::temporary(&format!("{name}.json")))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn events(&self) -> Vec<Value> {
        let value: Value = serde_json::from_str(&std::fs::read_to_string(&self.0).unwrap()).unwrap();
        value["traceEvents"].as_array().unwrap().clone()
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn ns(event: &Value, key: &str) -> i64 {
    (event[key].as_f64().unwrap() * 1e3).round() as i64
}

/// Slices of a thread are disjoint or lie inside one another; every arrow and every wait has both ends, inside slices.
fn check(events: &[Value]) -> BTreeMap<String, Vec<u64>> {
    let phase = |p: &'static str| events.iter().filter(move |e| e["ph"] == p);
    let mut slices: BTreeMap<u64, Vec<(i64, i64)>> = BTreeMap::new();
    let mut frames: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for slice in phase("X") {
        let (from, to) = (ns(slice, "ts"), ns(slice, "ts") + ns(slice, "dur"));
        assert!(from <= to);
        slices.entry(slice["tid"].as_u64().unwrap()).or_default().push((from, to));
        let name = slice["name"].as_str().unwrap().to_owned();
        frames.entry(name).or_default().push(slice["args"]["sequence"].as_u64().unwrap());
    }
    for slices in slices.values() {
        let mut open: Vec<i64> = Vec::new();
        assert!(slices.is_sorted_by_key(|(from, to)| (*from, -to)));
        for (from, to) in slices {
            while open.last().is_some_and(|end| end <= from) {
                open.pop();
            }
            assert!(open.last().is_none_or(|end| to <= end), "{from} to {to} overlaps {open:?}");
            open.push(*to);
        }
    }
    for (begin, end) in [("s", "f"), ("b", "e")] {
        let ends = |p| phase(p).map(|e| (e["id"].to_string(), ns(e, "ts"))).collect::<BTreeMap<_, _>>();
        let (begins, ends) = (ends(begin), ends(end));
        assert!(!begins.is_empty() && begins.keys().eq(ends.keys()), "{begin}");
        assert!(begins.iter().all(|(id, at)| *at <= ends[id]));
    }
    for arrow in phase("s").chain(phase("f")) {
        let (at, thread) = (ns(arrow, "ts"), arrow["tid"].as_u64().unwrap());
        assert!(slices[&thread].iter().any(|(from, to)| from <= &at && &at <= to), "{arrow}");
    }
    assert!(phase("M").count() > slices.len());
    frames
}

const WAY: &str = "\
nodes:
  cam: {type: sim_detector, params: {max_size_x: 64, max_size_y: 64, acquire_period: 1 ms, acquire_time: 0}}
  roi: {type: roi, from: cam, when_full: block, params: {size_x: 32}, placement: PLACEMENT}
  stats: {type: statistics, from: roi, when_full: block}
";

#[test]
fn a_trace_follows_the_same_frames_through_all_nodes() {
    for placement in ["own", "inline", "{group: g}", "{pool: 2}"] {
        let (file, trace) = (Pipeline::new("trace", &WAY.replace("PLACEMENT", placement)), Trace::new("way"));
        let args = ["run", file.path(), "--frames", "300", "--trace", trace.path(), "--trace-every", "20"];
        let output = own_nodes().args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stderr(&output).contains(" spans of 1 frame in 20"), "{}", stderr(&output));
        let mut frames = check(&trace.events());
        frames.values_mut().for_each(|numbers| numbers.sort_unstable());
        assert!(frames["cam"].len() >= 14 && frames["cam"].iter().all(|n| n % 20 == 0), "{frames:?}");
        assert_eq!((&frames["cam"], &frames["cam"]), (&frames["roi"], &frames["stats"]), "{placement}");
    }
}

#[cfg(unix)]
#[test]
fn a_trace_is_whole_after_an_interrupt() {
    let (file, trace) = (Pipeline::new("interrupted", FILE), Trace::new("interrupted"));
    let run = Running::start(&[file.path(), "--trace", trace.path(), "--trace-every", "3"]);
    // Something to be traced: how much does not matter.
    run.wait_for("livetime_frames_completed_total{node=\"end\"}", 10.0);
    run.signal("-INT");
    assert_eq!(run.program.wait_with_output().unwrap().status.code(), Some(0));
    assert!(!check(&trace.events())["cam"].is_empty());
}

#[test]
fn a_trace_that_cannot_be_written_is_refused_before_the_run() {
    let file = Pipeline::new("nowhere", FILE);
    let output =
        own_nodes().args(["run", file.path(), "--trace", "/no/such/folder/t.json"]).output().unwrap();
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(1), ""));
    assert!(stderr(&output).contains("cannot write the trace /no/such/folder"), "{}", stderr(&output));
}

// ---- Benchmarks of one's own graph ----

#[test]
fn bench_graph_names_what_limits() {
    let slow = "\
nodes:
  cam: {type: counter, params: {period: 50 ms}}
  end: {type: slow, from: cam, queue: 100, params: {takes: 5 ms}}
";
    let file = Pipeline::new("bench-graph", slow);
    let output = own_nodes().args(["bench", "graph", file.path(), "--quick", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let record = json(&output);
    // On a machine that is busy with something else the cores may be what limits.
    assert_eq!(record["bottleneck"]["busiest_node"], "end");
    assert!(record["loss_free_hz"].as_f64().unwrap() > 0.0, "{record}");
    assert!(record["machine"]["cores"].is_u64());
    assert_eq!(record["settings"]["paced"][0]["param"], "period");
    assert!(stderr(&output).contains("wanted "), "progress");
}

#[test]
fn bench_node_feeds_real_frames() {
    let file = Pipeline::new("bench-node", &WAY.replace("PLACEMENT", "own"));
    let args = ["bench", "node", file.path(), "roi..stats", "--frames", "100", "--quick", "--json"];
    let output = own_nodes().args(args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let record = json(&output);
    assert!(record["throughput_hz"]["median"].as_f64().unwrap() > 0.0);
    assert_eq!(record["rows"][1]["node"], "stats");
    assert_eq!(record["rows"][1]["flood"]["frames"], 100);
    let output = own_nodes().args(["bench", "node", file.path(), "cam"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let output = own_nodes().args(["bench", "node", "/no/such/file", "cam"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn both_benchmarks_explain_themselves() {
    for what in ["graph", "node"] {
        let output = own_nodes().args(["bench", what, "--help"]).output().unwrap();
        assert!(
            output.status.success() && stdout(&output).contains("Exit codes: 0 ok"),
            "{}",
            stdout(&output)
        );
        assert!(stdout(&output).contains(&format!("livetime bench {what} beamline.yaml")));
    }
}

/// Scripts of before measured Livetime itself by this program.
#[test]
fn the_program_of_other_benchmarks_is_named() {
    for words in [&["engine"][..], &["pva-get", "--channels", "1,1000", "--json"]] {
        let output = livetime(&[&["bench"], words].concat());
        let (told, all) = (stderr(&output), words.join(" "));
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""), "{told}");
        assert!(told.contains("wanted graph, node or python, found"), "{told}");
        assert!(told.contains(&format!("another program: livetime-bench {all} ")), "{told}");
    }
    assert_eq!(livetime(&["bench"]).status.code(), Some(2));
    for words in [&["hits-score"][..], &["hits-score", "--help"], &["hits-score", "--quick", "-o", "score"]] {
        let output = livetime(words);
        let (told, all) = (stderr(&output), words.join(" "));
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""), "{told}");
        assert!(told.contains("hits-score is now `livetime-bench hits-score`"), "{told}");
        assert!(told.contains(&format!("-- {all})")), "{told}");
    }
    let refused = livetime(&["hits-score", "--json"]);
    let told: Value = serde_json::from_str(&stdout(&refused)).unwrap();
    assert_eq!((refused.status.code(), &told["errors"][0]["code"]), (Some(2), &"usage".into()), "{told}");
}
