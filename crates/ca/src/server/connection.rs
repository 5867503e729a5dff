//! A connection: a socket and its session.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::time::Duration;

use livetime_guests::Guest;
use mio::net::TcpStream;

use super::Session;
use crate::Error;

/// The work of a turn, in gets: some 0.3 ms. A client with one request waits for one turn of each client that sends at full speed.
const TURN: usize = 1024;
/// Parts of a turn. The answers of one part travel while the next one is worked on, so that the client need not wait for the last of them.
const PARTS: usize = 2;
/// Bytes that are written in one turn.
const WRITTEN: usize = 1 << 20;
/// Pieces that are written by one call of the system: answers and arrays in turns.
const PIECES: usize = 16;

pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) session: Session,
    guest: Guest,
    readable: bool,
    writable: bool,
    // The kernel tells of the end of the client only once.
    ended: bool,
    /// Whether it waits for its next turn.
    pub(super) is_queued: bool,
}

/// Why a connection ends.
pub(super) enum End {
    /// The client closed it.
    Closed,
    /// Its place is for another one.
    Displaced,
    /// The server stops.
    Stopped,
    Broken(io::Error),
    Wrong(Error),
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Closed => f.write_str("by the client"),
            End::Displaced => f.write_str("it had no channel, and its place was needed"),
            End::Stopped => f.write_str("the server stops"),
            End::Broken(error) => error.fmt(f),
            End::Wrong(error) => error.fmt(f),
        }
    }
}

impl From<Error> for End {
    fn from(error: Error) -> End {
        End::Wrong(error)
    }
}

impl Connection {
    pub(super) fn new(stream: TcpStream, session: Session, guest: Guest) -> Connection {
        Connection { stream, session, guest, readable: false, writable: true, ended: false, is_queued: false }
    }

    pub(super) fn event(&mut self, event: &mio::event::Event) {
        self.readable |= event.is_readable() || event.is_read_closed();
        self.writable |= event.is_writable();
        self.ended |= event.is_read_closed() || event.is_error();
    }

    /// Reads once, works and writes for the length of a turn, so that no client keeps others waiting. Returns whether it wants another turn
    /// at once.
    pub(super) fn turn(&mut self, scratch: &mut [u8], now: Duration) -> Result<bool, End> {
        if self.guest.is_displaced() {
            return Err(End::Displaced);
        }
        let read = self.read(scratch, now)?;
        let mut more = true;
        for _ in 0..PARTS {
            more = self.session.work(TURN / PARTS)?;
            self.write()?;
            if !more || self.session.pending() > 0 {
                break;
            }
        }
        self.guest.had_a_turn(now, self.session.held().0 > 0);
        if self.session.pending() > 0 {
            return Ok(self.writable);
        }
        Ok(more || read || self.readable)
    }

    /// Returns whether there was anything.
    fn read(&mut self, scratch: &mut [u8], now: Duration) -> Result<bool, End> {
        if !self.readable || !self.session.accepts() {
            return Ok(false);
        }
        match self.stream.read(scratch) {
            Ok(0) => Err(End::Closed),
            Ok(count) => {
                // A short read emptied the socket; the kernel tells when there is more.
                self.readable = count == scratch.len() || self.ended;
                self.session.receive(&scratch[..count], now);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                self.readable = false;
                Ok(false)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(End::Broken(error)),
        }
    }

    fn write(&mut self) -> Result<(), End> {
        let mut room = WRITTEN;
        while self.writable && room > 0 && self.session.pending() > 0 {
            let mut slices = [IoSlice::new(&[]); PIECES];
            let used = self.session.slices(&mut slices, room);
            match self.stream.write_vectored(&slices[..used]) {
                Ok(0) => return Err(End::Broken(ErrorKind::WriteZero.into())),
                Ok(count) => {
                    room -= count;
                    self.session.sent(count);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.writable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(End::Broken(error)),
            }
        }
        Ok(())
    }
}
