//! Real frames over real bytes: both ends with threads, over TCP and over a carrier with faults.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use livetime_frame::{Allocator, DType, Frame, FramePool, Layout};
use livetime_link::carrier::memory::{Faults, pair};
use livetime_link::carrier::tcp::Tcp;
use livetime_link::carrier::{Carrier, Incoming};
use livetime_link::wire::FrameHead;
use livetime_link::{Account, Message, Receiver, ReceiverEvent, Retain, Sender, Settings, Settlement, Step};

const FRAMES: u64 = 300;
const MS: u64 = 1_000_000;

fn settings() -> Settings {
    Settings {
        window_frames: 16,
        batch_frames: 4,
        heartbeat_ns: 5 * MS,
        resend_after_ns: 20 * MS,
        max_frame_bytes: 1 << 20,
        ..Settings::default()
    }
}

fn now(begin: Instant) -> u64 {
    begin.elapsed().as_nanos() as u64 + MS
}

/// An image whose pixels tell its number; every third one is a region of a larger image.
fn image(allocator: &mut Allocator, number: u64) -> Frame {
    let layout = Layout::packed(DType::U32, Default::default(), &[8, 16]).unwrap();
    let mut image = allocator.array(layout).unwrap();
    image.elements_mut::<u32>().unwrap().fill(number as u32);
    image.header_mut().sequence = number;
    let image = image.freeze();
    if number % 3 > 0 {
        return image;
    }
    let (region, start) = layout.crop(1, 4, 8).unwrap();
    allocator.view(&image, region, start).unwrap().freeze()
}

/// Messages of a connection, from a thread that reads them; the channel ends with the connection.
fn messages(mut incoming: Box<dyn Incoming>) -> mpsc::Receiver<Message<Frame>> {
    let (put, take) = mpsc::channel();
    std::thread::spawn(move || {
        let mut allocator = FramePool::new(16 << 20).allocator();
        let mut memory = |head: &FrameHead| head.allocate(&mut allocator).ok();
        while let Ok(message) = incoming.receive(&mut memory) {
            if put.send(message).is_err() {
                return;
            }
        }
    });
    take
}

/// What both ends have in common.
trait End {
    fn connected(&mut self, now_ns: u64);
    fn disconnected(&mut self);
    fn receive(&mut self, message: Message<Frame>, now_ns: u64);
    fn step(&mut self, now_ns: u64) -> Step<Frame>;
    /// Other work; true at the end.
    fn work(&mut self, now_ns: u64) -> bool;
}

fn drive(mut carrier: impl Carrier, end: &mut impl End) {
    let begin = Instant::now();
    loop {
        let connected = carrier.connect(Duration::from_millis(50)).unwrap();
        let Some((mut outgoing, incoming)) = connected else {
            if end.work(now(begin)) {
                return;
            }
            continue;
        };
        let messages = messages(incoming);
        end.connected(now(begin));
        loop {
            if end.work(now(begin)) {
                return;
            }
            match end.step(now(begin)) {
                Step::Send(message) if outgoing.send(&message).is_err() => break,
                Step::Send(_) => continue,
                Step::Reconnect => break,
                Step::Wait(_) => {}
            }
            match messages.recv_timeout(Duration::from_millis(1)) {
                Ok(message) => end.receive(message, now(begin)),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        outgoing.close();
        end.disconnected();
    }
}

struct Source {
    sender: Sender<Frame>,
    allocator: Allocator,
    next: u64,
}

impl End for Source {
    fn connected(&mut self, now_ns: u64) {
        self.sender.connected(now_ns);
    }
    fn disconnected(&mut self) {
        self.sender.disconnected();
    }
    fn receive(&mut self, message: Message<Frame>, now_ns: u64) {
        self.sender.receive(message, now_ns).unwrap();
    }
    fn step(&mut self, now_ns: u64) -> Step<Frame> {
        self.sender.step(now_ns)
    }
    fn work(&mut self, _: u64) -> bool {
        while self.next < FRAMES && self.sender.has_room() {
            self.sender.offer(image(&mut self.allocator, self.next)).unwrap();
            self.next += 1;
        }
        if self.next == FRAMES {
            self.sender.finish();
        }
        self.sender.has_ended()
    }
}

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
                assert_eq!(pixels.len(), if number % 3 == 0 { 64 } else { 128 });
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
        let mut source = Source { sender, allocator, next: 0 };
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
    let address = listening.local_address().unwrap().to_string();
    check(carry(Tcp::connect_to(&address, Vec::new(), 1 << 20), listening));
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
