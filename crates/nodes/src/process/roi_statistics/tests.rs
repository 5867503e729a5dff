use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::{ColorMode, DType};
use livetime_kernels::Pixel;

use super::*;

fn region(number: usize, values: [i64; 5]) -> Vec<(String, Value)> {
    let names = ["min_x", "min_y", "size_x", "size_y", "bgd_width"];
    let mut all: Vec<_> =
        names.iter().zip(values).map(|(name, v)| (format!("region{number}_{name}"), v.into())).collect();
    all.push((format!("region{number}_enable"), true.into()));
    all
}

fn node(regions: &[[i64; 5]]) -> Harness {
    let all: Vec<_> = regions.iter().zip(1..).flat_map(|(values, number)| region(number, *values)).collect();
    let params: Vec<_> = all.iter().map(|(name, value)| (&**name, value.clone())).collect();
    Harness::new::<RoiStatistics>(&params).unwrap()
}

fn results(node: &mut Harness, number: usize) -> [f64; 5] {
    ["min_value", "max_value", "mean_value", "total", "net"]
        .map(|n| node.number_of(&format!("region{number}_{n}")))
}

fn list(node: &mut Harness, name: &str) -> Vec<f64> {
    match node.get(name) {
        Some(Value::List(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

/// The plain definition, pixel by pixel.
fn plain(pixels: &[f64], width: usize, height: usize, [x0, y0, w, h, border]: [i64; 5]) -> [f64; 5] {
    let (x0, y0) = ((x0 as usize).min(width - 1), (y0 as usize).min(height - 1));
    let (w, h) = ((w as usize).min(width - x0), (h as usize).min(height - y0));
    let border = border as usize;
    let (mut all, mut edge) = (Vec::new(), Vec::new());
    for y in 0..h {
        for x in 0..w {
            let value = pixels[(y0 + y) * width + x0 + x];
            all.push(value);
            let near = |i: usize, n: usize| i < border || i + border >= n;
            if near(x, w) || near(y, h) {
                edge.push(value);
            }
        }
    }
    let total: f64 = all.iter().sum();
    let background = if edge.is_empty() { 0.0 } else { edge.iter().sum::<f64>() / edge.len() as f64 };
    let (min, max) =
        (all.iter().copied().fold(f64::MAX, f64::min), all.iter().copied().fold(f64::MIN, f64::max));
    [min, max, total / all.len() as f64, total, total - background * all.len() as f64]
}

#[track_caller]
fn near(found: [f64; 5], wanted: [f64; 5]) {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    assert!(found.iter().zip(&wanted).all(close), "{found:?}, not {wanted:?}");
}

/// Every dtype, an odd size, overlapping regions and such that reach beyond; packed and as a part of something larger.
#[test]
fn as_the_plain_definition_says() {
    let regions =
        [[0, 0, 7, 5, 0], [2, 1, 3, 3, 1], [5, 3, 100, 100, 1], [100, 100, 1, 1, 0], [1, 0, 6, 2, 2]];
    for dtype in DType::ALL {
        let mut node = node(&regions);
        with_dtype!(dtype, T => {
            let pixels: Vec<T> = (0..35usize).map(|i| ((i * 37) % 101) as T).collect();
            let plain_pixels: Vec<f64> = pixels.iter().map(|v| v.to_f64()).collect();
            let packed = node.image::<T>(&[5, 7], &pixels).unwrap();
            let mut wide = vec![9 as T; 8 * 11];
            (0..35).for_each(|i| wide[(i / 7 + 2) * 11 + i % 7 + 3] = pixels[i]);
            let wide = node.image::<T>(&[8, 11], &wide).unwrap();
            let (rows, y) = wide.array().unwrap().layout().crop(0, 2, 5).unwrap();
            let (part, x) = rows.crop(1, 3, 7).unwrap();
            let view = node.view(&wide, part, y + x).unwrap();
            for frame in [packed, view] {
                assert!(node.feed(&frame).unwrap()[0].is_same(&frame));
                for (number, region) in regions.iter().enumerate() {
                    near(results(&mut node, number + 1), plain(&plain_pixels, 7, 5, *region));
                }
            }
        });
        assert_eq!(results(&mut node, 6), [0.0; 5], "not in use");
    }
}

#[test]
fn what_was_asked_for_comes_back_with_a_larger_frame() {
    let mut node = node(&[[3, 2, 4, 4, 0]]);
    let used = |node: &mut Harness| {
        ["used_min_x", "used_min_y", "used_size_x", "used_size_y", "max_size_x", "max_size_y"]
            .map(|n| node.number_of(&format!("region1_{n}")))
    };
    let small = node.image::<u8>(&[3, 2], &[1; 6]).unwrap();
    node.feed(&small).unwrap();
    assert_eq!(used(&mut node), [1.0, 2.0, 1.0, 1.0, 2.0, 3.0]);
    let large = node.image::<u8>(&[9, 9], &[1; 81]).unwrap();
    node.feed(&large).unwrap();
    assert_eq!(used(&mut node), [3.0, 2.0, 4.0, 4.0, 9.0, 9.0]);
    assert_eq!(results(&mut node, 1), [1.0, 1.0, 1.0, 16.0, 16.0]);
    let line = node.image::<u8>(&[9], &[0, 0, 0, 5, 1, 1, 5, 0, 0]).unwrap();
    node.set("region1_bgd_width", 1).unwrap();
    node.feed(&line).unwrap();
    assert_eq!(results(&mut node, 1), [1.0, 5.0, 3.0, 12.0, -8.0]);
    assert_eq!(node.number_of("region1_max_size_y"), 0.0);
    node.set("region1_reset", true).unwrap();
    assert_eq!((results(&mut node, 1), node.get("region1_reset")), ([0.0; 5], Some(false.into())));
    node.feed(&line).unwrap();
    node.set("reset_all", true).unwrap();
    assert_eq!(results(&mut node, 1), [0.0; 5]);
}

#[test]
fn time_series_of_the_regions_in_use() {
    let mut node = node(&[[0, 0, 2, 1, 0]]);
    node.set("ts_num_points", 3).unwrap();
    let feed = |node: &mut Harness, value: u16| {
        let frame = node.image::<u16>(&[1, 2], &[value, 1]).unwrap();
        node.feed(&frame).unwrap();
    };
    feed(&mut node, 5);
    assert_eq!(node.number_of("ts_current_point"), 0.0, "not switched on");
    node.set("ts_control", "Erase/Start").unwrap();
    feed(&mut node, 7);
    feed(&mut node, 9);
    assert_eq!(list(&mut node, "region1_ts_total"), [0.0f64; 0]);
    node.advance(1_000_000_000).unwrap();
    assert_eq!(list(&mut node, "region1_ts_total"), [8.0, 10.0]);
    node.set("ts_control", "stop").unwrap();
    feed(&mut node, 1);
    node.set("ts_control", "start").unwrap();
    feed(&mut node, 3);
    assert_eq!((node.get("ts_acquiring"), node.number_of("ts_current_point")), (Some(false.into()), 3.0));
    assert_eq!(list(&mut node, "region1_ts_total"), [8.0, 10.0, 4.0], "shown when full");
    assert_eq!(list(&mut node, "region1_ts_max_value"), [7.0, 9.0, 3.0]);
    assert_eq!(list(&mut node, "region1_ts_timestamp").len(), 3);
    assert_eq!(list(&mut node, "region2_ts_total"), [0.0f64; 0]);
    node.set("ts_control", "start").unwrap();
    assert_eq!(node.get("ts_acquiring"), Some(false.into()), "there is no room");
    node.set("ts_control", "erase").unwrap();
    assert_eq!(list(&mut node, "region1_ts_total"), [0.0f64; 0]);
    node.set("ts_control", "start").unwrap();
    feed(&mut node, 6);
    node.set("ts_read", 3).unwrap();
    assert_eq!(list(&mut node, "region1_ts_mean_value"), [3.5]);
}

#[test]
fn colours_are_refused() {
    let mut node = node(&[[0, 0, 1, 1, 0]]);
    let layout = Layout::packed(DType::U8, ColorMode::Rgb1, &[2, 2, 3]).unwrap();
    let frame = node.array::<u8>(layout, &[0; 12]).unwrap();
    let error = node.feed(&frame).unwrap_err().to_string();
    assert!(error.starts_with("wanted an array of one or two dimensions, found [2, 2, 3]"), "{error}");
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<RoiStatistics>(&[]);
    assert_compliant::<RoiStatistics>(&[
        ("region1_enable", true.into()),
        ("region8_enable", true.into()),
        ("ts_control", "erase_start".into()),
    ]);
}
