//! Settings of a client.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::wire::REPEATER_PORT;

/// Takes lines for a log. It is called by the thread of the client and must not wait.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// Settings of a client. [`ClientConfig::from_env`] is the usual way; a program of its own sets the fields.
#[derive(Clone)]
pub struct ClientConfig {
    /// Where to search by UDP: servers and broadcast addresses.
    pub search: Vec<SocketAddr>,
    /// Servers to ask by TCP who has a channel.
    pub name_servers: Vec<SocketAddr>,
    /// The repeater of this machine, from which beacons of servers come; `None`: no beacons are heard.
    pub repeater: Option<SocketAddr>,
    /// How long a server may be silent before the client asks it for an answer.
    pub silence: Duration,
    /// The longest pause between two searches for one channel.
    pub search_period: Duration,
    /// The largest payload of a message that is accepted, bytes.
    pub max_message: usize,
    /// The user that the client names to servers.
    pub user: String,
    /// The host that the client names to servers.
    pub host: String,
    /// Takes refusals of puts whose writers do not wait.
    pub log: Option<Log>,
}

impl ClientConfig {
    /// Only this machine: servers that hear searches at UDP port `port`.
    pub fn loopback(port: u16) -> ClientConfig {
        ClientConfig {
            search: vec![(Ipv4Addr::LOCALHOST, port).into()],
            name_servers: Vec::new(),
            repeater: Some((Ipv4Addr::LOCALHOST, REPEATER_PORT).into()),
            silence: Duration::from_secs(30),
            search_period: Duration::from_secs(30),
            // Bytes are kept as they come, so that an announced size alone takes no memory.
            max_message: 1 << 30,
            user: "nobody".into(),
            host: nix::unistd::gethostname()
                .ok()
                .and_then(|name| name.into_string().ok())
                .unwrap_or_default(),
            log: None,
        }
    }

    /// Only these servers, by TCP; no UDP at all.
    pub fn name_servers(servers: &[SocketAddr]) -> ClientConfig {
        ClientConfig {
            search: Vec::new(),
            name_servers: servers.to_vec(),
            repeater: None,
            ..ClientConfig::loopback(0)
        }
    }
}

impl fmt::Debug for ClientConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientConfig")
            .field("search", &self.search)
            .field("name_servers", &self.name_servers)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}
