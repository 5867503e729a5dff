//! Reducers that judge pictures get every event with a picture, damaged ones too, with its number among the analysed events.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use livetime_formats::xtc1::Damage;
use livetime_recording::select::{Selected, Verdict};

use super::*;

/// Notes the event and the number of each picture that it gets.
#[derive(Clone, Default)]
struct Numbers(Arc<Mutex<Vec<(usize, u64)>>>);

impl Reducer for Numbers {
    type Partial = ();

    fn partial(&self, _: &Layout) {}

    fn map(&self, _: &mut (), event: &EventPictures<'_>) -> Result<(), ReduceError> {
        let recorded = event.recorded.ok_or("wanted an event as it was recorded")?;
        assert_eq!(recorded.picture.event(), event.event);
        self.0.lock().unwrap().push((event.event, recorded.number));
        Ok(())
    }

    fn takes_recorded(&self) -> bool {
        true
    }

    fn merge(&self, _: &mut (), _: &mut ()) -> Result<(), ReduceError> {
        Ok(())
    }

    fn finish(&self, _: &Layout, _: ()) -> Result<Vec<Named>, ReduceError> {
        Ok(Vec::new())
    }
}

/// Event 9 is damaged, event 11 of another size, and event 13 of another detector.
fn run(folder: &Path) -> PathBuf {
    let leaf = |event| {
        let damage = Damage(if event == 9 { 1 << 14 } else { 0 });
        let src = if event == 13 { OTHER } else { CAMERA };
        Leaf { src, damage, ..Leaf::new(frame(if event == 11 { 6 } else { 4 }, 4, 16, event)) }
    };
    write(folder, &(0..30).map(|event| datagram(event, &[leaf(event)])).collect::<Vec<_>>())
}

#[test]
fn reducers_that_judge_pictures_get_all_of_them_with_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path());
    let recording = Recording::open(&[&path]).unwrap();
    let detector = detector(&recording, Some("Opal1000")).unwrap();
    let refused = |event| if event == 7 { Verdict::Refused } else { Verdict::Selected };
    let select = Some(Arc::new(Selected::new("x > 1".into(), 0, (0..30).map(refused).collect())));
    for (every, select) in [(1, None), (2, None), (2, select.clone()), (1, select)] {
        let wanted = (3..29).step_by(every).filter(|event| select.is_none() || *event != 7);
        let mut wanted: Vec<(usize, u64)> = wanted.zip(1..).collect();
        wanted.retain(|(event, _)| *event != 13);
        for workers in [1, 3] {
            let numbers = Numbers::default();
            let reducers = Reducers::default().with(numbers.clone());
            let options = Options { workers, every, events: 3..29, select: select.clone(), block_bytes: 64 };
            let found = analyze(&recording, &detector, &options, &reducers, &mut |_| GoOn::Yes).unwrap();
            let mut seen = std::mem::take(&mut *numbers.0.lock().unwrap());
            seen.sort_unstable();
            assert_eq!(seen, wanted, "every {every}, {workers} workers");
            assert_eq!((found.account.used, found.account.lost()), (wanted.len() as u64, 0));
        }
    }
}

/// Beside a reducer that takes only good pictures, others are left out for both.
#[test]
fn beside_other_reducers_pictures_are_judged_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path());
    let recording = Recording::open(&[&path]).unwrap();
    let detector = detector(&recording, Some("Opal1000")).unwrap();
    let numbers = Numbers::default();
    let reducers = Reducers::default().with(numbers.clone()).with(InOrder);
    let found = analyze(&recording, &detector, &options(2), &reducers, &mut |_| GoOn::Yes).unwrap();
    let counts = [FaultKind::Damaged, FaultKind::Changed, FaultKind::Missing].map(|k| found.account.count(k));
    assert_eq!((found.account.used, counts), (27, [1, 1, 1]));
    assert_eq!(numbers.0.lock().unwrap().len(), 27);
}
