//! Rows that other data sets hold.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::copy::copy_box;
use super::super::file::resolve;
use super::super::selection::{Mapping, Rows, Selection};
use super::super::spans::Mappings;
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
        for mapping in mappings.iter() {
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
        let behind = |position: u64| target.row(position).map_or(0, |row| row.saturating_add(1));
        if !is_numbered(mapping) {
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
        if is_numbered(mapping) {
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
        let key = (named(&mapping.file, block).0, named(&mapping.data_set, block).0);
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
        mappings: &Mappings,
        row: u64,
        output: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<Filled> {
        let mut all = Vec::new();
        let mut shown = Vec::new();
        for mapping in mappings.near(row) {
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
            all.push(self.read_mapped(mapping, &array, position, output, scratch)?);
            shown.push(self.shown(mapping));
        }
        let Some(filled) = all.iter().copied().reduce(Filled::and) else {
            let filled = self.nothing(output);
            self.element.swap(output);
            return Ok(filled);
        };
        let shown: Vec<&[(u64, u64)]> = shown.iter().map(|part| &**part).collect();
        match filled {
            Filled::Whole if !scratch.cover.is_whole(&self.space.shape[1..], &shown) => Ok(Filled::Partial),
            filled => Ok(filled),
        }
    }

    /// The part of a row that a mapping shows: begin and length along each axis.
    fn shown<'a>(&self, mapping: &'a Mapping) -> Cow<'a, [(u64, u64)]> {
        match &mapping.target {
            Selection::All => self.space.shape[1..].iter().map(|size| (0, *size)).collect(),
            Selection::Some { others, .. } => Cow::Borrowed(others),
        }
    }

    /// Reads the part of a row that a mapping shows.
    fn read_mapped(
        &self,
        mapping: &Mapping,
        array: &Array,
        position: u64,
        output: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<Filled> {
        let shape = &self.space.shape[1..];
        let into = self.shown(mapping);
        let of_row = array.space.shape.get(1..).unwrap_or_default();
        let from: Vec<(u64, u64)> = match &mapping.source {
            Selection::Some { others, .. } => others.clone(),
            Selection::All => of_row.iter().map(|size| (0, *size)).collect(),
        };
        // A source with an axis less is one row, unless one row of it has all that is shown.
        let is_row =
            array.space.shape.len() == shape.len() && position == 0 && elements(&from) != elements(&into);
        let (axes, from) = match is_row {
            true => (&array.space.shape[..], array.space.shape.iter().map(|size| (0, *size)).collect()),
            false => (of_row, from),
        };
        let lengths = |of: &[(u64, u64)]| of.iter().map(|(_, length)| *length).collect::<Vec<u64>>();
        let fits = |((start, length), size): (&(u64, u64), &u64)| {
            start.checked_add(*length).is_some_and(|end| end <= *size)
        };
        // Axes of one element may be missing on one side, as where a row becomes one of several side by side.
        let both = aligned(&into, shape, &from, axes);
        let Some([into, from]) = both.filter(|_| from.iter().zip(axes).all(fits)) else {
            let found = format!("{from:?} of {axes:?} for {into:?} of {shape:?}");
            return Err(Error::new("a part of the same shape", found).in_file(&array.file.path));
        };
        let first = if is_row { 0 } else { source_row(mapping, array, position)? };
        let count = if is_row { array.rows() } else { 1 };
        if lengths(&into.0) == into.1 && lengths(&from.0) == from.1 {
            return array.read_stored(first, count, output, scratch);
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
            let (from, at) = ((&part[..], &from.1[..], &starts(&from.0)[..]), starts(&into.0));
            copy_box(from, (output, &into.1, &at), &lengths(&into.0), size);
        }
        scratch.part = part;
        read
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

/// Whether each block of a mapping has a file or a data set of its own.
fn is_numbered(mapping: &Mapping) -> bool {
    [&mapping.file, &mapping.data_set].into_iter().any(|text| named(text, 0).1)
}

/// A name of a mapping for block number `block`, and whether the number is in it: `%b` is the number, `%%` is `%`.
fn named(text: &str, block: u64) -> (String, bool) {
    let (mut name, mut is_numbered, mut rest) = (String::with_capacity(text.len()), false, text);
    while let Some((before, behind)) = rest.split_once('%') {
        name.push_str(before);
        rest = match behind.as_bytes().first() {
            Some(b'b') => {
                is_numbered = true;
                name.push_str(&block.to_string());
                &behind[1..]
            }
            Some(b'%') => {
                name.push('%');
                &behind[1..]
            }
            _ => {
                name.push('%');
                behind
            }
        };
    }
    name.push_str(rest);
    (name, is_numbered)
}

/// How many elements a part has.
fn elements(part: &[(u64, u64)]) -> u64 {
    part.iter().fold(1, |all, (_, length)| all.saturating_mul(*length))
}

/// Begin and length of a part along some axes, and their sizes.
type Axes = (Vec<(u64, u64)>, Vec<u64>);

/// Two parts of equal lengths along the same axes: an axis of one element that one of them lacks is added. `None` if
/// they differ otherwise.
fn aligned(one: &[(u64, u64)], sizes: &[u64], other: &[(u64, u64)], axes: &[u64]) -> Option<[Axes; 2]> {
    let (mut left, mut right) = (Axes::default(), Axes::default());
    let mut ones = one.iter().copied().zip(sizes.iter().copied()).peekable();
    let mut others = other.iter().copied().zip(axes.iter().copied()).peekable();
    let mut add = |one: ((u64, u64), u64), other: ((u64, u64), u64)| {
        left.0.push(one.0);
        left.1.push(one.1);
        right.0.push(other.0);
        right.1.push(other.1);
    };
    let nothing = ((0, 1), 1);
    loop {
        match (ones.peek().copied(), others.peek().copied()) {
            (Some(a), Some(b)) if a.0.1 == b.0.1 => {
                ones.next();
                others.next();
                add(a, b);
            }
            (Some(a), _) if a.0.1 == 1 => {
                ones.next();
                add(a, nothing);
            }
            (_, Some(b)) if b.0.1 == 1 => {
                others.next();
                add(nothing, b);
            }
            (None, None) => return Some([left, right]),
            _ => return None,
        }
    }
}
