//! The part of a host, as a pipeline file of its own: its nodes, and the ends of its links in the place of nodes of other
//! hosts.

use livetime_engine::{EdgeOptions, NodeOptions, NodeType, ParamSpec, WhenFull};

use super::super::build::{self, Pipeline as Built};
use super::super::error::{Problem, ProblemKind};
use super::super::file::{EdgeEntry, NodeEntry, Pipeline};
use super::super::setting::Setting;
use super::super::types::find_type;
use super::super::yaml::{self, Data, Item, Name, Scalar};
use super::cut::CutEntry;
use super::taken::Taken;

/// Types of nodes that lead a link.
const LINK_OUT: &str = "link_out";
const LINK_IN: &str = "link_in";
/// Parameters that the cut gives to a link: a file does not.
const GIVEN: [&str; 6] = ["to", "listen", "beyond_loopback", "link", "pipeline", "when_stopped"];

/// Whether nodes of this type lead links.
pub(crate) fn link_type(name: &str) -> bool {
    [LINK_OUT, LINK_IN].contains(&name)
}

/// The file of the host with this number. `None` where something is wrong, which is among the problems.
fn part(taken: &Taken<'_>, host: usize, problems: &mut Vec<Problem>) -> Option<Pipeline> {
    let (file, cuts) = (&taken.file, &taken.cuts);
    let entry = file.hosts.as_ref()?.get(host)?;
    let mut nodes = Vec::new();
    for cut in cuts.list.iter().filter(|cut| cut.to_host == host) {
        nodes.push(taken.link_in(cut, problems)?);
    }
    let of_host = file.nodes.iter().enumerate().filter(|(number, _)| cuts.of_node[*number] == host);
    nodes.extend(of_host.map(|(number, node)| behind_links(number, node, &cuts.list)));
    for cut in cuts.list.iter().filter(|cut| cut.from_host == host) {
        nodes.push(taken.link_out(cut, problems)?);
    }
    Some(Pipeline {
        memory: entry.memory.or(file.memory),
        pvaccess: file.pvaccess.clone(),
        web: file.web.clone(),
        hosts: None,
        at: file.at,
        nodes,
    })
}

/// A node whose edges from other hosts come from the links. They wait, so that a full queue is the sender's to judge.
fn behind_links(number: usize, node: &NodeEntry, cuts: &[CutEntry]) -> NodeEntry {
    let mut node = node.clone();
    for (place, edge) in node.edges.iter_mut().enumerate() {
        if let Some(cut) = cuts.iter().find(|cut| cut.edges.contains(&(number, place))) {
            edge.from.text.clone_from(&cut.name);
            edge.options = EdgeOptions { when_full: WhenFull::Block, ..EdgeOptions::default() };
        }
    }
    node
}

impl Taken<'_> {
    /// The part of the host with this number.
    pub(super) fn part(&self, host: usize, problems: &mut Vec<Problem>) -> Option<Built> {
        let part = part(self, host, problems)?;
        let names: Vec<&str> = part.nodes.iter().map(|node| &*node.name.text).collect();
        let is_here = |setting: &&Setting| names.contains(&&*setting.node);
        let settings: Vec<Setting> = self.settings.iter().filter(is_here).cloned().collect();
        let mut pipeline = build::build(&part, self.node_types, &settings, problems)?;
        pipeline.graph.host = Some(self.cuts.hosts[host].as_str().into());
        pipeline.hosts.clone_from(&self.cuts.hosts);
        pipeline.whole = Some(self.whole.clone());
        Some(pipeline)
    }

    fn link_out(&self, cut: &CutEntry, problems: &mut Vec<Problem>) -> Option<NodeEntry> {
        let given = [("to", cut.to.to_string()), ("link", cut.name.clone()), ("pipeline", self.hash.clone())];
        let mut node = self.link(cut, LINK_OUT, &given, problems)?;
        node.pv = Some(instance(cut, "Out"));
        node.edges.push(EdgeEntry { from: cut.from.clone(), to: None, options: cut.options });
        Some(node)
    }

    fn link_in(&self, cut: &CutEntry, problems: &mut Vec<Problem>) -> Option<NodeEntry> {
        let entry = self.file.hosts.as_ref()?.get(cut.to_host)?;
        let given = [
            ("listen", cut.listen.to_string()),
            ("beyond_loopback", entry.beyond_loopback.to_string()),
            ("link", cut.name.clone()),
            ("pipeline", self.hash.clone()),
            ("when_stopped", "drain".into()),
        ];
        let mut node = self.link(cut, LINK_IN, &given, problems)?;
        node.pv = Some(instance(cut, "In"));
        node.expected = Some(self.stream(cut));
        Some(node)
    }

    /// A node that leads the cut, with parameters that the cut and the file give.
    fn link(
        &self,
        cut: &CutEntry,
        type_name: &str,
        given: &[(&str, String)],
        problems: &mut Vec<Problem>,
    ) -> Option<NodeEntry> {
        let at = cut.from.at;
        let name = |text: &str| Name { text: text.to_owned(), at };
        let item =
            |text: &str, plain| Item { at, data: Data::Scalar(Scalar { text: text.to_owned(), plain }) };
        let node_type = match find_type(self.node_types, type_name) {
            Ok(node_type) => node_type,
            Err(error) => {
                problems.push(Problem::new(at, ProblemKind::UnknownType(error)));
                return None;
            }
        };
        let mut params: Vec<(Name, Item)> =
            given.iter().map(|(key, text)| (name(key), item(text, *key == "beyond_loopback"))).collect();
        let written = &self.file.hosts.as_ref()?.get(cut.to_host)?.links;
        params.extend(written.iter().filter(|(key, _)| has(&node_type, &key.text)).cloned());
        Some(NodeEntry {
            name: name(&cut.name),
            type_name: Some(name(type_name)),
            params,
            edges: Vec::new(),
            options: NodeOptions::default(),
            pv: None,
            host: None,
            expected: None,
        })
    }

    /// Refuses parameters of links that neither end has, or that the cut gives.
    pub(super) fn check_links(&self, problems: &mut Vec<Problem>) {
        let types: Vec<NodeType> =
            [LINK_OUT, LINK_IN].iter().filter_map(|name| find_type(self.node_types, name).ok()).collect();
        let mut known: Vec<&str> = types.iter().flat_map(names).collect();
        known.sort_unstable();
        known.dedup();
        for host in self.file.hosts.iter().flatten() {
            for (name, _) in host.links.iter().filter(|(name, _)| !known.contains(&&*name.text)) {
                let hint = livetime_engine::nearest(&name.text, known.iter().copied());
                let mapping = format!("`links` of host `{}`", host.name.text);
                let key = yaml::shortened(&name.text);
                problems.push(Problem::new(name.at, ProblemKind::UnknownKey { key, mapping, hint }));
            }
        }
    }
}

/// The PVs of both ends are in one network.
fn instance(cut: &CutEntry, end: &str) -> Name {
    Name { text: format!("{}:{end}", cut.name), at: cut.from.at }
}

fn has(node_type: &NodeType, name: &str) -> bool {
    names(node_type).any(|known| known == name)
}

/// Names of the parameters of a link that a file may give.
fn names(node_type: &NodeType) -> impl Iterator<Item = &'static str> {
    node_type.param_specs().iter().filter(|spec| is_of_links(spec)).map(|spec| spec.name)
}

/// Whether a file may give this parameter of a link.
pub(crate) fn is_of_links(spec: &ParamSpec) -> bool {
    !spec.readback && !GIVEN.contains(&spec.name)
}
