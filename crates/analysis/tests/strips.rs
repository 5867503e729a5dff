//! Pictures that are reduced strip by strip give the same bits as pictures that are reduced as a whole.

use std::fs::OpenOptions;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use livetime_formats::xtc1::Damage;
use livetime_formats::xtc1::compressed::Engine;

use crate::*;

/// Statistics by whole pictures only.
struct Whole(PixelStatistics);

impl Reducer for Whole {
    type Partial = <PixelStatistics as Reducer>::Partial;

    fn partial(&self, layout: &Layout) -> Self::Partial {
        Reducer::partial(&self.0, layout)
    }

    fn map(&self, partial: &mut Self::Partial, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        self.0.map(partial, event)
    }

    fn merge(&self, partial: &mut Self::Partial, next: &mut Self::Partial) -> Result<(), ReduceError> {
        Reducer::merge(&self.0, partial, next)
    }

    fn finish(&self, layout: &Layout, partial: Self::Partial) -> Result<Vec<Named>, ReduceError> {
        Reducer::finish(&self.0, layout, partial)
    }

    fn takes_any_order(&self, layout: &Layout) -> bool {
        Reducer::takes_any_order(&self.0, layout)
    }
}

/// Counts pixels of events that came in strips.
#[derive(Clone, Default)]
struct Count(Arc<AtomicUsize>);

impl Reducer for Count {
    type Partial = ();

    fn partial(&self, _: &Layout) {}

    fn map(&self, (): &mut (), _: &EventPictures<'_>) -> Result<(), ReduceError> {
        Ok(())
    }

    fn takes_strips(&self) -> bool {
        true
    }

    fn map_strip(&self, (): &mut (), strip: &Strip<'_>) -> Result<(), ReduceError> {
        self.0.fetch_add(strip.pixels.len() * strip.frames.len(), Ordering::Relaxed);
        Ok(())
    }

    fn merge(&self, (): &mut (), (): &mut ()) -> Result<(), ReduceError> {
        Ok(())
    }

    fn finish(&self, _: &Layout, (): ()) -> Result<Vec<Named>, ReduceError> {
        Ok(Vec::new())
    }

    fn takes_any_order(&self, _: &Layout) -> bool {
        true
    }
}

/// Nothing lies behind the pixels of the last event, not even bytes that fill up.
const SIZE: (u32, u32) = (600, 257);
const PIXELS: usize = 600 * 257;

fn large(bits: u32, event: u64) -> Leaf {
    Leaf::new(frame(SIZE.0, SIZE.1, bits, event))
}

/// The results of an analysis by strips, and the number of pixels that came in strips.
fn by_strips(recording: &Recording, workers: usize) -> (Found, usize) {
    let count = Count::default();
    let reducers = Reducers::default().with(PixelStatistics::all()).with(count.clone());
    (found(recording, &reducers, workers), count.0.load(Ordering::Relaxed))
}

fn found(recording: &Recording, reducers: &Reducers, workers: usize) -> Found {
    let detector = detector(recording, Some("Opal1000")).unwrap();
    let options = Options { block_bytes: 3 << 20, ..options(workers) };
    analyze(recording, &detector, &options, reducers, &mut |_| GoOn::Yes).unwrap()
}

fn by_whole_pictures(recording: &Recording) -> Found {
    found(recording, &Reducers::default().with(Whole(PixelStatistics::all())), 1)
}

#[test]
fn strips_have_the_bits_of_whole_pictures() {
    for bits in [8, 16, 32] {
        let event = |number: u64| match number {
            30 => datagram(number, &[]),
            41 => datagram(number, &[Leaf { damage: Damage(1 << 14), ..large(bits, number) }]),
            52 => datagram(number, &[Leaf { src: OTHER, ..large(bits, 7) }, large(bits, number)]),
            63 => datagram(number, &[Leaf { engine: Engine::BLOCKPACK, ..large(bits, number) }]),
            _ => datagram(number, &[large(bits, number)]),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path(), &(0..80).map(event).collect::<Vec<_>>());
        let recording = Recording::open(&[path]).unwrap();
        let wanted = by_whole_pictures(&recording);
        assert_eq!(wanted.account.used, 78);
        for workers in [1, 2, 3] {
            let (found, pixels) = by_strips(&recording, workers);
            assert_same_bits(&found, &wanted);
            // The first events of each worker, and those beside an odd one, are read as a whole.
            assert!((20 * PIXELS..70 * PIXELS).contains(&pixels), "{bits} bits: {pixels}");
            assert_eq!(pixels % PIXELS, 0);
        }
    }
}

#[test]
fn strips_come_from_the_file_that_has_the_detector() {
    let folder = tempfile::tempdir().unwrap();
    let of = |src| move |n| datagram(n, &[Leaf { src, ..large(16, n + 1000 * u64::from(src == OTHER)) }]);
    let others = (0..40).map(of(OTHER)).collect::<Vec<_>>();
    std::fs::rename(write(folder.path(), &others), folder.path().join("e1-r0001-s01-c00.xtc")).unwrap();
    let path = write(folder.path(), &(0..40).map(of(CAMERA)).collect::<Vec<_>>());
    let recording = Recording::open(&[path]).unwrap();
    assert_eq!(recording.files().len(), 2);
    let detectors = recording.detectors().unwrap();
    assert_eq!(detectors.len(), 2);
    for detector in detectors {
        let found =
            |reducers| analyze(&recording, &detector, &options(2), &reducers, &mut |_| GoOn::Yes).unwrap();
        let count = Count::default();
        let by_strips = found(Reducers::default().with(PixelStatistics::all()).with(count.clone()));
        let wanted = found(Reducers::default().with(Whole(PixelStatistics::all())));
        assert_same_bits(&by_strips, &wanted);
        assert_eq!((wanted.account.used, count.0.load(Ordering::Relaxed) > 0), (40, true), "{detector}");
    }
}

#[test]
fn what_cannot_be_read_any_more_is_in_no_strip() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &(0..20).map(|n| datagram(n, &[large(16, n)])).collect::<Vec<_>>());
    let recording = Recording::open(&[&path]).unwrap();
    let length = std::fs::metadata(&path).unwrap().len();
    OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 1000).unwrap();
    let wanted = by_whole_pictures(&recording);
    assert_eq!((wanted.account.used, wanted.account.lost()), (19, 1));
    let (found, pixels) = by_strips(&recording, 1);
    assert_same_bits(&found, &wanted);
    // The first strips of the last events were reduced, in vain.
    assert!(pixels > 0 && pixels % PIXELS != 0);
}

#[test]
fn small_pictures_and_other_reducers_come_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let small = |n| datagram(n, &[Leaf::new(frame(100, 100, 16, n))]);
    let path = write(folder.path(), &(0..40).map(small).collect::<Vec<_>>());
    let recording = Recording::open(&[&path]).unwrap();
    assert_eq!(by_strips(&recording, 1).1, 0);
    let path = write(folder.path(), &(0..40).map(|n| datagram(n, &[large(16, n)])).collect::<Vec<_>>());
    let recording = Recording::open(&[&path]).unwrap();
    let count = Count::default();
    let reducers = Reducers::default().with(count.clone()).with(Whole(PixelStatistics::all()));
    found(&recording, &reducers, 1);
    assert_eq!(count.0.load(Ordering::Relaxed), 0);
    assert!(by_strips(&recording, 1).1 >= 20 * PIXELS);
}
