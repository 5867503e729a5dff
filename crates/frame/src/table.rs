//! Columns of equal length: hits and other sparse events.

use std::sync::Arc;

use crate::DType;

/// One column of a [`Schema`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Name, unique in its schema.
    pub name: String,
    /// Element type.
    pub dtype: DType,
}

/// Names and types of the columns of a table; shared by all frames of a stream.
///
/// ```
/// use livetime_frame::{DType, Schema};
/// let hits = Schema::new([("channel", DType::U16), ("peak", DType::F32)]);
/// assert_eq!(hits.column("peak"), Some(1));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schema(Arc<[Column]>);

impl Schema {
    /// A schema of the given columns, in order.
    pub fn new<'a>(columns: impl IntoIterator<Item = (&'a str, DType)>) -> Schema {
        Schema(columns.into_iter().map(|(name, dtype)| Column { name: name.into(), dtype }).collect())
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.0
    }

    /// Index of the column with this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|c| c.name == name)
    }
}

/// Where the columns of a table lie in its bytes: each one contiguous and 64-byte aligned, so that
/// it can be handed to Arrow as it is.
#[derive(Clone, PartialEq, Debug)]
pub struct TableLayout {
    schema: Schema,
    rows: usize,
}

impl TableLayout {
    /// A table of `rows` rows; `None` when its size in bytes overflows.
    pub fn new(schema: Schema, rows: usize) -> Option<TableLayout> {
        let total =
            schema.columns().iter().try_fold(0usize, |sum, c| sum.checked_add(column_bytes(c, rows)?));
        total.filter(|t| *t <= isize::MAX as usize)?;
        Some(TableLayout { schema, rows })
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes of all columns, with their padding.
    pub fn span(&self) -> usize {
        self.schema.columns().iter().filter_map(|c| column_bytes(c, self.rows)).sum()
    }

    /// First byte and dtype of column `index`.
    pub fn place(&self, index: usize) -> Option<(usize, DType)> {
        let column = self.schema.columns().get(index)?;
        let before = &self.schema.columns()[..index];
        Some((before.iter().filter_map(|c| column_bytes(c, self.rows)).sum(), column.dtype))
    }
}

fn column_bytes(column: &Column, rows: usize) -> Option<usize> {
    rows.checked_mul(column.dtype.bytes())?.checked_next_multiple_of(64)
}
