//! Rows that other data sets hold.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::copy::copy_box;
use super::super::file::resolve;
use super::super::selection::{Mapping, Rows, Selection};
use super::{Array, Filled, MOST_BYTES, MOST_DEEP, Scratch, Source, Stored};
use crate::{Error, Result};

/// Files that a name with `%b` may mean.
const MOST_BLOCKS: u64 = 100_000;

impl Array {
    /// The files that hold its rows and cannot be read, and why.
    pub fn missing(&self) -> Vec<String> {
        let Stored::Virtual(_, sources) = &self.stored else { return Vec::new() };
        let sources = sources.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missing: Vec<String> =
            sources.values().filter_map(|s| s.as_ref().err().map(ToString::to_string)).collect();
        missing.sort();
        missing
    }

    /// Finds out the number of rows, if the data set may grow.
    pub(super) fn measure(&mut self, depth: usize) -> Result<()> {
        let Stored::Virtual(mappings, _) = &self.stored else { return Ok(()) };
        if depth >= MOST_DEEP {
            return Err(Error::new(
                format!("at most {MOST_DEEP} virtual data sets within each other"),
                "more",
            ));
        }
        if self.space.shape.is_empty() {
            return Err(Error::new("a virtual data set with axes", "a single value").at(self.at));
        }
        let (mut rows, mut has_endless) = (0, false);
        for mapping in mappings {
            self.check_mapping(mapping)?;
            let Some(target) = mapping.target.rows().filter(|rows| rows.is_endless()) else {
                // A source that cannot be opened is an error only when it is read.
                drop(self.open_source(mapping, 0, depth));
                continue;
            };
            has_endless = true;
            rows = rows.max(self.endless_rows(mapping, target, depth));
        }
        if has_endless && let Some(first) = self.space.shape.first_mut() {
            *first = (*first).max(rows);
        }
        Ok(())
    }

    fn check_mapping(&self, mapping: &Mapping) -> Result<()> {
        let rank = self.space.shape.len();
        let Selection::Some { rows, others } = &mapping.target else { return Ok(()) };
        let fits = |((start, length), size): (&(u64, u64), &u64)| {
            start.checked_add(*length).is_some_and(|end| end <= *size)
        };
        let is_empty = matches!(rows, Rows::Blocks(blocks) if blocks.is_empty());
        let is_good = others.len() + 1 == rank && others.iter().zip(&self.space.shape[1..]).all(fits);
        if is_good || is_empty {
            return Ok(());
        }
        let found = format!("{others:?} of {:?}", self.space.shape);
        Err(Error::new("parts within the shape of the virtual data set", found).at(self.at))
    }

    /// How many rows a mapping without end has now.
    fn endless_rows(&self, mapping: &Mapping, target: &Rows, depth: usize) -> u64 {
        let is_numbered = mapping.file.contains("%b") || mapping.data_set.contains("%b");
        let behind = |position: u64| target.row(position).map_or(0, |row| row.saturating_add(1));
        if !is_numbered {
            let Ok(array) = self.open_source(mapping, 0, depth) else { return 0 };
            let positions = source_positions(mapping, &array);
            return positions.checked_sub(1).map_or(0, behind);
        }
        let mut rows = 0;
        for block in 0..MOST_BLOCKS {
            let Ok(array) = self.open_source(mapping, block, depth) else { break };
            let Rows::Regular { start, stride, .. } = target else { break };
            let begin = start.saturating_add(block.saturating_mul(*stride));
            rows = rows.max(begin.saturating_add(source_positions(mapping, &array)));
        }
        rows
    }

    /// The number of the file of a row, and the position among the rows that the mapping selects of the source.
    pub(super) fn source_of(&self, mapping: &Mapping, row: u64) -> Option<(u64, u64)> {
        let rows = match &mapping.target {
            Selection::All => return Some((0, row)),
            Selection::Some { rows, .. } => rows,
        };
        let position = rows.position(row)?;
        if mapping.file.contains("%b") || mapping.data_set.contains("%b") {
            let Rows::Regular { start, stride, .. } = rows else { return None };
            return Some((rows.block(row), (row - start) % stride));
        }
        Some((0, position))
    }

