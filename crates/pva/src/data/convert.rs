//! Conversions from the caller's types to the types of fields.

use std::sync::Arc;

use super::{Array, Chosen, Dynamic, Element, Field, ScalarType, Type, Union, Value};
use crate::{Error, Result};

/// `field` as a `ty`. Numbers convert if they fit, texts are read as numbers and numbers written as texts; a
/// union takes the member that fits, an "any" takes everything.
pub(crate) fn convert(field: Field, ty: &Type) -> Result<Field> {
    // Nearly all values have the right type already, and these are not copied.
    if fits(&field, ty) {
        return Ok(field);
    }
    // The description is made before the conversion consumes the field.
    let found = describe(&field);
    let converted = match ty {
        Type::Scalar(kind) => scalar(&field, *kind),
        // The length is checked behind the conversion, because a single number is an array of one.
        Type::Array(kind, extent) => array(field, *kind).filter(|array| extent.allows(count(array))),
        Type::Union(union) => choose(field, union),
        Type::Any => of_any(field).map(|any| Field::Any(Some(Box::new(any)))),
        _ => None,
    };
    converted.ok_or_else(|| Error::new(ty.name(), found))
}

fn fits(field: &Field, ty: &Type) -> bool {
    match (ty, field) {
        (Type::Scalar(kind), field) => kind_of(field) == Some(*kind),
        (Type::BoundedStr(bound), Field::Str(text)) => text.len() <= *bound as usize,
        (Type::Array(ScalarType::Str, extent), Field::Strings(v)) => extent.allows(v.len()),
        (Type::Array(kind, extent), Field::Array(v)) => v.kind() == *kind && extent.allows(v.len()),
        (Type::Structure(structure), Field::Struct(value)) => value.structure == *structure,
        (Type::StructureArray(structure), Field::StructArray(values)) => {
            values.iter().flatten().all(|value| value.structure == *structure)
        }
        (Type::Union(_), Field::Union(None)) | (Type::Any, Field::Any(_)) => true,
        (Type::Union(union), Field::Union(Some(chosen))) => belongs(chosen, union),
        (Type::UnionArray(union), Field::UnionArray(all)) => {
            all.iter().flatten().all(|chosen| belongs(chosen, union))
        }
        (Type::AnyArray, Field::AnyArray(_)) => true,
        _ => false,
    }
}

fn belongs(chosen: &Chosen, union: &Union) -> bool {
    union.members().get(chosen.selector as usize).is_some_and(|member| fits(&chosen.field, &member.ty))
}

fn kind_of(field: &Field) -> Option<ScalarType> {
    Some(match field {
        Field::Bool(_) => ScalarType::Bool,
        Field::I8(_) => ScalarType::I8,
        Field::I16(_) => ScalarType::I16,
        Field::I32(_) => ScalarType::I32,
        Field::I64(_) => ScalarType::I64,
        Field::U8(_) => ScalarType::U8,
        Field::U16(_) => ScalarType::U16,
        Field::U32(_) => ScalarType::U32,
        Field::U64(_) => ScalarType::U64,
        Field::F32(_) => ScalarType::F32,
        Field::F64(_) => ScalarType::F64,
        Field::Str(_) => ScalarType::Str,
        _ => return None,
    })
}

fn describe(field: &Field) -> String {
    match (kind_of(field), field) {
        (Some(ScalarType::Str), _) => format!("the text {:?}", field.as_str().unwrap_or_default()),
        (Some(kind), _) => format!("{} {}", kind.name(), text(field).unwrap_or_default()),
        (_, Field::Array(array)) => format!("{array:?}"),
        (_, Field::Strings(v)) => format!("string[{}]", v.len()),
        (_, Field::Struct(value)) => format!("a structure `{}`", value.id()),
        _ => "something else".into(),
    }
}

fn scalar(field: &Field, kind: ScalarType) -> Option<Field> {
    if kind == ScalarType::Str {
        // Every scalar has a text, so texts come first.
        return text(field).map(Field::Str);
    }
    if let Field::Str(text) = field {
        // Tools send numbers as texts, sometimes with blanks around them.
        return parse(text.trim(), kind);
    }
    match field {
        // A large unsigned number does not fit into the signed one that the rest goes through.
        Field::U64(v) => integer(i128::from(*v), kind),
        Field::F32(v) => float(f64::from(*v), kind),
        Field::F64(v) => float(*v, kind),
        _ => integer(field.as_i64()?.into(), kind),
    }
}

