//! Which detector is wanted.

use std::fmt;
use std::fs::File;
use std::path::Path;

use livetime_formats::file::{Place, Walker, Window};
use livetime_formats::xtc1::data::holds_panels;
use livetime_formats::xtc1::summary::header_at;
use livetime_formats::xtc1::{DatagramHeader, SourcePattern, Src, XtcHeader};
use livetime_formats::xtc2::{self, FieldType};
use livetime_formats::{Error, Result};

use super::Recording;
use super::recording::{EventBytes, Piece, Run};

/// Detectors that are not in so many events from the first on are not found without their name,
const LOOK: usize = 8;
/// and not at all if they are not in so many.
const SEARCH: usize = 1000;

/// Who made the pictures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Detector {
    /// LCLS-I: the sender of leaves that hold pictures.
    Lcls1(Src),
    /// LCLS-II: an array in the records of a detector.
    Lcls2 {
        /// Name of the detector.
        name: String,
        /// Name of the algorithm that made its records.
        algorithm: String,
        /// Name of the array.
        field: String,
        /// How many axes the array has.
        rank: u32,
    },
}

/// `CxiDs1-0|Cspad-0`, or `epixquad.raw.raw`: detector, algorithm, array.
impl fmt::Display for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Detector::Lcls1(src) => src.fmt(f),
            Detector::Lcls2 { name, algorithm, field, .. } => write!(f, "{name}.{algorithm}.{field}"),
        }
    }
}

impl Detector {
    /// Whether `text` means it: a pattern as psana takes it, or the first parts of detector.algorithm.array.
    fn is_meant(&self, text: &str) -> bool {
        match self {
            Detector::Lcls1(src) => text.parse::<SourcePattern>().is_ok_and(|p| p.matches(*src)),
            Detector::Lcls2 { .. } => {
                let whole = self.to_string();
                whole == text || whole.strip_prefix(text).is_some_and(|rest| rest.starts_with('.'))
            }
        }
    }
}

impl Recording {
    /// The detectors that have pictures or arrays in the first events.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn detectors(&self) -> Result<Vec<Detector>> {
        let mut found = Vec::new();
        let mut bytes = EventBytes::default();
        (0..self.events().min(LOOK)).try_for_each(|event| self.look_at(event, &mut bytes, &mut found))?;
        Ok(found)
    }

    /// The detector that `wanted` means, or the only one there is.
    ///
    /// # Errors
    /// If there is none, or more than one; the error lists them.
    pub fn detector(&self, wanted: Option<&str>) -> Result<Detector> {
        let mut all = self.detectors()?;
        if let Some(text) = wanted {
            let mut bytes = EventBytes::default();
            for event in LOOK..self.events().min(SEARCH) {
                if all.iter().any(|d| d.is_meant(text)) {
                    break;
                }
                self.look_at(event, &mut bytes, &mut all)?;
            }
        }
        let meant: Vec<&Detector> =
            all.iter().filter(|d| wanted.is_none_or(|text| d.is_meant(text))).collect();
        if let [one] = meant[..] {
            return Ok(one.clone());
        }
        let pictures: Vec<&Detector> = meant.iter().copied().filter(|d| d.has_pictures()).collect();
        match (&pictures[..], &meant[..]) {
            ([one], _) => Ok((*one).clone()),
            (_, []) => Err(none(wanted, &all)),
            _ => Err(Error::new("one detector (--detector)", list(meant.iter().copied()))),
        }
    }

    fn look_at(&self, event: usize, bytes: &mut EventBytes, found: &mut Vec<Detector>) -> Result<()> {
        let mut add = |detector: Detector| {
            if !found.contains(&detector) {
                found.push(detector);
            }
        };
        let Some(index) = self.index(event) else { return Ok(()) };
        match &self.run {
            Run::Lcls1(run) => {
                let paths: Vec<&Path> = run.files().collect();
                for piece in run.pieces(&run.events()[index]) {
                    senders(paths[piece.file as usize], piece, &mut |src| add(Detector::Lcls1(src)))?;
                }
            }
            Run::Lcls2(run) => {
                let event = &run.events()[index];
                run.read(event, bytes)?;
                run.records(event, bytes).flat_map(|r| arrays(&r)).for_each(add);
            }
        }
        Ok(())
    }
}

/// Shows `add` who sent leaves with pictures in a piece. Only headers are read.
fn senders(path: &Path, piece: &Piece, add: &mut dyn FnMut(Src)) -> Result<()> {
    let file = File::open(path).map_err(|e| Error::io("to open the file", e).in_file(path))?;
    let mut window = Window::new(file);
    let (start, end) = (piece.offset + DatagramHeader::ROOT as u64, piece.offset + piece.length);
    let mut walker = Walker::<XtcHeader>::new(start, end);
    while let Some(found) = walker.step(|at| header_at(&mut window, at)).map_err(|e| e.in_file(path))? {
        if let Ok(Place { header, .. }) = found
            && holds_panels(header.type_id.plain())
        {
            // The process may differ from event to event.
            add(Src { log: header.src.log & 0xFF00_0000, ..header.src });
        }
    }
    Ok(())
}

impl Detector {
    fn has_pictures(&self) -> bool {
        match self {
            Detector::Lcls1(_) => true,
            Detector::Lcls2 { rank, .. } => *rank >= 2,
        }
    }
}

fn arrays(record: &xtc2::Record<'_, '_>) -> Vec<Detector> {
    let names = record.names;
    let is_array = |f: &&xtc2::Field| f.rank > 0 && matches!(f.field_type, FieldType::Number(_));
    let arrays = names.fields.iter().filter(is_array);
    let detector = |field: &xtc2::Field| Detector::Lcls2 {
        name: names.detector.clone(),
        algorithm: names.algorithm.name.clone(),
        field: field.name.clone(),
        rank: field.rank,
    };
    arrays.map(detector).collect()
}

fn none(wanted: Option<&str>, all: &[Detector]) -> Error {
    let wanted = wanted.map_or_else(|| "a detector with pictures".into(), |w| format!("a detector `{w}`"));
    let found = if all.is_empty() { "none in the first events".into() } else { list(all.iter()) };
    Error::new(wanted, found)
}

fn list<'a>(detectors: impl Iterator<Item = &'a Detector>) -> String {
    detectors.map(Detector::to_string).collect::<Vec<_>>().join(", ")
}
