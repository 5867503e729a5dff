//! A PV as a channel.

use std::sync::{Arc, Mutex};

use livetime_ca::Status;
use livetime_ca::dbr::{Native, Reading};
use livetime_ca::server::{Changes, Channel, Peer, Put, Refusal, Rights, Watcher};
use livetime_engine::lock;
use livetime_pva::server::{self as pva, Access, SharedPv};
use livetime_pva::wire::BitSet;

use super::fields::Field;
use super::put::written;
use super::reading::{is_array, most, native, read};

/// The face of a client of Channel Access, in logs and as its method of identification: pvAccess calls one of its own `ca`.
pub(crate) const FACE: &str = "channel access";

/// A PV as a channel: one of its fields.
pub(super) struct Bridge {
    record: String,
    pv: SharedPv,
    field: Field,
    access: Access,
    native: Native,
    /// The most values of a field.
    count: usize,
    is_array: bool,
    /// The last reading, with the version of the PV that it shows: most gets find a value that has not changed.
    kept: Mutex<Option<(u32, Reading)>>,
}

impl Bridge {
    /// `None` for a PV whose values do not travel over Channel Access.
    pub(super) fn new(record: &str, pv: SharedPv, field: Field, access: Access) -> Option<Bridge> {
        let value = pv.value()?;
        let of_value = native(&value)?;
        let shown = field.of(record, &read(&value, of_value, pv.is_writable())?)?;
        let (record, native, count) = (record.to_owned(), shown.values.native(), shown.values.len().max(1));
        let is_array = field == Field::Value && is_array(&value);
        Some(Bridge { record, pv, native, field, access, count, is_array, kept: Mutex::default() })
    }
}

impl Channel for Bridge {
    fn native(&self) -> Native {
        self.native
    }

    fn count(&self) -> usize {
        if self.field != Field::Value {
            return self.count;
        }
        self.pv
            .look(|_, value| value.and_then(|value| Some(most(value, native(value)?))))
            .unwrap_or(self.count)
    }

    fn rights(&self, peer: &Peer) -> Rights {
        let may = self.field.is_written() && self.pv.is_writable() && self.access.allows(&known(peer));
        Rights { read: true, write: may }
    }

    fn read(&self) -> Result<Reading, Refusal> {
        let mut kept = lock(&self.kept);
        let reading = self.pv.look(|version, value| {
            if let Some((_, reading)) = kept.as_ref().filter(|(of, _)| *of == version) {
                return Some(reading.clone());
            }
            let reading =
                self.field.of(&self.record, &read(value?, native(value?)?, self.pv.is_writable())?)?;
            // An array is not kept twice.
            *kept = (!self.is_array).then(|| (version, reading.clone()));
            Some(reading)
        });
        reading.ok_or_else(|| Refusal::new(Status::Disconnected, "the PV has no value"))
    }

    fn write(&self, put: Put) {
        let Put { values, peer, waits, done } = put;
        let value = self.pv.value().ok_or_else(|| "the PV has no value".to_owned());
        match value.and_then(|value| written(value, values).map_err(|error| error.to_string())) {
            Ok(value) => self.pv.put(value, Arc::new(known(&peer)), waits, move |result| {
                done.finish(result.map_err(|status| Refusal::new(Status::PutFailed, status.message)));
            }),
            Err(reason) => done.finish(Err(Refusal::new(Status::PutFailed, reason))),
        }
    }

    fn watch(&self, watcher: Arc<Watcher>) {
        let (field, record, is_writable) = (self.field, self.record.clone(), self.pv.is_writable());
        let is_large = self.is_array;
        self.pv.observe(move |value, bits| {
            let changes = changes(value, bits);
            match is_large {
                // Nothing is converted on the thread of the run.
                true => watcher.push_newest(changes),
                // An observer is asked without a change whether it is still wanted.
                false if bits.is_empty() => {}
                false => {
                    let reading = native(value).and_then(|native| read(value, native, is_writable));
                    let shown = reading.and_then(|reading| field.of(&record, &reading));
                    shown.iter().for_each(|reading| watcher.push(reading, changes));
                }
            }
            !watcher.is_closed()
        });
    }
}

/// The kinds of changes of an update.
fn changes(value: &livetime_pva::data::Value, bits: &BitSet) -> Changes {
    let structure = value.structure();
    let has = |part: &str| {
        let begin = structure.bit(part);
        bits.iter()
            .any(|bit| bit == 0 || begin.is_some_and(|begin| (begin..structure.end(begin)).contains(&bit)))
    };
    let parts = [
        ("value", Changes::VALUE.and(Changes::LOG)),
        ("alarm", Changes::ALARM),
        ("display", Changes::PROPERTY),
    ];
    let found = parts.into_iter().filter(|(part, _)| has(part));
    found.fold(Changes(0), |all, (_, changes)| all.and(changes))
}

/// The client as the rules of a run know clients. The names are what the client says, as with pvAccess.
fn known(peer: &Peer) -> pva::Peer {
    let (method, account, host) = (FACE.to_owned(), peer.user.clone(), peer.host.clone());
    pva::Peer { method, account, host, local: peer.is_local, ..pva::Peer::anonymous(peer.address) }
}
