//! One run, with what is noted of it.

use std::time::Duration;

use livetime_engine::{Graph, NodeKind, Note, Rehearsal, Report, Run, RunOptions, Trail, WhenFull};
use livetime_frame::Frame;

use super::files::{Scratch, SinkFile};
use crate::interrupts::Interrupt;
use crate::output::{Exit, Failure};

/// The outcome of one run.
pub(super) struct Rehearsed {
    pub(super) trails: Vec<Trail>,
    pub(super) files: Vec<SinkFile>,
    pub(super) report: Report,
}

/// How a run is compared.
pub(super) struct Manner {
    /// 0: undisturbed.
    pub(super) seed: u64,
    pub(super) digest: fn(&Frame, &mut Vec<Note>),
    /// Whether all sources count as stored.
    pub(super) repeatable: bool,
    /// After how many frames each source ends.
    pub(super) frames: Option<u64>,
}

/// The graph as a replay that loses nothing.
pub(super) fn waiting(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    for edge in 0..graph.edges().len() {
        if let Some(options) = graph.edge_options_mut(edge) {
            (options.when_full, options.max_rate_hz, options.max_bytes_per_s) = (WhenFull::Block, None, None);
        }
    }
    for node in 0..graph.nodes().len() {
        let kind = graph.nodes()[node].node_type.spec.kind;
        if let (NodeKind::Source, Some(options)) = (kind, graph.options_mut(node)) {
            options.wait_for_memory = true;
        }
    }
    graph
}

pub(super) fn rehearse(graph: &Graph, scratch: &Scratch, manner: &Manner) -> Result<Rehearsed, Failure> {
    let failed = |what: String| Failure::new(Exit::Failed, what);
    let Manner { seed, digest, repeatable, frames } = *manner;
    let options = RunOptions {
        statistics: false,
        max_frames: frames,
        repeatable,
        rehearsal: Some(Rehearsal { seed, digest }),
        ..RunOptions::default()
    };
    scratch.clear(graph)?;
    let interrupt = Interrupt::watch();
    let run = Run::start(graph, options).map_err(|errors| {
        failed(errors.iter().map(|error| error.to_string()).collect::<Vec<_>>().join("; "))
    })?;
    while !run.wait(Duration::from_millis(100)) {
        if interrupt.is_wanted() {
            run.abort();
            return Err(failed("interrupted: nothing was compared to its end".into()));
        }
    }
    let trails = run.trails();
    let report = run.finish(Duration::from_secs(10));
    match &report.failure {
        Some(failure) => Err(failed(failure.clone())),
        None => Ok(Rehearsed { trails, files: scratch.files(graph)?, report }),
    }
}
