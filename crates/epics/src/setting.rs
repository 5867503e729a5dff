//! PVs of an IOC as settings of a pipeline: which parameter a name means, and what a value in autosave's file is there.

use std::collections::{BTreeMap, HashMap};

use livetime_control::settings::autosave::SavValue;
use livetime_control::settings::{Key, RunKey, is_saved};
use livetime_engine::{Graph, ParamKind, ParamSpec, Value};

use super::base::Item;
use super::names::instances;
use super::served_pv::{ServedPv, Shows};
use super::table::served_by;

/// The PVs that a run of a pipeline would serve, by their names behind the prefix.
///
/// ```
/// use livetime_control::settings::autosave::SavValue;
/// use livetime_epics::{Meaning, PvNames};
///
/// let text = "nodes:\n  cam: {type: sim_detector}\n  s: {type: statistics, from: cam}\n";
/// let nodes = [livetime_nodes::ALL, livetime_sim::ALL].concat();
/// let pipeline = livetime_control::config::parse("p.yaml", text, &nodes, &[])?;
/// let names = PvNames::new(&pipeline.graph, &pipeline.pvaccess.names);
/// assert_eq!(names.prefix_of(["13SIM1:cam1:Gain", "13SIM1:Stats1:EnableCallbacks"]), Some("13SIM1:"));
/// let meaning = names.meaning("Stats1:EnableCallbacks", &SavValue::Text("0".into()));
/// assert_eq!(meaning, Meaning::Setting { node: 1, key: "run.enabled", value: false.into() });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PvNames<'a> {
    graph: &'a Graph,
    instances: Vec<String>,
    pvs: HashMap<String, (usize, ServedPv)>,
}

/// The meaning of a saved PV in a pipeline.
#[derive(Clone, PartialEq, Debug)]
pub enum Meaning {
    /// A setting of the node of this number, by the name that it has in a settings file.
    Setting {
        /// The node.
        node: usize,
        /// The name.
        key: &'static str,
        /// The value; a parameter of another type takes it over or refuses it.
        value: Value,
    },
    /// The PV exists, and settings do not keep it, for this reason.
    NotKept(&'static str),
    /// The value cannot be one of this PV.
    Refused(String),
    /// A run of the pipeline has no such PV.
    Unknown,
}

const ACTION: &str = "an action, which is never saved";
const READ_ONLY: &str = "a readback";
const FIELD: &str = "a field of a record, which settings do not keep";
const NO_EFFECT: &str = "a name without effect here";
const ADDRESS: &str = "the pipeline file says which output of a node is connected";

impl<'a> PvNames<'a> {
    /// `chosen` holds the instance names that the pipeline file chooses, by name of the node.
    pub fn new(graph: &'a Graph, chosen: &BTreeMap<String, String>) -> PvNames<'a> {
        let instances = instances(graph, chosen);
        let mut pvs = HashMap::new();
        for (number, (node, instance)) in graph.nodes().iter().zip(&instances).enumerate() {
            for served in served_by(&node.node_type) {
                pvs.insert(format!("{instance}:{}", served.name), (number, served));
            }
        }
        PvNames { graph, instances, pvs }
    }

    /// The prefix that most of these names of an IOC have, before a name of this pipeline.
    pub fn prefix_of<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in names {
            let ends = std::iter::once(0).chain(name.match_indices(':').map(|(place, _)| place + 1));
            // A name without a prefix counts too, so the begin of the text is a candidate.
            for end in ends.filter(|end| self.pvs.contains_key(record_of(&name[*end..]).0)) {
                *counts.entry(&name[..end]).or_default() += 1;
            }
        }
        // The most frequent prefix wins: saved files also have PVs of motors and other devices.
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(prefix, _)| prefix)
    }

    /// The meaning in the pipeline of the PV `name`, without its prefix, and of its value.
    pub fn meaning(&self, name: &str, value: &SavValue) -> Meaning {
        let (record, field) = record_of(name);
        // A few PVs have a point in their own name, so the whole name is looked up first.
        let Some((node, served)) = self.pvs.get(name).or_else(|| self.pvs.get(record)) else {
            return Meaning::Unknown;
        };
        if !self.pvs.contains_key(name) && !field.is_empty() {
            return Meaning::NotKept(FIELD);
        }
        match served.shows {
            Shows::Param(index) => self.param(*node, index, value),
            _ if !served.is_writable => Meaning::NotKept(READ_ONLY),
            Shows::Item(item) => self.item(*node, item, value),
            Shows::Link(_) => {
                Meaning::NotKept("the name of a PV that a parameter follows, which settings do not keep")
            }
            Shows::Picture => Meaning::NotKept("a picture"),
        }
    }

