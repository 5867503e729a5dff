//! Which data a record lacks, and why: a fragment of our own type.

use super::{Bytes, SourceId};
use crate::{Error, Result};

/// Why data are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum MissingReason {
    /// The source brought nothing for this time, although it brought later data.
    NeverReceived = 1,
    /// Received, but lost on the way to the buffer.
    Dropped = 2,
    /// Was released before it was requested.
    TooOld = 3,
    /// Was requested, and was released because memory ran short.
    Overrun = 4,
    /// Had not come when the record had to be made.
    NotYet = 5,
    /// Had not arrived, and was not waited for, because the source had been silent for long.
    Dead = 6,
}

impl MissingReason {
    /// All reasons.
    pub const ALL: [MissingReason; 6] = [
        MissingReason::NeverReceived,
        MissingReason::Dropped,
        MissingReason::TooOld,
        MissingReason::Overrun,
        MissingReason::NotYet,
        MissingReason::Dead,
    ];

    /// In words, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            MissingReason::NeverReceived => "never_received",
            MissingReason::Dropped => "dropped",
            MissingReason::TooOld => "too_old",
            MissingReason::Overrun => "overrun",
            MissingReason::NotYet => "not_yet",
            MissingReason::Dead => "dead",
        }
    }
}

/// A piece of time that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Begin, ticks of the clock.
    pub begin: u64,
    /// End, which does not belong to it.
    pub end: u64,
    /// Why.
    pub reason: MissingReason,
}

/// A piece of time that is missing from one source, 32 bytes in files.
///
/// ```
/// use livetime_formats::trigger::{Missing, MissingFrom, MissingReason, SourceId};
/// let missing = Missing { begin: 100, end: 125, reason: MissingReason::TooOld };
/// let from = MissingFrom { source: SourceId { subsystem: 1, id: 7 }, missing };
/// assert_eq!(MissingFrom::read(&from.bytes())?, from);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingFrom {
    /// From whom.
    pub source: SourceId,
    /// The missing data.
    pub missing: Missing,
}

impl MissingFrom {
    /// Bytes of an entry.
    pub const BYTES: usize = 32;

    /// The entry at the start of `bytes`.
    ///
    /// # Errors
    /// Fewer than 32 bytes, or an unknown reason.
    pub fn read(bytes: &[u8]) -> Result<MissingFrom> {
        let b = Bytes::<{ Self::BYTES }>::read("what is missing", bytes)?;
        let reason = MissingReason::ALL.into_iter().find(|reason| *reason as u32 == b.u32(24));
        let reason =
            reason.ok_or_else(|| Error::new("a reason from 1 to 6", b.u32(24).to_string()).at(24))?;
        let missing = Missing { begin: b.u64(8), end: b.u64(16), reason };
        Ok(MissingFrom { source: SourceId::read(&b, 0), missing })
    }

    /// As it lies in files.
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        Bytes::new()
            .put(0, self.source.bytes())
            .put(8, self.missing.begin.to_le_bytes())
            .put(16, self.missing.end.to_le_bytes())
            .put(24, (self.missing.reason as u32).to_le_bytes())
            .0
    }
}
