//! Object headers: their messages.

use super::input::{Fields, Input};
use crate::{Error, Result};

/// Pieces of one header that are followed.
const MOST_PIECES: usize = 256;

/// Types of messages that are understood.
pub(super) mod kind {
    pub(in super::super) const DATASPACE: u8 = 1;
    pub(in super::super) const LINK_INFO: u8 = 2;
    pub(in super::super) const DATATYPE: u8 = 3;
    pub(in super::super) const FILL_VALUE: u8 = 5;
    pub(in super::super) const LINK: u8 = 6;
    pub(in super::super) const LAYOUT: u8 = 8;
    pub(in super::super) const FILTERS: u8 = 11;
    pub(in super::super) const ATTRIBUTE: u8 = 12;
    pub(super) const CONTINUATION: u8 = 16;
    pub(in super::super) const SYMBOL_TABLE: u8 = 17;
    pub(in super::super) const ATTRIBUTE_INFO: u8 = 21;
}

/// The message is stored elsewhere, for several objects.
const SHARED: u8 = 2;

/// A message of a header.
pub(super) struct Message {
    pub(super) kind: u8,
    pub(super) is_shared: bool,
    pub(super) body: Vec<u8>,
    /// Where it is in the file.
    pub(super) at: u64,
}

impl Message {
    pub(super) fn fields(&self) -> Fields<'_> {
        Fields::new(&self.body, self.at)
    }
}

/// The first message of a kind, which must lie in this header.
pub(super) fn find(messages: &[Message], kind: u8) -> Result<Option<&Message>> {
    match messages.iter().find(|message| message.kind == kind) {
        Some(message) if message.is_shared => {
            let found = "one that is stored once for several objects, which is not read here";
            Err(Error::new("a message in the header of the object", found).at(message.at))
        }
        found => Ok(found),
    }
}

/// The bytes behind the header's first piece.
struct Walk<'a> {
    input: &'a Input<'a>,
    found: Vec<Message>,
    next: Vec<(u64, u64)>,
}

/// All messages of the header at `at`, with the messages of its continuations.
pub(super) fn messages(input: &Input<'_>, at: u64) -> Result<Vec<Message>> {
    let head = input.read(at, 16)?;
    let walk = Walk { input, found: Vec::new(), next: Vec::new() };
    // The version is behind the signature in one form and the first byte in the other.
    match () {
        () if head.starts_with(b"OHDR\x02") => walk.new_header(at, head[5]),
        () if head.starts_with(&[1, 0]) => walk.old_header(at, &head),
        () => Err(Error::new("an object header of version 1 or 2", "something else").at(at)),
    }
}

impl Walk<'_> {
    fn new_header(mut self, at: u64, flags: u8) -> Result<Vec<Message>> {
        let times = if flags & 0x20 != 0 { 16 } else { 0 };
        let phases = if flags & 0x10 != 0 { 4 } else { 0 };
        // Two bits tell the width of the length: 1, 2, 4 or 8 bytes.
        let bytes = 1 << (flags & 3);
        let prefix = 6 + times + phases;
        let length = Fields::new(&self.input.read(at + prefix, bytes)?, at + prefix).uint(bytes as usize)?;
        let first = prefix + bytes;
        let whole = first.checked_add(length).and_then(|end| end.checked_add(4)).unwrap_or(u64::MAX);
        let body = self.input.checked(at, whole, b"OHDR")?;
        let has_order = flags & 4 != 0;
        self.split_new(&body[first as usize..], at + first, has_order)?;
        for piece in 0.. {
            let Some((at, length)) = self.next_piece(piece)? else { break };
            let body = self.input.checked(at, length, b"OCHK")?;
            self.split_new(&body[4..], at + 4, has_order)?;
        }
        Ok(self.found)
    }

    fn old_header(mut self, at: u64, head: &[u8]) -> Result<Vec<Message>> {
        let length = Fields::new(&head[8..12], at + 8).uint(4)?;
        self.split_old(at + 16, length)?;
        for piece in 0.. {
            let Some((at, length)) = self.next_piece(piece)? else { break };
            self.split_old(at, length)?;
        }
        Ok(self.found)
    }

    fn next_piece(&mut self, piece: usize) -> Result<Option<(u64, u64)>> {
        let next = self.next.pop();
        match next {
            // Pieces may lead to each other in a circle.
            Some((at, _)) if piece >= MOST_PIECES => {
                Err(Error::new(format!("a header of at most {MOST_PIECES} pieces"), "more").at(at))
            }
            next => Ok(next),
        }
    }

    fn split_new(&mut self, bytes: &[u8], base: u64, has_order: bool) -> Result<()> {
        let head = if has_order { 6 } else { 4 };
        let mut fields = Fields::new(bytes, base);
        // A rest that is too short for a message is a gap.
        while fields.left() >= head {
            let (kind, length, flags) = (fields.u8()?, fields.uint(2)? as usize, fields.u8()?);
            fields.skip(head - 4)?;
            let at = fields.place();
            let body = fields.take(length)?;
            self.add(kind, flags, body, at)?;
        }
        Ok(())
    }

    fn split_old(&mut self, at: u64, length: u64) -> Result<()> {
        let bytes = self.input.read(at, length)?;
        let mut fields = Fields::new(&bytes, at);
        while fields.left() >= 8 {
            let (kind, length, flags) = (fields.uint(2)?, fields.uint(2)? as usize, fields.u8()?);
            fields.skip(3)?;
            let at = fields.place();
            let body = fields.take(length)?;
            // A kind above 255 is not known here.
            if let Ok(kind) = u8::try_from(kind) {
                self.add(kind, flags, body, at)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, kind: u8, flags: u8, body: &[u8], at: u64) -> Result<()> {
        if kind == kind::CONTINUATION {
            let mut fields = Fields::new(body, at);
            self.next.push((fields.uint(8)?, fields.uint(8)?));
        } else {
            let is_shared = flags & SHARED != 0;
            self.found.push(Message { kind, is_shared, body: body.to_vec(), at });
        }
        Ok(())
    }
}
