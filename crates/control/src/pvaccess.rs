//! How a run is served, as a pipeline file and the command line say it.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use livetime_pva::net::{Destination, List, Variables};
use livetime_pva::server::{Limits, ServerConfig, UDP_PORT};

use crate::access::Access;
pub use crate::access::access_of;
use crate::channel_access::ChannelAccess;
use crate::wrong_text::WrongText;

/// How a run is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether it is served at all.
    pub enabled: bool,
    /// The names of all PVs begin with it.
    pub prefix: String,
    /// Whether the prefix was chosen explicitly: then it is used even if another server has such names.
    pub is_prefix_chosen: bool,
    /// Instance names that the file chooses, by name of the node.
    pub names: BTreeMap<String, String>,
    /// Updates per second.
    pub update_rate_hz: f64,
    /// Which clients may write.
    pub access: Access,
    /// How clients of Channel Access find the same PVs.
    pub channel_access: ChannelAccess,
    /// Addresses and ports. Its own `access` is ignored.
    pub server: ServerConfig,
}

impl Default for Options {
    /// Not served; else to this machine only, under `13SIM1:`, ten times a second.
    fn default() -> Options {
        Options {
            enabled: false,
            prefix: "13SIM1:".into(),
            is_prefix_chosen: false,
            names: BTreeMap::new(),
            update_rate_hz: 10.0,
            access: Access::default(),
            channel_access: ChannelAccess::default(),
            server: ServerConfig {
                addresses: this_machine(),
                hint:
                    "`--writers {host}` allows it, or `writers` in the block `pvaccess` of the pipeline file"
                        .into(),
                limits: Limits { message: LONGEST_MESSAGE, ..Limits::default() },
                ..ServerConfig::default()
            },
        }
    }
}

/// Nothing that can be written to a run is longer.
const LONGEST_MESSAGE: usize = 4 << 20;

/// Where a run listens by default.
pub fn this_machine() -> Vec<IpAddr> {
    vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
}

/// Where to listen, from texts such as `any`, `local`, `10.1.2.3`, `ff02::42:1@eth0`: addresses, and groups whose searches are heard.
///
/// # Errors
/// The wanted and the found value.
pub fn listen_at<'a>(
    texts: impl IntoIterator<Item = &'a str>,
) -> Result<(Vec<IpAddr>, Vec<Destination>), WrongText> {
    let mut list = List::default();
    let mut hosts = Vec::new();
    for text in texts {
        match text {
            "any" => hosts.push(Ipv6Addr::UNSPECIFIED.into()),
            "local" => hosts.extend(this_machine()),
            text => {
                let found = Destination::parse_address(text, 0);
                list.add(found.map_err(|_| WrongText::new(INTERFACE, text))?);
            }
        }
    }
    hosts.extend(list.hosts());
    if hosts.is_empty() {
        // Groups alone do not say where connections are accepted.
        hosts = this_machine();
    }
    Ok((hosts, list.groups().into_iter().flat_map(Destination::on_each_interface).collect()))
}

/// Texts that may stand in the list of interfaces.
pub const INTERFACE: &str = "any, local, an address as 10.1.2.3 or ::1, or a group as ff02::42:1@eth0";

impl Options {
    /// Applies the `EPICS_PVAS_*` and `EPICS_CAS_*` variables where the file sets nothing else. Returns the invalid ones.
    pub fn follow(&mut self, environment: &Variables) -> Vec<String> {
        let (server, usual) = (&mut self.server, Options::default().server);
        let mut problems = match self.channel_access.enabled {
            true => self.channel_access.follow(environment, server.addresses != usual.addresses),
            false => Vec::new(),
        };
        if server.tcp_port == usual.tcp_port {
            let port = environment.server_port().map_err(|e| problems.push(e.to_string()));
            server.tcp_port = port.unwrap_or(usual.tcp_port);
        }
        if server.udp_port == usual.udp_port {
            let port = environment.server_broadcast_port().map_err(|e| problems.push(e.to_string()));
            server.udp_port = port.ok().filter(|port| *port > 0).or(usual.udp_port);
        }
        if server.addresses == usual.addresses && server.groups.is_empty() {
            let list = environment.server_interfaces();
            let found = list.hosts();
            problems.extend(list.problems.iter().map(ToString::to_string));
            server.addresses = if found.is_empty() { usual.addresses } else { found };
            server.groups = list.groups();
        }
        // Beacons go only to addresses that are named here or in the file.
        if server.beacons.is_empty() {
            let list =
                environment.list(&["EPICS_PVAS_BEACON_ADDR_LIST"], server.udp_port.unwrap_or(UDP_PORT));
            problems.extend(list.problems.iter().map(ToString::to_string));
            server.beacons = list.destinations.into_iter().flat_map(Destination::on_each_interface).collect();
        }
        if server.ignore.is_empty() {
            server.ignore = environment.ignored().destinations.iter().map(|d| d.address).collect();
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_fills_in_what_the_file_leaves_open() {
        let environment = Variables::from_iter([
            ("EPICS_PVAS_SERVER_PORT", "6000"),
            ("EPICS_PVAS_BROADCAST_PORT", "6001"),
            ("EPICS_PVAS_INTF_ADDR_LIST", "127.0.0.1 ff02::42:1@1"),
            ("EPICS_PVAS_BEACON_ADDR_LIST", "127.255.255.255"),
        ]);
        let mut options = Options::default();
        assert_eq!(options.follow(&environment), [""; 0]);
        assert_eq!((options.server.tcp_port, options.server.udp_port), (6000, Some(6001)));
        assert_eq!(options.server.addresses, [IpAddr::from([127, 0, 0, 1])]);
        assert_eq!(options.server.groups[0].to_string(), "[ff02::42:1%1]:0");
        assert_eq!(options.server.beacons[0].to_string(), "127.255.255.255:6001");
        let mut options = Options::default();
        options.server.tcp_port = 7000;
        options.follow(&environment);
        assert_eq!(options.server.tcp_port, 7000);
        let wrong = Variables::from_iter([("EPICS_PVAS_SERVER_PORT", "many")]);
        assert_eq!(Options::default().follow(&wrong).len(), 1);
    }

    #[test]
    fn a_run_is_for_this_machine_unless_it_is_told_otherwise() {
        assert!(Options::default().server.addresses.iter().all(IpAddr::is_loopback));
        assert_eq!(listen_at(["any"]).unwrap().0, [IpAddr::from(Ipv6Addr::UNSPECIFIED)]);
        let (hosts, groups) = listen_at(["10.1.2.3", "ff02::42:1@1"]).unwrap();
        assert_eq!((hosts, groups.len()), (vec![[10, 1, 2, 3].into()], 1));
        assert_eq!(listen_at(["ff02::42:1@1"]).unwrap().0, this_machine());
        assert!(listen_at(["everywhere"]).unwrap_err().to_string().contains("wanted any, local"));
        let options = Options::default();
        assert!(options.server.hint.contains("--writers {host}"));
    }
}
