//! The results of an analysis: named arrays, numbers and tables.

use livetime_frame::{DType, Element};
use livetime_recording::geometry::Assembly;

use crate::pictures::values;
use crate::{Layout, Panel};

/// A result with its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Named {
    /// Name of the result, as `mean`; also the name of its file.
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
    /// Words, into which the elements that are as large can be moved without a copy.
    words: Vec<u64>,
}

impl Array {
    /// An array of `elements`. If their number contradicts the shape, the array has one axis.
    pub fn new<T: Element>(shape: &[usize], mut elements: Vec<T>) -> Array {
        let fits = shape.iter().product::<usize>() == elements.len();
        let shape = if fits { shape.to_vec() } else { vec![elements.len()] };
        // The bytes are little-endian in files and to callers.
        if cfg!(target_endian = "big") {
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut elements);
            bytes.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
        }
        // Elements of 8 bytes are taken over without a copy; shorter ones are copied into words.
        let words = bytemuck::allocation::try_cast_vec(elements).unwrap_or_else(|(_, elements)| {
            let bytes: &[u8] = bytemuck::cast_slice(&elements);
            let mut words = vec![0u64; bytes.len().div_ceil(8)];
            bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
            words
        });
        Array { dtype: T::DTYPE, shape, words }
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
        let length = self.shape.iter().product::<usize>() * self.dtype.bytes();
        // The last word may have bytes behind the last element.
        &bytemuck::cast_slice(&self.words)[..length]
    }

    /// The elements as `f64`.
    pub fn values(&self) -> Vec<f64> {
        values(self.dtype, self.bytes())
    }
}

/// A table.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Columns of the table.
    pub columns: Vec<Column>,
}

impl Table {
    /// The number of its rows: the length of its shortest column.
    pub fn rows(&self) -> usize {
        // The shortest column has the last whole row.
        self.columns.iter().map(|c| c.cells.shape().iter().product()).min().unwrap_or(0)
    }
}

/// A column of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Description of the column, with its unit.
    pub name: &'static str,
    /// The cells: one axis.
    pub cells: Array,
}

impl Column {
    /// A column of these cells.
    pub fn new<T: Element>(name: &'static str, cells: Vec<T>) -> Column {
        Column { name, cells: Array::new(&[cells.len()], cells) }
    }
}

impl Named {
    /// The result as an assembled picture, `f64` with NaN where there is no pixel, if it is an array with a value for each of these pixels.
    pub fn assembled(&self, assembly: &Assembly) -> Option<Named> {
        let Value::Array(array) = &self.value else { return None };
        // A result of other pixels, such as a projection, has no assembled picture.
        if array.shape().iter().product::<usize>() != assembly.places.len() {
            return None;
        }
        let picture = assembly.assemble(&array.values(), f64::NAN).ok()?;
        let value = Value::Array(Array::new(&[assembly.rows, assembly.columns], picture));
        Some(Named { name: format!("{}-assembled", self.name), value })
    }

    /// A number.
    pub fn number(name: &str, number: f64) -> Named {
        Named { name: name.to_owned(), value: Value::Number(number) }
    }

    /// A table.
    pub fn table(name: &str, columns: Vec<Column>) -> Named {
        Named { name: name.to_owned(), value: Value::Table(Table { columns }) }
    }

    /// An array with a value for each panel of `layout`. `fill` appends the elements of the panel at a position, whose
    /// shape `shape` makes of the panel's. There is one array if there is one panel; one with a new first axis if all
    /// panels have one shape; else one for each, as `name-NUMBER`.
    pub fn panels<T: Element>(
        name: &str,
        layout: &Layout,
        shape: impl Fn(&Panel) -> Vec<usize>,
        fill: impl Fn(usize, &mut Vec<T>),
    ) -> Vec<Named> {
        let named = |name: String, shape: &[usize], elements: Vec<T>| Named {
            name,
            value: Value::Array(Array::new(shape, elements)),
        };
        let shapes: Vec<Vec<usize>> = layout.panels.iter().map(shape).collect();
        // Panels of one shape become one array, because users stack them anyway.
        if shapes.windows(2).all(|pair| pair[0] == pair[1]) {
            // A single panel has no axis of panels.
            let panels = Some(shapes.len()).filter(|n| *n > 1);
            let shape: Vec<usize> =
                panels.into_iter().chain(shapes.first().into_iter().flatten().copied()).collect();
            let mut all = Vec::with_capacity(shape.iter().product());
            (0..shapes.len()).for_each(|position| fill(position, &mut all));
            return vec![named(name.to_owned(), &shape, all)];
        }
        let each = shapes.iter().zip(&layout.panels).enumerate().map(|(position, (shape, panel))| {
            let mut elements = Vec::new();
            fill(position, &mut elements);
            named(format!("{name}-{}", panel.number), shape, elements)
        });
        each.collect()
    }
}
