//! Hosts of a pipeline file: which node runs where, and the cuts: edges between two hosts, each led by a link.
//!
//! The cut is made in the file's own terms: a host's part is a file again, in which a `link_out` or a `link_in` stands in
//! the place of what is on another host. So links are nodes like all others for everything behind.

mod cut;
mod part;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use livetime_engine::{EdgeOptions, Graph, NodeType, Stream};
use livetime_frame::PayloadKind;

pub(crate) use part::{is_of_links, link_type};

use self::cut::{CutEntry, Cuts, cuts};
use super::build::{self, Pipeline};
use super::error::{At, Expected, Part, Problem, ProblemKind, Problems};
use super::setting::Setting;
use super::{file, yaml};

/// A pipeline file over hosts that was checked.
#[derive(Clone, Debug)]
pub struct OverHosts {
    /// Hash of what the file means: comments and spaces do not count.
    pub hash: String,
    /// The part of each host, in the order of the file.
    pub hosts: Vec<HostPart>,
    /// The cuts, in the order of the file.
    pub cuts: Vec<Cut>,
}

/// The part of a host.
#[derive(Clone, Debug)]
pub struct HostPart {
    /// Name of the host.
    pub name: String,
    /// Its nodes, with the ends of its links.
    pub pipeline: Pipeline,
}

/// Edges from one output to another host.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut {
    /// Name of both nodes that lead it.
    pub name: String,
    /// The output, as the file has it.
    pub from: String,
    /// Name of the host that sends.
    pub from_host: String,
    /// The inputs, as `node` or `node.input`.
    pub to: Vec<String>,
    /// Name of the host that receives.
    pub to_host: String,
    /// Where the sender finds the receiver.
    pub address: String,
    /// The queue before the link, and its policy.
    pub options: EdgeOptions,
    /// The frames.
    pub stream: Stream,
}

/// A file with hosts, taken apart.
struct Taken<'a> {
    file: file::Pipeline,
    cuts: Cuts,
    /// All nodes in one process; empty if only the part of one host is known.
    whole: Arc<Graph>,
    streams: BTreeMap<(usize, usize), Stream>,
    hash: String,
    node_types: &'a [NodeType],
    settings: &'a [Setting],
}

impl<'a> Taken<'a> {
    /// `None` where something is wrong, which is among the problems.
    fn new(
        text: &str,
        node_types: &'a [NodeType],
        settings: &'a [Setting],
        problems: &mut Vec<Problem>,
    ) -> Option<Taken<'a>> {
        let (file, found) = file::read(text);
        problems.extend(found);
        let mut file = file?;
        if file.hosts.is_none() {
            let expected = Expected::new("the key `hosts` in the file", "none");
            problems.push(Problem::new(file.at, ProblemKind::Hosts(expected)));
        }
        let cuts = cuts(&file, problems)?;
        // The bound of memory is for each host, not for all of them together.
        let memory = file.memory.replace((u64::MAX, file.at));
        let of_nodes: Vec<Setting> =
            settings.iter().filter(|setting| !cuts.is_link(&setting.node)).cloned().collect();
        let pipeline = build::build(&file, node_types, &of_nodes, problems)?;
        file.memory = memory;
        let streams = streams_of(&file, &pipeline);
        let (whole, hash) = (Arc::new(pipeline.graph), hash_of(text));
        let taken = Taken { file, cuts, whole, streams, hash, node_types, settings };
        taken.check_streams(problems);
        taken.check_links(problems);
        problems.is_empty().then_some(taken)
    }

    /// The part of the host with this number.
    fn part(&self, host: usize, problems: &mut Vec<Problem>) -> Option<Pipeline> {
        let part = part::part(self, host, problems)?;
        let names: Vec<&str> = part.nodes.iter().map(|node| &*node.name.text).collect();
        let is_here = |setting: &&Setting| names.contains(&&*setting.node);
        let settings: Vec<Setting> = self.settings.iter().filter(is_here).cloned().collect();
        let mut pipeline = build::build(&part, self.node_types, &settings, problems)?;
        pipeline.graph.host = Some(self.cuts.hosts[host].as_str().into());
        pipeline.hosts.clone_from(&self.cuts.hosts);
        pipeline.whole = Some(self.whole.clone());
        Some(pipeline)
    }
}

/// Checks the hosts of a file that is read for one process: a mistake in them is one there, too.
pub(super) fn check(file: &file::Pipeline, problems: &mut Vec<Problem>) {
    // Only what is wrong is of interest here.
    let _ = cuts(file, problems);
}

