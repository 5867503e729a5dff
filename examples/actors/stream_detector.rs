//! Says when images begin to come, and when none has come for a while.
//!
//! `cargo run --example stream_detector`
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Duration;

use livetime_engine::actors::{Agent, AgentError, Chain, Channel, Context, Publisher, System};

/// An image of a detector; here only its number.
type Image = u64;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stream {
    #[default]
    Down,
    Up,
}

/// Watches a channel of images. A time limit costs one store per image.
struct StreamDetector {
    images: Channel<Image>,
    stream: Publisher<Stream>,
    limit: Duration,
}

impl Agent for StreamDetector {
    type State = Stream;

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.images, |_: &mut Self, _, ctx| ctx.switch_to(Stream::Up)).in_states(&[Stream::Down]);
        ctx.on(&self.images, |_: &mut Self, _, ctx| ctx.renew_limit()).in_states(&[Stream::Up]);
        Ok(())
    }

    fn enter(&mut self, state: Stream, ctx: &mut Context<Self>) {
        if state == Stream::Up {
            ctx.limit_state(self.limit, Stream::Down);
        }
        ctx.publish(&mut self.stream, state);
    }
}

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let (images, stream) = (system.channel("images")?, system.channel("stream")?);
    let said = Chain::new(16);
    said.subscribe(&stream);
    let limit = Duration::from_millis(20);
    let detector = StreamDetector { images: images.clone(), stream: stream.publisher(), limit };
    system.group("watch").add("stream detector", detector).start()?;

    for _ in 0..3 {
        let producer = system.every(Duration::from_millis(2), &images, 0);
        std::thread::sleep(Duration::from_millis(50));
        producer.cancel();
        std::thread::sleep(Duration::from_millis(50));
    }
    let report = system.stop(Duration::from_secs(5));
    while let Some(state) = said.try_receive() {
        println!("stream {state:?}");
    }
    let detector = &report.agents[0];
    println!("{} images, handled in {} ns each", detector.completed, detector.service.p50_ns);
    Ok(())
}
