//! One connection to a server.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::request::{Answer, ClientRequest, Event, Job, NextStep, Refusal, Step};
use super::slab::Slab;
use crate::data::{Builder, Dynamic, ScalarType, Structure, Type, TypeCache, Value};
use crate::proto::{
    ChannelCreated, ChannelId, ClientValidation, Command, Control, CreateChannel, GetField, Reply,
    RequestHead, RequestId, Search, ServerMessage, ServerValidation, echo, sub,
};
use crate::wire::{Message, Order, Reader, Status, Writer};
use crate::{Error, Result};

// The first numbers that the peers use, so that recordings of the network are easy to read.
const FIRST_CID: u32 = 0x1234_5678;
const FIRST_IOID: u32 = 0x1000_2000;

// A server that has not completed the handshake within this time is given up.
const HANDSHAKE: Duration = Duration::from_secs(5);

// Large, because Java peers send pieces of half of it.
const RECEIVE_BUFFER: u32 = 1 << 20;
// The value that pvxs, and no other implementation, announces.
const PVXS_BUFFER: u32 = 0x1_0000;

// The size of the type registry that the client announces: the largest that the signed field holds.
const REGISTRY: u16 = 0x7FFF;

// A late answer arrives within a round trip. A request that was forgotten this many requests ago no longer
// expects one.
const MAX_FORGOTTEN: usize = 64;

/// The identity of the client, and how long it waits for a sign of life.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// User and host. Without, it is anonymous.
    pub account: Option<(String, String)>,
    /// How long the server may be silent.
    pub idle: Duration,
}

impl Identity {
    /// An anonymous client with the usual time-out of 40 s.
    pub fn anonymous() -> Identity {
        Identity { account: None, idle: Duration::from_secs(40) }
    }
}

/// One connection to a server. `C` and `R` are the owner's keys of channels and requests.
#[derive(Debug)]
pub struct Connection<C, R> {
    identity: Identity,
    phase: Phase,
    writer: Writer,
    cache: TypeCache,
    channels: Slab<OpenChannel<C>>,
    requests: Slab<ClientRequest<R>>,
    // Requests that are gone but whose late answers may still define types.
    forgotten: VecDeque<(u32, Value)>,
    version: u8,
    // pvxs sends what waited for the window only when something else happens: with the next value, or when it is
    // told to continue.
    is_pvxs: bool,
    begun: Instant,
    heard: Instant,
    echo_at: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Greeting,
    Validating,
    Ready,
}

#[derive(Debug)]
struct OpenChannel<C> {
    token: C,
    name: String,
    sid: Option<u32>,
    requests: Vec<u32>,
}

impl<C, R> Connection<C, R> {
    /// A connection that was made just `now`. The server speaks first.
    pub fn new(identity: Identity, now: Instant) -> Connection<C, R> {
        let echo_at = now + echo_period(identity.idle);
        Connection {
            identity,
            phase: Phase::Greeting,
            writer: Writer::new(Order::HOST),
            cache: TypeCache::new(),
            channels: Slab::new(FIRST_CID),
            requests: Slab::new(FIRST_IOID),
            forgotten: VecDeque::new(),
            version: 2,
            is_pvxs: false,
            begun: now,
            heard: now,
            echo_at,
        }
    }

    /// The bytes to send. The owner empties it.
    pub fn output(&mut self) -> &mut Writer {
        &mut self.writer
    }

    /// Whether the handshake is over.
    pub fn is_ready(&self) -> bool {
        self.phase == Phase::Ready
    }

    /// How many channels and requests there are.
    pub fn counts(&self) -> (usize, usize) {
        (self.channels.len(), self.requests.len())
    }

    /// Notes that something came from the server.
    pub fn heard(&mut self, now: Instant) {
        self.heard = now;
    }

    /// When to call [`Connection::tick`].
    pub fn deadline(&self) -> Instant {
        match self.phase {
            Phase::Ready => self.echo_at.min(self.heard + self.identity.idle),
            _ => self.begun + HANDSHAKE,
        }
    }

    /// Requests a sign of life when it is due. Fails if there was none for too long.
    pub fn tick(&mut self, now: Instant) -> Result<()> {
        if self.phase != Phase::Ready {
            let late = now >= self.begun + HANDSHAKE;
            return if late { Err(Error::new("the handshake within 5 s", "none")) } else { Ok(()) };
        }
        // A server of version 1 does not answer.
        if self.version >= 2 && now >= self.heard + self.identity.idle {
            let wanted = format!("a sign of life within {:?}", self.identity.idle);
            return Err(Error::new(wanted, "none"));
        }
        if now >= self.echo_at {
            self.echo_at = now + echo_period(self.identity.idle);
            echo(&mut self.writer, false, &[])?;
        }
        Ok(())
    }

