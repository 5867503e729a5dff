//! Write access to a run: one rule for all faces.

use std::net::IpAddr;

use crate::model::Caller;
use crate::wrong_text::WrongText;

/// Which callers may act on a run. Every client that can connect may read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// It is enough that one of them fits.
    pub rules: Vec<Rule>,
}

/// Allows callers to act. Both parts must match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// From where.
    pub host: Host,
    /// The account; `None`: any. With faces that have no passwords, callers name their account themselves.
    pub user: Option<String>,
}

/// Some machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Host {
    /// This machine, at any of its addresses.
    Local,
    /// This one, at `127.0.0.1` or `::1`.
    Loopback,
    /// Every one.
    Any,
    /// The one with this address.
    Address(IpAddr),
    /// Hosts whose address has this prefix of this length in bits.
    Network(IpAddr, u8),
}

impl Default for Access {
    /// All callers on this machine.
    fn default() -> Access {
        Access { rules: vec![Rule { host: Host::Local, user: None }] }
    }
}

impl Access {
    /// Whether `caller` may act; this program itself always may, and who has shown the secret of the run.
    pub fn allows(&self, caller: &Caller) -> bool {
        let fits =
            |rule: &Rule| rule.host.has(caller) && rule.user.as_ref().is_none_or(|user| *user == caller.user);
        caller.from.is_none() || caller.has_token || self.rules.iter().any(fits)
    }
}

impl Host {
    fn has(self, caller: &Caller) -> bool {
        caller.from.is_some_and(|from| self.has_address(from.ip(), caller.is_local))
    }

    /// `is_local`: the address is one of this machine.
    pub(crate) fn has_address(self, address: IpAddr, is_local: bool) -> bool {
        let address = address.to_canonical();
        match self {
            Host::Local => is_local,
            Host::Loopback => address.is_loopback(),
            Host::Any => true,
            Host::Address(host) => host.to_canonical() == address,
            Host::Network(network, bits) => same_network(network.to_canonical(), address, bits),
        }
    }
}

pub(crate) fn same_network(network: IpAddr, address: IpAddr, bits: u8) -> bool {
    let high = |value: u128, width: u32| value.checked_shr(width.saturating_sub(bits.into())).unwrap_or(0);
    match (network, address) {
        (IpAddr::V4(a), IpAddr::V4(b)) => high(a.to_bits().into(), 32) == high(b.to_bits().into(), 32),
        (IpAddr::V6(a), IpAddr::V6(b)) => high(a.to_bits(), 128) == high(b.to_bits(), 128),
        _ => false,
    }
}

/// The rule, from texts such as `local`, `any`, `10.1.2.3`, `10.1.2.0/24`, `operator@10.1.2.0/24`.
///
/// # Errors
/// The wanted and the found value.
pub fn access_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Access, WrongText> {
    let rules = texts.into_iter().map(rule_of).collect::<Result<_, _>>()?;
    Ok(Access { rules })
}

fn rule_of(text: &str) -> Result<Rule, WrongText> {
    let (user, host) = text.rsplit_once('@').map_or((None, text), |(user, host)| (Some(user), host));
    let user = user.filter(|u| !u.is_empty()).map(str::to_owned);
    let wanted = "local, loopback, any, an address, a network as 10.1.2.0/24, or user@ one of these";
    Ok(Rule { host: host_of(host).ok_or_else(|| WrongText::new(wanted, text))?, user })
}

pub(crate) fn host_of(text: &str) -> Option<Host> {
    Some(match (text, text.split_once('/')) {
        ("local", _) => Host::Local,
        ("loopback", _) => Host::Loopback,
        ("any", _) => Host::Any,
        (_, Some((address, bits))) => {
            let (address, bits): (IpAddr, u8) = (address.parse().ok()?, bits.parse().ok()?);
            let most = if address.is_ipv4() { 32 } else { 128 };
            Host::Network(address, Some(bits).filter(|b| *b <= most)?)
        }
        _ => Host::Address(text.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_are_named_by_host_and_user() {
        assert_eq!(access_of(["local"]), Ok(Access::default()));
        let access = access_of(["loopback", "ops@10.1.2.0/24", "::1"]).unwrap();
        assert_eq!(access.rules[0], Rule { host: Host::Loopback, user: None });
        let network = Host::Network("10.1.2.0".parse().unwrap(), 24);
        assert_eq!(access.rules[1], Rule { host: network, user: Some("ops".into()) });
        for wrong in ["everybody", "10.1.2.0/40", "10.1.2", "a@b", ""] {
            assert!(
                access_of([wrong]).unwrap_err().to_string().contains("wanted local, loopback, any"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn hosts_and_users_have_to_fit() {
        let caller = |address: &str, user: &str| {
            let from: std::net::SocketAddr = address.parse().unwrap();
            Caller {
                face: "test",
                user: user.into(),
                from: Some(from),
                is_local: from.ip().is_loopback(),
                has_token: false,
            }
        };
        let access = Access::default();
        assert!(access.allows(&caller("127.0.0.1:1", "")) && access.allows(&caller("[::1]:1", "")));
        assert!(!access.allows(&caller("10.1.2.3:1", "root")));
        // At the address of an interface.
        assert!(access.allows(&Caller { is_local: true, ..caller("10.1.2.3:1", "") }));
        let access = access_of(["ops@10.1.2.0/24"]).unwrap();
        assert!(access.allows(&caller("10.1.2.3:1", "ops")));
        assert!(!access.allows(&caller("10.1.3.3:1", "ops")) && !access.allows(&caller("10.1.2.3:1", "me")));
        assert!(access.allows(&Caller::program()));
    }
}
