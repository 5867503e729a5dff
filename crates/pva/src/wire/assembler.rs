//! From pieces of a stream to messages.

use std::io::{self, Read};
use std::sync::Arc;

use super::body::{BufferSource, PayloadMemory};
use super::{HEADER_LEN, Header, Message, Payload, Segment};
use crate::{Error, Result};

/// Finds messages in pieces of a stream, wherever it was cut, and puts segments together.
///
/// A message that is complete in the input is returned without a copy. Others are collected; a large one is
/// returned as shared memory, so that its arrays need no further copy.
///
/// ```
/// use livetime_pva::wire::Assembler;
///
/// let mut assembler = Assembler::new(1 << 20);
/// let mut piece: &[u8] = &[0xCA, 2, 0x40, 2, 4, 0, 0, 0, 1, 2];
/// assert!(assembler.next(&mut piece)?.is_none());
/// let mut piece: &[u8] = &[3, 4];
/// let echo = assembler.next(&mut piece)?.unwrap();
/// assert_eq!((echo.header.command, echo.bytes()), (2, &[1, 2, 3, 4][..]));
/// # Ok::<(), livetime_pva::Error>(())
/// ```
#[derive(Debug)]
pub struct Assembler {
    limit: usize,
    lead: usize,
    header: [u8; HEADER_LEN],
    header_len: usize,
    // The header of the payload that is coming in, and how much of it is missing.
    current: Option<(Header, usize)>,
    // The first header of a message in segments.
    segments: Option<Header>,
    // Segments of this message that brought nothing.
    empty: usize,
    // Whether messages that are too long are passed over, and how long the present one is if it is.
    passes_over: bool,
    passed: Option<usize>,
    body: PayloadMemory,
}

/// Bytes that are kept of a message that is passed over: enough to know its subject.
const KEPT: usize = 64;

/// The longest message that is passed over. A client by mistake may send a picture of some hundred megabytes; a peer that
/// announces gigabytes is broken or hostile, and its connection is closed.
const PASSED_OVER: usize = 1 << 30;

/// More empty segments of one message are refused, because they could continue for ever.
const EMPTY_SEGMENTS: usize = 16;

impl Assembler {
    /// Accepts messages with a payload of at most `limit` bytes.
    pub fn new(limit: usize) -> Assembler {
        Assembler {
            limit,
            lead: 0,
            header: [0; HEADER_LEN],
            header_len: 0,
            current: None,
            segments: None,
            empty: 0,
            passes_over: false,
            passed: None,
            body: PayloadMemory::default(),
        }
    }

    /// From the next message on too long messages are no errors: their bytes are passed over, and the message says how
    /// many there were ([`Message::too_long`]), so that the peer can be answered.
    pub fn pass_over(&mut self) {
        self.passes_over = true;
    }

    /// Passes over the message that is coming in, for which there is no memory.
    pub fn pass_over_this(&mut self) {
        if self.current.is_some() || self.segments.is_some() {
            self.passed = Some(self.passed.unwrap_or(self.body.len() + self.missing()));
            self.body.cut(KEPT);
        }
    }

    /// Accepts payloads of at most `limit` bytes from the next message on.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Puts payloads that are collected `offset` bytes before a multiple of 64, so that an array which begins
    /// there can be read in place. Holds from the next message on.
    pub fn align(&mut self, offset: usize) {
        self.lead = offset.wrapping_neg() % 64;
    }

    /// Collects large payloads in memory from `source`.
    pub fn use_buffers(&mut self, source: Arc<dyn BufferSource>) {
        self.body.use_buffers(source);
    }

    /// The next message in `input`, which is advanced. `None`: all is consumed, more is needed.
    ///
    /// After an error the stream has lost its meaning and must be closed.
    pub fn next<'s, 'i: 's>(&'s mut self, input: &mut &'i [u8]) -> Result<Option<Message<'s>>> {
        loop {
            if self.current.is_none() {
                match self.next_header(input)? {
                    None => return Ok(None),
                    Some(header) if header.control => return Ok(Some(message(header, &[]))),
                    Some(header) => {
                        if let Some(payload) = self.begin(header, input)? {
                            return Ok(Some(message(header, payload)));
                        }
                    }
                }
            }
            match self.collect(input) {
                None => return Ok(None),
                Some(header) if matches!(header.segment, Segment::First | Segment::Middle) => {}
                Some(header) => return Ok(Some(self.finish(header))),
            }
        }
    }

    /// How many bytes the payload that is coming in lacks. If there are many, [`Assembler::fill`] takes them
    /// straight from their source.
    pub fn missing(&self) -> usize {
        self.current.map_or(0, |(_, missing)| missing)
    }

    /// How many bytes the message that is coming in takes, as far as that is known: the bytes that have come, and those
    /// that its present segment announces. 0 between two messages.
    pub fn expected(&self) -> usize {
        match self.is_inside() && self.passed.is_none() {
            true => self.body.len() + self.missing(),
            false => 0,
        }
    }

