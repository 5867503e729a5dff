//! Real frames over real bytes: both ends with threads, over TCP and over a carrier with faults.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::ends::{End, Source, drive, settings};
use livetime_frame::{Frame, FramePool};
use livetime_link::carrier::Carrier;
use livetime_link::carrier::memory::{Faults, pair};
use livetime_link::carrier::tcp::Tcp;
use livetime_link::{
    Abort, Account, Body, Message, Receiver, ReceiverEvent, Retain, Sender, Settlement, Step, Told,
};

const FRAMES: u64 = 300;

struct Sink {
    receiver: Receiver<Frame>,
    numbers: Vec<u64>,
    /// Ends when the sender has ended.
    is_over: mpsc::Receiver<()>,
}

impl End for Sink {
    fn connected(&mut self, now_ns: u64) {
        self.receiver.connected(now_ns);
    }
    fn disconnected(&mut self) {
        self.receiver.disconnected();
    }
    fn receive(&mut self, message: Message<Frame>, now_ns: u64) {
        self.receiver.receive(message, now_ns).unwrap();
    }
    fn step(&mut self, now_ns: u64) -> Step<Frame> {
        self.receiver.step(now_ns)
    }
    fn work(&mut self, now_ns: u64) -> bool {
        while let Some(event) = self.receiver.next_event() {
            if let ReceiverEvent::Frame(token, frame) = event {
                let pixels = frame.array().unwrap().elements::<u32>().unwrap();
                let number = frame.header().sequence;
                assert!(pixels.iter().all(|pixel| u64::from(*pixel) == number));
                assert_eq!(pixels.len(), if number.is_multiple_of(3) { 64 } else { 128 });
                self.numbers.push(number);
                self.receiver.settle(token, Settlement::Completed, now_ns);
            }
        }
        matches!(self.is_over.try_recv(), Err(mpsc::TryRecvError::Disconnected))
    }
}

/// All frames over this carrier: the accounts of both ends, and the numbers in the order in which they came.
fn carry(from: impl Carrier + 'static, to: impl Carrier) -> (Account, Account, Vec<u64>) {
    let (over, is_over) = mpsc::channel();
    let sending = std::thread::spawn(move || {
        let sender = Sender::new(settings(), 1 << 40);
        let allocator = FramePool::new(16 << 20).allocator();
        let mut source =
            Source { sender, allocator, next: 0, frames: FRAMES, allowed: Arc::new(FRAMES.into()) };
        drive(from, &mut source);
        drop(over);
        source.sender.account()
    });
    let mut sink = Sink { receiver: Receiver::new(settings(), 2 << 40), numbers: Vec::new(), is_over };
    drive(to, &mut sink);
    (sending.join().unwrap(), sink.receiver.account(), sink.numbers)
}

fn check(carried: (Account, Account, Vec<u64>)) {
    let (sent, received, numbers) = carried;
    assert_eq!(numbers, (0..FRAMES).collect::<Vec<_>>());
    let wanted = Account { offered: FRAMES, delivered: FRAMES, ..Account::default() };
    assert_eq!((sent, received), (wanted, wanted));
}

#[test]
fn all_frames_pass_tcp_in_order() {
    let listening = Tcp::listen("127.0.0.1:0", Vec::new(), 1 << 20).unwrap();
    let address = listening.address().unwrap();
    check(carry(Tcp::connect_to(&address, Vec::new(), 1 << 20), listening));
}

#[test]
fn a_full_socket_gets_the_rest_later() {
    let mut listening = Tcp::listen("127.0.0.1:0", Vec::new(), 1 << 20).unwrap();
    let mut connecting = Tcp::connect_to(&listening.address().unwrap(), Vec::new(), 1 << 20);
    let wait = Duration::from_secs(5);
    let connected = std::thread::spawn(move || connecting.connect(wait).unwrap().unwrap());
    let (_back, mut incoming) = listening.connect(wait).unwrap().unwrap();
    let (mut outgoing, _answers) = connected.join().unwrap();
    let why = |number: usize| format!("{number:900}");
    let abort = |number| Abort { why: why(number), told: Told::default() };
    let message = |number| Message { from: 1, to: 2, body: Body::Abort(abort(number)) };
    let mut sent = 0;
    while outgoing.send_at_once(&message(sent)).unwrap() {
        sent += 1;
    }
    std::thread::scope(|scope| {
        // The rest of the message that has begun, and one more.
        scope.spawn(|| (sent..sent + 2).for_each(|number| outgoing.send(&message(number)).unwrap()));
        for number in 0..sent + 2 {
            let came = incoming.receive(&mut |_| None).unwrap();
            let Body::Abort(abort) = came.body else { panic!("wanted an abort") };
            assert_eq!(abort.why, why(number));
        }
    });
}

#[test]
fn all_frames_pass_a_carrier_that_loses_repeats_reorders_and_cuts() {
    for seed in 0..5 {
        let faults = Faults { lose: 20, repeat: 15, overtake: 15, outlive: 10, cut: 60 };
        let [from, to] = pair(faults, seed, &[]);
        check(carry(from, to));
    }
}

#[test]
fn retain_has_names() {
    assert_eq!(Retain::ALL.map(Retain::name), ["received", "completed", "stored"]);
}
