//! The value of a PV and its monitors.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::mailbox::Mailbox;
use super::placement::place_arrays;
use super::queue::{NextUpdate, Subscription, UpdateBody};
use crate::data::{Structure, TypeCache, Value};
use crate::proto::{Command, sub};
use crate::request::Selection;
use crate::server::Denial;
use crate::server::slots::Slots;
use crate::wire::{BitSet, Encoded, MAX_PAYLOAD, Order, Reader, Status, Writer};
use crate::{Error, Result};

/// How many different selections of fields may be open at one PV: each one is encoded separately.
const MAX_VIEWS: usize = 256;

/// Longest body of an update: the payload without the bytes in front of an update.
const MAX_BODY: usize = MAX_PAYLOAD - 64;

pub(crate) struct PvState {
    value: Option<Value>,
    // Counts types; an operation opened for another type is dead.
    pub(super) epoch: u32,
    // Counts changes of the value: a copy of another version is out of date.
    pub(super) version: u32,
    // Most PVs of a large server have no subscriber.
    audience: Option<Box<Audience>>,
}

/// All subscribers of a PV, and the encoded updates for them.
struct Audience {
    // All fields, encoded, if they are newer than the value.
    encoded: Option<Encoded>,
    views: Slots<Shown>,
    channels: Slots<(Arc<Mailbox>, u32)>,
    // Monitors of each host, started or not.
    watched: HashMap<IpAddr, usize>,
    writer: Writer,
    // Whether some subscription may hold an update that is not encoded yet.
    lazy: bool,
    observers: Vec<Observer>,
}

/// Is called with the value and the changed fields until it returns false; without a changed field only to learn that.
pub(super) type Observer = Box<dyn FnMut(&Value, &BitSet) -> bool + Send>;

/// One selection of fields, shared by all operations that chose it.
struct Shown {
    selection: Selection,
    users: usize,
    // A bit set and the selected fields: the answer to a get. Empty: to be encoded.
    body: Encoded,
    subscribers: Vec<Arc<Subscription>>,
}

impl PvState {
    pub(crate) fn new(value: Option<Value>) -> PvState {
        PvState { value, epoch: 0, version: 0, audience: None }
    }

    fn audience(&mut self) -> &mut Audience {
        self.audience.get_or_insert_default()
    }

    /// Forgets the audience once all have gone.
    fn forget_nobody(&mut self) {
        self.audience.take_if(|audience| audience.is_empty());
    }

    fn view(&self, index: usize) -> Option<&Shown> {
        self.audience.as_ref()?.views.get(index)
    }

    fn view_mut(&mut self, index: usize) -> Option<&mut Shown> {
        self.audience.as_mut()?.views.get_mut(index)
    }

    fn has_encoded(&self) -> bool {
        self.audience.as_ref().is_some_and(|audience| audience.encoded.is_some())
    }

    pub(crate) fn structure(&self) -> Option<&Arc<Structure>> {
        self.value.as_ref().map(Value::structure)
    }

    /// The value, up to date.
    #[inline]
    pub(super) fn value(&mut self) -> Option<&Value> {
        let encoded = self.audience.as_mut().and_then(|audience| audience.encoded.take());
        if let (Some(encoded), Some(value)) = (encoded, &mut self.value) {
            let bytes = encoded.to_bytes();
            // We encoded it ourselves, or it was checked when it was posted.
            let _ = value.decode(&mut Reader::shared(&bytes, Order::HOST), &mut TypeCache::new());
        }
        self.value.as_ref()
    }

    /// Takes another type: all that was opened is dead.
    pub(super) fn replace(&mut self, value: Option<Value>) {
        // Views and channels of the old type find nothing from now on.
        self.epoch = self.epoch.wrapping_add(1);
        self.version = self.version.wrapping_add(1);
        self.value = value;
        let Some(mut audience) = self.audience.take() else { return };
        audience.channels.drain().for_each(|(mailbox, sid)| mailbox.close(sid));
    }

