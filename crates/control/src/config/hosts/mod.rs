//! Hosts of a pipeline file: which node runs where, and the cuts: edges between two hosts, each led by a link.
//!
//! The cut is made in the file's own terms: a host's part is a file again, in which a `link_out` or a `link_in` stands in
//! the place of what is on another host. So links are nodes like all others for everything behind.

mod cut;
mod names;
mod pages;
mod part;
mod pool;
mod problem;
mod taken;

use std::collections::BTreeMap;
use std::sync::Arc;

use livetime_engine::{EdgeOptions, NodeType, Stream};

pub use pages::HostPage;
pub(crate) use part::{is_of_links, link_type, order_type};

use self::cut::{CutEntry, cuts};
use self::problem::unknown;
use self::taken::{Taken, hash_of};
use super::build::Pipeline;
use super::error::{Expected, Part, Problem, ProblemKind, Problems};
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

/// The part of a host, or of a worker.
#[derive(Clone, Debug)]
pub struct HostPart {
    /// Name by which a run calls it, as `detector` or `workers.1`.
    pub name: String,
    /// Name of the host in the file.
    pub host: String,
    /// Its nodes, with the ends of its links.
    pub pipeline: Pipeline,
}

/// Edges from one output to another host.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut {
    /// Name of both nodes that lead it; of the links from workers without their numbers.
    pub name: String,
    /// The node that sends; of equal workers the node of the first one.
    pub sender: String,
    /// The output, as the file has it.
    pub from: String,
    /// Name of the host that sends.
    pub from_host: String,
    /// The inputs, as `node` or `node.input`.
    pub to: Vec<String>,
    /// Name of the host that receives.
    pub to_host: String,
    /// Where the sender finds the receiver: an address for each link.
    pub addresses: Vec<String>,
    /// The links that need keys, because their hosts have some.
    pub keys: Vec<LinkKeys>,
    /// The queue before the link, and its policy.
    pub options: EdgeOptions,
    /// The frames.
    pub stream: Stream,
}

/// A link that needs keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkKeys {
    /// The folder of the link in the folder of each host.
    pub link: String,
    /// The host or worker that sends.
    pub from: String,
    /// The host or worker that receives.
    pub to: String,
}

/// Checks the hosts of a file that is read for one process: a mistake in them is one there, too.
pub(super) fn check(file: &file::Pipeline, problems: &mut Vec<Problem>) {
    let mut file = file.clone();
    pool::with_orders(&mut file, problems);
    // Only what is wrong is of interest here.
    let _ = cuts(&file, problems);
}

/// The file, taken apart, if nothing is wrong.
fn taken<'a>(
    text: &str,
    node_types: &'a [NodeType],
    settings: &'a [Setting],
    problems: &mut Vec<Problem>,
) -> Option<Taken<'a>> {
    let taken = Taken::new(text, node_types, settings, problems)?;
    taken.check_links(problems);
    problems.is_empty().then_some(taken)
}

/// Checks the part of every host.
pub(super) fn parse_all(
    text: &str,
    node_types: &[NodeType],
    settings: &[Setting],
    problems: &mut Vec<Problem>,
) -> Option<OverHosts> {
    let taken = taken(text, node_types, settings, problems)?;
    let mut hosts = Vec::new();
    for part in &taken.cuts.parts {
        let (name, host) = (part.name.clone(), taken.cuts.hosts[part.host].clone());
        hosts.extend(taken.part(part, problems).map(|pipeline| HostPart { name, host, pipeline }));
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
    let taken = taken(text, node_types, settings, problems)?;
    if let Some(part) = taken.cuts.part(host) {
        return taken.part(part, problems);
    }
    let pool = taken.file.hosts.iter().flatten().find(|entry| entry.name.text == host);
    let problem = match pool {
        Some(pool) => Problem::elsewhere(ProblemKind::Hosts(Expected::new(
            format!("the name of a worker, {}", pool.part_names()),
            "the name of all of them",
        ))),
        None => unknown(host, &taken.cuts.hosts, Problem::elsewhere),
    };
    problems.push(problem.of(of_option(host)));
    None
}

/// The part of the host called `host`, with its own types of nodes alone: what links carry is unknown.
pub(super) fn parse_alone(
    name: &str,
    text: &str,
    node_types: &[NodeType],
    host: &str,
) -> Result<Pipeline, Problems> {
    let (file, mut problems) = file::read(text);
    let built = file.and_then(|mut file| {
        pool::with_orders(&mut file, &mut problems);
        let cuts = cuts(&file, &mut problems)?;
        let part = cuts.part(host)?.clone();
        let (streams, hash, whole) = (BTreeMap::new(), hash_of(text), Arc::default());
        Taken { file, cuts, whole, streams, hash, node_types, settings: &[] }.part(&part, &mut problems)
    });
    built.ok_or_else(|| Problems::new(name, problems))
}

fn of_option(host: &str) -> Part {
    Part::Option("--host", yaml::shortened(host))
}

impl Taken<'_> {
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
            sender: cut.sender(),
            from: cut.from.text.clone(),
            from_host: hosts[cut.from_host].clone(),
            to: cut.edges.iter().map(input).collect(),
            to_host: hosts[cut.to_host].clone(),
            addresses: cut.to.iter().map(ToString::to_string).collect(),
            keys: self.keyed(cut),
            options: cut.options,
            stream: self.stream(cut),
        }
    }

    fn keyed(&self, cut: &CutEntry) -> Vec<LinkKeys> {
        let entries: Vec<_> = self.file.hosts.iter().flatten().collect();
        let [Some(from_host), Some(to_host)] = [cut.from_host, cut.to_host].map(|host| entries.get(host))
        else {
            return Vec::new();
        };
        let has_keys = from_host.keys.is_some() && to_host.keys.is_some();
        let links = cut.ends().into_iter().zip(&cut.to).filter(|(_, to)| has_keys && to.takes_keys());
        let named = |((link, from, to), _)| LinkKeys {
            link,
            from: from_host.part_name(from),
            to: to_host.part_name(to),
        };
        links.map(named).collect()
    }
}
