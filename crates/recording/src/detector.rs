//! Which detector is wanted.

use std::fmt;

use livetime_formats::xtc1::Src;
use livetime_formats::{Error, Result};

/// A source of arrays in a run: the sender of leaves that hold pictures (LCLS-I), an array in the records of a detector
/// (LCLS-II), a data set whose first axis counts events, or several that follow each other (HDF5), a link (wire
/// readout).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Detector {
    kind: Kind,
    name: String,
    algorithm: String,
    field: String,
    rank: u32,
    sender: Option<Src>,
}

/// How the detectors of a format are named.
pub(crate) struct Naming {
    /// The name of the format.
    pub(crate) format: &'static str,
    /// The noun for a detector of the format, for messages: `a link`.
    pub(crate) one: &'static str,
    /// The words for its name: `the name of one link`.
    pub(crate) name_of_one: &'static str,
    /// Detectors in words, for messages.
    pub(crate) list: fn(&[&Detector]) -> String,
    /// Whether a user's words may mean a detector.
    pub(crate) fits: fn(&Wanted, &Detector) -> Result<bool>,
    /// The word by which plans of analyses tell the format's detectors from other formats' detectors.
    pub(crate) key: &'static str,
    /// The parts of a detector that a plan keeps.
    pub(crate) parts: fn(&Detector) -> Vec<Part>,
    /// The detector whose parts were kept in a plan.
    pub(crate) of_parts: fn(&[Part]) -> Option<Detector>,
}

impl Naming {
    /// The naming of a format whose detectors have one name, which a user must write whole.
    pub(crate) const fn by_name(format: &'static str, of_parts: fn(&[Part]) -> Option<Detector>) -> Naming {
        Naming {
            format,
            one: "a detector",
            name_of_one: "the name of one detector",
            list,
            fits: |wanted, detector| {
                // An empty name means any detector.
                let is_it = wanted.detector.is_empty() || wanted.detector == detector.name;
                Ok(is_it && wanted.is_name_alone())
            },
            key: format,
            parts: |detector| vec![Part::Text(detector.name.clone()), Part::Number(detector.rank)],
            of_parts,
        }
    }

    /// The detector whose name and rank were kept in a plan.
    pub(crate) fn of_name(&'static self, parts: &[Part]) -> Option<Detector> {
        match parts {
            [Part::Text(name), Part::Number(rank)] => Some(Detector::new(self, name, *rank)),
            _ => None,
        }
    }
}

/// A part of a detector, as plans of analyses keep it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Of its name.
    Text(String),
    /// A number of axes, or of its sender.
    Number(u32),
}

/// A naming belongs to its format.
#[derive(Clone, Copy)]
struct Kind(&'static Naming);

impl PartialEq for Kind {
    fn eq(&self, other: &Kind) -> bool {
        self.0.format == other.0.format
    }
}

impl Eq for Kind {}

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Kind) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kind {
    fn cmp(&self, other: &Kind) -> std::cmp::Ordering {
        self.0.format.cmp(other.0.format)
    }
}

impl std::hash::Hash for Kind {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.format.hash(state);
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.format)
    }
}

/// `CxiDs1-0|Cspad-0`, or `epixquad.raw.raw`: detector, algorithm, array; or `/entry/data/data`, or
/// `crate5_slot2_fiber1`, or `readout7`. A [`Wanted`] of this text means the detector.
impl fmt::Display for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.field.is_empty() { Ok(()) } else { write!(f, ".{}.{}", self.algorithm, self.field) }
    }
}

impl Detector {
    /// With arrays of `rank` axes.
    pub(crate) fn new(naming: &'static Naming, name: impl Into<String>, rank: u32) -> Detector {
        let (algorithm, field) = (String::new(), String::new());
        Detector { kind: Kind(naming), name: name.into(), algorithm, field, rank, sender: None }
    }

    /// This detector with a field of an algorithm's records (LCLS-II).
    pub(crate) fn with_field(self, algorithm: impl Into<String>, field: impl Into<String>) -> Detector {
        Detector { algorithm: algorithm.into(), field: field.into(), ..self }
    }

    /// This detector with its sender (LCLS-I).
    pub(crate) fn with_sender(self, sender: Src) -> Detector {
        Detector { sender: Some(sender), ..self }
    }

