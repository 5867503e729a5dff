//! Values of structures.

use std::sync::Arc;

use super::{Field, Structure};
use crate::wire::BitSet;
use crate::{Error, Result};

/// The value of a structure: one [`Field`] per field number, and which of them changed.
///
/// ```
/// use livetime_pva::{data::{ScalarType, Value}, nt};
///
/// let mut value = Value::new(&nt::scalar(ScalarType::I32));
/// value.set("value", 3)?;
/// value.set("alarm.message", "HIGH")?;
/// assert_eq!(value.i64("value"), Some(3));
/// assert_eq!(value.changed().iter().collect::<Vec<_>>(), [1, 5]);
/// # Ok::<(), livetime_pva::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Value {
    pub(crate) structure: Arc<Structure>,
    pub(crate) fields: Vec<Field>,
    pub(crate) changed: BitSet,
}

impl Value {
    /// Zeros, empty texts and nulls; nothing changed.
    pub fn new(structure: &Arc<Structure>) -> Value {
        let fields = structure.nodes().iter().enumerate().map(|(bit, node)| {
            if structure.is_structure(bit) { Field::Node } else { node.ty.default_field() }
        });
        Value { fields: fields.collect(), structure: Arc::clone(structure), changed: BitSet::new() }
    }

    /// Type of the value.
    pub fn structure(&self) -> &Arc<Structure> {
        &self.structure
    }

    /// The id of its type.
    pub fn id(&self) -> &str {
        self.structure.id()
    }

    /// The fields by number. Fields of structures are [`Field::Node`].
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The content of field `bit`.
    pub fn field(&self, bit: usize) -> Option<&Field> {
        self.fields.get(bit)
    }

    /// The fields that hold something, by number.
    pub fn leaves(&self) -> impl Iterator<Item = (usize, &Field)> {
        self.fields.iter().enumerate().filter(|(_, field)| !matches!(field, Field::Node))
    }

    /// Which fields changed since [`Value::clear_changed`].
    pub fn changed(&self) -> &BitSet {
        &self.changed
    }

    /// Notes that field `bit` changed; a structure's bit means all its fields.
    pub fn mark(&mut self, bit: usize) {
        if bit < self.fields.len() {
            self.changed.insert(bit);
        }
    }

    /// Notes that nothing changed.
    pub fn clear_changed(&mut self) {
        self.changed.clear();
    }

    /// Takes over the fields `bits` of `other`, and notes that they changed. Fails if `other` is of another type.
    pub fn update_from(&mut self, other: &Value, bits: &BitSet) -> Result<()> {
        if self.structure != other.structure {
            return Err(Error::new(
                format!("a value of `{}`", self.id()),
                format!("one of `{}`", other.id()),
            ));
        }
        let mut from = 0;
        while let Some(bit) = bits.next(from).filter(|&bit| bit < self.fields.len()) {
            from = self.structure.end(bit);
            let pairs = self.fields[bit..from].iter_mut().zip(&other.fields[bit..from]);
            pairs.for_each(|(to, from)| assign(to, from));
        }
        self.changed.union_with(bits);
        Ok(())
    }

    /// Releases everything but memory for fields and texts, to be used by [`Value::copy_from`].
    #[cfg(feature = "client")]
    pub(crate) fn empty(&mut self) {
        let is_other = |field: &&mut Field| !matches!(field, Field::Str(_));
        self.fields.iter_mut().filter(is_other).for_each(|field| *field = Field::Node);
    }

    /// Becomes a copy of `other`, which is of the same type, in the memory that it has.
    #[cfg(feature = "client")]
    pub(crate) fn copy_from(&mut self, other: &Value) {
        self.fields.iter_mut().zip(&other.fields).for_each(|(to, from)| assign(to, from));
        self.changed.clone_from(&other.changed);
    }
}

// A text is copied into the memory of the one before.
fn assign(to: &mut Field, from: &Field) {
    match (to, from) {
        (Field::Str(to), Field::Str(from)) => from.clone_into(to),
        (to, from) => *to = from.clone(),
    }
}

impl PartialEq for Value {
    /// Compares type and fields; changes do not count.
    fn eq(&self, other: &Value) -> bool {
        self.structure == other.structure && self.fields == other.fields
    }
}
