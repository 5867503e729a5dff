//! Messages over a stream of bytes: payloads go from where they lie, and come into the memory of frames.

use std::borrow::Cow;
use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;

use livetime_frame::Frame;
use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, sendmsg};

use super::{CarrierError, Memory};
use crate::message::{Body, Message, Parcel};
use crate::wire::{Decoder, PREFIX_BYTES, encode, payload};

/// Writes messages; keeps the memory of heads.
#[derive(Debug, Default)]
pub(super) struct Writer {
    head: Vec<u8>,
}

impl Writer {
    /// Gives the slices of a message to `write`.
    pub(super) fn write<T>(
        &mut self,
        message: &Message<Frame>,
        write: impl FnOnce(&mut [IoSlice<'_>]) -> io::Result<T>,
    ) -> Result<T, CarrierError> {
        self.head.clear();
        encode(message, &mut self.head)?;
        let frames: &[Frame] = if let Body::Data(data) = &message.body { &data.frames } else { &[] };
        let payloads: Vec<Cow<'_, [u8]>> = frames.iter().map(payload).collect();
        let mut slices = vec![IoSlice::new(&self.head)];
        slices.extend(payloads.iter().map(|payload| IoSlice::new(payload)));
        Ok(write(&mut slices)?)
    }
}

/// Bytes of payloads that a thread writes at once, which has other work than that: copying more into the socket takes
/// longer than waking the thread of the link.
const SMALL_BYTES: u64 = 64 << 10;

/// Slices that a call of the system takes.
const MOST_SLICES: usize = 1024;

/// True for a message that is worth a try to send it at once.
pub fn is_small(message: &Message<Frame>) -> bool {
    let Body::Data(data) = &message.body else { return true };
    data.frames.iter().map(Parcel::bytes).sum::<u64>() <= SMALL_BYTES
}

/// The bytes of a message that the socket did not take at once.
#[derive(Debug, Default)]
pub struct Rest(Vec<u8>);

impl Rest {
    /// Writes what the socket takes without a wait, and keeps the rest; true when there is none.
    ///
    /// # Errors
    /// When the stream is broken.
    pub fn write_at_once(&mut self, to: &TcpStream, mut slices: &mut [IoSlice<'_>]) -> io::Result<bool> {
        // The flag is for this call alone: the thread that reads from the same socket waits.
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
        IoSlice::advance_slices(&mut slices, 0);
        while !slices.is_empty() {
            let some = &slices[..slices.len().min(MOST_SLICES)];
            match sendmsg::<()>(to.as_raw_fd(), some, &[], flags, None) {
                Ok(written) => IoSlice::advance_slices(&mut slices, written),
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => break,
                Err(e) => return Err(e.into()),
            }
        }
        slices.iter().for_each(|slice| self.0.extend_from_slice(slice));
        Ok(self.0.is_empty())
    }

    /// Writes the rest, if there is one; false if not.
    ///
    /// # Errors
    /// When the stream is broken, or takes nothing more.
    pub fn write(&mut self, to: &mut impl Write) -> io::Result<bool> {
        let rest = std::mem::take(&mut self.0);
        to.write_all(&rest)?;
        Ok(!rest.is_empty())
    }
}

/// Writes all slices, with as few calls of the system as it takes.
///
/// # Errors
/// When the stream is broken, or takes nothing more.
pub fn write_all(to: &mut impl Write, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    // Empty payloads at the front would look like a stream that takes nothing.
    IoSlice::advance_slices(&mut slices, 0);
    while !slices.is_empty() {
        match to.write_vectored(slices) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut slices, written),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Reads messages.
#[derive(Debug)]
pub(super) struct Reader {
    decoder: Decoder,
    head: Vec<u8>,
}

impl Reader {
    pub(super) fn new(decoder: Decoder) -> Reader {
        Reader { decoder, head: Vec::new() }
    }

    pub(super) fn read(
        &mut self,
        from: &mut impl Read,
        memory: Memory<'_>,
    ) -> Result<Message<Frame>, CarrierError> {
        let mut prefix = [0; PREFIX_BYTES];
        from.read_exact(&mut prefix)?;
        let lengths = self.decoder.lengths(&prefix)?;
        self.head.resize(lengths.head, 0);
        self.head[..PREFIX_BYTES].copy_from_slice(&prefix);
        from.read_exact(&mut self.head[PREFIX_BYTES..])?;
        let message = self.decoder.head(&self.head)?;
        let message = message.try_map(|head| {
            let mut frame = memory(&head).ok_or(CarrierError::NoMemory)?;
            from.read_exact(frame.bytes_mut())?;
            Ok::<_, CarrierError>(frame)
        })?;
        Ok(message.freeze())
    }
}
