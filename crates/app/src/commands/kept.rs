//! The settings of a run: which file has them, and what a command says of them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use livetime_control::in_a_line;
use livetime_control::model::{Keeping, Model};
use livetime_control::settings::{NotKept, Store, Tried, file_beside, restore};
use livetime_engine::{Graph, GraphError, NodeKind, Run, RunOptions, Value as ParamValue};
use serde_json::{Value, json};

use crate::args::{KeptArgs, PipelineArgs};
use crate::config::{DEFAULT, Pipeline};
use crate::log::Level;
use crate::output::Output;

/// Restored values that are named at the start of a run; more are counted.
const MOST_NAMED: usize = 20;

/// The file that has the settings of a run of this graph.
///
/// # Errors
/// Why the run has none.
pub(crate) fn place(args: &KeptArgs, pipeline: Option<&Path>, graph: &Graph) -> Result<PathBuf, NotKept> {
    if args.no_settings {
        return Err(NotKept::Unwanted);
    }
    if let Some(file) = &args.file {
        return Ok(file.clone());
    }
    let Some(pipeline) = pipeline else {
        return Err(NotKept::BuiltIn);
    };
    // No settings file can lie beside a pipe.
    if !pipeline.is_file() {
        return Err(NotKept::Pipe);
    }
    // A replay gives the same result at every run.
    let mut sources =
        graph.nodes().iter().filter(|node| node.node_type.spec.kind == NodeKind::Source).peekable();
    // `all` is true without a source.
    if sources.peek().is_some() && sources.all(|source| source.is_stored()) {
        return Err(NotKept::Replay);
    }
    Ok(file_beside(&of_host(pipeline, graph.host.as_deref())))
}

/// Each host of a pipeline file has settings of its own, as if its part were the file `beamline.HOST.yaml`.
fn of_host<'a>(pipeline: &'a Path, host: Option<&str>) -> Cow<'a, Path> {
    match host {
        Some(host) => pipeline.with_extension(format!("{host}.yaml")).into(),
        None => pipeline.into(),
    }
}

/// Reads the settings, and sets them in the graph of the pipeline.
pub(crate) fn read(pipeline: &mut Pipeline, args: &PipelineArgs, kept: &KeptArgs) -> Keeping {
    let file = args.file.as_deref();
    let base = pipeline.graph.clone();
    let name = file.map_or(DEFAULT.0.into(), |file| file.display().to_string());
    let name = name.rsplit('/').next().unwrap_or_default().to_owned();
    let mut store = place(kept, file, &pipeline.graph).map(|path| Store::new(&path));
    let found = store.as_mut().ok().map(Store::read);
    let settings = found.as_ref().and_then(|found| found.file.as_ref());
    let mut restored =
        settings.map(|file| restore(&mut pipeline.graph, file, &args.settings)).unwrap_or_default();
    if let Some(found) = found {
        restored.from = found.file.is_some().then_some(found.from);
        restored.problems = found.problems;
    }
    // The plan was made without settings, which may change sizes.
    if let Ok(plan) = pipeline.graph.check() {
        pipeline.plan = plan;
    }
    Keeping { pipeline: name, store, base, restored }
}

/// As [`read`], and says what became of each value.
pub(crate) fn open(
    pipeline: &mut Pipeline,
    args: &PipelineArgs,
    kept: &KeptArgs,
    output: &mut Output,
) -> Keeping {
    let keeping = read(pipeline, args, kept);
    let restored = &keeping.restored;
    if let Some(from) = &restored.from {
        let count = super::count(restored.restored().count(), "value");
        output.tell(Level::Info, format_args!("settings: {count} restored from {}", from.display()));
    }
    for tried in restored.restored().take(MOST_NAMED) {
        output.tell(Level::Info, format_args!("settings: {}", with_file(&keeping, tried)));
    }
    for line in restored.lines() {
        output.tell(Level::Warn, format_args!("settings: {line}"));
    }
    keeping
}

/// Starts the run. If it does not start because of settings, it starts without the settings of the nodes that refuse.
pub(crate) fn start(
    graph: &mut Graph,
    keeping: &mut Keeping,
    options: impl Fn() -> RunOptions,
    output: &mut Output,
) -> Result<Run, Vec<GraphError>> {
    let started = Run::start(graph, options());
    let Err(errors) = &started else { return started };
    if !keeping.restored.take_back(graph, &keeping.base, errors) {
        return started;
    }
    let why = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    output.tell(Level::Warn, format_args!("settings: the run does not start with some of them: {why}"));
    for line in keeping.restored.lines() {
        output.tell(Level::Warn, format_args!("settings: {line}"));
    }
    // Each round takes settings back, so that the recursion ends.
    start(graph, keeping, options, output)
}

/// Lets the model keep the settings from now on. A run that cannot goes on without.
pub(crate) fn keep(model: &Model, keeping: Keeping, output: &mut Output) {
    if let Err(problem) = model.keep(keeping) {
        output.tell(Level::Warn, format_args!("settings are not kept: {problem}"));
    }
}

/// `cam.gain = 3 (pipeline file: 1; PV by ada at 10.1.2.3:4000)`.
pub(crate) fn with_file(keeping: &Keeping, tried: &Tried) -> String {
    let start = start_value(keeping, tried).map(|value| format!("pipeline file: {value}"));
    let by = (!tried.kept.by.is_empty()).then(|| tried.kept.by.clone());
    let about: Vec<String> = start.into_iter().chain(by).collect();
    in_a_line(&format!("{}.{} = {} ({})", tried.node, tried.key, tried.kept.value, about.join("; ")))
}

/// The value without settings.
pub(crate) fn start_value(keeping: &Keeping, tried: &Tried) -> Option<ParamValue> {
    let node = keeping.base.node(&tried.node).ok()?;
    keeping.base.nodes()[node].value(&tried.key).or_else(|| tried.kept.file.clone())
}

/// The fate of the settings, as data.
pub(crate) fn json(keeping: &Keeping) -> Value {
    let text = |value: &ParamValue| livetime_control::describe::value_json(value);
    let one = |tried: &Tried| {
        json!({
            "node": tried.node,
            "key": tried.key,
            "value": text(&tried.kept.value),
            "file": start_value(keeping, tried).as_ref().map(text),
            "source": "settings",
            "by": tried.kept.by,
        })
    };
    let restored = &keeping.restored;
    json!({
        "file": keeping.store.as_ref().ok().map(|store| store.path().display().to_string()),
        "read": restored.from.as_ref().map(|from| from.display().to_string()),
        "problem": keeping.store.as_ref().err().map(ToString::to_string),
        "values": restored.restored().map(one).collect::<Vec<_>>(),
        "not_restored": restored.not_restored_json(),
        "problems": restored.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// The fate of the settings, a line each; none without a settings file.
pub(crate) fn lines(keeping: &Keeping) -> impl Iterator<Item = String> {
    let restored =
        keeping.restored.restored().map(|tried| format!("settings: {}", with_file(keeping, tried)));
    restored.chain(keeping.restored.lines().map(|line| format!("settings: {line}")))
}
