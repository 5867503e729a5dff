//! Blockpack beyond what every codec does: references, regions, sequences, headers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::data;
use livetime_codecs::{
    Array, Blockpack, BlockpackHeader, BlockpackTier, Codec, CodecError, DType, Reference, Region,
    SequenceDecoder, SequenceEncoder,
};
use livetime_kernels::{Level, cspad};

const DTYPES: [DType; 6] = [DType::U8, DType::I8, DType::U16, DType::I16, DType::U32, DType::I32];

fn encode(array: Array<'_>, reference: Option<Reference<'_>>) -> Vec<u8> {
    encode_as(BlockpackTier::Fast, array, reference)
}

fn encode_as(tier: BlockpackTier, array: Array<'_>, reference: Option<Reference<'_>>) -> Vec<u8> {
    let mut codec = Blockpack::new().with_tier(tier);
    let mut stream = vec![0xaa; codec.bound(array.data().len())];
    let size = codec.encode_with(array, reference, &mut stream).unwrap();
    stream.truncate(size);
    stream
}

#[test]
fn frames_come_back_with_any_reference() {
    for (dtype, kind) in DTYPES.into_iter().flat_map(|dtype| (0..data::KINDS).map(move |kind| (dtype, kind)))
    {
        let frame = data::make(dtype, 20_000, kind, 1);
        let dark = data::make(dtype, 20_000, (kind + 1) % data::KINDS, 2);
        let reference = Some(Reference::by_content(&dark));
        for tier in BlockpackTier::ALL {
            let stream = encode_as(tier, Array::new(&frame, dtype, &[100, 200]).unwrap(), reference);
            for level in Level::available() {
                let mut back = vec![0; frame.len()];
                Blockpack::with_level(level).decode_with(&stream, dtype, reference, &mut back).unwrap();
                assert!(back == frame, "{level:?} {dtype} {kind} {tier:?}");
            }
        }
    }
}

#[test]
fn another_reference_is_refused() {
    let (frame, dark) = (data::make(DType::U16, 1000, 1, 1), data::make(DType::U16, 1000, 1, 2));
    let (reference, other) = (Reference::by_content(&dark), Reference::by_content(&frame));
    let array = Array::new(&frame, DType::U16, &[1000]).unwrap();
    let stream = encode(array, Some(reference));
    let mut back = vec![0; frame.len()];
    let mut decode =
        |stream: &[u8], reference| Blockpack::new().decode_with(stream, DType::U16, reference, &mut back);
    let wanted = Some(reference.id());
    let error = CodecError::Reference { wanted, found: Some(other.id()) };
    assert_eq!(decode(&stream, Some(other)), Err(error));
    assert_eq!(decode(&stream, None), Err(CodecError::Reference { wanted, found: None }));
    let plain = encode(array, None);
    assert_eq!(
        decode(&plain, Some(other)),
        Err(CodecError::Reference { wanted: None, found: Some(other.id()) })
    );
    let short = Reference::new(reference.id(), &dark[2..]);
    assert!(matches!(decode(&stream, Some(short)), Err(CodecError::Length { .. })));
}

#[test]
fn regions_are_parts_of_the_whole() {
    for dtype in [DType::U8, DType::I16, DType::U32] {
        let (columns, rows, images) = (137, 90, 3);
        let frame = data::make(dtype, columns * rows * images, 2, 5);
        let dark = data::make(dtype, columns * rows * images, 1, 6);
        let reference = Some(Reference::new(9, &dark));
        let shape = [images, rows, columns];
        let array = Array::new(&frame, dtype, &shape).unwrap();
        let tier = if dtype == DType::I16 { BlockpackTier::Fast } else { BlockpackTier::Dense };
        let stream = encode_as(tier, array, reference);
        let mut codec = Blockpack::new();
        for (image, x, y, width, height) in [
            (0, 0, 0, columns, rows),
            (2, 3, 80, 7, 10),
            (1, 136, 0, 1, 90),
            (0, 5, 5, 0, 0),
            (2, 0, 89, 137, 1),
        ] {
            let region = Region::rectangle((columns, rows), image, (x, y), (width, height));
            let mut part = vec![0; width * height * dtype.bytes()];
            codec.decode_region(&stream, dtype, reference, region, &mut part).unwrap();
            let start = |row: usize| (((image * rows) + y + row) * columns + x) * dtype.bytes();
            let expected = (0..height).flat_map(|row| &frame[start(row)..][..width * dtype.bytes()]);
            assert!(part.iter().eq(expected), "{dtype} {region:?}");
        }
    }
}