    /// Opens a channel, as soon as the handshake is over. `None`: there are too many.
    pub fn create_channel(&mut self, token: C, name: &str) -> Option<u32> {
        let channel = OpenChannel { token, name: name.into(), sid: None, requests: Vec::new() };
        let cid = self.channels.insert(channel).ok()?;
        // Servers end a connection that opens channels before the handshake.
        if self.is_ready() {
            self.send_create(cid);
        }
        Some(cid)
    }

    fn send_create(&mut self, cid: u32) {
        let Some(channel) = self.channels.get(cid) else { return };
        let message = CreateChannel { channels: vec![(cid, Cow::Borrowed(&channel.name))] };
        let _ = message.encode(&mut self.writer);
    }

    /// Closes a channel and forgets it and its requests.
    pub fn destroy_channel(&mut self, cid: u32) {
        let Some(channel) = self.channels.remove(cid) else { return };
        for ioid in channel.requests {
            self.requests.remove(ioid);
        }
        if let Some(sid) = channel.sid {
            let _ = ChannelId { sid, cid }.destroy(&mut self.writer, false);
        }
    }

    /// Begins a request on an open channel, and runs it as soon as it can be. One that is to run `once` is
    /// forgotten after that. Returns its number; gives `token` back if the channel is not open.
    pub fn begin(
        &mut self,
        cid: u32,
        job: Job,
        request: &Value,
        once: bool,
        token: R,
    ) -> std::result::Result<u32, R> {
        let Some(channel) = self.channels.get_mut(cid) else { return Err(token) };
        let Some(sid) = channel.sid else { return Err(token) };
        let command = job.command();
        let window = if let Job::Monitor(window) = job { window } else { None };
        let step = if command == Command::GetField { Step::Running } else { Step::Opening };
        let state = ClientRequest { token, cid, job, command, step, once, value: None, written: None };
        let ioid = self.requests.insert(state).map_err(|state| state.token)?;
        channel.requests.push(ioid);
        let head = RequestHead { command, sid, ioid, sub: 0 };
        // Requests are small: they cannot be too long for a message.
        let _ = match command {
            Command::GetField => GetField { sid, ioid, field: "".into() }.encode(&mut self.writer),
            _ => head.init(&mut self.writer, request, window),
        };
        Ok(ioid)
    }

    /// Reads again. `value` is the previous result: its memory is reused, and fields that the server leaves
    /// out keep their values. Returns it if there is no such request, or if the request is running.
    pub fn get_again(&mut self, ioid: u32, mut value: Value) -> std::result::Result<(), Value> {
        let Some(request) = self.requests.get_mut(ioid) else { return Err(value) };
        let channel = self.channels.get(request.cid);
        let (Some(sid), Step::Idle, Job::Get) = (channel.and_then(|c| c.sid), request.step, &request.job)
        else {
            return Err(value);
        };
        // The set of changed fields is new with each answer.
        value.clear_changed();
        request.value = Some(value);
        request.step = Step::Running;
        let head = RequestHead { command: Command::Get, sid, ioid, sub: sub::EXECUTE };
        let _ = head.encode(&mut self.writer, |_| {});
        Ok(())
    }

    /// Allows the server to send `count` more updates.
    pub fn acknowledge(&mut self, ioid: u32, count: u32) {
        self.send_request(ioid, sub::PIPELINE, |w| w.u32(count));
        if self.is_pvxs {
            self.send_request(ioid, sub::START, |_| {});
        }
    }

    /// Pauses a monitor, or resumes it.
    pub fn pause(&mut self, ioid: u32, paused: bool) {
        let running = self.requests.get(ioid).is_some_and(|request| request.step == Step::Running);
        if running {
            self.send_request(ioid, if paused { sub::STOP } else { sub::START }, |_| {});
        }
    }

    fn send_request(&mut self, ioid: u32, sub: u8, body: impl FnOnce(&mut Writer)) {
        let Some(request) = self.requests.get(ioid) else { return };
        let Some(sid) = self.channels.get(request.cid).and_then(|channel| channel.sid) else { return };
        let head = RequestHead { command: request.command, sid, ioid, sub };
        let _ = head.encode(&mut self.writer, body);
    }

