//! Requests and replies of operations: get, put, monitor, call.

use super::{Command, sub};
use crate::Result;
use crate::data::{Builder, Dynamic, Type, TypeCache, Value};
use crate::wire::{BitSet, Encoded, HEADER_LEN, Header, Order, Reader, Status, Writer};

/// The head of every request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestHead {
    /// The operation.
    pub command: Command,
    /// The server's number of the channel.
    pub sid: u32,
    /// The client's number of the request.
    pub ioid: u32,
    /// Which step; bits of [`sub`].
    pub sub: u8,
}

/// A step of an operation, as the client asks for it.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Which one.
    pub head: RequestHead,
    /// A reader at the begin of its payload.
    pub body: Reader<'a>,
}

/// How an operation begins.
#[derive(Clone, PartialEq, Debug)]
pub struct Init {
    /// The fields that the client wants; see [`Selection`](crate::request::Selection) and
    /// [`Options`](crate::request::Options).
    pub request: Value,
    /// Of a monitor with a window: how many updates may be sent.
    pub window: Option<u32>,
}

impl RequestHead {
    /// Writes the message; `body` writes its payload.
    pub fn encode(self, writer: &mut Writer, body: impl FnOnce(&mut Writer)) -> Result<()> {
        writer.message(false, self.command as u8, |w| {
            w.u32(self.sid);
            w.u32(self.ioid);
            w.u8(self.sub);
            body(w);
        })
    }

    /// Writes the message that opens the operation. `window` only for a monitor with a window.
    pub fn init(self, writer: &mut Writer, request: &Value, window: Option<u32>) -> Result<()> {
        let pipeline = if window.is_some() { sub::PIPELINE } else { 0 };
        let head = RequestHead { sub: sub::INIT | pipeline, ..self };
        head.encode(writer, |w| {
            request.structure().encode(w);
            request.encode(w);
            window.into_iter().for_each(|window| w.u32(window));
        })
    }

    /// Whether it opens the operation.
    pub fn is_init(self) -> bool {
        self.sub & sub::INIT != 0
    }

    /// Whether it is the last.
    pub fn is_last(self) -> bool {
        self.sub & sub::DESTROY != 0
    }
}

impl<'a> Request<'a> {
    /// Reads the payload.
    pub fn decode(command: Command, mut reader: Reader<'a>) -> Result<Request<'a>> {
        let head = RequestHead { command, sid: reader.u32()?, ioid: reader.u32()?, sub: reader.u8()? };
        Ok(Request { head, body: reader })
    }

    /// Reads the body of a request that opens an operation. A request of null asks for everything.
    pub fn init(mut self, cache: &mut TypeCache) -> Result<Init> {
        let request = match Dynamic::decode(&mut self.body, cache)? {
            Some(request) => request.into_value()?,
            None => Value::new(&Builder::new("").structure()?),
        };
        let with_window = self.head.command == Command::Monitor && self.head.sub & sub::PIPELINE != 0;
        let window = if with_window { Some(self.body.u32()?) } else { None };
        Ok(Init { request, window })
    }
}

/// The head of every reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplyHead {
    /// The operation.
    pub command: Command,
    /// The client's number of the request.
    pub ioid: u32,
    /// Which step; as in the request.
    pub sub: u8,
}

/// A step of an operation, as the server answers it.
#[derive(Clone, Debug)]
pub struct Reply<'a> {
    /// Which one.
    pub head: ReplyHead,
    /// How it went; `None` for an update of a monitor, which has none.
    pub status: Option<Status>,
    /// A reader at the begin of its payload. Empty if it failed.
    pub body: Reader<'a>,
}

/// Which fields an update brought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Update {
    /// The fields.
    pub changed: BitSet,
    /// The fields that changed more than once.
    pub overrun: BitSet,
}

impl ReplyHead {
    /// Writes the message; `body` writes its payload and is called only if `status` is a success. An update
    /// of a monitor has no status.
    pub fn encode(
        self,
        writer: &mut Writer,
        status: Option<&Status>,
        body: impl FnOnce(&mut Writer),
    ) -> Result<()> {
        writer.message(true, self.command as u8, |w| {
            w.u32(self.ioid);
            w.u8(self.sub);
            status.into_iter().for_each(|status| status.encode(w));
            if status.is_none_or(Status::is_success) {
                body(w);
            }
        })
    }

    /// Whether it is an update of a monitor that is not the last.
    pub fn is_update(self) -> bool {
        self.command == Command::Monitor && self.sub & (sub::INIT | sub::DESTROY) == 0
    }
}

impl<'a> Reply<'a> {
    /// Reads the payload.
    pub fn decode(command: Command, mut reader: Reader<'a>) -> Result<Reply<'a>> {
        let head = ReplyHead { command, ioid: reader.u32()?, sub: reader.u8()? };
        // Only updates of a monitor have no status.
        let status = if head.is_update() { None } else { Some(Status::decode(&mut reader)?) };
        Ok(Reply { head, status, body: reader })
    }

    /// Whether it went well.
    pub fn is_success(&self) -> bool {
        self.status.as_ref().is_none_or(Status::is_success)
    }

    /// Reads the type that answers an initialisation. Call it twice for PUT_GET.
    pub fn ty(&mut self, cache: &mut TypeCache) -> Result<Type> {
        Type::decode_some(&mut self.body, cache)
    }

    /// Reads the body of an update into `value`.
    pub fn update(&mut self, value: &mut Value, cache: &mut TypeCache) -> Result<Update> {
        let changed = value.decode_changed(&mut self.body, cache)?;
        Ok(Update { changed, overrun: BitSet::decode(&mut self.body)? })
    }
}

/// The length of [`update_head`].
pub const UPDATE_HEAD_LEN: usize = HEADER_LEN + 5;

/// The bytes in front of the body of a monitor update ([`Value::update`]) to make it a message for one subscriber.
///
/// ```
/// use livetime_pva::{data::{ScalarType, Value}, nt, proto::update_head, wire::{BitSet, Order, Writer}};
///
/// let value = Value::new(&nt::scalar(ScalarType::I32));
/// let body = value.update(&mut Writer::new(Order::Little), &BitSet::from_iter([1]));
/// let head = update_head(Order::Little, 3, &body);
/// assert_eq!(head, [0xCA, 2, 0x40, 0x0D, 12, 0, 0, 0, 3, 0, 0, 0, 0]);
/// assert_eq!(body.to_bytes(), &[1, 2, 0, 0, 0, 0, 0][..]);
/// ```
pub fn update_head(order: Order, ioid: u32, body: &Encoded) -> [u8; UPDATE_HEAD_LEN] {
    // A body of more than a message can hold would need an array that no peer could take either.
    let size = u32::try_from(body.len() + 5).unwrap_or(u32::MAX);
    let mut head = [0; UPDATE_HEAD_LEN];
    head[..HEADER_LEN].copy_from_slice(&Header::message(order, true, Command::Monitor as u8, size).encode());
    let ioid = if order == Order::Big { ioid.to_be_bytes() } else { ioid.to_le_bytes() };
    head[HEADER_LEN..HEADER_LEN + 4].copy_from_slice(&ioid);
    head
}
