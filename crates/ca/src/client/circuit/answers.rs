//! Messages of the server.

use super::{Circuit, Facts, Heard, Kind};
use crate::client::Refusal;
use crate::client::search::found;
use crate::dbr::{self, Dbr, Form, Reading};
use crate::wire::{Command, Header, Message, text};
use crate::{Rights, Status};

impl Circuit {
    /// The meaning of a message; `None` for one that belongs to nothing.
    pub(super) fn hear(&mut self, message: &Message) -> Option<Heard> {
        let header = &message.header;
        match Command::from_number(header.command)? {
            Command::Version => {
                self.minor = u16::try_from(header.count).unwrap_or(self.minor);
                None
            }
            Command::Search => found(header, self.server).map(|(cid, address)| Heard::Found(cid, address)),
            Command::AccessRights => self.rights(header),
            Command::CreateChannel => self.created(header),
            Command::CreateFailed => {
                self.channels.remove(&header.first).map(|_| Heard::Refused(header.first))
            }
            Command::ServerDisconnected => self.closed(header.first),
            Command::ReadNotify => self.read(message),
            Command::WriteNotify => self.written(header),
            Command::EventAdd => self.updated(message),
            Command::Error => self.failed(message),
            _ => None,
        }
    }

    fn rights(&mut self, header: &Header) -> Option<Heard> {
        let opened = self.channels.get_mut(&header.first)?;
        opened.facts.rights = Rights::from_bits(header.second);
        // Before the channel is open they come with its other facts.
        opened.sid.map(|_| Heard::Rights(header.first))
    }

    fn created(&mut self, header: &Header) -> Option<Heard> {
        let (cid, sid) = (header.first, header.second);
        let Some(opened) = self.channels.get_mut(&cid).filter(|opened| opened.sid.is_none()) else {
            // The client has closed it meanwhile, and the server does not know that yet.
            if !self.channels.contains_key(&cid) {
                self.say(Command::ClearChannel, |header| (header.first, header.second) = (sid, cid), &[]);
            }
            return None;
        };
        let Some(Dbr::Value(Form::Plain, native)) = Dbr::from_number(header.data_type) else {
            self.channels.remove(&cid);
            return Some(Heard::Refused(cid));
        };
        opened.sid = Some(sid);
        opened.facts = Facts { native, count: header.count, rights: opened.facts.rights };
        Some(Heard::Opened(cid))
    }

    fn closed(&mut self, cid: u32) -> Option<Heard> {
        self.channels.remove(&cid)?;
        self.requests.retain(|_, request| request.cid != cid);
        Some(Heard::Closed(cid))
    }

    fn read(&mut self, message: &Message) -> Option<Heard> {
        let Kind::Get(dbr) = self.requests.get(&message.header.second)?.kind else { return None };
        let request = self.requests.remove(&message.header.second)?;
        Some(Heard::Read(request.id, reading(message, dbr)))
    }

    fn written(&mut self, header: &Header) -> Option<Heard> {
        let Kind::Put = self.requests.get(&header.second)?.kind else { return None };
        let request = self.requests.remove(&header.second)?;
        Some(Heard::Written(request.id, status(header.first)))
    }

    fn updated(&mut self, message: &Message) -> Option<Heard> {
        let request = self.requests.get(&message.header.second)?;
        let Kind::Monitor(dbr, _) = request.kind else { return None };
        Some(Heard::Update(request.id, reading(message, dbr)))
    }

    /// An error names the request by its header.
    fn failed(&mut self, message: &Message) -> Option<Heard> {
        let (request, len) = Header::decode(&message.payload)?;
        let reason = String::from_utf8_lossy(text(&message.payload[len..])).into_owned();
        let refusal = Refusal { status: message.header.second, reason };
        if request.command == Command::Write as u16 {
            // Puts without an answer carry the number of their channel.
            return self
                .channels
                .contains_key(&request.second)
                .then_some(Heard::Complaint(request.second, refusal));
        }
        let found = self.requests.get(&request.second)?;
        let id = found.id;
        let heard = match (&found.kind, Command::from_number(request.command)?) {
            (Kind::Get(_), Command::ReadNotify) => Heard::Read(id, Err(refusal)),
            (Kind::Put, Command::WriteNotify) => Heard::Written(id, Err(refusal)),
            (Kind::Monitor(..), Command::EventAdd) => Heard::Update(id, Err(refusal)),
            _ => return None,
        };
        self.requests.remove(&request.second);
        Some(heard)
    }
}

fn status(status: u32) -> Result<(), Refusal> {
    if status == Status::Normal as u32 { Ok(()) } else { Err(Refusal::new(status)) }
}

/// The values in an answer, which must be of the type that was asked for.
fn reading(message: &Message, wanted: Dbr) -> Result<Reading, Refusal> {
    let Message { header, payload } = message;
    status(header.first)?;
    let wrong = |reason: String| Refusal { status: Status::Internal as u32, reason };
    if header.data_type != wanted.number() {
        return Err(wrong(format!("wanted values of type {}, found {}", wanted.number(), header.data_type)));
    }
    dbr::decode(payload, wanted, header.count as usize).map_err(|error| wrong(error.to_string()))
}
