//! Which detector is wanted.

use std::fmt;

use livetime_formats::xtc1::{SourcePattern, Src};
use livetime_formats::{Error, Result};

use crate::RunFormat;

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
    /// HDF5: a data set whose first axis counts events, or several that follow each other.
    Hdf5 {
        /// Its name from the root; of several, what their names begin with.
        path: String,
        /// How many axes an event has.
        rank: u32,
    },
    /// Wire readout: a link, with an array of channels and ticks.
    Link {
        /// Its name: where its frames say they are from (dumps), or its number in the readout (trigger records).
        name: String,
        /// Which of the two.
        format: RunFormat,
    },
}

/// `CxiDs1-0|Cspad-0`, or `epixquad.raw.raw`: detector, algorithm, array; or `/entry/data/data`, or
/// `crate5_slot2_fiber1`, or `readout7`. A [`Wanted`] of this text means the detector.
impl fmt::Display for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Detector::Lcls1(src) => src.fmt(f),
            Detector::Lcls2 { name, algorithm, field, .. } => write!(f, "{name}.{algorithm}.{field}"),
            Detector::Hdf5 { path, .. } => f.write_str(path),
            Detector::Link { name, .. } => f.write_str(name),
        }
    }
}

impl Detector {
    /// How the files of its runs are written.
    pub fn format(&self) -> RunFormat {
        match self {
            Detector::Lcls1(_) => RunFormat::Xtc1,
            Detector::Lcls2 { .. } => RunFormat::Xtc2,
            Detector::Hdf5 { .. } => RunFormat::Hdf5,
            Detector::Link { format, .. } => *format,
        }
    }

    /// Whether its arrays are pictures, and not lists.
    pub fn has_pictures(&self) -> bool {
        match self {
            Detector::Lcls1(_) | Detector::Link { .. } => true,
            Detector::Lcls2 { rank, .. } | Detector::Hdf5 { rank, .. } => *rank > 1,
        }
    }
}

/// What a user says to mean a detector. What is empty may be anything.
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
        match detector {
            Detector::Lcls1(src) => Wanted { detector: src.to_string(), ..Wanted::default() },
            Detector::Lcls2 { name, algorithm, field, .. } => {
                Wanted { detector: name.clone(), algorithm: algorithm.clone(), field: field.clone() }
            }
            Detector::Hdf5 { path: name, .. } | Detector::Link { name, .. } => {
                Wanted { detector: name.clone(), ..Wanted::default() }
            }
        }
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
    /// What is wanted, for messages: `what`, and how it was called if it was called anything.
    pub(crate) fn called(&self, what: &str) -> String {
        if self.is_empty() { what.to_owned() } else { format!("{what} called `{self}`") }
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.detector.is_empty() && self.algorithm.is_empty() && self.field.is_empty()
    }

    /// Those of `found` that may be meant. If several fit of which one has pictures, that one is meant alone.
    ///
    /// ```
    /// use livetime_recording::{Detector, Wanted};
    ///
    /// let field = |field: &str, rank| Detector::Lcls2 {
    ///     name: "epix".into(),
    ///     algorithm: "raw".into(),
    ///     field: field.into(),
    ///     rank,
    /// };
    /// let found = [field("raw", 3), field("trailer", 1), field("header", 1)];
    /// assert_eq!(Wanted::from("epix").meant(&found)?, [&found[0]]);
    /// assert_eq!(Wanted::from("epix.raw.header").meant(&found)?, [&found[2]]);
    /// assert_eq!(Wanted::default().meant(&found[1..])?.len(), 2);
    /// # Ok::<(), livetime_recording::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it can mean no detector of that format: a name that is no pattern, or a field of a detector that is known by its name alone.
    pub fn meant<'d>(&self, found: &'d [Detector]) -> Result<Vec<&'d Detector>> {
        let is_lcls1 = found.iter().any(|detector| matches!(detector, Detector::Lcls1(_)));
        let pattern = if is_lcls1 { pattern(self)? } else { None };
        let fits = |detector: &&Detector| match detector {
            Detector::Lcls1(src) => pattern.as_ref().is_none_or(|pattern| pattern.matches(*src)),
            Detector::Lcls2 { .. } => self.names(detector),
            Detector::Hdf5 { path, .. } => self.ends(path),
            Detector::Link { name, .. } => self.is_part(name),
        };
        let fitting: Vec<&Detector> = found.iter().filter(fits).collect();
        let mut pictures = fitting.iter().copied().filter(|detector| detector.has_pictures());
        match (pictures.next(), pictures.next()) {
            (Some(one), None) => Ok(vec![one]),
            _ => Ok(fitting),
        }
    }

    /// Whether it is the path of a data set, or its last parts.
    fn ends(&self, path: &str) -> bool {
        let (wanted, path) = (self.detector.trim_start_matches('/'), path.trim_start_matches('/'));
        let before = path.strip_suffix(wanted);
        let is_path = before.is_some_and(|before| before.is_empty() || before.ends_with('/'));
        (wanted.is_empty() || is_path) && self.algorithm.is_empty() && self.field.is_empty()
    }

    /// Whether it is the name of a link, or parts of it that follow each other.
    fn is_part(&self, name: &str) -> bool {
        let is_in = format!("_{name}_").contains(&format!("_{}_", self.detector));
        (self.detector.is_empty() || is_in) && self.algorithm.is_empty() && self.field.is_empty()
    }

    /// Whether it means a detector of LCLS-II.
    fn names(&self, detector: &Detector) -> bool {
        let Detector::Lcls2 { name, algorithm, field, .. } = detector else { return false };
        let is = |wanted: &str, name: &str| wanted.is_empty() || wanted == name;
        let whole = detector.to_string();
        let begins = whole.strip_prefix(&self.detector);
        let is_named =
            is(&self.detector, name) || begins.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        is_named && is(&self.algorithm, algorithm) && is(&self.field, field)
    }
}

/// The pattern of a detector of LCLS-I; `None`: any.
pub(crate) fn pattern(wanted: &Wanted) -> Result<Option<SourcePattern>> {
    if !wanted.algorithm.is_empty() || !wanted.field.is_empty() {
        let found = format!("an algorithm or field: `{}`, `{}`", wanted.algorithm, wanted.field);
        return Err(Error::new("a detector of LCLS-I, which is known by its name alone", found));
    }
    if wanted.detector.is_empty() { Ok(None) } else { wanted.detector.parse().map(Some) }
}
