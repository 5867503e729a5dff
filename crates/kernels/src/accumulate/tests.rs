//! Every level against plain loops: all tails, odd addresses, extreme values.

use super::*;
use crate::test_data::{WIDTHS, values};

/// Frames as bytes that begin at an odd address.
fn frames<T: Element + Bytes>(count: usize, width: usize) -> (Vec<Vec<T>>, Vec<Vec<u8>>) {
    let plain: Vec<Vec<T>> = (0..count).map(|f| values(width, 1 + f as u64)).collect();
    let bytes = plain.iter().map(|f| std::iter::once(0).chain(f.iter().flat_map(|v| v.in_file())).collect());
    let bytes = bytes.collect();
    (plain, bytes)
}

trait Bytes {
    fn in_file(&self) -> Vec<u8>;
}

macro_rules! bytes {
    ($($t:ty)*) => {$(impl Bytes for $t { fn in_file(&self) -> Vec<u8> { self.to_le_bytes().into() } })*};
}
bytes!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

fn all_widths<T: Element + Bytes>(check: impl Fn(Level, &[Vec<T>], &[&[u8]], usize)) {
    for width in WIDTHS {
        for count in [0, 1, 2, 7] {
            let (plain, bytes) = frames::<T>(count, width);
            let slices: Vec<&[u8]> = bytes.iter().map(|b| &b[1..]).collect();
            Level::available().into_iter().for_each(|level| check(level, &plain, &slices, width));
        }
    }
}

fn exact_is_exact<T: Exact + Bytes + Into<i128>>() {
    all_widths::<T>(|level, plain, slices, width| {
        let (mut sums, mut squares) = (vec![5; width], vec![T::Square::default(); width]);
        exact::<T>(level, slices, &mut sums, &mut squares).unwrap();
        let mut alone = vec![5; width];
        super::sums::<T>(level, slices, &mut alone).unwrap();
        assert_eq!(alone, sums, "{level:?} {width}");
        for i in 0..width {
            let values = || plain.iter().map(|f| f[i].into());
            let (sum, square): (i128, i128) = (values().sum(), values().map(|v: i128| v * v).sum());
            assert_eq!(i128::from(sums[i]), sum + 5, "{level:?} {width} {i}");
            let found: u128 = squares[i].into();
            assert_eq!(found, square as u128, "{level:?} {width} {i}");
        }
    });
}

#[test]
fn integers_are_summed_exactly() {
    exact_is_exact::<u8>();
    exact_is_exact::<i8>();
    exact_is_exact::<u16>();
    exact_is_exact::<i16>();
    exact_is_exact::<u32>();
    exact_is_exact::<i32>();
}

#[test]
fn many_frames_of_the_largest_value_do_not_overflow() {
    let frame = [0xFF; 2 * 33];
    let frames = vec![&frame[..]; 3 * MOST_FRAMES + 1];
    let count = frames.len() as u64;
    for level in Level::available() {
        let (mut sums, mut squares) = (vec![0; 33], vec![0; 33]);
        exact::<u16>(level, &frames, &mut sums, &mut squares).unwrap();
        assert!(sums.iter().all(|s| *s as u64 == 65_535 * count), "{level:?}");
        let mut alone = vec![0; 33];
        super::sums::<u16>(level, &frames, &mut alone).unwrap();
        assert_eq!(alone, sums, "{level:?}");
        assert!(squares.iter().all(|s| *s == 65_535 * 65_535 * count), "{level:?}");
        let (mut sums, mut squares) = (vec![0; 33], vec![0; 33]);
        exact::<i16>(level, &frames, &mut sums, &mut squares).unwrap();
        assert!(
            sums.iter().all(|s| *s == -(count as i64)) && squares.iter().all(|s| *s == count),
            "{level:?}"
        );
    }
}

