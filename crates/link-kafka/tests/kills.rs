//! Killed processes: readers, writers and brokers.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use livetime_testkit::{Broker, test_process, wait_until};

use crate::ends::{all, broker, send, send_as, settings, take, take_while, topic};

const FRAMES: u64 = 3_000;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The numbers that a process has written to a file; the last line may be cut off.
fn numbers(file: &Path) -> Vec<u64> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| line.parse().unwrap()).collect()
}

/// A test of this file in a process of its own.
fn start(test: &str, topic: &str, file: &Path) -> Child {
    let mut command = test_process(module_path!(), test).unwrap();
    // The shell becomes the program, so that a kill meets it.
    command.env("KAFKA_TOPIC", topic).env("KAFKA_FILE", file).spawn().unwrap()
}

fn kill(mut process: Child) {
    process.kill().unwrap();
    process.wait().unwrap();
}

fn told() -> (String, PathBuf) {
    (std::env::var("KAFKA_TOPIC").unwrap(), std::env::var_os("KAFKA_FILE").unwrap().into())
}

#[test]
#[ignore = "run by `a_reader_that_is_killed_misses_nothing_and_says_what_was_handled_twice`"]
fn a_reader() {
    let (topic, file) = told();
    let mut log = std::fs::File::create(&file).unwrap();
    let taken = take_while(&topic, &AtomicU64::new(0), |number| {
        writeln!(log, "{number}").unwrap();
        true
    });
    let again: u64 = taken.parts.iter().map(|part| part.account.sent_again).sum();
    assert!(taken.parts.iter().all(|part| part.account.closes()));
    std::fs::write(file.with_extension("again"), again.to_string()).unwrap();
}

#[test]
fn a_reader_that_is_killed_misses_nothing_and_says_what_was_handled_twice() {
    let Some(broker) = broker() else { return };
    let (folder, topic) = (folder(), topic(broker, "reader"));
    let to = topic.clone();
    let sending = thread::spawn(move || send(&to, FRAMES));
    let files = ["first", "second"].map(|name| folder.path().join(name));
    let first = start("a_reader", &topic, &files[0]);
    wait_until("some frames", || numbers(&files[0]).len() > 700);
    kill(first);
    let mut second = start("a_reader", &topic, &files[1]);
    assert!(second.wait().unwrap().success());
    let [first, second] = [&files[0], &files[1]].map(|file| numbers(file));
    assert_eq!(first, (0..first.len() as u64).collect::<Vec<_>>());
    let begin = second[0];
    assert_eq!(second, (begin..FRAMES).collect::<Vec<_>>());
    let twice = (first.len() as u64).checked_sub(begin).expect("nothing is missing");
    let again: u64 = std::fs::read_to_string(files[1].with_extension("again")).unwrap().parse().unwrap();
    assert!(twice <= again && again <= 2 * settings().window_frames, "{twice} of {again}");
    assert_eq!(sending.join().unwrap(), (all(FRAMES), None));
}

#[test]
#[ignore = "run by `a_writer_that_is_killed_is_followed_by_another_epoch`"]
fn a_writer() {
    let (topic, _) = told();
    // Never ends by itself.
    send_as(&settings(), &topic, u64::MAX, u64::MAX - 1);
}

#[test]
fn a_writer_that_is_killed_is_followed_by_another_epoch() {
    let Some(broker) = broker() else { return };
    let topic = topic(broker, "writer");
    let first = start("a_writer", &topic, Path::new("/"));
    let (from, had) = (topic.clone(), &AtomicU64::new(0));
    thread::scope(|scope| {
        let reading = scope.spawn(move || {
            take_while(&from, &AtomicU64::new(0), |_| {
                had.fetch_add(1, Ordering::Relaxed);
                true
            })
        });
        wait_until("some frames", || had.load(Ordering::Relaxed) > 300);
        kill(first);
        assert_eq!(send(&topic, 100), (all(100), None));
        let taken = reading.join().unwrap();
        let [old, new] = &taken.parts[..] else { panic!("two senders: {:?}", taken.parts) };
        let came = taken.numbers.len() as u64 - 100;
        assert_eq!(taken.numbers, (0..came).chain(0..100).collect::<Vec<_>>());
        assert_eq!((old.account.delivered, new.account), (came, all(100)));
        assert!(old.account.closes() && old.account.queued == 0, "{old:?}");
    });
}

/// Frames through a broker to which something happens when some are through.
fn through(broker: &Broker, name: &str, happens: impl FnOnce(&AtomicU64)) {
    let topic = topic(broker, name);
    let (to, from) = (topic.clone(), topic);
    let (had, downs) = (&AtomicU64::new(0), &AtomicU64::new(0));
    thread::scope(|scope| {
        let sending = scope.spawn(move || send(&to, FRAMES));
        let reading = scope.spawn(move || {
            take_while(&from, downs, |_| {
                had.fetch_add(1, Ordering::Relaxed);
                true
            })
        });
        wait_until("some frames", || had.load(Ordering::Relaxed) > 300);
        happens(downs);
        let taken = reading.join().unwrap();
        assert_eq!(taken.numbers, (0..FRAMES).collect::<Vec<_>>());
        assert_eq!(sending.join().unwrap(), (all(FRAMES), None));
        assert_eq!(taken.parts.len(), 1);
        assert_eq!(taken.parts[0].account, all(FRAMES));
    });
}

#[test]
fn a_broker_that_is_killed_and_back_or_stopped_for_a_while_loses_and_repeats_nothing() {
    let Some(broker) = Broker::start("kills") else { return };
    through(&broker, "killed", |downs| {
        broker.signal("-KILL");
        wait_until("the end of the connection", || downs.load(Ordering::Relaxed) > 0);
        broker.start_again();
    });
    through(&broker, "stopped", |downs| {
        broker.signal("-STOP");
        wait_until("the end of the connection", || downs.load(Ordering::Relaxed) > 0);
        broker.signal("-CONT");
    });
}

#[test]
fn a_second_reader_of_a_group_waits_for_the_end_of_the_first() {
    let Some(broker) = broker() else { return };
    let topic = topic(broker, "waits");
    assert_eq!(send(&topic, 60), (all(60), None));
    assert_eq!(send(&topic, 60), (all(60), None));
    let (had, from) = (&AtomicU64::new(0), topic.clone());
    thread::scope(|scope| {
        let second = std::cell::OnceCell::new();
        let first = take_while(&topic, &AtomicU64::new(0), |number| {
            if number == 30 {
                let from = from.clone();
                let started = scope.spawn(move || {
                    had.fetch_add(1, Ordering::Relaxed);
                    take(&from)
                });
                assert!(second.set(started).is_ok());
                wait_until("the second reader", || had.load(Ordering::Relaxed) > 0);
            }
            true
        });
        assert_eq!(first.numbers, (0..60).collect::<Vec<_>>());
        let second = second.into_inner().unwrap().join().unwrap();
        assert_eq!(second.numbers, (0..60).collect::<Vec<_>>());
        assert_ne!(first.parts[0].epoch, second.parts[0].epoch);
    });
}
