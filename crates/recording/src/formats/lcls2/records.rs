//! Records of an event or a change of state, with all their values.

use livetime_formats::Result;
use livetime_formats::xtc2::run::RunTransition;
use livetime_formats::xtc2::{Datagram, Names, Record, Value};

use super::Lcls2;
use crate::damage::Outcome;
use crate::records::{FieldValue, RecordPlace, RunChange, SegmentRecord};
use crate::{Fault, Reader};

impl Lcls2 {
    pub(super) fn all_changes(&self) -> Vec<RunChange> {
        let events = self.run.events();
        let change = |t: &RunTransition| {
            let time_ns = t.header.event_time_ns;
            let event = events.partition_point(|event| event.event_time_ns < time_ns);
            RunChange { name: t.header.transition().to_string(), time_ns, event }
        };
        self.run.transitions().iter().map(change).collect()
    }

    /// The records of the detectors `wanted`, or, without any, of all.
    pub(super) fn records_at(
        &self,
        place: RecordPlace,
        wanted: &[String],
        reader: &mut Reader,
    ) -> Outcome<Vec<SegmentRecord>> {
        let bytes = &mut reader.bytes;
        let is_wanted =
            |record: &Record<'_, '_>| wanted.is_empty() || wanted.contains(&record.names.detector);
        let found = match place {
            RecordPlace::Event(number) => {
                let event = self.run.events().get(number).ok_or_else(Fault::no_event)?;
                self.run.read(event, bytes)?;
                of_pieces(self.run.records_by_piece(event, bytes), is_wanted)
            }
            RecordPlace::Change(number) => {
                let transition = self.run.transitions().get(number).ok_or_else(Fault::no_event)?;
                self.run.read_transition(transition, bytes)?;
                of_pieces(self.run.transition_records_by_piece(transition, bytes), is_wanted)
            }
        };
        Ok(found)
    }

    /// The descriptions of records in a change of state, each with the number of its piece.
    pub(super) fn names_at(&self, change: usize, reader: &mut Reader) -> Outcome<Vec<(usize, Names)>> {
        let transition = self.run.transitions().get(change).ok_or_else(Fault::no_event)?;
        self.run.read_transition(transition, &mut reader.bytes)?;
        let mut found = Vec::new();
        for (piece, bytes) in reader.bytes.pieces().enumerate() {
            let described = Datagram::parse(bytes)?.walk().filter_map(Names::of_step);
            found.extend(described.map(|names| (piece, names)));
        }
        Ok(found)
    }
}

fn of_pieces<'a>(
    records: impl Iterator<Item = (usize, Record<'a, 'a>)>,
    is_wanted: impl Fn(&Record<'_, '_>) -> bool,
) -> Vec<SegmentRecord> {
    records.filter(|(_, record)| is_wanted(record)).map(|(piece, record)| copied(piece, &record)).collect()
}

fn copied(piece: usize, record: &Record<'_, '_>) -> SegmentRecord {
    SegmentRecord {
        piece,
        detector: record.names.detector.clone(),
        algorithm: record.names.algorithm.name.clone(),
        segment: record.names.segment,
        damage: record.damage.0,
        // A field that cannot be read hides where the next one begins, so reading ends there.
        values: record.values().map_while(Result::ok).map(|value| copied_value(&value)).collect(),
    }
}

fn copied_value(value: &Value<'_, '_>) -> FieldValue {
    FieldValue {
        name: value.field.name.clone(),
        field_type: value.field.field_type,
        dtype: value.dtype,
        shape: value.shape().to_vec(),
        bytes: value.bytes.to_vec(),
    }
}