#[test]
fn the_values_with_the_largest_squares_do_not_overflow() {
    // Furthest from the centre; two squares take all 32 bits.
    let (lowest, zeros) = ([0x00, 0x80].repeat(33), [0; 2 * 33]);
    for (level, count) in Level::available().into_iter().flat_map(|level| [1, 2, 9].map(|n| (level, n))) {
        let (mut sums, mut squares) = (vec![0; 33], vec![0; 33]);
        exact::<i16>(level, &vec![&lowest[..]; count], &mut sums, &mut squares).unwrap();
        assert!(sums.iter().all(|s| *s == -(count as i64) << 15), "{level:?} {count}");
        assert!(squares.iter().all(|s| *s == (count as u64) << 30), "{level:?} {count}");
        exact::<u16>(level, &vec![&zeros[..]; count], &mut [0; 33], &mut squares).unwrap();
        assert!(squares.iter().all(|s| *s == (count as u64) << 30), "{level:?} {count}");
    }
}

fn about_is_the_plain_sum<T: Element + Bytes>() {
    all_widths::<T>(|level, plain, slices, width| {
        let pivots: Vec<f64> = (0..width).map(|i| i as f64 / 3.0).collect();
        let (mut sums, mut squares) = (vec![0.5; width], vec![0.25; width]);
        about::<T>(level, slices, &pivots, &mut sums, &mut squares).unwrap();
        for i in 0..width {
            let (mut sum, mut square) = (0.5, 0.25);
            for frame in plain {
                let distance = frame[i].to_f64() - pivots[i];
                sum += distance;
                square += distance * distance;
            }
            // Bit for bit: every element has its own sums.
            assert_eq!(
                (sums[i].to_bits(), squares[i].to_bits()),
                (canonical(sum, sums[i]), canonical(square, squares[i]))
            );
        }
    });
}

/// Bits of the expected value; one NaN is as good as another.
fn canonical(expected: f64, found: f64) -> u64 {
    if expected.is_nan() && found.is_nan() { found.to_bits() } else { expected.to_bits() }
}

fn extremes_are_the_plain_ones<T: Element + Bytes>() {
    all_widths::<T>(|level, plain, slices, width| {
        let (mut lowest, mut highest) = (vec![T::HIGHEST; width], vec![T::LOWEST; width]);
        extremes::<T>(level, slices, &mut lowest, &mut highest).unwrap();
        for i in 0..width {
            let (mut low, mut high) = (T::HIGHEST, T::LOWEST);
            for frame in plain {
                if frame[i] < low {
                    low = frame[i];
                }
                if frame[i] > high {
                    high = frame[i];
                }
            }
            assert_eq!((lowest[i], highest[i]), (low, high), "{level:?} {width} {i}");
        }
    });
}

fn counts_are_the_plain_ones<T: Element + Bytes>() {
    all_widths::<T>(|level, plain, slices, width| {
        let threshold = T::from_f64(3.0);
        let mut counts = vec![7; width];
        for (frame, bytes) in plain.iter().zip(slices) {
            let before: u64 = counts.iter().map(|c| u64::from(*c)).sum();
            let expected: Vec<u32> =
                counts.iter().zip(frame).map(|(c, v)| c + u32::from(*v >= threshold)).collect();
            let found = count_from(level, bytes, threshold, &mut counts).unwrap();
            assert_eq!(counts, expected, "{level:?} {width}");
            assert_eq!(before + found, counts.iter().map(|c| u64::from(*c)).sum());
        }
    });
}

#[test]
fn all_types_agree_with_plain_loops() {
    for_all_pixels!(about_is_the_plain_sum);
    for_all_pixels!(extremes_are_the_plain_ones);
    for_all_pixels!(counts_are_the_plain_ones);
}

#[test]
fn wrong_lengths_are_refused() {
    let (mut sums, mut squares) = ([0; 2], [0; 2]);
    let error = exact::<u16>(Level::PORTABLE, &[&[0; 4], &[0; 5]], &mut sums, &mut squares).unwrap_err();
    assert_eq!(error.to_string(), "frame has 5 elements instead of 4");
    assert!(exact::<u16>(Level::PORTABLE, &[], &mut sums, &mut squares[..1]).is_err());
    assert!(about::<f32>(Level::PORTABLE, &[], &[0.0], &mut [0.0; 2], &mut [0.0]).is_err());
    assert!(extremes::<u8>(Level::PORTABLE, &[], &mut [0], &mut [0; 2]).is_err());
    assert!(count_from::<u8>(Level::PORTABLE, &[0], 0, &mut [0; 2]).is_err());
}
