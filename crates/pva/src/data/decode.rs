//! Values from bytes, into the memory of the value before.

use std::any::Any;

use bytes::Bytes;

use super::progress::{Part, Progress, Step, Stop};
use super::{Array, Chosen, Dynamic, Extent, Field, ScalarType, Structure, Type, TypeCache, Union, Value};
use crate::wire::{BitSet, Reader};
use crate::{Error, Result};

/// Bytes of numbers that take as long to copy and swap as a text takes to read.
const OF_A_TEXT: usize = 256;

/// The reading of a value, with the types that the peer gave numbers to.
pub(crate) type Reading<'c> = Progress<&'c mut TypeCache>;

impl Value {
    /// Reads all fields. The set of changed fields is not touched.
    pub fn decode(&mut self, reader: &mut Reader<'_>, cache: &mut TypeCache) -> Result<()> {
        self.read(reader, &mut Progress::whole(cache)).map_err(Stop::wrong)
    }

    /// Reads all fields in steps.
    pub(crate) fn read(&mut self, reader: &mut Reader<'_>, progress: &mut Reading<'_>) -> Step {
        self.read_range(reader, progress, 0, self.fields.len())
    }

    /// Reads a bit set and the fields it names. Returns it, and adds it to the changed fields.
    ///
    /// Fields keep their memory: numbers and texts that fit are read without an allocation.
    pub fn decode_changed(&mut self, reader: &mut Reader<'_>, cache: &mut TypeCache) -> Result<BitSet> {
        let bits = self.bits(reader)?;
        self.read_bits(reader, &mut Progress::whole(cache), &bits).map_err(Stop::wrong)?;
        Ok(bits)
    }

    /// The numbers of the fields that follow.
    pub(crate) fn bits(&self, reader: &mut Reader<'_>) -> Result<BitSet> {
        let at = reader.offset();
        let bits = BitSet::decode(reader)?;
        if bits.end() > self.fields.len() {
            let wanted = format!("field numbers below {}", self.fields.len());
            return Err(Error::at(at, wanted, (bits.end() - 1).to_string()));
        }
        Ok(bits)
    }

    /// Reads the fields `bits`, and adds them to what changed. A structure among them is read whole, and its members' own bits mean nothing.
    pub(crate) fn read_bits(
        &mut self,
        reader: &mut Reader<'_>,
        progress: &mut Reading<'_>,
        bits: &BitSet,
    ) -> Step {
        let mut next = match progress.resume() {
            Some(Part::Field(bit)) => Some(bit),
            _ => bits.next(0),
        };
        while let Some(bit) = next.filter(|&bit| bit < self.fields.len()) {
            let end = self.structure.end(bit);
            let read = self.read_range(reader, progress, bit, end);
            progress.inside(read, Part::Field(bit))?;
            next = bits.next(end);
        }
        self.changed.union_with(bits);
        Ok(())
    }

    // Within a whole structure the wire has the order of the field numbers.
    fn read_range(
        &mut self,
        reader: &mut Reader<'_>,
        progress: &mut Reading<'_>,
        start: usize,
        end: usize,
    ) -> Step {
        let start = match progress.resume() {
            Some(Part::Field(number)) => number,
            _ => start,
        };
        let nodes = self.structure.nodes().get(start..end).unwrap_or_default();
        let fields = self.fields.get_mut(start..end).unwrap_or_default();
        for (number, (node, to)) in (start..).zip(nodes.iter().zip(fields)) {
            if !matches!(to, Field::Node) {
                let read = field(reader, progress, &node.ty, to);
                progress.inside(read, Part::Field(number))?;
            }
        }
        Ok(())
    }
}

/// Memory for a value of type `ty`. A structure may be large although nothing of it is in the message.
pub(crate) fn fresh(reader: &mut Reader<'_>, ty: &Type) -> Result<Field> {
    let fields = ty.as_structure().map_or(1, |structure| structure.len());
    reader.charge(fields * size_of::<Field>())?;
    Ok(ty.default_field())
}

/// Reads a value of type `ty` into `to`.
pub(crate) fn field(reader: &mut Reader<'_>, progress: &mut Reading<'_>, ty: &Type, to: &mut Field) -> Step {
    match to {
        Field::Bool(to) => *to = reader.bool()?,
        Field::I8(to) => *to = reader.i8()?,
        Field::I16(to) => *to = reader.i16()?,
        Field::I32(to) => *to = reader.i32()?,
        Field::I64(to) => *to = reader.i64()?,
        Field::U8(to) => *to = reader.u8()?,
        Field::U16(to) => *to = reader.u16()?,
        Field::U32(to) => *to = reader.u32()?,
        Field::U64(to) => *to = reader.u64()?,
        Field::F32(to) => *to = reader.f32()?,
        Field::F64(to) => *to = reader.f64()?,
        Field::Str(to) => read_text(reader, ty, to)?,
        to => return compound(reader, progress, ty, to),
    }
    Ok(())
}

