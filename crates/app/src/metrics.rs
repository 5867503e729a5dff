//! Running graphs and agents as numbers for Prometheus: `livetime run --metrics ADDR`, then `GET /metrics`.

use std::io;
use std::net::SocketAddr;

pub use livetime_web::metrics::{Listener, Metrics, address};

/// Takes the address. The metrics name the commit that this program was built from.
///
/// # Errors
/// When it is not of this machine, or taken.
pub fn listen(address: SocketAddr) -> io::Result<Listener> {
    Ok(livetime_web::metrics::listen(address)?.of_commit(livetime_measure::COMMIT))
}
