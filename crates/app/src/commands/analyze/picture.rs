//! Arrays as pictures in colours.

use image::{Rgb, RgbImage};

use crate::analyze::Array;

/// Colours from dark violet over green to yellow whose brightness rises evenly (matplotlib's viridis at ten places).
const COLOURS: [[u8; 3]; 10] = [
    [68, 1, 84],
    [72, 40, 120],
    [62, 73, 137],
    [49, 104, 142],
    [38, 130, 142],
    [31, 158, 137],
    [53, 183, 121],
    [110, 206, 88],
    [181, 222, 43],
    [253, 231, 37],
];
/// What is no number.
const NO_NUMBER: Rgb<u8> = Rgb([128, 128, 128]);
const GROUND: Rgb<u8> = Rgb([255, 255, 255]);
/// Pixels between panels.
const GAP: usize = 4;
/// The share of values at each end that may be beyond the colours: a few hot pixels hide nothing.
const OUTSIDE: f64 = 0.005;
/// Pixels of a picture, at most.
const MOST: usize = 1 << 28;

/// Draws the last two axes as pictures, all of them beside and below each other; `None` if there are none.
pub(super) fn draw(array: &Array) -> Option<RgbImage> {
    let (pictures, rows, columns, step) = pictures(array.shape())?;
    let values = array.values();
    let (low, high) = range(&values);
    // As square as it can be.
    let across = (1..=pictures).min_by_key(|across| {
        (across * (columns + GAP)).abs_diff(pictures.div_ceil(*across) * (rows + GAP))
    })?;
    let down = pictures.div_ceil(across);
    let (width, height) = (across * (columns + GAP) - GAP, down * (rows + GAP) - GAP);
    if width.checked_mul(height).is_none_or(|pixels| pixels > MOST) {
        return None;
    }
    let mut image = RgbImage::from_pixel(width as u32, height as u32, GROUND);
    for picture in 0..pictures {
        let (left, top) = (picture % across * (columns + GAP), picture / across * (rows + GAP));
        for (y, x) in (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x))) {
            // Pictures lie one behind the other, or pixel by pixel in turn.
            let at = if step == 1 {
                (picture * rows + y) * columns + x
            } else {
                (y * columns + x) * step + picture
            };
            image.put_pixel((left + x) as u32, (top + y) as u32, colour(values[at], low, high));
        }
    }
    Some(image)
}

/// How many pictures there are, their rows and columns, and how many lie pixel by pixel in turn, as in a CSPad 2x2.
fn pictures(shape: &[usize]) -> Option<(usize, usize, usize, usize)> {
    let found = match *shape {
        [rows, columns, step @ 2..=4] if rows > 4 && columns > 4 => (step, rows, columns, step),
        [ref outer @ .., rows, columns] => (outer.iter().product(), rows, columns, 1),
        _ => return None,
    };
    (found.0 > 0 && found.1 > 1 && found.2 > 1).then_some(found)
}

/// From which value to which the colours go.
fn range(values: &[f64]) -> (f64, f64) {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    if sorted.is_empty() {
        return (0.0, 1.0);
    }
    let outside = ((sorted.len() - 1) as f64 * OUTSIDE) as usize;
    let last = sorted.len() - 1 - outside;
    let low = *sorted.select_nth_unstable_by(outside, f64::total_cmp).1;
    let high = *sorted.select_nth_unstable_by(last, f64::total_cmp).1;
    (low, high)
}

fn colour(value: f64, low: f64, high: f64) -> Rgb<u8> {
    if value.is_nan() {
        return NO_NUMBER;
    }
    let share = if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
    let place = share * (COLOURS.len() - 1) as f64;
    let first = (place as usize).min(COLOURS.len() - 2);
    let mix = |i: usize| {
        let (from, to) = (f64::from(COLOURS[first][i]), f64::from(COLOURS[first + 1][i]));
        (from + (to - from) * (place - first as f64)).round() as u8
    };
    Rgb([mix(0), mix(1), mix(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_stand_beside_each_other() {
        let values: Vec<u16> = (0..2 * 6 * 5).collect();
        let image = draw(&Array::new(&[2, 6, 5], values.clone())).unwrap();
        assert_eq!(image.dimensions(), (5 + 4 + 5, 6));
        assert_eq!(*image.get_pixel(0, 0), Rgb(COLOURS[0]));
        assert_eq!(*image.get_pixel(13, 5), Rgb(COLOURS[9]));
        assert_eq!(*image.get_pixel(6, 0), GROUND);
        let turned = draw(&Array::new(&[5, 6, 2], values.clone())).unwrap();
        assert_eq!(turned.dimensions(), (6, 5 + 4 + 5));
        assert!(draw(&Array::new(&[60], values)).is_none());
        assert!(draw(&Array::new::<u8>(&[0, 3], Vec::new())).is_none());
    }

    #[test]
    fn hot_pixels_and_nan_do_not_hide_the_others() {
        let mut values: Vec<f64> = (0..1000).map(f64::from).collect();
        (values[0], values[1]) = (f64::NAN, 1e30);
        let (low, high) = range(&values);
        assert!((2.0..10.0).contains(&low) && (990.0..=999.0).contains(&high), "{low} {high}");
        assert_eq!(colour(f64::NAN, low, high), NO_NUMBER);
        assert_eq!(colour(1e30, low, high), Rgb(COLOURS[9]));
    }
}
