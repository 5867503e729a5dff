//! A client's state machine, and what it told.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, unreachable_pub, reason = "each file of tests uses its own part")]

use std::time::{Duration, Instant};

use livetime_pva::Result;
use livetime_pva::data::Value;
use livetime_pva::proto::client::{Answer, Connection, Event, Identity, Refusal};
use livetime_pva::wire::{Assembler, Header};

/// The events of a session.
#[derive(Default, Debug)]
pub struct Told {
    pub opened: usize,
    pub answers: Vec<String>,
    pub updates: Vec<Value>,
    pub ended: usize,
    pub lost: usize,
    pub closed: usize,
}

pub type Machine = Connection<u32, u32>;

pub fn note(told: &mut Told, event: Event<'_, u32, u32>) {
    match event {
        Event::Opened(_) => told.opened += 1,
        Event::Answered(_, Ok(Answer::Value(value))) => told.answers.push(format!("value {value}")),
        Event::Answered(_, Ok(Answer::Returned(value))) => told.answers.push(format!("returned {value:?}")),
        Event::Answered(_, Ok(Answer::Type(ty))) => told.answers.push(format!("type {ty}")),
        Event::Answered(_, Ok(Answer::Done)) => told.answers.push("done".into()),
        Event::Answered(_, Err(Refusal::Server(status))) => {
            told.answers.push(format!("refused {}", status.message));
        }
        Event::Answered(_, Err(Refusal::Here(error))) => told.answers.push(format!("refused {error}")),
        Event::Update(_, value, ..) => told.updates.push(value.clone()),
        Event::Ended(..) => told.ended += 1,
        Event::Lost(..) => told.lost += 1,
        Event::Closed(_) => told.closed += 1,
        _ => {}
    }
}

pub fn machine() -> Machine {
    let account = Some(("root".into(), "vm".into()));
    Connection::new(Identity { account, idle: Duration::from_secs(40) }, Instant::now())
}

pub fn feed(
    machine: &mut Machine,
    assembler: &mut Assembler,
    mut bytes: &[u8],
    told: &mut Told,
) -> Result<()> {
    while let Some(message) = assembler.next(&mut bytes)? {
        machine.receive(&message, &mut |event| note(told, event))?;
    }
    Ok(())
}

pub fn split(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while let Some(header) = bytes.first_chunk() {
        let length = 8 + Header::decode(header).unwrap().size as usize;
        all.push(bytes[..length].to_vec());
        bytes = &bytes[length..];
    }
    all
}
