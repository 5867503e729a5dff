//! All PVs as a document: each PV of areaDetector with its fate here, and the PVs that areaDetector does not have.

use std::collections::BTreeMap;
use std::fmt::Write;

use livetime_engine::{NodeKind, NodeType};

use super::base::BASE;
use super::names::plugin_type;
use super::point::{About, Shape};
use super::run_pvs::WHOLE;
use super::served_pv::ServedPv;
use super::table::{bases_served, leaf, served_by};
use super::upstream::{Has, TEMPLATES, Template, reason};

/// The PV of that name, or of the first of several sub-devices that have it.
fn find<'a>(served: &'a [ServedPv], name: &str) -> Option<&'a ServedPv> {
    // Sub-devices repeat the PVs, so the first stands for all.
    let first = || served.iter().find(|s| s.name.strip_prefix("1:") == Some(name));
    served.iter().find(|s| s.name == name).or_else(first)
}

/// Whether the PV belongs to the second sub-device or a later one, which repeats the PVs of the first.
fn is_repeated(name: &str) -> bool {
    name.split_once(':').and_then(|(number, _)| number.parse::<u32>().ok()).is_some_and(|number| number > 1)
}

/// Of a PV that differs from areaDetector's without a reason in `upstream`; a test fails where this stands.
const NO_REASON: &str = "no reason is written down";

/// `served`, `read-only` or `left out`, the names, and why.
fn fate(suffix: &str, has: Has, served: &[ServedPv]) -> (&'static str, String, String) {
    let readback = format!("{suffix}_RBV");
    let names: Vec<&ServedPv> = [suffix, &readback].iter().filter_map(|n| find(served, n)).collect();
    let written = names.iter().map(|s| format!("`{}`", s.name)).collect::<Vec<_>>().join(", ");
    let why = || reason(suffix).unwrap_or(NO_REASON).to_owned();
    let wants_writing = matches!(has, Has::Both | Has::Setpoint);
    match names.first() {
        None => ("left out", written, why()),
        Some(first) if wants_writing && !names.iter().any(|s| s.is_writable) => {
            ("read-only", written, format!("{}; {}", shape(&first.about.shape), why()))
        }
        Some(first) => ("served", written, described(first)),
    }
}

fn described(served: &ServedPv) -> String {
    about(&served.about)
}

fn about(about: &About) -> String {
    let units = if about.units.is_empty() { String::new() } else { format!(" in {}", about.units) };
    format!("{}{units}", shape(&about.shape))
}

/// As people read it.
fn shape(shape: &Shape) -> String {
    match shape {
        Shape::Enum(choices) => format!("enum: {}", choices.join(" · ")),
        Shape::Pixels => "array of the pixels' type".into(),
        other => other.kind().into(),
    }
}

fn template(text: &mut String, template: &Template, nodes: &[NodeType]) {
    let of = |name: &str| nodes.iter().find(|n| n.spec.name == name);
    let mut served = Vec::new();
    // A template of every node has PVs of sources and PVs of plugins, so one node of each kind gives both.
    for name in template.node.map_or(vec!["sim_detector", "null"], |name| vec![name]) {
        served.extend(of(name).map(served_by).unwrap_or_default());
    }
    let mut rows: BTreeMap<(&str, String, String), Vec<&str>> = BTreeMap::new();
    let mut lines = Vec::new();
    for (suffix, has) in template.suffixes() {
        match fate(suffix, has, &served) {
            // PVs with the same fate share a row, so that the table stays short.
            (fate @ ("left out" | "read-only"), names, why) if names.is_empty() => {
                rows.entry((fate, names, why)).or_default().push(suffix);
            }
            (fate, names, why) => lines.push(format!("| `{suffix}` | {fate} | {names} | {why} |")),
        }
    }
    for ((fate, names, why), suffixes) in rows {
        let suffixes = suffixes.iter().map(|s| format!("`{s}`")).collect::<Vec<_>>().join(", ");
        lines.push(format!("| {suffixes} | {fate} | {names} | {why} |"));
    }
    let _ = write!(
        text,
        "\n### {}\n\n| PV of areaDetector | here | names | type, or why |\n|---|---|---|---|\n{}\n",
        template.title(),
        lines.join("\n")
    );
}

/// Appends the PVs that areaDetector lacks.
fn ours(text: &mut String, node: &NodeType, known: &[String]) {
    let is_new = |s: &ServedPv| {
        let base = |n: &str| BASE.iter().any(|b| b.names().iter().any(|(name, _)| name == n));
        // The prefix of a sub-device does not make a PV of areaDetector a new one.
        !known.iter().any(|name| *name == s.name || name == leaf(&s.name))
            && !base(&s.name)
            && !is_repeated(&s.name)
    };
    if let Some(name) = node.alias_of {
        let _ = write!(text, "\n### `{}`\n\nAs `{name}`, of which it is an older name.\n", node.spec.name);
        return;
    }
    let rows: Vec<String> = served_by(node).iter().filter(|s| is_new(s)).map(row).collect();
    if !rows.is_empty() {
        let title = format!("`{}` (PluginType {})", node.spec.name, plugin_type(node));
        let title = if node.spec.kind == NodeKind::Source { format!("`{}`", node.spec.name) } else { title };
        let _ = write!(text, "\n### {title}\n\n{HEAD}{}\n", rows.join("\n"));
    }
}

const HEAD: &str = "| PV | type | | what it is |\n|---|---|---|---|\n";

