//! The content of a file, without its data.

use std::collections::{BTreeMap, BTreeSet};

use super::compressed::Engine;
use super::data::{holds_panels, is_same_sender};
use super::{Damage, DatagramHeader, Src, Transition, TypeId, XtcHeader};
use crate::datagrams::Datagrams;
use crate::fields::u32_at;
use crate::file::{Head, Heads, Place, ReadAt, Walker, Window, header_at};
use crate::{Error, Result};

/// Counts of everything in a file.
#[derive(Default, Debug)]
pub struct Summary {
    /// The datagrams.
    pub datagrams: Datagrams,
    /// Number of the run, if a BeginRun tells it.
    pub run: Option<u32>,
    /// Leaves by sender and type.
    pub leaves: BTreeMap<(Src, TypeId), Leaves>,
    /// Contributions that are incomplete, so that nothing in them can be read, by sender and damage.
    pub incomplete: BTreeMap<(Src, u32), Contributions>,
    /// Events with pictures of a sender, all of them damaged.
    pub damaged_pictures: BTreeMap<Src, u64>,
}

/// Containers with the same fault.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Contributions {
    /// How many.
    pub count: u64,
    /// Their bytes with their headers.
    pub bytes: u64,
}

/// The leaves of one type from one sender. The sender's process does not count, nor whether they are compressed.
#[derive(Clone, Default, Debug)]
pub struct Leaves {
    /// How many.
    pub count: u64,
    /// Their bytes with their headers.
    pub bytes: u64,
    /// How many of them are damaged.
    pub damaged: u64,
    /// How many of them are compressed.
    pub compressed: u64,
    /// Bytes of the compressed payloads.
    pub compressed_bytes: u64,
    /// How many these were, by their own words.
    pub plain_bytes: u64,
    /// Numbers of the engines with which they are compressed.
    pub engines: BTreeSet<u32>,
}

impl Leaves {
    /// Compressed bytes over plain bytes; `None` if nothing is compressed.
    pub fn ratio(&self) -> Option<f64> {
        (self.plain_bytes > 0).then(|| self.compressed_bytes as f64 / self.plain_bytes as f64)
    }
}

impl Summary {
    /// Scans `source`. `progress` is called from time to time with the number of bytes scanned; it stops the scan by returning false.
    ///
    /// ```
    /// use livetime_formats::xtc1::{Builder, DatagramHeader, Src, TypeId, XtcHeader, summary::Summary};
    ///
    /// let mut bytes = Vec::new();
    /// let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
    /// builder.leaf(XtcHeader::new(Src::detector(24, 0, 3, 1), TypeId::new(2, 1)), &[&[0; 16]])?;
    /// builder.finish()?;
    /// let summary = Summary::scan(&bytes[..], |_| true)?;
    /// assert_eq!((summary.datagrams.events, summary.leaves.len()), (1, 1));
    /// # Ok::<(), livetime_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the operating system reports an error. Faults of the file are in the summary.
    pub fn scan(source: impl ReadAt, mut progress: impl FnMut(u64) -> bool) -> Result<Summary> {
        let mut summary = Summary::default();
        let scanned = Heads::<DatagramHeader, _>::new(source).each(|window, offset, header| {
            summary.count(header);
            summary.look_inside(window, offset, header)?;
            Ok(progress(offset + header.length()))
        });
        (summary.datagrams.end, summary.datagrams.broken) = scanned?;
        Ok(summary)
    }

    fn count(&mut self, header: &DatagramHeader) {
        let transition = header.transition();
        let event_ns = (transition == Transition::L1Accept).then(|| header.time_ns());
        self.datagrams.add(transition.name(), header.root.damage.0, event_ns);
        // 0 is no number of a run.
        if transition == Transition::BeginRun && header.env.0 > 0 {
            self.run = Some(header.env.0);
        }
    }

