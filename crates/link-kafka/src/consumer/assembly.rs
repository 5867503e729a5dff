//! A message out of its records.

use livetime_frame::{Frame, FrameMut};
use livetime_link::carrier::{CarrierError, Memory};
use livetime_link::wire::{Decoder, MAX_HEAD_BYTES, PREFIX_BYTES};
use livetime_link::{Body, Message};

use crate::record::Key;

/// A message whose records come: the head is gathered, payloads go at once to the memory of their frames.
pub(super) struct Assembly {
    epoch: u64,
    message: u64,
    next_part: u32,
    parts: u32,
    /// Offset of the first record.
    pub(super) from: i64,
    head: Vec<u8>,
    whole: Option<Message<FrameMut>>,
    /// The frame whose payload comes, and how much of it has come.
    frame: usize,
    filled: usize,
}

impl Assembly {
    pub(super) fn new(key: &Key<'_>, offset: i64) -> Assembly {
        Assembly {
            epoch: key.epoch,
            message: key.message,
            next_part: 0,
            parts: key.parts,
            from: offset,
            head: Vec::new(),
            whole: None,
            frame: 0,
            filled: 0,
        }
    }

    /// True when the record with this key is the next part.
    pub(super) fn goes_on_with(&self, key: &Key<'_>) -> bool {
        (self.epoch, self.message, self.next_part, self.parts)
            == (key.epoch, key.message, key.part, key.parts)
    }

    /// Takes a part; true when it was the last one.
    pub(super) fn take(
        &mut self,
        key: &Key<'_>,
        value: &[u8],
        decoder: &mut Decoder,
        memory: Memory<'_>,
    ) -> Result<bool, CarrierError> {
        for mut bytes in [key.begin, value] {
            self.take_head(&mut bytes, decoder, memory)?;
            self.take_payloads(&mut bytes);
            if !bytes.is_empty() {
                return Err(wanted("the end of a message", "more bytes"));
            }
        }
        self.next_part += 1;
        Ok(self.next_part == self.parts)
    }

    fn take_head(
        &mut self,
        bytes: &mut &[u8],
        decoder: &mut Decoder,
        memory: Memory<'_>,
    ) -> Result<(), CarrierError> {
        if self.whole.is_some() {
            return Ok(());
        }
        self.gather(bytes, PREFIX_BYTES);
        let Some(prefix) = self.head.first_chunk::<PREFIX_BYTES>() else { return Ok(()) };
        let lengths = decoder.lengths(prefix)?;
        if self.parts > 1 && lengths.payloads > decoder.max_frame_bytes().max(MAX_HEAD_BYTES as u64) {
            // Only a large frame, or frames with large heads, need several records.
            return Err(wanted("a message of one large frame", "one of more bytes"));
        }
        self.gather(bytes, lengths.head);
        if self.head.len() == lengths.head {
            let message = decoder.head(&self.head)?;
            self.whole = Some(message.try_map(|head| memory(&head).ok_or(CarrierError::NoMemory))?);
        }
        Ok(())
    }

    fn gather(&mut self, bytes: &mut &[u8], len: usize) {
        let (taken, rest) = bytes.split_at(len.saturating_sub(self.head.len()).min(bytes.len()));
        self.head.extend(taken);
        *bytes = rest;
    }

    fn take_payloads(&mut self, bytes: &mut &[u8]) {
        let Some(Message { body: Body::Data(data), .. }) = &mut self.whole else { return };
        while let Some(frame) = data.frames.get_mut(self.frame) {
            let room = &mut frame.bytes_mut()[self.filled..];
            let (taken, rest) = bytes.split_at(room.len().min(bytes.len()));
            room[..taken.len()].copy_from_slice(taken);
            *bytes = rest;
            if taken.len() < room.len() {
                self.filled += taken.len();
                return;
            }
            (self.frame, self.filled) = (self.frame + 1, 0);
        }
    }

    /// The message, when all its bytes have come.
    pub(super) fn finish(self) -> Result<Message<Frame>, CarrierError> {
        let message = self.whole.ok_or_else(|| wanted("a whole head", "a part of one"))?;
        let frames = if let Body::Data(data) = &message.body { data.frames.len() } else { 0 };
        if self.frame < frames {
            return Err(wanted("all bytes of a message", "fewer"));
        }
        Ok(message.freeze())
    }
}

fn wanted(what: &str, found: &str) -> CarrierError {
    CarrierError::refused(format!("wanted {what}, found {found}"))
}
