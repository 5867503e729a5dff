//! Frames per second of the simulated detector: as fast as one thread can without a connected node, and how well a rate
//! is kept in a run.
//!
//! `cargo run --release -p livetime-sim --example source_speed`

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::time::{Duration, Instant};

use livetime_engine::testing::Harness;
use livetime_engine::{EdgeOptions, Graph, NodeError, NodeType, Run, RunOptions, Value};
use livetime_nodes::sinks::null::Null;
use livetime_sim::SimDetector;

fn main() -> Result<(), Box<dyn std::error::Error>> {
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
    measure(&["ramp, flipped", "u8", "mono"], &[("reverse_y", true.into())])?;
    println!("\nwanted frames/s  found frames/s  missed periods  longest gap");
    for rate in [100.0, 1000.0, 10_000.0] {
        keep(rate)?;
    }
    Ok(())
}

/// 64 x 64 pixels at a fixed rate for a second, from one thread to another.
fn keep(rate: f64) -> Result<(), Box<dyn std::error::Error>> {
    let mut graph = Graph::default();
    let detector = graph.add("detector", NodeType::of::<SimDetector>())?;
    graph.add("null", NodeType::of::<Null>())?;
    graph.connect("detector", "null", EdgeOptions::default())?;
    let params: [(&str, Value); 4] = [
        ("max_size_x", 64.into()),
        ("max_size_y", 64.into()),
        ("acquire_time", 0.into()),
        ("acquire_period", (1.0 / rate).into()),
    ];
    for (name, value) in &params {
        graph.set(detector, name, value)?;
    }
    let run = Run::start(&graph, RunOptions::default()).map_err(|e| format!("{e:?}"))?;
    std::thread::sleep(Duration::from_secs(1));
    let params = run.params("detector")?;
    let missed = params.iter().find(|(spec, _)| spec.name == "missed_periods");
    let missed = missed.map_or("?".into(), |(_, value)| value.to_string());
    let report = run.report();
    run.stop();
    let source = &report.nodes[0];
    let found = source.emitted as f64 / (report.elapsed_ns as f64 / 1e9);
    println!("{rate:>15}  {found:>14.1}  {missed:>14}  {:>8} us", source.source.longest_gap_ns / 1000);
    Ok(())
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
