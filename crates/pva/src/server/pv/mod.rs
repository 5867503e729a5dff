//! A PV: a value that clients read, watch and perhaps write.

mod handlers;
mod mailbox;
mod placement;
mod queue;
mod state;
mod view;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

pub use handlers::{Call, Put};
pub(crate) use handlers::{CallHandler, Note, PutHandler, Token};
pub(crate) use mailbox::{Completion, Mail, Mailbox};
pub(crate) use queue::{Depth, NextUpdate, Subscription};
pub(crate) use state::PvState;
pub(crate) use view::View;

use livetime_guests::Version;

use super::{Access, Peer};
use crate::Result;
use crate::data::{Structure, Value};
use crate::lock::lock;
use crate::request::Options;
use crate::wire::{BitSet, Encoded, Status};

/// A value that clients read, watch and perhaps write. A clone is the same PV.
///
/// ```
/// use livetime_pva::{data::{ScalarType, Value}, nt, server::SharedPv};
///
/// let temperature = SharedPv::new(Value::new(&nt::scalar(ScalarType::F64)));
/// temperature.update(|value| value.set("value", 21.5))?;
/// assert_eq!(temperature.value().unwrap().f64("value"), Some(21.5));
/// # Ok::<(), livetime_pva::Error>(())
/// ```
///
/// A change is encoded once for all clients that monitor the same fields, and is queued for each client. When
/// the queue of a slow client is full, further changes are merged into its newest update.
#[derive(Clone)]
pub struct SharedPv(Arc<PvParts>);

/// A [`SharedPv`] that may have ended: it does not keep the PV.
///
/// ```
/// use livetime_pva::{data::{ScalarType, Value}, nt, server::SharedPv};
///
/// let pv = SharedPv::new(Value::new(&nt::scalar(ScalarType::F64)));
/// let weak = pv.downgrade();
/// assert!(weak.upgrade().is_some());
/// drop(pv);
/// assert!(weak.upgrade().is_none());
/// ```
#[derive(Clone)]
pub struct WeakPv(Weak<PvParts>);

impl WeakPv {
    /// The PV, if a holder of it is left.
    pub fn upgrade(&self) -> Option<SharedPv> {
        self.0.upgrade().map(SharedPv)
    }
}

struct PvParts {
    state: Mutex<PvState>,
    room: Condvar,
    // Whether a thread waits for `room`.
    awaited: AtomicBool,
    // The version of the state, for readers that only want to know whether their copy is right.
    version: Version,
    unsent: AtomicU32,
    put: Option<PutHandler>,
    // Boxed, since few of many PVs have it.
    rare: Option<Box<Rare>>,
}

/// Parts that few PVs have.
struct Rare {
    call: Option<CallHandler>,
    access: Option<Access>,
}

/// Builds a [`SharedPv`] that does more than show a value.
#[derive(Default)]
#[must_use]
pub struct PvBuilder {
    value: Option<Value>,
    put: Option<PutHandler>,
    call: Option<CallHandler>,
    access: Option<Access>,
}

impl PvBuilder {
    /// Sets the first value.
    pub fn value(mut self, value: Value) -> PvBuilder {
        self.value = Some(value);
        self
    }

    /// Lets clients write the PV: `handler` gets each put, and answers at once or later. The handler is called from a
    /// thread of the server and must not wait.
    pub fn on_put(mut self, handler: impl Fn(Put) + Send + Sync + 'static) -> PvBuilder {
        self.put = Some(Box::new(handler));
        self
    }

    /// Lets clients call the PV as a procedure: `handler` gets each call, and answers at once or later. The handler is
    /// called from a thread of the server and must not wait.
    pub fn on_call(mut self, handler: impl Fn(Call) + Send + Sync + 'static) -> PvBuilder {
        self.call = Some(Box::new(handler));
        self
    }

    /// Which clients may put and call, instead of the rule of the server.
    pub fn access(mut self, access: Access) -> PvBuilder {
        self.access = Some(access);
        self
    }

    /// The PV.
    pub fn build(self) -> SharedPv {
        let (call, access) = (self.call, self.access);
        let is_rare = call.is_some() || access.is_some();
        SharedPv(Arc::new(PvParts {
            state: Mutex::new(PvState::new(self.value)),
            room: Condvar::new(),
            awaited: AtomicBool::new(false),
            version: Version::new(),
            unsent: AtomicU32::new(0),
            put: self.put,
            rare: is_rare.then(|| Box::new(Rare { call, access })),
        }))
    }
}

impl SharedPv {
    /// A PV that clients can only read.
    pub fn new(value: Value) -> SharedPv {
        SharedPv::builder().value(value).build()
    }

    /// A PV that accepts every put.
    pub fn writable(value: Value) -> SharedPv {
        SharedPv::builder().value(value).on_put(Put::post).build()
    }

