use super::*;

/// A chunk with filters and one stored block, after `change` has edited its head.
fn chunk(bytes: &[u8], size: u8, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut chunk = vec![5, 1, 5 | 16, size];
    [bytes.len(), bytes.len(), 0].iter().for_each(|n| chunk.extend((*n as u32).to_le_bytes()));
    chunk.extend([0; 16]);
    chunk.extend(36u32.to_le_bytes());
    chunk.extend((bytes.len() as u32).to_le_bytes());
    chunk.extend(bytes);
    change(&mut chunk);
    let length = (chunk.len() as u32).to_le_bytes();
    chunk[12..16].copy_from_slice(&length);
    chunk
}

fn decode(chunk: &[u8], size: usize) -> Result<Vec<u8>, CodecError> {
    let mut output = vec![0xaa; size];
    Chunks::default().decode(chunk, &mut output).map(|()| output)
}

#[test]
fn blocks_are_stored_repeated_or_zeros() {
    let bytes: Vec<u8> = (0..200).collect();
    assert_eq!(decode(&chunk(&bytes, 1, |_| {}), 200).unwrap(), bytes);
    let repeated = |head: &mut Vec<u8>| {
        head.truncate(36);
        head.extend((-9i32).to_le_bytes());
        head.push(1);
    };
    assert_eq!(decode(&chunk(&bytes, 1, repeated), 200).unwrap(), [9; 200]);
    let zeros = |head: &mut Vec<u8>| {
        head.truncate(36);
        head.extend([0; 4]);
    };
    assert_eq!(decode(&chunk(&bytes, 1, zeros), 200).unwrap(), [0; 200]);
    let value = |head: &mut Vec<u8>| {
        head.truncate(32);
        (head[31], head[3]) = (3 << 4, 2);
        head.extend([7, 8]);
    };
    assert_eq!(decode(&chunk(&bytes, 1, value), 200).unwrap(), [7, 8].repeat(100));
}

#[test]
fn chunks_that_lie_or_are_not_known_are_refused() {
    let bytes = [3; 64];
    let refused = |at: usize, with: &[u8]| {
        let change = |head: &mut Vec<u8>| head[at..at + with.len()].copy_from_slice(with);
        decode(&chunk(&bytes, 1, change), 64).unwrap_err().to_string()
    };
    assert!(refused(2, &[1]).contains("a chunk with filters"));
    assert!(refused(3, &[0]).contains("bytes of an element"));
    assert!(refused(4, &[65]).contains("bytes of the array"));
    assert!(refused(8, &[0; 4]).contains("of a block"));
    assert!(refused(8, &[0xff; 4]).contains("of a block"));
    assert_eq!(refused(16, &[3]), "blosc2: wanted shuffles of bytes or bits, found the filter `delta`");
    assert!(
        refused(31, &[1]).ends_with("a dictionary") && refused(31, &[2 << 4]).ends_with("a chunk of NaN")
    );
    assert!(refused(32, &[0xff; 4]).contains("start of a block"));
    assert!(refused(36, &[0xff, 0xff, 0, 0]).contains("bytes of a stream"));
    // 256 is no byte.
    let change = |head: &mut Vec<u8>| {
        head[36..40].copy_from_slice(&(-256i32).to_le_bytes());
        head[40] = 1;
    };
    assert!(decode(&chunk(&bytes, 1, change), 64).is_err());
    for cut in 0..40 {
        assert!(decode(&chunk(&bytes, 1, |_| {})[..cut], 64).is_err());
    }
}
