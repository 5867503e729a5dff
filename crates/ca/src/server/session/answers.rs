//! Messages to the client.

use bytes::Bytes;

use super::Session;
use super::output::SHARED;
use super::price::SMALL;
use crate::dbr::{self, Dbr, Native, Reading, Values};
use crate::server::mailbox::Ended;
use crate::server::{Refusal, Update};
use crate::wire::{Command, EXTENDED_LEN, HEADER_LEN, Header, append, padded};
use crate::{Error, Result, Status};

/// The number of no channel.
pub(super) const NO_CHANNEL: u32 = u32::MAX;
/// The reason when memory is used up.
pub(super) const NO_MEMORY: &str =
    "the client, its host, or all clients together take too much memory already";
/// Bytes of a reason that travel.
const REASON: usize = 500;

impl Session {
    /// A message whose size is given by its payload.
    pub(super) fn say(&mut self, header: Header, payload: &[u8]) {
        append(&mut self.output.bytes, header, payload);
    }

    /// The answer `header` with values: a get, or an update of a monitor. Returns why there is none.
    #[inline]
    pub(super) fn say_values(
        &mut self,
        header: Header,
        reading: &Reading,
        dbr: Dbr,
        count: usize,
    ) -> Option<Refusal> {
        let count = if count == 0 { reading.values.len() } else { count };
        let size = padded(dbr.size(count));
        let (Ok(size), Ok(sent)) = (u32::try_from(size), u32::try_from(count)) else {
            return Some(Refusal::new(
                Status::TooLarge,
                format!("{count} values are too many for one message"),
            ));
        };
        let shared = shared(reading, dbr, count);
        if !self.has_room(size as usize + EXTENDED_LEN, shared.is_some()) {
            return Some(Refusal::new(Status::NoMemory, NO_MEMORY));
        }
        let out = &mut self.output.bytes;
        let begin = out.len();
        Header { size, count: sent, ..header }.encode(out);
        let payload = out.len();
        if let Some(array) = shared {
            dbr::encode_facts(out, reading, dbr);
            self.output.share(array);
            // Zeros behind the array.
            let padding = size as usize - dbr.size(count);
            self.output.bytes.extend(&[0; 8][..padding]);
            return None;
        }
        if let Err(error) = dbr::encode(out, reading, dbr, count) {
            out.truncate(begin);
            return Some(Refusal::new(Status::GetFailed, error.to_string()));
        }
        out.resize(payload + size as usize, 0);
        None
    }

    /// Counts so many more bytes of an answer and makes room for them; `false` when there is no memory for them.
    #[inline]
    fn has_room(&mut self, bytes: usize, is_shared: bool) -> bool {
        if is_shared {
            return self.unsent.set(self.output.held() + bytes);
        }
        let answers = &self.output.bytes;
        let needed = answers.len() + bytes;
        if needed <= answers.capacity() || needed <= SMALL {
            return true;
        }
        let taken = self.unsent.set(self.output.held() - answers.capacity() + needed);
        if taken {
            self.output.bytes.reserve_exact(bytes);
        }
        taken
    }

    /// Counts the memory of the output.
    ///
    /// # Errors
    /// When there is none: the client that does not read it has to go.
    pub(super) fn settle(&mut self) -> Result<()> {
        let held = self.output.held();
        let counted = if held > SMALL { held } else { 0 };
        if counted != self.unsent.bytes() && !self.unsent.set(counted) {
            return Err(Error::new(
                "a client that reads",
                format!("{} bytes that wait for it", self.pending()),
            ));
        }
        Ok(())
    }

    /// The client's request failed. `cid`: its number of the channel.
    pub(super) fn say_error(&mut self, request: &Header, cid: u32, refusal: &Refusal) {
        let mut payload = Vec::with_capacity(HEADER_LEN + refusal.reason.len() + 1);
        request.encode(&mut payload);
        let end = refusal.reason.floor_char_boundary(REASON);
        payload.extend(&refusal.reason.as_bytes()[..end]);
        payload.push(0);
        let (command, second) = (Command::Error as u16, refusal.status as u32);
        self.say(Header { command, first: cid, second, ..Header::default() }, &payload);
    }

    /// A put has ended: its client is told, if it waits, and else of failures.
    pub(super) fn answer_put(&mut self, ended: Ended) {
        let Ended { request, result } = ended;
        self.puts = self.puts.saturating_sub(1);
        if let Err(refusal) = &result {
            self.report(&request.header, &request.record, refusal);
        }
        if request.header.command == Command::WriteNotify as u16 {
            let status = result.as_ref().map_or_else(|refusal| refusal.status, |()| Status::Normal);
            self.say(Header { first: status as u32, ..request.header }, &[]);
        }
        // The answer has no place for a reason; clients show the one of an error message.
        else if let Err(refusal) = &result {
            self.say_error(&request.header, request.cid, refusal);
        }
    }

    /// Sends the next update. Returns whether there was one, and memory for it.
    pub(super) fn send_update(&mut self) -> bool {
        let Some((number, monitor, update)) = self.monitors.turn() else { return false };
        let (sid, dbr, count, id) = (monitor.sid, monitor.dbr, monitor.count, monitor.id);
        let reading = match update {
            Update::Reading(reading) => Some(reading),
            Update::Newest => self.channels.get(sid).and_then(|opened| opened.channel.read().ok()),
        };
        let Some(reading) = reading else { return true };
        let is_sent = self.say_update(&reading, dbr, count, id);
        match is_sent {
            true => self.leave_if_outgrown(sid, reading.values.len()),
            false => self.monitors.postpone(number),
        }
        is_sent
    }

    /// Closes a channel that has more values than its client was told: the client opens it again, and is told the new count.
    pub(super) fn leave_if_outgrown(&mut self, sid: u32, count: usize) {
        if self.channels.get(sid).is_none_or(|opened| count <= opened.told) {
            return;
        }
        if let Some(opened) = self.close_channel(sid) {
            let command = Command::ServerDisconnected as u16;
            self.say(Header { command, first: opened.cid, ..Header::default() }, &[]);
        }
    }

    /// Sends an update; `false` when there is no memory for it.
    pub(super) fn say_update(&mut self, reading: &Reading, dbr: Dbr, count: usize, id: u32) -> bool {
        let (command, first) = (Command::EventAdd as u16, Status::Normal as u32);
        let header = Header { command, data_type: dbr.number(), first, second: id, ..Header::default() };
        match self.say_values(header, reading, dbr, count) {
            None => true,
            Some(refusal) if refusal.status == Status::NoMemory => false,
            Some(refusal) => {
                // With zeros: an update without any byte is the end of a monitor. The count is at most the one that was told.
                let count = count.max(1);
                let zeros = vec![0; dbr.size(count)];
                self.say(Header { first: refusal.status as u32, count: count as u32, ..header }, &zeros);
                true
            }
        }
    }
}

/// The array of an answer that is sent from where it lies: bytes need no other order.
fn shared(reading: &Reading, dbr: Dbr, count: usize) -> Option<Bytes> {
    let Values::Char(bytes) = &reading.values else { return None };
    let is_same = matches!(dbr, Dbr::Value(_, Native::Char));
    (is_same && count >= SHARED && count <= bytes.len()).then(|| bytes.slice(..count))
}
