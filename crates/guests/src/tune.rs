//! Options of the sockets on which clients come.

use std::io;
use std::os::fd::AsFd;

use socket2::SockRef;

/// The most unsent bytes that the kernel accepts for a connection (`TCP_NOTSENT_LOWAT`). Updates for a slow client
/// then wait in the server's queue, where newer ones replace them, and are not old when the client reads them.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 1 << 20;

/// Gives an accepted connection the options of a server: answers are sent at once, few bytes wait in the kernel, and on the way to a client
/// over loopback there are at most about `local_buffer` bytes. Without that limit the kernel lets its buffer grow to 4 MiB, and data have
/// left the caches when they are read.
///
/// # Errors
/// Errors of the operating system.
#[cfg(target_os = "linux")]
pub fn tune(stream: &impl AsFd, local_buffer: usize) -> io::Result<()> {
    let socket = SockRef::from(stream);
    socket.set_tcp_nodelay(true)?;
    socket.set_tcp_notsent_lowat(UNSENT)?;
    let peer = socket.peer_addr()?.as_socket();
    if peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback()) {
        // There is no congestion between two processes of one machine; BBR, the default of some systems,
        // would pace by a timer and send slowly after a pause. A system without reno keeps its default.
        let _ = socket.set_tcp_congestion(b"reno");
        let _ = socket.set_send_buffer_size(local_buffer);
    }
    Ok(())
}

/// Gives an accepted connection the options of a server: answers are sent at once.
///
/// # Errors
/// Errors of the operating system.
#[cfg(not(target_os = "linux"))]
pub fn tune(stream: &impl AsFd, _local_buffer: usize) -> io::Result<()> {
    SockRef::from(stream).set_tcp_nodelay(true)
}
