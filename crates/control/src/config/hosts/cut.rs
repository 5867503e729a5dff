//! Which edges cross hosts, and the links that lead them.

use std::collections::{BTreeMap, BTreeSet};

use livetime_engine::{EdgeOptions, Placement, WhenFull};

use super::super::error::{Part, Problem, ProblemKind};
use super::super::file::{EdgeEntry, MAX_NAME, NodeEntry, Pipeline};
use super::super::host::{Address, HostEntry};
use super::super::yaml::Name;
use super::names::free_name;
use super::pages;
use super::problem::{unknown, wrong};

/// Links to hosts without an address listen on loopback from this port on.
const PORT: u16 = 7440;

/// Longest name of a link: instance names of its PVs have `:Out` behind it, and `-1000` for the link from a worker.
const MOST: usize = MAX_NAME - 9;

/// The hosts of all nodes, and the cuts between them.
#[derive(Debug)]
pub(super) struct Cuts {
    /// Names of the hosts, in the order of the file.
    pub(super) hosts: Vec<String>,
    /// What runs of their own have: hosts, and workers in the place of a host with a count.
    pub(super) parts: Vec<PartOf>,
    /// Number of the host of each node.
    pub(super) of_node: Vec<usize>,
    pub(super) list: Vec<CutEntry>,
}

/// A host, or a worker of it.
#[derive(Clone, Debug)]
pub(super) struct PartOf {
    pub(super) host: usize,
    pub(super) worker: Option<usize>,
    pub(super) name: String,
}

/// Which links lead a cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// One link.
    Plain,
    /// A link to each worker.
    ToWorkers,
    /// A link from each worker.
    FromWorkers,
}

/// Edges that one link leads, or the links of workers.
#[derive(Debug)]
pub(super) struct CutEntry {
    pub(super) way: Way,
    pub(super) name: String,
    pub(super) from: Name,
    pub(super) from_host: usize,
    pub(super) to_host: usize,
    /// Each edge by the number of the node that it leads to, and its own in that node.
    pub(super) edges: Vec<(usize, usize)>,
    pub(super) options: EdgeOptions,
    /// Where the sender finds the receiver, for each link.
    pub(super) to: Vec<Address>,
    /// Where the receiver listens, for each link.
    pub(super) listen: Vec<Address>,
}

impl CutEntry {
    /// The name of the link from the worker with this number.
    pub(super) fn of_worker(&self, worker: usize) -> String {
        format!("{}-{worker}", self.name)
    }

    /// The node that sends; of equal workers the node of the first one.
    pub(super) fn sender(&self) -> String {
        if self.way == Way::FromWorkers { self.of_worker(1) } else { self.name.clone() }
    }

    /// Each link, with the numbers of the workers at its ends.
    pub(super) fn ends(&self) -> Vec<(String, Option<usize>, Option<usize>)> {
        let workers = 1..=self.to.len();
        match self.way {
            Way::Plain => vec![(self.name.clone(), None, None)],
            Way::ToWorkers => workers.map(|worker| (self.of_worker(worker), None, Some(worker))).collect(),
            Way::FromWorkers => workers.map(|worker| (self.of_worker(worker), Some(worker), None)).collect(),
        }
    }

    /// The nodes that receive, of all links.
    pub(super) fn receivers(&self) -> Vec<String> {
        match self.way {
            Way::FromWorkers => (1..=self.to.len()).map(|worker| self.of_worker(worker)).collect(),
            Way::Plain | Way::ToWorkers => vec![self.name.clone()],
        }
    }
}

impl Cuts {
    /// The part that a run calls so.
    pub(super) fn part(&self, name: &str) -> Option<&PartOf> {
        self.parts.iter().find(|part| part.name == name)
    }

    pub(super) fn is_link(&self, node: &str) -> bool {
        self.list.iter().any(|cut| cut.receivers().iter().any(|name| name == node))
    }
}

/// The cuts of a file. `None` for a file without hosts, and where something is wrong, which is among the problems.
pub(super) fn cuts(file: &Pipeline, problems: &mut Vec<Problem>) -> Option<Cuts> {
    let known = problems.len();
    let Some(entries) = &file.hosts else {
        file.nodes.iter().filter_map(|node| node.host.as_ref()).for_each(|host| {
            problems.push(wrong(host.at, "the key `hosts` in the file", "none".into()));
        });
        return None;
    };
    let hosts: Vec<String> = entries.iter().map(|host| host.name.text.clone()).collect();
    let of_node: Vec<Option<usize>> = file.nodes.iter().map(|node| host_of(node, &hosts, problems)).collect();
    // Without its host no edge of a node can be judged.
    let of_node: Vec<usize> = of_node.into_iter().collect::<Option<_>>()?;
    for (number, host) in entries.iter().enumerate() {
        if !of_node.contains(&number) {
            let found = "none".to_owned();
            problems.push(wrong(host.name.at, format!("a node on host `{}`", host.name.text), found));
        }
    }
    check_placements(file, &of_node, problems);
    pages::check(entries, problems);
    let list = named(file, entries, grouped(file, &of_node));
    let list = addressed(entries, list, problems)?;
    let parts = entries.iter().enumerate().flat_map(|(host, entry)| {
        let part = move |worker| PartOf { host, worker, name: entry.part_name(worker) };
        entry.workers().into_iter().map(part)
    });
    let parts = parts.collect();
    (problems.len() == known).then_some(Cuts { hosts, parts, of_node, list })
}

