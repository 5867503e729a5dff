//! Agents, channels, addresses, timers, states and groups, as their users see them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use livetime_actors::*;

/// Nothing here takes as long; a test that waits so long has failed.
const LONG: Duration = livetime_testkit::HANG;

pub(crate) fn placements() -> [Placement; 4] {
    [
        Placement::Own,
        Placement::group("shared"),
        Placement::pool("pool", 2),
        Placement::Pool { name: "ordered".into(), threads: 2, order: PoolOrder::ByGroup },
    ]
}

/// Passes numbers on; of two such agents each gets what the other sent.
struct Player {
    inbox: Channel<u64>,
    out: Publisher<u64>,
    last: u64,
    done: Chain<u64>,
}

impl Agent for Player {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.inbox, Self::number);
        Ok(())
    }
}

impl Player {
    fn number(&mut self, number: u64, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        if number == self.last {
            self.done.send(number);
        } else {
            ctx.publish(&mut self.out, number + 1);
        }
        Ok(())
    }
}

#[test]
fn two_agents_play_wherever_they_run() {
    for placement in placements() {
        let system = System::default();
        let (ping, pong) = (system.channel::<u64>("ping").unwrap(), system.channel("pong").unwrap());
        let done = Chain::new(1);
        let player = |inbox: &Channel<u64>, out: &Channel<u64>| Player {
            inbox: inbox.clone(),
            out: out.publisher(),
            last: 10_000,
            done: done.clone(),
        };
        let group = system.group("game").placement(placement.clone());
        group.add("a", player(&ping, &pong)).add("b", player(&pong, &ping)).start().unwrap();
        ping.publish(0);
        assert_eq!(done.receive(LONG), Some(10_000), "{placement:?}");
        let report = system.stop(LONG);
        assert_eq!(report.imbalances(), [""; 0], "{placement:?}");
        let handled: u64 = report.agents.iter().map(|a| a.completed).sum();
        assert_eq!(handled, 10_001);
        assert!(report.failure.is_none() && report.events.is_empty(), "{report:#?}");
        assert!(report.agent("a").unwrap().service.count > 0);
    }
}

/// Sends itself numbers, and gets numbers of others at the same input.
struct Counting {
    numbers: Channel<(u8, u64)>,
    out: Publisher<(u8, u64)>,
    last: [u64; 2],
    disorder: Arc<AtomicUsize>,
}

impl Agent for Counting {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.numbers, Self::number);
        Ok(())
    }
}

impl Counting {
    fn number(&mut self, (sender, number): (u8, u64), ctx: &mut Context<Self>) {
        let last = &mut self.last[usize::from(sender)];
        self.disorder.fetch_add(usize::from(number != *last + 1), SeqCst);
        *last = number;
        if sender == 0 && number % 2 == 1 && number < 20_001 {
            ctx.publish(&mut self.out, (0, number + 1));
            ctx.publish(&mut self.out, (0, number + 2));
        }
    }
}

#[test]
fn senders_here_and_elsewhere_each_keep_their_order() {
    for placement in placements() {
        let (system, disorder) = (System::default(), Arc::new(AtomicUsize::new(0)));
        let numbers = system.channel("numbers").unwrap();
        let agent = Counting {
            numbers: numbers.clone(),
            out: numbers.publisher(),
            last: [0; 2],
            disorder: disorder.clone(),
        };
        system.group("g").placement(placement.clone()).add("counting", agent).start().unwrap();
        let mut publisher = numbers.publisher();
        publisher.publish((0, 1));
        (1..=20_000).for_each(|n| _ = publisher.publish((1, n)));
        let report = system.stop(LONG);
        assert_eq!(report.imbalances(), [""; 0], "{placement:?}");
        assert_eq!((report.agent("counting").unwrap().completed, disorder.load(SeqCst)), (40_001, 0));
    }
}