    /// Takes the value away and closes the channels of all connections that have every update.
    pub(super) fn end(&mut self) {
        let late: Vec<_> = self.subscriptions().filter(|monitor| !monitor.is_sent()).cloned().collect();
        let channels = self.audience.iter_mut().flat_map(|audience| audience.channels.drain());
        for (mailbox, sid) in channels {
            if !late.iter().any(|monitor| monitor.is_at(&mailbox)) {
                mailbox.close(sid);
            }
        }
        self.replace(None);
    }

    /// Registers a connection to notify when the PV is closed.
    pub(crate) fn enter(&mut self, mailbox: &Arc<Mailbox>, sid: u32) -> (usize, u32) {
        (self.audience().channels.insert((Arc::clone(mailbox), sid)), self.epoch)
    }

    pub(crate) fn leave(&mut self, slot: usize, epoch: u32) {
        if epoch == self.epoch {
            self.audience.iter_mut().for_each(|audience| _ = audience.channels.remove(slot));
            self.forget_nobody();
        }
    }

    pub(super) fn post(&mut self, new: &Value, bits: &BitSet) -> Result<()> {
        if bits.is_empty() {
            return Ok(());
        }
        // Updates that refer to the value of now are encoded before it changes.
        self.settle();
        self.value();
        let value = self.value.as_mut().ok_or_else(closed)?;
        value.update_from(new, bits)?;
        value.clear_changed();
        self.send(bits)
    }

    pub(super) fn update<R>(&mut self, change: impl FnOnce(&mut Value) -> Result<R>) -> Result<R> {
        self.settle();
        self.value();
        let value = self.value.as_mut().ok_or_else(closed)?;
        value.clear_changed();
        let result = change(value);
        let bits = value.changed().clone();
        value.clear_changed();
        // Fields set before an error stay set, so subscribers get them.
        if !bits.is_empty() {
            self.send(&bits)?;
        }
        result
    }

    /// Takes over all fields, encoded, without a bit set.
    pub(super) fn post_encoded(&mut self, fields: Encoded) -> Result<()> {
        if fields.len() > MAX_BODY {
            return Err(too_large(fields.len()));
        }
        self.settle();
        self.value.as_ref().ok_or_else(closed)?;
        self.audience().encoded = Some(fields);
        self.send(&BitSet::from_iter([0]))
    }

    /// Encodes the updates that wait for it, before the value changes.
    fn settle(&mut self) {
        if !self.audience.as_ref().is_some_and(|audience| audience.lazy) {
            return;
        }
        if self.subscriptions().any(|subscription| subscription.wants_settling()) {
            self.value();
            let (Some(value), Some(audience)) = (&self.value, &mut self.audience) else { return };
            let Audience { views, writer, .. } = &mut **audience;
            for subscription in views.iter().flat_map(|view| &view.subscribers) {
                subscription.settle(|bits, overrun| encode(value, writer, bits, overrun));
            }
        }
        let lazy = self.subscriptions().any(|subscription| subscription.is_lazy());
        self.audience().lazy = lazy;
    }

    fn send(&mut self, bits: &BitSet) -> Result<()> {
        self.version = self.version.wrapping_add(1);
        self.tell(bits);
        let Some(structure) = self.structure().cloned() else { return Ok(()) };
        let end = self.audience.as_ref().map_or(0, |audience| audience.views.end());
        for index in 0..end {
            let Some(view) = self.view_mut(index) else { continue };
            if !view.selection.concerns(&structure, bits) {
                continue;
            }
            // The answer to a get is encoded again for the next get.
            view.body = Encoded::default();
            if view.subscribers.is_empty() {
                continue;
            }
            let (whole, bits) = (view.selection.is_whole(), view.selection.apply(&structure, bits));
            let body = self.body(whole, &bits)?;
            let Some(Audience { views, lazy, .. }) = self.audience.as_deref_mut() else { continue };
            let subscribers = views.get(index).into_iter().flat_map(|view| &view.subscribers);
            subscribers.for_each(|to| *lazy |= to.push(&structure, &body, &bits));
        }
        Ok(())
    }

    /// Observers that want no more are dropped before the list grows, so that a PV that never changes does not gather them.
    pub(super) fn observe(&mut self, observer: Observer) {
        if self.audience().observers.len() == self.audience().observers.capacity() {
            self.tell(&BitSet::new());
        }
        self.audience().observers.push(observer);
    }

