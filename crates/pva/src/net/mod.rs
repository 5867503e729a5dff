//! Where to look and where to listen: the `EPICS_PVA_*` variables, address lists, interfaces.

mod destination;
mod interfaces;
mod sockets;
mod variables;

pub use destination::{Destination, List};
pub use interfaces::{broadcasts, broadcasts_of, interface_number, interface_v4};
pub use livetime_guests::own_addresses;
pub use sockets::has_ipv6;
#[cfg(feature = "client")]
pub(crate) use sockets::named;
#[cfg(all(feature = "server", unix))]
pub use sockets::tune;
pub(crate) use sockets::{join, send, udp};
pub use variables::Variables;
#[cfg(feature = "server")]
pub(crate) use {interfaces::own, sockets::listening};

/// The usual TCP port of servers.
pub const SERVER_PORT: u16 = 5075;

/// The usual UDP port of searches and beacons.
pub const BROADCAST_PORT: u16 = 5076;

/// How long a connection may be silent, seconds: the variable's value times 4/3.
pub const IDLE_S: f64 = 40.0;