    /// Cancels, ends and forgets a request.
    pub fn destroy(&mut self, ioid: u32) -> Option<R> {
        let request = self.requests.get(ioid)?;
        let sid = self.channels.get(request.cid).and_then(|channel| channel.sid);
        if let Some(sid) = sid {
            let id = RequestId { sid, ioid };
            if request.step != Step::Idle && !matches!(request.job, Job::Describe | Job::Monitor(_)) {
                let _ = id.cancel(&mut self.writer);
            }
            let _ = id.destroy(&mut self.writer);
        }
        self.forget(ioid).map(|request| request.token)
    }

    fn forget(&mut self, ioid: u32) -> Option<ClientRequest<R>> {
        let mut request = self.requests.remove(ioid)?;
        if let Some(channel) = self.channels.get_mut(request.cid) {
            channel.requests.retain(|&known| known != ioid);
        }
        if request.step != Step::Idle && !self.cache.is_empty() {
            let late = request.value.take().filter(|value| brings_types(value.structure()));
            late.into_iter().for_each(|value| self.forgotten.push_back((ioid, value)));
            if self.forgotten.len() > MAX_FORGOTTEN {
                self.forgotten.pop_front();
            }
        }
        Some(request)
    }

    /// Asks the server who has channels.
    pub fn search(&mut self, search: &Search<'_>) -> Result<()> {
        search.encode(&mut self.writer)
    }

    /// Takes all channels and requests out of a connection that is lost: the keys by which the owner knows them, and
    /// for requests whether they had been sent to be run.
    pub fn into_lost(&mut self) -> (Vec<C>, Vec<(R, bool)>) {
        let requests: Vec<u32> = self.requests.ids().collect();
        let requests = requests.into_iter().filter_map(|ioid| self.requests.remove(ioid));
        let requests = requests.map(|request| (request.token, request.step == Step::Running)).collect();
        let channels: Vec<u32> = self.channels.ids().collect();
        let channels = channels.into_iter().filter_map(|cid| self.channels.remove(cid));
        (channels.map(|channel| channel.token).collect(), requests)
    }

