//! Requests of the client.

use std::sync::Arc;

use super::Session;
use super::answers::NO_CHANNEL;
use super::channels::Opened;
use super::monitors::Monitor;
use crate::Status;
use crate::dbr::{self, Dbr, Values};
use crate::server::mailbox::Request;
use crate::server::search::answer_search;
use crate::server::{Changes, Done, Peer, Put, Refusal, Watcher};
use crate::wire::{Command, Header, MINOR, Message};

/// Bytes of a name of a channel, a user or a host that are looked at; as many as servers of EPICS do.
const LONGEST_NAME: usize = 500;
/// Where the mask of a monitor stands in its request.
const MASK: usize = 12;

impl Session {
    pub(super) fn request(&mut self, message: &Message) {
        let Message { header, payload } = message;
        let refusal = match Command::from_number(header.command) {
            Some(Command::Version) => return self.minor = u16::try_from(header.count).unwrap_or(MINOR),
            Some(Command::Echo | Command::ReadSync) => return self.say(*header, &[]),
            Some(Command::EventsOff) => return self.paused = true,
            Some(Command::EventsOn) => return self.paused = false,
            Some(Command::ClientName) => self.rename(|peer, name| peer.user = name, payload),
            Some(Command::HostName) => self.rename(|peer, name| peer.host = name, payload),
            Some(Command::Search) => return self.search(header, payload),
            Some(Command::CreateChannel) => self.open(header, payload),
            Some(Command::ClearChannel) => self.clear(header),
            Some(Command::ReadNotify | Command::Read) => self.get(header),
            Some(Command::Write | Command::WriteNotify) => self.put(message),
            Some(Command::EventAdd) => self.monitor(header, payload),
            Some(Command::EventCancel) => self.cancel(header),
            _ => Err(Refusal::new(Status::Internal, format!("no server answers command {}", header.command))),
        };
        if let Err(refusal) = refusal {
            self.refuse(header, &refusal);
        }
    }

    /// Tells the client that a request fails: in its answer where that has a status, else by an error.
    fn refuse(&mut self, header: &Header, refusal: &Refusal) {
        let has_status = [Command::ReadNotify, Command::WriteNotify]
            .map(|command| command as u16)
            .contains(&header.command);
        if has_status {
            return self.say(Header { first: refusal.status as u32, ..*header }, &[]);
        }
        let cid = self.channels.get(header.first).map_or(NO_CHANNEL, |opened| opened.cid);
        self.say_error(header, cid, refusal);
    }

    fn opened(&self, sid: u32) -> Result<&Opened, Refusal> {
        let unknown = || Refusal::new(Status::BadChannel, format!("this client has no channel {sid}"));
        self.channels.get(sid).ok_or_else(unknown)
    }

    /// The client says who it is; its rights may be others from now on.
    fn rename(&mut self, set: impl FnOnce(&mut Peer, String), payload: &[u8]) -> Result<(), Refusal> {
        set(Arc::make_mut(&mut self.peer), text(payload)?.to_owned());
        let rights: Vec<_> = self
            .channels
            .iter()
            .map(|opened| (opened.cid, opened.channel.rights(&self.peer).bits()))
            .collect();
        rights.into_iter().for_each(|(cid, bits)| self.say_rights(cid, bits));
        Ok(())
    }

    fn say_rights(&mut self, cid: u32, bits: u32) {
        self.say(
            Header { command: Command::AccessRights as u16, first: cid, second: bits, ..Header::default() },
            &[],
        );
    }

    fn search(&mut self, header: &Header, payload: &[u8]) {
        answer_search(&*self.provider, header, payload, self.tcp_port, &mut self.output);
    }

    fn open(&mut self, header: &Header, payload: &[u8]) -> Result<(), Refusal> {
        let cid = header.first;
        let is_room = self.channels.len() < self.limits.channels;
        let found = text(payload).ok().filter(|_| is_room).and_then(|name| self.provider.open(name));
        let Some(channel) = found else {
            self.say(Header { command: Command::CreateFailed as u16, first: cid, ..Header::default() }, &[]);
            return Ok(());
        };
        let (data_type, count) = (channel.native() as u16, channel.count());
        self.say_rights(cid, channel.rights(&self.peer).bits());
        let sid = self.channels.add(Opened { channel, cid, told: count });
        let command = Command::CreateChannel as u16;
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.say(Header { command, size: 0, data_type, count, first: cid, second: sid }, &[]);
        Ok(())
    }

    fn clear(&mut self, header: &Header) -> Result<(), Refusal> {
        self.opened(header.first)?;
        self.channels.remove(header.first);
        self.monitors.close(header.first, None);
        self.say(*header, &[]);
        Ok(())
    }

