//! A detector's record of one event.

use livetime_frame::{DType, Element};

use super::{Damage, Datagram, Field, FieldType, Names, NamesTable, Step, XtcHeader, XtcKind};
use crate::fields::{Fields, text, u32_at};
use crate::file::{Place, Walker, header_in};
use crate::{Error, Result};

/// The most axes an array may have; shapes in the file always have as many.
const MAX_RANK: usize = 5;

/// The values of all fields of one detector.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a, 'n> {
    /// The fields.
    pub names: &'n Names,
    /// The damage.
    pub damage: Damage,
    shapes: &'a [u8],
    data: &'a [u8],
}

/// The value of a field.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a, 'n> {
    /// The field.
    pub field: &'n Field,
    /// The elements, little-endian, last axis fastest. They may lie at any address.
    pub bytes: &'a [u8],
    /// Type of the elements.
    pub dtype: DType,
    shape: [usize; MAX_RANK],
    rank: usize,
}

impl<'a> Datagram<'a> {
    /// The records that `names` describes, in their order. Those without a description are left out; see
    /// [`Datagram::walk`] for all there is. A record without shapes has single values only.
    pub fn records<'n>(&self, names: &'n NamesTable) -> impl Iterator<Item = Record<'a, 'n>> + use<'a, 'n> {
        self.walk().filter_map(|step| match step {
            Step::Xtc(xtc) if xtc.header.kind() == XtcKind::ShapesData => {
                let names = names.get(xtc.header.names_id())?;
                Some(Record::new(names, xtc.header.damage, xtc.payload))
            }
            _ => None,
        })
    }
}

impl<'a, 'n> Record<'a, 'n> {
    fn new(names: &'n Names, damage: Damage, payload: &'a [u8]) -> Record<'a, 'n> {
        let mut record = Record { names, damage, shapes: &[], data: &[] };
        let mut walker = Walker::<XtcHeader>::new(0, payload.len() as u64);
        let header = |at: u64| header_in::<XtcHeader>(payload.get(at as usize..).unwrap_or_default(), at);
        // A broken part ends the walk, and the values behind it are missing.
        while let Ok(Some(Ok(Place { header, offset, depth: 0 }))) = walker.step(header) {
            let start = offset as usize;
            let inside =
                payload.get(start + XtcHeader::LEN..start + header.extent as usize).unwrap_or_default();
            match header.kind() {
                XtcKind::Shapes => record.shapes = inside,
                XtcKind::Data => record.data = inside,
                _ => {}
            }
        }
        record
    }

    /// The values in the order of the fields. After an error there are no more: the place of the next one is unknown.
    pub fn values(&self) -> impl Iterator<Item = Result<Value<'a, 'n>>> + use<'a, 'n> {
        let (mut data, mut shapes) = (Fields::new(self.data), self.shapes.chunks_exact(4 * MAX_RANK));
        let mut fields = self.names.fields.iter();
        std::iter::from_fn(move || {
            let field = fields.next()?;
            let value = Value::next(field, &mut shapes, &mut data);
            if value.is_err() {
                // The place of the next value depends on the length of this one.
                fields = [].iter();
            }
            Some(value)
        })
    }

    /// The value of the field `name`.
    ///
    /// # Errors
    /// If there is no such field, or its value does not lie in the record.
    pub fn value(&self, name: &str) -> Result<Value<'a, 'n>> {
        let value = self.values().find(|v| v.as_ref().map_or(true, |v| v.field.name == name));
        value.unwrap_or_else(|| {
            Err(Error::new(format!("a field `{name}` of {}", self.names.detector), "none of that name"))
        })
    }
}

impl<'a, 'n> Value<'a, 'n> {
    fn next(
        field: &'n Field,
        shapes: &mut std::slice::ChunksExact<'a, u8>,
        data: &mut Fields<'a>,
    ) -> Result<Value<'a, 'n>> {
        let wrong =
            |wanted: &str, found: String| Error::new(format!("{wanted} of field `{}`", field.name), found);
        let Some(dtype) = field.field_type.dtype() else {
            return Err(wrong("a known type", field.field_type.to_string()));
        };
        let rank = field.rank as usize;
        // The shape in the file has no room for more.
        if rank > MAX_RANK {
            return Err(wrong("at most 5 axes", rank.to_string()));
        }
        let mut shape = [1; MAX_RANK];
        if rank > 0 {
            let sizes = shapes.next().ok_or_else(|| wrong("the shape", "none".into()))?;
            (0..rank).for_each(|axis| shape[axis] = u32_at(sizes, 4 * axis) as usize);
        }
        // Sizes are claims of the file: their product may overflow.
        let length = shape.iter().try_fold(dtype.bytes(), |product, n| product.checked_mul(*n));
        let Some(length) = length.filter(|l| *l <= data.left()) else {
            return Err(wrong(
                "the elements",
                format!("{} bytes for shape {:?}", data.left(), &shape[..rank]),
            ));
        };
        Ok(Value { field, bytes: data.take(length)?, dtype, shape, rank })
    }

    /// Its shape, slowest axis first; empty for a single value.
    pub fn shape(&self) -> &[usize] {
        &self.shape[..self.rank]
    }

    /// Its elements.
    ///
    /// # Errors
    /// If they are of another type.
    pub fn elements<T: Element>(&self) -> Result<impl Iterator<Item = T> + use<'a, T>> {
        if T::DTYPE != self.dtype {
            return Err(Error::new(
                format!("{} in field `{}`", T::DTYPE, self.field.name),
                self.dtype.name(),
            ));
        }
        Ok(self.bytes.chunks_exact(size_of::<T>()).map(element::<T>))
    }

    /// A single number; `None` for an array or a text.
    pub fn number(&self) -> Option<f64> {
        if self.rank > 0 {
            return None;
        }
        let mut fields = Fields::new(self.bytes);
        match self.dtype {
            DType::U8 => fields.u8().map(f64::from),
            DType::U16 => fields.u16().map(f64::from),
            DType::U32 => fields.u32().map(f64::from),
            DType::U64 => fields.u64().map(|n| n as f64),
            DType::I8 => fields.u8().map(|n| f64::from(n as i8)),
            DType::I16 => fields.i16().map(f64::from),
            DType::I32 => fields.i32().map(f64::from),
            DType::I64 => fields.i64().map(|n| n as f64),
            DType::F32 => fields.f32().map(f64::from),
            DType::F64 => fields.f64(),
        }
        .ok()
    }

    /// A text; `None` for numbers.
    pub fn text(&self) -> Option<String> {
        (self.field.field_type == FieldType::Text).then(|| text(self.bytes))
    }
}

/// One element from exactly its bytes, in the order of the file.
fn element<T: Element>(bytes: &[u8]) -> T {
    let mut value = T::zeroed();
    let target = bytemuck::bytes_of_mut(&mut value);
    target.copy_from_slice(bytes);
    // Elements are little-endian in the file.
    if cfg!(target_endian = "big") {
        target.reverse();
    }
    value
}
