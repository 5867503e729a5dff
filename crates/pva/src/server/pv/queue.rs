//! The updates that wait for one monitor.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::View;
use super::mailbox::Mailbox;
use crate::data::Structure;
use crate::lock::lock;
use crate::server::account::Charge;
use crate::wire::{BitSet, Encoded, Writer};

/// Up to this length an update is copied for each subscriber: that is cheaper than counting references.
const SMALL: usize = 94;

/// An encoded update without its head.
#[derive(Clone)]
pub(crate) enum UpdateBody {
    Small(u8, [u8; SMALL]),
    Shared(Encoded),
}

impl UpdateBody {
    /// Takes the content of `writer`.
    pub(crate) fn take(writer: &mut Writer) -> UpdateBody {
        if writer.len() > SMALL {
            return UpdateBody::Shared(writer.take());
        }
        let mut bytes = [0; SMALL];
        let mut end = 0;
        for chunk in writer.chunks() {
            bytes[end..end + chunk.len()].copy_from_slice(chunk);
            end += chunk.len();
        }
        writer.clear();
        UpdateBody::Small(end as u8, bytes)
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            UpdateBody::Small(len, _) => usize::from(*len),
            UpdateBody::Shared(encoded) => encoded.len(),
        }
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        match self {
            UpdateBody::Small(len, bytes) => writer.raw(&bytes[..usize::from(*len)]),
            UpdateBody::Shared(encoded) => writer.encoded(encoded),
        }
    }
}

/// A running monitor: the shared state of the PV and the connection.
pub(crate) struct Subscription {
    pub(crate) ioid: u32,
    pub(crate) view: View,
    limit: usize,
    limit_bytes: usize,
    // Where the monitor comes from.
    host: IpAddr,
    mailbox: Arc<Mailbox>,
    // Whether the newest update is not encoded yet, to be asked without the lock.
    lazy: AtomicBool,
    squashed: AtomicU64,
    queue: Mutex<UpdateQueue>,
}

struct UpdateQueue {
    // `None`, only at the end: to be encoded from the value of the PV when it is sent.
    entries: VecDeque<Option<UpdateBody>>,
    bytes: usize,
    // Of the newest update that was encoded: the next one is supposed to be as long.
    usual: usize,
    // For waiting updates beyond the fixed count of a monitor.
    charge: Charge,
    // Of the newest update: the changed fields, and the fields that changed more than once.
    changed: BitSet,
    overrun: BitSet,
    window: Option<u32>,
    // Whether the connection knows that there is something to send.
    scheduled: bool,
    running: bool,
    finished: bool,
}

/// The next update to send, and whether there is more after it.
pub(crate) enum NextUpdate {
    Body(UpdateBody, bool),
    /// The update needs the value of the PV to be encoded.
    Encode,
    /// That, which was encoded now.
    Encoded(bool),
    /// The last message.
    Finished,
    Nothing,
}

/// How much may be queued for a monitor, and the account that pays for it.
pub(crate) struct Depth {
    /// Updates.
    pub(crate) updates: usize,
    /// Bytes of them.
    pub(crate) bytes: usize,
    /// Updates that may be sent before the client asks for more, if it wants to be asked.
    pub(crate) window: Option<u32>,
    pub(crate) charge: Charge,
}

/// An update in a queue, without the memory that it refers to.
const ENTRY: usize = size_of::<Option<UpdateBody>>();

/// Bytes of a queue, four entries, that are counted with the monitor itself.
const INCLUDED: usize = 4 * ENTRY;

/// Memory is charged in steps of this size, so that the accounts are locked rarely.
const STEP: usize = 4096;

/// A longer queue is made smaller once it is empty, if others could need its memory.
const LONG: usize = 1024;

/// Memory that must be free for others; with less, empty queues give theirs back.
const RESERVE: usize = 32 << 20;

/// Updates of at least this size are released when memory is needed elsewhere.
const LARGE: usize = 16 << 10;

impl Subscription {
    pub(crate) fn new(
        ioid: u32,
        view: View,
        depth: Depth,
        host: IpAddr,
        mailbox: Arc<Mailbox>,
    ) -> Subscription {
        let queue = Mutex::new(UpdateQueue::new(depth.window, depth.charge));
        let (lazy, squashed) = (AtomicBool::new(false), AtomicU64::new(0));
        let (limit, limit_bytes) = (depth.updates.max(1), depth.bytes);
        Subscription { ioid, view, limit, limit_bytes, host, mailbox, lazy, squashed, queue }
    }

