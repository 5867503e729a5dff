use super::*;
use proptest::prelude::*;

const SOURCE: SourceId = SourceId { subsystem: 1, id: 0x0403_0201 };

#[test]
fn fields_lie_where_the_layouts_say() {
    let primitive = PrimitiveV2 {
        time_start: 0x1122_3344_5566_7788,
        channel: 0xAABBCC,
        samples_over_threshold: 0x0102,
        samples_to_peak: 0x0304,
        adc_integral: 0x0506_0708,
        adc_peak: 0x090A,
        detector: 3,
        flag: 1,
    };
    let words = primitive.bytes().as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect::<Vec<_>>();
    assert_eq!(words, [0x0102_AABB_CC03_0102, 0x1122_3344_5566_7788, 0x090A_0506_0708_0304]);
    let header = FragmentHeader { size: 72, run: 7, kind: 12, source: SOURCE, ..FragmentHeader::default() };
    let bytes = header.bytes();
    assert_eq!((bytes[..4].to_vec(), bytes[48], bytes[56]), (vec![0x22, 0x22, 0x11, 0x11], 7, 12));
    assert_eq!(bytes[64..], [2, 0, 1, 0, 1, 2, 3, 4]);
}

#[test]
fn what_is_written_is_read() {
    let activity = TriggerActivity {
        time_peak: 5,
        channels: [-1, 2, 3],
        adc_peak: 9,
        algorithm: 10,
        ..Default::default()
    };
    assert_eq!(TriggerActivity::read(&activity.bytes()).unwrap(), activity);
    let candidate = TriggerCandidate { time_candidate: 5, kind: 24, ..Default::default() };
    assert_eq!(TriggerCandidate::read(&candidate.bytes()).unwrap(), candidate);
    let header = TriggerRecordHeader { requested: 2, sequence: [1, 3], source: SOURCE, ..Default::default() };
    let requests = [0, 1].map(|id| ComponentRequest { source: SourceId { id, ..SOURCE }, window: [10, 20] });
    let mut bytes = header.bytes().to_vec();
    requests.iter().for_each(|request| bytes.extend(request.bytes()));
    assert_eq!(TriggerRecordHeader::read(&bytes).unwrap(), header);
    assert_eq!(header.requests(&bytes).unwrap(), requests);
    assert!(header.requests(&bytes[..bytes.len() - 1]).is_err());
    let header = FragmentHeader { size: 100, window: [3, 4], source: SOURCE, ..FragmentHeader::default() };
    assert_eq!(FragmentHeader::read(&header.bytes()).unwrap(), header);
}

proptest! {
    #[test]
    fn any_bytes_are_endured(mut bytes in prop::collection::vec(any::<u8>(), 0..200), version in 0u8..6) {
        if let Some(first) = bytes.first_mut() {
            *first = version;
        }
        if let Ok(primitive) = PrimitiveV2::read(&bytes) {
            prop_assert_eq!(&primitive.bytes()[..], &bytes[..24]);
        }
        let _ = (PrimitiveV1::read(&bytes), TriggerActivity::read(&bytes), TriggerCandidate::read(&bytes));
        let _ = (FragmentHeader::read(&bytes), ComponentRequest::read(&bytes));
        let _ = TriggerRecordHeader::read(&bytes).map(|header| header.requests(&bytes).map(drop));
    }
}
