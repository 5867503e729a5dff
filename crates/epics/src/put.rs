//! What clients write becomes a change of the model, and its answer the end of the put.

use std::sync::{Arc, OnceLock, Weak};

use livetime_control::model::{Action, Caller, Change, Counter, Model, Rewire};
use livetime_engine::{ParamKind, ParamSpec, Value};
use livetime_pva::server::{Peer, Put};

use super::base::Item;
use super::core::Core;
use super::point::written;

/// The target of a writable PV.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// A parameter.
    Param(&'static ParamSpec),
    /// A base PV.
    Item(Item),
}

/// The way of puts to the model.
#[derive(Clone)]
pub(super) struct Commands {
    model: Model,
    /// Set before the first put can come. PVs are part of the core, so they must not keep it.
    core: Arc<OnceLock<Weak<Core>>>,
}

impl Commands {
    pub(super) fn new(model: &Model) -> Commands {
        Commands { model: model.clone(), core: Arc::default() }
    }

    /// The publisher that shows the results of puts.
    pub(super) fn answer_to(&self, core: &Arc<Core>) {
        let _ = self.core.set(Arc::downgrade(core));
    }

    /// Handles a put to `target` of a node. A put after the end is dropped, and its client gets an error.
    pub(super) fn handler(&self, node: usize, target: Target) -> impl Fn(Put) + Send + Sync + 'static {
        let commands = self.clone();
        move |put| commands.carry_out(node, target, put)
    }

    fn carry_out(&self, node: usize, target: Target, put: Put) {
        if put.process_only {
            return put.accept();
        }
        let Some(value) = written(&put.value) else { return put.refuse("wanted a number or a text") };
        let change = match target {
            Target::Item(Item::AttributesFile) => return put.finish(attributes_file(&value)),
            Target::Item(item) => change_of(item, &value, put.options.block),
            Target::Param(spec) => Ok(set(spec, value)),
        };
        let change = match change {
            Ok(change) => change,
            Err(problem) => return put.refuse(problem),
        };
        let core = self.core.get().cloned().unwrap_or_default();
        let (caller, waits) =
            (caller(&put.peer), matches!(change, Change::Acquire { start: true, wait: true }));
        self.model.act(caller, Action::Change(node, change), move |answer| {
            let Some(core) = core.upgrade() else { return };
            match waits {
                true => core.acquired(put, answer),
                false => core.answered(node, put, answer),
            }
        });
    }
}

fn caller(peer: &Peer) -> Caller {
    let user = peer.account.clone();
    Caller { face: "pvaccess", user, from: Some(peer.address), is_local: peer.local }
}

fn set(spec: &ParamSpec, value: Value) -> Change {
    let value = match (spec.kind, value) {
        (ParamKind::Bool, Value::Int(number)) => Value::Bool(number != 0),
        (_, value) => value,
    };
    Change::Set(spec.name.into(), value)
}

fn attributes_file(value: &Value) -> Result<(), &'static str> {
    match value {
        Value::Text(text) if text.is_empty() => Ok(()),
        _ => Err("attributes are not read from files"),
    }
}

fn change_of(item: Item, value: &Value, wait: bool) -> Result<Change, String> {
    let rewire = |rewire: Rewire| Ok(Change::Rewire(rewire));
    let rate = |hz: f64| rewire(Rewire { max_rate_hz: Some(hz), ..Rewire::default() });
    match item {
        Item::Acquire => Ok(Change::Acquire { start: is_set(value), wait }),
        Item::ArrayCounter => Ok(Change::Recount(Counter::Frames, count(value)?)),
        Item::Dropped => Ok(Change::Recount(Counter::LostBefore, count(value)?)),
        Item::DroppedOutput => Ok(Change::Recount(Counter::LostInside, count(value)?)),
        Item::WaitForPlugins => Ok(Change::WaitForNodes(is_set(value))),
        Item::EnableCallbacks => Ok(Change::Enable(is_set(value))),
        Item::NdArrayPort => rewire(Rewire { node: Some(value.to_string()), ..Rewire::default() }),
        Item::NdArrayAddress => rewire(Rewire { output: Some(count(value)? as usize), ..Rewire::default() }),
        Item::QueueSize => rewire(Rewire { queue: Some(count(value)? as usize), ..Rewire::default() }),
        Item::MaxArrayRate => rate(number(value)?),
        Item::MinCallbackTime => match number(value)? {
            seconds if seconds > 0.0 => rate(1.0 / seconds),
            other => rate(other),
        },
        _ => Err("this can only be read".into()),
    }
}

fn is_set(value: &Value) -> bool {
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