    fn tell(&mut self, bits: &BitSet) {
        let observers = |audience: &mut Box<Audience>| std::mem::take(&mut audience.observers);
        let mut observers = self.audience.as_mut().map(observers).unwrap_or_default();
        if observers.is_empty() {
            return;
        }
        if let Some(value) = self.value() {
            observers.retain_mut(|observer| observer(value, bits));
        }
        self.audience().observers = observers;
        self.forget_nobody();
    }

    fn body(&mut self, whole: bool, bits: &BitSet) -> Result<UpdateBody> {
        if !whole || !self.has_encoded() {
            self.value();
        }
        let (Some(value), Some(audience)) = (&self.value, self.audience.as_deref_mut()) else {
            return Err(closed());
        };
        let writer = &mut audience.writer;
        writer.clear();
        match &audience.encoded {
            Some(fields) => {
                bits.encode(writer);
                writer.encoded(fields);
            }
            None => value.encode_bits(writer, bits),
        }
        BitSet::new().encode(writer);
        let len = writer.len();
        if len > MAX_BODY {
            writer.clear();
            return Err(too_large(len));
        }
        Ok(UpdateBody::take(writer))
    }

    /// Opens the selection that `part` of `request` asks for.
    pub(super) fn open_view(&mut self, request: &Value, part: &str) -> std::result::Result<usize, Status> {
        let structure = self.structure().ok_or(Denial::NoValue)?;
        let selection = Selection::of_part(structure, request, part).map_err(|e| Status::error(e.found()))?;
        let views = &mut self.audience().views;
        let is_it = |index: &usize| views.get(*index).is_some_and(|view| view.selection == selection);
        let known = (0..views.end()).find(is_it);
        if known.is_none() && views.len() >= MAX_VIEWS {
            return Err(Denial::Selections.into());
        }
        let index = known.unwrap_or_else(|| {
            let view = Shown { selection, users: 0, body: Encoded::default(), subscribers: Vec::new() };
            views.insert(view)
        });
        views.get_mut(index).into_iter().for_each(|view| view.users += 1);
        Ok(index)
    }

    pub(super) fn close_view(&mut self, index: usize) {
        let Some(audience) = &mut self.audience else { return };
        let Some(view) = audience.views.get_mut(index) else { return };
        view.users -= 1;
        if view.users == 0 {
            audience.views.remove(index);
            self.forget_nobody();
        }
    }

    /// Counts a monitor of `host`, or says that it has `limit` already.
    pub(super) fn watch(&mut self, host: IpAddr, limit: usize) -> std::result::Result<(), Denial> {
        let count = self.audience().watched.entry(host).or_default();
        if *count >= limit {
            return Err(Denial::Monitors(limit));
        }
        *count += 1;
        Ok(())
    }

    pub(super) fn unwatch(&mut self, host: IpAddr) {
        let Some(audience) = &mut self.audience else { return };
        let Some(count) = audience.watched.get_mut(&host) else { return };
        *count -= 1;
        if *count == 0 {
            audience.watched.remove(&host);
            self.forget_nobody();
        }
    }

    /// Releases all values but the present one: waiting updates are merged, and updates being sent are copied.
    pub(super) fn relieve(&mut self) {
        let Some(structure) = self.structure().cloned() else { return };
        let Some(audience) = &mut self.audience else { return };
        for view in audience.views.iter() {
            let first = || view.selection.first(&structure);
            view.subscribers.iter().for_each(|subscription| subscription.relieve(first));
        }
        audience.lazy = true;
        audience.channels.iter().for_each(|(mailbox, _)| mailbox.relieve());
    }

    pub(super) fn selection(&self, index: usize) -> Option<&Selection> {
        self.view(index).map(|view| &view.selection)
    }

    /// The answer to a get of view `index`, its large arrays where they are sent fast: gets often ask for the same value again.
    pub(super) fn answer(&mut self, index: usize) -> Option<&Encoded> {
        if self.view(index)?.body.is_empty() && !self.has_encoded() {
            self.value.iter_mut().for_each(place_arrays);
        }
        self.current(index)
    }

