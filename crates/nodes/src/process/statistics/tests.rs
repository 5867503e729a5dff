use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::{ColorMode, DType, Layout};

use super::*;

fn set(node: &mut Harness, values: &[(&str, Value)]) {
    values.iter().for_each(|(name, value)| node.set(name, value.clone()).unwrap());
}

fn all() -> Harness {
    let groups = ["compute_centroid", "compute_profiles", "compute_histogram"];
    let on: Vec<(&str, Value)> = groups.iter().map(|n| (*n, true.into())).collect();
    Harness::new::<Statistics>(&on).unwrap()
}

fn seen<const N: usize>(node: &mut Harness, names: [&str; N]) -> [f64; N] {
    names.map(|name| node.number_of(name))
}

fn list(node: &mut Harness, name: &str) -> Vec<f64> {
    match node.get(name) {
        Some(Value::List(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

#[track_caller]
fn near(found: &[f64], wanted: &[f64]) {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(close), "{found:?}, not {wanted:?}");
}

/// A small spot in every dtype, as packed array and as a part of a larger one, worked out by hand.
#[test]
fn all_dtypes_and_views() {
    for dtype in DType::ALL {
        let mut node = all();
        set(&mut node, &[("cursor_x", 2.into()), ("cursor_y", 1.into()), ("hist_size", 4.into())]);
        set(&mut node, &[("hist_min", 1.0.into()), ("hist_max", 4.0.into())]);
        with_dtype!(dtype, T => {
            let spot: Vec<T> = [0u8, 1, 0, 2, 4, 2, 0, 3, 9].map(|v| v as T).to_vec();
            let packed = node.image::<T>(&[3, 3], &spot).unwrap();
            let mut wide = vec![7 as T; 5 * 6];
            (0..9).for_each(|i| wide[(i / 3 + 1) * 6 + i % 3 + 2] = spot[i]);
            let wide = node.image::<T>(&[5, 6], &wide).unwrap();
            let (rows, y) = wide.array().unwrap().layout().crop(0, 1, 3).unwrap();
            let (part, x) = rows.crop(1, 2, 3).unwrap();
            let view = node.view(&wide, part, y + x).unwrap();
            for frame in [packed, view] {
                assert!(node.feed(&frame).unwrap()[0].is_same(&frame));
                assert_eq!(seen(&mut node, ["min_value", "min_x", "min_y"]), [0.0, 0.0, 0.0], "{dtype}");
                assert_eq!(seen(&mut node, ["max_value", "max_x", "max_y"]), [9.0, 2.0, 2.0]);
                let mean: f64 = 21.0 / 9.0;
                let sigma = (115.0 / 9.0 - mean * mean).sqrt();
                let net = 21.0 - 17.0 / 8.0 * 9.0;
                near(&seen(&mut node, ["total", "mean_value", "sigma", "net"]), &[21.0, mean, sigma, net]);
                let (x, y): (f64, f64) = (30.0 / 21.0, 32.0 / 21.0);
                near(&seen(&mut node, ["centroid_total", "centroid_x", "centroid_y"]), &[21.0, x, y]);
                near(&seen(&mut node, ["sigma_x"]), &[(52.0 / 21.0 - x * x).sqrt()]);
                near(&list(&mut node, "profile_average_x"), &[2.0 / 3.0, 8.0 / 3.0, 11.0 / 3.0]);
                near(&list(&mut node, "profile_threshold_y"), &[1.0 / 3.0, 8.0 / 3.0, 4.0]);
                assert_eq!(list(&mut node, "profile_cursor_x"), [2.0, 4.0, 2.0]);
                assert_eq!(list(&mut node, "profile_centroid_y"), [1.0, 4.0, 3.0]);
                assert_eq!(seen(&mut node, ["cursor_val", "profile_size_x", "profile_size_y"]), [2.0, 3.0, 3.0]);
                assert_eq!(list(&mut node, "histogram"), [1.0, 2.0, 1.0, 1.0]);
                assert_eq!(list(&mut node, "histogram_x"), [1.0, 2.0, 3.0, 4.0]);
                assert_eq!(seen(&mut node, ["hist_below", "hist_above", "hist_nan"]), [3.0, 1.0, 0.0]);
                near(&seen(&mut node, ["hist_entropy"]), &[-2.0 * 2f64.ln() / 9.0]);
            }
        });
    }
}

/// Colours, also in a part of a picture: sums, places, border and histogram over all three.
#[test]
fn colors_and_stacks() {
    let (w, h) = (7, 5);
    let value = |y: usize, x: usize, c: usize| ((y * 37 + x * 11 + c * 5) % 64) as u16;
    for color in [ColorMode::Rgb1, ColorMode::Rgb2, ColorMode::Rgb3, ColorMode::Mono] {
        let mut node = all();
        set(&mut node, &[("hist_size", 64.into()), ("hist_max", 63.0.into())]);
        let shape = if color == ColorMode::Mono { vec![3, h, w] } else { color.shape(w, h) };
        let layout = Layout::packed(DType::U16, color, &shape).unwrap();
        let axes = layout.axes();
        let place = |i: usize, a: Option<usize>| {
            i / shape[a.unwrap() + 1..].iter().product::<usize>() % shape[a.unwrap()]
        };
        let pixels: Vec<u16> = (0..layout.len())
            .map(|i| value(place(i, axes.y), place(i, axes.x), place(i, axes.color)))
            .collect();
        let whole = node.array(layout, &pixels).unwrap();
        let (rows, y) = layout.crop(axes.y.unwrap(), 1, 3).unwrap();
        let (part, x) = rows.crop(axes.x.unwrap(), 2, 4).unwrap();
        let view = node.view(&whole, part, y + x).unwrap();
        for (frame, (x0, y0, w, h)) in [(whole, (0, 0, w, h)), (view, (2, 1, 4, 3))] {
            let all: Vec<(usize, usize, f64)> = (0..3 * w * h)
                .map(|i| (i / w % h, i % w, i / w / h))
                .map(|(y, x, c)| (y, x, f64::from(value(y + y0, x + x0, c))))
                .collect();
            let count = all.len() as f64;
            let total: f64 = all.iter().map(|p| p.2).sum();
            let mean = total / count;
            let sigma = (all.iter().map(|p| (p.2 - mean).powi(2)).sum::<f64>() / count).sqrt();
            let is_border = |p: &&(usize, usize, f64)| p.0 == 0 || p.1 == 0 || p.0 == h - 1 || p.1 == w - 1;
            let border: Vec<f64> = all.iter().filter(is_border).map(|p| p.2).collect();
            let net = total - border.iter().sum::<f64>() / border.len() as f64 * count;
            node.feed(&frame).unwrap();
            near(&seen(&mut node, ["total", "mean_value", "sigma", "net"]), &[total, mean, sigma, net]);
            for (value, x, y, sign) in
                [("min_value", "min_x", "min_y", 1.0), ("max_value", "max_x", "max_y", -1.0)]
            {
                let [value, x, y] = seen(&mut node, [value, x, y]);
                assert!(all.iter().all(|p| sign * p.2 >= sign * value), "{color}");
                assert!(all.contains(&(y as usize, x as usize, value)), "{color}: {value} at {x}, {y}");
            }
            let mut counts = vec![0.0; 64];
            all.iter().for_each(|p| counts[p.2 as usize] += 1.0);
            assert_eq!(list(&mut node, "histogram"), counts);
            let entropy: f64 = counts.iter().filter(|c| **c > 0.0).map(|c| c * c.ln()).sum();
            near(&seen(&mut node, ["hist_entropy"]), &[-entropy / count]);
            assert_eq!(seen(&mut node, ["centroid_total", "profile_size_x"]), [0.0, 0.0], "not for colours");
        }
    }
}

#[test]
fn groups_are_switched_between_frames() {
    let mut node = all();
    let first = node.image::<u8>(&[1, 2], &[3, 5]).unwrap();
    let second = node.image::<f32>(&[2, 3], &[9.0; 6]).unwrap();
    node.feed(&first).unwrap();
    assert_eq!(seen(&mut node, ["total", "centroid_total"]), [8.0, 8.0]);
    set(&mut node, &[("compute_statistics", false.into()), ("centroid_threshold", 10.0.into())]);
    set(&mut node, &[("compute_histogram", false.into())]);
    node.feed(&second).unwrap();
    assert_eq!(seen(&mut node, ["total", "centroid_total", "profile_size_x"]), [8.0, 0.0, 3.0]);
    assert_eq!(list(&mut node, "profile_average_y"), [9.0, 9.0]);
    assert_eq!(list(&mut node, "histogram").iter().sum::<f64>(), 2.0);
    set(&mut node, &[("compute_histogram", true.into()), ("hist_size", 3.into())]);
    node.feed(&second).unwrap();
    assert_eq!(list(&mut node, "histogram").len(), 3);
}

/// The old numbers of areaDetector, for comparisons with it.
#[test]
fn known_faults_on_request() {
    let mut node = all();
    let frame = node.image::<u8>(&[3, 3], &[8, 0, 0, 0, 9, 0, 0, 0, 8]).unwrap();
    node.feed(&frame).unwrap();
    near(&seen(&mut node, ["net", "eccentricity"]), &[25.0 - 9.0 * 16.0 / 8.0, 1.0]);
    set(&mut node, &[("corners_twice", true.into()), ("eccentricity_minus", true.into())]);
    set(&mut node, &[("axis_of_edges", true.into()), ("hist_size", 5.into()), ("hist_max", 10.0.into())]);
    node.feed(&frame).unwrap();
    near(&seen(&mut node, ["net", "eccentricity"]), &[25.0 - 9.0 * 32.0 / 12.0, -1.0]);
    assert_eq!(list(&mut node, "histogram_x"), [0.0, 2.0, 4.0, 6.0, 8.0]);
}

/// The lists keep their memory while sizes do not change.
#[test]
fn lists_are_reused() {
    let mut node = all();
    let frame = node.image::<u8>(&[4, 5], &[1; 20]).unwrap();
    node.feed(&frame).unwrap();
    let places = |node: &mut Harness| {
        let p = &node.node::<Statistics>().unwrap().params;
        [
            p.profile_average_x.as_ptr(),
            p.profile_cursor_y.as_ptr(),
            p.histogram.as_ptr(),
            p.histogram_x.as_ptr(),
        ]
    };
    let before = places(&mut node);
    node.feed(&frame).unwrap();
    assert_eq!(places(&mut node), before);
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<Statistics>(&[]);
    let groups = ["compute_centroid", "compute_profiles", "compute_histogram"];
    assert_compliant::<Statistics>(&groups.map(|n| (n, true.into())));
}

/// In areaDetector's order, the same as the readbacks; numbers that were not measured are NaN.
#[test]
fn the_23_numbers_of_a_frame() {
    let names = [
        "min_value",
        "min_x",
        "min_y",
        "max_value",
        "max_x",
        "max_y",
        "mean_value",
        "sigma",
        "total",
        "net",
        "centroid_total",
        "centroid_x",
        "centroid_y",
        "sigma_x",
        "sigma_y",
        "sigma_xy",
        "skew_x",
        "skew_y",
        "kurtosis_x",
        "kurtosis_y",
        "eccentricity",
        "orientation",
    ];
    let mut node = all();
    let frame = node.image::<u8>(&[3, 4], &[1, 0, 7, 0, 3, 9, 4, 0, 0, 2, 2, 5]).unwrap();
    let numbers = |node: &mut Harness, frame: &Frame| {
        let sent = node.feed(frame).unwrap();
        assert!(sent[0].is_same(frame) && sent[1].header().sequence == frame.header().sequence);
        sent[1].array().unwrap().elements::<f64>().unwrap().to_vec()
    };
    let found = numbers(&mut node, &frame);
    assert_eq!(found[..22], seen(&mut node, names));
    assert_eq!((found.len(), found[22]), (23, crate::attribute::time_s(frame.header())));
    assert_eq!(found[..6], [0.0, 1.0, 0.0, 9.0, 1.0, 1.0]);
    let stack = node
        .array::<u8>(Layout::packed(DType::U8, ColorMode::Rgb3, &[3, 1, 1]).unwrap(), &[4, 5, 9])
        .unwrap();
    let found = numbers(&mut node, &stack);
    assert_eq!((found[3], found[8]), (9.0, 18.0));
    assert!(found[10..22].iter().all(|v| v.is_nan()), "no centroid of colours");
    set(&mut node, &[("compute_statistics", false.into())]);
    let found = numbers(&mut node, &frame);
    assert!(found[..10].iter().all(|v| v.is_nan()) && found[10] == 33.0);
    node.set("reset", true).unwrap();
    assert_eq!(seen(&mut node, names), [0.0; 22]);
    assert_eq!(node.get("reset"), Some(false.into()));
}
