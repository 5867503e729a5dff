//! Runs in HDF5 files: what `hdf5_files`, areaDetector, odin, DECTRIS detectors and h5py write.
//!
//! A detector is a data set whose first axis counts events. Small data are the columns of the same length. Several
//! files follow each other; a file that another one shows, by links or virtual data sets, is not read a second time.

mod content;
mod memory;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use livetime_formats::hdf5::{Array, Filled, Kind};
use livetime_formats::xtc1::run::{Apart, Piece, Problem};
use livetime_formats::{Error, Result};
use livetime_frame::{AttributeValue, ColorMode, Layout};
use livetime_runtime::MemoryLimit;

use crate::damage::Outcome;
use crate::picture::Names;
use crate::run::Run;
use crate::{Condition, Detector, Fault, FaultKind, Panel, Picture, Reader, SmallValue, Wanted};

use content::{Part, Pictures};
pub(crate) use memory::Memory;

/// What is said of a picture of which parts were never written.
const NOT_ALL_WRITTEN: u32 = 1;

#[derive(Debug)]
pub(crate) struct Hdf5 {
    parts: Vec<Arc<Part>>,
    /// All files, in the order in which pieces name them.
    files: Vec<PathBuf>,
    problems: Vec<Problem>,
    was_growing: bool,
}

impl Hdf5 {
    /// `within`: the folders in which all files must lie that these lead to.
    pub(crate) fn open(paths: &[PathBuf], within: Option<&[PathBuf]>, memory: MemoryLimit) -> Result<Hdf5> {
        let within: Option<Arc<[PathBuf]>> = within.map(Arc::from);
        let mut parts: Vec<Arc<Part>> = Vec::new();
        for path in paths {
            if !parts.iter().any(|part| part.shows(path)) {
                parts.push(Arc::new(Part::open(path, within.clone(), memory)?));
            }
        }
        // A file may come before the one that shows it.
        let is_shown =
            |part: &Part| parts.iter().any(|other| other.path != part.path && other.shows(&part.path));
        let kept: Vec<Arc<Part>> = parts.iter().filter(|part| !is_shown(part)).cloned().collect();
        let mut run = Hdf5 { parts: kept, files: vec![], problems: vec![], was_growing: false };
        run.note();
        run.was_growing = run.is_growing();
        if run.parts.iter().all(|part| part.detectors.is_empty()) && !run.was_growing {
            let wanted = "a data set of numbers whose first axis counts events";
            let refused: Vec<String> = run.refused().map(|(path, why)| format!("`{path}`: {why}")).collect();
            let found = if refused.is_empty() { "none".into() } else { refused.join("; ") };
            return Err(Error::new(wanted, found).in_file(paths.first().map_or(Path::new(""), |path| path)));
        }
        Ok(run)
    }

    fn note(&mut self) {
        self.files = self.parts.iter().flat_map(|part| part.files.iter().cloned()).collect();
        let new = self.parts.iter().flat_map(|part| &part.problems);
        let new = new.map(|(path, why)| Problem {
            path: path.clone(),
            error: Error::new("everything that the file leads to", why.clone()),
        });
        // Those that are known keep their place.
        let known: Vec<String> = self.problems.iter().map(|p| p.error.to_string()).collect();
        let new: Vec<Problem> = new.filter(|p| !known.contains(&p.error.to_string())).collect();
        self.problems.extend(new);
    }

    /// Data sets that are no detectors because they cannot be read, and why.
    fn refused(&self) -> impl Iterator<Item = &(String, String)> {
        self.parts.iter().flat_map(|part| &part.refused)
    }

    /// The file of an event, and the row in it.
    fn part(&self, position: usize) -> Option<(&Arc<Part>, u64)> {
        let mut left = position;
        for part in &self.parts {
            if left < part.events {
                return Some((part, left as u64));
            }
            left -= part.events;
        }
        None
    }

    /// Whether `name` is one of the names of a detector.
    fn is_named(&self, detector: &Detector, name: &str) -> bool {
        let Detector::Hdf5 { path, .. } = detector else { return false };
        let mut found = self.parts.iter().flat_map(|part| part.pictures(path));
        found.any(|pictures| pictures.is_named(name))
    }
}

impl Run for Hdf5 {
    fn events(&self) -> usize {
        self.parts.iter().map(|part| part.events).sum()
    }

    fn time_ns(&self, event: usize) -> u64 {
        self.part(event).map_or(0, |(part, row)| part.time_ns(row))
    }

