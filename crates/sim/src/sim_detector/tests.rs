use livetime_engine::testing::{Harness, Simulation, assert_compliant};
use livetime_engine::{EdgeOptions, Graph, LossReason, Next, NodeType, Value};
use livetime_frame::{ColorMode, DType, Frame, with_dtype};

use super::*;

const WIDTH: usize = 7;
const HEIGHT: usize = 5;

fn detector(params: &[(&str, Value)]) -> Harness {
    let size = [("max_size_x", Value::Int(WIDTH as i64)), ("max_size_y", Value::Int(HEIGHT as i64))];
    Harness::new::<SimDetector>(&[&size[..], params].concat()).unwrap()
}

fn numbers(frame: &Frame) -> Vec<f64> {
    let array = frame.array().unwrap();
    with_dtype!(array.layout().dtype(), T => {
        array.elements::<T>().unwrap().iter().map(|v| *v as f64).collect()
    })
}

/// Checks every sample of a packed frame against `expected(x, y, colour)`.
fn check(frame: &Frame, expected: impl Fn(usize, usize, usize) -> f64) {
    let layout = *frame.array().unwrap().layout();
    let (width, height) = (layout.width(), layout.height());
    let found = numbers(frame);
    let colors = found.len() / (width * height);
    for (x, y, c) in (0..width * height * colors).map(|i| (i % width, i / width % height, i / width / height))
    {
        let index = match layout.color() {
            ColorMode::Rgb1 => (y * width + x) * 3 + c,
            ColorMode::Rgb2 => (y * 3 + c) * width + x,
            _ => (c * height + y) * width + x,
        };
        assert_eq!(found[index], expected(x, y, c), "{layout} at x {x}, y {y}, colour {c}");
    }
}

/// The value of a small number in an element type.
fn cut(dtype: DType, value: f64) -> f64 {
    with_dtype!(dtype, T => value as T as f64)
}

/// Runs `test` for every dtype and colour mode.
fn for_all(params: &[(&str, Value)], test: impl Fn(&mut Harness, DType, bool)) {
    for dtype in DType::ALL {
        for color in ["mono", "rgb1", "rgb2", "rgb3"] {
            let kind = [("data_type", dtype.name().into()), ("color_mode", color.into())];
            let mut harness = detector(&[&kind[..], params].concat());
            test(&mut harness, dtype, color != "mono");
        }
    }
}

#[test]
fn ramp_of_every_type_and_colour() {
    let gains = [
        ("gain", 2.5.into()),
        ("gain_x", 1.5.into()),
        ("gain_y", 3.into()),
        ("gain_green", 2.into()),
        ("gain_blue", 0.5.into()),
    ];
    for_all(&gains, |harness, dtype, colored| {
        let increment = cut(dtype, 2.5);
        for (k, frame) in harness.run_source(3).unwrap().iter().enumerate() {
            check(frame, |x, y, c| {
                let gain = if colored { [1.0, 2.0, 0.5][c] } else { 1.0 };
                let increment = cut(dtype, gain * increment);
                cut(dtype, increment * (1.5 * x as f64 + 3.0 * y as f64)) + k as f64 * increment
            });
        }
    });
}

#[test]
fn ramp_wraps_round() {
    let mut harness = detector(&[("gain", 100.into()), ("max_size_y", 1.into())]);
    let frames = harness.run_source(4).unwrap();
    assert_eq!(numbers(&frames[0]), [0.0, 100.0, 200.0, 44.0, 144.0, 244.0, 88.0]);
    assert_eq!(numbers(&frames[3])[..3], [44.0, 144.0, 244.0]);
}

#[test]
fn peaks_of_every_type_and_colour() {
    let peaks = [
        ("sim_mode", "peaks".into()),
        ("gain", 50.into()),
        ("gain_green", 0.5.into()),
        ("peak_width_x", 1.into()),
        ("peak_width_y", 2.into()),
        ("peak_start_x", 1.into()),
        ("peak_start_y", 0.into()),
        ("peak_num_x", 2.into()),
        ("peak_step_x", 6.into()),
    ];
    for_all(&peaks, |harness, dtype, colored| {
        let frames = harness.run_source(2).unwrap();
        check(&frames[1], |x, y, c| {
            let gain = if colored { [1.0, 0.5, 1.0][c] } else { 1.0 };
            let peak = |centre: isize| {
                // The stamp is 6 x 4 pixels, its centre in column 3 and row 2.
                let (dx, dy) = (x as isize - centre, y as isize);
                let inside = (-3..3).contains(&dx) && (-2..2).contains(&dy);
                let (dx, dy) = (dx as f64, dy as f64);
                let height = 50.0 * (-dx * dx / 2.0).exp() * (-dy * dy / 8.0).exp();
                if inside { cut(dtype, gain * cut(dtype, height)) } else { 0.0 }
            };
            cut(dtype, peak(1) + peak(7))
        });
    });
}

