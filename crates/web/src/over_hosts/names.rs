//! The addresses of names, which the system is asked for a few at a time.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use livetime_runtime::lock;
use tokio::net::lookup_host;
use tokio::sync::Semaphore;

/// A name's addresses are asked for again after this time.
const KNOWN: Duration = Duration::from_secs(60);
/// Names that are looked up at one time: each takes a thread, of which requests to nodes need some.
const LOOKUPS: usize = 2;

/// The addresses of names.
#[derive(Default)]
pub(super) struct Names {
    known: Mutex<BTreeMap<String, (Instant, Vec<SocketAddr>)>>,
    lookups: Lookups,
}

struct Lookups(Arc<Semaphore>);

impl Default for Lookups {
    fn default() -> Lookups {
        Lookups(Arc::new(Semaphore::new(LOOKUPS)))
    }
}

impl Names {
    pub(super) async fn addresses(&self, page: &str) -> io::Result<Vec<SocketAddr>> {
        if let Ok(address) = page.parse() {
            return Ok(vec![address]);
        }
        if let Some((since, addresses)) = lock(&self.known).get(page)
            && since.elapsed() < KNOWN
        {
            return Ok(addresses.clone());
        }
        let permit = self.lookups.0.clone().acquire_owned().await.map_err(io::Error::other)?;
        let name = page.to_owned();
        // In a task of its own: the thread of a lookup works on when no request waits for it any more, and counts as long.
        let lookup = tokio::spawn(async move {
            let found = lookup_host(name).await.map(Iterator::collect::<Vec<SocketAddr>>);
            drop(permit);
            found
        });
        let addresses = lookup.await.map_err(io::Error::other)??;
        lock(&self.known).insert(page.to_owned(), (Instant::now(), addresses.clone()));
        Ok(addresses)
    }
}
