//! First stage: reads a pipeline file, with the place of every part.
//!
//! This stage knows the shape of the file and the options of nodes and edges. It knows no types of nodes;
//! those come in with [`build`](super::build).

use livetime_engine::{EdgeOptions, NodeOptions, OnFailure, Placement, Stream, WaitStrategy, WhenFull};

use super::error::{At, Expected, Part, Problem, ProblemKind};
use super::host::HostEntry;
use super::read::Reader;
use super::yaml::{self, Data, Item, Name};
use crate::pvaccess::Options;

/// Keys of the file.
pub(crate) const FILE_KEYS: &[&str] = &["memory", "pvaccess", "web", "hosts", "nodes"];
/// Keys of a node that concern the node alone.
pub(crate) const NODE_KEYS: &[&str] = &[
    "type",
    "params",
    "from",
    "host",
    "placement",
    "on_error",
    "on_panic",
    "when_exhausted",
    "cpus",
    "wait",
    "pv",
];
/// Keys of an edge, which may also stand in the node it leads to.
pub(crate) const EDGE_KEYS: &[&str] = &["to", "queue", "when_full", "every", "max_rate"];
/// Names for what to do after a failure.
pub(crate) const ON_FAILURE: [(OnFailure, &str); 3] =
    [(OnFailure::Skip, "skip"), (OnFailure::Stop, "stop"), (OnFailure::Restart, "restart")];
/// Names for how a thread waits.
pub(crate) const WAIT: [(WaitStrategy, &str); 4] = [
    (WaitStrategy::Adaptive, "adaptive"),
    (WaitStrategy::Predict, "predict"),
    (WaitStrategy::Spin, "spin"),
    (WaitStrategy::Park, "park"),
];
/// Names for what to do without memory: whether to wait.
pub(crate) const WHEN_EXHAUSTED: [(bool, &str); 2] = [(false, "drop"), (true, "wait")];
/// Most frames in a queue.
pub const MAX_QUEUE: u64 = 1 << 20;
/// Most threads of a pool.
pub(crate) const MAX_POOL: u64 = 1024;

/// Longest name of a node or host.
pub(super) const MAX_NAME: usize = 60;
/// Larger graphs are refused: the checks compare all nodes with all edges.
const MAX_NODES: usize = 1000;
const MAX_EDGES: usize = 4000;
/// Highest CPU number that a file may name.
const MAX_CPU: u64 = 4095;

/// A pipeline file.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    /// Bound of the frame pool in bytes.
    pub(crate) memory: Option<(u64, At)>,
    /// How the run is served, if the file says anything about it.
    pub(crate) pvaccess: Option<Options>,
    /// How its page is served, if the file says anything about it.
    pub(crate) web: Option<crate::web::Options>,
    /// The hosts, if the file names some.
    pub(crate) hosts: Option<Vec<HostEntry>>,
    /// Where the nodes begin.
    pub(crate) at: At,
    pub(crate) nodes: Vec<NodeEntry>,
}

/// A node as it is written.
#[derive(Clone, Debug)]
pub(crate) struct NodeEntry {
    pub(crate) name: Name,
    /// Missing when the file does not say it, which is reported already.
    pub(crate) type_name: Option<Name>,
    pub(crate) params: Vec<(Name, Item)>,
    pub(crate) edges: Vec<EdgeEntry>,
    pub(crate) options: NodeOptions,
    /// Instance name of its PVs, if the file chooses one.
    pub(crate) pv: Option<Name>,
    /// The host that runs it, if the file says it.
    pub(crate) host: Option<Name>,
    /// The stream at its first output, if a recorded run or another host sends it.
    pub(crate) expected: Option<Stream>,
}

/// An edge as it is written, in the node it leads to.
#[derive(Clone, Debug)]
pub(crate) struct EdgeEntry {
    /// `node` or `node.output`.
    pub(crate) from: Name,
    /// Name of the input.
    pub(crate) to: Option<Name>,
    pub(crate) options: EdgeOptions,
}

impl EdgeEntry {
    /// The name of the sending node.
    pub(crate) fn sender(&self) -> &str {
        self.from.text.split('.').next().unwrap_or_default()
    }
}

/// Reads a pipeline file. Wrong parts are reported and left out, so that the next stage finds further
/// mistakes.
pub(crate) fn read(text: &str) -> (Option<Pipeline>, Vec<Problem>) {
    let mut reader = Reader::default();
    match yaml::parse(text) {
        // Wrong parts are left out, so the next stage finds its own mistakes in the same run.
        Ok(item) => (Some(reader.pipeline(&item)), reader.problems),
        Err(problem) => (None, vec![problem]),
    }
}

