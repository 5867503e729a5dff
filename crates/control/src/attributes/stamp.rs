//! The attributes of one node, kept ready to be added to its frames.

use std::sync::{Arc, Mutex};

use livetime_engine::{NodeType, Params, Stamp, Value, lock};
use livetime_frame::{AttributeValue, Attributes, Header};
use livetime_pva::client::{Client, Event, Monitor};
use livetime_pva::data::Field;

use super::error::AttributesError;
use super::source::{Hint, find};
use super::xml::{Kind, Type, Wanted};

/// Attributes with their sources.
pub(super) struct Stamps {
    stamps: Vec<One>,
    /// They end with the stamps.
    _client: Option<Client>,
}

struct One {
    name: Arc<str>,
    from: From,
}

enum From {
    Param(usize, Type),
    Pv(Arc<Mutex<AttributeValue>>, #[allow(dead_code, reason = "it ends when it is dropped")] Mutex<Monitor>),
    Constant(AttributeValue),
}

impl Stamps {
    /// # Errors
    /// For a parameter that the node does not have, or when no client of EPICS can be made.
    pub(super) fn new(wanted: &[Wanted], node: &NodeType) -> Result<Stamps, AttributesError> {
        let needs_client = wanted.iter().any(|w| matches!(w.kind, Kind::Pv(_)));
        let client = if needs_client { Some(Client::from_env()?) } else { None };
        let stamps =
            wanted.iter().map(|wanted| one(wanted, node, client.as_ref())).collect::<Result<_, _>>()?;
        Ok(Stamps { stamps, _client: client })
    }
}

fn one(wanted: &Wanted, node: &NodeType, client: Option<&Client>) -> Result<One, AttributesError> {
    let from = match (wanted.kind, client) {
        (Kind::Param(kind), _) => {
            let Wanted { name: attribute, source, .. } = wanted.clone();
            let index = find(&wanted.source, node.param_specs());
            let refused = |Hint(hint)| AttributesError::NoParameter { attribute, source, hint };
            From::Param(index.map_err(refused)?, kind)
        }
        (Kind::Pv(kind), Some(client)) => watch(&wanted.source, kind, client)?,
        (Kind::Pv(_), None) | (Kind::Constant, _) => {
            From::Constant(AttributeValue::Text(wanted.source.as_str().into()))
        }
    };
    Ok(One { name: wanted.name.as_str().into(), from })
}

/// The newest value of a PV, from when there is one.
fn watch(name: &str, kind: Type, client: &Client) -> Result<From, AttributesError> {
    let newest = Arc::new(Mutex::new(unknown(kind)));
    let shown = newest.clone();
    let take = move |event: Event| {
        let value = match event {
            Event::Update(update) => {
                of_field(update.value.get("value.index").or_else(|| update.value.get("value")), kind)
            }
            Event::Disconnected | Event::Ended(_) => unknown(kind),
            Event::Connected => return,
        };
        *lock(&shown) = value;
    };
    let name = name.split_once("://").map_or(name, |(_, name)| name);
    let monitor = client.channel(name).subscribe("", take)?;
    Ok(From::Pv(newest, Mutex::new(monitor)))
}

/// What is there while nobody knows.
fn unknown(kind: Type) -> AttributeValue {
    match kind {
        Type::Text => AttributeValue::Text("".into()),
        Type::Int | Type::Float | Type::Native => AttributeValue::Float(f64::NAN),
    }
}

fn of_field(field: Option<&Field>, kind: Type) -> AttributeValue {
    let Some(field) = field else { return unknown(kind) };
    let value = match field {
        Field::Str(text) => Value::Text(text.clone()),
        Field::F64(number) => Value::Float(*number),
        Field::F32(number) => Value::Float(f64::from(*number)),
        other => match other.as_i64() {
            Some(number) => Value::Int(number),
            None => return unknown(kind),
        },
    };
    of_value(&value, kind)
}

fn of_value(value: &Value, kind: Type) -> AttributeValue {
    let number = match value {
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Text(text) => text.trim().parse().ok(),
        Value::List(values) => values.first().copied(),
    };
    match (kind, value, number) {
        (Type::Text, value, _) => AttributeValue::Text(value.to_string().as_str().into()),
        (Type::Int, Value::Int(value), _) | (Type::Native, Value::Int(value), _) => {
            AttributeValue::Int(*value)
        }
        (Type::Int, _, Some(number)) if number.is_finite() => AttributeValue::Int(number as i64),
        (Type::Native, Value::Text(text), _) => AttributeValue::Text(text.as_str().into()),
        (Type::Float | Type::Native, _, Some(number)) => AttributeValue::Float(number),
        _ => unknown(kind),
    }
}

impl Stamp for Stamps {
    fn stamp(&self, params: &dyn Params, _header: &Header, attributes: &mut Attributes) {
        for one in &self.stamps {
            let value = match &one.from {
                From::Param(index, kind) => params
                    .get(*index)
                    .map_or_else(|| unknown(*kind), |value| of_param(&value, *index, *kind, params)),
                From::Pv(newest, _) => lock(newest).clone(),
                From::Constant(value) => value.clone(),
            };
            attributes.set(&one.name, value);
        }
    }
}

/// A choice is a number, as in areaDetector, unless a text is wanted.
fn of_param(value: &Value, index: usize, kind: Type, params: &dyn Params) -> AttributeValue {
    use livetime_engine::ParamKind;
    match (value, params.specs().get(index).map(|spec| spec.kind)) {
        (Value::Text(name), Some(ParamKind::Enum(choices))) => {
            let choice = choices.iter().position(|choice| choice.name == name);
            match kind {
                Type::Text => AttributeValue::Text(choice.map_or("", |c| choices[c].pv).into()),
                _ => of_value(&Value::Int(choice.unwrap_or(0) as i64), kind),
            }
        }
        _ => of_value(value, kind),
    }
}
