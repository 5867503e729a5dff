//! Tables of rows, as frames.

use std::marker::PhantomData;
use std::sync::Arc;

use livetime_engine::{Context, NodeError};
use livetime_frame::{AttributeValue, Frame, FrameMut, FramePool, Schema, TableLayout, TableRef};

/// A row of a table. The fields are the columns.
pub trait Row: Copy {
    /// Names and types of the columns.
    fn schema() -> Schema;

    /// Writes all rows of `table`, which has as many.
    ///
    /// # Errors
    /// [`NodeError`] when `table` is not of this schema.
    fn put(rows: &[Self], table: &mut FrameMut) -> Result<(), NodeError>;

    /// Appends all rows of `table` to `rows`.
    ///
    /// # Errors
    /// [`NodeError`] when `table` is not of this schema.
    fn get(table: TableRef<'_>, rows: &mut Vec<Self>) -> Result<(), NodeError>;
}

/// Makes and reads frames with tables of `T`.
///
/// ```
/// use livetime_wire::{LedgerRow, Row};
/// assert_eq!(LedgerRow::schema().columns()[1].name, "begin");
/// ```
#[derive(Clone, Debug)]
pub struct RowTable<T> {
    schema: Schema,
    watermark: Arc<str>,
    link: Arc<str>,
    finder: Arc<str>,
    planes: Arc<str>,
    rows: PhantomData<T>,
}

impl<T: Row> Default for RowTable<T> {
    fn default() -> RowTable<T> {
        RowTable {
            schema: T::schema(),
            watermark: "watermark".into(),
            link: "link".into(),
            finder: "finder".into(),
            planes: "planes".into(),
            rows: PhantomData,
        }
    }
}

impl<T: Row> RowTable<T> {
    /// A frame with `rows`, to be given its header and sent.
    ///
    /// # Errors
    /// [`NodeError`] when the pool is exhausted.
    pub fn frame(&self, rows: &[T], ctx: &mut Context) -> Result<FrameMut, NodeError> {
        let mut table = ctx.table(&self.layout(rows)?)?;
        T::put(rows, &mut table)?;
        Ok(table)
    }

    /// A finished frame with `rows`, of one link or merged: for tests, and to feed a graph by hand.
    ///
    /// # Errors
    /// As [`RowTable::frame`].
    pub fn with(pool: &FramePool, rows: &[T], link: Option<u16>, watermark: u64) -> Result<Frame, NodeError> {
        let this = RowTable::<T>::default();
        let mut table = pool.allocator().table(this.layout(rows)?)?;
        T::put(rows, &mut table)?;
        if let Some(link) = link {
            this.set_link(&mut table, link);
        }
        this.set_watermark(&mut table, watermark);
        Ok(table.freeze())
    }

    fn layout(&self, rows: &[T]) -> Result<TableLayout, NodeError> {
        let layout = TableLayout::new(self.schema.clone(), rows.len());
        layout.ok_or_else(|| NodeError::new(format_args!("{} rows are too many", rows.len())))
    }

    /// Sets the watermark: no row with an earlier `time_start` will come any more.
    pub fn set_watermark(&self, table: &mut FrameMut, watermark: u64) {
        table.header_mut().attributes.set(&self.watermark, AttributeValue::Uint(watermark));
    }

    /// Sets the link of the rows.
    pub fn set_link(&self, table: &mut FrameMut, link: u16) {
        table.header_mut().attributes.set(&self.link, AttributeValue::Uint(link.into()));
    }

    /// Sets the finder of the rows (the name of the node), and the planes of the link that it searches: bit `n` for
    /// plane `n`. The watermark holds for rows of this finder only: another finder may search other planes of the same
    /// link.
    pub fn set_finder(&self, table: &mut FrameMut, finder: &Arc<str>, planes: u64) {
        let attributes = &mut table.header_mut().attributes;
        attributes.set(&self.finder, AttributeValue::Text(finder.clone()));
        attributes.set(&self.planes, AttributeValue::Uint(planes));
    }

    /// The table of `frame`.
    ///
    /// # Errors
    /// [`NodeError`] when `frame` carries no such table.
    pub fn table<'a>(&self, frame: &'a Frame) -> Result<TableRef<'a>, NodeError> {
        let table = frame.table()?;
        // Columns are read by their position, so the whole schema must agree and not only the names.
        if *table.layout().schema() == self.schema {
            return Ok(table);
        }
        let names =
            |schema: &Schema| schema.columns().iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
        Err(NodeError::new(format_args!(
            "wanted a table with the columns {}, found {}",
            names(&self.schema),
            names(table.layout().schema())
        )))
    }

    /// Reads the rows of `frame` into `rows`, in place of the former ones.
    ///
    /// # Errors
    /// As [`RowTable::table`].
    pub fn read(&self, frame: &Frame, rows: &mut Vec<T>) -> Result<(), NodeError> {
        let table = self.table(frame)?;
        rows.clear();
        T::get(table, rows)
    }
}

/// Gives `made` the number, the source and the times of the frame it was made from, and none of its attributes.
pub fn inherit_times(made: &mut FrameMut, from: &Frame) {
    made.pledge_as(from);
    let (to, from) = (made.header_mut(), from.header());
    (to.sequence, to.source, to.flags) = (from.sequence, from.source, from.flags);
    (to.event_time_ns, to.entry_ns) = (from.event_time_ns, from.entry_ns);
}

/// The watermark that a table carries.
pub fn watermark_of(frame: &Frame) -> Option<u64> {
    number(frame, "watermark")
}

/// The link that a table is from; `None` when links are merged.
pub fn link_of(frame: &Frame) -> Option<u16> {
    number(frame, "link").map(|link| link as u16)
}

/// Name of the node that found the rows of a table; `None` when the table does not say.
pub fn finder_of(frame: &Frame) -> Option<Arc<str>> {
    match frame.header().attributes.get("finder") {
        Some(AttributeValue::Text(name)) => Some(name.clone()),
        _ => None,
    }
}

/// The planes of its link that a table has rows of, bit `n` for plane `n`; all when the table does not say.
pub fn planes_of(frame: &Frame) -> u64 {
    number(frame, "planes").unwrap_or(0b111)
}

fn number(frame: &Frame, name: &str) -> Option<u64> {
    match frame.header().attributes.get(name) {
        Some(AttributeValue::Uint(value)) => Some(*value),
        _ => None,
    }
}

/// Writes a struct whose fields are the columns of a table, and its [`Row`].
macro_rules! row {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $crate::Row for $name {
            fn schema() -> livetime_frame::Schema {
                use livetime_frame::Element;
                livetime_frame::Schema::new([$((stringify!($field), <$type>::DTYPE)),*])
            }

            fn put(
                rows: &[Self],
                table: &mut livetime_frame::FrameMut,
            ) -> Result<(), livetime_engine::NodeError> {
                let mut columns = 0..;
                $(
                    let column = table.column_mut::<$type>(columns.next().unwrap_or_default())?;
                    column.iter_mut().zip(rows).for_each(|(to, row)| *to = row.$field);
                )*
                Ok(())
            }

            fn get(
                table: livetime_frame::TableRef<'_>,
                rows: &mut Vec<Self>,
            ) -> Result<(), livetime_engine::NodeError> {
                let from = rows.len();
                rows.resize(from + table.layout().rows(), Self::default());
                let mut columns = 0..;
                $(
                    let column = table.column::<$type>(columns.next().unwrap_or_default())?;
                    rows[from..].iter_mut().zip(column).for_each(|(row, value)| row.$field = *value);
                )*
                Ok(())
            }
        }
    };
}
pub(super) use row;
