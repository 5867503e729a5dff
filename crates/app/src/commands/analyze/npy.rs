//! The format .npy, as numpy writes it.

use livetime_frame::DType;

/// numpy's word for a type, with quotes.
pub(super) fn describe(dtype: DType) -> String {
    let kind = match dtype {
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => 'i',
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => 'u',
        DType::F32 | DType::F64 => 'f',
    };
    format!("'{}{kind}{}'", if dtype.bytes() == 1 { '|' } else { '<' }, dtype.bytes())
}

/// The header of version 1.0 of numpy's format.
pub(super) fn header(types: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut text = format!("{{'descr': {types}, 'fortran_order': False, 'shape': ({sizes}), }}");
    // Magic, version and length take 10 bytes, and a line end comes; the data begin at a multiple of 64.
    let padded = (10 + text.len() + 1).next_multiple_of(64) - 10 - 1;
    text = format!("{text:padded$}\n");
    [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::header;

    #[test]
    fn headers_are_those_of_numpy() {
        let header = header("'<f8'", &[2, 3]);
        assert_eq!(header.len(), 128);
        assert_eq!(&header[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let text = String::from_utf8_lossy(&header[10..]);
        assert_eq!(text.trim_end(), "{'descr': '<f8', 'fortran_order': False, 'shape': (2,3,), }");
        assert!(text.ends_with(" \n"));
    }
}
