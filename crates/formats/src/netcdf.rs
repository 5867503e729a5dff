//! Files of netCDF's classic format, written.
//!
//! A file has dimensions, the first of which grows, attributes, and variables. Variables that grow are stored record by
//! record: a record holds one row of each of them. The 64-bit-offset variant (`CDF\x02`) is written, which every netCDF
//! library reads. Described in "The NetCDF Classic Format Specification" of Unidata.
//!
//! ```
//! use livetime_formats::netcdf::{Kind, Layout, Text};
//!
//! let mut layout = Layout::new(&[("time", 0), ("x", 3)]);
//! layout.attribute("title", Text("three numbers".into()));
//! layout.variable("data", Kind::Short, &[0, 1]);
//! let mut file = std::io::Cursor::new(Vec::new());
//! let mut writer = layout.create(&mut file)?;
//! writer.record(&[&[0, 1, 0, 2, 0, 3]])?;
//! writer.finish()?;
//! assert_eq!(file.into_inner()[..8], *b"CDF\x02\0\0\0\x01");
//! # Ok::<(), std::io::Error>(())
//! ```

use std::io::{self, Seek, SeekFrom, Write};

/// Types of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// 8 bits.
    Byte,
    /// Texts.
    Char,
    /// 16 bits.
    Short,
    /// 32 bits.
    Int,
    /// 32-bit floating point.
    Float,
    /// 64-bit floating point.
    Double,
}

impl Kind {
    /// Its number in files.
    fn code(self) -> u32 {
        match self {
            Kind::Byte => 1,
            Kind::Char => 2,
            Kind::Short => 3,
            Kind::Int => 4,
            Kind::Float => 5,
            Kind::Double => 6,
        }
    }

    /// Bytes of a value.
    pub fn bytes(self) -> usize {
        match self {
            Kind::Byte | Kind::Char => 1,
            Kind::Short => 2,
            Kind::Int | Kind::Float => 4,
            Kind::Double => 8,
        }
    }
}

/// The value of an attribute of the file.
#[derive(Clone, PartialEq, Debug)]
pub enum Meta {
    /// A text.
    Text(String),
    /// Whole numbers.
    Ints(Vec<i32>),
    /// A number.
    Double(f64),
}

pub use Meta::{Double, Ints, Text};

/// The content of a file.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    dimensions: Vec<(String, u32)>,
    attributes: Vec<(String, Meta)>,
    variables: Vec<Variable>,
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    kind: Kind,
    dimensions: Vec<u32>,
}

impl Layout {
    /// A file with these dimensions; the first one has size 0 and grows.
    pub fn new(dimensions: &[(&str, u32)]) -> Layout {
        let dimensions = dimensions.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
        Layout { dimensions, ..Layout::default() }
    }

    /// Adds an attribute of the file.
    pub fn attribute(&mut self, name: &str, value: Meta) {
        self.attributes.push((name.to_owned(), value));
    }

    /// Adds a variable that grows: the first of its `dimensions`, which are numbers of the file's, is 0.
    pub fn variable(&mut self, name: &str, kind: Kind, dimensions: &[u32]) {
        self.variables.push(Variable { name: name.to_owned(), kind, dimensions: dimensions.to_vec() });
    }

    /// Bytes of a row of variable number `index`, without the padding behind it.
    fn row_bytes(&self, index: usize) -> u64 {
        let variable = &self.variables[index];
        let size = |dimension: &u32| u64::from(self.dimensions.get(*dimension as usize).map_or(0, |d| d.1));
        variable.dimensions[1..].iter().map(size).product::<u64>() * variable.kind.bytes() as u64
    }

    /// Writes the begin of a file.
    ///
    /// # Errors
    /// When the operating system reports one, or a row has 2 GiB or more, which the format does not allow.
    pub fn create<W: Write + Seek>(self, to: W) -> io::Result<Writer<W>> {
        let rows: Vec<u64> = (0..self.variables.len()).map(|index| self.row_bytes(index)).collect();
        // The format keeps sizes in 32 bits, of which readers take 31.
        if rows.iter().any(|bytes| *bytes >= 1 << 31) {
            return Err(io::Error::other(
                "a frame of 2 GiB or more, which netCDF's classic format cannot hold",
            ));
        }
        // A single variable that grows is not padded.
        let is_padded = rows.len() != 1;
        let header_bytes = self.header(&rows, 0).len() as u64;
        // The header is made twice, because its length decides where the variables begin.
        let header = self.header(&rows, header_bytes);
        let mut writer = Writer { to, rows, is_padded, records: 0 };
        writer.to.write_all(&header)?;
        Ok(writer)
    }