fn compound(reader: &mut Reader<'_>, progress: &mut Reading<'_>, ty: &Type, to: &mut Field) -> Step {
    match (ty, &mut *to) {
        (Type::Array(ScalarType::Str, extent), _) => {
            *to = Field::Strings(texts(reader, progress, *extent)?.into());
        }
        (Type::Array(kind, extent), _) => *to = Field::Array(array(reader, progress, *kind, *extent)?),
        (Type::Structure(_), Field::Struct(value)) => {
            reader.deeper(|reader| value.read(reader, progress))?;
        }
        (Type::StructureArray(element), Field::StructArray(to)) => structures(reader, progress, element, to)?,
        (Type::Union(union), Field::Union(to)) => choose(reader, progress, union, to)?,
        (Type::UnionArray(union), Field::UnionArray(to)) => {
            elements(reader, progress, to, size_of::<Chosen>(), |reader, progress, slot| {
                boxed(slot, |slot| choose(reader, progress, union, slot))
            })?;
        }
        (Type::Any, Field::Any(to)) => Dynamic::read_into(to, reader, progress)?,
        (Type::AnyArray, Field::AnyArray(to)) => {
            elements(reader, progress, to, size_of::<Dynamic>(), |reader, progress, slot| {
                boxed(slot, |slot| Dynamic::read_into(slot, reader, progress))
            })?;
        }
        // A field of another variant than its type asks for cannot be built from outside this module.
        (ty, to) => {
            *to = ty.default_field();
            return Err(Error::at(reader.offset(), ty.name(), "memory for something else").into());
        }
    }
    Ok(())
}

fn read_text(reader: &mut Reader<'_>, ty: &Type, to: &mut String) -> Result<()> {
    let at = reader.offset();
    let text = reader.str()?;
    if let Type::BoundedStr(bound) = ty
        && text.len() > *bound as usize
    {
        return Err(Error::at(at, format!("a text of at most {bound} bytes"), text.len().to_string()));
    }
    text.as_ref().clone_into(to);
    Ok(())
}

fn array_count(reader: &mut Reader<'_>, extent: Extent, bytes: usize) -> Result<usize> {
    let at = reader.offset();
    let count = match extent {
        Extent::Fixed(exact) => exact as usize,
        _ => reader.count(bytes)?,
    };
    if !extent.allows(count) {
        return Err(Error::at(at, format!("an array of {extent:?} length"), count.to_string()));
    }
    Ok(count)
}

fn array(
    reader: &mut Reader<'_>,
    progress: &mut Reading<'_>,
    kind: ScalarType,
    extent: Extent,
) -> Step<Array> {
    let (done, count) = match progress.resume() {
        Some(Part::Numbers { elements, count }) => (Some(elements), count),
        _ => {
            let size = kind.bytes();
            let count = array_count(reader, extent, size)?;
            let bytes = count.saturating_mul(size);
            if stays_as_it_is(reader, kind, bytes) {
                return Ok(Array::new(kind, reader.take(bytes)?)?);
            }
            // Before there is memory for elements that are not in the message.
            reader.clone().bytes(bytes)?;
            (None, count)
        }
    };
    macro_rules! copied {
        ($t:ty) => {
            copy::<$t>(reader, progress, done, count)?.into()
        };
    }
    Ok(match kind {
        ScalarType::I16 => copied!(i16),
        ScalarType::I32 => copied!(i32),
        ScalarType::I64 => copied!(i64),
        ScalarType::U16 => copied!(u16),
        ScalarType::U32 => copied!(u32),
        ScalarType::U64 => copied!(u64),
        ScalarType::F32 => copied!(f32),
        ScalarType::F64 => copied!(f64),
        kind => Array::new(kind, Bytes::from(copy::<u8>(reader, progress, done, count)?))?,
    })
}

/// Whether the bytes of an array need not be copied or changed. On the wire any byte but 0 is true; in an array it is 1, so that equal arrays have equal
/// bytes.
fn stays_as_it_is(reader: &Reader<'_>, kind: ScalarType, bytes: usize) -> bool {
    let size = kind.bytes();
    kind != ScalarType::Bool && !reader.order().swaps(size) && (size == 1 || reader.shares(bytes))
}

