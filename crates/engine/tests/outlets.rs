//! Edges out of a running graph: every frame is delivered once, lost with a reason, or waits, whatever the program does.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use livetime_engine::testing::{Random, Simulation};
use livetime_engine::{
    EdgeAccount, EdgeOptions, Graph, LossReason, Outlet, OutletError, Placement, Report, Run, RunOptions,
    Value, WhenFull,
};
use livetime_frame::Frame;

use crate::common::*;

const LIMIT: Duration = livetime_testkit::HANG;
const FOREVER: Duration = Duration::MAX;
const POLICIES: [WhenFull; 4] =
    [WhenFull::Block, WhenFull::DropNewest, WhenFull::DropOldest, WhenFull::Latest];

/// Sources are held, so that outlets miss nothing.
fn held(graph: &Graph) -> Run {
    Run::start(graph, RunOptions { hold_sources: true, ..RunOptions::default() }).unwrap()
}

fn subscribed(run: &Run, output: &str, options: EdgeOptions) -> Outlet {
    let outlet = run.subscribe(output, options).unwrap();
    assert!(outlet.wait_connected(LIMIT));
    outlet
}

fn numbers(outlet: &mut Outlet) -> Vec<u64> {
    let mut numbers = Vec::new();
    loop {
        match outlet.recv(LIMIT) {
            Ok(frame) => numbers.push(frame.header().sequence),
            Err(error) => {
                assert_eq!(error, OutletError::Ended);
                return numbers;
            }
        }
    }
}

fn accounts(report: &Report) -> Vec<&EdgeAccount> {
    let accounts: Vec<_> = report.edges.iter().filter(|e| e.nodes.1.is_none()).collect();
    assert!(accounts.iter().all(|e| e.to == "(outlet)"));
    accounts
}

fn account(report: &Report) -> &EdgeAccount {
    let accounts = accounts(report);
    assert_eq!(accounts.len(), 1, "{accounts:#?}");
    accounts[0]
}

fn assert_closed(report: &Report) {
    assert!(report.edges.iter().all(|e| e.is_closed()), "{report:#?}");
}

fn endless(when_full: WhenFull) -> Graph {
    let mut graph = chain(when_full, 8);
    set(&mut graph, "counter", "frames", 0);
    graph
}

/// Stops a run, and finishes it.
fn stopped(run: Run) -> Report {
    run.stop();
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    assert_eq!(report.failure, None);
    report
}

#[test]
fn a_blocking_outlet_gets_every_frame_in_order_from_every_placement() {
    for placement in [Placement::Own, Placement::Inline, Placement::Group("a".into()), Placement::Pool(3)] {
        let mut graph = chain(WhenFull::Block, 8);
        set(&mut graph, "counter", "frames", 500);
        graph.options_mut(1).unwrap().placement = placement;
        let run = held(&graph);
        let mut source = subscribed(&run, "counter", options(WhenFull::Block, 4));
        let mut pass = subscribed(&run, "pass.out", options(WhenFull::Block, 4));
        run.release_sources();
        let from_source = std::thread::spawn(move || numbers(&mut source));
        assert_eq!(numbers(&mut pass), (1..=500).collect::<Vec<u64>>());
        assert_eq!(from_source.join().unwrap(), (1..=500).collect::<Vec<u64>>());
        assert!(run.wait(LIMIT));
        let report = run.finish(LIMIT);
        assert_balanced(&report);
        let delivered: Vec<u64> = accounts(&report).iter().map(|e| e.delivered).collect();
        assert_eq!((delivered, report.unintended_losses()), (vec![500, 500], 0));
        assert!(accounts(&report).iter().all(|e| e.waiting.count > 0));
        assert_eq!(report.nodes[2].completed, 500);
    }
}

