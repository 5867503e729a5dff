//! A client's write becomes a change of the model, and the answer to that the end of the put.

use std::sync::{Arc, OnceLock, Weak};

use livetime_control::model::{Action, Caller, Change, Counter, Limit, Model, Quantity, Rewire, Which};
use livetime_engine::{ParamKind, ParamSpec, Role, Value, lock};
use livetime_pva::data;
use livetime_pva::server::{Peer, Put};

use super::base::Item;
use super::core::Core;
use super::error::PutError;
use super::node::Target;
use super::point::written;
use super::table::suffix_of;

/// The face of a client of Channel Access, in logs and as its method of identification: pvAccess calls one of its own `ca`.
pub(super) const CHANNEL_ACCESS: &str = "channel access";

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

    /// Handles a put that acts on the run as a whole.
    pub(super) fn act(&self, action: Action) -> impl Fn(Put) + Send + Sync + 'static {
        let commands = self.clone();
        move |put| {
            let Some(value) = written(&put.value) else { return put.refuse("wanted a number or a text") };
            if !put.process_only && !is_on(&value) {
                return put.accept();
            }
            let core = commands.core.get().cloned().unwrap_or_default();
            let caller = caller(&put.peer);
            commands.model.act(caller, action.clone(), move |answer| {
                // The run has ended; dropping the put answers it.
                if let Some(core) = core.upgrade() {
                    core.acquired(put, answer);
                }
            });
        }
    }

    /// Keeps a written value of a name without any other effect.
    fn keep(&self, node: usize, name: &str, value: &Value) -> Result<(), PutError> {
        let core = self.core.get().and_then(Weak::upgrade).ok_or(PutError::RunEnded)?;
        lock(&core.nodes[node]).keep(name, value)
    }

    /// The change for a number of buffers to be allocated beforehand.
    fn wanted_buffers(&self, node: usize) -> Result<Change, PutError> {
        let core = self.core.get().and_then(Weak::upgrade).ok_or(PutError::RunEnded)?;
        let wanted = lock(&core.nodes[node]).kept("NumPreAllocBuffers");
        if wanted >= 1.0 {
            return Ok(Change::Preallocate(wanted as usize));
        }
        Err(PutError::TooFewBuffers(wanted))
    }

    /// Sets the parameter of a suffix to a choice, whatever was written.
    fn process(&self, node: usize, suffix: &'static str, choice: u8) -> Result<Change, PutError> {
        let specs = self.model.run().graph().nodes()[node].node_type.param_specs();
        let spec = specs.iter().find(|spec| suffix_of(spec) == suffix && !spec.readback);
        let spec = spec.ok_or(PutError::NoParameter(suffix))?;
        Ok(set(spec, Value::Int(choice.into()), false))
    }

    /// Lets a parameter follow the PV that `text` names.
    fn follow(&self, node: usize, spec: &'static ParamSpec, text: &str) -> Result<(), PutError> {
        let core = self.core.get().and_then(Weak::upgrade).ok_or(PutError::RunEnded)?;
        core.links.follow(&self.model, node, spec, text)?;
        lock(&core.nodes[node]).show_link(spec.name, text);
        Ok(())
    }

    fn carry_out(&self, node: usize, target: Target, put: Put) {
        let Some(put) = of_value(put) else { return };
        let Some(value) = written(&put.value) else { return put.refuse("wanted a number or a text") };
        let change = match target {
            Target::Item(Item::Kept(name, _)) => return put.finish(self.keep(node, name, &value)),
            // A link changes the parameter later, so it needs the right to act now.
            Target::Link(_) if !self.model.may_act(&caller(&put.peer)) => Err(PutError::MayNotAct),
            Target::Link(spec) => return put.finish(self.follow(node, spec, &value.to_string())),
            Target::Item(Item::Sets(suffix, choice)) => self.process(node, suffix, choice),
            Target::Item(Item::Preallocate) if is_set(&value) => self.wanted_buffers(node),
            Target::Item(Item::Preallocate) => return put.accept(),
            Target::Item(Item::ReleaseMemory) if !is_set(&value) => return put.accept(),
            Target::Item(Item::Only(only, _)) if is_number(&value, only) => return put.accept(),
            Target::Item(Item::Only(_, why)) => Err(PutError::Only(why)),
            Target::Item(item) => change_of(item, &value, put.options.block),
            Target::Param(spec) => Ok(set(spec, value, put.options.block)),
        };
        let change = match change {
            Ok(change) => change,
            Err(problem) => return put.refuse(problem.to_string()),
        };
        self.change(node, change, put);
    }

    /// Changes a limit of a node's number.
    pub(super) fn set_limit(&self, node: usize, quantity: Quantity, limit: Limit, put: Put) {
        self.change(node, Change::Limit(quantity, limit), put);
    }

    fn change(&self, node: usize, change: Change, put: Put) {
        // Weak: puts under way must not keep the run's PVs alive.
        let core = self.core.get().cloned().unwrap_or_default();
        let waits = matches!(change, Change::Acquire { start: true, wait: true });
        let caller = caller(&put.peer);
        self.model.act(caller, Action::Change(node, change), move |answer| {
            // The run has ended; dropping the put answers it.
            let Some(core) = core.upgrade() else { return };
            match waits {
                true => core.acquired(put, answer),
                false => core.answered(node, put, answer),
            }
        });
    }
}

