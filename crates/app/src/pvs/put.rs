//! What clients write, carried out on threads that may wait: one for each node, so that what is written to a node
//! keeps its order, and a node that does not answer delays nobody who writes to another.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use livetime_engine::{EdgeOptions, ParamKind, Value};
use livetime_pva::server::Put;

use super::acquire;
use super::base::Item;
use super::core::{Core, lock};
use super::node::{Input, NodePvs, output_name};
use super::point::written;

/// How long a readback may take before the put is answered without it.
const READBACK: Duration = Duration::from_secs(1);

/// What a PV that can be written writes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// The parameter of this number.
    Param(usize),
    /// A base PV.
    Item(Item),
}

/// How many puts may wait for a node.
const WAITING: usize = 100;

/// What is to be written to a node; `None` wakes its thread at the end.
pub(super) type Command = Option<(Target, Put)>;

/// The ways to the threads, by number of the node.
pub(super) struct Commands(Vec<SyncSender<Command>>);

impl Commands {
    pub(super) fn new(nodes: usize) -> (Commands, Vec<Receiver<Command>>) {
        let (senders, receivers) = (0..nodes).map(|_| sync_channel(WAITING)).unzip();
        (Commands(senders), receivers)
    }

    /// Hands what is put to the node's thread. A put that comes after the end is dropped, which its client is told.
    pub(super) fn handler(&self, node: usize, target: Target) -> impl Fn(Put) + Send + Sync + 'static {
        let commands = self.0[node].clone();
        move |put| {
            if let Err(TrySendError::Full(Some((_, put)))) = commands.try_send(Some((target, put))) {
                put.refuse(format!("{WAITING} puts wait for this node already"));
            }
        }
    }

    /// Wakes all threads, which see then that the end has come. One with a full queue is awake.
    pub(super) fn end(&self) {
        self.0.iter().for_each(|commands| _ = commands.try_send(None));
    }
}

/// Carries out what is written to `node` until the end. What waits then is dropped, which its client is told.
pub(super) fn work(core: &Arc<Core>, node: usize, commands: &Receiver<Command>) {
    while let Ok(Some((target, put))) = commands.recv() {
        if core.alarm.ended.load(Ordering::Acquire) {
            return;
        }
        carry_out(core, node, target, put);
    }
}

fn carry_out(core: &Arc<Core>, node: usize, target: Target, put: Put) {
    if put.process_only {
        return put.accept();
    }
    let Some(value) = written(&put.value) else { return put.refuse("wanted a number or a text") };
    match target {
        Target::Item(Item::Acquire) => acquire::put(core, node, &value, put),
        Target::Item(item) => put.finish(write_item(core, node, item, &value)),
        Target::Param(index) => put.finish(write_param(core, node, index, &value)),
    }
}

fn write_param(core: &Core, number: usize, index: usize, value: &Value) -> Result<(), String> {
    let mut node = lock(&core.nodes[number]);
    let spec = node.spec(index);
    let value = match (spec.kind, value) {
        (ParamKind::Bool, Value::Int(number)) => Value::Bool(*number != 0),
        _ => value.clone(),
    };
    core.run.set(&node.name, spec.name, &value).map_err(|e| e.to_string())?;
    show_now(core, &mut node);
    Ok(())
}

/// Shows the node as it is after a write, so that whoever has written reads back what has become of it.
pub(super) fn show_now(core: &Core, node: &mut NodePvs) {
    node.ask_anew(&core.run);
    node.show_answer(Instant::now() + READBACK);
    node.show_report(&core.run.report());
}