#[test]
fn many_frames_come_at_once() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "counter", "frames", 1000);
    let run = held(&graph);
    let mut outlet = subscribed(&run, "pass", options(WhenFull::Block, 64));
    run.release_sources();
    let mut frames: Vec<Frame> = Vec::new();
    assert_eq!(outlet.recv_many(&mut frames, 0, LIMIT), Ok(0));
    let mut seen = 0;
    loop {
        match outlet.recv_many(&mut frames, 10, LIMIT) {
            Ok(count) => {
                assert!((1..=10).contains(&count) && frames.len() == count);
                for frame in frames.drain(..) {
                    seen += 1;
                    assert_eq!(frame.header().sequence, seen);
                }
            }
            Err(error) => break assert_eq!(error, OutletError::Ended),
        }
    }
    assert_eq!(seen, 1000);
    assert_balanced(&run.finish(LIMIT));
}

#[test]
fn each_policy_does_with_a_full_outlet_what_it_does_with_a_full_edge() {
    for when_full in POLICIES {
        let mut graph = chain(WhenFull::Block, 8);
        set(&mut graph, "counter", "frames", 100);
        let run = held(&graph);
        let mut outlet = subscribed(&run, "counter", options(when_full, 5));
        let (all_sent, may_read) = std::sync::mpsc::channel();
        run.release_sources();
        let reader = std::thread::spawn(move || {
            // A queue that blocks would hold up the graph until it is read.
            if when_full != WhenFull::Block {
                may_read.recv().unwrap();
            }
            numbers(&mut outlet)
        });
        if when_full != WhenFull::Block {
            assert!(run.wait(LIMIT));
        }
        let _ = all_sent.send(());
        let got = reader.join().unwrap();
        assert!(run.wait(LIMIT));
        let report = run.finish(LIMIT);
        assert_balanced(&report);
        assert_eq!(report.nodes[2].completed, 100);
        let account = account(&report);
        assert_eq!((account.offered, account.queued, account.delivered), (100, 0, got.len() as u64));
        let lost: Vec<(LossReason, u64)> = account.lost.clone().into_iter().collect();
        match when_full {
            WhenFull::DropNewest => {
                assert_eq!((got, lost), ((1..=5).collect(), vec![(LossReason::QueueFull, 95)]));
            }
            WhenFull::DropOldest => {
                assert_eq!((got, lost), ((96..=100).collect(), vec![(LossReason::Overwritten, 95)]));
            }
            WhenFull::Latest => {
                assert_eq!((got, lost), (vec![100], vec![(LossReason::Overwritten, 99)]));
                assert_eq!((account.intended(), account.unintended()), (99, 0));
            }
            _ => assert_eq!((got, lost), ((1..=100).collect(), vec![])),
        }
    }
}

#[test]
fn thinning_is_as_on_every_edge() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "counter", "frames", 100);
    let run = held(&graph);
    let one_in_ten = EdgeOptions { every: 10, ..options(WhenFull::Block, 8) };
    let mut outlet = subscribed(&run, "counter", one_in_ten);
    run.release_sources();
    assert_eq!(numbers(&mut outlet), (0..10).map(|n| 1 + 10 * n).collect::<Vec<u64>>());
    assert!(run.wait(LIMIT));
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    assert_eq!((account(&report).intended(), account(&report).unintended()), (90, 0));
}

#[test]
fn what_cannot_be_is_refused() {
    let run = Run::start(&endless(WhenFull::Block), RunOptions::default()).unwrap();
    let refused = |output: &str, options| run.subscribe(output, options).unwrap_err().to_string();
    assert_eq!(refused("conter", EdgeOptions::default()), "unknown node `conter`; did you mean `counter`?");
    assert!(refused("counter.uot", EdgeOptions::default()).starts_with("node `counter` has no output `uot`"));
    assert_eq!(refused("tally", EdgeOptions::default()), "node `tally` has no output");
    assert!(refused("counter", options(WhenFull::Block, 0)).contains("wanted a queue of 1 to"));
    let mut outlet = subscribed(&run, "counter", options(WhenFull::DropNewest, 3));
    assert!(outlet.connect("tally").is_err());
    assert!(outlet.recv(LIMIT).is_ok(), "it stays where it was");
    drop(outlet);
    stopped(run);
}

