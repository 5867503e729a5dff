//! Memory that clients take: counted for each connection, each host, and all of them together.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};

use crate::{Bounds, lock};

/// Most hosts that are remembered. Beyond it hosts without connections are forgotten, so that changing addresses do not
/// fill the memory.
const HOSTS: usize = 64;

/// An account of memory with a limit. Memory taken from it is also taken from the account above it.
///
/// Two invariants hold whatever clients do: the memory taken never exceeds the limit of any account, and it
/// is returned when the account ends.
#[derive(Debug)]
pub struct Account {
    used: AtomicUsize,
    limit: usize,
    above: Option<Arc<Account>>,
}

impl Account {
    fn new(limit: usize, above: Option<Arc<Account>>) -> Arc<Account> {
        Arc::new(Account { used: AtomicUsize::new(0), limit, above })
    }

    /// Takes `bytes`, or nothing.
    pub fn take(&self, bytes: usize) -> bool {
        self.take_of(bytes, 1)
    }

    /// Takes `bytes` for something dispensable. Dispensable memory may fill only half of an account, so that
    /// room is left for indispensable messages.
    pub fn take_spare(&self, bytes: usize) -> bool {
        self.take_of(bytes, 2)
    }

    fn take_of(&self, bytes: usize, part: usize) -> bool {
        // Added first and taken back on refusal: of two clients at the limit both may be refused, but never both
        // admitted. Relaxed: the number protects no other memory.
        let before = self.used.fetch_add(bytes, Relaxed);
        let fits = before.saturating_add(bytes) <= self.limit / part;
        let taken = fits && self.above.as_ref().is_none_or(|above| above.take_of(bytes, part));
        if !taken {
            self.used.fetch_sub(bytes, Relaxed);
        }
        taken
    }

    /// Returns bytes that were taken.
    pub fn give(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
        self.above.iter().for_each(|above| above.give(bytes));
    }

    /// Whether [`Account::take_spare`] would succeed now.
    pub fn has_spare(&self, bytes: usize) -> bool {
        self.used().saturating_add(bytes) <= self.limit / 2
            && self.above.as_ref().is_none_or(|above| above.has_spare(bytes))
    }

    /// Bytes that are taken.
    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let used = *self.used.get_mut();
        self.above.iter().for_each(|above| above.give(used));
    }
}

/// A varying amount of memory from an account. Dropping it returns the memory.
#[derive(Debug)]
pub struct Charge {
    account: Arc<Account>,
    bytes: usize,
}

impl Charge {
    /// A charge of nothing.
    pub fn new(account: &Arc<Account>) -> Charge {
        Charge { account: Arc::clone(account), bytes: 0 }
    }

    /// Has `bytes` from now on; `false`, and no change, if that is too much.
    pub fn set(&mut self, bytes: usize) -> bool {
        self.set_by(bytes, Account::take)
    }

    /// Sets the charge for dispensable memory.
    pub fn set_spare(&mut self, bytes: usize) -> bool {
        self.set_by(bytes, Account::take_spare)
    }

    fn set_by(&mut self, bytes: usize, take: fn(&Account, usize) -> bool) -> bool {
        if bytes > self.bytes && !take(&self.account, bytes - self.bytes) {
            return false;
        }
        if bytes < self.bytes {
            self.account.give(self.bytes - bytes);
        }
        self.bytes = bytes;
        true
    }

    /// How much it is.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// From which account.
    pub fn account(&self) -> &Account {
        &self.account
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.account.give(self.bytes);
    }
}

/// The accounts of all hosts.
#[derive(Debug)]
pub(crate) struct Accounts {
    all: Arc<Account>,
    hosts: Mutex<HashMap<IpAddr, Weak<Account>>>,
    per_host: usize,
    per_connection: usize,
}

impl Accounts {
    pub(crate) fn new(bounds: &Bounds) -> Accounts {
        Accounts {
            all: Account::new(bounds.memory, None),
            hosts: Mutex::default(),
            per_host: bounds.memory_per_host,
            per_connection: bounds.memory_per_connection,
        }
    }

    /// An account for a connection from `host`.
    pub(crate) fn of(&self, host: IpAddr) -> Arc<Account> {
        let host = host.to_canonical();
        let mut hosts = lock(&self.hosts);
        let known = hosts.get(&host).and_then(Weak::upgrade);
        let account = known.unwrap_or_else(|| {
            // Only now and then: each look costs the time of all hosts.
            if hosts.len() >= HOSTS {
                hosts.retain(|_, account| account.strong_count() > 0);
            }
            let account = Account::new(self.per_host, Some(Arc::clone(&self.all)));
            hosts.insert(host, Arc::downgrade(&account));
            account
        });
        Account::new(self.per_connection, Some(account))
    }

    /// The bytes taken by all clients together.
    pub(crate) fn used(&self) -> usize {
        self.all.used()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_takes_more_than_his_share_and_all_is_given_back() {
        let bounds =
            Bounds { memory: 1000, memory_per_host: 600, memory_per_connection: 400, ..Bounds::default() };
        let accounts = Accounts::new(&bounds);
        let (here, there) = ([127, 0, 0, 1].into(), [10, 0, 0, 1].into());
        let (a, b, c) = (accounts.of(here), accounts.of(here), accounts.of(there));
        assert!(a.take(400) && !a.take(1));
        assert!(b.take(200) && !b.take(1));
        assert!(c.take(400) && !c.take(1));
        assert_eq!(accounts.used(), 1000);
        drop(a);
        assert_eq!(accounts.used(), 600);
        assert!(!b.take_spare(1), "half is for what cannot be done without");
        assert!(b.take(1));
        drop((b, c));
        assert_eq!(accounts.used(), 0);

        let account = accounts.of(here);
        let mut charge = Charge::new(&account);
        assert!(charge.set(300) && charge.set(100) && !charge.set(500) && !charge.set_spare(201));
        assert_eq!((charge.bytes(), accounts.used()), (100, 100));
        // A charge may outlive its connection.
        drop(account);
        assert_eq!(accounts.used(), 100);
        drop(charge);
        assert_eq!(accounts.used(), 0);
    }
}