    pub(crate) fn host(&self) -> IpAddr {
        self.host
    }

    fn lock(&self) -> MutexGuard<'_, UpdateQueue> {
        lock(&self.queue)
    }

    /// Begins with the fields `first`. Returns whether the connection has to look.
    pub(crate) fn start(&self, first: BitSet) -> bool {
        let mut queue = self.lock();
        queue.forget();
        queue.entries.push_back(None);
        queue.changed = first;
        queue.overrun.clear();
        queue.running = true;
        // Release: `is_lazy` is read without the lock, as a hint; every decision is made again with the lock.
        self.lazy.store(true, Ordering::Release);
        queue.schedule()
    }

    pub(crate) fn stop(&self) {
        let mut queue = self.lock();
        queue.forget();
        (queue.running, queue.finished) = (false, false);
        self.lazy.store(false, Ordering::Release);
    }

    /// Opens the window further. Returns whether the connection has to look.
    pub(crate) fn acknowledge(&self, count: u32) -> bool {
        let mut queue = self.lock();
        queue.window = queue.window.map(|window| window.saturating_add(count));
        queue.schedule()
    }

    /// Queues an update of `changed`, or merges it into the newest. Returns whether it was merged.
    pub(crate) fn push(self: &Arc<Self>, structure: &Structure, body: &UpdateBody, changed: &BitSet) -> bool {
        let mut queue = self.lock();
        if !queue.running {
            return false;
        }
        // An update to be encoded from the value stays the newest: if it was full when it should have been settled, and has
        // room since, the next one is merged all the same.
        let is_lazy = matches!(queue.entries.back(), Some(None));
        queue.usual = body.len();
        let merge = is_lazy || !self.has_room(&queue, body.len()) || !queue.take(body.len());
        if !merge {
            queue.entries.push_back(Some(body.clone()));
            queue.changed.clone_from(changed);
            queue.overrun.clear();
        } else {
            queue.squash(structure, changed);
            // Relaxed: a count for statistics.
            self.squashed.fetch_add(1, Ordering::Relaxed);
            self.lazy.store(true, Ordering::Release);
        }
        if queue.schedule() {
            // The mailbox takes a lock of its own, so this one is released before.
            drop(queue);
            self.mailbox.update(Arc::clone(self));
        }
        merge
    }

    fn has_room(&self, queue: &UpdateQueue, bytes: usize) -> bool {
        let fits = queue.bytes.saturating_add(bytes) <= self.limit_bytes;
        queue.entries.is_empty() || (queue.entries.len() < self.limit && fits)
    }

    /// How many more updates fit without being merged.
    pub(crate) fn room(&self) -> usize {
        let queue = self.lock();
        if !queue.running {
            return self.limit;
        }
        let full =
            queue.bytes > self.limit_bytes || !(queue.entries.is_empty() || queue.could_take(queue.usual));
        if full { 0 } else { self.limit.saturating_sub(queue.entries.len()) }
    }

    /// Whether the client has every update, or will have it before whatever its connection is told from now on.
    pub(crate) fn is_sent(&self) -> bool {
        self.waiting() == 0
    }

    /// How many updates wait to be sent.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().entries.len()
    }

    /// Whether it is a monitor of the connection with this mailbox.
    pub(crate) fn is_at(&self, mailbox: &Arc<Mailbox>) -> bool {
        Arc::ptr_eq(&self.mailbox, mailbox)
    }

    /// Whether the newest update is not encoded yet.
    pub(crate) fn is_lazy(&self) -> bool {
        self.lazy.load(Ordering::Acquire)
    }

    /// Whether the newest update has to be encoded before the value changes.
    pub(crate) fn wants_settling(&self) -> bool {
        let queue = self.lock();
        self.is_lazy() && queue.entries.len() < self.limit && queue.could_take(queue.usual)
    }

    /// Encodes the newest update if it is not yet and will not be merged with the next anyway.
    pub(crate) fn settle(&self, encode: impl FnOnce(&BitSet, &BitSet) -> UpdateBody) {
        let mut queue = self.lock();
        if !matches!(queue.entries.back(), Some(None)) || queue.entries.len() >= self.limit {
            return;
        }
        if !queue.could_take(queue.usual) {
            return;
        }
        let body = encode(&queue.changed, &queue.overrun);
        queue.usual = body.len();
        // An update that cannot be kept is merged with the next one.
        if !queue.take(body.len()) {
            return;
        }
        if let Some(newest) = queue.entries.back_mut() {
            *newest = Some(body);
        }
        self.lazy.store(false, Ordering::Release);
    }

    /// Takes out the next update, unless that is [`NextUpdate::Encode`].
    pub(crate) fn next(&self) -> NextUpdate {
        let mut queue = self.lock();
        match queue.entries.front() {
            None if queue.finished => NextUpdate::Finished,
            Some(_) if queue.window == Some(0) => queue.rest(),
            None => queue.rest(),
            Some(None) => NextUpdate::Encode,
            Some(Some(_)) => match queue.pop() {
                (Some(body), more) => NextUpdate::Body(body, more),
                (None, _) => NextUpdate::Nothing,
            },
        }
    }

    /// As [`Subscription::next`], for a caller that holds the value of the PV: `encode` encodes it.
    pub(crate) fn next_latest(&self, encode: impl FnOnce(&BitSet, &BitSet)) -> NextUpdate {
        let mut queue = self.lock();
        if !matches!(queue.entries.front(), Some(None)) || queue.window == Some(0) {
            // `next` takes the lock itself.
            drop(queue);
            return self.next();
        }
        encode(&queue.changed, &queue.overrun);
        self.lazy.store(false, Ordering::Release);
        NextUpdate::Encoded(queue.pop().1)
    }

    /// Releases large updates that wait: the newest takes their place, to be encoded from the value when it is sent.
    pub(crate) fn relieve(&self, everything: impl FnOnce() -> BitSet) {
        let mut queue = self.lock();
        let is_large = |entry: &Option<UpdateBody>| entry.as_ref().is_some_and(|body| body.len() >= LARGE);
        if !queue.entries.iter().any(is_large) {
            return;
        }
        let waited = queue.entries.len();
        queue.forget();
        queue.entries.push_back(None);
        queue.changed = everything();
        if waited > 1 {
            queue.overrun = queue.changed.clone();
        }
        self.squashed.fetch_add(waited as u64 - 1, Ordering::Relaxed);
        self.lazy.store(true, Ordering::Release);
    }

    /// Says that no further updates come.
    pub(crate) fn finish(self: &Arc<Self>) {
        let mut queue = self.lock();
        queue.finished = true;
        if queue.schedule() {
            // As in `push`.
            drop(queue);
            self.mailbox.update(Arc::clone(self));
        }
    }

    /// How many updates were merged since the last call.
    pub(crate) fn take_squashed(&self) -> u64 {
        // A load first: the usual 0 then costs no write to a shared line of the cache.
        match self.squashed.load(Ordering::Relaxed) {
            0 => 0,
            _ => self.squashed.swap(0, Ordering::Relaxed),
        }
    }
}

