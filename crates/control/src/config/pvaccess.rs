//! The block `pvaccess` of a pipeline file: whether and how the run is served.

use std::net::{IpAddr, SocketAddr};

use livetime_pva::net::Destination;
use livetime_pva::server::UDP_PORT;

use super::error::{At, Part, ProblemKind};
use super::read::Reader;
use super::yaml::{Data, Item};
use crate::channel_access::ChannelAccess;
use crate::pvaccess::{INTERFACE, Options, access_of, listen_at};
use crate::wrong_text::WrongText;

/// Keys of the block.
pub(crate) const PVACCESS_KEYS: &[&str] = &[
    "enabled",
    "prefix",
    "port",
    "search_port",
    "interfaces",
    "beacons",
    "ignore",
    "writers",
    "update_rate",
    "channel_access",
];
/// Names for yes and no.
pub(crate) const YES_NO: [(bool, &str); 2] = [(true, "true"), (false, "false")];
/// Longest prefix.
pub const MAX_PREFIX: usize = 100;

impl Reader {
    /// A file with this block is served unless it says otherwise.
    pub(super) fn pvaccess(&mut self, item: &Item) -> Options {
        let mut options = Options { enabled: true, ..Options::default() };
        for (key, value) in self.entries(item, "`pvaccess`", PVACCESS_KEYS) {
            self.pvaccess_option(&mut options, &key.text, value);
        }
        options
    }

    fn pvaccess_option(&mut self, options: &mut Options, key: &str, value: &Item) {
        let server = &mut options.server;
        match key {
            "enabled" => options.enabled = self.choice(value, key, &YES_NO).unwrap_or(options.enabled),
            "prefix" => {
                if let Some(name) = self.name(value, key) {
                    options.prefix = self.prefix(&name.text, value.at).unwrap_or_default();
                    options.is_prefix_chosen = true;
                }
            }
            "port" => server.tcp_port = self.port(value, key).unwrap_or(server.tcp_port),
            // Clients search at a port that they know: 0, a port of the system's choice, would hide the run.
            "search_port" => server.udp_port = self.port(value, key).filter(|port| *port > 0),
            "interfaces" => {
                let wanted = |text: &str| listen_at([text]).is_ok().then(|| text.to_owned());
                let texts = self.texts(value, key, INTERFACE, wanted);
                // Each text was checked by itself, so that its problem has its place.
                if let Ok(found) = listen_at(texts.iter().map(String::as_str)) {
                    (server.addresses, server.groups) = found;
                }
            }
            "beacons" => server.beacons = beacons(self.texts(value, key, BROADCAST, beacon)),
            "ignore" => {
                server.ignore = self.texts(value, key, "an address as 10.1.2.3 or 10.1.2.3:5076", ignored)
            }
            "writers" => {
                let texts = self.texts(value, key, "a text", |text| Some(text.to_owned()));
                match access_of(texts.iter().map(String::as_str)) {
                    Ok(access) => options.access = access,
                    Err(error) => self.wrong_text(value.at, key, error),
                }
            }
            "channel_access" => {
                let port = self.port(value, key);
                options.channel_access =
                    ChannelAccess { enabled: port.is_some(), port, ..ChannelAccess::default() };
            }
            _ => {
                let rate = self.quantity(value, key, "Hz", "10 Hz");
                options.update_rate_hz = rate.unwrap_or(options.update_rate_hz);
            }
        }
    }

    /// Checks the beginning of all names.
    fn prefix(&mut self, text: &str, at: At) -> Option<String> {
        let checked = checked_prefix(text);
        checked.map_err(|error| self.wrong_text(at, "prefix", error)).ok()
    }

    /// A text of the value of `key` that does not mean what it should.
    pub(super) fn wrong_text(&mut self, at: At, key: &str, error: WrongText) {
        self.problem(at, Part::Key(key.to_owned()), ProblemKind::Value(error.into()));
    }

    fn port(&mut self, item: &Item, key: &str) -> Option<u16> {
        self.whole(item, key, (0, u16::MAX.into())).and_then(|port| port.try_into().ok())
    }

