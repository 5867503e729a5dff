//! h5py, which writes the same chunks into a file that others may read meanwhile.

use std::path::Path;
use std::process::Command;

use livetime_engine::NodeError;
use livetime_frame::Frame;

const SCRIPT: &str = include_str!("peer.py");

/// Frames per second, and no flushes.
pub(super) fn write(
    python: &Path,
    frames: &[Frame],
    count: usize,
    path: &Path,
) -> Result<(f64, Vec<f64>), NodeError> {
    let first = frames.first().ok_or_else(|| NodeError::new("wanted frames, found none"))?;
    let layout = *first.array()?.layout();
    let codec = layout.codec().map_or("", |codec| codec.0);
    // The script reads the chunks before it begins to measure.
    let chunks = path.with_extension("chunks");
    std::fs::create_dir(&chunks).map_err(NodeError::new)?;
    for (number, frame) in frames.iter().enumerate() {
        std::fs::write(chunks.join(format!("{number:03}")), frame.bytes()).map_err(NodeError::new)?;
    }
    let shape: Vec<String> = layout.shape().map(|size| size.to_string()).collect();
    let mut command = Command::new(python);
    command.arg("-c").arg(SCRIPT).arg(path).arg(&chunks).arg(count.to_string());
    let output = command.args([layout.dtype().name(), codec, &shape.join("x")]).output();
    let output = output.map_err(NodeError::new)?;
    let said = String::from_utf8_lossy(&output.stdout);
    let rate = said.trim().parse().map_err(|_| {
        let found = String::from_utf8_lossy(&output.stderr);
        NodeError::new(format!(
            "wanted a Python with h5py (`bash tools/peers.sh hdf5` prints one), found: {found}"
        ))
    })?;
    Ok((rate, vec![]))
}
