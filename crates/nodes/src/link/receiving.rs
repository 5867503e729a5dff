//! The receiving end of a link.

use std::collections::VecDeque;
use std::time::Duration;

use livetime_frame::{Frame, Pledge};
use livetime_link::{Message, Receiver, ReceiverEvent, Settings, Settlement, Step, Token, Violation};
use livetime_runtime::LossReason;

use super::end::End;

/// How often frames in the hands of the graph are looked at. It delays an acknowledgement, and costs a look at one counter.
const LOOK_AGAIN: Duration = Duration::from_millis(2);
/// The same while the sender can wait for it.
const LOOK_AT_LEISURE: Duration = Duration::from_millis(20);
/// A receiver that leaves before the end waits so long behind its last acknowledgement.
const FAREWELL_NS: u64 = 20_000_000;
/// A stopped receiver waits so long for a sender that never came. The stop may have reached this host while the links of
/// a graph were still being made, and then the other host already keeps frames for this link.
const LATE_SENDER_NS: u64 = 2_000_000_000;

/// A receiver, and the frames that its graph has in hand.
pub(crate) struct Receiving {
    receiver: Receiver<Frame>,
    /// The pledge of each frame, until no frame is bound to it: then the graph has completed the frame and all that was
    /// made of it. In the order of the link.
    in_hand: VecDeque<(Token, Pledge)>,
    /// Pledges to be used again.
    free: Vec<Pledge>,
    /// The node has stopped; set to when it did, and, once nothing is in hand, to when that was.
    leaving_ns: Option<u64>,
    /// When the run was stopped.
    stopped_ns: Option<u64>,
    /// The end has left without a sender: the frames of a sender that comes now would be lost.
    is_shut: bool,
    is_up: bool,
}

impl Receiving {
    pub(crate) fn new(settings: Settings, epoch: u64) -> Receiving {
        let receiver = Receiver::new(settings, epoch);
        Receiving {
            receiver,
            in_hand: VecDeque::new(),
            free: Vec::new(),
            leaving_ns: None,
            stopped_ns: None,
            is_shut: false,
            is_up: false,
        }
    }

    /// Whether there is a connection.
    pub(crate) fn is_up(&self) -> bool {
        self.is_up
    }

    pub(crate) fn receiver(&self) -> &Receiver<Frame> {
        &self.receiver
    }

    pub(crate) fn next_event(&mut self, now_ns: u64) -> Option<ReceiverEvent<Frame>> {
        self.settle(now_ns);
        self.receiver.next_event()
    }

    /// The pledge that the graph's frame must be bound to, before it is sent.
    pub(crate) fn hand_on(&mut self, token: Token) -> Pledge {
        let pledge = self.free.pop().unwrap_or_default();
        self.in_hand.push_back((token, pledge.clone()));
        pledge
    }

    pub(crate) fn lose(&mut self, token: Token, reason: LossReason, now_ns: u64) {
        self.receiver.settle(token, Settlement::Lost(reason), now_ns);
    }

    pub(crate) fn give_up(&mut self) {
        self.receiver.give_up();
    }

    pub(crate) fn ask_to_end(&mut self) {
        self.receiver.ask_to_end();
    }

    /// True when the stopped run need not wait for a sender: none is there, and, where senders end with this run
    /// (`is_drained`), a late one has had its time. No sender is let in any more then.
    pub(crate) fn leaves_alone(&mut self, is_drained: bool, now_ns: u64) -> bool {
        let since_ns = *self.stopped_ns.get_or_insert(now_ns);
        let is_awaited = is_drained && self.receiver.parts().is_empty() && now_ns < since_ns + LATE_SENDER_NS;
        self.is_shut |= !self.is_up && !is_awaited;
        self.is_shut
    }

    pub(crate) fn abort(&mut self, why: &str) {
        self.receiver.abort(why);
    }

    /// The node has stopped: the connection ends when all is told.
    pub(crate) fn leave(&mut self, now_ns: u64) {
        self.leaving_ns = Some(now_ns);
    }

    /// True when each frame that the graph was given is completed.
    pub(crate) fn is_idle(&self) -> bool {
        self.in_hand.is_empty()
    }

    /// Tells the sender of frames that every holder has dropped. Acknowledgements are cumulative, so a frame behind one that
    /// is held needs no look.
    fn settle(&mut self, now_ns: u64) {
        while self.in_hand.front_mut().is_some_and(|(_, pledge)| pledge.is_free()) {
            let Some((token, pledge)) = self.in_hand.pop_front() else { return };
            self.free.push(pledge);
            self.receiver.settle(token, Settlement::Completed, now_ns);
            self.leaving_ns = self.leaving_ns.map(|_| now_ns);
        }
    }
}

impl End for Receiving {
    fn connected(&mut self, now_ns: u64) {
        self.is_up = true;
        self.receiver.connected(now_ns);
    }

    fn disconnected(&mut self, _now_ns: u64) {
        self.is_up = false;
        self.receiver.disconnected();
    }

    fn receive(&mut self, message: Message<Frame>, now_ns: u64) -> Result<(), Violation> {
        self.receiver.receive(message, now_ns)
    }

    fn step(&mut self, now_ns: u64) -> Step<Frame> {
        self.settle(now_ns);
        self.receiver.step(now_ns)
    }

    fn is_over(&mut self, now_ns: u64) -> bool {
        let Some(since_ns) = self.leaving_ns else { return false };
        self.settle(now_ns);
        match self.receiver.has_finished() {
            // The sender closes the connection when it has the final standing.
            true => self.is_idle() && !self.is_up,
            false => {
                let has_told = self.receiver.has_told() || !self.is_up;
                self.is_idle() && has_told && now_ns >= since_ns + FAREWELL_NS
            }
        }
    }

    fn wants_connection(&self) -> bool {
        !self.is_shut
    }

    fn look_again(&self) -> Duration {
        match self.in_hand.is_empty() {
            true => Duration::MAX,
            false if self.leaving_ns.is_none() && self.receiver.has_leisure() => LOOK_AT_LEISURE,
            false => LOOK_AGAIN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_receiver_waits_a_while_for_a_sender_that_never_came() {
        let mut receiving = Receiving::new(Settings::default(), 1);
        assert!(!receiving.leaves_alone(true, 5) && receiving.wants_connection());
        receiving.connected(6);
        assert!(!receiving.leaves_alone(true, 5 + LATE_SENDER_NS), "a sender is there");
        receiving.disconnected(7);
        assert!(!receiving.leaves_alone(true, 4 + LATE_SENDER_NS));
        assert!(receiving.leaves_alone(true, 5 + LATE_SENDER_NS) && !receiving.wants_connection());
        let mut without_drain = Receiving::new(Settings::default(), 1);
        assert!(without_drain.leaves_alone(false, 5) && !without_drain.wants_connection());
    }
}