    pub(super) fn texts<T>(
        &mut self,
        item: &Item,
        key: &str,
        wanted: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        // A single value may stand without brackets.
        let one = std::slice::from_ref(item);
        let items = if let Data::List(items) = &item.data { items } else { one };
        let mut found = Vec::new();
        for item in items {
            let text = if let Data::Scalar(scalar) = &item.data { Some(&*scalar.text) } else { None };
            match text.and_then(&parse) {
                Some(value) => found.push(value),
                None => self.wrong(item, key, wanted),
            }
        }
        found
    }
}

const BROADCAST: &str = "an address as 10.1.2.255 or 10.1.2.255:5076, or a group as ff02::42:1@eth0";

/// The beginning of all names of PVs, if it can be one.
///
/// # Errors
/// The wanted and the found value.
pub fn checked_prefix(text: &str) -> Result<String, WrongText> {
    let fits = |c: char| c.is_ascii_graphic() && !"\"'\\{}[]<>".contains(c);
    match text.len() <= MAX_PREFIX && text.chars().all(fits) {
        true => Ok(text.to_owned()),
        false => {
            let wanted = format!("at most {MAX_PREFIX} letters, digits, `:`, `-`, `_`");
            Err(WrongText::new(wanted, text))
        }
    }
}

fn parse<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn beacon(text: &str) -> Option<Destination> {
    Destination::parse_address(text, UDP_PORT).ok()
}

fn beacons(listed: Vec<Destination>) -> Vec<Destination> {
    listed.into_iter().flat_map(Destination::on_each_interface).collect()
}

fn ignored(text: &str) -> Option<SocketAddr> {
    parse(text).or_else(|| Some(SocketAddr::new(parse::<IpAddr>(text)?, 0)))
}

#[cfg(test)]
mod tests {
    use super::super::file::read;

    #[test]
    fn all_options_are_read() {
        let text = "pvaccess: {prefix: 'A:', port: 0, search_port: 5099, interfaces: [127.0.0.1, 'ff02::42:1@1'], \
                    beacons: [127.0.0.1, '127.0.0.2:7'], ignore: 10.0.0.1, writers: [ops@any], \
                    update_rate: 5 Hz}\nnodes: {a: {type: x, pv: b1}}";
        let (file, problems) = read(text);
        assert_eq!(problems, []);
        let file = file.unwrap();
        let options = file.pvaccess.unwrap();
        assert!(options.enabled);
        assert_eq!((&*options.prefix, options.update_rate_hz), ("A:", 5.0));
        let server = options.server;
        assert_eq!((server.tcp_port, server.udp_port), (0, Some(5099)));
        let beacons: Vec<String> = server.beacons.iter().map(ToString::to_string).collect();
        assert_eq!(beacons, ["127.0.0.1:5076", "127.0.0.2:7"]);
        assert_eq!(server.addresses, [std::net::IpAddr::from([127, 0, 0, 1])]);
        assert_eq!(server.groups[0].to_string(), "[ff02::42:1%1]:0");
        assert_eq!(server.ignore, ["10.0.0.1:0".parse().unwrap()]);
        assert_eq!(options.access.rules[0].user.as_deref(), Some("ops"));
        assert_eq!(file.nodes[0].pv.as_ref().unwrap().text, "b1");
    }

    #[test]
    fn every_mistake_is_told_with_its_place() {
        let one = |option: &str| {
            let (_, problems) = read(&format!("pvaccess: {{{option}}}\nnodes: {{a: {{type: x}}}}"));
            problems.iter().map(|p| format!("{}: {p}", p.at.unwrap())).collect::<Vec<_>>().join("|")
        };
        assert_eq!(one("prefix: 'a b'"), {
            "1:20: `prefix`: wanted at most 100 letters, digits, `:`, `-`, `_`, found `a b`"
        });
        assert!(one("port: 70000").contains("`port`: wanted a whole number, 0 to 65535"));
        assert!(
            one("interfaces: [10.1]").contains("`interfaces`: wanted any, local, an address as 10.1.2.3 or")
        );
        assert!(one("writers: [all]").contains("`writers`: wanted local, loopback, any"));
        assert!(one("enabled: yes").contains("`enabled`: wanted one of true, false"));
        assert!(one("prefx: a").contains("did you mean `prefix`?"));
    }
}
