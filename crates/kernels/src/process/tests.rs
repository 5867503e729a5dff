use super::*;
use crate::test_data::{WIDTHS, assert_same, numbers, tame, values};
use proptest::prelude::*;

/// One pixel by definition: output before conversion, new state.
fn definition<S: Real>(
    at: usize,
    i: S,
    f: S,
    corrections: &Corrections<S>,
    c: Option<Coefficients<S>>,
) -> (S, S) {
    let zero = S::default();
    let mut v = i;
    if let Some(background) = corrections.background {
        v = v - background[at];
    }
    if let Some(field) = corrections.flat_field
        && field.flat[at] != zero
    {
        v = v * field.scale / field.flat[at];
    }
    if let Some(o) = corrections.offset_scale {
        v = (v + o.offset) * o.scale;
    }
    if let Some(clip) = corrections.high_clip.filter(|clip| v > clip.threshold) {
        v = clip.value;
    }
    if let Some(clip) = corrections.low_clip.filter(|clip| v < clip.threshold) {
        v = clip.value;
    }
    let term = |coefficient: S, v: S| if coefficient == zero { zero } else { coefficient * v };
    match c {
        Some(c) => (c.o_offset + term(c.o1, f) + term(c.o2, v), c.f_offset + term(c.f1, f) + term(c.f2, v)),
        None => (v, f),
    }
}

/// Corrections; each bit of `bits` switches one on.
fn some_corrections<'a, S: Real>(bits: u32, background: &'a [S], flat: &'a [S]) -> Corrections<'a, S> {
    let number = S::from_f64;
    let on = |bit: u32| bits >> bit & 1 == 1;
    Corrections {
        background: on(0).then_some(background),
        flat_field: on(1).then_some(FlatField { flat, scale: number(255.0) }),
        offset_scale: on(2).then_some(OffsetScale { offset: number(-3.5), scale: number(0.75) }),
        high_clip: on(3).then_some(Clip { threshold: number(100.0), value: number(99.5) }),
        low_clip: on(4).then_some(Clip { threshold: number(-20.0), value: number(1.0) }),
    }
}

const SETUPS: [fn() -> FilterSetup; 6] = [
    FilterSetup::recursive_average,
    || FilterSetup::average(8),
    FilterSetup::sum,
    FilterSetup::difference,
    FilterSetup::recursive_average_difference,
    FilterSetup::copy_to_filter,
];

fn filter<S>(state: &mut [S], coefficients: Option<Coefficients<S>>) -> Option<Filter<'_, S>> {
    coefficients.map(|coefficients| Filter { state, coefficients })
}

fn check<I: Filtered, S: Real, O: Pixel>(
    width: usize,
    height: usize,
    pad: usize,
    bits: u32,
    setup: Option<usize>,
    n: u32,
) {
    let (stride, len) = (width + pad, width * height);
    // The image starts one pixel into its memory, so that no vector is aligned.
    let memory = values::<I>(1 + stride * height, u64::from(bits) + 1);
    let input = Plane::new(&memory[1..], width, height, stride).unwrap();
    let (background, flat, before) = (tame::<S>(len, 2), tame::<S>(len, 3), values::<S>(len, 4));
    let flat: Vec<S> =
        flat.into_iter().enumerate().map(|(i, f)| if i % 5 == 0 { S::default() } else { f }).collect();
    let corrections = some_corrections(bits, &background, &flat);
    let coefficients = setup.map(|s| SETUPS[s]().coefficients(n).rounded::<S>());
    let pixels = input.rows().flatten().enumerate();
    let expected: Vec<(S, S)> =
        pixels.map(|(at, i)| definition(at, i.cast(), before[at], &corrections, coefficients)).collect();
    let direct = setup.is_none() && bits & 31 == 0;
    let expected_output: Vec<O> = match direct {
        true => input.rows().flatten().map(|i| i.cast()).collect(),
        false => expected.iter().map(|e| e.0.cast()).collect(),
    };
    let expected_state: Vec<S> = expected.iter().map(|e| e.1).collect();
    for level in Level::available() {
        let context = (level, width, height, pad, bits, setup, n, std::any::type_name::<(I, S, O)>());
        let (mut state, mut output) = (before.clone(), vec![O::default(); len]);
        process(level, input, &corrections, filter(&mut state, coefficients), Some(&mut output)).unwrap();
        assert_same(&output, &expected_output, context);
        assert_same(&state, &expected_state, context);
        let mut state = before.clone();
        process::<I, S, O>(level, input, &corrections, filter(&mut state, coefficients), None).unwrap();
        assert_same(&state, &expected_state, context);
    }
}

