//! A socket of a connection.

use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Duration;

use mio::event::Event;
use mio::net::TcpStream;

use super::core::Core;

/// Reads and writes of one connection in one turn, so that no server keeps others waiting.
const AT_ONCE: usize = 16;

pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) server: SocketAddr,
    /// When the attempt to connect began, until it has succeeded.
    pub(super) dialled: Option<Duration>,
    readable: bool,
    writable: bool,
}

impl Connection {
    /// Begins to connect.
    pub(super) fn new(server: SocketAddr, now: Duration) -> io::Result<Connection> {
        let stream = TcpStream::connect(server)?;
        Ok(Connection { stream, server, dialled: Some(now), readable: false, writable: false })
    }

    pub(super) fn event(&mut self, event: &Event) {
        self.readable |= event.is_readable() || event.is_read_closed() || event.is_error();
        self.writable |= event.is_writable();
    }

    /// Whether there is something to do at once.
    pub(super) fn is_busy(&self, core: &mut Core) -> bool {
        if self.dialled.is_some() {
            return self.readable || self.writable;
        }
        self.readable
            || (self.writable && core.circuit(self.server).is_some_and(|circuit| circuit.pending() > 0))
    }

    /// Goes on with the connection.
    ///
    /// # Errors
    /// When it is over.
    pub(super) fn turn(&mut self, core: &mut Core, scratch: &mut [u8], now: Duration) -> io::Result<()> {
        if self.dialled.is_some() && !self.connect(core, now)? {
            return Ok(());
        }
        self.read(core, scratch, now)?;
        self.write(core)
    }

    /// Returns whether it is connected.
    fn connect(&mut self, core: &mut Core, now: Duration) -> io::Result<bool> {
        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        if self.stream.peer_addr().is_err() {
            // The next event tells more.
            (self.readable, self.writable) = (false, false);
            return Ok(false);
        }
        // Requests are small, and users wait for the answers.
        self.stream.set_nodelay(true)?;
        self.dialled = None;
        core.connected(self.server, now);
        Ok(true)
    }

    fn read(&mut self, core: &mut Core, scratch: &mut [u8], now: Duration) -> io::Result<()> {
        for _ in 0..AT_ONCE {
            if !self.readable {
                break;
            }
            match self.stream.read(scratch) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => core
                    .receive(self.server, &scratch[..count], now)
                    .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?,
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.readable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write(&mut self, core: &mut Core) -> io::Result<()> {
        let Some(circuit) = core.circuit(self.server) else { return Ok(()) };
        while self.writable && circuit.pending() > 0 {
            match self.stream.write(circuit.output()) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => circuit.sent(count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.writable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
