//! Recorded runs in object stores (`s3://bucket/key`) and behind http(s), read in ranges.
//!
//! [`Objects`] is a [`Store`] for [`livetime_formats::file::Stores`]: readers of recorded runs get bytes at any place of an object, as of a
//! file. A reader that goes on through an object gets blocks of 8 MiB, up to 16 requests at a time; one that jumps gets pages of 64 KiB.
//! Blocks stay in memory up to a bound, together for all objects. An object that is replaced while it is open is an error.
//!
//! ```
//! use std::sync::Arc;
//!
//! use livetime_formats::file::Stores;
//! use livetime_objects::{Objects, Settings};
//!
//! let stores = Stores::with(Arc::new(Objects::new(Settings::of([]))));
//! let error = stores.open("http://me:secret@host/run.xtc".as_ref()).unwrap_err().to_string();
//! assert!(error.ends_with("found an address with a name or password"), "{error}");
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod address;
mod cache;
mod client;
mod engine;
mod error;
mod object;
mod requests;
mod settings;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::{fmt, io};

use livetime_formats::file::{ReadAt, Store};
use object_store::ObjectMeta;

use address::Address;
use client::Client;
use object::Object;
use requests::Requests;

pub use error::{Kind, ObjectError, Result};
pub use settings::Settings;

/// Objects of all servers and buckets that addresses name. The thread for requests starts with the first one.
pub struct Objects {
    settings: Settings,
    shared: OnceLock<Shared>,
}

/// The state behind all objects.
struct Shared {
    requests: Arc<Requests>,
    clients: Mutex<HashMap<(address::Kind, String), Client>>,
    known: Mutex<Known>,
}

/// Objects that were opened, so that one opened again keeps its bytes in memory.
#[derive(Default)]
struct Known {
    objects: HashMap<String, (Weak<Object>, ObjectMeta, u64)>,
    next: u64,
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Objects({:?})", self.settings)
    }
}

impl Objects {
    /// Objects that are asked for in this way. Nothing is asked for yet.
    pub fn new(settings: Settings) -> Objects {
        Objects { settings, shared: OnceLock::new() }
    }

    /// Ranges that were asked for so far, and the bytes that came.
    pub fn read(&self) -> (u64, u64) {
        self.shared.get().map_or((0, 0), |shared| shared.requests.counts.read())
    }

    fn shared(&self) -> Result<&Shared> {
        if let Some(shared) = self.shared.get() {
            return Ok(shared);
        }
        // Of two threads that come here at once one engine ends at once.
        let new = Shared {
            requests: Arc::new(Requests::new(self.settings.clone())?),
            clients: Mutex::default(),
            known: Mutex::default(),
        };
        Ok(self.shared.get_or_init(|| new))
    }

    fn open_object(&self, text: &str) -> Result<Arc<Object>> {
        let address = Address::parse(text)?;
        let shared = self.shared()?;
        if let Some(open) = shared.open_already(text) {
            return Ok(open);
        }
        let (client, path) = (shared.client(&address)?, client::path_of(&address)?);
        let asked = client.clone();
        let meta = shared.requests.engine.wait(shared.requests.settings.limit, "an object", async move {
            client::head(&*asked, &path).await
        })?;
        Ok(shared.note(text, meta, client))
    }

    fn list_objects(&self, folder: &str) -> Result<Vec<String>> {
        let address = Address::parse(folder)?;
        if address.kind != address::Kind::S3 {
            return Err(ObjectError::new(
                Kind::Unsupported,
                "a list of objects",
                "a server of http, which has none",
            ));
        }
        let shared = self.shared()?;
        let (client, path) = (shared.client(&address)?, client::path_of(&address)?);
        let wanted = "a list of objects";
        let keys = shared.requests.engine.wait(shared.requests.settings.limit, wanted, async move {
            client::list(&*client, &path).await
        })?;
        Ok(keys.iter().map(|key| address.with_key(key)).collect())
    }
}

impl Shared {
    fn client(&self, address: &Address) -> Result<Client> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (address.kind, address.place.clone());
        if let Some(client) = clients.get(&place) {
            return Ok(client.clone());
        }
        let client = client::client(address, &self.requests.settings)?;
        clients.insert(place, client.clone());
        Ok(client)
    }

    fn open_already(&self, text: &str) -> Option<Arc<Object>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.objects.get(text).and_then(|(object, ..)| object.upgrade())
    }

    /// The object, with the number that it had when it was open before, if it is still the same.
    fn note(&self, text: &str, meta: ObjectMeta, client: Client) -> Arc<Object> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let same =
            known.objects.get(text).filter(|(_, before, _)| *before == meta).map(|(_, _, number)| *number);
        let number = same.unwrap_or(known.next);
        known.next = known.next.max(number + 1);
        let object = Arc::new(Object::new(number, meta.clone(), client, self.requests.clone()));
        known.objects.insert(text.to_owned(), (Arc::downgrade(&object), meta, number));
        object
    }
}

impl Store for Objects {
    fn open(&self, address: &str) -> io::Result<Arc<dyn ReadAt>> {
        let object = self.open_object(address)?;
        Ok(object)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        Ok(self.list_objects(folder)?)
    }
}
