//! Objects that were opened, so that one opened again keeps its bytes in memory.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use object_store::ObjectMeta;

use crate::client::Client;
use crate::object::Object;
use crate::requests::Requests;

/// An object that was opened so lately is not asked for again.
const LATELY: Duration = Duration::from_secs(5);
/// Objects that stay open because they were opened lately.
const MOST_RECENT: usize = 64;

/// Objects that were opened, by their addresses.
#[derive(Default)]
pub(crate) struct Known {
    objects: HashMap<String, (Weak<Object>, ObjectMeta, u64)>,
    next: u64,
    /// Objects that were opened lately: a run looks at each of its files some times before it keeps it open.
    recent: VecDeque<(Instant, Arc<Object>)>,
}

impl Known {
    /// The object, if it is open or was lately.
    pub(crate) fn open_already(&mut self, address: &str) -> Option<Arc<Object>> {
        self.close_old();
        self.objects.get(address).and_then(|(object, ..)| object.upgrade())
    }

    /// The object, with the number that it had when it was open before, if it is still the same.
    pub(crate) fn note(
        &mut self,
        address: &str,
        meta: ObjectMeta,
        client: Client,
        requests: Arc<Requests>,
    ) -> Arc<Object> {
        let same = self.objects.get(address).filter(|(_, before, _)| *before == meta);
        let number = same.map_or(self.next, |(.., number)| *number);
        self.next = self.next.max(number + 1);
        let object = Arc::new(Object::new(number, meta.clone(), client, requests));
        self.objects.insert(address.to_owned(), (Arc::downgrade(&object), meta, number));
        self.close_old();
        self.recent.truncate(MOST_RECENT - 1);
        self.recent.push_front((Instant::now(), object.clone()));
        object
    }

    /// An object that is written or removed is another one when it is opened next.
    pub(crate) fn forget(&mut self, address: &str) {
        if let Some((.., number)) = self.objects.remove(address) {
            self.recent.retain(|(_, object)| object.number != number);
        }
    }

    fn close_old(&mut self) {
        let now = Instant::now();
        self.recent.retain(|(since, _)| now.duration_since(*since) < LATELY);
    }
}
