//! Prints the time per call of the hot kernels on one core, for every level of this processor.
//!
//! ```text
//! cargo run --release -p livetime-kernels --example kernel_speed [part of a name]
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program that prints, on sizes it made itself"
)]

use livetime_kernels::*;
use std::hint::black_box;
use std::time::{Duration, Instant};

const WIDTH: usize = 1024;
const HEIGHT: usize = 1024;
const PIXELS: usize = WIDTH * HEIGHT;

fn main() {
    println!("images of {WIDTH} x {HEIGHT} pixels; best of many calls, nanoseconds per call");
    print!("{:<54}", "case");
    for level in Level::available() {
        print!("{:>12}", level.name());
    }
    println!();
    process_cases();
    convert_cases();
    transform_cases();
    resize_cases();
    pattern_cases();
    calibrate_cases();
}

/// Runs `call` for a while on every level and prints the fastest time.
fn row(name: &str, mut call: impl FnMut(Level)) {
    if std::env::args().nth(1).is_some_and(|wanted| !name.contains(&wanted)) {
        return;
    }
    print!("{name:<54}");
    for level in Level::available() {
        let (mut best, start) = (Duration::MAX, Instant::now());
        while start.elapsed() < Duration::from_millis(200) {
            let begin = Instant::now();
            call(level);
            best = best.min(begin.elapsed());
        }
        print!("{:>12}", best.as_nanos());
    }
    println!();
}

/// An image that starts at a cache line, as frames from a pool do.
fn image<T: Pixel>() -> &'static mut [T] {
    let pixels = (0..PIXELS + 64).map(|i| T::from_f64((i * 7 % 251) as f64));
    let pixels = pixels.collect::<Vec<T>>().leak();
    let start = pixels.as_ptr().align_offset(64);
    &mut pixels[start..][..PIXELS]
}

fn process_cases() {
    filter::<u8, f32, u8>("process filter u8 -> u8, f32 state");
    filter::<u8, f64, u8>("process filter u8 -> u8, f64 state");
    filter::<u16, f32, u16>("process filter u16 -> u16, f32 state");
    filter::<u16, f64, u16>("process filter u16 -> u16, f64 state");
    filter::<f32, f32, f32>("process filter f32 -> f32, f32 state");
    filter::<f32, f64, f32>("process filter f32 -> f32, f64 state");
    filter::<i32, f32, i32>("process filter i32 -> i32, f32 state");
    filter::<u32, f64, u32>("process filter u32 -> u32, f64 state");
    corrections::<u8, f32, u8>("process all steps u8 -> u8, f32 state");
    corrections::<u16, f64, u16>("process all steps u16 -> u16, f64 state");
    let pixels = image::<u16>();
    row("min_max u16", |level| {
        black_box(min_max(level, Plane::packed(pixels, WIDTH, HEIGHT).unwrap()));
    });
}

fn filter<I: Filtered, S: Real, O: Pixel>(name: &str) {
    let (input, state, output) = (image::<I>(), image::<S>(), image::<O>());
    let coefficients = FilterSetup::recursive_average().coefficients(10).rounded();
    row(name, |level| {
        let filter = Filter { state: &mut *state, coefficients };
        let input = Plane::packed(input, WIDTH, HEIGHT).unwrap();
        process(level, input, &Corrections::default(), Some(filter), Some(black_box(&mut *output))).unwrap();
    });
}

fn corrections<I: Filtered, S: Real, O: Pixel>(name: &str) {
    let (input, state, output) = (image::<I>(), image::<S>(), image::<O>());
    let (background, flat) = (image::<S>(), image::<S>());
    let number = S::from_f64;
    let corrections = Corrections {
        background: Some(&*background),
        flat_field: Some(FlatField { flat, scale: number(255.0) }),
        offset_scale: Some(OffsetScale { offset: number(1.0), scale: number(1.5) }),
        high_clip: Some(Clip { threshold: number(200.0), value: number(200.0) }),
        low_clip: Some(Clip { threshold: number(10.0), value: number(0.0) }),
    };
    let coefficients = FilterSetup::recursive_average().coefficients(10).rounded();
    row(name, |level| {
        let filter = Filter { state: &mut *state, coefficients };
        let input = Plane::packed(input, WIDTH, HEIGHT).unwrap();
        process(level, input, &corrections, Some(filter), Some(black_box(&mut *output))).unwrap();
    });
}

