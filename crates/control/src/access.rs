//! Write access to a run: one rule for all faces.

use std::net::IpAddr;

pub use livetime_pva::server::{Access, Host, Rule};

use crate::model::Caller;
use crate::wrong_text::WrongText;

impl Caller {
    /// Whether the caller may act by `access`; this program itself always may, and who has shown the secret of the run.
    pub fn may_act(&self, access: &Access) -> bool {
        let Some(from) = self.from else { return true };
        self.has_token || access.allows_user(&self.user, from.ip(), self.is_local)
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
                door: None,
            }
        };
        let access = Access::default();
        assert!(caller("127.0.0.1:1", "").may_act(&access) && caller("[::1]:1", "").may_act(&access));
        assert!(!caller("10.1.2.3:1", "root").may_act(&access));
        // At the address of an interface.
        assert!(Caller { is_local: true, ..caller("10.1.2.3:1", "") }.may_act(&access));
        let access = access_of(["ops@10.1.2.0/24"]).unwrap();
        assert!(caller("10.1.2.3:1", "ops").may_act(&access));
        assert!(
            !caller("10.1.3.3:1", "ops").may_act(&access) && !caller("10.1.2.3:1", "me").may_act(&access)
        );
        assert!(Caller::program().may_act(&access));
    }
}
