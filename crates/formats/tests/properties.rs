//! Properties that hold for any tree, any index, any bytes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking"
)]

use livetime_formats::file::{Next, Reader};
use livetime_formats::xtc1::compressed::{Compressor, Decompressor, Engine, parts};
use livetime_formats::xtc1::data::{PictureReader, epics, evr, panels, picture_leaves, scalars};
use livetime_formats::xtc1::index::{CalibCycle, Event, Index, Segment};
use livetime_formats::xtc1::recover::{Found, Recovery};
use livetime_formats::xtc1::small_data::{self, Original, Proxy};
use livetime_formats::xtc1::{
    Builder, Clock, Configs, Damage, Datagram, DatagramHeader, Edit, Env, Src, Stamp, Step, TypeId, Xtc,
    XtcHeader, id, rewrite,
};
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Tree {
    Leaf(XtcHeader, Vec<u8>),
    Node(XtcHeader, Vec<Tree>),
}

fn header(is_container: bool) -> impl Strategy<Value = XtcHeader> {
    (any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>()).prop_map(move |(damage, log, phy, word)| {
        let type_id = match is_container {
            true => TypeId(word & 0x7FFF_0000 | 1),
            // Any type but containers, compressed or not.
            false if TypeId(word).is_container() => TypeId(word | 2),
            false => TypeId(word),
        };
        XtcHeader {
            damage: Damage(damage & !Damage::INCOMPLETE.0),
            src: Src { log, phy },
            type_id,
            extent: 20,
        }
    })
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = (header(false), vec(any::<u8>(), 0..60)).prop_map(|(h, p)| Tree::Leaf(h, p));
    leaf.prop_recursive(5, 40, 5, |inner| {
        (header(true), vec(inner, 0..5)).prop_map(|(h, children)| Tree::Node(h, children))
    })
}

fn datagram_header() -> impl Strategy<Value = DatagramHeader> {
    (0..1_000_000_000u32, 1..u32::MAX, 1..=12u32, any::<u32>(), any::<u32>(), header(true)).prop_map(
        |(nanoseconds, seconds, transition, high, env, root)| DatagramHeader {
            clock: Clock { nanoseconds, seconds },
            stamp: Stamp { low: transition << 24 | high & 0xFF_FFFF, high },
            env: Env(env),
            root: XtcHeader { src: Src { log: 3 << 24, ..root.src }, type_id: TypeId::CONTAINER, ..root },
        },
    )
}

fn put(tree: &Tree, builder: &mut Builder<'_>) {
    match tree {
        Tree::Leaf(header, payload) => builder.leaf(*header, &[payload]).unwrap(),
        Tree::Node(header, children) => {
            builder.open(*header).unwrap();
            children.iter().for_each(|child| put(child, builder));
            builder.close();
        }
    }
}

fn build(header: &DatagramHeader, children: &[Tree]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, header);
    children.iter().for_each(|child| put(child, &mut builder));
    builder.finish().unwrap();
    bytes
}

/// The expected result of a walk: depth, header without extent, payload of leaves.
fn flatten(trees: &[Tree], depth: usize, out: &mut Vec<(usize, XtcHeader, Option<Vec<u8>>)>) {
    for tree in trees {
        match tree {
            Tree::Leaf(header, payload) => out.push((depth, *header, Some(payload.clone()))),
            Tree::Node(header, children) => {
                out.push((depth, *header, None));
                flatten(children, depth + 1, out);
            }
        }
    }
}

fn walked(datagram: &Datagram<'_>) -> Vec<(usize, XtcHeader, Option<Vec<u8>>)> {
    let node = |xtc: Xtc<'_>| {
        let header = XtcHeader { extent: 20, ..xtc.header };
        (xtc.depth, header, (!xtc.is_container()).then(|| xtc.payload.to_vec()))
    };
    datagram.nodes().skip(1).map(node).collect()
}

