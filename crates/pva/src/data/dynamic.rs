//! A value of any type, with that type.

use std::sync::Arc;

use super::decode::Reading;
use super::progress::{Part, Progress, Step, Stop};
use super::{Field, Type, TypeCache, Value};
use crate::wire::{Reader, Writer};
use crate::{Error, Result};

/// A value of any type together with that type: the content of an "any", the argument and result of an RPC.
#[derive(Clone, PartialEq, Debug)]
pub struct Dynamic {
    ty: Type,
    field: Field,
}

impl Dynamic {
    /// `field`, converted to `ty` if it is something else. Fails if that cannot be.
    pub fn new(ty: Type, field: impl Into<Field>) -> Result<Dynamic> {
        let field = super::convert::convert(field.into(), &ty)?;
        Ok(Dynamic { ty, field })
    }

    /// Type of the value.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// Content of the value. A structure is a [`Field::Struct`].
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The structure, if it is one.
    pub fn as_value(&self) -> Option<&Value> {
        if let Field::Struct(value) = &self.field { Some(value) } else { None }
    }

    /// The structure, or an error that names the actual kind.
    pub fn into_value(self) -> Result<Value> {
        match self.field {
            Field::Struct(value) => Ok(*value),
            _ => Err(Error::new("a structure", self.ty.name())),
        }
    }

    /// Reads a type and its value; `None` is null.
    pub fn decode(reader: &mut Reader<'_>, cache: &mut TypeCache) -> Result<Option<Dynamic>> {
        let Some(ty) = Type::decode(reader, cache)? else { return Ok(None) };
        let field = super::decode::fresh(reader, &ty)?;
        let mut found = Dynamic { ty, field };
        found.read_field(reader, &mut Progress::whole(cache)).map_err(Stop::wrong)?;
        Ok(Some(found))
    }

    /// As [`Dynamic::decode`] in steps, into `slot`, whose memory is reused if the type is the same.
    pub(crate) fn read_into(
        slot: &mut Option<Box<Dynamic>>,
        reader: &mut Reader<'_>,
        progress: &mut Reading<'_>,
    ) -> Step {
        if progress.resume().is_none() {
            match (Type::decode(reader, progress.cache)?, slot.as_ref()) {
                (None, _) => *slot = None,
                // The value before is of the same type, so its memory is used again.
                (Some(ty), Some(old)) if old.ty == ty => {}
                (Some(ty), _) => {
                    let field = super::decode::fresh(reader, &ty)?;
                    *slot = Some(Box::new(Dynamic { ty, field }));
                }
            }
        }
        let Some(found) = slot else { return Ok(()) };
        let read = found.read_field(reader, progress);
        progress.inside(read, Part::Content)
    }

    fn read_field(&mut self, reader: &mut Reader<'_>, progress: &mut Reading<'_>) -> Step {
        let Dynamic { ty, field } = self;
        reader.deeper(|reader| super::decode::field(reader, progress, ty, field))
    }

    /// Writes the type and the value.
    pub fn encode(&self, writer: &mut Writer) {
        self.ty.encode(writer);
        super::encode::field(writer, &self.ty, &self.field);
    }
}

impl From<Value> for Dynamic {
    fn from(value: Value) -> Dynamic {
        Dynamic { ty: Type::Structure(Arc::clone(value.structure())), field: Field::Struct(Box::new(value)) }
    }
}
