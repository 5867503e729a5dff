//! Running graphs and agents as numbers for Prometheus: `livetime run --metrics ADDR`, then `GET /metrics`.
//!
//! `families` and `agents` turn a report into families of metrics, `text` writes them down in both formats, `http` knows what to
//! answer, and `server` is the one thread that talks to clients.

mod agents;
mod families;
mod http;
mod readbacks;
mod server;
mod text;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use livetime_actors::Reporter;
use livetime_control::model::Model;

use server::Server;

/// What a scraper gets is at most this old, or, if a node hangs, has waited this long for something newer.
const FRESH: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_millis(200);

/// Numbers that are served until this is dropped.
///
/// ```
/// use std::io::{Read, Write};
/// use livetime::metrics;
/// use livetime_actors::{AgentError, System};
///
/// let system = System::default();
/// let words = system.channel::<String>("words")?;
/// system.agent_fn("listener", &words, |_: String, _| ())?;
/// words.publish("frame".into());
/// let served = metrics::listen(([127, 0, 0, 1], 0).into())?.serve_agents(system.reporter())?;
///
/// let address = served.url().replace("http://", "").replace("/metrics", "");
/// let mut client = std::net::TcpStream::connect(address)?;
/// client.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
/// let mut answer = String::new();
/// client.read_to_string(&mut answer)?;
/// assert!(answer.contains("livetime_messages_offered_total{agent=\"listener\",from=\"words\"} 1"), "{answer}");
/// # Ok::<(), AgentError>(())
/// ```
pub struct Metrics {
    server: Server,
}

/// An address for them, taken before the run starts.
pub struct Listener {
    listener: mio::net::TcpListener,
    names: Vec<String>,
}

/// Takes the address.
///
/// # Errors
/// When it is not of this machine, or taken.
pub fn listen(address: SocketAddr) -> io::Result<Listener> {
    Ok(Listener { listener: mio::net::TcpListener::bind(address)?, names: Vec::new() })
}

impl Listener {
    /// Answers also those who call this machine by one of `names`; `*` is every name. Without that only requests
    /// are answered whose `Host` is an address, `localhost` or the machine's own name, so that no web page can read the
    /// numbers by giving this machine a name of its own.
    pub fn also_for(mut self, names: &[String]) -> Listener {
        self.names.extend_from_slice(names);
        self
    }

    fn hosts(&self) -> http::Hosts {
        http::Hosts::new(own_name().as_deref(), &self.names)
    }

    /// Serves what the model of a run knows.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn serve(self, model: Model) -> io::Result<Metrics> {
        let hosts = self.hosts();
        let render = move |format| {
            let moment = model.at_most_old(FRESH, PATIENCE);
            families::exposition(&moment.report, Some(&moment.nodes), format)
        };
        Ok(Metrics { server: Server::start(self.listener, hosts, Box::new(render))? })
    }

    /// Serves what the agents of a system report, until it ends.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn serve_agents(self, system: Reporter) -> io::Result<Metrics> {
        let hosts = self.hosts();
        let render = move |format| agents::exposition(system.report().as_ref(), format);
        Ok(Metrics { server: Server::start(self.listener, hosts, Box::new(render))? })
    }
}

impl Metrics {
    /// Where they are.
    pub fn url(&self) -> String {
        format!("http://{}/metrics", self.server.address())
    }
}

/// What this machine calls itself, where the system says it in a file.
fn own_name() -> Option<String> {
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    let name = files.iter().find_map(|file| std::fs::read_to_string(file).ok())?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// An address with a port, or only a port, which is then of this machine alone.
///
/// # Errors
/// What was wanted.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let alone = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = alone.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| format!("wanted PORT or ADDRESS:PORT, as 9090 or 0.0.0.0:9090, found `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_for_this_machine() {
        let found = ["9090", ":9090", "0.0.0.0:80", "[::1]:9090"].map(|t| address(t).unwrap().to_string());
        assert_eq!(found, ["127.0.0.1:9090", "127.0.0.1:9090", "0.0.0.0:80", "[::1]:9090"]);
        for wrong in ["", "localhost", "70000", "1.2.3.4", "-1", "::1"] {
            assert!(address(wrong).unwrap_err().contains("wanted PORT"), "{wrong}");
        }
    }
}
