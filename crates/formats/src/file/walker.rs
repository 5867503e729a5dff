//! The way through nested containers, in the order of the file, without recursion.

use std::marker::PhantomData;

use crate::{Error, Result};

/// How deep containers may lie in each other. Recorders write three levels.
pub const MAX_DEPTH: usize = 16;

/// The beginning of a container or leaf, in one of the formats.
pub trait Nested: Copy {
    /// Its bytes: an array.
    type Bytes: for<'b> TryFrom<&'b [u8]>;

    /// How many they are.
    const LEN: usize;

    /// Reads it; nothing is checked.
    fn from_bytes(bytes: &Self::Bytes) -> Self;

    /// Length of the container or leaf with this.
    fn extent(&self) -> u32;

    /// Whether containers and leaves are inside that may be looked at.
    fn is_entered(&self) -> bool;
}

/// Keeps the way through the containers of a datagram whose headers are read from wherever they are: from
/// memory, or from a file whose data are skipped.
///
/// Every step goes forward by at least a header, so that hostile sizes cost no more than the bytes there are.
#[derive(Clone, Debug)]
pub struct Walker<H> {
    at: u64,
    /// Where the containers end that `at` lies in.
    ends: [u64; MAX_DEPTH],
    depth: usize,
    header: PhantomData<H>,
}

/// A container or leaf that a [`Walker`] has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place<H> {
    /// Its header.
    pub header: H,
    /// Where its header begins.
    pub offset: u64,
    /// How many containers it is in; 0 for the root.
    pub depth: usize,
}

/// A container whose inside is broken from some place on: `length` bytes up to its end mean nothing.
#[derive(Debug)]
pub struct Broken {
    /// The first byte that means nothing.
    pub offset: u64,
    /// How many bytes the container still has.
    pub length: u64,
    /// How many containers the bytes lie in.
    pub depth: usize,
    /// The fault.
    pub error: Error,
}

impl<H: Nested> Walker<H> {
    /// Walks over the containers and leaves from `start` to `end`.
    pub fn new(start: u64, end: u64) -> Walker<H> {
        let mut ends = [0; MAX_DEPTH];
        ends[0] = end;
        Walker { at: start, ends, depth: 1, header: PhantomData }
    }

    /// The next container or leaf, whose header `read` fetches from the place it is given. After something broken it continues
    /// behind the container. `None` at the end.
    ///
    /// # Errors
    /// The errors of `read`; the walk is over then.
    #[allow(clippy::type_complexity, reason = "three outcomes: the end, what was found, what is broken")]
    pub fn step(
        &mut self,
        read: impl FnOnce(u64) -> Result<H::Bytes>,
    ) -> Result<Option<std::result::Result<Place<H>, Broken>>> {
        while self.depth > 0 && self.at >= self.ends[self.depth - 1] {
            self.depth -= 1;
        }
        let Some(depth) = self.depth.checked_sub(1) else { return Ok(None) };
        let left = self.ends[depth] - self.at;
        if left < H::LEN as u64 {
            return Ok(Some(Err(self.leave(format!("{} bytes of a header", H::LEN), left.to_string()))));
        }
        // After an error the walk is over.
        let header = read(self.at).inspect_err(|_| self.depth = 0)?;
        let header = H::from_bytes(&header);
        let extent = u64::from(header.extent());
        if extent < H::LEN as u64 || extent > left {
            return Ok(Some(Err(
                self.leave(format!("an extent from {} to {left}", H::LEN), extent.to_string())
            )));
        }
        let place = Place { header, offset: self.at, depth };
        if !header.is_entered() {
            self.at += extent;
            return Ok(Some(Ok(place)));
        }
        if self.depth == MAX_DEPTH {
            return Ok(Some(Err(
                self.leave(format!("at most {MAX_DEPTH} containers in each other"), "more".into())
            )));
        }
        self.ends[self.depth] = self.at + extent;
        self.depth += 1;
        self.at += H::LEN as u64;
        Ok(Some(Ok(place)))
    }

    /// Gives the container up that `at` lies in.
    fn leave(&mut self, wanted: String, found: String) -> Broken {
        let (offset, end) = (self.at, self.ends[self.depth - 1]);
        self.at = end;
        Broken {
            offset,
            length: end - offset,
            depth: self.depth - 1,
            error: Error::new(wanted, found).at(offset),
        }
    }
}
