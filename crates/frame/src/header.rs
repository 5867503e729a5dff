//! The header of a frame: all its data apart from the payload.

use crate::Attributes;

/// The source of a frame: the index of the source in its graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct SourceId(pub u16);

/// Conditions that hold for one frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(u8);

impl Flags {
    /// The source knows that data are missing or wrong.
    pub const DAMAGED: Flags = Flags(1);
    /// The last frame of its run.
    pub const LAST_OF_RUN: Flags = Flags(2);
    /// The detector gave no time: the event time is the time of arrival at the recorder.
    pub const ARRIVAL_TIME: Flags = Flags(4);

    /// The flags as bits, for wires and files of our own.
    ///
    /// ```
    /// use livetime_frame::Flags;
    /// let flags = Flags::DAMAGED.with(Flags::LAST_OF_RUN);
    /// assert_eq!(Flags::from_bits(flags.bits()), Some(flags));
    /// assert_eq!(Flags::from_bits(128), None);
    /// ```
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The flags with these bits; `None` when a bit is no flag.
    pub fn from_bits(bits: u8) -> Option<Flags> {
        let known = Flags::DAMAGED.with(Flags::LAST_OF_RUN).with(Flags::ARRIVAL_TIME);
        (bits & !known.0 == 0).then_some(Flags(bits))
    }

    /// True when every flag of `other` is set.
    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// Identity and times of a frame.
// Fields that every frame sets come first, so that it lies in one cache line of the cell.
#[repr(C)]
#[derive(Clone, Default, Debug)]
pub struct Header {
    /// Number given by the source: contiguous, starting at the source's first frame.
    pub sequence: u64,
    /// When the event happened, ns since 1970 (UTC), as the detector says; 0 when it does not say.
    pub event_time_ns: i64,
    /// When the frame entered the graph, ns on the run's monotonic clock; 0 when its way is not timed.
    pub entry_ns: u64,
    /// The source.
    pub source: SourceId,
    /// Conditions.
    pub flags: Flags,
    /// Named values.
    pub attributes: Attributes,
}

impl Header {
    pub(crate) fn clear(&mut self) {
        self.sequence = 0;
        self.source = SourceId(0);
        self.event_time_ns = 0;
        self.entry_ns = 0;
        self.flags = Flags(0);
        self.attributes.clear();
    }

    pub(crate) fn copy_from(&mut self, other: &Header) {
        self.sequence = other.sequence;
        self.source = other.source;
        self.event_time_ns = other.event_time_ns;
        self.entry_ns = other.entry_ns;
        self.flags = other.flags;
        self.attributes.copy_from(&other.attributes);
    }
}
