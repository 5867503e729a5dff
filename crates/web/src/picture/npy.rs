//! A picture as a file of NumPy.

use livetime_frame::DType;

use super::make::Made;

/// The file.
pub(crate) fn npy(made: &Made) -> Vec<u8> {
    let header = &made.header;
    let colours = if header.colours > 1 { format!(", {}", header.colours) } else { String::new() };
    let text = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}{colours}), }}",
        descr(header.dtype),
        header.height,
        header.width
    );
    // Magic, version and length are 10 bytes; the data begin at a multiple of 64, after a line's end.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut file = Vec::with_capacity(10 + length + made.payload.len());
    file.extend_from_slice(b"\x93NUMPY\x01\x00");
    file.extend_from_slice(&(length as u16).to_le_bytes());
    file.extend_from_slice(text.as_bytes());
    file.resize(10 + length - 1, b' ');
    file.push(b'\n');
    file.extend_from_slice(&made.payload);
    file
}

fn descr(dtype: DType) -> String {
    let kind = match dtype {
        DType::F32 | DType::F64 => 'f',
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => 'i',
        _ => 'u',
    };
    let order = if dtype.bytes() == 1 { '|' } else { '<' };
    format!("{order}{kind}{}", dtype.bytes())
}
