//! The values recorded beside the arrays.

use livetime_frame::AttributeValue;

/// A named value of a run, from an event receiver, a beam-line monitor, a process variable or a configuration.
///
/// ```
/// use livetime_frame::AttributeValue;
/// use livetime_recording::SmallValue;
///
/// let value = SmallValue {
///     source: "BldInfo(PhaseCavity)".into(),
///     name: "charge_1".into(),
///     unit: "pC",
///     values: vec![AttributeValue::Float(2.5)],
///     damage: 0,
/// };
/// assert_eq!((value.number(), value.text()), (Some(2.5), None));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct SmallValue {
    /// The value's source: the sender (LCLS-I), detector and algorithm (LCLS-II), or the group (HDF5).
    pub source: String,
    /// Name of the value: `event codes`, `ebeam_charge`, the name of a process variable.
    pub name: String,
    /// Unit of the value; empty if the format states none.
    pub unit: &'static str,
    /// One value, or as many as there are. None: it was recorded, and cannot be read: its layout is not known here, or it is damaged.
    pub values: Vec<AttributeValue>,
    /// Damage that the recorder noted about the value; 0: none.
    pub damage: u32,
}

impl SmallValue {
    /// The first value as a number; `None` for a text.
    pub fn number(&self) -> Option<f64> {
        match self.values.first()? {
            AttributeValue::Int(v) => Some(*v as f64),
            AttributeValue::Uint(v) => Some(*v as f64),
            AttributeValue::Float(v) => Some(*v),
            AttributeValue::Text(_) => None,
        }
    }

    /// The first value as a text; `None` for a number.
    pub fn text(&self) -> Option<&str> {
        match self.values.first()? {
            AttributeValue::Text(text) => Some(text),
            _ => None,
        }
    }
}
