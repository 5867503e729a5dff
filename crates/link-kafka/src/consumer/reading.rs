//! The half of a reading end that reads records, and says what a sender would.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_frame::Frame;
use livetime_link::carrier::{CarrierError, Incoming, Memory};
use livetime_link::wire::Decoder;
use livetime_link::{
    Body, Credit, Data, Heartbeat, Losses, Message, Notice, Parcel, Retain, Standing, Told, Welcome,
};
use rdkafka::Message as _;
use rdkafka::Offset;
use rdkafka::consumer::Consumer;
use rdkafka::consumer::base_consumer::PartitionQueue;
use rdkafka::message::BorrowedMessage;

use super::assembly::Assembly;
use super::found::{Client, Found};
use super::group::Group;
use super::state::{Current, Mark, Shared, State};
use crate::client::{self, ANSWER, PARTITION, refused};
use crate::record::Key;
use crate::{Address, Ends};

/// Longest wait for a record, and between two looks at the group's news.
const LOOK: Duration = Duration::from_millis(20);
/// With nothing to say, the broker is asked so often whether it is there.
const HEARTBEAT: Duration = Duration::from_millis(200);

/// Reads records over one connection.
pub(super) struct Reading {
    shared: Arc<Shared>,
    client: Arc<Client>,
    topic: String,
    ends: Ends,
    session: u64,
    found: Option<Found>,
    queue: Option<PartitionQueue<Group>>,
    decoder: Decoder,
    assembly: Option<Assembly>,
    /// What is to be said before the pending frames.
    due: VecDeque<Body<Frame>>,
    /// Frames that are removed, and come before the pending ones.
    removed: u64,
    pending: VecDeque<Frame>,
    /// What is to be said behind them.
    end: Option<Body<Frame>>,
    has_ended: bool,
    /// The offset of the next record.
    expected: i64,
    /// Records before the last one that came were removed.
    has_gap: bool,
    /// Frames before it were perhaps handled by another process; told up to the second position.
    again: (u64, u64),
    said: Instant,
    looked: Instant,
}

/// What to do next.
#[expect(clippy::large_enum_variant, reason = "one at a time, on the stack of its thread")]
enum Next {
    Say(Body<Frame>),
    Read,
    Wait,
}

impl Reading {
    pub(super) fn new(
        shared: Arc<Shared>,
        client: Arc<Client>,
        (address, ends): (&Address, &Ends),
        session: u64,
        found: Option<Found>,
    ) -> Reading {
        let has_gap = {
            let state = shared.lock();
            if state.past.is_empty() { found.is_some_and(|found| found.has_gap) } else { state.has_gap }
        };
        Reading {
            shared,
            client,
            topic: address.topic.clone(),
            ends: ends.clone(),
            session,
            found,
            queue: None,
            decoder: Decoder::new(ends.codecs.clone(), ends.max_frame_bytes),
            assembly: None,
            due: VecDeque::new(),
            removed: 0,
            pending: VecDeque::new(),
            end: None,
            has_ended: false,
            expected: 0,
            has_gap,
            again: (0, 0),
            said: Instant::now(),
            looked: Instant::now(),
        }
    }
}

impl Incoming for Reading {
    fn receive(&mut self, memory: Memory<'_>) -> Result<Message<Frame>, CarrierError> {
        loop {
            self.look();
            let next = self.next()?;
            match next {
                Next::Say(body) => {
                    self.said = Instant::now();
                    let to = self.shared.lock().peer;
                    return Ok(Message { from: self.session, to, body });
                }
                Next::Wait => self.shared.sleep(LOOK),
                Next::Read => self.read(memory)?,
            }
        }
    }
}

impl Reading {
    /// Hears the group's news.
    fn look(&mut self) {
        if self.looked.elapsed() >= LOOK {
            self.looked = Instant::now();
            // A record that comes here is from before the partition had a queue of its own, and is read again.
            drop(self.client.poll(Duration::ZERO));
        }
    }

    fn next(&mut self) -> Result<Next, CarrierError> {
        let shared = self.shared.clone();
        let mut state = shared.lock();
        if state.is_broken || state.has_finished {
            return Err(broken("the connection is closed"));
        }
        if state.peer == 0 {
            return Ok(Next::Wait);
        }
        if self.queue.is_none() {
            let offset = self.greet(&mut state);
            drop(state);
            self.begin_at(offset)?;
            return Ok(Next::Wait);
        }
        if let Some(body) = self.due.pop_front() {
            return Ok(Next::Say(body));
        }
        let is_idle = self.said.elapsed() >= HEARTBEAT;
        let told = state.current.map(|current| current.told).unwrap_or_default();
        if let Some(body) = self.give(&mut state, told) {
            return Ok(Next::Say(body));
        }
        if self.removed > 0 || !self.pending.is_empty() {
            return Ok(if is_idle { Next::Say(heartbeat(told)) } else { Next::Wait });
        }
        if let Some(end) = self.end.take() {
            self.has_ended = true;
            return Ok(Next::Say(end));
        }
        if self.has_ended {
            // Behind the end of a sender may be the next one, which is for the next run.
            return Ok(if is_idle { Next::Say(heartbeat(told)) } else { Next::Wait });
        }
        if !is_idle || state.current.is_none() {
            return Ok(Next::Read);
        }
        drop(state);
        if !client::answers(self.client.client(), &self.topic) {
            return Err(broken("the broker does not answer"));
        }
        Ok(Next::Say(heartbeat(told)))
    }

