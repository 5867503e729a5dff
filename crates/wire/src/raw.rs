//! Batches of raw frames.

use std::sync::Arc;

use livetime_engine::NodeError;
pub use livetime_formats::wib::RawFormat;
use livetime_frame::{AttributeValue, Frame, Header};
use livetime_kernels::Level;
use livetime_kernels::wib::{unpack_wib1, unpack_wib2, unpack_wibeth};

/// Frames of one link, each exactly one step later than the one before it.
///
/// A source ends a batch where frames are missing, and drops frames that are repeated or go back in time; it
/// enters both in the ledger.
#[derive(Clone, Copy, Debug)]
pub struct RawBatch<'a> {
    /// Format of all frames.
    pub format: RawFormat,
    /// Number of the link (for WIBEth: of the stream) in the run.
    pub link: u16,
    /// Time of the first frame, ticks of the clock.
    pub first: u64,
    /// Time of the first frame of the batch's epoch. Where this differs from the epoch of the batch before, the clock
    /// has changed, and the time between the two is unknown. `None` where the source does not state it.
    pub epoch: Option<u64>,
    /// End of the batch that was sent before in the same epoch, or the begin of the epoch. Time missing behind `after`
    /// never was a frame; time missing before `after` was lost on the way. `None` where the source does not state it.
    pub after: Option<u64>,
    /// Faults of all frames that the bytes of the frames do not show, as [`livetime_formats::wib::Faults::bits`]: faults
    /// of the chunk that held the frames, and of compared checksums, numbers and states. `None` where the source does
    /// not state them.
    pub common: Option<u32>,
    /// Faults of any of the frames, as [`livetime_formats::wib::Faults::bits`]; 0 when no frame has one.
    pub faults: u32,
    /// The frames.
    pub bytes: &'a [u8],
}

impl<'a> RawBatch<'a> {
    /// The batch in `frame`.
    ///
    /// # Errors
    /// [`NodeError`] when `frame` does not carry bytes with the attributes of a batch, or not whole frames.
    pub fn of(frame: &'a Frame) -> Result<RawBatch<'a>, NodeError> {
        let attributes = &frame.header().attributes;
        let number = |name: &str| match attributes.get(name) {
            Some(AttributeValue::Uint(value)) => Ok(*value),
            found => Err(NodeError::new(format_args!(
                "wanted raw frames with the attribute `{name}`, found {}",
                found.map_or("none".into(), ToString::to_string)
            ))),
        };
        // A source need not state these labels.
        let told = |name: &str| match attributes.get(name) {
            Some(AttributeValue::Uint(value)) => Some(*value),
            _ => None,
        };
        let format = match attributes.get("format") {
            Some(AttributeValue::Text(name)) => RawFormat::named(name),
            _ => None,
        };
        let Some(format) = format else {
            let found = attributes.get("format").map_or("none".into(), ToString::to_string);
            return Err(NodeError::new(format_args!(
                "wanted raw frames with the attribute `format` (wib1, wib2 or wibeth), found {found}"
            )));
        };
        let bytes = frame.bytes();
        // Frames have one size, so a rest of bytes is a fault of the sender.
        if !bytes.len().is_multiple_of(format.bytes()) {
            return Err(NodeError::new(format_args!(
                "wanted whole {} frames of {} bytes, found {} bytes",
                format.name(),
                format.bytes(),
                bytes.len()
            )));
        }
        let link = number("link")? as u16;
        let (first, faults) = (number("timestamp")?, number("faults")? as u32);
        let (epoch, after, common) = (told("epoch"), told("after"), told("common").map(|bits| bits as u32));
        Ok(RawBatch { format, link, first, epoch, after, common, faults, bytes })
    }

    /// The time before this batch that was received and lost on the way here, where the batch before ended at `end` and was of the epoch
    /// `epoch`. Where the source does not tell, all that is missing.
    pub fn lost_before(&self, epoch: Option<u64>, end: u64) -> Option<(u64, u64)> {
        let (begin, end) = match (self.epoch, self.after) {
            (Some(new), Some(after)) if epoch != Some(new) => (new, after),
            (_, after) => (end, after.unwrap_or(self.first)),
        };
        (begin < end).then_some((begin, end))
    }

    /// Whether the clock has changed since a batch that ended at `end` and was of the epoch `epoch`.
    pub fn begins_epoch(&self, epoch: Option<u64>, end: u64) -> bool {
        epoch != self.epoch || self.first < end
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.format.bytes()
    }

    /// True when there is no frame.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Time at which the next batch begins when nothing is missing.
    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.format.step() * self.len() as u64)
    }

    /// The frames, each as its bytes.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        self.bytes.chunks_exact(self.format.bytes())
    }
}