/// Options that an edge takes over from the node it leads to.
#[derive(Clone, Default)]
struct EdgeDefaults {
    to: Option<Name>,
    options: EdgeOptions,
}

impl Reader {
    fn pipeline(&mut self, item: &Item) -> Pipeline {
        let mut pipeline =
            Pipeline { memory: None, pvaccess: None, web: None, hosts: None, at: item.at, nodes: Vec::new() };
        let mut has_nodes = false;
        for (name, value) in self.entries(item, "the pipeline file", FILE_KEYS) {
            match &*name.text {
                "memory" => {
                    let bytes = self.quantity(value, "memory", "B", "512 MiB");
                    pipeline.memory = bytes.map(|b| (b as u64, value.at));
                }
                "pvaccess" => pipeline.pvaccess = Some(self.pvaccess(value)),
                "web" => pipeline.web = Some(self.web(value)),
                "hosts" => pipeline.hosts = Some(self.hosts(value)),
                _ => {
                    has_nodes = true;
                    pipeline.at = name.at;
                    pipeline.nodes = self.nodes(value);
                }
            }
        }
        if !has_nodes {
            self.missing(item.at, Part::Whole, "the key `nodes` with at least one node");
        }
        pipeline
    }

    fn nodes(&mut self, item: &Item) -> Vec<NodeEntry> {
        let mut entries = self.any_entries(item, "`nodes`");
        // The first node beyond the limit is reported with its place.
        if let Some((name, _)) = entries.get(MAX_NODES) {
            let expected = Expected::new(format!("at most {MAX_NODES} nodes"), entries.len().to_string());
            self.problem(name.at, Part::Whole, ProblemKind::TooLarge(expected));
            // The rest is not read: a hostile file must not take long.
            entries.truncate(MAX_NODES);
        }
        let nodes: Vec<_> = entries.into_iter().map(|(name, value)| self.node(name, value)).collect();
        // Edges are counted at the end, because each node may have any number of them.
        if nodes.iter().map(|n| n.edges.len()).sum::<usize>() > MAX_EDGES {
            let expected = Expected::new(format!("at most {MAX_EDGES} edges"), "more");
            self.problem(item.at, Part::Whole, ProblemKind::TooLarge(expected));
        }
        nodes
    }

    fn node(&mut self, name: &Name, item: &Item) -> NodeEntry {
        self.check_node_name(name);
        let mut node = NodeEntry {
            name: name.clone(),
            type_name: None,
            params: Vec::new(),
            edges: Vec::new(),
            options: NodeOptions::default(),
            pv: None,
            host: None,
            expected: None,
        };
        let (mut from, mut type_seen) = (None, false);
        let mut defaults = EdgeDefaults::default();
        let mut edge_key: Option<&Name> = None;
        let known = [NODE_KEYS, EDGE_KEYS].concat();
        for (key, value) in self.entries(item, &format!("node `{}`", yaml::shortened(&name.text)), &known) {
            match &*key.text {
                "type" => (node.type_name, type_seen) = (self.type_name(value), true),
                "params" => node.params = self.params(value),
                "from" => from = Some(value),
                "host" => node.host = self.name(value, "host"),
                "pv" => {
                    node.pv = self.name(value, "pv").filter(|name| self.check_instance(name));
                }
                edge if EDGE_KEYS.contains(&edge) => {
                    edge_key = Some(key);
                    self.edge_option(&mut defaults, key, value);
                }
                _ => self.node_option(&mut node.options, key, value),
            }
        }
        // An entry that is no mapping was reported already.
        if !type_seen && matches!(item.data, Data::Map(_)) {
            self.missing(name.at, Part::Entry(name.text.clone()), "the key `type`");
        }
        match (from, edge_key) {
            (Some(from), _) => node.edges = self.edges(from, &defaults),
            // Options of an edge without an edge are a forgotten `from`, and not a mistake of the options.
            (None, Some(key)) => self.missing(key.at, Part::EdgeKey(key.text.clone()), "`from` beside it"),
            (None, None) => {}
        }
        node
    }

    /// A bare `null` is no value in YAML, but here it can only mean the sink of that name.
    fn type_name(&mut self, item: &Item) -> Option<Name> {
        match &item.data {
            Data::Scalar(scalar) if scalar.text == "null" => {
                Some(Name { text: scalar.text.clone(), at: item.at })
            }
            _ => self.name(item, "type"),
        }
    }

    /// Ports are written `node.port`, and names become parts of PV names and file names.
    fn check_node_name(&mut self, name: &Name) {
        self.check_word(name, "a node name of 1 to 60 letters, digits, `_` or `-`");
    }

