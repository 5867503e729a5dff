//! Sessions: groups that start and end as one, with a child group for monitors and a chain that ends with them.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

mod pictures;

use std::time::Duration;

use livetime_actors::{Agent, AgentError, Chain, Channel, Context, Group, Placement, System};
use livetime_frame::Frame;
use pictures::Camera;

/// Closed when the session is over; what is in it can still be read.
struct Closer(Chain<u64>);

impl Drop for Closer {
    fn drop(&mut self) {
        self.0.close(true);
    }
}

/// Sends the numbers of pictures on, if somebody wants them.
struct Core {
    images: Channel<Frame>,
    out: Option<Chain<u64>>,
}

impl Agent for Core {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.images, |me: &mut Self, image: Frame, _: &mut Context<Self>| {
            me.out.as_ref().map(|out| out.send(image.header().sequence));
        });
        Ok(())
    }
}

fn session(system: &System, name: &str, images: &Channel<Frame>) -> Result<(Group, Chain<u64>), AgentError> {
    let numbers = Chain::new(64);
    let session = system
        .group(name)
        .placement(Placement::pool("core", 2))
        .add(&format!("{name} core"), Core { images: images.clone(), out: Some(numbers.clone()) })
        .own(Closer(numbers.clone()))
        .start()?;
    let monitors = session.child(&format!("{name} monitors")).placement(Placement::group("monitors"));
    monitors.add(&format!("{name} monitor"), Core { images: images.clone(), out: None }).start()?;
    Ok((session, numbers))
}

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let images = system.channel::<Frame>("images")?;
    let news = Chain::new(16);
    news.subscribe(&system.group_events());
    let (first, numbers) = session(&system, "first", &images)?;
    let (second, _) = session(&system, "second", &images)?;
    let mut camera = Camera::new();
    for _ in 0..10 {
        images.publish(camera.take()?);
    }
    for wanted in 0..10 {
        assert_eq!(numbers.receive(Duration::from_secs(5)), Some(wanted));
    }
    first.end("its user has left");
    assert!(first.wait(Duration::from_secs(5)) && !second.has_ended());
    assert_eq!(numbers.receive(Duration::from_secs(5)), None);
    while let Some(event) = news.try_receive() {
        match event.ended {
            Some(reason) => println!("{} ended: {reason}", event.group),
            None => println!("{} started", event.group),
        }
    }
    Ok(())
}
