//! `livetime pv monitor`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use livetime_pva::client::Event;
use serde_json::json;

use super::{Asked, MonitorArgs, check_request, client, failure, shown};
use crate::output::{Exit, Failure, Output};

/// How often the monitor checks for Ctrl-C and the end of its time while no update comes.
const LOOK: Duration = Duration::from_millis(100);

pub(super) fn monitor(args: &MonitorArgs, output: &mut Output) -> Result<Exit, Failure> {
    check_request(&args.asked.request)?;
    let client = client()?;
    let (sender, events) = channel();
    let follow = |index: usize| {
        let sender = sender.clone();
        let tell = move |event| drop(sender.send((index, event)));
        client.channel(&args.names[index]).subscribe(&args.asked.request, tell).map_err(failure)
    };
    let _monitors: Vec<_> = (0..args.names.len()).map(follow).collect::<Result<_, _>>()?;
    let stopped = stop_at_ctrl_c();
    let (mut left, mut missing) = (args.count, vec![true; args.names.len()]);
    let (begun, mut exit) = (Instant::now(), Exit::Ok);
    while left != Some(0) && !stopped.load(Ordering::Relaxed) {
        match events.recv_timeout(LOOK) {
            Ok((index, event)) => {
                missing[index] = false;
                let name = &args.names[index];
                let is_update = matches!(event, Event::Update(_));
                if !tell(name, event, &args.asked, output)? {
                    return Ok(Exit::Failed);
                }
                left = left.map(|left| left - u64::from(is_update));
            }
            Err(RecvTimeoutError::Timeout) if begun.elapsed() >= args.asked.common.timeout => {
                exit = complain(&args.names, &mut missing, output).unwrap_or(exit);
                if exit == Exit::Failed && left.is_some() {
                    return Ok(exit);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(exit)
}

/// Prints an event; `false`: the server ended it with an error.
fn tell(name: &str, event: Event, asked: &Asked, output: &mut Output) -> Result<bool, Failure> {
    match event {
        Event::Update(update) => output.data(&(shown(name, &update.value, asked) + "\n"))?,
        Event::Connected => {}
        Event::Disconnected if asked.common.json => {
            output.data(&format!("{}\n", json!({ "name": name, "connected": false })))?
        }
        Event::Disconnected => output.data(&format!("{name} *** disconnected\n"))?,
        Event::Ended(Ok(())) => output.log(format_args!("livetime: {name}: the server ended it")),
        Event::Ended(Err(error)) => {
            output.log(format_args!("livetime: {name}: {error}"));
            return Ok(false);
        }
    }
    Ok(true)
}

/// Says once what was not found in time. It is still looked for.
fn complain(names: &[String], missing: &mut [bool], output: &mut Output) -> Option<Exit> {
    let lost = names.iter().zip(&*missing).filter(|(_, missing)| **missing);
    let lost: Vec<_> = lost.map(|(name, _)| name).collect();
    missing.fill(false);
    lost.iter().for_each(|name| output.log(format_args!("livetime: {name}: no server has it so far")));
    (!lost.is_empty()).then_some(Exit::Failed)
}

fn stop_at_ctrl_c() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stopped);
    // Without a handler the system ends the program, which is as good here.
    let _ = ctrlc::set_handler(move || set.store(true, Ordering::Relaxed));
    stopped
}