impl UpdateQueue {
    fn new(window: Option<u32>, charge: Charge) -> UpdateQueue {
        UpdateQueue {
            entries: VecDeque::new(),
            bytes: 0,
            usual: 0,
            charge,
            changed: BitSet::default(),
            overrun: BitSet::default(),
            window,
            scheduled: false,
            running: false,
            finished: false,
        }
    }

    /// The count with one more update of `bytes`.
    fn cost(&self, bytes: usize) -> usize {
        let full = self.entries.len() == self.entries.capacity();
        let entries = if full { 2 * self.entries.capacity() } else { self.entries.capacity() };
        let bytes = if bytes > SMALL { bytes } else { 0 };
        (entries * ENTRY + self.bytes + bytes).saturating_sub(INCLUDED).next_multiple_of(STEP)
    }

    fn could_take(&self, bytes: usize) -> bool {
        let more = self.cost(bytes).saturating_sub(self.charge.bytes());
        more == 0 || self.charge.account().has_spare(more)
    }

    /// Notes that an update of `bytes` waits; `false` if there is no memory for it.
    fn take(&mut self, bytes: usize) -> bool {
        let cost = self.cost(bytes);
        if cost > self.charge.bytes() && !self.charge.set_spare(cost) {
            return false;
        }
        self.bytes += if bytes > SMALL { bytes } else { 0 };
        true
    }