    fn place(&self, position: usize) -> Option<(&Path, String)> {
        let (part, row) = self.part(position)?;
        let time = match part.time_ns(row) {
            0 => format!("row {row}"),
            ns => format!("row {row}, {ns} ns"),
        };
        Some((&part.path, time))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.files.clone()
    }

    fn pieces(&self, event: usize) -> Vec<Piece> {
        let Some((part, row)) = self.part(event) else { return Vec::new() };
        let places = part.detectors.iter().filter_map(|pictures| pictures.row(row));
        let places = places.flat_map(|(array, row)| array.places(row..row + 1));
        let piece = |(path, bytes): (PathBuf, std::ops::Range<u64>)| {
            let file = self.files.iter().position(|known| *known == path)?;
            Some(Piece { file: file as u32, offset: bytes.start, length: bytes.end - bytes.start })
        };
        places.filter_map(piece).collect()
    }

    fn event_bytes(&self, event: usize) -> u64 {
        self.pieces(event).iter().map(|piece| piece.length).sum()
    }

    /// What the first file that has the data set says of it; no pixel is read.
    fn layout(&self, detector: &Detector) -> Option<Layout> {
        let Detector::Hdf5 { path, .. } = detector else { return None };
        let pictures =
            self.parts.iter().filter(|part| part.events > 0).find_map(|part| part.pictures(path))?;
        let (array, _) = pictures.row(0)?;
        let shape: Vec<usize> = array.shape().iter().skip(1).map(|size| *size as usize).collect();
        let shape = if shape.is_empty() { vec![1] } else { shape };
        let color = pictures.color.unwrap_or(ColorMode::Mono);
        Layout::packed(array.element().dtype()?, color, &shape).ok()
    }

    fn read_memory(&self, detector: &Detector) -> u64 {
        let Detector::Hdf5 { path, .. } = detector else { return 0 };
        self.parts.iter().filter_map(|part| part.pictures(path)).map(Pictures::read_memory).max().unwrap_or(0)
    }

