//! The block `hosts` as it is written.

mod address;

use super::error::{At, Expected, Part, ProblemKind};
use super::pvaccess::YES_NO;
use super::read::Reader;
use super::yaml::{Data, Item, Name};
pub(super) use address::Address;

/// The word for the nodes of all hosts in one process, which no host may have as its name.
pub const ALL_HOSTS: &str = "all";

/// Keys of a host.
pub(crate) const HOST_KEYS: &[&str] = &["address", "listen", "beyond_loopback", "memory", "links"];

/// More hosts than a graph has nodes would be without work.
const MAX_HOSTS: usize = 1000;

/// A host as it is written.
#[derive(Debug)]
pub(crate) struct HostEntry {
    pub(crate) name: Name,
    /// Where others find its first link.
    pub(super) address: Option<(Address, At)>,
    /// Where it listens itself, if that is not the host of `address`.
    pub(super) listen: Option<Name>,
    pub(super) beyond_loopback: bool,
    /// Bound of its frame pool in bytes, in place of the file's.
    pub(super) memory: Option<(u64, At)>,
    /// Parameters of the links to it.
    pub(super) links: Vec<(Name, Item)>,
}

impl Reader {
    pub(super) fn hosts(&mut self, item: &Item) -> Vec<HostEntry> {
        let mut entries = self.any_entries(item, "`hosts`");
        if let Some((name, _)) = entries.get(MAX_HOSTS) {
            let expected = Expected::new(format!("at most {MAX_HOSTS} hosts"), entries.len().to_string());
            self.problem(name.at, Part::Whole, ProblemKind::TooLarge(expected));
            entries.truncate(MAX_HOSTS);
        }
        if entries.is_empty() && matches!(item.data, Data::Map(_)) {
            self.missing(item.at, Part::Key("hosts".into()), "at least one host");
        }
        entries.into_iter().map(|(name, value)| self.host(name, value)).collect()
    }

    fn host(&mut self, name: &Name, item: &Item) -> HostEntry {
        self.check_word(name, "a name of a host of 1 to 60 letters, digits, `_` or `-`");
        if name.text == ALL_HOSTS {
            let expected = Expected::new("a name of a host", "`all`, which means every host");
            self.problem(name.at, Part::Whole, ProblemKind::Value(expected));
        }
        let mut host = HostEntry {
            name: name.clone(),
            address: None,
            listen: None,
            beyond_loopback: false,
            memory: None,
            links: Vec::new(),
        };
        // `detector:` with nothing behind it is YAML's null.
        if matches!(&item.data, Data::Scalar(scalar) if scalar.is_null()) {
            return host;
        }
        for (key, value) in self.entries(item, &format!("host `{}`", name.text), HOST_KEYS) {
            self.host_option(&mut host, &key.text, value);
        }
        host
    }

    fn host_option(&mut self, host: &mut HostEntry, key: &str, value: &Item) {
        match key {
            "address" => {
                let Some(name) = self.name(value, key) else { return };
                match Address::read(&name.text) {
                    Some(address) => host.address = Some((address, value.at)),
                    None => self.wrong(value, key, "host:port, as `ana01:7440`"),
                }
            }
            "listen" => host.listen = self.name(value, key),
            "beyond_loopback" => host.beyond_loopback = self.choice(value, key, &YES_NO).unwrap_or_default(),
            "memory" => {
                host.memory = self.quantity(value, key, "B", "512 MiB").map(|bytes| (bytes as u64, value.at));
            }
            // `entries` lets only known keys pass: this one is `links`.
            _ => host.links = self.params(value),
        }
    }
}
