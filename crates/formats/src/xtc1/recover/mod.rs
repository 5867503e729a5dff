//! Finds every complete datagram of a broken file.
//!
//! [`Recovery`] goes through a file; [`save()`] writes the datagrams that it finds to a new one.

mod save;

use super::{DatagramHeader, Level, Transition, XtcHeader};
use crate::file::{Head, Raw, ReadAt, Walker, Window, header_at, read_exact_at};
use crate::{Error, Result};

pub use save::{LostRegion, Neighbour, Saved, save};

/// The largest datagram that is taken for one. The format allows 4 GiB.
const LIMIT: u64 = 1 << 30;
/// Read at once in the search for the next datagram.
const BLOCK: usize = 1 << 20;
/// The number of containers and leaves examined where nothing else indicates a datagram. The limit keeps the
/// time for hostile files proportional to their length.
const STEPS: usize = 4096;

/// Goes through a file and finds for every byte whether it belongs to a complete datagram.
///
/// Where no datagram begins, it looks for the next place where one does: a header that can be one, followed by
/// containers and leaves that fill it exactly, or by another header.
///
/// ```
/// use livetime_formats::xtc1::recover::{Found, Recovery};
/// use livetime_formats::xtc1::{Builder, DatagramHeader, Src, TypeId, XtcHeader};
///
/// let mut bytes = vec![0xEE; 13];
/// let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
/// builder.leaf(XtcHeader::new(Src::segment(1), TypeId::new(2, 1)), &[&[5; 16]])?;
/// builder.finish()?;
/// let mut recovery = Recovery::new(&bytes[..]);
/// assert!(matches!(recovery.next()?, Some(Found::Lost(l)) if (l.offset, l.length) == (0, 13)));
/// assert!(matches!(recovery.next()?, Some(Found::Datagram(d)) if d.offset == 13));
/// assert!(recovery.next()?.is_none());
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Recovery<R> {
    window: Window<R>,
    size: u64,
    offset: u64,
    buffer: Vec<u8>,
    search: Vec<u8>,
}

/// The thing at some place of a file.
#[derive(Debug)]
pub enum Found<'a> {
    /// A complete datagram whose tree is sound.
    Datagram(Raw<'a, DatagramHeader>),
    /// A datagram that is all there, because another one follows it, but whose inside is broken.
    Unsound(Raw<'a, DatagramHeader>, Error),
    /// Bytes that belong to no complete datagram.
    Lost(Lost),
}

/// A region of a file without a complete datagram.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// Where it begins.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
    /// Why there is no datagram where it begins.
    pub reason: String,
}

/// The evidence for a datagram at some place.
struct Evidence {
    /// The first thing that is broken inside.
    broken: Option<Error>,
    /// Another one follows, or the file ends there.
    is_followed: bool,
    /// There is something inside.
    has_children: bool,
}

impl<R: ReadAt> Recovery<R> {
    /// Goes through `source`.
    pub fn new(source: R) -> Recovery<R> {
        Recovery { window: Window::new(source), size: 0, offset: 0, buffer: Vec::new(), search: Vec::new() }
    }

