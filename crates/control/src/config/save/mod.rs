//! The pipeline file of a run as it now stands: the file that was read, with what has changed since, so that a next run
//! starts where this one is.
//!
//! The text is edited in place, so that comments and order stay. What cannot be edited, such as a value that comes from
//! an alias, makes all nodes be written anew. Either way the result is parsed again and compared with the run before it
//! is given out.

mod anew;
mod edit;
mod hosts;
mod standing;
mod text;

use livetime_engine::{Graph, NodeType};

pub use standing::Standing;
use standing::{NodeNow, changed_values, of_graph, standing};
use text::{edges_text, value_text};

use super::error::{Problem, ProblemKind, Problems};
use super::{file, parse, yaml};

/// The name of the file in its problems.
const NAME: &str = "the saved file";

/// A pipeline file as a run now stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Saved {
    /// The text of the file.
    pub text: String,
    /// How it differs from the file that was read, in the order of the nodes.
    pub differences: Vec<Difference>,
    /// What a file cannot say, in sentences.
    pub notes: Vec<String>,
    /// Why a run cannot start from the text, if it cannot.
    pub problem: Option<Problems>,
}

/// One thing that is different from the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Name of the node.
    pub node: String,
    /// Name of the parameter, or `from` for its inputs.
    pub what: String,
    /// As the file has it, or as it is without being in the file.
    pub was: String,
    /// As it is now.
    pub now: String,
}

/// The pipeline file of a run of `graph` whose nodes, by number, stand as `now` says.
///
/// ```
/// use livetime_control::config::{parse, save, Standing};
///
/// let text = "nodes:\n  cam: {type: sim_detector} # the camera\n";
/// let graph = parse("p.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])?.graph;
/// let now = Standing { values: vec![("gain", 2.0.into())], ..Standing::default() };
/// let saved = save(&graph, &[now]);
/// assert_eq!(saved.text, "nodes:\n  cam: {type: sim_detector, params: {gain: 2}} # the camera\n");
/// assert_eq!(saved.problem, None);
/// # Ok::<(), livetime_control::config::Problems>(())
/// ```
pub fn save(graph: &Graph, now: &[Standing]) -> Saved {
    let text = graph.text.strip_prefix('\u{feff}').unwrap_or(&graph.text);
    let mut wanted = standing(graph, now);
    let before = read(text, graph);
    let mut notes = notes(graph, now);
    if graph.host.is_some() {
        notes.extend(hosts::settle(before.as_deref().unwrap_or_default(), &mut wanted));
    }
    let read = |text: &str| read(text, graph).map(hosts::own);
    let before = before.map(hosts::own).ok();
    // A recorded run that takes the place of a source leaves a text that these types do not parse: then the run's start is compared.
    let start = hosts::own(of_graph(graph));
    let differences = differences(before.as_deref().unwrap_or(&start), &wanted);
    let root = yaml::parse(text).ok();
    if let (Some(before), Some(root)) = (&before, &root) {
        // An edit is used only if its text reads as wanted; otherwise the file is written anew.
        let edited = edit::edited(text, root, before, &wanted);
        if let Some(edited) = edited.filter(|edited| read(edited).is_ok_and(|read| read == wanted)) {
            return Saved { text: edited, differences, notes, problem: None };
        }
    }
    if graph.host.is_some() {
        // Written anew, the file would lose the nodes of other hosts.
        let problem = Some(Problems::new(NAME, vec![Problem::elsewhere(ProblemKind::NotSaid)]));
        return Saved { text: text.to_owned(), differences, notes, problem };
    }
    let entries = file::read(text).0.map(|file| file.nodes).unwrap_or_default();
    let left_out = root.as_ref().map(|root| anew::left_out(text, root)).unwrap_or_default();
    notes.extend(
        left_out.iter().map(|name| format!("`{name}` is not in the file, whose text is one flow mapping")),
    );
    let text = anew::written(graph, text, root.as_ref(), &entries, &wanted);
    let problem = match read(&text) {
        Ok(read) if read == wanted => None,
        Ok(_) => Some(Problems::new(NAME, vec![Problem::elsewhere(ProblemKind::NotSaid)])),
        Err(problem) => Some(problem),
    };
    Saved { text, differences, notes, problem }
}

/// The nodes of the file, of the host of `graph` if it has one.
fn read(text: &str, graph: &Graph) -> Result<Vec<NodeNow>, Problems> {
    let types: Vec<NodeType> = graph.nodes().iter().map(|node| node.node_type.clone()).collect();
    let pipeline = match &graph.host {
        Some(host) => super::hosts::parse_alone(NAME, text, &types, host),
        None => parse(NAME, text, &types, &[]),
    };
    pipeline.map(|pipeline| of_graph(&pipeline.graph))
}

fn differences(before: &[NodeNow], wanted: &[NodeNow]) -> Vec<Difference> {
    let mut found = Vec::new();
    for node in wanted {
        let Some(before) = before.iter().find(|before| before.name == node.name) else { continue };
        let add = |what: &str, was, now| Difference { node: node.name.clone(), what: what.into(), was, now };
        for (name, was, now) in changed_values(before, node) {
            found.push(add(name, was.map(value_text).unwrap_or_default(), value_text(now)));
        }
        if before.edges != node.edges {
            found.push(add("from", edges_text(&before.edges, false), edges_text(&node.edges, false)));
        }
    }
    found
}

fn notes(graph: &Graph, now: &[Standing]) -> Vec<String> {
    let mut notes = Vec::new();
    for (node, now) in graph.nodes().iter().zip(now) {
        if !now.is_enabled {
            notes.push(format!("{} is turned off in the run; it is on in a run of this file", node.name));
        }
        if now.inputs.iter().any(|(_, _, options)| options.max_bytes_per_s.is_some()) {
            notes.push(format!("the limit of {} in bytes per second is not in the file", node.name));
        }
    }
    notes
}

#[cfg(test)]
mod tests;
