//! Arrays of NumPy (`.npy`) as frames, as `livetime analyze -o` writes them.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use livetime_frame::{Allocator, ColorMode, DType, Frame, Layout, Schema, TableLayout, with_dtype};

use super::array_error::ArrayError;
use super::mosaic::{memory, mosaic};
use crate::wrong::Wrong;

/// Bytes of the longest array that is shown.
const LARGEST: usize = 128 << 20;
/// Bytes of a header; NumPy itself refuses longer ones.
const LONGEST_HEADER: usize = 10_000;
/// Columns of a table.
const MOST_COLUMNS: usize = 256;

/// The header of a file: type and shape of its array.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Header {
    pub(crate) shape: Vec<usize>,
    pub(crate) elements: Elements,
    /// Where the elements begin.
    start: usize,
}

/// The type of its elements.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Elements {
    Plain(DType),
    /// Rows of columns.
    Rows(Vec<(String, DType)>),
}

impl Header {
    /// Reads the header of a file of version 1 to 3: little-endian numbers in the order of C.
    ///
    /// # Errors
    /// The wanted and the found value.
    pub(crate) fn read(file: &mut impl Read) -> Result<Header, Wrong> {
        let mut begin = [0; 12];
        let wanted = || Wrong::new("an array of NumPy (.npy)").found("something else");
        file.read_exact(&mut begin[..10]).map_err(|_| wanted())?;
        if !begin.starts_with(b"\x93NUMPY") {
            return Err(wanted());
        }
        let (length, start) = match begin[6] {
            1 => (usize::from(u16::from_le_bytes([begin[8], begin[9]])), 10),
            _ => {
                file.read_exact(&mut begin[10..]).map_err(|_| wanted())?;
                (u32::from_le_bytes([begin[8], begin[9], begin[10], begin[11]]) as usize, 12)
            }
        };
        if length > LONGEST_HEADER {
            return Err(Wrong::new(format!("a header of at most {LONGEST_HEADER} bytes")).found(length));
        }
        let mut text = vec![0; length];
        file.read_exact(&mut text).map_err(|_| wanted())?;
        let text = String::from_utf8_lossy(&text);
        Ok(Header { shape: shape(&text)?, elements: elements(&text)?, start: start + length })
    }

    fn element_bytes(&self) -> usize {
        match &self.elements {
            Elements::Plain(dtype) => dtype.bytes(),
            Elements::Rows(columns) => columns.iter().map(|(_, dtype)| dtype.bytes()).sum(),
        }
    }

    /// Bytes of all elements.
    fn bytes(&self) -> Result<usize, Wrong> {
        let sizes = self.shape.iter().chain([&self.element_bytes()]).copied().collect::<Vec<_>>();
        // Sizes are claims of the file: their product may overflow.
        let bytes =
            sizes.iter().try_fold(1usize, |all, size| all.checked_mul(*size)).filter(|all| *all <= LARGEST);
        let wanted = || Wrong::new(format!("an array of at most {LARGEST} bytes"));
        bytes.ok_or_else(|| wanted().found(format_args!("{:?}", self.shape)))
    }
}

/// The value behind `'key':` in the header, which is a dictionary of Python.
fn value<'a>(text: &'a str, key: &str) -> Result<&'a str, Wrong> {
    let at = text.find(&format!("'{key}':"));
    let at = at.ok_or_else(|| Wrong::new(format!("`{key}` in the header")).found("none"))?;
    Ok(text[at + key.len() + 3..].trim_start())
}

fn shape(text: &str) -> Result<Vec<usize>, Wrong> {
    if !value(text, "fortran_order")?.starts_with("False") {
        return Err(Wrong::new("an array in the order of C").found("that of Fortran"));
    }
    let list = value(text, "shape")?;
    let inner = list.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inner, _)| inner);
    let inner = inner.ok_or_else(|| Wrong::new("a shape").found(list))?;
    // Python writes a shape of one axis as `(3,)`.
    let sizes = inner.split(',').map(str::trim).filter(|size| !size.is_empty());
    sizes
        .map(|size| size.parse().map_err(|_| Wrong::new("a shape").found(format_args!("({inner})"))))
        .collect()
}

