//! Messages over a stream of bytes: payloads go from where they lie, and come into the memory of frames.

use std::borrow::Cow;
use std::io::{self, IoSlice, Read, Write};

use livetime_frame::Frame;

use super::{CarrierError, Memory};
use crate::message::{Body, Message};
use crate::wire::{Decoder, PREFIX_BYTES, encode, payload};

/// Writes messages; keeps the memory of heads.
#[derive(Debug, Default)]
pub(super) struct Writer {
    head: Vec<u8>,
}

impl Writer {
    pub(super) fn write(
        &mut self,
        to: &mut impl Write,
        message: &Message<Frame>,
    ) -> Result<(), CarrierError> {
        self.head.clear();
        encode(message, &mut self.head)?;
        let frames: &[Frame] = if let Body::Data(data) = &message.body { &data.frames } else { &[] };
        let payloads: Vec<Cow<'_, [u8]>> = frames.iter().map(payload).collect();
        let mut slices = vec![IoSlice::new(&self.head)];
        slices.extend(payloads.iter().map(|payload| IoSlice::new(payload)));
        write_all(to, &mut slices)?;
        Ok(())
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