    /// Notes that an update of `bytes` waits no more.
    fn give(&mut self, bytes: usize) {
        self.bytes -= if bytes > SMALL { bytes } else { 0 };
        if self.entries.is_empty() && self.entries.capacity() * ENTRY > LONG {
            self.tidy();
        }
        let cost = (self.entries.capacity() * ENTRY + self.bytes).saturating_sub(INCLUDED);
        if cost.next_multiple_of(STEP) < self.charge.bytes() {
            // A smaller charge is always granted.
            let _ = self.charge.set_spare(cost.next_multiple_of(STEP));
        }
    }

    /// Gives memory of a long queue back when others could need it.
    #[cold]
    fn tidy(&mut self) {
        if !self.charge.account().has_spare(RESERVE) {
            self.entries.shrink_to(4);
        }
    }

    fn forget(&mut self) {
        self.entries.clear();
        self.bytes = 0;
        self.entries.shrink_to(4);
        self.overrun.clear();
        self.give(0);
    }

    fn squash(&mut self, structure: &Structure, changed: &BitSet) {
        // Two updates of the whole value, as for images, need no merge of bits.
        if self.changed.contains(0) && changed.contains(0) {
            self.overrun = BitSet::from_iter([0]);
        } else {
            let mut twice = structure.expand(&self.changed);
            twice.intersect_with(&structure.expand(changed));
            self.overrun.union_with(&twice);
            self.changed.union_with(changed);
        }
        if self.changed.contains(0) {
            self.changed = BitSet::from_iter([0]);
        }
        if let Some(newest) = self.entries.back_mut() {
            let bytes = newest.take().map_or(0, |body| body.len());
            self.give(bytes);
        }
    }

    /// The oldest update, and whether the connection has to look again.
    fn pop(&mut self) -> (Option<UpdateBody>, bool) {
        let body = self.entries.pop_front().flatten();
        self.give(body.as_ref().map_or(0, UpdateBody::len));
        if let Some(window) = &mut self.window {
            *window = window.saturating_sub(1);
        }
        self.scheduled = self.is_sendable();
        (body, self.scheduled)
    }

    /// Whether the connection must be notified of something to send; the notification then counts as done.
    fn schedule(&mut self) -> bool {
        self.is_sendable() && !std::mem::replace(&mut self.scheduled, true)
    }

    fn is_sendable(&self) -> bool {
        match self.entries.is_empty() {
            true => self.finished,
            false => self.window != Some(0),
        }
    }

    fn rest(&mut self) -> NextUpdate {
        self.scheduled = false;
        NextUpdate::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ScalarType, Value};
    use crate::nt;
    use crate::server::SharedPv;

    #[test]
    fn room_that_comes_during_a_post_puts_nothing_behind_what_waits_for_the_value() {
        let pv = SharedPv::new(Value::new(&nt::scalar_with(ScalarType::I32, nt::Metadata::NONE)));
        let request = crate::request::parse("field()").unwrap();
        let (view, structure) = View::open(&pv, &request, "field").unwrap();
        let host = [127, 0, 0, 1].into();
        let account = livetime_guests::Guests::new(livetime_guests::Bounds::default()).account(host);
        let depth = Depth { updates: 2, bytes: 1 << 20, window: None, charge: Charge::new(&account) };
        let subscription = Arc::new(Subscription::new(1, view, depth, host, Arc::new(Mailbox::new(|| {}))));
        let (body, all) = (UpdateBody::Small(0, [0; SMALL]), BitSet::from_iter([0]));
        let post = || subscription.push(&structure, &body, &all);
        subscription.start(all.clone());
        subscription.settle(|_, _| body.clone());
        assert!(!post());
        // Full: this one waits to be encoded from the value.
        assert!(post());
        assert!(!subscription.wants_settling());
        // The connection sends between the look and the next post.
        assert!(matches!(subscription.next(), NextUpdate::Body(_, true)));
        assert!(post());
        assert!(matches!(subscription.next(), NextUpdate::Encode));
        assert_eq!(subscription.take_squashed(), 2);
    }
}
