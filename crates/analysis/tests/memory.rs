//! An analysis knows the memory that it needs before it begins, and refuses to begin where this is more than it may
//! take.

use livetime_analysis::{Error, GoOn, Options, PixelStatistics, Recording, Reducers, analyze, detector};
use livetime_formats::hdf5::{Element, Growing, Tree, Writer};
use livetime_frame::DType;
use livetime_recording::MemoryLimit;

#[test]
fn an_analysis_that_needs_more_memory_than_it_may_take_is_refused_and_says_how_much() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.h5");
    let mut tree = Tree::default();
    let what = Growing {
        element: Element::Number(DType::U16),
        row: &[1000, 1000],
        chunk: 1,
        part: &[],
        filter: None,
    };
    let (_, data) = tree.growing(Tree::ROOT, "data", what, vec![]);
    let mut file = Writer::create(&path, tree, false).unwrap();
    (0..64).for_each(|_| file.write_row(data, &[1; 2_000_000]).unwrap());
    file.close().unwrap();
    let run = Recording::open(&[&path]).unwrap();
    let detector = detector(&run, None).unwrap();
    let found = |limit: u64, workers: usize| {
        let run = run.clone().with_memory(MemoryLimit::of(limit << 20));
        let reducers =
            Reducers::default().with(PixelStatistics { mean: true, std: true, ..Default::default() });
        analyze(&run, &detector, &Options { workers, ..Options::default() }, &reducers, &mut |_| GoOn::Yes)
    };
    // Sums and squares are 16 bytes for each of a million pixels.
    let Err(Error::Memory(error)) = found(12, 1) else { panic!("it takes what it likes") };
    assert!(error.bytes() > 2 * 16_000_000, "{error}");
    let text = error.to_string();
    assert!(
        text.starts_with("wanted at most 12 MiB of memory (as `--memory` says), found an analysis"),
        "{text}"
    );
    assert!(text.contains("by 1 workers, for which "), "{text}");
    assert_eq!(found(100, 1).unwrap().account.used, 64);
    assert!(matches!(found(100, 4), Err(Error::Memory(_))));
}
