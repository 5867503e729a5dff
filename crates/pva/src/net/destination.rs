//! Entries of address lists.

use std::fmt;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::str::FromStr;

use super::interface_address;
use crate::{Error, Result};

/// Where to send datagrams, or a host with a port.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Destination {
    /// The address.
    pub address: SocketAddr,
    /// How many routers a multicast datagram may pass.
    pub ttl: Option<u8>,
    /// The address of the interface to send multicast datagrams from.
    pub interface: Option<IpAddr>,
}

/// An address list, and what is wrong with it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct List {
    /// Each destination once, in the order of the list.
    pub destinations: Vec<Destination>,
    /// One for each entry that is not understood or whose name is not known.
    pub problems: Vec<Error>,
}

impl Destination {
    /// `address` alone.
    pub fn new(address: SocketAddr) -> Destination {
        Destination { address, ttl: None, interface: None }
    }

    /// Reads `host[:port][,TTL][@interface]`; IPv6 in brackets if a port follows. Without a port it is `port`.
    /// Names are looked up.
    ///
    /// ```
    /// use livetime_pva::net::Destination;
    ///
    /// let found = Destination::parse("224.0.2.3:5077,8@127.0.0.1", 5076)?;
    /// assert_eq!(found.address.to_string(), "224.0.2.3:5077");
    /// assert_eq!((found.ttl, found.interface), (Some(8), Some([127, 0, 0, 1].into())));
    /// assert_eq!(Destination::parse("[::1]", 5076)?.address.to_string(), "[::1]:5076");
    /// # Ok::<(), livetime_pva::Error>(())
    /// ```
    pub fn parse(entry: &str, port: u16) -> Result<Destination> {
        let (rest, interface) = cut(entry, '@');
        let (host, ttl) = cut(rest, ',');
        Ok(Destination {
            address: address(host, port)?,
            ttl: ttl.map(|ttl| number(ttl, "a TTL of 0 to 255")).transpose()?,
            interface: interface.map(interface_address).transpose()?,
        })
    }

    /// Reads a list of them with blanks between.
    pub fn parse_list(list: &str, port: u16) -> List {
        let mut found = List::default();
        for entry in list.split_whitespace() {
            match Destination::parse(entry, port) {
                Ok(destination) => found.add(destination),
                Err(error) => found.problems.push(error),
            }
        }
        found
    }

    /// Whether only one host gets what is sent there. `broadcasts` are the known broadcast addresses.
    pub fn is_unicast(&self, broadcasts: &[IpAddr]) -> bool {
        let ip = self.address.ip();
        let broadcast = matches!(ip, IpAddr::V4(v4) if v4.is_broadcast()) || broadcasts.contains(&ip);
        !ip.is_multicast() && !broadcast
    }
}

impl List {
    /// Adds `destination` unless it is there.
    pub fn add(&mut self, destination: Destination) {
        if !self.destinations.contains(&destination) {
            self.destinations.push(destination);
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.address)?;
        self.ttl.map_or(Ok(()), |ttl| write!(f, ",{ttl}"))?;
        self.interface.map_or(Ok(()), |interface| write!(f, "@{interface}"))
    }
}

fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn number<T: FromStr>(text: &str, wanted: &'static str) -> Result<T> {
    text.parse().map_err(|_| Error::new(wanted, format!("`{text}`")))
}

fn address(text: &str, port: u16) -> Result<SocketAddr> {
    let (host, port) = split(text, port)?;
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(SocketAddr::new(ip, port));
    }
    let unknown = |why: String| Error::new(format!("the name or address of a host, not `{host}`"), why);
    if host.is_empty() {
        return Err(unknown("nothing".into()));
    }
    let found = (host, port).to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
    // The peers announce and search by IPv4 unless told otherwise.
    let mut found: Vec<SocketAddr> = found.collect();
    found.sort_by_key(SocketAddr::is_ipv6);
    found.first().copied().ok_or_else(|| unknown("no address".into()))
}

/// Host and port. More than one colon without brackets is an IPv6 address alone.
fn split(text: &str, port: u16) -> Result<(&str, u16)> {
    let wanted = "a port of 0 to 65535";
    if let Some(rest) = text.strip_prefix('[') {
        let (host, rest) =
            rest.split_once(']').ok_or_else(|| Error::new("`]` after an IPv6 address", text.to_string()))?;
        return match rest.strip_prefix(':') {
            Some(port) => Ok((host, number(port, wanted)?)),
            None if rest.is_empty() => Ok((host, port)),
            None => Err(Error::new("`:` and a port after `]`", format!("`{rest}`"))),
        };
    }
    match text.split_once(':') {
        Some((host, port)) if !port.contains(':') => Ok((host, number(port, wanted)?)),
        _ => Ok((text, port)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(entry: &str) -> String {
        Destination::parse(entry, 5076).map_or_else(|error| error.to_string(), |found| found.to_string())
    }

    #[test]
    fn entries_are_read() {
        assert_eq!(parsed("10.0.0.1"), "10.0.0.1:5076");
        assert_eq!(parsed("10.0.0.1:77"), "10.0.0.1:77");
        assert_eq!(parsed("224.1.1.1,3"), "224.1.1.1:5076,3");
        assert_eq!(parsed("224.1.1.1:9@127.0.0.1"), "224.1.1.1:9@127.0.0.1");
        assert_eq!(parsed("::1"), "[::1]:5076");
        assert_eq!(parsed("[::1]:8"), "[::1]:8");
        assert_eq!(parsed("localhost:1"), "127.0.0.1:1");
    }

    #[test]
    fn errors_say_what_was_wanted() {
        assert_eq!(parsed("10.0.0.1:x"), "wanted a port of 0 to 65535, found `x`");
        assert_eq!(parsed("10.0.0.1:99999"), "wanted a port of 0 to 65535, found `99999`");
        assert_eq!(parsed("10.0.0.1,900"), "wanted a TTL of 0 to 255, found `900`");
        assert_eq!(parsed("[::1"), "wanted `]` after an IPv6 address, found [::1");
        assert_eq!(parsed("[::1]x"), "wanted `:` and a port after `]`, found `x`");
        assert_eq!(parsed(":5"), "wanted the name or address of a host, not ``, found nothing");
        assert_eq!(parsed("10.0.0.1@nosuch0"), "wanted the name or address of an interface, found `nosuch0`");
    }

    #[test]
    fn a_list_keeps_what_is_right_once_and_says_what_is_wrong() {
        let list = Destination::parse_list(" 127.0.0.1  127.0.0.1:5076 1.2.3.4:x\t[::1]:2 ", 5076);
        let all: Vec<_> = list.destinations.iter().map(Destination::to_string).collect();
        assert_eq!(all, ["127.0.0.1:5076", "[::1]:2"]);
        assert_eq!(list.problems.len(), 1);
    }

    #[test]
    fn what_reaches_many_is_no_unicast() {
        let unicast = |entry| Destination::parse(entry, 1).unwrap().is_unicast(&[[10, 0, 0, 255].into()]);
        assert!(unicast("10.0.0.1") && unicast("127.0.0.1"));
        assert!(!unicast("10.0.0.255") && !unicast("255.255.255.255") && !unicast("224.0.0.1"));
    }
}
