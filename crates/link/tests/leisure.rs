//! Which senders can wait for acknowledgements.

use livetime_frame::Frame;
use livetime_link::{Receiver, Retain, Sender, Settings, Step};

/// A receiver that has met a sender with these settings.
fn meet(settings: &Settings) -> Receiver<Frame> {
    let (mut sender, mut receiver) =
        (Sender::<Frame>::new(settings.clone(), 1), Receiver::new(settings.clone(), 2));
    sender.connected(1);
    receiver.connected(1);
    loop {
        let (from_receiver, from_sender) = (receiver.step(1), sender.step(1));
        let is_silent = matches!((&from_receiver, &from_sender), (Step::Wait(_), Step::Wait(_)));
        if let Step::Send(message) = from_receiver {
            sender.receive(message, 1).unwrap();
        }
        if let Step::Send(message) = from_sender {
            receiver.receive(message, 1).unwrap();
        }
        if is_silent {
            return receiver;
        }
    }
}

#[test]
fn a_sender_with_room_waits_but_for_the_frames_of_pools_and_their_results() {
    let settings = Settings::default();
    assert!(meet(&settings).has_leisure());
    assert!(!meet(&Settings { window_frames: 8, ..settings.clone() }).has_leisure());
    assert!(!meet(&Settings { retakes: true, ..settings.clone() }).has_leisure());
    assert!(!meet(&Settings { retain: Retain::Received, ..settings }).has_leisure());
}
