//! How the elements of a data set lie in the file.

use super::super::bytes::NOWHERE;
use super::header::Message;
use super::input::{Fields, Input};
use super::selection::{Mapping, mappings};
use crate::{Error, Result};

/// Where the elements are.
#[derive(Debug)]
pub(super) enum Layout {
    /// In the header.
    Compact(Vec<u8>),
    /// Behind one another; `None`: they were never written.
    Contiguous(Option<u64>),
    /// In chunks of this shape.
    Chunked { chunk: Vec<u64>, index: Index, at: Option<u64> },
    /// In other data sets.
    Virtual(Vec<Mapping>),
}

/// How chunks are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Index {
    /// There is one; with its length and mask if it is compressed.
    Single(Option<(u64, u32)>),
    Implicit,
    FixedArray,
    ExtensibleArray,
    Tree1,
    Tree2,
}

const COMPACT: u8 = 0;
const CONTIGUOUS: u8 = 1;
const CHUNKED: u8 = 2;
const VIRTUAL: u8 = 3;

/// The layout of a data set with `rank` axes.
pub(super) fn layout(input: &Input<'_>, message: &Message, rank: usize) -> Result<Layout> {
    let mut fields = message.fields();
    match fields.u8()? {
        1 | 2 => first(&mut fields, rank),
        3 => {
            let class = fields.u8()?;
            match class {
                CHUNKED => {
                    let sizes = usize::from(fields.u8()?);
                    let at = fields.address()?;
                    let chunk = chunk_shape(&mut fields, sizes, 4, rank)?;
                    Ok(Layout::Chunked { chunk, index: Index::Tree1, at })
                }
                class => plain(&mut fields, class),
            }
        }
        4 | 5 => match fields.u8()? {
            CHUNKED => chunked(&mut fields, rank),
            VIRTUAL => {
                let (at, number) = (fields.address()?, fields.uint(4)?);
                let at = at.map(|at| mappings(input, at, number)).transpose()?;
                Ok(Layout::Virtual(at.unwrap_or_default()))
            }
            class => plain(&mut fields, class),
        },
        version => Err(fields.refused("a layout of version 1 to 5", version)),
    }
}

/// Versions 1 and 2, which HDF5 wrote before 2004.
fn first(fields: &mut Fields<'_>, rank: usize) -> Result<Layout> {
    let (sizes, class) = (usize::from(fields.u8()?), fields.u8()?);
    fields.skip(5)?;
    // A compact layout has no address.
    let at = if class == COMPACT { None } else { fields.address()? };
    if class == CHUNKED {
        return Ok(Layout::Chunked { chunk: chunk_shape(fields, sizes, 4, rank)?, index: Index::Tree1, at });
    }
    fields.skip(4 * sizes)?;
    match class {
        COMPACT => {
            let bytes = fields.uint(4)? as usize;
            fields.take(bytes).map(|bytes| Layout::Compact(bytes.to_vec()))
        }
        CONTIGUOUS => Ok(Layout::Contiguous(at)),
        class => Err(fields.refused("a layout of class 0 to 2", class)),
    }
}

fn plain(fields: &mut Fields<'_>, class: u8) -> Result<Layout> {
    match class {
        COMPACT => {
            let bytes = fields.uint(2)? as usize;
            fields.take(bytes).map(|bytes| Layout::Compact(bytes.to_vec()))
        }
        CONTIGUOUS => fields.address().map(Layout::Contiguous),
        class => Err(fields.refused("a layout of class 0 to 3", class)),
    }
}

fn chunked(fields: &mut Fields<'_>, rank: usize) -> Result<Layout> {
    let (flags, sizes, bytes) = (fields.u8()?, usize::from(fields.u8()?), usize::from(fields.u8()?));
    let chunk = chunk_shape(fields, sizes, bytes, rank)?;
    let index = match fields.u8()? {
        1 => {
            let filtered = flags & 2 != 0;
            let one = || Ok((fields.uint(8)?, fields.uint(4)? as u32));
            Index::Single(filtered.then(one).transpose()?)
        }
        2 => Index::Implicit,
        3 => fields.skip(1).map(|()| Index::FixedArray)?,
        4 => fields.skip(5).map(|()| Index::ExtensibleArray)?,
        5 => fields.skip(6).map(|()| Index::Tree2)?,
        other => return Err(fields.refused("an index of chunks of kind 1 to 5", other)),
    };
    Ok(Layout::Chunked { chunk, index, at: fields.address()? })
}

/// The shape of a chunk, behind which the size of an element follows.
fn chunk_shape(fields: &mut Fields<'_>, sizes: usize, bytes: usize, rank: usize) -> Result<Vec<u64>> {
    // HDF5 counts the element as one axis more.
    if sizes != rank + 1 || !(1..=8).contains(&bytes) {
        let found = format!("{sizes} sizes of {bytes} bytes");
        return Err(Error::new(format!("a size for each of {rank} axes and one for elements"), found)
            .at(fields.place()));
    }
    let shape = (0..rank).map(|_| fields.uint(bytes)).collect::<Result<Vec<u64>>>()?;
    fields.skip(bytes)?;
    // Places are divided by these sizes.
    if shape.iter().any(|size| *size == 0 || *size == NOWHERE) {
        return Err(fields.refused("chunks of at least one element", format!("{shape:?}")));
    }
    Ok(shape)
}
