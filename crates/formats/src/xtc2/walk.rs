//! The way through a datagram in memory.

use super::{DatagramHeader, Xtc, XtcHeader};
use crate::Error;
use crate::file::{Broken, Place, Walker};

/// Walks through a datagram in memory.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    bytes: &'a [u8],
    walker: Walker<XtcHeader>,
}

/// A step of a walk.
#[derive(Debug)]
pub enum Step<'a> {
    /// A container, followed by what is in it, or a leaf.
    Xtc(Xtc<'a>),
    /// The rest of a container, which cannot be understood. The walk continues behind it.
    Broken {
        /// Where the rest begins, in bytes from the beginning of the datagram.
        offset: usize,
        /// How many bytes it has.
        length: usize,
        /// What is wrong.
        error: Error,
    },
}

impl<'a> Walk<'a> {
    /// Through the datagram that is `bytes`.
    pub fn new(bytes: &'a [u8]) -> Walk<'a> {
        Walk { bytes, walker: Walker::new(DatagramHeader::ROOT as u64, bytes.len() as u64) }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        let bytes = self.bytes;
        let read = |at: u64| {
            let header = bytes.get(at as usize..).and_then(|b| b.first_chunk()).copied();
            header.ok_or_else(|| Error::new("12 bytes of a header", "the end").at(at))
        };
        match self.walker.step(read).ok()?? {
            Ok(Place { header, offset, depth }) => {
                let (offset, extent) = (offset as usize, header.extent as usize);
                let payload = bytes.get(offset + XtcHeader::LEN..offset + extent)?;
                Some(Step::Xtc(Xtc { header, offset, depth, payload }))
            }
            Err(Broken { offset, length, error, .. }) => {
                Some(Step::Broken { offset: offset as usize, length: length as usize, error })
            }
        }
    }
}
