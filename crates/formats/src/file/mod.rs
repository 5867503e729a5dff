//! Files of datagrams: the common parts of XTC1 and XTC2.
//!
//! Both are datagrams one after another, without a header of the file, an index or a checksum. A [`Head`] is the
//! beginning of a datagram in one of the formats.
//!
//! - [`Datagram`] is one in memory, and [`Walk`] the way through it.
//! - [`Reader`] reads a whole file with large reads: copies and conversions.
//! - [`Heads`] skips the data: a scan of a run costs one small read per datagram. What it finds can be read
//!   later with [`ReadAt`], by any number of threads.
//! - [`Follower`] reads a file that is still being written.
//! - [`GrowingFile`] writes a file of any format: a recording so that a reader can follow it and a killed writer leaves what
//!   it had; what is made from other data so that the file is there as a whole or not at all. The whole program writes its
//!   files this way.
//! - [`write_index`] lists the datagrams of a complete file in a small file beside it, and a run that is opened takes them from there.
//! - [`FileName`] says which run, stream and chunk a file holds.
//! - [`files`] finds the files that a pattern names.

mod datagram;
mod ends;
mod follower;
mod growing;
mod heads;
mod index;
mod listing;
mod name;
mod new_file;
mod new_object;
mod read_at;
mod reader;
mod stores;
mod unproved;
mod walker;
mod window;
mod within;

pub use crate::look_ahead::{BrokenOff, open_unpacked, unpacked_of};
pub(crate) use datagram::header_in;
pub use datagram::{Datagram, Step, Walk, Xtc, header_at};
pub use ends::FileEnds;
pub use follower::{Follower, Growth, Progress};
pub use growing::{GrowingFile, Purpose, name_new};
pub use heads::Heads;
pub(crate) use index::read_index;
pub use index::{index_path, parse_index, write_index, write_index_in};
pub use listing::{ListError, expanded, files, list, matches, name_of, there};
pub use name::{FileName, Format, IN_PROGRESS};
pub use new_file::NewFile;
pub use new_object::NewObject;
pub use read_at::{ReadAt, fill_at, read_exact_at};
pub use reader::{Next, Raw, Reader};
pub use stores::{RecordedFile, Store, Stores, absolute, address, folder_of, shown};
pub use walker::{Broken, MAX_DEPTH, Nested, Place, Walker};
pub use window::Window;
pub use within::check_within;

use crate::Result;

/// The beginning of a datagram.
pub trait Head: Copy + Send + Sync + std::fmt::Debug {
    /// The header of containers and leaves in its format.
    type Unit: Nested;

    /// Its bytes.
    const LEN: usize;

    /// Where the root container's header begins.
    const ROOT: usize;

    /// Reads it from the first [`Head::LEN`] bytes.
    ///
    /// # Errors
    /// If it cannot be the beginning of a datagram.
    fn parse(bytes: &[u8]) -> Result<Self>;

    /// Length of the whole datagram in bytes, at least [`Head::LEN`].
    fn length(&self) -> u64;

    /// When it happened, in ns since 1970.
    fn time_ns(&self) -> u64;

    /// Whether it is an event, and no change of state.
    fn is_event(&self) -> bool;
}

/// How a file ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The place after a datagram.
    Whole {
        /// Length of the file.
        offset: u64,
    },
    /// Inside a datagram: the file is still being written, or its writer died.
    Partial {
        /// Where the datagram begins.
        offset: u64,
        /// How many of its bytes are there.
        has: u64,
        /// How many bytes it needs; `None` if not even its head is complete.
        wants: Option<u64>,
    },
}

/// The end of an empty file.
impl Default for End {
    fn default() -> End {
        End::Whole { offset: 0 }
    }
}

impl End {
    /// Where the last complete datagram ends.
    pub fn offset(&self) -> u64 {
        match *self {
            End::Whole { offset } | End::Partial { offset, .. } => offset,
        }
    }

    /// The bytes of an incomplete datagram at the end.
    pub fn partial_bytes(&self) -> u64 {
        match *self {
            End::Whole { .. } => 0,
            End::Partial { has, .. } => has,
        }
    }
}
