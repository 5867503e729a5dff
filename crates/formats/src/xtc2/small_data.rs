//! Small-data files of LCLS-II: for each event, where its datagram is.

use super::{Datagram, NamesTable};

/// The detector in small-data files whose records tell where the datagrams are.
pub const DETECTOR: &str = "smdinfo";

/// Where an event's datagram is in the file with all data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Original {
    /// Where it begins.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
}

impl Original {
    /// From a datagram of a small-data file; `None` if it tells nothing.
    pub fn find(datagram: &Datagram<'_>, names: &NamesTable) -> Option<Original> {
        let record = datagram.records(names).find(|r| r.names.detector == DETECTOR)?;
        let number = |name: &str| record.value(name).ok()?.elements::<u64>().ok()?.next();
        Some(Original { offset: number("intOffset")?, length: number("intDgramSize")? })
    }
}
