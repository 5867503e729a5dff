//! Entries of address lists.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV6, ToSocketAddrs};
use std::str::FromStr;

use super::interfaces::{interface_number, interface_v4, multicast_interfaces};
use crate::{Error, Result};

/// Where to send datagrams, a multicast group to listen to, or a host with a port.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Destination {
    /// The address. IPv6 multicast groups and link-local addresses have the number of the interface as scope.
    pub address: SocketAddr,
    /// How many routers a multicast datagram may pass.
    pub ttl: Option<u8>,
    /// For IPv4: the address of the interface to send multicast datagrams from, or to listen at.
    pub interface: Option<Ipv4Addr>,
}

/// An address list, and its mistakes.
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
    /// Names of hosts are looked up. An interface is its name, its number or one of its addresses; an IPv6 address
    /// may have it behind `%` as well.
    ///
    /// ```
    /// use livetime_pva::net::Destination;
    ///
    /// let found = Destination::parse("224.0.2.3:5077,8@127.0.0.1", 5076)?;
    /// assert_eq!(found.address.to_string(), "224.0.2.3:5077");
    /// assert_eq!((found.ttl, found.interface), (Some(8), Some([127, 0, 0, 1].into())));
    /// assert_eq!(Destination::parse("[::1]", 5076)?.address.to_string(), "[::1]:5076");
    /// assert_eq!(Destination::parse("ff02::42:1,1@3", 5076)?.to_string(), "[ff02::42:1%3]:5076,1");
    /// # Ok::<(), livetime_pva::Error>(())
    /// ```
    pub fn parse(entry: &str, port: u16) -> Result<Destination> {
        Destination::read(entry, port, by_name)
    }

    /// As [`Destination::parse`], but a name of a host is an error.
    pub fn parse_address(entry: &str, port: u16) -> Result<Destination> {
        let refuse = |host: &str, _| Err(Error::new("the address of a host", format!("`{host}`")));
        Destination::read(entry, port, refuse)
    }

    fn read(
        entry: &str,
        port: u16,
        look_up: impl Fn(&str, u16) -> Result<SocketAddr>,
    ) -> Result<Destination> {
        let (rest, interface) = cut(entry, '@');
        let (host, ttl) = cut(rest, ',');
        let (host, port) = split(host, port)?;
        let mut found = Destination::new(match numeric(host, port)? {
            Some(address) => address,
            // The look-up of a name may ask the network, which an address does not need.
            None => look_up(host, port)?,
        });
        found.ttl = ttl.map(|ttl| number(ttl, "a TTL of 0 to 255")).transpose()?;
        match (interface, &mut found.address) {
            (None, _) => {}
            (Some(interface), SocketAddr::V4(_)) => found.interface = Some(interface_v4(interface)?),
            (Some(interface), SocketAddr::V6(v6)) => v6.set_scope_id(interface_number(interface)?),
        }
        Ok(found)
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

    /// Whether it is a multicast group.
    pub fn is_group(&self) -> bool {
        self.address.ip().is_multicast()
    }

    /// Whether only one host receives datagrams sent there. `broadcasts` are the known broadcast addresses.
    pub fn is_unicast(&self, broadcasts: &[IpAddr]) -> bool {
        let ip = self.address.ip();
        // A broadcast address looks like the address of a host; only the interfaces tell them apart.
        let broadcast = matches!(ip, IpAddr::V4(v4) if v4.is_broadcast()) || broadcasts.contains(&ip);
        !self.is_group() && !broadcast
    }

    /// A multicast group that names no interface, once for each interface but loopback; anything else as it is.
    pub fn on_each_interface(self) -> Vec<Destination> {
        let scope = if let SocketAddr::V6(v6) = self.address { v6.scope_id() } else { 0 };
        let interfaces = multicast_interfaces();
        // Without an interface the system would send to one network only, the one of the default route.
        if !self.is_group() || self.interface.is_some() || scope != 0 || interfaces.is_empty() {
            return vec![self];
        }
        let at = |(number, v4): &(u32, Option<Ipv4Addr>)| match self.address {
            SocketAddr::V4(_) => Some(Destination { interface: Some((*v4)?), ..self }),
            SocketAddr::V6(mut v6) => {
                v6.set_scope_id(*number);
                Some(Destination { address: v6.into(), ..self })
            }
        };
        interfaces.iter().filter_map(at).collect()
    }
}

impl List {
    /// Adds `destination` unless it is there.
    pub fn add(&mut self, destination: Destination) {
        if !self.destinations.contains(&destination) {
            self.destinations.push(destination);
        }
    }

    /// The addresses of hosts, without their ports.
    pub fn hosts(&self) -> Vec<IpAddr> {
        let hosts = self.destinations.iter().filter(|entry| !entry.is_group());
        hosts.map(|entry| entry.address.ip()).collect()
    }

    /// The multicast groups.
    pub fn groups(&self) -> Vec<Destination> {
        self.destinations.iter().copied().filter(Destination::is_group).collect()
    }