#[test]
fn peaks_vary_within_their_range() {
    let mut harness = detector(&[
        ("sim_mode", "peaks".into()),
        ("data_type", "f64".into()),
        ("gain", 100.into()),
        ("peak_variation", 50.into()),
    ]);
    let heights: Vec<f64> = harness.run_source(200).unwrap().iter().map(|f| numbers(f)[WIDTH + 1]).collect();
    let (low, high) = heights.iter().fold((f64::MAX, 0.0f64), |(l, h), v| (l.min(*v), h.max(*v)));
    assert!((75.0..80.0).contains(&low) && (120.0..125.0).contains(&high), "{low} to {high}");
}

#[test]
fn waves_of_every_type_and_colour() {
    let waves = [
        ("sim_mode", "sine".into()),
        ("gain", 9.into()),
        ("gain_x", 1.25.into()),
        ("gain_blue", 3.into()),
        ("x_sine_operation", "Multiply".into()),
        ("x_sine1_amplitude", 2.into()),
        ("y_sine2_frequency", 3.into()),
        ("y_sine1_phase", 30.into()),
    ];
    for_all(&waves, |harness, dtype, colored| {
        let sin = |t: f64, f: f64, phase: f64| (std::f64::consts::TAU * (t * f + phase / 360.0)).sin();
        for (k, frame) in harness.run_source(2).unwrap().iter().enumerate() {
            check(frame, |x, y, c| {
                let tx = (k * WIDTH + x) as f64 * 1.25 / WIDTH as f64;
                let ty = (k * HEIGHT + y) as f64 * 1.0 / HEIGHT as f64;
                let (x1, x2) = (2.0 * sin(tx, 1.0, 0.0), sin(tx, 2.0, 90.0));
                let (y1, y2) = (sin(ty, 1.0, 30.0), sin(ty, 3.0, 90.0));
                let value = match (colored, c) {
                    (false, _) => 9.0 * (x1 * x2 + (y1 + y2)),
                    (true, 0) => 9.0 * (x1 + 0.0),
                    (true, 1) => 9.0 * (0.0 + y1),
                    _ => 27.0 / 2.0 * (x2 + y2),
                };
                // Negative values wrap round in unsigned types.
                with_dtype!(dtype, T => if dtype.is_float() { value as T as f64 } else { value as i64 as T as f64 })
            });
        }
    });
}

#[test]
fn background_is_offset_and_noise() {
    for_all(&[("sim_mode", "Offset&Noise".into()), ("offset", 40.7.into())], |harness, dtype, _| {
        let offset = cut(dtype, 40.7);
        check(&harness.run_source(1).unwrap()[0], |_, _, _| offset);
    });
    let noisy = [("offset", 40.into()), ("noise", 9.into())];
    for mode in ["linear_ramp", "peaks", "sine", "offset_noise"] {
        let mode = [("sim_mode", mode.into()), ("data_type", "i32".into())];
        for_all_pairs(&[&mode[..], &noisy].concat(), &mode);
    }
}

/// The difference of frames with and without background is noise, and never the same twice.
fn for_all_pairs(noisy: &[(&str, Value)], plain: &[(&str, Value)]) {
    for color in ["mono", "rgb1", "rgb2", "rgb3"] {
        let color = [("color_mode", color.into())];
        let run = |params| detector(&[params, &color[..]].concat()).run_source(4).unwrap();
        let (noisy, plain) = (run(noisy), run(plain));
        let noise: Vec<Vec<f64>> = noisy.iter().zip(&plain).map(|(n, p)| difference(n, p)).collect();
        assert!(noise.iter().flatten().all(|v| (40.0..49.0).contains(v)), "{noise:?}");
        assert!(noise.windows(2).any(|pair| pair[0] != pair[1]));
    }
}

fn difference(a: &Frame, b: &Frame) -> Vec<f64> {
    numbers(a).iter().zip(numbers(b)).map(|(a, b)| a - b).collect()
}

#[test]
fn the_seed_decides_the_noise() {
    let noise = |seed: i64| {
        let params = [("sim_mode", "offset_noise".into()), ("noise", 200.into()), ("seed", seed.into())];
        detector(&params).run_source(3).unwrap().iter().flat_map(numbers).collect::<Vec<f64>>()
    };
    assert_eq!(noise(5), noise(5));
    assert_ne!(noise(5), noise(6));
}

