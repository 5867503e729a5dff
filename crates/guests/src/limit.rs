//! How many searches are answered.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

/// The most addresses that are distinguished. Beyond it the counts of all addresses are reset: forged addresses must
/// not fill the memory.
const HOSTS: usize = 4096;

/// Lets every address send this many datagrams per second, and as many at once.
pub struct Limit {
    per_second: u32,
    hosts: HashMap<IpAddr, (Duration, f64)>,
}

impl Limit {
    /// So many datagrams per second from one address.
    pub fn new(per_second: u32) -> Limit {
        Limit { per_second, hosts: HashMap::new() }
    }

    /// Whether one more from `address` is fine at `now`.
    pub fn admits(&mut self, address: IpAddr, now: Duration) -> bool {
        let most = f64::from(self.per_second);
        if self.hosts.len() >= HOSTS && !self.hosts.contains_key(&address) {
            self.hosts.clear();
        }
        let (then, left) = self.hosts.entry(address).or_insert((now, most));
        *left = (*left + now.saturating_sub(*then).as_secs_f64() * most).min(most);
        *then = now;
        let admitted = *left >= 1.0;
        *left -= f64::from(u8::from(admitted));
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storm_of_one_host_does_not_touch_another() {
        let mut limit = Limit::new(100);
        let (storm, calm) = (IpAddr::from([1, 1, 1, 1]), IpAddr::from([2, 2, 2, 2]));
        let count =
            |limit: &mut Limit, s| (0..1000).filter(|_| limit.admits(storm, Duration::from_secs(s))).count();
        assert_eq!((count(&mut limit, 0), count(&mut limit, 1)), (100, 100));
        assert!(limit.admits(calm, Duration::from_secs(1)));
        for i in 0..10_000u32 {
            limit.admits(std::net::Ipv4Addr::from_bits(i).into(), Duration::from_secs(2));
        }
        assert!(limit.hosts.len() <= HOSTS);
    }
}
