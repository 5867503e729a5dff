//! Random types, values and bytes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use livetime_pva::data::{
    Array, Builder, Chosen, Dynamic, Extent, Field, Member, ScalarType, Type, TypeCache, Union, Value,
};
use livetime_pva::proto::{ClientMessage, ServerMessage};
use livetime_pva::request;
use livetime_pva::wire::{Assembler, BitSet, Header, Order, Reader, Segment, Status, Writer};
use proptest::prelude::*;

fn kind() -> impl Strategy<Value = ScalarType> {
    proptest::sample::select(ScalarType::ALL.to_vec())
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::Little), Just(Order::Big)]
}

fn extent() -> impl Strategy<Value = Extent> {
    prop_oneof![
        Just(Extent::Variable),
        (0u32..9).prop_map(Extent::Bounded),
        (0u32..9).prop_map(Extent::Fixed)
    ]
}

fn members(ty: impl Strategy<Value = Type> + Clone) -> impl Strategy<Value = Vec<Member>> + Clone {
    let types = proptest::collection::vec(("[a-zA-Z]{1,6}", ty), 0..6);
    types.prop_map(|types| types.into_iter().map(|(name, ty)| Member { name: name.into(), ty }).collect())
}

fn ty() -> impl Strategy<Value = Type> + Clone {
    let leaf = prop_oneof![
        4 => kind().prop_map(Type::Scalar),
        2 => (kind(), extent()).prop_map(|(kind, extent)| Type::Array(kind, extent)),
        1 => (0u32..20).prop_map(Type::BoundedStr),
        1 => Just(Type::Any),
        1 => Just(Type::AnyArray),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let structure = ("[a-z_:]{0,8}", members(inner.clone()))
            .prop_map(|(id, members)| livetime_pva::data::Structure::new(id, members).unwrap());
        let union =
            ("[a-z_:]{0,8}", members(inner)).prop_map(|(id, members)| Union::new(id, members).unwrap());
        prop_oneof![
            3 => structure.clone().prop_map(Type::Structure),
            1 => structure.prop_map(Type::StructureArray),
            1 => union.clone().prop_map(Type::Union),
            1 => union.prop_map(Type::UnionArray),
        ]
    })
}

/// Something of type `ty`, made of the numbers that `next` gives.
fn field(ty: &Type, next: &mut impl FnMut() -> u64) -> Field {
    let n = next();
    match ty {
        Type::Scalar(kind) => scalar(*kind, n),
        Type::BoundedStr(bound) => Field::Str("x".repeat(n as usize % (*bound as usize + 1))),
        Type::Array(kind, extent) => {
            let count = match extent {
                Extent::Variable => n as usize % 12,
                Extent::Bounded(bound) => n as usize % (*bound as usize + 1),
                Extent::Fixed(exact) => *exact as usize,
            };
            array(*kind, count, n)
        }
        Type::Structure(structure) => {
            let mut value = Value::new(structure);
            fill(&mut value, next);
            Field::from(value)
        }
        Type::StructureArray(element) => Field::StructArray(
            (0..n % 3)
                .map(|_| {
                    let mut value = Value::new(element);
                    fill(&mut value, next);
                    (!next().is_multiple_of(4)).then_some(value)
                })
                .collect(),
        ),
        Type::Union(union) => Field::Union(choice(union, next).map(Box::new)),
        Type::UnionArray(union) => Field::UnionArray((0..n % 3).map(|_| choice(union, next)).collect()),
        Type::Any => Field::Any(dynamic(n).map(Box::new)),
        Type::AnyArray => Field::AnyArray((0..n % 4).map(|i| dynamic(n / (i + 1))).collect()),
    }
}

fn scalar(kind: ScalarType, n: u64) -> Field {
    match kind {
        ScalarType::Bool => Field::Bool(n % 2 == 1),
        ScalarType::I8 => Field::I8(n as i8),
        ScalarType::I16 => Field::I16(n as i16),
        ScalarType::I32 => Field::I32(n as i32),
        ScalarType::I64 => Field::I64(n as i64),
        ScalarType::U8 => Field::U8(n as u8),
        ScalarType::U16 => Field::U16(n as u16),
        ScalarType::U32 => Field::U32(n as u32),
        ScalarType::U64 => Field::U64(n),
        ScalarType::F32 => Field::F32(n as f32),
        ScalarType::F64 => Field::F64(n as f64 / 3.0),
        ScalarType::Str => Field::Str(format!("{n}µ")),
    }
}

fn array(kind: ScalarType, count: usize, n: u64) -> Field {
    match kind {
        ScalarType::Str => Field::from((0..count).map(|i| format!("{n}{i}")).collect::<Vec<_>>()),
        ScalarType::Bool => {
            Field::Array(Array::from_bools(&(0..count).map(|i| i % 3 == 0).collect::<Vec<_>>()))
        }
        kind => {
            let data: Vec<u8> = (0..count * kind.bytes()).map(|i| (n >> (i % 8)) as u8).collect();
            Field::Array(Array::new(kind, data.into()).unwrap())
        }
    }
}

