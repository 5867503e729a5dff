//! A pipeline finds the same bits for any number of workers, loses nothing, and says what it lost.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use livetime_analysis::GoOn;
use livetime_engine::{Report, Value};
use livetime_formats::xtc1::compressed::Engine;

use livetime_recording::Recording;

use super::camera::{Leaf, OTHER, datagram, frame, write};
use super::*;
use crate::config::Setting;
use crate::test_nodes;

/// Nodes in pools, a filter that remembers, and two that write files.
const FILES: &str = "\
nodes:
  cam: {type: sim_detector, params: {max_size_x: 64}}
  codec: {type: compress, from: cam, when_full: latest, params: {compressor: zstd}}
  back: {type: decompress, from: codec, queue: 1, max_rate: 1 Hz}
  turned: {type: transform, from: back, placement: inline, params: {operation: rot90}}
  stats: {type: statistics, from: turned, params: {compute_statistics: true, compute_centroid: true}}
  filter: {type: process, from: turned, params: {enable_filter: true, num_filter: 7, data_type: f32}}
  tiff: {type: tiff_files, from: filter, params: {create_directory: -1}}
  rec: {type: xtc_recorder, from: turned, params: {create_directory: -1, compression: blockpack, threads: 2, queue: 1}}
  third: {type: null, from: cam, every: 3}
  end: {type: null, from: stats}
";

/// A run of so many events of a camera.
fn recorded(folder: &Path, events: u64) -> PathBuf {
    let leaf = |event| Leaf { engine: Engine::HIST16, ..Leaf::new(frame(24, 16, 16, event)) };
    write(folder, &(0..events).map(|event| datagram(event, &[leaf(event)])).collect::<Vec<_>>())
}

fn work(path: &Path, text: &str, options: &GraphOptions) -> Result<GraphAnalysis, String> {
    let recording = Recording::open(&[path]).unwrap();
    let detector = recording.detector("Opal1000").unwrap();
    let work = GraphAnalysis::new(&recording, &detector, ("p.yaml", text), &test_nodes::all(), options);
    work.map_err(|problems| problems.to_string())
}

fn found(path: &Path, text: &str, options: &GraphOptions) -> GraphFound {
    let recording = Recording::open(&[path]).unwrap();
    work(path, text, options).unwrap().run(&recording, None, &mut |_| GoOn::Yes).unwrap()
}

fn with(workers: usize, settings: &[String]) -> GraphOptions {
    let settings: Vec<Setting> = settings.iter().map(|s| s.parse().unwrap()).collect();
    GraphOptions { workers, settings, ..GraphOptions::default() }
}

fn count(report: &Report, node: &str, name: &str) -> i64 {
    let node = report.nodes.iter().find(|n| n.name == node).unwrap();
    match node.last_values.iter().find(|(spec, _)| spec.name == name).unwrap().1 {
        Value::Int(count) => count,
        ref other => panic!("{other:?}"),
    }
}

/// All files below a folder, with their bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    entries.map(|path| (name(&path), std::fs::read(&path).unwrap())).collect()
}

#[test]
fn files_and_readbacks_are_the_same_for_any_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), 100);
    let mut all = Vec::new();
    for workers in [1, 2, 4] {
        let out = folder.path().join(workers.to_string());
        let settings = ["tiff", "rec"].map(|node| format!("{node}.path={}", out.display()));
        let found = found(&path, FILES, &with(workers, &settings));
        assert_eq!((found.report.unintended_losses(), found.report.imbalances()), (0, Vec::<String>::new()));
        assert_eq!((found.frames, found.raw_bytes), (100, 100 * 24 * 16 * 2));
        assert_eq!(count(&found.report, "third", "bytes"), 34 * 24 * 16 * 2);
        assert_eq!(count(&found.report, "end", "bytes"), 100 * 24 * 16 * 2);
        let pooled: Vec<&str> =
            found.report.nodes.iter().filter(|n| n.threads.len() == workers).map(|n| &*n.name).collect();
        assert!(workers == 1 || pooled == ["codec", "back", "turned", "stats", "third", "end"], "{pooled:?}");
        let told: Vec<String> = found
            .report
            .nodes
            .iter()
            .flat_map(|n| {
                n.last_values.iter().filter(|(spec, _)| spec.readback).map(|(s, v)| (&n.name, s, v))
            })
            .map(|(node, spec, value)| format!("{node}.{} {value}", spec.name))
            .map(|line| line.replace(out.to_str().unwrap(), ""))
            .collect();
        all.push((files(&out), told));
    }
    assert_eq!(all[0].0.len(), 101);
    for other in &all[1..] {
        assert_eq!(all[0].1, other.1);
        assert!(all[0].0 == other.0);
    }
}