#[test]
fn a_stop_ends_a_wait() {
    let mut graph = chain(WhenFull::Block, 8);
    // One frame, and then none for longer than any test.
    set(&mut graph, "counter", "frames", 2);
    set(&mut graph, "counter", "period", 100_000.0);
    let run = held(&graph);
    let waiting: Vec<_> = POLICIES
        .iter()
        .flat_map(|when_full| ["counter", "pass"].map(|node| (when_full, node)))
        .map(|(when_full, node)| {
            let mut outlet = subscribed(&run, node, options(*when_full, 2));
            std::thread::spawn(move || (outlet.recv(LIMIT).is_ok(), outlet.recv(FOREVER).err()))
        })
        .collect();
    run.release_sources();
    while run.report().nodes[2].completed == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    stopped(run);
    for thread in waiting {
        assert_eq!(thread.join().unwrap(), (true, Some(OutletError::Ended)));
    }
}

#[test]
fn nothing_comes_in_time() {
    let run = held(&endless(WhenFull::Block));
    let mut outlet = subscribed(&run, "counter", options(WhenFull::DropNewest, 2));
    assert_eq!(outlet.recv(Duration::ZERO).err(), Some(OutletError::TimedOut));
    let start = Instant::now();
    assert_eq!(outlet.recv(Duration::from_millis(20)).err(), Some(OutletError::TimedOut));
    assert!(start.elapsed() >= Duration::from_millis(20));
    stopped(run);
    assert_eq!(outlet.recv(FOREVER).err(), Some(OutletError::Ended));
}

#[test]
fn a_blocking_outlet_that_nobody_reads_does_not_keep_a_run_from_stopping() {
    for node in ["counter", "pass"] {
        let run = held(&endless(WhenFull::Block));
        let mut outlet = subscribed(&run, node, options(WhenFull::Block, 3));
        outlet.set_patience(Duration::from_millis(50));
        run.release_sources();
        while outlet.queued() < 3 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let report = stopped(run);
        // Everything else came to its end: nothing was aborted.
        let account = account(&report);
        assert_eq!(account.queued, 3);
        let reasons: Vec<_> = report.edges.iter().flat_map(|e| e.lost.keys()).collect();
        assert!(reasons.iter().all(|reason| **reason == LossReason::QueueFull), "{reasons:?}");
        assert_eq!(report.nodes[2].completed, report.nodes[1].emitted);
        // Queued frames can still be taken, and then no more come.
        assert_eq!(numbers(&mut outlet), [1, 2, 3]);
    }
}

#[test]
fn a_slow_reader_of_a_run_that_stops_loses_nothing_within_its_patience() {
    let run = held(&endless(WhenFull::Block));
    let mut outlet = subscribed(&run, "pass", options(WhenFull::Block, 2));
    outlet.set_patience(FOREVER);
    run.release_sources();
    assert_eq!(outlet.recv(LIMIT).unwrap().header().sequence, 1);
    let reader = std::thread::spawn(move || {
        let mut numbers = Vec::new();
        while let Ok(frame) = outlet.recv(LIMIT) {
            std::thread::sleep(Duration::from_millis(2));
            numbers.push(frame.header().sequence);
        }
        numbers
    });
    let report = stopped(run);
    let got = reader.join().unwrap();
    assert!(got.windows(2).all(|w| w[1] == w[0] + 1));
    assert_eq!((got.len() as u64 + 1, report.unintended_losses()), (report.nodes[0].emitted, 0));
}

