//! The header of NumPy's files (version 1.0), and the elements of arrays in NumPy's order.

use livetime_frame::{ArrayRef, DType, Layout, MAX_DIMS};

use crate::error::Mismatch;

/// Bytes of the header: enough for any number of arrays of the usual shapes, and a multiple of 64 as NumPy wants it.
/// The header is overwritten in place when the number of arrays grows, so its size is fixed.
const HEADER: usize = 128;
/// Bytes of the header for shapes with many axes.
const HEADER_OF_MANY_DIMS: usize = 384;

/// Type and shape of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Elements {
    dtype: DType,
    shape: [usize; MAX_DIMS],
    ndim: usize,
}

impl Elements {
    /// # Errors
    /// When the array is compressed.
    pub(super) fn of(layout: &Layout) -> Result<Elements, Mismatch> {
        if layout.codec().is_some() {
            let found = format!("{layout}: put a node `decompress` before this one");
            return Err(Mismatch::new("an uncompressed array", found));
        }
        let mut shape = [0; MAX_DIMS];
        layout.shape().zip(&mut shape).for_each(|(size, place)| *place = size);
        Ok(Elements { dtype: layout.dtype(), shape, ndim: layout.dims().len() })
    }
}

/// The header of a file; with `frames` arrays along a first axis, or of one array.
pub(super) fn header(elements: &Elements, frames: Option<u64>) -> Vec<u8> {
    let kind = match elements.dtype {
        DType::U8 => "|u1",
        DType::I8 => "|i1",
        DType::U16 => "<u2",
        DType::I16 => "<i2",
        DType::U32 => "<u4",
        DType::I32 => "<i4",
        DType::U64 => "<u8",
        DType::I64 => "<i8",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
    };
    let sizes = frames.into_iter().chain(elements.shape[..elements.ndim].iter().map(|size| *size as u64));
    // Python's tuple of one has a comma, too.
    let shape = sizes.map(|size| format!("{size},")).collect::<Vec<_>>().join(" ");
    let shape = if shape.matches(',').count() > 1 { shape.trim_end_matches(',') } else { &shape };
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The length must not change while the number of arrays grows, up to 20 digits.
    let digits = frames.map_or(0, |count| count.to_string().len());
    let most = text.len() - digits + 20 + 11;
    let bytes = if most <= HEADER { HEADER } else { HEADER_OF_MANY_DIMS };
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(((bytes - 10) as u16).to_le_bytes());
    header.extend(text.bytes());
    header.resize(bytes - 1, b' ');
    header.push(b'\n');
    header
}

/// The elements one behind the other, the last dimension fastest; in `buffer` if they do not lie so.
pub(super) fn packed<'a>(array: &ArrayRef<'a>, buffer: &'a mut Vec<u8>) -> &'a [u8] {
    let (layout, bytes) = (array.layout(), array.bytes());
    if layout.is_packed() {
        return bytes.get(..layout.len() * layout.dtype().bytes()).unwrap_or(bytes);
    }
    buffer.clear();
    let dims: Vec<(usize, usize)> = layout.dims().iter().map(|dim| (dim.size, dim.stride)).collect();
    gather(bytes, &dims, 0, layout.dtype().bytes(), buffer);
    buffer
}

fn gather(bytes: &[u8], dims: &[(usize, usize)], at: usize, element: usize, out: &mut Vec<u8>) {
    match dims {
        [] => out.extend_from_slice(bytes.get(at..at + element).unwrap_or_default()),
        [(size, stride)] if *stride == element => {
            out.extend_from_slice(bytes.get(at..at + size * element).unwrap_or_default());
        }
        [(size, stride), inner @ ..] => {
            (0..*size).for_each(|i| gather(bytes, inner, at + i * stride, element, out));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_do_not_change_their_length_and_say_what_numpy_wants() {
        let text = |dims: &[usize], frames| {
            let layout = Layout::packed(DType::F32, Default::default(), dims).unwrap();
            let header = header(&Elements::of(&layout).unwrap(), frames);
            assert!(header.len().is_multiple_of(64) && header.ends_with(b"\n"));
            assert_eq!(u16::from_le_bytes([header[8], header[9]]) as usize, header.len() - 10);
            (String::from_utf8_lossy(&header[10..]).trim_end().to_owned(), header.len())
        };
        let shape = |dims: &[usize], frames| {
            let (text, _) = text(dims, frames);
            text[text.find('(').unwrap()..=text.find(')').unwrap()].to_owned()
        };
        assert_eq!(shape(&[5], None), "(5,)");
        assert_eq!(shape(&[5], Some(0)), "(0, 5)");
        assert_eq!(shape(&[4, 3], Some(12)), "(12, 4, 3)");
        assert!(text(&[5], None).0.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': "));
        for dims in [&[1][..], &[4, 3], &[70_000, 1], &[1, 1, 1, 1, 1, 1, 1, 9]] {
            assert_eq!(text(dims, Some(0)).1, text(dims, Some(u64::MAX)).1);
        }
    }
}
