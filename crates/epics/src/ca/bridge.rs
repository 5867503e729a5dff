//! A PV as a channel.

use std::sync::Arc;

use livetime_ca::Status;
use livetime_ca::dbr::{Native, Reading, TEXT_LEN};
use livetime_ca::server::{Changes, Channel, Peer, Put, Refusal, Rights, Version, Watcher};
use livetime_pva::server::{self as pva, Access, SharedPv};
use livetime_pva::wire::BitSet;

use super::put::written;
use super::reading::{Way, is_array, most, native, read};
use crate::fields::{Found, characters};
use crate::put::CHANNEL_ACCESS;

/// A PV, or a field of one, as a channel.
pub(super) struct Bridge {
    pv: SharedPv,
    access: Access,
    way: Way,
    is_array: bool,
}

impl Bridge {
    /// `None` for a PV whose values do not travel over Channel Access.
    pub(super) fn new(found: &Found<'_>, pv: SharedPv, access: Access) -> Option<Bridge> {
        let value = pv.value()?;
        let of_record = found.is_value().then(|| characters(found.record)).flatten();
        let characters = of_record.or(found.is_long.then_some(TEXT_LEN));
        let way = Way { native: native(&value, characters.is_some())?, characters, class: found.class };
        read(&value, way)?;
        Some(Bridge { way, access, is_array: is_array(&value), pv })
    }
}

impl Channel for Bridge {
    fn native(&self) -> Native {
        self.way.native
    }

    fn count(&self) -> usize {
        self.pv.look(|_, value| value.map_or(1, |value| most(value, self.way)))
    }

    fn rights(&self, peer: &Peer) -> Rights {
        let may = self.pv.is_writable() && self.access.allows(&known(peer));
        Rights { read: true, write: may }
    }

    fn version(&self) -> Option<Version> {
        Some(self.pv.version())
    }

    fn read(&self) -> Result<Arc<Reading>, Refusal> {
        let reading = self.pv.look(|_, value| read(value?, self.way));
        let none = || Refusal::new(Status::Disconnected, "the PV has no value");
        reading.map(Arc::new).ok_or_else(none)
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
        let (way, is_large) = (self.way, self.is_array);
        self.pv.observe(move |value, bits| {
            let changes = changes(value, bits);
            match is_large {
                // Nothing is converted on the thread of the run.
                true => watcher.push_newest(changes),
                // An observer is asked without a change whether it is still wanted.
                false if bits.is_empty() => {}
                false => {
                    read(value, way).map(Arc::new).iter().for_each(|reading| watcher.push(reading, changes))
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
        ("valueAlarm", Changes::PROPERTY),
    ];
    let found = parts.into_iter().filter(|(part, _)| has(part));
    found.fold(Changes(0), |all, (_, changes)| all.and(changes))
}

/// The client as the rules of a run know clients. The names are what the client says, as with pvAccess.
fn known(peer: &Peer) -> pva::Peer {
    let (method, account, host) = (CHANNEL_ACCESS.to_owned(), peer.user.clone(), peer.host.clone());
    pva::Peer { method, account, host, local: peer.is_local, ..pva::Peer::anonymous(peer.address) }
}
