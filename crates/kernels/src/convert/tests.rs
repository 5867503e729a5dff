use super::*;
use crate::cast::Cast;
use crate::test_data::{WIDTHS, assert_same, values};
use proptest::prelude::*;

/// One sample of the result by definition, with exact integers.
fn definition<I: Pixel, O: Pixel>(input: Plane<I>, c: &Conversion, x: usize, y: usize, sample: usize) -> O {
    let (columns, rows) = c.output_size();
    let x = if c.reverse_x { columns - 1 - x } else { x };
    let y = if c.reverse_y { rows - 1 - y } else { y };
    let mut values = Vec::new();
    for row in 0..c.bin_y {
        for column in 0..c.bin_x {
            let pixel = c.offset_x + x * c.bin_x + column;
            values.push(input.row(c.offset_y + y * c.bin_y + row)[pixel * c.samples_per_pixel + sample]);
        }
    }
    let wrap = c.overflow == Overflow::Wrap;
    if I::FLOAT || c.divide_by.is_some() {
        let exact: i128 = if I::FLOAT { 0 } else { values.iter().map(|&v| integer(v)).sum() };
        let sum = if I::FLOAT { values.iter().fold(0.0, |sum, v| sum + v.to_f64()) } else { exact as f64 };
        let value = sum / c.divide_by.unwrap_or(1.0);
        return if wrap { value.wrapping() } else { value.saturating() };
    }
    let sum: i128 = values.iter().map(|&v| integer(v)).sum();
    // A single pixel keeps all its digits; a sum of integers goes into a float through f64 at most.
    match (values.len(), O::FLOAT) {
        (1, true) => values[0].cast(),
        (_, true) => O::from_f64(sum as f64),
        (_, false) if wrap => (sum as u64).cast_wrapping(),
        (_, false) => sum.clamp(integer(O::LOWEST), integer(O::HIGHEST)).wrapping(),
    }
}

fn integer<T: Pixel>(v: T) -> i128 {
    if T::LOWEST < T::default() { v.cast::<i64>().into() } else { v.cast::<u64>().into() }
}

fn check<I: Summed, O: Pixel>(width: usize, height: usize, pad: usize, c: &Conversion) {
    let samples = width * c.samples_per_pixel;
    // One element off, so that rows are not aligned.
    let memory = values::<I>(1 + (samples + pad) * height, width as u64);
    let input = Plane::new(&memory[1..], samples, height, samples + pad).unwrap();
    let (columns, rows) = c.output_size();
    let mut expected = Vec::new();
    for y in 0..rows {
        for x in 0..columns {
            expected.extend((0..c.samples_per_pixel).map(|s| definition::<I, O>(input, c, x, y, s)));
        }
    }
    for level in Level::available() {
        let mut output = vec![O::default(); expected.len()];
        convert(level, input, c, &mut output).unwrap();
        assert_same(&output, &expected, (level, width, c, std::any::type_name::<(I, O)>()));
    }
}

fn check_variants<I: Summed, O: Pixel>() {
    for (i, width) in WIDTHS.into_iter().enumerate() {
        let whole = Conversion::whole(width, 3);
        let overflow = if i % 2 == 0 { Overflow::Saturate } else { Overflow::Wrap };
        let reverse = Conversion { reverse_x: i % 3 > 0, reverse_y: i % 5 > 0, overflow, ..whole };
        check::<I, O>(width, 3, i % 3, &reverse);
        check::<I, O>(width, 3, i % 3, &Conversion { samples_per_pixel: 3, ..reverse });
        let binned = Conversion { bin_x: 1 + i % 5, bin_y: 1 + i % 3, ..reverse };
        check::<I, O>(width, 3, i % 2, &binned);
        check::<I, O>(width, 3, i % 2, &Conversion { divide_by: Some(2.5), ..binned });
        check::<I, O>(width, 3, i % 2, &Conversion { samples_per_pixel: 3, ..binned });
    }
}

