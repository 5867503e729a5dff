//! Which edges cross hosts, and the links that lead them.

use std::collections::{BTreeMap, BTreeSet};

use livetime_engine::{EdgeOptions, Placement, WhenFull};

use super::super::error::{Part, Problem, ProblemKind};
use super::super::file::{EdgeEntry, MAX_NAME, NodeEntry, Pipeline};
use super::super::host::{Address, HostEntry};
use super::super::yaml::Name;
use super::problem::{unknown, wrong};

/// Links to hosts without an address listen on loopback from this port on.
const PORT: u16 = 7440;

/// Longest name of a link: instance names of its PVs have `:Out` behind it.
const MOST: usize = MAX_NAME - 4;

/// The hosts of all nodes, and the cuts between them.
#[derive(Debug)]
pub(super) struct Cuts {
    /// Names of the hosts, in the order of the file.
    pub(super) hosts: Vec<String>,
    /// Number of the host of each node.
    pub(super) of_node: Vec<usize>,
    pub(super) list: Vec<CutEntry>,
}

/// Edges that one link leads.
#[derive(Debug)]
pub(super) struct CutEntry {
    pub(super) name: String,
    pub(super) from: Name,
    pub(super) from_host: usize,
    pub(super) to_host: usize,
    /// Each edge by the number of the node that it leads to, and its own in that node.
    pub(super) edges: Vec<(usize, usize)>,
    pub(super) options: EdgeOptions,
    /// Where the sender finds the receiver.
    pub(super) to: Address,
    /// Where the receiver listens.
    pub(super) listen: Address,
}

impl Cuts {
    pub(super) fn is_link(&self, node: &str) -> bool {
        self.list.iter().any(|cut| cut.name == node)
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
    let list = named(file, &hosts, grouped(file, &of_node));
    let list = addressed(entries, list, problems)?;
    (problems.len() == known).then_some(Cuts { hosts, of_node, list })
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
fn named(file: &Pipeline, hosts: &[String], groups: Vec<Group>) -> Vec<(String, Group)> {
    let mut taken: BTreeSet<String> = file.nodes.iter().map(|node| node.name.text.clone()).collect();
    let mut list = Vec::new();
    for group in groups {
        let to = match group.edges[..] {
            [(node, _)] => &file.nodes[node].name.text,
            _ => &hosts[group.to_host],
        };
        let whole = format!("{}-to-{to}", group.from.text.replace('.', "-"));
        let numbered = (1..).map(|number| match number {
            1 => cut_off(&whole, MOST),
            _ => format!("{}-{number}", cut_off(&whole, MOST - 6)),
        });
        // One of so many names is free: a file has fewer nodes and edges than numbers of five digits.
        let name = numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
        taken.insert(name.clone());
        list.push((name, group));
    }
    list
}

fn cut_off(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
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
        let to = match ports.next(to_host) {
            Ok(to) => to,
            Err(problem) => {
                problems.push(problem);
                return None;
            }
        };
        let listen = listens(&entries[to_host], &to);
        list.push(CutEntry { name, from, from_host, to_host, edges, options, to, listen });
    }
    Some(list)
}

/// The addresses of links.
struct Ports<'a> {
    entries: &'a [HostEntry],
    /// Links so far to each host.
    links: Vec<usize>,
    /// Links so far to hosts without an address, which are on one machine and share its ports.
    usual: usize,
    /// The host that has an address.
    taken: BTreeMap<String, usize>,
}

impl Ports<'_> {
    /// The address of the next link to a host.
    fn next(&mut self, number: usize) -> Result<Address, Problem> {
        let host = &self.entries[number];
        let usual = Address { scheme: String::new(), host: "127.0.0.1".into(), port: PORT };
        let (first, at) = host.address.as_ref().map_or((&usual, host.name.at), |(first, at)| (first, *at));
        let count = if host.address.is_some() { &mut self.links[number] } else { &mut self.usual };
        let to = first.of_link(*count);
        *count += 1;
        let last = || wrong(at, "a port for each link to the host", format!("none behind {first}"));
        let to = to.ok_or_else(last)?;
        let other = *self.taken.entry(to.to_string()).or_insert(number);
        if other != number {
            let found = format!("{to} for `{}` and `{}`", self.entries[other].name.text, host.name.text);
            return Err(wrong(at, "one host at an address", found));
        }
        let is_local = to.is_loopback() && listens(host, &to).is_loopback();
        let has_keys = host.links.iter().any(|(name, _)| name.text == "keys");
        if !(is_local || has_keys || host.beyond_loopback) {
            let wanted = "an address of loopback, `links: {keys: FOLDER}` with an address zmq://host:port, or \
                          `beyond_loopback: true` for a network that is trusted";
            return Err(wrong(at, wanted, format!("`{to}`")).of(Part::Key("address".into())));
        }
        Ok(to)
    }
}

/// Where the host listens for a link that others find at `to`.
fn listens(host: &HostEntry, to: &Address) -> Address {
    let own = host.listen.as_ref().map_or(&to.host, |listen| &listen.text);
    Address { host: own.clone(), ..to.clone() }
}
