//! The block `hosts` as it is written.

mod address;

use super::error::{At, Expected, Part, ProblemKind};
use super::pvaccess::YES_NO;
use super::read::Reader;
use super::yaml::{Data, Item, Name};
pub(super) use address::Address;
use address::numbered;

/// The word for the nodes of all hosts in one process, which no host may have as its name.
pub const ALL_HOSTS: &str = "all";

/// Keys of a host.
pub(crate) const HOST_KEYS: &[&str] =
    &["count", "address", "listen", "page", "beyond_loopback", "keys", "memory", "links"];

/// More hosts than a graph has nodes would be without work.
pub(crate) const MAX_HOSTS: usize = 1000;

/// A host as it is written.
#[derive(Clone, Debug)]
pub(crate) struct HostEntry {
    pub(crate) name: Name,
    /// The number of workers: then it is a pool, and each worker a host.
    pub(super) count: Option<usize>,
    /// Where others find its first link; for workers with a place for the number.
    address: Option<Name>,
    /// Where it listens itself, if that is not the host of `address`.
    listen: Option<Name>,
    /// Where others find its page; for workers with a place for the number.
    page: Option<Name>,
    pub(super) beyond_loopback: bool,
    /// The folder with the keys of its links over ZeroMQ; for workers with a place for the number.
    pub(super) keys: Option<Name>,
    /// Bound of its frame pool in bytes, in place of the file's.
    pub(super) memory: Option<(u64, At)>,
    /// Parameters of the links to it.
    pub(super) links: Vec<(Name, Item)>,
}

impl HostEntry {
    /// Where others find its first link, or the link of a worker.
    pub(super) fn address(&self, worker: Option<usize>) -> Option<(Address, At)> {
        let written = self.address.as_ref()?;
        Some((Address::read(&of_worker(&written.text, worker))?, written.at))
    }

    /// Where it listens for a link that others find at `to`.
    pub(super) fn listens(&self, worker: Option<usize>, to: &Address) -> Address {
        let own = self.listen.as_ref().map(|listen| of_worker(&listen.text, worker));
        Address { host: own.unwrap_or_else(|| to.host.clone()), ..to.clone() }
    }

    /// Where others find its page, if the file says it.
    pub(super) fn page(&self, worker: Option<usize>) -> Option<(String, At)> {
        let written = self.page.as_ref()?;
        Some((of_worker(&written.text, worker), written.at))
    }

    /// The folder with the keys of a link.
    pub(super) fn keys_of(&self, worker: Option<usize>, link: &str) -> Option<String> {
        let folder = of_worker(&self.keys.as_ref()?.text, worker);
        Some(format!("{}/{link}", folder.trim_end_matches('/')))
    }

    /// Numbers of its workers; a host without workers has no number, and is one part of the graph.
    pub(super) fn workers(&self) -> Vec<Option<usize>> {
        self.count.map_or_else(|| vec![None], |count| (1..=count).map(Some).collect())
    }

    /// The name by which a run calls the host, or a worker.
    pub(super) fn part_name(&self, worker: Option<usize>) -> String {
        worker.map_or_else(|| self.name.text.clone(), |worker| format!("{}.{worker}", self.name.text))
    }

    /// The names of all parts in a sentence.
    pub(super) fn part_names(&self) -> String {
        match self.count {
            Some(count) if count > 1 => {
                format!("{} to {}", self.part_name(Some(1)), self.part_name(Some(count)))
            }
            count => self.part_name(count),
        }
    }
}

fn of_worker(text: &str, worker: Option<usize>) -> String {
    worker.map_or_else(|| text.to_owned(), |worker| numbered(text, worker))
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
        let hosts: Vec<HostEntry> = entries.into_iter().map(|(name, value)| self.host(name, value)).collect();
        if hosts.iter().map(|host| host.count.unwrap_or(1)).sum::<usize>() > MAX_HOSTS {
            let expected = Expected::new(format!("at most {MAX_HOSTS} hosts and workers"), "more");
            self.problem(item.at, Part::Whole, ProblemKind::TooLarge(expected));
        }
        hosts
    }

    fn host(&mut self, name: &Name, item: &Item) -> HostEntry {
        self.check_word(name, "a name of a host of 1 to 60 letters, digits, `_` or `-`");
        if name.text == ALL_HOSTS {
            let expected = Expected::new("a name of a host", "`all`, which means every host");
            self.problem(name.at, Part::Whole, ProblemKind::Value(expected));
        }
        let mut host = HostEntry {
            name: name.clone(),
            count: None,
            address: None,
            listen: None,
            page: None,
            beyond_loopback: false,
            keys: None,
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
        self.check_address(&mut host);
        self.check_page(&mut host);
        host
    }

    fn host_option(&mut self, host: &mut HostEntry, key: &str, value: &Item) {
        match key {
            "count" => {
                let count = self.whole(value, key, (1, MAX_HOSTS as u64));
                host.count = count.map(|count| count as usize);
            }
            "address" => host.address = self.name(value, key),
            "listen" => host.listen = self.name(value, key),
            "page" => host.page = self.name(value, key),
            "beyond_loopback" => host.beyond_loopback = self.choice(value, key, &YES_NO).unwrap_or_default(),
            "keys" => host.keys = self.name(value, key),
            "memory" => {
                host.memory = self.quantity(value, key, "B", "512 MiB").map(|bytes| (bytes as u64, value.at));
            }
            // `entries` lets only known keys pass: this one is `links`.
            _ => host.links = self.params(value),
        }
    }

    /// A wrong address is left out.
    fn check_address(&mut self, host: &mut HostEntry) {
        let Some(written) = host.address.take() else { return };
        if self.is_place(host, &written, "address", 7440, |text| Address::read(text).is_some()) {
            host.address = Some(written);
        }
    }

    /// So is a wrong address of a page.
    fn check_page(&mut self, host: &mut HostEntry) {
        let Some(written) = host.page.take() else { return };
        let is_page = |text: &str| Address::read(text).is_some_and(|address| address.is_of_page());
        if self.is_place(host, &written, "page", crate::web::PORT, is_page) {
            host.page = Some(written);
        }
    }

    /// Whether the text of a key is an address for each worker; says so if not. The message has an example with `port`.
    fn is_place(
        &mut self,
        host: &HostEntry,
        written: &Name,
        key: &str,
        port: u16,
        is_read: fn(&str) -> bool,
    ) -> bool {
        let wanted = match host.count {
            // Workers at one address would be one.
            Some(count) if count > 1 && numbered(&written.text, 1) == numbered(&written.text, 2) => {
                format!("an address with `{{}}` for the number of the worker, as `daq{{}}:{port}`")
            }
            _ if host.workers().iter().all(|worker| is_read(&of_worker(&written.text, *worker))) => {
                return true;
            }
            Some(_) => format!("host:port, as `daq{{}}:{port}`"),
            None => format!("host:port, as `ana01:{port}`"),
        };
        let expected = Expected::new(wanted, format!("`{}`", super::yaml::shortened(&written.text)));
        self.problem(written.at, Part::Key(key.to_owned()), ProblemKind::Value(expected));
        false
    }
}
