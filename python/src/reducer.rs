//! Reducers that are Python objects.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use livetime_analysis::{
    Corrected, Error, EventPictures, Layout, Loader, Named, ReduceError, Reducer, Reducers, Saver,
};
use livetime_engine::lock;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::array;
use crate::attach::attached;
use crate::errors::{Kind, raise};

/// A Python object with the functions of `livetime.analysis.PythonReducer`. Its result is kept aside, because it may be
/// any object.
pub(crate) struct PyReducer {
    object: Py<PyAny>,
    name: String,
    described: String,
    takes_any_order: bool,
    result: Arc<Mutex<Option<Py<PyAny>>>>,
}

/// The results of Python's reducers, in their order.
pub(crate) type Results = Vec<Arc<Mutex<Option<Py<PyAny>>>>>;

/// The reducers of a list: a text as `pixels mean,std` is a reducer of Rust, a tuple is corrections before all of them,
/// anything else is a Python object.
///
/// # Errors
/// If a text means no reducer, or an object is none.
pub(crate) fn reducers(py: Python<'_>, list: &Bound<'_, PyList>) -> PyResult<(Reducers, Results)> {
    let (mut all, mut results, mut corrections) = (Reducers::default(), Vec::new(), None);
    for item in list {
        if let Ok(wanted) = item.cast::<PyTuple>() {
            corrections = Some(crate::corrections::read(wanted)?);
            continue;
        }
        if let Ok(text) = item.extract::<String>() {
            all = all.with_described(&text).map_err(|e: Error| raise(py, Kind::Analysis, e))?;
            continue;
        }
        let reducer = PyReducer {
            name: item.getattr("name")?.extract()?,
            described: item.getattr("described")?.extract()?,
            takes_any_order: item.getattr("any_order")?.extract()?,
            object: item.unbind(),
            result: Arc::default(),
        };
        results.push(reducer.result.clone());
        all = all.with(reducer);
    }
    if let Some(corrections) = corrections {
        all = Reducers::default().with(Corrected::new(corrections, all));
    }
    Ok((all, results))
}

/// The result of each of Python's reducers; `None` for a reducer without one.
pub(crate) fn take<'py>(py: Python<'py>, results: &Results) -> PyResult<Bound<'py, PyTuple>> {
    let taken = results.iter().map(|result| lock(result).take());
    PyTuple::new(py, taken)
}

thread_local! {
    /// Memory for the arrays of the next event, if Python has released the arrays of the event before.
    static SPARE: RefCell<Vec<Option<Py<PyAny>>>> = const { RefCell::new(Vec::new()) };
}

impl PyReducer {
    fn call<T>(&self, work: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Result<T, ReduceError> {
        let called = attached(|py| work(self.object.bind(py)));
        match called {
            Some(result) => result.map_err(Into::into),
            None => Err("wanted Python's interpreter, found its end".into()),
        }
    }
}

impl Reducer for PyReducer {
    type Partial = Option<Py<PyAny>>;

    /// The partial result is made at the first event, where an exception can be raised.
    fn partial(&self, _: &Layout) -> Self::Partial {
        None
    }

    fn map(&self, partial: &mut Self::Partial, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        self.call(|object| {
            let py = object.py();
            let current = match partial.take() {
                Some(partial) => partial.into_bound(py),
                None => object.call_method1("partial", (layout_of(py, event)?,))?,
            };
            let arrays = arrays(py, event)?;
            let arguments = (&current, event.event, event.time_ns, &arrays);
            let result = object.call_method1("map", arguments)?;
            give_back(arrays)?;
            // In place, or anew.
            *partial = Some(if result.is_none() { current } else { result }.unbind());
            Ok(())
        })
    }

    fn merge(&self, partial: &mut Self::Partial, next: &mut Self::Partial) -> Result<(), ReduceError> {
        let Some(later) = next.take() else { return Ok(()) };
        let Some(current) = partial.take() else {
            *partial = Some(later);
            return Ok(());
        };
        self.call(|object| {
            let current = current.into_bound(object.py());
            let result = object.call_method1("merge", (&current, later))?;
            *partial = Some(if result.is_none() { current } else { result }.unbind());
            Ok(())
        })
    }

    fn finish(&self, _: &Layout, partial: Self::Partial) -> Result<Vec<Named>, ReduceError> {
        *lock(&self.result) = partial;
        Ok(Vec::new())
    }

    fn takes_any_order(&self, _: &Layout) -> bool {
        self.takes_any_order
    }

