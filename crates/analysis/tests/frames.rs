//! Results are the same bits for any number of workers, and for plain loops; nothing broken is left out silently.

use livetime_formats::xtc1::Damage;
use livetime_formats::xtc1::compressed::Engine;
use livetime_frame::DType;

use super::*;

#[test]
fn any_number_of_workers_finds_the_same_bits_as_plain_loops() {
    let folder = tempfile::tempdir().unwrap();
    // Large enough for several blocks, in each type and compression.
    for (bits, width, height, events, engines) in [
        (8, 101, 97, 70, vec![Engine::NONE, Engine::HISTN, Engine::BLOCKPACK]),
        (16, 101, 77, 60, vec![Engine::NONE, Engine::HIST16, Engine::HISTN, Engine::BLOCKPACK]),
        (32, 51, 49, 80, vec![Engine::NONE, Engine::BLOCKPACK]),
    ] {
        let payloads: Vec<Vec<u8>> = (0..events).map(|e| frame(width, height, bits, e)).collect();
        let datagrams: Vec<Vec<u8>> = payloads
            .iter()
            .enumerate()
            .map(|(e, p)| {
                // Recorders leave out compression when they are busy.
                let engine = engines[e % engines.len()];
                let other = Leaf { src: OTHER, ..Leaf::new(frame(3, 3, 8, 0)) };
                datagram(e as u64, &[other, Leaf { engine, ..Leaf::new(p.clone()) }])
            })
            .collect();
        let path = write(folder.path(), &datagrams);
        let one = analyzed(&path, 1);
        assert_eq!((one.account.used, one.account.lost()), (events, 0));
        [2, 3, 7].into_iter().for_each(|workers| assert_same_bits(&one, &analyzed(&path, workers)));

        let dtype = [DType::U8, DType::U16, DType::U32][bits as usize / 16];
        let frames: Vec<Vec<f64>> = payloads.iter().map(|p| values_of(dtype, &p[16..])).collect();
        let pixels = (width * height) as usize;
        let found = ["mean", "std", "min", "max", "sum", "hits"].map(|name| array(&one, name).values());
        for pixel in (0..pixels).step_by(37).chain([pixels - 1]) {
            let (mean, deviation, lowest, highest) = plain(&frames, pixel);
            assert!((found[0][pixel] - mean).abs() <= 1e-12 * mean, "{bits} bits, pixel {pixel}");
            assert!(
                (found[1][pixel] - deviation).abs() <= 1e-9 * (1.0 + deviation),
                "{bits} bits, pixel {pixel}"
            );
            assert_eq!((found[2][pixel], found[3][pixel]), (lowest, highest), "{bits} bits, pixel {pixel}");
            assert_eq!(found[4][pixel], frames.iter().map(|f| f[pixel]).sum::<f64>());
            assert_eq!(found[5][pixel], frames.iter().filter(|f| f[pixel] >= 150.0).count() as f64);
        }
        assert_eq!(array(&one, "mean").shape(), [height as usize, width as usize]);
        assert_eq!(column(&one, "order", "event"), (0..events).map(|e| e as f64).collect::<Vec<f64>>());
        let counted: f64 = column(&one, "histogram", "count").iter().sum();
        assert_eq!(counted, (pixels as u64 * events) as f64);
        let hits = column(&one, "events", "hits");
        assert_eq!(hits[1], frames[1].iter().filter(|v| **v >= 150.0).count() as f64);
    }
}

#[test]
fn what_cannot_be_used_is_counted_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let good = |e: u64| Leaf::new(frame(20, 10, 16, e));
    let mut datagrams: Vec<Vec<u8>> = (0..10).map(|e| datagram(e, &[good(e)])).collect();
    datagrams[2] = datagram(2, &[Leaf { damage: Damage::DROPPED, ..good(2) }]);
    datagrams[3] = datagram(3, &[]);
    datagrams[4] = datagram(4, &[Leaf::new(frame(10, 20, 16, 4))]);
    datagrams[5] = datagram(5, &[Leaf { engine: Engine::HIST16, ..Leaf::new(frame(100, 100, 16, 5)) }]);
    let middle = datagrams[5].len() / 2;
    datagrams[5][middle] ^= 0x55;
    let path = write(folder.path(), &datagrams);
    // Cut inside the last event.
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();

    let found = analyzed(&path, 2);
    let named: Vec<(usize, FaultKind)> =
        found.account.named.iter().map(|b| (b.event, b.fault.kind)).collect();
    let expected =
        [(2, FaultKind::Damaged), (3, FaultKind::Missing), (4, FaultKind::Changed), (5, FaultKind::Broken)];
    assert_eq!(named, expected, "{:?}", found.account.named);
    assert_eq!((found.events, found.account.used, found.account.lost()), (9, 5, 3));
    let why = &found.account.named[0].fault.why;
    assert!(why.ends_with("found only one with damage: dropped contribution"), "{why}");
    assert_eq!(
        found.account.named[2].fault.why,
        "wanted u16 [10, 20] in panel 0 as in the first event, found u16 [20, 10]"
    );
    assert_eq!(column(&found, "order", "event"), [0.0, 1.0, 6.0, 7.0, 8.0]);
    assert_eq!(Recording::open(&[&path]).unwrap().problems().len(), 1);
    assert_same_bits(&found, &analyzed(&path, 7));
}

