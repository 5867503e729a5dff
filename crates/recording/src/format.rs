//! A format of recorded runs: how its files are recognised and opened, and which properties its runs have.
//!
//! The table of all formats is [`crate::formats`]; an open run is a [`Run`]. Code above these knows no format by name:
//! code that must treat formats differently asks for a property.

use std::path::{Path, PathBuf};

use livetime_formats::file::{self, Stores};
use livetime_formats::xtc1::run::Places;
use livetime_formats::{Error, Result};
use livetime_runtime::MemoryLimit;

use crate::SmallValue;
use crate::damage::DamageWords;
use crate::detector::Naming;
use crate::run::Run;

/// Opens files and scans only some of their places.
type OpenPlaces = fn(&Stores, &[Places]) -> Result<Box<dyn Run>>;

/// A line of the table of formats.
pub(crate) struct Format {
    /// A word, the same for ever: programs and plans keep it.
    pub(crate) name: &'static str,
    /// The word for it on pages.
    pub(crate) label: &'static str,
    /// A file of it, for the message that a file is of no format; formats with the same words follow each other.
    pub(crate) file: &'static str,
    /// Whether the name of a file says that it is of this format, so that its content need not be looked at.
    pub(crate) is_named: fn(&Path) -> Result<bool>,
    /// How the content of a file shows that.
    pub(crate) sign: Sign,
    /// All files of the run to which a file belongs.
    pub(crate) files_of: fn(&Path, &Stores) -> Result<Vec<PathBuf>>,
    /// Opens the files of one run.
    pub(crate) open: fn(&Opening<'_>) -> Result<Box<dyn Run>>,
    /// Opens files and scans only some of their places. `None`: a part of a run is opened as a whole run.
    pub(crate) open_places: Option<OpenPlaces>,
    /// The kind of datagrams in the files. An event of datagrams is read as a whole, and its pixels can stay in the
    /// files.
    pub(crate) datagrams: Option<file::Format>,
    /// Frames that sinks of this program recorded come back as they were, with their attributes.
    pub(crate) keeps_frames: bool,
    /// Whether pictures of such a run are written into XTC one by one. Runs of datagrams are not: their datagrams are
    /// rewritten with the pictures inside.
    pub(crate) becomes_xtc: bool,
    /// Whether a small value comes along with its frame, as an attribute.
    pub(crate) is_attribute: fn(&SmallValue) -> bool,
    /// How its detectors are named.
    pub(crate) naming: &'static Naming,
    /// How its damage is called.
    pub(crate) damage: DamageWords,
}

/// How the content of a file shows its format; the surest sign decides, then the order of the table.
pub(crate) enum Sign {
    /// Bytes that no other file begins with.
    Signature(fn(&Begin<'_>) -> bool),
    /// Content that other files hardly have.
    Content(fn(&Begin<'_>) -> bool),
    /// A header that is possible: other files may begin with such bytes.
    Header(fn(&Begin<'_>) -> bool),
}

/// The begin of a file, by which it is recognised.
pub(crate) struct Begin<'a> {
    pub(crate) path: &'a Path,
    /// First bytes of the file, at most 64.
    pub(crate) head: &'a [u8],
    /// Where it is opened.
    pub(crate) stores: &'a Stores,
}

/// The files of a run, and how they are opened.
pub(crate) struct Opening<'a> {
    pub(crate) paths: &'a [PathBuf],
    /// Just these files, without further ones that they name.
    pub(crate) is_only: bool,
    /// If given, linked files must lie in these folders.
    pub(crate) within: Option<&'a [PathBuf]>,
    /// The memory that may be taken.
    pub(crate) memory: MemoryLimit,
    /// Where addresses are opened.
    pub(crate) stores: &'a Stores,
}

impl Sign {
    /// How sure it is: 0 is the surest.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Sign::Signature(_) => 0,
            Sign::Content(_) => 1,
            Sign::Header(_) => 2,
        }
    }

    pub(crate) fn is_in(&self, begin: &Begin<'_>) -> bool {
        let (Sign::Signature(is_in) | Sign::Content(is_in) | Sign::Header(is_in)) = self;
        is_in(begin)
    }
}

/// The rule of formats that are recognised by content, whatever the file's name.
pub(crate) fn unnamed(_: &Path) -> Result<bool> {
    Ok(false)
}

/// The rule of formats in which one file is a run.
pub(crate) fn alone(path: &Path, _: &Stores) -> Result<Vec<PathBuf>> {
    Ok(vec![path.to_owned()])
}

/// The rule of formats whose frames have no small value as an attribute.
pub(crate) fn no_attribute(_: &SmallValue) -> bool {
    false
}

/// How the files of a run are written: a line of the table of formats.
///
/// ```
/// use livetime_recording::RunFormat;
///
/// let format = RunFormat::of("e236-r0003-s04-c00.xtc".as_ref())?;
/// assert_eq!((format.name(), format.leaves_pixels()), ("xtc1", true));
/// # Ok::<(), livetime_recording::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct RunFormat(pub(crate) &'static Format);

impl RunFormat {
    /// `"xtc1"`, `"xtc2"`, `"hdf5"`, `"wire"` or `"records"`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The word for it on pages.
    pub fn label(self) -> &'static str {
        self.0.label
    }

    /// The datagrams that its files are made of; `None`: of something else.
    pub fn datagrams(self) -> Option<file::Format> {
        self.0.datagrams
    }

    /// Whether large pictures can stay in the files when an event is read, and be read in strips
    /// ([`Recording::read_around`](crate::Recording::read_around)).
    pub fn leaves_pixels(self) -> bool {
        self.0.datagrams.is_some()
    }

    /// Whether a part of a run is opened by a scan of some places alone, so that it matters little that files grow behind them.
    pub fn has_places(self) -> bool {
        self.0.open_places.is_some()
    }

    /// Whether frames that sinks of this program recorded come back as they were, with their attributes.
    pub fn keeps_frames(self) -> bool {
        self.0.keeps_frames
    }

    /// Whether the run's pictures are written into XTC one by one, and not with the datagrams that contain them.
    pub fn becomes_xtc(self) -> bool {
        self.0.becomes_xtc
    }

    /// Whether a small value comes along with its frame, as an attribute.
    pub(crate) fn is_attribute(self, value: &SmallValue) -> bool {
        (self.0.is_attribute)(value)
    }
}

impl PartialEq for RunFormat {
    fn eq(&self, other: &RunFormat) -> bool {
        self.name() == other.name()
    }
}

impl Eq for RunFormat {}

impl std::fmt::Debug for RunFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// That a part of a run was to be opened by places, of a format that has none.
pub(crate) fn without_places(format: RunFormat) -> Error {
    Error::new("a format whose files can be scanned in places", format.name())
}
