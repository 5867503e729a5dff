//! Files of the original program: every number of their manifest is found, and they are written again bit for bit.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking"
)]

use crate::common;

use std::path::Path;

use livetime_formats::file::{End, Heads, Next, Reader};
use livetime_formats::xtc1::compressed::{Compressor, Decompressor, Engine, Part, parts};
use livetime_formats::xtc1::data::{holds_panels, panels};
use livetime_formats::xtc1::recover::{Found, Recovery};
use livetime_formats::xtc1::run::Run;
use livetime_formats::xtc1::summary::Summary;
use livetime_formats::xtc1::{
    Builder, Configs, Damage, Datagram, DatagramHeader, Edit, Step, Transition, Xtc, XtcHeader, id, rewrite,
};
use serde_json::Value;

const RAW: &str = "e236-r0003-s04-c00.xtc";
const PACKED: [(&str, Engine); 2] =
    [("e236-r0003-s04-c00.hist16.xtc", Engine::HIST16), ("e236-r0003-s04-c00.histn.xtc", Engine::HISTN)];

fn golden(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap()
}

fn datagrams(bytes: &[u8]) -> Vec<(u64, Datagram<'_>)> {
    let mut reader = Reader::<DatagramHeader, _>::new(bytes);
    let mut found = Vec::new();
    while let Next::Datagram(raw) = reader.next().unwrap() {
        found.push((raw.offset, Datagram::parse(&bytes[raw.offset as usize..][..raw.bytes.len()]).unwrap()));
    }
    found
}

#[test]
fn every_number_of_the_manifest_is_found() {
    let Some(folder) = common::data("xtc1/container") else { return };
    let manifest: Value = serde_json::from_slice(&golden(&folder, "manifest.json")).unwrap();
    for (name, expected) in manifest.as_object().unwrap() {
        let bytes = golden(&folder, name);
        let (mut heads, mut leaves) = (Vec::new(), Vec::new());
        for (index, (offset, datagram)) in datagrams(&bytes).into_iter().enumerate() {
            datagram.check().unwrap();
            let (header, stamp) = (datagram.header, datagram.header.stamp);
            heads.push(serde_json::json!({
                "offset": offset, "transition": header.transition().to_string(), "seconds": header.clock.seconds,
                "nanoseconds": header.clock.nanoseconds, "fiducial": stamp.fiducial(), "vector": stamp.vector(),
                "ticks": stamp.ticks(), "env": header.env.0, "bytes": datagram.bytes.len(),
            }));
            leaves.extend(datagram.leaves().map(|leaf| leaf_json(index, offset, &leaf)));
        }
        assert_eq!(&Value::from(heads), &expected["datagrams"], "{name}");
        assert_eq!(&Value::from(leaves), &expected["leaves"], "{name}");
    }
}

fn leaf_json(datagram: usize, offset: u64, leaf: &Xtc<'_>) -> Value {
    let (header, type_id) = (leaf.header, leaf.header.type_id);
    let mut json = serde_json::json!({
        "datagram": datagram, "offset": offset + leaf.offset as u64, "type": type_id.number(),
        "version": type_id.version(), "compressed": type_id.is_compressed(), "damage": header.damage.0,
        "src_log": format!("{:08x}", header.src.log), "src_phy": format!("{:08x}", header.src.phy),
        "extent": header.extent,
    });
    if type_id.is_compressed() {
        json["parts"] = parts(leaf.payload).map(|p| part_json(&p.unwrap())).collect();
    }
    json
}

fn part_json(part: &Part<'_>) -> Value {
    let flag = if part.engine == Engine::HIST16 {
        u32::from_le_bytes(part.stream[..4].try_into().unwrap())
    } else {
        u32::from(u16::from_le_bytes(part.stream[..2].try_into().unwrap()))
    };
    serde_json::json!({
        "header_bytes": part.header.len(), "engine": part.engine.0, "dsize": part.size, "csize": part.stream.len(),
        "flag": flag,
    })
}

#[test]
fn files_are_written_again_bit_for_bit() {
    let Some(folder) = common::data("xtc1/container") else { return };
    for name in [RAW, PACKED[0].0, PACKED[1].0] {
        let bytes = golden(&folder, name);
        let (mut rewritten, mut built) = (Vec::new(), Vec::new());
        for (_, datagram) in datagrams(&bytes) {
            rewrite(&datagram, &mut rewritten, |_, _| Ok(Edit::Keep)).unwrap();
            build_again(&datagram, &mut built);
        }
        assert!(rewritten == bytes, "{name}");
        assert!(built == bytes, "{name}");
    }
}

/// Every container opened and closed, every leaf put in, every compressed part written by our own hand.
fn build_again(datagram: &Datagram<'_>, out: &mut Vec<u8>) {
    let mut builder = Builder::new(out, &datagram.header);
    for step in datagram.walk() {
        let Step::Xtc(xtc) = step else { panic!("{step:?}") };
        if xtc.depth == 0 {
            continue;
        }
        while builder.depth() > xtc.depth {
            builder.close();
        }
        let header = XtcHeader { extent: 0, ..xtc.header };
        if xtc.is_container() {
            builder.open(header).unwrap();
        } else if xtc.header.type_id.is_compressed() {
            builder.leaf_with(header, |out| write_parts(&xtc, out)).unwrap();
        } else {
            builder.leaf(header, &[xtc.payload]).unwrap();
        }
    }
    builder.finish().unwrap();
}

