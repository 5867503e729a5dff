//! The state of a connection, and the effect of each message.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::channel::ServedChannel;
use super::ids::Ids;
use super::operation::Operation;
use super::output::Outgoing;
use super::rest::Rest;
use crate::data::{SentTypes, TypeCache};
use crate::proto::{ClientMessage, Command, ReplyHead, Request, RequestHead, echo};
use crate::server::account::{Account, Charge, FIELD, SMALL};
use crate::server::pv::{Mailbox, Note, Subscription};
use crate::server::service::ServiceParts;
use crate::server::slots::Slots;
use crate::server::{Access, Peer};
use crate::wire::{Message, Order, Status, Writer};
use crate::{Error, Result};

/// Longest echo that is answered. Clients send nothing in it, or a few bytes; a long one would be sent back at our
/// cost.
const LONGEST_ECHO: usize = 64 << 10;

pub(super) struct SessionCore {
    pub(super) shared: Arc<ServiceParts>,
    pub(super) mailbox: Arc<Mailbox>,
    pub(super) peer: Arc<Peer>,
    /// The memory that the client makes us keep.
    pub(super) account: Arc<Account>,
    pub(super) output: Outgoing,
    pub(super) received_types: TypeCache,
    pub(super) sent_types: Option<SentTypes>,
    pub(super) validated: bool,
    /// Whether the client speaks version 1, which knows no echo.
    pub(super) old: bool,
    pub(super) channels: Slots<ServedChannel>,
    // Distinguishes channels that have the same place one after the other.
    pub(super) generation: u32,
    pub(super) operations: HashMap<u32, Operation, Ids>,
    pub(super) serial: u32,
    /// Monitors with something to send, the next in front.
    pub(super) ready: VecDeque<Arc<Subscription>>,
    /// Work that is done in part. The next message waits until it is finished.
    pub(super) rest: VecDeque<Rest>,
    /// Work that the message before turned out to cost beside its price, in gets.
    pub(super) extra: usize,
    // For waiting messages, and for the types that the client gave numbers to.
    unsent: Charge,
    types: Charge,
}

impl SessionCore {
    pub(super) fn new(shared: Arc<ServiceParts>, peer: Peer, mailbox: Arc<Mailbox>) -> SessionCore {
        let account = shared.guests.account(peer.address.ip());
        let mut core = SessionCore {
            unsent: Charge::new(&account),
            types: Charge::new(&account),
            account,
            sent_types: shared.type_cache.then(SentTypes::new),
            shared,
            mailbox,
            peer: Arc::new(peer),
            output: Outgoing::new(Writer::new(Order::HOST)),
            received_types: TypeCache::new(),
            validated: false,
            old: false,
            channels: Slots::default(),
            generation: 0,
            operations: HashMap::default(),
            serial: 0,
            ready: VecDeque::new(),
            rest: VecDeque::new(),
            extra: 0,
        };
        core.greet();
        core
    }

    /// Carries out a message. Work that costs more than is `left` of the turn is done in part.
    pub(super) fn handle(&mut self, message: &Message<'_>, left: &mut usize) -> Result<()> {
        // A server that is connected to itself by mistake would answer its own answers.
        let header = &message.header;
        if header.server {
            return Err(Error::new("a message from a client", "one that says it is from a server"));
        }
        self.old = header.version == 1;
        if header.control {
            return Ok(());
        }
        if let Some(bytes) = message.too_long {
            return self.too_long(message, bytes);
        }
        match Command::from_code(header.command) {
            Some(command) if command.is_operation() && self.validated => {
                self.request(Request::decode(command, message.reader())?, left)
            }
            Some(Command::ConnectionValidation | Command::Echo) => self.other(message),
            Some(_) if !self.validated => {
                Err(Error::new("the handshake", format!("message 0x{:02X}", header.command)))
            }
            Some(Command::CreateChannel) => self.create(message.reader(), left),
            Some(Command::Search) => self.search(message.reader(), left),
            _ => self.other(message),
        }
    }

    /// Tells a client that its write is larger than the bound. Other messages have no answer, so they end the connection.
    fn too_long(&mut self, message: &Message<'_>, bytes: usize) -> Result<()> {
        let most = self.shared.limits.message;
        let why = match bytes > most {
            true => format!("wanted a message of at most {most} bytes, found {bytes}"),
            false => {
                format!("wanted a message for which there is memory, found {bytes} bytes while others wait")
            }
        };
        match Command::from_code(message.header.command) {
            Some(command) if command.is_operation() => {
                let RequestHead { command, ioid, sub, .. } = Request::decode(command, message.reader())?.head;
                self.answer(ReplyHead { command, ioid, sub }, &Status::error(why))
            }
            _ => Err(Error::new(format!("a message of at most {most} bytes"), bytes.to_string())),
        }
    }

    /// Counts the memory for waiting messages and for types. An error is the end of a client that takes too much of it.
    pub(super) fn settle_accounts(&mut self) -> Result<()> {
        let (unsent, types) = (self.output.memory(), self.received_types.fields() * FIELD);
        let counted = |bytes: usize| if bytes > SMALL { bytes } else { 0 };
        if counted(unsent) != self.unsent.bytes() && !self.unsent.set(counted(unsent)) {
            return Err(Error::new("a client that reads", format!("{unsent} bytes that wait for it")));
        }
        if counted(types) != self.types.bytes() && !self.types.set(counted(types)) {
            return Err(Error::new("fewer types", format!("{types} bytes of them")));
        }
        Ok(())
    }

    fn other(&mut self, message: &Message<'_>) -> Result<()> {
        let types = &mut self.received_types;
        match ClientMessage::decode(message.header.command, message.reader(), types)? {
            ClientMessage::Validation(validation) => self.validate(*validation),
            ClientMessage::Echo(payload) if payload.len() > LONGEST_ECHO => {
                Err(Error::new(format!("an echo of at most {LONGEST_ECHO} bytes"), payload.len().to_string()))
            }
            ClientMessage::Echo(payload) => echo(self.output.writer(), true, payload),
            ClientMessage::DestroyChannel(id) => {
                self.begin_closing(id.sid);
                Ok(())
            }
            ClientMessage::GetField(get) => self.get_field(&get),
            ClientMessage::DestroyRequest(id) => {
                self.destroy(id.sid, id.ioid);
                Ok(())
            }
            ClientMessage::CancelRequest(id) => {
                self.cancel(id.sid, id.ioid);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether the client may write a PV.
    pub(super) fn may_write(&self, access: Option<&Access>) -> bool {
        access.unwrap_or(&self.shared.access).allows(&self.peer)
    }

    /// The text for the log about a write to channel `sid`, if there is a listener.
    pub(super) fn note(&self, sid: u32, what: impl FnOnce() -> String) -> Option<Note> {
        self.shared.log().map(|log| Note {
            log: Arc::clone(log),
            channel: self.channel(sid).map_or(String::new(), |channel| channel.name.to_string()),
            peer: Arc::clone(&self.peer),
            what: what(),
        })
    }
}

impl Drop for SessionCore {
    fn drop(&mut self) {
        // First of all: later items of other threads have no reader.
        self.mailbox.end();
        for rest in std::mem::take(&mut self.rest) {
            if let Rest::Closing(channel) = rest {
                self.closed(channel);
            }
        }
        let operations = std::mem::take(&mut self.operations);
        operations.into_values().for_each(|operation| self.end(operation));
        let channels = self.channels.drain();
        channels.for_each(|channel| self.closed(channel));
    }
}
