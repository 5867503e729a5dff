//! Writes a datagram into memory.

use super::{DatagramHeader, XtcHeader};
use crate::file::{Head, MAX_DEPTH};
use crate::{Error, Result};

/// Appends one datagram to a buffer: containers are opened and closed, leaves are put into them. Extents follow from
/// the written bytes.
///
/// A builder that is dropped without [`Builder::finish`] leaves the buffer as it was.
///
/// ```
/// use livetime_formats::xtc1::{Builder, DatagramHeader, Src, TypeId, XtcHeader};
///
/// let mut out = Vec::new();
/// let mut builder = Builder::new(&mut out, &DatagramHeader::event(1_000_000_000, 3));
/// builder.open(XtcHeader::new(Src::segment(7), TypeId::CONTAINER))?;
/// let header = XtcHeader::new(Src::detector(24, 0, 3, 1), TypeId::new(2, 1));
/// builder.leaf(header, &[&[1, 0, 0, 0], &[2, 0, 0, 0]])?;
/// builder.close();
/// assert_eq!(builder.finish()?, 40 + 20 + 28);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Builder<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    /// Where the headers of the open containers begin, the root first.
    open: [usize; MAX_DEPTH],
    depth: usize,
    finished: bool,
}

impl<'a> Builder<'a> {
    /// Begins a datagram with `header`, whose extent does not matter.
    pub fn new(out: &'a mut Vec<u8>, header: &DatagramHeader) -> Builder<'a> {
        let start = out.len();
        out.extend_from_slice(&header.to_bytes());
        let mut open = [0; MAX_DEPTH];
        open[0] = start + DatagramHeader::ROOT;
        Builder { out, start, open, depth: 1, finished: false }
    }

    /// How many containers are open, the root among them.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Opens a container; `header`'s extent does not matter.
    ///
    /// # Errors
    /// If [`MAX_DEPTH`] are open.
    pub fn open(&mut self, header: XtcHeader) -> Result<()> {
        let at = self.out.len();
        let Some(place) = self.open.get_mut(self.depth) else {
            return Err(Error::new(format!("at most {MAX_DEPTH} containers in each other"), "one more"));
        };
        *place = at;
        self.depth += 1;
        self.out.extend_from_slice(&header.to_bytes());
        Ok(())
    }

    /// Closes the container that was opened last; the root stays open.
    pub fn close(&mut self) {
        if self.depth > 1 {
            self.depth -= 1;
            self.set_extent(self.open[self.depth]);
        }
    }

    /// Appends a leaf whose payload is `parts` one after another; `header`'s extent does not matter.
    ///
    /// # Errors
    /// If it is larger than the format can say.
    pub fn leaf(&mut self, header: XtcHeader, parts: &[&[u8]]) -> Result<()> {
        self.leaf_with(header, |payload| {
            parts.iter().for_each(|part| payload.extend_from_slice(part));
            Ok(())
        })
    }

    /// Appends a leaf whose payload `write` appends to the given buffer; bytes that are in the buffer already must
    /// stay.
    ///
    /// # Errors
    /// The error of `write`, after which nothing is appended; or if the payload is larger than the format
    /// allows.
    pub fn leaf_with(
        &mut self,
        header: XtcHeader,
        write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let at = self.out.len();
        self.out.extend_from_slice(&header.to_bytes());
        let written = write(self.out).and_then(|()| extent(self.out.len().saturating_sub(at)));
        match written {
            Ok(_) => self.set_extent(at),
            Err(_) => self.out.truncate(at),
        }
        written.map(|_| ())
    }

    /// Appends bytes unchanged: whole containers and leaves, or unknown content.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Closes everything; returns the datagram's length.
    ///
    /// # Errors
    /// If it is larger than 4 GiB, which the format cannot say; nothing is appended then.
    pub fn finish(mut self) -> Result<usize> {
        while self.depth > 1 {
            self.close();
        }
        extent(self.out.len() - self.open[0])?;
        self.set_extent(self.open[0]);
        self.finished = true;
        Ok(self.out.len() - self.start)
    }

    fn set_extent(&mut self, header: usize) {
        // Content that is larger than an extent can express is refused when the root that contains it is
        // closed.
        let extent = (self.out.len() - header) as u32;
        let at = header + XtcHeader::LEN - 4;
        self.out[at..at + 4].copy_from_slice(&extent.to_le_bytes());
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.out.truncate(self.start);
        }
    }
}

fn extent(length: usize) -> Result<u32> {
    u32::try_from(length).map_err(|_| Error::new("an extent below 4 GiB", format!("{length} bytes")))
}

const _: () = assert!(DatagramHeader::LEN == DatagramHeader::ROOT + XtcHeader::LEN);
