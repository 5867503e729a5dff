use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::{Attributes, DType, Element};

use super::*;

/// Value of colour `c` of a pixel; multiples of 3 apart, so that a mean is a whole number.
fn value(y: usize, x: usize, c: usize) -> usize {
    y * 30 + x * 6 + c * 3
}

/// The elements of a picture in a mode.
fn picture<T: Element>(
    color: ColorMode,
    w: usize,
    h: usize,
    of: impl Fn(usize, usize, usize) -> T,
) -> Vec<T> {
    let all = |sizes: [usize; 3], order: fn([usize; 3]) -> [usize; 3]| {
        let mut values = Vec::new();
        for i in 0..sizes[0] {
            for j in 0..sizes[1] {
                for k in 0..sizes[2] {
                    let [y, x, c] = order([i, j, k]);
                    values.push(of(y, x, c));
                }
            }
        }
        values
    };
    match color {
        ColorMode::Rgb1 => all([h, w, 3], |[y, x, c]| [y, x, c]),
        ColorMode::Rgb2 => all([h, 3, w], |[y, c, x]| [y, x, c]),
        ColorMode::Rgb3 => all([3, h, w], |[c, y, x]| [y, x, c]),
        _ => all([1, h, w], |[_, y, x]| [y, x, 1]),
    }
}

const CONVERTED: [ColorMode; 4] = [ColorMode::Mono, ColorMode::Rgb1, ColorMode::Rgb2, ColorMode::Rgb3];

#[test]
fn all_modes_and_dtypes() {
    let (w, h) = (5, 3);
    let mut node = Harness::new::<ColorConvert>(&[]).unwrap();
    for to in CONVERTED {
        // The mode acts from the next frame.
        node.set("color_mode_out", to.name()).unwrap();
        for from in CONVERTED {
            for dtype in DType::ALL {
                let layout = Layout::packed(dtype, from, &from.shape(w, h)).unwrap();
                with_dtype!(dtype, T => {
                    // The middle colour is the mean of the three, and all that a mono picture has.
                    let c_of = |c: usize| if from == ColorMode::Mono { 1 } else { c };
                    let input = picture(from, w, h, |y, x, c| value(y, x, c) as T);
                    let wanted = picture(to, w, h, |y, x, c| value(y, x, c_of(c)) as T);
                    let frame = node.array::<T>(layout, &input).unwrap();
                    let planned = node.plan(&[Stream::Array(layout)]).unwrap();
                    let out = node.feed(&frame).unwrap();
                    let array = out[0].array().unwrap();
                    assert_eq!(array.elements::<T>().unwrap(), wanted, "{from} to {to}");
                    assert_eq!(planned, [Stream::Array(*array.layout())]);
                    assert_eq!(out[0].header().sequence, frame.header().sequence);
                    assert_eq!(out[0].is_same(&frame), from == to);
                });
            }
        }
    }
    assert_eq!(node.number_of("unchanged"), 40.0);
}

#[test]
fn views_keep_their_place_on_the_detector() {
    let mut node = Harness::new::<ColorConvert>(&[("color_mode_out", "rgb2".into())]).unwrap();
    let whole = Layout::packed(DType::U16, ColorMode::Rgb1, &[4, 5, 3]).unwrap();
    let pixels = picture(ColorMode::Rgb1, 5, 4, |y, x, c| value(y, x, c) as u16);
    let frame = node.array::<u16>(whole, &pixels).unwrap();
    let (rows, y) = whole.crop(0, 1, 2).unwrap();
    let (part, x) = rows.crop(1, 2, 3).unwrap();
    let view = node.view(&frame, part, y + x).unwrap();
    let out = node.feed(&view).unwrap();
    let array = out[0].array().unwrap();
    let wanted = picture(ColorMode::Rgb2, 3, 2, |y, x, c| value(y + 1, x + 2, c) as u16);
    assert_eq!(array.elements::<u16>().unwrap(), wanted);
    let offsets: Vec<usize> = array.layout().dims().iter().map(|d| d.offset).collect();
    assert_eq!(offsets, [1, 0, 2]);
}

/// A mosaic that has seen one colour everywhere shows this colour everywhere.
#[test]
fn a_mosaic_of_plain_color_becomes_that_color() {
    let (w, h) = (7, 5);
    let layout = Layout::packed(DType::U16, ColorMode::Bayer, &[h, w]).unwrap();
    // Red, green, blue of the four patterns by row and column.
    let patterns = [[[0, 1], [1, 2]], [[1, 2], [0, 1]], [[1, 0], [2, 1]], [[2, 1], [1, 0]]];
    let colors = [900u16, 500, 100];
    let mut node = Harness::new::<ColorConvert>(&[("color_mode_out", "rgb1".into())]).unwrap();
    for (choice, pattern) in BayerPattern::CHOICES.iter().zip(patterns) {
        node.set("bayer_pattern", choice.name).unwrap();
        let seen = |y: usize, x: usize| colors[pattern[y % 2][x % 2]];
        let pixels: Vec<u16> = (0..h * w).map(|i| seen(i / w, i % w)).collect();
        let frame = node.array::<u16>(layout, &pixels).unwrap();
        let out = node.feed(&frame).unwrap();
        let found = out[0].array().unwrap().elements::<u16>().unwrap().to_vec();
        assert!(found.chunks(3).all(|pixel| pixel == colors), "{}: {found:?}", choice.name);
        // A region that begins in an odd column and row, and runs backwards.
        let (rows, y) = layout.crop(0, 1, 4).unwrap();
        let (part, x) = rows.crop(1, 1, 5).unwrap();
        let view = node.view(&frame, part, y + x).unwrap();
        let out = node.feed(&view).unwrap();
        assert!(out[0].array().unwrap().elements::<u16>().unwrap().chunks(3).all(|p| p == colors));
        let reversed: Vec<u16> = pixels.iter().rev().copied().collect();
        let backwards = layout.with_origin([(0, 1, true), (0, 1, true)]);
        let frame = node.array::<u16>(backwards, &reversed).unwrap();
        let out = node.feed(&frame).unwrap();
        assert!(out[0].array().unwrap().elements::<u16>().unwrap().chunks(3).all(|p| p == colors));
    }
}

