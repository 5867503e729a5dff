//! The variables that clients of EPICS are configured with.

use std::collections::HashMap;
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::time::Duration;

use if_addrs::{IfAddr, get_if_addrs};

use super::ClientConfig;
use crate::wire::{REPEATER_PORT, SERVER_PORT};
use crate::{Error, Result};

/// Bytes of a message beside its values.
const FRONT: usize = 1024;

impl ClientConfig {
    /// As the variables of the environment say; see [`from_variables`](ClientConfig::from_variables).
    ///
    /// # Errors
    /// With the variable, for a value without meaning.
    pub fn from_env() -> Result<ClientConfig> {
        let utf8 =
            |(key, value): (OsString, OsString)| Some((key.into_string().ok()?, value.into_string().ok()?));
        ClientConfig::from_variables(std::env::vars_os().filter_map(utf8))
    }

    /// As `EPICS_CA_*` variables say: `ADDR_LIST`, `AUTO_ADDR_LIST`, `NAME_SERVERS`, `SERVER_PORT`, `REPEATER_PORT`, `CONN_TMO`,
    /// `MAX_SEARCH_PERIOD`, and `MAX_ARRAY_BYTES` where `AUTO_ARRAY_BYTES` is NO. `USER` or `LOGNAME` is the name of the
    /// user; without them the system says it.
    ///
    /// The automatic list has the broadcast addresses of this machine, and this machine itself.
    ///
    /// # Errors
    /// With the variable, for a value without meaning.
    ///
    /// ```
    /// use livetime_ca::client::ClientConfig;
    ///
    /// let set = [("EPICS_CA_ADDR_LIST", "10.1.2.3"), ("EPICS_CA_AUTO_ADDR_LIST", "NO")];
    /// let config = ClientConfig::from_variables(set)?;
    /// assert_eq!(config.search, ["10.1.2.3:5064".parse().unwrap()]);
    /// # Ok::<(), livetime_ca::Error>(())
    /// ```
    pub fn from_variables<K: Into<String>, V: Into<String>>(
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Result<ClientConfig> {
        let set = variables.into_iter().map(|(key, value)| (key.into(), value.into()));
        let set = Variables(set.collect());
        let port = set.port("EPICS_CA_SERVER_PORT", SERVER_PORT)?;
        let repeater = set.port("EPICS_CA_REPEATER_PORT", REPEATER_PORT)?;
        let mut search = set.addresses("EPICS_CA_ADDR_LIST", port)?;
        if set.flag("EPICS_CA_AUTO_ADDR_LIST", true)? {
            search.extend(own(port).into_iter().filter(|own| !search.contains(own)).collect::<Vec<_>>());
        }
        let basis = ClientConfig::loopback(port);
        Ok(ClientConfig {
            search,
            name_servers: set.addresses("EPICS_CA_NAME_SERVERS", port)?,
            repeater: Some((Ipv4Addr::LOCALHOST, repeater).into()),
            silence: set.seconds("EPICS_CA_CONN_TMO", basis.silence)?,
            search_period: set.seconds("EPICS_CA_MAX_SEARCH_PERIOD", basis.search_period)?,
            max_message: match set.flag("EPICS_CA_AUTO_ARRAY_BYTES", true)? {
                true => basis.max_message,
                false => set.number("EPICS_CA_MAX_ARRAY_BYTES", 16_384_usize)?.saturating_add(FRONT),
            },
            user: set
                .get("USER")
                .or(set.get("LOGNAME"))
                .map_or_else(|| user().unwrap_or(basis.user), Into::into),
            ..basis
        })
    }
}

/// The name that the system has for the user, as libca asks for it.
fn user() -> Option<String> {
    Some(nix::unistd::User::from_uid(nix::unistd::geteuid()).ok()??.name)
}

struct Variables(HashMap<String, String>);

impl Variables {
    /// Blanks count as nothing.
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|text| text.trim()).filter(|text| !text.is_empty())
    }

    fn number<T: std::str::FromStr>(&self, name: &str, default: T) -> Result<T> {
        let Some(text) = self.get(name) else { return Ok(default) };
        text.parse().map_err(|_| Error::new(format!("{name} as a number"), format!("`{text}`")))
    }

    fn port(&self, name: &str, default: u16) -> Result<u16> {
        match self.number(name, default)? {
            0 => Err(Error::new(format!("{name} of 1 to 65535"), "0")),
            port => Ok(port),
        }
    }

    /// A time of at least 0.1 s and at most a day.
    fn seconds(&self, name: &str, default: Duration) -> Result<Duration> {
        let seconds = self.number(name, default.as_secs_f64())?;
        if seconds.is_nan() || seconds <= 0.0 {
            return Err(Error::new(format!("{name} above 0 s"), format!("{seconds}")));
        }
        Ok(Duration::from_secs_f64(seconds.clamp(0.1, 86_400.0)))
    }

    fn flag(&self, name: &str, default: bool) -> Result<bool> {
        match self.get(name).map(str::to_ascii_uppercase).as_deref() {
            None => Ok(default),
            Some("YES" | "1" | "TRUE") => Ok(true),
            Some("NO" | "0" | "FALSE") => Ok(false),
            // A word that is misspelt must not mean yes or no.
            Some(other) => Err(Error::new(format!("{name} of YES or NO"), format!("`{other}`"))),
        }
    }

    /// `host` or `host:port`, with blanks between.
    fn addresses(&self, name: &str, port: u16) -> Result<Vec<SocketAddr>> {
        let entries = self.get(name).unwrap_or_default().split_whitespace();
        entries.map(|entry| address(entry, port).map_err(|error| named(name, &error))).collect()
    }
}

