//! Single values and short lists in the records of LCLS-II.

use livetime_formats::Result;
use livetime_formats::xtc2::{FieldType, Record, Value};
use livetime_frame::{AttributeValue, DType};

use crate::SmallValue;

/// Longest list of numbers that is small data: long enough for event codes and limits, too short for waveforms.
const MOST_VALUES: usize = 256;

/// Detectors whose fields repeat the names of other detectors' fields and describe these, for example the origin of an
/// EPICS variable. Such a field is not a value of the other detector.
const ABOUT_OTHERS: [&str; 2] = ["epicsinfo", "pvdetinfo"];

/// The small data of a record.
pub(super) fn of_record(record: &Record<'_, '_>) -> Vec<SmallValue> {
    let names = record.names;
    let is_about = ABOUT_OTHERS.contains(&&*names.detector);
    let name = |field: &str| if is_about { format!("definition of {field}") } else { field.to_owned() };
    let source = match names.segment {
        0 => format!("{}.{}", names.detector, names.algorithm.name),
        segment => format!("{}.{}.{segment}", names.detector, names.algorithm.name),
    };
    // A field that cannot be read hides where the next one begins, so reading ends there.
    let readable = record.values().map_while(Result::ok).filter(is_small);
    let small = readable.map(|value| SmallValue {
        source: source.clone(),
        name: name(&value.field.name),
        unit: "",
        values: values_of(&value).unwrap_or_default(),
        damage: record.damage.0.into(),
    });
    small.collect()
}

fn is_small(value: &Value<'_, '_>) -> bool {
    let count: usize = value.shape().iter().product();
    let is_entry = value.field.field_type == FieldType::EnumEntry;
    !is_entry
        && value.shape().len() <= 1
        && (value.field.field_type == FieldType::Text || count <= MOST_VALUES)
}

fn values_of(value: &Value<'_, '_>) -> Result<Vec<AttributeValue>> {
    if let Some(text) = value.text() {
        return Ok(vec![AttributeValue::Text(text.into())]);
    }
    let uint = |v: u64| AttributeValue::Uint(v);
    let int = |v: i64| AttributeValue::Int(v);
    Ok(match value.dtype {
        DType::U8 => value.elements::<u8>()?.map(|v| uint(v.into())).collect(),
        DType::U16 => value.elements::<u16>()?.map(|v| uint(v.into())).collect(),
        DType::U32 => value.elements::<u32>()?.map(|v| uint(v.into())).collect(),
        DType::U64 => value.elements::<u64>()?.map(uint).collect(),
        DType::I8 => value.elements::<i8>()?.map(|v| int(v.into())).collect(),
        DType::I16 => value.elements::<i16>()?.map(|v| int(v.into())).collect(),
        DType::I32 => value.elements::<i32>()?.map(|v| int(v.into())).collect(),
        DType::I64 => value.elements::<i64>()?.map(int).collect(),
        DType::F32 => value.elements::<f32>()?.map(|v| AttributeValue::Float(v.into())).collect(),
        DType::F64 => value.elements::<f64>()?.map(AttributeValue::Float).collect(),
    })
}
