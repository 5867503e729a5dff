//! `livetime pv monitor`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use livetime_pva::client::Event;
use livetime_pva::data::Value;
use serde_json::json;

use super::args::{Asked, MonitorArgs};
use super::client::{check_request, client, failure, shown};
use crate::output::{Exit, Failure, Output};

/// How often the monitor checks for Ctrl-C and the end of its time while no update comes.
const LOOK: Duration = Duration::from_millis(100);

pub(super) fn monitor(args: &MonitorArgs, output: &mut Output) -> Result<Exit, Failure> {
    check_request(&args.asked.request)?;
    let client = client()?;
    let (sender, events) = channel();
    let follow = |index: usize| {
        let sender = sender.clone();
        let tell = move |event: Event| drop(sender.send((index, event.into())));
        client.channel(&args.names[index]).subscribe(&args.asked.request, tell).map_err(failure)
    };
    let _monitors: Vec<_> = (0..args.names.len()).map(follow).collect::<Result<_, _>>()?;
    show(args, &events, output)
}

/// An event of a monitor, whatever its protocol is.
pub(super) enum Told {
    Update(Value),
    Connected,
    Disconnected,
    /// Nothing more will come, perhaps for a reason.
    Ended(Result<(), Box<dyn std::error::Error + Send>>),
}

impl From<Event> for Told {
    fn from(event: Event) -> Told {
        match event {
            Event::Update(update) => Told::Update(update.value),
            Event::Connected { .. } => Told::Connected,
            Event::Disconnected { .. } => Told::Disconnected,
            Event::Ended(result) => Told::Ended(result.map_err(|error| Box::new(error) as _)),
        }
    }
}

/// Prints the events of monitors, each with the number of its name.
pub(super) fn show(
    args: &MonitorArgs,
    events: &Receiver<(usize, Told)>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let stopped = stop_at_ctrl_c();
    let mut seen = vec![Seen::Not(Instant::now()); args.names.len()];
    let (mut left, mut exit) = (args.count, Exit::Ok);
    while left != Some(0) && !stopped.load(Ordering::Relaxed) && !seen.iter().all(|seen| *seen == Seen::Ended)
    {
        match events.recv_timeout(LOOK) {
            Ok((index, event)) => {
                seen[index] = Seen::of(&event);
                let name = &args.names[index];
                let is_update = matches!(event, Told::Update(_));
                if !tell(name, event, &args.asked, output)? {
                    return Ok(Exit::Failed);
                }
                left = left.map(|left| left - u64::from(is_update));
            }
            Err(RecvTimeoutError::Timeout) => {
                exit = complain(&args.names, &mut seen, args.asked.common.timeout, output).unwrap_or(exit);
                // Without a limit the command would wait for ever for a PV that does not exist.
                if exit == Exit::Failed && left.is_some() {
                    return Ok(exit);
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // The server ended all of them before there were as many updates.
    Ok(if left.is_some_and(|left| left > 0) && !stopped.load(Ordering::Relaxed) {
        Exit::Failed
    } else {
        exit
    })
}

/// The state of the server of a PV, as far as it is known.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    /// There is one.
    Yes,
    /// There is none, since then: it was not found yet, or was lost.
    Not(Instant),
    /// The same, and that was said.
    Missing,
    /// It will send nothing more.
    Ended,
}

impl Seen {
    fn of(event: &Told) -> Seen {
        match event {
            Told::Update(_) | Told::Connected => Seen::Yes,
            Told::Disconnected => Seen::Not(Instant::now()),
            Told::Ended(_) => Seen::Ended,
        }
    }
}

/// Prints an event; `false`: the server ended it with an error.
fn tell(name: &str, event: Told, asked: &Asked, output: &mut Output) -> Result<bool, Failure> {
    match event {
        Told::Update(value) => output.data(&(shown(name, &value, asked) + "\n"))?,
        Told::Connected => {}
        Told::Disconnected if asked.common.json => {
            output.data(&format!("{}\n", json!({ "name": name, "connected": false })))?
        }
        Told::Disconnected => output.data(&format!("{name} *** disconnected\n"))?,
        Told::Ended(Ok(())) => output.log(format_args!("livetime: {name}: the server ended it")),
        Told::Ended(Err(error)) => {
            output.log(format_args!("livetime: {name}: {error}"));
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reports a PV once that has no server for longer than `limit`. The search goes on.
fn complain(names: &[String], seen: &mut [Seen], limit: Duration, output: &mut Output) -> Option<Exit> {
    let is_late = |seen: &Seen| matches!(seen, Seen::Not(since) if since.elapsed() >= limit);
    let mut exit = None;
    for (name, seen) in names.iter().zip(seen).filter(|(_, seen)| is_late(seen)) {
        *seen = Seen::Missing;
        exit = Some(Exit::Failed);
        output.log(format_args!("livetime: {name}: no server has it so far"));
    }
    exit
}

fn stop_at_ctrl_c() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stopped);
    // Without a handler the system ends the program, which is as good here.
    let _ = ctrlc::set_handler(move || set.store(true, Ordering::Relaxed));
    stopped
}
