//! Nodes to whose first input several edges lead: all but the first are connected anew here.

use std::sync::Arc;

use super::act::{Rewire, changed};
use super::looker::Shared;
use super::moment::Input;
use super::node::Node;

/// Connects edge number `place` of those behind the first anew, adds one behind the last, or takes one away.
pub(super) fn rewire(shared: &Shared, node: &mut Node, place: usize, rewire: &Rewire) -> Result<(), String> {
    let first = node.state.input.clone().ok_or("the node has no input")?;
    let mut joined = node.state.joined.to_vec();
    let now = joined.get(place).cloned();
    let is_taken_away = rewire.node.as_deref() == Some("");
    if now.is_none() && (is_taken_away || rewire.node.is_none()) {
        return Ok(());
    }
    if now.is_none() && place > joined.len() {
        return Err(format!("wanted edges without a gap, found no number {} before", joined.len() + 2));
    }
    let wanted =
        if is_taken_away { None } else { Some(changed(shared, now.as_deref().unwrap_or(&first), rewire)?) };
    let run = &shared.run;
    if let Some(now) = &now {
        run.disconnect(&now.from, &now.to).map_err(|e| e.message)?;
        joined.remove(place);
    }
    let connected = match &wanted {
        Some(new) => run.connect(&new.from, &new.to, new.options).map_err(|e| e.message),
        None => Ok(()),
    };
    // What cannot be connected stays as it was.
    let new = if connected.is_ok() { wanted.map(Arc::new) } else { now.clone() };
    if let (Err(_), Some(now)) = (&connected, &now) {
        run.connect(&now.from, &now.to, now.options).map_err(|e| e.message)?;
    }
    note(shared, node.number, now.as_deref(), new.as_deref());
    joined.splice(place.min(joined.len())..place.min(joined.len()), new);
    node.state.joined = joined.into();
    connected
}

/// Tells those who follow the wires.
fn note(shared: &Shared, node: usize, old: Option<&Input>, new: Option<&Input>) {
    let graph = shared.run.graph();
    let number = |input: Option<&Input>| input.and_then(|input| graph.node(&input.node).ok());
    super::lock(&shared.wires).changed(node, number(old), number(new));
}
