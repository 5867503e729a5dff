//! A datagram in memory: an event or a change of state with all its data.

use super::walker::{Broken, Nested, Place, Walker};
use super::window::Window;
use super::{Head, ReadAt};
use crate::{Error, Result};

/// A datagram in memory, of the format whose datagrams begin with `D`.
///
/// ```
/// use livetime_formats::xtc1::{Builder, Datagram, DatagramHeader, Src, TypeId, XtcHeader};
///
/// let mut bytes = Vec::new();
/// let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
/// builder.open(XtcHeader::new(Src::segment(1), TypeId::CONTAINER))?;
/// builder.leaf(XtcHeader::new(Src::detector(9, 0, 0, 0), TypeId::new(13, 1)), &[&[0; 20]])?;
/// builder.finish()?;
///
/// let datagram = Datagram::parse(&bytes)?;
/// let depths: Vec<usize> = datagram.nodes().map(|xtc| xtc.depth).collect();
/// assert_eq!(depths, [0, 1, 2]);
/// assert!(datagram.check().is_ok());
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a, D> {
    /// Its header.
    pub header: D,
    /// All of it with its header.
    pub bytes: &'a [u8],
}

/// A container or leaf where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Xtc<'a, H> {
    /// Its header.
    pub header: H,
    /// Where its header begins, in bytes from the beginning of the datagram.
    pub offset: usize,
    /// How many containers it is in; 0 for the root.
    pub depth: usize,
    /// The payload behind the header.
    pub payload: &'a [u8],
}

/// Walks through a datagram in memory.
#[derive(Clone, Debug)]
pub struct Walk<'a, H> {
    bytes: &'a [u8],
    walker: Walker<H>,
}

/// A step of a walk.
#[derive(Debug)]
pub enum Step<'a, H> {
    /// A container, followed by its content, or a leaf.
    Xtc(Xtc<'a, H>),
    /// The rest of a container, which cannot be understood. The walk continues behind it.
    Broken {
        /// Where the rest begins, in bytes from the beginning of the datagram.
        offset: usize,
        /// How many containers it lies in.
        depth: usize,
        /// The rest.
        bytes: &'a [u8],
        /// The fault.
        error: Error,
    },
}

impl<'a, D: Head> Datagram<'a, D> {
    /// The datagram at the beginning of `bytes`; the bytes behind it are left alone.
    ///
    /// # Errors
    /// If the bytes are not valid, or incomplete.
    pub fn parse(bytes: &'a [u8]) -> Result<Datagram<'a, D>> {
        let header = D::parse(bytes)?;
        let length = usize::try_from(header.length()).ok().and_then(|length| bytes.get(..length));
        let Some(bytes) = length else {
            let wanted = format!("a datagram of {} bytes", header.length());
            return Err(Error::new(wanted, bytes.len().to_string()).at(0));
        };
        Ok(Datagram { header, bytes })
    }

    /// All containers and leaves, the root first, and the faults.
    pub fn walk(&self) -> Walk<'a, D::Unit> {
        Walk { bytes: self.bytes, walker: Walker::new(D::ROOT as u64, self.bytes.len() as u64) }
    }

    /// All containers and leaves that can be reached, the root first.
    pub fn nodes(&self) -> impl Iterator<Item = Xtc<'a, D::Unit>> + use<'a, D> {
        self.walk().filter_map(|step| match step {
            Step::Xtc(xtc) => Some(xtc),
            Step::Broken { .. } => None,
        })
    }

    /// Whether its tree is sound.
    ///
    /// # Errors
    /// The first thing that is broken.
    pub fn check(&self) -> Result<()> {
        let broken = self.walk().find_map(|step| match step {
            Step::Broken { error, .. } => Some(error),
            Step::Xtc(_) => None,
        });
        broken.map_or(Ok(()), Err)
    }
}

impl<'a, H: Nested> Iterator for Walk<'a, H> {
    type Item = Step<'a, H>;

    fn next(&mut self) -> Option<Step<'a, H>> {
        let bytes = self.bytes;
        let read = |at: u64| header_in::<H>(bytes.get(at as usize..).unwrap_or_default(), at);
        match self.walker.step(read).ok()?? {
            Ok(Place { header, offset, depth }) => {
                let (offset, extent) = (offset as usize, header.extent() as usize);
                let payload = bytes.get(offset + H::LEN..offset + extent)?;
                Some(Step::Xtc(Xtc { header, offset, depth, payload }))
            }
            Err(Broken { offset, length, depth, error }) => {
                let offset = offset as usize;
                let bytes = bytes.get(offset..offset + length as usize)?;
                Some(Step::Broken { offset, depth, bytes, error })
            }
        }
    }
}

/// The header that lies at `at` of a file, for [`Walker::step`].
///
/// # Errors
/// If the operating system reports an error, or the file is shorter.
pub fn header_at<H: Nested, R: ReadAt>(window: &mut Window<R>, at: u64) -> Result<H::Bytes> {
    header_in::<H>(window.get(at, H::LEN)?, at)
}

/// The header at the beginning of `bytes`, which lie at `at`.
pub(crate) fn header_in<H: Nested>(bytes: &[u8], at: u64) -> Result<H::Bytes> {
    let header = bytes.get(..H::LEN).and_then(|bytes| H::Bytes::try_from(bytes).ok());
    header.ok_or_else(|| Error::new(format!("{} bytes of a header", H::LEN), "the end").at(at))
}
