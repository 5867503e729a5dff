//! Where a host's links listen.

use std::fmt;
use std::net::IpAddr;

/// The text for the worker with this number: `{}` stands for the number, `{:02}` for the number with at least two digits.
pub(in crate::config) fn numbered(text: &str, number: usize) -> String {
    let plain = text.replace("{}", &number.to_string());
    (1..=9).fold(plain, |text, width| text.replace(&format!("{{:0{width}}}"), &format!("{number:0width$}")))
}

/// An address of a link, as `ana01:7440` or `zmq://ana01:7440`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::config) struct Address {
    /// With its `://`; empty for the usual carrier.
    pub(in crate::config) scheme: String,
    pub(in crate::config) host: String,
    pub(in crate::config) port: u16,
}

impl Address {
    /// `None` for a text of another form.
    pub(in crate::config) fn read(text: &str) -> Option<Address> {
        let (scheme, rest) = match text.find("://") {
            Some(at) => text.split_at(at + 3),
            None => ("", text),
        };
        let (host, port) = rest.rsplit_once(':')?;
        let is_name = |c: char| !c.is_whitespace() && !c.is_control() && !"/{}".contains(c);
        let fits = !host.is_empty() && host.len() <= 255 && host.chars().all(is_name);
        let port = port.parse().ok().filter(|port| *port > 0)?;
        fits.then(|| Address { scheme: scheme.into(), host: host.into(), port })
    }

    /// Whether its links may have keys.
    pub(in crate::config) fn takes_keys(&self) -> bool {
        self.scheme == "zmq://"
    }

    /// Whether a page can be asked for at this address: requests carry it in a header.
    pub(in crate::config) fn is_of_page(&self) -> bool {
        let fits = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
        self.scheme.is_empty() && self.host.chars().all(fits)
    }

    /// Whether the host of a link's address is a machine whose page can be asked for, too.
    pub(in crate::config) fn is_of_machine(&self) -> bool {
        Address { scheme: String::new(), ..self.clone() }.is_of_page()
    }

    /// The address of the link with this number; `None` behind the last port.
    pub(in crate::config) fn of_link(&self, number: usize) -> Option<Address> {
        let port = self.port.checked_add(u16::try_from(number).ok()?)?;
        Some(Address { port, ..self.clone() })
    }

    /// True when other machines cannot reach it. A name is only known at its host.
    pub(in crate::config) fn is_loopback(&self) -> bool {
        let plain = self.host.trim_start_matches('[').trim_end_matches(']');
        plain == "localhost" || plain.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}:{}", self.scheme, self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, numbered};

    #[test]
    fn addresses_have_a_port() {
        for good in ["ana01:7440", "zmq://ana01:7440", "[::1]:1", "127.0.0.1:65535"] {
            assert_eq!(Address::read(good).unwrap().to_string(), good);
        }
        for wrong in ["", "ana01", "ana01:", ":7440", "ana01:0", "ana01:65536", "a b:1", "zmq://", "a/b:1"] {
            assert_eq!(Address::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_next_links_have_the_next_ports() {
        let address = Address::read("[::1]:65534").unwrap();
        assert_eq!(address.of_link(1).unwrap().to_string(), "[::1]:65535");
        assert_eq!((address.of_link(2), address.of_link(70_000)), (None, None));
    }

    #[test]
    fn workers_have_numbers() {
        assert_eq!(numbered("zmq://daq{}:7440", 12), "zmq://daq12:7440");
        assert_eq!(numbered("daq{:02}:744{}", 3), "daq03:7443");
        assert_eq!(numbered("daq:7440", 3), "daq:7440");
        assert_eq!((Address::read("daq{}:7440"), Address::read("daq{x}:7440")), (None, None));
    }

    #[test]
    fn loopback_is_known_by_its_number() {
        let is_loopback = |text: &str| Address::read(text).unwrap().is_loopback();
        assert!(is_loopback("localhost:1") && is_loopback("127.0.0.2:1") && is_loopback("zmq://[::1]:1"));
        assert!(!is_loopback("ana01:1") && !is_loopback("10.0.0.1:1") && !is_loopback("0.0.0.0:1"));
    }
}
