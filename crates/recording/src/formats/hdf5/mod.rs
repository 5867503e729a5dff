//! Runs in HDF5 files, as written by `hdf5_files`, areaDetector, odin, DECTRIS detectors and h5py.
//!
//! A detector is a data set whose first axis counts events. Small data are the columns of the same length. Several
//! files follow each other. A file that another one links to, or shows in a virtual data set, is not read a second
//! time.

mod content;
pub mod join;
mod memory;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use livetime_formats::hdf5::{Array, Filled};
use livetime_formats::xtc1::run::{Apart, Piece, Problem};
use livetime_formats::{Error, Result};
use livetime_frame::{AttributeValue, ColorMode, Layout};

use crate::damage::{DamageWords, Outcome};
use crate::format::{Format, Opening, Sign, alone, unnamed};
use crate::reader::Names;
use crate::run::Run;
use crate::{Condition, Detector, Fault, FaultKind, Panel, Picture, Reader, SmallValue, Wanted};

use content::{NAMING, Part, Pictures};
use memory::Memory;

/// Damage of a picture with parts that were never written.
const NOT_ALL_WRITTEN: u32 = 1;

pub(crate) static FORMAT: Format = Format {
    name: "hdf5",
    label: "hdf5",
    file: "an HDF5 file",
    is_named: unnamed,
    sign: Sign::Signature(|begin| begin.head.starts_with(b"\x89HDF\r\n\x1a\n")),
    // The file of a run names its other files.
    files_of: alone,
    open: |opening| Ok(Box::new(Hdf5::open(opening)?)),
    // Indices of the files say where everything is.
    open_places: None,
    datagrams: None,
    keeps_frames: true,
    becomes_xtc: true,
    is_attribute: |value| value.source.ends_with(content::OWN_COLUMNS),
    naming: &NAMING,
    damage: DamageWords {
        what: "picture",
        in_words: |damage| format!("{damage:#x}, or parts were never written"),
    },
};

#[derive(Debug)]
struct Hdf5 {
    parts: Vec<Arc<Part>>,
    /// All files, in the order in which pieces name them.
    files: Vec<PathBuf>,
    problems: Vec<Problem>,
    was_growing: bool,
}

