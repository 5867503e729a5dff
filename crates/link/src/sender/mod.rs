//! The end of a link that sends.

mod account;
mod clock;
mod end;
mod ending;
mod event;
mod greeting;
mod peer;
mod progress;
mod state;

use livetime_runtime::LossReason;

use crate::connection::{State, Step};
use crate::message::{Abort, Ack, Body, Data, Finish, Heartbeat, Message, Parcel};
use crate::{Settings, Violation};
pub use clock::ClockOffset;
use ending::Due;
pub use event::{NotTaken, SenderEvent};
pub use state::Sender;

impl<F: Parcel + Clone> Sender<F> {
    /// Takes a frame, and returns its position.
    ///
    /// # Errors
    /// [`NotTaken`] when there is no room, or the frame is too large; the frame is not counted as offered then.
    pub fn offer(&mut self, frame: F) -> Result<u64, NotTaken> {
        let (found, most) = (frame.bytes(), self.settings.max_frame_bytes);
        if !self.ending.is_open() {
            return Err(NotTaken::Ended);
        }
        if found > most {
            return Err(NotTaken::TooLarge { most, found });
        }
        if !self.has_room() {
            return Err(NotTaken::Full);
        }
        let position = self.tail();
        self.kept.push_back((frame, self.bytes));
        self.bytes += found;
        self.told.offered += 1;
        Ok(position)
    }

    /// True when [`Sender::offer`] has room.
    pub fn has_room(&self) -> bool {
        let waiting = self.tail() - self.settled;
        let bytes = self.bytes - self.bytes_before(self.base);
        waiting < self.settings.window_frames && bytes < self.settings.window_bytes
    }

    /// True when a receiver is there, and has room for one more frame than this end keeps.
    pub fn has_credit(&self) -> bool {
        let Some(peer) = self.peer.as_ref().filter(|_| self.connection.state == State::Open) else {
            return false;
        };
        let received = peer.standing.received;
        let bytes = self.bytes - self.bytes_before(received);
        self.tail() < received.saturating_add(peer.credit.frames) && bytes < peer.credit.bytes
    }

    /// Counts frames as offered and lost, which get no position.
    pub fn lose(&mut self, reason: LossReason, frames: u64) {
        self.told.offered += frames;
        self.told.lost.add(reason, frames);
    }

    /// There is a connection.
    pub fn connected(&mut self, now_ns: u64) {
        self.connection.open(self.epoch, now_ns);
        self.caller = None;
    }

    /// There is none any more.
    pub fn disconnected(&mut self) {
        self.connection.state = State::Down;
    }

    /// Handles a message.
    ///
    /// # Errors
    /// [`Violation`] for a message that no honest receiver sends. Nothing of it is believed, and the connection must be
    /// closed.
    pub fn receive(&mut self, message: Message<F>, now_ns: u64) -> Result<(), Violation> {
        if self.connection.state == State::Down || self.has_ended() {
            return Ok(());
        }
        if let Body::Hello(hello) = &message.body {
            return self.greet(message.from, hello, now_ns);
        }
        if message.to != self.connection.session {
            return Ok(());
        }
        self.confirm(&message, now_ns)?;
        if message.from != self.connection.peer {
            return Ok(());
        }
        match message.body {
            Body::Ack(ack) => self.acknowledge(&ack, now_ns)?,
            Body::Finished(standing) => self.finished(&standing)?,
            Body::Abort(abort) => self.aborted_by_peer(abort.why),
            other => return Err(Violation::Unexpected { wanted: "acknowledgement", found: other.name() }),
        }
        self.connection.heard_ns = now_ns;
        Ok(())
    }

    fn acknowledge(&mut self, ack: &Ack, now_ns: u64) -> Result<(), Violation> {
        let received = self.received();
        self.advance(&ack.standing)?;
        if let Some(peer) = &mut self.peer {
            peer.allow(ack.standing.received, ack.credit);
        }
        self.measure_clock(ack, now_ns);
        if ack.ending && !std::mem::replace(&mut self.asked_to_end, true) {
            self.events.push_back(SenderEvent::AskedToEnd);
        }
        if self.received() > received {
            self.progress_ns = now_ns;
        }
        self.next = self.next.max(self.received());
        if ack.gap && ack.standing.received == self.received() {
            self.go_back(now_ns);
        }
        Ok(())
    }