/// The number of a node's host. A file with one host needs not say it.
fn host_of(node: &NodeEntry, hosts: &[String], problems: &mut Vec<Problem>) -> Option<usize> {
    let Some(name) = &node.host else {
        if hosts.len() == 1 {
            return Some(0);
        }
        let wanted = format!("the key `host`, one of {}", hosts.join(", "));
        problems.push(wrong(node.name.at, wanted, "none".into()).of(Part::Entry(node.name.text.clone())));
        return None;
    };
    let found = hosts.iter().position(|host| *host == name.text);
    if found.is_none() {
        let problem = unknown(&name.text, hosts, |kind: ProblemKind| Problem::new(name.at, kind));
        problems.push(problem.of(Part::Entry(node.name.text.clone())));
    }
    found
}

/// Nodes that share a thread cannot be on two hosts.
fn check_placements(file: &Pipeline, of_node: &[usize], problems: &mut Vec<Problem>) {
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    for (node, host) in file.nodes.iter().zip(of_node) {
        let mut refuse = |wanted: String, found: &str| {
            let problem = wrong(node.name.at, wanted, found.to_owned());
            problems.push(problem.of(Part::Entry(node.name.text.clone())));
        };
        match &node.options.placement {
            Placement::Group(group) if groups.entry(group).or_insert(*host) != host => {
                refuse(format!("all nodes of group `{group}` on one host"), "two");
            }
            Placement::Inline
                if node.edges.iter().any(|edge| host_of_sender(file, of_node, edge) != Some(*host)) =>
            {
                refuse("an inline node on the host of its sender".into(), "another host");
            }
            _ => {}
        }
    }
}

/// `None` for an unknown node, which is reported when the graph is built.
fn host_of_sender(file: &Pipeline, of_node: &[usize], edge: &EdgeEntry) -> Option<usize> {
    let sender = file.nodes.iter().position(|node| node.name.text == edge.sender())?;
    of_node.get(sender).copied()
}

/// Edges that one link will lead, without a name or an address.
struct Group {
    from: Name,
    from_host: usize,
    to_host: usize,
    edges: Vec<(usize, usize)>,
    options: EdgeOptions,
}

/// Edges that wait for their receivers anyway share a link, so that each frame crosses once. Every other edge has a link
/// of its own: behind a common one a slow node would hold up the others.
fn grouped(file: &Pipeline, of_node: &[usize]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (number, node) in file.nodes.iter().enumerate() {
        let to_host = of_node[number];
        for (place, edge) in node.edges.iter().enumerate() {
            let from_host = match host_of_sender(file, of_node, edge) {
                Some(host) if host != to_host => host,
                _ => continue,
            };
            let fits = |group: &&mut Group| {
                edge.options.when_full == WhenFull::Block
                    && (group.to_host, &*group.from.text) == (to_host, &*edge.from.text)
                    && group.options == edge.options
            };
            match groups.iter_mut().find(fits) {
                Some(group) => group.edges.push((number, place)),
                None => groups.push(Group {
                    from: edge.from.clone(),
                    from_host,
                    to_host,
                    edges: vec![(number, place)],
                    options: edge.options,
                }),
            }
        }
    }
    groups
}

/// The name of a link tells its edge: `detector-to-stats`, or `detector-to-HOST` for several edges.
fn named(file: &Pipeline, hosts: &[HostEntry], groups: Vec<Group>) -> Vec<(String, Group)> {
    let mut taken: BTreeSet<String> = file.nodes.iter().map(|node| node.name.text.clone()).collect();
    let mut list = Vec::new();
    for group in groups {
        let to = match group.edges[..] {
            [(node, _)] => &file.nodes[node].name.text,
            _ => &hosts[group.to_host].name.text,
        };
        let from = group.from.text.replace('.', "-");
        let whole = match hosts[group.from_host].count {
            Some(_) => format!("{from}-back"),
            None => format!("{from}-to-{to}"),
        };
        let workers = hosts[group.from_host].count.unwrap_or(0);
        let of_workers =
            |name: &str| (1..=workers).map(|worker| format!("{name}-{worker}")).collect::<Vec<_>>();
        let is_taken =
            |name: &str| taken.contains(name) || of_workers(name).iter().any(|name| taken.contains(name));
        let name = free_name(&whole, MOST, is_taken);
        taken.extend(of_workers(&name));
        taken.insert(name.clone());
        list.push((name, group));
    }
    list
}

