//! Settings become values of a graph before its run starts.

use std::path::PathBuf;

use livetime_engine::{Graph, GraphError, Place, RefusalKind, Value};
use serde_json::{Value as Json, json};

use super::error::SettingsError;
use super::file::{Kept, SettingsFile};
use super::json::value_json;
use super::key::{Key, order};
use crate::config::Setting;
use crate::line::in_a_line;

/// The fate of the settings at the start of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Restored {
    /// The file that was read; `None` if there was none.
    pub from: Option<PathBuf>,
    /// Why another file than the wanted one was read, or none.
    pub problems: Vec<SettingsError>,
    /// Each value of the file.
    pub tried: Vec<Tried>,
}

/// A value of a settings file, and what became of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Tried {
    /// Name of the node.
    pub node: String,
    /// Its type.
    pub type_name: String,
    /// Name of the value in the file.
    pub key: String,
    /// The value, in the type of the parameter if the run has it.
    pub kept: Kept,
    /// Its fate.
    pub fate: Fate,
}

/// The fate of a value of a settings file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The run has it.
    Restored,
    /// The model gives it to the run after the start.
    AfterStart,
    /// The node, or the graph, refuses it. The file keeps it until a client writes the parameter.
    Refused(String),
    /// There is no such node. The file keeps it: the node may come back.
    NoNode(String),
    /// The node has no such parameter. The file keeps it.
    NoParameter(String),
    /// The node is of another type than the one of this value. The file drops it.
    OtherType(String),
    /// It is an action or a readback, which a person has written into the file. The file drops it.
    NoSetting(String),
    /// The command line has another value, which holds. The file keeps this one.
    CommandLine,
}

impl Fate {
    /// Whether the settings file keeps a value that was not restored.
    pub fn is_kept(&self) -> bool {
        !matches!(self, Fate::OtherType(_) | Fate::NoSetting(_))
    }

    /// A name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Fate::Restored | Fate::AfterStart => "restored",
            Fate::Refused(_) => "refused",
            Fate::NoNode(_) => "no_node",
            Fate::NoParameter(_) => "no_parameter",
            Fate::OtherType(_) => "other_type",
            Fate::NoSetting(_) => "no_setting",
            Fate::CommandLine => "command_line",
        }
    }

    /// Why it was not restored; `None` if it was.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Fate::Restored | Fate::AfterStart => None,
            Fate::CommandLine => Some("the command line says otherwise"),
            Fate::Refused(why)
            | Fate::NoNode(why)
            | Fate::NoParameter(why)
            | Fate::OtherType(why)
            | Fate::NoSetting(why) => Some(why),
        }
    }
}

impl Restored {
    /// Values that the run has from the settings.
    pub fn restored(&self) -> impl Iterator<Item = &Tried> {
        self.tried.iter().filter(|tried| tried.fate.reason().is_none())
    }

    /// Values that the run does not have, each with a reason.
    pub fn not_restored(&self) -> impl Iterator<Item = &Tried> {
        self.tried.iter().filter(|tried| tried.fate.reason().is_some())
    }

    /// Takes the settings of the nodes at these places away again, because the run does not start with them. Returns
    /// whether there were some.
    pub fn take_back(&mut self, graph: &mut Graph, base: &Graph, errors: &[GraphError]) -> bool {
        let before = self.restored().count();
        for error in errors {
            let (node, param) = match &error.place {
                Place::Node(node) => (Some(*node), None),
                Place::Param(node, param) => (Some(*node), Some(param.as_str())),
                // An error without a place may come from any of the kept values.
                _ => (None, None),
            };
            let name = node.and_then(|node| Some(base.nodes().get(node)?.name.as_str()));
            let is_at = |tried: &Tried| {
                name.is_none_or(|name| tried.node == name) && param.is_none_or(|param| tried.key == param)
            };
            let is_guilty = self.restored().any(is_at);
            // A parameter may be wrong only together with another one of its node.
            let is_at = |tried: &Tried| is_at(tried) || (!is_guilty && name.is_some_and(|n| tried.node == n));
            let guilty = self.tried.iter_mut().filter(|tried| tried.fate == Fate::Restored && is_at(tried));
            guilty.for_each(|tried| tried.fate = Fate::Refused(error.to_string()));
        }
        // On a copy without settings: a graph does not take a value back.
        *graph = base.clone();
        for tried in self.tried.iter_mut().filter(|tried| tried.fate == Fate::Restored) {
            set(graph, tried);
        }
        self.restored().count() < before
    }
}

/// Sets the values of `file` in `graph`. Values that the command line has set, in `fixed`, stay; values that are refused,
/// alone or because the graph cannot run with them, are named in the result, and the others hold.
pub fn restore(graph: &mut Graph, file: &SettingsFile, fixed: &[Setting]) -> Restored {
    let base = graph.clone();
    let mut restored = Restored::default();
    for (node, key, kept) in file.values() {
        let type_name = file.nodes[node].type_name.clone();
        let (node, key, kept) = (node.to_owned(), key.to_owned(), kept.clone());
        let mut tried = Tried { node, type_name, key, kept, fate: Fate::CommandLine };
        if !fixed.iter().any(|setting| setting.node == tried.node && setting.param == tried.key) {
            set(graph, &mut tried);
        }
        restored.tried.push(tried);
    }
    restored.tried.sort_by_key(|tried| order(&tried.key));
    // Each pass refuses at least one setting, or is the last.
    while let Err(errors) = graph.check() {
        if !restored.take_back(graph, &base, &errors) {
            break;
        }
    }
    restored
}