#[test]
fn a_region_is_cut_binned_and_reversed() {
    let region = [
        ("min_x", 1.into()),
        ("size_x", 5.into()),
        ("min_y", 2.into()),
        ("size_y", 9.into()),
        ("bin_x", 2.into()),
        ("reverse_x", true.into()),
        ("reverse_y", true.into()),
        ("gain_y", 5.into()),
        ("gain_green", 2.into()),
        ("gain_blue", 3.into()),
    ];
    for_all(&region, |harness, _, colored| {
        let frame = &harness.run_source(1).unwrap()[0];
        let layout = *frame.array().unwrap().layout();
        let axes = layout.axes();
        let (x, y) = (layout.dims()[axes.x.unwrap()], layout.dims()[axes.y.unwrap()]);
        assert_eq!((x.size, x.offset, x.binning, x.reverse), (2, 1, 2, true));
        assert_eq!((y.size, y.offset, y.binning, y.reverse), (3, 2, 1, true));
        check(frame, |x, y, c| {
            let gain = if colored { (c + 1) as f64 } else { 1.0 };
            let pixel = |x: f64| gain * (x + 5.0 * (4 - y) as f64);
            // Bins of columns 3 and 4, then 1 and 2; a sum that does not fit saturates.
            let sum = pixel(3.0 - 2.0 * x as f64) + pixel(4.0 - 2.0 * x as f64);
            if layout.dtype() == DType::I8 { sum.min(127.0) } else { sum.min(255.0) }
        });
        assert_eq!((harness.number_of("size_x"), harness.number_of("size_y")), (4.0, 3.0));
    });
}

#[test]
fn regions_outside_are_brought_inside() {
    for (min, size, bin) in [(99, 1, 1), (0, 99, 99), (6, 5, 3), (0, 0, 4)] {
        let mut harness = detector(&[("min_x", min.into()), ("size_x", size.into()), ("bin_x", bin.into())]);
        let frame = harness.run_source(1).unwrap().remove(0);
        let layout = *frame.array().unwrap().layout();
        assert_eq!(harness.number_of("array_size_x"), layout.width() as f64);
        assert!(layout.width() >= 1 && layout.height() == HEIGHT);
    }
}

#[test]
fn frames_come_at_the_period() {
    let mut harness = detector(&[("acquire_time", "3 ms".into()), ("acquire_period", "10 ms".into())]);
    assert_eq!(harness.produce().unwrap().1, Next::At(3_000_000));
    assert_eq!(harness.number_of("num_images_counter"), 0.0);
    let frames = harness.run_source(4).unwrap();
    let entries: Vec<u64> = frames.iter().map(|f| f.header().entry_ns).collect();
    assert_eq!(entries, [3_000_000, 13_000_000, 23_000_000, 33_000_000]);
    assert!(frames.windows(2).all(|f| f[1].header().event_time_ns >= f[0].header().event_time_ns));
    // An exposure that is longer than the period decides.
    harness.set("acquire_time", "20 ms").unwrap();
    assert_eq!(harness.run_source(1).unwrap()[0].header().entry_ns, 53_000_000);
    // A change acts on the frame that is waited for. (It is 73 ms.)
    harness.set("acquire_time", 0.001).unwrap();
    harness.set("acquire_period", 0.1).unwrap();
    assert_eq!(harness.produce().unwrap().1, Next::At(153_000_000));
    harness.set("acquire_period", 0.025).unwrap();
    assert_eq!(harness.produce().unwrap().1, Next::At(78_000_000));
    assert_eq!(harness.run_source(1).unwrap()[0].header().entry_ns, 78_000_000);
}

#[test]
fn late_frames_are_made_up_for_and_hopeless_ones_given_up() {
    let mut harness = detector(&[("acquire_time", 0.into()), ("acquire_period", "1 ms".into())]);
    harness.run_source(1).unwrap();
    harness.advance(20_000_000).unwrap();
    let at: Vec<u64> = harness.run_source(80).unwrap().iter().map(|f| f.header().entry_ns).collect();
    let gaps: Vec<u64> = at.windows(2).map(|at| at[1] - at[0]).collect();
    assert_eq!((at[0], at[79]), (20_000_000, 80_000_000));
    assert_eq!(gaps[..76], [750_000; 76]);
    assert_eq!(gaps[76..], [1_000_000; 3]);
    harness.advance(1_000_000_000).unwrap();
    let at: Vec<u64> = harness.run_source(3).unwrap().iter().map(|f| f.header().entry_ns).collect();
    assert_eq!(at, [1_000_000_000, 1_001_000_000, 1_002_000_000]);
    assert_eq!(harness.number_of("missed_periods"), 919.0);
    assert_eq!(harness.number_of("array_counter"), 84.0);
}

