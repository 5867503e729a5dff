//! Pages with checksums.

use ::parquet::column::page::{CompressedPage, PageWriteSpec, PageWriter};
use ::parquet::column::writer::{get_column_writer, get_typed_column_writer};
use ::parquet::data_type::DataType;
use ::parquet::errors::Result;
use ::parquet::file::properties::WriterPropertiesPtr;
use ::parquet::file::writer::SerializedRowGroupWriter;
use ::parquet::schema::types::ColumnDescPtr;
use bytes::Bytes;

use super::header;

/// Writes the next column of a row group, a required one, with a checksum in each page.
///
/// # Errors
/// If it is not the next column, or the operating system reports an error.
pub fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl std::io::Write + Send>,
    column: ColumnDescPtr,
    properties: &WriterPropertiesPtr,
    values: &[T::T],
) -> Result<()> {
    let mut bytes = Vec::new();
    let pages = Box::new(Pages { out: &mut bytes });
    let mut writer = get_typed_column_writer::<T>(get_column_writer(column, properties.clone(), pages));
    writer.write_batch(values, None, None)?;
    let closed = writer.close()?;
    group.append_column(&Bytes::from(bytes), closed)
}

/// The pages of one column in one row group.
struct Pages<'a> {
    out: &'a mut Vec<u8>,
}

impl PageWriter for Pages<'_> {
    fn write_page(&mut self, page: CompressedPage) -> Result<PageWriteSpec> {
        let (offset, header) = (self.out.len() as u64, header::write(&page)?);
        self.out.extend_from_slice(&header);
        self.out.extend_from_slice(page.data());
        Ok(PageWriteSpec {
            page_type: page.page_type(),
            uncompressed_size: page.uncompressed_size() + header.len(),
            compressed_size: page.compressed_size() + header.len(),
            num_values: page.num_values(),
            offset,
            bytes_written: self.out.len() as u64 - offset,
        })
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}
