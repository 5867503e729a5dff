//! Types on the wire, in full or by the number that the sender gave them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::{Extent, MAX_FIELDS, MAX_NAME, Member, ScalarType, Structure, Type, Union};
use crate::wire::{Reader, Writer};
use crate::{Error, Result};

// The codes of types on the wire, as the protocol defines them: references to the cache first, then kinds of types.
const NULL: u8 = 0xFF;
const KNOWN: u8 = 0xFE;
const DEFINE: u8 = 0xFD;
const TAGGED: u8 = 0xFC;
const ARRAY: u8 = 0x08;
const BOUNDED: u8 = 0x10;
const FIXED: u8 = 0x18;
const STRUCTURE: u8 = 0x80;
const UNION: u8 = 0x81;
const ANY: u8 = 0x82;
const BOUNDED_STR: u8 = 0x83;

// Fields of all cached types together. A type may refer to others by number, so that a few bytes can make a
// large one.
const MAX_CACHED_FIELDS: usize = 1 << 20;

/// The types that a peer gave numbers to, on one connection.
#[derive(Clone, Debug, Default)]
pub struct TypeCache {
    types: HashMap<u16, Type>,
    fields: usize,
}

impl TypeCache {
    /// No types yet.
    pub fn new() -> TypeCache {
        TypeCache::default()
    }

    /// How many types it holds.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// The total number of their fields, including nested ones.
    pub fn fields(&self) -> usize {
        self.fields
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    fn define(&mut self, id: u16, ty: &Type, at: usize) -> Result<()> {
        // A peer may define a number again, so the old type's fields are taken off first.
        let before = self.types.get(&id).map_or(0, Type::weight);
        let fields = self.fields - before + ty.weight();
        if fields > MAX_CACHED_FIELDS {
            let wanted = format!("at most {MAX_CACHED_FIELDS} fields in all cached types");
            return Err(Error::at(at, wanted, fields.to_string()));
        }
        self.fields = fields;
        self.types.insert(id, ty.clone());
        Ok(())
    }
}

/// The types that we gave numbers to, on one connection.
///
/// The same `Arc` is sent in full once and by its number afterwards; an equal type in another `Arc` is a new one.
#[derive(Clone, Debug, Default)]
pub struct SentTypes {
    // By address; the types are kept, so that no address is used twice.
    numbers: HashMap<usize, (u16, Arc<Structure>)>,
}

impl SentTypes {
    /// No types yet.
    pub fn new() -> SentTypes {
        SentTypes::default()
    }

    /// Writes `ty` in full with a number, or the number alone if the peer knows it.
    pub fn encode(&mut self, writer: &mut Writer, ty: &Arc<Structure>) {
        let next = self.numbers.len() + 1;
        let address = Arc::as_ptr(ty) as usize;
        if let Some((number, _)) = self.numbers.get(&address) {
            writer.u8(KNOWN);
            return writer.u16(*number);
        }
        // Peers have room for 0x7FFF numbers.
        // Types beyond the room are sent in full each time.
        if next < 0x7FFF {
            self.numbers.insert(address, (next as u16, Arc::clone(ty)));
            writer.u8(DEFINE);
            writer.u16(next as u16);
        }
        encode_structure(writer, ty);
    }
}

impl Type {
    /// Reads a type; `None` is null. Numbers are looked up and entered in `cache`.
    pub fn decode(reader: &mut Reader<'_>, cache: &mut TypeCache) -> Result<Option<Type>> {
        let at = reader.offset();
        match reader.u8()? {
            NULL => Ok(None),
            code => reader.deeper(|reader| decode(reader, cache, code, at)).map(Some),
        }
    }

    /// Reads a type that must not be null.
    pub fn decode_some(reader: &mut Reader<'_>, cache: &mut TypeCache) -> Result<Type> {
        let at = reader.offset();
        Type::decode(reader, cache)?.ok_or_else(|| Error::at(at, "a type", "null"))
    }

