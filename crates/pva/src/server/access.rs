//! Write access.

use std::net::IpAddr;

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
        self.rules
            .iter()
            .any(|rule| rule.host.has(peer) && rule.user.as_ref().is_none_or(|user| *user == peer.account))
    }
}

impl Host {
    /// Whether `peer` is at one of them.
    pub fn has(self, peer: &Peer) -> bool {
        let address = peer.address.ip().to_canonical();
        match self {
            Host::Local => peer.local,
            Host::Loopback => address.is_loopback(),
            Host::Any => true,
            Host::Address(host) => host.to_canonical() == address,
            Host::Network(network, bits) => same_network(network.to_canonical(), address, bits),
        }
    }
}

fn same_network(network: IpAddr, address: IpAddr, bits: u8) -> bool {
    let high = |value: u128, width: u32| value.checked_shr(width.saturating_sub(bits.into())).unwrap_or(0);
    match (network, address) {
        (IpAddr::V4(a), IpAddr::V4(b)) => high(a.to_bits().into(), 32) == high(b.to_bits().into(), 32),
        (IpAddr::V6(a), IpAddr::V6(b)) => high(a.to_bits(), 128) == high(b.to_bits(), 128),
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
        assert!(access.allows(&here) && !Host::Loopback.has(&here));

        let host = Host::Network("10.1.2.0".parse().unwrap(), 24);
        let access = Access { rules: vec![Rule { host, user: Some("ops".into()) }] };
        assert!(access.allows(&peer("10.1.2.3:1", "ops")));
        assert!(!access.allows(&peer("10.1.3.3:1", "ops")) && !access.allows(&peer("10.1.2.3:1", "me")));
        let far = peer("192.168.0.1:1", "");
        assert!(Host::Network("10.0.0.0".parse().unwrap(), 0).has(&far));
        assert!(!Host::Network("::".parse().unwrap(), 0).has(&far));
        assert!(!Access::read_only().allows(&peer("127.0.0.1:1", "")));
    }
}
