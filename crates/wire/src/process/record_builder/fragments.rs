//! The record that one sender has sent for a trigger.

use livetime_engine::{Context, NodeError};
use livetime_formats::trigger::{PrimitiveV2, RecordReader, StoredFragment, StoredRecord, fragment_type};
use livetime_formats::wib::{Wib1Frame, Wib2Frame, WibEthFrame};
use livetime_frame::{Frame, Payload};

use crate::encode::{DETECTOR_READOUT, MERGED, TRIGGER, kind_of};
use crate::{DecisionRow, Fragment, HitFragment, HitRow, Piece, RawFormat, RowTable, TriggerRecord};

/// The record in a frame, and the number of its run where the frame tells it.
pub(super) fn read(
    frame: &Frame,
    hits: &RowTable<HitRow>,
    ctx: &mut Context,
) -> Result<(TriggerRecord, Option<u32>), NodeError> {
    match frame.payload() {
        Payload::Any(_) => Ok((frame.value::<TriggerRecord>()?.clone(), None)),
        Payload::Bytes => {
            let stored = stored(frame.bytes())?;
            Ok((record(frame, &stored, hits, ctx)?, Some(stored.header.run)))
        }
        other => Err(NodeError::new(format_args!("wanted a record of a trigger, found {other}"))),
    }
}

/// The only record of these bytes.
fn stored(bytes: &[u8]) -> Result<StoredRecord, NodeError> {
    let found = RecordReader::new(bytes).next().map_err(NodeError::new)?;
    let found = found.filter(|record| record.len == bytes.len() as u64);
    found.ok_or_else(|| {
        NodeError::new(format_args!("wanted one whole record of a trigger, found {} bytes", bytes.len()))
    })
}

fn record(
    frame: &Frame,
    stored: &StoredRecord,
    hits: &RowTable<HitRow>,
    ctx: &mut Context,
) -> Result<TriggerRecord, NodeError> {
    let header = &stored.header;
    let [window_begin, window_end] = stored.requests.first().map_or([0; 2], |request| request.window);
    let mut record = TriggerRecord {
        decision: DecisionRow {
            number: header.trigger_number,
            window_begin,
            window_end,
            time_candidate: header.trigger_timestamp,
            kinds: header.trigger_type,
            ..DecisionRow::default()
        },
        ..TriggerRecord::default()
    };
    for fragment in &stored.fragments {
        let source = fragment.header.source;
        let of_source = stored.missing.iter().filter(|missing| missing.source == source);
        let missing = of_source.map(|missing| missing.missing).collect();
        let range = fragment.offset as usize..(fragment.offset + fragment.len) as usize;
        match source.subsystem {
            DETECTOR_READOUT => {
                let (link, format) = (link(source.id)?, format(fragment)?);
                let first = first_time(format, frame.bytes().get(range.clone()).unwrap_or_default());
                let piece = first.map(|first| Piece { frame: frame.clone(), range, first });
                record.fragments.push(Fragment {
                    link,
                    format,
                    pieces: piece.into_iter().collect(),
                    missing,
                });
            }
            TRIGGER if fragment.header.kind == fragment_type::TRIGGER_PRIMITIVE => {
                let link = if source.id == MERGED { None } else { Some(link(source.id)?) };
                let bytes = frame.bytes().get(range).unwrap_or_default();
                let tables = vec![hits.frame(&rows(bytes, link)?, ctx)?.freeze()];
                record.hits.push(HitFragment { link, tables, missing });
            }
            other => {
                let found = format_args!("wanted a fragment of subsystem 1 or 3, found {other}").to_string();
                return Err(NodeError::new(found));
            }
        }
    }
    Ok(record)
}

fn link(id: u32) -> Result<u16, NodeError> {
    u16::try_from(id).map_err(|_| NodeError::new(format_args!("wanted a link up to 65535, found {id}")))
}

fn format(fragment: &StoredFragment) -> Result<RawFormat, NodeError> {
    let found = RawFormat::ALL.into_iter().find(|format| kind_of(*format) == fragment.header.kind);
    let format = found.ok_or_else(|| {
        NodeError::new(format_args!("wanted a fragment of raw frames, found type {}", fragment.header.kind))
    })?;
    if fragment.len.is_multiple_of(format.bytes() as u64) {
        return Ok(format);
    }
    Err(NodeError::new(format_args!(
        "wanted whole {} frames of {} bytes, found {} bytes",
        format.name(),
        format.bytes(),
        fragment.len
    )))
}

/// The time of the first frame; `None` without one.
fn first_time(format: RawFormat, bytes: &[u8]) -> Option<u64> {
    let frame = bytes.get(..format.bytes())?;
    match format {
        RawFormat::Wib1 => Wib1Frame::parse(frame).ok().map(|frame| frame.timestamp()),
        RawFormat::Wib2 => Wib2Frame::parse(frame).ok().map(|frame| frame.timestamp()),
        RawFormat::WibEth => WibEthFrame::parse(frame).ok().map(|frame| frame.timestamp()),
    }
}

fn rows(bytes: &[u8], link: Option<u16>) -> Result<Vec<HitRow>, NodeError> {
    if !bytes.len().is_multiple_of(PrimitiveV2::BYTES) {
        let wanted =
            format_args!("wanted whole primitives of 24 bytes, found {} bytes", bytes.len()).to_string();
        return Err(NodeError::new(wanted));
    }
    let row = |bytes| {
        let primitive = PrimitiveV2::read(bytes).map_err(NodeError::new)?;
        Ok(HitRow {
            time_start: primitive.time_start,
            channel: primitive.channel,
            adc_integral: primitive.adc_integral,
            adc_peak: primitive.adc_peak,
            samples_over: primitive.samples_over_threshold,
            samples_to_peak: primitive.samples_to_peak,
            link: link.unwrap_or_default(),
            plane: 0,
            flags: primitive.flag >> 1,
        })
    };
    bytes.chunks_exact(PrimitiveV2::BYTES).map(row).collect()
}
