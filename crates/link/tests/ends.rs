//! Two ends of a link with threads, as a node would lead them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use livetime_frame::{Allocator, DType, Frame, FramePool, Layout};
use livetime_link::carrier::{Carrier, Incoming};
use livetime_link::wire::FrameHead;
use livetime_link::{Message, Sender, Settings, Step};

const MS: u64 = 1_000_000;

pub(crate) fn settings() -> Settings {
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
pub(crate) fn image(allocator: &mut Allocator, number: u64) -> Frame {
    let layout = Layout::packed(DType::U32, Default::default(), &[8, 16]).unwrap();
    let mut image = allocator.array(layout).unwrap();
    image.elements_mut::<u32>().unwrap().fill(number as u32);
    image.header_mut().sequence = number;
    let image = image.freeze();
    if !number.is_multiple_of(3) {
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
pub(crate) trait End {
    fn connected(&mut self, now_ns: u64);
    fn disconnected(&mut self);
    fn receive(&mut self, message: Message<Frame>, now_ns: u64);
    fn step(&mut self, now_ns: u64) -> Step<Frame>;
    /// Other work; true at the end.
    fn work(&mut self, now_ns: u64) -> bool;
}

pub(crate) fn drive(mut carrier: impl Carrier, end: &mut impl End) {
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

pub(crate) struct Source {
    pub(crate) sender: Sender<Frame>,
    pub(crate) allocator: Allocator,
    pub(crate) next: u64,
    /// Ends after so many frames.
    pub(crate) frames: u64,
    /// Frames that may be offered by now.
    pub(crate) allowed: Arc<AtomicU64>,
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
        let allowed = self.allowed.load(Ordering::Relaxed).min(self.frames);
        while self.next < allowed && self.sender.has_room() {
            self.sender.offer(image(&mut self.allocator, self.next)).unwrap();
            self.next += 1;
        }
        if self.next == self.frames {
            self.sender.finish();
        }
        self.sender.has_ended()
    }
}
