//! Values of parameters and attributes as Python has them.

use std::sync::Arc;

use livetime_engine::{Refusal, Value};
use livetime_frame::{AttributeValue, Attributes};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

use crate::errors::{Kind, OrRefused, raise, refused_as};

/// The value of a parameter.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Bool(v) => v.into_bound_py_any(py),
        Value::Int(v) => v.into_bound_py_any(py),
        Value::Float(v) => v.into_bound_py_any(py),
        Value::Text(v) => v.into_bound_py_any(py),
        Value::List(v) => v.into_bound_py_any(py),
    }
}

/// The value of the parameter `name`: a truth value, a number, a text, a sequence of numbers. Numpy's numbers are numbers.
///
/// # Errors
/// `ParamError` for anything else.
pub(crate) fn of_param(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let of_name = |refusal: Refusal| {
        let sentence = refusal.to_string();
        refused_as(value.py(), &refusal.of(name.to_owned()), sentence)
    };
    read(value)?.map_err(of_name)
}

/// A value that Livetime has a type for.
fn read(value: &Bound<'_, PyAny>) -> PyResult<Result<Value, Refusal>> {
    if let Some(plain) = plain(value)? {
        return Ok(Ok(plain));
    }
    // A number of numpy; an array of several refuses.
    let item = value.getattr("item").and_then(|item| item.call0());
    if let Ok(item) = item
        && let Some(plain) = plain(&item)?
    {
        return Ok(Ok(plain));
    }
    let list = value.extract::<Vec<f64>>().map(Value::List);
    Ok(list.map_err(|_| {
        let found = value.repr().map_or_else(|_| "something else".to_owned(), |text| text.to_string());
        Refusal::value("a number, a text, a truth value or a list of numbers", found)
    }))
}

/// A value of one of Python's own types; `None` if it has another one.
fn plain(value: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    if let Ok(v) = value.cast::<PyBool>() {
        return Ok(Some(Value::Bool(v.is_true())));
    }
    if value.is_instance_of::<PyInt>() {
        return value.extract().map(Value::Int).map(Some);
    }
    if value.is_instance_of::<PyFloat>() {
        return value.extract().map(Value::Float).map(Some);
    }
    if value.is_instance_of::<PyString>() {
        return value.extract().map(Value::Text).map(Some);
    }
    Ok(None)
}

/// The value of an attribute of a frame.
pub(crate) fn attribute<'py>(py: Python<'py>, value: &AttributeValue) -> PyResult<Bound<'py, PyAny>> {
    match value {
        AttributeValue::Int(v) => v.into_bound_py_any(py),
        AttributeValue::Uint(v) => v.into_bound_py_any(py),
        AttributeValue::Float(v) => v.into_bound_py_any(py),
        AttributeValue::Text(v) => (**v).into_bound_py_any(py),
    }
}

/// All attributes of a frame, in their order.
pub(crate) fn attributes<'py>(py: Python<'py>, all: &Attributes) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    all.iter().try_for_each(|a| dict.set_item(&*a.name, attribute(py, &a.value)?))?;
    Ok(dict)
}

/// The value of an attribute.
///
/// # Errors
/// `FrameError` for a list, `ParamError` for anything else.
pub(crate) fn attribute_from(value: &Bound<'_, PyAny>) -> PyResult<AttributeValue> {
    match read(value)?.or_refused(value.py())? {
        Value::Bool(v) => Ok(AttributeValue::Int(v.into())),
        Value::Int(v) => Ok(AttributeValue::Int(v)),
        Value::Float(v) => Ok(AttributeValue::Float(v)),
        Value::Text(v) => Ok(AttributeValue::Text(Arc::from(v))),
        Value::List(_) => {
            Err(raise(value.py(), Kind::Frame, "wanted a number or a text as an attribute, found a list"))
        }
    }
}
