//! Handlers that run beside one another.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use livetime_actors::*;

const LONG: Duration = livetime_testkit::HANG;

/// State that the handlers of an agent share.
#[derive(Default)]
struct Work {
    running: AtomicU64,
    most: AtomicU64,
    done: AtomicU64,
    /// Handlers that should have been alone and were not.
    disturbed: AtomicU64,
}

impl Work {
    fn during(&self, work: impl FnOnce()) {
        self.most.fetch_max(self.running.fetch_add(1, SeqCst) + 1, SeqCst);
        work();
        self.running.fetch_sub(1, SeqCst);
        self.done.fetch_add(1, SeqCst);
    }
}

/// Handles jobs side by side, and commands alone.
struct Worker {
    jobs: Channel<u64>,
    commands: Channel<()>,
    answers: Channel<u64>,
    work: Arc<Work>,
    /// Where two handlers meet, if they have to.
    meeting: Option<Arc<Barrier>>,
}

impl Worker {
    fn new(system: &System, work: &Arc<Work>) -> Worker {
        Worker {
            jobs: system.channel("jobs").unwrap(),
            commands: system.channel("commands").unwrap(),
            answers: system.channel("answers").unwrap(),
            work: work.clone(),
            meeting: None,
        }
    }

    fn command(&mut self, _: (), _: &mut Context<Self>) {
        let others = self.work.running.load(SeqCst);
        self.work.disturbed.fetch_add(others, SeqCst);
    }
}

impl Agent for Worker {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        let (answers, meeting) = (self.answers.clone(), self.meeting.clone());
        let handle = move |work: &Work, job: u64, ctx: &mut ParallelContext| -> Result<(), AgentError> {
            work.during(|| {
                meeting.iter().for_each(|meeting| _ = meeting.wait());
            });
            match job {
                13 => return Err(AgentError::new("wanted another number than 13")),
                14 => std::panic::resume_unwind(Box::new("14")),
                _ => ctx.publish(&answers, job * 2),
            }
            Ok(())
        };
        ctx.on_parallel(&self.jobs, INPUT, &self.work, handle);
        ctx.on(&self.commands, Self::command);
        Ok(())
    }
}

fn placements() -> [Placement; 3] {
    [Placement::Own, Placement::group("shared"), Placement::pool("pool", 3)]
}

#[test]
fn two_messages_are_handled_at_once_in_a_pool() {
    let (system, work) = (System::default(), Arc::new(Work::default()));
    let meeting = Some(Arc::new(Barrier::new(2)));
    let worker = Worker { meeting, ..Worker::new(&system, &work) };
    let jobs = worker.jobs.clone();
    system.group("g").placement(Placement::pool("pool", 2)).add("worker", worker).start().unwrap();
    (0..20).for_each(|i| _ = jobs.publish(100 + i));
    // Each waits until another one is there.
    let report = system.stop(LONG);
    assert_eq!(report.imbalances(), [""; 0]);
    assert_eq!((report.agent("worker").unwrap().completed, work.most.load(SeqCst)), (20, 2));
}

#[test]
fn every_message_is_handled_and_answered_wherever_the_agent_runs() {
    for placement in placements() {
        let (system, work) = (System::default(), Arc::new(Work::default()));
        let worker = Worker::new(&system, &work);
        let (jobs, answers) = (worker.jobs.clone(), Chain::new(2_000));
        answers.subscribe(&worker.answers);
        system.group("g").placement(placement.clone()).add("worker", worker).start().unwrap();
        (100..1_100).for_each(|i| _ = jobs.publish(i));
        let report = system.stop(LONG);
        assert_eq!(report.imbalances(), [""; 0], "{placement:?}");
        assert_eq!(work.done.load(SeqCst), 1_000, "{placement:?}");
        let mut seen: Vec<u64> = std::iter::from_fn(|| answers.try_receive()).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq((100..1_100).map(|i| 2 * i)), "{placement:?}");
        assert!(report.agent("worker").unwrap().service.count > 0);
    }
}

#[test]
fn other_handlers_are_alone_and_get_their_turn() {
    let (system, work) = (System::default(), Arc::new(Work::default()));
    let worker = Worker::new(&system, &work);
    let (jobs, commands) = (worker.jobs.clone(), worker.commands.clone());
    system.group("g").placement(Placement::pool("pool", 3)).add("worker", worker).start().unwrap();
    let flood = std::thread::spawn(move || (100..5_100).for_each(|i| _ = jobs.publish(i)));
    (0..200).for_each(|_| _ = commands.publish(()));
    flood.join().unwrap();
    let report = system.stop(LONG);
    assert_eq!(report.imbalances(), [""; 0]);
    assert_eq!(report.agent("worker").unwrap().completed, 5_200);
    assert_eq!(work.disturbed.load(SeqCst), 0);
}

