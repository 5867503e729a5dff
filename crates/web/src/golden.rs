//! Messages in `web/golden/`, which the tests of the page read, too. `LIVETIME_WRITE_GOLDEN=1 cargo test -p livetime-web --lib golden`
//! writes them anew.

use std::path::{Path, PathBuf};
use std::time::Duration;

use livetime_control::config;
use livetime_control::model::{Action, Caller, Change, Model};
use livetime_engine::RunOptions;
use livetime_frame::{ColorMode, DType, Frame, FramePool, Layout, Schema, TableLayout};
use serde_json::{Value, json};

use crate::client::Columns;
use crate::history::{History, Step};
use crate::picture::{Header, Made, Spec, make};
use crate::show;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/golden").join(name)
}

fn check(name: &str, bytes: &[u8]) {
    let path = golden(name);
    if std::env::var_os("LIVETIME_WRITE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
    }
    let known = std::fs::read(&path).unwrap_or_default();
    assert!(known == bytes, "{name} is not as it was: see the head of this file");
}

fn check_json(name: &str, value: &Value) {
    check(name, format!("{value:#}\n").as_bytes());
}

// ---- Pictures and tables ----

/// 5 x 3 pixels: 1000 y + 10 x, of colours also the number of the colour.
fn picture(color: ColorMode) -> Frame {
    let pool = FramePool::new(1 << 20);
    let layout = Layout::packed(DType::U16, color, &color.shape(5, 3)).unwrap();
    let mut frame = pool.allocator().array(layout).unwrap();
    let header = frame.header_mut();
    (header.sequence, header.event_time_ns) = (0x0102_0304_0506, 1_795_000_000_123_456_789);
    let colours = if color == ColorMode::Mono { 1 } else { 3 };
    for (index, pixel) in frame.elements_mut::<u16>().unwrap().iter_mut().enumerate() {
        let (place, colour) = (index / colours, index % colours);
        *pixel = (1000 * (place / 5) + 10 * (place % 5) + colour) as u16;
    }
    frame.freeze()
}

fn hits() -> Frame {
    let pool = FramePool::new(1 << 20);
    let schema = Schema::new([("channel", DType::U16), ("peak", DType::F32), ("time", DType::U64)]);
    let mut frame = pool.allocator().table(TableLayout::new(schema, 3).unwrap()).unwrap();
    frame.header_mut().sequence = 9;
    frame.column_mut::<u16>(0).unwrap().copy_from_slice(&[7, 8, 65_535]);
    frame.column_mut::<f32>(1).unwrap().copy_from_slice(&[1.5, -2.25, 1e6]);
    frame.column_mut::<u64>(2).unwrap().copy_from_slice(&[1, 2, 1 << 40]);
    frame.freeze()
}

fn message(made: &Made) -> Vec<u8> {
    let header = Header { left_out: 4, age_us: 1234, ..made.header };
    [&header.encode()[..], &made.payload].concat()
}

fn made(frame: &Frame, view: Value) -> Made {
    let mut view = view;
    view["from"] = json!("cam");
    make(frame, &Spec::from_json(&view).unwrap().1).unwrap()
}

