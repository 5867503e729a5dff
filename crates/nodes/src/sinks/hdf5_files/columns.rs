//! Values recorded beside the pixels: one for each frame, of its attributes and of properties that every frame has.

use std::sync::Arc;

use livetime_engine::files::AttributeNote;
use livetime_formats::Result;
use livetime_formats::hdf5::{Attribute, Element, GridId, LateId, NodeId, StreamId, Writer};
use livetime_frame::{AttributeValue, Attributes, ColorMode, DType, Header};

use super::super::nd_file::EventTime;

/// Bytes of a text in a column, as in areaDetector.
pub(super) const TEXT_BYTES: u32 = 256;
/// Seconds from 1970 to 1990, where EPICS starts to count.
const EPICS_EPOCH_S: i64 = 631_152_000;

/// A property that every frame has beside its attributes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Given {
    TimeStamp,
    EpicsSeconds,
    EpicsNanoseconds,
    EventTime,
    ColorMode,
    /// How many frames are missing before it.
    MissingBefore,
    UniqueId,
}

impl Given {
    /// All of them with the names that layouts use; the number of the frame is the last.
    pub(super) const NAMED: [(&'static str, Given); 6] = [
        ("NDArrayTimeStamp", Given::TimeStamp),
        ("NDArrayEpicsTSSec", Given::EpicsSeconds),
        ("NDArrayEpicsTSnSec", Given::EpicsNanoseconds),
        ("NDArrayEventTime", Given::EventTime),
        ("ColorMode", Given::ColorMode),
        ("NDArrayUniqueId", Given::UniqueId),
    ];

    pub(super) fn named(name: &str) -> Option<Given> {
        Given::NAMED.iter().find(|(known, _)| *known == name).map(|(_, given)| *given)
    }

    fn dtype(self) -> DType {
        match self {
            Given::TimeStamp => DType::F64,
            Given::EpicsSeconds | Given::EpicsNanoseconds | Given::MissingBefore => DType::U32,
            Given::EventTime => DType::I64,
            Given::ColorMode | Given::UniqueId => DType::I32,
        }
    }
}

/// A frame as the columns see it.
pub(super) struct Facts<'a> {
    pub(super) header: &'a Header,
    pub(super) number: i64,
    pub(super) time: EventTime,
    pub(super) color: ColorMode,
    pub(super) missing: u64,
}

impl Facts<'_> {
    fn given(&self, what: Given) -> AttributeValue {
        // areaDetector counts from 1990, where EPICS begins.
        let ns = self.time.ns.saturating_sub(EPICS_EPOCH_S * 1_000_000_000);
        match what {
            Given::TimeStamp => AttributeValue::Float(ns as f64 / 1e9),
            Given::EpicsSeconds => AttributeValue::Int(ns.div_euclid(1_000_000_000)),
            Given::EpicsNanoseconds => AttributeValue::Int(ns.rem_euclid(1_000_000_000)),
            Given::EventTime => AttributeValue::Int(self.time.ns),
            Given::ColorMode => AttributeValue::Int(self.color as i64),
            Given::MissingBefore => AttributeValue::Uint(self.missing.min(u64::from(u32::MAX))),
            Given::UniqueId => AttributeValue::Int(self.number),
        }
    }
}

/// The origin and the type of a column's values.
#[derive(Clone, Debug)]
pub(super) struct Source {
    from: From,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug)]
enum From {
    Given(Given),
    /// Name of the attribute, and its place in the first frame.
    Attribute(Arc<str>, usize),
}

impl Source {
    pub(super) fn given(given: Given) -> Source {
        Source { from: From::Given(given), kind: Kind::Number(given.dtype()) }
    }

    /// The attribute called `name` of the first frame.
    pub(super) fn attribute(name: &str, of: &Attributes, note: Option<&AttributeNote>) -> Option<Source> {
        let (place, attribute) = of.iter().enumerate().find(|(_, attribute)| *attribute.name == *name)?;
        let kind = Kind::of(&attribute.value, note);
        Some(Source { from: From::Attribute(attribute.name.clone(), place), kind })
    }

    pub(super) fn is_unique_id(&self) -> bool {
        matches!(self.from, From::Given(Given::UniqueId))
    }

