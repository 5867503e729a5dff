//! Running graphs and agents as numbers for Prometheus: `livetime run --metrics ADDR`, then `GET /metrics`.
//!
//! `families` and `agents` turn a report into families of metrics, `text` writes them down in both formats, `http` knows what to
//! answer, and `server` is the one thread that talks to clients.

mod agents;
mod families;
mod http;
mod server;
mod text;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use livetime_engine::Run;
use livetime_engine::actors::Reporter;

use server::Server;

/// Numbers that are served until this is dropped.
///
/// ```
/// use std::io::{Read, Write};
/// use livetime::metrics;
/// use livetime_engine::actors::{AgentError, System};
///
/// let system = System::default();
/// let words = system.channel::<String>("words")?;
/// system.agent_fn("listener", &words, |_: String, _| ())?;
/// words.publish("frame".into());
/// let served = metrics::listen(([127, 0, 0, 1], 0).into())?.serve_agents(system.reporter())?;
///
/// let address = served.url().replace("http://", "").replace("/metrics", "");
/// let mut client = std::net::TcpStream::connect(address)?;
/// client.write_all(b"GET /metrics HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")?;
/// let mut answer = String::new();
/// client.read_to_string(&mut answer)?;
/// assert!(answer.contains("livetime_messages_offered_total{agent=\"listener\",from=\"words\"} 1"), "{answer}");
/// # Ok::<(), AgentError>(())
/// ```
pub struct Metrics {
    server: Server,
}

/// An address for them, taken before the run starts.
pub struct Listener(mio::net::TcpListener);

/// Takes the address.
///
/// # Errors
/// When it is not of this machine, or taken.
pub fn listen(address: SocketAddr) -> io::Result<Listener> {
    Ok(Listener(mio::net::TcpListener::bind(address)?))
}

impl Listener {
    /// Serves what the run reports.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn serve(self, run: Arc<Run>) -> io::Result<Metrics> {
        let render = move |format| families::exposition(&run.report(), format);
        Ok(Metrics { server: Server::start(self.0, Box::new(render))? })
    }

    /// Serves what the agents of a system report, until it ends.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn serve_agents(self, system: Reporter) -> io::Result<Metrics> {
        let render = move |format| agents::exposition(system.report().as_ref(), format);
        Ok(Metrics { server: Server::start(self.0, Box::new(render))? })
    }
}

impl Metrics {
    /// Where they are.
    pub fn url(&self) -> String {
        format!("http://{}/metrics", self.server.address())
    }
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
