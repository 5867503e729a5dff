use super::*;
use crate::test_data::{assert_same, numbers};
use proptest::prelude::*;

const METHODS: [ResizeMethod; 4] =
    [ResizeMethod::Nearest, ResizeMethod::Bilinear, ResizeMethod::Cubic, ResizeMethod::Area];

/// Any values of an integer type, often the smallest and the largest; floats of a million at most.
fn pixels<T: Pixel>(len: usize, seed: u64) -> Vec<T> {
    let (low, high) = if T::FLOAT { (-1e6, 1e6) } else { (T::LOWEST.to_f64(), T::HIGHEST.to_f64()) };
    let value = |x: u64| match x % 4 {
        0 => T::from_f64(low),
        1 => T::from_f64(high),
        _ => T::from_f64(low + (high - low) * ((x >> 11) as f64 / (1u64 << 53) as f64)),
    };
    numbers(seed).map(value).take(len).collect()
}

/// Weights of the elements of the input in element `x` of the output, from the definition.
fn weights(method: ResizeMethod, x: usize, from: usize, to: usize) -> Vec<(usize, f64)> {
    let scale = from as f64 / to as f64;
    let (start, end) = (x as f64 * scale, (x + 1) as f64 * scale);
    let centre = (x as f64 + 0.5) * scale - 0.5;
    let around = |reach: i64, curve: &dyn Fn(f64) -> f64| -> Vec<(usize, f64)> {
        let near = centre.floor() as i64;
        let tap = |i: i64| (i.clamp(0, from as i64 - 1) as usize, curve((centre - i as f64).abs()));
        (near + 1 - reach..=near + reach).map(tap).collect()
    };
    match method {
        // The only one where a rounded position could choose another pixel.
        ResizeMethod::Nearest => vec![((2 * x + 1) * from / (2 * to), 1.0)],
        ResizeMethod::Bilinear => around(1, &|d| 1.0 - d),
        ResizeMethod::Cubic => around(2, &|d| match d {
            d if d <= 1.0 => 1.25 * d.powi(3) - 2.25 * d.powi(2) + 1.0,
            d => -0.75 * (d.powi(3) - 5.0 * d.powi(2) + 8.0 * d - 4.0),
        }),
        ResizeMethod::Area => {
            let part = |i: usize| (end.min(i as f64 + 1.0) - start.max(i as f64)).max(0.0) / scale;
            (start as usize..(end.ceil() as usize).min(from)).map(|i| (i, part(i))).collect()
        }
    }
}

/// How far a result may be from the exact value.
fn tolerance<T: Pixel>(method: ResizeMethod, largest: f64) -> f64 {
    let digits = if T::FLOAT && size_of::<T>() == 4 { 2e-6 } else { 1e-13 };
    match (method, size_of::<T>()) {
        (ResizeMethod::Nearest, _) => 0.0,
        _ if T::FLOAT => largest * digits,
        (_, 1) if T::LOWEST == T::default() => 0.8,
        (_, 1 | 2) => 0.55,
        _ => 0.5 + largest * digits,
    }
}

#[derive(Clone, Copy, Debug)]
struct Case {
    wanted: Resize,
    from: (usize, usize),
    pad: usize,
}

fn check<T: Pixel>(case: Case) {
    let Case { wanted, from: (width, height), pad } = case;
    let samples = wanted.samples_per_pixel;
    let seed = (width * 31 + wanted.width) as u64;
    // One element off, so that rows are not aligned.
    let memory = pixels::<T>(1 + (width * samples + pad) * height, seed);
    let input = Plane::new(&memory[1..], width * samples, height, width * samples + pad).unwrap();
    let (row, stride) = (wanted.width * samples, wanted.width * samples + pad);
    // Samples between the rows of the output must keep this mark.
    let mark = T::from_f64(77.0);
    let mut expected: Option<Vec<T>> = None;
    for level in Level::available() {
        let mut output = vec![mark; stride * wanted.height];
        resize(level, input, &wanted, &mut output, stride, &mut ResizeScratch::default()).unwrap();
        // All levels must agree; the first one is compared with the definition.
        let expected = expected.get_or_insert_with(|| output.clone());
        assert_same(&output, expected, (level, case, std::any::type_name::<T>()));
    }
    let output = expected.unwrap();
    let columns: Vec<_> = (0..wanted.width).map(|x| weights(wanted.method, x, width, wanted.width)).collect();
    let largest = memory.iter().map(|v| v.to_f64().abs()).fold(0.0, f64::max);
    let tolerance = tolerance::<T>(wanted.method, largest);
    for (y, got) in output.chunks(stride).enumerate() {
        let rows = weights(wanted.method, y, height, wanted.height);
        for (x, &got) in got[..row].iter().enumerate() {
            let along = |y: usize| -> f64 {
                let taps = columns[x / samples].iter();
                taps.map(|(i, w)| w * input.row(y)[i * samples + x % samples].to_f64()).sum()
            };
            let exact: f64 = rows.iter().map(|(i, w)| w * along(*i)).sum();
            let exact = exact.clamp(T::LOWEST.to_f64(), T::HIGHEST.to_f64());
            let error = (got.to_f64() - exact).abs();
            assert!(
                error <= tolerance,
                "{got:?} instead of {exact} at {x}, {y}: {case:?} {}",
                std::any::type_name::<T>()
            );
        }
        assert!(got[row..].iter().all(|v| *v == mark), "wrote between the rows: {case:?}");
    }
}

