//! A joined graph: two detectors, one recorded run, and live values. The pipeline file is the graph; the program adds
//! what a file cannot do, here its own look at the frames of one node.

use std::time::Duration;

use livetime_control::config;
use livetime_engine::{EdgeOptions, OutletError, Run, RunOptions};

use crate::{Outcome, block};

pub(crate) fn run() -> Outcome {
    let pipeline = config::parse(
        "12-two-detectors.yaml",
        include_str!("12-two-detectors.yaml"),
        &[livetime_nodes::ALL, livetime_sim::ALL].concat(),
        &[],
    )?;
    let options = RunOptions { max_frames: Some(100), hold_sources: true, ..RunOptions::default() };
    let run = Run::start(&pipeline.graph, options).map_err(|problems| problems[0].clone())?;
    let mut outlet = run.subscribe("spot", EdgeOptions { every: 10, ..block() })?;
    assert!(outlet.wait_connected(Duration::from_secs(600)));
    run.release_sources();
    let mut frames = 0;
    loop {
        match outlet.recv(Duration::from_secs(600)) {
            Ok(frame) => frames += u32::from(frame.array()?.layout().dims().len() == 2),
            Err(OutletError::Ended) => break,
            Err(why) => return Err(why.into()),
        }
    }
    println!("12: {frames} frames of the spot");
    Ok(run.finish(Duration::from_secs(600)))
}
