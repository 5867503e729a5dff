use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::Dim;

use super::*;

const MODES: [ColorMode; 4] = [ColorMode::Mono, ColorMode::Rgb1, ColorMode::Rgb2, ColorMode::Rgb3];

fn set(node: &mut Harness, values: &[(&str, Value)]) {
    values.iter().for_each(|(name, value)| node.set(name, value.clone()).unwrap());
}

/// Element numbers of an array in memory order, as (z, y, x).
fn coordinates(layout: &Layout) -> Vec<(usize, usize, usize)> {
    let axes = layout.axes();
    let dims: Vec<usize> = layout.shape().collect();
    let place = |index: usize, axis: Option<usize>| {
        axis.map_or(0, |a| index / dims[a + 1..].iter().product::<usize>() % dims[a])
    };
    (0..layout.len()).map(|i| (place(i, axes.color), place(i, axes.y), place(i, axes.x))).collect()
}

fn value(z: usize, y: usize, x: usize) -> f64 {
    (z * 20 + y * 5 + x) as f64
}

fn origin(dim: &Dim) -> (usize, usize, bool) {
    (dim.offset, dim.binning, dim.reverse)
}

/// Everything at once against a plain definition: x 1..7 binned by 2 and reversed, y 1..5 binned by 3, all
/// colours, divided by 4.
#[test]
fn all_dtypes_and_colors() {
    let mut node = Harness::new::<Roi>(&[]).unwrap();
    set(
        &mut node,
        &[("min_x", 1.into()), ("size_x", 7.into()), ("bin_x", 2.into()), ("reverse_x", true.into())],
    );
    set(
        &mut node,
        &[("min_y", 1.into()), ("size_y", 4.into()), ("bin_y", 3.into()), ("reverse_y", true.into())],
    );
    for scale in [false, true] {
        set(&mut node, &[("enable_scale", scale.into()), ("scale", 4.0.into())]);
        for color in MODES {
            for (from, to) in DType::ALL.into_iter().flat_map(|a| DType::ALL.map(|b| (a, b))) {
                node.set("data_type", DType::ALL.iter().position(|d| *d == to).unwrap() as i64).unwrap();
                let layout = Layout::packed(from, color, &color.shape(9, 6)).unwrap();
                let expected = |z: usize, x: usize| -> f64 {
                    let column = 1 + 2 * (2 - x);
                    let sum: f64 = (1..4).flat_map(|y| [value(z, y, column), value(z, y, column + 1)]).sum();
                    if scale { sum / 4.0 } else { sum }
                };
                with_dtype!(from, I => with_dtype!(to, O => {
                    let pixels: Vec<I> = coordinates(&layout).iter().map(|(z, y, x)| value(*z, *y, *x) as I).collect();
                    let frame = node.array::<I>(layout, &pixels).unwrap();
                    let out = node.feed(&frame).unwrap();
                    let array = out[0].array().unwrap();
                    assert_eq!(array.layout().shape().collect::<Vec<_>>(), color.shape(3, 1));
                    let wanted: Vec<O> =
                        coordinates(array.layout()).iter().map(|(z, _, x)| expected(*z, *x) as O).collect();
                    assert_eq!(array.elements::<O>().unwrap(), wanted, "{layout} to {to}");
                    assert_eq!(node.plan(&[Stream::Array(layout)]).unwrap(), [Stream::Array(*array.layout())]);
                }));
            }
        }
    }
}

#[test]
fn a_crop_is_a_view_into_its_parent() {
    let mut node =
        Harness::new::<Roi>(&[("min_x", 2.into()), ("size_x", 3.into()), ("min_y", 1.into())]).unwrap();
    for color in MODES {
        let layout = Layout::packed(DType::U16, color, &color.shape(6, 4)).unwrap();
        let pixels: Vec<u16> =
            coordinates(&layout).iter().map(|(z, y, x)| value(*z, *y, *x) as u16).collect();
        let frame = node.array(layout, &pixels).unwrap();
        let out = node.feed(&frame).unwrap();
        let (part, whole) = (out[0].bytes().as_ptr_range(), frame.bytes().as_ptr_range());
        assert!(whole.start < part.start && part.end <= whole.end, "{color}");
        let array = out[0].array().unwrap();
        assert_eq!(array.layout().shape().collect::<Vec<_>>(), color.shape(3, 3));
        let found: Vec<u16> = array.rows::<u16>().unwrap().flatten().copied().collect();
        let wanted: Vec<u16> =
            coordinates(array.layout()).iter().map(|(z, y, x)| value(*z, y + 1, x + 2) as u16).collect();
        assert_eq!(found, wanted, "{color}");
        assert_eq!(out[0].header().sequence, frame.header().sequence);
    }
    let small = node.image::<u8>(&[1, 1], &[9]).unwrap();
    node.set("enable_x", false).unwrap();
    assert!(node.feed(&small).unwrap()[0].is_same(&small), "a region that is everything passes as it is");
}

