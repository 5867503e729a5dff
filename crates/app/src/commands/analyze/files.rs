//! Results as files: .npy as numpy writes them, PNG, JSON.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use livetime_frame::DType;
use serde_json::Value as Json;

use super::tables::{self, Columns, TableFormat};
use super::{Measured, picture, sweep};
use crate::analyze::Value;

/// The files of one result.
pub(super) struct Written {
    /// The array, or the table in each format that is wanted.
    pub(super) arrays: Vec<PathBuf>,
    pub(super) picture: Option<PathBuf>,
}

/// Writes all results of `last` into `folder`, and a plot if there are several measurements. Returns the files of each result.
pub(super) fn write(
    folder: &Path,
    last: &Measured,
    all: &[Measured],
    formats: &[TableFormat],
) -> Result<Vec<Written>, String> {
    make_folder(folder)?;
    let mut written = Vec::new();
    for named in &last.found.results {
        let path = |ending: &str| folder.join(format!("{}.{ending}", named.name));
        let mut files = Written { arrays: Vec::new(), picture: None };
        match &named.value {
            Value::Array(array) => {
                write_bytes(
                    &path("npy"),
                    &[&npy_header(&describe(array.dtype()), array.shape()), array.bytes()],
                )?;
                files.arrays.push(path("npy"));
            }
            Value::Table(table) => files.arrays = tables::write_all(folder, &named.name, table, formats)?,
            Value::Number(_) => {}
        }
        if let Some(image) = picture::draw_result(named, &last.found) {
            save(&image, &path("png"))?;
            files.picture = Some(path("png"));
        }
        written.push(files);
    }
    if all.len() > 1 {
        save(&sweep::plot(all), &folder.join(sweep::FILE))?;
    }
    Ok(written)
}

pub(super) fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("cannot make the folder {}: {e}", folder.display()))
}

pub(super) fn write_json(folder: &Path, json: &Json) -> Result<(), String> {
    write_bytes(&folder.join("analysis.json"), &[format!("{json:#}\n").as_bytes()])
}

fn save(image: &image::RgbImage, path: &Path) -> Result<(), String> {
    image.save(path).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

fn write_bytes(path: &Path, parts: &[&[u8]]) -> Result<(), String> {
    let write = || {
        let mut file = fs::File::create(path)?;
        parts.iter().try_for_each(|part| file.write_all(part))
    };
    write().map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// A structured array: the cells of a row lie beside each other.
pub(super) fn write_table(path: &Path, columns: Columns) -> Result<(), String> {
    if let Some((name, _)) = columns.iter().find(|(name, _)| name.contains(['\'', '\\', '\n'])) {
        return Err(format!("wanted names without quotes, backslashes and ends of lines, found `{name}`"));
    }
    let types = columns.iter().map(|(name, cells)| format!("('{name}', {})", describe(cells.dtype())));
    let types = format!("[{}]", types.collect::<Vec<_>>().join(", "));
    let rows = tables::rows(columns);
    let mut bytes = Vec::new();
    for row in 0..rows {
        for (_, cells) in columns {
            let size = cells.dtype().bytes();
            bytes.extend_from_slice(&cells.bytes()[row * size..][..size]);
        }
    }
    write_bytes(path, &[&npy_header(&types, &[rows]), &bytes])
}

/// numpy's word for a type, with quotes.
fn describe(dtype: DType) -> String {
    let kind = match dtype {
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => 'i',
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => 'u',
        DType::F32 | DType::F64 => 'f',
    };
    format!("'{}{kind}{}'", if dtype.bytes() == 1 { '|' } else { '<' }, dtype.bytes())
}

/// The header of version 1.0 of numpy's format.
fn npy_header(types: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut text = format!("{{'descr': {types}, 'fortran_order': False, 'shape': ({sizes}), }}");
    // Magic, version and length take 10 bytes, and a line end comes; the data begin at a multiple of 64.
    let padded = (10 + text.len() + 1).next_multiple_of(64) - 10 - 1;
    text = format!("{text:padded$}\n");
    [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::Array;

    #[test]
    fn headers_are_those_of_numpy() {
        let header = npy_header("'<f8'", &[2, 3]);
        assert_eq!(header.len(), 128);
        assert_eq!(&header[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let text = String::from_utf8_lossy(&header[10..]);
        assert_eq!(text.trim_end(), "{'descr': '<f8', 'fortran_order': False, 'shape': (2,3,), }");
        assert!(text.ends_with(" \n"));
    }

    #[test]
    fn tables_are_rows() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (Array::new(&[2], vec![1u8, 2]), Array::new(&[2], vec![3u16, 4]));
        write_table(&folder.path().join("t.npy"), &[("a", &a), ("b", &b)]).unwrap();
        let bytes = fs::read(folder.path().join("t.npy")).unwrap();
        assert!(String::from_utf8_lossy(&bytes).contains("'descr': [('a', '|u1'), ('b', '<u2')], "));
        assert_eq!(bytes[bytes.len() - 6..], [1, 3, 0, 2, 4, 0]);
    }
}
