//! What must hold for every codec.

use livetime_codecs::{Array, Codec, DType};

/// The first three bytes choose type and size. The rest is a stream, which is refused or read; and it is an array, which comes back.
pub fn check(codec: &mut dyn Codec, input: &[u8]) {
    let [kind, low, high, rest @ ..] = input else { return };
    let dtype = DType::ALL[usize::from(*kind) % DType::ALL.len()];
    if !codec.supports(dtype) {
        return;
    }
    let elements = usize::from(u16::from_le_bytes([*low, *high]));
    let mut output = vec![0; elements * dtype.bytes()];
    match codec.decode(rest, dtype, &mut output) {
        Ok(()) => come_back(codec, dtype, &output),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    come_back(codec, dtype, &rest[..rest.len() / dtype.bytes() * dtype.bytes()]);
}

fn come_back(codec: &mut dyn Codec, dtype: DType, array: &[u8]) {
    let shape = [array.len() / dtype.bytes()];
    let mut stream = vec![0; codec.bound(array.len())];
    let size = codec.encode(Array::new(array, dtype, &shape).expect("whole elements"), &mut stream).expect("room");
    let mut back = vec![1; array.len()];
    codec.decode(&stream[..size], dtype, &mut back).expect("our own stream");
    assert_eq!(back, array);
}