/// Takes numbers slowly, or stands still while the gate is shut, and says which it got.
struct Taker {
    numbers: Channel<u64>,
    options: EdgeOptions,
    gate: Chain<()>,
    got: Chain<u64>,
}

impl Agent for Taker {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.numbers, Self::number).options(self.options);
        Ok(())
    }
}

impl Taker {
    fn number(&mut self, number: u64, _: &mut Context<Self>) -> Result<(), AgentError> {
        if number == 0 {
            self.gate.receive(LONG);
        }
        self.got.send(number);
        Ok(())
    }
}

/// Sends 0 to 9 to an agent that stands still at 0 and has a queue for 4.
fn ten_into_four(when_full: WhenFull) -> (Vec<u64>, SystemReport) {
    let system = System::default();
    let numbers = system.channel::<u64>("numbers").unwrap();
    let (gate, got, at_zero) = (Chain::new(1), Chain::new(16), Arc::new(AtomicUsize::new(0)));
    let options = EdgeOptions { when_full, queue: 4, ..EdgeOptions::default() };
    let taker = Taker { numbers: numbers.clone(), options, gate: gate.clone(), got: got.clone() };
    system.group("taker").add("taker", taker).start().unwrap();
    numbers.publish(0);
    while system.report().agent("taker").unwrap().queued() > 0 {
        std::thread::yield_now();
    }
    let sender = std::thread::spawn(move || {
        (1..10).for_each(|n| _ = numbers.publish(n));
        at_zero.store(1, SeqCst);
    });
    if when_full != WhenFull::Block {
        sender.join().unwrap();
        gate.send(());
    } else {
        while system.report().agent("taker").unwrap().queued() < 4 {
            std::thread::yield_now();
        }
        assert!(!sender.is_finished(), "a sender that must not lose messages waits");
        gate.send(());
        sender.join().unwrap();
    }
    let report = system.stop(LONG);
    got.close(true);
    (std::iter::from_fn(|| got.try_receive()).collect(), report)
}

#[test]
fn a_full_input_does_what_was_asked_for_and_counts_it() {
    let expected = [
        (WhenFull::Block, vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 9], None),
        (WhenFull::DropNewest, vec![0, 1, 2, 3, 4], Some((LossReason::QueueFull, 5))),
        (WhenFull::DropOldest, vec![0, 6, 7, 8, 9], Some((LossReason::Overwritten, 5))),
        (WhenFull::Latest, vec![0, 9], Some((LossReason::Overwritten, 8))),
        (WhenFull::Fail, vec![0, 1, 2, 3, 4], Some((LossReason::QueueFull, 5))),
    ];
    for (when_full, numbers, lost) in expected {
        let (got, report) = ten_into_four(when_full);
        assert_eq!(got, numbers, "{when_full:?}");
        assert_eq!(report.imbalances(), [""; 0]);
        let input = &report.agent("taker").unwrap().inputs[0];
        assert_eq!(input.offered, 10);
        assert_eq!(input.lost.iter().map(|(r, n)| (*r, *n)).next(), lost);
        assert_eq!(report.failure.is_some(), when_full == WhenFull::Fail);
    }
}