/// Sources that end by themselves hurry no reader: however slow a reader is, it gets all queued frames.
#[test]
fn the_end_of_the_sources_is_no_reason_to_lose_frames() {
    let mut graph = chain(WhenFull::Block, 2);
    set(&mut graph, "counter", "frames", 12);
    let run = held(&graph);
    let mut outlet = subscribed(&run, "pass", options(WhenFull::Block, 1));
    outlet.set_patience(Duration::ZERO);
    run.release_sources();
    let mut got = Vec::new();
    while let Ok(frame) = outlet.recv(LIMIT) {
        got.push(frame.header().sequence);
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(got, (1..=12).collect::<Vec<u64>>());
    assert_balanced(&run.finish(LIMIT));
}

#[test]
fn a_paused_outlet_is_offered_nothing_and_holds_up_nobody() {
    let run = held(&endless(WhenFull::Block));
    let mut outlet = subscribed(&run, "counter", options(WhenFull::Block, 2));
    run.release_sources();
    while outlet.queued() < 2 {
        std::thread::sleep(Duration::from_millis(1));
    }
    outlet.pause();
    let done = |run: &Run| run.report().nodes[2].completed;
    let (before, until) = (done(&run), Instant::now() + LIMIT);
    while done(&run) < before + 100 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(done(&run) >= before + 100, "the source waits for an outlet that is paused");
    let report = run.report();
    assert_closed(&report);
    assert_eq!((account(&report).offered, account(&report).queued), (2, 2));
    assert_eq!([1, 2], [0; 2].map(|_| outlet.recv(LIMIT).unwrap().header().sequence));
    assert_eq!(outlet.recv(Duration::from_millis(5)).err(), Some(OutletError::TimedOut));
    outlet.resume();
    assert!(outlet.recv(LIMIT).unwrap().header().sequence >= before);
    drop(outlet);
    let report = stopped(run);
    assert_eq!(report.unintended_losses(), 0, "{:?}", account(&report));
}

#[test]
fn an_outlet_moves_to_another_output_and_another_thread() {
    let mut graph = endless(WhenFull::Block);
    graph.add("other", COUNTER).unwrap();
    set(&mut graph, "other", "frames", 0);
    set(&mut graph, "other", "bytes", 16);
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    let mut outlet = subscribed(&run, "counter", options(WhenFull::Block, 4));
    for turn in 0..30 {
        let (node, bytes) = [("other", 16), ("pass", 8), ("counter", 8)][turn % 3];
        outlet = std::thread::spawn(move || {
            outlet.connect(node).unwrap();
            for _ in 0..5 {
                assert_eq!(outlet.recv(LIMIT).unwrap().bytes().len(), bytes, "a frame of another output");
            }
            outlet
        })
        .join()
        .unwrap();
        assert_closed(&run.report());
    }
    outlet.close();
    let report = stopped(run);
    let delivered: u64 = accounts(&report).iter().map(|e| e.delivered).sum();
    assert_eq!((delivered, accounts(&report).len(), report.unintended_losses()), (150, 3, 0));
}

#[test]
fn thousands_of_outlets_leave_one_account() {
    let run = Run::start(&endless(WhenFull::Block), RunOptions::default()).unwrap();
    let mut got = 0;
    for n in 0..3000 {
        let mut outlet = run.subscribe("counter", options(POLICIES[n % 2 + 1], 2)).unwrap();
        if n % 10 == 0 {
            got += u64::from(outlet.recv(LIMIT).is_ok());
        }
        if n % 500 == 0 {
            let report = run.report();
            assert_closed(&report);
            assert!(accounts(&report).len() <= 2);
        }
    }
    let report = stopped(run);
    assert_eq!(accounts(&report).len(), 2);
    assert_eq!((accounts(&report).iter().map(|e| e.delivered).sum::<u64>(), got), (300, 300));
    assert!(accounts(&report).iter().all(|e| (e.queued, e.capacity) == (0, 0)));
}

#[test]
fn outlets_outlive_their_run() {
    let mut graph = chain(WhenFull::Block, 8);
    set(&mut graph, "counter", "frames", 5);
    let run = held(&graph);
    let mut outlet = subscribed(&run, "pass", options(WhenFull::DropNewest, 8));
    run.release_sources();
    assert!(run.wait(LIMIT));
    let mut late = run.subscribe("pass", EdgeOptions::default()).unwrap();
    assert!(!late.wait_connected(LIMIT));
    assert_eq!(late.recv(FOREVER).err(), Some(OutletError::Ended));
    let report = run.finish(LIMIT);
    assert_balanced(&report);
    assert_eq!((account(&report).queued, account(&report).delivered), (5, 0));
    assert_eq!(numbers(&mut outlet), [1, 2, 3, 4, 5]);
    assert!(outlet.connect("counter").is_ok());
    assert_eq!(outlet.recv(FOREVER).err(), Some(OutletError::Ended));
}

#[test]
fn an_abort_ends_outlets_too() {
    let run = Run::start(&endless(WhenFull::Block), RunOptions::default()).unwrap();
    let mut unread = subscribed(&run, "pass", options(WhenFull::Block, 2));
    let mut read = subscribed(&run, "counter", options(WhenFull::Block, 2));
    let reader = std::thread::spawn(move || {
        while read.recv(FOREVER).is_ok() {}
        read.recv(FOREVER).err()
    });
    while unread.queued() < 2 {
        std::thread::sleep(Duration::from_millis(1));
    }
    run.abort();
    assert!(run.wait(LIMIT));
    assert_eq!(reader.join().unwrap(), Some(OutletError::Ended));
    assert_balanced(&run.finish(LIMIT));
    assert_eq!(numbers(&mut unread).len(), 2);
}

/// Acts of a program on one outlet, chosen by a seed, and their results.
struct Fickle {
    outlet: Option<Outlet>,
    random: Random,
    /// Delivered, by output.
    got: BTreeMap<&'static str, u64>,
    node: &'static str,
    last: u64,
}

const OUTPUTS: [&str; 3] = ["counter", "pass", "pass.out"];

impl Fickle {
    fn new(seed: u64) -> Fickle {
        Fickle { outlet: None, random: Random::new(seed), got: BTreeMap::new(), node: "", last: 0 }
    }

    fn step(&mut self, subscribe: impl Fn(&str, EdgeOptions) -> Outlet, timeout: Duration) {
        let output = OUTPUTS[self.random.below(3)];
        let Some(outlet) = &mut self.outlet else {
            let every = 1 + (self.random.below(4) == 0) as u64;
            let when_full = POLICIES[self.random.below(4)];
            let options = EdgeOptions { every, ..options(when_full, 1 + self.random.below(5)) };
            self.outlet = Some(subscribe(output, options));
            return self.moved(output);
        };
        match self.random.below(24) {
            0 => drop(self.outlet.take()),
            1 => outlet.pause(),
            2 | 3 => outlet.resume(),
            4 => {
                outlet.connect(output).unwrap();
                self.moved(output);
            }
            5..=9 => {
                let mut frames = Vec::new();
                let count = outlet.recv_many(&mut frames, 1 + self.random.below(8), timeout).unwrap_or(0);
                assert_eq!(count, frames.len());
                frames.iter().for_each(|frame| self.see(frame));
            }
            10..=20 => {
                let received = outlet.recv(timeout);
                received.into_iter().for_each(|frame| self.see(&frame));
            }
            _ => {}
        }
    }

    fn moved(&mut self, output: &'static str) {
        (self.node, self.last) = (if output == "counter" { "counter.out" } else { "pass.out" }, 0);
    }

    fn see(&mut self, frame: &Frame) {
        let number = frame.header().sequence;
        assert!(number > self.last, "{number} came after {}", self.last);
        self.last = number;
        *self.got.entry(self.node).or_default() += 1;
    }

    fn drain(&mut self) {
        while let Some(Ok(frame)) = self.outlet.as_mut().map(|outlet| outlet.recv(Duration::ZERO)) {
            self.see(&frame);
        }
    }
}

/// The ledger has as delivered what the program got.
fn assert_delivered<'a>(report: &Report, all: impl Iterator<Item = &'a Fickle>) {
    let mut got: BTreeMap<&str, u64> = BTreeMap::new();
    all.flat_map(|fickle| &fickle.got).for_each(|(node, count)| *got.entry(node).or_default() += count);
    let mut delivered: BTreeMap<&str, u64> = BTreeMap::new();
    for account in accounts(report) {
        *delivered.entry(&account.from).or_default() += account.delivered;
    }
    delivered.retain(|_, count| *count > 0);
    assert_eq!(got, delivered);
}

