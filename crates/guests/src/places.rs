//! How many connections there are, in all and from each address, and which of them gives its place to a new one.
//!
//! A client that can open connections and nothing else could take all places, and shut out the next client. So when
//! there is no place, the connection without a channel that rests longest is closed for the new one.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crate::account::{Account, Accounts};
use crate::own::Own;
use crate::{Bounds, lock};

/// The clients of a server, or of servers that share their bounds. A clone has the same clients.
#[derive(Clone)]
pub struct Guests(Arc<Parts>);

struct Parts {
    bounds: Bounds,
    rooms: Mutex<Rooms>,
    accounts: Accounts,
    own: Own,
}

#[derive(Default)]
struct Rooms {
    /// How many connections there are from each address, without the ones asked to go.
    hosts: HashMap<IpAddr, usize>,
    places: HashMap<u64, Arc<Seat>>,
    next: u64,
}

/// The place of one connection, until it is dropped.
pub struct Guest {
    guests: Guests,
    number: u64,
    place: Arc<Seat>,
}

/// Why there is no place for one more connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// All are taken.
    All,
    /// The address has as many as one may have.
    Address(IpAddr),
}

impl Full {
    /// Whether a connection from `address` could make room.
    fn concerns(self, address: IpAddr) -> bool {
        matches!(self, Full::All) || self == Full::Address(address)
    }
}

impl std::error::Error for Full {}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Full::All => "too many connections",
            Full::Address(_) => "too many connections from this address",
        })
    }
}

type Bell = Box<dyn Fn() + Send>;

/// The facts about a connection for other threads.
struct Seat {
    address: IpAddr,
    /// When it last had a turn, in ns of the server's clock.
    turned_ns: AtomicU64,
    has_channels: AtomicBool,
    is_displaced: AtomicBool,
    /// Wakes its thread, once it has one.
    bell: Mutex<Option<Bell>>,
}

impl Guests {
    /// No clients yet, and the bounds for clients that come.
    pub fn new(bounds: Bounds) -> Guests {
        let (rooms, own, accounts) = (Mutex::default(), Own::default(), Accounts::new(&bounds));
        Guests(Arc::new(Parts { bounds, rooms, accounts, own }))
    }

    /// An account for the memory of a connection from `host`.
    pub fn account(&self, host: IpAddr) -> Arc<Account> {
        self.0.accounts.of(host)
    }

    /// The bytes that are kept for all clients together.
    pub fn memory(&self) -> usize {
        self.0.accounts.used()
    }

    /// Whether `address` is one of this machine's.
    pub fn is_local(&self, address: IpAddr) -> bool {
        self.0.own.contains(address)
    }

    fn lock(&self) -> MutexGuard<'_, Rooms> {
        lock(&self.0.rooms)
    }

    /// Counts a connection from `address` at `now`, by any clock that all servers of these guests share. `true`: another connection is
    /// closed for it.
    ///
    /// # Errors
    /// Why there is no place for it.
    pub fn admit(&self, address: IpAddr, now: Duration) -> Result<(Guest, bool), Full> {
        // A host that comes by `::ffff:10.0.0.1` and by `10.0.0.1` is one.
        let address = address.to_canonical();
        let mut rooms = self.lock();
        let full = rooms.full(&self.0.bounds, address);
        if let Some(full) = full {
            rooms.displace(full).ok_or(full)?;
        }
        *rooms.hosts.entry(address).or_default() += 1;
        rooms.next += 1;
        let number = rooms.next;
        let place = Arc::new(Seat {
            address,
            turned_ns: AtomicU64::new(now.as_nanos() as u64),
            has_channels: AtomicBool::new(false),
            is_displaced: AtomicBool::new(false),
            bell: Mutex::default(),
        });
        rooms.places.insert(number, Arc::clone(&place));
        drop(rooms);
        Ok((Guest { guests: self.clone(), number, place }, full.is_some()))
    }
}

impl Rooms {
    /// Why there is no place for one more connection from `address`.
    fn full(&self, bounds: &Bounds, address: IpAddr) -> Option<Full> {
        if self.hosts.values().sum::<usize>() >= bounds.connections {
            return Some(Full::All);
        }
        let count = self.hosts.get(&address).copied().unwrap_or_default();
        (count >= bounds.connections_per_host).then_some(Full::Address(address))
    }

    /// Asks the connection without a channel that has been idle longest to leave, if there is one.
    fn displace(&mut self, full: Full) -> Option<()> {
        let may_go = |place: &&Arc<Seat>| {
            full.concerns(place.address)
                // Relaxed: a connection that gets its first channel just now may still be displaced; its client
                // connects again.
                && !place.has_channels.load(Relaxed)
                && !place.is_displaced.load(Relaxed)
        };
        let place = self.places.values().filter(may_go).min_by_key(|place| place.turned_ns.load(Relaxed))?;
        let place = Arc::clone(place);
        // The place counts as free from now on; the thread that owns the connection closes it at its next turn.
        place.is_displaced.store(true, Relaxed);
        self.leave(place.address);
        if let Some(ring) = &*lock(&place.bell) {
            ring();
        }
        Some(())
    }

    fn leave(&mut self, address: IpAddr) {
        let Some(count) = self.hosts.get_mut(&address) else { return };
        *count -= 1;
        if *count == 0 {
            self.hosts.remove(&address);
        }
    }
}

impl Guest {
    /// Lets `ring` wake the connection's thread from now on.
    pub fn sit(&self, ring: impl Fn() + Send + 'static) {
        *lock(&self.place.bell) = Some(Box::new(ring));
    }

    /// Notes a turn of the connection at `now`.
    pub fn had_a_turn(&self, now: Duration, has_channels: bool) {
        // Relaxed: other threads only choose by these values whom to displace.
        self.place.turned_ns.store(now.as_nanos() as u64, Relaxed);
        self.place.has_channels.store(has_channels, Relaxed);
    }

    /// Whether the connection has to leave.
    pub fn is_displaced(&self) -> bool {
        self.place.is_displaced.load(Relaxed)
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut rooms = self.guests.lock();
        rooms.places.remove(&self.number);
        // A displaced connection has given its place back already.
        if !self.is_displaced() {
            rooms.leave(self.place.address);
        }
    }
}