fn check_sizes<T: Pixel>() {
    let widths = [1, 2, 3, 5, 7, 16, 17, 31, 33, 64, 65, 130];
    for (i, from) in widths.into_iter().enumerate() {
        for (k, to) in [1, 2, 3, 8, 15, 34, 67, 129, 260].into_iter().enumerate() {
            for method in METHODS {
                let (samples_per_pixel, height) = ([1, 3, 4, 2][(i + k) % 4], 1 + (i + 2 * k) % 9);
                let wanted = Resize { method, width: to, height: 1 + (3 * i + k) % 13, samples_per_pixel };
                check::<T>(Case { wanted, from: (from, height), pad: k % 3 });
            }
        }
    }
}

#[test]
fn every_level_and_type_agrees_with_the_definition() {
    for_all_pixels!(check_sizes);
}

fn check_long<T: Pixel>() {
    let wanted = Resize { method: ResizeMethod::Area, width: 3, height: 2, samples_per_pixel: 1 };
    check::<T>(Case { wanted, from: (1000, 7), pad: 0 });
    check::<T>(Case { wanted: Resize { width: 6, ..wanted }, from: (5, 700), pad: 1 });
}

#[test]
fn long_means_keep_their_digits() {
    for_all_pixels!(check_long);
}

#[test]
fn known_pictures() {
    let row = [10u8, 20, 40, 80];
    let resized = |method, width| {
        let (mut output, mut scratch) = (vec![0; width], ResizeScratch::default());
        let wanted = Resize { method, width, height: 1, samples_per_pixel: 1 };
        let input = Plane::packed(&row, 4, 1).unwrap();
        resize(Level::best(), input, &wanted, &mut output, width, &mut scratch).unwrap();
        output
    };
    assert_eq!(resized(ResizeMethod::Nearest, 2), [20, 80]);
    assert_eq!(resized(ResizeMethod::Nearest, 8), [10, 10, 20, 20, 40, 40, 80, 80]);
    assert_eq!(resized(ResizeMethod::Bilinear, 2), [15, 60]);
    assert_eq!(resized(ResizeMethod::Bilinear, 8), [10, 13, 18, 25, 35, 50, 70, 80]);
    assert_eq!(resized(ResizeMethod::Area, 2), [15, 60]);
    assert_eq!(resized(ResizeMethod::Area, 3), [13, 30, 70]);
    assert_eq!(resized(ResizeMethod::Area, 8), resized(ResizeMethod::Nearest, 8));
    for method in METHODS {
        assert_eq!(resized(method, 4), row);
    }
}

#[test]
fn one_value_stays_that_value() {
    for value in 0..=255u8 {
        let (input, mut scratch) = ([value; 7 * 5], ResizeScratch::default());
        for method in METHODS {
            for (width, height) in [(23, 31), (3, 2), (7, 9), (30, 2)] {
                let wanted = Resize { method, width, height, samples_per_pixel: 1 };
                let mut output = vec![!value; width * height];
                let input = Plane::packed(&input, 7, 5).unwrap();
                resize(Level::best(), input, &wanted, &mut output, width, &mut scratch).unwrap();
                assert!(output.iter().all(|v| *v == value), "{value} {wanted:?} {output:?}");
            }
        }
    }
}

