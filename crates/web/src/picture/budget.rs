//! How many bytes of pictures each address is sent in a second.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use livetime_runtime::lock;

/// Bytes per second to one address: thirty whole pictures of 2048 x 2048 16-bit pixels.
const RATE: f64 = 256e6;
/// The bytes that an address may get at once after a pause.
const BURST: f64 = 128e6;

/// The budgets of all addresses. An address that has spent its budget waits until it has grown again; no other address does.
#[derive(Default)]
pub(crate) struct Budgets(Mutex<BTreeMap<IpAddr, Budget>>);

struct Budget {
    /// May be less than 0, since a picture is sent whole.
    bytes: f64,
    at: Instant,
}

impl Budget {
    fn grow(&mut self, now: Instant) {
        let gained = now.saturating_duration_since(self.at).as_secs_f64() * RATE;
        (self.bytes, self.at) = ((self.bytes + gained).min(BURST), now);
    }
}

impl Budgets {
    /// How long `owner` has to wait for its next picture.
    pub(crate) fn wait(&self, owner: IpAddr, now: Instant) -> Duration {
        let mut all = lock(&self.0);
        let Some(budget) = all.get_mut(&owner) else { return Duration::ZERO };
        budget.grow(now);
        Duration::from_secs_f64((-budget.bytes / RATE).max(0.0))
    }

    /// `owner` is sent this number of bytes.
    pub(crate) fn spend(&self, owner: IpAddr, bytes: usize, now: Instant) {
        let mut all = lock(&self.0);
        // An address that has all of its budget needs no entry.
        all.retain(|_, budget| {
            budget.grow(now);
            budget.bytes < BURST
        });
        all.entry(owner).or_insert(Budget { bytes: BURST, at: now }).bytes -= bytes as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_spent_too_much_waits_and_others_do_not() {
        let budgets = Budgets::default();
        let (greedy, modest) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        for _ in 0..5 {
            budgets.spend(greedy, 64 << 20, start);
        }
        budgets.spend(modest, 1 << 20, start);
        let debt = (5.0 * f64::from(64 << 20) - BURST) / RATE;
        assert!((budgets.wait(greedy, start).as_secs_f64() - debt).abs() < 1e-6);
        assert_eq!(budgets.wait(modest, start), Duration::ZERO);
        assert!(budgets.wait(greedy, at(0.5)).as_secs_f64() < debt - 0.4);
        assert_eq!(budgets.wait(greedy, at(debt + 0.1)), Duration::ZERO);
        // After a long pause no address is remembered.
        budgets.spend(modest, 1, at(100.0));
        assert_eq!(lock(&budgets.0).len(), 1);
    }
}