#[test]
fn without_times_there_is_no_waiting() {
    let mut harness = detector(&[("acquire_time", 0.into()), ("acquire_period", 0.into())]);
    for sequence in 1..4 {
        let (frames, next) = harness.produce().unwrap();
        assert_eq!((frames[0].header().sequence, next), (sequence, Next::Now));
    }
}

#[test]
fn single_and_multiple_end() {
    let mut single = detector(&[("image_mode", "Single".into())]);
    assert_eq!(single.run_source(9).unwrap().len(), 1);
    let fast = [("acquire_time", 0.into()), ("acquire_period", 0.into())];
    let three = [("image_mode", "multiple".into()), ("num_images", 3.into())];
    let mut multiple = detector(&[&fast[..], &three, &[("finish_when_done", false.into())]].concat());
    for last in [3, 6] {
        let frames = multiple.run_source(9).unwrap();
        assert_eq!(
            frames.iter().map(|f| f.header().sequence).collect::<Vec<_>>(),
            [last - 2, last - 1, last]
        );
        assert_eq!(multiple.produce().unwrap().1, Next::Idle);
        assert_eq!(multiple.number_of("acquire"), 0.0);
        assert_eq!(multiple.get("detector_state"), Some("idle".into()));
        assert_eq!(multiple.number_of("num_images_counter"), 3.0);
        multiple.set("acquire", true).unwrap();
    }
}

#[test]
fn acquisition_stops_and_starts_again() {
    let mut harness = detector(&[]);
    harness.run_source(2).unwrap();
    assert_eq!(harness.get("detector_state"), Some("acquire".into()));
    harness.set("acquire", false).unwrap();
    assert_eq!(harness.get("detector_state"), Some("idle".into()));
    let (none, next) = harness.produce().unwrap();
    assert!(none.is_empty() && next == Next::Idle);
    harness.set("image_mode", "multiple").unwrap();
    harness.set("acquire", true).unwrap();
    let frames = harness.run_source(1).unwrap();
    assert_eq!((frames[0].header().sequence, harness.number_of("num_images_counter")), (3, 1.0));
    harness.set("acquire", false).unwrap();
    assert_eq!(harness.get("detector_state"), Some("aborted".into()));
}

#[test]
fn parameters_act_from_the_next_frame() {
    let mut harness = detector(&[]);
    let first = harness.run_source(2).unwrap();
    assert_eq!(numbers(&first[1])[0], 1.0);
    harness.set("gain", 5.0).unwrap();
    assert_eq!(numbers(&harness.run_source(1).unwrap()[0])[..3], [0.0, 5.0, 10.0]);
    harness.set("data_type", "UInt16").unwrap();
    let frame = harness.run_source(1).unwrap().remove(0);
    assert_eq!(frame.array().unwrap().layout().to_string(), "5x7 u16 mono");
    // A region leaves the picture as it is: the ramp goes on.
    harness.set("min_x", 3).unwrap();
    assert_eq!(numbers(&harness.run_source(1).unwrap()[0])[0], 20.0);
    harness.set("reset", true).unwrap();
    assert_eq!(numbers(&harness.run_source(1).unwrap()[0])[0], 15.0);
    assert_eq!(harness.number_of("reset"), 0.0);
    harness.set("max_size_x", 2).unwrap();
    assert_eq!(harness.plan(&[]).unwrap()[0].layout().unwrap().to_string(), "5x1 u16 mono");
}

#[test]
fn without_memory_the_number_is_kept() {
    let fast = [("acquire_time", 0.into()), ("acquire_period", 0.into())];
    let large = [("max_size_x", 65536.into()), ("max_size_y", 60000.into())];
    let mut harness = Harness::new::<SimDetector>(&[&fast[..], &large].concat()).unwrap();
    assert!(harness.produce().unwrap_err().to_string().contains("pool"));
    harness.set("max_size_x", 4).unwrap();
    harness.set("max_size_y", 4).unwrap();
    assert_eq!(harness.run_source(1).unwrap()[0].header().sequence, 1);
    // Also when only a small part of it is sent.
    let part = [("size_x", 8.into()), ("size_y", 8.into()), ("data_type", "u16".into())];
    let error = Harness::new::<SimDetector>(&[&large[..], &part].concat()).err().unwrap().to_string();
    assert!(error.starts_with("wanted a picture of at most 4 GiB, found"), "{error}");
    harness.set("max_size_x", 65536).unwrap();
    assert!(harness.set("max_size_y", 65536 / 2 + 1).is_ok());
    assert_eq!(harness.set("data_type", "u16").unwrap_err().to_string()[..30], error[..30]);
}

