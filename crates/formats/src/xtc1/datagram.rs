//! A datagram: an event or a change of state with all its data.

use super::head::DatagramHeader;
use super::{Step, Walk, Xtc};
use crate::file::Head;
use crate::{Error, Result};

/// A datagram in memory.
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
pub struct Datagram<'a> {
    /// What it begins with.
    pub header: DatagramHeader,
    /// All of it with its header.
    pub bytes: &'a [u8],
}

impl<'a> Datagram<'a> {
    /// The datagram at the beginning of `bytes`; what follows it is left alone.
    ///
    /// # Errors
    /// If the bytes are not valid, or incomplete.
    pub fn parse(bytes: &'a [u8]) -> Result<Datagram<'a>> {
        let header = DatagramHeader::parse(bytes)?;
        let length = usize::try_from(header.length()).ok().and_then(|length| bytes.get(..length));
        let Some(bytes) = length else {
            let wanted = format!("a datagram of {} bytes", header.length());
            return Err(Error::new(wanted, bytes.len().to_string()).at(0));
        };
        Ok(Datagram { header, bytes })
    }

    /// Everything in it, the root first, and what is broken.
    pub fn walk(&self) -> Walk<'a> {
        Walk::new(self.bytes)
    }

    /// All containers and leaves that can be reached, the root first.
    pub fn nodes(&self) -> impl Iterator<Item = Xtc<'a>> + use<'a> {
        self.walk().filter_map(|step| match step {
            Step::Xtc(xtc) => Some(xtc),
            Step::Broken { .. } => None,
        })
    }

    /// All leaves that can be reached, in their order.
    pub fn leaves(&self) -> impl Iterator<Item = Xtc<'a>> + use<'a> {
        self.nodes().filter(|xtc| !xtc.is_container())
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
