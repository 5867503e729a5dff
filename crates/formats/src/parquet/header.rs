//! The header of a page, in Thrift's compact protocol. The library that writes Parquet leaves the checksum out.

use ::parquet::basic::Encoding;
use ::parquet::column::page::{CompressedPage, Page};
use ::parquet::errors::{ParquetError, Result};

/// Types of fields in the compact protocol.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I8: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const F64: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;
/// The field with the checksum of the header's bytes in front of it. The format does not have it, and readers skip it.
const SEAL: u8 = 15;
/// Structures in structures that are skipped; Parquet has two.
const MOST_DEPTH: u32 = 8;

/// The description of a page.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct PageHeader {
    /// Bytes of the header.
    pub(super) length: usize,
    /// Bytes of the page in the file.
    pub(super) packed: usize,
    /// Checksum of these, if it is there.
    pub(super) crc: Option<u32>,
    /// Values; none of a dictionary.
    pub(super) values: u64,
    /// The header has a checksum of its own, which is right.
    pub(super) is_sealed: bool,
}

/// The header of a page, with the checksum of the page's bytes and one of the header itself.
///
/// # Errors
/// For pages of version 2 and sizes above 2 GiB, which are not written here.
pub(super) fn write(page: &CompressedPage) -> Result<Vec<u8>> {
    let size = |size: usize| i32::try_from(size).map_err(|_| refused("a page below 2 GiB", &size));
    let crc = crc32fast::hash(page.data());
    let mut out = Out::default();
    let (kind, field, is_sorted) = match page.compressed_page() {
        Page::DataPage { .. } => (0, 5, None),
        Page::DictionaryPage { is_sorted, .. } => (2, 7, Some(*is_sorted)),
        Page::DataPageV2 { .. } => return Err(refused("pages of version 1", &"one of version 2")),
    };
    out.i32(1, kind);
    out.i32(2, size(page.uncompressed_size())?);
    out.i32(3, size(page.compressed_size())?);
    out.i32(4, crc as i32);
    out.field(field, STRUCT);
    // The identities of fields count anew in each structure.
    out.last = 0;
    out.i32(1, size(page.num_values() as usize)?);
    out.i32(2, number(page.encoding())?);
    match (page.compressed_page(), is_sorted) {
        (Page::DataPage { def_level_encoding, rep_level_encoding, .. }, _) => {
            out.i32(3, number(*def_level_encoding)?);
            out.i32(4, number(*rep_level_encoding)?);
        }
        (_, Some(is_sorted)) => out.field(3, if is_sorted { TRUE } else { FALSE }),
        _ => {}
    }
    // The inner structure ends, then the outer one.
    out.bytes.push(0);
    out.last = field;
    out.i32(SEAL, crc32fast::hash(&out.bytes) as i32);
    out.bytes.push(0);
    Ok(out.bytes)
}

/// Numbers of the encodings in the format.
fn number(encoding: Encoding) -> Result<i32> {
    Ok(match encoding {
        Encoding::PLAIN => 0,
        Encoding::PLAIN_DICTIONARY => 2,
        Encoding::RLE => 3,
        Encoding::DELTA_BINARY_PACKED => 5,
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 6,
        Encoding::DELTA_BYTE_ARRAY => 7,
        Encoding::RLE_DICTIONARY => 8,
        Encoding::BYTE_STREAM_SPLIT => 9,
        other => return Err(refused("an encoding that is in use", &format!("{other}"))),
    })
}

fn refused(wanted: &str, found: &dyn std::fmt::Display) -> ParquetError {
    ParquetError::General(format!("wanted {wanted}, found {found}"))
}

/// A structure that is written.
#[derive(Default)]
struct Out {
    bytes: Vec<u8>,
    last: u8,
}

impl Out {
    fn field(&mut self, id: u8, kind: u8) {
        self.bytes.push((id - self.last) << 4 | kind);
        self.last = id;
    }

    fn i32(&mut self, id: u8, value: i32) {
        self.field(id, I32);
        // Zigzag: a small negative number takes few bytes, too.
        let mut left = (value << 1 ^ value >> 31) as u32;
        while left >= 0x80 {
            self.bytes.push(left as u8 | 0x80);
            left >>= 7;
        }
        self.bytes.push(left as u8);
    }
}