/// Third dimension: one colour as a mono picture, two colours, colours added up, reversed.
#[test]
fn colors_are_selected_added_and_reversed() {
    for color in [ColorMode::Rgb1, ColorMode::Rgb2, ColorMode::Rgb3] {
        let layout = Layout::packed(DType::U8, color, &color.shape(4, 2)).unwrap();
        let pixels: Vec<u8> = coordinates(&layout).iter().map(|(z, y, x)| value(*z, *y, *x) as u8).collect();
        let mut node = Harness::new::<Roi>(&[("min_x", 1.into())]).unwrap();
        let frame = node.array(layout, &pixels).unwrap();

        set(&mut node, &[("min_z", 1.into()), ("size_z", 1.into()), ("collapse_dims", true.into())]);
        let out = node.feed(&frame).unwrap();
        let array = out[0].array().unwrap();
        assert_eq!(array.layout().to_string(), "2x3 u8 mono");
        assert_eq!(
            array.rows::<u8>().unwrap().flatten().copied().collect::<Vec<_>>(),
            [21, 22, 23, 26, 27, 28]
        );

        set(&mut node, &[("collapse_dims", false.into()), ("bin_x", 3.into())]);
        let out = node.feed(&frame).unwrap();
        assert_eq!(out[0].array().unwrap().layout().color(), ColorMode::Mono);
        assert_eq!(out[0].array().unwrap().elements::<u8>().unwrap(), [66, 81]);

        set(
            &mut node,
            &[("min_z", 0.into()), ("size_z", 3.into()), ("bin_z", 3.into()), ("bin_x", 1.into())],
        );
        let out = node.feed(&frame).unwrap();
        assert_eq!(out[0].array().unwrap().elements::<u8>().unwrap(), [63, 66, 69, 78, 81, 84]);
        set(&mut node, &[("reverse_x", true.into())]);
        let out = node.feed(&frame).unwrap();
        assert_eq!(out[0].array().unwrap().elements::<u8>().unwrap(), [69, 66, 63, 84, 81, 78]);

        set(&mut node, &[("bin_z", 1.into()), ("reverse_z", true.into()), ("reverse_x", false.into())]);
        let out = node.feed(&frame).unwrap();
        let array = out[0].array().unwrap();
        assert_eq!(array.layout().color(), color);
        let wanted: Vec<u8> =
            coordinates(array.layout()).iter().map(|(z, y, x)| value(2 - z, *y, x + 1) as u8).collect();
        assert_eq!(array.elements::<u8>().unwrap(), wanted);
        let z = array.layout().axes().color.unwrap();
        assert_eq!(origin(&array.layout().dims()[z]), (0, 1, true));
    }
}

#[test]
fn overflow_saturates_or_wraps() {
    let mut node = Harness::new::<Roi>(&[("bin_x", 2.into())]).unwrap();
    let frame = node.image::<u8>(&[1, 2], &[200, 100]).unwrap();
    assert_eq!(node.feed(&frame).unwrap()[0].bytes(), [255]);
    node.set("overflow", "wrap").unwrap();
    assert_eq!(node.feed(&frame).unwrap()[0].bytes(), [44]);
    set(&mut node, &[("enable_scale", true.into()), ("scale", 2.0.into())]);
    assert_eq!(node.feed(&frame).unwrap()[0].bytes(), [150]);
}

#[test]
fn wishes_are_limited_shown_and_kept() {
    let mut node = Harness::new::<Roi>(&[]).unwrap();
    set(&mut node, &[("min_x", 8.into()), ("size_x", 4.into()), ("bin_x", 9.into()), ("min_y", (-3).into())]);
    let small = node.image::<u8>(&[2, 6], &[1; 12]).unwrap();
    let large = node.image::<u8>(&[3, 20], &[1; 60]).unwrap();
    node.feed(&small).unwrap();
    let seen =
        |node: &mut Harness, names: &[&str]| names.iter().map(|n| node.number_of(n)).collect::<Vec<_>>();
    let names =
        ["max_size_x", "actual_min_x", "actual_size_x", "actual_bin_x", "actual_min_y", "array_size_x"];
    assert_eq!(seen(&mut node, &names), [6.0, 5.0, 1.0, 1.0, 0.0, 1.0]);
    node.feed(&large).unwrap();
    assert_eq!(seen(&mut node, &names), [20.0, 8.0, 4.0, 4.0, 0.0, 1.0]);
    assert_eq!(node.number_of("min_x"), 8.0);
    node.set("auto_size_x", true).unwrap();
    node.feed(&large).unwrap();
    assert_eq!(seen(&mut node, &names), [20.0, 8.0, 12.0, 9.0, 0.0, 1.0]);
    assert_eq!(node.number_of("max_size_z"), 0.0);
}

