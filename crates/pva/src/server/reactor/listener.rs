//! Sockets that accept connections.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

use crate::net::own;

/// Connections that may wait to be accepted, for when many clients start at once.
const BACKLOG: i32 = 1024;

/// Tries to find a port that is free at all addresses: the system chooses it for the first one, and it may be taken at
/// the others.
const TRIES: usize = 8;

/// Listens at all `addresses` with one port. If it is taken at one of them, all get another; then the text says why.
pub(super) fn bind(addresses: &[IpAddr], port: u16) -> io::Result<(Vec<TcpListener>, Option<String>)> {
    let mut result = bind_all(addresses, port);
    let mut moved = None;
    for _ in 0..TRIES {
        match &result {
            Err(error) if is_taken(error) => {
                moved.get_or_insert_with(|| reason(error, port));
                result = bind_all(addresses, 0);
            }
            _ => break,
        }
    }
    Ok((result?, moved))
}

fn reason(error: &io::Error, port: u16) -> String {
    match error.kind() {
        ErrorKind::AddrInUse => format!("another program has port {port} ({error})"),
        _ => format!("port {port} is not for this user ({error})"),
    }
}

fn bind_all(addresses: &[IpAddr], mut port: u16) -> io::Result<Vec<TcpListener>> {
    let mut listeners: Vec<TcpListener> = Vec::new();
    for &address in addresses {
        let listener = listen(own(address, port)).map_err(|error| {
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

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A restarted server needs its port at once, also while old connections are in TIME_WAIT.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