/// Sets the value in the graph, and says in it what became of it.
fn set(graph: &mut Graph, tried: &mut Tried) {
    tried.fate = accepted(graph, tried).map_or_else(
        |fate| fate,
        |(node, key, value)| {
            tried.kept.value = value;
            match key {
                Key::Run(_) => Fate::AfterStart,
                Key::Param(spec) => {
                    let set = graph.set(node, spec.name, &tried.kept.value);
                    set.map_or_else(|error| Fate::Refused(error.to_string()), |()| Fate::Restored)
                }
            }
        },
    );
}

/// The number of the node, the key, and the value in its type.
fn accepted(graph: &Graph, tried: &Tried) -> Result<(usize, Key, Value), Fate> {
    let node = graph.node(&tried.node).map_err(|unknown| Fate::NoNode(unknown.to_string()))?;
    let node_type = &graph.nodes()[node].node_type;
    let found = node_type.spec.name;
    if found != tried.type_name {
        let wanted = &tried.type_name;
        return Err(Fate::OtherType(format!("wanted a node of type `{wanted}`, found `{found}`")));
    }
    let key = Key::find(node_type, &tried.key).map_err(|refusal| match refusal.kind() {
        RefusalKind::UnknownParameter { .. } => Fate::NoParameter(refusal.to_string()),
        _ => Fate::NoSetting(refusal.to_string()),
    })?;
    let value = key.accept(&tried.kept.value).map_err(|refusal| Fate::Refused(refusal.to_string()))?;
    Ok((node, key, value))
}

impl Restored {
    /// The values that were not restored, as data.
    pub fn not_restored_json(&self) -> Json {
        let one = |tried: &Tried| {
            json!({
                "node": tried.node,
                "key": tried.key,
                "value": value_json(&tried.kept.value),
                "code": tried.fate.code(),
                "message": tried.fate.reason(),
                "kept": tried.fate.is_kept(),
            })
        };
        self.not_restored().map(one).collect()
    }

    /// A line for each value that was not restored, and for each problem with the file.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let problems = self.problems.iter().map(ToString::to_string);
        let values = self.not_restored().map(|tried| {
            let then = if tried.fate.is_kept() { "kept in the file" } else { "dropped at the next write" };
            let why = tried.fate.reason().unwrap_or_default();
            let text = format!("{}.{} = {}: {why}", tried.node, tried.key, tried.kept.value);
            format!("not restored ({then}): {}", in_a_line(&text))
        });
        problems.chain(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "nodes:\n  cam: {type: sim_detector, params: {gain: 2}}\n  roi: {type: roi, from: cam}\n";

    fn graph(text: &str) -> Graph {
        let nodes = [livetime_nodes::ALL, livetime_sim::ALL].concat();
        crate::config::parse("p.yaml", text, &nodes, &[]).unwrap().graph
    }

    fn file(values: &[(&str, &str, &str, Value)]) -> SettingsFile {
        let mut file = SettingsFile::default();
        values.iter().for_each(|(node, kind, key, value)| file.set(node, kind, key, value.clone(), "ada", 5));
        file
    }

    #[test]
    fn values_are_restored_and_the_others_are_named_with_their_reasons() {
        let mut graph = graph(TEXT);
        let fixed = ["cam.offset=4".parse().unwrap()];
        let restored = restore(
            &mut graph,
            &file(&[
                ("cam", "sim_detector", "gain", Value::Int(3)),
                ("cam", "sim_detector", "acquire_period", (-1.0).into()),
                ("cam", "sim_detector", "acquire", true.into()),
                ("cam", "sim_detector", "offset", 7.0.into()),
                ("cam", "sim_detector", "gian", 7.0.into()),
                ("cam", "sim_detector", "run.enabled", false.into()),
                ("gone", "roi", "size_x", 7.into()),
                ("roi", "statistics", "size_x", 7.into()),
            ]),
            &fixed,
        );
        assert_eq!(graph.nodes()[0].value("gain"), Some(3.0.into()));
        let fates: Vec<(&str, &str, bool)> =
            restored.tried.iter().map(|t| (&*t.key, t.fate.code(), t.fate.is_kept())).collect();
        let wanted = [
            ("acquire", "no_setting", false),
            ("acquire_period", "refused", true),
            ("gain", "restored", true),
            ("gian", "no_parameter", true),
            ("offset", "command_line", true),
            ("size_x", "no_node", true),
            ("size_x", "other_type", false),
            ("run.enabled", "restored", true),
        ];
        assert_eq!(fates, wanted);
        let lines: Vec<String> = restored.lines().collect();
        assert!(lines[1].contains("0 to 1000000000, found -1"), "{lines:?}");
        assert!(lines[2].contains("did you mean `gain`"), "{lines:?}");
    }

    #[test]
    fn values_that_the_graph_cannot_run_with_are_taken_back() {
        // Two sinks that write one file are refused by the graph, not by a node.
        let text = "nodes:\n  cam: {type: sim_detector}\n  s: {type: find_peaks, from: cam}\n  \
                    a: {type: table_csv, from: s.peaks, params: {file: /tmp/a.csv}}\n  \
                    b: {type: table_csv, from: s.peaks, params: {file: /tmp/b.csv}}\n";
        let mut graph = graph(text);
        let settings = file(&[
            ("cam", "sim_detector", "gain", 3.0.into()),
            ("b", "table_csv", "file", "/tmp/a.csv".into()),
        ]);
        let restored = restore(&mut graph, &settings, &[]);
        assert!(graph.check().is_ok());
        assert_eq!(graph.nodes()[0].value("gain"), Some(3.0.into()));
        assert_eq!(graph.nodes()[3].value("file"), Some("/tmp/b.csv".into()));
        assert_eq!(restored.not_restored().map(|tried| tried.fate.code()).collect::<Vec<_>>(), ["refused"]);
    }
}
