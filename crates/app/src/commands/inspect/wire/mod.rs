//! Raw frames of the wire readout, bare or in FELIX blocks.

mod found;
mod link;
mod samples;
mod text;

use std::io::{self, Read};
use std::path::Path;

use livetime_formats::felix::{Assembler, Block, BlockReader, Counts};
use livetime_formats::file::{Format, RecordedFile, unpacked_of};
use livetime_formats::wib::{DumpLayout, DumpReader, Faults, RawFormat};
use livetime_formats::{Error, Result};

use super::report::Report;
use crate::output::Exit;
use found::{Found, Layout};
use link::Link;

/// The content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Frames of a link.
    Dump,
    /// FELIX blocks.
    Blocks,
}

/// So much of a file is looked at to recognise it.
const LOOK: u64 = 1 << 20;
/// Blocks that begin further behind the begin of a file are none.
const MOST_BEFORE_BLOCKS: u64 = 1 << 16;
/// Frames that are read at once.
const FRAMES: usize = 1024;
/// The longest chunk.
const MOST_CHUNK: usize = 1 << 20;

/// Whether the file holds raw frames, by its content; files with the name of another format are left to that.
pub(super) fn recognise(path: &Path, file: RecordedFile) -> Result<Option<Content>> {
    if Format::of(path).is_some() {
        return Ok(None);
    }
    let failed = |error| Error::io("to read the file", error).in_file(path);
    // A file that cannot be unpacked is left to the other readers.
    let Ok(begin) = begin_of(file) else { return Ok(None) };
    // Blocks hold frames, so they come first.
    let mut blocks = BlockReader::new(&begin[..]);
    let is_blocks = blocks.next_block().map_err(failed)?.is_some_and(|block| Block::parse(block).is_ok());
    // A single block may be chance: a second one confirms it.
    if is_blocks && blocks.skipped() < MOST_BEFORE_BLOCKS && blocks.next_block().map_err(failed)?.is_some() {
        return Ok(Some(Content::Blocks));
    }
    let is_dump = DumpReader::new(&begin[..]).next_stamp().map_err(failed)?.is_some();
    Ok(is_dump.then_some(Content::Dump))
}

/// The begin of a file, unpacked if it is packed, as far as it can be read.
fn begin_of(file: RecordedFile) -> io::Result<Vec<u8>> {
    let mut begin = Vec::new();
    let read = unpacked_of(file)?.take(LOOK).read_to_end(&mut begin);
    // The begin of a packed file that is cut off is enough.
    if begin.is_empty() { read.map(|_| begin) } else { Ok(begin) }
}

/// The report of the file.
pub(super) fn report(path: &Path, file: RecordedFile, size: u64, content: Content) -> Result<Report> {
    let failed = |error| Error::io("to read the file", error).in_file(path);
    let input = unpacked_of(file).map_err(failed)?;
    let found = match content {
        Content::Dump => dump(DumpReader::new(input)),
        Content::Blocks => blocks(BlockReader::new(input)),
    };
    let mut found = found.map_err(failed)?;
    found.links.iter_mut().for_each(Link::finish);
    let exit = if found.has_losses() { Exit::Loss } else { Exit::Ok };
    Ok(Report { text: text::text(path, size, &found), json: text::json(path, size, &found), exit })
}

fn dump(mut reader: DumpReader<impl Read>) -> io::Result<Found> {
    let mut links: Vec<Link> = Vec::new();
    while let Some((frames, format)) = next_frames(&mut reader)? {
        if links.is_empty() {
            links.push(Link::new(None, format));
        }
        links.iter_mut().for_each(|link| link.frames(frames, Faults::NONE));
    }
    let bare = DumpLayout::ALL[0];
    let layout = Layout::Dump(reader.layout().unwrap_or(bare));
    let broken = reader.broken().map(|broken| broken.to_string());
    Ok(Found { layout, skipped: reader.skipped(), broken, links })
}

fn next_frames<R: Read>(reader: &mut DumpReader<R>) -> io::Result<Option<(&[u8], RawFormat)>> {
    reader.next_stamp()?;
    let Some(layout) = reader.layout() else { return Ok(None) };
    Ok(reader.next_frames(FRAMES)?.map(|frames| (&*frames, layout.format)))
}

fn blocks(mut reader: BlockReader<impl Read>) -> io::Result<Found> {
    let mut elinks: Vec<(u16, Assembler, Option<Link>)> = Vec::new();
    let (mut unknown_chunks, mut bad_blocks) = (0, 0);
    while let Some(bytes) = reader.next_block()? {
        let Ok(block) = Block::parse(bytes) else {
            bad_blocks += 1;
            continue;
        };
        let known = elinks.iter().position(|elink| elink.0 == block.elink());
        let at = known.unwrap_or(elinks.len());
        if known.is_none() {
            elinks.push((block.elink(), Assembler::new(MOST_CHUNK), None));
        }
        let (number, assembler, link) = &mut elinks[at];
        let read = assembler.block(bytes, |chunk, faults| {
            // The first chunk that is recognised sets the format of its link.
            let format = link.as_ref().map(Link::format).or_else(|| RawFormat::of_chunk(chunk));
            let Some(format) = format else {
                unknown_chunks += 1;
                return;
            };
            let faults = Faults::NONE
                .with(Faults::CRC, faults.crc_error)
                .with(Faults::CHUNK, faults.error)
                .with(Faults::CUT, faults.truncated);
            link.get_or_insert_with(|| Link::new(Some(*number), format)).frames(chunk, faults);
        });
        bad_blocks += u64::from(read.is_err());
    }
    let mut counts = Counts { blocks: reader.blocks(), bad_blocks, ..Counts::default() };
    for one in elinks.iter().map(|(_, assembler, _)| assembler.counts()) {
        counts.missing_blocks += one.missing_blocks;
        counts.chunks += one.chunks;
        counts.lost_chunks += one.lost_chunks;
        counts.faulty_chunks += one.faulty_chunks;
    }
    let layout = Layout::Blocks { bytes: reader.size().unwrap_or(0), counts, unknown_chunks };
    let links = elinks.into_iter().filter_map(|(.., link)| link).collect();
    let broken = reader.broken().map(|broken| broken.to_string());
    Ok(Found { layout, skipped: reader.skipped(), broken, links })
}
