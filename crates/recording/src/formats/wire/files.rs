//! Files of the wire readout: how they are recognised, and which of them belong together.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use livetime_formats::felix::{Block, BlockReader};
use livetime_formats::file::{IN_PROGRESS, Stores, folder_of, unpacked_of};
use livetime_formats::wib::DumpReader;
use livetime_formats::{Error, Result};

/// First bytes of a file that are unpacked to recognise it: more than a hundred WIBEth frames.
const LOOK: u64 = 1 << 20;
/// Most bytes before the first FELIX block. Blocks further behind are taken for chance patterns in other data.
const MOST_BEFORE_BLOCKS: u64 = 1 << 16;

/// Whether a file holds raw frames of a link, also packed with Zstandard, by its content.
pub(super) fn is_dump(path: &Path, stores: &Stores) -> bool {
    use std::io::Read;
    let Ok(file) = stores.open(path) else { return false };
    let Ok(input) = unpacked_of(file) else { return false };
    let mut begin = Vec::new();
    // Packed data that cannot be unpacked to the end may still begin with frames.
    let _ = input.take(LOOK).read_to_end(&mut begin);
    !is_blocks(&begin) && matches!(DumpReader::new(&begin[..]).next_stamp(), Ok(Some(_)))
}

/// FELIX blocks hold frames too, in pieces.
fn is_blocks(begin: &[u8]) -> bool {
    let mut blocks = BlockReader::new(begin);
    let is_block = matches!(blocks.next_block(), Ok(Some(block)) if Block::parse(block).is_ok());
    is_block && blocks.skipped() < MOST_BEFORE_BLOCKS && matches!(blocks.next_block(), Ok(Some(_)))
}

/// The files of all links that `wib_dump` wrote beside `path`, as `NAME_0001-l03.wib`; else the file alone.
pub(super) fn files_of(path: &Path, stores: &Stores) -> Result<Vec<PathBuf>> {
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let Some(known) = name(path) else { return Ok(vec![path.to_owned()]) };
    let Some(begin) = before_link(&known) else { return Ok(vec![path.to_owned()]) };
    let folder = folder_of(path);
    let listed = match stores.list(folder) {
        // A server that lists nothing still has the file itself.
        Err(e) if e.kind() == ErrorKind::Unsupported => return Ok(vec![path.to_owned()]),
        listed => listed.map_err(|e| Error::io("to list the folder", e).in_file(folder))?,
    };
    let mut files = Vec::new();
    for found in listed {
        if name(&found).is_some_and(|name| before_link(&name) == Some(begin)) {
            files.push(path.with_file_name(found.file_name().unwrap_or_default()));
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a file that is being written will have this ending: it may have nothing yet by which it can be recognised.
pub(super) fn will_be(path: &Path, ending: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.and_then(|name| name.strip_suffix(IN_PROGRESS)?.strip_suffix('.'));
    name.is_some_and(|name| name.ends_with(ending))
}

/// `NAME_0001` of `NAME_0001-l03.wib`, also while it is written.
fn before_link(name: &str) -> Option<&str> {
    let name = name.strip_suffix(IN_PROGRESS).and_then(|name| name.strip_suffix('.')).unwrap_or(name);
    let (begin, link) = name.strip_suffix(".wib")?.rsplit_once("-l")?;
    (!link.is_empty() && link.bytes().all(|byte| byte.is_ascii_digit())).then_some(begin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_of_a_recording_belong_together() {
        assert_eq!(before_link("link_0001-l03.wib"), Some("link_0001"));
        assert_eq!(before_link("a-l1-l10.wib"), Some("a-l1"));
        assert_eq!(before_link("link_0001-l03.wib.inprogress"), Some("link_0001"));
        for other in ["link_0001.wib", "link-l.wib", "link-lx.wib", "link-l03.wib.gz"] {
            assert_eq!(before_link(other), None, "{other}");
        }
    }
}
