//! A TCP connection that blocks in reads only on request, and never in writes.

use std::io::{self, IoSlice, Read};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, recv, send, sendmsg};

use crate::wire::Writer;

/// The longest blocking read, so that a waiter checks its timeout from time to time.
const TICK: Duration = Duration::from_millis(100);

// 32 pieces fit on the stack; more are sent in several calls.
const PIECES: usize = 32;

/// How to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// Read only available data.
    Now,
    /// Sleep until something comes, at most until then.
    Sleep(Option<Instant>),
    /// Poll until data arrive, at most until this time.
    Spin(Option<Instant>),
}

#[derive(Debug)]
pub(super) struct Socket(TcpStream);

impl Socket {
    /// Takes a connected stream. Reads can sleep, because then a request costs two calls of the system: one to
    /// write, one to read.
    pub(super) fn new(stream: TcpStream) -> io::Result<Socket> {
        stream.set_nonblocking(false)?;
        // Requests are small and each is waited for; Nagle's algorithm would hold them back for 40 ms.
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TICK))?;
        Ok(Socket(stream))
    }

    pub(super) fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Ends the connection in both directions; a thread that is blocked in a read wakes up.
    pub(super) fn close(&self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }

    /// Reads into `buffer`. `WouldBlock`: nothing came in time. 0 is the end.
    pub(super) fn read(&self, buffer: &mut [u8], how: How, fill: bool) -> io::Result<usize> {
        let flags = match how {
            How::Spin(deadline) => return self.spin(buffer, deadline),
            How::Sleep(None) => MsgFlags::empty(),
            How::Sleep(Some(deadline)) => self.sleep(deadline)?,
            How::Now => MsgFlags::MSG_DONTWAIT,
        };
        // All that is wanted in one call, without a return for every piece that comes.
        let flags = if fill && flags.is_empty() { MsgFlags::MSG_WAITALL } else { flags };
        Ok(recv(self.fd(), buffer, flags)?)
    }

    /// Sleeps here if the clock must be looked at before the end of a tick.
    fn sleep(&self, deadline: Instant) -> io::Result<MsgFlags> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left >= TICK {
            return Ok(MsgFlags::empty());
        }
        let millis = u16::try_from(left.as_micros().div_ceil(1000)).unwrap_or(u16::MAX);
        match poll(&mut [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)], PollTimeout::from(millis)) {
            Ok(_) | Err(Errno::EINTR) => Ok(MsgFlags::MSG_DONTWAIT),
            Err(error) => Err(error.into()),
        }
    }

    fn spin(&self, buffer: &mut [u8], deadline: Option<Instant>) -> io::Result<usize> {
        let mut rounds = 0u32;
        loop {
            match recv(self.fd(), buffer, MsgFlags::MSG_DONTWAIT) {
                Err(Errno::EAGAIN) if rounds % 64 == 63 && deadline.is_some_and(|d| Instant::now() >= d) => {
                    return Err(Errno::EAGAIN.into());
                }
                // A waiter also has to notice the end of its wait.
                Err(Errno::EAGAIN) if rounds > 100_000 => return Err(Errno::EAGAIN.into()),
                Err(Errno::EAGAIN) => std::hint::spin_loop(),
                result => return Ok(result?),
            }
            rounds += 1;
        }
    }

    /// Writes as many bytes as fit into the buffers of the system, without sleeping. Returns their number.
    pub(super) fn write(&self, writer: &Writer) -> io::Result<usize> {
        let (mut sent, mut chunks) = (0, writer.chunks().peekable());
        while chunks.peek().is_some() {
            let mut pieces = [IoSlice::new(&[]); PIECES];
            let (mut count, mut wanted) = (0, 0);
            for (slot, chunk) in pieces.iter_mut().zip(chunks.by_ref()) {
                *slot = IoSlice::new(chunk);
                (count, wanted) = (count + 1, wanted + chunk.len());
            }
            let took = self.write_pieces(&pieces[..count])?;
            sent += took;
            if took < wanted {
                break;
            }
        }
        Ok(sent)
    }

    /// As [`Socket::write`].
    pub(super) fn write_pieces(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        // A connection that broke is an error, not a signal that ends the program.
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
        let result = match pieces {
            [one] => send(self.fd(), one, flags),
            many => sendmsg::<()>(self.fd(), many, &[], flags, None),
        };
        match result {
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(0),
            result => Ok(result?),
        }
    }
}

/// Reads once, then says that it would sleep.
pub(super) struct Once<'a> {
    pub(super) socket: &'a Socket,
    pub(super) how: How,
    pub(super) used: bool,
}

impl Read for Once<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if std::mem::replace(&mut self.used, true) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.socket.read(buffer, self.how, true)
    }
}
