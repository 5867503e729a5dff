use super::*;
use crate::Plane;
use crate::test_data::{WIDTHS, assert_same, values};
use proptest::prelude::*;

/// The conversion of this module by definition.
fn converted<T: Pixel>(value: f64) -> T {
    if T::FLOAT {
        return T::from_f64(value);
    }
    let whole = (value as i128).clamp(-(1 << 63), (1 << 64) - 1);
    (whole as u64).cast_wrapping()
}

const ODD: [f64; 12] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    255.9,
    256.0,
    -0.9,
    -1.0,
    2147483648.0,
    -2147483649.5,
    1e19,
    1e20,
    -1e20,
];

fn check_sums<T: Pixel>() {
    for len in WIDTHS {
        let (base, ring) = (&values::<T>(len + 1, 1)[1..], values::<T>(len / 3 + 5, 2));
        let constants = [T::HIGHEST, T::from_f64(3.0), T::LOWEST];
        let at = |i: usize| ring[(7 + i) % ring.len()];
        let sum = |f: &dyn Fn(usize) -> T| (0..len).map(|i| base[i].add_wrapping(f(i))).collect::<Vec<T>>();
        for level in Level::available() {
            let mut out = vec![T::default(); len];
            add_constant(level, base, constants[0], &mut out).unwrap();
            assert_same(&out, &sum(&|_| constants[0]), (level, len));
            add_constant_rgb(level, base, constants, &mut out).unwrap();
            assert_same(&out, &sum(&|i| constants[i % 3]), (level, len));
            out.copy_from_slice(base);
            add_circular(level, &ring, 7, &mut out).unwrap();
            assert_same(&out, &sum(&at), (level, len));
            add_constant_circular(level, base, constants[1], &ring, 7 + 5 * ring.len(), &mut out).unwrap();
            let expected: Vec<T> =
                (0..len).map(|i| base[i].add_wrapping(constants[1]).add_wrapping(at(i))).collect();
            assert_same(&out, &expected, (level, len));
            fill_circular(&ring, 7, &mut out).unwrap();
            assert_same(&out, &(0..len).map(at).collect::<Vec<T>>(), (level, len));
        }
    }
}

fn check_ramp<T: Pixel>() {
    for (i, len) in WIDTHS.into_iter().enumerate() {
        let (increment, gain_x, gain_y) = (1.5 + i as f64, 2.25 * i as f64 - 4.0, 1e3 * i as f64);
        let value = |x: usize| converted(increment * (gain_x * x as f64 + gain_y * 3.0));
        for level in Level::available() {
            let mut out = vec![T::default(); len];
            ramp_row(level, increment, gain_x, gain_y, 3, &mut out);
            assert_same(&out, &(0..len).map(value).collect::<Vec<T>>(), (level, len));
        }
    }
}

fn check_noise<T: Pixel>() {
    for len in WIDTHS {
        let mut generator = Noise::new(9);
        let mut expected = vec![T::default(); len];
        noise(Level::PORTABLE, &mut generator, 700.0, -100.0, &mut expected);
        for level in Level::available() {
            let mut out = vec![T::default(); len];
            noise(level, &mut Noise::new(9), 700.0, -100.0, &mut out);
            assert_same(&out, &expected, (level, len));
        }
    }
}

fn check_sine<T: Pixel>() {
    for (i, width) in WIDTHS.into_iter().enumerate() {
        let (step, height) = (1 + i % 3, 1 + i % 4);
        let stride = width * step + i % 2;
        let before = values::<T>(1 + stride * height, i as u64);
        let wave = |n: usize, k: f64| (0..n).map(|i| (i as f64 * k).sin() * 4.0).collect::<Vec<f64>>();
        let (mut x, y) = (wave(width, 0.3), wave(height, 0.8));
        if i % 2 == 0 {
            x.iter_mut().skip(1).zip(ODD).for_each(|(x, odd)| *x = odd);
        }
        let mut expected = before.clone();
        for row in 0..height {
            for column in 0..width {
                let pixel = &mut expected[1 + row * stride + column * step];
                *pixel = pixel.add_wrapping(converted(37.5 * (x[column] + y[row])));
            }
        }
        for level in Level::available() {
            let mut pixels = before.clone();
            let canvas = Canvas::new(&mut pixels[1..], width, height, step, stride).unwrap();
            add_sine(level, canvas, 37.5, &x, &y).unwrap();
            assert_same(&pixels, &expected, (level, width, step));
        }
    }
}

/// The stamp is walked pixel by pixel, with the position of each checked against the image.
fn check_stamp<T: Pixel>(
    size: (usize, usize),
    stamp: (usize, usize),
    step: usize,
    x: isize,
    y: isize,
    factor: f64,
) {
    let (width, height) = size;
    let before = values::<T>(width * height * step, 5);
    let stamp_pixels = values::<T>(stamp.0 * stamp.1, 6);
    let mut expected = before.clone();
    for row in 0..stamp.1 {
        for column in 0..stamp.0 {
            let (to_x, to_y) =
                (x + column as isize - stamp.0 as isize / 2, y + row as isize - stamp.1 as isize / 2);
            if (0..width as isize).contains(&to_x) && (0..height as isize).contains(&to_y) {
                let pixel = &mut expected[(to_y as usize * width + to_x as usize) * step];
                let value = stamp_pixels[row * stamp.0 + column].to_f64();
                *pixel = pixel.add_wrapping(converted(factor * value));
            }
        }
    }
    for level in Level::available() {
        let mut pixels = before.clone();
        let mut canvas = Canvas::new(&mut pixels, width, height, step, width * step).unwrap();
        add_stamp(level, &mut canvas, Plane::packed(&stamp_pixels, stamp.0, stamp.1).unwrap(), x, y, factor);
        assert_same(&pixels, &expected, (level, size, stamp, step, x, y));
    }
}

