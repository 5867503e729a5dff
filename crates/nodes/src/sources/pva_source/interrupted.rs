//! Images that an earlier run of the same pipeline did not live to count.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use livetime_runtime::lock;

/// The service with the sources of an earlier run that was killed: until when its counts go, in ns since 1970, by the
/// names of the nodes. A program that knows of none hands over nothing.
///
/// ```
/// use livetime_engine::Services;
/// use livetime_nodes::sources::pva_source::Interrupted;
///
/// let services = Services::default().with(Interrupted::from_iter([("far".to_owned(), 1_795_000_000_000_000_000)]));
/// ```
#[derive(Clone, Default, Debug)]
pub struct Interrupted(Arc<Mutex<BTreeMap<String, i64>>>);

impl FromIterator<(String, i64)> for Interrupted {
    fn from_iter<T: IntoIterator<Item = (String, i64)>>(sources: T) -> Interrupted {
        Interrupted(Arc::new(Mutex::new(sources.into_iter().collect())))
    }
}

impl Interrupted {
    /// Of one node, once: a node that is built again in this run does not continue the earlier one.
    pub(super) fn take(&self, node: &str) -> Option<i64> {
        lock(&self.0).remove(node)
    }
}