    /// A name that may stand in names of PVs and files.
    pub(super) fn check_word(&mut self, name: &Name, wanted: &'static str) {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.text.is_empty() || name.text.len() > MAX_NAME || !name.text.chars().all(fits) {
            let found = format!("`{}`", yaml::shortened(&name.text));
            self.problem(name.at, Part::Whole, ProblemKind::Value(Expected::new(wanted, found)));
        }
    }

    /// An instance name stands between two colons of a PV's name.
    fn check_instance(&mut self, name: &Name) -> bool {
        let fits = |c: char| c.is_ascii_alphanumeric() || "_-:".contains(c);
        let is_good = name.text.len() <= 60 && name.text.chars().all(fits);
        if !is_good {
            let found = format!("`{}`", yaml::shortened(&name.text));
            let expected = Expected::new("at most 60 letters, digits, `_`, `-`, `:`", found);
            self.problem(name.at, Part::Key("pv".into()), ProblemKind::Value(expected));
        }
        is_good
    }

    pub(super) fn params(&mut self, item: &Item) -> Vec<(Name, Item)> {
        match &item.data {
            // `params:` with nothing behind it is YAML's null.
            Data::Scalar(scalar) if scalar.is_null() => Vec::new(),
            _ => {
                let entries = self.any_entries(item, "`params`");
                entries.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect()
            }
        }
    }

    fn node_option(&mut self, options: &mut NodeOptions, key: &Name, value: &Item) {
        match &*key.text {
            "placement" => set(&mut options.placement, self.placement(value)),
            "on_error" => set(&mut options.on_error, self.choice(value, "on_error", &ON_FAILURE)),
            "on_panic" => set(&mut options.on_panic, self.choice(value, "on_panic", &ON_FAILURE)),
            "wait" => set(&mut options.wait, self.choice(value, "wait", &WAIT)),
            "cpus" => options.cpus = self.cpus(value),
            _ => set(&mut options.wait_for_memory, self.choice(value, "when_exhausted", &WHEN_EXHAUSTED)),
        }
    }

    fn placement(&mut self, item: &Item) -> Option<Placement> {
        if let Data::Scalar(_) = item.data {
            let words = [(false, "own"), (true, "inline")];
            let is_inline = self.choice(item, "placement", &words)?;
            return Some(if is_inline { Placement::Inline } else { Placement::Own });
        }
        let entries = self.entries(item, "`placement`", &["group", "pool"]);
        // A mapping with two keys would name two placements.
        match entries[..] {
            [(key, value)] if key.text == "group" => {
                self.name(value, "group").map(|n| Placement::Group(n.text))
            }
            [(_, value)] => {
                let count = self.whole(value, "pool", (1, MAX_POOL))?;
                Some(Placement::Pool(count as usize))
            }
            _ => {
                let wanted = "own, inline, {group: NAME} or {pool: THREADS}";
                let expected = Expected { found: None, ..Expected::new(wanted, "") };
                self.problem(item.at, Part::Key("placement".into()), ProblemKind::Value(expected));
                None
            }
        }
    }

    fn cpus(&mut self, item: &Item) -> Vec<usize> {
        let Data::List(items) = &item.data else {
            self.wrong(item, "cpus", "a list of CPU numbers as [0, 1]");
            return Vec::new();
        };
        let number = |item| self.whole(item, "cpus", (0, MAX_CPU)).map(|n| n as usize);
        items.iter().filter_map(number).collect()
    }

    /// The short form is one name; the long form a list of names and mappings.
    fn edges(&mut self, item: &Item, defaults: &EdgeDefaults) -> Vec<EdgeEntry> {
        match &item.data {
            Data::List(items) => items.iter().filter_map(|item| self.edge(item, defaults)).collect(),
            _ => self.edge(item, defaults).into_iter().collect(),
        }
    }

    fn edge(&mut self, item: &Item, defaults: &EdgeDefaults) -> Option<EdgeEntry> {
        let EdgeDefaults { to, options } = defaults.clone();
        if let Data::Scalar(_) = item.data {
            return Some(EdgeEntry { from: self.name(item, "from")?, to, options });
        }
        let mut from = None;
        let mut own = EdgeDefaults { to, options };
        let known = [&["node"], EDGE_KEYS].concat();
        for (key, value) in self.entries(item, "`from`", &known) {
            if key.text == "node" {
                from = Some(self.name(value, "node")?);
            } else {
                self.edge_option(&mut own, key, value);
            }
        }
        if from.is_none() {
            self.missing(item.at, Part::Edge, "the key `node` with the sending node");
        }
        // An edge without a sender is left out, because the mistake is reported already.
        Some(EdgeEntry { from: from?, to: own.to, options: own.options })
    }

    fn edge_option(&mut self, edge: &mut EdgeDefaults, key: &Name, value: &Item) {
        match &*key.text {
            "to" => edge.to = self.name(value, "to"),
            "queue" => {
                let queue = self.whole(value, "queue", (1, MAX_QUEUE));
                set(&mut edge.options.queue, queue.map(|q| q as usize));
            }
            "when_full" => {
                set(&mut edge.options.when_full, self.choice(value, "when_full", &WhenFull::ALL));
            }
            "every" => set(&mut edge.options.every, self.whole(value, "every", (1, u64::MAX))),
            _ => edge.options.max_rate_hz = self.quantity(value, "max_rate", "Hz", "10 Hz"),
        }
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    // A wrong value leaves the usual one, so that the next stage finds its own mistakes.
    if let Some(value) = value {
        *place = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(text: &str) -> Pipeline {
        let (pipeline, problems) = read(text);
        assert_eq!(problems, []);
        pipeline.unwrap()
    }

    fn bad(text: &str) -> Vec<String> {
        let (_, problems) = read(text);
        problems.iter().map(|p| format!("{}: {p}", p.at.unwrap())).collect()
    }

    #[test]
    fn all_options_are_read() {
        let file = good(
            "memory: 2 MiB\nnodes:\n  a: {type: x}\n  b:\n    type: y\n    from: a.out\n    queue: 3\n    \
             when_full: latest\n    placement: {pool: 2}\n    on_error: stop\n    on_panic: skip\n    \
             when_exhausted: wait\n    cpus: [0, 2]\n    wait: park\n    params: {p: 10 ms}\n",
        );
        assert_eq!(file.memory.map(|m| m.0), Some(2 << 20));
        let node = &file.nodes[1];
        assert_eq!(
            node.options,
            NodeOptions {
                placement: Placement::Pool(2),
                cpus: vec![0, 2],
                wait: WaitStrategy::Park,
                on_error: OnFailure::Stop,
                on_panic: OnFailure::Skip,
                wait_for_memory: true,
            }
        );
        assert_eq!((&*node.edges[0].from.text, node.edges[0].options.queue), ("a.out", 3));
        assert_eq!(node.edges[0].options.when_full, WhenFull::Latest);
        assert_eq!(node.params[0].0.text, "p");
    }

    #[test]
    fn long_form_takes_over_what_the_node_says() {
        let file = good(
            "nodes:\n  b:\n    type: y\n    queue: 3\n    from:\n      - a\n      - {node: c, queue: 5, \
             every: 2, max_rate: 10 Hz, to: dark}\n",
        );
        let edges = &file.nodes[0].edges;
        assert_eq!((edges[0].options.queue, edges[1].options.queue), (3, 5));
        assert_eq!((edges[1].options.every, edges[1].options.max_rate_hz), (2, Some(10.0)));
        assert_eq!(edges[1].to.as_ref().map(|n| &*n.text), Some("dark"));
    }

    #[test]
    fn defaults_are_a_queue_of_twenty_that_drops_the_newest() {
        let file = good("nodes: {b: {type: y, from: a}}");
        assert_eq!(file.nodes[0].edges[0].options, EdgeOptions::default());
        assert_eq!(EdgeOptions::default().queue, 20);
    }

    #[test]
    fn every_mistake_is_told_with_its_place() {
        assert_eq!(
            bad("nodes: {b: {typo: y}}"),
            [
                "1:13: unknown key `typo` in node `b`; did you mean `type`?",
                "1:9: node `b`: wanted the key `type`, found none",
            ]
        );
        let one = |options: &str| bad(&format!("nodes: {{b: {{type: y, from: a, {options}}}}}")).join("|");
        assert_eq!(one("queue: 0"), "1:38: `queue`: wanted a whole number, 1 to 1048576, found `0`");
        assert!(
            one("when_full: blok").contains("wanted one of block, drop_newest, drop_oldest, latest, fail")
        );
        assert!(one("max_rate: fast").contains("as `10 Hz`, found `fast`"));
        assert!(one("placement: {pool: 0}").contains("`pool`: wanted a whole number, 1 to 1024"));
        assert!(one("placement: {pool: 1, group: x}").contains("wanted own, inline"));
        assert!(one("cpus: 1").contains("wanted a list of CPU numbers"));
        assert!(one("params: 3").contains("wanted a mapping (`key: value` lines) for `params`, found `3`"));
        assert!(bad("nodes: {b: {type: y, queue: 3}}")[0].contains("wanted `from` beside it"));
        assert!(bad("nodes: {b.c: {type: y}}")[0].contains("wanted a node name of"));
        assert!(bad("memory: 1 GiB")[0].contains("wanted the key `nodes`"));
        assert!(bad("memory: lots\nnodes: {b: {type: y}}")[0].contains("as `512 MiB`, found `lots`"));
        assert!(bad("- a")[0].contains("found a list of 1"));
    }
}
