//! The sending end of a link.

use std::time::Duration;

use livetime_engine::Teller;
use livetime_frame::Frame;
use livetime_link::{Message, NotTaken, Sender, SenderEvent, Settings, Step, Violation};
use livetime_runtime::LossReason;

use super::end::End;

/// A sender that writes its events into the log of its node.
pub(crate) struct Sending {
    sender: Sender<Frame>,
    teller: Teller,
    /// Both ends are of one pipeline over hosts: an abort of the receiver is one of this run.
    is_one_run: bool,
    /// Since when no receiver is there; `None` while one is. A connection is not enough: the kernel of a stopped process
    /// takes connections too.
    alone_since_ns: Option<u64>,
    pub(crate) meetings: u64,
}

/// What has become of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Offered {
    Taken,
    /// It is counted as lost.
    Lost,
}

impl Sending {
    pub(crate) fn new(settings: Settings, epoch: u64, teller: Teller, now_ns: u64) -> Sending {
        let is_one_run = settings.cut.pipeline != [0; 32];
        Sending {
            sender: Sender::new(settings, epoch),
            teller,
            is_one_run,
            alone_since_ns: Some(now_ns),
            meetings: 0,
        }
    }

    pub(crate) fn sender(&self) -> &Sender<Frame> {
        &self.sender
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.alone_since_ns.is_none()
    }

    /// True when no receiver has been there for so long.
    pub(crate) fn is_alone_for(&self, limit: Duration, now_ns: u64) -> bool {
        self.alone_since_ns.is_some_and(|since| now_ns - since >= limit.as_nanos() as u64)
    }

    /// Takes a frame or counts it as lost; `None` while there is no room, and the receiver may still come or make some.
    pub(crate) fn offer(&mut self, frame: &Frame, patience: Duration, now_ns: u64) -> Option<Offered> {
        match self.sender.offer(frame.clone()) {
            Ok(_) => Some(Offered::Taken),
            Err(NotTaken::Full) if !self.is_alone_for(patience, now_ns) => None,
            Err(NotTaken::Full) => self.lose(LossReason::LinkDown),
            Err(NotTaken::Ended) => self.lose(LossReason::PeerGone),
            Err(NotTaken::TooLarge { .. }) => self.lose(LossReason::NodeError),
        }
    }

    pub(crate) fn lose(&mut self, reason: LossReason) -> Option<Offered> {
        self.sender.lose(reason, 1);
        Some(Offered::Lost)
    }

    /// No frame will come any more. `is_stopped`: the run was stopped.
    pub(crate) fn finish(&mut self, is_stopped: bool) {
        if is_stopped {
            self.sender.stopped();
        }
        self.sender.finish();
    }

    pub(crate) fn abort(&mut self, why: &str) {
        self.sender.abort(why);
    }

    pub(crate) fn give_up(&mut self) {
        self.sender.give_up();
        self.tell(0);
    }

    /// Writes the news into the log.
    fn tell(&mut self, now_ns: u64) {
        while let Some(event) = self.sender.next_event() {
            match event {
                SenderEvent::Met { is_new, .. } => {
                    self.alone_since_ns = None;
                    self.meetings += 1;
                    let who = if is_new { "a receiver" } else { "the receiver" };
                    self.teller.tell(format!("{who} is there"));
                }
                SenderEvent::InDoubt { from, to } => self.teller.tell_error(format!(
                    "{} frames are in doubt: the receiver had them when it died",
                    to - from
                )),
                SenderEvent::SentAgain { from, to } => self.teller.tell(format!(
                    "{} frames are sent again, because the receiver died before it had told their end",
                    to - from
                )),
                SenderEvent::Settled { lost, .. } if lost.total() > 0 => {
                    self.teller.tell_error(format!("{} frames are lost", lost.total()));
                }
                SenderEvent::Aborted(why) => {
                    self.alone_since_ns.get_or_insert(now_ns);
                    let told = format!("the receiver has aborted: {why}");
                    if self.is_one_run { self.teller.abort_run(told) } else { self.teller.tell_error(told) }
                }
                SenderEvent::AskedToEnd => {
                    self.teller.tell("the receiving run was stopped, and stops this one");
                    self.teller.stop_run();
                }
                // A link to one receiver takes nothing back.
                SenderEvent::Settled { .. } | SenderEvent::Retaken { .. } | SenderEvent::Ended => {}
            }
        }
    }
}

impl End for Sending {
    fn connected(&mut self, now_ns: u64) {
        self.sender.connected(now_ns);
    }

    fn disconnected(&mut self, now_ns: u64) {
        self.sender.disconnected();
        if self.alone_since_ns.is_none() && !self.sender.has_ended() {
            self.teller.tell_error("the receiver is gone; frames wait for it");
        }
        self.alone_since_ns.get_or_insert(now_ns);
    }

    fn receive(&mut self, message: Message<Frame>, now_ns: u64) -> Result<(), Violation> {
        let result = self.sender.receive(message, now_ns);
        self.tell(now_ns);
        result
    }

    fn step(&mut self, now_ns: u64) -> Step<Frame> {
        self.sender.step(now_ns)
    }

    fn is_over(&mut self, _now_ns: u64) -> bool {
        self.sender.has_ended()
    }

    fn look_again(&self) -> Duration {
        Duration::MAX
    }
}