fn row(served: &ServedPv) -> String {
    line(&served.name, served.is_writable, &served.about)
}

fn line(name: &str, is_writable: bool, what: &About) -> String {
    let access = if is_writable { "read and write" } else { "read" };
    format!("| `{name}` | {} | {access} | {} |", about(what), what.description)
}

/// All suffixes of areaDetector with and without `_RBV`.
fn known() -> Vec<String> {
    let suffixes = TEMPLATES.iter().flat_map(Template::suffixes);
    suffixes.flat_map(|(suffix, _)| [suffix.to_owned(), format!("{suffix}_RBV")]).collect()
}

/// Every PV of these types of nodes as tables in Markdown: areaDetector's by template, then the ones that areaDetector
/// lacks.
///
/// ```
/// let text = livetime_epics::document(&[livetime_nodes::ALL, livetime_sim::ALL].concat());
/// assert!(text.contains("| `MeanValue` | served | `MeanValue`, `MeanValue_RBV` |"));
/// ```
pub fn document(nodes: &[NodeType]) -> String {
    let mut text = INTRODUCTION.to_owned();
    text += "\n## areaDetector's PVs\n";
    TEMPLATES.iter().for_each(|t| template(&mut text, t, nodes));
    text += "\n## PVs that areaDetector does not have\n\n### Every node\n\n";
    let known = known();
    let bases = bases_served(&[], true).into_iter().chain(bases_served(&[], false));
    let mut rows = Vec::new();
    for base in bases.filter(|b| !known.contains(&b.name)) {
        let row = row(&base);
        // Sources and plugins share most rows.
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let _ = write!(text, "{HEAD}{}\n\n### The run as a whole\n\n{HEAD}", rows.join("\n"));
    for whole in WHOLE {
        let _ = writeln!(text, "{}", line(whole.name, whole.act.is_some(), &whole.about()));
    }
    nodes.iter().for_each(|node| ours(&mut text, node, &known));
    text
}

const INTRODUCTION: &str = "\
# All PVs

The PVs of every type of node. Where a node has several equal parts, the table has the names of the first: `1:MinX` stands for
`1:MinX`, `2:MinX` and so on.
";

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The nodes that the program `livetime` offers, in its order.
    pub(crate) fn standard_nodes() -> Vec<NodeType> {
        let mut all = [livetime_nodes::ALL, livetime_wire::ALL, livetime_sim::ALL].concat();
        all.sort_by_key(|node| node.spec.kind as u8);
        all
    }

    /// Each PV as a line: node, name, type and access. PVs of every node stand once, with `*` as node.
    fn names(nodes: &[NodeType]) -> String {
        let line = |node: &str, served: &ServedPv| {
            let access = if served.is_writable { "rw" } else { "r" };
            format!("{node} {} {} {access}\n", served.name, served.about.shape.kind())
        };
        let bases: Vec<String> =
            [true, false].into_iter().flat_map(|b| bases_served(&[], b)).map(|s| line("*", &s)).collect();
        let own = nodes.iter().flat_map(|node| served_by(node).into_iter().map(|s| line(node.spec.name, &s)));
        let is_base = |own: &str| {
            bases.iter().any(|base| own.split_once(' ').map(|l| l.1) == base.split_once(' ').map(|l| l.1))
        };
        let mut all: Vec<String> = own.filter(|own| !is_base(own)).collect();
        all.extend(bases.iter().cloned());
        all.sort();
        all.dedup();
        all.concat()
    }

    /// Clients, screens and archives know PVs by name and type: a change here must be intended.
    #[test]
    fn names_types_and_access_of_pvs_stay() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/pvs.txt");
        let wanted = names(&standard_nodes());
        if std::env::var_os("LIVETIME_WRITE_DOCS").is_some() {
            std::fs::write(&path, &wanted).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap();
        let differs = wanted.lines().zip(found.lines()).find(|(wanted, found)| wanted != found);
        assert!(
            wanted == found,
            "testdata/pvs.txt and the code differ: {differs:?}; if it is meant, LIVETIME_WRITE_DOCS=1 cargo test -p livetime-epics document"
        );
    }

    #[test]
    fn every_difference_from_areadetector_has_a_reason() {
        assert!(!document(&standard_nodes()).contains(NO_REASON));
    }

    #[test]
    fn no_node_serves_a_name_twice() {
        for node in &standard_nodes() {
            let names: Vec<String> = served_by(node).into_iter().map(|s| s.name).collect();
            for (i, name) in names.iter().enumerate() {
                assert!(!names[..i].contains(name), "{}: {name}", node.spec.name);
            }
        }
    }

    #[test]
    fn our_own_names_are_none_of_areadetectors() {
        for node in &standard_nodes() {
            // Templates of every node, plugin or detector of areaDetector, and of this node's counterpart.
            let is_its = |t: &&Template| {
                matches!(t.node, None | Some("null" | "sim_detector")) || t.node == Some(node.spec.name)
            };
            let known: Vec<&str> = TEMPLATES
                .iter()
                .filter(is_its)
                .flat_map(Template::suffixes)
                .map(|(suffix, _)| suffix)
                .collect();
            for spec in node.param_specs().iter().filter(|s| s.pv.is_none()) {
                let suffix = crate::names::camel(spec.name);
                assert!(!known.contains(&&*suffix), "{}: {suffix} is a PV of areaDetector", node.spec.name);
            }
        }
    }
}
