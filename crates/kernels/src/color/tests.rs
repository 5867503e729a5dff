use proptest::prelude::*;

use super::*;
use crate::Plane;
use crate::cast::Cast;
use crate::test_data::{WIDTHS, assert_same, tame, values};

fn check_layouts<T: Pixel>() {
    for (i, width) in WIDTHS.into_iter().enumerate() {
        let [r, g, b] = [1, 2, 3].map(|seed| values::<T>(width, seed + i as u64));
        let side_by_side: Vec<T> = (0..width).flat_map(|x| [r[x], g[x], b[x]]).collect();
        for level in Level::available() {
            let mut output = vec![T::default(); 3 * width];
            interleave(level, [&r, &g, &b], &mut output).unwrap();
            assert_same(&output, &side_by_side, (level, width));
            let mut parts = [(); 3].map(|()| vec![T::default(); width]);
            separate(level, &side_by_side, parts.each_mut().map(|p| &mut p[..])).unwrap();
            parts.iter().zip([&r, &g, &b]).for_each(|(p, wanted)| assert_same(p, wanted, (level, width)));
        }
    }
}

#[test]
fn layouts_of_every_type_and_level() {
    for_all_pixels!(check_layouts);
}

/// The mean in numbers that hold every sum exactly, cut towards zero for integers.
fn mean<T: Pixel>(values: &[T]) -> T {
    let count = values.len();
    if T::FLOAT {
        return T::from_f64(values.iter().map(|v| v.to_f64()).fold(0.0, |a, b| a + b) / count as f64);
    }
    // `to_f64` of 64-bit integers is rounded, so they are added up in their own type: `cast` to i64 or u64.
    let exact = |v: &T| match v.to_f64() >= 0.0 {
        true => i128::from((*v).cast::<u64>()),
        false => i128::from((*v).cast::<i64>()),
    };
    let mean = values.iter().map(exact).sum::<i128>() / count as i128;
    match u64::try_from(mean) {
        Ok(mean) => mean.cast::<T>(),
        Err(_) => (mean as i64).cast::<T>(),
    }
}

fn check_grey<T: Pixel>() {
    for (i, width) in WIDTHS.into_iter().enumerate() {
        let [r, g, b] = [4, 5, 6].map(|seed| values::<T>(width, seed + i as u64));
        let wanted: Vec<T> = (0..width).map(|x| mean(&[r[x], g[x], b[x]])).collect();
        for level in Level::available() {
            let mut output = vec![T::default(); width];
            grey(level, [&r, &g, &b], &mut output).unwrap();
            assert_same(&output, &wanted, (level, width));
        }
    }
}

#[test]
fn grey_of_every_type_and_level() {
    for_all_pixels!(check_grey);
}

/// Which of red, green and blue the pixel has seen.
fn seen<T>(mosaic: &Mosaic<'_, T>, x: usize, y: usize) -> usize {
    match ((x + mosaic.red_x) % 2, (y + mosaic.red_y) % 2) {
        (0, 0) => 0,
        (1, 1) => 2,
        _ => 1,
    }
}

/// The three colours of a pixel: its own as it is, the others as means of the neighbours that have seen them.
fn plain<T: Pixel>(mosaic: &Mosaic<'_, T>, x: usize, y: usize) -> [T; 3] {
    let (width, height) = (mosaic.plane.width(), mosaic.plane.height());
    let own = seen(mosaic, x, y);
    let is_edge = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
    let here = mosaic.plane.row(y)[x];
    if mosaic.edges == Edges::OwnColor && is_edge {
        return [0, 1, 2].map(|color| if color == own { here } else { T::default() });
    }
    let fold = |at: isize, count: usize| match at {
        -1 => 1.min(count - 1),
        at if at as usize == count => count.saturating_sub(2),
        at => at as usize,
    };
    let near = |color: usize| {
        let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
        // The pattern goes on outside the picture, whatever lies there.
        let of_color = around.filter(|(dx, dy): &(isize, isize)| {
            let (x, y) = (x.wrapping_add_signed(*dx), y.wrapping_add_signed(*dy));
            seen(mosaic, x.wrapping_add(2), y.wrapping_add(2)) == color
        });
        let place = |(dx, dy)| (fold(x as isize + dx, width), fold(y as isize + dy, height));
        let values: Vec<T> = of_color.map(place).map(|(x, y)| mosaic.plane.row(y)[x]).collect();
        mean(&values)
    };
    [0, 1, 2].map(|color| if color == own { here } else { near(color) })
}

fn check_mosaic<T: Pixel>(width: usize, height: usize, memory: &[T]) {
    // One element off, so that rows are not aligned.
    let plane = Plane::new(&memory[1..], width, height, width + 1).unwrap();
    for (red, edges) in
        [(0, Edges::Reflected), (1, Edges::OwnColor), (2, Edges::Reflected), (3, Edges::OwnColor)]
    {
        for edges in [edges, Edges::Reflected] {
            let mosaic = Mosaic { plane, red_x: red % 2, red_y: red / 2, edges };
            for y in 0..height {
                for level in Level::available() {
                    let mut found = [(); 3].map(|()| vec![T::default(); width]);
                    mosaic.row(level, y, found.each_mut().map(|f| &mut f[..])).unwrap();
                    for (color, found) in found.iter().enumerate() {
                        let wanted: Vec<T> = (0..width).map(|x| plain(&mosaic, x, y)[color]).collect();
                        assert_same(found, &wanted, (level, width, y, red, edges, color));
                    }
                }
            }
        }
    }
}

