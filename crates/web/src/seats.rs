//! The clients that may be connected at one time. A connection that says nothing makes room for the next client; and
//! where all are busy, some seats are left for clients with the token, and for clients that come to show it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use livetime_runtime::lock;
use tokio::sync::Notify;

/// How many connections there may be.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// For everybody.
    pub(crate) most: usize,
    /// Of these for one address that is not of this machine.
    pub(crate) most_of_one: usize,
    /// Beside these: see [`Reserved`].
    pub(crate) reserve: usize,
    /// A client that has said nothing for this long makes room for another one. A new client may have asked already,
    /// and not been heard yet.
    pub(crate) grace: Duration,
}

/// Marks requests of a connection that came when all other seats were taken.
#[derive(Clone, Copy)]
pub(crate) struct Reserved;

/// All connections of a server.
pub(crate) struct Seats {
    limits: Limits,
    began: Instant,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    seats: BTreeMap<u64, Held>,
}

struct Held {
    address: IpAddr,
    is_reserved: bool,
    client: Arc<Client>,
}

/// The present state of a client.
#[derive(Default)]
pub(crate) struct Client {
    /// Requests that are being answered.
    busy: AtomicUsize,
    has_asked: AtomicBool,
    /// It has become a WebSocket.
    is_socket: AtomicBool,
    /// When something last came or went, in ns since the server began.
    active_ns: AtomicU64,
    /// Another client has its seat now.
    out: Notify,
}

/// The seat of one connection, free again when it is dropped.
pub(crate) struct Seat {
    seats: Arc<Seats>,
    number: u64,
    pub(crate) is_reserved: bool,
    pub(crate) client: Arc<Client>,
}

/// A request that is being answered.
pub(crate) struct Busy(Arc<Client>);

impl Seats {
    pub(crate) fn new(limits: Limits) -> Arc<Seats> {
        Arc::new(Seats { limits, began: Instant::now(), taken: Mutex::default() })
    }

    /// A seat for a client at `address`; `None` if all are busy, the reserved ones included.
    pub(crate) fn take(self: &Arc<Seats>, address: IpAddr) -> Option<Seat> {
        let mut taken = lock(&self.taken);
        let grace_ns = self.limits.grace.as_nanos() as u64;
        let before_ns = self.now_ns().saturating_sub(grace_ns);
        let is_ordinary = |held: &Held| !held.is_reserved;
        let is_own = |held: &Held| !held.is_reserved && held.address == address;
        // Clients of this machine are one address for many people, so it is never a crowd.
        let is_crowd = !address.is_loopback() && taken.count(is_own) >= self.limits.most_of_one;
        let is_free = taken.count(is_ordinary) < self.limits.most;
        // A crowd makes room among its own seats only.
        if (is_free && !is_crowd)
            || taken.make_room(before_ns, |held| if is_crowd { is_own(held) } else { is_ordinary(held) })
        {
            return Some(self.seat(&mut taken, address, false));
        }
        let is_reserved = |held: &Held| held.is_reserved;
        let has_reserve =
            taken.count(is_reserved) < self.limits.reserve || taken.make_room(before_ns, is_reserved);
        has_reserve.then(|| self.seat(&mut taken, address, true))
    }

