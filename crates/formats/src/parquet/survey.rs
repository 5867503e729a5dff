//! The intact part of a Parquet file.

use std::fs::File;

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use super::header::{self, PageHeader};
use super::index;
use crate::file::read_exact_at;

/// Bytes in which the header of a page is looked for first; statistics of long texts make it longer.
const HEADER: usize = 256;
/// No header is longer.
const MOST_HEADER: usize = 1 << 20;
/// Bytes of a page that are read at once.
const BLOCK: usize = 1 << 18;

/// The findings in pages.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Checked {
    /// Pages.
    pub pages: u64,
    /// Pages that have a checksum, which is right.
    pub proved: u64,
}

/// The index of a file, whose row groups are checked one after the other.
pub struct Survey<'a> {
    file: &'a File,
    metadata: ParquetMetaData,
    begin: u64,
    is_sealed: bool,
    block: Vec<u8>,
}

impl Survey<'_> {
    /// Surveys the Parquet file that ends at byte `end` of `file`.
    ///
    /// # Errors
    /// If no index ends there, or the index is damaged.
    pub fn new(file: &File, end: u64) -> Result<Survey<'_>> {
        let index::Index { metadata, begin, is_sealed } = index::read(file, end)?;
        Ok(Survey { file, metadata, begin, is_sealed, block: Vec::new() })
    }

    /// The content of the index.
    pub fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }

    /// Where the index begins; its seal belongs to it.
    pub fn index_begin(&self) -> u64 {
        self.begin
    }

    /// Whether the index has a checksum, which is right.
    pub fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    /// Reads all pages of a row group and compares them with their checksums.
    ///
    /// # Errors
    /// If a page is damaged, or is not where the index says.
    pub fn check(&mut self, group: usize) -> Result<Checked> {
        let Some(found) = self.metadata.row_groups().get(group).cloned() else {
            return Err(wrong(format!("a row group below {}", self.metadata.num_row_groups()), group));
        };
        let mut checked = Checked::default();
        for column in found.columns() {
            let values = self.check_column(column, &mut checked)?;
            // A negative number cannot be right, and 0 differs from the values that are there.
            let wanted = u64::try_from(column.num_values()).unwrap_or(0);
            if values != wanted {
                return Err(wrong(format!("{wanted} values of `{}`", column.column_path()), values));
            }
        }
        self.check_rows(&found).map(|()| checked)
    }

    /// A column whose values are never null has one for each row.
    fn check_rows(&self, group: &RowGroupMetaData) -> Result<()> {
        // Repeated values have other numbers than rows.
        let is_flat = |column: &&ColumnChunkMetaData| column.column_descr().max_rep_level() == 0;
        let mut flat = group.columns().iter().filter(is_flat);
        match flat.find(|column| column.num_values() != group.num_rows()) {
            None => Ok(()),
            Some(column) => {
                let wanted = format!("{} values of `{}`", group.num_rows(), column.column_path());
                Err(wrong(wanted, column.num_values()))
            }
        }
    }

    /// The number of its values.
    fn check_column(&mut self, column: &ColumnChunkMetaData, checked: &mut Checked) -> Result<u64> {
        let first = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
        let place = u64::try_from(first).ok().zip(u64::try_from(column.compressed_size()).ok());
        // The sum is checked, because both numbers are the file's claims.
        let end = place.and_then(|(at, length)| at.checked_add(length)).filter(|end| *end <= self.begin);
        let Some((mut at, end)) = place.map(|place| place.0).zip(end) else {
            return Err(wrong(format!("the pages of `{}` before the index", column.column_path()), first));
        };
        let mut values = 0u64;
        while at < end {
            let header = self.header(at, end)?;
            let data = at + header.length as u64;
            // The page must end within its column, so that no byte is checked twice.
            if header.packed as u64 > end - data {
                return Err(wrong(format!("a page of {} bytes at byte {at}", header.packed), end - data));
            }
            let is_proved = header.crc.is_some() && header.is_sealed;
            // A sealed file has all checksums; one without was changed.
            if self.is_sealed && !is_proved {
                return Err(wrong(format!("checksums of the page at byte {at}"), "none"));
            }
            self.check_page(data, header)?;
            checked.pages += 1;
            checked.proved += u64::from(header.crc.is_some());
            values = values.saturating_add(header.values);
            at = data + header.packed as u64;
        }
        Ok(values)
    }

    fn header(&mut self, at: u64, end: u64) -> Result<PageHeader> {
        let mut wanted = HEADER;
        loop {
            self.block.resize(wanted.min((end - at) as usize), 0);
            self.read(at)?;
            match header::read(&self.block)? {
                Some(header) => return Ok(header),
                // The column ends inside the header.
                None if wanted >= MOST_HEADER || self.block.len() < wanted => {
                    return Err(wrong(format!("the header of a page at byte {at}"), "half of one"));
                }
                // Statistics of long texts make a header long: a larger piece is read.
                None => wanted *= 8,
            }
        }
    }

    fn check_page(&mut self, data: u64, header: PageHeader) -> Result<()> {
        // A page without a checksum cannot be judged.
        let Some(crc) = header.crc else { return Ok(()) };
        let (mut hasher, mut at, end) = (crc32fast::Hasher::new(), data, data + header.packed as u64);
        while at < end {
            self.block.resize(BLOCK.min((end - at) as usize), 0);
            self.read(at)?;
            hasher.update(&self.block);
            at += self.block.len() as u64;
        }
        match hasher.finalize() == crc {
            true => Ok(()),
            false => Err(wrong(
                format!("the bytes that were written at byte {data}"),
                "others: their checksum is wrong",
            )),
        }
    }

    fn read(&mut self, at: u64) -> Result<()> {
        read_exact_at(self.file, &mut self.block, at).map_err(|e| ParquetError::General(e.to_string()))
    }
}

fn wrong(wanted: String, found: impl std::fmt::Display) -> ParquetError {
    ParquetError::General(format!("wanted {wanted}, found {found}"))
}
