//! The datagrams of a file without their data.

use std::marker::PhantomData;

use super::{End, Head, ReadAt, Window};
use crate::{Error, Result};

/// Finds the datagrams of a file from their heads alone.
///
/// ```
/// use livetime_formats::file::{End, Heads};
/// use livetime_formats::xtc1::{Builder, DatagramHeader};
///
/// let mut bytes = Vec::new();
/// for fiducial in [3, 6] {
///     Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, fiducial)).finish()?;
/// }
/// let mut heads = Heads::<DatagramHeader, _>::new(&bytes[..]);
/// assert_eq!(heads.next()?.map(|(offset, _)| offset), Some(0));
/// assert_eq!(heads.next()?.map(|(offset, _)| offset), Some(40));
/// assert!(heads.next()?.is_none());
/// assert_eq!(heads.end(), End::Whole { offset: 80 });
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Heads<H, R> {
    window: Window<R>,
    size: u64,
    end: End,
    head: PhantomData<H>,
}

impl<H: Head, R: ReadAt> Heads<H, R> {
    /// Scans `source` from its beginning.
    pub fn new(source: R) -> Heads<H, R> {
        Heads { window: Window::new(source), size: 0, end: End::Whole { offset: 0 }, head: PhantomData }
    }

    /// Continues at `offset`, where a datagram must begin.
    pub fn move_to(&mut self, offset: u64) {
        self.end = End::Whole { offset };
    }

    /// The next datagram's place and head; `None` when all complete datagrams are found. A call after that finds
    /// datagrams that were added since.
    ///
    /// # Errors
    /// If the operating system reports an error, or the next bytes are no datagram.
    #[allow(clippy::should_implement_trait, reason = "None is not the end of a file that grows")]
    pub fn next(&mut self) -> Result<Option<(u64, H)>> {
        let offset = self.end.offset();
        // The file may have grown since its size was asked.
        if offset + (H::LEN as u64) > self.size {
            self.size = self.window.source().size().map_err(|e| Error::io("the size of the file", e))?;
        }
        let Some(head) = self.head_at(offset)? else { return Ok(None) };
        let behind = offset.saturating_add(head.length());
        if behind > self.size {
            self.size = self.window.source().size().map_err(|e| Error::io("the size of the file", e))?;
        }
        if behind > self.size {
            self.end = End::Partial { offset, has: self.size - offset, wants: Some(head.length()) };
            return Ok(None);
        }
        self.end = End::Whole { offset: behind };
        Ok(Some((offset, head)))
    }

    /// Gives every datagram's place and head to `each`, with the bytes that were read around the head, until `each`
    /// returns false. Returns how the file ends, as far as it was scanned, and why it could not be followed further.
    ///
    /// # Errors
    /// If the operating system reports an error, and the errors of `each`.
    pub fn each(
        mut self,
        mut each: impl FnMut(&mut Window<R>, u64, &H) -> Result<bool>,
    ) -> Result<(End, Option<Error>)> {
        let broken = loop {
            match self.next() {
                Ok(Some((offset, head))) if each(&mut self.window, offset, &head)? => {}
                Ok(_) => break None,
                // An error of the system says nothing about the file.
                Err(error) if error.io_error().is_some() => return Err(error),
                Err(error) => break Some(error),
            }
        };
        Ok((self.end, broken))
    }

    /// How the file ends, as far as it was scanned.
    pub fn end(&self) -> End {
        self.end
    }

    /// The bytes that were read around the last head, to look further into a datagram.
    pub fn window(&mut self) -> &mut Window<R> {
        &mut self.window
    }

    fn head_at(&mut self, offset: u64) -> Result<Option<H>> {
        let left = self.size.saturating_sub(offset);
        if left < H::LEN as u64 {
            self.end = match left {
                0 => End::Whole { offset },
                has => End::Partial { offset, has, wants: None },
            };
            return Ok(None);
        }
        let bytes = self.window.get(offset, H::LEN)?;
        if bytes.len() < H::LEN {
            return Err(Error::new("a file that does not shrink", "fewer bytes than a moment ago").at(offset));
        }
        H::parse(bytes).map(Some).map_err(|e| e.moved_by(offset).at(offset))
    }
}