#[test]
fn random_programs_under_random_schedules_keep_the_ledger_closed_at_every_step() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut graph = chain(WhenFull::Block, 1 + random.below(4));
        set(&mut graph, "counter", "frames", 150);
        set(&mut graph, "pass", "fail_every", random.below(3) as i64 * 7);
        graph.options_mut(1).unwrap().placement =
            [Placement::Own, Placement::Pool(2), Placement::Group("a".into())][random.below(3)].clone();
        let mut simulation = Simulation::new(&graph, seed).unwrap();
        let mut programs: Vec<Fickle> = (0..3).map(|n| Fickle::new(seed * 3 + n)).collect();
        let stop_at = if random.below(3) == 0 { random.below(400) } else { usize::MAX };
        for step in 0.. {
            assert!(step < 100_000, "seed {seed} does not end: {:#?}", simulation.report());
            let program = &mut programs[random.below(3)];
            program.step(|output, options| simulation.subscribe(output, options).unwrap(), Duration::ZERO);
            if step == stop_at {
                simulation.stop();
            }
            assert_closed(&simulation.report());
            simulation.step();
            if simulation.is_finished() {
                break;
            }
        }
        programs.iter_mut().for_each(Fickle::drain);
        let report = simulation.report();
        assert_balanced(&report);
        assert_eq!(accounts(&report).iter().map(|e| e.queued).sum::<u64>(), 0);
        assert_delivered(&report, programs.iter());
    }
}