    fn look_inside<R: ReadAt>(
        &mut self,
        window: &mut Window<R>,
        offset: u64,
        header: &DatagramHeader,
    ) -> Result<()> {
        let mut walker =
            Walker::<XtcHeader>::new(offset + DatagramHeader::ROOT as u64, offset + header.length());
        // Senders with pictures, and whether one of them is undamaged.
        let mut pictures: Vec<(Src, bool)> = Vec::new();
        while let Some(found) = walker.step(|at| header_at::<XtcHeader, _>(window, at))? {
            match found {
                Ok(place) if !place.header.type_id.is_container() => {
                    self.count_leaf(window, &place)?;
                    note_picture(&place.header, &mut pictures);
                }
                Ok(place) if !place.header.is_entered() => self.count_incomplete(&place.header),
                Ok(_) => {}
                Err(broken) => self.datagrams.add_unsound(broken.error),
            }
        }
        // A sender with one undamaged picture has a picture at this event.
        for (src, _) in pictures.iter().filter(|(_, is_good)| !is_good) {
            *self.damaged_pictures.entry(*src).or_default() += 1;
        }
        Ok(())
    }

    fn count_incomplete(&mut self, header: &XtcHeader) {
        let counts = self.incomplete.entry((header.src.without_process(), header.damage.0)).or_default();
        counts.count += 1;
        counts.bytes += u64::from(header.extent);
    }

    fn count_leaf<R: ReadAt>(&mut self, window: &mut Window<R>, place: &Place<XtcHeader>) -> Result<()> {
        let XtcHeader { damage, src, type_id, extent } = place.header;
        let src = src.without_process();
        let leaves = self.leaves.entry((src, type_id.plain())).or_default();
        leaves.count += 1;
        leaves.bytes += u64::from(extent);
        leaves.damaged += u64::from(damage != Damage::default());
        if type_id.is_compressed() {
            leaves.compressed += 1;
            let (start, end) = (place.offset + XtcHeader::LEN as u64, place.offset + u64::from(extent));
            match survey(window, start, end)? {
                Ok((plain, engines)) => {
                    leaves.compressed_bytes += end - start;
                    leaves.plain_bytes += plain;
                    leaves.engines.extend(engines.iter().map(|e| e.0));
                }
                Err(error) => self.datagrams.add_unsound(error),
            }
        }
        Ok(())
    }
}

/// Takes a leaf in, if it may be a picture.
fn note_picture(header: &XtcHeader, pictures: &mut Vec<(Src, bool)>) {
    if !holds_panels(header.type_id.plain()) {
        return;
    }
    let is_good = header.damage.is_none();
    match pictures.iter_mut().find(|(src, _)| is_same_sender(*src, header.src)) {
        Some((_, has_good)) => *has_good |= is_good,
        None => pictures.push((header.src.without_process(), is_good)),
    }
}

/// The claims of the parts of a compressed payload, without their streams: plain bytes and engines.
#[allow(clippy::type_complexity, reason = "the system's refusal is not the file's fault")]
fn survey<R: ReadAt>(
    window: &mut Window<R>,
    start: u64,
    end: u64,
) -> Result<std::result::Result<(u64, Vec<Engine>), Error>> {
    let (mut at, mut plain, mut engines) = (start, 0, Vec::new());
    // Only the heads of the parts are read: a summary must be faster than the data.
    while at < end {
        let header_len = u64::from(u32_at(window.get(at, 4)?, 0));
        let words = window.get(at + 4 + header_len, 16)?;
        let [engine, _, size, stream] = [0, 4, 8, 12].map(|word| u32_at(words, word));
        let behind = at + 20 + header_len + u64::from(stream);
        // A part may claim to end beyond its leaf.
        if words.len() < 16 || behind > end {
            return Ok(Err(Error::new(
                "a part that ends within its leaf",
                format!("one that ends at {behind}"),
            )
            .at(at)));
        }
        plain += header_len + u64::from(size);
        engines.push(Engine(engine));
        // Parts are padded to 4 bytes, counted from the begin of the payload.
        at = start + (behind - start).next_multiple_of(4);
    }
    Ok(Ok((plain, engines)))
}
