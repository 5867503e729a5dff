use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::{ColorMode, DType, Element};

use super::*;

fn list(entries: &str) -> String {
    format!(r#"{{"Bad pixels": [{entries}]}}"#)
}

fn node(entries: &str) -> Harness {
    Harness::new::<BadPixels>(&[("file_name", list(entries).into())]).unwrap()
}

fn fed<T: Element>(node: &mut Harness, shape: &[usize], pixels: &[T]) -> Vec<T> {
    let frame = node.image::<T>(shape, pixels).unwrap();
    node.feed(&frame).unwrap()[0].array().unwrap().elements::<T>().unwrap().to_vec()
}

#[test]
fn values_by_hand_of_every_dtype() {
    // 9 at (1, 1) is replaced by the pixel to its right, 8 at (3, 0) by the median of 3 x 3 without itself and
    // without the bad pixel below it, 7 at (3, 1) by 100.
    let mut node = node(
        r#"{"Pixel": [1, 1], "Replace": [1, 0]}, {"Pixel": [3, 0], "Median": [1, 1]}, {"Pixel": [3, 1], "Set": 100},
           {"Pixel": [9, 9], "Set": 1}"#,
    );
    for dtype in DType::ALL {
        livetime_frame::with_dtype!(dtype, T => {
            let pixels = [1, 2, 3, 8, 5, 6, 9, 20, 7, 9].map(|v| v as T);
            let wanted = [1, 2, 3, 7, 5, 6, 20, 20, 100, 9].map(|v| v as T);
            assert_eq!(fed(&mut node, &[2, 5], &pixels), wanted, "{dtype}");
        });
    }
    assert_eq!((node.number_of("listed"), node.number_of("repaired")), (4.0, 3.0));
}

/// The median of the usable pixels of the window, by sorting.
#[test]
fn medians_agree_with_sorting() {
    let (w, h) = (13, 9);
    let pixels: Vec<i32> = (0..w * h).map(|i| (i * 7919 % 401) - 200).collect();
    for (x, y, hx, hy) in
        [(0, 0, 1, 1), (5, 4, 3, 2), (12, 8, 2, 2), (6, 0, 40, 0), (6, 4, 100, 100), (1, 1, 0, 2)]
    {
        let mut node = node(&format!(
            r#"{{"Pixel": [{x}, {y}], "Median": [{hx}, {hy}]}}, {{"Pixel": [7, 4], "Set": -1000}}"#
        ));
        let mut around: Vec<i32> = (0..w * h)
            .filter(|i| (i % w - x).abs() <= hx && (i / w - y).abs() <= hy)
            .filter(|i| *i != y * w + x && *i != 4 * w + 7)
            .map(|i| pixels[i as usize])
            .collect();
        around.sort_unstable();
        let middle = around.len() / 2;
        let median =
            if around.len() % 2 == 1 { around[middle] } else { (around[middle - 1] + around[middle]) / 2 };
        let found = fed(&mut node, &[h as usize, w as usize], &pixels);
        assert_eq!(found[(y * w + x) as usize], median, "{x} {y} {hx} {hy}");
        assert_eq!(found[4 * 13 + 7], -1000);
    }
}

/// A detector of 40 x 30 whose pixel (x, y) holds 100 y + x, read out in every mode: the same pixels are found.
#[test]
fn regions_binning_and_reversal_find_the_same_pixels() {
    let mut node = node(r#"{"Pixel": [20, 10], "Replace": [2, 1]}, {"Pixel": [13, 10], "Set": 1}"#);
    for (binning, reverse) in [(1, false), (1, true), (4, false), (4, true)] {
        let (w, h, x0, y0) = (24 / binning, 20 / binning, 12, 8);
        let x_of = |i: usize| x0 + binning * if reverse { w - 1 - i } else { i };
        let pixels: Vec<u16> =
            (0..w * h).map(|i| (100 * (y0 + binning * (i / w)) + x_of(i % w)) as u16).collect();
        let layout = Layout::packed(DType::U16, ColorMode::Mono, &[h, w]).unwrap();
        let layout = layout.with_origin([(y0, binning, false), (x0, binning, reverse)]);
        let frame = node.array::<u16>(layout, &pixels).unwrap();
        let out = node.feed(&frame).unwrap();
        let found = out[0].array().unwrap().elements::<u16>().unwrap();
        let at = |x: usize, y: usize| {
            let column = (x - x0) / binning;
            (y - y0) / binning * w + if reverse { w - 1 - column } else { column }
        };
        let (x, y) = ((20 - x0) / binning * binning + x0, (10 - y0) / binning * binning + y0);
        // Distances count pixels of the picture.
        assert_eq!(
            usize::from(found[at(20, 10)]),
            100 * (y + binning) + x + 2 * binning,
            "{binning} {reverse}"
        );
        assert_eq!(found[at(13, 10)], 1);
        let changed = found.iter().zip(&pixels).filter(|(a, b)| a != b).count();
        assert_eq!(changed, 2);
    }
}

#[test]
fn every_color_and_plane_is_treated_alike() {
    let mut node = node(r#"{"Pixel": [1, 1], "Replace": [-1, 0]}"#);
    for color in [ColorMode::Rgb1, ColorMode::Rgb2, ColorMode::Rgb3] {
        let layout = Layout::packed(DType::U8, color, &color.shape(3, 2)).unwrap();
        let pixels: Vec<u8> = (0..18).collect();
        let frame = node.array::<u8>(layout, &pixels).unwrap();
        let out = node.feed(&frame).unwrap();
        let found = out[0].array().unwrap().elements::<u8>().unwrap();
        let changed: Vec<usize> = (0..18).filter(|i| found[*i] != pixels[*i]).collect();
        let wanted = match color {
            ColorMode::Rgb1 => [(12, 9), (13, 10), (14, 11)],
            ColorMode::Rgb2 => [(10, 9), (13, 12), (16, 15)],
            _ => [(4, 3), (10, 9), (16, 15)],
        };
        assert_eq!(changed, wanted.map(|(at, _)| at), "{color}");
        wanted.iter().for_each(|(at, from)| assert_eq!(found[*at], *from as u8));
    }
    assert_eq!(fed(&mut node, &[2, 2, 2], &[1u8, 2, 3, 4, 5, 6, 7, 8]), [1, 2, 3, 3, 5, 6, 7, 7]);
    assert_eq!(node.number_of("repaired"), 1.0);
    // A view: its gaps are left out.
    let whole = Layout::packed(DType::U8, ColorMode::Mono, &[4, 5]).unwrap();
    let frame = node.image::<u8>(&[4, 5], &(0..20).collect::<Vec<_>>()).unwrap();
    let (rows, y) = whole.crop(0, 1, 2).unwrap();
    let (part, x) = rows.crop(1, 0, 3).unwrap();
    let view = node.view(&frame, part, y + x).unwrap();
    let out = node.feed(&view).unwrap();
    assert_eq!(out[0].array().unwrap().elements::<u8>().unwrap(), [5, 5, 7, 10, 11, 12]);
    // One dimension is a row.
    let mut row = self::node(r#"{"Pixel": [1, 0], "Median": [1, 0]}"#);
    assert_eq!(fed(&mut row, &[3], &[1.5f32, f32::NAN, 2.5]), [1.5, 2.0, 2.5]);
}

#[test]
fn an_entry_with_a_size_is_all_pixels_of_a_rectangle() {
    let pixels: Vec<u16> = (1..=20).collect();
    let mut node =
        node(r#"{"Pixel": [1, 1], "Size": [3, 2], "Set": 0}, {"Pixel": [4, 3], "Size": [9, 9], "Set": 50}"#);
    let wanted = [1, 2, 3, 4, 5, 6, 0, 0, 0, 10, 11, 0, 0, 0, 15, 16, 17, 18, 19, 50];
    assert_eq!(fed(&mut node, &[4, 5], &pixels), wanted);
    assert_eq!((node.number_of("listed"), node.number_of("repaired")), (87.0, 7.0));
    // Nothing is taken from within the rectangle.
    let mut node = self::node(r#"{"Pixel": [1, 0], "Size": [3, 1], "Median": [1, 0]}"#);
    assert_eq!(fed(&mut node, &[1, 5], &[10u8, 1, 2, 3, 20]), [10, 10, 2, 20, 20]);
}

#[test]
fn without_a_good_neighbour_a_pixel_stays() {
    let mut node = node(
        r#"{"Pixel": [0, 0], "Replace": [1, 0]}, {"Pixel": [1, 0], "Replace": [5, 5]}, {"Pixel": [2, 0], "Median": [0, 0]},
           {"Pixel": [1, 0], "Set": 5}"#,
    );
    assert_eq!(fed(&mut node, &[1, 3], &[1u8, 2, 3]), [1, 2, 3]);
    assert_eq!((node.number_of("repaired"), node.number_of("not_repaired")), (0.0, 3.0));
    let mut numbers = self::node(r#"{"Pixel": [1, 0], "Median": [1, 0]}"#);
    let found = fed(&mut numbers, &[1, 3], &[f64::NAN, 3.0, f64::NAN]);
    assert_eq!(found[1], 3.0);
    assert_eq!(fed(&mut numbers, &[1, 3], &[f64::NAN, 3.0, -1.0])[1], -1.0);
}

#[test]
fn a_new_list_acts_from_the_next_frame_and_nothing_costs_no_copy() {
    let mut node = node("");
    let frame = node.image::<u8>(&[1, 2], &[1, 2]).unwrap();
    assert!(node.feed(&frame).unwrap()[0].is_same(&frame));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.json");
    std::fs::write(&file, list(r#"{"Pixel": [0, 0], "Set": 300}"#)).unwrap();
    node.set("file_name", file.to_str().unwrap()).unwrap();
    assert_eq!(node.feed(&frame).unwrap()[0].array().unwrap().elements::<u8>().unwrap(), [255, 2]);
    std::fs::write(&file, list(r#"{"Pixel": [1, 0], "Set": -3}"#)).unwrap();
    node.set("file_name", file.to_str().unwrap()).unwrap();
    assert_eq!(node.feed(&frame).unwrap()[0].array().unwrap().elements::<u8>().unwrap(), [1, 0]);
    // A list that cannot be read changes nothing.
    assert!(
        node.set("file_name", "/nowhere/bad.json").unwrap_err().to_string().contains("`/nowhere/bad.json`")
    );
    assert_eq!(node.feed(&frame).unwrap()[0].array().unwrap().elements::<u8>().unwrap(), [1, 0]);
}

#[test]
fn hostile_lists_are_refused_with_their_place() {
    let refused = |text: &str| list::read(text).unwrap_err().to_string();
    assert!(refused("{\"Bad pixels\": [\n  {,").contains("line 2 column 4"));
    assert!(refused("{}").contains("`Bad pixels`"));
    let deep = format!("{{\"Bad pixels\": {}", "[".repeat(100_000));
    assert!(refused(&deep).contains("recursion limit"));
    let entry = |text: &str| refused(&list(&format!(r#"{{"Pixel": [1, 1], "Set": 1}}, {text}"#)));
    for (text, wanted) in [
        ("7", "entry 1 of `Bad pixels`: wanted an object, found 7"),
        (r#"{"Set": 1}"#, "wanted `Pixel` with two whole numbers"),
        (r#"{"Pixel": [-1, 2], "Set": 1}"#, "from 0 to"),
        (r#"{"Pixel": [1, 1e300], "Set": 1}"#, "found [1,1e+300]"),
        (r#"{"Pixel": [1, 9223372036854775807], "Set": 1}"#, "from 0 to"),
        (r#"{"Pixel": [1], "Set": 1}"#, "found [1]"),
        (r#"{"Pixel": [1, 1]}"#, "wanted one of Set, Replace, Median, found 0"),
        (r#"{"Pixel": [1, 1], "Set": 1, "Median": [1, 1]}"#, "found 2"),
        (r#"{"Pixel": [1, 1], "Set": "NaN"}"#, "wanted `Set` with a number"),
        (r#"{"Pixel": [1, 1], "Median": [-1, 1]}"#, "`Median`"),
        (r#"{"Pixel": [1, 1], "Mean": [1, 1]}"#, "found `Mean`"),
        (r#"{"Pixel": [1, 1], "Size": [0, 4], "Set": 1}"#, "wanted `Size` with two whole numbers from 1"),
        (r#"{"Pixel": [1, 1], "Size": [1024, 1024], "Set": 1}"#, "at most 1048576 bad pixels, found 1048577"),
        (r#"{"Pixel": [1, 1], "Size": [2147483648, 2147483648], "Set": 1}"#, "at most 1048576 bad pixels"),
        (r#"{"Pixel": [1, 1], "Median": [2000000000, 2000000000]}"#, "medians of at most 16777216"),
    ] {
        assert!(entry(text).contains(wanted), "{text}: {}", entry(text));
    }
    // NaN is no JSON.
    assert!(entry(r#"{"Pixel": [1, 1], "Set": NaN}"#).contains("wanted JSON"));
    let long = list(&r#"{"Pixel": [1, 1], "Set": 1},"#.repeat(400_000));
    assert!(refused(&long).contains("at most 8388608 bytes"));
}

#[test]
fn keeps_the_contract() {
    let pixels = r#"{"Pixel": [1, 1], "Median": [2, 2]}, {"Pixel": [0, 0], "Replace": [1, 0]}, {"Pixel": [7, 9], "Set": 4}"#;
    assert_compliant::<BadPixels>(&[("file_name", list(pixels).into())]);
    assert_compliant::<BadPixels>(&[]);
}

/// Any text is refused with a reason or taken, and frames pass afterwards.
#[test]
fn damaged_lists_are_refused_or_taken() {
    let good = list(
        r#"{"Pixel": [1, 1], "Replace": [1, 0]}, {"Pixel": [3, 0], "Median": [1, 1]}, {"Pixel": [0, 1], "Set": 100}"#,
    );
    let (mut taken, mut refused) = (0, 0);
    for number in 0..2000 {
        let text = livetime_testkit::mutated(&good, number);
        let mut node = node(r#"{"Pixel": [0, 0], "Set": 7}"#);
        match node.set("file_name", text.as_str()) {
            Ok(()) => taken += 1,
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty(), "{text}");
                assert_eq!(node.number_of("listed"), 1.0, "what was there stays: {text}");
            }
        }
        assert_eq!(fed::<u8>(&mut node, &[2, 4], &[1; 8]).len(), 8, "{text}");
    }
    assert!(taken > 20 && refused > 200, "{taken} {refused}");
}
