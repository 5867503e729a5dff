//! A camera that is asked step by step: the agent sends itself "once more", so commands are handled in between.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

mod pictures;

use std::time::Duration;

use livetime_actors::{Address, Agent, AgentError, Channel, Context, Publisher, System};
use livetime_frame::Frame;
use pictures::Camera;

#[derive(Clone, Copy)]
enum Command {
    Start,
    Stop,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Stopped,
    Started,
}

struct Producer {
    camera: Camera,
    images: Publisher<Frame>,
    commands: Channel<Command>,
    once_more: Option<Address<()>>,
}

impl Agent for Producer {
    type State = State;

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.commands, Self::command).urgent();
        self.once_more = Some(ctx.inbox(Self::grab));
        Ok(())
    }

    fn enter(&mut self, state: State, ctx: &mut Context<Self>) {
        println!("{state:?} after {} pictures", self.camera.taken);
        if state == State::Started {
            self.step(ctx);
        }
    }
}

impl Producer {
    fn command(&mut self, command: Command, ctx: &mut Context<Self>) {
        match command {
            Command::Start => ctx.switch_to(State::Started),
            Command::Stop => ctx.switch_to(State::Stopped),
        }
    }

    fn grab(&mut self, _: (), ctx: &mut Context<Self>) -> Result<(), AgentError> {
        if ctx.state() == State::Started && !ctx.is_stopping() {
            let image = self.camera.take()?;
            ctx.publish(&mut self.images, image);
            self.step(ctx);
        }
        Ok(())
    }

    fn step(&self, ctx: &mut Context<Self>) {
        if let Some(once_more) = &self.once_more {
            ctx.send(once_more, ());
        }
    }
}

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let (images, commands) = (system.channel::<Frame>("images")?, system.channel("commands")?);
    system.agent_fn("viewer", &images, |image: Frame, _| drop(image))?;
    let producer = Producer {
        camera: Camera::new(),
        images: images.publisher(),
        commands: commands.clone(),
        once_more: None,
    };
    system.group("camera").add("producer", producer).start()?;
    for _ in 0..2 {
        commands.publish(Command::Start);
        std::thread::sleep(Duration::from_millis(20));
        commands.publish(Command::Stop);
        std::thread::sleep(Duration::from_millis(20));
    }
    let report = system.stop(Duration::from_secs(5));
    assert!(
        report.agent("viewer").is_some_and(|viewer| viewer.completed > 0) && report.unintended_losses() == 0
    );
    Ok(())
}