#[test]
fn a_region_outside_is_refused_before_a_run() {
    let stream = |dtype| Stream::Array(Layout::packed(dtype, ColorMode::Mono, &[4, 6]).unwrap());
    let mut node = Harness::new::<Roi>(&[("min_x", 6.into())]).unwrap();
    let error = node.plan(&[stream(DType::U8)]).unwrap_err().to_string();
    assert_eq!(error, "wanted elements 6 and what follows along x, found 6 elements along x");
    set(&mut node, &[("min_x", 2.into()), ("min_y", 1.into()), ("size_y", 4.into())]);
    let error = node.plan(&[stream(DType::U8)]).unwrap_err().to_string();
    assert_eq!(error, "wanted elements 1 to 4 along y, found 4 elements along y");
    for name in ["auto_size_y", "enable_y"] {
        node.set(name, name == "auto_size_y").unwrap();
        assert!(node.plan(&[stream(DType::U8)]).is_ok());
    }
    assert_eq!(node.plan(&[Stream::Unknown]).unwrap(), [Stream::Unknown]);
}

/// Offsets, binnings and reversals add up, also counted from the far end of a reversed array.
#[test]
fn origins_add_up_through_regions() {
    let mut first = Harness::new::<Roi>(&[]).unwrap();
    set(
        &mut first,
        &[("min_x", 10.into()), ("size_x", 41.into()), ("bin_x", 2.into()), ("reverse_x", true.into())],
    );
    set(&mut first, &[("min_y", 3.into())]);
    let mut second = Harness::new::<Roi>(&[]).unwrap();
    set(&mut second, &[("min_x", 2.into()), ("size_x", 9.into()), ("bin_x", 3.into()), ("min_y", 1.into())]);
    let pixels: Vec<i32> = (0..6 * 100).map(|i| i % 100).collect();
    let frame = first.image::<i32>(&[6, 100], &pixels).unwrap();
    let middle = first.feed(&frame).unwrap();
    let out = second.feed(&middle[0]).unwrap();
    let array = out[0].array().unwrap();
    // The first pass covers 10..50 from the far end; of its 20 elements 2..11 are 28..46.
    let [y, x] = [array.layout().dims()[0], array.layout().dims()[1]];
    assert_eq!((origin(&x), origin(&y)), ((28, 6, true), (4, 1, false)));
    let covered: Vec<i32> = [(40..46), (34..40), (28..34)].map(Iterator::sum).to_vec();
    assert_eq!(array.elements::<i32>().unwrap()[..3], covered);
    second.set("reverse_x", true).unwrap();
    let out = second.feed(&middle[0]).unwrap();
    assert!(!out[0].array().unwrap().layout().dims()[1].reverse, "reversed twice is not reversed");
}

/// A view as input, a change of size and dtype from frame to frame, more than three dimensions.
#[test]
fn views_and_stacks_as_input() {
    let mut node = Harness::new::<Roi>(&[("bin_x", 2.into()), ("reverse_y", true.into())]).unwrap();
    let whole = node.image::<u16>(&[4, 5], &(0..20).collect::<Vec<_>>()).unwrap();
    let (rows, y) = whole.array().unwrap().layout().crop(0, 1, 2).unwrap();
    let (part, x) = rows.crop(1, 1, 4).unwrap();
    let view = node.view(&whole, part, y + x).unwrap();
    assert_eq!(node.feed(&view).unwrap()[0].array().unwrap().elements::<u16>().unwrap(), [23, 27, 13, 17]);
    let stack = node.image::<f64>(&[2, 2, 1, 3], &(0..12).map(f64::from).collect::<Vec<_>>()).unwrap();
    set(&mut node, &[("bin_z", 2.into()), ("reverse_y", false.into())]);
    let out = node.feed(&stack).unwrap();
    assert_eq!(out[0].array().unwrap().elements::<f64>().unwrap(), [0. + 1. + 3. + 4., 6. + 7. + 9. + 10.]);
    let column = node.image::<u8>(&[3, 2], &[1, 2, 3, 4, 5, 6]).unwrap();
    set(&mut node, &[("bin_x", 1.into()), ("size_x", 1.into()), ("collapse_dims", true.into())]);
    let out = node.feed(&column).unwrap();
    assert_eq!(out[0].array().unwrap().layout().to_string(), "3 u8 mono");
    assert_eq!(out[0].bytes(), [1, 3, 5], "a column is packed: elements of a row lie side by side");
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<Roi>(&[]);
    assert_compliant::<Roi>(&[("min_x", 3.into()), ("size_x", 2.into()), ("collapse_dims", true.into())]);
    let all = [("bin_x", 2.into()), ("bin_y", 2.into()), ("bin_z", 2.into()), ("reverse_z", true.into())];
    assert_compliant::<Roi>(&all);
    assert_compliant::<Roi>(&[("data_type", "f32".into()), ("reverse_x", true.into()), ("size_z", 1.into())]);
}