    /// Multicast groups that name no interface are there for each interface.
    pub(super) fn on_each_interface(self) -> List {
        let mut found = List { destinations: Vec::new(), problems: self.problems };
        let each = self.destinations.into_iter().flat_map(Destination::on_each_interface);
        each.for_each(|destination| found.add(destination));
        found
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

/// The address that `host` is, if it is no name. IPv4 in the clothes of IPv6 is IPv4.
fn numeric(host: &str, port: u16) -> Result<Option<SocketAddr>> {
    let (ip, zone) = cut(host, '%');
    Ok(match (ip.parse::<IpAddr>().map(|ip| ip.to_canonical()), zone) {
        (Err(_), _) => None,
        (Ok(ip), None) => Some(SocketAddr::new(ip, port)),
        (Ok(IpAddr::V6(ip)), Some(zone)) => {
            Some(SocketAddrV6::new(ip, port, 0, interface_number(zone)?).into())
        }
        (Ok(_), Some(_)) => return Err(Error::new("`%` behind an IPv6 address only", format!("`{host}`"))),
    })
}

fn by_name(host: &str, port: u16) -> Result<SocketAddr> {
    let unknown = |why: String| Error::new(format!("the name or address of a host, not `{host}`"), why);
    if host.is_empty() {
        return Err(unknown("nothing".into()));
    }
    let found = (host, port).to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
    // The peers announce and search by IPv4 by default.
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
    use std::net::Ipv6Addr;

    use proptest::prelude::*;

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
        assert_eq!(parsed("::ffff:10.0.0.1"), "10.0.0.1:5076");
        assert_eq!(parsed("ff02::42:1,1@7"), "[ff02::42:1%7]:5076,1");
        assert_eq!(parsed("[fe80::1%7]:9"), "[fe80::1%7]:9");
    }

    #[test]
    fn errors_say_what_was_wanted() {
        assert_eq!(parsed("10.0.0.1:x"), "wanted a port of 0 to 65535, found `x`");
        assert_eq!(parsed("10.0.0.1:99999"), "wanted a port of 0 to 65535, found `99999`");
        assert_eq!(parsed("10.0.0.1,900"), "wanted a TTL of 0 to 255, found `900`");
        assert_eq!(parsed("[::1"), "wanted `]` after an IPv6 address, found [::1");
        assert_eq!(parsed("[::1]x"), "wanted `:` and a port after `]`, found `x`");
        assert_eq!(parsed(":5"), "wanted the name or address of a host, not ``, found nothing");
        let nosuch = "wanted the name, number or address of an interface, found `nosuch0`";
        assert_eq!([parsed("10.0.0.1@nosuch0"), parsed("ff02::1%nosuch0")], [nosuch, nosuch]);
        assert_eq!(parsed("10.0.0.1%1"), "wanted `%` behind an IPv6 address only, found `10.0.0.1%1`");
        let unasked = Destination::parse_address("localhost", 1).unwrap_err().to_string();
        assert_eq!(unasked, "wanted the address of a host, found `localhost`");
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

    #[test]
    fn a_group_without_interface_is_one_of_each() {
        let named = Destination::parse("ff02::42:1@7", 1).unwrap();
        assert_eq!(named.on_each_interface(), [named]);
        let each = Destination::parse("ff02::42:1", 1).unwrap().on_each_interface();
        assert_eq!(each.len(), multicast_interfaces().len().max(1));
        let list = Destination::parse_list("ff02::42:1@7 ::1 224.0.0.9 10.0.0.1", 1);
        assert_eq!(list.hosts(), ["::1".parse::<IpAddr>().unwrap(), [10, 0, 0, 1].into()]);
        assert_eq!(list.groups().len(), 2);
    }

    fn destination() -> impl Strategy<Value = Destination> {
        let v4 = (any::<Ipv4Addr>(), proptest::option::of(any::<Ipv4Addr>()));
        let v4 = v4.prop_map(|(ip, interface)| (IpAddr::V4(ip), 0, interface));
        let v6 = (any::<Ipv6Addr>(), any::<u32>()).prop_map(|(ip, scope)| (IpAddr::V6(ip), scope, None));
        (prop_oneof![v4, v6], any::<u16>(), proptest::option::of(any::<u8>())).prop_map(
            |((ip, scope, interface), port, ttl)| {
                let mut address = SocketAddr::new(ip.to_canonical(), port);
                if let SocketAddr::V6(v6) = &mut address {
                    v6.set_scope_id(scope);
                }
                Destination { address, ttl, interface }
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(destination in destination(), port: u16) {
            prop_assert_eq!(Destination::parse_address(&destination.to_string(), port), Ok(destination));
        }

        #[test]
        fn any_text_is_an_entry_or_an_error(text in "[0-9a-f:.,@%\\[\\]x]{0,40}", port: u16) {
            match Destination::parse_address(&text, port) {
                Ok(found) => {
                    prop_assert_eq!(Destination::parse_address(&found.to_string(), 0), Ok(found));
                    prop_assert_eq!(found.address.ip(), found.address.ip().to_canonical());
                }
                Err(error) => prop_assert!(error.to_string().starts_with("wanted ")),
            }
        }

        #[test]
        fn lists_have_every_entry_once(all in proptest::collection::vec(destination(), 0..8)) {
            let texts: Vec<String> = all.iter().chain(&all).map(Destination::to_string).collect();
            let list = Destination::parse_list(&texts.join(" "), 0);
            prop_assert_eq!(&list.problems, &[]);
            prop_assert!(all.iter().all(|one| list.destinations.contains(one)));
            prop_assert_eq!(list.hosts().len() + list.groups().len(), list.destinations.len());
            prop_assert!(list.destinations.len() <= all.len());
        }
    }
}
