//! Any bytes as trigger primitives, activities, candidates, headers and channel maps: what is read is written and read
//! again the same.
//!
//! `cargo +nightly fuzz run --no-default-features trigger_records`
#![no_main]

use livetime_formats::channel_map::{TextMap, TextMapKind};
use livetime_formats::trigger::{
    ComponentRequest, FragmentHeader, PrimitiveV1, PrimitiveV2, TriggerActivity, TriggerCandidate, TriggerRecordHeader,
};

macro_rules! again {
    ($data:expr; $($type:ty)*) => {$(
        if let Ok(read) = <$type>::read($data) {
            assert_eq!(<$type>::read(&read.bytes()).expect("ours"), read);
        }
    )*};
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    again!(data; PrimitiveV1 PrimitiveV2 TriggerActivity TriggerCandidate FragmentHeader ComponentRequest TriggerRecordHeader);
    if let Ok(header) = TriggerRecordHeader::read(data) {
        let _ = header.requests(data);
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = (TextMap::parse(TextMapKind::Sp, text), TextMap::parse(TextMapKind::Hd, text));
    }
});