fn check_sizes<I: Filtered, S: Real, O: Pixel>() {
    for (i, width) in WIDTHS.into_iter().chain([BLOCK - 1, BLOCK, 2 * BLOCK + 3]).enumerate() {
        for bits in [0, 31, 1 << (i % 5)] {
            check::<I, S, O>(width, 3, i % 3, bits, None, 1);
            check::<I, S, O>(width, 2, i % 2, bits, Some(i % 6), 1 + i as u32);
        }
    }
}

fn to_itself<T: Filtered>() {
    check_sizes::<T, f32, T>();
    check_sizes::<T, f64, T>();
}

fn from_u16<T: Filtered>() {
    check_sizes::<u16, f32, T>();
}

fn to_f32<T: Filtered>() {
    check_sizes::<T, f64, f32>();
}

#[test]
fn every_level_and_type_gives_the_bits_of_the_definition() {
    for_all_pixels!(to_itself);
    for_all_pixels!(from_u16);
    for_all_pixels!(to_f32);
}

#[test]
fn all_combinations_of_steps() {
    for bits in 0..32 {
        for setup in 0..SETUPS.len() {
            check::<u8, f32, u8>(70, 2, 1, bits, Some(setup), 1);
            check::<i16, f64, f32>(70, 2, 1, bits, Some(setup), 3);
        }
    }
}

#[test]
fn a_state_of_f32_stays_close_to_f64() {
    // Each operation rounds by at most half an ulp (2^-24) of its result; a recursive average of
    // N frames has at most N * 3 of them, none of whose results exceeds the largest input.
    let (frames, size) = (200, 300);
    let setup = FilterSetup::recursive_average();
    let (mut single, mut double) = (vec![0f32; size], vec![0f64; size]);
    for n in 1..=frames {
        let frame = values::<u16>(size, u64::from(n));
        let frame = Plane::packed(&frame, size, 1).unwrap();
        let filter = Filter { state: &mut single, coefficients: setup.coefficients(n).rounded() };
        process::<_, _, u16>(Level::best(), frame, &Corrections::default(), Some(filter), None).unwrap();
        let filter = Filter { state: &mut double, coefficients: setup.coefficients(n) };
        process::<_, _, u16>(Level::best(), frame, &Corrections::default(), Some(filter), None).unwrap();
    }
    let tolerance = f64::from(frames) * 3.0 * 2f64.powi(-24) * 65535.0;
    for (s, d) in single.iter().zip(&double) {
        assert!((f64::from(*s) - d).abs() <= tolerance, "{s} instead of {d}");
    }
}

#[test]
fn presets_do_what_their_names_say() {
    let frames = [3.0, 5.0, 10.0, 2.0];
    let outputs = |setup: FilterSetup| {
        let mut state = [f64::NAN];
        let mut outputs = Vec::new();
        for (n, frame) in (1..).zip(frames) {
            let (frame, mut output) = ([frame], [0.0f64]);
            let input = Plane::packed(&frame, 1, 1).unwrap();
            if n == 1 {
                let r = setup.reset_coefficients();
                reset(Level::best(), input, &Corrections::default(), &mut state, r).unwrap();
            }
            let filter = Filter { state: &mut state, coefficients: setup.coefficients(n) };
            process(Level::best(), input, &Corrections::default(), Some(filter), Some(&mut output)).unwrap();
            outputs.push(output[0]);
        }
        outputs
    };
    assert_eq!(outputs(FilterSetup::recursive_average()), [3.0, 4.0, 6.0, 5.0]);
    assert_eq!(outputs(FilterSetup::average(4)), [0.75, 2.0, 4.5, 5.0]);
    assert_eq!(outputs(FilterSetup::sum()), [3.0, 8.0, 18.0, 20.0]);
    assert_eq!(outputs(FilterSetup::difference()), [0.0, 2.0, 5.0, -8.0]);
    assert_eq!(outputs(FilterSetup::recursive_average_difference()), [0.0, 2.0, 6.0, -4.0]);
    assert_eq!(outputs(FilterSetup::copy_to_filter()), frames);
}

