//! How a run is served as PVs.

use livetime_control::WrongText;
use livetime_control::pvaccess::{Options, access_of, listen_at};
use livetime_engine as engine;
use pyo3::prelude::*;

/// The parameter of sources that end with an acquisition.
const FINISH: &str = "finish_when_done";

/// The fields of `livetime.Epics`: how a run is served. An empty field is taken from the pipeline file, or else the
/// environment.
#[derive(FromPyObject)]
pub(crate) struct Wanted {
    prefix: Option<String>,
    interfaces: Vec<String>,
    writers: Vec<String>,
    port: Option<u16>,
    search_port: Option<u16>,
}

impl Wanted {
    /// The options with these fields.
    ///
    /// # Errors
    /// [`WrongText`] for a prefix, an address or a writer that makes no sense.
    pub(crate) fn options(&self, of_file: &Options) -> Result<Options, WrongText> {
        let mut options = Options { enabled: true, ..of_file.clone() };
        if let Some(prefix) = &self.prefix {
            options.prefix = livetime_control::config::checked_prefix(prefix)?;
            options.is_prefix_chosen = true;
        }
        if !self.interfaces.is_empty() {
            let (addresses, groups) = listen_at(self.interfaces.iter().map(String::as_str))?;
            (options.server.addresses, options.server.groups) = (addresses, groups);
        }
        if !self.writers.is_empty() {
            options.access = access_of(self.writers.iter().map(String::as_str))?;
        }
        options.server.tcp_port = self.port.unwrap_or(options.server.tcp_port);
        match self.search_port {
            None => (),
            Some(0) => options.server.udp_port = None,
            Some(port) => options.server.udp_port = Some(port),
        }
        Ok(options)
    }
}

/// Prepares a graph for serving: a source waits for the next acquisition after one has ended, unless the pipeline sets
/// it otherwise.
pub(crate) fn prepare(graph: &mut engine::Graph) {
    for number in 0..graph.nodes().len() {
        let node = &graph.nodes()[number];
        if node.node_type.spec.kind == engine::NodeKind::Source && !node.is_set(FINISH) {
            // Sources without this parameter have their own rule for the end of an acquisition.
            let _ = graph.set(number, FINISH, &false.into());
        }
    }
}
