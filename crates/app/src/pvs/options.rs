//! How a run is served, as a pipeline file and the command line say it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use livetime_pva::net::{Destination, Variables};
use livetime_pva::server::{Access, Host, Rule, ServerConfig, UDP_PORT};

/// How a run is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether it is served at all.
    pub enabled: bool,
    /// The names of all PVs begin with it.
    pub prefix: String,
    /// Instance names that the file chooses, by name of the node.
    pub names: BTreeMap<String, String>,
    /// Updates per second.
    pub update_rate_hz: f64,
    /// Addresses, ports, and who may write.
    pub server: ServerConfig,
}

impl Default for Options {
    /// Not served; else everywhere under `13SIM1:`, ten times a second, to be written from this machine only.
    fn default() -> Options {
        Options {
            enabled: false,
            prefix: "13SIM1:".into(),
            names: BTreeMap::new(),
            update_rate_hz: 10.0,
            server: ServerConfig::default(),
        }
    }
}

impl Options {
    /// Takes over what the `EPICS_PVAS_*` variables say where the file says nothing else. Returns what makes no
    /// sense in them.
    pub fn follow(&mut self, environment: &Variables) -> Vec<String> {
        let mut problems = Vec::new();
        let (server, usual) = (&mut self.server, ServerConfig::default());
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
        // Nobody is told of the server who is not named here or in the file.
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

/// Who may write, from texts such as `loopback`, `any`, `10.1.2.3`, `10.1.2.0/24`, `operator@10.1.2.0/24`.
///
/// # Errors
/// What was wanted and what was found.
pub fn access_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Access, String> {
    let rules = texts.into_iter().map(rule_of).collect::<Result<_, _>>()?;
    Ok(Access { rules })
}

fn rule_of(text: &str) -> Result<Rule, String> {
    let (user, host) = text.rsplit_once('@').map_or((None, text), |(user, host)| (Some(user), host));
    let user = user.filter(|u| !u.is_empty()).map(str::to_owned);
    let wanted = || {
        format!(
            "wanted loopback, any, an address, a network as 10.1.2.0/24, or user@ one of these, found `{text}`"
        )
    };
    Ok(Rule { host: host_of(host).ok_or_else(wanted)?, user })
}

fn host_of(text: &str) -> Option<Host> {
    Some(match (text, text.split_once('/')) {
        ("loopback", _) => Host::Loopback,
        ("any", _) => Host::Any,
        (_, Some((address, bits))) => {
            let (address, bits): (IpAddr, u8) = (address.parse().ok()?, bits.parse().ok()?);
            let most = if address.is_ipv4() { 32 } else { 128 };
            Host::Network(address, Some(bits).filter(|b| *b <= most)?)
        }
        _ => Host::Address(text.parse().ok()?),
    })
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
    fn writers_are_named_by_host_and_user() {
        let access = access_of(["loopback", "ops@10.1.2.0/24", "::1"]).unwrap();
        assert_eq!(access.rules[0], Rule { host: Host::Loopback, user: None });
        let network = Host::Network("10.1.2.0".parse().unwrap(), 24);
        assert_eq!(access.rules[1], Rule { host: network, user: Some("ops".into()) });
        for wrong in ["everybody", "10.1.2.0/40", "10.1.2", "a@b", ""] {
            assert!(access_of([wrong]).unwrap_err().contains("wanted loopback, any"), "{wrong}");
        }
    }
}
