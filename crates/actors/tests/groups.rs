//! Groups of agents: how they start, where their agents run, and how they end.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;
use std::time::Duration;

use livetime_actors::*;

use crate::agents::placements;

/// Nothing here takes as long; a test that waits so long has failed.
const LONG: Duration = livetime_testkit::HANG;

#[test]
fn a_group_starts_as_one_or_not_at_all() {
    struct Listener {
        numbers: Channel<u64>,
    }
    impl Agent for Listener {
        type State = ();
        fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
            ctx.on(&self.numbers, |_, _, _| Ok(()));
            Ok(())
        }
    }
    struct Refuses;
    impl Agent for Refuses {
        type State = ();
        fn start(&mut self, _: &mut Context<Self>) -> Result<(), AgentError> {
            Err(AgentError::new("no camera"))
        }
    }
    for placement in placements() {
        let system = System::default();
        let channel = system.channel::<u8>("c").unwrap();
        let owned = Arc::new(());
        let listener = || {
            let numbers = system.channel("n").unwrap();
            Listener { numbers }
        };
        let group = system.group("camera").own(owned.clone()).placement(placement);
        let error = group.add("listener", listener()).add("grabber", Refuses).start().err().unwrap();
        assert_eq!(error.to_string(), "agent `grabber`: no camera");
        assert_eq!(system.channel::<u64>("n").unwrap().subscribers(), 0);
        assert_eq!(Arc::strong_count(&owned), 1, "what the group owned is gone with it");
        drop(channel);
    }
}

/// Notes the threads that start it and run it, and writes to another agent from `start`.
struct Placed {
    me: Channel<()>,
    other: Channel<()>,
    threads: Chain<std::thread::ThreadId>,
}

impl Agent for Placed {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        self.threads.send(std::thread::current().id());
        ctx.on(&self.me, |me: &mut Self, (), _: &mut Context<Self>| {
            _ = me.threads.send(std::thread::current().id())
        });
        ctx.publish(&mut self.other.publisher(), ());
        Ok(())
    }
}

/// An agent with a thread of its own starts on that thread, so that it may open what belongs to it. Agents with other
/// placements start on the thread that starts their group. Messages that they send while they start arrive all the
/// same.
#[test]
fn agents_start_where_they_run_or_where_they_are_started_and_what_they_send_arrives() {
    for placement in placements() {
        let system = System::default();
        let (first, second) =
            (Channel::new("first", ChannelKind::Broadcast), Channel::new("second", ChannelKind::Broadcast));
        let threads = [Chain::new(8), Chain::new(8)];
        let placed = |me: &Channel<()>, other: &Channel<()>, threads: &Chain<_>| Placed {
            me: me.clone(),
            other: other.clone(),
            threads: threads.clone(),
        };
        let start = |name: &str, agent| {
            system.group(name).placement(placement.clone()).add(name, agent).start().unwrap();
            // The thread that is shared comes to rest.
            std::thread::sleep(Duration::from_millis(5));
        };
        start("a", placed(&first, &second, &threads[0]));
        // The second one writes to the first while it starts.
        start("b", placed(&second, &first, &threads[1]));
        let [started, ran] = [0; 2].map(|_| threads[0].receive(LONG).unwrap());
        assert_ne!(ran, std::thread::current().id(), "{placement:?}");
        if placement == Placement::Own {
            assert_eq!(started, ran);
        }
        assert_eq!(system.stop(LONG).imbalances(), Vec::<String>::new(), "{placement:?}");
    }
}

/// Panics or fails while it starts, or starts another one on its own thread.
struct Troubled(u8, Option<GroupBuilder>);

impl Agent for Troubled {
    type State = ();

    fn start(&mut self, _: &mut Context<Self>) -> Result<(), AgentError> {
        match self.0 {
            0 => panic!("in start"),
            1 => Err(AgentError::new("no such device")),
            _ => self.1.take().map_or(Ok(()), |group| group.start().map(|_| ())),
        }
    }
}

/// Passes numbers to a chain.
struct Calm(Channel<u64>, Chain<u64>);

impl Agent for Calm {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.0, |me: &mut Self, number, _: &mut Context<Self>| _ = me.1.send(number));
        Ok(())
    }
}

#[test]
fn trouble_while_agents_start_ends_there_whatever_thread_starts_them() {
    for placement in &placements()[1..] {
        let system = System::default();
        let numbers = system.channel::<u64>("numbers").unwrap();
        let seen = Chain::new(4);
        let out = seen.clone();
        let calm = Calm(numbers.clone(), out);
        system.group("calm").placement(placement.clone()).add("calm", calm).start().unwrap();
        for (trouble, expected) in [(0, "in start"), (1, "no such device"), (2, "use `spawn`")] {
            let inner = system.group("inner").placement(placement.clone()).add("inner", Troubled(3, None));
            let group = system.group("calm").placement(placement.clone());
            let result = group.add("troubled", Troubled(trouble, Some(inner))).start();
            let is_own_strand = *placement == Placement::group("shared");
            match result {
                Err(error) => assert!(error.to_string().contains(expected), "{placement:?}: {error}"),
                // In a pool each agent has a strand of its own, so one may start another there.
                Ok(_) => assert!(trouble == 2 && !is_own_strand, "{placement:?}: {trouble}"),
            }
        }
        assert_eq!(numbers.publish(5), 1);
        assert_eq!(seen.receive(LONG), Some(5), "{placement:?}");
        assert_eq!(system.stop(LONG).imbalances(), Vec::<String>::new());
    }
}

#[test]
fn children_end_before_their_parent_and_resources_after_the_agents() {
    struct Says(Chain<&'static str>, &'static str);
    impl Agent for Says {
        type State = ();
        fn start(&mut self, _: &mut Context<Self>) -> Result<(), AgentError> {
            Ok(())
        }
        fn stop(&mut self, _: &mut Context<Self>) {
            self.0.send(self.1);
        }
    }
    struct Dropped(Chain<&'static str>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.send("device closed");
        }
    }
    let system = System::default();
    let said = Chain::new(9);
    let events = Chain::new(9);
    events.subscribe(&system.group_events());
    let agent = |what| Says(said.clone(), what);
    let parent = system.group("parent").own(Dropped(said.clone())).add("p", agent("parent")).start().unwrap();
    let child = parent.child("child").add("c", agent("child")).start().unwrap();
    parent.end("enough");
    assert!(parent.wait(LONG) && child.has_ended());
    let all: Vec<_> = std::iter::from_fn(|| said.try_receive()).collect();
    assert_eq!(all, ["child", "parent", "device closed"]);
    let events: Vec<_> = std::iter::from_fn(|| events.try_receive()).map(|e| (e.group, e.ended)).collect();
    let event = |group: &str, ended: Option<&str>| (group.to_string(), ended.map(str::to_string));
    let expected = [
        event("parent", None),
        event("child", None),
        event("child", Some("its parent ends")),
        event("parent", Some("enough")),
    ];
    assert_eq!(events, expected);
}
