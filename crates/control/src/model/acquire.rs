//! Acquisitions, and other work that a node begins when it is asked to and ends itself: an answer that waits comes with the end.

use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use livetime_engine::{Role, Value};

use super::action::Asked;
use super::caller::Caller;
use super::locks::{lock, try_lock};
use super::moment::Moment;
use super::node::Node;
use super::quiet::done_if_quiet;
use super::refused::Refused;
use super::shared::Shared;
use super::waiting::Waiting;
use super::wires::Wires;

/// How long a detector that was just asked whether it still acquires is waited for, so that short acquisitions end at once. One that takes
/// longer is asked again for its answer, not waited for: the looker serves all faces.
const ANSWER: Duration = Duration::from_millis(1);

/// Sets a parameter to true that the node sets back when it has done what that asks for, and lets the answer wait until then.
pub(super) fn let_work(shared: &Arc<Shared>, asked: Asked, param: &str) {
    let mut node = lock(&shared.nodes[asked.node]);
    let set = shared.run.set(&node.name, param, &Value::Bool(true)).map_err(Refused::from);
    let moment = shared.look_now(&mut node);
    let Some(index) = node.index_of(param).filter(|_| set.is_ok()) else {
        drop(node);
        return shared.answer(asked, set, moment);
    };
    if node.is_true(index) {
        let is_capture = node.spec(index).role == Some(Role::Capture);
        drop(node);
        shared.begun(&moment, asked.node);
        return shared.wait_for(Waiting::new(asked, Some(index), is_capture));
    }
    let moment = show_that_it_began(shared, &mut node, index);
    drop(node);
    shared.answer(asked, set, moment);
}

/// Publishes that the work of parameter `index` began, and then, again, how the node is. For work that is over
/// before anybody can look: clients wait until they see it begin.
fn show_that_it_began(shared: &Shared, node: &mut Node, index: usize) -> Arc<Moment> {
    let is_now = node.pretend_begun(index);
    let begun = shared.publish_one(node, |_, _| ());
    shared.begun(&begun, node.number);
    node.end_pretending(is_now);
    shared.publish_one(node, |_, _| ())
}

/// Starts or stops an acquisition.
pub(super) fn carry_out(shared: &Arc<Shared>, asked: Asked, start: bool, wait: bool) {
    let mut node = lock(&shared.nodes[asked.node]);
    let was_delivering = node.state.is_delivering;
    let (result, moment) = set(shared, &mut node, start);
    let (param, is_delivering) = (node.acquire_param, node.state.is_delivering);
    drop(node);
    if start && wait && result.is_ok() {
        return shared.wait_for(Waiting::new(asked, param, false));
    }
    // One watcher is enough, however often clients start a node that acquires already.
    if is_delivering && !was_delivering {
        let (node, change) = (asked.node, asked.change.clone());
        // The log gets the action from its answer, so this one has the face that is not logged.
        let watching = Asked { caller: Caller::link(), node, change, reply: Box::new(|_| ()) };
        shared.wait_for(Waiting::new(watching, param, false));
    }
    shared.answer(asked, result, moment);
}

fn set(shared: &Shared, node: &mut Node, start: bool) -> (Result<(), Refused>, Arc<Moment>) {
    let number = node.number;
    // Earlier requests are out of date: they must not end the acquisition that begins now.
    node.actions += 1;
    let mut moment = shared.newest();
    if start {
        // Also if it will be over before anybody can look.
        (node.state.is_acquiring, node.state.is_busy) = (true, true);
        node.state.acquisitions += 1;
        moment = shared.publish_one(node, |_, _| ());
        shared.begun(&moment, number);
    }
    let result = match node.acquire_param {
        Some(index) => {
            let set = shared.run.set(&node.name, node.spec(index).name, &Value::Bool(start));
            set.map_err(Refused::from)
        }
        None => node.enable(&shared.run, start),
    };
    if start && result.is_ok() {
        // Set before any face can see the source at rest: clients take the end of `Acquire` for the end of its results.
        node.state.is_delivering = awaits_nodes(shared, number);
    } else {
        moment = shared.look_now(node);
    }
    (result, moment)
}

/// Whether an acquisition of a source waits for a node behind it.
fn awaits_nodes(shared: &Shared, source: usize) -> bool {
    let (newest, mut wires) = (shared.newest(), lock(&shared.wires));
    let behind = wires.behind(source);
    awaited(&newest, &mut wires).iter().any(|number| behind.contains(number))
}

