//! A file with hosts, taken apart.

use std::collections::BTreeMap;
use std::sync::Arc;

use livetime_engine::{Graph, NodeType, Stream};
use livetime_frame::PayloadKind;

use super::super::build::{self, Pipeline};
use super::super::error::{Expected, Part, Problem, ProblemKind};
use super::super::setting::Setting;
use super::super::{file, yaml};
use super::cut::{CutEntry, Cuts, cuts};
use super::pool::{check_members, with_orders};
use super::problem::wrong;

/// A file with hosts, taken apart.
pub(super) struct Taken<'a> {
    pub(super) file: file::Pipeline,
    pub(super) cuts: Cuts,
    /// All nodes in one process; empty if only the part of one host is known.
    pub(super) whole: Arc<Graph>,
    pub(super) streams: BTreeMap<(usize, usize), Stream>,
    pub(super) hash: String,
    pub(super) node_types: &'a [NodeType],
    pub(super) settings: &'a [Setting],
}

impl<'a> Taken<'a> {
    /// `None` where something is wrong, which is among the problems.
    pub(super) fn new(
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
        let own = file.clone();
        with_orders(&mut file, problems);
        let cuts = cuts(&file, problems)?;
        // The bound of memory is for each host, not for all of them together.
        let memory = file.memory.replace((u64::MAX, file.at));
        let of_nodes: Vec<Setting> =
            settings.iter().filter(|setting| !cuts.is_link(&setting.node)).cloned().collect();
        let pipeline = build::build(&file, node_types, &of_nodes, problems)?;
        file.memory = memory;
        let streams = streams_of(&file, &pipeline);
        check_members(&file, node_types, problems);
        let whole = match file.nodes.len() == own.nodes.len() {
            true => pipeline.graph,
            // Without the nodes that one process does not need.
            false => {
                build::build(
                    &file::Pipeline { memory: Some((u64::MAX, own.at)), ..own },
                    node_types,
                    &of_nodes,
                    problems,
                )?
                .graph
            }
        };
        let (whole, hash) = (Arc::new(whole), hash_of(text));
        let taken = Taken { file, cuts, whole, streams, hash, node_types, settings };
        taken.check_streams(problems);
        taken.check_writes(problems);
        problems.is_empty().then_some(taken)
    }
}

impl Taken<'_> {
    /// The frames of a cut.
    pub(super) fn stream(&self, cut: &CutEntry) -> Stream {
        let found = cut.edges.first().and_then(|edge| self.streams.get(edge));
        found.copied().unwrap_or(Stream::Unknown)
    }

    /// Equal workers would write to equal files.
    fn check_writes(&self, problems: &mut Vec<Problem>) {
        let entries = self.file.hosts.iter().flatten().enumerate();
        let shared: Vec<usize> = entries
            .filter(|(_, host)| host.count.is_some_and(|count| count > 1))
            .map(|(number, _)| number)
            .collect();
        for (entry, host) in self.file.nodes.iter().zip(&self.cuts.of_node) {
            let node = self.whole.node(&entry.name.text).ok().filter(|_| shared.contains(host));
            if let Some(path) = node.and_then(|node| self.whole.writes(node).into_iter().next()) {
                let wanted = "a recorder on a host without `count`: workers may share a file system";
                let problem = wrong(entry.name.at, wanted, format!("files at `{}`", path.display()));
                problems.push(problem.of(Part::Entry(entry.name.text.clone())));
            }
        }
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

/// Hash of what a text means, in hexadecimal digits; empty for a text that is not YAML.
pub(super) fn hash_of(text: &str) -> String {
    yaml::parse(text).map(|item| item.hash()).unwrap_or_default()
}