    /// Where it continues.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next datagram or gap; `None` at the end.
    ///
    /// # Errors
    /// If the operating system reports an error.
    #[allow(clippy::should_implement_trait, reason = "an iterator cannot lend its buffer")]
    pub fn next(&mut self) -> Result<Option<Found<'_>>> {
        let size = self.window.source().size();
        self.size = size.map_err(|e| Error::io("the size of the file", e))?;
        let offset = self.offset;
        if offset >= self.size {
            return Ok(None);
        }
        let head = match self.head_at(offset)? {
            Ok(head) => head,
            Err(error) => return self.lost(error.reason()),
        };
        let evidence = self.examine(offset, &head)?;
        // A datagram that is followed by another one is kept, even if it is broken inside.
        if evidence.broken.is_some() && !evidence.is_followed {
            return self.lost(evidence.broken.map_or_else(String::new, |e| e.reason()));
        }
        let length = head.length() as usize;
        if !evidence.is_followed
            && let Some(inner) = self.find(offset + 1, offset + head.length(), true)?
        {
            // Bytes are missing in it, and others have come in from behind.
            return self
                .lost_up_to(inner, format!("wanted {length} bytes, found another datagram at byte {inner}"));
        }
        if self.buffer.len() < length {
            self.buffer.resize(length, 0);
        }
        read_exact_at(self.window.source(), &mut self.buffer[..length], offset)?;
        self.offset += length as u64;
        let raw = Raw { offset, head, bytes: &self.buffer[..length] };
        Ok(Some(match evidence.broken {
            None => Found::Datagram(raw),
            Some(error) => Found::Unsound(raw, error),
        }))
    }

    /// A header that can be one, of a datagram that is all there; or why not.
    fn head_at(&mut self, offset: u64) -> Result<std::result::Result<DatagramHeader, Error>> {
        let bytes = self.window.get(offset, DatagramHeader::LEN)?;
        let left = self.size - offset;
        Ok(DatagramHeader::parse(bytes).and_then(|head| match head.length() {
            length if length > left => {
                Err(Error::new(format!("a datagram of {length} bytes"), format!("{left} up to the end")))
            }
            length if length > LIMIT => {
                Err(Error::new(format!("a datagram of at most {LIMIT} bytes"), length.to_string()))
            }
            _ => Ok(head),
        }))
    }

    fn examine(&mut self, offset: u64, head: &DatagramHeader) -> Result<Evidence> {
        let end = offset + head.length();
        let next = self.window.get(end, DatagramHeader::LEN)?;
        let is_partial_head = next.len() < DatagramHeader::LEN;
        // The end of the file counts as a follower.
        let is_followed = end == self.size || (!is_partial_head && DatagramHeader::parse(next).is_ok());
        let mut evidence = Evidence { broken: None, is_followed, has_children: false };
        let mut walker = Walker::<XtcHeader>::new(offset + DatagramHeader::ROOT as u64, end);
        for step in 0.. {
            if step == STEPS && !is_followed {
                evidence.broken = Some(Error::new("containers that end", "too many").at(offset));
                break;
            }
            match walker.step(|at| header_at::<XtcHeader, _>(&mut self.window, at))? {
                None => break,
                Some(Ok(place)) => evidence.has_children |= place.depth > 0,
                Some(Err(broken)) => {
                    evidence.broken = Some(broken.error);
                    break;
                }
            }
        }
        Ok(evidence)
    }

    /// Everything up to the next datagram.
    fn lost(&mut self, reason: String) -> Result<Option<Found<'static>>> {
        let next = self.find(self.offset + 1, self.size, false)?;
        self.lost_up_to(next.unwrap_or(self.size), reason)
    }

    fn lost_up_to(&mut self, end: u64, reason: String) -> Result<Option<Found<'static>>> {
        let offset = self.offset;
        self.offset = end;
        Ok(Some(Found::Lost(Lost { offset, length: end - offset, reason })))
    }

    /// The next place in `from..until` where a datagram begins; one behind which another follows, if that is wanted.
    fn find(&mut self, from: u64, until: u64, is_followed: bool) -> Result<Option<u64>> {
        let mut block = std::mem::take(&mut self.search);
        block.resize(BLOCK, 0);
        let found = self.find_in_blocks(from, until, is_followed, &mut block);
        self.search = block;
        found
    }

    fn find_in_blocks(
        &mut self,
        mut from: u64,
        until: u64,
        is_followed: bool,
        block: &mut [u8],
    ) -> Result<Option<u64>> {
        // The rest of a header that begins at the last place of a block.
        const MORE: usize = DatagramHeader::LEN - 1;
        while from < until && self.size.saturating_sub(from) >= DatagramHeader::LEN as u64 {
            let count = (self.size - from).min(until - from + MORE as u64).min(block.len() as u64) as usize;
            read_exact_at(self.window.source(), &mut block[..count], from)?;
            let places = count - MORE;
            for at in 0..places {
                if is_candidate(&block[at..count]) && self.is_datagram(from + at as u64, is_followed)? {
                    return Ok(Some(from + at as u64));
                }
            }
            from += places as u64;
        }
        Ok(None)
    }

    fn is_datagram(&mut self, offset: u64, is_followed: bool) -> Result<bool> {
        let Ok(head) = self.head_at(offset)? else { return Ok(false) };
        // The header of a container with its first inner container looks much like a datagram's. But nodes that read
        // detectors write no datagrams, and every datagram has a transition.
        let is_root = matches!(
            head.root.src.level(),
            Level::Control | Level::Event | Level::Recorder | Level::Observer
        );
        if !is_root || head.clock.seconds == 0 || head.transition() == Transition::Unknown {
            return Ok(false);
        }
        let evidence = self.examine(offset, &head)?;
        let is_enough = evidence.is_followed || evidence.has_children && !is_followed;
        Ok(evidence.broken.is_none() && is_enough)
    }
}

/// The cheap part of the check, made for every byte: the root's type is the type of containers.
fn is_candidate(bytes: &[u8]) -> bool {
    const TYPE: usize = DatagramHeader::ROOT + 12;
    matches!(bytes[TYPE..TYPE + 4], [1, 0, 0 | 1, 0])
}