    fn seat(self: &Arc<Seats>, taken: &mut Taken, address: IpAddr, is_reserved: bool) -> Seat {
        let number = taken.next;
        taken.next += 1;
        let client = Arc::new(Client::default());
        // Relaxed is enough for the times and counts of clients: they only choose who goes first.
        client.active_ns.store(self.now_ns(), Ordering::Relaxed);
        taken.seats.insert(number, Held { address, is_reserved, client: client.clone() });
        Seat { seats: self.clone(), number, is_reserved, client }
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

impl Taken {
    fn count(&self, of: impl Fn(&Held) -> bool) -> usize {
        self.seats.values().filter(|held| of(held)).count()
    }

    /// Sends away the client among these that has been idle for longest, first among the clients without any request.
    /// It was so already at `before_ns`.
    fn make_room(&mut self, before_ns: u64, of: impl Fn(&Held) -> bool) -> bool {
        let idle = self.seats.iter().filter(|(_, held)| of(held) && held.client.is_idle(before_ns));
        let longest = idle.min_by_key(|(_, held)| held.client.patience()).map(|(number, _)| *number);
        let gone = longest.and_then(|number| self.seats.remove(&number));
        gone.inspect(|held| held.client.out.notify_one()).is_some()
    }
}

impl Client {
    fn is_idle(&self, before_ns: u64) -> bool {
        // A WebSocket may be silent for long: it is never idle.
        let says_nothing = self.busy.load(Ordering::Relaxed) == 0 && !self.is_socket.load(Ordering::Relaxed);
        says_nothing && self.active_ns.load(Ordering::Relaxed) <= before_ns
    }

    /// Less for who has to go first.
    fn patience(&self) -> (bool, u64) {
        (self.has_asked.load(Ordering::Relaxed), self.active_ns.load(Ordering::Relaxed))
    }

    /// A request has come.
    pub(crate) fn ask(self: &Arc<Client>) -> Busy {
        self.has_asked.store(true, Ordering::Relaxed);
        self.busy.fetch_add(1, Ordering::Relaxed);
        Busy(self.clone())
    }

    /// The connection is a WebSocket from now on.
    pub(crate) fn upgrade(&self) {
        self.is_socket.store(true, Ordering::Relaxed);
    }

    /// Returns when another client has the seat.
    pub(crate) async fn sent_away(&self) {
        self.out.notified().await;
    }
}

impl Seat {
    /// Something came or went.
    pub(crate) fn is_used(&self) {
        self.client.active_ns.store(self.seats.now_ns(), Ordering::Relaxed);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        lock(&self.seats.taken).seats.remove(&self.number);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const ELSEWHERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 1, 2, 3));
    const LIMITS: Limits = Limits { most: 4, most_of_one: 2, reserve: 2, grace: Duration::ZERO };

    fn busy(seats: &Arc<Seats>, address: IpAddr) -> (Seat, Busy) {
        let seat = seats.take(address).unwrap();
        let busy = seat.client.ask();
        (seat, busy)
    }

    #[test]
    fn who_says_nothing_makes_room_and_who_never_asked_goes_first() {
        let seats = Seats::new(LIMITS);
        let first = seats.take(HERE).unwrap();
        drop(first.client.ask());
        let silent: Vec<Seat> = (0..3).map(|_| seats.take(HERE).unwrap()).collect();
        let next = seats.take(HERE).unwrap();
        assert!(!next.is_reserved);
        let is_there = |seat: &Seat| lock(&seats.taken).seats.contains_key(&seat.number);
        assert!(is_there(&first) && !is_there(&silent[0]) && is_there(&silent[1]));
        drop((first, silent, next));
        assert!(lock(&seats.taken).seats.is_empty());
    }

    #[test]
    fn where_all_are_busy_some_seats_are_reserved_and_then_none_is_left() {
        let seats = Seats::new(LIMITS);
        let socket = seats.take(HERE).unwrap();
        socket.client.upgrade();
        let _all: Vec<_> = (0..3).map(|_| busy(&seats, HERE)).collect();
        let (kept, _busy) = busy(&seats, HERE);
        let silent = seats.take(ELSEWHERE).unwrap();
        assert!(kept.is_reserved && silent.is_reserved);
        // One that is idle makes room here, too.
        let (other, _other) = busy(&seats, HERE);
        assert!(other.is_reserved && seats.take(HERE).is_none());
        drop(socket);
        assert!(!seats.take(HERE).unwrap().is_reserved);
    }

    #[test]
    fn one_address_elsewhere_has_a_share_and_this_machine_has_all() {
        let seats = Seats::new(LIMITS);
        let _held: Vec<_> = (0..2).map(|_| busy(&seats, ELSEWHERE)).collect();
        assert!(seats.take(ELSEWHERE).unwrap().is_reserved);
        let own: Vec<_> = (0..2).map(|_| busy(&seats, HERE)).collect();
        assert!(own.iter().all(|(seat, _)| !seat.is_reserved));
    }
}
