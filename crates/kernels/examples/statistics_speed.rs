//! Prints the time of one call of the statistics kernel, per level, pixel type and task.
//!
//! `cargo run --release -p livetime-kernels --example statistics_speed -- [pixel types]`
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a program that prints")]

use livetime_kernels::statistics::{Cursor, HistogramRange, Measure, Scratch, Wanted, statistics};
use livetime_kernels::{Level, Pixel, Plane};
use std::hint::black_box;
use std::time::Instant;

const SIZE: usize = 1024;

fn main() {
    println!("{SIZE} x {SIZE} pixels, microseconds per call, best of many");
    println!(
        "level     type   basic  centroid   both  histogram  everything  both from 1 on: all, 512x512 view"
    );
    let only: Vec<String> = std::env::args().skip(1).collect();
    for level in Level::available() {
        rows::<u8>(level, &only);
        rows::<i8>(level, &only);
        rows::<u16>(level, &only);
        rows::<i16>(level, &only);
        rows::<u32>(level, &only);
        rows::<i32>(level, &only);
        rows::<u64>(level, &only);
        rows::<i64>(level, &only);
        rows::<f32>(level, &only);
        rows::<f64>(level, &only);
    }
}

fn rows<T: Measure>(level: Level, only: &[String]) {
    let name = std::any::type_name::<T>().to_owned();
    if !only.is_empty() && !only.contains(&name) {
        return;
    }
    let pixels = image::<T>();
    let full = Plane::packed(&pixels, SIZE, SIZE).expect("size");
    let quarter = Plane::new(&pixels[100 * SIZE + 101..], SIZE / 2, SIZE / 2, SIZE).expect("size");
    let basic = Wanted { basic: true, background_width: 1, ..Wanted::default() };
    let centroid = Wanted { centroid: true, threshold: 20.0, ..Wanted::default() };
    let both = Wanted { basic: true, background_width: 1, ..centroid };
    let whole = Wanted { threshold: 1.0, ..both };
    let range = HistogramRange { min: 0.0, max: 255.0, bins: 256 };
    let histogram = Wanted { histogram: Some(range), ..Wanted::default() };
    let all = Wanted { profiles: Some(Cursor { x: 9, y: 9 }), histogram: Some(range), ..both };
    let times = [
        time(level, full, &basic),
        time(level, full, &centroid),
        time(level, full, &both),
        time(level, full, &histogram),
        time(level, full, &all),
        time(level, full, &whole),
        time(level, quarter, &whole),
    ];
    let [a, b, c, d, e, f, g] = times.map(|t| t * 1e6);
    let level = level.name();
    println!("{level:9} {name:4} {a:7.1} {b:9.1} {c:6.1} {d:10.1} {e:11.1} {f:10.1} {g:10.1}");
}

/// A noisy image with values from 0 to 120.
fn image<T: Pixel>() -> Vec<T> {
    let mut state = 1u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        T::from_f64(f64::from((state >> 24) % 121))
    };
    std::iter::repeat_with(next).take(SIZE * SIZE).collect()
}

fn time<T: Measure>(level: Level, image: Plane<T>, wanted: &Wanted) -> f64 {
    let mut scratch = Scratch::default();
    let mut best = f64::MAX;
    for _ in 0..200 {
        let start = Instant::now();
        black_box(statistics(level, black_box(image), wanted, &mut scratch));
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}