    /// The receiver has said hello: where to read from.
    fn greet(&mut self, state: &mut State) -> i64 {
        if let Some(current) = state.current {
            self.due.push_back(self.welcome(&current, current.standing.received));
            return state.offset_of(current.standing.received);
        }
        match self.found.filter(|_| state.past.is_empty()) {
            Some(found) => found.offset,
            None => state.next_offset,
        }
    }

    fn welcome(&self, current: &Current, start: u64) -> Body<Frame> {
        let (epoch, cut, told) = (current.epoch, self.ends.cut.clone(), current.told);
        Body::Welcome(Welcome {
            epoch,
            cut,
            retain: Retain::Completed,
            start,
            lost: Losses::default(),
            told,
            before: 0,
            window: Credit::default(),
        })
    }

    /// Reads from this offset on.
    fn begin_at(&mut self, offset: i64) -> Result<(), CarrierError> {
        let queue = self.client.split_partition_queue(&self.topic, PARTITION);
        self.queue = Some(queue.ok_or_else(|| broken("the group has taken the partition away"))?);
        let begun = Instant::now();
        loop {
            let sought = self.client.seek(&self.topic, PARTITION, Offset::Offset(offset), ANSWER);
            match sought {
                Ok(()) => {
                    self.expected = offset;
                    return Ok(());
                }
                // Right after the partition was assigned, the client is not ready for it.
                Err(_) if begun.elapsed() < ANSWER => std::thread::sleep(LOOK),
                Err(error) => return Err(broken(&error.to_string())),
            }
        }
    }

    /// As many of the pending frames as the receiver has room for.
    fn give(&mut self, state: &mut State, told: Told) -> Option<Body<Frame>> {
        let position = state.next();
        let room = state.room();
        if room == 0 {
            return None;
        }
        if self.removed > 0 {
            let removed = self.removed.min(room);
            self.removed -= removed;
            (0..removed).for_each(|_| state.give(0));
            return Some(Body::Notice(Notice { position, removed, again: 0, told }));
        }
        if self.pending.is_empty() {
            return None;
        }
        let end = position + room.min(self.pending.len() as u64);
        let (until, known) = &mut self.again;
        let again = end.min(*until).saturating_sub(position.max(*known));
        if again > 0 {
            *known = end.min(*until);
            return Some(Body::Notice(Notice { position, removed: 0, again, told }));
        }
        let mut frames = Vec::new();
        while position + (frames.len() as u64) < end && state.given_bytes < state.credit.bytes {
            let Some(frame) = self.pending.pop_front() else { break };
            state.give(Parcel::bytes(&frame));
            frames.push(frame);
        }
        Some(Body::Data(Data { position, told, clock_ns: 0, frames }))
    }

    fn read(&mut self, memory: Memory<'_>) -> Result<(), CarrierError> {
        let Some(queue) = self.queue.take() else { return Ok(()) };
        let result = match queue.poll(LOOK) {
            None => Ok(()),
            Some(Ok(record)) => self.take(&record, memory),
            Some(Err(error)) => Err(broken(&error.to_string())),
        };
        self.queue = Some(queue);
        if let Err(error @ (CarrierError::Refused(_) | CarrierError::Wire(_))) = &result {
            let why = error.to_string();
            self.shared.with(|state| state.refused = Some(why));
        }
        result
    }

    fn take(&mut self, record: &BorrowedMessage<'_>, memory: Memory<'_>) -> Result<(), CarrierError> {
        let offset = record.offset();
        self.check_offset(offset)?;
        let at = |what: &dyn std::fmt::Display| refused(&self.topic, format_args!("offset {offset}: {what}"));
        let key = Key::read(record.key().unwrap_or_default()).map_err(|e| at(&e))?;
        if key.cut != self.ends.cut.name {
            let (wanted, found) = (&self.ends.cut.name, key.cut);
            return Err(at(&format_args!("wanted a record of the link `{wanted}`, found one of `{found}`")));
        }
        let mut assembly = match self.assembly.take() {
            Some(assembly) if assembly.goes_on_with(&key) => assembly,
            _ if key.part == 0 => Assembly::new(&key, offset),
            // The rest of a message whose first part was removed, or whose sender was killed before the last one.
            _ => return Ok(()),
        };
        let is_whole = assembly.take(&key, record.payload().unwrap_or_default(), &mut self.decoder, memory);
        let is_whole = is_whole.map_err(|error| match error {
            CarrierError::NoMemory => error,
            error => at(&error),
        })?;
        if !is_whole {
            self.assembly = Some(assembly);
            return Ok(());
        }
        let from = assembly.from;
        let message = assembly.finish().map_err(|e| at(&e))?;
        self.handle(key.epoch, message.body, from, offset + 1)
    }