/// The attribute of the frame wins; edges are areaDetector's; gray is the mean of the colours that a conversion to RGB
/// gives.
#[test]
fn mosaics_by_hand() {
    let params = [("bayer_edges", "own_color".into()), ("color_mode_out", "rgb3".into())];
    let mut node = Harness::new::<ColorConvert>(&params).unwrap();
    let layout = Layout::packed(DType::U8, ColorMode::Bayer, &[3, 3]).unwrap();
    let pixels = [10, 20, 30, 40, 50, 60, 70, 80, 90];
    let mut frame = node.pool().allocator().array(layout).unwrap();
    frame.elements_mut::<u8>().unwrap().copy_from_slice(&pixels);
    frame.header_mut().attributes.set(&"BayerPattern".into(), AttributeValue::Int(3));
    let frame = frame.freeze();
    let rgb = node.feed(&frame).unwrap();
    let found = rgb[0].array().unwrap().elements::<u8>().unwrap().to_vec();
    // BGGR: the middle is red, its four neighbours are green, the corners blue.
    assert_eq!(
        found,
        [
            0, 0, 0, 0, 50, 0, 0, 0, 0, /* green */ 0, 20, 0, 40, 50, 60, 0, 80, 0, /* blue */ 10,
            0, 30, 0, 50, 0, 70, 0, 90
        ]
    );
    node.set("color_mode_out", "mono").unwrap();
    let grey = node.feed(&frame).unwrap();
    assert_eq!(grey[0].array().unwrap().elements::<u8>().unwrap(), [3, 6, 10, 13, 50, 20, 23, 26, 30]);
    let attributes: &Attributes = &grey[0].header().attributes;
    assert_eq!(attributes.len(), 1);
}

#[test]
fn false_colors_for_bytes_only() {
    let params = [("false_color", "rainbow".into()), ("color_mode_out", "rgb1".into())];
    let mut node = Harness::new::<ColorConvert>(&params).unwrap();
    let bytes = node.image::<u8>(&[1, 3], &[0, 63, 255]).unwrap();
    let out = node.feed(&bytes).unwrap();
    assert_eq!(out[0].array().unwrap().elements::<u8>().unwrap(), [0, 0, 0, 0, 0, 255, 255, 255, 255]);
    let signed = node.image::<i8>(&[1, 2], &[-1, 127]).unwrap();
    let out = node.feed(&signed).unwrap();
    assert_eq!(out[0].array().unwrap().elements::<i8>().unwrap(), [-1, -1, -1, 0, -1, -1]);
    let words = node.image::<u16>(&[1, 1], &[63]).unwrap();
    let out = node.feed(&words).unwrap();
    assert_eq!(out[0].array().unwrap().elements::<u16>().unwrap(), [63, 63, 63]);
    node.set("color_mode_out", "rgb3").unwrap();
    node.set("false_color", "iron").unwrap();
    let out = node.feed(&bytes).unwrap();
    assert_eq!(out[0].array().unwrap().elements::<u8>().unwrap(), [0, 94, 255, 0, 31, 255, 0, 107, 255]);
}

#[test]
fn what_nothing_is_known_of_passes() {
    let mut node = Harness::new::<ColorConvert>(&[("color_mode_out", "rgb1".into())]).unwrap();
    let row = node.image::<u8>(&[3], &[1, 2, 3]).unwrap();
    let cube = node.image::<u8>(&[1, 1, 1], &[1]).unwrap();
    let yuv = Layout::packed(DType::U8, ColorMode::Yuv422, &[2, 2]).unwrap();
    let yuv = node.array::<u8>(yuv, &[1, 2, 3, 4]).unwrap();
    for frame in [row, cube, yuv] {
        assert!(node.feed(&frame).unwrap()[0].is_same(&frame));
    }
    for mode in ["bayer", "yuv444", "yuv422", "yuv421"] {
        node.set("color_mode_out", mode).unwrap();
        let frame = node.image::<u8>(&[1, 2], &[1, 2]).unwrap();
        assert!(node.feed(&frame).unwrap()[0].is_same(&frame));
    }
    assert_eq!(node.number_of("unchanged"), 7.0);
}

#[test]
fn keeps_the_contract() {
    for mode in ColorModeOut::CHOICES {
        assert_compliant::<ColorConvert>(&[("color_mode_out", mode.name.into())]);
    }
    assert_compliant::<ColorConvert>(&[("color_mode_out", "rgb1".into()), ("false_color", "iron".into())]);
}