fn choice(union: &Union, next: &mut impl FnMut() -> u64) -> Option<Chosen> {
    let n = next() as usize;
    let selector = n.checked_rem(union.members().len() + 1).filter(|&n| n < union.members().len())?;
    Some(Chosen { selector: selector as u32, field: field(&union.members()[selector].ty, next) })
}

fn dynamic(n: u64) -> Option<Dynamic> {
    let kind = ScalarType::ALL[n as usize % 12];
    match n / 12 % 4 {
        0 => None,
        1 => Some(Dynamic::new(Type::array(kind), array(kind, n as usize % 5, n)).unwrap()),
        2 => {
            let ty = Builder::new("").member("a", kind).structure().unwrap();
            Some(Value::new(&ty).into())
        }
        _ => Some(Dynamic::new(Type::Scalar(kind), scalar(kind, n)).unwrap()),
    }
}

fn fill(value: &mut Value, next: &mut impl FnMut() -> u64) {
    let structure = Arc::clone(value.structure());
    for bit in (1..structure.len()).filter(|&bit| !structure.is_structure(bit)) {
        value.set_bit(bit, field(&structure.nodes()[bit].ty, next)).unwrap();
    }
}

/// A type, a value of it, and a source of further values.
fn value() -> impl Strategy<Value = Value> {
    (("[a-z]{0,5}", members(ty())), proptest::num::u64::ANY).prop_map(|((id, members), seed)| {
        let ty = livetime_pva::data::Structure::new(id, members).unwrap();
        let mut value = Value::new(&ty);
        fill(&mut value, &mut numbers(seed));
        value
    })
}

fn numbers(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        seed ^ (seed >> 33)
    }
}

fn encoded(order: Order, write: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::new(order);
    write(&mut writer);
    writer.to_vec()
}

