//! A graph as part of a program of agents: pictures that an agent publishes go through the `resize` node of a pipeline, and come
//! back on another channel.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

mod pictures;

use std::time::Duration;

use livetime_actors::{AgentError, Chain, System};
use livetime_engine::{Run, RunOptions, Services};
use livetime_frame::Frame;
use pictures::Camera;

const PIPELINE: &str = "
nodes:
  camera:  {type: subscribe, params: {channel: pictures, when_full: Block}}
  quarter: {type: resize, from: camera, when_full: block, params: {factor: 0.5}}
  small:   {type: publish, from: quarter, when_full: block, params: {channel: small}}
";

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let pictures = system.channel::<Frame>("pictures")?;
    let sizes = Chain::new(100);
    let out = sizes.clone();
    system.agent_fn("viewer", &system.channel("small")?, move |picture: Frame, _| {
        out.send(picture.bytes().len());
    })?;

    let pipeline = livetime::config::parse("resizer", PIPELINE, livetime_nodes::ALL, &[])?;
    let services = Services::default().with(system.channels());
    let options = RunOptions { services, ..RunOptions::default() };
    let run = Run::start(&pipeline.graph, options)
        .map_err(|errors| AgentError::new(errors.first().map_or("nothing".into(), ToString::to_string)))?;

    let mut camera = Camera::new();
    for _ in 0..100 {
        pictures.publish(camera.take()?);
    }
    for _ in 0..100 {
        let size = sizes.receive(Duration::from_secs(5)).ok_or(AgentError::new("wanted 100 pictures"))?;
        assert_eq!(size, pictures::WIDTH * pictures::HEIGHT / 4);
    }
    run.stop();
    let report = run.finish(Duration::from_secs(5));
    println!("100 pictures of {} x {} resized to a quarter", pictures::WIDTH, pictures::HEIGHT);
    assert!(report.imbalances().is_empty(), "{report:?}");
    Ok(())
}