fn pixels(made: &Made) -> Vec<u16> {
    made.payload.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

#[test]
fn pictures() {
    let mono = picture(ColorMode::Mono);
    let whole = made(&mono, json!({}));
    assert_eq!(pixels(&whole)[..7], [0, 10, 20, 30, 40, 1000, 1010]);
    check("picture-u16.bin", &message(&whole));
    // 4 x 3 pixels from 1, 0 in bins of two.
    let binned = made(&mono, json!({ "region": [1, 0, 4, 3], "fit": [2, 2] }));
    assert_eq!(pixels(&binned), [1020, 1040, 2020, 2040]);
    check("picture-u16-max-2.bin", &message(&binned));
    let picked = made(&mono, json!({ "region": [1, 0, 4, 3], "fit": [2, 2], "reduce": "pick" }));
    assert_eq!(pixels(&picked), [10, 30, 2010, 2030]);
    let mean = made(&mono, json!({ "region": [1, 0, 4, 3], "fit": [2, 2], "reduce": "mean" }));
    let means: Vec<f32> =
        mean.payload.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    assert_eq!(means, [515.0, 535.0, 2015.0, 2035.0]);
    check("picture-f32-mean-2.bin", &message(&mean));
    let scaled = made(&mono, json!({ "as": "u8", "range": [0, 2040], "region": [3, 1, 9, 9] }));
    assert_eq!(&*scaled.payload, [129, 130, 254, 255]);
    check("picture-u8-cut.bin", &message(&scaled));
}

#[test]
fn each_axis_has_bins_of_its_own_where_that_is_wanted() {
    let mono = picture(ColorMode::Mono);
    let of = |fit: [u32; 2], axes: &str, reduce: &str| {
        made(&mono, json!({ "region": [1, 0, 4, 3], "fit": fit, "axes": axes, "reduce": reduce }))
    };
    let wide = of([2, 3], "own", "max");
    assert_eq!((wide.header.bin, pixels(&wide)), ((2, 1), vec![20, 40, 1020, 1040, 2020, 2040]));
    assert_eq!(pixels(&of([2, 3], "own", "pick")), [10, 30, 1010, 1030, 2010, 2030]);
    let high = of([4, 2], "own", "max");
    assert_eq!(
        (high.header.bin, pixels(&high)),
        ((1, 2), vec![1010, 1020, 1030, 1040, 2010, 2020, 2030, 2040])
    );
    assert_eq!(pixels(&of([4, 2], "own", "pick")), [10, 20, 30, 40, 2010, 2020, 2030, 2040]);
    let means = of([4, 2], "own", "mean");
    let first = f32::from_le_bytes([means.payload[0], means.payload[1], means.payload[2], means.payload[3]]);
    assert_eq!((first, of([4, 2], "equal", "max").header.bin), (510.0, (2, 2)));
}

#[test]
fn coloured_pictures_are_interleaved_whatever_the_frame_is() {
    let whole = made(&picture(ColorMode::Rgb1), json!({}));
    assert_eq!((whole.header.colours, &pixels(&whole)[..6]), (3, &[0, 1, 2, 10, 11, 12][..]));
    check("picture-rgb.bin", &message(&whole));
    let binned = made(&picture(ColorMode::Rgb1), json!({ "fit": [2, 1] }));
    assert_eq!(pixels(&binned), [2020, 2021, 2022, 2040, 2041, 2042]);
    // In planes of colours the same pixel has other numbers; only their source matters.
    let planes = made(&picture(ColorMode::Rgb3), json!({ "region": [0, 0, 1, 1] }));
    assert_eq!(planes.payload.len(), 6);
}

#[test]
fn tables() {
    let whole = made(&hits(), json!({}));
    assert_eq!((whole.header.width, whole.header.height), (3, 3));
    check("table.bin", &message(&whole));
    let cut = made(&hits(), json!({ "fit": [1, 2] }));
    assert_eq!((cut.header.height, cut.header.full_height, cut.header.flags), (2, 3, 4));
    check("table-cut.bin", &message(&cut));
}

// ---- State ----

/// A value that changes from run to run becomes a fixed number of its kind; texts and truth values stay.
fn still(value: &mut Value, key: &str) {
    match value {
        // Known after the first second of a run, which may be over.
        Value::Null if ["cpu", "in_hz", "out_hz"].contains(&key) => *value = json!(0),
        Value::Number(_) if !["graph", "api", "queue", "every", "capacity", "number"].contains(&key) => {
            *value = json!(0);
        }
        Value::Array(list) => list.iter_mut().for_each(|value| still(value, key)),
        Value::Object(map) => map.iter_mut().for_each(|(key, value)| still(value, key)),
        _ => {}
    }
}

#[test]
fn state() {
    let text = "nodes:\n  cam: {type: sim_detector, params: {max_size_x: 8, max_size_y: 8, acquire: false, finish_when_done: false}}\n  \
                roi: {type: roi, from: {node: cam, max_rate: 5 Hz}}\n  stats: {type: statistics, from: roi}\n";
    let pipeline =
        config::parse("golden.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap();
    let model = Model::run_graph(&pipeline.graph, RunOptions::default()).unwrap();
    let set = Change::SetAll(vec![("min_x".into(), 1.into()), ("min_y".into(), 2.into())]);
    let moment = model.act_and_wait(Caller::program(), Action::Change(1, set)).moment;
    let graph = model.run().graph();
    let edges = json!({ "kind": "graph", "graph": 1, "edges": show::edges_json(&moment, graph) });
    check_json("graph.json", &edges);
    let mut shown = show::moment_json(&moment, 1, 0, &Value::Null);
    still(&mut shown, "");
    check_json("moment.json", &shown);
    let mut times = show::times_json(&moment);
    still(&mut times, "");
    check_json("times.json", &times);
    let mut node = show::node_json(&moment, model.run(), 1);
    still(&mut node, "");
    check_json("node.json", &node);
    let mut log: Vec<Value> = model.log_since(0).iter().map(show::entry_json).collect();
    log.iter_mut().for_each(|entry| still(entry, ""));
    check_json("log.json", &json!({ "kind": "log", "entries": log, "left_out": 0 }));
    let mut history = History::new(graph);
    for second in 0..3 {
        history.add(&moment, 1_795_000_000_000.0 + f64::from(second) * 1000.0);
    }
    let bytes =
        history.read(&["roi.min_x", "roi.min_y", "cam.lost"], 1_795_000_000_000.0, Step::Fine).unwrap();
    check("history.bin", &bytes);
    let read = Columns::read(&bytes).unwrap();
    assert_eq!(read.times_ms, [1_795_000_001_000.0, 1_795_000_002_000.0]);
    assert_eq!(read.series, [[1.0, 1.0], [2.0, 2.0], [0.0, 0.0]]);
    assert!(!read.is_coarse);
    assert_eq!(history.read(&["roi.min_x"], f64::NEG_INFINITY, Step::Coarse).unwrap().len(), 16 + 8 + 4);
    assert!(model.finish(Duration::from_secs(60)).imbalances().is_empty());
}
