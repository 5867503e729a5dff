//! The file that shows all files of a capture as one.

use std::path::{Path, PathBuf};

use livetime_formats::Result;
use livetime_formats::file::GrowingFile;
use livetime_formats::hdf5::{Attribute, Element, Part, Tree, Writer};
use livetime_frame::Layout;

/// Writes it anew for the parts so far, which lie in one folder: `run_001.h5` begins `run_001_all.h5`.
///
/// # Errors
/// Of this file.
pub(super) fn write_series(parts: &[(PathBuf, Part)], layout: &Layout) -> Result<()> {
    let Some((first, _)) = parts.first() else { return Ok(()) };
    let path = named(first);
    let shape: Vec<u64> = layout.shape().map(|size| size as u64).collect();
    let parts = parts.iter().map(|(_, part)| part.clone()).collect();
    let class = |name| Attribute::text("NX_class", name);
    let mut tree = Tree::default();
    let entry = tree.group(Tree::ROOT, "entry", vec![class("NXentry"), Attribute::text("default", "data")]);
    let data = tree.group(entry, "data", vec![class("NXdata"), Attribute::text("signal", "data")]);
    let element = Element::Number(layout.dtype());
    tree.virtual_data(data, "data", (element, &shape), parts, vec![Attribute::int("signal", 1)]);
    // A reader that has the former file open goes on reading the former file.
    let new = GrowingFile::replace(&path)?;
    let written = new.file().and_then(|file| Writer::begin(file, new.written_path(), &tree)?.close());
    written.and_then(|()| new.finish())
}

fn named(first: &Path) -> PathBuf {
    let stem = first.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let ending = first.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    first.with_file_name(format!("{stem}_all{ending}"))
}
