//! Two workers write pictures: the channel gives each picture to the next of them that has room.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

mod pictures;

use std::path::PathBuf;
use std::time::Duration;

use livetime_actors::{Agent, AgentError, Channel, ChannelKind, Context, System};
use livetime_frame::Frame;
use pictures::Camera;

struct Worker {
    images: Channel<Frame>,
    folder: PathBuf,
}

impl Agent for Worker {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.images, Self::save);
        Ok(())
    }
}

impl Worker {
    fn save(&mut self, image: Frame, _: &mut Context<Self>) -> Result<(), AgentError> {
        let file = self.folder.join(format!("{:04}.raw", image.header().sequence));
        std::fs::write(&file, image.bytes()).map_err(|e| AgentError::new(format!("{}: {e}", file.display())))
    }
}

fn main() -> Result<(), AgentError> {
    let folder = std::env::temp_dir().join(format!("livetime-image-saver-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(AgentError::new)?;
    let system = System::default();
    let images = system.channel_of::<Frame>("images", ChannelKind::RoundRobin)?;
    let worker = || Worker { images: images.clone(), folder: folder.clone() };
    system.group("saver").add("worker 1", worker()).add("worker 2", worker()).start()?;
    let mut camera = Camera::new();
    for _ in 0..20 {
        images.publish(camera.take()?);
    }
    let report = system.stop(Duration::from_secs(5));
    for agent in &report.agents {
        println!("{} wrote {} pictures", agent.name, agent.completed);
    }
    let written = std::fs::read_dir(&folder).map_err(AgentError::new)?.count();
    std::fs::remove_dir_all(&folder).map_err(AgentError::new)?;
    assert_eq!(written, 20);
    Ok(())
}
