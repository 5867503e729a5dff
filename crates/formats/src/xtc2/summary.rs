//! The content of a file, without its data.

use std::collections::BTreeMap;

use super::{Datagram, DatagramHeader, Names, NamesTable, XtcHeader, XtcKind};
use crate::Result;
use crate::datagrams::Datagrams;
use crate::file::{Head, Heads, Place, ReadAt, Walker, Window, header_at};

/// Transitions are read whole for their descriptions; none is larger.
const TRANSITION_LIMIT: u64 = 256 << 20;

/// Counts of everything in a file.
#[derive(Default, Debug)]
pub struct Summary {
    /// The datagrams.
    pub datagrams: Datagrams,
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
            let event_ns = header.is_event().then(|| header.time_ns());
            let (name, damage) = (header.transition().to_string(), header.root.damage.0.into());
            summary.datagrams.add(&name, damage, event_ns);
            if !header.is_event() && header.length() <= TRANSITION_LIMIT {
                let bytes = window.get(offset, header.length() as usize)?;
                if let Ok(datagram) = Datagram::parse(bytes) {
                    names.update(&datagram);
                }
            }
            summary.look_inside(window, offset, header, &names)?;
            Ok(progress(offset + header.length()))
        });
        (summary.datagrams.end, summary.datagrams.broken) = scanned?;
        Ok(summary)
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
                Err(broken) => self.datagrams.add_unsound(broken.error),
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