fn to_all<I: Summed>() {
    check_variants::<I, i8>();
    check_variants::<I, u8>();
    check_variants::<I, i16>();
    check_variants::<I, u16>();
    check_variants::<I, i32>();
    check_variants::<I, u32>();
    check_variants::<I, i64>();
    check_variants::<I, u64>();
    check_variants::<I, f32>();
    check_variants::<I, f64>();
}

#[test]
fn every_level_and_pair_of_types_agrees_with_the_definition() {
    for_all_pixels!(to_all);
}

#[test]
fn long_rows_and_large_bins() {
    let whole = Conversion::whole(1100, 260);
    for reverse_x in [false, true] {
        let c = Conversion { bin_x: 2, bin_y: 2, reverse_x, ..whole };
        check::<u8, u8>(1100, 260, 0, &c);
        check::<u8, u16>(1100, 260, 0, &Conversion { samples_per_pixel: 3, ..c });
        check::<u16, u64>(1100, 260, 0, &Conversion { bin_x: 260, bin_y: 260, ..c });
        check::<u16, u64>(1100, 260, 0, &Conversion { bin_x: 200, bin_y: 163, ..c });
    }
}

#[test]
fn sums_of_the_largest_values_are_exact() {
    let bin = |n| Conversion { bin_x: n, ..Conversion::whole(n, 1) };
    let sum = |n: usize| {
        let (row, mut output) = (vec![u16::MAX; n], [0u64]);
        convert(Level::best(), Plane::packed(&row, n, 1).unwrap(), &bin(n), &mut output).unwrap();
        output[0]
    };
    // The longest sum of short lanes, and longer ones.
    for n in [SHORT_SUM, SHORT_SUM + 1, 4 * SHORT_SUM] {
        assert_eq!(sum(n), n as u64 * 65535);
    }
    // A sum beyond 64 bits saturates.
    let mut output = [0u64];
    convert(Level::best(), Plane::packed(&[u64::MAX; 2], 2, 1).unwrap(), &bin(2), &mut output).unwrap();
    assert_eq!(output, [u64::MAX]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let image = Plane::packed(&[0u8; 12], 4, 3).unwrap();
    let refused =
        |c: Conversion, len: usize| convert(Level::best(), image, &c, &mut vec![0u8; len]).unwrap_err();
    let whole = Conversion::whole(4, 3);
    let outside = ConvertError::Region { width: 4, height: 3 };
    assert_eq!(refused(Conversion { offset_x: 1, ..whole }, 12), outside);
    assert_eq!(refused(Conversion { offset_y: usize::MAX, ..whole }, 12), outside);
    assert_eq!(refused(Conversion { bin_y: 0, ..whole }, 12), ConvertError::Binning);
    assert!(matches!(
        refused(Conversion { samples_per_pixel: 3, ..whole }, 12),
        ConvertError::Samples { .. }
    ));
    assert!(matches!(
        refused(Conversion { samples_per_pixel: 0, ..whole }, 12),
        ConvertError::Samples { .. }
    ));
    assert!(matches!(refused(whole, 11), ConvertError::Length(_)));
    assert!(convert_slice(Level::best(), &[1u8], &mut [0u16; 2]).is_err());
}

proptest! {
    #[test]
    fn any_region(
        width in 0usize..300, height in 0usize..9, pad in 0usize..4,
        offset in (0.0f64..1.0, 0.0f64..1.0), bin in (1usize..20, 1usize..5),
        reverse: (bool, bool), wrap: bool, divide_by in proptest::option::of(0.1f64..300.0),
        samples_per_pixel in 1usize..5,
    ) {
        let offset_x = (width as f64 * offset.0) as usize;
        let offset_y = (height as f64 * offset.1) as usize;
        let c = Conversion {
            offset_x, offset_y, size_x: width - offset_x, size_y: height - offset_y,
            bin_x: bin.0, bin_y: bin.1, reverse_x: reverse.0, reverse_y: reverse.1, divide_by,
            overflow: if wrap { Overflow::Wrap } else { Overflow::Saturate }, samples_per_pixel,
        };
        check::<u8, u8>(width, height, pad, &c);
        check::<i16, f32>(width, height, pad, &c);
        check::<f64, u16>(width, height, pad, &c);
        check::<u64, i32>(width, height, pad, &c);
    }
}
