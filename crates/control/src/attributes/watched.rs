//! The newest value of a PV of another server, by either protocol.

use std::sync::{Arc, Mutex};

use livetime_ca::client as ca;
use livetime_ca::dbr::{Dbr, Form, Native, Reading, Values};
use livetime_engine::{Value, lock};
use livetime_frame::AttributeValue;
use livetime_pva::client as pva;
use livetime_pva::data::Field;

use super::error::AttributesError;
use super::xml::Type;

/// A PV that is watched until this is dropped.
pub(super) struct Watched {
    newest: Arc<Mutex<AttributeValue>>,
    _watch: Watch,
}

#[allow(dead_code, reason = "they end when they are dropped")]
enum Watch {
    // In a lock because a monitor is not shared between threads.
    Pva(Mutex<pva::Monitor>),
    Ca(ca::Subscription),
}

/// Clients of EPICS, each made with the first PV that needs it.
#[derive(Default)]
pub(super) struct Clients {
    pva: Option<pva::Client>,
    ca: Option<ca::Client>,
}

impl Clients {
    /// Watches the PV that `source` names: `ca://NAME` by Channel Access, `pva://NAME` or `NAME` by pvAccess.
    pub(super) fn watch(&mut self, source: &str, kind: Type) -> Result<Watched, AttributesError> {
        let newest = Arc::new(Mutex::new(unknown(kind)));
        let shown = Arc::clone(&newest);
        let watch = match source.split_once("://") {
            Some(("ca", name)) => Watch::Ca(watch_ca(self.ca()?, name, kind, shown)),
            Some(("pva", name)) => Watch::Pva(Mutex::new(watch_pva(self.pva()?, name, kind, shown)?)),
            None => Watch::Pva(Mutex::new(watch_pva(self.pva()?, source, kind, shown)?)),
            Some(_) => return Err(AttributesError::Protocol(source.to_owned())),
        };
        Ok(Watched { newest, _watch: watch })
    }

    fn pva(&mut self) -> pva::Result<&pva::Client> {
        // `get_or_insert_with` takes no function that may fail.
        let client = self.pva.take().map_or_else(pva::Client::from_env, Ok)?;
        Ok(self.pva.insert(client))
    }

    fn ca(&mut self) -> ca::Result<&ca::Client> {
        let new = || ca::Client::new(ca::ClientConfig::from_env()?);
        let client = self.ca.take().map_or_else(new, Ok)?;
        Ok(self.ca.insert(client))
    }
}

impl Watched {
    pub(super) fn newest(&self) -> AttributeValue {
        lock(&self.newest).clone()
    }
}

type Shown = Arc<Mutex<AttributeValue>>;

fn watch_pva(client: &pva::Client, name: &str, kind: Type, shown: Shown) -> pva::Result<pva::Monitor> {
    let take = move |event: pva::Event| {
        let value = match event {
            pva::Event::Update(update) => match update.value.get("value.index") {
                Some(index) => of_choice(index, update.value.get("value.choices"), kind),
                None => of_field(update.value.get("value"), kind),
            },
            pva::Event::Disconnected { .. } | pva::Event::Ended(_) => unknown(kind),
            // An update follows each connection.
            pva::Event::Connected { .. } => return,
        };
        *lock(&shown) = value;
    };
    client.channel(name).subscribe("", take)
}

fn watch_ca(client: &ca::Client, name: &str, kind: Type, shown: Shown) -> ca::Subscription {
    let take = move |event: ca::Event| {
        let value = match event {
            ca::Event::Update(reading) => of_reading(&reading, kind),
            ca::Event::Disconnected | ca::Event::Refused(_) => unknown(kind),
            ca::Event::Connected => return,
        };
        *lock(&shown) = value;
    };
    // The server converts: a choice to its name, for example.
    let ask = match kind {
        Type::Int => Dbr::Value(Form::Plain, Native::Long).into(),
        Type::Float => Dbr::Value(Form::Plain, Native::Double).into(),
        Type::Text => Dbr::Value(Form::Plain, Native::Text).into(),
        Type::Native => ca::Ask::from(Form::Plain),
    };
    client.channel(name).subscribe(ask, livetime_ca::Changes::VALUE.and(livetime_ca::Changes::ALARM), take)
}

/// The value until the PV has one.
pub(super) fn unknown(kind: Type) -> AttributeValue {
    match kind {
        Type::Text => AttributeValue::Text("".into()),
        Type::Int | Type::Float | Type::Native => AttributeValue::Float(f64::NAN),
    }
}