    /// Takes a message of the server and tells `sink` its meaning.
    ///
    /// After an error the connection has lost its meaning and must be closed.
    pub fn receive(&mut self, message: &Message<'_>, sink: &mut impl FnMut(Event<'_, C, R>)) -> Result<()> {
        let header = message.header;
        if !header.server {
            return Err(Error::at(2, "a message of a server", "one of a client"));
        }
        if header.control {
            if header.command == Control::SetByteOrder as u8 {
                self.writer.set_order(header.order);
            }
            return Ok(());
        }
        self.version = self.version.min(header.version);
        match Command::from_code(header.command) {
            Some(command) if command.is_operation() => self.reply(command, message.reader(), sink),
            _ => self.other(ServerMessage::decode(header.command, message.reader())?, sink),
        }
    }

    fn other(&mut self, message: ServerMessage<'_>, sink: &mut impl FnMut(Event<'_, C, R>)) -> Result<()> {
        match message {
            ServerMessage::Validation(offer) => self.validate(&offer)?,
            ServerMessage::Validated(_) if self.phase == Phase::Validating => {
                // A server that does not accept the credentials continues without them.
                self.phase = Phase::Ready;
                let waiting: Vec<u32> = self.channels.ids().collect();
                waiting.into_iter().for_each(|cid| self.send_create(cid));
                sink(Event::Ready);
            }
            ServerMessage::SearchResponse(found) => sink(Event::Found(found)),
            ServerMessage::ChannelCreated(created) => self.created(created, sink),
            ServerMessage::DestroyChannel(id) => self.closed(id, sink),
            ServerMessage::Field { ioid, status, body } => self.described(ioid, status, body, sink)?,
            ServerMessage::Log(log) => sink(Event::Log(log)),
            _ => {}
        }
        Ok(())
    }

    fn validate(&mut self, offer: &ServerValidation) -> Result<()> {
        if self.phase != Phase::Greeting {
            return Ok(());
        }
        self.phase = Phase::Validating;
        self.is_pvxs = offer.buffer == PVXS_BUFFER;
        let knows = |name: &str| offer.methods.iter().any(|method| method == name);
        let account = self.identity.account.as_ref().filter(|_| knows("ca"));
        let credentials = account.map(|(user, host)| credentials(user, host)).transpose()?;
        let method = if credentials.is_some() { "ca" } else { "anonymous" }.into();
        let answer =
            ClientValidation { buffer: RECEIVE_BUFFER, registry: REGISTRY, qos: 0, method, credentials };
        answer.encode(&mut self.writer)
    }

    fn created(&mut self, created: ChannelCreated, sink: &mut impl FnMut(Event<'_, C, R>)) {
        let Some(channel) = self.channels.get_mut(created.cid).filter(|channel| channel.sid.is_none()) else {
            // Closed while it was opened.
            if created.status.is_success() && self.channels.get(created.cid).is_none() {
                let id = ChannelId { sid: created.sid, cid: created.cid };
                let _ = id.destroy(&mut self.writer, false);
            }
            return;
        };
        if created.status.is_success() {
            channel.sid = Some(created.sid);
            sink(Event::Opened(&channel.token));
        } else if let Some(channel) = self.channels.remove(created.cid) {
            sink(Event::Refused(channel.token, created.status));
        }
    }

    fn closed(&mut self, id: ChannelId, sink: &mut impl FnMut(Event<'_, C, R>)) {
        // Also the answer to our own wish, when nothing is left to tell.
        let known = self.channels.get(id.cid).is_some_and(|channel| channel.sid == Some(id.sid));
        let Some(channel) = known.then(|| self.channels.remove(id.cid)).flatten() else { return };
        for ioid in channel.requests {
            if let Some(request) = self.requests.remove(ioid) {
                sink(Event::Lost(request.token, request.step == Step::Running));
            }
        }
        sink(Event::Closed(channel.token));
    }

    fn described(
        &mut self,
        ioid: u32,
        status: Status,
        mut body: Reader<'_>,
        sink: &mut impl FnMut(Event<'_, C, R>),
    ) -> Result<()> {
        // Types are read in any case: numbers may be defined in them.
        let answer = match status.is_success() {
            true => Ok(Answer::Type(Type::decode_some(&mut body, &mut self.cache)?)),
            false => Err(Refusal::Server(status)),
        };
        let asked = self.requests.get(ioid).is_some_and(|request| request.command == Command::GetField);
        if asked && let Some(request) = self.forget(ioid) {
            sink(Event::Answered(&request.token, answer));
        }
        Ok(())
    }

    fn reply(
        &mut self,
        command: Command,
        reader: Reader<'_>,
        sink: &mut impl FnMut(Event<'_, C, R>),
    ) -> Result<()> {
        let mut reply = Reply::decode(command, reader)?;
        let ioid = reply.head.ioid;
        let Some(request) = self.requests.get_mut(ioid) else { return self.late(reply) };
        request.is_stale(&reply)?;
        if command == Command::Monitor && request.step != Step::Opening {
            return self.update(reply, sink);
        }
        if !reply.is_success() {
            let status = reply.status.unwrap_or_default();
            return self.finish(ioid, Err(Refusal::Server(status)), sink);
        }
        let was_opening = request.step == Step::Opening;
        let next = match was_opening {
            true => request.opened(&mut reply, &mut self.cache)?,
            false => request.answered(&mut reply, &mut self.cache)?,
        };
        self.go_on(ioid, next, sink)
    }

    fn go_on(&mut self, ioid: u32, next: NextStep, sink: &mut impl FnMut(Event<'_, C, R>)) -> Result<()> {
        match next {
            NextStep::Nothing => Ok(()),
            NextStep::Run(value) => self.run(ioid, value),
            NextStep::ReadBack => self.read_back(ioid),
            NextStep::Start => {
                self.send_request(ioid, sub::START, |_| {});
                let Some(request) = self.requests.get_mut(ioid) else { return Ok(()) };
                request.step = Step::Running;
                if let Some(value) = &request.value {
                    sink(Event::Started(&request.token, value));
                }
                Ok(())
            }
            NextStep::Answer(answer) => self.finish(ioid, answer, sink),
        }
    }

    fn run(&mut self, ioid: u32, value: Option<Value>) -> Result<()> {
        let Some(request) = self.requests.get_mut(ioid) else { return Ok(()) };
        let Some(sid) = self.channels.get(request.cid).and_then(|channel| channel.sid) else { return Ok(()) };
        request.step = Step::Running;
        let sub = if request.once { sub::DESTROY } else { sub::EXECUTE };
        let head = RequestHead { command: request.command, sid, ioid, sub };
        head.encode(&mut self.writer, |w| match (&request.job, &value) {
            (Job::Call(argument), _) => argument.encode(w),
            (_, Some(value)) => value.encode_changed(w),
            _ => {}
        })
    }

    fn read_back(&mut self, ioid: u32) -> Result<()> {
        let Some(request) = self.requests.get_mut(ioid) else { return Ok(()) };
        request.step = Step::ReadingBack;
        let sub = if request.command == Command::PutGet { sub::PIPELINE } else { sub::GET };
        self.send_request(ioid, sub, |_| {});
        Ok(())
    }

    /// Tells the answer, and ends the request unless it may run again.
    fn finish(
        &mut self,
        ioid: u32,
        answer: std::result::Result<Answer, Refusal>,
        sink: &mut impl FnMut(Event<'_, C, R>),
    ) -> Result<()> {
        let Some(request) = self.requests.get_mut(ioid) else { return Ok(()) };
        if !request.once && answer.is_ok() {
            sink(Event::Answered(&request.token, answer));
            return Ok(());
        }
        let unknown_to_server = match std::mem::replace(&mut request.step, Step::Idle) {
            Step::Opening => true,
            Step::Running => request.once,
            Step::Idle => answer.is_ok(),
            Step::ReadingBack => false,
        };
        let sid = self.channels.get(request.cid).and_then(|channel| channel.sid);
        if let (false, Some(sid)) = (unknown_to_server, sid) {
            RequestId { sid, ioid }.destroy(&mut self.writer)?;
        }
        if let Some(request) = self.forget(ioid) {
            sink(Event::Answered(&request.token, answer));
        }
        Ok(())
    }

    fn update(&mut self, mut reply: Reply<'_>, sink: &mut impl FnMut(Event<'_, C, R>)) -> Result<()> {
        let (ioid, last) = (reply.head.ioid, !reply.head.is_update());
        let Some(ClientRequest { token, value: Some(value), .. }) = self.requests.get_mut(ioid) else {
            return Ok(());
        };
        let brings = !last || (reply.is_success() && !reply.body.is_empty());
        if brings {
            value.clear_changed();
            let update = reply.update(value, &mut self.cache)?;
            sink(Event::Update(token, value, update.changed, update.overrun));
        }
        if last && let Some(request) = self.forget(ioid) {
            sink(Event::Ended(&request.token, reply.status.unwrap_or_default()));
        }
        Ok(())
    }

    /// An answer to a forgotten request: it is read only for the types that it may define.
    fn late(&mut self, mut reply: Reply<'_>) -> Result<()> {
        let (head, cache) = (reply.head, &mut self.cache);
        if !reply.is_success() || reply.body.is_empty() {
            return Ok(());
        }
        if head.command == Command::Rpc && head.sub & sub::INIT == 0 {
            return Dynamic::decode(&mut reply.body, cache).map(drop);
        }
        if head.sub & sub::INIT != 0 {
            let types = [Command::Rpc, Command::Process].iter().all(|other| head.command != *other);
            return if types { reply.ty(cache).map(drop) } else { Ok(()) };
        }
        let known = self.forgotten.iter_mut().find(|(ioid, _)| *ioid == head.ioid);
        known.map_or(Ok(()), |(_, value)| value.decode_changed(&mut reply.body, cache).map(drop))
    }
}

fn echo_period(idle: Duration) -> Duration {
    (idle * 3 / 8).clamp(Duration::from_secs(1), Duration::from_secs(15))
}

fn credentials(user: &str, host: &str) -> Result<Dynamic> {
    let ty = Builder::new("").member("user", ScalarType::Str).member("host", ScalarType::Str).structure()?;
    let mut value = Value::new(&ty);
    value.set("user", user)?;
    value.set("host", host)?;
    Ok(value.into())
}

/// Whether values of this type carry types, in which a sender may define numbers.
fn brings_types(structure: &Structure) -> bool {
    fn any(ty: &Type) -> bool {
        match ty {
            Type::Any | Type::AnyArray => true,
            Type::Structure(s) | Type::StructureArray(s) => s.members().iter().any(|m| any(&m.ty)),
            Type::Union(u) | Type::UnionArray(u) => u.members().iter().any(|m| any(&m.ty)),
            _ => false,
        }
    }
    structure.members().iter().any(|member| any(&member.ty))
}
