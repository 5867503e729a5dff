//! Puts and remote calls on their way to the owner of a PV and back.

use std::sync::Arc;

use super::SharedPv;
use super::mailbox::{Completion, Mailbox};
use crate::data::{Dynamic, Value};
use crate::request::Options;
use crate::server::account::Charge;
use crate::server::{Denial, Event, Log, Peer};
use crate::wire::Status;

pub(crate) type PutHandler = Box<dyn Fn(Put) + Send + Sync>;
pub(crate) type CallHandler = Box<dyn Fn(Call) + Send + Sync>;

/// The way of an answer to the client. If it is dropped without an answer, the client gets an error.
pub(crate) struct Token {
    // `None` once the answer is given: it is given once.
    way: Option<Way>,
    note: Option<Note>,
    // For the data in the request.
    // Given back with the token, when the request is answered.
    charge: Option<Charge>,
}

/// To whom an answer goes.
enum Way {
    /// A client of this server.
    Client { mailbox: Arc<Mailbox>, ioid: u32, serial: u32 },
    /// A part of this program that puts for a client of its own.
    Inside(Box<dyn FnOnce(Result<(), Status>) + Send>),
}

/// The most characters of a refusal that are sent to the client. The log gets fewer, because a refusal may
/// quote the value.
const REASON: usize = 1000;
const LOGGED: usize = 300;

/// The beginning of a text that may be long.
fn shortened(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text,
        Some((end, _)) => format!("{}… ({} more bytes)", &text[..end], text.len() - end),
    }
}

/// The log entry of a request, written when it is answered.
pub(crate) struct Note {
    pub(crate) log: Log,
    pub(crate) channel: String,
    pub(crate) peer: Arc<Peer>,
    pub(crate) what: String,
}

impl Note {
    fn tell(self, result: &Result<Option<Dynamic>, Status>) {
        let Note { log, channel, peer, what } = self;
        let reason = |status: &Status| Status::error(shortened(status.message.clone(), LOGGED));
        let outcome = result.as_ref().map(|_| ()).map_err(reason);
        log(&Event::Write { channel, peer, what, outcome });
    }
}

impl Token {
    pub(crate) fn new(mailbox: Arc<Mailbox>, ioid: u32, serial: u32) -> Token {
        Token { way: Some(Way::Client { mailbox, ioid, serial }), note: None, charge: None }
    }

    pub(crate) fn inside(answer: impl FnOnce(Result<(), Status>) + Send + 'static) -> Token {
        Token { way: Some(Way::Inside(Box::new(answer))), note: None, charge: None }
    }

    pub(crate) fn charge(mut self, charge: Charge) -> Token {
        self.charge = Some(charge);
        self
    }

    pub(crate) fn note(mut self, note: Option<Note>) -> Token {
        self.note = note;
        self
    }

    fn answer(&mut self, result: Result<Option<Dynamic>, Status>) {
        // The drop of the token asks for an answer again, which was given.
        let Some(way) = self.way.take() else { return };
        self.note.take().into_iter().for_each(|note| note.tell(&result));
        match way {
            Way::Client { mailbox, ioid, serial } => mailbox.complete(Completion { ioid, serial, result }),
            Way::Inside(answer) => answer(result.map(|_| ())),
        }
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        // A handler that forgets a put must not leave the client waiting.
        self.answer(Err(Denial::Dropped.into()));
    }
}

/// A put of a client. Answer it at once, or keep it and answer later from any thread; the client's put
/// completes with the answer.
pub struct Put {
    /// The PV.
    pub pv: SharedPv,
    /// The fields to write; [`Value::changed`] says which. The others are zero.
    pub value: Value,
    /// The options of the request: whether to process, whether to wait.
    pub options: Arc<Options>,
    /// The client that wants the change.
    pub peer: Arc<Peer>,
    /// Whether the client writes nothing and only wants the PV to process.
    pub process_only: bool,
    pub(crate) token: Token,
}

impl Put {
    /// Ends the put with success.
    pub fn accept(mut self) {
        self.token.answer(Ok(None));
    }

    /// Ends the put with a refusal; people read `reason`.
    pub fn refuse(mut self, reason: impl Into<String>) {
        // The reason comes from the program's own code and may be of any length.
        self.token.answer(Err(Status::error(shortened(reason.into(), REASON))));
    }

    /// Ends it well, or with the reason why it cannot be done.
    pub fn finish<E: std::fmt::Display>(self, result: Result<(), E>) {
        match result {
            Ok(()) => self.accept(),
            Err(error) => self.refuse(error.to_string()),
        }
    }

    /// Posts the fields of the put, and completes the put.
    pub fn post(self) {
        let result = self.pv.post(&self.value, self.value.changed());
        self.finish(result);
    }
}

/// A call of a client. Answer it at once, or keep it and answer later from any thread.
pub struct Call {
    /// The PV.
    pub pv: SharedPv,
    /// The argument of the call.
    pub arguments: Option<Dynamic>,
    /// The fields that the client asked for.
    pub options: Arc<Options>,
    /// The client that calls.
    pub peer: Arc<Peer>,
    pub(crate) token: Token,
}

impl Call {
    /// The argument `name`: a field of `query` if the arguments are an NTURI, else of the arguments themselves.
    pub fn argument(&self, name: &str) -> Option<&crate::data::Field> {
        let value = self.arguments.as_ref()?.as_value()?;
        // Clients that follow the normative types put their arguments into `query`.
        let prefix = if crate::nt::is(value.id(), "NTURI") { "query." } else { "" };
        value.get(&format!("{prefix}{name}"))
    }

    /// Ends the call with this result.
    pub fn reply(mut self, result: impl Into<Dynamic>) {
        self.token.answer(Ok(Some(result.into())));
    }

    /// Ends the call with success and without a result.
    pub fn done(mut self) {
        self.token.answer(Ok(None));
    }

    /// Ends the call with a refusal; people read `reason`.
    pub fn refuse(mut self, reason: impl Into<String>) {
        self.token.answer(Err(Status::error(shortened(reason.into(), REASON))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_short() {
        assert_eq!(shortened("äöü".into(), 3), "äöü");
        assert_eq!(shortened("äöü".into(), 2), "äö… (2 more bytes)");
    }
}
