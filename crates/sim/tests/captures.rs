//! Captures in memory: every frame of them is completed or lost, and the ledger says which.

use std::path::Path;
use std::time::Duration;

use livetime_engine::{EdgeOptions, Graph, NodeType, Report, Run, RunOptions, Value, WhenFull};
use livetime_nodes::sinks::tiff_files::TiffFiles;
use livetime_sim::SimDetector;

/// Sends ten frames to a sink that captures `num_capture` of them in memory. `prepare` is called before the first frame.
fn captured(folder: &Path, num_capture: i64, auto_save: bool, prepare: impl FnOnce()) -> Report {
    let mut graph = Graph::default();
    let cam = graph.add("cam", NodeType::of::<SimDetector>()).unwrap();
    let tiff = graph.add("tiff", NodeType::of::<TiffFiles>()).unwrap();
    graph
        .connect("cam", "tiff", EdgeOptions { when_full: WhenFull::Block, ..EdgeOptions::default() })
        .unwrap();
    let set = |graph: &mut Graph, node, name: &str, value: Value| graph.set(node, name, &value).unwrap();
    for (name, value) in [
        ("acquire", false.into()),
        ("image_mode", "multiple".into()),
        ("num_images", 10.into()),
        ("acquire_time", 0.0.into()),
        ("acquire_period", 0.0.into()),
        ("max_size_x", 16.into()),
        ("max_size_y", 8.into()),
    ] {
        set(&mut graph, cam, name, value);
    }
    for (name, value) in [
        ("path", folder.to_str().unwrap().into()),
        ("mode", "capture".into()),
        ("num_capture", num_capture.into()),
        ("auto_save", auto_save.into()),
        ("capture", true.into()),
    ] {
        set(&mut graph, tiff, name, value);
    }
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    prepare();
    run.set("cam", "acquire", &true.into()).unwrap();
    // Stopped only when the sink has all frames, so that the counts are known.
    let received = |run: &Run| run.report().nodes.iter().find(|n| n.name == "tiff").map_or(0, |n| n.received);
    while received(&run) < 10 {
        std::thread::sleep(Duration::from_millis(1));
    }
    run.stop();
    run.finish(livetime_testkit::HANG)
}

/// Frames that the sink completed, and that it lost.
fn account(report: &Report) -> (u64, u64) {
    assert_eq!(report.imbalances(), [""; 0]);
    let tiff = report.nodes.iter().find(|node| node.name == "tiff").unwrap();
    (tiff.completed, tiff.lost_inside())
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn a_capture_that_is_saved_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let report = captured(folder.path(), 4, true, || {});
    assert_eq!((account(&report), files(folder.path())), ((10, 0), 4));
}

#[test]
fn a_capture_that_cannot_be_written_is_lost_whole() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    let report = captured(&inside, 4, true, || {
        // A file takes the place of the folder, so that writing fails.
        std::fs::remove_dir(&inside).unwrap();
        std::fs::write(&inside, "no folder").unwrap();
    });
    assert_eq!(account(&report), (6, 4));
}

#[test]
fn a_capture_that_nobody_saves_is_lost_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let report = captured(folder.path(), 4, false, || {});
    assert_eq!((account(&report), files(folder.path())), ((6, 4), 0));
    let told =
        |event: &livetime_engine::Event| event.message.contains("wanted a capture that is written or freed");
    assert!(report.events.iter().any(told), "{:?}", report.events);
}
