use super::*;

const BYTE_LZ4: BloscSettings =
    BloscSettings { compressor: BloscCompressor::Lz4, level: 5, shuffle: BloscShuffle::Byte };

fn encode(settings: BloscSettings, dtype: DType, bytes: &[u8]) -> Vec<u8> {
    let mut codec = Blosc::new(settings);
    let mut stream = vec![0xaa; codec.bound(bytes.len())];
    let shape = [bytes.len() / dtype.bytes()];
    let size = codec.encode(Array::new(bytes, dtype, &shape).unwrap(), &mut stream).unwrap();
    stream.truncate(size);
    stream
}

fn ramp(elements: u32) -> Vec<u8> {
    (0..elements).flat_map(|i| (1000 + i % 300).to_le_bytes()).collect()
}

/// Bytes without repetitions.
fn noise(i: u64) -> u8 {
    let x = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 56) as u8
}

#[test]
fn chunks_are_laid_out_as_the_format_says() {
    let bytes = ramp(200_000);
    let stream = encode(BYTE_LZ4, DType::U32, &bytes);
    assert_eq!(stream[..4], [2, 1, 1 << 5 | 1, 4]);
    let number = |at: usize| u32::from_le_bytes(*stream[at..].first_chunk().unwrap()) as usize;
    assert_eq!((number(4), number(8), number(12)), (800_000, 524_288, stream.len()));
    // Two blocks, the first behind the table.
    assert_eq!(number(16), 24);
    // Four streams: the upper bytes of all elements are 0.
    let mut at = 24;
    let sizes = [(); 4].map(|()| {
        let size = number(at);
        at += 4 + size;
        size
    });
    assert_eq!(at, number(20));
    assert!(sizes[2..].iter().all(|size| *size < 600), "{sizes:?}");
    // The last block is shorter, so it is not split.
    assert_eq!(at + 4 + number(at), stream.len());
}

#[test]
fn what_does_not_shrink_is_copied() {
    let noise: Vec<u8> = (0..5000).map(noise).collect();
    let flat = vec![7; 5000];
    for (level, bytes) in [(5, &noise), (0, &flat)] {
        let stream = encode(BloscSettings { level, ..BYTE_LZ4 }, DType::U8, bytes);
        assert_eq!((stream[2] & 2, stream.len(), &stream[16..]), (2, 5016, &bytes[..]));
    }
}

#[test]
fn blocks_may_lie_in_any_order() {
    let bytes = ramp(200_000);
    let stream = encode(BYTE_LZ4, DType::U32, &bytes);
    let second = u32::from_le_bytes(*stream[20..].first_chunk().unwrap()) as usize;
    let (first, last) = stream[24..].split_at(second - 24);
    let mut turned = stream[..16].to_vec();
    turned.extend(((24 + last.len()) as u32).to_le_bytes());
    turned.extend(24u32.to_le_bytes());
    turned.extend([last, first].concat());
    let mut back = vec![0; bytes.len()];
    Blosc::new(BYTE_LZ4).decode(&turned, DType::U32, &mut back).unwrap();
    assert!(back == bytes);
}

#[test]
fn headers_that_lie_are_refused() {
    let bytes = ramp(200_000);
    let stream = encode(BYTE_LZ4, DType::U32, &bytes);
    let error = |at: usize, with: &[u8]| {
        let mut changed = stream.clone();
        changed[at..at + with.len()].copy_from_slice(with);
        let mut back = vec![0; bytes.len()];
        Blosc::new(BYTE_LZ4).decode(&changed, DType::U32, &mut back).unwrap_err().to_string()
    };
    assert!(error(0, &[5]).ends_with("version of the format: wanted 2, found 5"));
    assert_eq!(error(2, &[2 << 5]), "blosc: wanted BloscLZ, LZ4, zlib or zstd in it, found Snappy");
    assert!(error(2, &[7 << 5]).ends_with("found an unknown compressor"));
    assert!(error(3, &[0]).ends_with("bytes of an element: wanted 1, found 0"));
    // Splits into streams that are no whole elements.
    assert!(error(3, &[3]).ends_with("beyond whole elements: wanted 0, found 2"));
    assert!(error(8, &[0; 4]).ends_with("bytes of a block: wanted 800000, found 0"));
    assert!(error(8, &[0xff; 4]).ends_with("bytes of a block: wanted 800000, found 4294967295"));
    assert!(error(12, &[0; 4]).contains("bytes of the chunk"));
    assert!(error(16, &[0xff; 4]).contains("start of a block"));
    assert!(error(24, &[0xff; 4]).contains("bytes of a stream"));
}
