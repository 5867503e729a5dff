//! What an analysis finds: named arrays, numbers and tables.

use livetime_frame::{DType, Element};

use super::picture::values;
use super::{Layout, Panel};

/// A result with its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Named {
    /// What it is, as `mean`; also the name of its file.
    pub name: String,
    /// The result.
    pub value: Value,
}

/// A result.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A picture, or any other array.
    Array(Array),
    /// A number.
    Number(f64),
    /// Columns of one length.
    Table(Table),
}

/// An array of numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    dtype: DType,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Array {
    /// An array of `elements`, whose number the shape must tell: else its shape is one axis.
    pub fn new<T: Element>(shape: &[usize], elements: &[T]) -> Array {
        let fits = shape.iter().product::<usize>() == elements.len();
        let shape = if fits { shape.to_vec() } else { vec![elements.len()] };
        let mut bytes: Vec<u8> = bytemuck::cast_slice(elements).to_vec();
        if cfg!(target_endian = "big") {
            bytes.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
        }
        Array { dtype: T::DTYPE, shape, bytes }
    }

    /// Type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Shape, slowest axis first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements, last axis fastest, little-endian.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The elements as `f64`.
    pub fn values(&self) -> Vec<f64> {
        values(self.dtype, &self.bytes)
    }

    /// Arrays of one type and shape along a new first axis.
    fn stacked(arrays: &[Array]) -> Option<Array> {
        let first = arrays.first()?;
        if arrays.iter().any(|a| (a.dtype, &a.shape) != (first.dtype, &first.shape)) {
            return None;
        }
        let shape = std::iter::once(arrays.len()).chain(first.shape.iter().copied()).collect();
        let bytes = arrays.iter().flat_map(|a| a.bytes.iter().copied()).collect();
        Some(Array { dtype: first.dtype, shape, bytes })
    }
}

/// A table.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Its columns.
    pub columns: Vec<Column>,
}

impl Table {
    /// How many rows it has: those of its shortest column.
    pub fn rows(&self) -> usize {
        self.columns.iter().map(|c| c.cells.shape().iter().product()).min().unwrap_or(0)
    }
}

/// A column of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// What it is, with its unit.
    pub name: &'static str,
    /// The cells: one axis.
    pub cells: Array,
}

impl Column {
    /// A column of these cells.
    pub fn new<T: Element>(name: &'static str, cells: &[T]) -> Column {
        Column { name, cells: Array::new(&[cells.len()], cells) }
    }
}

impl Named {
    /// A number.
    pub fn number(name: &str, number: f64) -> Named {
        Named { name: name.to_owned(), value: Value::Number(number) }
    }

    /// A table.
    pub fn table(name: &str, columns: Vec<Column>) -> Named {
        Named { name: name.to_owned(), value: Value::Table(Table { columns }) }
    }

    /// One array for each panel of `layout`: as it is if there is one panel; along a new first axis if all have one
    /// shape; else as `name-NUMBER` for each.
    pub fn panels(name: &str, layout: &Layout, arrays: Vec<Array>) -> Vec<Named> {
        let named = |name: String, array: Array| Named { name, value: Value::Array(array) };
        if arrays.len() == 1 {
            return arrays.into_iter().map(|array| named(name.to_owned(), array)).collect();
        }
        if let Some(all) = Array::stacked(&arrays) {
            return vec![named(name.to_owned(), all)];
        }
        let each = |(panel, array): (&Panel, Array)| named(format!("{name}-{}", panel.number), array);
        layout.panels.iter().zip(arrays).map(each).collect()
    }
}
