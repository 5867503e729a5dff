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
mod known;
mod object;
mod requests;
mod settings;
mod upload;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::{fmt, io};

use livetime_formats::file::{NewObject, ReadAt, Store};
use object_store::ObjectStoreExt;

use address::{Address, Secret};
use client::Client;
use known::Known;
use object::Object;
use requests::Requests;
use settings::PAGE;
use upload::{Target, Upload};

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
    clients: Mutex<HashMap<Server, Client>>,
    /// Queries of addresses that were given with one.
    signed: Mutex<HashMap<String, Secret>>,
    known: Arc<Mutex<Known>>,
}

/// A bucket or a server; with a query, one signed address there.
type Server = (address::Kind, String, Option<Secret>);

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
            signed: Mutex::default(),
            known: Arc::default(),
        };
        Ok(self.shared.get_or_init(|| new))
    }

    /// The address without a query, which is remembered for all that is asked for there.
    fn address(&self, text: &str) -> Result<(Address, &Shared)> {
        let (mut address, shared) = (Address::parse(text)?, self.shared()?);
        let mut signed = shared.signed.lock().unwrap_or_else(PoisonError::into_inner);
        let plain = address.plain();
        match &address.query {
            Some(query) => drop(signed.insert(plain, query.clone())),
            None => address.query = signed.get(&plain).cloned(),
        }
        drop(signed);
        Ok((address, shared))
    }

    fn open_object(&self, text: &str) -> Result<Arc<Object>> {
        let (address, shared) = self.address(text)?;
        let plain = address.plain();
        if let Some(open) = shared.known().open_already(&plain) {
            return Ok(open);
        }
        let (client, path) = (shared.client(&address)?, client::path_of(&address)?);
        let (asked, tries) = (client.clone(), shared.requests.settings.tries);
        let (meta, bytes) =
            shared.requests.engine.wait(shared.requests.settings.limit, "an object", async move {
                client::first(&*asked, &path, PAGE, tries).await
            })?;
        let object = shared.known().note(&plain, meta, client, shared.requests.clone());
        object.keep_first(bytes);
        Ok(object)
    }

    /// Where an object is to be written.
    fn target(&self, text: &str) -> Result<Target> {
        let (address, shared) = self.address(text)?;
        let wanted = "an object in a bucket (s3://bucket/key) to write";
        if address.kind != address::Kind::S3 {
            let found = "an address of http, where objects are only read";
            return Err(ObjectError::new(Kind::Unsupported, wanted, found));
        }
        if address.key.is_empty() || address.key.ends_with('/') {
            return Err(ObjectError::new(Kind::Refused, wanted, "a bucket or a folder"));
        }
        let (client, path) = (shared.client(&address)?, client::path_of(&address)?);
        let (requests, known) = (shared.requests.clone(), shared.known.clone());
        Ok(Target { requests, known, client, path, address: address.plain() })
    }

    fn create_object(&self, text: &str, replaces: bool) -> Result<Upload> {
        let target = self.target(text)?;
        if !replaces && target.is_taken()? {
            return Err(upload::taken());
        }
        Ok(Upload::new(target, replaces))
    }

    fn remove_object(&self, text: &str) -> Result<()> {
        let target = self.target(text)?;
        target.forget();
        let (client, path) = (target.client, target.path);
        let wanted = "to remove an object";
        target.requests.engine.wait(target.requests.settings.limit, wanted, async move {
            client.delete(&path).await.map_err(|e| ObjectError::of(wanted, &e))
        })
    }

    fn list_objects(&self, folder: &str) -> Result<Vec<String>> {
        let (address, shared) = self.address(folder)?;
        if address.kind != address::Kind::S3 {
            return Err(ObjectError::new(
                Kind::Unsupported,
                "a list of objects",
                "a server of http, which has none",
            ));
        }
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
        let place = (address.kind, address.place.clone(), address.query.clone());
        if let Some(client) = clients.get(&place) {
            return Ok(client.clone());
        }
        let client = client::client(address, &self.requests.settings)?;
        clients.insert(place, client.clone());
        Ok(client)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn create(&self, address: &str, replaces: bool) -> io::Result<Box<dyn NewObject>> {
        Ok(Box::new(self.create_object(address, replaces)?))
    }

    fn check_new(&self, address: &str) -> io::Result<()> {
        Ok(self.target(address)?.check()?)
    }

    fn remove(&self, address: &str) -> io::Result<()> {
        Ok(self.remove_object(address)?)
    }

    fn is_signed(&self, address: &str) -> bool {
        self.address(address).is_ok_and(|(address, _)| address.query.is_some())
    }

    fn note_secret(&self, address: &str) -> io::Result<Option<String>> {
        let (address, _) = self.address(address)?;
        Ok(address.query.is_some().then(|| address.plain()))
    }
}
