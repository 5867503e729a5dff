//! Edges to a node: which one is meant; connected anew, added and taken away.

use std::sync::Arc;

use livetime_engine::EdgeOptions;

use super::action::{Rewire, Which};
use super::locks::lock;
use super::moment::{Input, NodeState};
use super::node::{Node, output_name};
use super::refused::{EdgeRefusal, Refused};
use super::shared::Shared;

/// Connects an edge anew, adds one, or takes one away.
pub(super) fn rewire(shared: &Shared, node: &mut Node, rewire: &Rewire) -> Result<(), Refused> {
    let (to, place) = find(&node.state, &rewire.edge)?;
    let input = input_number(shared, node, &to)?;
    let same: Vec<Arc<Input>> = node.state.edges().filter(|edge| edge.to == to).cloned().collect();
    let now = same.get(place);
    let is_taken_away = rewire.node.as_deref() == Some("");
    match now {
        Some(_) if input == 0 && place == 0 && is_taken_away => {
            return Err(EdgeRefusal::FirstStays.into());
        }
        Some(now) if input == 0 && place == 0 => {
            return connect(shared, node, now, changed(shared, now, rewire)?);
        }
        // All areas of PVs are written when an operator restores them.
        None if is_taken_away || rewire.node.is_none() => {
            return match rewire.edge {
                Which::Number(_) => Ok(()),
                _ => Err(EdgeRefusal::NoSender.into()),
            };
        }
        None if place > same.len() => {
            return Err(EdgeRefusal::Gap(same.len() + 1).into());
        }
        _ => {}
    }
    let before = now.map_or_else(|| like(&node.state, &to), |now| Input::clone(now));
    let wanted = if is_taken_away { None } else { Some(changed(shared, &before, rewire)?) };
    replace(shared, node, now.cloned(), wanted, (&to, place))
}

/// The input that is meant, as `node.input`, and the place among the edges that lead to it.
fn find(state: &NodeState, which: &Which) -> Result<(String, usize), EdgeRefusal> {
    let of = |to: &str| state.edges().filter(|edge| edge.to == *to).cloned().collect::<Vec<_>>();
    match which {
        Which::Number(number) => {
            let first = state.input.as_ref().ok_or(EdgeRefusal::NoInput)?;
            Ok((first.to.clone(), *number))
        }
        Which::Between { from, to } => {
            let place = of(to).iter().position(|edge| edge.from == *from);
            let place = place.ok_or_else(|| EdgeRefusal::NoEdge(from.clone(), to.clone()))?;
            Ok((to.clone(), place))
        }
        Which::New(to) => Ok((to.clone(), of(to).len())),
    }
}

/// The number of an input of this node.
fn input_number(shared: &Shared, node: &Node, to: &str) -> Result<usize, EdgeRefusal> {
    let inputs =
        shared.run.graph().nodes().get(node.number).map_or(&[][..], |node| node.node_type.spec.inputs);
    let names: Vec<String> = inputs.iter().map(|port| format!("{}.{}", node.name, port.name)).collect();
    let place = names.iter().position(|name| name == to);
    place.ok_or_else(|| EdgeRefusal::OtherInput(names, to.to_owned()))
}

/// The input as it is to be.
fn changed(shared: &Shared, input: &Input, rewire: &Rewire) -> Result<Input, Refused> {
    let mut wanted = input.clone();
    if rewire.node.is_some() || rewire.output.is_some() {
        let name = rewire.node.as_ref().unwrap_or(&input.node);
        let output = rewire.output.unwrap_or(input.output);
        let graph = shared.run.graph();
        let sender = &graph.nodes()[graph.node(name)?];
        let missing = || EdgeRefusal::NoOutput(name.clone(), output);
        wanted.from = output_name(sender, output).ok_or_else(missing)?;
        (wanted.node, wanted.output) = (name.clone(), output);
    }
    let max_rate_hz = limit(rewire.max_rate_hz, input.options.max_rate_hz)?;
    let max_bytes_per_s = limit(rewire.max_bytes_per_s, input.options.max_bytes_per_s)?;
    let queue = rewire.queue.unwrap_or(input.options.queue);
    let every = rewire.every.unwrap_or(input.options.every);
    let when_full = rewire.when_full.unwrap_or(input.options.when_full);
    wanted.options = EdgeOptions { queue, every, when_full, max_rate_hz, max_bytes_per_s };
    Ok(wanted)
}

/// A limit as it is to be: 0 is none.
fn limit(wanted: Option<f64>, now: Option<f64>) -> Result<Option<f64>, EdgeRefusal> {
    match wanted {
        None => Ok(now),
        Some(0.0) => Ok(None),
        // NaN fails the comparison, and is refused.
        Some(rate) if rate > 0.0 => Ok(Some(rate)),
        Some(other) => Err(EdgeRefusal::Limit(other)),
    }
}

