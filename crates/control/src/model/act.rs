//! The one way to act on a run.

use std::sync::Arc;

use livetime_engine::{NodeReport, Run, Value, time_of_day_ns};

use super::action::{Asked, Change};
use super::counter::Counter;
use super::locks::lock;
use super::moment::Offsets;
use super::node::Node;
use super::origin::Origin;
use super::refused::Refused;
use super::settings::written_by;
use super::shared::Shared;
use super::{acquire, joins};
use crate::attributes::stamp_of;

/// Carries out what is asked of a node, on a thread that may wait.
pub(super) fn carry_out(shared: &Arc<Shared>, asked: Asked) {
    let (number, change) = (asked.node, asked.change.clone());
    if let Change::Acquire { start, wait } = change {
        return acquire::carry_out(shared, asked, start, wait);
    }
    if let Change::LetWork(param) = change {
        return acquire::let_work(shared, asked, &param);
    }
    let mut node = lock(&shared.nodes[number]);
    // Which edge is the first one is known before the change.
    let keys = written_by(&change, &node.state);
    let result = write(shared, &mut node, &change);
    if result.is_ok() && asked.caller.is_origin() {
        let origin = Origin::Write { by: asked.caller.clone(), at_ns: time_of_day_ns() };
        keys.iter().for_each(|key| node.note_origin(key, Some(origin.clone())));
    }
    // Also of a refusal something may be left to read.
    let moment = shared.look_now(&mut node);
    drop(node);
    shared.hurry(number);
    shared.answer(asked, result, moment);
}

fn write(shared: &Shared, node: &mut Node, change: &Change) -> Result<(), Refused> {
    let run = &shared.run;
    match change {
        Change::Set(param, value) => {
            run.set(&node.name, param, value)?;
            node.note_written(param);
        }
        Change::SetAll(values) => {
            let values: Vec<(&str, Value)> = values.iter().map(|(p, value)| (&**p, value.clone())).collect();
            run.set_all(&node.name, &values)?;
            values.iter().for_each(|(param, _)| node.note_written(param));
        }
        Change::Enable(enabled) => node.enable(run, *enabled)?,
        Change::Attributes(text) => add_attributes(run, node, text)?,
        Change::Macros(text) => {
            node.state.macros = text.as_str().into();
            let attributes = node.state.attributes.clone();
            add_attributes(run, node, &attributes)?;
        }
        Change::Again => run.process_again(&node.name)?,
        Change::Preallocate(count) => run.preallocate(&node.name, *count)?,
        Change::ReleaseMemory => {
            run.release_free_memory();
        }
        Change::Send(sends) => {
            run.set_sending(&node.name, *sends)?;
            node.state.sends = *sends;
        }
        Change::Rewire(rewire) => joins::rewire(shared, node, rewire)?,
        Change::WaitForNodes(wait) => node.state.waits_for_nodes = *wait,
        Change::Await(awaited) => node.state.awaited = Some(*awaited),
        Change::Recount(counter, number) => {
            let report = run.report();
            let counts = report.nodes.get(node.number).ok_or(Refused::NodeEnded)?;
            node.state.offsets = recounted(node, counts, *counter, *number);
        }
        Change::Limit(quantity, limit) => {
            node.alarms.set(*quantity, *limit);
            node.show_limits();
        }
        Change::Limits(limits) => {
            node.alarms.replace(limits);
            node.show_limits();
        }
        // `carry_out` has handled these two: their answer waits for the end of the work.
        Change::Acquire { .. } | Change::LetWork(_) => {}
    }
    Ok(())
}

fn add_attributes(run: &Run, node: &mut Node, text: &str) -> Result<(), Refused> {
    let node_type = &run.graph().nodes()[node.number].node_type;
    let stamp = stamp_of(text, &node.state.macros, node_type, &run.service())
        .inspect_err(|error| node.state.attributes_problem = Some(error.problem()))?;
    run.set_stamp(&node.name, stamp)?;
    (node.state.attributes, node.state.attributes_problem) = (text.into(), None);
    Ok(())
}

fn recounted(node: &Node, counts: &NodeReport, counter: Counter, number: u64) -> Offsets {
    let offsets = node.state.offsets;
    match counter {
        Counter::Frames => Offsets { frames: node.frames(counts).wrapping_sub(number), ..offsets },
        Counter::LostBefore => Offsets { lost_before: counts.lost_before.wrapping_sub(number), ..offsets },
        Counter::LostInside => Offsets { lost_inside: counts.lost_inside().wrapping_sub(number), ..offsets },
    }
}
