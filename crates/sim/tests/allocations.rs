//! Compressing and decompressing in a running graph allocates nothing, nor does what changes pictures.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::alloc::System;
use std::time::Duration;

use livetime_engine::{EdgeOptions, Graph, NodeType, Run, RunOptions, Value, WhenFull};
use livetime_sim::SimDetector;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Alone in its file: other tests of the same process would allocate meanwhile.
#[test]
fn nodes_allocate_nothing_per_frame() {
    let pictures = pictures();
    let last = pictures.nodes().len() - 1;
    assert_eq!(fewest_of(&pictures, last), 0, "pictures");
    for codec in ["blockpack", "bslz4", "lz4", "zstd", "zlib", "blosc", "lz4hdf5"] {
        assert_eq!(fewest_of(&graph(codec), 3), 0, "{codec}");
    }
}

fn find(name: &str) -> NodeType {
    match name {
        "sim_detector" => NodeType::of::<SimDetector>(),
        _ => livetime_nodes::find(name).unwrap(),
    }
}

/// The fewest allocations while the graph runs; node number `last` is its end.
fn fewest_of(graph: &Graph, last: usize) -> usize {
    let run = Run::start(graph, RunOptions::default()).unwrap();
    let fewest = fewest_allocations(|| run.report().nodes[last].completed, 100);
    run.abort();
    run.finish(livetime_testkit::HANG);
    fewest
}

/// A chain of the nodes that copy pictures and change them.
fn pictures() -> Graph {
    let bad = r#"{"Bad pixels": [{"Pixel": [5, 5], "Median": [2, 2]}, {"Pixel": [9, 9], "Set": 1}]}"#;
    let nodes: [(&str, &[(&str, Value)]); 5] = [
        ("sim_detector", &[("acquire_time", 0.into()), ("acquire_period", 0.into()), ("size_x", 200.into())]),
        ("color_convert", &[("color_mode_out", "rgb1".into()), ("false_color", "iron".into())]),
        ("bad_pixels", &[("file_name", bad.into())]),
        (
            "overlay",
            &[
                ("overlay1_used", true.into()),
                ("overlay1_shape", "text".into()),
                ("overlay1_size_x", 150.into()),
                ("overlay1_size_y", 20.into()),
                ("overlay2_used", true.into()),
                ("overlay2_size_x", 90.into()),
            ],
        ),
        ("null", &[]),
    ];
    let mut graph = Graph::default();
    for (number, (node_type, params)) in nodes.iter().enumerate() {
        graph.add(node_type, find(node_type)).unwrap();
        params.iter().for_each(|(name, value)| graph.set(number, name, value).unwrap());
    }
    let options = EdgeOptions { when_full: WhenFull::Block, queue: 4, ..EdgeOptions::default() };
    nodes.windows(2).for_each(|pair| _ = graph.connect(pair[0].0, pair[1].0, options).unwrap());
    graph
}

fn graph(codec: &str) -> Graph {
    let mut graph = Graph::default();
    for (name, node_type) in
        [("detector", "sim_detector"), ("pack", "compress"), ("unpack", "decompress"), ("end", "null")]
    {
        graph.add(name, find(node_type)).unwrap();
    }
    let mut set = |node: usize, name: &str, value: Value| graph.set(node, name, &value).unwrap();
    for name in ["acquire_time", "acquire_period"] {
        set(0, name, 0.into());
    }
    set(0, "size_x", 256.into());
    set(0, "size_y", 256.into());
    set(0, "data_type", "u16".into());
    set(1, "compressor", codec.into());
    let options = EdgeOptions { when_full: WhenFull::Block, queue: 4, ..EdgeOptions::default() };
    for (from, to) in [("detector", "pack"), ("pack", "unpack"), ("unpack", "end")] {
        graph.connect(from, to, options).unwrap();
    }
    graph
}

/// The fewest allocations in windows of time in which more than `frames` frames are completed, after as many.
///
/// The pool may still grow when a thread is held up for longer than ever before, up to the bound of the
/// queues. An allocation for each frame would show in every window.
fn fewest_allocations(completed: impl Fn() -> u64, frames: u64) -> usize {
    let window = Duration::from_millis(100);
    for _ in 0..600 {
        if completed() > frames {
            break;
        }
        std::thread::sleep(window);
    }
    let (before, mut fewest) = (completed(), usize::MAX);
    for number in 1..600 {
        fewest = fewest.min(allocations_in(window));
        if number >= 5 && completed() > before + frames {
            return fewest;
        }
    }
    usize::MAX
}

fn allocations_in(time: Duration) -> usize {
    let count = || ALLOCATOR.stats().allocations + ALLOCATOR.stats().reallocations;
    let before = count();
    std::thread::sleep(time);
    count() - before
}