fn write_item(core: &Core, number: usize, item: Item, value: &Value) -> Result<(), String> {
    let mut node = lock(&core.nodes[number]);
    let report = core.run.report();
    let counts = report.nodes.get(number).ok_or("the node has ended")?;
    match item {
        Item::ArrayCounter => {
            node.state.counted_before = node.state.frames(counts).wrapping_sub(count(value)?);
        }
        Item::Dropped => node.state.dropped_before = counts.lost_before.wrapping_sub(count(value)?),
        Item::DroppedOutput => {
            node.state.dropped_inside = counts.lost_inside().wrapping_sub(count(value)?);
        }
        Item::WaitForPlugins => node.state.waits_for_plugins = is_set(value),
        Item::EnableCallbacks => enable(core, &mut node, is_set(value))?,
        Item::AttributesFile if *value == Value::Text(String::new()) => {}
        Item::AttributesFile => return Err("attributes are not read from files".into()),
        _ => {
            let input = node.state.input.clone().ok_or("the node has no input")?;
            let wanted = changed(core, &input, item, value)?;
            rewire(core, &mut node, input, wanted)?;
        }
    }
    show_now(core, &mut node);
    Ok(())
}

pub(super) fn is_set(value: &Value) -> bool {
    !matches!(value, Value::Int(0) | Value::Float(0.0))
}

fn number(value: &Value) -> Result<f64, String> {
    match value {
        Value::Int(v) => Ok(*v as f64),
        Value::Float(v) => Ok(*v),
        other => Err(format!("wanted a number, found `{other}`")),
    }
}

fn count(value: &Value) -> Result<u64, String> {
    let value = number(value)?;
    if value >= 0.0 { Ok(value as u64) } else { Err(format!("wanted a count of at least 0, found {value}")) }
}

fn enable(core: &Core, node: &mut NodePvs, enabled: bool) -> Result<(), String> {
    core.run.set_enabled(&node.name, enabled).map_err(|e| e.to_string())?;
    node.state.is_enabled = enabled;
    Ok(())
}

/// The input as it is to be.
fn changed(core: &Core, input: &Input, item: Item, value: &Value) -> Result<Input, String> {
    let options = |options: EdgeOptions| Input { options, ..input.clone() };
    let rate = |hz: f64| match hz {
        0.0 => Ok(options(EdgeOptions { max_rate_hz: None, ..input.options })),
        hz if hz > 0.0 => Ok(options(EdgeOptions { max_rate_hz: Some(hz), ..input.options })),
        other => Err(format!("wanted at least 0, found {other}")),
    };
    match item {
        Item::NdArrayPort => from(core, input, &value.to_string(), input.output),
        Item::NdArrayAddress => from(core, input, &input.node, count(value)? as usize),
        Item::QueueSize => Ok(options(EdgeOptions { queue: count(value)? as usize, ..input.options })),
        Item::MaxArrayRate => rate(number(value)?),
        Item::MinCallbackTime => match number(value)? {
            seconds if seconds > 0.0 => rate(1.0 / seconds),
            other => rate(other),
        },
        _ => Err("this can only be read".into()),
    }
}

/// The same from another output.
fn from(core: &Core, input: &Input, name: &str, output: usize) -> Result<Input, String> {
    let graph = core.run.graph();
    let sender = &graph.nodes()[graph.node(name)?];
    let missing = || format!("node `{name}` has no output number {output}");
    let from = output_name(sender, output).ok_or_else(missing)?;
    Ok(Input { node: name.into(), output, from, ..input.clone() })
}

/// Connects the running graph anew. What cannot be connected stays as it was.
fn rewire(core: &Core, node: &mut NodePvs, old: Input, new: Input) -> Result<(), String> {
    if old == new {
        return Ok(());
    }
    // One at a time: each is checked against the graph as it is.
    let _wiring = lock(&core.wiring);
    let run = &core.run;
    run.disconnect(&old.from, &old.to).map_err(|e| e.message)?;
    let connected = run.connect(&new.from, &new.to, new.options).map_err(|e| e.message);
    if connected.is_err() {
        run.connect(&old.from, &old.to, old.options).map_err(|e| e.message)?;
    }
    if !node.state.is_enabled {
        enable(core, node, false)?;
    }
    connected?;
    core.rewired(node.number, &old.node, &new.node);
    node.state.input = Some(new);
    Ok(())
}
