//! Reducers that fail, and callers that have seen enough.

use std::error::Error as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Does what it is told at some event, and counts events.
#[derive(Default)]
struct Fails {
    at: usize,
    in_merge: bool,
    in_finish: bool,
    seen: std::sync::Arc<AtomicUsize>,
}

#[derive(Debug)]
struct TooDark(usize);

impl std::fmt::Display for TooDark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "too dark at {}", self.0)
    }
}

impl std::error::Error for TooDark {}

impl Reducer for Fails {
    type Partial = Vec<usize>;

    fn partial(&self, _: &Layout) -> Vec<usize> {
        Vec::new()
    }

    fn map(&self, partial: &mut Vec<usize>, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        self.seen.fetch_add(1, Ordering::Relaxed);
        partial.push(event.event);
        if event.event == self.at { Err(Box::new(TooDark(event.event))) } else { Ok(()) }
    }

    fn merge(&self, _: &mut Vec<usize>, next: &mut Vec<usize>) -> Result<(), ReduceError> {
        next.clear();
        if self.in_merge { Err("no room".into()) } else { Ok(()) }
    }

    fn finish(&self, _: &Layout, _: Vec<usize>) -> Result<Vec<Named>, ReduceError> {
        if self.in_finish { Err("no name".into()) } else { Ok(Vec::new()) }
    }

    fn describe(&self) -> String {
        "fails".into()
    }
}

/// Analyses a run of blocks of one event.
fn run(fails: Fails, tell: &mut dyn FnMut(Progress) -> GoOn) -> Result<Found> {
    let folder = tempfile::tempdir().unwrap();
    let datagrams: Vec<Vec<u8>> = (0..40).map(|e| datagram(e, &[Leaf::new(frame(8, 8, 16, e))])).collect();
    let recording = Recording::open(&[write(folder.path(), &datagrams)]).unwrap();
    let detector = detector(&recording, None).unwrap();
    let options = Options { block_bytes: 1, ..options(2) };
    analyze(&recording, &detector, &options, &Reducers::default().with(fails), tell)
}

#[test]
fn the_error_of_a_reducer_is_that_of_the_analysis() {
    let never = Fails { at: usize::MAX, ..Fails::default() };
    assert!(run(never, &mut |_| GoOn::Yes).is_ok());
    let error = run(Fails { at: 5, ..Fails::default() }, &mut |_| GoOn::Yes).unwrap_err();
    assert_eq!(error.to_string(), "reducer `fails`, event 5: too dark at 5");
    let cause = error.source().unwrap().downcast_ref::<TooDark>().unwrap();
    assert_eq!(cause.0, 5);
    let merging = Fails { at: usize::MAX, in_merge: true, ..Fails::default() };
    let error = run(merging, &mut |_| GoOn::Yes).unwrap_err();
    assert_eq!(error.to_string(), "reducer `fails`, merging: no room");
    let finishing = Fails { at: usize::MAX, in_finish: true, ..Fails::default() };
    let error = run(finishing, &mut |_| GoOn::Yes).unwrap_err();
    assert_eq!(error.to_string(), "reducer `fails`, making results: no name");
}

#[test]
fn a_caller_stops_it_between_blocks() {
    let seen = std::sync::Arc::<AtomicUsize>::default();
    let fails = Fails { at: usize::MAX, seen: seen.clone(), ..Fails::default() };
    let mut told = 0;
    let found = run(fails, &mut |_| {
        told += 1;
        GoOn::Abort
    });
    assert!(matches!(found, Err(Error::Stopped)));
    // A caller that has said no is not asked again.
    assert_eq!(told, 1);
    assert!(seen.load(Ordering::Relaxed) <= 40);
}

/// Waits at its first event until the analysis is stopped: of one block, so that only a stop between events can end it.
struct Waits;

impl Reducer for Waits {
    type Partial = usize;

    fn partial(&self, _: &Layout) -> usize {
        0
    }

    fn map(&self, seen: &mut usize, _: &EventPictures<'_>) -> Result<(), ReduceError> {
        *seen += 1;
        // The caller is asked several times a second.
        std::thread::sleep(std::time::Duration::from_millis(200));
        Ok(())
    }

    fn merge(&self, _: &mut usize, _: &mut usize) -> Result<(), ReduceError> {
        Ok(())
    }

    fn finish(&self, _: &Layout, seen: usize) -> Result<Vec<Named>, ReduceError> {
        Ok(vec![Named::number("seen", seen as f64)])
    }
}

#[test]
fn a_caller_stops_it_between_events_of_a_block() {
    let folder = tempfile::tempdir().unwrap();
    // A block that would take minutes.
    let datagrams: Vec<Vec<u8>> = (0..1000).map(|e| datagram(e, &[Leaf::new(frame(8, 8, 8, e))])).collect();
    let recording = Recording::open(&[write(folder.path(), &datagrams)]).unwrap();
    let detector = detector(&recording, None).unwrap();
    let reducers = Reducers::default().with(Waits);
    let work = Work::new(&recording, &detector, &Options::default(), &reducers).unwrap();
    assert_eq!(work.blocks(), 1);
    let found = work.reduce(&recording, 0..1, 1, &mut |now| {
        assert_eq!(now.done, 0);
        GoOn::Drain
    });
    assert!(matches!(found.err(), Some(Error::Stopped)));
}