#[test]
fn events_that_cannot_be_read_are_losses_and_those_without_the_detector_none() {
    let folder = tempfile::tempdir().unwrap();
    let good = |event| Leaf::new(frame(8, 4, 16, event));
    // A picture that is shorter than it says.
    let broken = Leaf::new(frame(8, 4, 16, 3)[..40].to_vec());
    let other = Leaf { src: OTHER, ..good(2) };
    let leaves = [[good(0)], [good(1)], [other], [broken], [good(4)]];
    let datagrams = leaves.iter().enumerate().map(|(event, leaves)| datagram(event as u64, leaves));
    let path = write(folder.path(), &datagrams.collect::<Vec<_>>());
    let text = "nodes:\n  cam: {type: sim_detector}\n  end: {type: null, from: cam}\n";
    let all = found(&path, text, &with(2, &[]));
    assert_eq!((all.frames, all.report.unintended_losses()), (3, 1));
    assert_eq!((count(&all.report, "cam", "missing"), count(&all.report, "cam", "failures")), (1, 1));
    assert!(all.report.imbalances().is_empty());
    assert!(all.report.events.iter().any(|e| e.message.contains("event 3")), "{:?}", all.report.events);
    let part = GraphOptions { events: 1..3, ..with(1, &[]) };
    assert_eq!(found(&path, text, &part).frames, 1);
}

#[test]
fn one_of_several_sources_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), 3);
    let text = "\
nodes:
  a: {type: sim_detector}
  b: {type: pva_source, params: {channel: X}}
  ea: {type: null, from: a}
  eb: {type: null, from: b}
  both: {type: rate_monitor, from: [a, {node: b, to: in2}]}
";
    let error = work(&path, text, &with(1, &[])).err().unwrap();
    assert!(error.starts_with("p.yaml:3:3: wanted one source"), "{error}");
    assert!(error.ends_with("found `a`, `b`; choose with --source NAME"), "{error}");
    let chosen = |name: &str| GraphOptions { source: Some(name.into()), ..with(2, &[]) };
    let error = work(&path, text, &chosen("ea")).err().unwrap();
    assert_eq!(error, "--source ea: wanted a source of the pipeline, found `a`, `b`");
    let chosen = chosen("b");
    let work = work(&path, text, &chosen).unwrap();
    assert_eq!((work.source(), work.left_out()), ("b", &["a".to_owned(), "ea".to_owned()][..]));
    assert!(work.meeting_points().is_empty());
    let found = found(&path, text, &chosen);
    let both = found.report.nodes.iter().find(|n| n.name == "both").unwrap();
    assert_eq!((found.frames, both.completed), (3, 3));
}

#[test]
fn what_does_not_fit_the_run_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), 2);
    let text = "nodes:\n  cam: {type: sim_detector}\n  r: {type: roi, from: cam, params: {min_x: 500}}\n";
    let error = work(&path, text, &with(1, &[])).err().unwrap();
    assert!(error.starts_with("p.yaml:3:45: r: "), "{error}");
    let set = ["cam.acquire_time=1 ms".to_owned()];
    let error = work(&path, &text.replace("500", "5"), &with(1, &set)).err().unwrap();
    assert!(
        error.starts_with("--set cam.acquire_time=1 ms: cam: unknown parameter `acquire_time`"),
        "{error}"
    );
    let error = work(&path, "nodes: {}", &with(1, &[])).err().unwrap();
    assert_eq!(error, "p.yaml:1:1: wanted at least one source, found none");
}

#[test]
fn a_user_ends_it_and_what_is_under_way_is_handled() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), 2000);
    let text = "nodes:\n  cam: {type: sim_detector}\n  s: {type: slow, from: cam, params: {takes: 5 ms}}\n";
    let recording = Recording::open(&[&path]).unwrap();
    let work = work(&path, text, &with(1, &[])).unwrap();
    let found = work.run(&recording, None, &mut |_| GoOn::Drain).unwrap();
    assert!(found.frames < 2000);
    assert_eq!((found.ended_by.name(), found.report.unintended_losses()), ("interrupted", 0));
    assert!(found.report.imbalances().is_empty());
}

#[test]
fn the_files_are_scanned_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), 5);
    let text = "nodes:\n  cam: {type: sim_detector}\n  end: {type: null, from: cam}\n";
    let recording = Recording::open(&[&path]).unwrap();
    let work = work(&path, text, &with(1, &[])).unwrap();
    // A second scan would find a place that cannot be read, which is a loss.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend([0xFF; 50]);
    std::fs::write(&path, bytes).unwrap();
    let found = work.run(&recording, None, &mut |_| GoOn::Yes).unwrap();
    assert_eq!((found.frames, found.report.unintended_losses()), (5, 0), "{:?}", found.report.events);
    let again = Recording::open(&[&path]).unwrap();
    assert_eq!(again.problems().len(), 1);
}
