//! The attributes of one node, kept ready to be added to its frames.

use std::sync::Arc;

use livetime_engine::{NodeType, Params, Stamp, Value};
use livetime_frame::{AttributeValue, Attributes, Header};

use super::error::AttributesError;
use super::source::{Hint, find};
use super::watched::{Clients, Watched, of_value, unknown};
use super::xml::{Kind, Type, Wanted};

/// Attributes with their sources.
pub(super) struct Stamps {
    stamps: Vec<One>,
    /// They end with the stamps.
    _clients: Clients,
}

struct One {
    name: Arc<str>,
    from: From,
}

enum From {
    Param(usize, Type),
    Pv(Watched),
    Constant(AttributeValue),
}

impl Stamps {
    /// # Errors
    /// For a parameter that the node does not have, or when no client of EPICS can be made.
    pub(super) fn new(wanted: &[Wanted], node: &NodeType) -> Result<Stamps, AttributesError> {
        let mut clients = Clients::default();
        let stamps = wanted.iter().map(|wanted| one(wanted, node, &mut clients)).collect::<Result<_, _>>()?;
        Ok(Stamps { stamps, _clients: clients })
    }
}

fn one(wanted: &Wanted, node: &NodeType, clients: &mut Clients) -> Result<One, AttributesError> {
    let from = match wanted.kind {
        Kind::Param(kind) => {
            let Wanted { name: attribute, source, .. } = wanted.clone();
            let index = find(&wanted.source, node.param_specs());
            let refused = |Hint(hint)| AttributesError::NoParameter { attribute, source, hint };
            From::Param(index.map_err(refused)?, kind)
        }
        Kind::Pv(kind) => From::Pv(clients.watch(&wanted.source, kind)?),
        Kind::Constant => From::Constant(AttributeValue::Text(wanted.source.as_str().into())),
    };
    Ok(One { name: wanted.name.as_str().into(), from })
}

impl Stamp for Stamps {
    fn stamp(&self, params: &dyn Params, _header: &Header, attributes: &mut Attributes) {
        for one in &self.stamps {
            let value = match &one.from {
                From::Param(index, kind) => params
                    .get(*index)
                    .map_or_else(|| unknown(*kind), |value| of_param(&value, *index, *kind, params)),
                From::Pv(watched) => watched.newest(),
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
