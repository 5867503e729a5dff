//! Requirements on every codec, over types, sizes and kinds of data.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::{codecs, data, roundtrip};
use livetime_codecs::{ALL, Array, Chunk, Codec, CodecError, DType, Settings};
use livetime_kernels::Level;
use proptest::prelude::*;

/// Decodes into two kinds of used memory: a stream that is accepted fills all of it, so that none of what was there is seen.
fn decode_wholly(codec: &mut dyn Codec, stream: &[u8], dtype: DType, bytes: usize) -> Result<(), CodecError> {
    let mut outputs = [vec![0x00; bytes], vec![0xff; bytes]];
    let [first, second] = outputs.each_mut().map(|output| codec.decode(stream, dtype, output));
    assert_eq!(first, second, "{}", codec.name());
    assert!(first.is_err() || outputs[0] == outputs[1], "{}: not all bytes were written", codec.name());
    first
}

fn supported(codec: &dyn Codec) -> Vec<DType> {
    DType::ALL.into_iter().filter(|dtype| codec.supports(*dtype)).collect()
}

#[test]
fn arrays_come_back_whatever_their_type_length_and_content() {
    for level in Level::available() {
        for codec in &mut codecs(level) {
            for dtype in supported(codec.as_ref()) {
                for elements in (0..40).chain([63, 64, 65, 511, 512, 513, 1000, 8191, 8192, 8193, 20_000]) {
                    for kind in 0..data::KINDS {
                        let bytes = data::make(dtype, elements, kind, 7);
                        roundtrip(codec.as_mut(), dtype, &bytes, &format!("{level:?} kind {kind}"));
                    }
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_come_back(
        bytes in prop::collection::vec(any::<u8>(), 0..3000),
        mask: u8,
        dtype in prop::sample::select(DType::ALL.to_vec()),
    ) {
        let mut bytes: Vec<u8> = bytes.into_iter().map(|byte| byte & mask).collect();
        bytes.truncate(bytes.len() / dtype.bytes() * dtype.bytes());
        for codec in codecs(Level::best()).iter_mut().filter(|codec| codec.supports(dtype)) {
            roundtrip(codec.as_mut(), dtype, &bytes, "any");
        }
    }

    #[test]
    fn any_stream_is_read_or_refused(
        stream in prop::collection::vec(any::<u8>(), 0..600),
        dtype in prop::sample::select(DType::ALL.to_vec()),
        elements in 0usize..300,
    ) {
        for codec in &mut codecs(Level::best()) {
            if let Err(error) = decode_wholly(codec.as_mut(), &stream, dtype, elements * dtype.bytes()) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}

#[test]
fn arrays_come_back_at_every_level() {
    let bytes = data::make(DType::U16, 3000, 2, 7);
    for codec in ALL {
        for level in codec.levels.iter().flat_map(|levels| levels.least - 1..=levels.most + 1) {
            let mut codec = codec.make(&Settings::USUAL.at(level)).unwrap();
            roundtrip(codec.as_mut(), DType::U16, &bytes, &format!("level {level}"));
        }
    }
}

/// A stream behind the head of its filter is a chunk that the filter's reader takes.
#[test]
fn streams_are_chunks_of_their_filters() {
    let bytes = data::make(DType::U16, 3000, 1, 7);
    for codec in ALL {
        let Some(filter) = codec.filter else { continue };
        let chunk = Chunk { element: 2, bytes: bytes.len() };
        let stream = common::encode(codec.make(&Settings::USUAL).unwrap().as_mut(), DType::U16, &bytes);
        let (head, length) = filter.head.map_or(([0; 16], 0), |head| head(chunk, stream.len()));
        let packed = [&head[..length], &stream].concat();
        let reader = ALL.iter().filter_map(|codec| codec.reader).find(|r| r.number == filter.number).unwrap();
        let mut decoder = (reader.decoder)(&(filter.values)(chunk, &Settings::USUAL), 2).unwrap();
        let mut back = vec![0x55; bytes.len()];
        assert_eq!(decoder(&packed, &mut back), Ok(()), "{}", codec.name);
        assert!(back == bytes, "{}", codec.name);
    }
}

#[test]
fn a_stream_cut_anywhere_is_refused() {
    for codec in &mut codecs(Level::best()) {
        for kind in 0..data::KINDS {
            let bytes = data::make(DType::U16, 1200, kind, 3);
            let stream = common::encode(codec.as_mut(), DType::U16, &bytes);
            let mut output = vec![0; bytes.len()];
            for length in 0..stream.len() {
                let error = codec.decode(&stream[..length], DType::U16, &mut output);
                assert!(error.is_err(), "{} kind {kind}, {length} of {} bytes", codec.name(), stream.len());
            }
        }
    }
}

#[test]
fn a_stream_with_a_changed_byte_is_refused_or_read_without_harm() {
    for codec in &mut codecs(Level::best()) {
        let bytes = data::make(DType::U16, 3000, 1, 3);
        let stream = common::encode(codec.as_mut(), DType::U16, &bytes);
        let mut output = vec![0; bytes.len()];
        for at in 0..stream.len() {
            for bit in [0, 3, 7] {
                let mut changed = stream.clone();
                changed[at] ^= 1 << bit;
                let _ = decode_wholly(codec.as_mut(), &changed, DType::U16, output.len());
            }
        }
        codec.decode(&stream, DType::U16, &mut output).unwrap();
        assert_eq!(output, bytes, "{}", codec.name());
    }
}

#[test]
fn a_stream_for_another_size_or_type_is_refused() {
    for codec in &mut codecs(Level::best()) {
        let bytes = data::make(DType::U16, 1200, 1, 3);
        let stream = common::encode(codec.as_mut(), DType::U16, &bytes);
        for length in [0, 2, 2 * 1199, 2 * 1201, 4 * 1200] {
            let error = codec.decode(&stream, DType::U16, &mut vec![0; length]);
            assert!(error.is_err(), "{} {length}", codec.name());
        }
    }
}

#[test]
fn too_little_room_and_unknown_types_are_refused() {
    for codec in &mut codecs(Level::best()) {
        let bytes = [0; 64];
        let wanted = codec.bound(64);
        let error = codec.encode(Array::new(&bytes, DType::U16, &[32]).unwrap(), &mut vec![0; wanted - 1]);
        assert_eq!(error, Err(CodecError::Room { codec: codec.name(), wanted, found: wanted - 1 }));
        let taken = supported(codec.as_ref());
        for dtype in DType::ALL.into_iter().filter(|dtype| !taken.contains(dtype)) {
            let shape = [64 / dtype.bytes()];
            let error = codec.encode(Array::new(&bytes, dtype, &shape).unwrap(), &mut vec![0; wanted]);
            assert_eq!(error, Err(CodecError::DType { codec: codec.name(), dtype }));
        }
    }
}
