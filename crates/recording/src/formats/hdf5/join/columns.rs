//! Columns that the master has itself.

use std::sync::Arc;

use livetime_formats::Result;
use livetime_formats::hdf5::{Array, Scratch, Writer};

use super::super::content::COLUMN_BYTES;
use super::input::Input;
use super::tree::{Column, Filling, Master};

/// Rows that are read at once.
const AT_ONCE: u64 = 4096;
/// Bytes of rows that are kept in memory before they are written.
const MOST_PENDING: usize = 16 << 20;

/// Writes the columns of a new master.
pub(super) fn fill(master: &Master<'_>, columns: &[Column], file: &mut Writer) -> Result<()> {
    for column in columns {
        match column.content {
            Filling::Copied => copy(master, column, file)?,
            Filling::MissingBefore => missing_before(master, column, file)?,
            Filling::Present => present(master, column, file)?,
        }
    }
    Ok(())
}

fn push(file: &mut Writer, column: &Column, row: &[u8]) -> Result<()> {
    file.push(column.stream, row);
    if file.pending_bytes() > MOST_PENDING { file.write_out() } else { Ok(()) }
}

fn copy(master: &Master<'_>, column: &Column, file: &mut Writer) -> Result<()> {
    let window = |input: &Input| input.array(&column.path).map(|array| Window::new(array.clone()));
    let mut windows: Vec<Option<Window>> = master.inputs.iter().map(window).collect();
    let mut scratch = Scratch::within(COLUMN_BYTES);
    for place in &master.order.frames {
        let Some(window) = windows.get_mut(place.file).and_then(Option::as_mut) else { continue };
        push(file, column, window.row(place.row, &mut scratch)?)?;
    }
    Ok(())
}

fn missing_before(master: &Master<'_>, column: &Column, file: &mut Writer) -> Result<()> {
    let mut before = None;
    for place in &master.order.frames {
        let missing = before.map_or(0, |before: i64| place.number.abs_diff(before) - 1);
        push(file, column, &u32::try_from(missing).unwrap_or(u32::MAX).to_le_bytes())?;
        before = Some(place.number);
    }
    Ok(())
}

fn present(master: &Master<'_>, column: &Column, file: &mut Writer) -> Result<()> {
    let mut present = vec![0u32; master.order.frames.len()];
    for input in 0..master.inputs.len() {
        master
            .order
            .rows(input)
            .filter_map(|(row, _)| usize::try_from(row).ok())
            .for_each(|row| present[row] += 1);
    }
    present.iter().try_for_each(|count| push(file, column, &count.to_le_bytes()))
}

/// Some rows of a data set, read together.
struct Window {
    array: Arc<Array>,
    first: u64,
    rows: Vec<u8>,
}

impl Window {
    fn new(array: Arc<Array>) -> Window {
        Window { array, first: 0, rows: Vec::new() }
    }

    fn row(&mut self, row: u64, scratch: &mut Scratch) -> Result<&[u8]> {
        let bytes = self.array.row_bytes() as usize;
        let known = (self.rows.len() / bytes.max(1)) as u64;
        if row < self.first || row >= self.first + known {
            let count = AT_ONCE.min(self.array.rows().saturating_sub(row)).max(1);
            self.rows.resize(count as usize * bytes, 0);
            self.first = row;
            self.array.read(row, count, &mut self.rows, scratch)?;
        }
        let at = (row - self.first) as usize * bytes;
        Ok(&self.rows[at..at + bytes])
    }
}
