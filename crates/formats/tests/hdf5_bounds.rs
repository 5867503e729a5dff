//! Chunks and shapes that claim more than there is room for: refused before memory is taken, whatever the filter.

use livetime_codecs::{ALL, Array as Pixels, Chunk, CodecType, Settings};
use livetime_formats::hdf5::{Array, Element, Filter, Growing, Hdf5, Scratch, Tree, Writer};
use livetime_frame::DType;
use proptest::prelude::*;

/// A filter, and what it makes of bytes.
type Packing = (Filter, Box<dyn Fn(&[u8]) -> Vec<u8>>);

/// The chunk that a codec makes of elements of two bytes.
fn packed(codec: &CodecType, bytes: &[u8]) -> Vec<u8> {
    let (shape, mut made) = ([bytes.len() / 2], codec.make(&Settings::USUAL).unwrap());
    let mut stream = vec![0; made.bound(bytes.len())];
    let size = made.encode(Pixels::new(bytes, DType::U16, &shape).unwrap(), &mut stream).unwrap();
    let chunk = Chunk { element: 2, bytes: bytes.len() };
    let head = codec.filter.and_then(|filter| filter.head).map_or(([0; 16], 0), |head| head(chunk, size));
    [&head.0[..head.1], &stream[..size]].concat()
}

/// LZF that copies.
fn lzf(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(32).flat_map(|run| [&[run.len() as u8 - 1], run].concat()).collect()
}

/// All filters, of elements of two bytes. Shuffles do not change the length.
fn filters() -> Vec<Packing> {
    let of = |codec: &'static CodecType| -> Option<Packing> {
        let filter = Filter::of(codec, Chunk { element: 2, bytes: 0 }, &Settings::USUAL)?;
        Some((filter, Box::new(move |bytes: &[u8]| packed(codec, bytes))))
    };
    let others: [Packing; 3] = [
        (Filter { id: 32000, values: vec![] }, Box::new(lzf)),
        (Filter { id: 32008, values: vec![0, 4, 2, 0, 0] }, Box::new(<[u8]>::to_vec)),
        (Filter { id: 2, values: vec![2] }, Box::new(<[u8]>::to_vec)),
    ];
    ALL.iter().filter_map(of).chain(others).collect()
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
        which in 0..filters().len(),
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
            // The last two are shuffles.
            if is_right && which + 2 < filters().len() {
                prop_assert_eq!(&output[..], &pixels[..bytes]);
            }
        }
    }

    /// Any shape can be asked for its size, and one that is too large is refused before it is read.
    #[test]
    fn no_shape_takes_memory_that_it_may_not(
        row in prop::collection::vec(prop_oneof![1u64..2000, 1u64 << 30..1 << 33], 1..4),
        which in 0..filters().len(),
    ) {
        let whole = row.iter().try_fold(2u64, |all, size| all.checked_mul(*size));
        // A shape that our own writer refuses to write is no case.
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