    /// Whether the values depend on the order of arrival.
    pub(super) fn is_of_order(&self) -> bool {
        matches!(self.from, From::Given(Given::MissingBefore))
    }

    /// The name of the attribute.
    pub(super) fn name(&self) -> Option<&Arc<str>> {
        match &self.from {
            From::Attribute(name, _) => Some(name),
            From::Given(_) => None,
        }
    }

    /// Writes the value over `row`; whether the frame has one.
    pub(super) fn encode(&self, facts: &Facts<'_>, row: &mut Vec<u8>) -> bool {
        row.clear();
        let given;
        let value = match &self.from {
            From::Given(what) => {
                given = facts.given(*what);
                Some(&given)
            }
            From::Attribute(name, place) => attribute(&facts.header.attributes, *place, name),
        };
        self.kind.encode(value, row);
        value.is_some()
    }
}

/// The value called `name`, which is most often at its place in the first frame.
fn attribute<'a>(attributes: &'a Attributes, place: usize, name: &Arc<str>) -> Option<&'a AttributeValue> {
    // Frames of one source have the same attributes in the same order, so the search is nearly never needed.
    match attributes.iter().nth(place).filter(|a| Arc::ptr_eq(&a.name, name)) {
        Some(attribute) => Some(&attribute.value),
        None => attributes.get(name),
    }
}

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Number(DType),
    Text,
}

impl Kind {
    /// The requested type, else the type of the first value.
    fn of(value: &AttributeValue, note: Option<&AttributeNote>) -> Kind {
        match (note.and_then(|note| note.dtype), value) {
            (Some(dtype), _) => Kind::Number(dtype),
            (None, AttributeValue::Int(_)) => Kind::Number(DType::I64),
            (None, AttributeValue::Uint(_)) => Kind::Number(DType::U64),
            (None, AttributeValue::Float(_)) => Kind::Number(DType::F64),
            (None, AttributeValue::Text(_)) => Kind::Text,
        }
    }

    pub(super) fn element(self) -> Element {
        match self {
            Kind::Number(dtype) => Element::Number(dtype),
            Kind::Text => Element::Text(TEXT_BYTES),
        }
    }

    /// A value that is not there becomes NaN, 0 or an empty text.
    fn encode(self, value: Option<&AttributeValue>, row: &mut Vec<u8>) {
        match self {
            Kind::Number(DType::F64) => row.extend_from_slice(&float(value).to_le_bytes()),
            Kind::Number(DType::F32) => row.extend_from_slice(&(float(value) as f32).to_le_bytes()),
            // The low bytes of a whole number are the number in a smaller type.
            Kind::Number(dtype) => row.extend_from_slice(&int(value).to_le_bytes()[..dtype.bytes()]),
            Kind::Text => {
                row.resize(TEXT_BYTES as usize, 0);
                write_text(value, row);
            }
        }
    }
}

fn int(value: Option<&AttributeValue>) -> i64 {
    match value {
        Some(AttributeValue::Int(v)) => *v,
        Some(AttributeValue::Uint(v)) => *v as i64,
        Some(AttributeValue::Float(v)) => *v as i64,
        _ => 0,
    }
}

fn float(value: Option<&AttributeValue>) -> f64 {
    match value {
        Some(AttributeValue::Int(v)) => *v as f64,
        Some(AttributeValue::Uint(v)) => *v as f64,
        Some(AttributeValue::Float(v)) => *v,
        _ => f64::NAN,
    }
}

/// As much as fits of a text; the last byte stays 0.
fn write_text(value: Option<&AttributeValue>, row: &mut [u8]) {
    let owned;
    let text = match value {
        None => return,
        Some(AttributeValue::Text(text)) => &**text,
        Some(number) => {
            owned = number.to_string();
            &owned
        }
    };
    // HDF5's texts of fixed length end with a zero, and a character must not be cut.
    let mut end = text.len().min(row.len() - 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    row[..end].copy_from_slice(&text.as_bytes()[..end]);
}

/// areaDetector's description of an attribute.
pub(super) fn described(name: &str, note: Option<&AttributeNote>) -> Vec<Attribute> {
    vec![
        Attribute::text("NDAttrName", name),
        Attribute::text("NDAttrDescription", note.map_or("", |note| &note.description)),
        Attribute::text("NDAttrSourceType", note.map_or("NDAttrSourceDriver", |note| note.source_type)),
        Attribute::text("NDAttrSource", note.map_or("Driver", |note| &note.source)),
    ]
}

/// A column of the file.
struct Column {
    source: Source,
    place: Place,
    /// Whether it is the first one of its attribute.
    is_first: bool,
}

/// Where the values of a column go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// One behind another.
    Rows(StreamId),
    /// Where the frame is in the axes of the scan, or along one of them.
    Grid(GridId, Option<usize>),
}