#[test]
fn no_memory_is_taken_per_frame() {
    let mut harness = detector(&[("noise", 3.into()), ("preallocate", 2.into())]);
    harness.run_source(2).unwrap();
    let before = harness.pool().statistics().buffers;
    drop(harness.run_source(50));
    let after = harness.pool().statistics().buffers;
    assert!(after >= before);
    for _ in 0..100 {
        harness.run_source(1).unwrap();
    }
    assert_eq!(harness.pool().statistics().buffers, after);
}

#[test]
fn odd_numbers_do_no_harm() {
    for mode in ["linear_ramp", "peaks", "sine", "offset_noise"] {
        for name in ["gain", "gain_x", "offset", "noise", "peak_variation", "x_sine1_frequency"] {
            for value in [f64::NAN, f64::INFINITY, -1e300] {
                for dtype in ["i8", "u64", "f32"] {
                    let params = [("sim_mode", mode.into()), ("data_type", dtype.into())];
                    let mut harness = detector(&[&params[..], &[(name, value.into())]].concat());
                    assert_eq!(harness.run_source(2).unwrap().len(), 2, "{mode} {name} {value} {dtype}");
                }
            }
        }
    }
    let far =
        [("sim_mode", "peaks".into()), ("peak_start_x", i32::MIN.into()), ("peak_step_y", i32::MAX.into())];
    let one = [("max_size_x", 1.into()), ("max_size_y", 1.into()), ("peak_num_y", 9.into())];
    assert_eq!(numbers(&detector(&[&far[..], &one].concat()).run_source(1).unwrap()[0]), [0.0]);
}

/// A graph of a detector of 64 x 64 pixels and a node that keeps the newest frame.
fn graph(memory_bytes: usize, params: &[(&str, Value)]) -> Graph {
    let mut graph = Graph::default();
    graph.memory_bytes = memory_bytes;
    let detector = graph.add("detector", NodeType::of::<SimDetector>()).unwrap();
    graph.add("image", NodeType::of::<livetime_nodes::process::image::Image>()).unwrap();
    graph.add("null", NodeType::of::<livetime_nodes::sinks::null::Null>()).unwrap();
    graph.connect("detector", "image", EdgeOptions::default()).unwrap();
    graph.connect("image", "null", EdgeOptions::default()).unwrap();
    let small = [("max_size_x", 64.into()), ("max_size_y", 64.into())];
    let all = [&small[..], params].concat();
    all.iter().for_each(|(name, value)| graph.set(detector, name, value).unwrap());
    graph
}

#[test]
fn frames_without_memory_are_counted_once() {
    // Frames become so large that the node that keeps the newest one leaves no memory for another.
    let small = [("max_size_x", 8.into()), ("max_size_y", 8.into())];
    let mut run = Simulation::new(&graph(40_000, &small), 3).unwrap();
    for size in ["max_size_x", "max_size_y"] {
        run.set("detector", size, &160.into()).unwrap();
    }
    let lost_at_ns = |run: &mut Simulation, count| {
        while run.report().nodes[0].lost_inside() < count {
            assert!(run.step());
        }
        run.report().elapsed_ns
    };
    // One loss for each period of 5 ms, however often memory was asked for.
    let first_ns = lost_at_ns(&mut run, 1);
    assert_eq!(lost_at_ns(&mut run, 5) - first_ns, 20_000_000);
    run.stop();
    assert!(run.run_to_end(1000));
    let report = run.report();
    let source = &report.nodes[0];
    assert_eq!((source.emitted, source.lost.get(&LossReason::PoolExhausted)), (1, Some(&5)));
    assert_eq!((source.source.jumps, source.source.repeats), (0, 0));
    assert_eq!(report.imbalances(), [""; 0]);
}

#[test]
fn a_shorter_period_acts_on_a_waiting_detector() {
    let mut run = Simulation::new(&graph(1 << 24, &[("acquire_period", "1 h".into())]), 1).unwrap();
    while run.report().nodes[0].emitted < 1 {
        assert!(run.step());
    }
    run.set("detector", "acquire_period", &"10 ms".into()).unwrap();
    while run.report().nodes[0].emitted < 4 {
        assert!(run.step());
    }
    assert_eq!(run.report().elapsed_ns, 31_000_000);
    run.set("detector", "image_mode", &"single".into()).unwrap();
    assert!(run.run_to_end(100));
    assert_eq!((run.report().nodes[0].emitted, run.report().imbalances().len()), (5, 0));
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<SimDetector>(&[]);
}