#[test]
fn a_damaged_leaf_beside_a_good_one_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let good = |e: u64| Leaf::new(frame(20, 10, 16, e));
    let bad = |e: u64| Leaf { damage: Damage::DROPPED, ..good(e) };
    let packed = |leaf: Leaf| Leaf { engine: Engine::BLOCKPACK, ..leaf };
    let plain: Vec<Vec<u8>> = (0..4).map(|e| datagram(e, &[good(e)])).collect();
    let expected = analyzed(&write(folder.path(), &plain), 1);
    let beside = [
        datagram(0, &[bad(7), good(0)]),
        datagram(1, &[good(1), bad(7)]),
        datagram(2, &[bad(7), packed(good(2))]),
        datagram(3, &[packed(good(3)), good(3)]),
    ];
    let found = analyzed(&write(folder.path(), &beside), 2);
    assert_eq!((found.account.used, found.account.lost()), (4, 0), "{:?}", found.account.named);
    assert_eq!(found.results, expected.results);
}

#[test]
fn a_run_that_is_being_written_is_analysed_up_to_now() {
    let folder = tempfile::tempdir().unwrap();
    let datagrams: Vec<Vec<u8>> = (0..6).map(|e| datagram(e, &[Leaf::new(frame(8, 8, 8, e))])).collect();
    let path = write(folder.path(), &datagrams[..4]);
    let growing = path.with_extension("xtc.inprogress");
    std::fs::rename(&path, &growing).unwrap();
    let recording = Recording::open(&[&growing]).unwrap();
    assert!(recording.is_growing());
    // Another event may still come in front of the event with the time of the last datagram.
    assert_eq!(recording.events(), 3);
    assert_eq!(analyzed(&growing, 2).account.used, 3);
}

#[test]
fn some_events_of_a_run_are_enough() {
    let folder = tempfile::tempdir().unwrap();
    let datagrams: Vec<Vec<u8>> = (0..20).map(|e| datagram(e, &[Leaf::new(frame(8, 8, 16, e))])).collect();
    let path = write(folder.path(), &datagrams);
    let recording = Recording::open(&[&path]).unwrap();
    let detector = detector(&recording, None).unwrap();
    for (events, every, expected) in
        [(3..9, 1, vec![3, 4, 5, 6, 7, 8]), (0..usize::MAX, 7, vec![0, 7, 14]), (15..40, 3, vec![15, 18])]
    {
        let options = Options { events, every, ..options(2) };
        let mut told = Vec::new();
        let tell = &mut |progress: Progress| {
            told.push(progress);
            GoOn::Yes
        };
        let found = analyze(&recording, &detector, &options, &all(), tell).unwrap();
        let expected: Vec<f64> = expected.into_iter().map(f64::from).collect();
        assert_eq!(column(&found, "order", "event"), expected);
        let last = told.last().unwrap();
        assert_eq!((last.done, last.events), (expected.len(), expected.len()));
        assert_eq!(last.raw_bytes, 128 * expected.len() as u64);
    }
    let options = Options { events: 30..40, ..options(1) };
    let error = analyze(&recording, &detector, &options, &all(), &mut |_| GoOn::Yes).unwrap_err();
    assert!(error.to_string().contains("found no event"), "{error}");
}

#[test]
fn a_reducer_that_panics_ends_the_analysis() {
    struct Panics;
    impl Reducer for Panics {
        type Partial = ();
        fn partial(&self, _: &Layout) {}
        fn map(&self, _: &mut (), event: &EventPictures<'_>) -> Result<(), ReduceError> {
            assert!(event.event != 5, "this is the test's own panic");
            Ok(())
        }
        fn merge(&self, _: &mut (), _: &mut ()) -> Result<(), ReduceError> {
            Ok(())
        }
        fn finish(&self, _: &Layout, _: ()) -> Result<Vec<Named>, ReduceError> {
            Ok(Vec::new())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    // Large enough for one event in a block.
    let datagrams: Vec<Vec<u8>> =
        (0..12).map(|e| datagram(e, &[Leaf::new(frame(512, 512, 16, e % 2))])).collect();
    let path = write(folder.path(), &datagrams);
    let recording = Recording::open(&[&path]).unwrap();
    let detector = detector(&recording, None).unwrap();
    let options = options(3);
    let reducers = Reducers::default().with(Panics);
    let error = analyze(&recording, &detector, &options, &reducers, &mut |_| GoOn::Yes).unwrap_err();
    let expected =
        "event 5: wanted a reducer that returns, found one that panicked: this is the test's own panic";
    assert!(error.to_string().ends_with(expected), "{error}");
}

#[test]
fn several_detectors_must_be_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let leaves = [Leaf::new(frame(8, 8, 8, 0)), Leaf { src: OTHER, ..Leaf::new(frame(4, 4, 8, 0)) }];
    let path = write(folder.path(), &[datagram(0, &leaves)]);
    let recording = Recording::open(&[&path]).unwrap();
    let error = detector(&recording, None).unwrap_err().to_string();
    assert!(error.contains("Opal1000-1") && error.contains("Cspad-7"), "{error}");
    let error = detector(&recording, Some("Timepix")).unwrap_err().to_string();
    assert!(error.contains("wanted a detector `Timepix`"), "{error}");
    assert_eq!(detector(&recording, Some("Opal1000-1")).unwrap().sender(), Some(CAMERA));
}
