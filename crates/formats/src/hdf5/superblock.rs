//! The first bytes of a file.

use super::bytes::{Bytes, NOWHERE};

/// The first bytes of every HDF5 file.
pub(super) const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// Whether a file is being written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// It is not.
    Closed,
    /// It is, in the order that readers can follow.
    Growing,
}

/// A superblock of version 3, as we write it.
pub(super) struct Superblock {
    pub(super) mark: Mark,
    /// Where the file ends.
    pub(super) end: u64,
    /// Where the header of the root group is.
    pub(super) root: u64,
}

impl Superblock {
    pub(super) const BYTES: u64 = 48;

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = Bytes::default();
        out.put(&SIGNATURE);
        let mark = match self.mark {
            Mark::Closed => 0,
            // Open for writing, with readers allowed.
            Mark::Growing => 5,
        };
        // Version; addresses and lengths have 8 bytes.
        out.put(&[3, 8, 8, mark]);
        for address in [0, NOWHERE, self.end, self.root] {
            out.u64(address);
        }
        out.checked()
    }
}