/// A value that is written once, when the file is closed.
struct Last {
    source: Source,
    place: LastPlace,
    value: Vec<u8>,
}

/// Where it is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum LastPlace {
    Attribute(LateId),
    DataSet(NodeId),
}

/// The columns of a file, in the order in which a flush shows them to readers.
#[derive(Default)]
pub(super) struct Columns {
    columns: Vec<Column>,
    lasts: Vec<Last>,
    /// Attributes of the first frame.
    known: Vec<Arc<str>>,
    row: Vec<u8>,
}

impl Columns {
    pub(super) fn new(attributes: &Attributes) -> Columns {
        Columns { known: attributes.iter().map(|a| a.name.clone()).collect(), ..Columns::default() }
    }

    pub(super) fn add(&mut self, source: Source, place: Place) {
        let is_first =
            // An attribute may have several columns, but counts once among the stored ones.
            source.name().is_some() && self.columns.iter().all(|c| c.source.name() != source.name());
        self.columns.push(Column { source, place, is_first });
    }

    pub(super) fn add_last(&mut self, source: Source, place: LastPlace) {
        self.lasts.push(Last { source, place, value: Vec::new() });
    }

    pub(super) fn streams(&self) -> impl Iterator<Item = StreamId> + '_ {
        self.columns.iter().filter_map(|column| match column.place {
            Place::Rows(stream) => Some(stream),
            Place::Grid(..) => None,
        })
    }

    /// Adds the values of a frame, which is at `place` in the axes of the scan. How many of its attributes the first
    /// frame did not
    /// have.
    ///
    /// # Errors
    /// When a value of a grid cannot be written.
    pub(super) fn push(
        &mut self,
        facts: &Facts<'_>,
        place: Option<&[u64]>,
        file: &mut Writer,
    ) -> Result<u64> {
        let mut found = 0;
        for column in &self.columns {
            let is_there = column.source.encode(facts, &mut self.row);
            found += usize::from(is_there && column.is_first);
            match (column.place, place) {
                (Place::Rows(stream), _) => file.push(stream, &self.row),
                (Place::Grid(grid, axis), Some(place)) => {
                    // A column of one axis has a value for each place along this axis only.
                    let place = axis.map_or(place, |axis| &place[axis..=axis]);
                    file.write_at(grid, place, &[&self.row])?;
                }
                // Frames beside the default data set have no place, and no row in columns of the scan.
                (Place::Grid(..), None) => {}
            }
        }
        // Kept for the end of the file: these hold the value of the last frame.
        for last in &mut self.lasts {
            last.source.encode(facts, &mut last.value);
        }
        Ok(self.left_out(&facts.header.attributes, found))
    }

    fn left_out(&self, attributes: &Attributes, found: usize) -> u64 {
        // Each has a column, or there are as many as in the first frame.
        if attributes.len() == found {
            return 0;
        }
        let is_new =
            |name: &Arc<str>| !self.known.iter().any(|known| Arc::ptr_eq(known, name) || known == name);
        attributes.iter().filter(|a| is_new(&a.name)).count() as u64
    }

    /// Forgets the values of the last frame, which was taken back out of the file. At the end, the values of the first
    /// frame then stay, unless another frame comes.
    pub(super) fn forget_last(&mut self) {
        self.lasts.iter_mut().for_each(|last| last.value.clear());
    }

    /// Writes the values that are written once, when the file is closed.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn finish(&self, file: &mut Writer) -> Result<()> {
        for last in self.lasts.iter().filter(|last| !last.value.is_empty()) {
            match last.place {
                LastPlace::Attribute(attribute) => file.rewrite_attribute(attribute, &last.value),
                LastPlace::DataSet(node) => file.rewrite(node, &last.value),
            }?;
        }
        Ok(())
    }
}
