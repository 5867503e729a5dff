//! Rights of callers that have not shown the secret of a run: rules by host and by user, of which the first that fits
//! decides.
//!
//! ```
//! use livetime_control::access::Host;
//! use livetime_control::rules::{Grant, May, Rules, Whom};
//!
//! let ada = Grant { whom: Whom::User("ada".into()), host: Host::Any, may: May::Write };
//! let rules = Rules { grants: vec![ada], proxies: vec![Host::Loopback], ..Rules::default() };
//! let proxy = "127.0.0.1".parse().unwrap();
//! assert_eq!(rules.may(proxy, Some("ada")), Some(May::Write));
//! // No rule is about others.
//! assert_eq!(rules.may(proxy, Some("bob")), None);
//! ```

use std::fmt;
use std::net::IpAddr;

use crate::access::{Host, host_of};
use crate::wrong_text::WrongText;

/// The header in which a proxy names its user.
pub const USER_HEADER: &str = "x-forwarded-user";

/// Rules, and the proxies whose word for the name of a client they rely on. Without a rule that fits, the face's own
/// usage holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The first that fits decides.
    pub grants: Vec<Grant>,
    /// Machines that ask people who they are before they pass their requests on. Names from other machines are not
    /// believed.
    pub proxies: Vec<Host>,
    /// In which header these say it, in small letters.
    pub header: String,
}

/// One rule: both parts must match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    /// Who.
    pub whom: Whom,
    /// From where: the other end of the connection, which behind a proxy is the proxy.
    pub host: Host,
    /// The right that the rule gives.
    pub may: May,
}

/// Some people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Whom {
    /// Everybody, whether a proxy has named them or not.
    Everybody,
    /// Everybody whom a proxy has named.
    Named,
    /// Whom a proxy has given exactly this name.
    User(String),
}

/// A caller's right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum May {
    /// Nothing.
    Nothing,
    /// See the run and its pictures.
    Read,
    /// Change the run, too.
    Write,
}

impl May {
    /// All, with their names in a file.
    pub const ALL: [(May, &'static str); 3] =
        [(May::Nothing, "none"), (May::Read, "read"), (May::Write, "write")];
}

impl Default for Rules {
    /// None.
    fn default() -> Rules {
        Rules { grants: Vec::new(), proxies: Vec::new(), header: USER_HEADER.to_owned() }
    }
}

impl Rules {
    /// The right of a caller at `address` whom a proxy has named `user`; `None` if no rule fits.
    pub fn may(&self, address: IpAddr, user: Option<&str>) -> Option<May> {
        // The order of the file decides, so that an exception can stand before a rule.
        self.grants.iter().find(|grant| grant.fits(address, user)).map(|grant| grant.may)
    }

    /// Whether a caller from `address` is believed when it names a client.
    pub fn believes(&self, address: IpAddr) -> bool {
        self.proxies.iter().any(|proxy| proxy.has_address(address, address.to_canonical().is_loopback()))
    }

    /// Why these rules must not be used together with the names in `hosts`, by which the run may be called.
    ///
    /// # Errors
    /// [`RulesError`] that says what is wanted instead.
    pub fn check(&self, hosts: &[String]) -> Result<(), RulesError> {
        let writes = |grant: &&Grant| grant.may == May::Write;
        // A rule for users without a proxy would fit no caller, or any that claims a name.
        if let Some(grant) = self.grants.iter().find(|grant| grant.whom != Whom::Everybody)
            && self.proxies.is_empty()
        {
            return Err(RulesError::NoProxy(grant.clone()));
        }
        // Behind a proxy every caller has the proxy's address, so a rule by address alone would open the run
        // to all.
        let behind = |grant: &Grant| self.proxies.iter().any(|proxy| proxy.overlaps(grant.host));
        let mut open = self.grants.iter().filter(writes).filter(|grant| grant.whom == Whom::Everybody);
        if let Some(grant) = open.find(|grant| behind(grant)) {
            return Err(RulesError::NoUser(grant.clone()));
        }
        // A page of another site could reach the run by any name and write with the rights of the address.
        if let Some(grant) = self.grants.iter().find(writes)
            && hosts.iter().any(|name| name == "*")
        {
            return Err(RulesError::AnyName(grant.clone()));
        }
        let all = |grant: &Grant| grant.whom == Whom::Everybody && grant.host == Host::Any;
        match self.grants.iter().position(all) {
            // Rules behind one that fits all never decide, which is hardly meant.
            Some(place) if place + 1 < self.grants.len() => {
                Err(RulesError::NotLast(self.grants[place].clone()))
            }
            _ => Ok(()),
        }
    }
}

/// Why rules must not be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RulesError {
    /// This rule needs a proxy that names its users.
    NoProxy(Grant),
    /// This rule would let all users of a proxy write.
    NoUser(Grant),
    /// This rule would let pages of other servers write, because the run may be called by any name.
    AnyName(Grant),
    /// Rules behind this one are never asked.
    NotLast(Grant),
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RulesError::NoProxy(grant) => write!(
                f,
                "wanted `proxies`, whose word for who somebody is is taken: without one, nobody is `{grant}`"
            ),
            RulesError::NoUser(grant) => write!(
                f,
                "wanted a user in `{grant}`: a proxy is among these hosts, so that everybody behind it might write"
            ),
            RulesError::AnyName(grant) => write!(
                f,
                "wanted the names of this machine in `hosts`, found `*` beside `{grant}`: a page of others might write"
            ),
            RulesError::NotLast(grant) => write!(f, "wanted `{grant}` as the last rule: it fits everybody"),
        }
    }
}

