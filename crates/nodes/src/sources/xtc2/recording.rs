//! One field of one detector in a run.

use std::collections::BTreeSet;
use std::sync::Arc;

use livetime_formats::xtc2::run::{EventBytes, Run};
use livetime_formats::xtc2::{Damage, Datagram, FieldType, Names, Record, Transition, Value};
use livetime_frame::{AttributeValue, ColorMode, Flags};

use crate::sources::recording::{Picture, Recording, stack};

/// What a user chose; empty means anything.
pub(super) struct Wanted {
    pub(super) detector: String,
    pub(super) algorithm: String,
    pub(super) field: String,
}

/// A field that holds arrays.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    detector: String,
    algorithm: String,
    field: String,
    rank: u32,
}

/// One field of one detector of a run.
pub(super) struct Detector {
    run: Run,
    /// Files were still being written when it was opened.
    was_growing: bool,
    wanted: Wanted,
    /// `None` as long as the run says nothing about its detectors.
    choice: Option<Choice>,
    /// How many segments the detector has.
    segments: usize,
}

/// Working memory of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    bytes: EventBytes,
    damage: Option<Arc<str>>,
    attributes: Vec<(Arc<str>, AttributeValue)>,
}

impl Detector {
    /// # Errors
    /// Text, if what is wanted does not name exactly one field with arrays, of which it then lists all.
    pub(super) fn of(run: Run, wanted: Wanted) -> Result<Detector, String> {
        let was_growing = run.is_growing();
        let mut detector = Detector { run, was_growing, wanted, choice: None, segments: 0 };
        detector.choose()?;
        Ok(detector)
    }

    fn choose(&mut self) -> Result<(), String> {
        let all: BTreeSet<Choice> = self.names().flat_map(choices).collect();
        if self.choice.is_none() && !(all.is_empty() && self.run.is_growing()) {
            self.choice = Some(one_of(&all, &self.wanted)?);
        }
        let is_chosen = |n: &&Names| self.choice.as_ref().is_some_and(|choice| choice.is_in(n));
        let segments: BTreeSet<u32> = self.names().filter(is_chosen).map(|n| n.segment).collect();
        self.segments = segments.len();
        Ok(())
    }

    fn names(&self) -> impl Iterator<Item = &Names> {
        self.run.tables().flat_map(|table| table.all())
    }
}

/// The fields of a description that hold arrays of numbers at events.
fn choices(names: &Names) -> impl Iterator<Item = Choice> {
    let is_array = |field: &&livetime_formats::xtc2::Field| {
        field.rank > 0 && matches!(field.field_type, FieldType::Number(_))
    };
    // A configuration is in transitions only.
    let fields = names.fields.iter().filter(|_| names.algorithm.name != "config").filter(is_array);
    fields.map(|field| Choice {
        detector: names.detector.clone(),
        algorithm: names.algorithm.name.clone(),
        field: field.name.clone(),
        rank: field.rank,
    })
}

fn one_of(all: &BTreeSet<Choice>, wanted: &Wanted) -> Result<Choice, String> {
    let is = |wanted: &str, name: &str| wanted.is_empty() || wanted == name;
    let fits = |c: &&Choice| {
        is(&wanted.detector, &c.detector)
            && is(&wanted.algorithm, &c.algorithm)
            && is(&wanted.field, &c.field)
    };
    let fitting: Vec<&Choice> = all.iter().filter(fits).collect();
    let pictures: Vec<&Choice> = fitting.iter().copied().filter(|c| c.rank > 1).collect();
    match (&fitting[..], &pictures[..]) {
        ([one], _) | (_, [one]) => Ok((*one).clone()),
        ([], _) => Err(format!("wanted a field with arrays, found {}", list(all.iter()))),
        _ => Err(format!("wanted the names of one field with arrays, found {}", list(fitting.into_iter()))),
    }
}

fn list<'a>(choices: impl Iterator<Item = &'a Choice>) -> String {
    let text =
        |c: &Choice| format!("`detector: {}, algorithm: {}, field: {}`", c.detector, c.algorithm, c.field);
    let all: Vec<String> = choices.map(text).collect();
    if all.is_empty() { "none".into() } else { all.join("; ") }
}

impl Choice {
    fn is_in(&self, names: &Names) -> bool {
        names.detector == self.detector && names.algorithm.name == self.algorithm
    }
}

impl Recording for Detector {
    type Scratch = Scratch;

    fn events(&self) -> usize {
        self.run.events().len()
    }

    fn event_time_ns(&self, event: usize) -> u64 {
        self.run.events().get(event).map_or(0, |e| e.event_time_ns)
    }

    fn read(
        &self,
        number: usize,
        scratch: &mut Scratch,
        show: &mut dyn FnMut(&Picture<'_>) -> Result<(), String>,
    ) -> Result<bool, String> {
        let (Some(event), Some(choice)) = (self.run.events().get(number), &self.choice) else {
            return Ok(false);
        };
        self.run.read(event, &mut scratch.bytes).map_err(|e| e.to_string())?;
        let failed = |e: &dyn std::fmt::Display| {
            format!("event {number} at {} ns: {} {}: {e}", event.event_time_ns, choice.detector, choice.field)
        };
        let records = self.run.records(event, &scratch.bytes).filter(|record| choice.is_in(record.names));
        let mut segments: Vec<Record<'_, '_>> = records.collect();
        segments.sort_by_key(|record| record.names.segment);
        if segments.is_empty() {
            let whole = scratch.bytes.pieces().try_for_each(|piece| Datagram::parse(piece)?.check());
            whole.map_err(|e| failed(&e))?;
            return Ok(false);
        }
        let mut damage = segments.iter().fold(0, |damage, record| damage | record.damage.0);
        if segments.len() < self.segments {
            damage |= Damage::DROPPED.0;
        }
        let values: Result<Vec<Value<'_, '_>>, _> = segments.iter().map(|r| r.value(&choice.field)).collect();
        let values = values.map_err(|e| failed(&e))?;
        let shapes: Vec<&[usize]> = values.iter().map(Value::shape).collect();
        let layout = stack(values[0].dtype, ColorMode::Mono, &shapes).map_err(|e| failed(&e))?;
        let parts: Vec<&[u8]> = values.iter().map(|value| value.bytes).collect();
        scratch.attributes.clear();
        let mut flags = Flags::default();
        if damage != 0 {
            flags = flags.with(Flags::DAMAGED);
            let name = scratch.damage.get_or_insert_with(|| "Damage".into()).clone();
            scratch.attributes.push((name, AttributeValue::Uint(damage.into())));
        }
        let (event_time_ns, attributes) = (event.event_time_ns, &scratch.attributes[..]);
        show(&Picture { layout, parts: &parts, event_time_ns, flags, attributes })?;
        Ok(true)
    }

    fn refresh(&mut self) -> Result<(), String> {
        self.run.refresh().map_err(|e| e.to_string())?;
        self.choose()
    }

    fn may_grow(&self) -> bool {
        let ends = |t: Transition| matches!(t, Transition::EndRun | Transition::Unconfigure);
        let has_ended = self.run.transitions().last().is_some_and(|t| ends(t.header.transition()));
        // Between two chunks none may be growing for a moment.
        self.was_growing && (self.run.is_growing() || !has_ended)
    }
}
