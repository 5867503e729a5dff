//! How the page of a run is served, as a pipeline file and the command line say it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use crate::access::Access;
use crate::rules::Rules;
use crate::wrong_text::WrongText;

/// The port that is taken if it is free.
pub const PORT: u16 = 8090;

/// How the page of a run is served.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether it is served at all.
    pub enabled: bool,
    /// Where; if the port is taken, at the next free one.
    pub address: SocketAddr,
    /// Names besides this machine's own by which clients may call it; `*` is every name.
    pub hosts: Vec<String>,
    /// Machines that may read without a token; this one may always.
    pub readers: Access,
    /// Rights of clients without the token; these rules come before `readers`.
    pub rules: Rules,
    /// Everybody with the token may make changes at any time, without taking control.
    pub is_open: bool,
    /// Folders whose recorded runs may be browsed, besides the folders that the run writes to.
    pub files: Vec<PathBuf>,
    /// A file with the token; `None`: each run makes a new one.
    pub token_file: Option<PathBuf>,
}

impl Default for Options {
    /// To this machine.
    fn default() -> Options {
        Options {
            enabled: true,
            address: (Ipv4Addr::LOCALHOST, PORT).into(),
            hosts: Vec::new(),
            readers: Access::default(),
            rules: Rules::default(),
            is_open: false,
            files: Vec::new(),
            token_file: None,
        }
    }
}

/// An address with a port, or only a port, which is then of this machine alone.
///
/// # Errors
/// The wanted value.
pub fn address(text: &str) -> Result<SocketAddr, WrongText> {
    let alone = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = alone.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| WrongText::new("PORT or ADDRESS:PORT, as 9090 or 0.0.0.0:9090", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_for_this_machine() {
        let found = ["9090", ":9090", "0.0.0.0:80", "[::1]:9090"].map(|t| address(t).unwrap().to_string());
        assert_eq!(found, ["127.0.0.1:9090", "127.0.0.1:9090", "0.0.0.0:80", "[::1]:9090"]);
        for wrong in ["", "localhost", "70000", "1.2.3.4", "-1", "::1"] {
            assert!(address(wrong).unwrap_err().to_string().contains("wanted PORT"), "{wrong}");
        }
    }
}