#[test]
fn an_agent_waits_for_room_without_its_thread() {
    // Both on one thread: if the sender's handler waited, the receiver could never make room.
    struct Burst {
        go: Channel<()>,
        out: Publisher<u64>,
    }
    impl Agent for Burst {
        type State = ();
        fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
            ctx.on(&self.go, |burst: &mut Self, (), ctx| {
                (1..=100).for_each(|n| _ = ctx.publish(&mut burst.out, n));
                Ok(())
            });
            Ok(())
        }
    }
    for placement in placements() {
        let system = System::default();
        let (go, numbers) = (system.channel::<()>("go").unwrap(), system.channel::<u64>("n").unwrap());
        let (gate, got) = (Chain::new(1), Chain::new(1000));
        let options = EdgeOptions { when_full: WhenFull::Block, queue: 4, ..EdgeOptions::default() };
        let taker = Taker { numbers: numbers.clone(), options, gate, got: got.clone() };
        let group = system.group("g").placement(placement.clone()).add("taker", taker);
        group.add("burst", Burst { go: go.clone(), out: numbers.publisher() }).start().unwrap();
        (0..5).for_each(|_| _ = go.publish(()));
        let received: Vec<u64> = (0..500).map_while(|_| got.receive(LONG)).collect();
        assert_eq!(received, (0..5).flat_map(|_| 1..=100).collect::<Vec<_>>(), "{placement:?}");
        let report = system.stop(LONG);
        assert_eq!((report.imbalances(), report.unintended_losses()), (vec![], 0), "{placement:?}");
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stream {
    #[default]
    Down,
    Up,
}

/// Says when images begin to come and when they have ceased.
struct Detector {
    images: Channel<u64>,
    limit: Duration,
    said: Chain<(Stream, bool)>,
}

impl Agent for Detector {
    type State = Stream;

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.images, |_: &mut Self, image, ctx| {
            ctx.transfer(Stream::Up, image);
            Ok(())
        })
        .in_states(&[Stream::Down]);
        ctx.on(&self.images, Self::image).in_states(&[Stream::Up]);
        Ok(())
    }

    fn enter(&mut self, state: Stream, ctx: &mut Context<Self>) {
        self.said.send((state, true));
        if state == Stream::Up {
            ctx.limit_state(self.limit, Stream::Down);
        }
    }

    fn exit(&mut self, state: Stream, _: &mut Context<Self>) {
        self.said.send((state, false));
    }
}

impl Detector {
    fn image(&mut self, _: u64, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.renew_limit();
        Ok(())
    }
}

#[test]
fn states_have_limits_hooks_and_transfers() {
    use Stream::{Down, Up};
    let system = System::default();
    let images = system.channel::<u64>("images").unwrap();
    let said = Chain::new(100);
    let limit = Duration::from_millis(5);
    let detector = Detector { images: images.clone(), limit, said: said.clone() };
    system.group("watch").add("detector", detector).start().unwrap();
    for _ in 0..3 {
        (0..10).for_each(|n| _ = images.publish(n));
        let next = || said.receive(LONG).unwrap();
        assert_eq!((next(), next()), ((Down, true), (Down, false)));
        assert_eq!((next(), next()), ((Up, true), (Up, false)));
    }
    let report = system.stop(LONG);
    // On a busy machine the limit may pass between two images: then there were more rounds.
    let rest: Vec<_> = std::iter::from_fn(|| said.try_receive()).collect();
    let round = [(Down, true), (Down, false), (Up, true), (Up, false)];
    assert!(
        rest.iter().eq(round.iter().cycle().take(rest.len())),
        "a limit fires once and only once: {rest:?}"
    );
    assert_eq!(report.agent("detector").unwrap().completed, 30);
    assert_eq!(report.imbalances(), [""; 0]);
}

#[test]
fn a_channel_may_keep_its_newest_message_or_share_its_messages_out() {
    let system = System::default();
    let state = system.channel_of::<u32>("state", ChannelKind::Retained).unwrap();
    state.publish(1);
    state.publish(2);
    let late = Chain::new(4);
    late.subscribe(&state);
    assert_eq!((late.try_receive(), late.try_receive()), (Some(2), None));

    let jobs = system.channel_of::<u32>("jobs", ChannelKind::RoundRobin).unwrap();
    let workers = [Chain::new(1), Chain::new(9)];
    workers.iter().for_each(|w| w.subscribe(&jobs));
    (0..6).for_each(|n| assert_eq!(jobs.publish(n), 1));
    assert_eq!((workers[0].len(), workers[1].len()), (1, 5), "who has no room is passed over");

    let error = system.channel::<f64>("jobs").err().unwrap().to_string();
    assert_eq!(error, "channel `jobs` is one of u32, wanted one of f64");
}

