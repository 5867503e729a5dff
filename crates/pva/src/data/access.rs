//! Fields by name, as the type the caller wants.

use super::convert::convert;
use super::{Array, Field, ScalarType, Type, Value};
use crate::{Error, Result};

impl Value {
    /// The number of the field `path`, such as `alarm.severity`. The number never changes; keep it for repeated use.
    pub fn bit(&self, path: &str) -> Option<usize> {
        self.structure.bit(path)
    }

    /// The content of the field `path`.
    pub fn get(&self, path: &str) -> Option<&Field> {
        self.fields.get(self.bit(path)?)
    }

    /// The field `path` as a number.
    pub fn f64(&self, path: &str) -> Option<f64> {
        self.get(path)?.as_f64()
    }

    /// The field `path` as an integer.
    pub fn i64(&self, path: &str) -> Option<i64> {
        self.get(path)?.as_i64()
    }

    /// The field `path` as a text.
    pub fn str(&self, path: &str) -> Option<&str> {
        self.get(path)?.as_str()
    }

    /// The numbers of the field `path`, also those chosen in a union.
    pub fn array(&self, path: &str) -> Option<&Array> {
        self.get(path)?.as_array()
    }

    /// Sets the field `path`, converting if need be, and notes that it changed.
    ///
    /// Numbers convert if they fit, texts are read as numbers; a union takes the member that fits; a structure is
    /// set from one of the same type. Fails, and changes nothing, if there is no such field or if it cannot be.
    pub fn set(&mut self, path: &str, field: impl Into<Field>) -> Result<()> {
        let missing = || Error::new(format!("a field of `{}`", self.id()), format!("`{path}`"));
        let bit = self.bit(path).ok_or_else(missing)?;
        self.set_bit(bit, field)
    }

    /// As [`Value::set`], by field number.
    pub fn set_bit(&mut self, bit: usize, field: impl Into<Field>) -> Result<()> {
        let field = field.into();
        match (self.fields.get_mut(bit), &field) {
            (Some(Field::I32(to)), Field::I32(from)) => *to = *from,
            (Some(Field::I64(to)), Field::I64(from)) => *to = *from,
            (Some(Field::F64(to)), Field::F64(from)) => *to = *from,
            (Some(Field::Node), Field::Struct(value)) => self.set_structure(bit, value)?,
            (Some(_), _) => self.fields[bit] = convert(field, &self.structure.nodes()[bit].ty)?,
            (None, _) => {
                return Err(Error::new(format!("a field number of `{}`", self.id()), bit.to_string()));
            }
        }
        self.mark(bit);
        Ok(())
    }

    /// As [`Value::set_bit`] for a text, which is copied into the memory of the text before.
    pub fn set_str(&mut self, bit: usize, text: &str) -> Result<()> {
        let plain =
            self.structure.nodes().get(bit).is_some_and(|node| node.ty == Type::Scalar(ScalarType::Str));
        match self.fields.get_mut(bit) {
            Some(Field::Str(to)) if plain => {
                text.clone_into(to);
            }
            _ => return self.set_bit(bit, text),
        }
        self.mark(bit);
        Ok(())
    }

    fn set_structure(&mut self, bit: usize, value: &Value) -> Result<()> {
        let own =
            if bit == 0 { Some(&self.structure) } else { self.structure.nodes()[bit].ty.as_structure() };
        if own != Some(&value.structure) {
            return Err(Error::new(format!("field `{}`", self.structure.path(bit)), value.id().to_string()));
        }
        let end = self.structure.end(bit);
        // The first is the node itself, which stays one.
        self.fields[bit + 1..end].clone_from_slice(&value.fields[1..]);
        Ok(())
    }
}
