//! Messages to the client.

use super::Session;
use crate::Status;
use crate::dbr::{self, Dbr, Reading};
use crate::server::mailbox::Ended;
use crate::server::{Refusal, Update};
use crate::wire::{Command, HEADER_LEN, Header, append, padded};

/// The number of no channel.
pub(super) const NO_CHANNEL: u32 = u32::MAX;
/// Bytes of a reason that travel.
const REASON: usize = 500;

impl Session {
    /// A message whose size is given by its payload.
    pub(super) fn say(&mut self, header: Header, payload: &[u8]) {
        append(&mut self.output, header, payload);
    }

    /// The answer `header` with values: a get, or an update of a monitor. Returns why there is none.
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
        let begin = self.output.len();
        Header { size, count: sent, ..header }.encode(&mut self.output);
        let payload = self.output.len();
        if let Err(error) = dbr::encode(&mut self.output, reading, dbr, count) {
            self.output.truncate(begin);
            return Some(Refusal::new(Status::NoConversion, error.to_string()));
        }
        self.output.resize(payload + size as usize, 0);
        None
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
        if request.header.command == Command::WriteNotify as u16 {
            let status = result.as_ref().map_or_else(|refusal| refusal.status, |()| Status::Normal);
            self.say(Header { first: status as u32, ..request.header }, &[]);
        }
        // The answer has no place for a reason; clients show the one of an error message.
        else if let Err(refusal) = &result {
            self.say_error(&request.header, request.cid, refusal);
        }
    }

    /// Sends the next update. Returns whether there was one.
    pub(super) fn send_update(&mut self) -> bool {
        let Some((monitor, update)) = self.monitors.turn() else { return false };
        let (sid, dbr, count, id) = (monitor.sid, monitor.dbr, monitor.count, monitor.id);
        let reading = match update {
            Update::Reading(reading) => Some(reading),
            Update::Newest => self.channels.get(sid).and_then(|opened| opened.channel.read().ok()),
        };
        if let Some(reading) = reading {
            self.say_update(&reading, dbr, count, id);
            self.leave_if_outgrown(sid, reading.values.len());
        }
        true
    }

    /// Closes a channel that has more values than its client was told: the client opens it again, and is told the new count.
    pub(super) fn leave_if_outgrown(&mut self, sid: u32, count: usize) {
        let Some(cid) = self.channels.get(sid).filter(|opened| count > opened.told).map(|opened| opened.cid)
        else {
            return;
        };
        self.channels.remove(sid);
        self.monitors.close(sid, None);
        self.say(
            Header { command: Command::ServerDisconnected as u16, first: cid, ..Header::default() },
            &[],
        );
    }

    pub(super) fn say_update(&mut self, reading: &Reading, dbr: Dbr, count: usize, id: u32) {
        let (command, first) = (Command::EventAdd as u16, Status::Normal as u32);
        let header = Header { command, data_type: dbr.number(), first, second: id, ..Header::default() };
        if let Some(refusal) = self.say_values(header, reading, dbr, count) {
            // An update without values says that there are none now.
            self.say(Header { first: refusal.status as u32, count: count as u32, ..header }, &[]);
        }
    }
}
