//! Streams of our own in `testdata/codecs`: every later version reads the streams of an earlier one, on every level.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{codecs, data, encode};
use livetime_codecs::{Codec, DType};
use livetime_kernels::Level;

const ELEMENTS: usize = 700;
const TYPES: [DType; 2] = [DType::U8, DType::U16];

fn frames(codec: &dyn Codec) -> Vec<(DType, Vec<u8>)> {
    let kinds = TYPES.into_iter().filter(|dtype| codec.supports(*dtype));
    kinds.flat_map(|t| (0..data::KINDS).map(move |kind| (t, data::make(t, ELEMENTS, kind, 7)))).collect()
}

/// The codec's name, and which one it is of those with this name.
fn labels(codecs: &[Box<dyn Codec>]) -> Vec<String> {
    let names: Vec<&str> = codecs.iter().map(|codec| codec.name()).collect();
    let earlier = |i: usize| names[..i].iter().filter(|name| **name == names[i]).count();
    (0..names.len()).map(|i| format!("{}-{}", names[i], earlier(i))).collect()
}

/// Streams one after the other, each behind its length.
fn pack(streams: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    streams
        .flat_map(|stream| [&u32::try_from(stream.len()).unwrap().to_le_bytes()[..], &stream].concat())
        .collect()
}

fn unpack(mut file: &[u8]) -> Vec<&[u8]> {
    let mut streams = Vec::new();
    while let Some((length, rest)) = file.split_first_chunk::<4>() {
        let (stream, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
        streams.push(stream);
        file = rest;
    }
    streams
}

#[test]
fn streams_of_earlier_versions_are_read() {
    for level in Level::available() {
        let mut all = codecs(level);
        for (codec, label) in labels(&all).into_iter().enumerate() {
            let codec = &mut all[codec];
            let frames = frames(&**codec);
            let made = pack(frames.iter().map(|(dtype, frame)| encode(&mut **codec, *dtype, frame)));
            let file = livetime_testkit::golden(&format!("codecs/{label}.streams"), &made).unwrap();
            let streams = unpack(&file);
            assert_eq!(streams.len(), frames.len(), "{label}");
            for ((dtype, frame), stream) in frames.iter().zip(streams) {
                let mut back = vec![0x55; frame.len()];
                assert_eq!(codec.decode(stream, *dtype, &mut back), Ok(()), "{label} {dtype} {level:?}");
                assert!(back == *frame, "{label} {dtype} {level:?}");
            }
        }
    }
}