fn named(name: &str, error: &Error) -> Error {
    Error::new(format!("{name} of host[:port]"), format!("an entry that is none: {error}"))
}

/// The IPv4 address that `text` means, as `host` or `host:port`; Channel Access knows no other ones.
///
/// # Errors
/// When it is no address and no name of a host.
///
/// ```
/// assert_eq!(livetime_ca::client::address("10.1.2.3", 5064)?.to_string(), "10.1.2.3:5064");
/// # Ok::<(), livetime_ca::Error>(())
/// ```
pub fn address(text: &str, port: u16) -> Result<SocketAddr> {
    let wrong = || Error::new("host or host:port", format!("`{text}`"));
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, port.parse().ok().filter(|&port: &u16| port > 0).ok_or_else(wrong)?),
        None => (text, port),
    };
    if host.is_empty() || port == 0 {
        return Err(wrong());
    }
    let mut found = (host, port).to_socket_addrs().map_err(|_| wrong())?;
    found.find(SocketAddr::is_ipv4).ok_or_else(wrong)
}

/// Where a search reaches the servers of this machine and of its networks.
fn own(port: u16) -> Vec<SocketAddr> {
    let interfaces = get_if_addrs().unwrap_or_default();
    let broadcast = |address: &IfAddr| match address {
        IfAddr::V4(v4) => v4.broadcast.filter(|broadcast| *broadcast != v4.ip),
        IfAddr::V6(_) => None,
    };
    let used = interfaces.iter().filter(|interface| !interface.is_loopback());
    let mut found: Vec<Ipv4Addr> = used.filter_map(|interface| broadcast(&interface.addr)).collect();
    found.sort();
    found.dedup();
    // A server for this machine alone hears no broadcast of a network.
    found.push(Ipv4Addr::LOCALHOST);
    found.into_iter().map(|address| SocketAddr::new(IpAddr::V4(address), port)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(addresses: &[SocketAddr]) -> Vec<String> {
        addresses.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn nothing_set_is_as_epics_has_it() {
        let config = ClientConfig::from_variables::<String, String>([]).unwrap();
        assert!(texts(&config.search).contains(&"127.0.0.1:5064".into()));
        assert_eq!(config.silence, Duration::from_secs(30));
        assert_eq!(config.repeater, Some("127.0.0.1:5065".parse().unwrap()));
        assert!(config.name_servers.is_empty());
    }

    #[test]
    fn variables_say_where_and_how_long() {
        let config = ClientConfig::from_variables([
            ("EPICS_CA_ADDR_LIST", "10.0.0.1 10.0.0.2:7000  localhost"),
            ("EPICS_CA_AUTO_ADDR_LIST", "no"),
            ("EPICS_CA_NAME_SERVERS", "10.0.0.3"),
            ("EPICS_CA_SERVER_PORT", "6064"),
            ("EPICS_CA_CONN_TMO", "2.5"),
            ("EPICS_CA_AUTO_ARRAY_BYTES", "NO"),
            ("EPICS_CA_MAX_ARRAY_BYTES", "100000"),
            ("USER", "operator"),
        ])
        .unwrap();
        assert_eq!(texts(&config.search), ["10.0.0.1:6064", "10.0.0.2:7000", "127.0.0.1:6064"]);
        assert_eq!(texts(&config.name_servers), ["10.0.0.3:6064"]);
        assert_eq!((config.silence, config.max_message), (Duration::from_millis(2500), 101_024));
        assert_eq!(config.user, "operator");
    }

    #[test]
    fn errors_name_the_variable() {
        for (name, value, said) in [
            (
                "EPICS_CA_AUTO_ADDR_LIST",
                "perhaps",
                "wanted EPICS_CA_AUTO_ADDR_LIST of YES or NO, found `PERHAPS`",
            ),
            ("EPICS_CA_SERVER_PORT", "0", "wanted EPICS_CA_SERVER_PORT of 1 to 65535, found 0"),
            ("EPICS_CA_CONN_TMO", "soon", "wanted EPICS_CA_CONN_TMO as a number, found `soon`"),
            ("EPICS_CA_CONN_TMO", "nan", "wanted EPICS_CA_CONN_TMO above 0 s, found NaN"),
            ("EPICS_CA_ADDR_LIST", "1.2.3.4:x", "EPICS_CA_ADDR_LIST of host[:port]"),
        ] {
            let error = ClientConfig::from_variables([(name, value)]).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