fn write_parts(leaf: &Xtc<'_>, out: &mut Vec<u8>) -> livetime_formats::Result<()> {
    let start = out.len();
    parts(leaf.payload).try_for_each(|part| part?.write(out, start))?;
    // The bytes that fill up to a multiple of 4 are whatever the original had in memory.
    let used = leaf.payload.len();
    let padding = out.len() - start - parts(leaf.payload).fold(0, |sum, p| sum + written_len(&p.unwrap()));
    let copied = used - padding..used;
    let at = start + copied.start;
    out[at..].copy_from_slice(&leaf.payload[copied]);
    Ok(())
}

fn written_len(part: &Part<'_>) -> usize {
    20 + part.header.len() + part.stream.len()
}

#[test]
fn compressed_files_hold_the_plain_file() {
    let Some(folder) = common::data("xtc1/container") else { return };
    let raw = golden(&folder, RAW);
    for (name, _) in PACKED {
        let packed = golden(&folder, name);
        let mut plain = Vec::new();
        let mut decompressor = Decompressor::default();
        for (_, datagram) in datagrams(&packed) {
            rewrite(&datagram, &mut plain, |leaf, builder| {
                if !leaf.header.type_id.is_compressed() {
                    return Ok(Edit::Keep);
                }
                let header = XtcHeader { type_id: leaf.header.type_id.plain(), ..leaf.header };
                builder.leaf_with(header, |out| decompressor.decode(leaf.payload, out))?;
                Ok(Edit::Replace)
            })
            .unwrap();
        }
        assert!(plain == raw, "{name}");
    }
}

#[test]
fn the_plain_file_is_compressed_as_the_original_did() {
    let Some(folder) = common::data("xtc1/container") else { return };
    let manifest: Value = serde_json::from_slice(&golden(&folder, "manifest.json")).unwrap();
    let raw = golden(&folder, RAW);
    for (name, engine) in PACKED {
        let mut expected = golden(&folder, name);
        let (mut packed, mut configs) = (Vec::new(), Configs::default());
        let mut compressor = Compressor::new(engine).unwrap();
        for (_, datagram) in datagrams(&raw) {
            if !matches!(datagram.header.transition(), Transition::L1Accept) {
                configs.add(&datagram);
            }
            rewrite(&datagram, &mut packed, |leaf, builder| {
                let type_id = leaf.header.type_id;
                if !holds_panels(type_id) {
                    return Ok(Edit::Keep);
                }
                let panels = panels(type_id, leaf.header.src, leaf.payload, &configs)?;
                let header = XtcHeader { type_id: type_id.compressed(), ..leaf.header };
                builder.leaf_with(header, |out| compressor.encode(&panels, out))?;
                Ok(Edit::Replace)
            })
            .unwrap();
        }
        for offset in manifest[name]["undefined_byte_offsets"].as_array().unwrap() {
            expected[offset.as_u64().unwrap() as usize] = 0;
        }
        assert_eq!(packed.len(), expected.len(), "{name}");
        assert!(
            packed == expected,
            "{name}: first difference at {:?}",
            packed.iter().zip(&expected).position(|(a, b)| a != b)
        );
    }
}

#[test]
fn the_cspad_is_one_section_of_one_quadrant() {
    let Some(folder) = common::data("xtc1/container") else { return };
    let run = Run::open(&[folder.join(RAW)]).unwrap();
    assert!(run.problems().is_empty());
    assert_eq!((run.events().len(), run.transitions().len()), (2, 8));
    let mut bytes = Default::default();
    for event in run.events() {
        run.read(event, &mut bytes).unwrap();
        let datagram = Datagram::parse(bytes.pieces().next().unwrap()).unwrap();
        let leaf = datagram.leaves().find(|l| l.header.type_id.number() == id::CSPAD_ELEMENT).unwrap();
        assert_eq!(leaf.header.src.to_string(), "CxiEndstation-0|Cspad-0");
        let read = |configs| panels(leaf.header.type_id, leaf.header.src, leaf.payload, configs);
        let quads = read(run.configs(event)).unwrap();
        assert_eq!((quads.len(), quads[0].number, quads[0].sections), (1, 0, 1));
        assert_eq!((quads[0].shape(), quads[0].pixels.len()), (&[1, 185, 388][..], 143_560));
        let error = read(&Configs::default()).unwrap_err().to_string();
        assert!(error.contains("CspadConfig of CxiEndstation-0|Cspad-0"), "{error}");
    }
}

