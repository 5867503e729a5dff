//! The beginning of a datagram.

use std::fmt;

use super::XtcHeader;
use crate::fields::u32_at;
use crate::file::{Head, Nested};
use crate::{Error, Result};

/// The kind of a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transition {
    /// Readout is emptied.
    ClearReadout,
    /// Reset.
    Reset,
    /// Detectors and their fields.
    Configure,
    /// The end of the period that began with Configure.
    Unconfigure,
    /// A run begins.
    BeginRun,
    /// A run ends.
    EndRun,
    /// A step of a scan begins.
    BeginStep,
    /// A step of a scan ends.
    EndStep,
    /// Triggers on.
    Enable,
    /// Triggers off.
    Disable,
    /// Slow values, about once a second.
    SlowUpdate,
    /// An event.
    L1Accept,
    /// A number without a meaning.
    Other(u8),
}

/// With their numbers.
const TRANSITIONS: [(u8, Transition, &str); 12] = [
    (0, Transition::ClearReadout, "ClearReadout"),
    (1, Transition::Reset, "Reset"),
    (2, Transition::Configure, "Configure"),
    (3, Transition::Unconfigure, "Unconfigure"),
    (4, Transition::BeginRun, "BeginRun"),
    (5, Transition::EndRun, "EndRun"),
    (6, Transition::BeginStep, "BeginStep"),
    (7, Transition::EndStep, "EndStep"),
    (8, Transition::Enable, "Enable"),
    (9, Transition::Disable, "Disable"),
    (10, Transition::SlowUpdate, "SlowUpdate"),
    (12, Transition::L1Accept, "L1Accept"),
];

impl fmt::Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Transition::Other(number) = self {
            return write!(f, "Transition{number}");
        }
        let named = TRANSITIONS.iter().find(|(_, t, _)| t == self);
        f.write_str(named.map_or("", |(_, _, name)| name))
    }
}

/// Seconds from 1970 to 1990, where the clocks of LCLS-II and EPICS begin.
const EPOCH_S: u64 = 631_152_000;

/// The beginning of a datagram: its time, its env word, and the header of the root container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DatagramHeader {
    /// When it happened, ns since 1970. The file counts from 1990.
    pub event_time_ns: u64,
    /// Bits 0 to 15: groups of detectors that were read. Bits 24 to 27: the transition.
    pub env: u32,
    /// The container of everything in it.
    pub root: XtcHeader,
}

impl DatagramHeader {
    /// Where the root container's header begins.
    pub const ROOT: usize = 12;

    /// The transition.
    pub fn transition(&self) -> Transition {
        // The upper bits of the byte are the kind of the datagram.
        let number = (self.env >> 24) as u8 & 15;
        TRANSITIONS.iter().find(|(n, ..)| *n == number).map_or(Transition::Other(number), |(_, t, _)| *t)
    }
}

impl Head for DatagramHeader {
    type Unit = XtcHeader;

    const LEN: usize = 24;
    const ROOT: usize = DatagramHeader::ROOT;

    fn parse(bytes: &[u8]) -> Result<DatagramHeader> {
        let Some(root) = bytes.get(DatagramHeader::ROOT..).and_then(|b| b.first_chunk()) else {
            return Err(Error::new("24 bytes of a datagram's header", bytes.len().to_string()).at(0));
        };
        let (nanoseconds, seconds) = (u32_at(bytes, 0), u32_at(bytes, 4));
        let event_time_ns = (u64::from(seconds) + EPOCH_S) * 1_000_000_000 + u64::from(nanoseconds);
        let header =
            DatagramHeader { event_time_ns, env: u32_at(bytes, 8), root: XtcHeader::from_bytes(root) };
        // A root that is shorter than its own header would end before it begins.
        if header.root.extent < XtcHeader::LEN as u32 {
            return Err(
                Error::new("the root's extent to be at least 12", header.root.extent.to_string()).at(20)
            );
        }
        // Any other type shows that this is not the begin of a datagram.
        if header.root.type_word & 0xFFF != 0 {
            return Err(Error::new("a container as root", format!("{:?}", header.root.kind())).at(18));
        }
        if nanoseconds >= 1_000_000_000 {
            return Err(Error::new("nanoseconds below 10^9", nanoseconds.to_string()).at(0));
        }
        Ok(header)
    }

    fn length(&self) -> u64 {
        DatagramHeader::ROOT as u64 + u64::from(self.root.extent)
    }

    fn time_ns(&self) -> u64 {
        self.event_time_ns
    }

    fn is_event(&self) -> bool {
        self.transition() == Transition::L1Accept
    }
}