    /// Builds a PV with handlers.
    pub fn builder() -> PvBuilder {
        PvBuilder::default()
    }

    /// The same PV, without keeping it.
    pub fn downgrade(&self) -> WeakPv {
        WeakPv(Arc::downgrade(&self.0))
    }

    /// A copy of the value; `None` if it has none.
    pub fn value(&self) -> Option<Value> {
        self.state().value().cloned()
    }

    /// Calls `look` with the number of changes so far and the value, if there is one. The PV is locked meanwhile: `look` must not wait, and
    /// must not use this PV.
    #[inline]
    pub fn look<R>(&self, look: impl FnOnce(u32, Option<&Value>) -> R) -> R {
        let mut state = self.state();
        let version = state.version;
        look(version, state.value())
    }

    /// The number of changes so far, which [`look`](Self::look) gives with the value. It takes no lock, so that a copy of the value that is
    /// still right costs next to nothing.
    pub fn version(&self) -> Version {
        self.0.version.clone()
    }

    /// Type of the value; `None` if the PV has no value.
    pub fn structure(&self) -> Option<Arc<Structure>> {
        self.state().structure().cloned()
    }

    /// Copies the fields `bits` of `value` into the PV and sends them to all monitors. Large arrays are
    /// shared, not copied. Fails if `value` is of another type.
    pub fn post(&self, value: &Value, bits: &BitSet) -> Result<()> {
        self.change(|state| state.post(value, bits))
    }

    /// Changes the value in place, and sends the fields that `change` sets. `change` must not use this PV in another
    /// way, because the PV is locked meanwhile.
    pub fn update<R>(&self, change: impl FnOnce(&mut Value) -> Result<R>) -> Result<R> {
        self.change(|state| state.update(change))
    }

    /// Takes over a whole value that is encoded already: all fields in the byte order of this machine
    /// ([`Value::encode`]), without a bit set. The value must be of the type of this PV.
    pub fn post_encoded(&self, fields: Encoded) -> Result<()> {
        self.change(|state| state.post_encoded(fields))
    }

    /// Calls `observer` after every change with the value and the fields that changed, until `observer` returns false. The call comes
    /// from the thread that changes the value, while the PV is locked: `observer` must not wait, and must not use this PV. A call
    /// without any changed field only asks whether `observer` is still wanted.
    pub fn observe(&self, observer: impl FnMut(&Value, &BitSet) -> bool + Send + 'static) {
        self.state().observe(Box::new(observer));
    }

    /// Whether the PV has an owner who takes puts.
    pub fn is_writable(&self) -> bool {
        self.0.put.is_some()
    }

    /// Puts the changed fields of `value`, which has the type of the PV, for a client of another protocol that serves the same PV. The
    /// caller has asked whether `peer` may write. With `waits` the put ends when the acquisition or the work that it starts has
    /// ended. `answer` is called once, from any thread, with the reason if the owner refuses.
    pub fn put(
        &self,
        value: Value,
        peer: Arc<Peer>,
        waits: bool,
        answer: impl FnOnce(std::result::Result<(), Status>) + Send + 'static,
    ) {
        let options = Arc::new(Options { block: waits, ..Options::default() });
        let token = Token::inside(answer);
        let put = Put { pv: self.clone(), value, options, peer, process_only: false, token };
        match &self.0.put {
            Some(handler) => handler(put),
            None => put.refuse("this channel can only be read"),
        }
    }

    /// Waits until an update would not be merged into another at any client, for at most `timeout`. Returns
    /// whether that came.
    ///
    /// For a program that posts from one thread and prefers to wait rather than have slow clients miss
    /// updates.
    pub fn wait_for_room(&self, timeout: Duration) -> bool {
        self.wait_for(timeout, |monitor| monitor.room() > 0)
    }

    /// Takes its value away, and closes its channels, which tells clients that nothing more comes. Waits for at most
    /// `timeout` until they have every update; a client without some of them is not told, and may notice by the end of
    /// its connection.
    pub fn end(&self, timeout: Duration) {
        self.wait_for(timeout, Subscription::is_sent);
        self.change(PvState::end);
    }

    /// How many updates waited for clients whose connections ended without a word. Updates under way are not among
    /// them.
    pub fn unsent(&self) -> u32 {
        // Relaxed: a count that nothing else depends on.
        self.0.unsent.load(Ordering::Relaxed)
    }

