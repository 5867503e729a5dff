//! A socket and the state machine behind it.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::time::Duration;

use mio::net::TcpStream;

use super::guests::Guest;
use crate::Error;
use crate::server::Session;
use crate::server::TURN;
use crate::server::account::Charge;
use crate::server::statistics::Counters;
use crate::server::statistics::add;

/// The approximate size of a portion of updates, and the most that is read of a large message at a time.
const BUDGET: usize = 256 << 10;

/// The number of portions that a connection may send and read per turn, if the kernel accepts and has them.
const PORTIONS: usize = 4;

/// The most bytes that a turn hands to the kernel, which takes some 2 ms. A client that reads as fast as the server writes
/// would else have its picture of 100 MB written in one turn. Smaller ones still go out in one call.
const WRITTEN: usize = 8 << 20;

/// Pieces that the kernel takes with one call (`IOV_MAX` of Linux).
const PIECES: usize = 1024;

/// Messages that lack more than this are read straight into their place, which saves a copy.
const LARGE: usize = 64 << 10;

pub(super) struct ServedConnection {
    pub(super) stream: TcpStream,
    pub(super) session: Session,
    // Input that came while output had to wait, or when the turn was over, and how much of it is worked on.
    backlog: Vec<u8>,
    worked: usize,
    kept: Charge,
    // Whether the kernel may have more input, or take more output.
    readable: bool,
    writable: bool,
    ended: bool,
    /// Whether the connection waits for its next turn among the busy ones. Each has one place there, however often the
    /// kernel says that it is readable: with a place for each time, a flood would get ever more turns.
    pub(super) is_queued: bool,
    guest: Guest,
}

/// Why a connection ends.
pub(super) enum End {
    /// The client closed it.
    Closed,
    Broken(io::Error),
    Wrong(Error),
    /// The connection was idle and without a channel when another client came.
    Displaced,
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> End {
        End::Broken(error)
    }
}

impl From<Error> for End {
    fn from(error: Error) -> End {
        End::Wrong(error)
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Closed => f.write_str("by the client"),
            End::Broken(error) => error.fmt(f),
            End::Wrong(error) => error.fmt(f),
            End::Displaced => f.write_str("it had no channel, and another client wanted its place"),
        }
    }
}

impl ServedConnection {
    pub(super) fn new(stream: TcpStream, session: Session, guest: Guest) -> ServedConnection {
        ServedConnection {
            stream,
            kept: Charge::new(session.account()),
            session,
            backlog: Vec::new(),
            worked: 0,
            readable: false,
            writable: true,
            ended: false,
            is_queued: false,
            guest,
        }
    }

    pub(super) fn event(&mut self, event: &mio::event::Event) {
        self.readable |= event.is_readable();
        self.writable |= event.is_writable();
        self.ended |= event.is_read_closed();
    }

    /// Reads, works and writes until nothing is left to do or the turn is over: it has done the work of a turn, or sent
    /// its portions. Returns whether it wants another turn at once.
    pub(super) fn turn(
        &mut self,
        scratch: &mut [u8],
        now: Duration,
        counters: &Counters,
    ) -> Result<bool, End> {
        // Its place counts as free already, so no work is done for it any more.
        if self.guest.place.is_displaced() {
            return Err(End::Displaced);
        }
        self.session.allow(TURN);
        let mut room = WRITTEN;
        for _ in 0..PORTIONS {
            let read = self.read(scratch, now, counters)?;
            // After reading, so that answers go in front of updates.
            let more = self.session.work(BUDGET)?;
            // Before the client knows of its channel: from then on it relies on its place.
            self.guest.place.had_a_turn(now, self.session.has_channels());
            self.write(&mut room, now, counters)?;
            if self.session.pending() > 0 {
                // Either the kernel takes no more and says when it does, or the turn is over.
                return Ok(self.writable);
            }
            if !(more || read || self.readable || self.has_input()) {
                return Ok(false);
            }
            if self.session.is_spent() {
                break;
            }
        }
        Ok(true)
    }

    /// Whether there is input that was read and not worked on.
    fn has_input(&self) -> bool {
        !self.backlog.is_empty() || self.session.has_rest()
    }

    /// Reads once. Returns whether there was anything.
    fn read(&mut self, scratch: &mut [u8], now: Duration, counters: &Counters) -> Result<bool, End> {
        if !self.session.accepts() {
            return Ok(false);
        }
        if self.has_input() {
            self.worked += self.session.receive(&self.backlog[self.worked..], now)?;
            if self.worked == self.backlog.len() {
                (self.backlog, self.worked) = (Vec::new(), 0);
                // Less memory is always granted.
                let _ = self.kept.set(0);
            }
            return Ok(true);
        }
        if !self.readable {
            return Ok(false);
        }
        let missing = self.session.missing();
        // A large message is read to where it will stay, a small one to memory that is warm.
        let large = missing >= LARGE;
        let result = match large {
            // A portion of it: a client that sends as fast as it is read would else keep the thread to itself.
            true => self.session.fill((&mut self.stream).take(missing.min(BUDGET) as u64), now),
            false => self.stream.read(scratch),
        };
        let count = match result {
            Ok(0) => return Err(End::Closed),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                self.readable = false;
                return Ok(false);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(true),
            Err(error) => return Err(error.into()),
        };
        add(&counters.bytes_in, count as u64);
        if large {
            self.session.receive(&[], now)?;
            return Ok(true);
        }
        // A short read emptied the socket; the kernel tells when there is more. Not so about its end.
        self.readable = count == scratch.len() || self.ended;
        let input = &scratch[..count];
        let consumed = self.session.receive(input, now)?;
        self.keep(&input[consumed..])?;
        Ok(true)
    }

    /// Keeps input for later.
    fn keep(&mut self, input: &[u8]) -> Result<(), End> {
        self.backlog.extend_from_slice(input);
        let bytes = self.backlog.capacity();
        match bytes == self.kept.bytes() || self.kept.set(bytes) {
            true => Ok(()),
            false => Err(Error::new("a client that reads", format!("{bytes} bytes of requests")).into()),
        }
    }

    /// Writes waiting bytes, at most `room`, and lowers `room` by the number written.
    fn write(&mut self, room: &mut usize, now: Duration, counters: &Counters) -> Result<(), End> {
        while self.writable && *room > 0 && self.session.pending() > 0 {
            let result = match self.session.pending() {
                // Few bytes are few pieces, or hardly more.
                ..=4096 => write_pieces::<8>(&mut self.stream, &self.session, *room),
                _ => write_pieces::<PIECES>(&mut self.stream, &self.session, *room),
            };
            match result {
                Ok((count, whole)) => {
                    // The kernel never takes more than was offered.
                    *room -= count;
                    add(&counters.bytes_out, count as u64);
                    self.session.sent(count, now);
                    self.writable = whole;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.writable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        if self.session.pending() > 0 {
            self.session.sent(0, now);
        }
        Ok(())
    }
}

/// Offers at most `room` bytes. Returns how much was written, and whether that was all that was offered.
fn write_pieces<const N: usize>(
    stream: &mut TcpStream,
    session: &Session,
    room: usize,
) -> io::Result<(usize, bool)> {
    let mut slices = [IoSlice::new(&[]); N];
    let count = session.slices_up_to(&mut slices, room);
    let offered: usize = slices[..count].iter().map(|slice| slice.len()).sum();
    let written = stream.write_vectored(&slices[..count])?;
    if written == 0 {
        return Err(ErrorKind::WriteZero.into());
    }
    Ok((written, written == offered))
}
