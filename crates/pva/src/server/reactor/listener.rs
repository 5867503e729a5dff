//! Sockets that accept connections.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

use crate::server::ServerConfig;

/// How many connections may wait to be accepted.
const BACKLOG: i32 = 1024;

/// Listens at every address of `config`. If the port is taken at the first one, all get another.
pub(super) fn bind(config: &ServerConfig) -> io::Result<Vec<TcpListener>> {
    let mut listeners: Vec<TcpListener> = Vec::new();
    let mut port = config.tcp_port;
    for &address in &config.addresses {
        let listener = match listen(address, port) {
            Err(error) if listeners.is_empty() && is_taken(&error) => listen(address, 0),
            other => other,
        };
        let listener = listener.map_err(|error| {
            io::Error::new(error.kind(), format!("cannot listen at {address} port {port}: {error}"))
        })?;
        port = listener.local_addr()?.port();
        listeners.push(listener);
    }
    Ok(listeners)
}

fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::PermissionDenied)
}

fn listen(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    let address = SocketAddr::new(address, port);
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // So that a restart finds its port free.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