/// The header at the begin of `bytes`; `None` if it is longer than these.
///
/// # Errors
/// If it is none.
pub(super) fn read(bytes: &[u8]) -> Result<Option<PageHeader>> {
    let mut input = In { bytes, at: 0 };
    match input.page_header() {
        Ok(header) => Ok(Some(PageHeader { length: input.at, ..header })),
        Err(Stop::Short) => Ok(None),
        Err(Stop::Wrong) => Err(refused("the header of a page", &"other bytes")),
    }
}

/// Why a header cannot be read.
enum Stop {
    /// There are too few bytes.
    Short,
    /// It is none.
    Wrong,
}

/// A structure that is read.
struct In<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl In<'_> {
    fn page_header(&mut self) -> std::result::Result<PageHeader, Stop> {
        let mut header = PageHeader::default();
        let (mut last, seal) = (0, i64::from(SEAL));
        loop {
            let before = self.at;
            let Some((id, kind)) = self.field(&mut last)? else { break };
            match (id, kind) {
                (found, I32) if found == seal => {
                    // The seal is over all bytes in front of its field.
                    let wanted = crc32fast::hash(&self.bytes[..before]);
                    header.is_sealed = self.signed()? as u32 == wanted;
                    if !header.is_sealed {
                        return Err(Stop::Wrong);
                    }
                }
                (3, I32) => header.packed = usize::try_from(self.signed()?).map_err(|_| Stop::Wrong)?,
                (4, I32) => header.crc = Some(self.signed()? as u32),
                (5 | 8, STRUCT) => header.values = self.values()?,
                (_, kind) => self.skip(kind, MOST_DEPTH)?,
            }
        }
        Ok(header)
    }

    /// The first field of a header of data.
    fn values(&mut self) -> std::result::Result<u64, Stop> {
        let (mut values, mut last) = (0, 0);
        while let Some((id, kind)) = self.field(&mut last)? {
            match (id, kind) {
                (1, I32) => values = u64::try_from(self.signed()?).map_err(|_| Stop::Wrong)?,
                (_, kind) => self.skip(kind, MOST_DEPTH)?,
            }
        }
        Ok(values)
    }

    fn byte(&mut self) -> std::result::Result<u8, Stop> {
        let byte = *self.bytes.get(self.at).ok_or(Stop::Short)?;
        self.at += 1;
        Ok(byte)
    }

    /// Identity and type of the next field; `None` at the end of the structure.
    fn field(&mut self, last: &mut i64) -> std::result::Result<Option<(i64, u8)>, Stop> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        *last = match byte >> 4 {
            0 => self.signed()?,
            step => last.wrapping_add(i64::from(step)),
        };
        Ok(Some((*last, byte & 15)))
    }

    fn unsigned(&mut self) -> std::result::Result<u64, Stop> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Stop::Wrong)
    }

    fn signed(&mut self) -> std::result::Result<i64, Stop> {
        let value = self.unsigned()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn skip(&mut self, kind: u8, depth: u32) -> std::result::Result<(), Stop> {
        let Some(depth) = depth.checked_sub(1) else { return Err(Stop::Wrong) };
        match kind {
            TRUE | FALSE => Ok(()),
            I8 => self.jump(1),
            I16 | I32 | I64 => self.unsigned().map(drop),
            F64 => self.jump(8),
            BINARY => {
                let length = self.unsigned()?;
                self.jump(length)
            }
            LIST | SET => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.unsigned()? } else { u64::from(head >> 4) };
                // Each element takes a byte at least, so that a false count ends with the bytes.
                (0..count).try_for_each(|_| match head & 15 {
                    TRUE | FALSE => self.jump(1),
                    kind => self.skip(kind, depth),
                })
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, depth)?;
                }
                Ok(())
            }
            _ => Err(Stop::Wrong),
        }
    }

    fn jump(&mut self, count: u64) -> std::result::Result<(), Stop> {
        let count = usize::try_from(count).ok().filter(|count| *count <= self.bytes.len() - self.at);
        self.at += count.ok_or(Stop::Short)?;
        Ok(())
    }
}
