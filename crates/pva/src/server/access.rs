//! Write access.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::Peer;

/// Which clients may put and call. Every client may read.
///
/// ```
/// use livetime_pva::server::{Access, Host, Rule};
///
/// let mut access = Access::default();   // this machine
/// access.rules.push(Rule { host: Host::Network([10, 1, 2, 0].into(), 24), user: Some("operator".into()) });
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// Rules of which one must fit.
    pub rules: Vec<Rule>,
}

/// Allows clients to write. Both parts must match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// From where.
    pub host: Host,
    /// The account; `None`: any. Clients name their account themselves, unverified.
    pub user: Option<String>,
}

/// Some machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Host {
    /// A client on this machine, at any of its addresses.
    Local,
    /// A client on this machine, at `127.0.0.1` or `::1`.
    Loopback,
    /// Every one.
    Any,
    /// The one with this address.
    Address(IpAddr),
    /// Hosts whose address has this prefix of this length in bits.
    Network(IpAddr, u8),
}

impl Default for Access {
    /// All clients on this machine, and no others.
    fn default() -> Access {
        Access { rules: vec![Rule { host: Host::Local, user: None }] }
    }
}

impl Access {
    /// No client.
    pub fn read_only() -> Access {
        Access { rules: Vec::new() }
    }

    /// All clients everywhere.
    pub fn everybody() -> Access {
        Access { rules: vec![Rule { host: Host::Any, user: None }] }
    }

    /// Whether `peer` may write.
    pub fn allows(&self, peer: &Peer) -> bool {
        self.allows_user(&peer.account, peer.address.ip(), peer.local)
    }

    /// Whether the account `user` may write from `address`. `is_local`: the address is one of this machine.
    pub fn allows_user(&self, user: &str, address: IpAddr, is_local: bool) -> bool {
        let fits = |rule: &Rule| {
            // A rule without an account fits every account.
            rule.host.has_address(address, is_local) && rule.user.as_ref().is_none_or(|wanted| wanted == user)
        };
        self.rules.iter().any(fits)
    }
}

impl Host {
    /// Whether `address` is one of theirs. `is_local`: it is an address of this machine.
    pub fn has_address(self, address: IpAddr, is_local: bool) -> bool {
        // An address of version 4 may arrive in the form of version 6.
        let address = address.to_canonical();
        match self {
            Host::Local => is_local,
            Host::Loopback => address.is_loopback(),
            Host::Any => true,
            Host::Address(host) => host.to_canonical() == address,
            Host::Network(network, bits) => same_network(network.to_canonical(), address, bits),
        }
    }

    /// Whether there is an address that both have. This machine is taken to have its loopback addresses alone.
    pub fn overlaps(self, other: Host) -> bool {
        let others = other.networks();
        self.networks().iter().any(|(a, m)| others.iter().any(|(b, n)| same_network(*a, *b, *m.min(n))))
    }

    /// Its addresses, as prefixes and their lengths in bits.
    fn networks(self) -> Vec<(IpAddr, u8)> {
        let bits = |address: IpAddr| if address.is_ipv4() { 32 } else { 128 };
        match self {
            Host::Local | Host::Loopback => {
                vec![(Ipv4Addr::new(127, 0, 0, 0).into(), 8), (Ipv6Addr::LOCALHOST.into(), 128)]
            }
            Host::Any => vec![(Ipv4Addr::UNSPECIFIED.into(), 0), (Ipv6Addr::UNSPECIFIED.into(), 0)],
            Host::Address(address) => vec![(address.to_canonical(), bits(address.to_canonical()))],
            Host::Network(network, length) => vec![(network.to_canonical(), length)],
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Local => f.write_str("local"),
            Host::Loopback => f.write_str("loopback"),
            Host::Any => f.write_str("any"),
            Host::Address(address) => address.fmt(f),
            Host::Network(network, bits) => write!(f, "{network}/{bits}"),
        }
    }
}

fn same_network(network: IpAddr, address: IpAddr, bits: u8) -> bool {
    // A length beyond the width compares the whole address.
    let high = |value: u128, width: u32| value.checked_shr(width.saturating_sub(bits.into())).unwrap_or(0);
    match (network, address) {
        (IpAddr::V4(a), IpAddr::V4(b)) => high(a.to_bits().into(), 32) == high(b.to_bits().into(), 32),
        (IpAddr::V6(a), IpAddr::V6(b)) => high(a.to_bits(), 128) == high(b.to_bits(), 128),
        // Addresses of two versions are never in one network.
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_users_have_to_fit() {
        let peer = |address: &str, account: &str| Peer {
            account: account.into(),
            ..Peer::anonymous(address.parse().unwrap())
        };
        let access = Access::default();
        assert!(access.allows(&peer("127.0.0.1:1", "")) && access.allows(&peer("[::1]:1", "")));
        assert!(access.allows(&peer("[::ffff:127.0.0.1]:1", "")));
        assert!(!access.allows(&peer("10.1.2.3:1", "root")));
        // At the address of an interface.
        let here = Peer { local: true, ..peer("10.1.2.3:1", "") };
        assert!(access.allows(&here) && !Host::Loopback.has_address(here.address.ip(), true));

        let host = Host::Network("10.1.2.0".parse().unwrap(), 24);
        let access = Access { rules: vec![Rule { host, user: Some("ops".into()) }] };
        assert!(access.allows(&peer("10.1.2.3:1", "ops")));
        assert!(!access.allows(&peer("10.1.3.3:1", "ops")) && !access.allows(&peer("10.1.2.3:1", "me")));
        let far = "192.168.0.1".parse().unwrap();
        assert!(Host::Network("10.0.0.0".parse().unwrap(), 0).has_address(far, false));
        assert!(!Host::Network("::".parse().unwrap(), 0).has_address(far, false));
        assert!(!Access::read_only().allows(&peer("127.0.0.1:1", "")));
    }
}
