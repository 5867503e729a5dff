//! Which elements of which data sets a virtual data set shows.

use super::global;
use super::input::{Fields, Input};
use crate::Result;

/// Mappings of one data set.
const MOST_MAPPINGS: u64 = 1 << 20;
// HDF5 itself has no more axes.
const MOST_AXES: u64 = 32;

/// A part of a virtual data set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mapping {
    /// The other file; `.` is the same. May have `%b`, which becomes the number of the block.
    pub(super) file: String,
    /// The data set in it; may have `%b`, too.
    pub(super) data_set: String,
    pub(super) source: Selection,
    pub(super) target: Selection,
}

/// Begin and length of pieces.
type Pieces = Vec<(u64, u64)>;

/// Some elements of a data set: rows, and of the other axes a piece without gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Selection {
    All,
    Some {
        rows: Rows,
        /// Begin and length on the other axes.
        others: Pieces,
    },
}

/// Positions along the first axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Rows {
    /// Blocks at the same distance; `None`: without end. A block of `u64::MAX` has no end either.
    Regular { start: u64, stride: u64, count: Option<u64>, block: u64 },
    /// Begin and length of each.
    Blocks(Pieces),
}

impl Rows {
    /// The position of the row `row` among the rows; `None` if it is not one of them.
    pub(super) fn position(&self, row: u64) -> Option<u64> {
        match self {
            Rows::Regular { start, stride, count, block } => {
                let from = row.checked_sub(*start)?;
                let (number, within) = (from / stride, from % stride);
                // A row between two blocks belongs to none.
                let is_in = within < *block && count.is_none_or(|count| number < count);
                is_in.then(|| number.saturating_mul(*block).saturating_add(within))
            }
            Rows::Blocks(blocks) => {
                let mut before = 0u64;
                for (start, length) in blocks {
                    if let Some(within) = row.checked_sub(*start).filter(|within| within < length) {
                        return before.checked_add(within);
                    }
                    before = before.saturating_add(*length);
                }
                None
            }
        }
    }

    /// The row at a position; `None` behind the last one.
    pub(super) fn row(&self, position: u64) -> Option<u64> {
        match self {
            Rows::Regular { start, stride, count, block } => {
                let number = position / block;
                let is_in = count.is_none_or(|count| number < count);
                is_in
                    .then(|| start.checked_add(number.checked_mul(*stride)?)?.checked_add(position % block))?
            }
            Rows::Blocks(blocks) => {
                let mut left = position;
                for (start, length) in blocks {
                    if left < *length {
                        return start.checked_add(left);
                    }
                    left -= length;
                }
                None
            }
        }
    }

    /// How many there are below `end`.
    pub(super) fn below(&self, end: u64) -> u64 {
        match self {
            Rows::Regular { start, stride, count, block } => {
                // The last block may be cut by the end.
                let rows = end.saturating_sub(*start);
                let all = (rows / stride).saturating_mul(*block).saturating_add((rows % stride).min(*block));
                count.map_or(all, |count| all.min(count.saturating_mul(*block)))
            }
            Rows::Blocks(blocks) => {
                let here = blocks.iter().map(|(start, length)| end.saturating_sub(*start).min(*length));
                here.fold(0, u64::saturating_add)
            }
        }
    }

    /// Which block a row is in, counted along the axis.
    pub(super) fn block(&self, row: u64) -> u64 {
        match self {
            Rows::Regular { start, stride, .. } => row.saturating_sub(*start) / stride,
            Rows::Blocks(_) => 0,
        }
    }

    /// Whether there is no last row.
    pub(super) fn is_endless(&self) -> bool {
        match self {
            // A block without an end has no rows behind it.
            Rows::Regular { count, block, .. } => count.is_none() || *block == u64::MAX,
            Rows::Blocks(_) => false,
        }
    }
}

impl Selection {
    /// The rows, if they are not all.
    pub(super) fn rows(&self) -> Option<&Rows> {
        match self {
            Selection::All => None,
            Selection::Some { rows, .. } => Some(rows),
        }
    }
}

/// The mappings that object `number` of the heap at `at` describes.
pub(super) fn mappings(input: &Input<'_>, at: u64, number: u64) -> Result<Vec<Mapping>> {
    let (body, at) = global::object(input, at, number)?;
    let mut fields = Fields::new(&body, at);
    let (version, count) = (fields.u8()?, fields.uint(8)?);
    // The number is checked before the loop, because each entry takes memory.
    if version > 1 || count > MOST_MAPPINGS {
        return Err(fields.refused("mappings of version 0 or 1", format!("{count} of version {version}")));
    }
    let mut found: Vec<Mapping> = Vec::new();
    for _ in 0..count {
        let flags = if version == 1 { fields.u8()? } else { 0 };
        let file = match flags {
            // A mapping may name its file and its data set by an earlier mapping.
            flags if flags & 4 != 0 => ".".to_owned(),
            flags if flags & 1 != 0 => earlier(&found, fields.uint(8)?, &fields)?.file.clone(),
            _ => fields.until_zero()?,
        };
        let data_set = match flags & 2 != 0 {
            true => earlier(&found, fields.uint(8)?, &fields)?.data_set.clone(),
            false => fields.until_zero()?,
        };
        let (source, target) = (selection(&mut fields)?, selection(&mut fields)?);
        found.push(Mapping { file, data_set, source, target });
    }
    Ok(found)
}