fn check_stamps<T: Pixel>() {
    for x in [-200, -41, -40, -1, 0, 70, 139, 179, 180, 181, 10000] {
        check_stamp::<T>((140, 9), (81, 5), 1, x, x / 9, 1.25);
        check_stamp::<T>((140, 9), (80, 4), 3, x, 4, 0.7);
    }
}

#[test]
fn every_level_and_type_agrees_with_the_definition() {
    for_all_pixels!(check_sums);
    for_all_pixels!(check_ramp);
    for_all_pixels!(check_noise);
    for_all_pixels!(check_sine);
    for_all_pixels!(check_stamps);
}

#[test]
fn noise_is_uniform_and_differs() {
    let mut generator = Noise::new(0);
    let (mut first, mut second) = (vec![0f64; 100_000], vec![0f64; 100_000]);
    noise(Level::best(), &mut generator, 1.0, 0.0, &mut first);
    noise(Level::best(), &mut generator, 1.0, 0.0, &mut second);
    assert_ne!(first[..8], second[..8]);
    assert!(first.iter().all(|v| (0.0..1.0).contains(v)));
    // Five standard deviations: σ of the mean is √(1/12 / n), of a bin's count √(n · 0.1 · 0.9).
    let mean = first.iter().sum::<f64>() / 1e5;
    assert!((mean - 0.5).abs() < 5.0 * (1.0f64 / 12.0 / 1e5).sqrt(), "{mean}");
    for bin in 0..10 {
        let count = first.iter().filter(|v| (**v * 10.0) as usize == bin).count() as f64;
        assert!((count - 1e4).abs() < 5.0 * 9e3f64.sqrt(), "{count}");
    }
}

#[test]
fn stamps_are_gaussian() {
    let (width, height) = (peak_size(3, 100), peak_size(2, 100));
    let mut stamp = vec![0f64; width * height];
    peak_stamp(7.0, 3.0, 2.0, width, &mut stamp).unwrap();
    assert_eq!((width, height, stamp[8 * 25 + 12]), (25, 17, 7.0));
    let value = 7.0 * (-25.0f64 / 18.0).exp() * (-4.0f64 / 8.0).exp();
    assert!((stamp[6 * 25 + 17] - value).abs() < 1e-12);
    let mut single = [1u8; 3];
    peak_stamp(7.0, 0.0, 0.0, 3, &mut single).unwrap();
    assert_eq!(single, [0, 7, 0]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let level = Level::best();
    assert!(add_constant(level, &[1u8], 1, &mut [0; 2]).is_err());
    assert!(add_constant_rgb(level, &[1u8], [1; 3], &mut [0; 2]).is_err());
    assert!(add_circular(level, &[], 0, &mut [0u8; 2]).is_err());
    assert!(fill_circular(&[], 0, &mut [0u8; 0]).is_ok());
    assert!(peak_stamp(1.0, 1.0, 1.0, 3, &mut [0u8; 4]).is_err());
    assert!(Canvas::new(&mut [0u8; 6], 2, 2, 2, 3).is_ok());
    assert!(Canvas::new(&mut [0u8; 5], 2, 2, 2, 3).is_err());
    assert!(Canvas::new(&mut [0u8; 9], 2, 2, 2, 2).is_err());
    assert!(Canvas::new(&mut [0u8; 9], 2, 2, 0, 2).is_err());
    assert!(Canvas::new(&mut [0u8; 9], usize::MAX, 2, 3, 2).is_err());
    for (x, y) in [(1, 2), (2, 1)] {
        let mut pixels = [0u8; 4];
        let canvas = Canvas::packed(&mut pixels, 2, 2).unwrap();
        assert!(add_sine(level, canvas, 1.0, &[1.0; 2][..x], &[1.0; 2][..y]).is_err());
    }
}

proptest! {
    #[test]
    fn any_stamp(
        size in (0usize..100, 0usize..20), stamp in (0usize..90, 0usize..20), step in 1usize..4,
        x in -150isize..150, y in -40isize..40, factor in -1e3f64..1e3,
    ) {
        check_stamp::<u8>(size, stamp, step, x, y, factor);
        check_stamp::<i64>(size, stamp, step, x, y, factor);
        check_stamp::<f32>(size, stamp, step, x, y, factor);
    }

    #[test]
    fn any_ring(ring in proptest::collection::vec(any::<u16>(), 1..50), start: usize, len in 0usize..300) {
        let mut out = vec![0; len];
        fill_circular(&ring, start, &mut out).unwrap();
        for (i, v) in out.into_iter().enumerate() {
            prop_assert_eq!(v, ring[(start % ring.len() + i) % ring.len()]);
        }
    }
}