impl Hdf5 {
    fn open(opening: &Opening<'_>) -> Result<Hdf5> {
        let (paths, memory) = (opening.paths, opening.memory);
        let within: Option<Arc<[PathBuf]>> = opening.within.map(Arc::from);
        let mut parts: Vec<Arc<Part>> = Vec::new();
        for path in paths {
            if !parts.iter().any(|part| part.shows(path)) {
                parts.push(Arc::new(Part::open(path, within.clone(), opening.stores, memory)?));
            }
        }
        // A file may come before the one that shows it.
        let is_shown =
            |part: &Part| parts.iter().any(|other| other.path != part.path && other.shows(&part.path));
        let kept: Vec<Arc<Part>> = parts.iter().filter(|part| !is_shown(part)).cloned().collect();
        let mut run = Hdf5 { parts: kept, files: vec![], problems: vec![], was_growing: false };
        run.note();
        run.was_growing = run.is_growing();
        // A file that is still being written may get its data sets later.
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
        // Problems are kept over a refresh, and new ones come behind.
        let new = self.parts.iter().flat_map(|part| &part.problems);
        let new = new.map(|(path, why)| Problem {
            path: path.clone(),
            error: Error::new("everything that the file leads to", why.clone()),
        });
        // Known problems keep their place, because readers ask for the problems behind the first `n`.
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

    /// The pictures of a detector in each file.
    fn pictures<'a>(&'a self, detector: &'a Detector) -> impl Iterator<Item = &'a Pictures> {
        self.parts.iter().filter_map(|part| part.pictures(detector.name()))
    }

    /// Whether `name` is one of the names of a detector.
    fn is_named(&self, detector: &Detector, name: &str) -> bool {
        let mut found = self.pictures(detector);
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

    /// The type and shape that the first file with the data set states; no pixel is read.
    fn layout(&self, detector: &Detector) -> Option<Layout> {
        let with_events = self.parts.iter().filter(|part| part.events > 0);
        let pictures = with_events.filter_map(|part| part.pictures(detector.name())).next()?;
        let (array, _) = pictures.row(0)?;
        let shape: Vec<usize> = array.shape().iter().skip(1).map(|size| *size as usize).collect();
        // A data set of one axis has a number per event: a row of one element.
        let shape = if shape.is_empty() { vec![1] } else { shape };
        let color = pictures.color.unwrap_or(ColorMode::Mono);
        Layout::packed(array.element().dtype()?, color, &shape).ok()
    }

    /// The decoder of rows: an event is not read as a whole.
    fn read_memory(&self, detector: &Detector, _: &mut dyn Iterator<Item = usize>) -> u64 {
        self.pictures(detector).map(Pictures::read_memory).max().unwrap_or(0)
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn is_growing(&self) -> bool {
        self.parts.last().is_some_and(|part| part.is_growing)
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

    /// By another name of its data set, or as the file says which is to be shown.
    fn preferred(&self, found: &[Detector], wanted: &Wanted) -> Result<Option<Detector>> {
        // A whole path wins over default pictures and endings.
        if let Some(one) = found.iter().find(|detector| self.is_named(detector, &wanted.detector)) {
            return Ok(Some(one.clone()));
        }
        let is_meant = |path: &str| path.trim_matches('/') == wanted.detector.trim_matches('/');
        if let Some((path, why)) = self.refused().find(|(path, _)| is_meant(path)) {
            return Err(Error::new("a data set that can be read", format!("`{path}`: {why}")));
        }
        let meant = wanted.meant(found)?;
        let mut defaults = meant.iter().filter(|one| self.pictures(one).any(|pictures| pictures.is_default));
        // Two defaults decide nothing.
        match (defaults.next(), defaults.next()) {
            (Some(one), None) => Ok(Some((*one).clone())),
            _ => Ok(None),
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
        if detector.format_name() != NAMING.format {
            return Err(Fault::missing("a data set of an HDF5 file"));
        }
        let (part, row) = self.part(number).ok_or_else(Fault::no_event)?;
        picture.time_ns = part.time_ns(row);
        let pictures =
            part.pictures(detector.name()).ok_or_else(|| Fault::missing("the data set in this file"))?;
        let (array, of_array) = pictures.row(row).ok_or_else(|| Fault::missing("a row of the data set"))?;
        let Reader { kept, names, .. } = reader;
        let hdf5 = kept.of::<Memory>();
        let noted = part.damage.and_then(|column| hdf5.value(part, column, row));
        let noted = noted.map_or(0, |value| u32::try_from(content::whole(&value)).unwrap_or(u32::MAX));
        take((array, of_array), pictures, noted, hdf5, picture, apart)?;
        describe(part, row, hdf5, names, picture);
        Ok(())
    }

    fn small_data(&self, number: usize, reader: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let (part, row) = self.part(number).ok_or_else(Fault::no_event)?;
        let memory = reader.kept.of::<Memory>();
        let value = |(position, column): (usize, &content::Column)| SmallValue {
            source: column.group.clone(),
            name: column.name.clone(),
            unit: "",
            values: memory.value(part, position, row).into_iter().collect(),
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

/// Reads a row of a data set as the one panel of a picture with the recorder's `damage`.
fn take(
    (array, row): (&Array, u64),
    pictures: &Pictures,
    noted: u32,
    memory: &mut Memory,
    picture: &mut Picture,
    apart: &mut Apart<'_>,
) -> Outcome {
    let dtype = array.element().dtype().ok_or_else(|| Fault::missing("numbers"))?;
    // The claim of the file is checked before memory is taken.
    let needed = array.row_bytes().saturating_add(array.read_memory());
    picture.memory.check(needed, format_args!("a picture of `{}`", pictures.path))?;
    let bytes = usize::try_from(array.row_bytes()).map_err(|e| Fault::new(FaultKind::NoMemory, e))?;
    // Only a row of exactly the frame's size is read straight into it.
    apart.is_used = apart.target.len() == bytes;
    memory.scratch.limit_to(picture.memory.bytes());
    let target = if apart.is_used { &mut *apart.target } else { picture.plain(bytes)? };
    let filled = array.read(row, 1, target, &mut memory.scratch)?;
    picture.file_bytes = array.places(row..row + 1).iter().map(|(_, bytes)| bytes.end - bytes.start).sum();
    let damage = match filled {
        Filled::Whole => noted,
        Filled::Partial => noted | NOT_ALL_WRITTEN,
        // HDF5 fills such rows with zeros, which would look like a dark picture.
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
    // Parts that were never written are damage that no column records.
    if picture.damage != 0 && part.damage.is_none() {
        picture.attributes.push((names.of("Damage"), AttributeValue::Uint(picture.damage.into())));
    }
}
