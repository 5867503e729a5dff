//! Following a channel.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::channel::Channel;
use super::op::{Callback, Op};
use super::queue::{Event, EventQueue, Update};
use super::{Error, Result};
use crate::proto::client::Job;
use crate::request::{Options, parse};

impl Channel {
    /// Follows the fields that `request` names. With `record[pipeline=true,queueSize=8]` the server waits for
    /// this program, and no update is lost.
    pub fn monitor(&self, request: &str) -> Result<Monitor> {
        self.follow(request, None)
    }

    /// As [`Channel::monitor`], with a function that is called from a thread of the client, or from one that waits
    /// for something on the same connection. It should be quick, and must not wait for an operation: the thread
    /// that would read the answer is the one it runs on. It ends when what is returned is dropped.
    pub fn subscribe(&self, request: &str, callback: impl FnMut(Event) + Send + 'static) -> Result<Monitor> {
        self.follow(request, Some(Box::new(callback)))
    }

    fn follow(&self, request: &str, callback: Option<Callback>) -> Result<Monitor> {
        let request = parse(request)?;
        let options = Options::of(&request);
        let size = options.queue_size.clamp(2, 1 << 20);
        let window = options.pipeline.then_some(size);
        let queue = EventQueue::new(size, window.map(|window| options.ack_any.count(window)));
        let op = Op::monitor(Job::Monitor(window), request, queue, callback);
        let op = op.on(self.home());
        let op = Arc::new(op);
        self.submit(&op);
        Ok(Monitor::new(op, self.clone()))
    }
}

/// A running monitor. It ends when it is dropped.
///
/// It continues by itself when a server comes back; [`Event::Disconnected`] and [`Event::Connected`] report
/// the gap, and whether the server is the same.
pub struct Monitor {
    op: Arc<Op>,
    channel: Channel,
}

impl Monitor {
    pub(super) fn new(op: Arc<Op>, channel: Channel) -> Monitor {
        Monitor { op, channel }
    }

    /// The next event; `None` if there is none within `timeout`. After [`Event::Ended`] it fails.
    pub fn next(&mut self, timeout: Duration) -> Result<Option<Event>> {
        // A time limit beyond the clock means without an end.
        let deadline = Instant::now().checked_add(timeout);
        loop {
            if let Some(event) = self.op.next_event() {
                return Ok(Some(event));
            }
            // After the queue: events from before the end are still delivered.
            if self.op.is_over() {
                return Err(Error::Closed);
            }
            if !self.op.wait(deadline) {
                return Ok(None);
            }
        }
    }

    /// The next event, awaited. After [`Event::Ended`] it fails.
    pub fn event(&mut self) -> impl Future<Output = Result<Event>> + '_ {
        NextEvent(self)
    }

    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Result<Event>> {
        loop {
            if let Some(event) = self.op.next_event() {
                return Poll::Ready(Ok(event));
            }
            if self.op.is_over() {
                return Poll::Ready(Err(Error::Closed));
            }
            // True if an event came after the look above.
            if !self.op.register(context.waker()) {
                return Poll::Pending;
            }
        }
    }

    /// Returns an update, whose memory a later update reuses, so that a loop that does this allocates nothing
    /// more. Arrays, which are shared, are released.
    pub fn recycle(&mut self, update: Update) {
        let mut value = update.value;
        // A pixel array belongs to the pool of the user, which waits for it.
        value.empty();
        if let Some(queue) = self.op.state().queue.as_mut() {
            queue.recycle(value);
        }
    }

    /// Asks the server to send nothing for a while, or to continue, which begins with everything.
    pub fn pause(&mut self, paused: bool) {
        // A copy, so that the operation is unlocked before the connection is locked.
        let place = self.op.state().place.clone();
        if let Some((conn, ioid)) = place {
            conn.with(|core| core.connection.pause(ioid, paused));
        }
    }

    /// The channel.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Monitor({})", self.channel.name())
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.channel.abandon(&self.op);
    }
}

struct NextEvent<'a>(&'a mut Monitor);

impl Future for NextEvent<'_> {
    type Output = Result<Event>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Event>> {
        self.0.poll_event(context)
    }
}
