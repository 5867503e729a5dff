//! Frames of the wire readout of ProtoDUNE and DUNE: views on bytes where they lie, and checks.
//!
//! | format | bytes | clock | step per frame | view |
//! |---|---|---|---|---|
//! | WIB1 (ProtoDUNE-SP) | 464, or 468 with a CRC word | 50 MHz | 25 | [`Wib1Frame`] |
//! | WIB2 | 472 | 62.5 MHz | 32 | [`Wib2Frame`] |
//! | WIBEth | 7200 | 62.5 MHz | 2048 | [`WibEthFrame`] |
//!
//! The samples are unpacked by `livetime-kernels` (`wib`); [`RawFormat::unpack`] calls it. Formats in words: `docs/wire-frames.md`.

mod check;
mod dump;
mod faults;
mod format;
mod head;
mod superchunk;
mod time;
mod wib1;
mod wib2;
mod wibeth;

pub use check::{Wib1Check, Wib1Identity};
pub use dump::{DumpLayout, DumpReader};
pub use faults::Faults;
pub use format::RawFormat;
pub use head::Head;
pub use superchunk::Superchunk;
pub use time::{TimeCheck, TimeStep};
pub use wib1::{ColdataBlock, Wib1Frame, Wib1FrameMut};
pub use wib2::Wib2Frame;
pub use wibeth::{WibEthFrame, WibEthFrameMut};

/// Bits `from..from + count` of `word`.
fn bits(word: u64, from: u32, count: u32) -> u64 {
    word >> from & ((1 << count) - 1)
}