proptest! {
    #[test]
    fn any_tree_is_read_as_it_was_written(header in datagram_header(), children in vec(tree(), 0..6)) {
        let bytes = build(&header, &children);
        let datagram = Datagram::parse(&bytes).unwrap();
        prop_assert!(datagram.check().is_ok());
        let mut expected = Vec::new();
        flatten(&children, 1, &mut expected);
        prop_assert_eq!(walked(&datagram), expected);
        prop_assert_eq!(DatagramHeader { root: header.root, ..datagram.header }, header);
        let mut again = vec![1, 2, 3];
        rewrite(&datagram, &mut again, |_, _| Ok(Edit::Keep)).unwrap();
        prop_assert_eq!(&again[3..], &bytes[..]);
    }

    #[test]
    fn whatever_is_broken_is_carried_through(
        header in datagram_header(), children in vec(tree(), 1..5), at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut bytes = build(&header, &children);
        let at = 40 + at.index(bytes.len() - 39);
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
        let datagram = Datagram::parse(&bytes).unwrap();
        let mut again = Vec::new();
        rewrite(&datagram, &mut again, |_, _| Ok(Edit::Keep)).unwrap();
        prop_assert_eq!(&again[..], &bytes[..]);
        // Every byte behind the root's header is in exactly one leaf, broken rest, or header of a container.
        let mut covered = 40;
        for step in datagram.walk() {
            covered += match step {
                Step::Xtc(xtc) if xtc.depth == 0 => 0,
                Step::Xtc(xtc) if xtc.header.is_entered() => 20,
                Step::Xtc(xtc) => xtc.header.extent as usize,
                Step::Broken { bytes, .. } => bytes.len(),
            };
        }
        prop_assert_eq!(covered, bytes.len());
    }

    #[test]
    fn recovery_says_something_about_every_byte(
        parts in vec((datagram_header(), vec(tree(), 1..3), vec(any::<u8>(), 0..90)), 1..6),
    ) {
        let (mut file, mut whole) = (Vec::new(), Vec::new());
        for (header, children, garbage) in &parts {
            let datagram = build(header, children);
            file.extend(&datagram);
            whole.push(datagram);
            file.extend(garbage);
        }
        let mut recovery = Recovery::new(&file[..]);
        let (mut at, mut saved) = (0, Vec::new());
        while let Some(found) = recovery.next().unwrap() {
            let (offset, length) = match &found {
                Found::Datagram(raw) | Found::Unsound(raw, _) => (raw.offset, raw.bytes.len() as u64),
                Found::Lost(lost) => (lost.offset, lost.length),
            };
            prop_assert_eq!(offset, at);
            prop_assert!(length > 0);
            at += length;
            if let Found::Datagram(raw) = found {
                saved.push(raw.bytes.to_vec());
            }
        }
        prop_assert_eq!(at, file.len() as u64);
        // Garbage may look like a datagram only if it is one; all that were written are there.
        for datagram in &whole {
            prop_assert!(saved.contains(datagram));
        }
    }

    #[test]
    fn nothing_panics_on_any_bytes(bytes in vec(any::<u8>(), 0..400), word in any::<u32>()) {
        let mut reader = Reader::<DatagramHeader, _>::new(&bytes[..]);
        while let Ok(Next::Datagram(raw)) = reader.next() {
            Datagram::parse(raw.bytes).unwrap().walk().for_each(drop);
        }
        let _ = Index::parse(&bytes);
        let _ = Xtc::parse(&bytes);
        let _ = evr::events(&bytes);
        let _ = epics::Pv::parse(&bytes);
        let _ = scalars(TypeId(word), &bytes);
        let (count, limit) = (parts(&bytes).count(), bytes.len());
        prop_assert!(count <= limit);
        let _ = Decompressor::default().with_limit(1 << 16).decode(&bytes, &mut Vec::new());
        for number in 0..112 {
            let _ = panels(TypeId::new(number, 1), Src::NONE, &bytes, &Configs::default());
        }
    }

    #[test]
    fn an_index_is_read_as_it_was_written(
        version in 1..=2u16, numbers in vec(any::<u32>(), 0..20), leaves in vec((any::<u32>(), any::<u32>()), 0..9),
    ) {
        let event = |n: &u32| Event { seconds: *n, offset: u64::from(*n) << 20, codes: !n, ..Event::default() };
        let step = |n: &u32| CalibCycle { offset: u64::from(*n), first_event: 3, seconds: 4, nanoseconds: *n };
        let leaves = leaves.iter().map(|(phy, word)| (Src { log: 1, phy: *phy }, TypeId(*word))).collect();
        let index = Index {
            version,
            file: "e1-r0001-s00-c00.xtc".into(),
            events: numbers.iter().map(event).collect(),
            steps: numbers.iter().map(step).collect(),
            codes: numbers.iter().map(|n| *n as u8).collect(),
            segments: vec![Segment { node: Src::segment(7), leaves }],
            ..Index::default()
        };
        let bytes = index.to_bytes().unwrap();
        prop_assert_eq!(bytes.len() > if version == 1 { 44 } else { 60 }, true);
        prop_assert_eq!(Index::parse(&bytes).unwrap(), index);
        for cut in 0..bytes.len() {
            prop_assert!(Index::parse(&bytes[..cut]).is_err());
        }
    }

    #[test]
    fn small_data_lead_to_every_large_leaf(header in datagram_header(), children in vec(tree(), 0..5), threshold in 20..80u32) {
        const OFFSET: u64 = 1 << 40;
        let bytes = build(&header, &children);
        let datagram = Datagram::parse(&bytes).unwrap();
        let mut out = Vec::new();
        small_data::reduce(&datagram, OFFSET, threshold, &mut out).unwrap();
        let small = Datagram::parse(&out).unwrap();
        let is_event = header.stamp.transition() == livetime_formats::xtc1::Transition::L1Accept;
        if is_event {
            let record = small.leaves().next().unwrap();
            prop_assert_eq!(record.header.type_id, TypeId::new(id::ORIGINAL_DATAGRAM, 1));
            prop_assert_eq!(Original::find(&small).map(|o| (o.offset, o.extent)), Some((OFFSET, datagram.header.root.extent)));
            let (mut plain, mut reduced) = (datagram.leaves(), small.leaves().skip(1));
            for (old, new) in plain.by_ref().zip(reduced.by_ref()) {
                if old.header.extent >= threshold && old.header.type_id.number() != id::EVR_DATA {
                    let proxy = Proxy::of(&new).unwrap().unwrap();
                    let found = Xtc::parse(&bytes[(proxy.offset - OFFSET) as usize..]).unwrap();
                    prop_assert_eq!((found.header, found.payload), (old.header, old.payload));
                    prop_assert_eq!((proxy.type_id, proxy.extent), (old.header.type_id, old.header.extent));
                } else {
                    prop_assert_eq!((new.header, new.payload), (old.header, old.payload));
                }
            }
            prop_assert!(plain.next().is_none() && reduced.next().is_none());
        }
    }

    #[test]
    fn frames_are_decoded_as_they_were_encoded(
        width in 1..70usize, height in 1..40usize, deep in any::<bool>(), seed in any::<u32>(), rest in 0..3usize,
    ) {
        let depth = if deep { 2 } else { 1 };
        let mut payload = [width as u32, height as u32, 8 * depth as u32, 0].map(u32::to_le_bytes).concat();
        let noise = |i: usize| (seed.wrapping_mul(2_654_435_761).wrapping_add(i as u32 * 40_503) >> 13) as u8;
        payload.extend((0..width * height * depth + rest).map(|i| if depth == 2 && i % 2 == 1 { 4 } else { noise(i) & 63 }));
        let frame = panels(TypeId::new(id::FRAME, 1), Src::NONE, &payload, &Configs::default()).unwrap();
        for engine in [Engine::NONE, Engine::HIST16, Engine::HISTN, Engine::BLOCKPACK] {
            let (mut packed, mut back) = (vec![7], vec![8]);
            Compressor::new(engine).unwrap().encode(&frame, &mut packed).unwrap();
            Decompressor::default().decode(&packed[1..], &mut back).unwrap();
            prop_assert_eq!(&back[1..], &payload[..]);
        }
    }
}

