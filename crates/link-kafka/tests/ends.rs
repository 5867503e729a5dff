//! Both ends of a link with threads, as nodes would lead them, and the broker that all tests share.

use std::collections::VecDeque;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use livetime_frame::{Allocator, Frame, FramePool};
use livetime_link::carrier::{Carrier, CarrierError, Incoming};
use livetime_link::wire::FrameHead;
use livetime_link::{
    Account, Cut, Message, Part, Receiver, ReceiverEvent, Sender, Settings, Settlement, Step, Token,
};
use livetime_link_kafka::{Address, Consuming, Ends, Producing};
use livetime_testkit::Broker;

/// The broker of this process; none where it cannot be had.
pub(crate) fn broker() -> Option<&'static Broker> {
    static BROKER: OnceLock<Option<Broker>> = OnceLock::new();
    BROKER.get_or_init(|| Broker::start("tests")).as_ref()
}

/// A topic that no other test has.
pub(crate) fn topic(broker: &Broker, name: &str) -> String {
    format!("{}/{name}-{}", broker.address(), std::process::id())
}

pub(crate) fn settings() -> Settings {
    let cut = Cut { name: "link".into(), ..Cut::default() };
    Settings { cut, window_frames: 64, max_frame_bytes: 4 << 20, ..Settings::default() }
}

/// All frames are delivered.
pub(crate) fn all(frames: u64) -> Account {
    Account { offered: frames, delivered: frames, ..Account::default() }
}

fn ends(settings: &Settings) -> Ends {
    let Settings { cut, window_frames, max_frame_bytes, .. } = settings.clone();
    Ends { cut, window_frames, max_frame_bytes, codecs: Vec::new() }
}

pub(crate) fn epoch() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let time = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    time.wrapping_add(COUNT.fetch_add(1, Ordering::Relaxed)) | 1
}

/// A frame that is known by its number; some have several records.
pub(crate) fn frame(allocator: &mut Allocator, number: u64) -> Frame {
    let len = if number % 50 == 7 { 2_500_000 } else { 1_000 + number as usize % 500 };
    let mut frame = allocator.bytes(len).unwrap();
    frame.header_mut().sequence = number;
    frame.bytes_mut().iter_mut().enumerate().for_each(|(at, byte)| *byte = pixel(number, at));
    frame.freeze()
}

fn pixel(number: u64, at: usize) -> u8 {
    (number as usize).wrapping_mul(31).wrapping_add(at.wrapping_mul(7)) as u8
}

pub(crate) fn check(frame: &Frame) -> u64 {
    let number = frame.header().sequence;
    let bytes = frame.bytes();
    assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == pixel(number, at)), "frame {number}");
    assert_eq!(bytes.len(), if number % 50 == 7 { 2_500_000 } else { 1_000 + number as usize % 500 });
    number
}

/// An end of a link in its thread.
pub(crate) trait End {
    fn connected(&mut self, now_ns: u64);
    fn disconnected(&mut self);
    fn receive(&mut self, message: Message<Frame>, now_ns: u64);
    fn step(&mut self, now_ns: u64) -> Step<Frame>;
    /// Other work; true at the end.
    fn work(&mut self, now_ns: u64) -> bool;
}

/// Messages of a connection, from a thread that reads them; the channel ends with the connection.
fn messages(mut incoming: Box<dyn Incoming>) -> mpsc::Receiver<Result<Message<Frame>, CarrierError>> {
    let (put, take) = mpsc::sync_channel(4);
    std::thread::spawn(move || {
        let mut allocator = FramePool::new(64 << 20).allocator();
        let mut memory = |head: &FrameHead| head.allocate(&mut allocator).ok();
        loop {
            let message = incoming.receive(&mut memory);
            let is_end = message.is_err();
            if put.send(message).is_err() || is_end {
                return;
            }
        }
    });
    take
}

