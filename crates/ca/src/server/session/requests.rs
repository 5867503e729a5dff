//! Requests of the client.

use std::sync::Arc;

use super::Session;
use super::answer::Answer;
use super::answers::{NO_CHANNEL, NO_MEMORY};
use super::channels::{MOST, Opened};
use super::monitors::Monitor;
use super::price::{CHANNEL, MONITOR};
use crate::Status;
use crate::dbr::{self, Dbr, Values};
use crate::server::mailbox::Request;
use crate::server::search::answer_search;
use crate::server::service::Seen;
use crate::server::{Changes, Channel, Done, Peer, Put, Refusal, Version, Watcher};
use crate::wire::{Command, Header, MINOR, Message, append};

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
    pub(super) fn refuse(&mut self, header: &Header, refusal: &Refusal) {
        self.reported(header, refusal);
        let has_status = [Command::ReadNotify, Command::WriteNotify]
            .map(|command| command as u16)
            .contains(&header.command);
        if has_status {
            return self.say(Header { first: refusal.status as u32, ..*header }, &[]);
        }
        let cid = self.channels.get(header.first).map_or(NO_CHANNEL, |opened| opened.cid);
        self.say_error(header, cid, refusal);
    }

    fn reported(&mut self, header: &Header, refusal: &Refusal) {
        let record = self.channels.get(header.first).map(|opened| Arc::clone(&opened.record));
        self.report(header, record.as_deref().unwrap_or_default(), refusal);
    }

    /// The client says who it is; its rights may be others from now on.
    fn rename(&mut self, set: impl FnOnce(&mut Peer, String), payload: &[u8]) -> Result<(), Refusal> {
        set(Arc::make_mut(&mut self.peer), text(payload)?.to_owned());
        let mut changed = Vec::new();
        for opened in self.channels.iter_mut() {
            let rights = opened.channel.rights(&self.peer);
            if std::mem::replace(&mut opened.rights, rights) != rights {
                changed.push((opened.cid, rights.bits()));
            }
        }
        changed.into_iter().for_each(|(cid, bits)| self.say_rights(cid, bits));
        Ok(())
    }

    fn say_rights(&mut self, cid: u32, bits: u32) {
        self.say(
            Header { command: Command::AccessRights as u16, first: cid, second: bits, ..Header::default() },
            &[],
        );
    }

    fn search(&mut self, header: &Header, payload: &[u8]) {
        answer_search(
            &*self.parts.provider,
            header,
            payload,
            (None, self.parts.tcp_port),
            &mut self.output.bytes,
        );
    }

    fn open(&mut self, header: &Header, payload: &[u8]) -> Result<(), Refusal> {
        let cid = header.first;
        let Some((name, channel)) = self.find(header, payload) else {
            self.say(Header { command: Command::CreateFailed as u16, first: cid, ..Header::default() }, &[]);
            return Ok(());
        };
        let (data_type, told, rights) =
            (channel.native() as u16, channel.count(), channel.rights(&self.peer));
        self.say_rights(cid, rights.bits());
        let record = name.split('.').next().unwrap_or(name).into();
        let sid = self.channels.add(Opened {
            version: channel.version(),
            channel,
            record,
            cid,
            told,
            rights,
            monitors: Vec::new(),
            answer: None,
        });
        let (command, count) = (Command::CreateChannel as u16, u32::try_from(told).unwrap_or(u32::MAX));
        self.say(Header { command, size: 0, data_type, count, first: cid, second: sid }, &[]);
        Ok(())
    }

    /// The channel of a name, if it is here and there is room for it. The protocol has no reason for the client, so the log has it.
    fn find<'a>(&mut self, header: &Header, payload: &'a [u8]) -> Option<(&'a str, Arc<dyn Channel>)> {
        let name = text(payload).ok()?;
        let most = self.parts.limits.channels.min(MOST);
        let channel = self.parts.provider.open(name)?;
        let record = name.split('.').next().unwrap_or(name);
        let refusal = match self.channels.len() < most {
            true if self.take(CHANNEL + record.len()) => return Some((name, channel)),
            true => Refusal::new(Status::NoMemory, NO_MEMORY),
            false => Refusal::new(Status::NoMemory, format!("wanted at most {most} channels of a client")),
        };
        self.report(header, name, &refusal);
        None
    }

    fn clear(&mut self, header: &Header) -> Result<(), Refusal> {
        self.channels.opened(header.first)?;
        self.close_channel(header.first);
        self.say(*header, &[]);
        Ok(())
    }

    #[inline]
    fn get(&mut self, header: &Header) -> Result<(), Refusal> {
        let opened = self.channels.opened(header.first)?;
        if !opened.rights.read {
            return Err(Refusal::new(Status::NoReadAccess, "this client may not read it"));
        }
        // Before the reading: a change between the two makes the next get read again.
        let version = opened.version.as_ref().map(Version::get);
        // Clients before 4.1 expect their own number, later ones the status.
        let first = if self.minor == 0 { opened.cid } else { Status::Normal as u32 };
        let last =
            opened.answer.as_ref().zip(version).and_then(|(answer, version)| answer.to(version, header));
        if let Some((payload, count)) = last {
            append(&mut self.output.bytes, Header { first, count, ..*header }, payload);
            return Ok(());
        }
        self.get_anew(&Header { first, ..*header }, header.first, version)
    }

    /// Answers a get of channel `sid` with the values of now; `answer` is the head of the answer.
    fn get_anew(&mut self, answer: &Header, sid: u32, version: Option<u32>) -> Result<(), Refusal> {
        let opened = self.channels.opened(sid)?;
        let (dbr, count) = wanted(answer, opened)?;
        let reading = opened.channel.read()?;
        let begin = self.output.bytes.len();
        if let Some(refusal) = self.say_values(*answer, &reading, dbr, count) {
            return Err(refusal);
        }
        let said = &self.output.bytes[begin..];
        if let Some(opened) = self.channels.get_mut(sid) {
            opened.answer = version.and_then(|version| Answer::of(version, answer, said));
        }
        self.leave_if_outgrown(sid, reading.values.len());
        Ok(())
    }

    fn put(&mut self, message: &Message) -> Result<(), Refusal> {
        let Message { header, payload } = message;
        let opened = self.channels.opened(header.first)?;
        let (channel, cid, record) = (Arc::clone(&opened.channel), opened.cid, Arc::clone(&opened.record));
        if !opened.rights.write {
            return Err(Refusal::new(Status::NoWriteAccess, "this client may not write it"));
        }
        let most = self.parts.limits.puts;
        if self.puts >= most {
            return Err(Refusal::new(
                Status::NoMemory,
                format!("{most} puts of this client are not done yet"),
            ));
        }
        let values = put_values(header, payload, channel.count())?;
        let request = Request { cid, record, header: Header { size: 0, ..*header } };
        let done = Done::new(Arc::clone(&self.mailbox), request);
        self.puts += 1;
        let waits = header.command == Command::WriteNotify as u16;
        channel.write(Put { values, peer: Arc::clone(&self.peer), waits, done });
        Ok(())
    }

    fn monitor(&mut self, header: &Header, payload: &[u8]) -> Result<(), Refusal> {
        let opened = self.channels.opened(header.first)?;
        let (dbr, count) = wanted(header, opened)?;
        let mask = payload.get(MASK..MASK + 2).map(|mask| u16::from_be_bytes([mask[0], mask[1]]));
        let mask = mask.filter(|&mask| mask != 0);
        let mask = mask.ok_or_else(|| Refusal::new(Status::BadMask, "wanted a monitor of something"))?;
        if !opened.rights.read {
            return Err(Refusal::new(Status::NoReadAccess, "this client may not read it"));
        }
        let channel = Arc::clone(&opened.channel);
        let record = Arc::clone(&opened.record);
        let seen = self.room_for_monitor(&record)?;
        let (sid, id, number) = (header.first, header.second, self.monitors.next());
        let watcher = Watcher::new(Changes(mask), Arc::clone(&self.mailbox), number, &self.account);
        let watcher = Arc::new(watcher);
        // Before the first reading, so that no change falls between the two.
        channel.watch(Arc::clone(&watcher));
        self.monitors.add(number, Monitor { watcher, sid, id, dbr, count, _seen: seen });
        self.channels.get_mut(sid).iter_mut().for_each(|opened| opened.monitors.push(number));
        let Ok(reading) = channel.read() else { return Ok(()) };
        match self.say_update(&reading, dbr, count, id) {
            true => self.leave_if_outgrown(sid, reading.values.len()),
            false => self.monitors.postpone(number),
        }
        Ok(())
    }

    /// Takes the place and the memory of one more monitor.
    fn room_for_monitor(&mut self, record: &Arc<str>) -> Result<Seen, Refusal> {
        let limits = &self.parts.limits;
        let refused = |reason: String| Refusal::new(Status::NoMemory, reason);
        if self.monitors.len() >= limits.monitors {
            return Err(refused(format!("wanted at most {} monitors of a client", limits.monitors)));
        }
        let most = limits.monitors_per_record;
        let seen = self.parts.watch(self.peer.address.ip(), record);
        let seen =
            seen.ok_or_else(|| refused(format!("this host has {most} monitors of this record already")))?;
        self.take(MONITOR).then_some(seen).ok_or_else(|| refused(NO_MEMORY.into()))
    }

    fn cancel(&mut self, header: &Header) -> Result<(), Refusal> {
        let of_this =
            |number: &u32| self.monitors.get(*number).is_some_and(|monitor| monitor.id == header.second);
        let found =
            self.channels.get(header.first).and_then(|opened| opened.monitors.iter().position(of_this));
        let opened = self.channels.get_mut(header.first);
        let Some(number) = opened.zip(found).map(|(opened, at)| opened.monitors.swap_remove(at)) else {
            let reason = format!("this client has no monitor {} of channel {}", header.second, header.first);
            return Err(Refusal::new(Status::BadChannel, reason));
        };
        self.end_monitor(number);
        // The end of a monitor is an update without values.
        self.say(Header { command: Command::EventAdd as u16, ..*header }, &[]);
        Ok(())
    }
}

/// The type and the number of values that a client asks for.
#[inline]
fn wanted(header: &Header, opened: &Opened) -> Result<(Dbr, usize), Refusal> {
    let dbr = Dbr::from_number(header.data_type)
        .filter(|dbr| !matches!(dbr, Dbr::PutAckTransient | Dbr::PutAckSeverity))
        .ok_or_else(|| {
            Refusal::new(Status::BadType, format!("no values are of type {}", header.data_type))
        })?;
    let (count, most) = (header.count as usize, opened.told);
    // Also for zeros that fill up, so that no client makes us send memory that no value needs.
    if count > most.max(1) {
        return Err(Refusal::new(Status::BadCount, format!("wanted at most {most} values, found {count}")));
    }
    Ok((dbr, count))
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