    /// Whether a message has begun and is not complete.
    pub fn is_inside(&self) -> bool {
        self.header_len > 0 || self.current.is_some() || self.segments.is_some()
    }

    /// Reads what is missing from `source` to where it belongs, until that would block. Then call [`Assembler::next`] with an empty
    /// input. Returns how many bytes came, also if `source` then would block; 0 is its end.
    pub fn fill(&mut self, source: impl Read) -> io::Result<usize> {
        let Some((header, missing)) = self.current else { return Ok(0) };
        if self.passed.is_some() {
            return self.fill_nothing(source, header, missing);
        }
        let (count, error) = self.body.fill(source, missing);
        self.current = Some((header, missing - count));
        match error {
            Some(error) if count == 0 => Err(error),
            _ => Ok(count),
        }
    }

    /// Reads some of the bytes that are passed over.
    fn fill_nothing(&mut self, mut source: impl Read, header: Header, missing: usize) -> io::Result<usize> {
        let mut bytes = [0; 16 << 10];
        let room = missing.min(bytes.len());
        let count = loop {
            match source.read(&mut bytes[..room]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.keep(&bytes[..count]);
        self.current = Some((header, missing - count));
        Ok(count)
    }

    /// Of a message that is passed over the first bytes.
    fn keep(&mut self, piece: &[u8]) {
        let room = KEPT.saturating_sub(self.body.len());
        self.body.extend(&piece[..piece.len().min(room)]);
    }

    fn next_header(&mut self, input: &mut &[u8]) -> Result<Option<Header>> {
        if self.header_len == 0
            && let Some((header, rest)) = input.split_first_chunk::<HEADER_LEN>()
        {
            *input = rest;
            return Header::decode(header).map(Some);
        }
        let (piece, rest) = input.split_at(input.len().min(HEADER_LEN - self.header_len));
        self.header[self.header_len..][..piece.len()].copy_from_slice(piece);
        self.header_len += piece.len();
        *input = rest;
        if self.header_len < HEADER_LEN {
            return Ok(None);
        }
        self.header_len = 0;
        Header::decode(&self.header).map(Some)
    }

    /// Accepts a payload; returns it if it is all there and not a segment.
    fn begin<'i>(&mut self, header: Header, input: &mut &'i [u8]) -> Result<Option<&'i [u8]>> {
        self.check_segment(header)?;
        let size = header.size as usize;
        if matches!(header.segment, Segment::Whole | Segment::First) {
            self.body.begin(self.lead);
            self.empty = 0;
        }
        if size == 0 && matches!(header.segment, Segment::First | Segment::Middle) {
            self.empty += 1;
            if self.empty > EMPTY_SEGMENTS {
                let wanted = format!("at most {EMPTY_SEGMENTS} empty segments in a message");
                return Err(Error::at(4, wanted, "another one".to_owned()));
            }
        }
        // Of all segments together, or a message could be as long as it likes.
        let total = self.passed.unwrap_or(self.body.len()).saturating_add(size);
        let is_passed = self.passed.is_some() || total > self.limit && self.passes_over;
        if total > if is_passed { PASSED_OVER } else { self.limit } {
            let wanted = format!("a payload of at most {} bytes", self.limit);
            return Err(Error::at(4, wanted, total.to_string()));
        }
        if is_passed {
            self.passed = Some(total);
            self.body.cut(KEPT);
            self.current = Some((header, size));
            return Ok(None);
        }
        if header.segment == Segment::Whole
            && let Some((payload, rest)) = input.split_at_checked(size)
        {
            *input = rest;
            return Ok(Some(payload));
        }
        if !self.body.expect(size) {
            return Err(Error::at(4, "a payload for which there is memory", total.to_string()));
        }
        self.current = Some((header, size));
        Ok(None)
    }

    fn check_segment(&mut self, header: Header) -> Result<()> {
        let found = match (header.segment, self.segments) {
            (Segment::Whole, None) => return Ok(()),
            (Segment::First, None) => {
                // Only the first says which byte order and command the message has.
                self.segments = Some(header);
                return Ok(());
            }
            (Segment::Middle | Segment::Last, Some(first)) if first.command == header.command => {
                return Ok(());
            }
            (found, _) => found,
        };
        let inside = self.segments.map_or("no message".into(), |h| format!("message 0x{:02X}", h.command));
        let found = format!("segment {found:?} of message 0x{:02X}", header.command);
        Err(Error::at(2, format!("a segment that continues {inside}"), found))
    }

    /// Takes the bytes of the current payload; returns its header when it is complete.
    fn collect(&mut self, input: &mut &[u8]) -> Option<Header> {
        let (header, missing) = self.current?;
        let (piece, rest) = input.split_at(missing.min(input.len()));
        match self.passed {
            None => self.body.extend(piece),
            Some(_) => self.keep(piece),
        }
        *input = rest;
        let done = piece.len() == missing;
        self.current = (!done).then_some((header, missing - piece.len()));
        done.then_some(header)
    }

