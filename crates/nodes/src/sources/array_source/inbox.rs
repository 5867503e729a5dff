//! A bounded queue of clients' writes for the node.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use livetime_engine::NodeError;
use livetime_pva::data::{Array, Value};
use livetime_runtime::lock;

/// A write of a client.
#[derive(Debug)]
pub enum Written {
    /// An NTNDArray: a whole picture.
    Image(Value),
    /// Elements: a picture, or in append mode a part of one.
    Elements(Array),
}

impl Written {
    fn bytes(&self) -> usize {
        match self {
            Written::Image(image) => image.array("value").map_or(0, |pixels| pixels.data().len()),
            Written::Elements(elements) => elements.data().len(),
        }
    }
}

/// Receives the answer: whether a frame was made of the write, or why not. An answer that is dropped without being
/// called tells the client that the source has ended.
pub type Answer = Box<dyn FnOnce(Result<(), NodeError>) + Send>;

/// A bounded queue of clients' writes for the node. Clones share the queue.
#[derive(Clone)]
pub struct Inbox(Arc<Inner>);

struct Inner {
    items: usize,
    bytes: usize,
    waiting: Mutex<Waiting>,
    bell: Condvar,
}

#[derive(Default)]
struct Waiting {
    items: VecDeque<(Written, Answer)>,
    bytes: usize,
}

impl Inbox {
    /// `items` and `bytes` are the limits of the waiting writes. One write may always wait, whatever its size.
    pub fn new(items: usize, bytes: usize) -> Inbox {
        Inbox(Arc::new(Inner { items, bytes, waiting: Mutex::default(), bell: Condvar::new() }))
    }

    /// Leaves a client's write. Without room, `answer` gets the refusal, and nothing is left.
    pub fn leave(&self, written: Written, answer: Answer) {
        let mut waiting = self.lock();
        let bytes = written.bytes();
        let (items, sum) = (waiting.items.len(), waiting.bytes.saturating_add(bytes));
        if items > 0 && (items >= self.0.items || sum > self.0.bytes) {
            // The answer calls code of a client's connection, which may take locks of its own.
            drop(waiting);
            return answer(Err(NodeError::new(format_args!(
                "wanted room for {bytes} bytes, found {items} pictures that wait; write when the put before has ended"
            ))));
        }
        waiting.bytes += bytes;
        waiting.items.push_back((written, answer));
        // The woken thread needs this lock at once.
        drop(waiting);
        self.0.bell.notify_one();
    }

    /// The oldest that waits; waits for one for at most `limit`.
    pub(super) fn take(&self, limit: Duration) -> Option<(Written, Answer)> {
        let waited = self.0.bell.wait_timeout_while(self.lock(), limit, |w| w.items.is_empty());
        let mut waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
        let item = waiting.items.pop_front()?;
        waiting.bytes -= item.0.bytes();
        Some(item)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        lock(&self.0.waiting)
    }
}
