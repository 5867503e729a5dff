//! The configurations that were in force when an event was taken.

use std::sync::Arc;

use super::{Datagram, Src, TypeId, Xtc, id};
use crate::Error;

/// Leaves of the transitions before an event, by sender and type. Cheap to clone: every event may have its own, and
/// several threads may share them.
///
/// A sender is known by `phy` alone, because its process differs from file to file.
///
/// ```
/// use livetime_formats::xtc1::{Builder, Configs, Datagram, DatagramHeader, Src, Transition, TypeId, XtcHeader, id};
///
/// let camera = Src::detector(32, 0, 10, 0);
/// let mut bytes = Vec::new();
/// let mut builder = Builder::new(&mut bytes, &DatagramHeader::new(Transition::Configure, 0, 0));
/// builder.leaf(XtcHeader::new(camera, TypeId::new(id::CSPAD_CONFIG, 4)), &[&[0; 8]])?;
/// builder.finish()?;
///
/// let mut configs = Configs::default();
/// configs.add(&Datagram::parse(&bytes)?);
/// let (type_id, payload) = configs.find(camera, id::CSPAD_CONFIG).unwrap();
/// assert_eq!((type_id.version(), payload.len()), (4, 8));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Configs {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    src: Src,
    type_id: TypeId,
    payload: Arc<[u8]>,
}

impl Configs {
    /// Adds the leaves of a transition; they replace earlier leaves of the same sender and type number.
    pub fn add(&mut self, transition: &Datagram<'_>) {
        let leaves = transition.leaves().filter(is_config);
        let mut added: Vec<Entry> = leaves
            .map(|Xtc { header, payload, .. }| Entry {
                src: header.src,
                type_id: header.type_id,
                payload: payload.into(),
            })
            .collect();
        self.entries.retain(|old| !added.iter().any(|new| new.is_about(old.src, old.type_id.number())));
        self.entries.append(&mut added);
    }

    /// Shares equal configurations with `other`, to keep them in memory once: every file of a run begins with the same
    /// ones. Returns whether all of both are the same.
    pub(crate) fn share(&mut self, other: &Configs) -> bool {
        let mut shared = 0;
        for entry in &mut self.entries {
            let is_same = |old: &&Entry| {
                (old.src, old.type_id) == (entry.src, entry.type_id) && old.payload == entry.payload
            };
            if let Some(old) = other.entries.iter().find(is_same) {
                entry.payload = old.payload.clone();
                shared += 1;
            }
        }
        shared == self.entries.len() && shared == other.entries.len()
    }

    /// The last leaf of type `number` that `src` sent: its type word and its payload.
    pub fn find(&self, src: Src, number: u16) -> Option<(TypeId, &[u8])> {
        let entry = self.entries.iter().rev().find(|e| e.is_about(src, number))?;
        Some((entry.type_id, &entry.payload[..]))
    }

    /// All of them: sender, type word and payload.
    pub fn iter(&self) -> impl Iterator<Item = (Src, TypeId, &[u8])> {
        self.entries.iter().map(|e| (e.src, e.type_id, &*e.payload))
    }
}

impl Entry {
    fn is_about(&self, src: Src, number: u16) -> bool {
        self.src.phy == src.phy && self.src.level() == src.level() && self.type_id.number() == number
    }
}

/// Many values of one sender and type (as EPICS) are data, not a configuration.
fn is_config(leaf: &Xtc<'_>) -> bool {
    ![id::EPICS, id::ORIGINAL_DATAGRAM].contains(&leaf.header.type_id.number())
}

/// An event whose data need a configuration that was not before it.
pub(super) fn missing(config: &str, src: Src) -> Error {
    Error::new(format!("a {config} of {src} before this event"), "none")
}