proptest! {
    #[test]
    fn types_come_back(ty in ty(), order in order()) {
        let bytes = encoded(order, |w| ty.encode(w));
        let mut reader = Reader::new(&bytes, order);
        let back = Type::decode(&mut reader, &mut TypeCache::new()).unwrap();
        prop_assert_eq!(back, Some(ty));
        prop_assert!(reader.is_empty());
        for end in 0..bytes.len() {
            let mut reader = Reader::new(&bytes[..end], order);
            prop_assert!(Type::decode(&mut reader, &mut TypeCache::new()).is_err());
        }
    }

    #[test]
    fn whole_values_come_back(value in value(), order in order()) {
        let bytes = encoded(order, |w| value.encode(w));
        let mut back = Value::new(value.structure());
        let mut reader = Reader::new(&bytes, order);
        back.decode(&mut reader, &mut TypeCache::new()).unwrap();
        prop_assert!(reader.is_empty());
        prop_assert_eq!(encoded(order, |w| back.encode(w)), bytes.clone());
        prop_assert_eq!(&back, &value);
        // Again into the same memory.
        back.decode(&mut Reader::new(&bytes, order), &mut TypeCache::new()).unwrap();
        prop_assert_eq!(&back, &value);
        for end in 0..bytes.len() {
            prop_assert!(back.decode(&mut Reader::new(&bytes[..end], order), &mut TypeCache::new()).is_err());
        }
        let _ = value.to_string();
    }

    #[test]
    fn changed_fields_come_back(value in value(), order in order(), seed in proptest::num::u64::ANY) {
        let structure = value.structure();
        let mut next = numbers(seed);
        let bits: BitSet = (0..structure.len()).filter(|_| next().is_multiple_of(3)).collect();
        let bytes = encoded(order, |w| value.encode_bits(w, &bits));
        let mut back = Value::new(structure);
        let mut reader = Reader::new(&bytes, order);
        let read = back.decode_changed(&mut reader, &mut TypeCache::new()).unwrap();
        prop_assert!(reader.is_empty());
        prop_assert_eq!(&read, &bits);
        let fresh = Value::new(structure);
        let sent = structure.expand(&bits);
        for (bit, field) in back.leaves() {
            let expected = if sent.contains(bit) { &value } else { &fresh };
            prop_assert_eq!(Some(field), expected.field(bit));
        }
        let mut merged = fresh.clone();
        merged.update_from(&value, &bits).unwrap();
        prop_assert_eq!(&merged, &back);
    }

    #[test]
    fn bit_sets_are_sets(bits in proptest::collection::btree_set(0usize..600, 0..40), order in order(),
                         others in proptest::collection::btree_set(0usize..600, 0..40)) {
        let set: BitSet = bits.iter().copied().collect();
        let other: BitSet = others.iter().copied().collect();
        prop_assert_eq!(set.iter().collect::<Vec<_>>(), bits.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(set.len(), bits.len());
        prop_assert_eq!(set.end(), bits.last().map_or(0, |last| last + 1));
        let bytes = encoded(order, |w| set.encode(w));
        prop_assert_eq!(&BitSet::decode(&mut Reader::new(&bytes, order)).unwrap(), &set);
        let (mut both, mut all) = (set.clone(), set.clone());
        both.intersect_with(&other);
        all.union_with(&other);
        prop_assert_eq!(both, bits.intersection(&others).copied().collect());
        prop_assert_eq!(all, bits.union(&others).copied().collect());
        prop_assert_eq!(set.intersects(&other), !bits.is_disjoint(&others));
    }

    #[test]
    fn ranges_of_bits(start in 0usize..300, count in 0usize..300) {
        let mut set = BitSet::new();
        set.insert_range(start, start + count);
        prop_assert_eq!(set, (start..start + count).collect::<BitSet>());
    }

    #[test]
    fn messages_come_back_however_the_stream_is_cut(
        payloads in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..9000), 0usize..4), 1..6),
        pieces in proptest::collection::vec(1usize..700, 1..20),
        order in order(), lead in 0usize..70, fill in any::<bool>(),
    ) {
        let mut stream = Vec::new();
        for (payload, segments) in &payloads {
            write_segments(&mut stream, payload, *segments, order);
        }
        let mut assembler = Assembler::new(1 << 20);
        assembler.align(lead);
        let mut expected = payloads.iter();
        let (mut at, mut pieces) = (0, pieces.iter().cycle());
        while at < stream.len() {
            let end = (at + pieces.next().unwrap()).min(stream.len());
            let mut input = &stream[at..end];
            at = end;
            while let Some(message) = assembler.next(&mut input).unwrap() {
                if message.header.control {
                    continue;
                }
                prop_assert_eq!(message.bytes(), &expected.next().unwrap().0[..]);
            }
            if fill && assembler.missing() > 0 {
                at += assembler.fill(&stream[at..]).unwrap();
                let mut nothing: &[u8] = &[];
                while let Some(message) = assembler.next(&mut nothing).unwrap() {
                    prop_assert_eq!(message.bytes(), &expected.next().unwrap().0[..]);
                }
            }
        }
        prop_assert!(expected.next().is_none());
    }

    #[test]
    fn random_bytes_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..300), order in order(),
                                        command in 0u8..0x18, server in any::<bool>()) {
        let mut cache = TypeCache::new();
        let reader = || Reader::new(&bytes, order);
        if let Ok(ClientMessage::Request(request)) = ClientMessage::decode(command, reader(), &mut cache) {
            let _ = request.init(&mut cache);
        }
        if let Ok(ServerMessage::Reply(mut reply)) = ServerMessage::decode(command, reader())
            && let Ok(Type::Structure(ty)) = reply.ty(&mut cache) {
            let _ = reply.update(&mut Value::new(&ty), &mut cache);
        }
        let _ = Dynamic::decode(&mut reader(), &mut cache);
        let _ = Status::decode(&mut reader());
        let mut stream = Header::message(order, server, command, bytes.len() as u32).encode().to_vec();
        stream.extend(&bytes);
        stream.extend(&bytes);
        let mut input = &stream[..];
        let mut assembler = Assembler::new(1000);
        while let Ok(Some(_)) = assembler.next(&mut input) {}
    }

    #[test]
    fn values_with_flipped_bytes_are_refused_or_read(value in value(), at in proptest::num::u64::ANY, byte in any::<u8>()) {
        let value = Dynamic::from(value);
        let mut bytes = encoded(Order::Little, |w| value.encode(w));
        let at = at as usize % bytes.len();
        bytes[at] = byte;
        let bytes = bytes::Bytes::from(bytes);
        if let Ok(Some(read)) = Dynamic::decode(&mut Reader::shared(&bytes, Order::Little), &mut TypeCache::new()) {
            let _ = read.to_string();
        }
    }

    #[test]
    fn requests_are_refused_or_parsed(text in "[a-z.,=\\[\\]{}() ]{0,60}") {
        if let Ok(value) = request::parse(&text) {
            let _ = request::Options::of(&value);
            let _ = request::Selection::of(&livetime_pva::nt::scalar(ScalarType::F64), &value);
        }
    }
}

fn write_segments(stream: &mut Vec<u8>, payload: &[u8], segments: usize, order: Order) {
    if segments < 2 {
        stream.extend(Header::message(order, true, 2, payload.len() as u32).encode());
        stream.extend(payload);
        return;
    }
    let size = payload.len().div_ceil(segments).max(1);
    for index in 0..segments {
        let segment = match index {
            0 => Segment::First,
            _ if index + 1 == segments => Segment::Last,
            _ => Segment::Middle,
        };
        let end = ((index + 1) * size).min(payload.len());
        let part = &payload[(index * size).min(end)..end];
        stream.extend(Header { segment, ..Header::message(order, true, 2, part.len() as u32) }.encode());
        stream.extend(part);
        if segment != Segment::Last {
            stream.extend(Header::control(order, true, 0, 7).encode());
        }
    }
}