    pub(crate) fn note_unsent(&self, updates: usize) {
        let updates = u32::try_from(updates).unwrap_or(u32::MAX);
        let add = |count: u32| Some(count.saturating_add(updates));
        let _ = self.0.unsent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Waits until something is so of all monitors, as soon as updates are sent.
    fn wait_for(&self, timeout: Duration, holds: impl Fn(&Subscription) -> bool) -> bool {
        let end = Instant::now() + timeout;
        let mut state = self.state();
        loop {
            // SeqCst: the store must be visible before the rooms are read, or `made_room` could miss this thread.
            self.0.awaited.store(true, Ordering::SeqCst);
            if state.subscriptions().all(|monitor| holds(monitor)) {
                return true;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.0.room.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Releases the memory of all large values but the present one: in every queue the newest update replaces all
    /// waiting ones, and an update that is being sent is copied by its sender.
    ///
    /// For an owner of values that refer to memory which it needs back, however slowly clients read.
    pub fn relieve(&self) {
        self.state().relieve();
    }

    /// How many clients watch it.
    pub fn subscribers(&self) -> usize {
        self.state().subscriptions().count()
    }

    /// Gives it another value, perhaps of another type. All channels are closed; clients open them again.
    pub fn replace(&self, value: Value) {
        self.change(|state| state.replace(Some(value)));
    }

    /// Takes its value away and closes all channels.
    pub fn close(&self) {
        self.change(|state| state.replace(None));
    }

    /// Ends all monitors, after their last update.
    pub fn finish(&self) {
        self.state().finish();
    }

    /// All changes of the value come here. The version outside differs from every earlier one before the first monitor hears of the change:
    /// a client that was told of it reads nothing older.
    fn change<R>(&self, change: impl FnOnce(&mut PvState) -> R) -> R {
        let mut state = self.state();
        self.0.version.set(state.version.wrapping_add(1));
        let result = change(&mut state);
        self.0.version.set(state.version);
        result
    }

    #[inline]
    pub(crate) fn state(&self) -> MutexGuard<'_, PvState> {
        lock(&self.0.state)
    }

    pub(crate) fn put_handler(&self) -> Option<&PutHandler> {
        self.0.put.as_ref()
    }

    pub(crate) fn call_handler(&self) -> Option<&CallHandler> {
        self.0.rare.as_ref()?.call.as_ref()
    }

    pub(crate) fn access(&self) -> Option<&Access> {
        self.0.rare.as_ref()?.access.as_ref()
    }

    /// Wakes the thread that waits for room, since some queue became shorter.
    pub(crate) fn made_room(&self) {
        if self.0.awaited.swap(false, Ordering::SeqCst) {
            // Under the lock, so that a thread that has just found no room is already asleep.
            let _state = self.state();
            self.0.room.notify_all();
        }
    }
}

impl std::fmt::Debug for SharedPv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let id = self.structure().map(|structure| structure.id().to_owned());
        f.debug_struct("SharedPv").field("type", &id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ScalarType;

    #[test]
    fn a_pv_that_never_changes_gathers_no_observers_that_are_over() {
        let pv = SharedPv::new(Value::new(&crate::nt::scalar(ScalarType::F64)));
        let held = Arc::new(());
        for _ in 0..1000 {
            let mine = Arc::clone(&held);
            // Holds `mine` until it is dropped.
            pv.observe(move |_, _| Arc::strong_count(&mine) == 0);
        }
        assert!(Arc::strong_count(&held) < 20, "{}", Arc::strong_count(&held));
    }

    #[test]
    fn who_is_told_of_a_change_finds_a_new_version() {
        let pv = SharedPv::new(Value::new(&crate::nt::scalar(ScalarType::F64)));
        let known = |pv: &SharedPv| pv.look(|version, _| version);
        let (mine, before) = (pv.downgrade(), pv.version().get());
        assert_eq!(known(&pv), before);
        let told = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&told);
        pv.observe(move |_, _| {
            lock(&list).extend(mine.upgrade().map(|pv| pv.version().get()));
            true
        });
        lock(&told).clear();
        pv.update(|value| value.set("value", 1.0)).unwrap();
        let mut whole = Value::new(&crate::nt::scalar(ScalarType::F64));
        whole.set("value", 2.0).unwrap();
        pv.post(&whole, &[0].into_iter().collect()).unwrap();
        assert_eq!(*lock(&told), [before + 1, before + 2]);
        pv.replace(whole);
        assert_eq!((pv.version().get(), known(&pv)), (before + 3, before + 3));
        // A change that fails is none.
        pv.update(|value| value.set("no such field", 1.0)).unwrap_err();
        assert_eq!((pv.version().get(), known(&pv)), (before + 3, before + 3));
    }

    #[test]
    fn an_observer_sees_changes_until_it_wants_no_more() {
        let pv = SharedPv::new(Value::new(&crate::nt::scalar(ScalarType::F64)));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&seen);
        pv.observe(move |value, bits| {
            let mut list = lock(&list);
            list.extend(value.f64("value").filter(|_| !bits.is_empty()));
            list.len() < 2
        });
        (1..5).for_each(|number| pv.update(|value| value.set("value", f64::from(number))).unwrap());
        assert_eq!(*lock(&seen), [1.0, 2.0]);
    }
}