/// Connects the first edge to the first input anew. An edge that cannot be connected stays as it was.
fn connect(shared: &Shared, node: &mut Node, old: &Input, new: Input) -> Result<(), Refused> {
    // A node that is cut off is connected even to its old sender.
    if *old == new && !node.is_cut_off {
        return Ok(());
    }
    let run = &shared.run;
    if !node.is_cut_off {
        run.disconnect(&old.from, &old.to)?;
    }
    // Set before the attempt: if neither edge can be made, the node stays cut off.
    node.is_cut_off = true;
    let connected = run.connect(&new.from, &new.to, new.options);
    if connected.is_err() {
        run.connect(&old.from, &old.to, old.options)?;
    }
    node.is_cut_off = false;
    keep_switched(shared, node, &new.node)?;
    connected?;
    let graph = run.graph();
    if let (Ok(from), Ok(to)) = (graph.node(&old.node), graph.node(&new.node)) {
        lock(&shared.wires).rewired(node.number, from, to);
    }
    node.state.input = Some(Arc::new(new));
    Ok(())
}

/// The options of a new edge until a caller sets others: as the first edge to the same input, or to any.
fn like(state: &NodeState, to: &str) -> Input {
    let same = state.edges().find(|edge| edge.to == to).or(state.edges().next());
    let options = same.map_or_else(EdgeOptions::default, |edge| edge.options);
    Input { node: String::new(), output: 0, from: String::new(), to: to.to_owned(), options }
}

/// Connects an edge in the place of another. An edge that cannot be connected stays as it was.
fn replace(
    shared: &Shared,
    node: &mut Node,
    now: Option<Arc<Input>>,
    wanted: Option<Input>,
    place: (&str, usize),
) -> Result<(), Refused> {
    if now.as_deref() == wanted.as_ref() {
        return Ok(());
    }
    let run = &shared.run;
    if let Some(now) = &now {
        run.disconnect(&now.from, &now.to)?;
    }
    let connected = match &wanted {
        Some(new) => run.connect(&new.from, &new.to, new.options),
        None => Ok(()),
    };
    let new = if connected.is_ok() { wanted.map(Arc::new) } else { now.clone() };
    let back = match (&connected, &now) {
        (Err(_), Some(now)) => run.connect(&now.from, &now.to, now.options),
        _ => Ok(()),
    };
    // Neither could be connected: the edge is gone.
    let new = new.filter(|_| back.is_ok());
    note(shared, node.number, now.as_deref(), new.as_deref());
    let sender = new.as_ref().map(|new| new.node.clone());
    put(shared, node, place, now.is_some(), new);
    if let Some(sender) = sender {
        keep_switched(shared, node, &sender)?;
    }
    // An edge that is gone is the graver error.
    Ok(back.and(connected)?)
}

/// A new edge knows nothing of a receiver that is turned off, or of a sender that does not send.
fn keep_switched(shared: &Shared, node: &mut Node, sender: &str) -> Result<(), Refused> {
    if !node.state.is_enabled {
        node.enable(&shared.run, false)?;
    }
    let run = &shared.run;
    let sends = run.graph().node(sender).ok().and_then(|from| shared.newest().nodes.get(from).cloned());
    match sends.is_some_and(|sender| !sender.state.sends) {
        true => Ok(run.set_sending(sender, false)?),
        false => Ok(()),
    }
}

/// Notes the edge at this place of those to an input, or that there is none any more.
fn put(
    shared: &Shared,
    node: &mut Node,
    (to, place): (&str, usize),
    was_there: bool,
    new: Option<Arc<Input>>,
) {
    let (mut same, mut all): (Vec<Arc<Input>>, Vec<Arc<Input>>) =
        node.state.edges().cloned().partition(|edge| edge.to == to);
    let place = place.min(same.len());
    let end = (place + usize::from(was_there)).min(same.len());
    same.splice(place..end, new);
    all.extend(same);
    let mut numbered: Vec<(usize, Arc<Input>)> = all
        .into_iter()
        .map(|edge| (input_number(shared, node, &edge.to).unwrap_or(usize::MAX), edge))
        .collect();
    // The sort is stable: edges to one input keep their places.
    numbered.sort_by_key(|(number, _)| *number);
    node.state.set_edges(numbered);
}

/// Notes the change for the followers of the wires.
fn note(shared: &Shared, node: usize, old: Option<&Input>, new: Option<&Input>) {
    let graph = shared.run.graph();
    let number = |input: Option<&Input>| input.and_then(|input| graph.node(&input.node).ok());
    lock(&shared.wires).changed(node, number(old), number(new));
}