#[test]
fn a_producer_learns_whether_anybody_listens() {
    let channel = Channel::<u8>::new("preview", ChannelKind::Broadcast);
    let heard = Chain::new(9);
    let notices = heard.clone();
    channel.on_listening(move |listening| _ = notices.send(listening));
    let system = System::default();
    let first = system.agent_fn("first", &channel, |_, _| ()).unwrap();
    let second = system.agent_fn("second", &channel, |_, _| ()).unwrap();
    first.end("enough");
    assert!(first.wait(LONG));
    assert_eq!(heard.try_receive(), Some(true));
    assert!(heard.is_empty());
    second.end("enough");
    assert!(second.wait(LONG));
    assert_eq!(heard.try_receive(), Some(false));
}

#[test]
fn agents_spawn_others_that_answer() {
    /// Counts the leaves of a tree.
    struct Branch {
        depth: u32,
        answer: Address<u64>,
        waiting: u32,
        sum: u64,
    }
    impl Agent for Branch {
        type State = ();
        fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
            if self.depth == 0 {
                ctx.send(&self.answer, 1);
                ctx.end();
                return Ok(());
            }
            let answer = ctx.inbox(Self::result);
            let depth = self.depth - 1;
            (0..10).try_for_each(|_| ctx.spawn(Branch { depth, answer: answer.clone(), waiting: 10, sum: 0 }))
        }
    }
    impl Branch {
        fn result(&mut self, leaves: u64, ctx: &mut Context<Self>) -> Result<(), AgentError> {
            self.sum += leaves;
            self.waiting -= 1;
            if self.waiting == 0 {
                ctx.send(&self.answer, self.sum);
                ctx.end();
            }
            Ok(())
        }
    }
    struct Root(Chain<u64>);
    impl Agent for Root {
        type State = ();
        fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
            let answer = ctx.inbox(|root: &mut Root, leaves, _| _ = root.0.send(leaves));
            ctx.spawn(Branch { depth: 4, answer, waiting: 10, sum: 0 })
        }
    }
    for placement in placements() {
        let system = System::default();
        let done = Chain::new(1);
        system.group("tree").placement(placement).add("root", Root(done.clone())).start().unwrap();
        assert_eq!(done.receive(LONG), Some(10_000));
        let report = system.stop(LONG);
        assert_eq!(report.imbalances(), [""; 0]);
        let offered: u64 = report.agents.iter().flat_map(|a| &a.inputs).map(|i| i.offered).sum();
        assert_eq!(offered, 10_000 + 1_000 + 100 + 10 + 1);
    }
}

#[test]
fn timers_come_and_can_be_taken_back() {
    let system = System::default();
    let seen = Chain::with(100, WhenFull::DropNewest);
    let ticks = system.every(Duration::from_micros(500), &seen, 1u8);
    assert!((0..5).all(|_| seen.receive(LONG) == Some(1)));
    ticks.cancel();
    let never = system.after(Duration::from_secs(3600), &seen, 2);
    system.after(Duration::from_millis(1), &seen, 3).keep();
    // Ticks that were on their way come before it.
    let next = std::iter::from_fn(|| seen.receive(LONG)).find(|number| *number != 1);
    assert_eq!(next, Some(3));
    assert!(never.cancel(), "it had not been sent");
    assert_eq!(system.report().timers, 0);
}

/// Fails on multiples of ten, by an error or a panic.
struct Fragile {
    numbers: Channel<u64>,
    good: Chain<u64>,
    panics: bool,
    since_start: u64,
}

impl Agent for Fragile {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.numbers, Self::number);
        Ok(())
    }
}

impl Fragile {
    fn number(&mut self, number: u64, _: &mut Context<Self>) -> Result<(), AgentError> {
        self.since_start += 1;
        if number % 10 == 9 {
            assert!(!self.panics, "number {number} is bad");
            return Err(AgentError::new(format!("number {number} is bad")));
        }
        assert!(self.since_start <= 10, "state survived a restart");
        self.good.send(number);
        Ok(())
    }
}

