//! A carrier inside a process, with faults on request, for tests.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use livetime_frame::{Codec, Frame};
use livetime_runtime::{Random, lock};

use super::stream::{Reader, Writer, write_all};
use super::{Carrier, CarrierError, Connected, Incoming, Memory, Outgoing};
use crate::message::Message;
use crate::wire::Decoder;

/// Faults of a carrier: each one happens to one message in so many; 0: never.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// The message is lost, which no good carrier does without a break.
    pub lose: usize,
    /// The message comes twice.
    pub repeat: usize,
    /// The message comes before the ones that are still under way.
    pub overtake: usize,
    /// The message comes once more over the next connection.
    pub outlive: usize,
    /// The connection breaks, and all messages under way are lost.
    pub cut: usize,
}

/// One end of a carrier inside this process.
pub struct MemoryEnd {
    shared: Arc<Shared>,
    side: usize,
    codecs: Vec<Codec>,
}

/// Makes the two ends of a carrier. The same seed gives the same faults for the same messages.
pub fn pair(faults: Faults, seed: u64, codecs: &[Codec]) -> [MemoryEnd; 2] {
    let state = State {
        random: Random::new(seed),
        wanted: [false; 2],
        connection: 0,
        is_open: false,
        queues: Default::default(),
        outliving: Default::default(),
    };
    let shared = Arc::new(Shared { faults, state: Mutex::new(state), changed: Condvar::new() });
    [0, 1].map(|side| MemoryEnd { shared: shared.clone(), side, codecs: codecs.to_vec() })
}

struct Shared {
    faults: Faults,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    random: Random,
    /// Which ends wait for a connection.
    wanted: [bool; 2],
    /// Number of the connection.
    connection: u64,
    is_open: bool,
    /// Messages to each end.
    queues: [VecDeque<Vec<u8>>; 2],
    /// Messages that come over the next connection.
    outliving: [Vec<Vec<u8>>; 2],
}

impl State {
    fn happens(&mut self, one_in: usize) -> bool {
        one_in > 0 && self.random.below(one_in) == 0
    }

    fn is_broken(&self, connection: u64) -> bool {
        !self.is_open || self.connection != connection
    }

    fn put(&mut self, to: usize, message: Vec<u8>, faults: &Faults) {
        if self.happens(faults.outlive) {
            self.outliving[to].push(message.clone());
        }
        if self.happens(faults.lose) {
            return;
        }
        if self.happens(faults.repeat) {
            self.queues[to].push_back(message.clone());
        }
        match self.happens(faults.overtake) {
            true => self.queues[to].push_front(message),
            false => self.queues[to].push_back(message),
        }
    }

    fn open(&mut self) {
        (self.wanted, self.is_open) = ([false; 2], true);
        self.connection += 1;
        for (queue, outliving) in self.queues.iter_mut().zip(&mut self.outliving) {
            queue.clear();
            queue.extend(outliving.drain(..));
        }
    }
}

impl Carrier for MemoryEnd {
    fn connect(&mut self, wait: Duration) -> Result<Option<Connected>, CarrierError> {
        let begun = Instant::now();
        let mut state = lock(&self.shared.state);
        let before = state.connection;
        state.is_open = false;
        state.wanted[self.side] = true;
        if state.wanted == [true; 2] {
            state.open();
        }
        self.shared.changed.notify_all();
        while state.connection == before {
            let left = wait.saturating_sub(begun.elapsed());
            if left.is_zero() {
                state.wanted[self.side] = false;
                return Ok(None);
            }
            let woken = self.shared.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        let half = Half { shared: self.shared.clone(), connection: state.connection, side: self.side };
        let decoder = Decoder::new(self.codecs.clone(), u64::MAX >> 16);
        let incoming = MemoryIncoming { half: half.clone(), reader: Reader::new(decoder) };
        Ok(Some((Box::new(MemoryOutgoing { half, writer: Writer::default() }), Box::new(incoming))))
    }
}

#[derive(Clone)]
struct Half {
    shared: Arc<Shared>,
    connection: u64,
    side: usize,
}

fn broken() -> CarrierError {
    CarrierError::Broken(io::ErrorKind::ConnectionReset.into())
}

struct MemoryOutgoing {
    half: Half,
    writer: Writer,
}

impl Outgoing for MemoryOutgoing {
    fn send(&mut self, message: &Message<Frame>) -> Result<(), CarrierError> {
        let mut bytes = Vec::new();
        self.writer.write(message, |slices| write_all(&mut bytes, slices))?;
        let Half { shared, connection, side } = &self.half;
        let mut state = lock(&shared.state);
        if state.happens(shared.faults.cut) {
            state.is_open = false;
        }
        if state.is_broken(*connection) {
            shared.changed.notify_all();
            return Err(broken());
        }
        state.put(1 - side, bytes, &shared.faults);
        shared.changed.notify_all();
        Ok(())
    }

    /// Memory takes each message.
    fn send_at_once(&mut self, message: &Message<Frame>) -> Result<bool, CarrierError> {
        self.send(message).map(|()| true)
    }

    fn close(&mut self) {
        let mut state = lock(&self.half.shared.state);
        if !state.is_broken(self.half.connection) {
            state.is_open = false;
        }
        self.half.shared.changed.notify_all();
    }
}

impl Drop for MemoryOutgoing {
    fn drop(&mut self) {
        self.close();
    }
}

struct MemoryIncoming {
    half: Half,
    reader: Reader,
}

impl Incoming for MemoryIncoming {
    fn receive(&mut self, memory: Memory<'_>) -> Result<Message<Frame>, CarrierError> {
        let Half { shared, connection, side } = &self.half;
        let mut state = lock(&shared.state);
        let bytes = loop {
            if state.is_broken(*connection) {
                return Err(broken());
            }
            if let Some(bytes) = state.queues[*side].pop_front() {
                break bytes;
            }
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        drop(state);
        self.reader.read(&mut &bytes[..], memory)
    }
}
