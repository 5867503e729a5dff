//! A camera controlled by lines of text, from wherever they come: `start`, `stop`, `quit`.
//! `echo "start stop quit" | cargo run --example remote_control -- -` reads them from its input.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::io::Read;
use std::time::Duration;

use livetime_actors::{Agent, AgentError, Channel, ChannelKind, Context, Publisher, System};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Camera {
    #[default]
    Stopped,
    Started,
}

struct Control {
    commands: Channel<String>,
    status: Publisher<Camera>,
}

impl Agent for Control {
    type State = Camera;

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.commands, Self::stopped).in_states(&[Camera::Stopped]);
        ctx.on(&self.commands, Self::started).in_states(&[Camera::Started]);
        Ok(())
    }

    fn enter(&mut self, state: Camera, ctx: &mut Context<Self>) {
        ctx.publish(&mut self.status, state);
    }
}

impl Control {
    fn stopped(&mut self, command: String, ctx: &mut Context<Self>) {
        match &*command {
            "start" => ctx.switch_to(Camera::Started),
            "quit" => ctx.stop_system(),
            other => ctx.tell_error(format!("wanted `start` or `quit`, found `{other}`")),
        }
    }

    fn started(&mut self, command: String, ctx: &mut Context<Self>) {
        match &*command {
            "stop" => ctx.switch_to(Camera::Stopped),
            // Leaving without a stop: first stop, then see to it there.
            "quit" => ctx.transfer(Camera::Stopped, command),
            other => ctx.tell_error(format!("wanted `stop` or `quit`, found `{other}`")),
        }
    }
}

fn main() -> Result<(), AgentError> {
    let mut text = "start start stop start quit".to_owned();
    if std::env::args().nth(1).as_deref() == Some("-") {
        text.clear();
        std::io::stdin().read_to_string(&mut text).map_err(AgentError::new)?;
    }
    let system = System::default();
    let commands = system.channel::<String>("commands")?;
    // Who comes late learns at once what the camera does.
    let status = system.channel_of::<Camera>("status", ChannelKind::Retained)?;
    let control = Control { commands: commands.clone(), status: status.publisher() };
    system.group("camera").add("control", control).start()?;
    text.split_whitespace().for_each(|word| _ = commands.publish(word.to_owned()));
    if !system.wait(Duration::from_secs(5)) {
        println!("nobody said `quit`");
    }
    println!("the camera is now {:?}", status.newest());
    let report = system.stop(Duration::from_secs(5));
    report.events.iter().for_each(|event| println!("{}: {}", event.node, event.message));
    Ok(())
}
