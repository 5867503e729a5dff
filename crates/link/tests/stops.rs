//! A stop of one run that the other end of a link is told of, in both directions.

use livetime_link::{
    Message, Parcel, Receiver, ReceiverEvent, Sender, SenderEvent, Settings, Settlement, Step,
};

#[derive(Clone, Debug, PartialEq)]
struct Byte;

impl Parcel for Byte {
    fn bytes(&self) -> u64 {
        1
    }
}

/// Both ends, connected at time 0.
struct Ends {
    sender: Sender<Byte>,
    receiver: Receiver<Byte>,
}

impl Ends {
    fn new() -> Ends {
        let settings = Settings::default();
        let mut ends =
            Ends { sender: Sender::new(settings.clone(), 1), receiver: Receiver::new(settings, 2) };
        ends.sender.connected(0);
        ends.receiver.connected(0);
        ends
    }

    /// Carries messages until neither end has one; frames are settled at once.
    fn carry(&mut self, now_ns: u64) {
        loop {
            let to_sender: Option<Message<Byte>> = sent(self.receiver.step(now_ns));
            let to_receiver = sent(self.sender.step(now_ns));
            if to_sender.is_none() && to_receiver.is_none() {
                return;
            }
            to_sender.into_iter().for_each(|message| self.sender.receive(message, now_ns).unwrap());
            to_receiver.into_iter().for_each(|message| self.receiver.receive(message, now_ns).unwrap());
            while let Some(event) = self.receiver.next_event() {
                if let ReceiverEvent::Frame(token, Byte) = event {
                    self.receiver.settle(token, Settlement::Completed, now_ns);
                }
            }
        }
    }

    fn asked(&mut self) -> usize {
        std::iter::from_fn(|| self.sender.next_event())
            .filter(|event| *event == SenderEvent::AskedToEnd)
            .count()
    }
}

fn sent(step: Step<Byte>) -> Option<Message<Byte>> {
    match step {
        Step::Send(message) => Some(message),
        Step::Wait(_) | Step::Reconnect => None,
    }
}

#[test]
fn a_receiver_asks_for_the_end_once_and_takes_every_frame() {
    let mut ends = Ends::new();
    ends.sender.offer(Byte).unwrap();
    ends.carry(0);
    assert_eq!(ends.asked(), 0);
    ends.receiver.ask_to_end();
    ends.receiver.ask_to_end();
    ends.carry(1);
    // Every later acknowledgement says it again, in case that one was lost.
    ends.carry(1_000_000_000);
    assert_eq!(ends.asked(), 1);
    ends.sender.offer(Byte).unwrap();
    ends.sender.stopped();
    ends.sender.finish();
    ends.carry(1_000_000_001);
    ends.carry(1_100_000_000);
    assert!(ends.sender.has_ended() && ends.receiver.was_stopped());
    let account = ends.sender.account();
    assert_eq!((account.offered, account.delivered), (2, 2));
}

#[test]
fn a_wish_to_end_outlives_the_connection() {
    let mut ends = Ends::new();
    ends.carry(0);
    ends.sender.disconnected();
    ends.receiver.disconnected();
    ends.receiver.ask_to_end();
    ends.sender.connected(1);
    ends.receiver.connected(1);
    ends.carry(1);
    ends.carry(1_000_000_000);
    assert_eq!(ends.asked(), 1);
}

#[test]
fn an_end_of_the_stream_is_no_stop() {
    let mut ends = Ends::new();
    ends.sender.offer(Byte).unwrap();
    ends.sender.finish();
    ends.carry(0);
    ends.carry(1_000_000_000);
    assert!(ends.sender.has_ended() && !ends.receiver.was_stopped());
    assert_eq!(ends.asked(), 0);
}