#[test]
fn reset_keeps_adds_and_scales() {
    let mut state = [10.0f32, 20.0];
    let coefficients = ResetCoefficients { offset: 1.0, state: 0.5, input: 2.0 };
    let frame = Plane::packed(&[3u8, 4], 2, 1).unwrap();
    reset(Level::best(), frame, &Corrections::default(), &mut state, coefficients).unwrap();
    assert_eq!(state, [12.0, 19.0]);
}

#[test]
fn wrong_lengths_are_refused() {
    let frame = Plane::packed(&[3u8, 4], 2, 1).unwrap();
    let corrections = Corrections { background: Some(&[0f32][..]), ..Corrections::default() };
    let error = process(Level::best(), frame, &corrections, None, Some(&mut [0u8; 2])).unwrap_err();
    assert_eq!(error, LengthError { what: "background", len: 1, expected: 2 });
    let none = Corrections::<f32>::default();
    assert!(process(Level::best(), frame, &none, None, Some(&mut [0u8; 3])).is_err());
    let coefficients = FilterSetup::sum().coefficients(1).rounded();
    let filter = Filter { state: &mut [0f32; 1], coefficients };
    assert!(process(Level::best(), frame, &none, Some(filter), Some(&mut [0u8; 2])).is_err());
}

fn check_min_max<T: Pixel>() {
    for width in WIDTHS {
        let memory = values::<T>(1 + 3 * (width + 2), width as u64);
        let plane = Plane::new(&memory[1..], width, 3, width + 2).unwrap();
        let numbers = || plane.rows().flatten().copied().filter(|v| v.partial_cmp(v).is_some());
        let low = numbers().reduce(|a, b| if b < a { b } else { a });
        let high = numbers().reduce(|a, b| if b > a { b } else { a });
        for level in Level::available() {
            assert_eq!(min_max(level, plane), low.zip(high), "{level:?} {width}");
        }
    }
}

#[test]
fn min_max_of_every_type() {
    for_all_pixels!(check_min_max);
    for level in Level::available() {
        let only = |v: f64| min_max(level, Plane::packed(&[v; 70], 70, 1).unwrap());
        assert_eq!(only(f64::NAN), None);
        assert_eq!(only(f64::INFINITY), Some((f64::INFINITY, f64::INFINITY)));
        assert_eq!(only(f64::NEG_INFINITY), Some((f64::NEG_INFINITY, f64::NEG_INFINITY)));
    }
}

proptest! {
    #[test]
    fn any_size_and_setup(
        width in 0usize..700, height in 0usize..4, pad in 0usize..5, bits in 0u32..32,
        setup in proptest::option::of(0usize..6), n in 0u32..20,
    ) {
        check::<u16, f32, u8>(width, height, pad, bits, setup, n);
        check::<f32, f64, i32>(width, height, pad, bits, setup, n);
    }

    #[test]
    fn any_coefficients(seed: u64) {
        let mut unit = numbers(seed).map(|x| (x >> 40) as f64 / 1e6 - 8.0);
        let mut next = || unit.next().unwrap();
        let c = Coefficients { o_offset: next(), o1: next(), o2: next(), f_offset: next(), f1: next(), f2: next() };
        let (input, mut state, mut output) = ([next()], [next()], [0.0f64]);
        let expected = definition(0, input[0], state[0], &Corrections::default(), Some(c));
        let filter = Filter { state: &mut state, coefficients: c };
        let plane = Plane::packed(&input, 1, 1).unwrap();
        process(Level::best(), plane, &Corrections::default(), Some(filter), Some(&mut output)).unwrap();
        prop_assert_eq!((output[0], state[0]), expected);
    }
}
