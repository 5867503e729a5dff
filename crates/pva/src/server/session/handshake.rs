//! How a connection begins.

use std::sync::Arc;

use super::core::SessionCore;
use crate::Result;
use crate::data::Value;
use crate::proto::{ClientValidation, Control, ServerValidation, validated};
use crate::server::Peer;
use crate::wire::Status;

/// The size of our receive buffer that we announce. Some clients send pieces of half of it.
const BUFFER: u32 = 1 << 20;

/// Number of types of the client that the server remembers, as it announces to the client.
const REGISTRY: u16 = 0x7FFF;

/// The best last, for clients that take the last one they know.
const METHODS: [&str; 2] = ["anonymous", "ca"];

impl SessionCore {
    /// Sends the byte order and asks the client to identify itself.
    pub(super) fn greet(&mut self) {
        let writer = self.output.writer();
        writer.control(true, Control::SetByteOrder as u8, 0);
        let methods = METHODS.map(String::from).to_vec();
        // The message is far shorter than the bound at which encoding fails.
        let _ = ServerValidation { buffer: BUFFER, registry: REGISTRY, methods }.encode(writer);
    }

    pub(super) fn validate(&mut self, validation: ClientValidation) -> Result<()> {
        let known = METHODS.contains(&validation.method.as_str());
        let mut peer = Peer { local: self.peer.local, ..Peer::anonymous(self.peer.address) };
        if validation.method == "ca"
            && let Some(says) = validation.credentials.and_then(|credentials| credentials.into_value().ok())
        {
            peer = credentials(peer, &says);
        }
        self.peer = Arc::new(peer);
        self.validated = true;
        let status = match known {
            true => Status::OK,
            false => Status::error("this way to say who one is was not offered; served as anonymous"),
        };
        validated(self.output.writer(), &status)
    }
}

fn credentials(peer: Peer, says: &Value) -> Peer {
    // A client's own words go into logs and rules, so they are short.
    let text = |name: &str| says.str(name).unwrap_or_default().chars().take(256).collect();
    let roles = says.get("roles").and_then(|roles| roles.as_strings()).unwrap_or_default();
    let roles = roles.iter().take(64).map(|role| role.chars().take(256).collect()).collect();
    Peer { method: "ca".into(), account: text("user"), host: text("host"), roles, ..peer }
}
