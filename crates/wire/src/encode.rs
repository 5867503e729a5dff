//! A trigger record as it lies in files, and travels over links.

use livetime_engine::NodeError;
use livetime_formats::Result;
use livetime_formats::trigger::{NewFragment, PrimitiveV2, SourceId, TriggerRecordHeader, fragment_type};

use crate::{HitRow, RawFormat, TriggerRecord};

/// Subsystems of the experiment.
pub(crate) const DETECTOR_READOUT: u16 = 1;
pub(crate) const TRIGGER: u16 = 3;
pub(crate) const RECORD_BUILDER: u16 = 4;
/// The link number of merged hits, which no link has.
pub(crate) const MERGED: u32 = 1 << 16;

/// Writes records; keeps its memory from one to the next.
#[derive(Default)]
pub(crate) struct Encoder {
    rows: Vec<HitRow>,
    /// Primitives of all streams of hits, one after another.
    primitives: Vec<u8>,
    /// The end of the primitives of each stream.
    ends: Vec<usize>,
    is_incomplete: bool,
}

impl Encoder {
    /// Makes primitives of the hits of a record; how many of them have a channel that does not fit.
    ///
    /// # Errors
    /// [`NodeError`] when a table is not one of hits.
    pub(crate) fn hits(&mut self, record: &TriggerRecord) -> std::result::Result<u64, NodeError> {
        self.primitives.clear();
        self.ends.clear();
        let mut lost = 0;
        for hits in &record.hits {
            self.rows.clear();
            hits.rows(&record.decision, &mut self.rows)?;
            for hit in &self.rows {
                lost += u64::from(hit.channel >= PrimitiveV2::NO_CHANNEL);
                self.primitives.extend(primitive(hit).bytes());
            }
            self.ends.push(self.primitives.len());
        }
        Ok(lost)
    }

    /// Gives a record to `write`, after [`Encoder::hits`] has made its primitives.
    ///
    /// # Errors
    /// Of `write`.
    pub(crate) fn write<T>(
        &mut self,
        record: &TriggerRecord,
        (run, detector): (u32, u16),
        write: impl FnOnce(TriggerRecordHeader, &[NewFragment<'_>]) -> Result<T>,
    ) -> Result<T> {
        let window = [record.decision.window_begin, record.decision.window_end];
        let raw: Vec<Vec<&[u8]>> =
            record.fragments.iter().map(|f| f.pieces.iter().map(|piece| piece.bytes()).collect()).collect();
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let hits: Vec<[&[u8]; 1]> =
            begins.zip(&self.ends).map(|(from, to)| [&self.primitives[from..*to]]).collect();
        let source = |subsystem, id| SourceId { subsystem, id };
        let raw = record.fragments.iter().zip(&raw).map(|(fragment, parts)| NewFragment {
            kind: kind_of(fragment.format),
            detector,
            source: source(DETECTOR_READOUT, fragment.link.into()),
            window,
            parts,
            missing: &fragment.missing,
        });
        let hits = record.hits.iter().zip(&hits).map(|(stream, parts)| NewFragment {
            kind: fragment_type::TRIGGER_PRIMITIVE,
            detector,
            source: source(TRIGGER, stream.link.map_or(MERGED, u32::from)),
            window,
            parts,
            missing: &stream.missing,
        });
        let fragments: Vec<NewFragment> = raw.chain(hits).collect();
        self.is_incomplete = !record.is_whole();
        let header = TriggerRecordHeader {
            trigger_number: record.decision.number,
            trigger_timestamp: record.decision.time_candidate,
            run,
            error_bits: u32::from(self.is_incomplete),
            trigger_type: record.decision.kinds,
            source: source(RECORD_BUILDER, 0),
            ..TriggerRecordHeader::default()
        };
        write(header, &fragments)
    }

    /// Whether data of the last record are missing.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }
}

/// The type of a fragment of raw frames.
pub(crate) fn kind_of(format: RawFormat) -> u32 {
    match format {
        RawFormat::Wib1 => fragment_type::PROTO_WIB,
        RawFormat::Wib2 => fragment_type::WIB,
        RawFormat::WibEth => fragment_type::WIB_ETH,
    }
}

/// Bit 0 of the flag, which the experiment knows, says that there is another one; the others are the flags of the hit, one bit higher.
fn primitive(hit: &HitRow) -> PrimitiveV2 {
    PrimitiveV2 {
        time_start: hit.time_start,
        channel: hit.channel.min(PrimitiveV2::NO_CHANNEL),
        samples_over_threshold: hit.samples_over,
        samples_to_peak: hit.samples_to_peak,
        adc_integral: hit.adc_integral,
        adc_peak: hit.adc_peak,
        detector: 0,
        flag: hit.flags << 1 | u8::from(hit.flags != 0),
    }
}