/// Gives each link its address: the first one to a host has the host's port, the others the ports behind it.
fn addressed(
    entries: &[HostEntry],
    groups: Vec<(String, Group)>,
    problems: &mut Vec<Problem>,
) -> Option<Vec<CutEntry>> {
    let mut ports = Ports { entries, links: vec![0; entries.len()], usual: 0, taken: BTreeMap::new() };
    let mut list = Vec::new();
    for (name, Group { from, from_host, to_host, edges, options }) in groups {
        let way = match (entries[from_host].count, entries[to_host].count) {
            (Some(_), _) => Way::FromWorkers,
            (None, Some(_)) => Way::ToWorkers,
            (None, None) => Way::Plain,
        };
        let host = &entries[to_host];
        let workers = if way == Way::FromWorkers {
            vec![None; entries[from_host].workers().len()]
        } else {
            host.workers()
        };
        let to: Result<Vec<Address>, Problem> =
            workers.iter().map(|worker| ports.next(to_host, *worker)).collect();
        let to = to.map_err(|problem| problems.push(problem)).ok()?;
        check_keys([&entries[from_host], host], &to, problems);
        let listen = workers.iter().zip(&to).map(|(worker, to)| host.listens(*worker, to)).collect();
        list.push(CutEntry { way, name, from, from_host, to_host, edges, options, to, listen });
    }
    Some(list)
}

/// Both ends of a link have keys, or none.
fn check_keys(hosts: [&HostEntry; 2], to: &[Address], problems: &mut Vec<Problem>) {
    let with = hosts.iter().find_map(|host| host.keys.as_ref().map(|keys| (host, keys)));
    let without = hosts.iter().find(|host| host.keys.is_none());
    if let (Some((with, keys)), Some(without), true) = (with, without, to.iter().any(Address::takes_keys)) {
        let (with, without) = (&with.name.text, &without.name.text);
        let wanted =
            format!("the key `keys` of host `{without}` too, for its link with `{with}` over ZeroMQ");
        problems.push(wrong(keys.at, wanted, "none".into()).of(Part::Key("keys".into())));
    }
}

/// The addresses of links.
struct Ports<'a> {
    entries: &'a [HostEntry],
    /// Links so far to each host. A worker has one.
    links: Vec<usize>,
    /// Links so far to hosts without an address, which are on one machine and share its ports.
    usual: usize,
    /// The host, or worker, that has an address.
    taken: BTreeMap<String, (usize, Option<usize>)>,
}

impl Ports<'_> {
    /// The address of the next link to a host, or of the link to a worker.
    fn next(&mut self, number: usize, worker: Option<usize>) -> Result<Address, Problem> {
        let host = &self.entries[number];
        let usual = Address { scheme: String::new(), host: "127.0.0.1".into(), port: PORT };
        let address = host.address(worker);
        let count = match (&address, worker) {
            (None, _) => &mut self.usual,
            (Some(_), None) => &mut self.links[number],
            (Some(_), Some(_)) => &mut 0,
        };
        let (first, at) = address.as_ref().map_or((&usual, host.name.at), |(first, at)| (first, *at));
        let to = first.of_link(*count);
        *count += 1;
        let last = || wrong(at, "a port for each link to the host", format!("none behind {first}"));
        let to = to.ok_or_else(last)?;
        let other = *self.taken.entry(to.to_string()).or_insert((number, worker));
        if other != (number, worker) {
            let other = self.entries[other.0].part_name(other.1);
            let found = format!("{to} for `{other}` and `{}`", host.part_name(worker));
            return Err(wrong(at, "one host at an address", found));
        }
        let is_local = to.is_loopback() && host.listens(worker, &to).is_loopback();
        let has_keys =
            host.keys.is_some() && to.takes_keys() || host.links.iter().any(|(name, _)| name.text == "keys");
        if !(is_local || has_keys || host.beyond_loopback) {
            let wanted = "an address of loopback, `keys: FOLDER` with an address zmq://host:port, or \
                          `beyond_loopback: true` for a network that is trusted";
            return Err(wrong(at, wanted, format!("`{to}`")).of(Part::Key("address".into())));
        }
        Ok(to)
    }
}
