//! Puts the page into the program: each file of `web/dist`, compressed, with a tag that changes when it does.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let root = PathBuf::from(env("CARGO_MANIFEST_DIR")).join("../../web/dist");
    let out = PathBuf::from(env("OUT_DIR"));
    // A folder that is not there yet: a change of the one above it.
    let watched = if root.exists() { root.clone() } else { root.join("../..") };
    match root.exists() {
        true => println!("cargo::rerun-if-changed={}", watched.display()),
        false => println!("cargo::rerun-if-changed={}", watched.join("web").display()),
    }
    let mut files = Vec::new();
    list(&root, &mut files)?;
    files.sort();
    let mut table = String::from("pub(crate) const FILES: &[(&str, &str, &[u8])] = &[\n");
    for (number, path) in files.iter().enumerate() {
        let bytes = std::fs::read(path)?;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&bytes)?;
        let packed = out.join(format!("asset-{number}.gz"));
        std::fs::write(&packed, encoder.finish()?)?;
        let name = path.strip_prefix(&root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        let _ =
            writeln!(table, "    ({name:?}, \"\\\"{:016x}\\\"\", include_bytes!({packed:?})),", hash(&bytes));
    }
    table.push_str("];\n");
    std::fs::write(out.join("assets.rs"), table)
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => list(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// FNV-1a: not a secret, only a name for a content.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