fn earlier<'a>(found: &'a [Mapping], number: u64, fields: &Fields<'_>) -> Result<&'a Mapping> {
    let earlier = usize::try_from(number).ok().and_then(|number| found.get(number));
    earlier.ok_or_else(|| fields.refused("the number of an earlier mapping", number))
}

fn selection(fields: &mut Fields<'_>) -> Result<Selection> {
    let (kind, version) = (fields.uint(4)?, fields.uint(4)?);
    match (kind, version) {
        (3, _) => fields.skip(8).map(|()| Selection::All),
        (2, 1) => {
            fields.skip(8)?;
            let (rank, count) = (rank(fields)?, fields.uint(4)?);
            blocks(fields, rank, count, 4)
        }
        (2, 2) => {
            fields.skip(5)?;
            let rank = rank(fields)?;
            regular(fields, rank, 8)
        }
        (2, 3) => {
            let (flags, bytes) = (fields.u8()?, usize::from(fields.u8()?));
            let rank = rank(fields)?;
            if !matches!(bytes, 2 | 4 | 8) {
                // Other widths do not exist in HDF5, and would make wrong numbers of the bytes.
                return Err(fields.refused("numbers of 2, 4 or 8 bytes", bytes));
            }
            if flags & 1 != 0 {
                return regular(fields, rank, bytes);
            }
            let count = fields.uint(bytes)?;
            blocks(fields, rank, count, bytes)
        }
        _ => {
            Err(fields
                .refused("rows of a data set, or all", format!("selection {kind} of version {version}")))
        }
    }
}

fn rank(fields: &mut Fields<'_>) -> Result<u64> {
    match fields.uint(4)? {
        rank @ 1..=MOST_AXES => Ok(rank),
        rank => Err(fields.refused("1 to 32 axes", rank)),
    }
}

fn regular(fields: &mut Fields<'_>, rank: u64, bytes: usize) -> Result<Selection> {
    // All bits set stand for no end, in numbers of any width.
    let endless = if bytes == 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
    let (mut rows, mut others) = (None, Vec::new());
    for axis in 0..rank {
        let [start, stride, count, block] =
            [fields.uint(bytes)?, fields.uint(bytes)?, fields.uint(bytes)?, fields.uint(bytes)?];
        if stride == 0 || block == 0 || (count > 1 && block > stride && block != endless) {
            return Err(
                fields.refused("blocks that do not overlap", format!("{block} at distances of {stride}"))
            );
        }
        if axis == 0 {
            let block = if block == endless { u64::MAX } else { block };
            // A single block has no distance to the next one.
            let stride = if count == 1 { u64::MAX } else { stride };
            rows = Some(Rows::Regular { start, stride, count: Some(count).filter(|c| *c != endless), block });
        // Blocks that touch are one piece.
        } else if count == 1 || stride == block {
            others.push((start, count.saturating_mul(block)));
        } else {
            return Err(fields.refused("pieces without gaps on all axes but the first", "gaps"));
        }
    }
    let rows = rows.ok_or_else(|| fields.refused("1 to 32 axes", 0))?;
    Ok(Selection::Some { rows, others })
}

/// A list of blocks, which must differ along the first axis only.
fn blocks(fields: &mut Fields<'_>, rank: u64, count: u64, bytes: usize) -> Result<Selection> {
    let (mut all, mut others) = (Pieces::new(), None::<Pieces>);
    for _ in 0..count {
        let starts = (0..rank).map(|_| fields.uint(bytes)).collect::<Result<Vec<u64>>>()?;
        let ends = (0..rank).map(|_| fields.uint(bytes)).collect::<Result<Vec<u64>>>()?;
        let length = |(start, end): (&u64, &u64)| Some((*start, end.checked_sub(*start)?.checked_add(1)?));
        let piece: Option<Pieces> = starts.iter().zip(&ends).map(length).collect();
        let piece =
            piece.ok_or_else(|| fields.refused("blocks that end behind their begin", "one before it"))?;
        let Some((first, rest)) = piece.split_first() else { continue };
        // One piece for all rows keeps the read of a row simple and fast.
        if others.get_or_insert_with(|| rest.to_vec()) != rest {
            return Err(fields.refused("blocks that differ along the first axis only", "others"));
        }
        all.push(*first);
    }
    // An empty selection has no block.
    Ok(Selection::Some { rows: Rows::Blocks(together(all)), others: others.unwrap_or_default() })
}

/// Blocks that touch are one.
fn together(mut blocks: Pieces) -> Pieces {
    let mut all = Pieces::with_capacity(blocks.len());
    for (start, length) in blocks.drain(..) {
        match all.last_mut() {
            Some(last) if last.0.saturating_add(last.1) == start => last.1 = last.1.saturating_add(length),
            _ => all.push((start, length)),
        }
    }
    all
}
