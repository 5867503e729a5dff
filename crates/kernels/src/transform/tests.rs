use super::*;
use crate::test_data::{WIDTHS, assert_same, values};
use proptest::prelude::*;

/// Where pixel (x, y) of the output comes from, out of the numpy definitions.
fn source(t: Transform, width: usize, height: usize, x: usize, y: usize) -> (usize, usize) {
    let (right, bottom) = (width.wrapping_sub(1), height.wrapping_sub(1));
    match t {
        Transform::None => (x, y),
        Transform::Rot90 => (y, bottom - x),
        Transform::Rot180 => (right - x, bottom - y),
        Transform::Rot270 => (right - y, x),
        Transform::Mirror => (right - x, y),
        Transform::Rot90Mirror => (y, x),
        Transform::Rot180Mirror => (x, bottom - y),
        Transform::Rot270Mirror => (right - y, bottom - x),
    }
}

fn check<T: Pixel>(width: usize, height: usize, pad: usize, samples: usize) {
    let stride = width * samples + pad;
    // One element off, so that rows are not aligned.
    let memory = values::<T>(1 + stride * height, (width + height) as u64);
    let input = Plane::new(&memory[1..], width * samples, height, stride).unwrap();
    for t in Transform::ALL {
        let (columns, rows) = t.output_size(width, height);
        let mut expected = Vec::new();
        for y in 0..rows {
            for x in 0..columns {
                let (x, y) = source(t, width, height, x, y);
                expected.extend_from_slice(&input.row(y)[x * samples..][..samples]);
            }
        }
        for level in Level::available() {
            let mut output = vec![T::default(); expected.len()];
            transform(level, input, t, samples, &mut output).unwrap();
            assert_same(&output, &expected, (level, t, width, height, samples));
        }
    }
}

fn check_sizes<T: Pixel>() {
    for (i, width) in WIDTHS.into_iter().enumerate() {
        // Another width in turn, so that many pairs of sizes are tried.
        let height = WIDTHS[(i * 7 + 3) % WIDTHS.len()];
        check::<T>(width, height, i % 3, 1);
        check::<T>(width, height, i % 3, 3);
    }
    check::<T>(9, 5, 1, 2);
}

#[test]
fn every_level_and_type_agrees_with_numpy() {
    for_all_pixels!(check_sizes);
}

/// Worked out with numpy on `np.arange(6).reshape(2, 3)`.
#[test]
fn values_by_hand() {
    let image = Plane::packed(&[0u16, 1, 2, 3, 4, 5], 3, 2).unwrap();
    let results = [
        [0, 1, 2, 3, 4, 5],
        [3, 0, 4, 1, 5, 2],
        [5, 4, 3, 2, 1, 0],
        [2, 5, 1, 4, 0, 3],
        [2, 1, 0, 5, 4, 3],
        [0, 3, 1, 4, 2, 5],
        [3, 4, 5, 0, 1, 2],
        [5, 2, 4, 1, 3, 0],
    ];
    for (t, expected) in Transform::ALL.into_iter().zip(results) {
        let mut output = [0; 6];
        transform(Level::best(), image, t, 1, &mut output).unwrap();
        assert_eq!(output, expected, "{t:?}");
    }
}

/// While levels are tried and after one has been chosen.
#[test]
fn the_chosen_level_agrees() {
    let memory = values::<u32>(256 * 300, 5);
    let input = Plane::packed(&memory, 256, 300).unwrap();
    let mut expected = vec![0; memory.len()];
    transform(Level::PORTABLE, input, Transform::Rot90, 1, &mut expected).unwrap();
    for call in 0..40 {
        let mut output = vec![0; memory.len()];
        transform(Level::best(), input, Transform::Rot90, 1, &mut output).unwrap();
        assert!(output == expected, "call {call}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let image = Plane::packed(&[0u8; 12], 4, 3).unwrap();
    for t in Transform::ALL {
        let refused =
            |samples, len| transform(Level::best(), image, t, samples, &mut vec![0; len]).unwrap_err();
        assert!(matches!(refused(1, 11), ConvertError::Length(_)));
        assert!(matches!(refused(3, 12), ConvertError::Samples { .. }));
        assert!(matches!(refused(0, 12), ConvertError::Samples { .. }));
    }
}

proptest! {
    #[test]
    fn any_size(width in 0usize..150, height in 0usize..150, pad in 0usize..4, samples in 1usize..5) {
        check::<u8>(width, height, pad, samples);
        check::<i16>(width, height, pad, samples);
        check::<f32>(width / 4, height / 4, pad, samples);
    }
}
