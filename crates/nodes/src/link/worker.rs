//! The sending end of a link to one worker of a pool.

use std::sync::Arc;
use std::time::Duration;

use livetime_engine::Teller;
use livetime_frame::Frame;
use livetime_link::{Account, Message, NotTaken, Part, Sender, SenderEvent, Settings, Step, Violation};
use livetime_runtime::LossReason;

use super::bell::Bell;
use super::end::End;
use super::new_epoch;

/// Accounts of ended epochs that are kept apart; a worker that starts again and again must not fill the memory.
const KEPT_APART: usize = 1_000;

/// A sender that ends its epoch when its worker is gone for good, gives the frames back, and begins another epoch for the
/// next worker at the same address.
pub(crate) struct Worker {
    address: String,
    settings: Settings,
    sender: Sender<Frame>,
    epoch: u64,
    /// Accounts of the epochs before.
    ended: Vec<Part>,
    /// Frames taken back, which another worker must get.
    spare: Vec<Frame>,
    teller: Teller,
    bell: Arc<Bell>,
    /// Since when no worker is there; `None` while one is.
    alone_since_ns: Option<u64>,
    pub(crate) meetings: u64,
    /// A worker knows this epoch, and has an account of it.
    is_known: bool,
    /// The connection belongs to the epoch before.
    must_reconnect: bool,
    /// The worker gets no more frames.
    is_finishing: bool,
}

impl Worker {
    pub(crate) fn new(address: &str, settings: Settings, teller: Teller, bell: Arc<Bell>) -> Worker {
        let epoch = new_epoch();
        Worker {
            address: address.to_owned(),
            sender: Sender::new(settings.clone(), epoch),
            settings,
            epoch,
            ended: Vec::new(),
            spare: Vec::new(),
            teller,
            bell,
            alone_since_ns: Some(0),
            meetings: 0,
            is_known: false,
            must_reconnect: false,
            is_finishing: false,
        }
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.alone_since_ns.is_none()
    }

    /// True when no worker has been there for so long.
    pub(crate) fn is_alone_for(&self, limit: Duration, now_ns: u64) -> bool {
        self.alone_since_ns.is_some_and(|since| now_ns.saturating_sub(since) >= limit.as_nanos() as u64)
    }

    /// Frames and bytes that the worker has not completed, if it is there and has room.
    pub(crate) fn load(&self) -> Option<(u64, u64)> {
        let (frames, bytes) = self.sender.kept();
        let is_there = self.is_connected() && !self.is_finishing;
        let has_room = is_there && self.sender.has_room() && self.sender.has_credit();
        has_room.then_some((frames as u64, bytes))
    }

    pub(crate) fn offer(&mut self, frame: &Frame) -> Result<(), NotTaken> {
        self.sender.offer(frame.clone()).map(|_| ())
    }

    /// Counts a frame that no worker gets.
    pub(crate) fn lose(&mut self, reason: LossReason) {
        self.sender.lose(reason, 1);
    }

    /// The worker gets no more frames, and its run can end.
    pub(crate) fn finish(&mut self) {
        self.is_finishing = true;
        self.sender.finish();
    }

    /// True when frames of the worker must go to others.
    pub(crate) fn is_lost(&self, retake_after: Duration, now_ns: u64) -> bool {
        let is_gone = self.is_alone_for(retake_after, now_ns) && self.sender.account().queued > 0;
        is_gone || (self.has_ended() && !self.is_finishing)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.sender.has_ended()
    }

    pub(crate) fn abort(&mut self, why: &str) {
        self.sender.abort(why);
    }

    /// The worker does not come back in time: what it has not completed is taken back.
    pub(crate) fn give_up(&mut self) {
        self.sender.give_up();
        self.tell(0);
        self.spare.extend(self.sender.retaken());
    }

    /// Frames that another worker must get.
    pub(crate) fn take_spare(&mut self) -> Vec<Frame> {
        std::mem::take(&mut self.spare)
    }

