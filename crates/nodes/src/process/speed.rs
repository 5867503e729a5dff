//! Service times of the process nodes. Run with
//! `cargo test --release -p livetime-nodes --lib -- --ignored --nocapture speed`.

use std::time::Instant;

use livetime_engine::testing::Harness;
use livetime_engine::{Node, Value};
use livetime_frame::{ColorMode, DType, Element, Frame, Layout};

use super::{process::Process, roi::Roi, statistics::Statistics, transform::Transform};

const SIDE: usize = 1024;

fn picture<T: Element>(node: &mut Harness, of: impl Fn(usize) -> T) -> Frame {
    let pixels: Vec<T> = (0..SIDE * SIDE).map(|i| of((i.wrapping_mul(2_654_435_761) >> 16) % 251)).collect();
    node.image(&[SIDE, SIDE], &pixels).unwrap()
}

/// Median time of a frame in microseconds, for u8, u16 and f32.
fn time<N: Node>(what: &str, params: &[(&str, Value)], prepare: impl Fn(&mut Harness, &Frame)) {
    let times = [0, 1, 2].map(|kind| {
        let mut node = Harness::new::<N>(params).unwrap();
        let frame = match kind {
            0 => picture(&mut node, |v| v as u8),
            1 => picture(&mut node, |v| 16 * v as u16),
            _ => picture(&mut node, |v| v as f32),
        };
        prepare(&mut node, &frame);
        let mut times: Vec<f64> = (0..61).map(|_| time_once(&mut node, &frame)).collect();
        times.sort_by(f64::total_cmp);
        times[30]
    });
    println!("{what:44} u8 {:8.1} us  u16 {:8.1} us  f32 {:8.1} us", times[0], times[1], times[2]);
}

/// One colour of an RGB1 picture of u8 as a mono picture, which has to be gathered.
fn time_one_color() {
    let mut node = Harness::new::<Roi>(&[("size_z", 1.into()), ("collapse_dims", true.into())]).unwrap();
    let layout = Layout::packed(DType::U8, ColorMode::Rgb1, &[SIDE, SIDE, 3]).unwrap();
    let frame = node.array(layout, &vec![7u8; 3 * SIDE * SIDE]).unwrap();
    let mut times: Vec<f64> = (0..21).map(|_| time_once(&mut node, &frame)).collect();
    times.sort_by(f64::total_cmp);
    println!("{:44} u8 {:8.1} us", "roi one colour of RGB1", times[10]);
}

fn time_once(node: &mut Harness, frame: &Frame) -> f64 {
    let start = Instant::now();
    drop(node.feed(frame).unwrap());
    start.elapsed().as_secs_f64() * 1e6
}

fn on<'a>(names: &[&'a str]) -> Vec<(&'a str, Value)> {
    names.iter().map(|name| (*name, true.into())).collect()
}

#[test]
#[ignore = "measures times"]
fn speed() {
    let nothing = |_: &mut Harness, _: &Frame| {};
    time::<Roi>("roi crop (view)", &[("min_x", 100.into()), ("size_x", 800.into())], nothing);
    time::<Roi>("roi bin 2x2", &[("bin_x", 2.into()), ("bin_y", 2.into())], nothing);
    time::<Roi>("roi reverse x", &[("reverse_x", true.into())], nothing);
    time::<Roi>("roi to f32", &[("data_type", "f32".into()), ("min_x", 1.into())], nothing);
    time::<Roi>("roi to u8", &[("data_type", "u8".into()), ("min_x", 1.into())], nothing);
    time_one_color();
    for operation in ["rot90", "rot180", "mirror", "rot90_mirror"] {
        time::<Transform>(&format!("transform {operation}"), &[("operation", operation.into())], nothing);
    }
    time::<Statistics>("statistics basic", &[], nothing);
    time::<Statistics>("statistics basic, centroid", &on(&["compute_centroid"]), nothing);
    time::<Statistics>("statistics histogram too", &on(&["compute_centroid", "compute_histogram"]), nothing);
    time::<Statistics>(
        "statistics all",
        &on(&["compute_centroid", "compute_histogram", "compute_profiles"]),
        nothing,
    );
    let save = |node: &mut Harness, frame: &Frame| {
        node.feed(frame).unwrap();
        node.set("save_background", true).unwrap();
        node.set("save_flat_field", true).unwrap();
        node.set("enable_background", true).unwrap();
    };
    time::<Process>("process background", &[], save);
    time::<Process>("process background, flat field", &[], |node: &mut Harness, frame: &Frame| {
        save(node, frame);
        node.set("enable_flat_field", true).unwrap();
    });
    for precision in ["auto", "single", "double"] {
        let average: Vec<(&str, Value)> = vec![
            ("enable_filter", true.into()),
            ("filter_type", "recursive_ave".into()),
            ("num_filter", 16.into()),
            ("filter_state", precision.into()),
        ];
        time::<Process>(&format!("process recursive average, {precision}"), &average, nothing);
    }
    let all = on(&["enable_filter", "enable_offset_scale", "enable_low_clip", "enable_high_clip"]);
    time::<Process>("process everything", &all, |node: &mut Harness, frame: &Frame| {
        save(node, frame);
        node.set("enable_flat_field", true).unwrap();
    });
    time::<Process>("process to u8", &[("data_type", "u8".into())], nothing);
}
