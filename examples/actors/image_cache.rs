//! A cache that writes its pictures in one go before the program ends: a stop guard delays the end until it has.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

mod pictures;

use std::time::Duration;

use livetime_actors::{Agent, AgentError, Channel, Context, Phase, StopGuard, System};
use livetime_frame::Frame;
use pictures::Camera;

struct Cache {
    images: Channel<Frame>,
    phase: Channel<Phase>,
    kept: Vec<Frame>,
    guard: Option<StopGuard>,
}

impl Agent for Cache {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        self.guard = Some(ctx.stop_guard("image cache"));
        ctx.on(&self.images, |me: &mut Self, image, _: &mut Context<Self>| me.kept.push(image));
        ctx.on(&self.phase, Self::phase);
        Ok(())
    }
}

impl Cache {
    fn phase(&mut self, phase: Phase, ctx: &mut Context<Self>) {
        if phase == Phase::Stopping {
            std::thread::sleep(Duration::from_millis(50)); // Writing takes its time.
            ctx.tell(format!("wrote {} pictures", self.kept.len()));
            self.kept.clear();
            self.guard = None;
        }
    }
}

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let images = system.channel::<Frame>("images")?;
    let cache = Cache { images: images.clone(), phase: system.phase(), kept: Vec::new(), guard: None };
    system.group("cache").add("cache", cache).start()?;
    let mut camera = Camera::new();
    for _ in 0..10 {
        images.publish(camera.take()?);
    }
    // The pictures are handled before the cache looks at the news of the system's end.
    while system.report().agent("cache").is_some_and(|cache| cache.queued() > 0) {
        std::thread::yield_now();
    }
    let report = system.stop(Duration::from_secs(5));
    report.events.iter().for_each(|event| println!("{}: {}", event.node, event.message));
    assert!(report.events.iter().any(|event| event.message == "wrote 10 pictures"));
    Ok(())
}