/// The value of an enumeration: its choice as text, else its number, as Channel Access converts it.
fn of_choice(index: &Field, choices: Option<&Field>, kind: Type) -> AttributeValue {
    let choice = || {
        let number = usize::try_from(index.as_i64()?).ok()?;
        choices?.as_strings()?.get(number)
    };
    match choice() {
        Some(choice) if kind == Type::Text => AttributeValue::Text(choice.as_str().into()),
        _ => of_field(Some(index), kind),
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

/// The first value; several characters are a text.
fn of_reading(reading: &Reading, kind: Type) -> AttributeValue {
    let value = match &reading.values {
        Values::Char(bytes) if bytes.len() > 1 => reading.values.text().map(Value::Text),
        Values::Text(texts) => texts.first().cloned().map(Value::Text),
        Values::Char(v) => v.first().map(|&v| Value::Int(v.into())),
        Values::Short(v) => v.first().map(|&v| Value::Int(v.into())),
        Values::Enum(v) => v.first().map(|&v| Value::Int(v.into())),
        Values::Long(v) => v.first().map(|&v| Value::Int(v.into())),
        Values::Float(v) => v.first().map(|&v| Value::Float(v.into())),
        Values::Double(v) => v.first().map(|&v| Value::Float(v)),
    };
    value.map_or_else(|| unknown(kind), |value| of_value(&value, kind))
}

pub(super) fn of_value(value: &Value, kind: Type) -> AttributeValue {
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

#[cfg(test)]
mod tests {
    use livetime_ca::dbr::About;
    use livetime_ca::server::{Pv, PvMap, Server, ServerConfig};
    use livetime_pva::{data as pva_data, server as pva_server};
    use livetime_testkit::wait_until;

    use super::*;

    #[test]
    fn pvs_of_channel_access_are_attributes_of_the_wanted_type() {
        let pvs = PvMap::new();
        let number = Pv::new(Values::Double(vec![1.5]), About::default());
        let choices = vec!["Off".into(), "On".into()];
        pvs.add("number", number.clone());
        pvs.add("choice", Pv::new(Values::Enum(vec![1]), About { choices, ..About::default() }));
        pvs.add("path", Pv::new(Values::long_text("/data"), About::default()));
        let server = Server::start(ServerConfig::loopback(), pvs).unwrap();
        let config = ca::ClientConfig::loopback(server.udp_address().unwrap().port());
        let client = ca::Client::new(ca::ClientConfig { repeater: None, ..config }).unwrap();
        let mut clients = Clients { ca: Some(client), pva: None };
        let mut becomes = |source: &str, kind, wanted: AttributeValue| {
            let watched = clients.watch(source, kind).unwrap();
            wait_until(source, || watched.newest() == wanted);
            watched
        };
        let text = |text: &str| AttributeValue::Text(text.into());
        becomes("ca://choice", Type::Native, AttributeValue::Int(1));
        becomes("ca://choice", Type::Text, text("On"));
        becomes("ca://path", Type::Native, text("/data"));
        becomes("ca://number", Type::Int, AttributeValue::Int(1));
        let watched = becomes("ca://number", Type::Native, AttributeValue::Float(1.5));
        number.post(Values::Double(vec![2.5]));
        wait_until("the new value", || watched.newest() == AttributeValue::Float(2.5));
        drop(server);
        let is_unknown = |value| matches!(value, AttributeValue::Float(number) if number.is_nan());
        wait_until("no value", || is_unknown(watched.newest()));
    }

    #[test]
    fn a_choice_of_pvaccess_is_its_text_or_its_number() {
        let mut choice = pva_data::Value::new(&livetime_pva::nt::enumerated());
        choice.set("value.choices", vec!["Off".to_owned(), "On".to_owned()]).unwrap();
        choice.set("value.index", 1).unwrap();
        let choice = pva_server::SharedPv::new(choice);
        let pvs = pva_server::PvMap::new();
        pvs.add("choice", choice.clone());
        let server = pva_server::Server::start(pva_server::ServerConfig::loopback(), pvs).unwrap();
        let config = pva::ClientConfig::name_servers(&[server.tcp_address()]);
        let mut clients = Clients { pva: Some(pva::Client::new(config).unwrap()), ca: None };
        let number = clients.watch("pva://choice", Type::Native).unwrap();
        let text = clients.watch("choice", Type::Text).unwrap();
        wait_until("the number", || number.newest() == AttributeValue::Int(1));
        wait_until("the text", || text.newest() == AttributeValue::Text("On".into()));
        // The choices come once; later updates have the number alone.
        choice.update(|value| value.set("value.index", 0)).unwrap();
        wait_until("the other text", || text.newest() == AttributeValue::Text("Off".into()));
    }

    #[test]
    fn another_protocol_is_refused() {
        let Err(error) = Clients::default().watch("tango://choice", Type::Text) else {
            panic!("no such protocol")
        };
        assert!(error.to_string().contains("found `tango://choice`"), "{error}");
    }
}
