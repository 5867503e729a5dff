//! Payloads of messages, decoded.

use std::borrow::Cow;
use std::net::IpAddr;

use super::{
    AclChange, Beacon, ChannelCreated, ChannelId, ClientValidation, Command, CreateChannel, GetField, Reply,
    Request, RequestId, Search, SearchResponse, ServerValidation,
};
use crate::Result;
use crate::data::TypeCache;
use crate::wire::{Reader, Status, Writer};

/// How bad a text for people is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogKind {
    /// Good to know.
    Info,
    /// Worth a look.
    Warning,
    /// Something failed.
    Error,
    /// Something will always fail.
    Fatal,
}

/// A text for people about a request. It does not end the request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log<'a> {
    /// The client's number of the request.
    pub ioid: u32,
    /// How bad it is.
    pub kind: LogKind,
    /// The text.
    pub text: Cow<'a, str>,
}

impl<'a> Log<'a> {
    /// Reads the payload.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Log<'a>> {
        let ioid = reader.u32()?;
        let kind = match reader.u8()? {
            0 => LogKind::Info,
            1 => LogKind::Warning,
            2 => LogKind::Error,
            // An unknown kind is taken as the worst.
            _ => LogKind::Fatal,
        };
        Ok(Log { ioid, kind, text: reader.str()? })
    }

    /// Writes the message.
    pub fn encode(&self, writer: &mut Writer) -> Result<()> {
        writer.message(true, Command::Message as u8, |w| {
            w.u32(self.ioid);
            w.u8(self.kind as u8);
            w.str(&self.text);
        })
    }
}

/// A message of a client.
#[derive(Clone, Debug)]
pub enum ClientMessage<'a> {
    /// The handshake.
    Validation(Box<ClientValidation>),
    /// To be sent back.
    Echo(&'a [u8]),
    /// Asks which server has channels.
    Search(Search<'a>),
    /// Opens channels.
    CreateChannel(CreateChannel<'a>),
    /// Closes a channel.
    DestroyChannel(ChannelId),
    /// A step of an operation.
    Request(Request<'a>),
    /// Asks for a type.
    GetField(GetField<'a>),
    /// Ends an operation.
    DestroyRequest(RequestId),
    /// Stops the present work of an operation.
    CancelRequest(RequestId),
    /// A text for people.
    Log(Log<'a>),
    /// Where a forwarded search came from.
    OriginTag(IpAddr),
    /// To be skipped.
    Other(u8),
}

impl<'a> ClientMessage<'a> {
    /// Reads the payload of `command`. Bytes at its end that mean nothing are skipped.
    pub fn decode(command: u8, mut reader: Reader<'a>, cache: &mut TypeCache) -> Result<ClientMessage<'a>> {
        let r = &mut reader;
        Ok(match Command::from_code(command) {
            Some(Command::ConnectionValidation) => {
                ClientMessage::Validation(Box::new(ClientValidation::decode(r, cache)?))
            }
            Some(Command::Echo) => ClientMessage::Echo(r.rest()),
            Some(Command::Search) => ClientMessage::Search(Search::decode(r)?),
            Some(Command::CreateChannel) => ClientMessage::CreateChannel(CreateChannel::decode(r)?),
            Some(Command::DestroyChannel) => ClientMessage::DestroyChannel(ChannelId::decode(r)?),
            Some(Command::GetField) => ClientMessage::GetField(GetField::decode(r)?),
            Some(Command::DestroyRequest) => ClientMessage::DestroyRequest(RequestId::decode(r)?),
            Some(Command::CancelRequest) => ClientMessage::CancelRequest(RequestId::decode(r)?),
            Some(Command::Message) => ClientMessage::Log(Log::decode(r)?),
            Some(Command::OriginTag) => ClientMessage::OriginTag(r.address()?),
            // The rest is kept as bytes, because its meaning depends on the request.
            Some(operation) if operation.is_operation() => {
                ClientMessage::Request(Request::decode(operation, reader)?)
            }
            // An unknown command is no error: newer clients may send it.
            _ => ClientMessage::Other(command),
        })
    }
}

/// A message of a server.
#[derive(Clone, Debug)]
pub enum ServerMessage<'a> {
    /// The handshake.
    Validation(ServerValidation),
    /// The end of the handshake.
    Validated(Status),
    /// The kind of the message.
    Echo(&'a [u8]),
    /// The server that has channels.
    SearchResponse(SearchResponse<'a>),
    /// A server is there.
    Beacon(Box<Beacon<'a>>),
    /// Whether a channel was opened.
    ChannelCreated(ChannelCreated),
    /// A channel was closed.
    DestroyChannel(ChannelId),
    /// A step of an operation.
    Reply(Reply<'a>),
    /// A type. `body` begins with it unless `status` is a failure.
    Field {
        /// The client's number of the request.
        ioid: u32,
        /// How it went.
        status: Status,
        /// The type.
        body: Reader<'a>,
    },
    /// A text for people.
    Log(Log<'a>),
    /// The rights on a channel.
    AclChange(AclChange),
    /// To be skipped.
    Other(u8),
}

impl<'a> ServerMessage<'a> {
    /// Reads the payload of `command`. Bytes at its end that mean nothing are skipped.
    pub fn decode(command: u8, mut reader: Reader<'a>) -> Result<ServerMessage<'a>> {
        let r = &mut reader;
        Ok(match Command::from_code(command) {
            Some(Command::ConnectionValidation) => ServerMessage::Validation(ServerValidation::decode(r)?),
            Some(Command::ConnectionValidated) => ServerMessage::Validated(Status::decode(r)?),
            Some(Command::Echo) => ServerMessage::Echo(r.rest()),
            Some(Command::SearchResponse) => ServerMessage::SearchResponse(SearchResponse::decode(r)?),
            Some(Command::Beacon) => ServerMessage::Beacon(Box::new(Beacon::decode(r)?)),
            Some(Command::CreateChannel) => ServerMessage::ChannelCreated(ChannelCreated::decode(r)?),
            Some(Command::DestroyChannel) => ServerMessage::DestroyChannel(ChannelId::decode(r)?),
            Some(Command::GetField) => {
                ServerMessage::Field { ioid: r.u32()?, status: Status::decode(r)?, body: reader }
            }
            Some(Command::Message) => ServerMessage::Log(Log::decode(r)?),
            Some(Command::AclChange) => ServerMessage::AclChange(AclChange::decode(r)?),
            Some(operation) if operation.is_operation() => {
                ServerMessage::Reply(Reply::decode(operation, reader)?)
            }
            _ => ServerMessage::Other(command),
        })
    }
}