    fn param(&self, node: usize, index: usize, value: &SavValue) -> Meaning {
        let spec: &'static ParamSpec = &self.graph.nodes()[node].node_type.param_specs()[index];
        // An action that is restored at the start would run at each start.
        if spec.readback || !is_saved(spec) {
            return Meaning::NotKept(if spec.readback { READ_ONLY } else { ACTION });
        }
        let found = of_param(spec, value).and_then(|value| Key::Param(spec).accept(&value).ok());
        match found {
            Some(value) => Meaning::Setting { node, key: spec.name, value },
            None => Meaning::Refused(format!("wanted {}, found {}", spec.describe(), text_of(value))),
        }
    }

    fn item(&self, node: usize, item: Item, value: &SavValue) -> Meaning {
        let text = text_of(value);
        let number = || text.trim().parse::<f64>().ok();
        // autosave writes 0 and 1, a person may have written the word.
        let flag = |on: &str| number().map(|number| number != 0.0).or((text == on).then_some(true));
        let (key, value) = match item {
            Item::EnableCallbacks => (RunKey::Enabled, flag("Enable").map(Value::Bool)),
            Item::ArrayCallbacks => (RunKey::Sends, flag("Enable").map(Value::Bool)),
            Item::WaitForPlugins => (RunKey::WaitsForNodes, flag("Yes").map(Value::Bool)),
            Item::AttributesFile => (RunKey::Attributes, Some(Value::from(text_value(value)))),
            Item::AttributesMacros => (RunKey::Macros, Some(Value::from(text_value(value)))),
            Item::QueueSize => (RunKey::Queue, number().map(Value::Float)),
            Item::MaxArrayRate => (RunKey::MaxRate, number().map(Value::Float)),
            Item::MaxByteRate => (RunKey::MaxBytes, number().map(Value::Float)),
            // The least time between two frames is the inverse of the rate; 0 is no limit in both.
            Item::MinCallbackTime => {
                let rate = number().map(|seconds| if seconds > 0.0 { 1.0 / seconds } else { 0.0 });
                (RunKey::MaxRate, rate.map(Value::Float))
            }
            Item::NdArrayPort => match self.port(text.trim()) {
                Some(sender) => (RunKey::Input, Some(Value::from(sender))),
                None => {
                    // A PV of another port would connect nothing here.
                    return Meaning::NotKept(
                        "a port that is no node here; the pipeline file says what is connected",
                    );
                }
            },
            Item::NdArrayAddress | Item::PortOf(_) | Item::AddressOf(_) => return Meaning::NotKept(ADDRESS),
            Item::Kept(..) | Item::Constant(_) | Item::Only(..) => return Meaning::NotKept(NO_EFFECT),
            _ => return Meaning::NotKept(ACTION),
        };
        match value.and_then(|value| Key::Run(key).accept(&value).ok()) {
            Some(value) => Meaning::Setting { node, key: key.name(), value },
            None => Meaning::Refused(format!("wanted a number or a choice of the PV, found {text}")),
        }
    }

    /// The first output of the node that has this name, or whose PVs have it: `STATS1` is `Stats1`.
    fn port(&self, port: &str) -> Option<String> {
        // areaDetector's ports are spelt freely, so capitals do not matter.
        let is_it = |(node, instance): &(&livetime_engine::NodeDecl, &String)| {
            node.name.eq_ignore_ascii_case(port) || instance.eq_ignore_ascii_case(port)
        };
        let (node, _) = self.graph.nodes().iter().zip(&self.instances).find(is_it)?;
        Some(format!("{}.{}", node.name, node.node_type.spec.outputs.first()?.name))
    }
}

/// Name of the record and of its field; `VAL` is the record itself, and `$` means that its text is long.
fn record_of(name: &str) -> (&str, &str) {
    // `$` changes only how a text travels.
    let name = name.strip_suffix('$').unwrap_or(name);
    match name.rsplit_once('.') {
        Some((record, "VAL")) => (record, ""),
        Some((record, field)) => (record, field),
        None => (name, ""),
    }
}

/// The value of a parameter; `None` if it cannot be one.
fn of_param(spec: &ParamSpec, value: &SavValue) -> Option<Value> {
    let text = text_of(value);
    let number = text.trim().parse::<f64>().ok();
    match spec.kind {
        ParamKind::Text => Some(Value::from(text_value(value))),
        // A list of one number is saved without an array.
        ParamKind::List => match value {
            SavValue::Array(all) => {
                all.iter().map(|n| n.trim().parse().ok()).collect::<Option<_>>().map(Value::List)
            }
            SavValue::Text(_) => number.map(|number| Value::List(vec![number])),
        },
        // autosave writes the number of a choice; a person may have written its word.
        ParamKind::Bool => match number {
            Some(number) => Some(Value::Bool(number != 0.0)),
            None => spec
                .style
                .words(true)
                .iter()
                // A switch has the word for true in second place.
                .position(|word| *word == text)
                .map(|place| Value::Bool(place == 1)),
        },
        ParamKind::Enum(_) => {
            Some(number.map_or_else(|| Value::from(text.clone()), |number| Value::Int(number as i64)))
        }
        // A PV has the unit of its parameter, so its number stands alone.
        ParamKind::Int | ParamKind::Float => number.map(Value::Float),
    }
}

