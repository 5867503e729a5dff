//! Is the stream up? A state with a time limit that every picture renews, and a heartbeat as long as it is up.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

mod pictures;

use std::time::Duration;

use livetime_actors::{Agent, AgentError, Chain, Channel, Context, Publisher, System, Timer};
use livetime_frame::Frame;
use pictures::Camera;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stream {
    #[default]
    Down,
    Up,
}

struct Detector {
    images: Channel<Frame>,
    changes: Publisher<Stream>,
    beats: Channel<()>,
    heartbeat: Option<Timer>,
}

impl Agent for Detector {
    type State = Stream;

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.images, |_: &mut Self, _, ctx: &mut Context<Self>| ctx.switch_to(Stream::Up))
            .in_states(&[Stream::Down]);
        // Costs one store per picture: nothing is set anew before the limit is over.
        ctx.on(&self.images, |_: &mut Self, _, ctx: &mut Context<Self>| ctx.renew_limit())
            .in_states(&[Stream::Up]);
        Ok(())
    }

    fn enter(&mut self, state: Stream, ctx: &mut Context<Self>) {
        if state == Stream::Up {
            ctx.limit_state(Duration::from_millis(100), Stream::Down);
            self.heartbeat = Some(ctx.every(Duration::from_millis(20), &self.beats, ()));
        }
        ctx.publish(&mut self.changes, state);
    }

    fn exit(&mut self, _: Stream, _: &mut Context<Self>) {
        self.heartbeat = None;
    }
}

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let images = system.channel::<Frame>("images")?;
    let (changes, beats) = (system.channel::<Stream>("stream")?, system.channel("heartbeat")?);
    let seen = Chain::new(8);
    seen.subscribe(&changes);
    system.agent_fn("heart", &beats, |(), _| println!("the stream is up"))?;
    let detector = Detector { images: images.clone(), changes: changes.publisher(), beats, heartbeat: None };
    system.group("detector").add("detector", detector).start()?;
    let mut camera = Camera::new();
    // At first it is down; it is up while pictures come; and down again when none has come for 100 ms.
    for (expected, pictures) in [(Stream::Down, 20), (Stream::Up, 0), (Stream::Down, 0)] {
        let state = seen.receive(Duration::from_secs(5));
        println!("{state:?}");
        assert_eq!(state, Some(expected));
        for _ in 0..pictures {
            images.publish(camera.take()?);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    Ok(())
}
