use proptest::prelude::*;

use super::*;
use crate::file::End;
use crate::trigger::{Missing, MissingReason, SourceId, fragment_error};

/// A fragment: number of the source, parts, missing pieces.
type Made = (u32, Vec<Vec<u8>>, Vec<(u64, u64, usize)>);

fn fragment() -> impl Strategy<Value = Made> {
    let parts = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..4);
    (any::<u32>(), parts, prop::collection::vec((any::<u64>(), any::<u64>(), 0usize..6), 0..3))
}

fn missing_of(made: &Made) -> Vec<Missing> {
    let missing = |(begin, end, reason): &(u64, u64, usize)| Missing {
        begin: *begin,
        end: *end,
        reason: MissingReason::ALL[*reason],
    };
    made.2.iter().map(missing).collect()
}

fn write(records: &[Vec<Made>]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let mut writer = RecordWriter::create(&path).unwrap();
    for (number, record) in records.iter().enumerate() {
        let parts: Vec<Vec<&[u8]>> =
            record.iter().map(|made| made.1.iter().map(Vec::as_slice).collect()).collect();
        let missing: Vec<Vec<Missing>> = record.iter().map(missing_of).collect();
        let fragments: Vec<NewFragment> = (0..record.len())
            .map(|i| NewFragment {
                kind: fragment_type::WIB_ETH,
                detector: 3,
                source: SourceId { subsystem: 1, id: record[i].0 },
                window: [10, 20],
                parts: &parts[i],
                missing: &missing[i],
            })
            .collect();
        let header = TriggerRecordHeader { trigger_number: number as u64, run: 5, ..Default::default() };
        writer.write(header, &fragments).unwrap();
    }
    writer.finish().unwrap();
    std::fs::read(path).unwrap()
}

fn read(bytes: &[u8]) -> (Vec<StoredRecord>, End) {
    let mut reader = RecordReader::new(bytes);
    let mut records = Vec::new();
    while let Some(record) = reader.next().unwrap() {
        records.push(record);
    }
    (records, reader.end())
}

proptest! {
    #[test]
    fn what_is_written_is_read_and_a_prefix_holds_what_is_whole(
        records in prop::collection::vec(prop::collection::vec(fragment(), 0..4), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = write(&records);
        let (read_back, end) = read(&bytes);
        prop_assert_eq!(end, End::Whole { offset: bytes.len() as u64 });
        prop_assert_eq!(read_back.len(), records.len());
        let reader = RecordReader::new(&bytes[..]);
        for (stored, made) in read_back.iter().zip(&records) {
            prop_assert_eq!(stored.header.run, 5);
            let missing: Vec<Missing> = made.iter().flat_map(missing_of).collect();
            prop_assert_eq!(stored.missing.iter().map(|m| m.missing).collect::<Vec<_>>(), missing.clone());
            prop_assert_eq!(stored.is_incomplete(), !missing.is_empty());
            for (fragment, made) in stored.fragments.iter().zip(made) {
                let mut payload = Vec::new();
                reader.payload(fragment, &mut payload).unwrap();
                prop_assert_eq!(&payload, &made.1.concat());
                let error = match (made.2.is_empty(), payload.is_empty()) {
                    (true, _) => 0,
                    (false, true) => fragment_error::NOT_FOUND,
                    (false, false) => fragment_error::INCOMPLETE,
                };
                prop_assert_eq!(fragment.header.error_bits, error);
            }
        }
        let cut = cut.index(bytes.len() + 1);
        let (prefix, end) = read(&bytes[..cut]);
        let whole = read_back.iter().take_while(|r| r.offset + r.len <= cut as u64).count();
        prop_assert_eq!(&prefix[..], &read_back[..whole]);
        prop_assert_eq!(end.offset() + end.partial_bytes(), cut as u64);
    }

    #[test]
    fn any_bytes_are_endured(
        records in prop::collection::vec(prop::collection::vec(fragment(), 0..3), 1..3),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
    ) {
        let mut bytes = write(&records);
        changes.iter().for_each(|(at, value)| *at.get_mut(&mut bytes) = *value);
        let mut reader = RecordReader::new(&bytes[..]);
        while let Ok(Some(record)) = reader.next() {
            prop_assert!(record.offset + record.len <= bytes.len() as u64);
            for fragment in &record.fragments {
                let mut payload = Vec::new();
                reader.payload(fragment, &mut payload).unwrap();
                prop_assert_eq!(payload.len() as u64, fragment.len);
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    let bytes = write(&[vec![(7, vec![vec![1]], vec![(1, 2, 0)])]]);
    let error = |at: usize, value: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = value;
        RecordReader::new(&bytes[..]).next().unwrap_err().to_string()
    };
    assert_eq!(error(0, 0), "wanted marker 0x33334444, found 0x33334400 at byte 0");
    assert_eq!(error(24 + 3, 9), "wanted at most 65536 requests, found 150994945 at byte 24");
    // The fragment: behind the header of 64 bytes and one request of 32.
    assert!(error(96 + 68, 9).starts_with("wanted a fragment from SourceId { subsystem: 1, id: 7 }"));
    assert_eq!(error(96 + 16, 9), "wanted a fragment of trigger 0, found 9 at byte 112");
    // The list of missing data: behind the fragment of 73 bytes.
    let list = 96 + 73;
    assert!(error(list + 56, 9).contains("the list of what is missing"));
    assert_eq!(
        error(list + 72 + 24, 9),
        format!("wanted a reason from 1 to 6, found 9 at byte {}", list + 96)
    );
    assert!(error(list + 8, 72 + 31).contains("entries of 32 bytes"), "{}", error(list + 8, 72 + 31));
}
