//! Records of LCLS-II with all their values, for the words of psana.

use livetime_recording::records::{FieldType, FieldValue, Names, SegmentRecord};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::array;

/// The content of a record: the number of its piece, detector, algorithm, segment, damage, values by field.
type Said<'py> = (usize, String, String, u32, u16, Bound<'py, PyDict>);

/// A description: the number of its piece, detector, kind, serial number, algorithm, version, segment; fields with type and axes.
type Described = (usize, String, String, String, String, [u8; 3], u32, Vec<(String, String, u32)>);

/// Records as Python has them. A choice is its number with the names of all numbers of its list.
pub(crate) fn said<'py>(py: Python<'py>, all: Vec<SegmentRecord>) -> PyResult<Vec<Said<'py>>> {
    let one = |record: SegmentRecord| {
        let values = PyDict::new(py);
        for found in &record.values {
            let (name, list) = found.name.split_once(':').unwrap_or((&found.name, ""));
            match found.field_type {
                FieldType::EnumEntry => {}
                FieldType::EnumValue => {
                    values.set_item(name, (value(py, found)?, choices(py, &record.values, list)?))?;
                }
                _ => values.set_item(&found.name, value(py, found)?)?,
            }
        }
        let SegmentRecord { piece, detector, algorithm, segment, damage, .. } = record;
        Ok((piece, detector, algorithm, segment, damage, values))
    };
    all.into_iter().map(one).collect()
}

/// Descriptions as Python has them.
pub(crate) fn described(all: Vec<(usize, Names)>) -> Vec<Described> {
    let one = |(piece, names): (usize, Names)| {
        let fields =
            names.fields.iter().map(|f| (f.name.clone(), f.field_type.to_string(), f.rank)).collect();
        let Names { detector, detector_type, detector_id, algorithm, segment, .. } = names;
        (piece, detector, detector_type, detector_id, algorithm.name, algorithm.version, segment, fields)
    };
    all.into_iter().map(one).collect()
}

/// The entries of a list of choices, by their numbers.
fn choices<'py>(py: Python<'py>, all: &[FieldValue], list: &str) -> PyResult<Bound<'py, PyDict>> {
    let choices = PyDict::new(py);
    for found in all.iter().filter(|found| found.field_type == FieldType::EnumEntry) {
        if let Some((name, of)) = found.name.split_once(':')
            && of == list
        {
            choices.set_item(value(py, found)?, name)?;
        }
    }
    Ok(choices)
}

/// A text, a number, or an array.
fn value<'py>(py: Python<'py>, found: &FieldValue) -> PyResult<Bound<'py, PyAny>> {
    if found.field_type == FieldType::Text {
        let end = found.bytes.iter().position(|byte| *byte == 0).unwrap_or(found.bytes.len());
        return String::from_utf8_lossy(&found.bytes[..end]).into_bound_py_any(py);
    }
    let array = array::new_array(py, found.dtype, &found.shape, &found.bytes)?;
    if found.shape.is_empty() {
        return array.call_method0("item");
    }
    array.call_method1("setflags", (false,))?;
    Ok(array)
}

/// The changes of state: name, ns since 1970, number of the first event behind it.
pub(crate) fn changes(
    py: Python<'_>,
    all: Vec<livetime_recording::records::RunChange>,
) -> PyResult<Bound<'_, PyList>> {
    PyList::new(py, all.into_iter().map(|change| (change.name, change.time_ns, change.event)))
}
