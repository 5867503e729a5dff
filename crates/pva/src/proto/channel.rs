//! Opening and closing channels and requests.

use std::borrow::Cow;

#[cfg(feature = "server")]
use bytes::Bytes;

use super::Command;
use crate::Result;
#[cfg(feature = "server")]
use crate::wire::Order;
use crate::wire::{Reader, Status, Writer};

/// Opens channels. Send one name at a time: some servers accept no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CreateChannel<'a> {
    /// The client's number and the name of each.
    pub channels: Vec<(u32, Cow<'a, str>)>,
}

impl<'a> CreateChannel<'a> {
    /// Reads the payload.
    pub fn decode(reader: &mut Reader<'a>) -> Result<CreateChannel<'a>> {
        Ok(CreateChannel { channels: CreateChannel::names(reader)?.collect::<Result<_>>()? })
    }

    /// The names in the payload, to be read one by one.
    pub(crate) fn names<'r>(reader: &'r mut Reader<'a>) -> Result<Names<'r, 'a>> {
        Names::decode(reader)
    }

    /// Writes the message.
    pub fn encode(&self, writer: &mut Writer) -> Result<()> {
        writer.message(false, Command::CreateChannel as u8, |w| write_names(w, &self.channels))
    }
}

/// The names of a message, each with the client's number, read one by one. Ends with the first that cannot be read.
pub(crate) struct Names<'r, 'a> {
    reader: &'r mut Reader<'a>,
    count: u16,
}

impl<'r, 'a> Names<'r, 'a> {
    /// Begins with how many there are.
    pub(crate) fn decode(reader: &'r mut Reader<'a>) -> Result<Names<'r, 'a>> {
        let count = reader.u16()?;
        Ok(Names { reader, count })
    }
}

#[cfg(feature = "server")]
impl<'r, 'a> Names<'r, 'a> {
    /// Goes on with the last `count` names of a message.
    pub(crate) fn resume(reader: &'r mut Reader<'a>, count: u16) -> Names<'r, 'a> {
        Names { reader, count }
    }

    /// How many are left.
    pub(crate) fn left(&self) -> u16 {
        self.count
    }

    /// The byte order of their numbers.
    pub(crate) fn order(&self) -> Order {
        self.reader.order()
    }

    /// The bytes of the names that are left. Long ones share the message if it has memory of its own.
    pub(crate) fn take(self) -> Result<Bytes> {
        let count = self.reader.remaining();
        self.reader.take(count)
    }
}

impl<'a> Iterator for Names<'_, 'a> {
    type Item = Result<(u32, Cow<'a, str>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.count = self.count.checked_sub(1)?;
        let name = self.reader.u32().and_then(|id| Ok((id, self.reader.str()?)));
        // Later bytes have no meaning any more.
        if name.is_err() {
            self.count = 0;
        }
        Some(name)
    }
}

pub(super) fn write_names(writer: &mut Writer, names: &[(u32, Cow<'_, str>)]) {
    // The count has 16 bits; callers send fewer.
    let names = &names[..names.len().min(usize::from(u16::MAX))];
    writer.u16(names.len() as u16);
    for (id, name) in names {
        writer.u32(*id);
        writer.str(name);
    }
}

/// Whether a channel was opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelCreated {
    /// The client's number.
    pub cid: u32,
    /// The server's number.
    pub sid: u32,
    /// Whether it was.
    pub status: Status,
}

impl ChannelCreated {
    /// The server's number of a channel that was refused.
    pub const REFUSED: u32 = u32::MAX;

    /// Reads the payload.
    pub fn decode(reader: &mut Reader<'_>) -> Result<ChannelCreated> {
        Ok(ChannelCreated { cid: reader.u32()?, sid: reader.u32()?, status: Status::decode(reader)? })
    }

    /// Writes the message.
    pub fn encode(&self, writer: &mut Writer) -> Result<()> {
        writer.message(true, Command::CreateChannel as u8, |w| {
            w.u32(self.cid);
            w.u32(self.sid);
            self.status.encode(w);
        })
    }
}

/// A channel: its destruction, asked for, confirmed, or told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelId {
    /// The server's number.
    pub sid: u32,
    /// The client's number.
    pub cid: u32,
}

impl ChannelId {
    /// Reads the payload.
    pub fn decode(reader: &mut Reader<'_>) -> Result<ChannelId> {
        Ok(ChannelId { sid: reader.u32()?, cid: reader.u32()? })
    }

    /// Writes the message that destroys the channel.
    pub fn destroy(self, writer: &mut Writer, server: bool) -> Result<()> {
        writer.message(server, Command::DestroyChannel as u8, |w| {
            w.u32(self.sid);
            w.u32(self.cid);
        })
    }
}

/// A request: its destruction or cancellation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestId {
    /// The server's number of the channel.
    pub sid: u32,
    /// The client's number of the request.
    pub ioid: u32,
}

impl RequestId {
    /// Reads the payload.
    pub fn decode(reader: &mut Reader<'_>) -> Result<RequestId> {
        Ok(RequestId { sid: reader.u32()?, ioid: reader.u32()? })
    }

    /// Writes the message that destroys the request.
    pub fn destroy(self, writer: &mut Writer) -> Result<()> {
        self.encode(writer, Command::DestroyRequest)
    }

    /// Writes the message that stops the present work of the request.
    pub fn cancel(self, writer: &mut Writer) -> Result<()> {
        self.encode(writer, Command::CancelRequest)
    }

    fn encode(self, writer: &mut Writer, command: Command) -> Result<()> {
        writer.message(false, command as u8, |w| {
            w.u32(self.sid);
            w.u32(self.ioid);
        })
    }
}

/// Asks for the type of a channel, or of a field of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GetField<'a> {
    /// The server's number of the channel.
    pub sid: u32,
    /// The client's number of the request.
    pub ioid: u32,
    /// The field; empty for all. Servers differ in their answers to other texts.
    pub field: Cow<'a, str>,
}

impl<'a> GetField<'a> {
    /// Reads the payload.
    pub fn decode(reader: &mut Reader<'a>) -> Result<GetField<'a>> {
        Ok(GetField { sid: reader.u32()?, ioid: reader.u32()?, field: reader.str()? })
    }

    /// Writes the message.
    pub fn encode(&self, writer: &mut Writer) -> Result<()> {
        writer.message(false, Command::GetField as u8, |w| {
            w.u32(self.sid);
            w.u32(self.ioid);
            w.str(&self.field);
        })
    }

    /// Writes the answer: `write` writes the type, and is called only if `status` is a success.
    pub fn reply(
        writer: &mut Writer,
        ioid: u32,
        status: &Status,
        write: impl FnOnce(&mut Writer),
    ) -> Result<()> {
        writer.message(true, Command::GetField as u8, |w| {
            w.u32(ioid);
            status.encode(w);
            if status.is_success() {
                write(w);
            }
        })
    }
}

/// The rights on a channel. Only some peers know this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AclChange {
    /// The client's number of the channel.
    pub cid: u32,
    /// 1 put, 2 put-get, 4 call.
    pub rights: u8,
}

impl AclChange {
    /// Reads the payload.
    pub fn decode(reader: &mut Reader<'_>) -> Result<AclChange> {
        Ok(AclChange { cid: reader.u32()?, rights: reader.u8()? })
    }

    /// Writes the message.
    pub fn encode(self, writer: &mut Writer) -> Result<()> {
        writer.message(true, Command::AclChange as u8, |w| {
            w.u32(self.cid);
            w.u8(self.rights);
        })
    }
}