    fn describe(&self) -> String {
        self.described.clone()
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn save(&self, partial: &Self::Partial, out: &mut Saver) -> Result<(), ReduceError> {
        let bytes = match partial {
            None => None,
            Some(partial) => {
                Some(self.call(|object| object.call_method1("save", (partial,))?.extract::<Vec<u8>>())?)
            }
        };
        out.number(u64::from(bytes.is_some()));
        bytes.iter().for_each(|bytes| out.list(bytes));
        Ok(())
    }

    fn load(&self, _: &Layout, from: &mut Loader<'_>) -> Result<Self::Partial, ReduceError> {
        if from.at_most(1)? == 0 {
            return Ok(None);
        }
        let bytes = from.list::<u8>()?;
        self.call(|object| {
            Ok(Some(object.call_method1("load", (PyBytes::new(object.py(), &bytes),))?.unbind()))
        })
    }
}

/// Number, type and shape of each panel.
pub(crate) fn layout<'py>(
    py: Python<'py>,
    panels: &[livetime_analysis::Panel],
) -> PyResult<Bound<'py, PyTuple>> {
    let panel = |panel: &livetime_analysis::Panel| -> PyResult<_> {
        let shape = PyTuple::new(py, &panel.shape)?;
        Ok((panel.number, array::descr(py, panel.dtype), shape))
    };
    PyTuple::new(py, panels.iter().map(panel).collect::<PyResult<Vec<_>>>()?)
}

fn layout_of<'py>(py: Python<'py>, event: &EventPictures<'_>) -> PyResult<Bound<'py, PyTuple>> {
    layout(py, event.panels())
}

/// The pictures of an event. Panels of one shape are one array with a new first axis, and missing panels are 0 in it;
/// else each panel is an array. The second part has the numbers of the missing panels.
fn arrays<'py>(py: Python<'py>, event: &EventPictures<'_>) -> PyResult<Bound<'py, PyTuple>> {
    let panels = event.panels();
    let missing: Vec<u32> =
        (0..panels.len()).filter(|i| event.picture(*i).is_none()).map(|i| panels[i].number).collect();
    let Some(first) = panels.first() else {
        return Err(raise(py, Kind::Bug, "wanted panels, found none"));
    };
    let is_one = panels.iter().all(|panel| (panel.dtype, &panel.shape) == (first.dtype, &first.shape));
    if is_one && panels.len() > 1 && !first.has_any_length() {
        let shape = [&[panels.len()], &first.shape[..]].concat();
        let pieces = (0..panels.len()).map(|i| event.picture(i).map(|p| p.bytes)).collect::<Vec<_>>();
        let array = filled(py, 0, first.dtype, &shape, &pieces)?;
        return (array, missing).into_pyobject(py);
    }
    let mut all = Vec::new();
    for (position, panel) in panels.iter().enumerate() {
        let Some(picture) = event.picture(position) else {
            all.push(None);
            continue;
        };
        let shape = match panel.has_any_length() {
            true => vec![picture.bytes.len() / panel.dtype.bytes()],
            false => panel.shape.clone(),
        };
        all.push(Some(filled(py, position, panel.dtype, &shape, &[Some(picture.bytes)])?));
    }
    match (all.len(), all.pop()) {
        (1, Some(Some(only))) => (only, missing).into_pyobject(py),
        (_, last) => {
            all.extend(last);
            (PyTuple::new(py, all)?, missing).into_pyobject(py)
        }
    }
}

/// An array with these pieces behind each other, in memory of the event before if it fits: a picture in a cache is written faster.
fn filled<'py>(
    py: Python<'py>,
    place: usize,
    of: livetime_frame::DType,
    shape: &[usize],
    pieces: &[Option<&[u8]>],
) -> PyResult<Bound<'py, PyAny>> {
    let spare = SPARE.with_borrow_mut(|spare| spare.get_mut(place).and_then(Option::take));
    let fits = |array: &Bound<'py, PyAny>| array::has_layout(array, of, shape);
    let array = match spare.map(|spare| spare.into_bound(py)).filter(fits) {
        Some(array) => array,
        None => array::zeros(py, of, shape)?,
    };
    array::write(&array, of, pieces)?;
    Ok(array)
}

/// Keeps the memory of arrays without references by Python.
fn give_back(arrays: Bound<'_, PyTuple>) -> PyResult<()> {
    let py = arrays.py();
    let first = arrays.get_item(0)?;
    drop(arrays);
    let all: Vec<Bound<'_, PyAny>> = match first.cast_into::<PyTuple>() {
        Ok(list) => list.iter().collect(),
        Err(other) => vec![other.into_inner()],
    };
    let spare = all.into_iter().map(|array| {
        let is_ours = !array.is_none() && array::is_ours_alone(&array);
        is_ours.then(|| array.unbind())
    });
    let spare: Vec<Option<Py<PyAny>>> = spare.collect();
    let before = SPARE.with(|place| place.replace(spare));
    before.into_iter().flatten().for_each(|array| drop(array.into_bound(py)));
    Ok(())
}
