//! Opening and closing channels.

use super::channel::{ServedChannel, Target};
use super::core::SessionCore;
use super::rest::Rest;
use crate::Result;
use crate::proto::{ChannelCreated, GetField};
use crate::server::Denial;
use crate::server::account::CHANNEL;
use crate::server::statistics::{add, subtract};
use crate::wire::Status;

/// Longest name of a channel, in bytes.
const MAX_NAME: usize = 500;

/// The channel that answers questions about the server itself.
const SERVER: &str = "server";

// Numbers of channels: the place, and above it something that differs from the channel that was there before.
const PLACE_BITS: u32 = 20;
const PLACES: usize = 1 << PLACE_BITS;
// Of 12 bits, all ones say that a channel was refused.
const GENERATIONS: u32 = 0xFFE;

impl SessionCore {
    pub(super) fn create_one(&mut self, cid: u32, name: &str) -> Result<()> {
        let created = self.open(cid, name);
        let (sid, status) =
            created.map_or_else(|refusal| (ChannelCreated::REFUSED, refusal.into()), |sid| (sid, Status::OK));
        ChannelCreated { cid, sid, status }.encode(self.output.writer())
    }

    fn open(&mut self, cid: u32, name: &str) -> std::result::Result<u32, Denial> {
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(Denial::Name);
        }
        if self.channels.len() >= self.shared.limits.channels.min(PLACES) {
            return Err(Denial::Channels);
        }
        // Memory is counted before it is allocated, and returned if the channel fails.
        if !self.account.take(CHANNEL + name.len()) {
            return Err(Denial::Memory);
        }
        let opened = self.open_paid(cid, name);
        if opened.is_err() {
            self.account.give(CHANNEL + name.len());
        }
        opened
    }

    fn open_paid(&mut self, cid: u32, name: &str) -> std::result::Result<u32, Denial> {
        let pv = match self.shared.provider.open(name, &self.peer) {
            Some(pv) => Some(pv),
            // A PV of this name would be the user's; the server's own channel comes second.
            None if name == SERVER => None,
            None => return Err(Denial::UnknownChannel),
        };
        self.generation = self.generation % GENERATIONS + 1;
        let generation = self.generation;
        let channel = ServedChannel {
            cid,
            sid: 0,
            name: name.into(),
            target: Target::Server,
            ioids: Vec::new(),
            live: 0,
        };
        let place = self.channels.insert(channel);
        let sid = generation << PLACE_BITS | place as u32;
        let target = pv.map_or(Target::Server, |pv| {
            let (slot, epoch) = pv.state().enter(&self.mailbox, sid);
            Target::Pv { pv, slot, epoch }
        });
        if let Some(channel) = self.channels.get_mut(place) {
            (channel.sid, channel.target) = (sid, target);
        }
        add(&self.shared.counters.channels, 1);
        Ok(sid)
    }

    #[inline]
    pub(super) fn channel(&self, sid: u32) -> Option<&ServedChannel> {
        self.channels.get(sid as usize % PLACES).filter(|channel| channel.sid == sid)
    }

    pub(super) fn channel_mut(&mut self, sid: u32) -> Option<&mut ServedChannel> {
        self.channels.get_mut(sid as usize % PLACES).filter(|channel| channel.sid == sid)
    }

    /// Closes channels because their PVs are gone.
    pub(super) fn expel(&mut self, sids: impl Iterator<Item = u32>) {
        self.rest.extend(sids.map(Rest::Expelled));
    }

    /// Closes a channel: its operations end, and then the client gets the answer. An unknown number is ignored.
    pub(super) fn begin_closing(&mut self, sid: u32) {
        if self.channel(sid).is_some()
            && let Some(channel) = self.channels.remove(sid as usize % PLACES)
        {
            // In front, since the client's later requests wait for it.
            self.rest.push_front(Rest::Closing(channel));
        }
    }

    /// Ends operation `ioid` if it belongs to channel `sid`.
    pub(super) fn end_of(&mut self, sid: u32, ioid: u32) {
        if self.operations.get(&ioid).is_some_and(|operation| operation.sid == sid)
            && let Some(operation) = self.operations.remove(&ioid)
        {
            self.end(operation);
        }
    }

    /// Returns the memory of a channel that has left the list and has no operations.
    pub(super) fn closed(&self, channel: ServedChannel) {
        subtract(&self.shared.counters.channels, 1);
        self.account.give(CHANNEL + channel.name.len());
        channel.leave();
    }

    pub(super) fn get_field(&mut self, get: &GetField<'_>) -> Result<()> {
        let ty = self.field_type(get.sid, &get.field);
        let status = ty.as_ref().err().map_or(Status::OK, |refusal| Status::from(*refusal));
        let (sent, writer) = (&mut self.sent_types, self.output.writer());
        GetField::reply(writer, get.ioid, &status, |w| match (ty, sent) {
            (Ok(crate::data::Type::Structure(structure)), Some(sent)) => sent.encode(w, &structure),
            (Ok(ty), _) => ty.encode(w),
            (Err(_), _) => {}
        })
    }

    fn field_type(&self, sid: u32, field: &str) -> std::result::Result<crate::data::Type, Denial> {
        let channel = self.channel(sid).ok_or(Denial::ChannelId)?;
        let Target::Pv { pv, .. } = &channel.target else { return Err(Denial::NoValue) };
        let structure = pv.structure().ok_or(Denial::NoValue)?;
        match structure.bit(field) {
            Some(0) => Ok(structure.into()),
            Some(bit) => Ok(structure.nodes()[bit].ty.clone()),
            None => Err(Denial::NoField),
        }
    }
}
