//! Parquet files that show damage: a checksum in each page, and one over the index.
//!
//! Parquet is read from its end: an index there says where the pages of each column of each row group lie. The format has
//! room for a checksum (CRC-32) in each page, which every reader may check, and none for the index. The index is therefore
//! written behind a seal, 12 bytes that nothing refers to and other readers skip.
//!
//! - [`write_column`] writes a column with checksums, [`index()`] the sealed index.
//! - [`Survey`] checks what is there, row group by row group.

mod begin;
mod header;
mod index;
mod pages;
mod survey;

use ::parquet::errors::ParquetError;

pub use begin::Begin;
pub use index::index;
pub use pages::write_column;
pub use survey::{Checked, Survey};

/// The fault, without the words of the library around it: for a file the report of the system.
pub fn said(error: ParquetError) -> String {
    match error {
        ParquetError::General(text) | ParquetError::EOF(text) => text,
        ParquetError::External(inner) => inner.to_string(),
        error => error.to_string(),
    }
}

/// The first bytes of a Parquet file, and its last ones.
pub const MAGIC: &[u8; 4] = b"PAR1";
