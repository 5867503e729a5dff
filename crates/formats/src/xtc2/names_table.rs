//! The descriptions that are in force at some time.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Datagram, Names, NamesId, Step, Transition, XtcKind};

/// Descriptions of all records of one stream, by number. Cheap to clone.
#[derive(Clone, Default, Debug)]
pub struct NamesTable {
    by_id: HashMap<NamesId, Arc<Names>>,
}

impl NamesTable {
    /// Takes in the descriptions in `datagram`; returns whether there were any. A Configure forgets all earlier ones:
    /// it may give the numbers other meanings. A broken description is left out.
    pub fn update(&mut self, datagram: &Datagram<'_>) -> bool {
        let names: Vec<Names> = datagram.walk().filter_map(Names::of_step).collect();
        if datagram.header.transition() == Transition::Configure {
            self.by_id.clear();
        }
        let has_changed = !names.is_empty();
        self.by_id.extend(names.into_iter().map(|n| (n.id, Arc::new(n))));
        has_changed
    }

    /// The description of records with that number.
    pub fn get(&self, id: NamesId) -> Option<&Names> {
        self.by_id.get(&id).map(|names| &**names)
    }

    /// All descriptions, by number.
    pub fn all(&self) -> Vec<&Names> {
        let mut all: Vec<&Names> = self.by_id.values().map(|names| &**names).collect();
        all.sort_by_key(|n| n.id);
        all
    }
}

impl Names {
    /// The description at a step of a walk; `None` for anything else, and for a broken description.
    pub fn of_step(step: Step<'_>) -> Option<Names> {
        match step {
            Step::Xtc(xtc) if xtc.header.kind() == XtcKind::Names => {
                Names::parse(xtc.header.names_id(), xtc.payload).ok()
            }
            _ => None,
        }
    }
}