#[test]
fn regions_outside_are_refused() {
    let frame = data::make(DType::U16, 1000, 1, 5);
    let stream = encode(Array::new(&frame, DType::U16, &[10, 100]).unwrap(), None);
    let outside = [
        Region::run(999, 2),
        Region::run(usize::MAX, 2),
        Region { start: 0, rows: usize::MAX, row_length: 2, stride: usize::MAX },
        Region { start: 0, rows: 2, row_length: 10, stride: 5 },
    ];
    for region in outside {
        let error = Blockpack::new().decode_region(&stream, DType::U16, None, region, &mut [0; 4]);
        assert!(matches!(error, Err(CodecError::Length { .. })), "{region:?}");
    }
}

#[test]
fn a_region_needs_only_its_blocks() {
    let frame = data::make(DType::U16, 30_000, 1, 5);
    let mut stream = encode(Array::new(&frame, DType::U16, &[30_000]).unwrap(), None);
    *stream.last_mut().unwrap() ^= 1;
    let mut codec = Blockpack::new();
    let mut part = vec![0; 2 * 8192];
    codec.decode_region(&stream, DType::U16, None, Region::run(8000, 8192), &mut part).unwrap();
    assert!(part == frame[16_000..][..part.len()]);
    let error = codec.decode_region(&stream, DType::U16, None, Region::run(20_000, 8192), &mut part);
    assert!(error.unwrap_err().to_string().contains("checksum of a block"));
}

#[test]
fn a_changed_bit_anywhere_is_found() {
    let frame = data::make(DType::U16, 9000, 2, 5);
    let mut back = vec![0; frame.len()];
    for tier in BlockpackTier::ALL {
        let stream = encode_as(tier, Array::new(&frame, DType::U16, &[9000]).unwrap(), None);
        for at in (0..200).chain((200..stream.len()).step_by(7)) {
            let mut changed = stream.clone();
            changed[at] ^= 1 << (at % 8);
            assert!(Blockpack::new().decode(&changed, DType::U16, &mut back).is_err(), "byte {at}");
        }
    }
}

#[test]
fn a_header_says_what_is_in_a_stream() {
    let frame = data::make(DType::I16, 60, 1, 5);
    let reference = Reference::new(77, &frame);
    let stream = encode(Array::new(&frame, DType::I16, &[3, 4, 5]).unwrap(), Some(reference));
    let header = BlockpackHeader::read(&stream).unwrap();
    assert_eq!((header.dtype(), header.shape(), header.bytes()), (DType::I16, &[3, 4, 5][..], 120));
    assert_eq!((header.reference(), header.tier()), (Some(77), BlockpackTier::Fast));
    let dense = encode_as(BlockpackTier::Dense, Array::new(&frame, DType::I16, &[60]).unwrap(), None);
    assert_eq!(BlockpackHeader::read(&dense).unwrap().tier(), BlockpackTier::Dense);
    let error = Blockpack::new().encode(Array::new(&[0], DType::U8, &[1; 9]).unwrap(), &mut [0; 500]);
    assert_eq!(error, Err(CodecError::Length { what: "dimensions", wanted: 8, found: 9 }));
}

#[test]
fn an_unknown_tier_is_refused() {
    let frame = data::make(DType::U16, 100, 1, 5);
    let mut stream = encode(Array::new(&frame, DType::U16, &[100]).unwrap(), None);
    stream[7] = 2;
    let error = Blockpack::new().decode(&stream, DType::U16, &mut [0; 200]).unwrap_err();
    assert_eq!(error.to_string(), "blockpack stream, byte 8: tier, at most: wanted 1, found 2");
}