    /// Offsets follow each other, but for records that retention has removed.
    fn check_offset(&mut self, offset: i64) -> Result<(), CarrierError> {
        if offset != self.expected {
            let low = self.client.fetch_watermarks(&self.topic, PARTITION, ANSWER);
            let (low, _) = low.map_err(|e| broken(&e.to_string()))?;
            if offset < self.expected {
                return Err(broken(&format!("wanted offset {}, found {offset}", self.expected)));
            }
            if low <= self.expected {
                // A compacted topic, or one with transactions.
                let wanted = self.expected;
                return Err(refused(&self.topic, format_args!("wanted offset {wanted}, found {offset}")));
            }
            self.has_gap = true;
        }
        self.expected = offset + 1;
        Ok(())
    }

    /// Frames before `position` did not come: they must have been removed.
    fn miss(&mut self, next: u64, position: u64) -> Result<(), CarrierError> {
        self.removed = position.saturating_sub(next);
        if self.removed > 0 && !self.has_gap {
            return Err(refused(
                &self.topic,
                format_args!("wanted the frame at position {next}, found {position}"),
            ));
        }
        Ok(())
    }

    /// Takes a whole message, whose records are from `from` to `next`.
    fn handle(&mut self, epoch: u64, body: Body<Frame>, from: i64, next: i64) -> Result<(), CarrierError> {
        let shared = self.shared.clone();
        let mut state = shared.lock();
        if state.past.contains(&epoch) {
            return Ok(());
        }
        match state.current {
            None => self.meet(&mut state, epoch, &body),
            Some(current) if current.epoch != epoch => {
                state.replace(from, self.has_gap);
                return Err(broken("a newer sender writes"));
            }
            Some(_) => {}
        }
        let position = state.next();
        match body {
            Body::Data(data) => {
                let end = data.position.saturating_add(data.frames.len() as u64);
                tell(&mut state, data.told);
                if end > position {
                    let begin = data.position.max(position);
                    self.miss(position, begin)?;
                    let old = (begin - data.position) as usize;
                    self.pending = data.frames.into_iter().skip(old).collect();
                    mark(&mut state, Mark { begin: data.position, end, from });
                }
            }
            Body::Heartbeat(beat) => {
                tell(&mut state, beat.told);
                self.due.push_back(Body::Heartbeat(beat));
            }
            Body::Finish(finish) => {
                tell(&mut state, finish.told);
                self.miss(position, finish.tail)?;
                mark(&mut state, Mark { begin: finish.tail, end: u64::MAX, from });
                self.end = Some(Body::Finish(finish));
            }
            Body::Abort(abort) => {
                tell(&mut state, abort.told);
                mark(&mut state, Mark { begin: position, end: u64::MAX, from });
                self.end = Some(Body::Abort(abort));
            }
            _ => {}
        }
        state.next_offset = next;
        self.has_gap = false;
        Ok(())
    }

    /// The first message of a sender.
    fn meet(&mut self, state: &mut State, epoch: u64, body: &Body<Frame>) {
        let found = self.found.filter(|_| state.past.is_empty());
        let place = found.and_then(|found| found.place).filter(|place| place.epoch == epoch);
        let (told, first) = match body {
            Body::Welcome(welcome) => (welcome.told, 0),
            Body::Data(data) => (data.told, data.position),
            Body::Heartbeat(beat) => (beat.told, 0),
            Body::Finish(finish) => (finish.told, finish.tail),
            Body::Abort(abort) => (abort.told, 0),
            _ => (Told::default(), 0),
        };
        let is_skipped = found.is_some_and(|found| found.is_known && found.place.is_none());
        let start = match place {
            Some(place) => place.position,
            // Who has moved the group there wants no frames before.
            None if is_skipped => first,
            None => 0,
        };
        self.again = place.map_or((0, 0), |place| (place.limit, place.position));
        let standing = Standing::at(start, Losses::default());
        let current = Current { epoch, told, standing };
        self.due.push_back(self.welcome(&current, start));
        state.current = Some(current);
    }
}

fn tell(state: &mut State, told: Told) {
    if let Some(current) = &mut state.current {
        current.told = told;
    }
}

/// A message that is read again has its mark.
fn mark(state: &mut State, mark: Mark) {
    if state.marks.back().is_none_or(|last| last.from < mark.from) {
        state.marks.push_back(mark);
    }
}

fn heartbeat(told: Told) -> Body<Frame> {
    Body::Heartbeat(Heartbeat { told, clock_ns: 0 })
}

fn broken(why: &str) -> CarrierError {
    CarrierError::Broken(std::io::Error::other(why))
}
