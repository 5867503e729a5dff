//! A type, a configuration and a payload: refused, or the panels are the payload, and come back from compression.
//!
//! `cargo +nightly fuzz run --no-default-features xtc1_leaves`
#![no_main]

use livetime_formats::xtc1::compressed::{Compressor, Decompressor, Engine, parts, plain_len};
use livetime_formats::xtc1::data::{epics, evr, panels, scalars};
use livetime_formats::xtc1::{
    Builder, Configs, Datagram, DatagramHeader, Src, Transition, TypeId, XtcHeader,
};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((head, rest)) = input.split_first_chunk::<8>() else { return };
    let word = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    let type_id = TypeId::new(word(0) % 120, word(2) % 8);
    let (config, payload) = rest.split_at(rest.len().min(usize::from(word(4))));
    let src = Src::detector(32, 0, 10, 0);
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, &DatagramHeader::new(Transition::Configure, 0, 0));
    for number in [12, 29] {
        builder.leaf(XtcHeader::new(src, TypeId::new(number, word(6) % 8)), &[config]).unwrap();
    }
    builder.finish().unwrap();
    let mut configs = Configs::default();
    configs.add(&Datagram::parse(&bytes).unwrap());

    let _ = (evr::events(payload), epics::Pv::parse(payload), scalars(type_id, payload));
    let mut decompressor = Decompressor::default().with_limit(1 << 20);
    let mut plain = Vec::new();
    if decompressor.decode(payload, &mut plain).is_ok() {
        assert_eq!(plain.len() as u64, plain_len(payload).unwrap());
        assert!(parts(payload).all(|p| p.is_ok()));
    }
    let Ok(panels) = panels(type_id, src, payload, &configs) else { return };
    let whole: Vec<u8> = panels.iter().flat_map(|e| [e.header, e.data].concat()).collect();
    assert_eq!(whole, payload);
    for engine in [Engine::NONE, Engine::HIST16, Engine::HISTN, Engine::BLOCKPACK] {
        let (mut packed, mut back) = (Vec::new(), Vec::new());
        Compressor::new(engine).unwrap().encode(&panels, &mut packed).unwrap();
        decompressor.decode(&packed, &mut back).unwrap();
        assert_eq!(back, payload);
    }
});