#[test]
fn an_agent_is_built_anew_and_its_queue_stays() {
    for (placement, panics) in placements().into_iter().zip([false, true, false, true]) {
        let system = System::default();
        let numbers = system.channel::<u64>("numbers").unwrap();
        let good = Chain::new(200);
        let (channel, out) = (numbers.clone(), good.clone());
        let make = move || Fragile { numbers: channel.clone(), good: out.clone(), panics, since_start: 0 };
        let restart = OnFailure::Restart { first: Duration::from_micros(50), most: 100 };
        let group = system.group("g").placement(placement).on_failure(restart);
        group.add_factory("fragile", make).start().unwrap();
        (0..100).for_each(|n| _ = numbers.publish(n));
        let expected: Vec<u64> = (0..100).filter(|n| n % 10 != 9).collect();
        assert_eq!(expected.iter().map_while(|_| good.receive(LONG)).collect::<Vec<_>>(), expected);
        let report = system.stop(LONG);
        let fragile = report.agent("fragile").unwrap();
        let reason = if panics { LossReason::NodePanic } else { LossReason::NodeError };
        assert_eq!(fragile.lost.iter().collect::<Vec<_>>(), [(&reason, &10)]);
        assert_eq!((fragile.restarts, report.imbalances()), (10, vec![]));
    }
}

#[test]
fn failures_end_what_they_are_told_to_end() {
    let run = |what| {
        let system = System::default();
        let numbers = system.channel::<u64>("numbers").unwrap();
        let fragile =
            Fragile { numbers: numbers.clone(), good: Chain::new(100), panics: false, since_start: 0 };
        let group = system.group("g").on_failure(what).add("fragile", fragile).start().unwrap();
        numbers.publish(9);
        (system, group, numbers)
    };
    let (system, group, _) = run(OnFailure::Stop);
    assert!(system.wait(LONG));
    assert!(!group.has_ended());
    assert_eq!(system.stop(LONG).failure.as_deref(), Some("agent `fragile`: number 9 is bad"));

    let (system, group, _) = run(OnFailure::DropGroup);
    assert!(group.wait(LONG));
    assert_eq!(system.stop(LONG).failure, None);

    let (system, group, numbers) = run(OnFailure::Ignore);
    numbers.publish(1);
    let report = system.stop(LONG);
    assert!(group.has_ended());
    assert_eq!(report.agent("fragile").unwrap().completed, 1);

    // Without a factory nothing can be built anew.
    let (_system, group, _) = run(OnFailure::Restart { first: Duration::ZERO, most: 3 });
    assert!(group.wait(LONG));
}

#[test]
fn what_is_queued_is_handled_before_the_end_and_guards_are_waited_for() {
    /// Keeps numbers back and writes them when it has to.
    struct Cache {
        numbers: Channel<u64>,
        phase: Channel<Phase>,
        kept: Vec<u64>,
        guard: Option<StopGuard>,
        written: Chain<u64>,
    }
    impl Agent for Cache {
        type State = ();
        fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
            self.guard = Some(ctx.stop_guard("cache"));
            ctx.on(&self.numbers, |cache: &mut Self, number, _| cache.kept.push(number));
            ctx.on(&self.phase, |cache: &mut Self, phase, _| {
                if phase == Phase::Stopping {
                    cache.guard = None;
                }
            });
            Ok(())
        }
        fn drain(&mut self, _: &mut Context<Self>) {
            self.kept.drain(..).for_each(|number| _ = self.written.send(number));
        }
    }
    let system = System::default();
    let numbers = system.channel::<u64>("numbers").unwrap();
    let written = Chain::new(1000);
    let cache = Cache {
        numbers: numbers.clone(),
        phase: system.phase(),
        kept: vec![],
        guard: None,
        written: written.clone(),
    };
    system.group("g").add("cache", cache).start().unwrap();
    (0..500).for_each(|n| _ = numbers.publish(n));
    let report = system.stop(LONG);
    assert_eq!(written.len(), 500);
    assert!(report.events.is_empty(), "{:?}", report.events);
    assert_eq!(report.imbalances(), [""; 0]);
}