    fn get(&mut self, header: &Header) -> Result<(), Refusal> {
        let (dbr, count) = self.wanted(header)?;
        let opened = self.opened(header.first)?;
        if !opened.channel.rights(&self.peer).read {
            return Err(Refusal::new(Status::NoReadAccess, "this client may not read it"));
        }
        let (reading, cid) = (opened.channel.read()?, opened.cid);
        // Clients before 4.1 expect their own number, later ones the status.
        let first = if self.minor == 0 { cid } else { Status::Normal as u32 };
        let said = self.say_values(Header { first, ..*header }, &reading, dbr, count).map_or(Ok(()), Err);
        self.leave_if_outgrown(header.first, reading.values.len());
        said
    }

    /// The type and the number of values that a client asks for.
    fn wanted(&self, header: &Header) -> Result<(Dbr, usize), Refusal> {
        let dbr = Dbr::from_number(header.data_type)
            .filter(|dbr| !matches!(dbr, Dbr::PutAckTransient | Dbr::PutAckSeverity))
            .ok_or_else(|| {
                Refusal::new(Status::BadType, format!("no values are of type {}", header.data_type))
            })?;
        let (count, most) = (header.count as usize, self.opened(header.first)?.channel.count());
        // Also for zeros that fill up, so that no client makes us send memory that no value needs.
        if count > most.max(1) {
            return Err(Refusal::new(
                Status::BadCount,
                format!("wanted at most {most} values, found {count}"),
            ));
        }
        Ok((dbr, count))
    }

    fn put(&mut self, message: &Message) -> Result<(), Refusal> {
        let Message { header, payload } = message;
        let (channel, cid) = {
            let opened = self.opened(header.first)?;
            (Arc::clone(&opened.channel), opened.cid)
        };
        if !channel.rights(&self.peer).write {
            return Err(Refusal::new(Status::NoWriteAccess, "this client may not write it"));
        }
        let values = put_values(header, payload, channel.count())?;
        let request = Request { cid, header: Header { size: 0, ..*header } };
        let done = Done::new(Arc::clone(&self.mailbox), request);
        let waits = header.command == Command::WriteNotify as u16;
        channel.write(Put { values, peer: Arc::clone(&self.peer), waits, done });
        Ok(())
    }

    fn monitor(&mut self, header: &Header, payload: &[u8]) -> Result<(), Refusal> {
        let (dbr, count) = self.wanted(header)?;
        let mask = payload.get(MASK..MASK + 2).map(|mask| u16::from_be_bytes([mask[0], mask[1]]));
        let mask = mask.filter(|&mask| mask != 0);
        let mask = mask.ok_or_else(|| Refusal::new(Status::BadMask, "wanted a monitor of something"))?;
        if self.monitors.len() >= self.limits.monitors {
            return Err(Refusal::new(Status::NoMemory, "this client has too many monitors"));
        }
        let channel = Arc::clone(&self.opened(header.first)?.channel);
        if !channel.rights(&self.peer).read {
            return Err(Refusal::new(Status::NoReadAccess, "this client may not read it"));
        }
        let number = self.monitors.next();
        let watcher = Arc::new(Watcher::new(Changes(mask), Arc::clone(&self.mailbox), number));
        // Before the first reading, so that no change falls between the two.
        channel.watch(Arc::clone(&watcher));
        let (sid, id) = (header.first, header.second);
        self.monitors.add(number, Monitor { watcher, sid, id, dbr, count });
        if let Ok(reading) = channel.read() {
            self.say_update(&reading, dbr, count, id);
            self.leave_if_outgrown(sid, reading.values.len());
        }
        Ok(())
    }

    fn cancel(&mut self, header: &Header) -> Result<(), Refusal> {
        if !self.monitors.close(header.first, Some(header.second)) {
            let reason = format!("this client has no monitor {} of channel {}", header.second, header.first);
            return Err(Refusal::new(Status::BadChannel, reason));
        }
        // The end of a monitor is an update without values.
        self.say(Header { command: Command::EventAdd as u16, ..*header }, &[]);
        Ok(())
    }
}

/// The values of a put to a channel of at most `most` values.
fn put_values(header: &Header, payload: &bytes::Bytes, most: usize) -> Result<Values, Refusal> {
    let count = header.count as usize;
    let dbr = Dbr::from_number(header.data_type).filter(|dbr| matches!(dbr, Dbr::Value(..)));
    let dbr =
        dbr.ok_or_else(|| Refusal::new(Status::BadType, format!("no put is of type {}", header.data_type)))?;
    if count > most || (count == 0 && most == 1) {
        return Err(Refusal::new(Status::BadCount, format!("wanted 1 to {most} values, found {count}")));
    }
    let reading = dbr::decode(payload, dbr, count);
    reading.map(|reading| reading.values).map_err(|error| Refusal::new(Status::BadCount, error.to_string()))
}

/// The text of a payload up to its first 0.
fn text(payload: &[u8]) -> Result<&str, Refusal> {
    let end = payload.iter().position(|&byte| byte == 0).unwrap_or(payload.len());
    let bytes = payload.get(..end).filter(|bytes| (1..=LONGEST_NAME).contains(&bytes.len()));
    bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).ok_or_else(|| {
        Refusal::new(Status::Internal, format!("wanted a name of 1 to {LONGEST_NAME} bytes, found {end}"))
    })
}
