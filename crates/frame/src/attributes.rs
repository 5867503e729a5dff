//! Named values that travel with a frame.

use std::fmt;
use std::sync::Arc;

/// The value of an [`Attribute`].
#[derive(Clone, PartialEq, Debug)]
pub enum AttributeValue {
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A floating-point number.
    Float(f64),
    /// A text, shared between frames.
    Text(Arc<str>),
}

impl fmt::Display for AttributeValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttributeValue::Int(v) => v.fmt(f),
            AttributeValue::Uint(v) => v.fmt(f),
            AttributeValue::Float(v) => v.fmt(f),
            AttributeValue::Text(v) => v.fmt(f),
        }
    }
}

/// One named value.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// Case-sensitive name, shared between frames.
    pub name: Arc<str>,
    /// Its value for this frame.
    pub value: AttributeValue,
}

/// A small ordered list of named values; each name occurs once.
///
/// The list keeps its memory when a frame is recycled, so setting the same attributes on every
/// frame allocates nothing as long as names and texts are shared `Arc`s.
///
/// ```
/// use livetime_frame::{Attributes, AttributeValue};
/// let mut attributes = Attributes::default();
/// let gain = "Gain".into();
/// attributes.set(&gain, AttributeValue::Float(2.0));
/// attributes.set(&gain, AttributeValue::Float(3.0));
/// assert_eq!(attributes.get("Gain"), Some(&AttributeValue::Float(3.0)));
/// assert_eq!(attributes.len(), 1);
/// ```
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Attributes(Vec<Attribute>);

impl Attributes {
    /// Adds an attribute, or replaces the value of the one with this name.
    pub fn set(&mut self, name: &Arc<str>, value: AttributeValue) {
        match self.0.iter_mut().find(|a| a.name == *name) {
            Some(attribute) => attribute.value = value,
            None => self.0.push(Attribute { name: name.clone(), value }),
        }
    }

    /// The value with this name.
    pub fn get(&self, name: &str) -> Option<&AttributeValue> {
        self.0.iter().find(|a| &*a.name == name).map(|a| &a.value)
    }

    /// Number of attributes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Attribute> {
        self.0.iter()
    }

    pub(crate) fn clear(&mut self) {
        // Writing the length would take the cache line away from its readers.
        if !self.0.is_empty() {
            self.0.clear();
        }
    }

    pub(crate) fn copy_from(&mut self, other: &Attributes) {
        self.0.clear();
        self.0.extend_from_slice(&other.0);
    }
}
