//! The variables that EPICS programs are configured with.

use std::collections::HashMap;
use std::time::Duration;

use super::{BROADCAST_PORT, Destination, IDLE_S, List, SERVER_PORT, broadcasts};
use crate::{Error, Result};

/// The `EPICS_PVA_*` and `EPICS_PVAS_*` variables of the environment, or of a map in their place; for servers of both
/// protocols the variables of Channel Access, too.
///
/// A client reads `EPICS_PVA_*`; a server `EPICS_PVAS_*`, and `EPICS_PVA_*` where that is not set.
///
/// ```
/// use livetime_pva::net::Variables;
///
/// let set = Variables::from_iter([("EPICS_PVA_ADDR_LIST", "10.1.2.3"), ("EPICS_PVA_AUTO_ADDR_LIST", "NO")]);
/// let search = set.search_destinations()?;
/// assert_eq!(search.destinations[0].to_string(), "10.1.2.3:5076");
/// # Ok::<(), livetime_pva::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variables(HashMap<String, String>);

impl Variables {
    /// The variables of the environment.
    pub fn from_env() -> Variables {
        let utf8 = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((key.into_string().ok()?, value.into_string().ok()?))
        };
        let ours =
            |(key, _): &(String, String)| ["EPICS_PVA", "EPICS_CA"].iter().any(|ours| key.starts_with(ours));
        Variables(std::env::vars_os().filter_map(utf8).filter(ours).collect())
    }

    /// The first of `names` that is set; blanks hide the others and count as nothing.
    pub fn get(&self, names: &[&str]) -> Option<&str> {
        names
            .iter()
            .find_map(|name| self.0.get(*name))
            .map(|text| text.trim())
            .filter(|text| !text.is_empty())
    }

    /// YES or NO, 1 or 0, in any case.
    pub fn flag(&self, names: &[&str], default: bool) -> Result<bool> {
        match self.get(names).map(str::to_ascii_uppercase).as_deref() {
            None => Ok(default),
            Some("YES" | "1" | "TRUE") => Ok(true),
            Some("NO" | "0" | "FALSE") => Ok(false),
            // A word that is misspelt must not mean yes or no.
            Some(other) => Err(Error::new(format!("{} of YES or NO", names[0]), format!("`{other}`"))),
        }
    }

    /// A port.
    pub fn port(&self, names: &[&str], default: u16) -> Result<u16> {
        let Some(text) = self.get(names) else { return Ok(default) };
        text.parse().map_err(|_| Error::new(format!("{} of 0 to 65535", names[0]), format!("`{text}`")))
    }

    /// An address list; empty if it is not set.
    pub fn list(&self, names: &[&str], port: u16) -> List {
        Destination::parse_list(self.get(names).unwrap_or_default(), port)
    }

    /// How long a connection may be silent: `EPICS_PVA_CONN_TMO` times 4/3, at least 2 s. A text that is not a number
    /// above 0 counts as not set.
    pub fn idle_limit(&self) -> Duration {
        let set = self.get(&["EPICS_PVA_CONN_TMO"]).and_then(|text| text.parse::<f64>().ok());
        let seconds = set.filter(|seconds| *seconds > 0.0 && *seconds < 1e6);
        // As pvxs counts: the usual 30 s of the variable are 40 s. Below 2 s a busy server would be taken for a dead one.
        Duration::from_secs_f64(seconds.map_or(IDLE_S, |seconds| (seconds * 4.0 / 3.0).max(2.0)))
    }

    /// The UDP port that clients send searches to. 0 makes no sense there.
    pub fn client_broadcast_port(&self) -> Result<u16> {
        match self.port(&["EPICS_PVA_BROADCAST_PORT"], BROADCAST_PORT)? {
            0 => Err(Error::new("EPICS_PVA_BROADCAST_PORT of 1 to 65535", "0")),
            port => Ok(port),
        }
    }

    /// Where a client searches: `EPICS_PVA_ADDR_LIST`, and all broadcast addresses unless
    /// `EPICS_PVA_AUTO_ADDR_LIST` is NO.
    pub fn search_destinations(&self) -> Result<List> {
        let port = self.client_broadcast_port()?;
        self.destinations(&["EPICS_PVA_ADDR_LIST"], &["EPICS_PVA_AUTO_ADDR_LIST"], port)
    }

    /// Servers that a client asks for names over TCP: `EPICS_PVA_NAME_SERVERS`.
    pub fn name_servers(&self) -> Result<List> {
        let port = self.port(&["EPICS_PVA_SERVER_PORT"], SERVER_PORT)?;
        Ok(self.list(&["EPICS_PVA_NAME_SERVERS"], port))
    }

    /// The TCP port of a server; 0 is any.
    pub fn server_port(&self) -> Result<u16> {
        self.port(&["EPICS_PVAS_SERVER_PORT", "EPICS_PVA_SERVER_PORT"], SERVER_PORT)
    }

    /// The UDP port that a server hears searches at.
    pub fn server_broadcast_port(&self) -> Result<u16> {
        self.port(&["EPICS_PVAS_BROADCAST_PORT", "EPICS_PVA_BROADCAST_PORT"], BROADCAST_PORT)
    }

    /// Where a server sends beacons.
    pub fn beacon_destinations(&self) -> Result<List> {
        let port = self.server_broadcast_port()?;
        let lists = ["EPICS_PVAS_BEACON_ADDR_LIST", "EPICS_PVA_ADDR_LIST"];
        self.destinations(&lists, &["EPICS_PVAS_AUTO_BEACON_ADDR_LIST", "EPICS_PVA_AUTO_ADDR_LIST"], port)
    }

    /// The interfaces that a server listens at; none is all. A wrong entry should stop the server. Multicast groups
    /// among them, and among the entries of `EPICS_PVAS_BEACON_ADDR_LIST`, are listened to, too.
    pub fn server_interfaces(&self) -> List {
        let mut found = self.list(&["EPICS_PVAS_INTF_ADDR_LIST"], 0);
        let announced = self.list(&["EPICS_PVAS_BEACON_ADDR_LIST"], 0).groups();
        for entry in std::mem::take(&mut found.destinations).into_iter().chain(announced) {
            let mut entry = Destination { ttl: None, ..entry };
            // The port of searches is the server's, whatever the list says.
            entry.address.set_port(0);
            found.add(entry);
        }
        found.on_each_interface()
    }

    /// The interfaces and multicast groups that a client listens at for beacons; none is all interfaces.
    pub fn client_interfaces(&self) -> Result<List> {
        let port = self.client_broadcast_port()?;
        Ok(self.list(&["EPICS_PVA_INTF_ADDR_LIST"], port).on_each_interface())
    }

    /// Hosts whose searches a server ignores; port 0 is any.
    pub fn ignored(&self) -> List {
        self.list(&["EPICS_PVAS_IGNORE_ADDR_LIST"], 0)
    }

    fn destinations(&self, lists: &[&str], automatic: &[&str], port: u16) -> Result<List> {
        let mut found = self.list(lists, port).on_each_interface();
        if self.flag(automatic, true)? {
            let everybody = broadcasts().into_iter().map(|ip| Destination::new((ip, port).into()));
            everybody.for_each(|destination| found.add(destination));
        }
        Ok(found)
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Variables {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Variables {
        Variables(pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &List) -> Vec<String> {
        list.destinations.iter().map(Destination::to_string).collect()
    }

    #[test]
    fn nothing_set_is_as_the_peers_have_it() {
        let none = Variables::default();
        assert_eq!((none.server_port(), none.server_broadcast_port()), (Ok(5075), Ok(5076)));
        assert_eq!(none.idle_limit(), Duration::from_secs(40));
        let own: Vec<_> = broadcasts().iter().map(|ip| format!("{ip}:5076")).collect();
        assert_eq!(texts(&none.search_destinations().unwrap()), own);
        assert!(none.name_servers().unwrap().destinations.is_empty());
    }

    #[test]
    fn a_server_prefers_its_own_variables() {
        let mut set = vec![("EPICS_PVA_SERVER_PORT", "1"), ("EPICS_PVA_BROADCAST_PORT", "2")];
        set.extend([("EPICS_PVA_ADDR_LIST", "127.0.0.1"), ("EPICS_PVA_AUTO_ADDR_LIST", "no")]);
        let shared = Variables::from_iter(set.clone());
        assert_eq!((shared.server_port(), shared.server_broadcast_port()), (Ok(1), Ok(2)));
        assert_eq!(texts(&shared.beacon_destinations().unwrap()), ["127.0.0.1:2"]);
        set.extend([("EPICS_PVAS_SERVER_PORT", "0"), ("EPICS_PVAS_BROADCAST_PORT", "3")]);
        set.push(("EPICS_PVAS_BEACON_ADDR_LIST", "127.0.0.2:9"));
        let own = Variables::from_iter(set);
        assert_eq!((own.server_port(), own.server_broadcast_port()), (Ok(0), Ok(3)));
        assert_eq!(texts(&own.beacon_destinations().unwrap()), ["127.0.0.2:9"]);
        assert_eq!(texts(&own.search_destinations().unwrap()), ["127.0.0.1:2"]);
    }

    #[test]
    fn groups_are_listened_to_that_are_interfaces_or_told_of_the_server() {
        let set = Variables::from_iter([
            ("EPICS_PVAS_INTF_ADDR_LIST", "::1 ff02::42:1,1@1 224.0.1.1@127.0.0.1"),
            ("EPICS_PVAS_BEACON_ADDR_LIST", "[ff02::42:1%1]:77,1 ff02::9@1 10.0.0.1"),
            ("EPICS_PVA_INTF_ADDR_LIST", "ff02::42:1@1"),
        ]);
        let found = set.server_interfaces();
        assert_eq!(found.hosts(), [std::net::IpAddr::from(std::net::Ipv6Addr::LOCALHOST)]);
        let groups: Vec<_> = found.groups().iter().map(Destination::to_string).collect();
        assert_eq!(groups, ["[ff02::42:1%1]:0", "224.0.1.1:0@127.0.0.1", "[ff02::9%1]:0"]);
        assert_eq!(texts(&set.client_interfaces().unwrap()), ["[ff02::42:1%1]:5076"]);
    }

    #[test]
    fn times_are_bounded() {
        let limit = |text| Variables::from_iter([("EPICS_PVA_CONN_TMO", text)]).idle_limit().as_secs_f64();
        assert_eq!(limit("3"), 4.0);
        assert_eq!(limit("0.1"), 2.0);
        assert_eq!((limit("0"), limit("-3"), limit("soon"), limit("nan")), (40.0, 40.0, 40.0, 40.0));
    }

    #[test]
    fn errors_name_the_variable() {
        let set = Variables::from_iter([
            ("EPICS_PVA_AUTO_ADDR_LIST", "perhaps"),
            ("EPICS_PVA_BROADCAST_PORT", "0"),
        ]);
        let error = set.search_destinations().unwrap_err().to_string();
        assert_eq!(error, "wanted EPICS_PVA_BROADCAST_PORT of 1 to 65535, found 0");
        let error = set.flag(&["EPICS_PVA_AUTO_ADDR_LIST"], true).unwrap_err().to_string();
        assert_eq!(error, "wanted EPICS_PVA_AUTO_ADDR_LIST of YES or NO, found `PERHAPS`");
    }
}
