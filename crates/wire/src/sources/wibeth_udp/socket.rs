//! Datagrams, many with one call of the system.

use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, MultiHeaders, recvmmsg};
use socket2::{Domain, Protocol, SockRef, Socket, Type};

/// Buffer of a datagram: a frame with the headers of its packet takes 7243 bytes. The rest of a longer datagram is cut
/// off.
const LONGEST: usize = 8192;
/// Longest wait of a call for the first datagram. Afterwards the source sends a batch that is not full, and handles
/// other requests.
const WAIT: Duration = Duration::from_millis(5);

pub(super) struct Receiver {
    socket: UdpSocket,
    /// Room for the datagrams of a call, one behind the other.
    memory: Vec<u8>,
}

impl Receiver {
    /// Listens at `address` and takes up to `most` datagrams at once; asks the system to keep `buffer_bytes` of waiting ones.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub(super) fn bind(address: &str, buffer_bytes: usize, most: usize) -> io::Result<Receiver> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such address");
        let address: SocketAddr = address.to_socket_addrs()?.next().ok_or_else(missing)?;
        let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        // The system grants at most its limit; the granted size is reported.
        let _ = socket.set_recv_buffer_size(buffer_bytes);
        socket.bind(&address.into())?;
        // A read ends in time, so that the node answers to a stop while no datagrams arrive.
        socket.set_read_timeout(Some(WAIT))?;
        Ok(Receiver { socket: socket.into(), memory: vec![0; most * LONGEST] })
    }

    pub(super) fn port(&self) -> u16 {
        self.socket.local_addr().map_or(0, |address| address.port())
    }

    /// Linux grants twice the requested size, and needs about half of it for itself.
    pub(super) fn granted_bytes(&self) -> usize {
        SockRef::from(&self.socket).recv_buffer_size().unwrap_or(0)
            / if cfg!(target_os = "linux") { 2 } else { 1 }
    }

    /// Waits a little for a datagram, then takes all that are there, up to the room for them, and shows each to `f`. How many it were.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub(super) fn receive(&mut self, mut f: impl FnMut(&[u8])) -> io::Result<usize> {
        if self.memory.len() <= LONGEST {
            return self.receive_one(f);
        }
        // The system's structures point into the memory, so they live for one call only: four allocations for all
        // datagrams of the call.
        let lengths: Vec<usize> = {
            let mut places: Vec<_> =
                self.memory.chunks_exact_mut(LONGEST).map(|m| [IoSliceMut::new(m)]).collect();
            let mut headers = MultiHeaders::<()>::preallocate(places.len(), None);
            // The call waits for one datagram and takes others only if they are there: a batch must not wait to be
            // full.
            let flags = MsgFlags::MSG_WAITFORONE;
            match recvmmsg(self.socket.as_raw_fd(), &mut headers, places.iter_mut(), flags, None) {
                Ok(messages) => messages.map(|message| message.bytes).collect(),
                // A timeout and a signal mean only that no datagram has arrived yet.
                Err(Errno::EAGAIN | Errno::EINTR) => return Ok(0),
                Err(error) => return Err(error.into()),
            }
        };
        for (length, place) in lengths.iter().zip(self.memory.chunks_exact(LONGEST)) {
            f(&place[..LONGEST.min(*length)]);
        }
        Ok(lengths.len())
    }

    fn receive_one(&mut self, mut f: impl FnMut(&[u8])) -> io::Result<usize> {
        match self.socket.recv(&mut self.memory) {
            Ok(length) => {
                f(&self.memory[..length]);
                Ok(1)
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                Ok(0)
            }
            Err(error) => Err(error),
        }
    }
}
