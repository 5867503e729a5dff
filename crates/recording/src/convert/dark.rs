//! Reference frames for blockpack: the mean of the first events, or a frame that the caller has.

use std::collections::BTreeMap;

use livetime_formats::file::Head;
use livetime_formats::npy::Npy;
use livetime_formats::xtc1::data::{Panel, PictureReader, picture_leaves};
use livetime_formats::xtc1::reference::ReferenceFrame;
use livetime_formats::xtc1::{Configs, Datagram, Src, Transition, TypeId};
use livetime_formats::{Error, Result};

use super::job::{Job, Source};
use super::select::Selection;

/// The default number of events of the mean: a larger number makes the data less than 1 % smaller.
pub const MEAN_OF: u32 = 16;

/// The reference frame that blockpack subtracts from frames. The new file keeps it in its Configure.
#[derive(Clone, Debug, Default)]
pub enum ReferenceSource {
    /// Nothing.
    #[default]
    None,
    /// The mean of this number of first events, for each detector.
    Mean(u32),
    /// This frame, for every detector that has as many pixels: its panels in the order of their numbers.
    Frame(Npy),
}

/// Makes reference frames from the events at the beginning of `source`.
pub(super) fn gather(
    wanted: &ReferenceSource,
    selection: &Selection,
    source: &mut dyn Source,
) -> Result<Vec<ReferenceFrame>> {
    let most = match wanted {
        ReferenceSource::None => return Ok(Vec::new()),
        ReferenceSource::Mean(most) => (*most).max(1),
        ReferenceSource::Frame(_) => MEAN_OF,
    };
    let mut sums = Sums::default();
    let (mut job, mut events, mut is_configured) = (Job::default(), 0, false);
    while events < most && source.fill(&mut job)? {
        for bytes in job.items().flatten() {
            let datagram = Datagram::parse(&job.input[bytes.clone()])?;
            is_configured |= takes_references(&datagram);
            if datagram.header.is_event() && events < most {
                events += 1;
                sums.add(&datagram, &job.configs, selection);
            }
        }
    }
    // Pictures are stored as differences from the reference frames, which a reader must know before the first event.
    if !is_configured {
        return Err(Error::new("a Configure before the first event, to keep reference frames in", "none"));
    }
    let frames = match wanted {
        ReferenceSource::Frame(frame) => sums.cut(frame)?,
        _ => sums.means(),
    };
    if frames.is_empty() {
        return Err(Error::new("pictures in the first events, to make reference frames of", "none"));
    }
    Ok(frames)
}

/// Reference frames can be added to its root.
pub(super) fn takes_references(datagram: &Datagram<'_>) -> bool {
    datagram.header.transition() == Transition::Configure
        && datagram.header.root.is_entered()
        && datagram.check().is_ok()
}

/// The reference frames of all detectors.
#[derive(Default)]
struct Sums {
    panels: BTreeMap<(Src, TypeId, u32), Sum>,
    reader: PictureReader,
}

/// All frames of a panel, added.
struct Sum {
    /// Bytes of an element.
    width: usize,
    /// Elements that are pixels; others may follow.
    pixels: usize,
    count: u64,
    elements: Vec<u64>,
}

impl Sums {
    fn add(&mut self, datagram: &Datagram<'_>, configs: &Configs, selection: &Selection) {
        for leaf in picture_leaves(datagram) {
            let header = leaf.header;
            // Damaged pictures and detectors that are left out would spoil the mean.
            if !header.damage.is_none() || !selection.keeps(header.src) {
                continue;
            }
            let key = |number| (header.src.without_process(), header.type_id.plain(), number);
            for panel in self.reader.panels(&leaf, configs).unwrap_or_default() {
                let new = || Sum::new(&panel);
                self.panels.entry(key(panel.number)).or_insert_with(new).add(&panel);
            }
        }
    }

    fn means(&self) -> Vec<ReferenceFrame> {
        let frames = self.panels.iter().filter(|(_, sum)| sum.count > 0);
        frames.map(|((src, type_id, panel), sum)| frame(*src, *type_id, *panel, sum.mean())).collect()
    }

    /// The panels of every detector that has as many pixels as `array`, cut from it.
    fn cut(&self, array: &Npy) -> Result<Vec<ReferenceFrame>> {
        let mut pixels: BTreeMap<(Src, TypeId), usize> = BTreeMap::new();
        for ((src, type_id, _), sum) in &self.panels {
            *pixels.entry((*src, *type_id)).or_default() += sum.pixels;
        }
        if !pixels.values().any(|n| *n == array.values.len()) {
            let detectors: Vec<String> =
                pixels.iter().map(|((src, _), n)| format!("{src} with {n}")).collect();
            let found = format!("{} in the array, and {}", array.values.len(), detectors.join(", "));
            return Err(Error::new("a reference frame with as many pixels as a detector", found));
        }
        let mut frames = Vec::new();
        let mut at = BTreeMap::new();
        for ((src, type_id, panel), sum) in &self.panels {
            if pixels.get(&(*src, *type_id)) == Some(&array.values.len()) {
                let start = at.entry((*src, *type_id)).or_insert(0);
                let values =
                    array.values[*start..*start + sum.pixels].iter().map(|v| v.round().max(0.0) as u64);
                *start += sum.pixels;
                // Elements behind the pixels, such as a trailer, are no part of the array and stay zero.
                let behind = std::iter::repeat_n(0, sum.elements.len() - sum.pixels);
                frames.push(frame(*src, *type_id, *panel, sum.bytes(values.chain(behind))));
            }
        }
        Ok(frames)
    }
}

impl Sum {
    fn new(panel: &Panel<'_>) -> Sum {
        let width = panel.dtype.bytes();
        let elements = vec![0; panel.data.len() / width];
        Sum { width, pixels: panel.pixels.len() / width, count: 0, elements }
    }

    /// A frame of another size is not counted.
    fn add(&mut self, panel: &Panel<'_>) {
        // A panel may change its size within a run, and only the first size is summed.
        if panel.data.len() != self.elements.len() * self.width || panel.dtype.bytes() != self.width {
            return;
        }
        self.count += 1;
        let elements = panel.data.chunks_exact(self.width).zip(&mut self.elements);
        match self.width {
            2 => {
                elements.for_each(|(bytes, sum)| *sum += u64::from(u16::from_le_bytes([bytes[0], bytes[1]])))
            }
            _ => elements.for_each(|(bytes, sum)| {
                *sum += bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            }),
        }
    }

    fn mean(&self) -> Vec<u8> {
        // Half the count is added before the division, so that the mean is rounded.
        self.bytes(self.elements.iter().map(|sum| (sum + self.count / 2) / self.count.max(1)))
    }

    /// Values that are too large are the largest.
    fn bytes(&self, values: impl Iterator<Item = u64>) -> Vec<u8> {
        let most = u64::MAX >> (64 - 8 * self.width);
        values.flat_map(|v| v.min(most).to_le_bytes().into_iter().take(self.width)).collect()
    }
}

fn frame(src: Src, type_id: TypeId, panel: u32, data: Vec<u8>) -> ReferenceFrame {
    ReferenceFrame::new(src, type_id, panel, data.into())
}