/// Unpacks frames to rows of samples, one row of all channels for each tick.
///
/// # Errors
/// `frames` are not whole frames, or `samples` not as many as they hold.
pub fn unpack(format: RawFormat, level: Level, frames: &[u8], samples: &mut [i16]) -> Result<(), NodeError> {
    match format {
        RawFormat::Wib1 => unpack_wib1(level, frames, samples),
        RawFormat::Wib2 => unpack_wib2(level, frames, samples),
        RawFormat::WibEth => unpack_wibeth(level, frames, samples),
    }
    .map_err(NodeError::new)
}

/// Names of a batch's attributes, shared between frames.
#[derive(Clone, Debug)]
pub struct RawLabels {
    format: (Arc<str>, Arc<str>),
    link: Arc<str>,
    timestamp: Arc<str>,
    faults: Arc<str>,
    epoch: Arc<str>,
    after: Arc<str>,
    common: Arc<str>,
}

impl RawLabels {
    /// For batches of this format.
    pub fn new(format: RawFormat) -> RawLabels {
        RawLabels {
            format: ("format".into(), format.name().into()),
            link: "link".into(),
            timestamp: "timestamp".into(),
            faults: "faults".into(),
            epoch: "epoch".into(),
            after: "after".into(),
            common: "common".into(),
        }
    }

    /// Writes the attributes of a batch; see [`RawBatch`]. Allocates nothing once a frame has been used before.
    pub fn put(&self, header: &mut Header, link: u16, first: u64, faults: u32) {
        let attributes = &mut header.attributes;
        attributes.set(&self.format.0, AttributeValue::Text(self.format.1.clone()));
        attributes.set(&self.link, AttributeValue::Uint(link.into()));
        attributes.set(&self.timestamp, AttributeValue::Uint(first));
        attributes.set(&self.faults, AttributeValue::Uint(faults.into()));
    }

    /// Sets [`RawBatch::epoch`], [`RawBatch::after`] and [`RawBatch::common`] of a batch.
    pub fn put_more(&self, header: &mut Header, epoch: u64, after: u64, common: u32) {
        header.attributes.set(&self.epoch, AttributeValue::Uint(epoch));
        header.attributes.set(&self.after, AttributeValue::Uint(after));
        header.attributes.set(&self.common, AttributeValue::Uint(common.into()));
    }
}

#[cfg(test)]
mod tests {
    use livetime_frame::FramePool;

    use super::*;

    #[test]
    fn a_batch_is_read_as_it_was_labelled() {
        let mut allocator = FramePool::new(1 << 20).allocator();
        let mut frame = allocator.bytes(3 * 464).unwrap();
        RawLabels::new(RawFormat::Wib1).put(frame.header_mut(), 7, 1000, 5);
        let frame = frame.freeze();
        let batch = RawBatch::of(&frame).unwrap();
        assert_eq!((batch.epoch, batch.after, batch.lost_before(None, 975)), (None, None, Some((975, 1000))));
        assert_eq!((batch.format, batch.link, batch.first, batch.faults), (RawFormat::Wib1, 7, 1000, 5));
        assert_eq!((batch.len(), batch.end(), batch.frames().len()), (3, 1075, 3));
    }

    #[test]
    fn what_was_lost_on_the_way_is_told_from_what_never_came() {
        let batch = |epoch, after| RawBatch {
            format: RawFormat::Wib1,
            link: 0,
            first: 1000,
            epoch: Some(epoch),
            after: Some(after),
            common: None,
            faults: 0,
            bytes: &[],
        };
        assert_eq!(batch(100, 900).lost_before(Some(100), 900), None);
        assert_eq!(batch(100, 900).lost_before(Some(100), 800), Some((800, 900)));
        assert_eq!(batch(950, 950).lost_before(Some(100), 900), None, "the clock has changed");
        assert_eq!(batch(950, 975).lost_before(Some(100), 900), Some((950, 975)));
        assert!(
            batch(950, 950).begins_epoch(Some(100), 900) && !batch(100, 900).begins_epoch(Some(100), 900)
        );
    }

    #[test]
    fn what_is_no_batch_is_refused() {
        let mut allocator = FramePool::new(1 << 20).allocator();
        let plain = allocator.bytes(464).unwrap().freeze();
        assert!(RawBatch::of(&plain).unwrap_err().to_string().contains("`format`"));
        let mut cut = allocator.bytes(463).unwrap();
        RawLabels::new(RawFormat::Wib1).put(cut.header_mut(), 0, 0, 0);
        assert!(RawBatch::of(&cut.freeze()).unwrap_err().to_string().contains("463 bytes"));
    }
}
