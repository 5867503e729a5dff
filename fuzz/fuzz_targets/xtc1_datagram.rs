//! Any bytes as a datagram: what is walked over covers it, written again it is the same, its small data lead back to it.
//!
//! `cargo +nightly fuzz run --no-default-features xtc1_datagram`
#![no_main]

use livetime_formats::xtc1::small_data::{self, Original, Proxy};
use livetime_formats::xtc1::{Configs, Datagram, Edit, Step, Xtc, index::Indexer, rewrite};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Ok(datagram) = Datagram::parse(input) else { return };
    let mut covered = 40;
    for step in datagram.walk() {
        covered += match step {
            Step::Xtc(xtc) if xtc.depth == 0 && xtc.header.is_entered() => 0,
            Step::Xtc(xtc) if xtc.depth == 0 => xtc.payload.len(),
            Step::Xtc(xtc) if xtc.header.is_entered() => 20,
            Step::Xtc(xtc) => xtc.header.extent as usize,
            Step::Broken { bytes, error, .. } => {
                assert!(!error.to_string().is_empty());
                bytes.len()
            }
        };
    }
    assert_eq!(covered, datagram.bytes.len());
    let mut again = Vec::new();
    rewrite(&datagram, &mut again, |_, _| Ok(Edit::Keep)).unwrap();
    assert_eq!(again, datagram.bytes);
    Configs::default().add(&datagram);
    let mut indexer = Indexer::new("any");
    indexer.add(7, &datagram);
    indexer.finish().to_bytes().unwrap();
    let mut small = Vec::new();
    if small_data::reduce(&datagram, 1 << 40, 30, &mut small).is_ok() {
        let small = Datagram::parse(&small).unwrap();
        if let Some(original) = Original::find(&small).filter(|o| o.offset == 1 << 40) {
            assert_eq!(u64::from(original.extent) + 20, datagram.bytes.len() as u64);
        }
        let proxies = small.leaves().filter_map(|l| Proxy::of(&l).ok()?);
        for proxy in proxies.filter(|p| p.offset >= 1 << 40) {
            let at = (proxy.offset - (1 << 40)) as usize;
            let _ = datagram.bytes.get(at..).map(Xtc::parse);
        }
    }
});
