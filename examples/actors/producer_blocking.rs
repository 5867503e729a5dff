//! A camera whose driver blocks until a picture is there: a loop on the agent's own thread. A viewer and a tracer watch.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

mod pictures;

use std::time::Duration;

use livetime_actors::{Agent, AgentError, Channel, Context, Publisher, System};
use livetime_frame::Frame;
use pictures::Camera;

struct Producer {
    camera: Camera,
    images: Publisher<Frame>,
    go: Channel<()>,
}

impl Agent for Producer {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.go, Self::grab);
        Ok(())
    }
}

impl Producer {
    /// Does not return before the system stops, so it publishes as a thread of its own would: each picture at once.
    fn grab(&mut self, _: (), ctx: &mut Context<Self>) -> Result<(), AgentError> {
        while !ctx.is_stopping() {
            std::thread::sleep(Duration::from_millis(5)); // The driver waits for the camera.
            self.images.publish(self.camera.take()?);
        }
        Ok(())
    }
}

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let (images, go) = (system.channel::<Frame>("images")?, system.channel("go")?);
    system.agent_fn("viewer", &images, |image: Frame, _| {
        println!("picture of {} bytes", image.bytes().len())
    })?;
    system.agent_fn("tracer", &images, |image: Frame, _| println!("number {}", image.header().sequence))?;
    let producer = Producer { camera: Camera::new(), images: images.publisher(), go: go.clone() };
    system.group("camera").add("producer", producer).start()?;
    go.publish(());
    std::thread::sleep(Duration::from_millis(100));
    let report = system.stop(Duration::from_secs(5));
    assert!(
        report.agent("viewer").is_some_and(|viewer| viewer.completed > 0) && report.imbalances().is_empty()
    );
    Ok(())
}
