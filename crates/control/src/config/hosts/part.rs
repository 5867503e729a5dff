//! The part of a host, as a pipeline file of its own: its nodes, and the ends of its links in the place of nodes of other
//! hosts.

use livetime_engine::{EdgeOptions, NodeOptions, NodeType, ParamSpec, WhenFull};

use super::super::build::{self, Pipeline as Built};
use super::super::error::{Problem, ProblemKind};
use super::super::file::{EdgeEntry, NodeEntry, Pipeline};
use super::super::host::HostEntry;
use super::super::read::positive_quantity;
use super::super::setting::Setting;
use super::super::types::find_type;
use super::super::yaml::{self, Data, Item, Name, Scalar};
use super::cut::{CutEntry, PartOf, Way};
use super::pages::pages;
use super::pool::IN_ORDER;
use super::taken::Taken;

/// Types of nodes that lead a link.
const LINK_OUT: &str = "link_out";
const LINK_IN: &str = "link_in";
const LINK_POOL: &str = "link_pool";
/// Parameters that the cut gives to a link: a file does not.
const GIVEN: [&str; 7] = ["to", "listen", "beyond_loopback", "link", "pipeline", "when_stopped", "pool"];
/// The parameter of the order behind a pool that the file may give among those of the pool's links.
const WAIT: &str = "wait";

/// Whether nodes of this type lead links.
pub(crate) fn link_type(name: &str) -> bool {
    [LINK_OUT, LINK_IN, LINK_POOL].contains(&name)
}

/// Whether nodes of this type put results in order.
pub(crate) fn order_type(name: &str) -> bool {
    name == IN_ORDER
}

