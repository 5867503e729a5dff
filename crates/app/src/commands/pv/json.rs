//! Values as programs read them.

use livetime_pva::data::{Array, Dynamic, Field, ScalarType, Value};
use livetime_pva::nt;
use serde_json::{Map, Value as Json, json};

use super::text::{image_of, iso};

/// The fields of a value with the name of its process variable, its type and, in UTC, its time.
pub(super) fn named(name: &str, of: &Value) -> Json {
    let mut all = Map::from_iter([("name".into(), name.into()), ("type".into(), of.id().into())]);
    all.extend(iso(of).map(|time| ("time".into(), time.into())));
    if let Json::Object(fields) = value(of) {
        all.extend(fields);
    }
    all.into()
}

/// The fields of a structure; of an image its description, without its pixels.
pub(super) fn value(value: &Value) -> Json {
    let mut all = structure(value, 0);
    if let (Some(image), Json::Object(fields)) = (image_of(value), &mut all) {
        let dtype = image.dtype.map(ScalarType::name);
        let summary = json!({
            "shape": image.shape, "dtype": dtype, "codec": image.codec, "bytes": image.bytes,
        });
        fields.insert("value".into(), summary);
    }
    all
}

fn structure(value: &Value, bit: usize) -> Json {
    let types = value.structure();
    // The pixels of an image would be many.
    let skip =
        |child: usize| bit == 0 && nt::is(value.id(), "NTNDArray") && &*types.nodes()[child].name == "value";
    let members = types.children(bit).map(|child| {
        let json = match value.field(child) {
            Some(Field::Node) => structure(value, child),
            Some(_) if skip(child) => Json::Null,
            Some(held) => field(held),
            None => Json::Null,
        };
        (types.nodes()[child].name.to_string(), json)
    });
    Json::Object(members.collect())
}

fn field(field: &Field) -> Json {
    match field {
        Field::Node => Json::Null,
        Field::Bool(v) => (*v).into(),
        // JSON has no NaN: it becomes null.
        Field::F32(v) => f64::from(*v).into(),
        Field::F64(v) => (*v).into(),
        Field::U64(v) => (*v).into(),
        Field::Str(v) => v.as_str().into(),
        Field::Strings(v) => v.to_vec().into(),
        Field::Array(v) => array(v),
        Field::Struct(v) => value(v),
        Field::StructArray(v) => list(v, value),
        Field::Union(v) => v.as_ref().map_or(Json::Null, |chosen| self::field(&chosen.field)),
        Field::UnionArray(v) => list(v, |chosen| self::field(&chosen.field)),
        Field::Any(v) => v.as_ref().map_or(Json::Null, |any| self::field(any.field())),
        Field::AnyArray(v) => list(v, |any: &Dynamic| self::field(any.field())),
        integer => integer.as_i64().map_or(Json::Null, Json::from),
    }
}

fn list<T>(all: &[Option<T>], json: impl Fn(&T) -> Json) -> Json {
    all.iter().map(|one| one.as_ref().map_or(Json::Null, &json)).collect::<Vec<_>>().into()
}

fn array(array: &Array) -> Json {
    fn all<T: livetime_pva::data::Element + Into<Json>>(array: &Array) -> Json {
        array.to_vec::<T>().unwrap_or_default().into()
    }
    match array.kind() {
        ScalarType::Bool => array.data().iter().map(|&byte| byte != 0).collect::<Vec<_>>().into(),
        ScalarType::I8 => all::<i8>(array),
        ScalarType::I16 => all::<i16>(array),
        ScalarType::I32 => all::<i32>(array),
        ScalarType::I64 => all::<i64>(array),
        ScalarType::U8 => all::<u8>(array),
        ScalarType::U16 => all::<u16>(array),
        ScalarType::U32 => all::<u32>(array),
        ScalarType::U64 => all::<u64>(array),
        ScalarType::F32 => all::<f32>(array),
        ScalarType::F64 | ScalarType::Str => all::<f64>(array),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_objects_and_images_are_summarised() {
        let mut scalar = Value::new(&nt::scalar_with(ScalarType::I32, nt::Metadata::NONE));
        assert_eq!(scalar.set("value", 7), Ok(()));
        let json = named("X", &scalar);
        assert_eq!(
            (&json["value"], &json["alarm"]["severity"], &json["name"]),
            (&7.into(), &0.into(), &"X".into())
        );
        let mut image = Value::new(&nt::ndarray());
        assert_eq!(image.set("value", vec![1u8; 12]), Ok(()));
        let expected = json!({ "shape": [], "dtype": "uint8_t", "codec": "", "bytes": 12 });
        assert_eq!(value(&image)["value"], expected);
        let numbers = Field::from(vec![1.5, f64::NAN]);
        assert_eq!(field(&numbers), json!([1.5, null]));
    }
}
