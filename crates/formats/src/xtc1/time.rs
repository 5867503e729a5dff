//! The time and the transition of a datagram.

use std::fmt;

/// How many fiducials there are: they count at 360 Hz and begin again after 364 s.
pub const FIDUCIAL_PERIOD: u32 = 131_040;

/// The clock of a datagram: nanoseconds, then seconds since 1970, as they lie in the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Clock {
    /// Nanoseconds within the second.
    pub nanoseconds: u32,
    /// Seconds since 1970, UTC.
    pub seconds: u32,
}

impl Clock {
    /// From nanoseconds since 1970; later than 2106 is 2106.
    pub fn from_ns(ns: u64) -> Clock {
        let seconds = u32::try_from(ns / 1_000_000_000).unwrap_or(u32::MAX);
        Clock { nanoseconds: (ns % 1_000_000_000) as u32, seconds }
    }

    /// Nanoseconds since 1970.
    pub fn ns(self) -> u64 {
        u64::from(self.seconds) * 1_000_000_000 + u64::from(self.nanoseconds)
    }
}

impl PartialOrd for Clock {
    fn partial_cmp(&self, other: &Clock) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Clock {
    fn cmp(&self, other: &Clock) -> std::cmp::Ordering {
        (self.seconds, self.nanoseconds).cmp(&(other.seconds, other.nanoseconds))
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}", self.seconds, self.nanoseconds)
    }
}

/// The stamp of a datagram: its time by the accelerator's clock, and its transition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Stamp {
    /// Bits 0 to 23: ticks of 119 MHz since the fiducial. Bits 24 to 31: the transition.
    pub low: u32,
    /// Bits 0 to 16: fiducial. Bits 17 to 31: events since Configure.
    pub high: u32,
}

impl Stamp {
    /// The stamp of a transition or event.
    pub fn new(transition: Transition, fiducial: u32) -> Stamp {
        Stamp { low: u32::from(transition.number()) << 24, high: fiducial & 0x1_FFFF }
    }

    /// Number of the pulse, at 360 Hz, below [`FIDUCIAL_PERIOD`] if it is valid.
    pub fn fiducial(self) -> u32 {
        self.high & 0x1_FFFF
    }

    /// Ticks of 119 MHz since the fiducial.
    pub fn ticks(self) -> u32 {
        self.low & 0xFF_FFFF
    }

    /// Events since Configure, modulo 32768.
    pub fn vector(self) -> u32 {
        self.high >> 17
    }

    /// The transition of the datagram.
    pub fn transition(self) -> Transition {
        Transition::from_number((self.low >> 24) as u8 & 15)
    }

    /// 0 event, 1 occurrence, 2 marker.
    pub fn sequence_type(self) -> u8 {
        (self.low >> 28) as u8 & 3
    }
}

/// The kind of a datagram: an event, or a change of state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transition {
    /// Not specified.
    Unknown,
    /// Reset.
    Reset,
    /// Nodes are put together; not recorded.
    Map,
    /// Nodes are set free; not recorded.
    Unmap,
    /// Configurations of all detectors.
    Configure,
    /// The end of the period that began with Configure.
    Unconfigure,
    /// A run begins; its number is in the env word.
    BeginRun,
    /// A run ends.
    EndRun,
    /// A step of a scan begins.
    BeginCalibCycle,
    /// A step of a scan ends.
    EndCalibCycle,
    /// Triggers on.
    Enable,
    /// Triggers off.
    Disable,
    /// An event.
    L1Accept,
    /// A number from 13 to 15, which has no meaning.
    Other(u8),
}

/// In the order of their numbers.
const TRANSITIONS: [(Transition, &str); 13] = [
    (Transition::Unknown, "Unknown"),
    (Transition::Reset, "Reset"),
    (Transition::Map, "Map"),
    (Transition::Unmap, "Unmap"),
    (Transition::Configure, "Configure"),
    (Transition::Unconfigure, "Unconfigure"),
    (Transition::BeginRun, "BeginRun"),
    (Transition::EndRun, "EndRun"),
    (Transition::BeginCalibCycle, "BeginCalibCycle"),
    (Transition::EndCalibCycle, "EndCalibCycle"),
    (Transition::Enable, "Enable"),
    (Transition::Disable, "Disable"),
    (Transition::L1Accept, "L1Accept"),
];

impl Transition {
    /// From its number.
    pub fn from_number(number: u8) -> Transition {
        TRANSITIONS.get(usize::from(number)).map_or(Transition::Other(number), |(t, _)| *t)
    }

    /// Its name; `Other` for numbers without a meaning.
    pub fn name(self) -> &'static str {
        TRANSITIONS.iter().find(|(t, _)| *t == self).map_or("Other", |(_, name)| name)
    }

    /// Its number.
    pub fn number(self) -> u8 {
        match self {
            Transition::Other(number) => number,
            known => TRANSITIONS.iter().position(|(t, _)| *t == known).unwrap_or(0) as u8,
        }
    }
}

impl fmt::Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Transition::Other(number) => write!(f, "Transition{number}"),
            known => f.write_str(known.name()),
        }
    }
}