#[test]
fn a_raw_and_a_compressed_leaf_of_one_source_stand_side_by_side() {
    let camera = Src::detector(24, 0, 3, 1);
    let mut payload = [40u32, 30, 12, 0].map(u32::to_le_bytes).concat();
    payload.extend((0..1200u16).flat_map(|i| (700 + i % 40).to_le_bytes()));
    let type_id = TypeId::new(id::FRAME, 1);
    let frame = panels(type_id, camera, &payload, &Configs::default()).unwrap();
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
    let mut compressor = Compressor::new(Engine::HISTN).unwrap();
    builder
        .leaf_with(XtcHeader::new(camera, type_id.compressed()), |out| compressor.encode(&frame, out))
        .unwrap();
    builder.leaf(XtcHeader::new(camera, type_id), &[&payload]).unwrap();
    builder.finish().unwrap();
    let datagram = Datagram::parse(&bytes).unwrap();
    let leaves: Vec<Xtc<'_>> = datagram.leaves().collect();
    assert_eq!(leaves.len(), 2);
    assert_eq!(leaves[0].header.type_id.plain(), leaves[1].header.type_id);
    let mut plain = Vec::new();
    Decompressor::default().decode(leaves[0].payload, &mut plain).unwrap();
    assert_eq!(plain, leaves[1].payload);
    // A reader of pictures gets one of the twins: the raw one, which costs no decompression.
    let pictures: Vec<Xtc<'_>> = picture_leaves(&datagram).collect();
    assert_eq!(pictures.len(), 1);
    assert!(!pictures[0].header.type_id.is_compressed());
    let mut reader = PictureReader::default();
    for leaf in &leaves {
        let read = reader.panels(leaf, &Configs::default()).unwrap();
        assert_eq!((read[0].shape(), read[0].pixels), (&[30, 40][..], &payload[16..]));
    }
}

