//! Small programs with workers, checked in all interleavings with at most the number of preemptions that
//! `make models` allows (two).

use std::sync::Arc;

use loom::thread;

use super::crew::Shared;
use super::in_order::{Hall, Worker};
use crate::sync::{Mutex, lock};

/// The step of a reader or a writer of the models on a job.
type Step<R> = Box<dyn FnMut(&mut u64) -> Result<R, ()> + Send>;

/// Adds a hundred.
struct Add;

impl Worker<u64> for Add {
    type Error = ();

    fn work(&mut self, job: &mut u64) -> Result<(), ()> {
        *job += 100;
        Ok(())
    }
}

#[test]
fn two_workers_write_in_the_order_of_what_was_read() {
    loom::model(|| {
        let hall = Arc::new(Hall::new(vec![0; 2], 2));
        let written = Arc::new(Mutex::new(Vec::new()));
        let mut numbers = 0..2;
        let take: Step<bool> = Box::new(move |job| Ok(numbers.next().map(|n| *job = n).is_some()));
        let list = written.clone();
        let give: Step<()> = Box::new(move |job| {
            lock(&list).push(*job);
            Ok(())
        });
        let steps = Arc::new((Mutex::new((0, take)), Mutex::new(give)));
        let other = (hall.clone(), steps.clone());
        let thread = thread::spawn(move || other.0.serve(&mut Add, &other.1.0, &other.1.1));
        hall.serve(&mut Add, &steps.0, &steps.1);
        thread.join().unwrap();
        assert_eq!(*lock(&written), [100, 101]);
    });
}

#[test]
fn results_are_taken_in_the_order_of_the_jobs() {
    loom::model(|| {
        let shared = Arc::new(Shared::new(2));
        let threads = [shared.clone(), shared.clone()]
            .map(|shared| thread::spawn(move || shared.serve(|job: u64| job + 100)));
        shared.put(0);
        shared.put(1);
        assert_eq!((shared.take(), shared.take(), shared.take()), (Some(Ok(100)), Some(Ok(101)), None));
        shared.end();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn who_helps_takes_in_the_order_of_the_jobs() {
    loom::model(|| {
        let shared = Arc::new(Shared::new(1));
        let other = shared.clone();
        let thread = thread::spawn(move || other.serve(|job: u64| job + 100));
        shared.put(0);
        shared.put(1);
        let take = || shared.take_helping(|job| job + 200).map(|result| result.unwrap() % 100);
        assert_eq!((take(), take(), take()), (Some(0), Some(1), None));
        shared.end();
        thread.join().unwrap();
    });
}