fn convert_cases() {
    let whole = Conversion::whole(WIDTH, HEIGHT);
    let bin = |n| Conversion { bin_x: n, bin_y: n, ..whole };
    conversion::<u8, u8>("convert copy u8 -> u8", whole);
    conversion::<u16, u8>("convert type u16 -> u8", whole);
    conversion::<u8, f64>("convert type u8 -> f64", whole);
    conversion::<f32, u16>("convert type f32 -> u16", whole);
    conversion::<f64, u64>("convert type f64 -> u64", whole);
    conversion::<u8, u8>("convert reverse x u8 -> u8", Conversion { reverse_x: true, ..whole });
    conversion::<u8, u8>("convert bin 2x2 u8 -> u8", bin(2));
    conversion::<u16, u16>("convert bin 2x2 u16 -> u16", bin(2));
    conversion::<u16, u16>("convert bin 4x4 u16 -> u16", bin(4));
    conversion::<u16, u16>("convert bin 8x8 u16 -> u16", bin(8));
    conversion::<u16, u16>("convert mean 2x2 u16", Conversion { divide_by: Some(4.0), ..bin(2) });
    conversion::<f32, f32>("convert bin 2x2 f32 -> f32", bin(2));
    let colour = |n| Conversion { size_x: WIDTH / 3, samples_per_pixel: 3, ..bin(n) };
    colour_conversion("convert RGB1 bin 2x2 u8", colour(2));
    colour_conversion("convert RGB1 reverse x u8", Conversion { reverse_x: true, ..colour(1) });
}

fn conversion<I: Summed, O: Pixel>(name: &str, c: Conversion) {
    let (columns, rows) = c.output_size();
    let (input, output) = (image::<I>(), &mut image::<O>()[..columns * rows]);
    row(name, |level| {
        let input = Plane::packed(input, WIDTH, HEIGHT).unwrap();
        convert(level, input, &c, black_box(&mut *output)).unwrap();
    });
}

fn colour_conversion(name: &str, c: Conversion) {
    let (columns, rows) = c.output_size();
    let (input, output) = (image::<u8>(), &mut image::<u8>()[..columns * rows * 3]);
    row(name, |level| {
        let input = Plane::new(input, WIDTH / 3 * 3, HEIGHT, WIDTH).unwrap();
        convert(level, input, &c, black_box(&mut *output)).unwrap();
    });
}

fn transform_cases() {
    turned::<u8>("transform u8", 1);
    turned::<u16>("transform u16", 1);
    turned::<u32>("transform u32", 1);
    turned::<f64>("transform f64", 1);
    turned::<u8>("transform RGB1 u8", 3);
}

fn turned<T: Pixel>(name: &str, samples: usize) {
    let (input, output) = (image::<T>(), image::<T>());
    let width = WIDTH / samples * samples;
    for t in [Transform::Rot90, Transform::Rot180, Transform::Rot90Mirror] {
        row(&format!("{name} {t:?}"), |level| {
            let input = Plane::new(input, width, HEIGHT, WIDTH).unwrap();
            transform(level, input, t, samples, black_box(&mut output[..width * HEIGHT])).unwrap();
        });
    }
}

fn pattern_cases() {
    pattern::<u8>("u8");
    pattern::<u16>("u16");
    pattern::<f64>("f64");
}

fn pattern<T: Pixel>(name: &str) {
    let (base, background, out) = (image::<T>(), image::<T>(), image::<T>());
    let one = T::from_f64(1.0);
    row(&format!("pattern add_constant {name}"), |level| {
        add_constant(level, base, one, black_box(out)).unwrap();
    });
    row(&format!("pattern add_constant_rgb {name}"), |level| {
        add_constant_rgb(level, base, [one; 3], black_box(out)).unwrap();
    });
    row(&format!("pattern add_constant_circular {name}"), |level| {
        add_constant_circular(level, base, one, background, 12345, black_box(out)).unwrap();
    });
    row(&format!("pattern fill_circular {name}"), |_| {
        fill_circular(background, 12345, black_box(out)).unwrap()
    });
    let mut generator = Noise::new(1);
    row(&format!("pattern noise {name}"), |level| noise(level, &mut generator, 50.0, 3.0, black_box(out)));
    let wave: Vec<f64> = (0..WIDTH).map(|i| (i as f64 / 50.0).sin()).collect();
    row(&format!("pattern add_sine {name}"), |level| {
        let canvas = Canvas::packed(black_box(&mut *out), WIDTH, HEIGHT).unwrap();
        add_sine(level, canvas, 20.0, &wave, &wave).unwrap();
    });
    let mut stamp = vec![T::default(); 81 * 161];
    peak_stamp(100.0, 10.0, 20.0, 81, &mut stamp).unwrap();
    row(&format!("pattern add_stamp 81 x 161 {name}"), |level| {
        let mut canvas = Canvas::packed(black_box(&mut *out), WIDTH, HEIGHT).unwrap();
        let stamp = Plane::packed(&stamp, 81, 161).unwrap();
        add_stamp(level, &mut canvas, stamp, 500, 500, 1.01);
    });
}

