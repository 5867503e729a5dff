//! Chunks and shapes that claim more than there is room for: refused before memory is taken, whatever the filter.

use livetime_codecs::{
    Array as Pixels, Blosc, BloscCompressor, BloscSettings, BloscShuffle, Bslz4, Codec, DType as Elements,
    Lz4Hdf5, Zlib, Zstd,
};
use livetime_formats::hdf5::{Array, Element, Filter, Growing, Hdf5, Scratch, Tree, Writer};
use livetime_frame::DType;
use proptest::prelude::*;

/// A filter, and what it makes of bytes.
type Packing = (Filter, fn(&[u8]) -> Vec<u8>);

fn packed(mut codec: impl Codec, bytes: &[u8]) -> Vec<u8> {
    let (shape, mut stream) = ([bytes.len() / 2], vec![0; codec.bound(bytes.len())]);
    let size = codec.encode(Pixels::new(bytes, Elements::U16, &shape).unwrap(), &mut stream).unwrap();
    stream.truncate(size);
    stream
}

/// LZF that copies.
fn lzf(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(32).flat_map(|run| [&[run.len() as u8 - 1], run].concat()).collect()
}

/// All filters, of elements of two bytes. Shuffles do not change the length.
fn filters() -> Vec<Packing> {
    const BLOSC: BloscSettings =
        BloscSettings { compressor: BloscCompressor::Zstd, level: 5, shuffle: BloscShuffle::Bit };
    let same: fn(&[u8]) -> Vec<u8> = <[u8]>::to_vec;
    vec![
        (Filter::zlib(1), |bytes| packed(Zlib::new(1), bytes)),
        (Filter::lz4(), |bytes| packed(Lz4Hdf5::new(0), bytes)),
        (Filter::bslz4(2), |bytes| packed(Bslz4::new(), bytes)),
        (Filter::blosc(2, 0, 5, 2, 5), |bytes| packed(Blosc::new(BLOSC), bytes)),
        (Filter::zstd(1), |bytes| packed(Zstd::new(1).unwrap(), bytes)),
        (Filter { id: Filter::LZF, values: vec![] }, lzf),
        (Filter { id: Filter::BITSHUFFLE, values: vec![0, 4, 2, 0, 0] }, same),
        (Filter { id: 2, values: vec![2] }, same),
    ]
}

/// A file with one data set of a row of this shape, of which the only chunk has the bytes `stream`.
fn file(row: &[u64], filter: Filter, stream: &[u8]) -> Option<(tempfile::TempDir, Array)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    let mut tree = Tree::default();
    let what =
        Growing { element: Element::Number(DType::U16), row, chunk: 1, part: &[], filter: Some(filter) };
    let (_, data) = tree.growing(Tree::ROOT, "data", what, vec![]);
    let mut writer = Writer::create(&path, tree, false).ok()?;
    writer.write_chunk(data, 0, 1, &[stream]).ok()?;
    writer.close().ok()?;
    let array = Hdf5::open(&path).ok()?.array("data").ok()?;
    Some((folder, array))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// A chunk that has as many bytes as its shape says is read; one that has more or fewer is refused, and nothing is
    /// written beside its place.
    #[test]
    fn no_filter_fills_more_than_its_chunk(
        (rows, columns) in (1u64..20, 1u64..300),
        which in 0usize..8,
        other in prop_oneof![1usize..4, Just(1000), Just(100_000)],
    ) {
        let (filter, pack) = filters().remove(which);
        let bytes = 2 * (rows * columns) as usize;
        let pixels: Vec<u8> = (0..bytes + 2 * other).map(|i| (i * 7 % 5) as u8).collect();
        for (length, is_right) in [(bytes, true), (bytes + 2 * other, false), (bytes.saturating_sub(2 * other), false)] {
            if length == 0 {
                continue;
            }
            let (_folder, array) = file(&[rows, columns], filter.clone(), &pack(&pixels[..length])).unwrap();
            let mut output = vec![0xaa; bytes];
            let read = array.read(0, 1, &mut output, &mut Scratch::default());
            prop_assert_eq!(read.is_ok(), is_right, "{:?}: {:?}", filter, read);
            if is_right && which < 6 {
                prop_assert_eq!(&output[..], &pixels[..bytes]);
            }
        }
    }

    /// Any shape can be asked for its size, and one that is too large is refused before it is read.
    #[test]
    fn no_shape_takes_memory_that_it_may_not(
        row in prop::collection::vec(prop_oneof![1u64..2000, 1u64 << 30..1 << 33], 1..4),
        which in 0usize..8,
    ) {
        let whole = row.iter().try_fold(2u64, |all, size| all.checked_mul(*size));
        // What our own writer refuses to write is no case.
        if whole.is_none_or(|bytes| bytes > 1 << 40) {
            return Ok(());
        }
        let (filter, _) = filters().remove(which);
        let Some((_folder, array)) = file(&row, filter, &[0; 300]) else { return Ok(()) };
        prop_assert!(array.row_bytes() <= 1 << 32, "{}", array.row_bytes());
        prop_assert!(array.read_memory() <= 300);
        if array.row_bytes() <= 1 << 20 {
            let mut output = vec![0; array.row_bytes() as usize];
            let refused = array.read(0, 1, &mut output, &mut Scratch::within(299)).unwrap_err();
            prop_assert!(refused.to_string().contains("at most 299 bytes"), "{}", refused);
        }
    }
}
