//! Which detector is wanted.

use std::fmt;

use livetime_formats::xtc1::Src;

/// Who recorded arrays at events.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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

/// `CxiDs1-0|Cspad-0`, or `epixquad.raw.raw`: detector, algorithm, array. A [`Wanted`] of this text means the detector.
impl fmt::Display for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Detector::Lcls1(src) => src.fmt(f),
            Detector::Lcls2 { name, algorithm, field, .. } => write!(f, "{name}.{algorithm}.{field}"),
        }
    }
}

/// What a user says to mean a detector. What is empty may be anything.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Wanted {
    /// LCLS-I: a pattern as psana takes it, as `CxiDs1-0|Cspad-0`, `Cspad-0` or `*|Opal1000-*`. LCLS-II: the name of the detector,
    /// as `epixquad`, or the first parts of detector, algorithm and array, as `epixquad.raw.raw`.
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

/// By its whole name.
impl From<&Detector> for Wanted {
    fn from(detector: &Detector) -> Wanted {
        match detector {
            Detector::Lcls1(src) => Wanted { detector: src.to_string(), ..Wanted::default() },
            Detector::Lcls2 { name, algorithm, field, .. } => {
                Wanted { detector: name.clone(), algorithm: algorithm.clone(), field: field.clone() }
            }
        }
    }
}

impl Wanted {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.detector.is_empty() && self.algorithm.is_empty() && self.field.is_empty()
    }
}