    fn state(&self) -> Vec<Piece> {
        Vec::new()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn is_growing(&self) -> bool {
        self.parts.last().is_some_and(|part| part.is_growing)
    }

    fn may_grow(&self) -> bool {
        self.is_growing()
    }

    fn refresh(&mut self) -> Result<()> {
        if let Some(last) = self.parts.last_mut()
            && let Some(new) = last.again()?
        {
            *last = Arc::new(new);
            self.note();
        }
        Ok(())
    }

    fn detectors(&self, _: &Wanted) -> Result<Vec<Detector>> {
        let mut all: Vec<Detector> = Vec::new();
        for detector in self.parts.iter().flat_map(|part| part.detectors.iter().map(Pictures::detector)) {
            if !all.contains(&detector) {
                all.push(detector);
            }
        }
        Ok(all)
    }

    fn choose(&self, found: &[Detector], wanted: &Wanted) -> Result<Option<Detector>> {
        if found.is_empty() && self.is_growing() {
            return Ok(None);
        }
        if let Some(one) = found.iter().find(|detector| self.is_named(detector, &wanted.detector)) {
            return Ok(Some(one.clone()));
        }
        let is_meant = |path: &str| path.trim_matches('/') == wanted.detector.trim_matches('/');
        if let Some((path, why)) = self.refused().find(|(path, _)| is_meant(path)) {
            return Err(Error::new("a data set that can be read", format!("`{path}`: {why}")));
        }
        let meant = wanted.meant(found)?;
        let is_default = |detector: &&&Detector| {
            self.parts
                .iter()
                .flat_map(|part| &part.detectors)
                .any(|p| p.is_default && p.detector() == ***detector)
        };
        let mut defaults = meant.iter().filter(is_default);
        if let (Some(one), None) = (defaults.next(), defaults.next()) {
            return Ok(Some((*one).clone()));
        }
        match meant[..] {
            [one] => Ok(Some(one.clone())),
            [] => Err(Error::new(wanted.called("a data set of events"), list(found.iter()))),
            ref several => {
                Err(Error::new("the name of one data set of events", list(several.iter().copied())))
            }
        }
    }

    fn read(
        &self,
        detector: &Detector,
        number: usize,
        reader: &mut Reader,
        picture: &mut Picture,
        apart: &mut Apart<'_>,
    ) -> Outcome {
        let Detector::Hdf5 { path, .. } = detector else {
            return Err(Fault::missing("a data set of an HDF5 file"));
        };
        let (part, row) = self.part(number).ok_or_else(Fault::no_event)?;
        picture.time_ns = part.time_ns(row);
        let pictures = part.pictures(path).ok_or_else(|| Fault::missing("the data set in this file"))?;
        let (array, of_array) = pictures.row(row).ok_or_else(|| Fault::missing("a row of the data set"))?;
        let Reader { hdf5, names, .. } = reader;
        let noted = part.damage.and_then(|column| hdf5.value(part, column, row));
        let noted = noted.map_or(0, |value| u32::try_from(content::whole(&value)).unwrap_or(u32::MAX));
        take((array, of_array), pictures, noted, hdf5, picture, apart)?;
        describe(part, row, hdf5, names, picture);
        Ok(())
    }

    fn small_data(&self, number: usize, reader: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let (part, row) = self.part(number).ok_or_else(Fault::no_event)?;
        let value = |(position, column): (usize, &content::Column)| SmallValue {
            source: column.group.clone(),
            name: column.name.clone(),
            unit: "",
            values: reader.hdf5.value(part, position, row).into_iter().collect(),
            damage: 0,
        };
        Ok(part.columns.iter().enumerate().map(value).collect())
    }

    /// The single values of the file.
    fn configuration(&self, number: usize, _: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let (part, _) = self.part(number).ok_or_else(Fault::no_event)?;
        Ok(part.single_values())
    }
}

/// Reads a row of a data set as the one panel of a picture, of which the recorder has noted damage.
fn take(
    (array, row): (&Array, u64),
    pictures: &Pictures,
    noted: u32,
    memory: &mut Memory,
    picture: &mut Picture,
    apart: &mut Apart<'_>,
) -> Outcome {
    let dtype = array.element().dtype().ok_or_else(|| Fault::missing("numbers"))?;
    let needed = array.row_bytes().saturating_add(array.read_memory());
    picture.memory.check(needed, format_args!("a picture of `{}`", pictures.path))?;
    let bytes = usize::try_from(array.row_bytes()).map_err(|e| Fault::new(FaultKind::NoMemory, e))?;
    apart.is_used = apart.target.len() == bytes;
    memory.scratch.limit_to(picture.memory.bytes());
    let target = if apart.is_used { &mut *apart.target } else { picture.plain(bytes)? };
    let filled = array.read(row, 1, target, &mut memory.scratch)?;
    picture.file_bytes = array.places(row..row + 1).iter().map(|(_, bytes)| bytes.end - bytes.start).sum();
    let damage = match filled {
        Filled::Whole => noted,
        Filled::Partial => noted | NOT_ALL_WRITTEN,
        Filled::Nothing => {
            let why =
                format_args!("wanted row {row} of `{}`, found that it was never written", pictures.path);
            return Err(Fault::new(FaultKind::Lost, why));
        }
    };
    let shape: Vec<usize> = array.shape().iter().skip(1).map(|size| *size as usize).collect();
    let color = pictures.color.unwrap_or(ColorMode::Mono);
    let panel = Panel { number: 0, dtype, color, shape: &shape, bytes: &[], damage };
    picture.add(&panel, None, 0..bytes)?;
    picture.condition = if damage == 0 { Condition::Whole } else { Condition::Damaged };
    Ok(())
}

/// The attributes that were recorded with a frame.
fn describe(part: &Arc<Part>, row: u64, memory: &mut Memory, names: &mut Names, picture: &mut Picture) {
    for (position, column) in part.columns.iter().enumerate() {
        let name = match column.is_attribute {
            true => &column.name[..],
            false if column.name == content::UNIQUE_ID => "RecordedSequence",
            false => continue,
        };
        if let Some(value) = memory.value(part, position, row) {
            picture.attributes.push((names.of(name), value));
        }
    }
    if picture.damage != 0 && part.damage.is_none() {
        picture.attributes.push((names.of("Damage"), AttributeValue::Uint(picture.damage.into())));
    }
}

fn list<'a>(detectors: impl Iterator<Item = &'a Detector>) -> String {
    let all: Vec<String> = detectors.map(|detector| format!("`{detector}`")).collect();
    if all.is_empty() { "none".into() } else { all.join(", ") }
}

/// Whether its elements are numbers or text.
fn is_value(array: &Array) -> bool {
    !matches!(array.element().kind, Kind::Other(_))
}