    pub(super) fn source(&self, mapping: &Mapping, block: u64) -> Source {
        self.open_source(mapping, block, 0)
    }

    fn open_source(&self, mapping: &Mapping, block: u64, depth: usize) -> Source {
        let Stored::Virtual(_, sources) = &self.stored else {
            return Err(Arc::new(Error::new("a virtual data set", "another")));
        };
        let named = |text: &str| text.replace("%b", &block.to_string());
        let key = (named(&mapping.file), named(&mapping.data_set));
        // The lock is not held while the file is opened, which may open further ones.
        if let Some(known) = sources.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let open = || {
            let file =
                if key.0 == "." { self.file.clone() } else { self.files.beside(&self.file, &key.0)? };
            let at = resolve(&self.files, &file, file.root, &key.1, 0).map_err(|e| e.in_file(&file.path))?;
            let array =
                Array::open(&self.files, &at.0, at.1, depth + 1).map_err(|e| e.in_file(&file.path))?;
            array.ok_or_else(|| Error::new("a data set", format!("`{}`", key.1)).in_file(&file.path))
        };
        let found: Source = open().map(Arc::new).map_err(Arc::new);
        if let Ok(array) = &found {
            // With a part of its row, which is copied from there.
            let memory = array.row_bytes.saturating_add(array.read_memory());
            self.read_memory.fetch_max(memory, Ordering::Relaxed);
        }
        let mut sources = sources.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have opened it meanwhile: its result stays.
        sources.entry(key).or_insert(found).clone()
    }

