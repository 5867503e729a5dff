//! Files of sinks: their folder while runs are compared, and their content.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::Hasher;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use livetime_engine::{Graph, Node, NodeDecl, NodeKind, NodeType, Role, Value};
use livetime_nodes::sinks::null::Null;

use crate::output::{Exit, Failure};

/// Bytes that are read of a file at once.
const PIECE: usize = 1 << 20;
/// In templates of file names, as C's printf has them: the folder.
const OF_FOLDER: &str = "%s";

/// A folder for the files of one run after the other, removed at the end. Each run finds it empty, and under the same name: files may hold where they are.
pub(super) struct Scratch(PathBuf);

/// A file that a sink has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SinkFile {
    pub(super) node: String,
    /// Below the sink's folder.
    pub(super) name: String,
    pub(super) bytes: u64,
    hash: u64,
}

/// A parameter of a sink that says where it writes.
struct Target {
    param: &'static str,
    /// The name of its only file; `None` if the parameter names a folder.
    file: Option<PathBuf>,
}

impl Scratch {
    /// A new folder in `parent`, or else in the system's folder for temporary files.
    pub(super) fn make(parent: Option<&Path>) -> Result<Scratch, Failure> {
        let parent = parent.map_or_else(std::env::temp_dir, Path::to_owned);
        // The process has its number in the name, so that two checks at a time do not share a folder.
        let path = parent.join(format!("livetime-verify-{}", std::process::id()));
        let made = fs::create_dir(&path).map(|()| Scratch(path.clone()));
        made.map_err(|e| failed("make", &path, &e))
    }

    /// Where sinks write.
    fn written(&self) -> PathBuf {
        self.0.join("written")
    }

    /// Leads the sinks of a graph here. Sinks that write no files, or not into a folder of the user's choice, become `null`.
    pub(super) fn lead_here(&self, graph: &mut Graph, nodes: &[NodeType]) -> Result<(), Failure> {
        let null = nodes.iter().find(|node| node.spec.name == Null::SPEC.name);
        for number in 0..graph.nodes().len() {
            let decl = &graph.nodes()[number];
            if decl.node_type.spec.kind != NodeKind::Sink {
                continue;
            }
            match (target(decl), null) {
                (Some(Target { param, file }), _) => {
                    let folder = self.written().join(&decl.name);
                    let path = file.map_or(folder.clone(), |file| folder.join(file));
                    set(graph, number, param, &Value::from(&*path.to_string_lossy()))?;
                    // Files of other programs are left alone.
                    if graph.nodes()[number].value("delete_driver_file").is_some() {
                        set(graph, number, "delete_driver_file", &Value::Bool(false))?;
                    }
                }
                // A sink that cannot be led elsewhere would overwrite the user's files.
                (None, Some(null)) => graph.replace(number, null.clone()),
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// An empty folder for each sink that was led here.
    pub(super) fn clear(&self, graph: &Graph) -> Result<(), Failure> {
        let written = self.written();
        match fs::remove_dir_all(&written) {
            // The first run finds no folder.
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed("remove", &written, &e)),
            _ => {}
        }
        self.sinks(graph)
            .try_for_each(|(_, folder)| fs::create_dir_all(&folder).map_err(|e| failed("make", &folder, &e)))
    }

    /// Puts the files of the last run aside; returns the new folder of each sink with its name.
    pub(super) fn put_aside(&self) -> Result<PathBuf, Failure> {
        let aside = self.0.join("recorded");
        fs::rename(self.written(), &aside).map_err(|e| failed("rename", &self.written(), &e))?;
        Ok(aside)
    }

    /// The files of the last run, by the order of the sinks and the names of the files.
    pub(super) fn files(&self, graph: &Graph) -> Result<Vec<SinkFile>, Failure> {
        let mut all = Vec::new();
        for (node, folder) in self.sinks(graph) {
            // Links are files here: a link to a folder is not followed, so the walk ends.
            for path in files_in(&folder).map_err(|e| failed("read", &folder, &e))? {
                let (bytes, hash) = content(&path).map_err(|e| failed("read", &path, &e))?;
                let name = path.strip_prefix(&folder).unwrap_or(&path).to_string_lossy().into_owned();
                all.push(SinkFile { node: node.to_owned(), name, bytes, hash });
            }
        }
        Ok(all)
    }

    fn sinks<'a>(&self, graph: &'a Graph) -> impl Iterator<Item = (&'a str, PathBuf)> {
        let written = self.written();
        let sinks = graph.nodes().iter().filter(|decl| target(decl).is_some());
        sinks.map(move |decl| (&*decl.name, written.join(&decl.name)))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A file that cannot be removed lies in a folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether the sink writes files into a folder that can be chosen.
pub(super) fn writes_into_a_folder(decl: &NodeDecl) -> bool {
    target(decl).is_some_and(|target| target.file.is_none())
}

/// All files in a folder and those below it, sorted.
pub(super) fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => all.append(&mut files_in(&entry.path())?),
            false => all.push(entry.path()),
        }
    }
    // The order of a folder differs from run to run.
    all.sort();
    Ok(all)
}

fn target(decl: &NodeDecl) -> Option<Target> {
    if decl.node_type.spec.kind != NodeKind::Sink {
        return None;
    }
    let of = |role| {
        let spec = decl.node_type.param_specs().iter().find(|spec| spec.role == Some(role))?;
        let Some(Value::Text(text)) = decl.value(spec.name) else { return None };
        (!text.is_empty()).then_some((spec.name, text))
    };
    // A sink without a name of a file or a folder writes nothing.
    let folder = of(Role::Folder).filter(|_| is_in_its_folder(decl));
    let folder = folder.map(|(param, _)| Target { param, file: None });
    folder.or_else(|| {
        let (param, text) = of(Role::File)?;
        Some(Target { param, file: Some(Path::new(&*text).file_name()?.into()) })
    })
}

/// Not so if the template of the names begins with a folder of its own.
fn is_in_its_folder(decl: &NodeDecl) -> bool {
    match decl.value("template") {
        Some(Value::Text(text)) => text.is_empty() || text.starts_with(OF_FOLDER),
        _ => true,
    }
}

fn set(graph: &mut Graph, node: usize, param: &str, value: &Value) -> Result<(), Failure> {
    graph.set(node, param, value).map_err(|error| Failure::new(Exit::Failed, error))
}

/// Size of a file, and a number for its bytes.
fn content(path: &Path) -> io::Result<(u64, u64)> {
    let (mut file, mut hasher) = (File::open(path)?, DefaultHasher::new());
    let (mut piece, mut bytes) = (vec![0; PIECE], 0);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok((bytes, hasher.finish())),
            count => {
                hasher.write(&piece[..count]);
                bytes += count as u64;
            }
        }
    }
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("cannot {what} {}: {error}", path.display()))
}