    /// Writes the type in full.
    pub fn encode(&self, writer: &mut Writer) {
        match self {
            Type::Scalar(kind) => writer.u8(kind.code()),
            Type::BoundedStr(bound) => {
                writer.u8(BOUNDED_STR);
                writer.size(*bound as usize);
            }
            Type::Array(kind, extent) => encode_array(writer, *kind, *extent),
            Type::Structure(structure) => encode_structure(writer, structure),
            Type::StructureArray(element) => {
                writer.u8(STRUCTURE | ARRAY);
                encode_structure(writer, element);
            }
            Type::Union(union) => encode_members(writer, UNION, union.id(), union.members()),
            Type::UnionArray(element) => {
                writer.u8(UNION | ARRAY);
                encode_members(writer, UNION, element.id(), element.members());
            }
            Type::Any => writer.u8(ANY),
            Type::AnyArray => writer.u8(ANY | ARRAY),
        }
    }
}

impl Structure {
    /// Writes the type in full.
    pub fn encode(self: &Arc<Self>, writer: &mut Writer) {
        encode_structure(writer, self);
    }
}

fn encode_array(writer: &mut Writer, kind: ScalarType, extent: Extent) {
    let (flag, count) = match extent {
        Extent::Variable => (ARRAY, None),
        Extent::Bounded(bound) => (BOUNDED, Some(bound)),
        Extent::Fixed(exact) => (FIXED, Some(exact)),
    };
    writer.u8(kind.code() | flag);
    count.into_iter().for_each(|count| writer.size(count as usize));
}

fn encode_structure(writer: &mut Writer, structure: &Structure) {
    encode_members(writer, STRUCTURE, structure.id(), structure.members());
}

fn encode_members(writer: &mut Writer, code: u8, id: &str, members: &[Member]) {
    writer.u8(code);
    writer.str(id);
    writer.size(members.len());
    for member in members {
        writer.str(&member.name);
        member.ty.encode(writer);
    }
}

fn decode(reader: &mut Reader<'_>, cache: &mut TypeCache, code: u8, at: usize) -> Result<Type> {
    match code {
        KNOWN => {
            let id = reader.u16()?;
            let unknown = || Error::at(at, "the number of a type sent before", id.to_string());
            cache.types.get(&id).cloned().ok_or_else(unknown)
        }
        DEFINE | TAGGED => {
            let id = reader.u16()?;
            if code == TAGGED {
                // The tag is skipped, since a number defined again replaces its old type in any case.
                reader.i32()?;
            }
            let ty = Type::decode_some(reader, cache)?;
            cache.define(id, &ty, at)?;
            Ok(ty)
        }
        STRUCTURE => decode_structure(reader, cache).map(Type::Structure),
        UNION => decode_union(reader, cache).map(Type::Union),
        ANY => Ok(Type::Any),
        _ if code == ANY | ARRAY => Ok(Type::AnyArray),
        _ if code == STRUCTURE | ARRAY || code == UNION | ARRAY => decode_element(reader, cache, code),
        BOUNDED_STR => Ok(Type::BoundedStr(bound(reader)?)),
        _ => decode_scalars(reader, code, at),
    }
}

fn decode_scalars(reader: &mut Reader<'_>, code: u8, at: usize) -> Result<Type> {
    let kind = ScalarType::from_code(code & !FIXED);
    let kind = kind.ok_or_else(|| Error::at(at, "the code of a type", format!("0x{code:02X}")))?;
    Ok(match code & FIXED {
        ARRAY => Type::Array(kind, Extent::Variable),
        BOUNDED => Type::Array(kind, Extent::Bounded(bound(reader)?)),
        FIXED => Type::Array(kind, Extent::Fixed(bound(reader)?)),
        _ => Type::Scalar(kind),
    })
}

fn bound(reader: &mut Reader<'_>) -> Result<u32> {
    let at = reader.offset();
    reader.size()?.ok_or_else(|| Error::at(at, "the bound of an array", "null"))
}

fn decode_element(reader: &mut Reader<'_>, cache: &mut TypeCache, code: u8) -> Result<Type> {
    let at = reader.offset();
    match (code & !ARRAY, Type::decode_some(reader, cache)?) {
        (STRUCTURE, Type::Structure(element)) => Ok(Type::StructureArray(element)),
        (UNION, Type::Union(element)) => Ok(Type::UnionArray(element)),
        (_, other) => Err(Error::at(at, "a structure or union as an element", other.name())),
    }
}

fn decode_structure(reader: &mut Reader<'_>, cache: &mut TypeCache) -> Result<Arc<Structure>> {
    let (id, members) = decode_members(reader, cache)?;
    let structure = Structure::new(id, members)?;
    // A few bytes can describe a large type by number, so memory for its nodes counts against the message's limit.
    reader.charge(structure.len() * size_of::<super::Node>())?;
    Ok(structure)
}

fn decode_union(reader: &mut Reader<'_>, cache: &mut TypeCache) -> Result<Arc<Union>> {
    let (id, members) = decode_members(reader, cache)?;
    Union::new(id, members)
}

fn decode_members(reader: &mut Reader<'_>, cache: &mut TypeCache) -> Result<(Box<str>, Vec<Member>)> {
    let id = name(reader)?.into();
    let at = reader.offset();
    // A member takes two bytes or more: its name and its type.
    let count = reader.count(2)?;
    if count > MAX_FIELDS {
        return Err(Error::at(at, format!("at most {MAX_FIELDS} members"), count.to_string()));
    }
    let mut members = Vec::with_capacity(count);
    for _ in 0..count {
        let name = name(reader)?.into();
        members.push(Member { name, ty: Type::decode_some(reader, cache)? });
    }
    Ok((id, members))
}

fn name<'a>(reader: &mut Reader<'a>) -> Result<Cow<'a, str>> {
    let at = reader.offset();
    let name = reader.str()?;
    if name.len() > MAX_NAME {
        return Err(Error::at(at, format!("a name of at most {MAX_NAME} bytes"), name.len().to_string()));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dynamic, Field};
    use crate::nt;
    use crate::wire::Order;

    #[test]
    fn a_type_is_sent_once() {
        let (mut sent, mut known) = (SentTypes::new(), TypeCache::new());
        let mut lengths = Vec::new();
        for ty in [nt::ndarray(), nt::scalar(ScalarType::F64), nt::ndarray()] {
            let mut writer = Writer::new(Order::Big);
            sent.encode(&mut writer, &ty);
            let bytes = writer.to_vec();
            let back = Type::decode(&mut Reader::new(&bytes, Order::Big), &mut known).unwrap();
            assert_eq!(back, Some(Type::Structure(ty)));
            lengths.push(bytes.len());
        }
        assert_eq!(lengths[2], 3);
        assert!(lengths[0] > 500);
    }

    /// Defines type 1 as `bytes`, and each further one as a structure of `width` of the one before.
    fn bomb(bytes: &[u8], width: u8, levels: u8) -> Result<Vec<Option<Type>>> {
        let mut cache = TypeCache::new();
        let mut all = vec![[&[DEFINE, 1, 0], bytes].concat()];
        for level in 1..=levels {
            let member = [1, b'a', KNOWN, level, 0];
            all.push(
                [&[DEFINE, level + 1, 0, STRUCTURE, 0, width], &member.repeat(width.into())[..]].concat(),
            );
        }
        all.iter().map(|bytes| Type::decode(&mut Reader::new(bytes, Order::Little), &mut cache)).collect()
    }

    #[test]
    fn types_do_not_grow_beyond_their_limits() {
        assert!(bomb(&[0x43], 10, 3).is_ok());
        let wide = bomb(&[0x43], 10, 4).unwrap_err();
        assert_eq!(wide.to_string(), "wanted at most 4096 fields in a type, found 11111");
        let deep = bomb(&[0x43], 1, 21).unwrap_err();
        assert_eq!(deep.to_string(), "wanted at most 20 levels of nesting, found 21");
        let nested = [[STRUCTURE, 0, 1, 1, b'a']; 60].concat();
        assert!(Type::decode(&mut Reader::new(&nested, Order::Little), &mut TypeCache::new()).is_err());
    }

    #[test]
    fn values_do_not_grow_out_of_proportion_to_their_message() {
        // Many fixed arrays without elements make a large structure from a small message.
        let members = [1, b'a', 0x43 | FIXED, 0].repeat(200);
        let empty = [&[DEFINE, 1, 0, STRUCTURE, 0, 200], &members[..]].concat();
        let mut cache = TypeCache::new();
        Type::decode(&mut Reader::new(&empty, Order::Little), &mut cache).unwrap();
        let many = [&[ANY | ARRAY, 0xFE, 0, 0, 1, 0][..], &[1, KNOWN, 1, 0].repeat(1 << 16)].concat();
        let read = Dynamic::decode(&mut Reader::new(&many, Order::Little), &mut cache);
        assert!(read.unwrap_err().to_string().contains("in proportion"));
        let few = [&[ANY | ARRAY, 2][..], &[1, KNOWN, 1, 0].repeat(2)].concat();
        let read = Dynamic::decode(&mut Reader::new(&few, Order::Little), &mut cache).unwrap().unwrap();
        assert!(matches!(read.field(), Field::AnyArray(all) if all.len() == 2));
    }
}
