//! Fields of records, such as `13SIM1:cam1:AcquireTime.EGU`, over both protocols.
//!
//! A field is a PV that is made when a client asks for it, and shows a part of the PV of its record. Clients that ask for the same
//! field share it; it ends with the last of them.

mod class;
mod long_text;
mod table;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use livetime_control::model::{Limit, Quantity, Severity};
use livetime_engine::{ParamKind, lock};
use livetime_pva::data::{self, ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::server::{Peer, Provider, Put, PvMap, SharedPv, WeakPv};

pub(super) use class::Class;
pub(super) use long_text::characters;

use super::put::{Commands, of_value};
use super::served_pv::Shows;
use super::table::Table;
use table::{Field, Kind, Record, VALUE, Written};

/// The PVs of a run with their fields. A clone has the same ones.
#[derive(Clone)]
pub(super) struct Records(Arc<Parts>);

struct Parts {
    pvs: PvMap,
    /// Nodes by the beginnings of their names, which end in a colon.
    nodes: HashMap<String, (usize, Arc<Table>)>,
    commands: Commands,
    /// Fields that clients have asked for, by their whole names.
    open: Mutex<HashMap<String, WeakPv>>,
}

/// The place that a name asks for.
pub(super) struct Found<'a> {
    /// The name without the field.
    pub(super) record: &'a str,
    /// The PV of the record.
    pv: SharedPv,
    pub(super) class: Class,
    /// A field other than the value.
    field: Option<Field>,
    /// Whether the name asks for characters instead of a string: it ends with `$`.
    pub(super) is_long: bool,
}

impl Found<'_> {
    /// Whether it is the value of the record.
    pub(super) fn is_value(&self) -> bool {
        self.field.is_none()
    }
}

impl Records {
    pub(super) fn new(
        pvs: &PvMap,
        nodes: HashMap<String, (usize, Arc<Table>)>,
        commands: &Commands,
    ) -> Records {
        Records(Arc::new(Parts {
            pvs: pvs.clone(),
            nodes,
            commands: commands.clone(),
            open: Mutex::default(),
        }))
    }