/// A colour picture enlarged by four, and an image reduced.
fn resize_cases() {
    use ResizeMethod::*;
    for method in [Nearest, Bilinear, Cubic, Area] {
        resized::<u8>(method, (468, 249), (1872, 996), 3);
    }
    for method in [Bilinear, Cubic] {
        resized::<u16>(method, (468, 249), (1872, 996), 3);
    }
    resized::<f32>(Bilinear, (1024, 1024), (2048, 2048), 1);
    for method in [Bilinear, Area] {
        resized::<u8>(method, (1024, 1024), (512, 512), 1);
        resized::<u16>(method, (1024, 1024), (512, 512), 1);
        resized::<u16>(method, (1024, 1024), (300, 300), 1);
    }
}

fn resized<T: Pixel>(method: ResizeMethod, from: (usize, usize), to: (usize, usize), samples: usize) {
    let wanted = Resize { method, width: to.0, height: to.1, samples_per_pixel: samples };
    let row = from.0 * samples;
    let pixels: Vec<T> = (0..row * from.1).map(|i| T::from_f64((i * 7 % 251) as f64)).collect();
    let (mut output, mut scratch) = (vec![T::default(); to.0 * to.1 * samples], ResizeScratch::default());
    let name = format!("resize {method:?} {} x{samples} {from:?} to {to:?}", std::any::type_name::<T>());
    self::row(&name, |level| {
        let input = Plane::packed(&pixels, row, from.1).unwrap();
        resize(level, input, &wanted, &mut output, to.0 * samples, &mut scratch).unwrap();
        black_box(&output);
    });
}

/// Constants of one gain stage, and of three with all pixels in the first, a tenth of them together, or a tenth anywhere in others.
fn calibrate_cases() {
    use livetime_kernels::calibrate::*;
    let constants =
        [[0.5f32, 2.5, 4.5], [1.5, -2.0, -3.0]].map(|stages| stages.map(|v| vec![v; PIXELS]).concat());
    let [pedestal, gain] = &constants;
    let (good, out) = (vec![1.0f32; PIXELS], image::<f32>());
    let bits: GainBits = "jungfrau".parse().unwrap();
    let (shape, mut scratch) = ((HEIGHT, WIDTH), Scratch::default());
    let one = Constants { pedestal: &pedestal[..PIXELS], gain: &gain[..PIXELS], good: &good };
    let three = Staged { bits: &bits, pedestal, gain, stride: PIXELS, good: &good };
    let stage = |name: &str, i: usize| match name {
        "in the first" => 0,
        "a tenth together" => u16::from(i % WIDTH < 102),
        _ => [0, 1, 3][(i.wrapping_mul(2_654_435_761) >> 7) % 20 / 18 * (1 + i % 2)],
    };
    for name in ["in the first", "a tenth together", "a tenth anywhere"] {
        let raw: Vec<u8> =
            (0..PIXELS).flat_map(|i| (stage(name, i) << 14 | (i % 4096) as u16).to_le_bytes()).collect();
        row(&format!("calibrate u16, {name}, one stage"), |level| {
            calibrate::<u16>(level, black_box(&raw), shape, &one, &[], &mut scratch, out).unwrap();
        });
        row(&format!("calibrate u16, {name}, three stages"), |level| {
            let done = calibrate_staged(level, black_box(&raw), shape, &three, &[], &mut scratch, out);
            assert_eq!(done, Ok(0));
        });
    }
}
