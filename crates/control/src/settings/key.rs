//! The names of values in a settings file: parameters of a node, and how the run handles the node.

use livetime_engine::{
    NodeType, ParamKind, ParamSpec, PvStyle, Refusal, RefusalKind, Role, Value, find, nearest,
};

/// A value that settings keep.
#[derive(Clone, Copy, Debug)]
pub enum Key {
    /// A parameter of the node.
    Param(&'static ParamSpec),
    /// The handling of the node by the run.
    Run(RunKey),
}

/// One way in which the run handles a node. In a settings file its name begins with `run.`, which no parameter's does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunKey {
    /// The output that its first edge comes from, as `node` or `node.output`.
    Input,
    /// Most frames that wait in its first edge.
    Queue,
    /// The policy of its first edge when the queue is full.
    WhenFull,
    /// Of this number of frames its first edge offers one.
    Every,
    /// Most frames per second in its first edge; 0 for no limit.
    MaxRate,
    /// Most bytes per second in its first edge; 0 for no limit.
    MaxBytes,
    /// Values of macros in the attributes.
    Macros,
    /// Attributes that its frames get.
    Attributes,
    /// Limits beyond which its values are alarms, as `gain HIGH=3 MAJOR; run.queued HIHI=90 MINOR`.
    Limits,
    /// Whether acquisitions wait for the nodes behind it.
    WaitsForNodes,
    /// Whether its frames are sent.
    Sends,
    /// Whether frames are offered to it.
    Enabled,
}

/// Whether settings keep the parameter: readbacks are the node's own, and actions would be done again at each start. The
/// parameter's [`Role`] says that it is an action.
pub fn is_saved(spec: &ParamSpec) -> bool {
    !spec.readback && !spec.role.is_some_and(Role::is_action)
}

impl Key {
    /// The value of this name in a node of this type.
    ///
    /// # Errors
    /// [`Refusal`] with the nearest right name; for a readback, and for an action.
    pub fn find(node: &NodeType, name: &str) -> Result<Key, Refusal> {
        // The beginning tells the run's values apart: no parameter has a point in its name.
        if name.starts_with(PREFIX) {
            return RunKey::find(name).map(Key::Run);
        }
        let spec = &node.param_specs()[find(node.param_specs(), name)?];
        if spec.readback {
            return Err(Refusal::new(RefusalKind::ReadOnly).of(spec.name));
        }
        match is_saved(spec) {
            true => Ok(Key::Param(spec)),
            // An action that is saved would be done at every start.
            false => Err(Refusal::value("a setting", "an action, which is never saved").of(spec.name)),
        }
    }

    /// The name in the settings file.
    pub fn name(&self) -> &'static str {
        match self {
            Key::Param(spec) => spec.name,
            Key::Run(key) => key.name(),
        }
    }

    /// The place in the order of restoring.
    pub(crate) fn order(&self) -> usize {
        order(self.name())
    }

    /// `value` in the type of the key.
    ///
    /// # Errors
    /// [`Refusal`] with the wanted and the found value.
    pub fn accept(&self, value: &Value) -> Result<Value, Refusal> {
        let spec = match self {
            Key::Param(spec) => spec,
            Key::Run(key) => key.spec(),
        };
        match (spec.kind, value) {
            // A number that JSON does not have.
            (ParamKind::Float, Value::Text(text)) => {
                let number = super::json::no_number(text).map(Value::Float);
                spec.accept(number.as_ref().unwrap_or(value))
            }
            _ => spec.accept(value),
        }
    }
}

/// Whether two values are the same, also if both are no numbers.
pub fn same(a: &Value, b: &Value) -> bool {
    // NaN is not equal to itself, but an unchanged value is no change.
    let equal = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => equal(*a, *b),
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(*a, *b)),
        _ => a == b,
    }
}

const PREFIX: &str = "run.";

/// In the order of restoring: the input first, because a new edge has options of its own, and whether frames come last.
static RUN: [(RunKey, ParamSpec); 12] = [
    (RunKey::Input, spec("run.input", ParamKind::Text)),
    (RunKey::Queue, spec("run.queue", ParamKind::Int)),
    (RunKey::WhenFull, spec("run.when_full", ParamKind::Text)),
    (RunKey::Every, spec("run.every", ParamKind::Int)),
    (RunKey::MaxRate, spec("run.max_rate_hz", ParamKind::Float)),
    (RunKey::MaxBytes, spec("run.max_bytes_per_s", ParamKind::Float)),
    (RunKey::Macros, spec("run.macros", ParamKind::Text)),
    (RunKey::Attributes, spec("run.attributes", ParamKind::Text)),
    (RunKey::Limits, spec("run.limits", ParamKind::Text)),
    (RunKey::WaitsForNodes, spec("run.waits_for_nodes", ParamKind::Bool)),
    (RunKey::Sends, spec("run.sends", ParamKind::Bool)),
    (RunKey::Enabled, spec("run.enabled", ParamKind::Bool)),
];

const fn spec(name: &'static str, kind: ParamKind) -> ParamSpec {
    ParamSpec {
        name,
        doc: "",
        kind,
        unit: None,
        min: None,
        max: None,
        pv: None,
        style: PvStyle::USUAL,
        role: None,
        readback: false,
        count: false,
    }
}

impl RunKey {
    fn find(name: &str) -> Result<RunKey, Refusal> {
        let found = RUN.iter().find(|(_, spec)| spec.name == name).map(|(key, _)| *key);
        let hint = || nearest(name, RUN.iter().map(|(_, spec)| spec.name));
        found.ok_or_else(|| Refusal::new(RefusalKind::UnknownParameter { hint: hint() }).of(name.to_owned()))
    }

    /// The name in the settings file, as `run.enabled`.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    fn spec(self) -> &'static ParamSpec {
        // The table has the order of the declaration.
        &RUN[self as usize].1
    }
}

/// The place of a name in the order of restoring: parameters first.
pub(super) fn order(name: &str) -> usize {
    // All parameters share place 0: they are independent of each other.
    RUN.iter().position(|(_, spec)| spec.name == name).map_or(0, |place| place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_name() {
        for (place, (key, spec)) in RUN.iter().enumerate() {
            assert_eq!((*key as usize, key.name(), order(spec.name)), (place, spec.name, place + 1));
            assert_eq!(RunKey::find(spec.name), Ok(*key));
        }
        assert!(RunKey::find("run.enable").unwrap_err().to_string().contains("did you mean `run.enabled`"));
        assert_eq!(order("gain"), 0);
    }
}
