//! Errors are messages too: one agent counts them by device, and prints those worth reading.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::BTreeMap;
use std::time::Duration;

use livetime_actors::{Agent, AgentError, Channel, Context, Placement, System};

#[derive(Clone, Debug)]
struct DeviceError {
    device: &'static str,
    code: u32,
    is_fatal: bool,
}

struct Logger {
    errors: Channel<DeviceError>,
    counts: BTreeMap<&'static str, u64>,
}

impl Agent for Logger {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.errors, Self::error);
        Ok(())
    }

    fn stop(&mut self, ctx: &mut Context<Self>) {
        ctx.tell(format!("errors by device: {:?}", self.counts));
    }
}

impl Logger {
    fn error(&mut self, error: DeviceError, ctx: &mut Context<Self>) {
        *self.counts.entry(error.device).or_insert(0) += 1;
        if error.is_fatal {
            ctx.tell_error(format!("{} failed with code {}", error.device, error.code));
        }
    }
}

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let errors = system.channel::<DeviceError>("errors")?;
    // Who wants only the fatal ones elsewhere binds them there; the filter runs where they are sent.
    let alarms = system.channel::<u32>("alarms")?;
    errors.bind(&alarms, |error: DeviceError| error.is_fatal.then_some(error.code)).keep();
    system.agent_fn("siren", &alarms, |code: u32, _| println!("alarm {code}"))?;
    let logger = Logger { errors: errors.clone(), counts: BTreeMap::new() };
    system.group("log").placement(Placement::group("monitors")).add("logger", logger).start()?;
    for code in 0..10 {
        let device = if code % 3 == 0 { "camera" } else { "motor" };
        errors.publish(DeviceError { device, code, is_fatal: code == 7 });
    }
    let report = system.stop(Duration::from_secs(5));
    report.events.iter().for_each(|event| println!("{}: {}", event.node, event.message));
    assert!(report.events.iter().any(|e| e.message == r#"errors by device: {"camera": 4, "motor": 6}"#));
    assert_eq!(report.agent("siren").map(|siren| siren.completed), Some(1));
    Ok(())
}