/// Checks the part of every host.
pub(super) fn parse_all(
    text: &str,
    node_types: &[NodeType],
    settings: &[Setting],
    problems: &mut Vec<Problem>,
) -> Option<OverHosts> {
    let taken = Taken::new(text, node_types, settings, problems)?;
    let mut hosts = Vec::new();
    for (number, name) in taken.cuts.hosts.iter().enumerate() {
        let pipeline = taken.part(number, problems);
        hosts.extend(pipeline.map(|pipeline| HostPart { name: name.clone(), pipeline }));
    }
    let cuts = taken.cuts.list.iter().map(|cut| taken.described(cut)).collect();
    problems.is_empty().then_some(OverHosts { hash: taken.hash, hosts, cuts })
}

/// Checks the part of the host called `host`.
pub(super) fn parse_one(
    text: &str,
    node_types: &[NodeType],
    settings: &[Setting],
    host: &str,
    problems: &mut Vec<Problem>,
) -> Option<Pipeline> {
    let taken = Taken::new(text, node_types, settings, problems)?;
    match taken.cuts.hosts.iter().position(|name| name == host) {
        Some(number) => taken.part(number, problems),
        None => {
            problems.push(unknown(host, &taken.cuts.hosts, Problem::elsewhere).of(of_option(host)));
            None
        }
    }
}

/// The part of the host called `host`, with its own types of nodes alone: what links carry is unknown.
pub(super) fn parse_alone(
    name: &str,
    text: &str,
    node_types: &[NodeType],
    host: &str,
) -> Result<Pipeline, Problems> {
    let (file, mut problems) = file::read(text);
    let built = file.and_then(|file| {
        let cuts = cuts(&file, &mut problems)?;
        let number = cuts.hosts.iter().position(|name| name == host)?;
        let (streams, hash, whole) = (BTreeMap::new(), hash_of(text), Arc::default());
        Taken { file, cuts, whole, streams, hash, node_types, settings: &[] }.part(number, &mut problems)
    });
    built.ok_or_else(|| Problems::new(name, problems))
}

fn of_option(host: &str) -> Part {
    Part::Option("--host", yaml::shortened(host))
}

/// A host that the file does not name.
fn unknown(name: &str, known: &[String], problem: impl Fn(ProblemKind) -> Problem) -> Problem {
    let hint = livetime_engine::nearest(name, known.iter().map(String::as_str));
    problem(ProblemKind::UnknownHost { name: yaml::shortened(name), hint })
}

/// A thing about hosts that cannot be.
fn wrong(at: At, wanted: impl Into<Cow<'static, str>>, found: String) -> Problem {
    Problem::new(at, ProblemKind::Hosts(Expected::new(wanted, found)))
}

/// Hash of what a text means, in hexadecimal digits; empty for a text that is not YAML.
fn hash_of(text: &str) -> String {
    yaml::parse(text).map(|item| item.hash()).unwrap_or_default()
}

impl Taken<'_> {
    /// The frames of a cut.
    fn stream(&self, cut: &CutEntry) -> Stream {
        let found = cut.edges.first().and_then(|edge| self.streams.get(edge));
        found.copied().unwrap_or(Stream::Unknown)
    }

    /// What a link cannot carry.
    fn check_streams(&self, problems: &mut Vec<Problem>) {
        for cut in &self.cuts.list {
            if self.stream(cut) == Stream::Other(PayloadKind::Any) {
                let found = format!("values of a program's own type from `{}`", cut.from.text);
                let wanted = "arrays, tables or bytes over an edge between two hosts";
                problems.push(wrong(cut.from.at, wanted, found));
            }
        }
    }

    fn described(&self, cut: &CutEntry) -> Cut {
        let (nodes, hosts) = (&self.file.nodes, &self.cuts.hosts);
        let input = |(node, place): &(usize, usize)| {
            let node = &nodes[*node];
            match &node.edges[*place].to {
                Some(input) => format!("{}.{}", node.name.text, input.text),
                None => node.name.text.clone(),
            }
        };
        Cut {
            name: cut.name.clone(),
            from: cut.from.text.clone(),
            from_host: hosts[cut.from_host].clone(),
            to: cut.edges.iter().map(input).collect(),
            to_host: hosts[cut.to_host].clone(),
            address: cut.to.to_string(),
            options: cut.options,
            stream: self.stream(cut),
        }
    }
}

/// The streams of the edges, each by the number of the node that it leads to, and its own in that node.
fn streams_of(file: &file::Pipeline, pipeline: &Pipeline) -> BTreeMap<(usize, usize), Stream> {
    // The graph has the edges in the order of the file.
    let places = file
        .nodes
        .iter()
        .enumerate()
        .flat_map(|(number, node)| (0..node.edges.len()).map(move |place| (number, place)));
    let streams = pipeline.graph.edges().iter().map(|edge| {
        let (node, output) = edge.from;
        pipeline.plan.streams.get(node).and_then(|of_node| of_node.get(output)).copied()
    });
    places.zip(streams).map(|(place, stream)| (place, stream.unwrap_or(Stream::Unknown))).collect()
}