#[test]
fn what_cannot_be_done_in_time_is_left_and_counted() {
    let (gate, got) = (Chain::new(1), Chain::new(1));
    let closer = got.clone();
    let close = move |event: &Event| {
        if event.message.starts_with("messages were left") {
            closer.close(false);
        }
    };
    let system = System::new(SystemOptions { on_event: Some(Arc::new(close)) });
    let numbers = system.channel::<u64>("numbers").unwrap();
    let taker = Taker { numbers: numbers.clone(), options: INPUT, gate: gate.clone(), got: got.clone() };
    system.group("g").add("taker", taker).start().unwrap();
    // The handler of 1 waits for room in `got`, which stays full until the time to stop is over.
    (1..=10).for_each(|n| _ = numbers.publish(n));
    let guard = system.stop_guard("never released");
    let report = system.stop(Duration::from_millis(100));
    drop(guard);
    let told: Vec<&str> = report.events.iter().map(|e| e.message.as_str()).collect();
    let expected = [
        "stop guard `never released` was not released in time",
        "messages were left when the time to stop was over",
    ];
    assert_eq!(told, expected);
    assert_eq!(report.imbalances(), [""; 0]);
    let input = &report.agent("taker").unwrap().inputs[0];
    assert_eq!(input.offered, 10);
    assert_eq!(input.delivered + input.lost.get(&LossReason::Aborted).copied().unwrap_or(0), 10);
}

/// Passes what it gets to the next of a ring, and sometimes spawns, sets timers and fails.
struct Busy {
    from: Channel<u64>,
    to: Publisher<u64>,
    timers: Vec<Timer>,
}

impl Agent for Busy {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.from, Self::message).options(EdgeOptions { queue: 16, ..EdgeOptions::default() });
        Ok(())
    }
}

impl Busy {
    fn message(&mut self, number: u64, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        if number % 64 == 5 {
            let channel = self.to.channel().clone();
            self.timers.push(ctx.every(Duration::from_micros(100), &channel, number + 1));
        }
        if self.timers.len() > 4 {
            self.timers.clear();
        }
        ctx.publish(&mut self.to, number + 1);
        if number % 100 == 99 { Err(AgentError::new("on purpose")) } else { Ok(()) }
    }
}

#[test]
fn a_thousand_shutdowns_under_load_end() {
    let mut left = 0;
    for round in 0..1000u64 {
        let system = System::default();
        let channels: Vec<Channel<u64>> = (0..3).map(|i| system.channel(&format!("c{i}")).unwrap()).collect();
        let mut group = system.group("ring").on_failure(OnFailure::Ignore);
        for i in 0..3 {
            let place = placements()[(round as usize + i * (round as usize / 4 % 3)) % 4].clone();
            let busy =
                Busy { from: channels[i].clone(), to: channels[(i + 1) % 3].publisher(), timers: vec![] };
            group = group.placement(place).add(&format!("busy{i}"), busy);
        }
        group.start().unwrap();
        let outside = channels[0].clone();
        let sender = std::thread::spawn(move || (0..50).for_each(|n| _ = outside.publish(n)));
        if round % 3 > 0 {
            sender.join().unwrap();
        }
        // A ring never comes to rest: whatever goes round is left.
        let report = system.stop(Duration::from_millis(round % 2));
        assert_eq!(report.failure, None, "round {round}");
        left += report.agents.iter().flat_map(|a| a.inputs.iter().flat_map(|i| i.lost.values())).sum::<u64>();
        assert_eq!(report.imbalances(), [""; 0], "round {round}");
    }
    assert!(left > 0);
}