#[test]
fn large_integers_and_nan() {
    let mut scratch = ResizeScratch::default();
    let wanted = Resize { method: ResizeMethod::Area, width: 2, height: 1, samples_per_pixel: 1 };
    let big = [i64::MAX, i64::MIN];
    let input = Plane::packed(&big, 2, 1).unwrap();
    let mut output = [0; 2];
    resize(Level::best(), input, &wanted, &mut output, 2, &mut scratch).unwrap();
    assert_eq!(output, big);
    let holes = [1.0f32, f32::NAN, 3.0, 5.0, f32::INFINITY, 1.0];
    let input = Plane::packed(&holes, 6, 1).unwrap();
    let mut output = [0.0; 3];
    resize(Level::best(), input, &Resize { width: 3, ..wanted }, &mut output, 3, &mut scratch).unwrap();
    assert!(output[0].is_nan() && output[1..] == [4.0, f32::INFINITY], "{output:?}");
    let mut output = [0.0; 18];
    let wanted = Resize { method: ResizeMethod::Bilinear, width: 18, ..wanted };
    resize(Level::best(), input, &wanted, &mut output, 18, &mut scratch).unwrap();
    let nan: Vec<usize> = (0..18).filter(|x| output[*x].is_nan()).collect();
    // The centre of pixel 7 is the centre of pixel 2 of the input: the NaN beside it has no weight.
    assert_eq!(nan, [2, 3, 4, 5, 6]);
}

#[test]
fn scratch_follows_what_is_wanted() {
    let mut scratch = ResizeScratch::default();
    for (width, method) in
        [(5, METHODS[1]), (9, METHODS[1]), (9, METHODS[2]), (2, METHODS[3]), (5, METHODS[1])]
    {
        let wanted = Resize { method, width, height: 4, samples_per_pixel: 1 };
        let input = pixels::<u8>(21, 3);
        let input = Plane::packed(&input, 7, 3).unwrap();
        let (mut kept, mut fresh) = (vec![0; width * 4], vec![0; width * 4]);
        resize(Level::best(), input, &wanted, &mut kept, width, &mut scratch).unwrap();
        resize(Level::best(), input, &wanted, &mut fresh, width, &mut ResizeScratch::default()).unwrap();
        assert_eq!(kept, fresh);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |(width, height): (usize, usize), wanted: Resize, len: usize, stride: usize| {
        let input = vec![0u8; width * height];
        let input = Plane::packed(&input, width, height).unwrap();
        let mut output = vec![0; len];
        resize(Level::best(), input, &wanted, &mut output, stride, &mut ResizeScratch::default()).unwrap_err()
    };
    let wanted = Resize { method: ResizeMethod::Bilinear, width: 4, height: 2, samples_per_pixel: 1 };
    assert!(matches!(refused((3, 3), wanted, 7, 4), ResizeError::Output(_)));
    assert!(matches!(refused((3, 3), wanted, 8, 3), ResizeError::Output(_)));
    assert!(matches!(refused((3, 3), wanted, 8, usize::MAX), ResizeError::Output(_)));
    assert!(matches!(refused((0, 3), wanted, 8, 4), ResizeError::Size { .. }));
    assert!(matches!(refused((3, 0), wanted, 8, 4), ResizeError::Size { .. }));
    assert!(matches!(refused((3, 3), Resize { width: 0, ..wanted }, 8, 4), ResizeError::Size { .. }));
    assert!(matches!(refused((3, 3), Resize { height: 0, ..wanted }, 8, 4), ResizeError::Size { .. }));
    let huge = Resize { height: usize::MAX, ..wanted };
    assert!(matches!(refused((3, 3), huge, 8, 4), ResizeError::Size { .. }));
    let samples = |samples_per_pixel| refused((3, 3), Resize { samples_per_pixel, ..wanted }, 8, 4);
    assert!(matches!(samples(2), ResizeError::Samples { .. }));
    assert!(matches!(samples(0), ResizeError::Samples { .. }));
}

proptest! {
    #[test]
    fn any_size(
        from in (1usize..200, 1usize..12), to in (1usize..400, 1usize..30),
        pad in 0usize..4, samples_per_pixel in 1usize..6, method in 0usize..4,
    ) {
        let wanted = Resize { method: METHODS[method], width: to.0, height: to.1, samples_per_pixel };
        let case = Case { wanted, from, pad };
        check::<u8>(case);
        check::<i16>(case);
        check::<f32>(case);
        check::<u32>(case);
    }
}