/// A put that changes the value; any other one ends here.
pub(super) fn of_value(put: Put) -> Option<Put> {
    if put.process_only {
        // A put that only processes changes nothing, as of a record without a device.
        put.accept();
        return None;
    }
    // A client that sets an alarm or a time alone expects an effect that there is none of.
    let Some(other) = other_field(&put.value) else { return Some(put) };
    put.refuse(format!(
        "wanted a change of `value`, found one of `{other}` alone, which follows from the run"
    ));
    None
}

/// A field other than the value that a put changes. Such a put would have no effect, and is refused with the field's
/// name.
fn other_field(value: &data::Value) -> Option<String> {
    let is_value = |path: &str| path.is_empty() || path == "value" || path.starts_with("value.");
    let mut paths = value.changed().iter().map(|bit| value.structure().path(bit)).peekable();
    let first = paths.peek()?.to_string();
    (!paths.any(|path| is_value(&path))).then_some(first)
}

fn caller(peer: &Peer) -> Caller {
    let user = peer.account.clone();
    let face = if peer.method == CHANNEL_ACCESS { CHANNEL_ACCESS } else { "pvaccess" };
    Caller { face, user, from: Some(peer.address), is_local: peer.local, has_token: false, door: None }
}

fn set(spec: &ParamSpec, value: Value, wait: bool) -> Change {
    let value = match (spec.kind, value) {
        (ParamKind::Bool, Value::Int(number)) => Value::Bool(number != 0),
        (_, value) => value,
    };
    // areaDetector has busy records in the same places.
    let is_busy = value == Value::Bool(true) && spec.role.is_some_and(Role::is_work);
    if is_busy && wait { Change::LetWork(spec.name.into()) } else { Change::Set(spec.name.into(), value) }
}

fn change_of(item: Item, value: &Value, wait: bool) -> Result<Change, PutError> {
    let rewire = |rewire: Rewire| Ok(Change::Rewire(rewire));
    let rate = |hz: f64| rewire(Rewire { max_rate_hz: Some(hz), ..Rewire::default() });
    match item {
        Item::Acquire => Ok(Change::Acquire { start: is_set(value), wait }),
        Item::ArrayCounter => Ok(Change::Recount(Counter::Frames, count(value)?)),
        Item::Dropped => Ok(Change::Recount(Counter::LostBefore, count(value)?)),
        Item::DroppedOutput => Ok(Change::Recount(Counter::LostInside, count(value)?)),
        Item::PortOf(edge) => {
            let edge = Which::Number(edge);
            rewire(Rewire { edge, node: Some(value.to_string()), ..Rewire::default() })
        }
        Item::AddressOf(edge) => {
            let edge = Which::Number(edge);
            rewire(Rewire { edge, output: Some(count(value)? as usize), ..Rewire::default() })
        }
        Item::MaxByteRate => rewire(Rewire { max_bytes_per_s: Some(number(value)?), ..Rewire::default() }),
        Item::ProcessAgain => Ok(Change::Again),
        Item::ReleaseMemory => Ok(Change::ReleaseMemory),
        Item::AttributesMacros => Ok(Change::Macros(value.to_string())),
        Item::WaitForPlugins => Ok(Change::WaitForNodes(is_set(value))),
        Item::BlockingCallbacks => Ok(Change::Await(is_set(value))),
        Item::AttributesFile => Ok(Change::Attributes(value.to_string())),
        Item::ArrayCallbacks => Ok(Change::Send(is_set(value))),
        Item::EnableCallbacks => Ok(Change::Enable(is_set(value))),
        Item::NdArrayPort => rewire(Rewire { node: Some(value.to_string()), ..Rewire::default() }),
        Item::NdArrayAddress => rewire(Rewire { output: Some(count(value)? as usize), ..Rewire::default() }),
        Item::QueueSize => rewire(Rewire { queue: Some(count(value)? as usize), ..Rewire::default() }),
        Item::MaxArrayRate => rate(number(value)?),
        Item::MinCallbackTime => match number(value)? {
            // areaDetector's minimum time between two callbacks is the inverse of our rate; 0 is no limit in both.
            seconds if seconds > 0.0 => rate(1.0 / seconds),
            other => rate(other),
        },
        _ => Err(PutError::ReadOnly),
    }
}

/// Whether the choice is another one than the first, which is called `Done`.
fn is_on(value: &Value) -> bool {
    is_set(value) && *value != Value::from("Done")
}

fn is_set(value: &Value) -> bool {
    match value {
        Value::Text(text) => !text.is_empty(),
        Value::Int(number) => *number != 0,
        Value::Float(number) => *number != 0.0,
        _ => true,
    }
}

fn is_number(value: &Value, wanted: u8) -> bool {
    matches!(number(value), Ok(number) if number == f64::from(wanted))
}

fn number(value: &Value) -> Result<f64, PutError> {
    match value {
        Value::Int(v) => Ok(*v as f64),
        Value::Float(v) => Ok(*v),
        other => Err(PutError::NoNumber(other.clone())),
    }
}

fn count(value: &Value) -> Result<u64, PutError> {
    let value = number(value)?;
    if value >= 0.0 { Ok(value as u64) } else { Err(PutError::NegativeCount(value)) }
}
