//! The beginning of a datagram.

use super::{Clock, Stamp, Transition, XtcHeader};
use crate::fields::u32_at;
use crate::file::Head;
use crate::{Error, Result};

/// The beginning of a datagram: its time, its env word, and the header of the root container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DatagramHeader {
    /// When it happened.
    pub clock: Clock,
    /// Its time by the accelerator's clock, and its transition.
    pub stamp: Stamp,
    /// The meaning depends on the transition.
    pub env: Env,
    /// The container of everything in it.
    pub root: XtcHeader,
}

impl DatagramHeader {
    /// Where the root container's header begins.
    pub const ROOT: usize = 20;

    /// Without data, as an event builder writes it.
    pub fn new(transition: Transition, event_time_ns: u64, fiducial: u32) -> DatagramHeader {
        DatagramHeader {
            clock: Clock::from_ns(event_time_ns),
            stamp: Stamp::new(transition, fiducial),
            env: Env(0),
            root: XtcHeader::new(super::Src::EVENT_BUILDER, super::TypeId::CONTAINER),
        }
    }

    /// An event at `event_time_ns` since 1970.
    pub fn event(event_time_ns: u64, fiducial: u32) -> DatagramHeader {
        DatagramHeader::new(Transition::L1Accept, event_time_ns, fiducial)
    }

    /// The transition.
    pub fn transition(&self) -> Transition {
        self.stamp.transition()
    }

    /// As it lies in a file.
    pub fn to_bytes(self) -> [u8; DatagramHeader::LEN] {
        let words = [self.clock.nanoseconds, self.clock.seconds, self.stamp.low, self.stamp.high, self.env.0];
        let mut bytes = [0; DatagramHeader::LEN];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes[DatagramHeader::ROOT..].copy_from_slice(&self.root.to_bytes());
        bytes
    }

    /// Whether real datagrams begin like this; a header cannot show more about a datagram.
    fn check(&self) -> Result<()> {
        let wrong = |wanted, found: String, at| Err(Error::new(wanted, found).at(at));
        // A root that is shorter than its own header would end before it begins.
        if self.root.extent < XtcHeader::LEN as u32 {
            return wrong("the root's extent to be at least 20", self.root.extent.to_string(), 36);
        }
        if self.clock.nanoseconds >= 1_000_000_000 {
            return wrong("nanoseconds below 10^9", self.clock.nanoseconds.to_string(), 0);
        }
        if let Transition::Other(number) = self.transition() {
            return wrong("a transition from 0 to 12", number.to_string(), 8);
        }
        if self.stamp.sequence_type() == 3 {
            return wrong("an event, occurrence or marker", "3".into(), 8);
        }
        if self.root.type_id.number() > 1 || self.root.type_id.is_compressed() {
            return wrong("a container as root", self.root.type_id.to_string(), 32);
        }
        Ok(())
    }
}

impl Head for DatagramHeader {
    type Unit = XtcHeader;

    const LEN: usize = 40;
    const ROOT: usize = DatagramHeader::ROOT;

    fn parse(bytes: &[u8]) -> Result<DatagramHeader> {
        let Some(root) = bytes.get(DatagramHeader::ROOT..).and_then(|b| b.first_chunk()) else {
            return Err(Error::new("40 bytes of a datagram's header", bytes.len().to_string()).at(0));
        };
        let header = DatagramHeader {
            clock: Clock { nanoseconds: u32_at(bytes, 0), seconds: u32_at(bytes, 4) },
            stamp: Stamp { low: u32_at(bytes, 8), high: u32_at(bytes, 12) },
            env: Env(u32_at(bytes, 16)),
            root: XtcHeader::parse(root),
        };
        header.check().map(|()| header)
    }

    fn length(&self) -> u64 {
        DatagramHeader::ROOT as u64 + u64::from(self.root.extent)
    }

    fn time_ns(&self) -> u64 {
        self.clock.ns()
    }

    fn is_event(&self) -> bool {
        self.transition() == Transition::L1Accept
    }
}

/// The env word: it means something for events and for BeginRun only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Env(pub u32);

impl Env {
    /// For an event: data were removed by the filter.
    pub fn is_trimmed(self) -> bool {
        self.0 >> 31 == 1
    }
}
