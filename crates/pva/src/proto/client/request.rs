//! A request of a client, and its result.

use super::put::{Attempt, Put};
use crate::data::{Dynamic, Type, TypeCache, Value};
use crate::proto::{Command, Log, Reply, SearchResponse, sub};
use crate::wire::{BitSet, Status};
use crate::{Error, Result};

/// The kind of request.
#[derive(Clone, PartialEq, Debug)]
pub enum Job {
    /// Read.
    Get,
    /// Write.
    Put(Put),
    /// Write, then read.
    PutGet(Put),
    /// Make a record process.
    Process,
    /// Call a procedure.
    Call(Dynamic),
    /// Follow; with how many updates the server may send ahead, if it shall count them.
    Monitor(Option<u32>),
    /// Ask for the type.
    Describe,
}

impl Job {
    /// The operation that does it.
    pub fn command(&self) -> Command {
        match self {
            Job::Get => Command::Get,
            Job::Put(_) => Command::Put,
            Job::PutGet(_) => Command::PutGet,
            Job::Process => Command::Process,
            Job::Call(_) => Command::Rpc,
            Job::Monitor(_) => Command::Monitor,
            Job::Describe => Command::GetField,
        }
    }

    /// Whether it may be done again if the connection was lost before the answer came.
    pub fn repeats(&self) -> bool {
        // A write, a call or processing may have had its effect before the connection was lost.
        matches!(self, Job::Get | Job::Monitor(_) | Job::Describe)
    }
}

/// The result of a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// Of a read.
    Value(Value),
    /// Of a write or of processing: nothing.
    Done,
    /// Of a call.
    Returned(Option<Dynamic>),
    /// Of a question for the type.
    Type(Type),
}

/// Why a request brought nothing.
#[derive(Clone, PartialEq, Debug)]
pub enum Refusal {
    /// The server refused it.
    Server(Status),
    /// The request does not fit the type of the server, and was not sent.
    Here(Error),
}

/// An event on a connection. `C` and `R` are the owner's keys of channels and requests.
#[derive(Debug)]
pub enum Event<'a, C, R> {
    /// The handshake is over.
    Ready,
    /// A channel is open.
    Opened(&'a C),
    /// A channel is not opened and is forgotten.
    Refused(C, Status),
    /// The server closed a channel. Events for its requests precede this one.
    Closed(C),
    /// A request was answered. One that ran once is forgotten, as is one that could not begin.
    Answered(&'a R, std::result::Result<Answer, Refusal>),
    /// A monitor is running.
    Started(&'a R, &'a Value),
    /// An update of a monitor: its whole value, and the changed fields.
    Update(&'a R, &'a Value, BitSet, BitSet),
    /// A monitor is over and forgotten.
    Ended(&'a R, Status),
    /// The channel of a request is gone, and the request with it. Whether it had been sent to the server to be run.
    Lost(R, bool),
    /// A server was found, by a search on this connection.
    Found(SearchResponse<'a>),
    /// The server has something to say to people.
    Log(Log<'a>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Opening,
    Idle,
    ReadingBack,
    Running,
}

#[derive(Debug)]
pub(super) struct ClientRequest<R> {
    pub(super) token: R,
    pub(super) cid: u32,
    pub(super) job: Job,
    pub(super) command: Command,
    pub(super) step: Step,
    pub(super) once: bool,
    // The last value read; of a put the value to fill.
    pub(super) value: Option<Value>,
    // Of PUT_GET: the value to fill.
    pub(super) written: Option<Value>,
}

/// The next message after a reply.
pub(super) enum NextStep {
    Nothing,
    /// Run, with the value to send.
    Run(Option<Value>),
    ReadBack,
    Start,
    /// Tell the owner.
    Answer(std::result::Result<Answer, Refusal>),
}

impl<R> ClientRequest<R> {
    pub(super) fn is_stale(&self, reply: &Reply<'_>) -> Result<()> {
        if reply.head.command != self.command {
            let found = format!("{:?}", reply.head.command);
            return Err(Error::new(format!("an answer to {:?}", self.command), found));
        }
        let init = reply.head.sub & sub::INIT != 0;
        if init != (self.step == Step::Opening) {
            let found = format!("sub-command 0x{:02X}", reply.head.sub);
            return Err(Error::new(format!("an answer to a request that is {:?}", self.step), found));
        }
        Ok(())
    }

    /// Takes the answer to the initialisation.
    pub(super) fn opened(&mut self, reply: &mut Reply<'_>, cache: &mut TypeCache) -> Result<NextStep> {
        self.step = Step::Idle;
        match &self.job {
            Job::Call(_) | Job::Process | Job::Describe => Ok(NextStep::Run(None)),
            Job::Get => {
                self.value = Some(structure(reply, cache)?);
                Ok(NextStep::Run(None))
            }
            Job::Monitor(_) => {
                self.value = Some(structure(reply, cache)?);
                Ok(NextStep::Start)
            }
            Job::PutGet(_) => {
                self.written = Some(structure(reply, cache)?);
                self.value = Some(structure(reply, cache)?);
                Ok(self.prepare(false))
            }
            Job::Put(_) => {
                self.written = Some(structure(reply, cache)?);
                Ok(self.prepare(false))
            }
        }
    }

    /// Makes the value to write.
    fn prepare(&mut self, current: bool) -> NextStep {
        let (Job::Put(put) | Job::PutGet(put), Some(value)) = (&self.job, self.written.take()) else {
            return NextStep::Nothing;
        };
        // A clone, because a put that needs the current value fills the same value later.
        match put.attempt(value.clone(), current) {
            Ok(Attempt::Ready(value)) => NextStep::Run(Some(value)),
            Ok(Attempt::NeedsCurrent) => {
                self.written = Some(value);
                NextStep::ReadBack
            }
            Err(error) => NextStep::Answer(Err(Refusal::Here(error))),
        }
    }

    /// Takes the answer to a run.
    pub(super) fn answered(&mut self, reply: &mut Reply<'_>, cache: &mut TypeCache) -> Result<NextStep> {
        let step = std::mem::replace(&mut self.step, Step::Idle);
        if step == Step::ReadingBack {
            if let Some(value) = &mut self.written {
                value.decode_changed(&mut reply.body, cache)?;
            }
            return Ok(self.prepare(true));
        }
        let answer = match &self.job {
            Job::Get | Job::PutGet(_) => {
                let value = self.value.take();
                let mut value = value.ok_or_else(|| Error::new("an answer to what was asked", "one more"))?;
                value.decode_changed(&mut reply.body, cache)?;
                Answer::Value(value)
            }
            Job::Call(_) => Answer::Returned(Dynamic::decode(&mut reply.body, cache)?),
            _ => Answer::Done,
        };
        Ok(NextStep::Answer(Ok(answer)))
    }
}

fn structure(reply: &mut Reply<'_>, cache: &mut TypeCache) -> Result<Value> {
    let at = reply.body.offset();
    match reply.ty(cache)? {
        Type::Structure(structure) => Ok(Value::new(&structure)),
        other => Err(Error::at(at, "the type of a structure", other.name())),
    }
}
