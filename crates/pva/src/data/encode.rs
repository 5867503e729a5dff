//! Values to bytes.

use super::{Chosen, Dynamic, Extent, Field, Type, Value};
use crate::wire::{BitSet, Encoded, Writer};

impl Value {
    /// Writes all fields.
    pub fn encode(&self, writer: &mut Writer) {
        self.encode_range(writer, 0, self.fields.len());
    }

    /// Writes a bit set of the changed fields, and these fields.
    pub fn encode_changed(&self, writer: &mut Writer) {
        self.encode_bits(writer, &self.changed);
    }

    /// Writes `bits` as they are and the fields they name. A structure among them is written whole, and once.
    pub fn encode_bits(&self, writer: &mut Writer, bits: &BitSet) {
        bits.encode(writer);
        let mut from = 0;
        while let Some(bit) = bits.next(from).filter(|&bit| bit < self.fields.len()) {
            // A structure in the bit set stands for all of its fields.
            from = self.structure.end(bit);
            self.encode_range(writer, bit, from);
        }
    }

    /// The body of a monitor update after its ioid and sub-command: the fields `bits`, and no overrun. Encoded
    /// once, it goes to every subscriber that asked for these fields. The former content of `writer` is lost.
    pub fn update(&self, writer: &mut Writer, bits: &BitSet) -> Encoded {
        writer.clear();
        self.encode_bits(writer, bits);
        BitSet::new().encode(writer);
        writer.take()
    }

    fn encode_range(&self, writer: &mut Writer, start: usize, end: usize) {
        let nodes = self.structure.nodes().get(start..end).unwrap_or_default();
        let fields = self.fields.get(start..end).unwrap_or_default();
        nodes.iter().zip(fields).for_each(|(node, value)| field(writer, &node.ty, value));
    }
}

/// Writes `value`, which is of type `ty`.
pub(crate) fn field(writer: &mut Writer, ty: &Type, value: &Field) {
    match value {
        Field::Node => {}
        Field::Bool(v) => writer.bool(*v),
        Field::I8(v) => writer.i8(*v),
        Field::I16(v) => writer.i16(*v),
        Field::I32(v) => writer.i32(*v),
        Field::I64(v) => writer.i64(*v),
        Field::U8(v) => writer.u8(*v),
        Field::U16(v) => writer.u16(*v),
        Field::U32(v) => writer.u32(*v),
        Field::U64(v) => writer.u64(*v),
        Field::F32(v) => writer.f32(*v),
        Field::F64(v) => writer.f64(*v),
        Field::Str(v) => writer.str(v),
        Field::Array(v) => {
            let bytes = v.kind().bytes();
            // A fixed array has no length on the wire, so missing elements are filled up.
            let missing = begin(writer, ty, v.len());
            writer.elements(v.data(), bytes);
            (0..missing * bytes).for_each(|_| writer.u8(0));
        }
        Field::Strings(v) => {
            let missing = begin(writer, ty, v.len());
            v.iter().for_each(|text| writer.str(text));
            (0..missing).for_each(|_| writer.str(""));
        }
        Field::Struct(v) => v.encode(writer),
        Field::StructArray(v) => elements(writer, v, |writer, value| value.encode(writer)),
        Field::Union(v) => choice(writer, ty, v.as_deref()),
        Field::UnionArray(v) => elements(writer, v, |writer, chosen| choice(writer, ty, Some(chosen))),
        Field::Any(Some(v)) => v.encode(writer),
        Field::Any(None) => writer.null(),
        Field::AnyArray(v) => elements(writer, v, |writer, any: &Dynamic| any.encode(writer)),
    }
}

/// Writes the length of an array if its type does not say it; returns how many elements are missing if it does.
fn begin(writer: &mut Writer, ty: &Type, count: usize) -> usize {
    match ty {
        Type::Array(_, Extent::Fixed(exact)) => (*exact as usize).saturating_sub(count),
        _ => {
            writer.size(count);
            0
        }
    }
}

fn elements<T>(writer: &mut Writer, elements: &[Option<T>], mut write: impl FnMut(&mut Writer, &T)) {
    writer.size(elements.len());
    for element in elements {
        writer.bool(element.is_some());
        element.iter().for_each(|element| write(writer, element));
    }
}

fn choice(writer: &mut Writer, ty: &Type, chosen: Option<&Chosen>) {
    let (Type::Union(union) | Type::UnionArray(union)) = ty else { return };
    let member = chosen.and_then(|chosen| Some((chosen, union.members().get(chosen.selector as usize)?)));
    match member {
        // A peer could not decode a selector without a member.
        None => writer.null(),
        Some((chosen, member)) => {
            writer.size(chosen.selector as usize);
            field(writer, &member.ty, &chosen.field);
        }
    }
}
