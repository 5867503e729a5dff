//! A datagram: an event or a change of state with all its data.

use super::{DatagramHeader, Step, Walk};
use crate::file::Head;
use crate::{Error, Result};

/// A datagram in memory.
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
