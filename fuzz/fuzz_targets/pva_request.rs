//! Any text as a pvRequest: it is refused, or its structure selects fields and options.
//!
//! `cargo +nightly fuzz run pva_request`
#![no_main]

use livetime_pva::data::{ScalarType, TypeCache, Value};
use livetime_pva::nt;
use livetime_pva::request::{Options, Selection, parse};
use livetime_pva::wire::{Order, Reader, Writer};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let request = match parse(text) {
        Ok(request) => request,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let mut writer = Writer::new(Order::HOST);
    livetime_pva::data::Dynamic::from(request.clone()).encode(&mut writer);
    let bytes = writer.to_vec();
    let mut reader = Reader::new(&bytes, Order::HOST);
    let again = livetime_pva::data::Dynamic::decode(&mut reader, &mut TypeCache::new());
    let again = again.expect("ours").expect("not null").into_value().expect("a structure");
    assert_eq!(again.structure(), request.structure());
    let options = Options::of(&request);
    assert_eq!(format!("{options:?}"), format!("{:?}", Options::of(&again)));
    for structure in [nt::scalar(ScalarType::F64), nt::ndarray(), nt::enumerated()] {
        for part in ["field", "putField", "getField"] {
            let Ok(selection) = Selection::of_part(&structure, &request, part) else { continue };
            let all = selection.apply(&structure, Value::new(&structure).changed());
            assert!(all.end() <= structure.len());
            assert!(selection.first(&structure).end() <= structure.len());
        }
    }
});