#[test]
fn a_file_cut_anywhere_is_read_up_to_its_last_datagram() {
    let Some(folder) = common::data("xtc1/container") else { return };
    let bytes = golden(&folder, PACKED[1].0);
    let all: Vec<(u64, u64)> = datagrams(&bytes).iter().map(|(o, d)| (*o, d.bytes.len() as u64)).collect();
    // Every byte around every header, and some in the data.
    let around = all.iter().flat_map(|(offset, _)| offset.saturating_sub(30)..offset + 130);
    let cuts = around.chain((0..bytes.len() as u64).step_by(9973)).filter(|c| *c <= bytes.len() as u64);
    for cut in cuts {
        let whole = all.iter().take_while(|(offset, length)| offset + length <= cut);
        let (count, end) = whole.fold((0, 0), |(n, _), (offset, length)| (n + 1, offset + length));
        let file = &bytes[..cut as usize];
        assert_eq!(datagrams(file).len(), count, "cut at {cut}");
        let mut heads = Heads::<DatagramHeader, _>::new(file);
        while heads.next().unwrap().is_some() {}
        assert_eq!(heads.end().offset(), end, "cut at {cut}");
        let is_whole = matches!(heads.end(), End::Whole { .. });
        assert_eq!((is_whole, heads.end().partial_bytes()), (cut == end, cut - end), "cut at {cut}");
    }
}

#[test]
fn every_complete_datagram_of_a_broken_file_is_found() {
    let Some(folder) = common::data("xtc1/container") else { return };
    let bytes = golden(&folder, PACKED[0].0);
    let all: Vec<(u64, usize)> = datagrams(&bytes).iter().map(|(o, d)| (*o, d.bytes.len())).collect();
    for (victim, (offset, length)) in all.iter().enumerate() {
        let (start, end) = (*offset as usize, *offset as usize + length);
        // The size of a datagram is wrong; or its second half is missing, and some bytes more.
        let mut wrong_size = bytes.clone();
        wrong_size[start + 36..start + 40].copy_from_slice(&0x0012_3457u32.to_le_bytes());
        let torn = [&bytes[..start + length / 2], &bytes[end..]].concat();
        for (file, found_length) in [(wrong_size, *length), (torn, length / 2)] {
            let mut recovery = Recovery::new(&file[..]);
            let (mut saved, mut lost) = (Vec::new(), Vec::new());
            while let Some(found) = recovery.next().unwrap() {
                match found {
                    Found::Datagram(raw) => saved.push(raw.bytes.to_vec()),
                    Found::Unsound(..) => panic!("{victim}"),
                    Found::Lost(region) => lost.push((region.offset, region.length)),
                }
            }
            let others = all.iter().filter(|o| *o != &all[victim]);
            let others: Vec<Vec<u8>> = others.map(|(o, l)| bytes[*o as usize..][..*l].to_vec()).collect();
            assert!(saved == others, "{victim}: {} saved", saved.len());
            assert_eq!(lost, [(*offset, found_length as u64)], "{victim}");
        }
    }
}

#[test]
fn damage_is_shown_and_carried_through() {
    let Some(folder) = common::data("xtc1/container") else { return };
    let mut bytes = golden(&folder, RAW);
    let (event, _) = datagrams(&bytes)[4];
    let at = event as usize + 40;
    bytes[at..at + 4].copy_from_slice(&(Damage::INCOMPLETE.0 | Damage::DROPPED.0).to_le_bytes());
    let datagram = datagrams(&bytes)[4].1;
    datagram.check().unwrap();
    assert_eq!(datagram.header.root.damage.to_string(), "none");
    let incomplete = datagram.nodes().nth(1).unwrap();
    assert_eq!(incomplete.header.damage.to_string(), "dropped contribution, incomplete contribution");
    assert!(!datagram.leaves().any(|l| l.header.type_id.number() == id::CSPAD_ELEMENT));
    let mut out = Vec::new();
    rewrite(&datagram, &mut out, |_, _| Ok(Edit::Keep)).unwrap();
    assert!(out == datagram.bytes);
}

#[test]
fn a_summary_counts_what_the_manifest_lists() {
    let Some(folder) = common::data("xtc1/container") else { return };
    let bytes = golden(&folder, PACKED[0].0);
    let summary = Summary::scan(&bytes[..], |_| true).unwrap();
    assert!(summary.datagrams.is_whole());
    assert_eq!((summary.datagrams.count(), summary.datagrams.events, summary.run), (10, 2, Some(3)));
    assert_eq!(summary.datagrams.event_rate_hz().map(f64::round), Some(120.0));
    let cspad = summary.leaves.iter().find(|((_, t), _)| t.number() == id::CSPAD_ELEMENT).unwrap().1;
    assert_eq!((cspad.count, cspad.compressed, cspad.plain_bytes), (2, 2, 2 * (32 + 143_564)));
    assert_eq!(cspad.compressed_bytes, 79_180 + 79_172 - 40);
    assert_eq!(Vec::from_iter(&cspad.engines), [&1]);
    let cut = Summary::scan(&bytes[..400_000], |_| true).unwrap();
    assert_eq!(
        (cut.datagrams.events, cut.datagrams.is_whole(), cut.datagrams.end.offset()),
        (1, false, 367_432)
    );
}
