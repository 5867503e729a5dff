//! How a run is served over Channel Access, beside pvAccess.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use livetime_ca::server::Log;
use livetime_ca::wire::{REPEATER_PORT, SERVER_PORT};
use livetime_pva::net::{Variables, broadcasts};

/// Beacons are at least so far apart; a period of 0 would be a flood.
const SHORTEST_PERIOD_S: f64 = 0.1;

/// How a run is served over Channel Access. Access rules are pvAccess's, and so are interfaces unless the file names
/// others.
#[derive(Clone)]
pub struct ChannelAccess {
    /// Whether it is served.
    pub enabled: bool,
    /// The port for searches and connections; `None`: the usual one. If another server has the port, connections get any other, and searches
    /// tell it.
    pub port: Option<u16>,
    /// Where it listens, if not where pvAccess does.
    pub interfaces: Option<Vec<IpAddr>>,
    /// Where beacons go. Without any, a run for this machine alone sends them to this machine.
    pub beacons: Vec<SocketAddr>,
    /// The longest time between two beacons.
    pub beacon_period: Duration,
    /// Searches from here are ignored; port 0 means every port.
    pub ignore: Vec<SocketAddr>,
    /// Receives the events of the server.
    pub log: Option<Log>,
}

impl Default for ChannelAccess {
    /// Not served.
    fn default() -> ChannelAccess {
        ChannelAccess {
            enabled: false,
            port: None,
            interfaces: None,
            beacons: Vec::new(),
            // The default of `EPICS_CAS_BEACON_PERIOD`.
            beacon_period: Duration::from_secs(15),
            ignore: Vec::new(),
            log: None,
        }
    }
}

impl ChannelAccess {
    /// Applies the `EPICS_CAS_*` variables. Returns the invalid ones. They do not serve a run, and a run without
    /// `EPICS_CAS_INTF_ADDR_LIST` listens where pvAccess does. `has_own_interfaces`: the user said where to listen.
    pub fn follow(&mut self, environment: &Variables, has_own_interfaces: bool) -> Vec<String> {
        let mut problems = Vec::new();
        // A port in the pipeline file counts before the environment.
        if self.port.is_none() {
            let port = environment.port(&["EPICS_CAS_SERVER_PORT", "EPICS_CA_SERVER_PORT"], SERVER_PORT);
            let port = port.map_err(|error| problems.push(error.to_string())).unwrap_or(SERVER_PORT);
            self.port = Some(port);
        }
        let mut list = |names: &[&str], port: u16| {
            let list = environment.list(names, port);
            problems.extend(list.problems.iter().map(ToString::to_string));
            list.destinations.into_iter().map(|one| one.address).collect::<Vec<SocketAddr>>()
        };
        // Interfaces have no port.
        let interfaces = list(&["EPICS_CAS_INTF_ADDR_LIST"], 0);
        if !interfaces.is_empty() && !has_own_interfaces {
            self.interfaces = Some(interfaces.iter().map(SocketAddr::ip).collect());
        }
        self.ignore = list(&["EPICS_CAS_IGNORE_ADDR_LIST"], 0);
        let repeater = ["EPICS_CAS_BEACON_PORT", "EPICS_CA_REPEATER_PORT"];
        let repeater = environment.port(&repeater, REPEATER_PORT).unwrap_or(REPEATER_PORT);
        self.beacons = list(&["EPICS_CAS_BEACON_ADDR_LIST"], repeater);
        // Beacons are off until they are configured, as in pvAccess: a run for this machine alone stays silent on the network.
        match environment.flag(&["EPICS_CAS_AUTO_BEACON_ADDR_LIST"], false) {
            Ok(true) => self.beacons.extend(broadcasts().iter().map(|&ip| SocketAddr::from((ip, repeater)))),
            Ok(false) => {}
            Err(error) => problems.push(error.to_string()),
        }
        match period(environment) {
            Ok(Some(period)) => self.beacon_period = period,
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
        problems
    }
}

fn period(environment: &Variables) -> Result<Option<Duration>, String> {
    const NAME: &str = "EPICS_CAS_BEACON_PERIOD";
    let Some(text) = environment.get(&[NAME, "EPICS_CA_BEACON_PERIOD"]) else { return Ok(None) };
    let seconds = text.parse::<f64>().ok().filter(|seconds| (SHORTEST_PERIOD_S..=86_400.0).contains(seconds));
    let seconds =
        seconds.ok_or_else(|| format!("wanted {NAME} of {SHORTEST_PERIOD_S} to 86400 s, found `{text}`"))?;
    Ok(Some(Duration::from_secs_f64(seconds)))
}

impl fmt::Debug for ChannelAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChannelAccess")
            .field("enabled", &self.enabled)
            .field("port", &self.port)
            .field("interfaces", &self.interfaces)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_where_but_not_whether() {
        let environment = Variables::from_iter([
            ("EPICS_CAS_SERVER_PORT", "6064"),
            ("EPICS_CAS_INTF_ADDR_LIST", "127.0.0.1 127.0.0.2"),
            ("EPICS_CAS_BEACON_ADDR_LIST", "127.0.0.3 127.0.0.4:7000"),
            ("EPICS_CAS_BEACON_PERIOD", "2.5"),
            ("EPICS_CAS_IGNORE_ADDR_LIST", "127.0.0.5"),
        ]);
        let mut found = ChannelAccess::default();
        assert_eq!(found.follow(&environment, false), [""; 0]);
        assert_eq!((found.enabled, found.port), (false, Some(6064)));
        assert_eq!(found.beacon_period, Duration::from_millis(2500));
        assert_eq!(found.interfaces, Some(vec![[127, 0, 0, 1].into(), [127, 0, 0, 2].into()]));
        let texts = |list: &[SocketAddr]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(texts(&found.beacons), ["127.0.0.3:5065", "127.0.0.4:7000"]);
        assert_eq!(texts(&found.ignore), ["127.0.0.5:0"]);
        let mut found = ChannelAccess::default();
        found.follow(&environment, true);
        assert_eq!((found.port, found.interfaces), (Some(6064), None));
        let mut found = ChannelAccess { port: Some(7000), ..ChannelAccess::default() };
        found.follow(&environment, false);
        assert_eq!(found.port, Some(7000));
    }

    #[test]
    fn wrong_variables_are_named() {
        let wrong = Variables::from_iter([
            ("EPICS_CAS_SERVER_PORT", "many"),
            ("EPICS_CAS_BEACON_PERIOD", "0"),
            ("EPICS_CAS_AUTO_BEACON_ADDR_LIST", "perhaps"),
        ]);
        let mut found = ChannelAccess::default();
        let problems = found.follow(&wrong, false);
        assert_eq!((found.port, problems.len()), (Some(SERVER_PORT), 3), "{problems:?}");
        assert!(problems.iter().all(|problem| problem.contains("EPICS_CAS_")), "{problems:?}");
    }
}
