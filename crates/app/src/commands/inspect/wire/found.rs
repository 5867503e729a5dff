//! The frames and blocks of a file.

use livetime_formats::felix::Counts;
use livetime_formats::wib::DumpLayout;

use super::link::Link;

/// The frames and blocks that were found in a file.
pub(super) struct Found {
    pub(super) layout: Layout,
    /// Bytes that belong to no frame or block.
    pub(super) skipped: u64,
    /// Where the file is cut off or damaged so that nothing more can be read.
    pub(super) broken: Option<String>,
    pub(super) links: Vec<Link>,
}

/// How the frames lie.
pub(super) enum Layout {
    Dump(DumpLayout),
    Blocks { bytes: usize, counts: Counts, unknown_chunks: u64 },
}

impl Found {
    /// Whether anything is missing, or not as it should be.
    pub(super) fn has_losses(&self) -> bool {
        let lost_blocks = match &self.layout {
            Layout::Dump(_) => 0,
            Layout::Blocks { counts, unknown_chunks, .. } => {
                counts.bad_blocks + counts.missing_blocks + counts.lost_chunks + unknown_chunks
            }
        };
        self.broken.is_some() || self.skipped + lost_blocks > 0 || self.links.iter().any(Link::has_losses)
    }
}

impl Layout {
    pub(super) fn name(&self) -> String {
        match self {
            Layout::Dump(layout) if layout.stride == layout.format.bytes() => layout.format.name().into(),
            Layout::Dump(layout) => format!("{} every {} bytes", layout.format.name(), layout.stride),
            Layout::Blocks { bytes, .. } => format!("FELIX blocks of {bytes} bytes"),
        }
    }
}