    /// The place of a name, which may end with a field of a record.
    pub(super) fn find<'a>(&self, name: &'a str) -> Option<Found<'a>> {
        // A PV of exactly this name comes first: some names with a point are PVs of their own.
        if let Some(pv) = self.0.pvs.get(name) {
            let class = Class::of(name, &pv.value()?, pv.is_writable());
            return Some(Found { record: name, pv, class, field: None, is_long: false });
        }
        let (record, asked) = name.rsplit_once('.')?;
        let pv = self.0.pvs.get(record)?;
        // `$` asks for a field as an array of characters, which has no limit of 40.
        let (field, is_long) = asked.strip_suffix('$').map_or((asked, false), |field| (field, true));
        let value = pv.value()?;
        let class = Class::of(record, &value, pv.is_writable());
        if field == VALUE || (field.is_empty() && is_long) {
            let is_text = matches!(value.get("value"), Some(data::Field::Str(_)));
            // Only texts can be long.
            return (is_text || !is_long).then_some(Found { record, pv, class, field: None, is_long });
        }
        let field = Field::named(field, class).filter(|field| !is_long || field.kind == Kind::Text)?;
        Some(Found { record, pv, class, field: Some(field), is_long })
    }

    /// The PV of the place that `name` asks for.
    pub(super) fn pv(&self, name: &str, found: &Found<'_>) -> Option<SharedPv> {
        let Some(field) = found.field else { return Some(found.pv.clone()) };
        // Both forms of a name share one PV; the protocol makes the difference.
        self.shared(name.strip_suffix('$').unwrap_or(name), || self.field(found, field))
    }

    /// The field that clients share.
    fn shared(&self, name: &str, make: impl FnOnce() -> Option<SharedPv>) -> Option<SharedPv> {
        let mut open = lock(&self.0.open);
        // A field lives as long as a client holds it; a run has far more fields than are ever read.
        if let Some(pv) = open.get(name).and_then(WeakPv::upgrade) {
            return Some(pv);
        }
        // Forgotten fields are removed only when the map would grow, so that the cost is spread over many
        // calls.
        if open.len() == open.capacity() {
            open.retain(|_, pv| pv.upgrade().is_some());
        }
        let pv = make()?;
        // The map is locked during the making, so that two clients never make the same field twice.
        open.insert(name.to_owned(), pv.downgrade());
        Some(pv)
    }

    /// A field of the record, which follows the record's PV.
    fn field(&self, found: &Found<'_>, field: Field) -> Option<SharedPv> {
        let (name, class, record) = (found.record.to_owned(), found.class, &found.pv);
        let first = empty(field.kind, class, &record.value()?).ok()?;
        let builder = SharedPv::builder().value(first);
        let pv = match self.handler(&name, field) {
            Some(handler) => builder.on_put(handler).build(),
            None => builder.build(),
        };
        let follow = move |pv: &SharedPv, value: &Value| {
            // A number that does not fit the field's type leaves the old one.
            let _ = pv.update(|mine| follow(mine, field, &Record { name: &name, class, value }));
        };
        // The observer holds the field weakly, so that a field without clients ends and is not followed.
        let (weak, following) = (pv.downgrade(), follow.clone());
        record.observe(move |value, bits| {
            let pv = weak.upgrade();
            // A record tells changes of parts; without one there is nothing to follow.
            pv.iter().filter(|_| !bits.is_empty()).for_each(|pv| following(pv, value));
            pv.is_some()
        });
        // The value is read after the observer is set: an earlier change would be missed.
        follow(&pv, &record.value()?);
        Some(pv)
    }

    /// The effect of a put to a field; `None` for a field that cannot be written.
    fn handler(&self, record: &str, field: Field) -> Option<Box<dyn Fn(Put) + Send + Sync>> {
        let written = field.written()?;
        if written == Written::Process {
            // As for a record without a device, a put here changes nothing: the run has the value.
            return Some(Box::new(Put::accept));
        }
        let (node, quantity) = self.quantity(record)?;
        let commands = self.0.commands.clone();
        Some(Box::new(move |put| {
            let Some(put) = of_value(put) else { return };
            match limit(written, &put.value) {
                Some(limit) => commands.set_limit(node, quantity, limit, put),
                None => put.refuse("wanted a number or a severity"),
            }
        }))
    }

    /// The number whose limits are set at this record.
    fn quantity(&self, record: &str) -> Option<(usize, Quantity)> {
        let (suffix, (node, table)) = record
            .rmatch_indices(':')
            // The longest beginning wins: an instance may have a colon in its name.
            .find_map(|(at, _)| Some((&record[at + 1..], self.0.nodes.get(&record[..=at])?)))?;
        let (served, _) = table.rows.iter().find(|(served, _)| served.name == suffix)?;
        let quantity = match served.shows {
            Shows::Param(index) => {
                let spec = &table.specs[index];
                matches!(spec.kind, ParamKind::Int | ParamKind::Float).then_some(Quantity::Param(spec.name))
            }
            Shows::Item(item) => item.quantity(),
            // A picture and a link are no numbers, so they have no limits.
            Shows::Link(_) | Shows::Picture => None,
        };
        Some((*node, quantity?))
    }
}

impl Provider for Records {
    fn has(&self, name: &str) -> bool {
        self.0.pvs.has(name) || self.find(name).is_some()
    }

    fn open(&self, name: &str, _peer: &Peer) -> Option<SharedPv> {
        self.0.pvs.get(name).or_else(|| self.pv(name, &self.find(name)?))
    }

    fn names(&self) -> Vec<String> {
        self.0.pvs.names()
    }

    fn changes(&self) -> u16 {
        self.0.pvs.changes()
    }
}

/// A value of the field's type. Numbers have the units, the precision and the limits for display of their record.
fn empty(kind: Kind, class: Class, record: &Value) -> livetime_pva::Result<Value> {
    let mut value = Value::new(&match kind {
        Kind::Text => nt::scalar(ScalarType::Str),
        Kind::Menu(_) => nt::enumerated(),
        Kind::Of(kind) => nt::scalar(kind),
        Kind::Number if class.is_number() => nt::scalar(class.number()),
        Kind::Number => nt::scalar(ScalarType::F64),
    });
    match kind {
        Kind::Menu(choices) => value.set("value.choices", choices)?,
        Kind::Number => {
            let parts = ["display.units", "display.precision", "display.limitLow", "display.limitHigh"];
            for path in parts {
                record.get(path).map(|part| value.set(path, part.clone())).transpose()?;
            }
        }
        Kind::Text | Kind::Of(_) => {}
    }
    value.clear_changed();
    Ok(value)
}

