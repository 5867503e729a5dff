//! A channel with a value of its own.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Changes, Channel, Peer, Put, Refusal, Rights, Version, Watcher};
use crate::Status;
use crate::dbr::{About, Alarm, Native, Reading, Stamp, Values};

type Handler = Box<dyn Fn(&Pv, Put) + Send + Sync>;

/// A value that clients read, watch and perhaps write. A clone is the same PV.
#[derive(Clone)]
pub struct Pv(Arc<Parts>);

struct Parts {
    native: Native,
    count: usize,
    handler: Option<Handler>,
    /// Counts changes.
    version: Version,
    state: Mutex<State>,
}

struct State {
    reading: Arc<Reading>,
    watchers: Vec<Arc<Watcher>>,
}

/// Builds a [`Pv`] that does more than show a value.
#[must_use]
pub struct PvBuilder {
    values: Values,
    count: usize,
    about: About,
    handler: Option<Handler>,
}

impl PvBuilder {
    /// It has at most so many values; else as many as at the beginning.
    pub fn count(self, count: usize) -> PvBuilder {
        PvBuilder { count, ..self }
    }

    /// Clients may write it; `handler` is told, and answers at once or later. It is called from the thread of the server and must
    /// not wait.
    pub fn on_put(self, handler: impl Fn(&Pv, Put) + Send + Sync + 'static) -> PvBuilder {
        PvBuilder { handler: Some(Box::new(handler)), ..self }
    }

    /// The PV.
    pub fn build(self) -> Pv {
        let PvBuilder { values, count, about, handler } = self;
        let (native, about) = (values.native(), Arc::new(about));
        let reading = Arc::new(Reading { values, alarm: Alarm::default(), stamp: now(), about });
        Pv(Arc::new(Parts {
            native,
            count,
            handler,
            version: Version::new(),
            state: Mutex::new(State { reading, watchers: Vec::new() }),
        }))
    }
}

impl Pv {
    /// A PV that clients can only read.
    pub fn new(values: Values, about: About) -> Pv {
        Pv::builder(values, about).build()
    }

    /// A PV that accepts every put of its kind.
    pub fn writable(values: Values, about: About) -> Pv {
        Pv::builder(values, about).on_put(Pv::accept).build()
    }

    /// Builds a PV with a handler.
    pub fn builder(values: Values, about: About) -> PvBuilder {
        PvBuilder { count: values.len(), values, about, handler: None }
    }

    /// Writes the values of a put, and answers it.
    pub fn accept(&self, put: Put) {
        let about = Arc::clone(&self.state().reading.about);
        let converted = put.values.converted(self.0.native, &about);
        let result = converted.map_err(|error| Refusal::new(Status::PutFailed, error.to_string()));
        put.done.finish(result.map(|values| self.post(values)));
    }

    /// Gives it other values of the same kind, as of now, and tells who watches.
    pub fn post(&self, values: Values) {
        let mut state = self.state();
        let about = Arc::clone(&state.reading.about);
        state.reading = Arc::new(Reading { values, alarm: state.reading.alarm, stamp: now(), about });
        self.changed(&mut state, Changes::VALUE.and(Changes::LOG));
    }

    /// Gives it another alarm, and tells who watches.
    pub fn alarm(&self, alarm: Alarm) {
        let mut state = self.state();
        Arc::make_mut(&mut state.reading).alarm = alarm;
        self.changed(&mut state, Changes::ALARM);
    }

    /// The version is another one before a client hears of the change, so that its next get reads the new value.
    fn changed(&self, state: &mut State, changes: Changes) {
        self.0.version.set(self.0.version.get().wrapping_add(1));
        state.tell(changes);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn tell(&mut self, changes: Changes) {
        self.watchers.retain(|watcher| !watcher.is_closed());
        self.watchers.iter().for_each(|watcher| watcher.push(&self.reading, changes));
    }
}

fn now() -> Stamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Stamp::from_ns(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

impl Channel for Pv {
    fn native(&self) -> Native {
        self.0.native
    }

    fn count(&self) -> usize {
        self.0.count
    }

    fn rights(&self, _peer: &Peer) -> Rights {
        Rights { read: true, write: self.0.handler.is_some() }
    }

    fn version(&self) -> Option<Version> {
        Some(self.0.version.clone())
    }

    fn read(&self) -> Result<Arc<Reading>, Refusal> {
        Ok(Arc::clone(&self.state().reading))
    }

    fn write(&self, put: Put) {
        match &self.0.handler {
            Some(handler) => handler(self, put),
            None => put.done.finish(Err(Refusal::new(Status::NoWriteAccess, "it can only be read"))),
        }
    }

    fn watch(&self, watcher: Arc<Watcher>) {
        let mut state = self.state();
        state.watchers.retain(|watcher| !watcher.is_closed());
        state.watchers.push(watcher);
    }
}
