//! Records of LCLS-II as they lie in the files, for programs that know the meaning of a detector's fields.

pub use livetime_formats::xtc2::{Algorithm, Field, FieldType, Names, NamesId};
use livetime_frame::DType;

/// Where records are: at an event, or at a change of state. Both are numbered from 0 on in the order of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordPlace {
    /// At an event.
    Event(usize),
    /// At a change of state: a position in [`Recording::changes`](crate::Recording::changes).
    Change(usize),
}

/// The values that one algorithm of one segment of a detector recorded at an event or a change of state.
#[derive(Clone, PartialEq, Debug)]
pub struct SegmentRecord {
    /// Which stream it is from: the number of the piece of the event.
    pub piece: usize,
    /// The detector.
    pub detector: String,
    /// The algorithm that made the values.
    pub algorithm: String,
    /// Which piece of the detector it is.
    pub segment: u32,
    /// Damage that the recorder noted about the record; 0: none.
    pub damage: u16,
    /// The values in the order of the fields, up to the first that cannot be read.
    pub values: Vec<FieldValue>,
}

/// The value of a field.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldValue {
    /// The field.
    pub name: String,
    /// Type of the elements.
    pub field_type: FieldType,
    /// Type of the elements.
    pub dtype: DType,
    /// The shape, slowest axis first; empty for a single value.
    pub shape: Vec<usize>,
    /// The elements, little-endian.
    pub bytes: Vec<u8>,
}

/// A change of state of a run of LCLS-II; slow updates are among them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunChange {
    /// Name of the change: `"Configure"`, `"BeginRun"`, `"SlowUpdate"` and so on.
    pub name: String,
    /// When it happened, ns since 1970.
    pub time_ns: u64,
    /// Number of the first event behind the change; the number behind the last event if none follows.
    pub event: usize,
}