/// Leads an end until it is over, or its carrier refuses the topic; returns the refusal.
pub(crate) fn drive(mut carrier: impl Carrier, end: &mut impl End) -> Option<String> {
    let begin = Instant::now();
    let now = || begin.elapsed().as_nanos() as u64 + 1;
    while !end.work(now()) {
        let (mut outgoing, incoming) = match carrier.connect(Duration::from_millis(50)) {
            Ok(Some(connected)) => connected,
            Ok(None) => continue,
            Err(error) => return Some(error.to_string()),
        };
        let messages = messages(incoming);
        end.connected(now());
        let mut refusal = None;
        while !end.work(now()) {
            match end.step(now()) {
                Step::Send(message) if outgoing.send(&message).is_err() => break,
                Step::Send(_) => continue,
                Step::Reconnect => break,
                Step::Wait(_) => {}
            }
            match messages.recv_timeout(Duration::from_millis(1)) {
                Ok(Ok(message)) => end.receive(message, now()),
                Ok(Err(CarrierError::Broken(_))) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(Err(error)) => {
                    refusal = Some(error.to_string());
                    break;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        outgoing.close();
        // The reader must have ended before the carrier connects again.
        while messages.recv().is_ok() {}
        end.disconnected();
        if refusal.is_some() {
            return refusal;
        }
    }
    None
}

/// Sends numbered frames.
pub(crate) struct Source {
    sender: Sender<Frame>,
    allocator: Allocator,
    next: u64,
    frames: u64,
    /// Stops, without an end, when this many are delivered: as a killed process would.
    dies_at: u64,
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
        while self.next < self.frames && self.sender.has_room() {
            self.sender.offer(frame(&mut self.allocator, self.next)).unwrap();
            self.next += 1;
        }
        if self.next == self.frames && self.dies_at == u64::MAX {
            self.sender.finish();
        }
        self.sender.has_ended() || self.sender.account().delivered >= self.dies_at
    }
}

/// Sends `frames` frames to a topic; returns the account and the refusal.
pub(crate) fn send(topic: &str, frames: u64) -> (Account, Option<String>) {
    send_as(&settings(), topic, frames, u64::MAX)
}

/// The same, until `dies_at` frames are delivered.
pub(crate) fn send_as(
    settings: &Settings,
    topic: &str,
    frames: u64,
    dies_at: u64,
) -> (Account, Option<String>) {
    send_to(settings, topic.parse().unwrap(), frames, dies_at)
}

/// The same to an address.
pub(crate) fn send_to(
    settings: &Settings,
    address: Address,
    frames: u64,
    dies_at: u64,
) -> (Account, Option<String>) {
    let epoch = epoch();
    let carrier = Producing::new(address, ends(settings), epoch);
    let allocator = FramePool::new(512 << 20).allocator();
    let sender = Sender::new(settings.clone(), epoch);
    let mut source = Source { sender, allocator, next: 0, frames, dies_at };
    let refusal = drive(carrier, &mut source);
    (source.sender.account(), refusal)
}

/// Takes frames, and hands each to `handle`, with its token.
struct Sink<'a, H> {
    receiver: Receiver<Frame>,
    in_hand: VecDeque<(Token, Frame)>,
    handle: H,
    has_ended: bool,
    has_stopped: bool,
    is_up: bool,
    downs: &'a AtomicU64,
}

impl<H: FnMut(u64) -> bool> End for Sink<'_, H> {
    fn connected(&mut self, now_ns: u64) {
        self.is_up = true;
        self.receiver.connected(now_ns);
    }
    fn disconnected(&mut self) {
        self.is_up = false;
        self.downs.fetch_add(1, Ordering::Relaxed);
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
            match event {
                ReceiverEvent::Frame(token, frame) => self.in_hand.push_back((token, frame)),
                ReceiverEvent::End | ReceiverEvent::Aborted(_) => self.has_ended = true,
                ReceiverEvent::Met { .. } => {}
            }
        }
        while !self.has_stopped
            && let Some((token, frame)) = self.in_hand.pop_front()
        {
            self.has_stopped = !(self.handle)(check(&frame));
            self.receiver.settle(token, Settlement::Completed, now_ns);
        }
        self.has_stopped || (self.has_ended && self.receiver.has_finished() && !self.is_up)
    }
}

/// What a reader has.
pub(crate) struct Taken {
    pub(crate) numbers: Vec<u64>,
    pub(crate) parts: Vec<Part>,
    pub(crate) refusal: Option<String>,
}

/// Takes frames until the sender's end.
pub(crate) fn take(topic: &str) -> Taken {
    take_while(topic, &AtomicU64::new(0), |_| true)
}

/// Takes frames until the sender's end, or until `handle` returns false; counts in `downs` how often the broker was lost.
pub(crate) fn take_while(topic: &str, downs: &AtomicU64, handle: impl FnMut(u64) -> bool) -> Taken {
    take_from(topic.parse().unwrap(), downs, handle)
}

/// The same from an address.
pub(crate) fn take_from(address: Address, downs: &AtomicU64, mut handle: impl FnMut(u64) -> bool) -> Taken {
    let (settings, epoch) = (settings(), epoch());
    let carrier = Consuming::new(address, ends(&settings), epoch);
    let mut numbers = Vec::new();
    let handle = |number| {
        numbers.push(number);
        handle(number)
    };
    let receiver = Receiver::new(settings, epoch);
    let in_hand = VecDeque::new();
    let mut sink =
        Sink { receiver, in_hand, handle, has_ended: false, has_stopped: false, is_up: false, downs };
    let refusal = drive(carrier, &mut sink);
    let parts = sink.receiver.parts();
    Taken { numbers, parts, refusal }
}