    fn header(&self, rows: &[u64], begin: u64) -> Vec<u8> {
        let mut out = b"CDF\x02\0\0\0\0".to_vec();
        list(&mut out, 10, self.dimensions.len());
        for (name, size) in &self.dimensions {
            text(&mut out, name);
            out.extend(size.to_be_bytes());
        }
        list(&mut out, 12, self.attributes.len());
        for (name, value) in &self.attributes {
            text(&mut out, name);
            meta(&mut out, value);
        }
        list(&mut out, 11, self.variables.len());
        let mut at = begin;
        for (variable, bytes) in self.variables.iter().zip(rows) {
            let padded = bytes.next_multiple_of(4);
            text(&mut out, &variable.name);
            out.extend((variable.dimensions.len() as u32).to_be_bytes());
            variable.dimensions.iter().for_each(|dimension| out.extend(dimension.to_be_bytes()));
            list(&mut out, 12, 0);
            out.extend(variable.kind.code().to_be_bytes());
            out.extend((padded as u32).to_be_bytes());
            out.extend(at.to_be_bytes());
            at += padded;
        }
        out
    }
}

/// A file that is being written.
#[derive(Debug)]
pub struct Writer<W> {
    to: W,
    /// Bytes of a row of each variable.
    rows: Vec<u64>,
    is_padded: bool,
    records: u32,
}

impl<W: Write + Seek> Writer<W> {
    /// Adds a record: a row of each variable, in big-endian order.
    ///
    /// # Errors
    /// When the operating system reports one, or the rows do not fit the layout.
    pub fn record(&mut self, rows: &[&[u8]]) -> io::Result<()> {
        let fits =
            rows.len() == self.rows.len() && rows.iter().zip(&self.rows).all(|(a, b)| a.len() as u64 == *b);
        // The highest number means a stream in this format.
        if !fits || self.records == u32::MAX - 1 {
            return Err(io::Error::other("a record of another size than those of the file"));
        }
        for row in rows {
            self.to.write_all(row)?;
            let missing = row.len().next_multiple_of(4) - row.len();
            if self.is_padded {
                self.to.write_all(&[0; 3][..missing])?;
            }
        }
        self.records += 1;
        Ok(())
    }

    /// Records so far.
    pub fn records(&self) -> u32 {
        self.records
    }

    /// Enters the number of records; readers see that many.
    ///
    /// # Errors
    /// When the operating system reports one.
    pub fn commit(&mut self) -> io::Result<()> {
        self.to.seek(SeekFrom::Start(4))?;
        self.to.write_all(&self.records.to_be_bytes())?;
        // Records are written behind the end.
        self.to.seek(SeekFrom::End(0))?;
        self.to.flush()
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When the operating system reports one.
    pub fn finish(mut self) -> io::Result<()> {
        self.commit()
    }
}

/// The begin of a list; an empty one has the tag 0.
fn list(out: &mut Vec<u8>, tag: u32, count: usize) {
    let tag = if count == 0 { 0 } else { tag };
    out.extend(tag.to_be_bytes());
    out.extend((count as u32).to_be_bytes());
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_be_bytes());
    out.extend(text.as_bytes());
    pad(out, text.len());
}

fn meta(out: &mut Vec<u8>, value: &Meta) {
    let (kind, count) = match value {
        Text(value) => (Kind::Char, value.len()),
        Ints(values) => (Kind::Int, values.len()),
        Double(_) => (Kind::Double, 1),
    };
    out.extend(kind.code().to_be_bytes());
    out.extend((count as u32).to_be_bytes());
    match value {
        Text(value) => {
            out.extend(value.as_bytes());
            pad(out, value.len());
        }
        Ints(values) => values.iter().for_each(|value| out.extend(value.to_be_bytes())),
        Double(value) => out.extend(value.to_be_bytes()),
    }
}

fn pad(out: &mut Vec<u8>, len: usize) {
    out.extend(&[0; 3][..len.next_multiple_of(4) - len]);
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_file_is_as_the_specification_says() {
        let mut layout = Layout::new(&[("t", 0), ("x", 3)]);
        layout.attribute("a", Ints(vec![7]));
        layout.variable("id", Kind::Int, &[0]);
        layout.variable("v", Kind::Byte, &[0, 1]);
        let mut file = Cursor::new(Vec::new());
        let mut writer = layout.create(&mut file).unwrap();
        writer.record(&[&[0, 0, 0, 1], &[1, 2, 3]]).unwrap();
        writer.record(&[&[0, 0, 0, 2], &[4, 5, 6]]).unwrap();
        assert!(writer.record(&[&[0, 0, 0, 2], &[4, 5]]).is_err());
        assert_eq!(writer.records(), 2);
        writer.finish().unwrap();
        let bytes = file.into_inner();
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((&bytes[..4], number(4)), (&b"CDF\x02"[..], 2));
        // Dimensions: tag, count, then name and size of each.
        assert_eq!(
            (number(8), number(12), number(16), &bytes[20..24], number(24)),
            (10, 2, 1, &b"t\0\0\0"[..], 0)
        );
        // Records are padded to 4 bytes and lie at the end.
        let data = &bytes[bytes.len() - 16..];
        assert_eq!(data, [0, 0, 0, 1, 1, 2, 3, 0, 0, 0, 0, 2, 4, 5, 6, 0]);
    }

    #[test]
    fn rows_that_are_too_large_are_refused() {
        let mut layout = Layout::new(&[("t", 0), ("x", 1 << 31)]);
        layout.variable("v", Kind::Byte, &[0, 1]);
        assert!(layout.create(Cursor::new(Vec::new())).is_err());
    }
}
