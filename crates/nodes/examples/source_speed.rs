//! Frames per second of the simulated detector, one thread, nobody connected.
//!
//! `cargo run --release -p livetime-nodes --example source_speed`

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::time::{Duration, Instant};

use livetime_engine::testing::Harness;
use livetime_engine::{NodeError, Value};
use livetime_nodes::sources::sim_detector::SimDetector;

fn main() -> Result<(), NodeError> {
    println!("{:<13} {:<5} {:<5} {:>10} {:>8}", "mode", "type", "color", "frames/s", "GB/s");
    for mode in ["linear_ramp", "peaks", "sine", "offset_noise"] {
        for (data_type, color) in [("u8", "mono"), ("u16", "mono"), ("f32", "mono"), ("u8", "rgb1")] {
            let params =
                [("sim_mode", mode.into()), ("data_type", data_type.into()), ("color_mode", color.into())];
            measure(&[mode, data_type, color], &params)?;
        }
    }
    measure(&["ramp + noise", "u8", "mono"], &[("noise", 10.into())])?;
    measure(&["ramp, binned", "u8", "mono"], &[("bin_x", 2.into()), ("bin_y", 2.into())])?;
    measure(&["ramp, flipped", "u8", "mono"], &[("reverse_y", true.into())])
}

/// 1024 x 1024 pixels, as fast as possible, for half a second.
fn measure(names: &[&str; 3], params: &[(&str, Value)]) -> Result<(), NodeError> {
    let fast = [("acquire_time", 0.into()), ("acquire_period", 0.into())];
    let mut harness = Harness::new::<SimDetector>(&[&fast[..], params].concat())?;
    let bytes = harness.run_source(10)?.last().map_or(0, |frame| frame.bytes().len());
    let (start, mut frames) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_millis(500) {
        frames += harness.run_source(10)?.len();
    }
    let rate = frames as f64 / start.elapsed().as_secs_f64();
    let [mode, data_type, color] = names;
    println!("{mode:<13} {data_type:<5} {color:<5} {rate:>10.0} {:>8.1}", rate * bytes as f64 / 1e9);
    Ok(())
}
