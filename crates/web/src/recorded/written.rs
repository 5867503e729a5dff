//! Files that the nodes of this run have written, or are writing.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use livetime_control::describe::value_json;
use livetime_control::model::{Moment, NodeMoment};
use livetime_engine::{Graph, ParamSpec, Role, Value as Param};
use livetime_runtime::lock;
use serde_json::{Map, Value, json};

use super::folders::Folders;
use super::listing::modified_ns;

/// Files that are kept in mind; a node that writes a file for each frame has many.
const MOST: usize = 500;
/// The end of the name of a file that is being written.
const IN_PROGRESS: &str = ".inprogress";

/// Counters of a writer that are shown if it has them.
const COUNTERS: [&str; 10] = [
    "num_captured",
    "num_capture",
    "rows",
    "hits_written",
    "records",
    "bytes_written",
    "ignored",
    "degraded",
    "write_errors",
    "hits_lost",
];
/// The counters of the frames in the file.
const FRAMES: [&str; 4] = ["num_captured", "rows", "hits_written", "records"];

/// The files that were seen, the newest last.
#[derive(Default)]
pub(crate) struct Written {
    seen: Mutex<VecDeque<Seen>>,
}

#[derive(Clone)]
pub(crate) struct Seen {
    node: usize,
    path: PathBuf,
    /// The node's last count while it was its file.
    frames: Option<i64>,
}

fn is_file_name(spec: &ParamSpec) -> bool {
    spec.role == Some(Role::LastFile)
}

/// The folders that the pipeline names for nodes that write files.
pub(crate) fn folders_of(graph: &Graph) -> Vec<PathBuf> {
    // A node that names no file writes none.
    let nodes = graph.nodes().iter().filter(|decl| decl.node_type.param_specs().iter().any(is_file_name));
    let folder = |decl: &livetime_engine::NodeDecl| {
        let spec = decl.node_type.param_specs().iter().find(|spec| spec.role == Some(Role::Folder))?;
        match decl.value(spec.name)? {
            Param::Text(text) if !text.is_empty() => Some(PathBuf::from(text)),
            _ => None,
        }
    };
    nodes.filter_map(folder).collect()
}

/// The file that a node names.
fn file_of(node: &NodeMoment) -> Option<&Path> {
    match node.value_of(Role::LastFile)? {
        Param::Text(text) if !text.is_empty() => Some(Path::new(text)),
        _ => None,
    }
}

fn frames_of(node: &NodeMoment) -> Option<i64> {
    FRAMES
        .iter()
        .find_map(|name| if let Some(Param::Int(count)) = node.value(name) { Some(*count) } else { None })
}

impl Written {
    /// Takes notice of the files of this moment. Of a node that writes faster than moments come some are missed; they
    /// lie in the folder all the same.
    pub(crate) fn note(&self, moment: &Moment, folders: &Folders) {
        let mut seen = lock(&self.seen);
        for (number, node) in moment.nodes.iter().enumerate() {
            let Some(path) = file_of(node) else { continue };
            let frames = frames_of(node);
            // The search goes backwards, because the last file of a node is nearly always meant.
            if let Some(known) = seen.iter_mut().rev().find(|known| known.node == number)
                && known.is_named(path)
            {
                // The name changes when the file is finished.
                (known.path, known.frames) = (path.to_owned(), frames);
                continue;
            }
            // A file of a run may be browsed, wherever the node has put it.
            folders.add(path.parent().unwrap_or(Path::new("")));
            // The oldest file makes room.
            if seen.len() >= MOST {
                seen.pop_front();
            }
            seen.push_back(Seen { node: number, path: path.to_owned(), frames });
        }
    }

    pub(crate) fn files(&self) -> Vec<Seen> {
        lock(&self.seen).iter().cloned().collect()
    }
}

impl Seen {
    /// Whether it is the file `path`, perhaps under the name that it had while it was written.
    fn is_named(&self, path: &Path) -> bool {
        // A file has its mark of growth at the end of its name.
        let plain = |path: &Path| path.to_string_lossy().trim_end_matches(IN_PROGRESS).to_owned();
        self.path == path || plain(&self.path) == plain(path)
    }
}

/// The writers with their counters, and the files that were seen, the newest first.
pub(crate) fn json(moment: &Moment, files: Vec<Seen>) -> Value {
    let writers = moment.nodes.iter().enumerate().filter(|(_, node)| node.specs.iter().any(is_file_name));
    let writers: Vec<Value> = writers.map(|(number, node)| writer_json(moment, number, node)).collect();
    let files: Vec<Value> = files.iter().rev().map(|seen| seen_json(moment, seen)).collect();
    json!({ "version": moment.version, "writers": writers, "files": files })
}

fn name_of(moment: &Moment, number: usize) -> &str {
    moment.report.nodes.get(number).map_or("", |node| &node.name)
}

fn writer_json(moment: &Moment, number: usize, node: &NodeMoment) -> Value {
    let counters =
        COUNTERS.iter().filter_map(|name| Some(((*name).to_owned(), value_json(node.value(name)?))));
    let text = |name: &str| node.value(name).map(value_json);
    json!({
        "node": name_of(moment, number),
        "capturing": is_writing(moment, node),
        "status": text("write_status"),
        "message": text("write_message"),
        "file": file_of(node),
        "counters": counters.collect::<Map<_, _>>(),
    })
}

/// Whether the node may still write to the file that it names.
fn is_writing(moment: &Moment, node: &NodeMoment) -> bool {
    let has_capture = node.value_of(Role::Capture).is_some();
    let mode = node.value_of(Role::WriteMode);
    let is_single = matches!(mode, Some(Param::Text(mode)) if mode == "single");
    // A node without a parameter for captures writes whenever it runs.
    !moment.report.finished && !is_single && (node.is_capturing() || !has_capture)
}

fn seen_json(moment: &Moment, seen: &Seen) -> Value {
    let node = moment.nodes.get(seen.node);
    let is_last = node.and_then(|node| file_of(node)).is_some_and(|path| path == seen.path);
    let is_open = is_last && node.is_some_and(|node| is_writing(moment, node));
    // The path is made whole, so that the page compares it with its folders.
    let found = fs::canonicalize(&seen.path).and_then(|path| Ok((fs::metadata(&path)?, path)));
    let (state, path) = match &found {
        Ok((_, path)) if is_open => ("open", path),
        Ok((_, path)) => ("complete", path),
        // A file that was moved or deleted is still named.
        Err(_) => ("gone", &seen.path),
    };
    let found = found.as_ref().ok().map(|(found, _)| found);
    json!({
        "node": name_of(moment, seen.node),
        "path": path,
        "name": path.file_name().map(|name| name.to_string_lossy()),
        "state": state,
        "frames": seen.frames,
        "bytes": found.map(fs::Metadata::len),
        "modified_ns": found.map(modified_ns),
    })
}
