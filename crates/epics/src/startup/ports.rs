//! The ports that send frames to each other, and their names.

use std::collections::BTreeMap;

use livetime_control::macros::Macros;
use livetime_engine::{NodeType, ParamKind, ParamSpec};

use super::ioc::{Ioc, Port, Sender, is_plugin};
use super::{Fate, Line};

/// Values with which an IOC starts, by PV: nothing is acquired or written until a client wants it.
const STARTS_WITH: &[(&str, &str)] = &[("Acquire", "0"), ("AutoSave", "0")];

/// Gives the ports their senders, names and first parameters.
pub(super) fn connect(ioc: &mut Ioc, nodes: &[NodeType]) {
    // The order matters: arguments name the senders, records replace them, and only then is it known who is
    // missing.
    let all: Vec<String> = ioc.ports.iter().map(|port| port.name.clone()).collect();
    ioc.ports.iter_mut().for_each(arguments);
    records(ioc);
    drivers_of_others(ioc, nodes);
    let known: Vec<String> = ioc.ports.iter().map(|port| port.name.clone()).collect();
    for port in &mut ioc.ports {
        let (senders, unknown) = std::mem::take(&mut port.senders)
            .into_iter()
            .partition(|sender: &Sender| known.contains(&sender.port));
        port.senders = senders;
        let fate = match &unknown[..] {
            // A port that `drivers_of_others` has added was reported there.
            [] if !all.contains(&port.name) => continue,
            [] => fate_of(port),
            [first, ..] => Fate::Differs(format!("it wants frames of `{}`, which no line makes", first.port)),
        };
        ioc.fates.push((port.line.clone(), fate));
    }
    // A plugin without a sender would be a node without an input, which the pipeline file refuses.
    ioc.ports.retain(|port| !is_plugin(&port.command) || !port.senders.is_empty());
}

fn fate_of(port: &Port) -> Fate {
    let name = port.node_type.spec.name;
    match port.node_type.counterpart {
        Some(it) if it.plugin == "NDPluginCodec" => Fate::Differs(format!(
            "{name}, which compresses; its mode decides, and `decompress` is the other node"
        )),
        _ => Fate::Taken(name.to_owned()),
    }
}

/// Takes the arguments of the command: size of the queue, blocking, sender for plugins; for drivers, the arguments that
/// the node declares.
fn arguments(port: &mut Port) {
    let args = std::mem::take(&mut port.args);
    let arg = |index: usize| args.get(index).map(String::as_str).unwrap_or_default();
    let specs = port.node_type.param_specs();
    if is_plugin(&port.command) {
        // 0 is no queue; the usual length takes its place.
        port.queue = arg(0).parse().ok().filter(|queue| *queue > 0);
        port.is_blocking = arg(1) == "1";
        let is_gather = port.node_type.spec.name == "gather";
        // A gathering plugin gets its senders by records; its argument is their number.
        if !is_gather {
            port.senders = sender(arg(2), arg(3)).into_iter().collect();
        }
    }
    let declared = port.node_type.counterpart.map_or(&[][..], |it| it.arguments);
    for (name, value) in declared.iter().zip(&args) {
        let spec = specs.iter().find(|spec| spec.name == *name);
        // A value that does not fit is left out, so that the parameter keeps its usual value.
        port.params.extend(spec.and_then(|spec| Some((spec.name, as_yaml(spec, value)?))));
    }
    for (pv, value) in STARTS_WITH {
        let spec = specs.iter().find(|spec| spec.pv == Some(pv) && !spec.readback);
        port.params.extend(spec.and_then(|spec| Some((spec.name, as_yaml(spec, value)?))));
    }
    // A run of an IOC does not end when a detector has taken its frames.
    if let Some(spec) = specs.iter().find(|spec| spec.name == "finish_when_done") {
        port.params.insert(spec.name, "false".into());
    }
}

fn sender(port: &str, address: &str) -> Option<Sender> {
    // An address that is no number means the first output.
    (!port.is_empty()).then(|| Sender { port: port.to_owned(), address: address.parse().unwrap_or(0) })
}