fn elements(text: &str) -> Result<Elements, Wrong> {
    let descr = value(text, "descr")?;
    if let Some(quoted) = descr.strip_prefix('\'') {
        let name = quoted.split_once('\'').map_or(quoted, |(name, _)| name);
        return Ok(Elements::Plain(dtype(name)?));
    }
    let list = descr.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(list, _)| list);
    let list = list.ok_or_else(|| Wrong::new("a type of elements").found(descr))?;
    let quoted: Vec<&str> = list.split('\'').skip(1).step_by(2).collect();
    if quoted.is_empty() || !quoted.len().is_multiple_of(2) || quoted.len() / 2 > MOST_COLUMNS {
        let wanted = Wrong::new(format!("1 to {MOST_COLUMNS} columns of numbers"));
        return Err(wanted.found(format_args!("[{list}]")));
    }
    let columns = quoted.chunks(2).map(|pair| Ok((pair[0].to_owned(), dtype(pair[1])?)));
    columns.collect::<Result<_, Wrong>>().map(Elements::Rows)
}

fn dtype(name: &str) -> Result<DType, Wrong> {
    let found = format!("elements of the type `{name}`");
    let refuse = || Wrong::new("little-endian numbers").found(&found);
    // `|` stands for a type of one byte, which has no order.
    let plain = name.strip_prefix(['<', '|', '=']).ok_or_else(refuse)?;
    Ok(match plain {
        "b1" | "u1" => DType::U8,
        "i1" => DType::I8,
        "u2" => DType::U16,
        "i2" => DType::I16,
        "u4" => DType::U32,
        "i4" => DType::I32,
        "u8" => DType::U64,
        "i8" => DType::I64,
        "f4" => DType::F32,
        "f8" => DType::F64,
        _ => return Err(refuse()),
    })
}

/// Reads the header of a file.
///
/// # Errors
/// The wanted and the found value.
pub(crate) fn header(path: &Path) -> Result<Header, ArrayError> {
    Ok(Header::read(&mut BufReader::new(File::open(path)?))?)
}

/// The array of a file: a picture, its panels beside each other if it has more than two axes, or a table.
///
/// # Errors
/// The wanted and the found value.
pub(crate) fn frame(path: &Path, allocator: &mut Allocator) -> Result<Frame, ArrayError> {
    let mut file = BufReader::new(File::open(path)?);
    let header = Header::read(&mut file)?;
    let length = header.bytes()?;
    // Before memory is taken for what a header promises.
    let has = file.get_ref().metadata()?.len();
    let wanted = (header.start + length) as u64;
    if has != wanted {
        let found = format!("{has}: the array is cut, or still being written");
        return Err(Wrong::new(format!("{wanted} bytes")).found(found).into());
    }
    match &header.elements {
        Elements::Plain(dtype) => {
            // A shape without axes is a single number.
            let shape = if header.shape.is_empty() { vec![1] } else { header.shape.clone() };
            let layout = Layout::packed(*dtype, ColorMode::Mono, &shape)?;
            let mut frame = memory(allocator, &layout)?;
            file.read_exact(&mut frame.bytes_mut()[..length])?;
            mosaic(frame.freeze(), allocator)
        }
        Elements::Rows(columns) => table(&mut file, &header, columns, allocator),
    }
}

