//! The prefix of a run without a configured one: the first that no other server uses.

use std::time::Duration;

use livetime_pva::client::{Client, Error};

/// Longest wait for the answer of another server: several times the round trip in a control network, and short enough
/// for a start.
const PATIENCE: Duration = Duration::from_millis(400);

/// Prefixes that are tried beside the usual one.
const OTHERS: usize = 9;

/// The first of `usual`, `LIVETIME1:`, `LIVETIME2:` and so on for which no server in reach of `client` has
/// the PV that ends in `suffix`.
///
/// All names are searched at the same time. A client that cannot search finds no server.
pub fn free_prefix(client: &Client, usual: &str, suffix: &str) -> String {
    let prefixes = || [usual.to_owned()].into_iter().chain((1..=OTHERS).map(|n| format!("LIVETIME{n}:")));
    let answered: Vec<bool> = std::thread::scope(|scope| {
        let ask = |prefix: String| {
            let channel = client.channel(&format!("{prefix}{suffix}"));
            scope.spawn(move || !matches!(channel.get().wait(PATIENCE), Err(Error::Timeout(_))))
        };
        let asked: Vec<_> = prefixes().map(ask).collect();
        asked.into_iter().map(|thread| thread.join().unwrap_or(false)).collect()
    });
    let mut free = prefixes().zip(answered).filter(|(_, answered)| !answered).map(|(prefix, _)| prefix);
    // More than ten unnamed runs are not expected: their operator should choose prefixes.
    free.next().unwrap_or_else(|| format!("LIVETIME{}:", std::process::id()))
}

#[cfg(test)]
mod tests {
    use livetime_pva::client::ClientConfig;
    use livetime_pva::data::{ScalarType, Value};
    use livetime_pva::nt;
    use livetime_pva::server::{PvMap, Server, ServerConfig, SharedPv};

    use super::*;

    #[test]
    fn a_prefix_that_somebody_has_is_not_taken() {
        let pvs = PvMap::new();
        for name in ["13SIM1:cam1:PortName_RBV", "LIVETIME1:cam1:PortName_RBV", "LIVETIME3:cam1:PortName_RBV"]
        {
            pvs.add(name, SharedPv::new(Value::new(&nt::scalar(ScalarType::Str))));
        }
        let server = Server::start(ServerConfig::loopback(), pvs).unwrap();
        let config = ClientConfig::name_servers(&[server.tcp_address()]);
        let client = Client::new(config).unwrap();
        assert_eq!(free_prefix(&client, "13SIM1:", "cam1:PortName_RBV"), "LIVETIME2:");
        assert_eq!(free_prefix(&client, "BL7:", "cam1:PortName_RBV"), "BL7:");
    }
}