/// Reads elements into memory of `T`s, so that they can be read where they lie. Bytes are truth values.
fn copy<T: super::Element>(
    reader: &mut Reader<'_>,
    progress: &mut Reading<'_>,
    done: Option<Box<dyn Any + Send>>,
    count: usize,
) -> Step<Vec<T>> {
    let size = size_of::<T>();
    let mut elements: Vec<T> =
        done.and_then(|done| done.downcast().ok()).map_or_else(Vec::new, |elements| *elements);
    while elements.len() < count {
        let missing = (count - elements.len()) * size;
        let taken = progress.take(missing.div_ceil(OF_A_TEXT)).saturating_mul(OF_A_TEXT).min(missing);
        if taken == 0 {
            return progress.pause(Part::Numbers { elements: Box::new(elements), count });
        }
        let mut piece: Vec<T> = bytemuck::pod_collect_to_vec(reader.bytes(taken / size * size)?);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut piece);
        // True is any number but zero on the wire, while `Bool` in memory must be 0 or 1.
        match size {
            1 => bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0)),
            size if reader.order().swaps(size) => crate::wire::swap(bytes, size),
            _ => {}
        }
        if elements.is_empty() {
            // The first piece becomes the array itself, so an array that is read at once is copied once.
            elements = piece;
        } else {
            elements.reserve_exact(count - elements.len());
            elements.extend_from_slice(&piece);
        }
    }
    Ok(elements)
}

fn texts(reader: &mut Reader<'_>, progress: &mut Reading<'_>, extent: Extent) -> Step<Vec<String>> {
    let (mut texts, count) = match progress.resume() {
        Some(Part::Texts { texts, count }) => (texts, count),
        _ => {
            // A text takes at least a byte, so a count beyond the message's bytes ends with an error in time and not in
            // memory.
            let count = array_count(reader, extent, 1)?.min(reader.remaining() + 1);
            reader.charge(count * size_of::<String>())?;
            (Vec::with_capacity(count), count)
        }
    };
    while texts.len() < count {
        if !progress.spend() {
            return progress.pause(Part::Texts { texts, count });
        }
        texts.push(reader.str()?.into_owned());
    }
    Ok(texts)
}

/// Reads presence bytes and, where they say so, elements. Elements that were there before keep their memory.
fn elements<T>(
    reader: &mut Reader<'_>,
    progress: &mut Reading<'_>,
    to: &mut Vec<Option<T>>,
    bytes: usize,
    mut read: impl FnMut(&mut Reader<'_>, &mut Reading<'_>, &mut Option<T>) -> Step,
) -> Step {
    let (mut at, count, mut is_inside) = match progress.resume() {
        Some(Part::Element { at, count, is_inside }) => (at, count, is_inside),
        _ => {
            let count = reader.count(1)?;
            reader.charge(count * bytes)?;
            to.truncate(count);
            to.reserve_exact(count - to.len());
            (0, count, false)
        }
    };
    while at < count {
        if !is_inside && !progress.spend() {
            return progress.pause(Part::Element { at, count, is_inside });
        }
        if at == to.len() {
            to.push(None);
        }
        let Some(slot) = to.get_mut(at) else { break };
        if is_inside || reader.bool()? {
            let done = reader.deeper(|reader| read(reader, progress, slot));
            progress.inside(done, Part::Element { at, count, is_inside: true })?;
        } else {
            *slot = None;
        }
        (at, is_inside) = (at + 1, false);
    }
    Ok(())
}

/// Reads an element in a box of its own. A part that has been read stays.
fn boxed<T>(slot: &mut Option<T>, read: impl FnOnce(&mut Option<Box<T>>) -> Step) -> Step {
    let mut boxed = slot.take().map(Box::new);
    let done = read(&mut boxed);
    *slot = boxed.map(|element| *element);
    done
}

fn structures(
    reader: &mut Reader<'_>,
    progress: &mut Reading<'_>,
    element: &std::sync::Arc<Structure>,
    to: &mut Vec<Option<Value>>,
) -> Step {
    elements(reader, progress, to, size_of::<Value>(), |reader, progress, slot| {
        // A slot that holds a value has been charged before and is read into again.
        if slot.is_none() {
            reader.charge(element.len() * size_of::<Field>())?;
        }
        slot.get_or_insert_with(|| Value::new(element)).read(reader, progress)
    })
}

fn choose(
    reader: &mut Reader<'_>,
    progress: &mut Reading<'_>,
    union: &Union,
    to: &mut Option<Box<Chosen>>,
) -> Step {
    if progress.resume().is_none() {
        begin_choice(reader, union, to)?;
    }
    let Some(chosen) = to else { return Ok(()) };
    let Some(member) = union.members().get(chosen.selector as usize) else { return Ok(()) };
    let read = reader.deeper(|reader| field(reader, progress, &member.ty, &mut chosen.field));
    progress.inside(read, Part::Content)
}

/// Reads which member it is, and makes room for it.
fn begin_choice(reader: &mut Reader<'_>, union: &Union, to: &mut Option<Box<Chosen>>) -> Result<()> {
    let at = reader.offset();
    let Some(selector) = reader.size()? else {
        *to = None;
        return Ok(());
    };
    let count = union.members().len();
    let member = union.members().get(selector as usize);
    let member =
        member.ok_or_else(|| Error::at(at, format!("one of {count} members"), selector.to_string()))?;
    // A choice of the same member reads into its old memory.
    if to.as_ref().is_none_or(|chosen| chosen.selector != selector) {
        *to = Some(Box::new(Chosen { selector, field: fresh(reader, &member.ty)? }));
    }
    Ok(())
}
