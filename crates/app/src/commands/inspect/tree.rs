//! Every datagram with its content, one line each.

use std::path::Path;

use livetime_formats::file::{Broken, End, Head, Heads, Place, ReadAt, RecordedFile, Walker, header_at};
use livetime_formats::{Result, xtc1, xtc2};

use super::report::{FileFailure, heading};
use crate::output::Output;
use crate::report::numbers::utc;

/// Lines are written in pieces of about so many bytes.
const PIECE: usize = 64 << 10;

/// Returns whether the file is whole as far as it was looked at.
pub(super) fn lcls1(
    path: &Path,
    file: &RecordedFile,
    first: Option<u64>,
    output: &mut Output,
) -> std::result::Result<bool, FileFailure> {
    let line = |header: &xtc1::DatagramHeader| {
        let (stamp, env) = (header.stamp, header.env.0);
        let root = if header.root.damage.is_none() {
            "".into()
        } else {
            format!(", damage: {}", header.root.damage)
        };
        format!("{} fiducial {:#x} env {env:#x}{root}", header.transition(), stamp.fiducial())
    };
    tree(path, file, first, output, "XTC of LCLS-I", line, |heads, offset, header, lines| {
        let mut walker = Walker::<xtc1::XtcHeader>::new(
            offset + xtc1::DatagramHeader::ROOT as u64,
            offset + header.length(),
        );
        while let Some(found) = walker.step(|at| header_at::<xtc1::XtcHeader, _>(heads.window(), at))? {
            lines.add(found, |header| {
                let xtc1::XtcHeader { damage, src, type_id, extent } = header;
                let damage = if damage.is_none() { String::new() } else { format!(", damage: {damage}") };
                format!("{type_id} {src} {extent} bytes{damage}")
            });
        }
        Ok(())
    })
}

/// The same for LCLS-II.
pub(super) fn lcls2(
    path: &Path,
    file: &RecordedFile,
    first: Option<u64>,
    output: &mut Output,
) -> std::result::Result<bool, FileFailure> {
    let line = |header: &xtc2::DatagramHeader| format!("{} env {:#x}", header.transition(), header.env);
    let mut names = xtc2::NamesTable::default();
    tree(path, file, first, output, "XTC of LCLS-II", line, |heads, offset, header, lines| {
        // Names come with changes of state, never with events.
        if !header.is_event() {
            let bytes = heads.window().get(offset, header.length() as usize)?;
            names.update(&xtc2::Datagram::parse(bytes)?);
        }
        let mut walker = Walker::<xtc2::XtcHeader>::new(
            offset + xtc2::DatagramHeader::ROOT as u64,
            offset + header.length(),
        );
        while let Some(found) = walker.step(|at| header_at::<xtc2::XtcHeader, _>(heads.window(), at))? {
            lines.add(found, |header| node(header, &names));
        }
        Ok(())
    })
}

fn node(header: &xtc2::XtcHeader, names: &xtc2::NamesTable) -> String {
    let is_named = matches!(header.kind(), xtc2::XtcKind::Names | xtc2::XtcKind::ShapesData);
    let named = names.get(header.names_id()).filter(|_| is_named);
    let whose =
        named.map_or_else(String::new, |n| format!(" {} {} segment {}", n.detector, n.algorithm, n.segment));
    let damage = if header.damage.is_none() { String::new() } else { format!(", damage: {}", header.damage) };
    format!("{:?}{whose} {} bytes{damage}", header.kind(), header.extent)
}

/// Text that waits to be written.
struct Lines {
    text: String,
    is_sound: bool,
}

impl Lines {
    /// A line for what a walker has found below the root: a node as `words` say it, or a broken rest.
    fn add<H>(&mut self, found: std::result::Result<Place<H>, Broken>, words: impl FnOnce(&H) -> String) {
        let (depth, offset, what) = match found {
            // The root has a line already.
            Ok(place) if place.depth == 0 => return,
            Ok(place) => (place.depth, place.offset, words(&place.header)),
            Err(Broken { depth, offset, length, error }) => {
                self.is_sound = false;
                (depth, offset, format!("BROKEN, {length} bytes: {error}"))
            }
        };
        self.text += &format!("{offset:>12} {:1$}{what}\n", "", 2 * depth);
    }
}

fn tree<H: Head>(
    path: &Path,
    file: &RecordedFile,
    first: Option<u64>,
    output: &mut Output,
    what: &str,
    line: impl Fn(&H) -> String,
    mut inside: impl FnMut(&mut Heads<H, &RecordedFile>, u64, &H, &mut Lines) -> Result<()>,
) -> std::result::Result<bool, FileFailure> {
    let mut heads = Heads::<H, &RecordedFile>::new(file);
    let mut lines = Lines { text: String::new(), is_sound: true };
    let (mut count, mut broken) = (0, None);
    while first.is_none_or(|first| count < first) {
        let (offset, header) = match heads.next() {
            Ok(Some(found)) => found,
            Ok(None) => break,
            // An error of the system says nothing about the file.
            Err(error) if error.io_error().is_some() => return Err(error.into()),
            Err(error) => {
                broken = Some(error);
                break;
            }
        };
        let time = utc(header.time_ns());
        lines.text += &format!("{offset:>12} {time} {} bytes {}\n", header.length(), line(&header));
        inside(&mut heads, offset, &header, &mut lines)?;
        count += 1;
        if lines.text.len() > PIECE {
            output.data(&std::mem::take(&mut lines.text))?;
        }
    }
    let end = heads.end();
    let size = file.size().unwrap_or(end.offset());
    let stopped = first.is_some_and(|first| count == first);
    if !stopped {
        lines.text += &heading(path, what, size, count, end, broken.as_ref());
    }
    output.data(&lines.text)?;
    // After an early stop, the end of the file is not known.
    Ok(lines.is_sound && broken.is_none() && (stopped || matches!(end, End::Whole { .. })))
}
