//! Shapes, and attributes.

use livetime_frame::AttributeValue;

use super::fractal::Heap;
use super::header::{Message, kind};
use super::input::{Fields, Input};
use super::kind::ElementKind;
use super::tree2;
use crate::{Error, Result};

/// Axes of a data set.
const MOST_AXES: usize = 32;

/// The sizes of a data set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Space {
    pub(super) shape: Vec<u64>,
    /// How large each axis may become; `None`: without bound.
    pub(super) most: Vec<Option<u64>>,
    /// There is no value at all.
    pub(super) is_null: bool,
}

impl Space {
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Space> {
        let (version, rank, flags) = (fields.u8()?, fields.u8()? as usize, fields.u8()?);
        if rank > MOST_AXES || !matches!(version, 1 | 2) {
            let found = format!("version {version} with {rank} axes");
            return Err(Error::new(format!("at most {MOST_AXES} axes"), found).at(fields.place()));
        }
        let class = if version == 1 { fields.skip(5).map(|()| 1)? } else { fields.u8()? };
        let shape = (0..rank).map(|_| fields.uint(8)).collect::<Result<Vec<u64>>>()?;
        let most = match flags & 1 {
            0 => shape.iter().copied().map(Some).collect(),
            _ => (0..rank).map(|_| fields.address()).collect::<Result<_>>()?,
        };
        Ok(Space { shape, most, is_null: version == 2 && class == 2 })
    }

    /// How many elements there are.
    pub(super) fn count(&self) -> Option<u64> {
        let all = self.shape.iter().try_fold(1u64, |all, size| all.checked_mul(*size));
        // A null space has no elements, whatever its shape.
        if self.is_null { Some(0) } else { all }
    }
}

/// The attributes of an object. One that cannot be read has no values.
pub(super) fn attributes(
    input: &Input<'_>,
    messages: &[Message],
) -> Result<Vec<(String, Vec<AttributeValue>)>> {
    let mut found = Vec::new();
    for message in messages {
        match message.kind {
            kind::ATTRIBUTE if !message.is_shared => found.push(attribute(input, message.fields())?),
            kind::ATTRIBUTE_INFO => dense(input, message, &mut found)?,
            _ => {}
        }
    }
    Ok(found)
}

fn attribute(input: &Input<'_>, mut fields: Fields<'_>) -> Result<(String, Vec<AttributeValue>)> {
    let (version, flags) = (fields.u8()?, fields.u8()?);
    if !matches!(version, 1..=3) {
        return Err(fields.refused("an attribute of version 1 to 3", version));
    }
    let sizes = [fields.uint(2)? as usize, fields.uint(2)? as usize, fields.uint(2)? as usize];
    fields.skip(usize::from(version == 3))?;
    let mut part = |size: usize| {
        // The parts of version 1 are padded to 8 bytes.
        let (at, padded) = (fields.place(), if version == 1 { size.next_multiple_of(8) } else { size });
        fields.take(padded).map(|bytes| (&bytes[..size], at))
    };
    let (name, at) = part(sizes[0])?;
    let name = Fields::new(name, at).until_zero().unwrap_or_else(|_| String::from_utf8_lossy(name).into());
    let ((element, element_at), (space, space_at)) = (part(sizes[1])?, part(sizes[2])?);
    // A type that is stored once for several objects.
    if flags & 1 != 0 {
        return Ok((name, Vec::new()));
    }
    let element = ElementKind::read(&mut Fields::new(element, element_at))?;
    let space = Space::read(&mut Fields::new(space, space_at))?;
    let bytes = space.count().and_then(|count| count.checked_mul(element.bytes.into()));
    // Too many bytes for memory are too many for the file, too: `take` refuses them.
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX);
    Ok((name, element.values(fields.take(bytes)?, Some(input))))
}

fn dense(input: &Input<'_>, message: &Message, found: &mut Vec<(String, Vec<AttributeValue>)>) -> Result<()> {
    let mut fields = message.fields();
    fields.skip(1)?;
    let has_order = fields.u8()? & 1 != 0;
    fields.skip(if has_order { 2 } else { 0 })?;
    let (Some(heap), Some(names)) = (fields.address()?, fields.address()?) else { return Ok(()) };
    let heap = Heap::open(input, heap)?;
    for record in tree2::records(input, names)?.iter() {
        let (body, at) = heap.object(record.get(..8).unwrap_or_default())?;
        found.push(attribute(input, Fields::new(&body, at))?);
    }
    Ok(())
}