    /// The name of its format.
    pub(crate) fn format_name(&self) -> &'static str {
        self.kind.0.format
    }

    /// The detector's name: of LCLS-I the written sender, of LCLS-II the name without algorithm and field, of HDF5 the
    /// path of the data set or the common beginning of several paths, of the wire readout the link.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The algorithm that made the detector's records (LCLS-II); else empty.
    pub fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// Which array of its records it is (LCLS-II); else empty.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// How many axes its array has at an event; 2 where the format does not say.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// The sender of its leaves (LCLS-I).
    pub fn sender(&self) -> Option<Src> {
        self.sender
    }

    /// Whether its arrays are pictures, and not lists.
    pub fn has_pictures(&self) -> bool {
        self.rank > 1
    }

    /// The word by which plans of analyses tell the detector from detectors of other formats.
    pub fn key(&self) -> &'static str {
        self.kind.0.key
    }

    /// The parts that a plan keeps: [`Detector::of_parts`] makes the detector again.
    pub fn parts(&self) -> Vec<Part> {
        (self.kind.0.parts)(self)
    }
}

/// `` `a`, `b` ``: detectors in words.
pub(crate) fn list(detectors: &[&Detector]) -> String {
    let all: Vec<String> = detectors.iter().map(|detector| format!("`{detector}`")).collect();
    if all.is_empty() { "none".into() } else { all.join(", ") }
}

/// A user's words for a detector. An empty field may be anything.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Wanted {
    /// LCLS-I: a pattern as psana takes it, as `CxiDs1-0|Cspad-0`, `Cspad-0` or `*|Opal1000-*`. LCLS-II: the name of the detector,
    /// as `epixquad`, or the first parts of detector, algorithm and array, as `epixquad.raw.raw`. HDF5: a name of the data set, or the last
    /// parts of it, as `data`. Wire readout: the name of the link, or parts of it, as `slot2` or `slot2_fiber1`.
    pub detector: String,
    /// LCLS-II: the name of the algorithm, as `raw`.
    pub algorithm: String,
    /// LCLS-II: the name of the array, as `raw`.
    pub field: String,
}

/// By a name or pattern alone.
impl From<&str> for Wanted {
    fn from(detector: &str) -> Wanted {
        Wanted { detector: detector.to_owned(), ..Wanted::default() }
    }
}

/// By a name or pattern alone, if there is one.
impl From<Option<&str>> for Wanted {
    fn from(detector: Option<&str>) -> Wanted {
        Wanted::from(detector.unwrap_or_default())
    }
}

/// By its whole name.
impl From<&Detector> for Wanted {
    fn from(detector: &Detector) -> Wanted {
        let Detector { name, algorithm, field, .. } = detector.clone();
        Wanted { detector: name, algorithm, field }
    }
}

/// As it was said.
impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = [&self.detector, &self.algorithm, &self.field].map(String::as_str);
        let said: Vec<&str> = said.into_iter().filter(|text| !text.is_empty()).collect();
        write!(f, "{}", said.join("."))
    }
}

impl Wanted {
    /// The user's words, for messages: `what`, and the name if a name was given.
    pub(crate) fn called(&self, what: &str) -> String {
        if self.is_empty() { what.to_owned() } else { format!("{what} called `{self}`") }
    }

    /// Whether all fields are empty.
    pub fn is_empty(&self) -> bool {
        self.detector.is_empty() && self.algorithm.is_empty() && self.field.is_empty()
    }

    /// Whether only the detector is named, and no algorithm or field.
    pub(crate) fn is_name_alone(&self) -> bool {
        self.algorithm.is_empty() && self.field.is_empty()
    }

    /// The detectors of `found` that the words may mean. If several fit and only one has pictures, this one is meant.
    ///
    /// # Errors
    /// If the words can mean no detector of the format: a name that is no pattern, or a field where the format knows
    /// detectors by name alone.
    pub fn meant<'d>(&self, found: &'d [Detector]) -> Result<Vec<&'d Detector>> {
        let mut fitting = Vec::new();
        for detector in found {
            if (detector.kind.0.fits)(self, detector)? {
                fitting.push(detector);
            }
        }
        let mut pictures = fitting.iter().copied().filter(|detector| detector.has_pictures());
        // A user who names nothing wants pictures as a rule.
        match (pictures.next(), pictures.next()) {
            (Some(one), None) => Ok(vec![one]),
            _ => Ok(fitting),
        }
    }

    /// The one of `found`, all detectors of a run, that is meant.
    ///
    /// # Errors
    /// As [`Wanted::meant`], or if there is none, or more than one; the error lists them.
    pub(crate) fn one_of(&self, found: &[Detector], naming: &Naming) -> Result<Detector> {
        match self.meant(found)?[..] {
            [one] => Ok(one.clone()),
            [] => {
                let all: Vec<&Detector> = found.iter().collect();
                // The message lists all detectors, so that the user can choose.
                Err(Error::new(self.called(naming.one), (naming.list)(&all)))
            }
            ref several => Err(Error::new(naming.name_of_one, (naming.list)(several))),
        }
    }
}