#[test]
fn failures_cost_one_message_each() {
    for placement in placements() {
        let (system, work) = (System::default(), Arc::new(Work::default()));
        let worker = Worker::new(&system, &work);
        let jobs = worker.jobs.clone();
        let group = system.group("g").placement(placement.clone()).on_failure(OnFailure::Ignore);
        group.add("worker", worker).start().unwrap();
        [1, 13, 2, 14, 3].into_iter().for_each(|i| _ = jobs.publish(i));
        let report = system.stop(LONG);
        let worker = report.agent("worker").unwrap();
        assert_eq!(report.imbalances(), [""; 0], "{placement:?}");
        assert_eq!(worker.completed, 3, "{placement:?}");
        assert_eq!((worker.lost[&LossReason::NodeError], worker.lost[&LossReason::NodePanic]), (1, 1));
    }
}

#[test]
fn a_restarted_agent_goes_on_with_what_waits() {
    for placement in placements() {
        let (system, work) = (System::default(), Arc::new(Work::default()));
        let (jobs, made) = (system.channel::<u64>("jobs").unwrap(), Arc::new(AtomicU64::new(0)));
        let (channels, shared, count) = (system.channels(), work.clone(), made.clone());
        let make = move || {
            count.fetch_add(1, SeqCst);
            let of = |name: &str| channels.channel(name, ChannelKind::Broadcast).unwrap();
            Worker {
                jobs: of("jobs"),
                commands: channels.channel("commands", ChannelKind::Broadcast).unwrap(),
                answers: of("answers"),
                work: shared.clone(),
                meeting: None,
            }
        };
        let group = system.group("g").placement(placement.clone());
        let restart = OnFailure::Restart { first: Duration::from_millis(1), most: 3 };
        group.on_failure(restart).add_factory("worker", make).start().unwrap();
        (0..50).for_each(|i| _ = jobs.publish(if i == 20 { 13 } else { 100 + i }));
        let report = system.stop(LONG);
        assert_eq!(report.imbalances(), [""; 0], "{placement:?}");
        assert_eq!((report.agent("worker").unwrap().completed, made.load(SeqCst)), (49, 2), "{placement:?}");
    }
}

#[test]
fn an_end_in_between_leaves_no_account_open() {
    for round in 0..200 {
        let (system, work) = (System::default(), Arc::new(Work::default()));
        let worker = Worker::new(&system, &work);
        let jobs = worker.jobs.clone();
        let group = system.group("g").placement(Placement::pool("pool", 2));
        let group = group.add("worker", worker).start().unwrap();
        (0..round).for_each(|i| _ = jobs.publish(100 + i));
        group.end("enough");
        let report = system.stop(LONG);
        assert_eq!(report.imbalances(), [""; 0]);
        assert!(report.failure.is_none(), "{report:?}");
    }
}

#[test]
fn a_full_input_keeps_its_policy() {
    let (system, work) = (System::default(), Arc::new(Work::default()));
    let jobs = system.channel::<u64>("jobs").unwrap();
    let (gate, shared) = (Arc::new(Barrier::new(2)), work.clone());
    struct Slow(Channel<u64>, Arc<Work>, Arc<Barrier>);
    impl Agent for Slow {
        type State = ();
        fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
            let two = EdgeOptions { when_full: WhenFull::DropNewest, queue: 2, ..EdgeOptions::default() };
            let gate = self.2.clone();
            let handle = move |work: &Work, job: u64, _: &mut ParallelContext| {
                work.during(|| {
                    if job == 0 {
                        gate.wait();
                        gate.wait();
                    }
                });
            };
            ctx.on_parallel(&self.0, two, &self.1, handle);
            Ok(())
        }
    }
    let slow = Slow(jobs.clone(), shared, gate.clone());
    system.group("g").placement(Placement::Own).add("slow", slow).start().unwrap();
    jobs.publish(0);
    gate.wait();
    (1..=5).for_each(|i| _ = jobs.publish(i));
    gate.wait();
    let report = system.stop(LONG);
    assert_eq!(report.imbalances(), [""; 0]);
    assert_eq!(report.agent("slow").unwrap().inputs[0].lost[&LossReason::QueueFull], 3);
    assert_eq!(work.done.load(SeqCst), 3);
}
