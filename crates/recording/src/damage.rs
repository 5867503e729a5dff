//! The kinds of damage of an event, and the policies of readers: the same words for every reader of a run.

use std::fmt;

use livetime_formats::Error;
use livetime_runtime::TooMuchMemory;

/// The format's words for the damage that its recorders note about a picture.
#[derive(Clone, Copy)]
pub(crate) struct DamageWords {
    /// The damaged thing, as `picture`.
    pub(crate) what: &'static str,
    /// The meaning of the bits.
    pub(crate) in_words: fn(u32) -> String,
}

/// Of a format that gives the bits no meaning.
impl Default for DamageWords {
    fn default() -> DamageWords {
        DamageWords { what: "picture", in_words: |damage| format!("{damage:#x}") }
    }
}

/// The policy of a reader for an event whose picture is damaged, wholly or in part.
///
/// The policy says nothing about events that have no picture to show ([`FaultKind`]): those are errors that are counted, and the
/// next event follows; only with [`OnDamage::Stop`] they end the reading too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum OnDamage {
    /// The event is left out and counted ([`Account::skipped`]). Right for means and sums, which one bad picture
    /// spoils.
    Skip,
    /// The event is given, with the flag [`Flags::DAMAGED`](livetime_frame::Flags::DAMAGED) and the attribute `Damage`,
    /// and counted. Right for looking at data, and for readers that hand the frames on.
    #[default]
    Keep,
    /// The event is an error, and reading ends there. Right where damage means that something must be repaired first.
    Stop,
}

/// How good the picture of an event is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Condition {
    /// All of it is there, and the recorder noted nothing.
    #[default]
    Whole,
    /// Some panels are good, others are damaged or missing.
    Partial,
    /// There is a picture, and the recorder noted damage for all of it.
    Damaged,
}

impl Condition {
    /// Whether something is wrong with the picture.
    pub fn is_damaged(self) -> bool {
        self != Condition::Whole
    }
}

/// Why an event gave no frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// The detector was not read for it, and nothing says that it should have been. Not a loss.
    Missing,
    /// There is a picture, it is damaged, and [`OnDamage::Stop`] wants none such.
    Damaged,
    /// No picture can be shown, and the recorder noted damage that may be the reason.
    Lost,
    /// The data contradict their format, or cannot be decompressed, although the recorder noted no damage.
    Broken,
    /// The system refuses to read the file, or a part of the file cannot be read.
    Unreadable,
    /// There is no memory for the frame: too many are being kept, or it needs more than may be taken.
    NoMemory,
}

impl FaultKind {
    /// `"missing"`, `"damaged"`, `"lost"`, `"broken"`, `"unreadable"` or `"no memory"`.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Missing => "missing",
            FaultKind::Damaged => "damaged",
            FaultKind::Lost => "lost",
            FaultKind::Broken => "broken",
            FaultKind::Unreadable => "unreadable",
            FaultKind::NoMemory => "no memory",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why an event gave no frame, or why nothing is known behind a place of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The reason.
    pub kind: FaultKind,
    /// Number of the event in the run; `None` if it is about a file.
    pub event: Option<usize>,
    /// In words: wanted, found, and the place.
    pub why: String,
}

/// The result of reading an event.
pub(crate) type Outcome<T = ()> = Result<T, Fault>;

impl Fault {
    pub(crate) fn new(kind: FaultKind, why: impl fmt::Display) -> Fault {
        Fault { kind, event: None, why: why.to_string() }
    }

    /// The detector was not read for the event.
    pub(crate) fn missing(what: &str) -> Fault {
        Fault::new(FaultKind::Missing, format_args!("wanted {what}, found none"))
    }

    /// There is nothing of the detector, and `damage` of the event says that its data may have been lost.
    pub(crate) fn lost(what: &str, damage: impl fmt::Display) -> Fault {
        let why = format_args!("wanted {what}, found none in an event with damage: {damage}");
        Fault::new(FaultKind::Lost, why)
    }

    /// There is no event of that number.
    pub(crate) fn no_event() -> Fault {
        Fault::new(FaultKind::Unreadable, "wanted an event of the run, found none")
    }

    /// This fault with the number and the place of its event.
    pub(crate) fn at(self, event: usize, place: impl fmt::Display) -> Fault {
        Fault { event: Some(event), why: format!("{place}: {}", self.why), ..self }
    }
}

/// An error of the operating system is not the fault of the data, and gets a kind of its own.
impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        let kind = if error.io_error().is_some() { FaultKind::Unreadable } else { FaultKind::Broken };
        Fault::new(kind, error)
    }
}

/// Missing memory is not the fault of the data either.
impl From<TooMuchMemory> for Fault {
    fn from(error: TooMuchMemory) -> Fault {
        Fault::new(FaultKind::NoMemory, error)
    }
}

/// The error for a file that needs more memory than the reader may take.
pub(crate) fn too_much(error: TooMuchMemory) -> Error {
    Error::new(error.wanted(), error.found())
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Fault {}

/// How many events were given, and why the others were not.
///
/// `whole + partial + damaged + missing + lost + broken + unreadable + no_memory` is the number of events that were read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Account {
    /// Events that gave a frame.
    pub frames: u64,
    /// Events with a whole picture.
    pub whole: u64,
    /// Events with a picture that is damaged or missing in part.
    pub partial: u64,
    /// Events with a picture that is damaged.
    pub damaged: u64,
    /// Of these two, events that were left out because the policy says so.
    pub skipped: u64,
    /// Events without the detector.
    pub missing: u64,
    /// Events whose picture the recorder may have lost.
    pub lost: u64,
    /// Events whose data contradict their format.
    pub broken: u64,
    /// Events that the system refused to read.
    pub unreadable: u64,
    /// Events that memory did not suffice for.
    pub no_memory: u64,
}

impl Account {
    /// Pictures that are not whole, given or not.
    pub fn not_whole(&self) -> u64 {
        self.partial + self.damaged
    }

    /// Events that should have given a picture and have none that can be shown.
    pub fn failures(&self) -> u64 {
        // Missing pictures are no failure: the detector was not read.
        self.lost + self.broken + self.unreadable
    }

    pub(crate) fn add_picture(&mut self, condition: Condition) {
        *match condition {
            Condition::Whole => &mut self.whole,
            Condition::Partial => &mut self.partial,
            Condition::Damaged => &mut self.damaged,
        } += 1;
    }

    /// A picture that is damaged has been counted by its condition.
    pub(crate) fn add_fault(&mut self, kind: FaultKind) {
        *match kind {
            FaultKind::Missing => &mut self.missing,
            // The picture is counted already.
            FaultKind::Damaged => return,
            FaultKind::Lost => &mut self.lost,
            FaultKind::Broken => &mut self.broken,
            FaultKind::Unreadable => &mut self.unreadable,
            FaultKind::NoMemory => &mut self.no_memory,
        } += 1;
    }
}
