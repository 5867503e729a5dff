//! Clients of a server: how many there are, how much memory they take, and which come from this machine.
//!
//! Three types come first. [`Guests`] are the clients of one server, or of two servers of one program that share their bounds. A [`Guest`]
//! has the place of one connection, an [`Account`] its memory.
//!
//! ```
//! use std::time::Duration;
//!
//! use livetime_guests::{Bounds, Guests};
//!
//! let guests = Guests::new(Bounds { connections_per_host: 1, memory_per_connection: 1000, ..Bounds::default() });
//! let host = [10, 0, 0, 1].into();
//! let (guest, _) = guests.admit(host, Duration::ZERO)?;
//! guest.had_a_turn(Duration::ZERO, true);
//! assert!(guests.admit(host, Duration::ZERO).is_err());
//! let account = guests.account(host);
//! assert!(account.take(1000) && !account.take(1));
//! # Ok::<(), livetime_guests::Full>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod account;
mod limit;
mod own;
mod places;
mod reports;
mod tune;
mod version;

pub use account::{Account, Charge};
pub use limit::Limit;
pub use own::own_addresses;
pub use places::{Full, Guest, Guests};
pub use reports::Reports;
pub use tune::tune;
pub use version::Version;

/// The bounds for all clients together, for a host, and for a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Connections in all.
    pub connections: usize,
    /// Connections from one address.
    pub connections_per_host: usize,
    /// The most bytes that are kept for one connection.
    pub memory_per_connection: usize,
    /// The most bytes for all connections from one address.
    pub memory_per_host: usize,
    /// The most bytes for all connections.
    pub memory: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            connections: 4096,
            connections_per_host: 1024,
            memory_per_connection: 192 << 20,
            memory_per_host: 256 << 20,
            memory: 512 << 20,
        }
    }
}

impl Bounds {
    /// Clients get at most half of the files that the process may open: the rest of the program needs some, too. Of these one host gets
    /// at most half.
    #[must_use]
    pub fn affordable(self) -> Bounds {
        let connections = open_files().map_or(self.connections, |files| self.connections.min(files / 2));
        let connections_per_host = match connections < self.connections {
            true => self.connections_per_host.min(connections / 2),
            false => self.connections_per_host,
        };
        Bounds { connections, connections_per_host, ..self }
    }
}

/// How many files this process may have open, connections among them; `None` where the system does not say.
fn open_files() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Takes a lock, also after a panic of another thread: no state here is ever left half changed.
fn lock<T: ?Sized>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
