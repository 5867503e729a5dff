//! Which row of which file is which frame.

use livetime_formats::hdf5::Scratch;
use livetime_formats::{Error, Result};

use super::super::content::COLUMN_BYTES;
use super::input::Input;
use super::outcome::{Missing, Shape};
use super::sets::Sets;

/// A row of a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    pub(super) number: i64,
    pub(super) file: usize,
    pub(super) row: u64,
}

/// The frames of the master.
pub(super) struct Order {
    shape: Shape,
    /// Where each frame is, first of all: its only place, or its first module.
    pub(super) frames: Vec<Place>,
    /// Rows of each file with the row of the master, of modules side by side.
    modules: Vec<Vec<(u64, u64)>>,
    /// Rows that are left out, each with the frame of the same number that was taken.
    pub(super) again: Vec<(Place, Place)>,
}

impl Order {
    /// The master's rows and the file's rows of pictures.
    pub(super) fn rows(&self, file: usize) -> Box<dyn Iterator<Item = (u64, u64)> + '_> {
        match self.shape {
            Shape::Shared => Box::new(self.once(file)),
            Shape::SideBySide => Box::new(self.modules.get(file).into_iter().flatten().copied()),
        }
    }

    /// The same of data sets that one file gives for each frame.
    pub(super) fn once(&self, file: usize) -> impl Iterator<Item = (u64, u64)> + '_ {
        let here = self.frames.iter().enumerate().filter(move |(_, place)| place.file == file);
        here.map(|(row, place)| (row as u64, place.row))
    }
}

pub(super) fn order(inputs: &[Input], shape: Shape) -> Result<Order> {
    let mut all: Vec<Place> = Vec::with_capacity(inputs.iter().map(|input| input.numbers.len()).sum());
    for (file, input) in inputs.iter().enumerate() {
        let place = |(row, number): (usize, &i64)| Place { number: *number, file, row: row as u64 };
        all.extend(input.numbers.iter().enumerate().map(place));
    }
    if all.is_empty() {
        return Err(Error::new("files with frames", "none in any of them"));
    }
    all.sort_unstable();
    let mut order = Order { shape, frames: vec![], modules: vec![vec![]; inputs.len()], again: vec![] };
    let mut before: Option<Place> = None;
    for place in all {
        let is_same = before.is_some_and(|before| before.number == place.number);
        let is_module = shape == Shape::SideBySide && before.is_none_or(|before| before.file != place.file);
        match before.filter(|_| is_same && !is_module) {
            Some(taken) => order.again.push((taken, place)),
            None => {
                if !is_same {
                    order.frames.push(place);
                }
                if shape == Shape::SideBySide {
                    order.modules[place.file].push((order.frames.len() as u64 - 1, place.row));
                }
                before = Some(place);
            }
        }
    }
    Ok(order)
}

/// Refuses two frames of one number that differ.
pub(super) fn check_again(inputs: &[Input], sets: &Sets, order: &Order) -> Result<()> {
    let mut scratch = Scratch::within(COLUMN_BYTES);
    let mut row = |place: &Place, path: &str| -> Result<Vec<u8>> {
        let Some(array) = inputs[place.file].array(path) else { return Ok(Vec::new()) };
        let mut bytes = vec![0; array.row_bytes() as usize];
        array.read(place.row, 1, &mut bytes, &mut scratch)?;
        Ok(bytes)
    };
    for (taken, again) in &order.again {
        for path in sets.compared() {
            if row(taken, path)? != row(again, path)? {
                let wanted = format!(
                    "equal frames of number {}: row {} of {}",
                    taken.number,
                    taken.row,
                    inputs[taken.file].path.display()
                );
                let found = format!("another `{path}` in row {}", again.row);
                return Err(Error::new(wanted, found).in_file(&inputs[again.file].path));
            }
        }
    }
    Ok(())
}

/// The numbers between the first and the last that are not there.
pub(super) fn gaps(numbers: impl Iterator<Item = i64>) -> Vec<Missing> {
    let mut before: Option<i64> = None;
    let mut gaps = Vec::new();
    for number in numbers {
        if let Some(before) = before.filter(|before| number - before > 1) {
            gaps.push(Missing { first: before + 1, last: number - 1, file: None });
        }
        before = Some(number);
    }
    gaps
}