impl std::error::Error for RulesError {}

impl Grant {
    fn fits(&self, address: IpAddr, user: Option<&str>) -> bool {
        let is_meant = match &self.whom {
            Whom::Everybody => true,
            Whom::Named => user.is_some(),
            Whom::User(name) => user == Some(name),
        };
        // An address of version 4 may arrive in the form of version 6.
        is_meant && self.host.has_address(address, address.to_canonical().is_loopback())
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.whom {
            Whom::Everybody => {}
            Whom::Named => f.write_str("user: *, ")?,
            Whom::User(name) => write!(f, "user: {name}, ")?,
        }
        let may = May::ALL.iter().find(|(may, _)| *may == self.may).map_or("", |(_, name)| name);
        write!(f, "host: {}, may: {may}", self.host)
    }
}

/// Machines, from a text such as `local`, `any`, `10.1.2.3` or `10.1.2.0/24`.
///
/// # Errors
/// The wanted and the found value.
pub fn host(text: &str) -> Result<Host, WrongText> {
    let wanted = "local, loopback, any, an address, or a network as 10.1.2.0/24";
    host_of(text).ok_or_else(|| WrongText::new(wanted, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(user: &str, at: &str, may: May) -> Grant {
        let whom = match user {
            "" => Whom::Everybody,
            "*" => Whom::Named,
            name => Whom::User(name.to_owned()),
        };
        Grant { whom, host: host(at).unwrap(), may }
    }

    fn rules(grants: &[Grant], proxies: &[&str]) -> Rules {
        let proxies = proxies.iter().map(|proxy| host(proxy).unwrap()).collect();
        Rules { grants: grants.to_vec(), proxies, ..Rules::default() }
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        let rules = rules(
            &[
                grant("", "10.1.2.9", May::Nothing),
                grant("ada", "any", May::Write),
                grant("*", "10.1.2.0/24", May::Read),
                grant("", "::1", May::Write),
            ],
            &["10.1.0.0/16"],
        );
        for (address, user, wanted) in [
            ("10.1.2.9", Some("ada"), Some(May::Nothing)),
            ("10.1.2.8", Some("ada"), Some(May::Write)),
            ("::ffff:10.1.2.9", None, Some(May::Nothing)),
            ("192.168.0.1", Some("ada"), Some(May::Write)),
            ("10.1.2.8", Some("Ada"), Some(May::Read)),
            ("10.1.2.8", Some("ada, bob"), Some(May::Read)),
            ("10.1.2.8", None, None),
            ("10.1.3.8", Some("bob"), None),
            ("::1", None, Some(May::Write)),
            ("127.0.0.1", None, None),
        ] {
            assert_eq!(rules.may(address.parse().unwrap(), user), wanted, "{address} {user:?}");
        }
        assert_eq!(Rules::default().may("127.0.0.1".parse().unwrap(), None), None);
        assert!(rules.believes("10.1.77.1".parse().unwrap()) && !rules.believes("10.2.0.1".parse().unwrap()));
    }

    #[test]
    fn rules_that_would_open_more_than_they_say_are_refused() {
        let wrong = |grants: &[Grant], proxies: &[&str], hosts: &[&str]| {
            let hosts: Vec<String> = hosts.iter().map(|name| (*name).to_owned()).collect();
            rules(grants, proxies).check(&hosts).err().map(|error| error.to_string()).unwrap_or_default()
        };
        let ada = grant("ada", "any", May::Write);
        let here = grant("", "local", May::Write);
        assert!(
            wrong(std::slice::from_ref(&ada), &[], &[])
                .contains("nobody is `user: ada, host: any, may: write`")
        );
        assert!(wrong(&[grant("*", "any", May::Read)], &[], &[]).starts_with("wanted `proxies`"));
        for (at, proxy) in [
            ("local", "127.0.0.1"),
            ("any", "10.1.2.3"),
            ("10.1.2.3", "10.1.0.0/16"),
            ("10.1.2.0/24", "10.1.2.3"),
        ] {
            let found = wrong(&[grant("", at, May::Write)], &[proxy], &[]);
            assert!(found.starts_with("wanted a user in"), "{at} {proxy}: {found}");
            assert_eq!(wrong(&[grant("", at, May::Read)], &[proxy], &[]), "");
        }
        assert!(wrong(std::slice::from_ref(&here), &[], &["daq7", "*"]).contains("found `*` beside"));
        assert_eq!(wrong(&[grant("", "any", May::Read)], &[], &["*"]), "");
        assert!(wrong(&[grant("", "any", May::Read), here.clone()], &[], &[]).contains("as the last rule"));
        assert_eq!(wrong(&[ada, here, grant("", "any", May::Nothing)], &["10.1.2.3"], &["daq7"]), "");
        assert_eq!(wrong(&[], &[], &["*"]), "");
    }
}
