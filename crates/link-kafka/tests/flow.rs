//! Frames through a topic, without faults.

use std::sync::atomic::AtomicU64;
use std::thread;

use livetime_link::Account;

use crate::ends::{all, broker, send, take, take_while, topic};

#[test]
fn frames_arrive_once_in_order_and_as_they_were_sent() {
    let Some(broker) = broker() else { return };
    let topic = topic(broker, "flow");
    let to = topic.clone();
    let sending = thread::spawn(move || send(&to, 400));
    let taken = take(&topic);
    assert_eq!(taken.numbers, (0..400).collect::<Vec<_>>());
    assert_eq!(sending.join().unwrap(), (all(400), None));
    let accounts: Vec<Account> = taken.parts.iter().map(|part| part.account).collect();
    assert_eq!((accounts, taken.refusal), (vec![all(400)], None));
}

#[test]
fn a_group_that_comes_late_has_all_frames_too() {
    let Some(broker) = broker() else { return };
    let topic = topic(broker, "late");
    assert_eq!(send(&topic, 120), (all(120), None));
    for group in ["", "?group=late", "?group=later"] {
        let taken = take(&format!("{topic}{group}"));
        assert_eq!(taken.numbers, (0..120).collect::<Vec<_>>(), "{group}");
    }
}

#[test]
fn a_second_run_is_another_epoch_and_for_the_next_reader() {
    let Some(broker) = broker() else { return };
    let topic = topic(broker, "runs");
    assert_eq!(send(&topic, 30), (all(30), None));
    assert_eq!(send(&topic, 40), (all(40), None));
    let epochs = [30, 40].map(|frames| {
        let taken = take(&topic);
        assert_eq!(taken.numbers, (0..frames).collect::<Vec<_>>());
        let [part] = &taken.parts[..] else { panic!("one sender: {:?}", taken.parts) };
        assert_eq!((part.start, part.account), (0, all(frames)));
        part.epoch
    });
    assert_ne!(epochs[0], epochs[1]);
}

#[test]
fn a_reader_that_left_goes_on_behind_what_it_had_completed() {
    let Some(broker) = broker() else { return };
    let topic = topic(broker, "left");
    assert_eq!(send(&topic, 100), (all(100), None));
    let first = take_while(&topic, &AtomicU64::new(0), |number| number < 41);
    assert_eq!(first.numbers, (0..=41).collect::<Vec<_>>());
    let second = take(&topic);
    let [part] = &second.parts[..] else { panic!("one sender: {:?}", second.parts) };
    assert!(part.start <= 42, "{part:?}");
    assert_eq!(second.numbers, (part.start..100).collect::<Vec<_>>());
    assert!(42 - part.start <= part.account.sent_again, "{part:?}");
    assert!(part.account.closes());
}
