//! Services: values that a program hands to the nodes of its runs, found by type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use livetime_runtime::lock;

use crate::files::PipelineText;

/// Things that nodes share with each other and with the program around the run, one of each type.
///
/// The engine knows none of these types. A node asks for one with [`Context::service`](crate::Context::service), and
/// the program hands its own to a run in [`RunOptions::services`](crate::RunOptions::services). A service that the
/// program did not hand over is made when the first node asks. All clones of a `Services` are the same collection.
///
/// ```
/// use std::sync::Arc;
/// use livetime_engine::Services;
///
/// #[derive(Clone, Default)]
/// struct Calibration(Arc<[f32]>);
///
/// let services = Services::default().with(Calibration([1.0, 1.5].into()));
/// assert_eq!(services.get::<Calibration>().0[..], [1.0, 1.5]);
/// assert_eq!(services.get::<String>(), "");
/// ```
#[derive(Clone, Default)]
pub struct Services(Arc<Mutex<HashMap<TypeId, Box<dyn Any + Send>>>>);

impl Services {
    /// The same collection, with `service` in place of the former value of this type.
    #[must_use]
    pub fn with<T: Send + 'static>(self, service: T) -> Services {
        lock(&self.0).insert(TypeId::of::<T>(), Box::new(service));
        self
    }

    /// With the text of the pipeline file, if there is one.
    pub(crate) fn describing(self, text: &str) -> Services {
        if text.is_empty() { self } else { self.with(PipelineText(text.into())) }
    }

    /// The service of this type; the default one, which is then kept, if there was none.
    pub fn get<T: Clone + Default + Send + 'static>(&self) -> T {
        let mut services = lock(&self.0);
        let service = services.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(T::default()));
        // An entry is always of the type that it is found by.
        service.downcast_ref::<T>().cloned().unwrap_or_default()
    }
}

/// The service that says which node opens its files and devices just now: for a program that is to end while one does not come back from
/// that.
#[derive(Clone, Default, Debug)]
pub struct Starting(Arc<Mutex<Option<String>>>);

impl Starting {
    /// The name of the node; `None` before the first and after the last.
    pub fn node(&self) -> Option<String> {
        lock(&self.0).clone()
    }

    pub(crate) fn set(&self, node: Option<&str>) {
        *lock(&self.0) = node.map(str::to_owned);
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services").field("count", &lock(&self.0).len()).finish()
    }
}