/// A stream that an earlier version wrote stays readable: these streams never change.
#[test]
fn golden_streams_are_read_and_written() {
    let frame: Vec<u8> = (0..700u32).flat_map(|i| golden_pixel(i).to_le_bytes()).collect();
    let array = Array::new(&frame, DType::U16, &[7, 100]).unwrap();
    for (tier, golden) in [(BlockpackTier::Fast, FAST), (BlockpackTier::Dense, DENSE)] {
        let stream = encode_as(tier, array, None);
        let written = (stream.len(), twox_hash::XxHash3_64::oneshot(&stream));
        assert_eq!(written, golden, "{tier:?} {:02x?}", &stream[..80]);
        let mut back = vec![0; frame.len()];
        Blockpack::new().decode(&stream, DType::U16, &mut back).unwrap();
        assert_eq!(back, frame);
    }
}

/// Noise about a slope, with some pixels that are far off.
fn golden_pixel(i: u32) -> u16 {
    let noise = (i.wrapping_mul(2_654_435_761) >> 16).count_ones() * 3;
    if i % 97 == 50 { 16_000 - i as u16 } else { (1200 + noise + i / 20) as u16 }
}

/// Bytes of the streams, and the checksums of these (XXH3-64).
const FAST: (usize, u64) = (796, 10_745_430_172_002_843_994);
const DENSE: (usize, u64) = (632, 1_979_413_881_977_916_296);

#[test]
fn sequences_can_be_entered_at_key_frames() {
    let frames: Vec<Vec<u8>> = (0..10).map(|i| data::make(DType::U16, 3000, 1, i)).collect();
    let mut encoder = SequenceEncoder::new(Blockpack::new(), 4);
    let mut streams = Vec::new();
    for frame in &frames {
        let mut stream = vec![0; encoder.bound(frame.len())];
        let size = encoder.encode(Array::new(frame, DType::U16, &[3000]).unwrap(), &mut stream).unwrap();
        stream.truncate(size);
        streams.push(stream);
    }
    for first in 0..10 {
        let mut decoder = SequenceDecoder::new(Blockpack::new());
        for (i, stream) in streams.iter().enumerate().skip(first) {
            let mut back = vec![0; 6000];
            let decoded = decoder.decode(stream, DType::U16, &mut back);
            if i < first.next_multiple_of(4) {
                assert!(matches!(decoded, Err(CodecError::Reference { found: None, .. })), "{first} {i}");
            } else {
                assert_eq!((decoded, &back), (Ok(()), &frames[i]));
            }
        }
    }
}

#[test]
fn simulated_frames_become_as_small_as_the_study_says() {
    let detector = cspad::Cspad::new(cspad::Preset::Deck, 1);
    let quad = |event| {
        let mut pixels = vec![0u16; cspad::QUAD_PIXELS];
        detector.quad(Level::best(), event, 0, &mut pixels).unwrap();
        pixels.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()
    };
    let (frame, previous) = (quad(1), quad(0));
    let ratio =
        |codec: &mut dyn Codec| common::encode(codec, DType::U16, &frame).len() as f64 / frame.len() as f64;
    assert!((0.54..0.56).contains(&ratio(&mut livetime_codecs::Hist16::new())));
    assert!((0.48..0.50).contains(&ratio(&mut livetime_codecs::HistN::new())));
    assert!(ratio(&mut Blockpack::new()) < 0.46);
    let array = Array::new(&frame, DType::U16, &[cspad::QUAD_PIXELS]).unwrap();
    let with = encode(array, Some(Reference::by_content(&previous))).len() as f64 / frame.len() as f64;
    assert!(with < 0.37, "{with}");
    let dense =
        |reference| encode_as(BlockpackTier::Dense, array, reference).len() as f64 / frame.len() as f64;
    let (alone, with) = (dense(None), dense(Some(Reference::by_content(&previous))));
    assert!(alone < 0.412 && with < 0.32, "{alone} {with}");
}