/// A text, which areaDetector's records hold as an array of characters that ends with a zero.
fn text_value(value: &SavValue) -> String {
    let SavValue::Array(elements) = value else { return text_of(value) };
    let bytes =
        // Characters behind the first zero are left over from a longer text.
        elements.iter().map_while(|element| element.trim().parse::<i16>().ok().filter(|byte| *byte != 0));
    // A save file has characters with a sign.
    let bytes: Vec<u8> = bytes.map(|byte| byte as u8).collect();
    String::from_utf8(bytes)
        // A text that is not UTF-8 is Latin 1 in old files.
        .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect())
}

fn text_of(value: &SavValue) -> String {
    match value {
        SavValue::Text(text) => text.clone(),
        SavValue::Array(elements) => elements.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "nodes:\n  cam: {type: sim_detector}\n  STATS1: {type: statistics, from: cam}\n  \
                        files: {type: tiff_files, from: cam}\n  roi: {type: roi_statistics, from: cam}\n";

    fn meanings(pvs: &[(&str, SavValue)]) -> Vec<Meaning> {
        let nodes = [livetime_nodes::ALL, livetime_sim::ALL].concat();
        let pipeline = livetime_control::config::parse("p.yaml", TEXT, &nodes, &[]).unwrap();
        let names = PvNames::new(&pipeline.graph, &pipeline.pvaccess.names);
        pvs.iter().map(|(name, value)| names.meaning(name, value)).collect()
    }

    fn text(text: &str) -> SavValue {
        SavValue::Text(text.into())
    }

    fn setting(node: usize, key: &'static str, value: impl Into<Value>) -> Meaning {
        Meaning::Setting { node, key, value: value.into() }
    }

    #[test]
    fn values_of_an_ioc_are_settings_of_nodes() {
        let path = SavValue::Array("/tmp\0x".bytes().map(|byte| byte.to_string()).collect());
        for (pv, value, wanted) in [
            ("cam1:AcquirePeriod", text("0.005"), setting(0, "acquire_period", 0.005)),
            ("cam1:AcquirePeriod.VAL", text("2"), setting(0, "acquire_period", 2.0)),
            ("cam1:ImageMode", text("1"), setting(0, "image_mode", "multiple")),
            ("cam1:ImageMode", text("Continuous"), setting(0, "image_mode", "continuous")),
            ("TIFF1:FilePath", path, setting(2, "path", "/tmp")),
            ("TIFF1:FilePath.VAL$", text("/data"), setting(2, "path", "/data")),
            ("TIFF1:AutoIncrement", text("1"), setting(2, "auto_increment", true)),
            ("TIFF1:AutoIncrement", text("No"), setting(2, "auto_increment", false)),
            ("Stats1:EnableCallbacks", text("0"), setting(1, "run.enabled", false)),
            ("Stats1:MinCallbackTime", text("0.5"), setting(1, "run.max_rate_hz", 2.0)),
            ("Stats1:QueueSize", text("30"), setting(1, "run.queue", 30)),
            ("TIFF1:NDArrayPort", text("cam"), setting(2, "run.input", "cam.out")),
            ("ROIStat1:2:MinX", text("7"), setting(3, "region2_min_x", 7)),
        ] {
            assert_eq!(meanings(&[(pv, value)]), [wanted], "{pv}");
        }
    }

    #[test]
    fn everything_else_has_its_reason() {
        let found = meanings(&[
            ("cam1:Acquire", text("1")),
            ("cam1:ArrayCounter_RBV", text("1")),
            ("cam1:AcquireTime.PREC", text("3")),
            ("cam1:TriggerMode", text("1")),
            ("Stats1:NDArrayPort", text("SIM1")),
            ("HDF1:FilePath", text("/")),
        ]);
        let not_kept = |meaning: &Meaning| matches!(meaning, Meaning::NotKept(_));
        assert!(found[..5].iter().all(not_kept), "{found:?}");
        assert_eq!(found[5], Meaning::Unknown);
        for (pv, value) in
            [("cam1:ImageMode", "9"), ("cam1:AcquireTime", "soon"), ("Stats1:QueueSize", "1.5")]
        {
            let found = meanings(&[(pv, text(value))]);
            assert!(matches!(&found[0], Meaning::Refused(_)), "{pv}: {found:?}");
        }
    }
}