    pub(super) fn read_virtual(
        &self,
        mappings: &[Mapping],
        row: u64,
        output: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<Filled> {
        let mut all = Vec::new();
        let mut has_all = false;
        for mapping in mappings {
            let Some((block, position)) = self.source_of(mapping, row) else { continue };
            // Before the first part: elements that no mapping shows have the fill value.
            if all.is_empty() {
                self.nothing(output);
                self.element.swap(output);
            }
            let missing = |why| Error::io("the data of a virtual row", std::io::Error::other(why));
            let array = self.source(mapping, block).map_err(missing)?;
            if array.element.kind != self.element.kind || array.element.bytes != self.element.bytes {
                let wanted = format!("elements as in the virtual data set: {}", self.element.name());
                return Err(Error::new(wanted, array.element.name()).in_file(&array.file.path));
            }
            let (filled, is_all) = self.read_mapped(mapping, &array, position, output, scratch)?;
            has_all |= is_all;
            all.push(filled);
        }
        let covered = has_all || self.is_covered(mappings, row);
        Ok(match all.iter().copied().reduce(Filled::and) {
            None => {
                let filled = self.nothing(output);
                self.element.swap(output);
                filled
            }
            Some(Filled::Whole) if !covered => Filled::Partial,
            Some(filled) => filled,
        })
    }

    /// Whether the mappings show all elements of a row.
    fn is_covered(&self, mappings: &[Mapping], row: u64) -> bool {
        let elements = |mapping: &Mapping| match &mapping.target {
            Selection::All => self.row_bytes,
            Selection::Some { others, .. } => bytes_of_pairs(others, self.element.bytes.into()),
        };
        let here = mappings.iter().filter(|mapping| self.source_of(mapping, row).is_some());
        // An upper bound: elements that several mappings show count several times.
        here.map(elements).fold(0u64, u64::saturating_add) >= self.row_bytes
    }

    /// Reads the part of a row that a mapping shows; returns whether that is all of the row.
    fn read_mapped(
        &self,
        mapping: &Mapping,
        array: &Array,
        position: u64,
        output: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<(Filled, bool)> {
        let shape = &self.space.shape[1..];
        let into: Vec<(u64, u64)> = match &mapping.target {
            Selection::All => shape.iter().map(|size| (0, *size)).collect(),
            Selection::Some { others, .. } => others.clone(),
        };
        // A source with an axis less is one row.
        let is_row = array.space.shape.len() == shape.len() && position == 0;
        let axes =
            if is_row { &array.space.shape[..] } else { array.space.shape.get(1..).unwrap_or_default() };
        let from: Vec<(u64, u64)> = match &mapping.source {
            Selection::Some { others, .. } if !is_row => others.clone(),
            _ => axes.iter().map(|size| (0, *size)).collect(),
        };
        let lengths = |of: &[(u64, u64)]| of.iter().map(|(_, length)| *length).collect::<Vec<u64>>();
        let fits = |((start, length), size): (&(u64, u64), &u64)| {
            start.checked_add(*length).is_some_and(|end| end <= *size)
        };
        if lengths(&into) != lengths(&from) || !from.iter().zip(axes).all(fits) {
            let found = format!("{:?} of {axes:?} for {:?} of {shape:?}", from, into);
            return Err(Error::new("a part of the same shape", found).in_file(&array.file.path));
        }
        let first = if is_row { 0 } else { source_row(mapping, array, position)? };
        let count = if is_row { array.rows() } else { 1 };
        if lengths(&into) == *shape && lengths(&from) == *axes {
            return array.read_stored(first, count, output, scratch).map(|filled| (filled, true));
        }
        let bytes = count.checked_mul(array.row_bytes).filter(|bytes| *bytes <= MOST_BYTES);
        let bytes =
            bytes.ok_or_else(|| Error::new("rows of at most 4 GiB", "more").in_file(&array.file.path))?;
        // The part counts against the limit of everything that is read for it.
        let left = scratch.limit.checked_sub(bytes).ok_or_else(|| {
            let wanted = format!("parts of at most {} bytes", scratch.limit);
            Error::new(wanted, format!("{bytes}")).in_file(&array.file.path)
        })?;
        let limit = std::mem::replace(&mut scratch.limit, left);
        let mut part = std::mem::take(&mut scratch.part);
        part.resize(bytes as usize, 0);
        let read = array.read_stored(first, count, &mut part, scratch);
        scratch.limit = limit;
        let starts = |of: &[(u64, u64)]| of.iter().map(|(start, _)| *start).collect::<Vec<u64>>();
        let size = self.element.bytes as usize;
        if read.is_ok() {
            copy_box((&part, axes, &starts(&from)), (output, shape, &starts(&into)), &lengths(&into), size);
        }
        scratch.part = part;
        read.map(|filled| (filled, false))
    }
}

/// Why a source that is open cannot be read.
pub(super) fn refused(sources: &Mutex<HashMap<(String, String), Source>>) -> Option<Error> {
    let sources = sources.lock().unwrap_or_else(PoisonError::into_inner);
    sources.values().filter_map(|source| source.as_ref().ok()?.refused()).next()
}

/// The row of the source at a position among the rows that the mapping selects.
pub(super) fn source_row(mapping: &Mapping, array: &Array, position: u64) -> Result<u64> {
    let row = match &mapping.source {
        Selection::All => Some(position),
        Selection::Some { rows, .. } => rows.row(position),
    };
    row.filter(|row| *row < array.rows()).ok_or_else(|| {
        let wanted = format!("row {position} of what a virtual data set shows");
        Error::new(wanted, format!("{} rows", array.rows())).in_file(&array.file.path)
    })
}

/// How many rows a mapping selects of the source as it is now.
fn source_positions(mapping: &Mapping, array: &Array) -> u64 {
    match &mapping.source {
        Selection::All => array.rows(),
        Selection::Some { rows, .. } => rows.below(array.rows()),
    }
}

fn bytes_of_pairs(pieces: &[(u64, u64)], element: u64) -> u64 {
    pieces.iter().fold(element, |all, (_, length)| all.saturating_mul(*length))
}
