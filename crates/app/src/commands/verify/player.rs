//! The source that plays a recording in the place of the recorded live source.

use std::path::{Path, PathBuf};

use livetime_engine::{EdgeDecl, Graph, NodeKind, NodeType, Value};
use livetime_recording::Recording;
use livetime_wire::sinks::wib_dump::link_of_file;

use super::files::{files_in, writes_into_a_folder};
use crate::output::{Exit, Failure};

/// The source that plays pictures.
const PLAYER: &str = "recording";
/// The recorder of raw frames of the wire readout, and the source that plays its files: in batches of its own.
const RAW_RECORDER: &str = "wib_dump";
const RAW_PLAYER: &str = "wib_file";

/// A live source, and the sinks directly behind it that may record it.
pub(super) struct Live {
    pub(super) source: usize,
    sinks: Vec<usize>,
    /// Its recording is played in other batches than it sent.
    pub(super) is_raw: bool,
}

/// The live sources with their possible recorders.
///
/// # Errors
/// If there is none, or one of them has no recorder.
pub(super) fn live_sources(graph: &Graph, nodes: &[NodeType]) -> Result<Vec<Live>, Failure> {
    let is_live = |source: &usize| {
        let decl = &graph.nodes()[*source];
        decl.node_type.spec.kind == NodeKind::Source && !decl.node_type.is_stored
    };
    let found: Result<Vec<Live>, Failure> =
        (0..graph.nodes().len()).filter(is_live).map(|source| Live::of(graph, source, nodes)).collect();
    match found? {
        none if none.is_empty() => {
            usage("--live: wanted a live source, found recordings alone: they are compared without --live")
        }
        found => Ok(found),
    }
}

impl Live {
    fn of(graph: &Graph, source: usize, nodes: &[NodeType]) -> Result<Live, Failure> {
        let name = &graph.nodes()[source].name;
        let from = |edge: &&EdgeDecl| edge.from.0 == source;
        // A recorder with other inputs has frames of other nodes in its files.
        let is_alone =
            |sink: &usize| graph.edges().iter().filter(|e| e.to.0 == *sink).all(|e| e.from == (source, 0));
        let behind = graph.edges().iter().filter(from).map(|edge| edge.to.0);
        let sinks: Vec<usize> =
            behind.filter(|node| writes_into_a_folder(&graph.nodes()[*node])).filter(is_alone).collect();
        let is_raw = sinks.iter().any(|sink| graph.nodes()[*sink].node_type.spec.name == RAW_RECORDER);
        let live = Live { source, sinks, is_raw };
        if let Some(output) = graph.edges().iter().filter(from).find_map(|e| live.unplayed(graph, nodes, e)) {
            return usage(&format!(
                "--live: wanted live sources of which only what is recorded is used, found `{name}.{output}`"
            ));
        }
        match live.sinks.is_empty() {
            true => usage(&format!(
                "--live: wanted a recorder directly behind `{name}`, such as xtc_recorder or wib_dump, found none"
            )),
            false => Ok(live),
        }
    }

    /// The output of the edge, if the player has none of this name in its place.
    fn unplayed(&self, graph: &Graph, nodes: &[NodeType], edge: &EdgeDecl) -> Option<&'static str> {
        let name = |node: &NodeType| node.spec.outputs.get(edge.from.1).map(|port| port.name);
        let output = name(&graph.nodes()[self.source].node_type)?;
        let player = if self.is_raw { RAW_PLAYER } else { PLAYER };
        let player = nodes.iter().find(|node| node.spec.name == player);
        let is_played = edge.from.1 == 0 || self.is_raw && player.and_then(name) == Some(output);
        (!is_played).then_some(output)
    }

    /// Puts the recording of one of the sinks in the place of the source; returns the number of this sink.
    pub(super) fn play(
        &self,
        graph: &mut Graph,
        nodes: &[NodeType],
        recorded: &Path,
    ) -> Result<usize, Failure> {
        let name = graph.nodes()[self.source].name.clone();
        for sink in &self.sinks {
            let folder = recorded.join(&graph.nodes()[*sink].name);
            let files =
                files_in(&folder).map_err(|e| failed(format!("cannot read {}: {e}", folder.display())))?;
            // A recorder that was off has left no run; another one may have.
            let Some(values) = self.values(files)? else { continue };
            let player = if self.is_raw { RAW_PLAYER } else { PLAYER };
            let Some(player) = nodes.iter().find(|node| node.spec.name == player) else { break };
            graph.replace(self.source, player.clone());
            let mut set = values.iter().map(|(param, value)| graph.set(self.source, param, value));
            return set.find_map(Result::err).map_or(Ok(*sink), |error| Err(failed(error)));
        }
        Err(failed(format!(
            "wanted a recording of `{name}` that can be played, found none: is its recorder on (`capture`)?"
        )))
    }

    /// The parameters of the player; `None` if the files are not a run that it plays.
    fn values(&self, files: Vec<PathBuf>) -> Result<Option<Vec<(&'static str, Value)>>, Failure> {
        if !self.is_raw {
            return Ok(is_run(&files).then(|| vec![("file", lines(&files))]));
        }
        let mut links = Vec::new();
        for file in files {
            let Some(link) = link_of_file(&file) else { return Ok(None) };
            links.push((link, file));
        }
        links.sort();
        let Some((first, _)) = links.first() else { return Ok(None) };
        let first = *first;
        if !links.iter().zip(first..).all(|((link, _), wanted)| *link == wanted) {
            let found: Vec<String> = links.iter().map(|(link, _)| link.to_string()).collect();
            let found = found.join(", ");
            return Err(failed(format!("wanted a file of each link, numbered without gaps, found {found}")));
        }
        let files: Vec<PathBuf> = links.into_iter().map(|(_, file)| file).collect();
        // Live frames of WIB1 have checksums; frames of WIBEth have none.
        let checksums = ("checksums", Value::Bool(true));
        Ok(Some(vec![("file", lines(&files)), ("first_link", i64::from(first).into()), checksums]))
    }
}

fn lines(files: &[PathBuf]) -> Value {
    let lines: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    Value::from(&*lines.join("\n"))
}

/// Whether the files are a whole run whose pictures are as they were recorded.
fn is_run(files: &[PathBuf]) -> bool {
    let is_recorded = |run: &Recording| run.format().keeps_frames();
    !files.is_empty()
        && Recording::open_only(files).is_ok_and(|run| is_recorded(&run) && run.problems().is_empty())
}

fn usage<T>(why: &str) -> Result<T, Failure> {
    Err(Failure::new(Exit::Usage, why.to_owned()))
}

fn failed(why: impl std::fmt::Display) -> Failure {
    Failure::new(Exit::Failed, why.to_string())
}