fn parse(text: &str, kind: ScalarType) -> Option<Field> {
    if kind == ScalarType::Bool {
        return match text {
            "true" | "1" => Some(Field::Bool(true)),
            "false" | "0" => Some(Field::Bool(false)),
            _ => None,
        };
    }
    // Tools write addresses and masks in hexadecimal digits.
    let hex = text.strip_prefix("0x").map(|digits| i128::from_str_radix(digits, 16));
    match hex.unwrap_or_else(|| text.parse()) {
        Ok(number) => integer(number, kind),
        // A text such as `1e3` is no integer, but a number all the same.
        Err(_) => float(text.parse().ok()?, kind),
    }
}

fn integer(v: i128, kind: ScalarType) -> Option<Field> {
    Some(match kind {
        // Zero is false for the peers, any other number is true.
        ScalarType::Bool => Field::Bool(v != 0),
        ScalarType::I8 => Field::I8(v.try_into().ok()?),
        ScalarType::I16 => Field::I16(v.try_into().ok()?),
        ScalarType::I32 => Field::I32(v.try_into().ok()?),
        ScalarType::I64 => Field::I64(v.try_into().ok()?),
        ScalarType::U8 => Field::U8(v.try_into().ok()?),
        ScalarType::U16 => Field::U16(v.try_into().ok()?),
        ScalarType::U32 => Field::U32(v.try_into().ok()?),
        ScalarType::U64 => Field::U64(v.try_into().ok()?),
        ScalarType::F32 => Field::F32(v as f32),
        ScalarType::F64 => Field::F64(v as f64),
        ScalarType::Str => return None,
    })
}

// Floats are cut towards zero, as the peers do it.
fn float(v: f64, kind: ScalarType) -> Option<Field> {
    match kind {
        ScalarType::F64 => Some(Field::F64(v)),
        // Infinity is another number than one that is only large.
        ScalarType::F32 => {
            Some(v as f32).filter(|narrow| narrow.is_finite() || !v.is_finite()).map(Field::F32)
        }
        // A float out of the integer's range is refused by `integer`.
        _ if v.is_finite() => integer(v as i128, kind),
        _ => None,
    }
}

fn text(field: &Field) -> Option<String> {
    Some(match field {
        Field::Bool(v) => v.to_string(),
        Field::F32(v) => v.to_string(),
        Field::F64(v) => v.to_string(),
        Field::U64(v) => v.to_string(),
        Field::Str(v) => v.clone(),
        _ => field.as_i64()?.to_string(),
    })
}

fn count(field: &Field) -> usize {
    match field {
        Field::Array(v) => v.len(),
        Field::Strings(v) => v.len(),
        _ => 0,
    }
}

fn array(field: Field, kind: ScalarType) -> Option<Field> {
    let elements = spread(field)?;
    let scalars = elements.iter().map(|element| scalar(element, kind));
    macro_rules! collect {
        ($variant:ident, $t:ty) => {
            scalars
                .map(|v| if let Some(Field::$variant(v)) = v { Some(v) } else { None })
                .collect::<Option<Vec<$t>>>()?
        };
    }
    Some(match kind {
        ScalarType::Bool => Field::Array(Array::from_bools(&collect!(Bool, bool))),
        ScalarType::I8 => Field::Array(collect!(I8, i8).into()),
        ScalarType::I16 => Field::Array(collect!(I16, i16).into()),
        ScalarType::I32 => Field::Array(collect!(I32, i32).into()),
        ScalarType::I64 => Field::Array(collect!(I64, i64).into()),
        ScalarType::U8 => Field::Array(collect!(U8, u8).into()),
        ScalarType::U16 => Field::Array(collect!(U16, u16).into()),
        ScalarType::U32 => Field::Array(collect!(U32, u32).into()),
        ScalarType::U64 => Field::Array(collect!(U64, u64).into()),
        ScalarType::F32 => Field::Array(collect!(F32, f32).into()),
        ScalarType::F64 => Field::Array(collect!(F64, f64).into()),
        ScalarType::Str => Field::Strings(collect!(Str, String).into()),
    })
}

/// The elements of an array as fields of their own; a scalar is one element.
pub(crate) fn spread(field: Field) -> Option<Vec<Field>> {
    fn all<T: Element>(array: &Array, wrap: fn(T) -> Field) -> Option<Vec<Field>> {
        Some(array.elements::<T>()?.iter().copied().map(wrap).collect())
    }
    match field {
        Field::Array(array) => match array.kind() {
            ScalarType::Bool => Some(array.data().iter().map(|&v| Field::Bool(v != 0)).collect()),
            ScalarType::I8 => all(&array, Field::I8),
            ScalarType::I16 => all(&array, Field::I16),
            ScalarType::I32 => all(&array, Field::I32),
            ScalarType::I64 => all(&array, Field::I64),
            ScalarType::U8 => all(&array, Field::U8),
            ScalarType::U16 => all(&array, Field::U16),
            ScalarType::U32 => all(&array, Field::U32),
            ScalarType::U64 => all(&array, Field::U64),
            ScalarType::F32 => all(&array, Field::F32),
            ScalarType::F64 => all(&array, Field::F64),
            ScalarType::Str => None,
        },
        Field::Strings(texts) => Some(texts.iter().cloned().map(Field::Str).collect()),
        // A single number may be put to an array.
        scalar => kind_of(&scalar).map(|_| vec![scalar]),
    }
}

