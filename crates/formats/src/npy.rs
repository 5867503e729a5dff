//! Arrays of NumPy (`.npy`), of the types that reference frames use.

use crate::fields::Fields;
use crate::{Error, Result};

/// The most elements that are read: a detector of a quarter of a gigapixel.
const MOST: usize = 1 << 28;

/// An array of numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Npy {
    /// Sizes, the slowest axis first.
    pub shape: Vec<usize>,
    /// The elements in the order of the file.
    pub values: Vec<f64>,
}

impl Npy {
    /// Reads the contents of a file of version 1 to 3: integers of 1 to 4 bytes or floats, little-endian, in the order of C.
    ///
    /// ```
    /// use livetime_formats::npy::Npy;
    ///
    /// let header = b"{'descr': '<u2', 'fortran_order': False, 'shape': (2, 1), }\n";
    /// let bytes = [b"\x93NUMPY\x01\x00", &[header.len() as u8, 0][..], header, &[1, 0, 2, 1]].concat();
    /// let array = Npy::parse(&bytes)?;
    /// assert_eq!((array.shape, array.values), (vec![2, 1], vec![1.0, 258.0]));
    /// # Ok::<(), livetime_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is not a NumPy array, has another type or order, or is shorter or longer than its header says.
    pub fn parse(bytes: &[u8]) -> Result<Npy> {
        let mut fields = Fields::new(bytes);
        let wanted = || Error::new("an array of NumPy (.npy)", "something else").at(0);
        if fields.take(6).map_err(|_| wanted())? != b"\x93NUMPY" {
            return Err(wanted());
        }
        let (major, _minor) = (fields.u8()?, fields.u8()?);
        let length = if major == 1 { usize::from(fields.u16()?) } else { fields.u32()? as usize };
        let header = String::from_utf8_lossy(fields.take(length)?);
        let (dtype, shape) = (dtype(&header)?, shape(&header)?);
        // Sizes are claims of the file: their product may overflow.
        let count = shape.iter().try_fold(1usize, |count, n| count.checked_mul(*n)).filter(|n| *n <= MOST);
        let count =
            count.ok_or_else(|| Error::new(format!("at most {MOST} elements"), format!("{shape:?}")))?;
        let data = fields.take(count * dtype.width)?;
        if fields.left() > 0 {
            return Err(Error::new("the end of the array", format!("{} more bytes", fields.left())));
        }
        Ok(Npy { shape, values: data.chunks_exact(dtype.width).map(dtype.read).collect() })
    }
}

struct ElementType {
    width: usize,
    read: fn(&[u8]) -> f64,
}

/// The types of reference frames: pixels, or means of them.
fn dtype(header: &str) -> Result<ElementType> {
    macro_rules! read {
        ($type:ty) => {
            ElementType {
                width: size_of::<$type>(),
                read: |bytes| bytes.first_chunk().map_or(0.0, |b| <$type>::from_le_bytes(*b) as f64),
            }
        };
    }
    let text = value(header, "'descr'")?.trim().trim_matches('\'');
    Ok(match text {
        "|u1" => read!(u8),
        "|i1" => read!(i8),
        "<u2" => read!(u16),
        "<i2" => read!(i16),
        "<u4" => read!(u32),
        "<i4" => read!(i32),
        "<f4" => read!(f32),
        "<f8" => read!(f64),
        other => {
            let wanted = "elements of type u1, i1, <u2, <i2, <u4, <i4, <f4 or <f8";
            return Err(Error::new(wanted, format!("`{}`", other.chars().take(40).collect::<String>())));
        }
    })
}

fn shape(header: &str) -> Result<Vec<usize>> {
    if value(header, "'fortran_order'")?.trim() != "False" {
        return Err(Error::new("an array in the order of C", "one in the order of Fortran"));
    }
    let wrong = || Error::new("the shape of an array", "something else");
    let (_, rest) = header.split_once("'shape'").ok_or_else(wrong)?;
    let (inside, _) = rest.split_once('(').and_then(|(_, rest)| rest.split_once(')')).ok_or_else(wrong)?;
    // Python writes a shape of one axis as `(3,)`.
    let sizes = inside.split(',').map(str::trim).filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().map_err(|_| wrong())).collect()
}

/// The value behind a key, up to the next comma.
fn value<'a>(header: &'a str, key: &str) -> Result<&'a str> {
    let rest = header.split_once(key).and_then(|(_, rest)| rest.split_once(':'));
    let (_, rest) = rest.ok_or_else(|| Error::new(format!("{key} in the header"), "none"))?;
    Ok(rest.split([',', '}']).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(header: &str, data: &[u8]) -> Result<Npy> {
        let length = (header.len() as u16).to_le_bytes();
        Npy::parse(&[b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat())
    }

    #[test]
    fn types_and_shapes_are_read() {
        let read = |header: &str, data: &[u8]| array(header, data).map(|a| (a.shape, a.values)).unwrap();
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
        assert_eq!(read(header, &2.5f32.to_le_bytes()), (vec![1], vec![2.5]));
        let header = "{'shape': (), 'fortran_order': False, 'descr': '|i1'}";
        assert_eq!(read(header, &[255]), (vec![], vec![-1.0]));
    }

    #[test]
    fn what_is_no_such_array_is_refused() {
        let good = "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }";
        assert!(array(good, &[0; 4]).is_ok());
        for size in [3, 5] {
            assert!(array(good, &vec![0; size]).is_err());
        }
        for (from, to) in
            [("<u2", ">u2"), ("False", "True"), ("(2,)", "(x,)"), ("2", "99999999999999999"), ("descr", "d")]
        {
            assert!(array(&good.replace(from, to), &[0; 4]).is_err(), "{to}");
        }
        assert!(Npy::parse(b"").is_err() && Npy::parse(b"\x93NUMPY\x01").is_err());
    }
}