/// Takes the macros of records: the names of PVs, and the sender, which records tell the plugin again when the IOC starts.
fn records(ioc: &mut Ioc) {
    for (line, macros) in std::mem::take(&mut ioc.records) {
        let text = |name: &str| macros.get(name).map(|value| value.trim()).unwrap_or_default();
        let fate = match ioc.ports.iter_mut().find(|port| port.name == text("PORT")) {
            Some(port) => {
                // The first prefix is the run's: all PVs of a run share one.
                let prefix = ioc.prefix.get_or_insert_with(|| text("P").to_owned());
                match prefix == text("P") {
                    true => named(port, &macros),
                    false => Fate::Differs(format!("the PVs begin with {prefix} and not with {}", text("P"))),
                }
            }
            None if ioc.drivers.iter().any(|(_, port, _)| port == text("PORT")) => Fate::NotNeeded,
            None if ioc.without_node.iter().any(|port| port == text("PORT")) => {
                Fate::Left(format!("records of {}, which is no node", text("PORT")))
            }
            None => Fate::Left("records of something else; an IOC of their own may serve them".into()),
        };
        ioc.fates.push((line, fate));
    }
}

fn named(port: &mut Port, macros: &Macros) -> Fate {
    let text = |name: &str| macros.get(name).map(|value| value.trim()).unwrap_or_default();
    let instance = text("R").trim_end_matches(':').to_owned();
    let is_part = port.instance.is_some();
    if !is_part && !instance.is_empty() {
        // Several records name one port; its PVs begin with the first name.
        port.instance = Some(instance);
    }
    let Some(sender) = sender(text("NDARRAY_PORT"), text("NDARRAY_ADDR")) else {
        return Fate::Taken("PVs".into());
    };
    match port.node_type.spec.name {
        // A sender that stands there twice would be counted twice.
        "gather" if port.senders.contains(&sender) => return Fate::NotNeeded,
        "gather" => port.senders.push(sender),
        // A record tells the sender at the start of an IOC, after the arguments, so it replaces the
        // argument's.
        _ => port.senders = vec![sender],
    }
    Fate::Taken("PVs".into())
}

/// A driver that is no node here sends its pictures over pvAccess: its own IOC stays, with `NDPluginPva`.
fn drivers_of_others(ioc: &mut Ioc, nodes: &[NodeType]) {
    let Some(pva_source) = nodes.iter().find(|node| node.spec.name == "pva_source") else { return };
    for (line, name, command) in std::mem::take(&mut ioc.drivers) {
        let is_wanted = |port: &Port| port.senders.iter().any(|sender| sender.port == name);
        // A driver without a plugin gives no frames to this pipeline.
        if !ioc.ports.iter().any(is_wanted) {
            ioc.fates.push((line, Fate::Left(format!("no node does the work of {command}"))));
            continue;
        }
        let told = "no node drives this detector: the node takes its pictures over pvAccess. Keep the driver and \
                    NDPluginPva in an IOC of their own, with other names, and write the name of the picture to `channel`";
        ioc.fates.push((line.clone(), Fate::Differs(told.into())));
        let channel = serde_json::json!("DRIVER:Pva1:Image").to_string();
        let port = driver(line, name, command, pva_source, channel);
        // A sender comes before its receivers, so that the pipeline file reads in the direction of the
        // frames.
        ioc.ports.insert(0, port);
    }
}

fn driver(line: Line, name: String, command: String, node_type: &NodeType, channel: String) -> Port {
    let params = BTreeMap::from([("channel", channel), ("finish_when_done", "false".to_owned())]);
    let node_type = node_type.clone();
    let (args, senders, queue, is_blocking, instance) = (Vec::new(), Vec::new(), None, false, None);
    Port { line, name, command, node_type, args, senders, queue, is_blocking, instance, params }
}

/// A value as areaDetector writes it, in the words of the pipeline file; `None` if it is no value of the parameter.
pub(super) fn as_yaml(spec: &ParamSpec, value: &str) -> Option<String> {
    let value = value.trim();
    match spec.kind {
        ParamKind::Bool => match value.to_lowercase().as_str() {
            "0" | "no" | "off" | "disable" | "false" | "done" => Some("false".into()),
            "1" | "yes" | "on" | "enable" | "true" | "acquire" => Some("true".into()),
            _ => None,
        },
        ParamKind::Int => value.parse::<i64>().ok().map(|number| number.to_string()),
        ParamKind::Float => {
            // YAML has no form of an infinite number that the pipeline file takes.
            value.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number.to_string())
        }
        // JSON's quotes are YAML's too, so a text with a colon stays one text.
        ParamKind::Text => Some(serde_json::json!(value).to_string()),
        ParamKind::Enum(choices) => {
            let by_number = value.parse::<usize>().ok().and_then(|number| choices.get(number));
            // areaDetector's scripts write the number, autosave's users the word.
            let choice = by_number
                .or_else(|| choices.iter().find(|choice| choice.pv == value || choice.name == value));
            choice.map(|choice| choice.name.to_owned())
        }
        ParamKind::List => None,
    }
}