/// Shows the record's present state in the value of a field, and notes the parts that are new.
fn follow(mine: &mut Value, field: Field, record: &Record<'_>) -> livetime_pva::Result<()> {
    let path = if mine.get("value.index").is_some() { "value.index" } else { "value" };
    let before = mine.get(path).cloned();
    mine.set(path, field.of(record))?;
    // An equal value is not sent again: the record changes far more often than its fields.
    if mine.get(path) == before.as_ref() {
        mine.clear_changed();
    }
    take_alarm(mine, record.value)
}

/// All fields of a record have its alarm and its time; nothing is sent for the time alone.
fn take_alarm(value: &mut Value, record: &Value) -> livetime_pva::Result<()> {
    let (now, before) = (nt::alarm_of(record).unwrap_or_default(), nt::alarm_of(value).unwrap_or_default());
    if now != before {
        nt::set_alarm(value, &now)?;
    }
    // The time alone is not news, or every field would be sent with every value.
    if !value.changed().is_empty() {
        nt::set_time(value, "timeStamp", nt::time_of(record, "timeStamp").unwrap_or_default())?;
    }
    Ok(())
}

/// The limit that a client writes; `None` for a value that is none.
fn limit(written: Written, value: &Value) -> Option<Limit> {
    let number = || value.get("value").and_then(data::Field::as_f64);
    Some(match written {
        Written::At(bound) => Limit::At(bound, number()?),
        Written::Hysteresis => Limit::Hysteresis(number()?),
        Written::Severity(bound) => {
            let index = usize::try_from(value.i64("value.index")?).ok()?;
            Limit::Severity(bound, *Severity::ALL.get(index)?)
        }
        // A put to PROC has no value that could be a limit.
        Written::Process => return None,
    })
}

#[cfg(test)]
mod tests {
    use livetime_control::model::Model;
    use livetime_engine::RunOptions;

    use super::*;

    fn model() -> Model {
        let nodes = [livetime_nodes::ALL, livetime_sim::ALL].concat();
        let text = "nodes:\n  cam: {type: sim_detector, params: {acquire: false}}\n";
        let graph = livetime_control::config::parse("f", text, &nodes, &[]).unwrap().graph;
        Model::run_graph(&graph, RunOptions::default()).unwrap()
    }

    #[test]
    fn a_field_follows_its_record_and_ends_with_its_last_client() {
        let (pvs, model) = (PvMap::new(), model());
        let record = SharedPv::new(Value::new(&nt::scalar(ScalarType::F64)));
        pvs.add("R:x", record.clone());
        let records = Records::new(&pvs, HashMap::new(), &Commands::new(&model));
        let peer = Peer::anonymous("127.0.0.1:1".parse().unwrap());
        let open = |name: &str| records.open(name, &peer).unwrap();
        let (unit, kind) = (open("R:x.EGU$"), open("R:x.STAT"));
        let alarm = nt::Alarm { severity: nt::Severity::Major, status: 1, message: "LOLO".into() };
        let change = |value: &mut Value| {
            nt::set_alarm(value, &alarm)?;
            value.set("display.units", "mm")
        };
        record.update(change).unwrap();
        let (unit_now, kind_now) = (unit.value().unwrap(), kind.value().unwrap());
        assert_eq!((unit_now.str("value"), kind_now.i64("value.index")), (Some("mm"), Some(5)));
        // All fields of a record have its alarm.
        assert_eq!(nt::alarm_of(&unit_now), Some(alarm));
        let weak = unit.downgrade();
        drop(open("R:x.EGU"));
        assert!(weak.upgrade().is_some());
        drop(unit);
        assert!(weak.upgrade().is_none());
        // Names that clients asked for once are forgotten.
        let names =
            ["HIHI", "HIGH", "LOW", "LOLO", "HHSV", "HSV", "LSV", "LLSV", "HYST", "PREC", "DESC", "NAME"];
        (0..100).for_each(|n| drop(open(&format!("R:x.{}", names[n % names.len()]))));
        assert!(lock(&records.0.open).len() < names.len());
        assert!(!records.has("R:x.NONE") && !records.has("R:x.DRVH") && !records.has("R:y.EGU"));
        assert!(model.finish(livetime_testkit::HANG).imbalances().is_empty());
    }
}
