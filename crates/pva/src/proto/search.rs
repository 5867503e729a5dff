//! Finding servers.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr};

use super::Command;
use super::channel::{Names, write_names};
use crate::data::{Dynamic, TypeCache};
use crate::wire::{Reader, Writer};
use crate::{Error, Result};

/// The identity of a server until it ends.
pub type Guid = [u8; 12];

/// Known clients name one or two protocols. A list is read whole before the names, so it must be short.
const PROTOCOLS: usize = 256;

/// Asks who has channels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search<'a> {
    /// Comes back in the answer.
    pub sequence: u32,
    /// [`Search::MUST_REPLY`], [`Search::UNICAST`].
    pub flags: u8,
    /// Where to send the answer; unspecified: where this came from.
    pub address: IpAddr,
    /// The port to send the answer to.
    pub port: u16,
    /// The protocols that the client speaks; empty: any.
    pub protocols: Vec<Cow<'a, str>>,
    /// The client's number and the name of each channel.
    pub channels: Vec<(u32, Cow<'a, str>)>,
}

impl<'a> Search<'a> {
    /// An answer is wanted even if nothing is found.
    pub const MUST_REPLY: u8 = 0x01;
    /// It was sent to one server only, or so the client says.
    pub const UNICAST: u8 = 0x80;

    /// Reads the payload.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Search<'a>> {
        let (search, names) = Search::decode_head(reader)?;
        Ok(Search { channels: names.collect::<Result<_>>()?, ..search })
    }

    /// Reads the payload as far as the channels; these are to be read one by one.
    pub(crate) fn decode_head<'r>(reader: &'r mut Reader<'a>) -> Result<(Search<'a>, Names<'r, 'a>)> {
        let (sequence, flags, _) = (reader.u32()?, reader.u8()?, reader.bytes(3)?);
        let (address, port) = (reader.address()?, reader.u16()?);
        let (at, count) = (reader.offset(), reader.count(1)?);
        if count > PROTOCOLS {
            return Err(Error::at(at, format!("at most {PROTOCOLS} protocols"), count.to_string()));
        }
        let protocols = (0..count).map(|_| reader.str()).collect::<Result<_>>()?;
        let search = Search { sequence, flags, address, port, protocols, channels: Vec::new() };
        Ok((search, Names::decode(reader)?))
    }

    /// Writes the message.
    pub fn encode(&self, writer: &mut Writer) -> Result<()> {
        writer.message(false, Command::Search as u8, |w| {
            w.u32(self.sequence);
            // Three bytes that no version has given a meaning.
            w.raw(&[self.flags, 0, 0, 0]);
            w.address(self.address);
            w.u16(self.port);
            w.size(self.protocols.len());
            self.protocols.iter().for_each(|protocol| w.str(protocol));
            write_names(w, &self.channels);
        })
    }

    /// Whether a server that speaks `protocol` may answer.
    pub fn speaks(&self, protocol: &str) -> bool {
        self.protocols.is_empty() || self.protocols.iter().any(|known| known == protocol)
    }
}

/// Says who has channels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchResponse<'a> {
    /// The server.
    pub guid: Guid,
    /// The number of the search.
    pub sequence: u32,
    /// The server's address; unspecified: where this came from.
    pub address: IpAddr,
    /// The server's port.
    pub port: u16,
    /// The protocol that it speaks.
    pub protocol: Cow<'a, str>,
    /// Whether it has the channels.
    pub found: bool,
    /// The client's numbers of the channels.
    pub ids: Vec<u32>,
}

impl<'a> SearchResponse<'a> {
    /// Reads the payload.
    pub fn decode(reader: &mut Reader<'a>) -> Result<SearchResponse<'a>> {
        let (guid, sequence) = (reader.array("a guid")?, reader.u32()?);
        let (address, port) = (reader.address()?, reader.u16()?);
        let (protocol, found) = (reader.str()?, reader.bool()?);
        let count = usize::from(reader.u16()?);
        let ids = (0..count).map(|_| reader.u32()).collect::<Result<_>>()?;
        Ok(SearchResponse { guid, sequence, address, port, protocol, found, ids })
    }

    /// Writes the message.
    pub fn encode(&self, writer: &mut Writer) -> Result<()> {
        writer.message(true, Command::SearchResponse as u8, |w| {
            w.raw(&self.guid);
            w.u32(self.sequence);
            w.address(self.address);
            w.u16(self.port);
            w.str(&self.protocol);
            w.bool(self.found);
            // The count has 16 bits.
            let ids = &self.ids[..self.ids.len().min(usize::from(u16::MAX))];
            w.u16(ids.len() as u16);
            ids.iter().for_each(|&id| w.u32(id));
        })
    }
}

/// Says that a server is there.
#[derive(Clone, PartialEq, Debug)]
pub struct Beacon<'a> {
    /// The server.
    pub guid: Guid,
    /// 0.
    pub flags: u8,
    /// Counts beacons.
    pub sequence: u8,
    /// Counts changes of the list of channels.
    pub changes: u16,
    /// The server's address; unspecified: where this came from.
    pub address: IpAddr,
    /// The server's port.
    pub port: u16,
    /// The protocol that it speaks.
    pub protocol: Cow<'a, str>,
    /// Its state; no server fills it in.
    pub status: Option<Dynamic>,
}

impl<'a> Beacon<'a> {
    /// Reads the payload.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Beacon<'a>> {
        Ok(Beacon {
            guid: reader.array("a guid")?,
            flags: reader.u8()?,
            sequence: reader.u8()?,
            changes: reader.u16()?,
            address: reader.address()?,
            port: reader.u16()?,
            protocol: reader.str()?,
            status: Dynamic::decode(reader, &mut TypeCache::new())?,
        })
    }

    /// Writes the message.
    pub fn encode(&self, writer: &mut Writer) -> Result<()> {
        writer.message(true, Command::Beacon as u8, |w| {
            w.raw(&self.guid);
            w.raw(&[self.flags, self.sequence]);
            w.u16(self.changes);
            w.address(self.address);
            w.u16(self.port);
            w.str(&self.protocol);
            match &self.status {
                Some(status) => status.encode(w),
                None => w.null(),
            }
        })
    }
}

/// Writes the head of a forwarded search: the address that it was sent to.
pub fn origin_tag(writer: &mut Writer, address: Option<IpAddr>) -> Result<()> {
    let address = address.unwrap_or(Ipv4Addr::UNSPECIFIED.into());
    writer.message(false, Command::OriginTag as u8, |w| w.address(address))
}
