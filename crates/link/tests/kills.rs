//! A receiver in a process of its own, killed with SIGKILL again and again. The file that it wrote is the truth.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use livetime_frame::{Frame, FramePool};
use livetime_link::carrier::{Carrier, tcp::Tcp};
use livetime_link::{
    Account, Losses, Message, Receiver, ReceiverEvent, Retain, Sender, Settlement, Standing, Step,
};
use livetime_runtime::Random;
use livetime_testkit::{test_process, wait_until};

use crate::ends::{End, Source, drive, settings};

const FRAMES: u64 = 1_500;
const KILLS: u64 = 8;

/// A record of the file: number of the frame, epoch of the sender, position.
const RECORD: usize = 24;

const ADDRESS: &str = "LIVETIME_LINK_ADDRESS";
const RECORDS: &str = "LIVETIME_LINK_RECORDS";
const RETAIN: &str = "LIVETIME_LINK_RETAIN";

struct Recorder {
    receiver: Receiver<Frame>,
    file: File,
    is_over: bool,
}

impl Recorder {
    fn handle(&mut self, event: ReceiverEvent<Frame>, now_ns: u64) {
        let ReceiverEvent::Frame(token, frame) = event else { return };
        let numbers = [frame.header().sequence, token.epoch, token.position];
        let record: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        self.file.write_all(&record).unwrap();
        // A written record survives the process, and is all that this store promises.
        self.receiver.settle(token, Settlement::Stored, now_ns);
    }
}

impl End for Recorder {
    fn connected(&mut self, now_ns: u64) {
        self.receiver.connected(now_ns);
    }
    fn disconnected(&mut self) {
        self.is_over = self.receiver.has_finished();
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
            self.handle(event, now_ns);
        }
        self.is_over
    }
}

fn records(path: &Path) -> Vec<[u64; 3]> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let numbers = |record: &[u8]| {
        [0, 8, 16].map(|place| u64::from_le_bytes(record[place..place + 8].try_into().unwrap()))
    };
    bytes.chunks_exact(RECORD).map(numbers).collect()
}

/// The other process of the tests below.
#[test]
#[ignore = "run by `a_killed_receiver_that_stores_has_each_frame_once` and others"]
fn record() {
    let Ok(path) = std::env::var(RECORDS) else { return };
    let path = PathBuf::from(path);
    let is_store = std::env::var(RETAIN).unwrap() == "stored";
    let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let last = records(&path).last().copied().filter(|_| is_store);
    let receiver = match last {
        Some([_, sender, position]) => {
            let standing = Standing::at(position + 1, Losses::default());
            Receiver::resumed(settings(), epoch, (sender, standing))
        }
        None => Receiver::new(settings(), epoch),
    };
    let file = OpenOptions::new().create(true).append(true).open(&path).unwrap();
    let carrier = Tcp::connect_to(&std::env::var(ADDRESS).unwrap(), Vec::new(), 1 << 20);
    drive(carrier, &mut Recorder { receiver, file, is_over: false });
}

fn start(address: &str, path: &Path, retain: Retain) -> Child {
    let mut command = test_process(module_path!(), "record").unwrap();
    command.env(ADDRESS, address).env(RECORDS, path).env(RETAIN, retain.name());
    command.stderr(Stdio::inherit()).spawn().unwrap()
}

/// Kills the receiver when it has written some more records, again and again, and starts it anew. The source may always go
/// on behind them, and never as far as to its end.
fn kill_again_and_again(address: &str, path: &Path, retain: Retain, seed: u64, allowed: &AtomicU64) -> Child {
    let mut random = Random::new(seed);
    let mut child = start(address, path, retain);
    for kill in 1..=KILLS {
        let wanted = records(path).len() + 5 + random.below(100);
        allowed.store(FRAMES * kill / (KILLS + 1), Ordering::Relaxed);
        wait_until("records", || {
            let most = records(path).len();
            // Frames in doubt are not in the file.
            most >= wanted || distinct(path) + 16 * kill >= FRAMES * kill / (KILLS + 1)
        });
        child.kill().unwrap();
        child.wait().unwrap();
        child = start(address, path, retain);
    }
    allowed.store(FRAMES, Ordering::Relaxed);
    child
}

fn distinct(path: &Path) -> u64 {
    let records = records(path);
    records.iter().map(|record| record[0]).collect::<HashSet<_>>().len() as u64
}

fn run(retain: Retain, seed: u64) -> (Account, Vec<[u64; 3]>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records");
    let carrier = Tcp::listen("127.0.0.1:0", Vec::new(), 1 << 20).unwrap();
    let address = carrier.address().unwrap();
    let allowed = Arc::new(AtomicU64::new(0));
    let mut settings = settings();
    settings.retain = retain;
    let allocator = FramePool::new(16 << 20).allocator();
    let mut source = Source {
        sender: Sender::new(settings, seed + 1),
        allocator,
        next: 0,
        frames: FRAMES,
        allowed: allowed.clone(),
    };
    std::thread::scope(|scope| {
        let killer = scope.spawn(|| kill_again_and_again(&address, &path, retain, seed, &allowed));
        drive(carrier, &mut source);
        assert!(killer.join().unwrap().wait().unwrap().success(), "the receiver ends with its sender");
    });
    let (account, records) = (source.sender.account(), records(&path));
    assert!(account.closes() && account.queued == 0 && account.offered == FRAMES, "{account}");
    (account, records)
}

/// How many frames are not in the file, and how many records are of frames that are there already.
fn missing_and_twice(records: &[[u64; 3]]) -> (u64, u64) {
    let mut counts = HashMap::new();
    records.iter().for_each(|[number, ..]| *counts.entry(*number).or_insert(0u64) += 1);
    (FRAMES - counts.len() as u64, records.len() as u64 - counts.len() as u64)
}

/// Schedules of kills for each test: one in CI, more by hand.
fn seeds() -> std::ops::Range<u64> {
    let count = std::env::var("LIVETIME_LINK_KILLS").ok().and_then(|count| count.parse().ok());
    0..count.unwrap_or(1)
}

#[test]
fn a_killed_receiver_that_stores_has_each_frame_once() {
    for seed in seeds() {
        let (account, records) = run(Retain::Stored, seed);
        let numbers: Vec<u64> = records.iter().map(|record| record[0]).collect();
        assert_eq!(numbers, (0..FRAMES).collect::<Vec<_>>(), "seed {seed}");
        assert_eq!((account.delivered, account.in_doubt, account.sent_again), (FRAMES, 0, 0), "{account}");
    }
}

#[test]
fn a_killed_receiver_that_completes_misses_nothing() {
    for seed in seeds() {
        let (account, records) = run(Retain::Completed, seed);
        let (missing, twice) = missing_and_twice(&records);
        assert_eq!((missing, account.delivered, account.in_doubt), (0, FRAMES, 0), "{account}");
        assert!(twice <= account.sent_again, "{twice} are recorded twice; {account}");
    }
}

#[test]
fn frames_that_a_killed_receiver_had_only_received_are_in_doubt() {
    for seed in seeds() {
        let (account, records) = run(Retain::Received, seed);
        let (missing, twice) = missing_and_twice(&records);
        assert!(missing <= account.in_doubt, "{missing} are missing; {account}");
        assert!(twice <= account.sent_again, "{twice} are recorded twice; {account}");
    }
}