    /// A bit set and all selected fields of view `index`.
    pub(super) fn current(&mut self, index: usize) -> Option<&Encoded> {
        if self.view(index)?.body.is_empty() {
            self.encode_current(index);
        }
        self.view(index).map(|view| &view.body)
    }

    fn encode_current(&mut self, index: usize) {
        let Some(view) = self.view(index) else { return };
        if !view.selection.is_whole() || !self.has_encoded() {
            self.value();
        }
        let (Some(value), Some(audience)) = (&self.value, self.audience.as_deref_mut()) else { return };
        let Audience { views, writer, encoded, .. } = audience;
        let Some(view) = views.get_mut(index) else { return };
        let bits = view.selection.first(value.structure());
        writer.clear();
        match encoded {
            Some(fields) => {
                bits.encode(writer);
                writer.encoded(fields);
            }
            None => value.encode_bits(writer, &bits),
        }
        view.body = writer.take();
    }

    /// Starts `subscription`. Returns whether the connection must be notified of an update.
    pub(super) fn start(&mut self, index: usize, subscription: &Arc<Subscription>) -> bool {
        let Some(structure) = self.structure().cloned() else { return false };
        let audience = self.audience();
        let Some(view) = audience.views.get_mut(index) else { return false };
        if !view.subscribers.iter().any(|known| Arc::ptr_eq(known, subscription)) {
            view.subscribers.push(Arc::clone(subscription));
        }
        audience.lazy = true;
        subscription.start(view.selection.first(&structure))
    }

    pub(super) fn stop(&mut self, index: usize, subscription: &Arc<Subscription>) {
        subscription.stop();
        let Some(view) = self.view_mut(index) else { return };
        view.subscribers.retain(|known| !Arc::ptr_eq(known, subscription));
    }

    /// Writes the update of `subscription` that was not encoded yet, or returns the next one.
    pub(super) fn write_latest(
        &mut self,
        index: usize,
        subscription: &Subscription,
        writer: &mut Writer,
    ) -> NextUpdate {
        let Some(structure) = self.structure().cloned() else { return NextUpdate::Nothing };
        let Some(view) = self.view(index) else { return NextUpdate::Nothing };
        let first = view.selection.first(&structure);
        subscription.next_latest(|bits, overrun| {
            // An update that no message can hold is left out, like one that cannot be posted.
            let _ = writer.message(true, Command::Monitor as u8, |writer| {
                writer.u32(subscription.ioid);
                writer.u8(sub::EXECUTE);
                if *bits == first {
                    // The first update has the same bytes as a get, which are mostly encoded already.
                    self.current(index).into_iter().for_each(|body| writer.encoded(body));
                } else if let Some(value) = self.value() {
                    value.encode_bits(writer, bits);
                }
                overrun.encode(writer);
            });
        })
    }

    pub(super) fn finish(&mut self) {
        self.subscriptions().for_each(|subscription| subscription.finish());
    }

    pub(super) fn subscriptions(&self) -> impl Iterator<Item = &Arc<Subscription>> {
        let views = self.audience.iter().flat_map(|audience| audience.views.iter());
        views.flat_map(|view| &view.subscribers)
    }
}

impl Default for Audience {
    fn default() -> Audience {
        Audience {
            encoded: None,
            views: Slots::default(),
            channels: Slots::default(),
            watched: HashMap::new(),
            writer: Writer::new(Order::HOST),
            lazy: false,
            observers: Vec::new(),
        }
    }
}

impl Audience {
    /// No client has it open, and nothing is kept for one.
    fn is_empty(&self) -> bool {
        let is_left = self.views.len() == 0 && self.channels.len() == 0 && self.watched.is_empty();
        is_left && self.encoded.is_none() && self.observers.is_empty()
    }
}

fn encode(value: &Value, writer: &mut Writer, bits: &BitSet, overrun: &BitSet) -> UpdateBody {
    writer.clear();
    value.encode_bits(writer, bits);
    overrun.encode(writer);
    UpdateBody::take(writer)
}

fn closed() -> Error {
    Error::new("an open PV", "one without a value")
}

fn too_large(bytes: usize) -> Error {
    Error::new(format!("an update of at most {MAX_BODY} bytes"), bytes.to_string())
}
