//! The types of the nodes of a pipeline file, by their names.

use livetime_engine::{Counterpart, NodeKind, NodeType, UnknownNodeType, nearest};

use super::file::NodeEntry;
use super::yaml::shortened;

/// The type of node called `name`.
///
/// # Errors
/// [`UnknownNodeType`], with the nearest known name.
pub fn find_type(node_types: &[NodeType], name: &str) -> Result<NodeType, UnknownNodeType> {
    node_types.iter().find(|n| n.spec.name == name).cloned().ok_or_else(|| {
        let names = || node_types.iter().map(|n| n.spec.name);
        let hint = match name.contains(':') {
            true => ": `--python` (`imports=True` in Python) looks for nodes of Python in modules".to_owned(),
            false => area_detector_hint(name, node_types).unwrap_or_else(|| nearest(name, names())),
        };
        UnknownNodeType { name: shortened(name), hint }
    })
}

/// Plugins and drivers of areaDetector's without a counterpart here, as [`plain`] makes them.
const ABSENT: [&str; 5] = ["filenexus", "ffmpegstream", "ffmpegfile", "edge", "rawwarp"];

/// For names of areaDetector's, as `NDStats`, `NDPluginStats` or `NDStatsConfigure`: which types are the same here.
fn area_detector_hint(name: &str, node_types: &[NodeType]) -> Option<String> {
    let wanted = plain(name);
    let is_it = |node: &&NodeType| {
        let mut names = node.counterpart.iter().flat_map(Counterpart::names);
        node.alias_of.is_none() && names.any(|name| plain(name) == wanted)
    };
    let ours: Vec<String> =
        node_types.iter().filter(is_it).map(|node| format!("`{}`", node.spec.name)).collect();
    match ours.is_empty() {
        false => Some(format!("; areaDetector's is {} here", ours.join(" or "))),
        true if ABSENT.contains(&&*wanted) => {
            Some("; this plugin of areaDetector's has no counterpart here so far".into())
        }
        true => None,
    }
}

/// The part of areaDetector's name for a plugin or driver that tells it from others, however it is written.
fn plain(name: &str) -> String {
    // A version may follow: `NDFileHDF5 ver1.10`.
    let name = name.split_whitespace().next().unwrap_or_default();
    let lower = name.to_ascii_lowercase().replace(['_', '-'], "");
    let own = lower.strip_prefix("nd").or_else(|| lower.strip_prefix("ad")).unwrap_or(&lower);
    let own = own.strip_prefix("plugin").unwrap_or(own);
    own.strip_suffix("configure").or_else(|| own.strip_suffix("config")).unwrap_or(own).to_owned()
}

/// The type of a node; `None` where the file is wrong, which [`build`](super::build) reports.
pub(super) fn type_of(node: &NodeEntry, node_types: &[NodeType]) -> Option<NodeType> {
    find_type(node_types, &node.type_name.as_ref()?.text).ok()
}

pub(super) fn is_source(node: &NodeEntry, node_types: &[NodeType]) -> bool {
    type_of(node, node_types).is_some_and(|t| t.spec.kind == NodeKind::Source)
}
