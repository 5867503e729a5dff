//! Where what clients write waits for the node.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use livetime_engine::NodeError;
use livetime_pva::data::{Array, Value};
use livetime_runtime::lock;

/// What a client has written.
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

/// Takes the answer: whether a frame was made of what was written, or why not. Dropped without being called, it answers
/// that the source has ended.
pub type Answer = Box<dyn FnOnce(Result<(), NodeError>) + Send>;

/// Where what clients write waits for the node, up to a bound. A clone is the same place.
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
    /// `items` and `bytes` are the limits of what waits. One item may always wait, whatever its size.
    pub fn new(items: usize, bytes: usize) -> Inbox {
        Inbox(Arc::new(Inner { items, bytes, waiting: Mutex::default(), bell: Condvar::new() }))
    }

    /// Leaves what a client has written. When there is no room, `answer` says so, and nothing is left.
    pub fn leave(&self, written: Written, answer: Answer) {
        let mut waiting = self.lock();
        let bytes = written.bytes();
        let (items, sum) = (waiting.items.len(), waiting.bytes.saturating_add(bytes));
        if items > 0 && (items >= self.0.items || sum > self.0.bytes) {
            drop(waiting);
            return answer(Err(NodeError::new(format_args!(
                "wanted room for {bytes} bytes, found {items} pictures that wait; write when the put before has ended"
            ))));
        }
        waiting.bytes += bytes;
        waiting.items.push_back((written, answer));
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
