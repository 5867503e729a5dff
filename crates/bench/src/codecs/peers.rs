//! Other implementations of codecs, measured in turn with ours: the C libraries, as packages of Python bring them.

use crate::Failed;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::frames::Frames;
use super::row::{Row, span_s};
use crate::{Settings, Spread};

const SCRIPT: &str = include_str!("peers.py");

/// The peer of our codec `codec`, if there is one with a Python module.
fn peer_of(codec: &str) -> Option<&str> {
    const KNOWN: [&str; 10] = [
        "bslz4",
        "blosc blosclz none",
        "blosc blosclz byte",
        "blosc lz4 byte",
        "blosc lz4 bit",
        "blosc zlib byte",
        "blosc zstd bit",
        "lz4",
        "zlib 1",
        "zlib 6",
    ];
    KNOWN.into_iter().find(|known| *known == codec)
}

/// Frames in a folder, for programs that are not ours; gone when it is dropped.
pub(super) struct Files(PathBuf);

impl Files {
    pub(super) fn write(frames: &Frames) -> std::io::Result<Files> {
        let name: String = frames.name.chars().filter(char::is_ascii_alphanumeric).collect();
        let folder = std::env::temp_dir().join(format!("livetime-bench-{}-{name}", std::process::id()));
        std::fs::create_dir(&folder)?;
        // Made before the files, so that the folder goes also after an error.
        let files = Files(folder);
        for (i, frame) in frames.frames.iter().enumerate() {
            std::fs::write(files.0.join(format!("{i:03}.raw")), frame)?;
        }
        Ok(files)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The row of the peer of one of our codecs; `None` if there is no such peer.
///
/// # Errors
/// Text, if `python` lacks the needed modules (`tools/peers.sh codecs` makes an interpreter that has them).
pub(super) fn measure(
    python: &Path,
    files: &Files,
    data: &'static str,
    codec: &'static str,
    settings: &Settings,
) -> Result<Option<Row>, Failed> {
    let Some(name) = peer_of(codec) else { return Ok(None) };
    let failed = |e: &dyn std::fmt::Display| {
        format!(
            "wanted a Python with the peers of codecs, as `bash tools/peers.sh codecs` prints one, found: {e}"
        )
    };
    let (seconds, repeats) = (span_s(settings).to_string(), settings.repeats().to_string());
    let mut command = Command::new(python);
    let command = command.args(["-c", SCRIPT]).arg(&files.0).args([name, &seconds, &repeats]);
    let ran = command.output().map_err(|e| failed(&e))?;
    if !ran.status.success() {
        return Err(failed(&String::from_utf8_lossy(&ran.stderr)).into());
    }
    let found: Value = serde_json::from_slice(&ran.stdout).map_err(|e| failed(&e))?;
    let speeds =
        |key: &str| -> Option<Vec<f64>> { found[key].as_array()?.iter().map(Value::as_f64).collect() };
    let row = || {
        Some(Row {
            data,
            codec,
            level: "peer",
            reference: "none",
            version: found["version"].as_str().map(str::to_owned),
            ratio: found["ratio"].as_f64()?,
            compress: Spread::of(speeds("compress")?),
            decompress: Spread::of(speeds("decompress")?),
        })
    };
    row().map(Some).ok_or_else(|| failed(&found).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that answers as the script does.
    #[cfg(unix)]
    fn stand_in(answer: &str) -> (tempfile::TempDir, PathBuf) {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("python");
        std::fs::write(&path, format!("#!/bin/sh\necho '{answer}'\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        (folder, path)
    }

    #[test]
    #[cfg(unix)]
    fn what_a_peer_says_becomes_a_row() {
        let settings = Settings { quick: true, ..Settings::default() };
        let frames = Frames { name: "few", frames: vec![vec![1; 64]], references: vec![] };
        let files = Files::write(&frames).unwrap();
        let answer = r#"{"version":"1.2","ratio":0.5,"compress":[3,1,2],"decompress":[9,8,7]}"#;
        let (_folder, python) = stand_in(answer);
        let row = measure(&python, &files, "few", "lz4", &settings).unwrap().unwrap();
        assert_eq!(
            (row.level, row.ratio, row.compress.median, row.decompress.median),
            ("peer", 0.5, 2.0, 8.0)
        );
        assert!(measure(&python, &files, "few", "blockpack", &settings).unwrap().is_none());
        let (_folder, python) = stand_in("{}");
        let error = measure(&python, &files, "few", "lz4", &settings).err().unwrap();
        assert!(error.to_string().contains("tools/peers.sh codecs"), "{error}");
    }
}