#[test]
fn blockpack_in_a_leaf_knows_its_reference_frame() {
    let words = [40u32, 30, 12, 0].map(u32::to_le_bytes).concat();
    let dark: Vec<u8> =
        (0..1200u32).flat_map(|i| ((i.wrapping_mul(2_654_435_761) >> 20) as u16).to_le_bytes()).collect();
    let pixels: Vec<u8> = dark
        .chunks_exact(2)
        .zip(0u16..)
        .flat_map(|(d, i)| (u16::from_le_bytes([d[0], d[1]]) + i % 3).to_le_bytes())
        .collect();
    let payload = [words, pixels].concat();
    let frame = panels(TypeId::new(id::FRAME, 1), Src::NONE, &payload, &Configs::default()).unwrap();
    let mut compressor = Compressor::new(Engine::BLOCKPACK).unwrap();
    let (mut without, mut with, mut back) = (Vec::new(), Vec::new(), Vec::new());
    compressor.encode(&frame, &mut without).unwrap();
    compressor.set_reference(0, dark.clone().into());
    compressor.encode(&frame, &mut with).unwrap();
    assert!(with.len() * 2 < without.len(), "{} {}", with.len(), without.len());
    let mut decompressor = Decompressor::default();
    let error = decompressor.decode(&with, &mut back).unwrap_err().to_string();
    assert!(error.contains("reference frame") && back.is_empty(), "{error}");
    decompressor.add_reference(dark.into());
    decompressor.decode(&with, &mut back).unwrap();
    assert_eq!(back, payload);
}
