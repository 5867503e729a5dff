//! Messages to the server.

use std::sync::Arc;

use super::{Circuit, Facts, Kind, Opened, Request};
use crate::client::{Ask, Error, Refusal};
use crate::dbr::{self, Alarm, Dbr, Form, Native, Reading, Stamp, TEXT_LEN, Values};
use crate::wire::{Command, Header, MINOR};
use crate::{Changes, Rights, Status};

/// The version since which a count of 0 means all values that there are.
const DYNAMIC: u16 = 13;

type Begun = Result<u32, Error>;

impl Circuit {
    /// Opens the channel `name` under the number `cid`.
    pub fn create(&mut self, cid: u32, name: &str) {
        let rights = Rights { read: true, write: true };
        let facts = Facts { native: Native::Text, count: 0, rights };
        self.channels.insert(cid, Opened { sid: None, facts });
        let set = |header: &mut Header| (header.first, header.second) = (cid, MINOR.into());
        self.say(Command::CreateChannel, set, &[name.as_bytes(), &[0]].concat());
    }

    /// Closes a channel. None of its requests is answered any more.
    pub fn clear(&mut self, cid: u32) {
        let Some(opened) = self.channels.remove(&cid) else { return };
        self.requests.retain(|_, request| request.cid != cid);
        // A channel that is not open yet is closed when it opens, by the answer to an unknown number.
        if let Some(sid) = opened.sid {
            self.say(Command::ClearChannel, |header| (header.first, header.second) = (sid, cid), &[]);
        }
    }

    /// Asks a name server for the server of a channel: messages of searches, as a [`Searcher`](crate::client::Searcher) makes them.
    pub fn search(&mut self, searches: &[u8]) {
        self.output.extend(searches);
    }

    /// Begins a get. Returns the number by which it can be [cancelled](Circuit::cancel).
    ///
    /// # Errors
    /// When the channel is not open, or the server has said that this client may not read it.
    pub fn get(&mut self, cid: u32, ask: Ask, id: u64) -> Begun {
        let (sid, dbr, count) = self.readable(cid, ask)?;
        let ioid = self.begin(Request { id, cid, kind: Kind::Get(dbr) });
        let numbers = (dbr.number(), count, sid, ioid);
        self.ask(Command::ReadNotify, numbers, &[]);
        Ok(ioid)
    }

    /// Begins a monitor.
    ///
    /// # Errors
    /// As of [`get`](Circuit::get).
    pub fn monitor(&mut self, cid: u32, ask: Ask, changes: Changes, id: u64) -> Begun {
        let (sid, dbr, count) = self.readable(cid, ask)?;
        let ioid = self.begin(Request { id, cid, kind: Kind::Monitor(dbr, count) });
        // Three limits of old clients, which no server uses, come before the mask.
        let mut payload = [0; 16];
        payload[12..14].copy_from_slice(&changes.0.to_be_bytes());
        let numbers = (dbr.number(), count, sid, ioid);
        self.ask(Command::EventAdd, numbers, &payload);
        Ok(ioid)
    }

    /// Begins a put. With `waits` the server answers when all has ended that the put began, else only a failure is told.
    ///
    /// # Errors
    /// When the channel is not open, this client may not write it, or it takes no such number of values, or no such texts.
    pub fn put(&mut self, cid: u32, values: &Values, waits: bool, id: u64) -> Begun {
        let (sid, facts) = self.opened(cid)?;
        if !facts.rights.write {
            return Err(refused(Status::NoWriteAccess));
        }
        check(values, facts.count)?;
        let dbr = Dbr::Value(Form::Plain, values.native());
        let mut payload = Vec::new();
        let about = Arc::default();
        let reading =
            Reading { values: values.clone(), alarm: Alarm::default(), stamp: Stamp::default(), about };
        dbr::encode(&mut payload, &reading, dbr, 0)?;
        let command = if waits { Command::WriteNotify } else { Command::Write };
        // A put without an answer would be remembered for ever; its number names the channel when it fails.
        let ioid = if waits { self.begin(Request { id, cid, kind: Kind::Put }) } else { cid };
        let numbers = (dbr.number(), values.len() as u32, sid, ioid);
        self.ask(command, numbers, &payload);
        Ok(ioid)
    }

    /// Ends a monitor, or forgets a get or a put: no answer of it is reported any more.
    pub fn cancel(&mut self, ioid: u32) {
        let Some(Request { cid, kind, .. }) = self.requests.remove(&ioid) else { return };
        if let Kind::Monitor(dbr, count) = kind
            && let Ok((sid, _)) = self.opened(cid)
        {
            let numbers = (dbr.number(), count, sid, ioid);
            self.ask(Command::EventCancel, numbers, &[]);
        }
    }

    fn ask(&mut self, command: Command, numbers: (u16, u32, u32, u32), payload: &[u8]) {
        let (data_type, count, first, second) = numbers;
        let set = |header: &mut Header| {
            (header.data_type, header.count, header.first, header.second) = (data_type, count, first, second);
        };
        self.say(command, set, payload);
    }

    fn begin(&mut self, request: Request) -> u32 {
        // A number comes again after 2^32 requests, when an old monitor may still have it.
        while self.requests.contains_key(&self.next) {
            self.next = self.next.wrapping_add(1);
        }
        let ioid = self.next;
        self.next = ioid.wrapping_add(1);
        self.requests.insert(ioid, request);
        ioid
    }

    fn opened(&self, cid: u32) -> Result<(u32, Facts), Error> {
        let opened = self.channels.get(&cid).and_then(|opened| Some((opened.sid?, opened.facts)));
        opened.ok_or(Error::Disconnected)
    }

    fn readable(&self, cid: u32, ask: Ask) -> Result<(u32, Dbr, u32), Error> {
        let (sid, facts) = self.opened(cid)?;
        if !facts.rights.read {
            return Err(refused(Status::NoReadAccess));
        }
        let (dbr, count) = ask.resolved(facts.native);
        let all = if self.minor < DYNAMIC { facts.count } else { 0 };
        Ok((sid, dbr, if count == 0 { all } else { count.min(facts.count) }))
    }
}

fn refused(status: Status) -> Error {
    Error::Refused(Refusal::new(status as u32))
}

/// Values that would be cut on their way are refused.
fn check(values: &Values, most: u32) -> Result<(), Error> {
    if values.is_empty() || values.len() > most as usize {
        let found = format!("{}", values.len());
        return Err(crate::Error::new(format!("1 to {most} values"), found).into());
    }
    let Values::Text(texts) = values else { return Ok(()) };
    match texts.iter().find(|text| text.len() >= TEXT_LEN) {
        Some(long) => {
            let wanted = format!("a text of at most {} bytes", TEXT_LEN - 1);
            Err(crate::Error::new(wanted, format!("{} bytes", long.len())).into())
        }
        None => Ok(()),
    }
}