fn check_mosaics<T: Pixel>() {
    for width in WIDTHS {
        for height in [1, 2, 3, 4] {
            check_mosaic(width, height, &tame::<T>((width + 1) * height + 1, 7));
        }
    }
    check_mosaic(67, 5, &values::<T>(68 * 5 + 1, 8));
}

#[test]
fn mosaics_of_every_type_and_level() {
    for_all_pixels!(check_mosaics);
}

#[test]
fn false_colors() {
    let all: Vec<u8> = (0..=255).collect();
    let mut outputs = [[0u8; 256]; 3];
    paint(Level::PORTABLE, &all, &Palette::RAINBOW, outputs.each_mut().map(|o| &mut o[..])).unwrap();
    let at = |i: usize| outputs.map(|o| o[i]);
    // Read off areaDetector's table.
    let known = [(0, [0, 0, 0]), (11, [0, 0, 45]), (32, [0, 0, 130]), (64, [0, 4, 255]), (95, [0, 128, 255])];
    let more = [(127, [0, 255, 255]), (128, [4, 255, 251]), (192, [255, 251, 0]), (254, [255, 4, 0])];
    known.into_iter().chain(more).for_each(|(i, wanted)| assert_eq!(at(i), wanted, "{i}"));
    let iron = [(1, [1, 0, 1]), (71, [106, 35, 120]), (73, [109, 36, 119]), (254, [192, 253, 64])];
    iron.into_iter().for_each(|(i, wanted)| assert_eq!(Palette::IRON.color(i), wanted, "{i}"));
    let signed: Vec<i8> = all.iter().map(|v| *v as i8).collect();
    let mut side_by_side = vec![0i8; 768];
    paint_interleaved(Level::PORTABLE, &signed, &Palette::RAINBOW, &mut side_by_side).unwrap();
    let wanted: Vec<i8> = (0..256).flat_map(|i| outputs.map(|o| o[i] as i8)).collect();
    assert_eq!(side_by_side, wanted);
}

/// All lengths up to three registers and all alignments, at each level, against the table itself.
#[test]
fn false_colors_of_all_lengths_and_levels() {
    let all = values::<u8>(300, 5);
    for (start, length) in (0..4).flat_map(|start| (0..=200).map(move |length| (start, length))) {
        let input = &all[start..start + length];
        let wanted: Vec<[u8; 3]> = input.iter().map(|value| Palette::IRON.color(*value)).collect();
        for level in Level::available() {
            let mut side_by_side = vec![0; 3 * length];
            paint_interleaved(level, input, &Palette::IRON, &mut side_by_side).unwrap();
            assert_eq!(side_by_side, wanted.as_flattened(), "{} {start} {length}", level.name());
            let mut planes = [(); 3].map(|()| vec![0; length]);
            paint(level, input, &Palette::IRON, planes.each_mut().map(|p| &mut p[..])).unwrap();
            let found: Vec<[u8; 3]> = (0..length).map(|i| planes.each_ref().map(|p| p[i])).collect();
            assert_eq!(found, wanted, "{} {start} {length}", level.name());
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (mut a, mut b, mut c) = ([0u8; 3], [0u8; 3], [0u8; 4]);
    assert!(interleave(Level::best(), [&[1u8; 3], &[1; 3], &[1; 2]], &mut [0; 9]).is_err());
    assert!(interleave(Level::best(), [&[1u8; 3]; 3], &mut [0; 10]).is_err());
    assert!(separate(Level::best(), &[0; 9], [&mut a, &mut b, &mut c]).is_err());
    assert!(grey(Level::best(), [&[1u8; 3]; 3], &mut c).is_err());
    assert!(paint(Level::best(), &[1u8; 3], &Palette::IRON, [&mut a, &mut b, &mut c]).is_err());
    assert!(paint_interleaved(Level::best(), &[1u16; 3], &Palette::IRON, &mut [0; 9]).is_err());
    let mosaic = |plane| Mosaic { plane, red_x: 0, red_y: 0, edges: Edges::default() };
    let plane = Plane::packed(&[0u8; 6], 3, 2).unwrap();
    assert!(mosaic(plane).row(Level::best(), 2, [&mut a, &mut b, &mut [0; 3]]).is_err());
    assert!(mosaic(plane).row(Level::best(), 0, [&mut a, &mut b, &mut c]).is_err());
}

proptest! {
    #[test]
    fn any_mosaic(width in 0usize..80, height in 1usize..6, seed in any::<u64>()) {
        check_mosaic(width, height, &values::<u8>((width + 1) * height + 1, seed));
        check_mosaic(width, height, &values::<i16>((width + 1) * height + 1, seed));
    }
}
