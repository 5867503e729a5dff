//! Any bytes as trigger primitives, activities, candidates, headers, files of records and channel maps: what is read is written and
//! read again the same.
//!
//! `cargo +nightly fuzz run --no-default-features trigger_records`
#![no_main]

use livetime_formats::channel_map::{TextMap, TextMapKind};
use livetime_formats::trigger::{
    ComponentRequest, FragmentHeader, MissingFrom, PrimitiveV1, PrimitiveV2, RecordReader, TriggerActivity,
    TriggerCandidate, TriggerRecordHeader,
};

macro_rules! again {
    ($data:expr; $($type:ty)*) => {$(
        if let Ok(read) = <$type>::read($data) {
            assert_eq!(<$type>::read(&read.bytes()).expect("ours"), read);
        }
    )*};
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    again!(data; PrimitiveV1 PrimitiveV2 TriggerActivity TriggerCandidate FragmentHeader ComponentRequest TriggerRecordHeader MissingFrom);
    if let Ok(header) = TriggerRecordHeader::read(data) {
        let _ = header.requests(data);
    }
    file_of_records(data);
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = (TextMap::parse(TextMapKind::Sp, text), TextMap::parse(TextMapKind::Hd, text));
    }
});

/// Records lie one behind the other, and all they claim to hold is there.
fn file_of_records(data: &[u8]) {
    let mut reader = RecordReader::new(data);
    let (mut end, mut payload) = (0, Vec::new());
    while let Ok(Some(record)) = reader.next() {
        assert_eq!(record.offset, end);
        end += record.len;
        assert!(end <= data.len() as u64);
        assert_eq!(record.fragments.len(), record.requests.len());
        for fragment in &record.fragments {
            reader.payload(fragment, &mut payload).expect("it is there");
            assert_eq!(payload, data[fragment.offset as usize..][..fragment.len as usize]);
        }
    }
    assert_eq!(reader.end().offset(), end);
    assert!(end + reader.end().partial_bytes() <= data.len() as u64);
}