    /// Begins a new epoch behind one that has ended, for the next worker.
    pub(crate) fn renew(&mut self) {
        self.spare.extend(self.sender.retaken());
        self.ended.extend(self.current());
        self.is_known = false;
        if self.ended.len() > KEPT_APART {
            let second = self.ended.remove(1);
            self.ended[0].account.add(&second.account);
            self.ended[0].epoch = 0;
        }
        let before = std::mem::replace(&mut self.epoch, new_epoch());
        self.sender = Sender::following(self.settings.clone(), self.epoch, before);
        self.must_reconnect = true;
        self.is_finishing = false;
    }

    /// The accounts of all epochs that a worker has met or that have frames.
    pub(crate) fn parts(&self) -> Vec<Part> {
        self.ended.iter().copied().chain(self.current()).collect()
    }

    fn current(&self) -> Option<Part> {
        let current = Part { epoch: self.epoch, start: 0, account: self.sender.account() };
        (self.is_known || current.account.offered > 0).then_some(current)
    }

    /// The sum over all epochs.
    pub(crate) fn account(&self) -> Account {
        let mut sum = self.sender.account();
        self.ended.iter().for_each(|part| sum.add(&part.account));
        sum
    }

    /// Writes the news into the log.
    fn tell(&mut self, now_ns: u64) {
        let address = &self.address;
        while let Some(event) = self.sender.next_event() {
            match event {
                SenderEvent::Met { .. } => {
                    self.alone_since_ns = None;
                    self.meetings += 1;
                    self.is_known = true;
                    self.teller.tell(format!("a worker is there at {address}"));
                }
                SenderEvent::Retaken { from, to } => self.teller.tell(format!(
                    "{} frames are taken back from the worker at {address}, for another one",
                    to - from
                )),
                SenderEvent::SentAgain { from, to } => self.teller.tell(format!(
                    "{} frames are sent again: the worker at {address} may have handled them",
                    to - from
                )),
                SenderEvent::InDoubt { from, to } => {
                    self.teller.tell_error(format!("{} frames are in doubt at {address}", to - from));
                }
                SenderEvent::Settled { lost, .. } if lost.total() > 0 => {
                    self.teller.tell_error(format!("{} frames are lost at {address}", lost.total()));
                }
                SenderEvent::Aborted(why) => {
                    self.alone_since_ns.get_or_insert(now_ns);
                    self.teller.tell_error(format!("the worker at {address} has aborted: {why}"));
                }
                // A worker that is stopped leaves the pool, whose run goes on with the others.
                SenderEvent::Settled { .. } | SenderEvent::AskedToEnd | SenderEvent::Ended => {}
            }
        }
    }
}

impl End for Worker {
    fn connected(&mut self, now_ns: u64) {
        self.must_reconnect = false;
        self.sender.connected(now_ns);
    }

    fn disconnected(&mut self, now_ns: u64) {
        self.sender.disconnected();
        if self.alone_since_ns.is_none() && !self.sender.has_ended() {
            self.teller.tell(format!("the worker at {} is gone", self.address));
        }
        self.alone_since_ns.get_or_insert(now_ns);
        self.bell.ring();
    }

    fn receive(&mut self, message: Message<Frame>, now_ns: u64) -> Result<(), Violation> {
        let result = self.sender.receive(message, now_ns);
        self.tell(now_ns);
        self.bell.ring();
        result
    }

    fn step(&mut self, now_ns: u64) -> Step<Frame> {
        if self.must_reconnect || self.sender.has_ended() {
            return Step::Reconnect;
        }
        self.sender.step(now_ns)
    }

    /// The pool closes its links: a worker may come to one at any time before.
    fn is_over(&mut self, _now_ns: u64) -> bool {
        false
    }

    fn wants_connection(&self) -> bool {
        !self.sender.has_ended()
    }

    fn look_again(&self) -> Duration {
        Duration::MAX
    }
}
