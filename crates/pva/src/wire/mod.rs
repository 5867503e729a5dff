//! Bytes on the wire: primitives, message headers, segments.

mod address;
mod assembler;
mod bitset;
mod body;
mod encoded;
mod header;
mod message;
mod order;
mod reader;
mod status;
mod writer;

pub use assembler::Assembler;
pub use bitset::BitSet;
pub use body::{Buffer, BufferSource, LARGE_BYTES, Recycler};
pub use encoded::Encoded;
pub use header::{HEADER_LEN, Header, MAGIC, Segment, VERSION};
pub use message::{Message, Payload};
pub use order::Order;
#[cfg(feature = "server")]
pub(crate) use reader::Kept;
pub use reader::Reader;
pub use status::{Level, Status};
pub use writer::Writer;
pub(crate) use writer::swap;

/// From this length on an array is passed by reference and not copied: below, a copy is cheaper than one more
/// piece in a vectored write and one more reference count.
pub const SHARE_BYTES: usize = 4096;

/// The largest payload that any peer accepts: Java counts in signed 32-bit numbers.
pub const MAX_PAYLOAD: usize = i32::MAX as usize;