/// The file of a host or worker. `None` where something is wrong, which is among the problems.
fn part(taken: &Taken<'_>, part: &PartOf, problems: &mut Vec<Problem>) -> Option<Pipeline> {
    let (file, cuts) = (&taken.file, &taken.cuts);
    let entry = file.hosts.as_ref()?.get(part.host)?;
    let mut nodes = Vec::new();
    for cut in cuts.list.iter().filter(|cut| cut.to_host == part.host) {
        nodes.extend(taken.links_in(cut, part, problems)?);
    }
    let of_host = file.nodes.iter().enumerate().filter(|(number, _)| cuts.of_node[*number] == part.host);
    for (number, node) in of_host {
        let mut node = behind_links(number, node, &cuts.list);
        if let Some(cut) = results(number, &cuts.list) {
            node.params = taken.order(cut)?;
        }
        nodes.push(node);
    }
    for cut in cuts.list.iter().filter(|cut| cut.from_host == part.host) {
        nodes.push(taken.link_out(cut, part, problems)?);
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
    let edges = node.edges.iter().enumerate().flat_map(|(place, edge)| {
        let Some(cut) = cuts.iter().find(|cut| cut.edges.contains(&(number, place))) else {
            return vec![edge.clone()];
        };
        let behind = |name| EdgeEntry {
            from: Name { text: name, at: edge.from.at },
            to: edge.to.clone(),
            options: EdgeOptions { when_full: WhenFull::Block, ..EdgeOptions::default() },
        };
        cut.receivers().into_iter().map(behind).collect()
    });
    NodeEntry { edges: edges.collect(), ..node.clone() }
}

/// The cut whose results the node puts in order.
fn results(number: usize, cuts: &[CutEntry]) -> Option<&CutEntry> {
    cuts.iter().find(|cut| cut.way == Way::FromWorkers && cut.edges.iter().any(|(node, _)| *node == number))
}

impl Taken<'_> {
    /// The part of a host or worker.
    pub(super) fn part(&self, of: &PartOf, problems: &mut Vec<Problem>) -> Option<Built> {
        let part = part(self, of, problems)?;
        let names: Vec<&str> = part.nodes.iter().map(|node| &*node.name.text).collect();
        let is_here = |setting: &&Setting| names.contains(&&*setting.node);
        let settings: Vec<Setting> = self.settings.iter().filter(is_here).cloned().collect();
        let mut pipeline = build::build(&part, self.node_types, &settings, problems)?;
        pipeline.graph.host = Some(of.name.as_str().into());
        pipeline.hosts = self.file.hosts.iter().flatten().map(HostEntry::part_names).collect();
        pipeline.whole = Some(self.whole.clone());
        pipeline.worker = of.worker;
        pipeline.pages = pages(&self.file);
        Some(pipeline)
    }

    fn link_out(&self, cut: &CutEntry, part: &PartOf, problems: &mut Vec<Problem>) -> Option<NodeEntry> {
        let place = part.worker.map_or(0, |worker| worker - 1);
        let pipeline = ("pipeline", self.hash.clone());
        let mut node = match cut.way {
            Way::ToWorkers => {
                let to: Vec<String> = cut.to.iter().map(ToString::to_string).collect();
                let given = [("to", to.join(", ")), ("link", cut.name.clone()), pipeline];
                self.link(cut, &cut.name, LINK_POOL, &given, problems)?
            }
            Way::Plain => {
                let given = [("to", cut.to.first()?.to_string()), ("link", cut.name.clone()), pipeline];
                self.link(cut, &cut.name, LINK_OUT, &given, problems)?
            }
            Way::FromWorkers => {
                let (name, to) = (cut.of_worker(place + 1), cut.to.get(place)?.to_string());
                // A result that waits for others behind the link must not fill its window.
                let given = [("to", to), ("link", name.clone()), pipeline, ("retain", "received".into())];
                self.link(cut, &name, LINK_OUT, &given, problems)?
            }
        };
        let keys: Vec<String> = match part.worker {
            Some(_) => self.keys(cut, place, true).into_iter().collect(),
            None => (0..cut.to.len()).filter_map(|place| self.keys(cut, place, true)).collect(),
        };
        give_keys(&mut node, &keys.join(", "));
        node.pv = Some(instance(&node.name, "Out"));
        node.edges.push(EdgeEntry { from: cut.from.clone(), to: None, options: cut.options });
        Some(node)
    }

    /// The receiving ends of a cut that a host or worker has.
    fn links_in(&self, cut: &CutEntry, part: &PartOf, problems: &mut Vec<Problem>) -> Option<Vec<NodeEntry>> {
        let place = part.worker.map_or(0, |worker| worker - 1);
        match cut.way {
            Way::FromWorkers => {
                let given = self.of_results(cut)?;
                let links = 0..cut.listen.len();
                links
                    .map(|place| self.link_in(cut, &cut.of_worker(place + 1), place, &given, problems))
                    .collect()
            }
            // A worker that is stopped leaves the pool, which goes on with the others.
            Way::ToWorkers => {
                // A worker that reads its file again knows its own types alone, and compares no links.
                let given = self.window(cut.to_host).map(|(frames, bytes)| {
                    let frames = ("window_frames", frames.clamp(1, 1_000_000).to_string());
                    [frames, ("window_bytes", bytes.clamp(1, 1 << 40).to_string())]
                });
                Some(vec![self.link_in(cut, &cut.name, place, given.as_slice().as_flattened(), problems)?])
            }
            Way::Plain => {
                let drain = ("when_stopped", "drain".to_owned());
                Some(vec![self.link_in(cut, &cut.name, 0, &[drain], problems)?])
            }
        }
    }

    fn link_in(
        &self,
        cut: &CutEntry,
        name: &str,
        place: usize,
        more: &[(&'static str, String)],
        problems: &mut Vec<Problem>,
    ) -> Option<NodeEntry> {
        let entry = self.file.hosts.as_ref()?.get(cut.to_host)?;
        let given = [
            ("listen", cut.listen.get(place)?.to_string()),
            ("beyond_loopback", entry.beyond_loopback.to_string()),
            ("link", name.to_owned()),
            ("pipeline", self.hash.clone()),
        ];
        let mut node = self.link(cut, name, LINK_IN, &[&given, more].concat(), problems)?;
        give_keys(&mut node, &self.keys(cut, place, false).unwrap_or_default());
        node.pv = Some(instance(&node.name, "In"));
        node.expected = Some(self.stream(cut));
        Some(node)
    }

    /// The folder with the keys of an end of a link, where the file says one.
    fn keys(&self, cut: &CutEntry, place: usize, is_sender: bool) -> Option<String> {
        let hosts = self.file.hosts.as_ref()?;
        let (link, from, to) = cut.ends().into_iter().nth(place)?;
        let (host, worker) = if is_sender { (cut.from_host, from) } else { (cut.to_host, to) };
        cut.to.get(place)?.takes_keys().then(|| hosts.get(host)?.keys_of(worker, &link))?
    }

    /// The cut that feeds the workers whose results `cut` leads.
    fn pool_of(&self, cut: &CutEntry) -> Option<&CutEntry> {
        self.cuts.list.iter().find(|pool| pool.way == Way::ToWorkers && pool.to_host == cut.from_host)
    }

    /// Frames and bytes that may be under way at a worker, with frames that others did not complete: twice the pool's windows.
    fn window(&self, host: usize) -> Option<(u64, u64)> {
        let links = &self.file.hosts.as_ref()?.get(host)?.links;
        let pool = find_type(self.node_types, LINK_POOL).ok()?;
        let window = |key: &str| {
            let given =
                links.iter().find(|(name, _)| name.text == key).and_then(|(_, item)| whole_number(item));
            given.or_else(|| {
                let place = pool.param_specs().iter().position(|spec| spec.name == key)?;
                pool.params().get(place)?.to_string().parse().ok()
            })
        };
        Some((window("window_frames")?.saturating_mul(2), window("window_bytes")?.saturating_mul(2)))
    }

    /// Frames between the pool whose results `cut` leads and the order behind it.
    fn most_under_way(&self, cut: &CutEntry) -> u64 {
        let window = self.window(cut.from_host).map_or(1, |(frames, _)| frames);
        window.saturating_mul(cut.to.len() as u64)
    }

    /// What the receiving end of a link from a worker has beside the parameters of all links. All results may come from one
    /// worker while a frame of another one is awaited.
    fn of_results(&self, cut: &CutEntry) -> Option<Vec<(&'static str, String)>> {
        let frames = self.most_under_way(cut).clamp(1, 1_000_000);
        let mut given =
            vec![("pool", self.pool_of(cut)?.name.clone()), ("window_frames", frames.to_string())];
        let links = &self.file.hosts.as_ref()?.get(cut.to_host)?.links;
        if let Some(layout) =
            self.stream(cut).layout().filter(|_| links.iter().all(|(name, _)| name.text != "window_bytes"))
        {
            let bytes = frames.saturating_mul(layout.span() as u64).clamp(1 << 26, 1 << 40);
            given.push(("window_bytes", bytes.to_string()));
        }
        Some(given)
    }

    /// The parameters of the order behind a pool.
    fn order(&self, cut: &CutEntry) -> Option<Vec<(Name, Item)>> {
        let most = self.most_under_way(cut).clamp(1, 1_000_000);
        let links = &self.file.hosts.as_ref()?.get(cut.from_host)?.links;
        let at = cut.from.at;
        let param = |key: &str, text: String, plain| {
            (Name { text: key.to_owned(), at }, Item { at, data: Data::Scalar(Scalar { text, plain }) })
        };
        let pool = self.pool_of(cut)?.name.clone();
        let mut params = vec![param("pool", pool, false), param("most_waiting", most.to_string(), true)];
        params.extend(links.iter().find(|(name, _)| name.text == WAIT).cloned());
        Some(params)
    }

    /// A node that leads the cut, with parameters that the cut and the file give.
    fn link(
        &self,
        cut: &CutEntry,
        link: &str,
        type_name: &str,
        given: &[(&str, String)],
        problems: &mut Vec<Problem>,
    ) -> Option<NodeEntry> {
        let at = cut.from.at;
        let name = |text: &str| Name { text: text.to_owned(), at };
        let item =
            |text: &str| Item { at, data: Data::Scalar(Scalar { text: text.to_owned(), plain: true }) };
        let node_type = match find_type(self.node_types, type_name) {
            Ok(node_type) => node_type,
            Err(error) => {
                problems.push(Problem::new(at, ProblemKind::UnknownType(error)));
                return None;
            }
        };
        let mut params: Vec<(Name, Item)> = given.iter().map(|(key, text)| (name(key), item(text))).collect();
        let written = &self.file.hosts.as_ref()?.get(cut.to_host)?.links;
        let is_free = |key: &str| given.iter().all(|(given, _)| *given != key);
        let may = |key: &str| has(&node_type, key) && is_free(key);
        params.extend(written.iter().filter(|(key, _)| may(&key.text)).cloned());
        Some(NodeEntry {
            name: name(link),
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
        let types = |names: &[&str]| -> Vec<NodeType> {
            names.iter().filter_map(|name| find_type(self.node_types, name).ok()).collect()
        };
        let (plain, workers) = (types(&[LINK_OUT, LINK_IN]), types(&[LINK_POOL, LINK_IN]));
        for host in self.file.hosts.iter().flatten() {
            let types = if host.count.is_some() { &workers } else { &plain };
            let mut known: Vec<&str> = types.iter().flat_map(names).collect();
            known.extend(host.count.map(|_| WAIT));
            known.sort_unstable();
            known.dedup();
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
fn instance(link: &Name, end: &str) -> Name {
    Name { text: format!("{}:{end}", link.text), at: link.at }
}

/// Names the folders of keys, if there are some.
fn give_keys(link: &mut NodeEntry, folders: &str) {
    if !folders.is_empty() {
        let at = link.name.at;
        link.params.retain(|(name, _)| name.text != "keys");
        let data = Data::Scalar(Scalar { text: folders.to_owned(), plain: false });
        link.params.push((Name { text: "keys".into(), at }, Item { at, data }));
    }
}

/// A number of frames, or of bytes with their unit.
fn whole_number(item: &Item) -> Option<u64> {
    let Data::Scalar(scalar) = &item.data else { return None };
    let plain = scalar.text.parse().ok();
    plain.or_else(|| positive_quantity(&scalar.text, "B").map(|number| number as u64))
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
