//! Groups: the names of their members.

use super::fractal::Heap;
use super::header::{Message, kind};
use super::input::{Fields, Input};
use super::tree2;
use crate::{Error, Result};

/// Levels of a B-tree of version 1.
const MOST_DEEP: u8 = 32;

/// The target of a name in a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Link {
    /// The header of an object of the same file.
    Hard(u64),
    /// A path in the same file.
    Soft(String),
    /// A file, and a path in it.
    External(String, String),
}

/// The links of the group that these messages describe, in no order; `None` if it is no group.
pub(super) fn links(input: &Input<'_>, messages: &[Message]) -> Result<Option<Vec<(String, Link)>>> {
    let (mut found, mut is_group) = (Vec::new(), false);
    for message in messages {
        is_group |= matches!(message.kind, kind::LINK_INFO | kind::LINK | kind::SYMBOL_TABLE);
        match message.kind {
            kind::LINK => found.extend(link(&mut message.fields())?),
            kind::LINK_INFO => dense(input, message, &mut found)?,
            kind::SYMBOL_TABLE => {
                let mut fields = message.fields();
                let (tree, heap) = (fields.uint(8)?, fields.uint(8)?);
                let names = Names::open(input, heap)?;
                entries(input, tree, Some(MOST_DEEP), &names, &mut found)?;
            }
            _ => {}
        }
    }
    Ok(is_group.then_some(found))
}

/// A link message; `None` if it is of a kind that a user has defined.
fn link(fields: &mut Fields<'_>) -> Result<Option<(String, Link)>> {
    fields.skip(1)?;
    let flags = fields.u8()?;
    // The kind is left out for hard links.
    let kind = if flags & 8 != 0 { fields.u8()? } else { 0 };
    fields.skip(if flags & 4 != 0 { 8 } else { 0 })?;
    // The encoding of the name is read as UTF-8, of which ASCII is a part.
    fields.skip(usize::from(flags & 0x10 != 0))?;
    let length = fields.uint(1 << (flags & 3))?;
    let name = fields.text(usize::try_from(length).unwrap_or(usize::MAX))?;
    let link = match kind {
        0 => Link::Hard(fields.uint(8)?),
        1 => {
            let length = fields.uint(2)? as usize;
            Link::Soft(fields.text(length)?)
        }
        64 => {
            fields.skip(3)?;
            let file = fields.until_zero()?;
            Link::External(file, fields.until_zero()?)
        }
        // Links that a user has defined need the program that defined them.
        _ => return Ok(None),
    };
    Ok(Some((name, link)))
}

/// Links in a heap, which the names in a B-tree lead to.
fn dense(input: &Input<'_>, message: &Message, found: &mut Vec<(String, Link)>) -> Result<()> {
    let mut fields = message.fields();
    fields.skip(1)?;
    let has_order = fields.u8()? & 1 != 0;
    fields.skip(if has_order { 8 } else { 0 })?;
    // A group with few links has no heap.
    let (Some(heap), Some(names)) = (fields.address()?, fields.address()?) else { return Ok(()) };
    let heap = Heap::open(input, heap)?;
    for record in tree2::records(input, names)?.iter() {
        // The hash of the name comes first.
        let (body, at) = heap.object(record.get(4..).unwrap_or_default())?;
        found.extend(link(&mut Fields::new(&body, at))?);
    }
    Ok(())
}

/// A local heap: the names of an old group.
struct Names {
    bytes: Vec<u8>,
    at: u64,
}

impl Names {
    fn open(input: &Input<'_>, at: u64) -> Result<Names> {
        let head = input.read(at, 32)?;
        if !head.starts_with(b"HEAP\0") {
            return Err(Error::new("HEAP", "something else").at(at));
        }
        let mut fields = Fields::new(&head[8..], at + 8);
        let (bytes, _, at) = (fields.uint(8)?, fields.uint(8)?, fields.uint(8)?);
        Ok(Names { bytes: input.read(at, bytes)?, at })
    }

    fn name(&self, offset: u64) -> Result<String> {
        // An offset is the file's claim.
        let rest = usize::try_from(offset).ok().and_then(|offset| self.bytes.get(offset..));
        let rest = rest.ok_or_else(|| Error::new("a name within its heap", "one behind it").at(self.at))?;
        Fields::new(rest, self.at.saturating_add(offset)).until_zero()
    }
}

/// The entries below a node of the B-tree of an old group. `highest` is the highest level that the node may have, `None` below level 0,
/// where only leaves are: levels fall, so that a node that names itself below itself comes to an end.
fn entries(
    input: &Input<'_>,
    at: u64,
    highest: Option<u8>,
    names: &Names,
    found: &mut Vec<(String, Link)>,
) -> Result<()> {
    let head = input.read(at, 8)?;
    if head.starts_with(b"SNOD\x01") {
        return symbols(input, at, Fields::new(&head[6..], at + 6).uint(2)?, names, found);
    }
    if !head.starts_with(b"TREE\x00") {
        return Err(Error::new("a B-tree of names", "something else").at(at));
    }
    let (level, count) = (head[5], Fields::new(&head[6..], at + 6).uint(2)?);
    if highest.is_none_or(|highest| level > highest) {
        return Err(Error::new("a level below that of the node above", level.to_string()).at(at));
    }
    let body = input.read(at + 24, count * 16 + 8)?;
    let mut fields = Fields::new(&body, at + 24);
    for _ in 0..count {
        // The keys are not needed: the entries have the names.
        fields.skip(8)?;
        entries(input, fields.uint(8)?, level.checked_sub(1), names, found)?;
    }
    Ok(())
}

fn symbols(
    input: &Input<'_>,
    at: u64,
    count: u64,
    names: &Names,
    found: &mut Vec<(String, Link)>,
) -> Result<()> {
    let body = input.read(at + 8, count * 40)?;
    let mut fields = Fields::new(&body, at + 8);
    for _ in 0..count {
        let (name, header, kind) = (names.name(fields.uint(8)?)?, fields.uint(8)?, fields.uint(4)?);
        fields.skip(4)?;
        let value = fields.uint(4)?;
        fields.skip(12)?;
        let soft = 2;
        let link = if kind == soft { Link::Soft(names.name(value)?) } else { Link::Hard(header) };
        found.push((name, link));
    }
    Ok(())
}