/// The nodes that acquisitions wait for. A node that has frames of several sources is none: it may always have something
/// to do.
fn awaited(moment: &Moment, wires: &mut Wires) -> Vec<usize> {
    let is_source = |number: &usize| moment.nodes[*number].state.is_source;
    let asked = |number: &usize| moment.nodes[*number].state.awaited == Some(true);
    let numbers = (0..moment.nodes.len()).filter(asked);
    numbers.filter(|number| wires.ahead(*number).into_iter().filter(is_source).count() == 1).collect()
}

/// The nodes behind a source that count, and the nodes on the way to them.
fn on_the_way(wires: &mut Wires, source: usize, counts: impl Fn(&usize) -> bool) -> Vec<usize> {
    let behind = wires.behind(source);
    let is_one = |number: &usize| counts(number) || wires.behind(*number).iter().any(&counts);
    behind.iter().copied().filter(is_one).collect()
}

impl Waiting {
    /// Whether the work is over, and the frames that it sent and that an awaited node must handle are handled.
    pub(super) fn is_over(&mut self, shared: &Shared) -> bool {
        // A thread that acts on this node may have to wait for it; all other nodes go on meanwhile.
        let Some(node) = try_lock(&shared.nodes[self.asked.node]) else { return false };
        let (is_enabled, acquisitions) = (node.state.is_enabled, node.state.acquisitions);
        drop(node);
        let is_at_work = match self.param {
            Some(index) => self.is_true(shared, index),
            None => is_enabled && !shared.run.is_finished(),
        };
        if is_at_work {
            self.seen = None;
            return false;
        }
        !self.sends_frames() || (self.is_quiet(shared) && self.has_delivered(shared, acquisitions))
    }

    /// Notes that the frames of the acquisition are handled, unless another one has begun meanwhile.
    fn has_delivered(&self, shared: &Shared, acquisitions: u64) -> bool {
        let Some(mut node) = try_lock(&shared.nodes[self.asked.node]) else { return false };
        let is_same = node.state.acquisitions == acquisitions;
        if is_same {
            node.state.is_delivering = false;
        }
        is_same
    }

    /// Whether a parameter of the node is true. One that has ended does nothing; one that does not answer still may.
    fn is_true(&mut self, shared: &Shared, index: usize) -> bool {
        let (answer, limit) = match self.is_at_work.take() {
            Some(asked) => (asked, Duration::ZERO),
            None => match shared.run.look(self.asked.node, [index].into()) {
                Ok(asked) => (asked, ANSWER),
                Err(_) => return false,
            },
        };
        match answer.recv_timeout(limit) {
            Ok(snapshot) => snapshot.values.first() == Some(&Value::Bool(true)),
            Err(RecvTimeoutError::Disconnected) => false,
            Err(RecvTimeoutError::Timeout) => {
                self.is_at_work = Some(answer);
                true
            }
        }
    }

    /// Whether the nodes on whose results the caller relies have nothing left to do.
    fn is_quiet(&mut self, shared: &Shared) -> bool {
        let relied_on = self.relied_on(shared);
        if relied_on.is_empty() {
            return true;
        }
        let done = done_if_quiet(&shared.run.report(), &relied_on);
        let is_quiet = done.is_some() && done == self.seen;
        self.seen = done;
        is_quiet
    }

    /// The nodes whose results count when the acquisition is over: all behind the source if it waits for nodes, else those on
    /// the way to writers that capture and to nodes that acquisitions wait for.
    fn relied_on(&self, shared: &Shared) -> Vec<usize> {
        let source = self.asked.node;
        let waits_for_nodes = try_lock(&shared.nodes[source]).is_some_and(|node| node.state.waits_for_nodes);
        let mut wires = lock(&shared.wires);
        if waits_for_nodes {
            return wires.behind(source).to_vec();
        }
        let newest = shared.newest();
        let awaited = awaited(&newest, &mut wires);
        let captures = |number: &usize| newest.nodes.get(*number).is_some_and(|node| node.is_capturing());
        on_the_way(&mut wires, source, |number| captures(number) || awaited.contains(number))
    }

    /// The nodes whose results the caller may read when the work is over.
    pub(super) fn concerns(&self, shared: &Shared) -> Vec<usize> {
        let mut nodes = vec![self.asked.node];
        if self.sends_frames() {
            nodes.extend(self.relied_on(shared));
        }
        nodes
    }

    /// The outcome of the work, now that it is over.
    pub(super) fn result(&self, shared: &Shared) -> Result<(), Refused> {
        match self.is_capture {
            true => lock(&shared.nodes[self.asked.node]).capture.result().map_err(Refused::Short),
            false => Ok(()),
        }
    }

    /// Tells the waiting caller the result; `moment` is one of after the end.
    pub(super) fn answer(self, shared: &Shared, result: Result<(), Refused>, moment: Arc<Moment>) {
        shared.answer(self.asked, result, moment);
    }
}
