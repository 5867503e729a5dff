//! A server of Channel Access for the PVs of a run.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use livetime_ca::server::{Limits, Server, ServerConfig};
use livetime_ca::wire::{REPEATER_PORT, SERVER_PORT};
use livetime_control::pvaccess::Options;
use livetime_pva::net::{broadcasts, broadcasts_of};
use livetime_pva::server as pva;

use super::Channels;
use crate::fields::Records;

/// Serves the PVs of `records` where `options` say so, for clients that share the bounds of the server `of`.
pub(crate) fn serve(
    options: &Options,
    of: &pva::Server,
    limits: pva::Limits,
    records: &Records,
) -> io::Result<Option<Server>> {
    let wanted = &options.channel_access;
    if !wanted.enabled {
        return Ok(None);
    }
    let port = wanted.port.unwrap_or(SERVER_PORT);
    let addresses = addresses(wanted.interfaces.as_deref().unwrap_or(&options.server.addresses));
    let is_local = addresses.iter().all(IpAddr::is_loopback);
    let mut beacons = wanted.beacons.clone();
    if is_local && beacons.is_empty() {
        beacons.push(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), REPEATER_PORT));
    }
    let config = ServerConfig {
        broadcasts: heard(&addresses),
        addresses,
        tcp_port: port,
        udp_port: Some(port),
        ignore: wanted.ignore.clone(),
        beacons,
        beacon_period: wanted.beacon_period,
        limits: Limits {
            message: limits.message,
            monitors_per_record: limits.monitors_per_pv,
            ..Limits::default()
        },
        guests: Some(of.guests()),
        log: wanted.log.clone(),
    };
    let channels = Channels { records: records.clone(), access: options.access.clone() };
    Server::start(config, channels).map(Some)
}

/// The addresses of the old kind: clients of this protocol know no others.
fn addresses(all: &[IpAddr]) -> Vec<IpAddr> {
    if all.iter().any(IpAddr::is_unspecified) {
        return vec![Ipv4Addr::UNSPECIFIED.into()];
    }
    let found: Vec<IpAddr> = all.iter().copied().filter(IpAddr::is_ipv4).collect();
    if found.is_empty() { vec![Ipv4Addr::LOCALHOST.into()] } else { found }
}

/// Where searches are broadcast to these addresses. Clients on this machine broadcast, too, also when they look for a server at loopback.
fn heard(addresses: &[IpAddr]) -> Vec<Ipv4Addr> {
    let v4 =
        addresses.iter().filter_map(|address| if let IpAddr::V4(v4) = address { Some(*v4) } else { None });
    let v4: Vec<Ipv4Addr> = v4.collect();
    match &v4[..] {
        [all] if all.is_unspecified() => Vec::new(),
        some if some.iter().all(Ipv4Addr::is_loopback) => broadcasts(),
        some => broadcasts_of(some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_for_this_machine_is_found_by_its_broadcasts_and_one_for_all_needs_none() {
        let local = addresses(&livetime_control::pvaccess::this_machine());
        assert_eq!(local, [IpAddr::from([127, 0, 0, 1])]);
        assert_eq!(heard(&local), broadcasts());
        let any = addresses(&["::".parse().unwrap(), [10, 1, 2, 3].into()]);
        assert_eq!((heard(&any), any), (vec![], vec![[0, 0, 0, 0].into()]));
        assert_eq!(addresses(&["::1".parse().unwrap()]), local);
    }
}