    /// What to do now.
    pub fn step(&mut self, now_ns: u64) -> Step<F> {
        if self.connection.dies(now_ns, self.settings.dead_after_ns) {
            return Step::Reconnect;
        }
        if self.connection.state == State::Down {
            return Step::Wait(u64::MAX);
        }
        if let Some((to, welcome)) = self.welcome() {
            self.connection.sent_ns = now_ns;
            return Step::Send(Message { from: self.connection.session, to, body: Body::Welcome(welcome) });
        }
        if self.connection.state == State::Greeting {
            return Step::Wait(self.deadline());
        }
        if self.next > self.received()
            && now_ns >= self.progress_ns.saturating_add(self.settings.resend_after_ns)
        {
            self.go_back(now_ns);
        }
        match self.body(now_ns) {
            Some(body) => self.connection.send(body, now_ns),
            None => Step::Wait(self.deadline()),
        }
    }

    fn body(&mut self, now_ns: u64) -> Option<Body<F>> {
        let is_silent = now_ns >= self.connection.sent_ns.saturating_add(self.settings.heartbeat_ns);
        match self.ending.message(is_silent) {
            Due::Nothing => {}
            Due::Abort(why) => return Some(Body::Abort(Abort { why, told: self.told })),
            Due::Data => {
                if let Some(data) = self.batch(now_ns) {
                    return Some(Body::Data(data));
                }
                if self.next == self.tail() && self.ending.finish_due(is_silent) {
                    return Some(Body::Finish(Finish {
                        tail: self.tail(),
                        told: self.told,
                        stopped: self.stopped,
                    }));
                }
            }
        }
        is_silent.then_some(Body::Heartbeat(Heartbeat { told: self.told, clock_ns: now_ns }))
    }

    /// The next frames that the receiver has room for.
    fn batch(&mut self, now_ns: u64) -> Option<Data<F>> {
        let most = self.allowed();
        let (position, mut bytes) = (self.next, 0);
        let first = (position - self.base) as usize;
        let mut frames = Vec::new();
        for (frame, _) in self.kept.iter().skip(first).take(most) {
            if !frames.is_empty() && bytes + frame.bytes() > self.settings.batch_bytes {
                break;
            }
            bytes += frame.bytes();
            frames.push(frame.clone());
        }
        if frames.is_empty() {
            return None;
        }
        if position == self.received() {
            self.progress_ns = now_ns;
        }
        self.next += frames.len() as u64;
        self.reached = self.reached.max(self.next);
        Some(Data { position, told: self.told, clock_ns: now_ns, frames })
    }

    /// How many frames from `next` on may be in one message by the receiver's credit.
    fn allowed(&self) -> usize {
        let Some(peer) = &self.peer else { return 0 };
        let received = peer.standing.received;
        let last = received.saturating_add(peer.credit.frames).min(self.tail());
        let before = self.bytes_before(received);
        let most = self.settings.batch_frames;
        let positions = (self.next..last).take(most);
        // The frame that begins within the credit is the last one that may go.
        positions.take_while(|p| self.bytes_before(*p) - before < peer.credit.bytes).count()
    }

    fn deadline(&self) -> u64 {
        let Settings { dead_after_ns, heartbeat_ns, resend_after_ns, .. } = self.settings;
        let dead = self.connection.heard_ns.saturating_add(dead_after_ns);
        let beat = self.connection.sent_ns.saturating_add(heartbeat_ns);
        let resend = self.progress_ns.saturating_add(resend_after_ns);
        match self.connection.state {
            State::Down => u64::MAX,
            State::Greeting => dead,
            State::Open if self.next > self.received() => dead.min(beat).min(resend),
            State::Open => dead.min(beat),
        }
    }
}