fn choose(field: Field, union: &Union) -> Option<Field> {
    // A member of the value's own type goes first: a number would fit in a member of text, too.
    let exact = union.members().iter().position(|member| fits(&field, &member.ty));
    let selector = exact
        .or_else(|| union.members().iter().position(|member| convert(field.clone(), &member.ty).is_ok()))?;
    let field = convert(field, &union.members()[selector].ty).ok()?;
    Some(Field::Union(Some(Box::new(Chosen { selector: selector as u32, field }))))
}

fn of_any(field: Field) -> Option<Dynamic> {
    let ty = match &field {
        Field::Array(array) => Type::array(array.kind()),
        Field::Strings(_) => Type::array(ScalarType::Str),
        Field::Struct(value) => Type::Structure(Arc::clone(&value.structure)),
        // The type of a union is not known without the union.
        scalar => Type::Scalar(kind_of(scalar)?),
    };
    Dynamic::new(ty, field).ok()
}

macro_rules! from {
    ($($rust:ty => $variant:ident),*) => {$(
        impl From<$rust> for Field {
            fn from(value: $rust) -> Field {
                Field::$variant(value)
            }
        }
    )*};
}

from!(bool => Bool, i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64,
      f32 => F32, f64 => F64, String => Str, Array => Array, Vec<Option<Value>> => StructArray);

impl From<&str> for Field {
    fn from(text: &str) -> Field {
        Field::Str(text.into())
    }
}

impl<T: Element> From<Vec<T>> for Field {
    fn from(elements: Vec<T>) -> Field {
        Field::Array(elements.into())
    }
}

impl<T: Element> From<&[T]> for Field {
    fn from(elements: &[T]) -> Field {
        Field::Array(Array::from_slice(elements))
    }
}

impl From<Vec<String>> for Field {
    fn from(texts: Vec<String>) -> Field {
        Field::Strings(texts.into())
    }
}

impl From<&[&str]> for Field {
    fn from(texts: &[&str]) -> Field {
        Field::Strings(Arc::new(texts.iter().map(|&text| text.into()).collect()))
    }
}

impl From<Vec<Value>> for Field {
    fn from(values: Vec<Value>) -> Field {
        Field::StructArray(values.into_iter().map(Some).collect())
    }
}

impl From<Value> for Field {
    fn from(value: Value) -> Field {
        Field::Struct(Box::new(value))
    }
}

impl From<Dynamic> for Field {
    fn from(any: Dynamic) -> Field {
        Field::Any(Some(Box::new(any)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(field: impl Into<Field>, kind: ScalarType) -> Option<Field> {
        convert(field.into(), &Type::Scalar(kind)).ok()
    }

    #[test]
    fn numbers_convert_if_they_fit() {
        assert_eq!(to(300, ScalarType::U8), None);
        assert_eq!(to(200, ScalarType::U8), Some(Field::U8(200)));
        assert_eq!(to(-1.9, ScalarType::I16), Some(Field::I16(-1)));
        assert_eq!(to(f64::NAN, ScalarType::I16), None);
        assert_eq!(to(u64::MAX, ScalarType::U64), Some(Field::U64(u64::MAX)));
        assert_eq!(to(u64::MAX, ScalarType::I64), None);
        assert_eq!(to(" 0x1F ", ScalarType::I32), Some(Field::I32(31)));
        assert_eq!(to("1e3", ScalarType::I32), Some(Field::I32(1000)));
        assert_eq!(to("high", ScalarType::F64), None);
        assert_eq!(to(2.5, ScalarType::Str), Some(Field::Str("2.5".into())));
    }

    #[test]
    fn arrays_convert_element_by_element() {
        let doubles = convert(vec![1u16, 2].into(), &Type::array(ScalarType::F64)).unwrap();
        assert_eq!(doubles, Field::Array(vec![1.0, 2.0].into()));
        assert_eq!(
            convert(7.into(), &Type::array(ScalarType::Str)).unwrap(),
            Field::from(vec!["7".to_string()])
        );
        assert!(convert(vec![1.5, 300.0].into(), &Type::array(ScalarType::U8)).is_err());
    }

    #[test]
    fn an_error_says_what_was_wanted_and_found() {
        let error = convert("high".into(), &Type::Scalar(ScalarType::I32)).unwrap_err();
        assert_eq!(error.to_string(), "wanted int32_t, found the text \"high\"");
    }
}
