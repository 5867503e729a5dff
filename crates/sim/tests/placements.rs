//! Values that nodes measure and keep do not depend on the threads that the nodes run on.

use std::time::Duration;

use livetime_engine::{EdgeOptions, Graph, NodeType, Placement, Report, Run, RunOptions, Value, WhenFull};
use livetime_nodes::process::attributes::Attributes;
use livetime_nodes::process::circular_buffer::CircularBuffer;
use livetime_nodes::process::fft::Fft;
use livetime_nodes::process::roi_statistics::RoiStatistics;
use livetime_nodes::process::statistics::Statistics;
use livetime_nodes::process::time_series::TimeSeries;
use livetime_nodes::sinks::attribute_plot::AttributePlot;
use livetime_sim::SimDetector;

const FRAMES: i64 = 150;

const PARAMS: &[(&str, &str, &str)] = &[
    ("cam", "image_mode", "multiple"),
    ("cam", "num_images", "150"),
    ("cam", "acquire_time", "0"),
    ("cam", "acquire_period", "0"),
    ("cam", "max_size_x", "31"),
    ("cam", "max_size_y", "17"),
    ("stats", "compute_centroid", "true"),
    ("series", "num_points", "150"),
    ("series", "acquire", "true"),
    ("buffer", "trigger_a", "NDArrayUniqueId"),
    ("buffer", "trigger_calc", "A % 40 = 20"),
    ("buffer", "pre_count", "7"),
    ("buffer", "post_count", "9"),
    ("buffer", "preset_trigger_count", "0"),
    ("buffer", "capture", "true"),
    ("sums", "attr1_attr_name", "NDArrayUniqueId"),
    ("rois", "region1_enable", "true"),
    ("rois", "region1_size_x", "9"),
    ("rois", "region1_size_y", "5"),
    ("rois", "region1_bgd_width", "1"),
    ("rois", "ts_num_points", "150"),
    ("rois", "ts_control", "erase_start"),
    ("fft", "num_average", "5"),
];

fn graph(stats: Placement, others: &Placement) -> Graph {
    let mut graph = Graph::default();
    let nodes = [
        ("cam", NodeType::of::<SimDetector>()),
        ("stats", NodeType::of::<Statistics>()),
        ("series", NodeType::of::<TimeSeries>()),
        ("buffer", NodeType::of::<CircularBuffer>()),
        ("sums", NodeType::of::<Attributes>()),
        ("plot", NodeType::of::<AttributePlot>()),
        ("rois", NodeType::of::<RoiStatistics>()),
        ("fft", NodeType::of::<Fft>()),
    ];
    for (name, node_type) in nodes {
        let number = graph.add(name, node_type).unwrap();
        let placement = if name == "stats" { stats.clone() } else { others.clone() };
        if name != "cam" {
            graph.options_mut(number).unwrap().placement = placement;
        }
    }
    let edges = [
        ("cam", "stats"),
        ("stats.values", "series"),
        ("cam", "buffer"),
        ("buffer", "sums"),
        ("buffer", "plot"),
        ("cam", "rois"),
        ("cam", "fft"),
    ];
    for (from, to) in edges {
        let options = EdgeOptions { when_full: WhenFull::Block, queue: 8, ..EdgeOptions::default() };
        graph.connect(from, to, options).unwrap();
    }
    for (node, name, value) in PARAMS {
        let node = graph.node(node).unwrap();
        let value = value.parse().map(Value::Int).unwrap_or_else(|_| (*value).into());
        graph.set(node, name, &value).unwrap();
    }
    graph
}

/// All that the nodes show at the end, but for times.
fn measured(report: &Report) -> Vec<(String, String)> {
    assert_eq!(report.imbalances(), [""; 0]);
    let mut all = Vec::new();
    for node in report.nodes.iter().filter(|node| !["cam", "stats"].contains(&&*node.name)) {
        assert_eq!(node.lost_inside(), 0, "{node:#?}");
        all.push((format!("{} received", node.name), node.received.to_string()));
        // Signal 23 of statistics is the time of the event.
        let times = ["time_axis", "elapsed", "timestamp", "signal23"];
        let timed = |name: &str| times.iter().any(|part| name.contains(part));
        for (spec, value) in node.last_values.iter().filter(|(spec, _)| !timed(spec.name)) {
            all.push((format!("{}.{}", node.name, spec.name), value.to_string()));
        }
    }
    all
}

#[test]
fn the_same_numbers_on_any_threads() {
    let run = |stats: Placement, others: Placement| {
        let run = Run::start(&graph(stats, &others), RunOptions::default()).unwrap();
        assert!(run.wait(livetime_testkit::HANG));
        measured(&run.finish(Duration::ZERO))
    };
    let own = run(Placement::Own, Placement::Own);
    let seen = |name: &str| own.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str()).unwrap();
    assert_eq!(seen("series received"), FRAMES.to_string());
    // 7 before and 9 from the trigger on, of 20, 60, 100 and 140.
    assert_eq!((seen("sums received"), seen("buffer.actual_trigger_count")), ("64", "4"));
    assert_eq!(seen("sums.attr1_value"), "148");
    assert_eq!(seen("plot.kept"), "64");
    assert_eq!((seen("rois.ts_current_point"), seen("fft.num_averaged")), ("150", "5"));
    for (stats, others) in
        [(Placement::Pool(3), Placement::Group("all".into())), (Placement::Inline, Placement::Inline)]
    {
        let found = run(stats, others);
        assert_eq!(found.iter().zip(&own).find(|(found, wanted)| found != wanted), None);
        assert_eq!(found.len(), own.len());
    }
}
