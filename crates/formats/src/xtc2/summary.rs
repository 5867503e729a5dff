//! The content of a file, without its data.

use std::collections::BTreeMap;

use super::{Datagram, DatagramHeader, Names, NamesTable, Transition, XtcHeader, XtcKind};
use crate::file::{End, Head, Heads, Place, ReadAt, Walker, Window, header_at};
use crate::{Error, Result, clock};

/// Transitions are read whole for their descriptions; none is larger.
const TRANSITION_LIMIT: u64 = 256 << 20;

/// Counts of everything in a file.
#[derive(Default, Debug)]
pub struct Summary {
    /// How the file ends, as far as it could be followed.
    pub end: End,
    /// Why it could not be followed further.
    pub broken: Option<Error>,
    /// Datagrams by their transition.
    pub transitions: BTreeMap<String, u64>,
    /// Number of events.
    pub events: u64,
    /// Earliest and latest event, ns since 1970.
    pub event_times_ns: Option<(u64, u64)>,
    /// Datagrams whose root is damaged, by damage.
    pub damage: BTreeMap<u16, u64>,
    /// Containers with a rest that means nothing.
    pub unsound: u64,
    /// The first thing that is broken inside a datagram.
    pub first_unsound: Option<Error>,
    /// Records without a description.
    pub undescribed: u64,
    /// Records by description.
    pub records: BTreeMap<Records, Counts>,
}

/// Whose records they are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Records {
    /// Name of the detector.
    pub detector: String,
    /// Kind of detector.
    pub detector_type: String,
    /// Which piece of the detector.
    pub segment: u32,
    /// Name and version of the algorithm.
    pub algorithm: String,
}

/// How many there are.
#[derive(Clone, Default, Debug)]
pub struct Counts {
    /// Records.
    pub count: u64,
    /// Their bytes with their headers.
    pub bytes: u64,
    /// How many of them are damaged.
    pub damaged: u64,
}

impl Records {
    fn of(names: &Names) -> Records {
        Records {
            detector: names.detector.clone(),
            detector_type: names.detector_type.clone(),
            segment: names.segment,
            algorithm: names.algorithm.to_string(),
        }
    }
}

impl Summary {
    /// Scans `source`. `progress` is called from time to time with the number of bytes scanned; it stops the scan by returning false.
    ///
    /// # Errors
    /// If the operating system reports an error. Faults of the file are in the summary.
    pub fn scan(source: impl ReadAt, mut progress: impl FnMut(u64) -> bool) -> Result<Summary> {
        let (mut summary, mut names) = (Summary::default(), NamesTable::default());
        let scanned = Heads::<DatagramHeader, _>::new(source).each(|window, offset, header| {
            summary.count(header);
            if !header.is_event() && header.length() <= TRANSITION_LIMIT {
                let bytes = window.get(offset, header.length() as usize)?;
                if let Ok(datagram) = Datagram::parse(bytes) {
                    names.update(&datagram);
                }
            }
            summary.look_inside(window, offset, header, &names)?;
            Ok(progress(offset + header.length()))
        });
        (summary.end, summary.broken) = scanned?;
        Ok(summary)
    }

    /// Whether everything in the file is as it should be; damage that the recorder noted itself is.
    pub fn is_whole(&self) -> bool {
        self.broken.is_none() && self.unsound == 0 && self.end.partial_bytes() == 0
    }

    /// Number of datagrams.
    pub fn datagrams(&self) -> u64 {
        self.transitions.values().sum()
    }

    /// Events in a second; `None` for fewer than two, and where times are none of a clock.
    pub fn event_rate_hz(&self) -> Option<f64> {
        let (first, last) = self.event_times_ns?;
        clock::rate_hz(self.events, first, last)
    }

    fn count(&mut self, header: &DatagramHeader) {
        *self.transitions.entry(header.transition().to_string()).or_default() += 1;
        if !header.root.damage.is_none() {
            *self.damage.entry(header.root.damage.0).or_default() += 1;
        }
        if header.transition() == Transition::L1Accept {
            self.events += 1;
            let ns = header.time_ns();
            let (first, last) = self.event_times_ns.unwrap_or((ns, ns));
            self.event_times_ns = Some((first.min(ns), last.max(ns)));
        }
    }

    fn look_inside<R: ReadAt>(
        &mut self,
        window: &mut Window<R>,
        offset: u64,
        header: &DatagramHeader,
        names: &NamesTable,
    ) -> Result<()> {
        let mut walker =
            Walker::<XtcHeader>::new(offset + DatagramHeader::ROOT as u64, offset + header.length());
        while let Some(found) = walker.step(|at| header_at::<XtcHeader, _>(window, at))? {
            match found {
                Ok(place) if place.header.kind() == XtcKind::ShapesData => self.count_record(&place, names),
                Ok(_) => {}
                Err(broken) => {
                    self.unsound += 1;
                    self.first_unsound.get_or_insert(broken.error);
                }
            }
        }
        Ok(())
    }

    fn count_record(&mut self, place: &Place<XtcHeader>, names: &NamesTable) {
        let Some(names) = names.get(place.header.names_id()) else {
            self.undescribed += 1;
            return;
        };
        let counts = self.records.entry(Records::of(names)).or_default();
        counts.count += 1;
        counts.bytes += u64::from(place.header.extent);
        counts.damaged += u64::from(!place.header.damage.is_none());
    }
}