fn table(
    file: &mut impl Read,
    header: &Header,
    columns: &[(String, DType)],
    allocator: &mut Allocator,
) -> Result<Frame, ArrayError> {
    let [rows] = header.shape[..] else {
        let found = format!("{:?}", header.shape);
        return Err(Wrong::new("one axis of rows").found(found).into());
    };
    let schema = Schema::new(columns.iter().map(|(name, dtype)| (name.as_str(), *dtype)));
    let layout = TableLayout::new(schema, rows).ok_or_else(|| Wrong::new("a smaller table"))?;
    let mut frame = allocator.table(layout)?;
    let mut bytes = vec![0; header.bytes()?];
    file.read_exact(&mut bytes)?;
    let mut offset = 0;
    for (index, (_, dtype)) in columns.iter().enumerate() {
        with_dtype!(*dtype, T => {
            let cells = frame.column_mut::<T>(index)?;
            for (cell, row) in cells.iter_mut().zip(bytes.chunks_exact(header.element_bytes())) {
                *cell = bytemuck::pod_read_unaligned(&row[offset..offset + size_of::<T>()]);
            }
        });
        offset += dtype.bytes();
    }
    Ok(frame.freeze())
}

#[cfg(test)]
mod tests {
    use livetime_frame::FramePool;

    use super::*;

    fn file(descr: &str, shape: &str, data: &[u8]) -> tempfile::NamedTempFile {
        let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    fn read(descr: &str, shape: &str, data: &[u8]) -> Result<Frame, ArrayError> {
        frame(file(descr, shape, data).path(), &mut FramePool::new(1 << 20).allocator())
    }

    #[test]
    fn pictures_curves_and_tables_are_read() {
        let picture = read("'<u2'", "(2, 3)", &[1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1]).unwrap();
        let array = picture.array().unwrap();
        assert_eq!((array.layout().width(), array.layout().height()), (3, 2));
        assert_eq!(array.elements::<u16>().unwrap(), [1, 2, 3, 4, 5, 262]);
        let curve = read("'|i1'", "(3,)", &[1, 255, 3]).unwrap();
        assert_eq!(curve.array().unwrap().elements::<i8>().unwrap(), [1, -1, 3]);
        assert!(read("'<f8'", "()", &1.5f64.to_le_bytes()).is_ok());
        let table = read("[('n', '|u1'), ('v', '<u2')]", "(2,)", &[1, 3, 0, 2, 4, 1]).unwrap();
        let table = table.table().unwrap();
        assert_eq!(table.column::<u8>(0).unwrap(), [1, 2]);
        assert_eq!(table.column::<u16>(1).unwrap(), [3, 260]);
    }

    #[test]
    fn what_is_no_array_is_refused() {
        for (descr, shape, data, wanted) in [
            ("'<u2'", "(2,)", &[0u8; 3][..], "wanted 8"),
            ("'<u2'", "(2,)", &[0; 5], "the array is cut"),
            ("'>u2'", "(1,)", &[0; 2], "little-endian"),
            ("'|O'", "(1,)", &[0; 8], "little-endian"),
            ("'<c16'", "(1,)", &[0; 16], "little-endian"),
            ("'<u2'", "(99999999999, 99999999999)", &[], "at most"),
            ("'<u2'", "(-1,)", &[], "a shape"),
            ("'<u2'", "3", &[], "a shape"),
            ("[]", "(1,)", &[], "columns"),
            ("[('a', '<u2', (3,))]", "(1, 2)", &[0; 12], "wanted"),
            ("{}", "(1,)", &[], "a type"),
        ] {
            let error = read(descr, shape, data).unwrap_err().to_string();
            assert!(error.contains(wanted) || error.contains("wanted"), "{descr} {shape}: {error}");
        }
        let plain = tempfile::NamedTempFile::new().unwrap();
        for bytes in [
            &b""[..],
            b"\x93NUMPY",
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff",
            b"\x93NUMPY\x01\x00\x00\x00",
            b"PK\x03\x04abcdefgh",
        ] {
            std::fs::write(plain.path(), bytes).unwrap();
            assert!(header(plain.path()).is_err(), "{bytes:?}");
        }
    }
}