    fn finish(&mut self, header: Header) -> Message<'_> {
        let header = self.segments.take().unwrap_or(header);
        Message { header, too_long: self.passed.take(), payload: self.body.finish() }
    }
}

fn message(header: Header, payload: &[u8]) -> Message<'_> {
    Message { header, payload: Payload::Borrowed(payload), too_long: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Order;

    fn stream(size: usize) -> Vec<u8> {
        let mut stream = Header::message(Order::Little, true, 13, size as u32).encode().to_vec();
        stream.extend((0..size).map(|i| i as u8));
        stream
    }

    #[test]
    fn what_lies_whole_is_not_copied_and_what_is_large_is_shared() {
        let bytes = stream(10_000);
        let mut assembler = Assembler::new(1 << 20);
        let mut input = &bytes[..];
        let whole = assembler.next(&mut input).unwrap().unwrap();
        assert_eq!(whole.bytes().as_ptr(), bytes[HEADER_LEN..].as_ptr());

        let mut input = &bytes[..100];
        assert!(assembler.next(&mut input).unwrap().is_none());
        assert_eq!(assembler.missing(), 10_000 - 92);
        assert_eq!(assembler.fill(&bytes[100..]).unwrap(), 10_000 - 92);
        let filled = assembler.next(&mut input).unwrap().unwrap();
        assert!(matches!(&filled.payload, Payload::Shared(payload) if payload[..] == bytes[HEADER_LEN..]));
    }

    #[test]
    fn arrays_can_be_read_in_place_where_they_are_expected() {
        for offset in [0, 5, 9, 64, 77] {
            let mut assembler = Assembler::new(1 << 20);
            assembler.align(offset);
            let bytes = stream(100_000);
            assert!(assembler.next(&mut &bytes[..50]).unwrap().is_none());
            let mut rest = &bytes[50..];
            let message = assembler.next(&mut rest).unwrap().unwrap();
            assert_eq!(message.bytes()[offset..].as_ptr() as usize % 8, 0);
        }
    }

    #[test]
    fn what_is_too_long_is_refused_before_memory_is_taken() {
        let mut assembler = Assembler::new(1000);
        let error = assembler.next(&mut &stream(1001)[..8]).unwrap_err();
        assert_eq!(error.to_string(), "wanted a payload of at most 1000 bytes, found 1001 at byte 4");
    }

    /// In one piece, byte by byte, through `fill`, in segments: the next message is read as if nothing had been.
    #[test]
    fn what_is_too_long_can_be_passed_over() {
        let segment = |segment, bytes: &[u8]| {
            let header = Header { segment, ..Header::message(Order::Little, true, 13, bytes.len() as u32) };
            [&header.encode()[..], bytes].concat()
        };
        let long = stream(100_000);
        let (first, rest) = long[HEADER_LEN..].split_at(700);
        let cut =
            [segment(Segment::First, first), segment(Segment::Middle, rest), segment(Segment::Last, &[1])]
                .concat();
        for (bytes, total) in [(long.clone(), 100_000), (cut, 100_001)] {
            for step in [1, 7, 50_000, 1 << 20] {
                let mut assembler = Assembler::new(1000);
                assembler.pass_over();
                let (mut found, mut kept) = (Vec::new(), 0);
                for piece in [&bytes[..], &stream(5)].concat().chunks(step) {
                    let mut piece = piece;
                    while let Some(message) = assembler.next(&mut piece).unwrap() {
                        assert!(message.bytes().iter().zip(0u8..).all(|(byte, wanted)| *byte == wanted));
                        found.push((message.bytes().len(), message.too_long));
                    }
                    kept = kept.max(assembler.expected());
                }
                assert_eq!(found, [(KEPT, Some(total)), (5, None)], "{step}");
                assert!(kept <= 1000, "{kept}");
            }
        }
        let mut assembler = Assembler::new(1000);
        assembler.pass_over();
        assert!(assembler.next(&mut &long[..50]).unwrap().is_none());
        let mut rest = &long[50..];
        while assembler.missing() > 0 {
            assert!(assembler.fill(&mut rest).unwrap() > 0);
        }
        let message = assembler.next(&mut &[][..]).unwrap().unwrap();
        assert_eq!((message.too_long, message.bytes().len()), (Some(100_000), KEPT));
        // One that no client sends by mistake.
        let mut assembler = Assembler::new(1000);
        assembler.pass_over();
        let huge = [0xCA, 2, 0, 11, 0xFF, 0xFF, 0xFF, 0x7F];
        assert!(assembler.next(&mut &huge[..]).is_err());
        // One for which there is no memory, although it is not too long.
        let mut assembler = Assembler::new(1 << 20);
        assert!(assembler.next(&mut &long[..50_000]).unwrap().is_none());
        assembler.pass_over_this();
        assert_eq!(assembler.expected(), 0);
        let message = assembler.next(&mut &long[50_000..]).unwrap().unwrap();
        assert_eq!((message.too_long, message.bytes().len()), (Some(100_000), KEPT));
    }
}