#[test]
fn random_programs_on_threads_keep_the_ledger_closed_at_every_reading() {
    let run = Run::start(&endless(WhenFull::Block), RunOptions::default()).unwrap();
    let (running, readings) = (AtomicU64::new(4), AtomicU64::new(0));
    let mut programs: Vec<Fickle> = (0..4).map(Fickle::new).collect();
    std::thread::scope(|threads| {
        for program in &mut programs {
            let (run, running) = (&run, &running);
            threads.spawn(move || {
                for _ in 0..1500 {
                    program.step(
                        |output, options| run.subscribe(output, options).unwrap(),
                        Duration::from_micros(200),
                    );
                }
                program.outlet = None;
                running.fetch_sub(1, Ordering::Release);
            });
        }
        while running.load(Ordering::Acquire) > 0 {
            assert_closed(&run.report());
            readings.fetch_add(1, Ordering::Relaxed);
        }
    });
    let report = stopped(run);
    assert!(readings.load(Ordering::Relaxed) > 0);
    assert_delivered(&report, programs.iter());
    assert!(accounts(&report).iter().all(|e| e.queued == 0 && e.capacity == 0));
    assert_eq!(report.edges.iter().filter(|e| e.nodes.1.is_some()).map(|e| e.unintended()).sum::<u64>(), 0);
}

/// Nodes come and go beside outlets, and parameters are written.
#[test]
fn outlets_and_edges_of_nodes_are_wired_at_the_same_time() {
    let run = Run::start(&endless(WhenFull::DropNewest), RunOptions::default()).unwrap();
    let is_running = AtomicBool::new(true);
    let mut program = Fickle::new(99);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for n in 0..40 {
                run.disconnect("pass", "tally").unwrap();
                run.connect("counter", "tally", options(WhenFull::DropNewest, 3)).unwrap();
                run.disconnect("counter", "tally").unwrap();
                run.connect("pass", "tally", options(POLICIES[n % 4], 3)).unwrap();
                run.set("pass", "fail_every", &Value::Int(n as i64)).unwrap();
            }
            is_running.store(false, Ordering::Release);
        });
        while is_running.load(Ordering::Acquire) {
            program
                .step(|output, options| run.subscribe(output, options).unwrap(), Duration::from_micros(50));
            assert_closed(&run.report());
        }
    });
    program.outlet = None;
    let report = stopped(run);
    assert_delivered(&report, [&program].into_iter());
    // pass -> tally by four policies, counter -> tally by one, counter -> pass, and outlets of two outputs.
    assert!(report.edges.len() <= 4 + 1 + 1 + 2 * POLICIES.len(), "{}", report.edges.len());
}
