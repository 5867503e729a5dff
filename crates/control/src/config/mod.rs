//! Pipeline files: from text to a graph that can run, or to everything that is wrong with it.
//!
//! Two stages: `file` says what was written, with places; `build` says what it means with the nodes there
//! are. Only [`load`] touches the outside.

mod build;
mod error;
pub(crate) mod file;
pub(crate) mod host;
pub(crate) mod hosts;
mod json;
mod pvaccess;
mod read;
mod reduced;
mod replay;
mod save;
mod setting;
mod types;
mod web;
mod yaml;

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use livetime_engine::{Cause, NodeType};

pub use build::Pipeline;
pub use error::{At, Expected, Part, Problem, ProblemKind, Problems};
pub use file::MAX_QUEUE;
pub use host::ALL_HOSTS;
pub use hosts::{Cut, HostPage, HostPart, LinkKeys, OverHosts};
pub use pvaccess::{MAX_PREFIX, checked_prefix};
pub use read::positive_quantity;
pub use replay::{Purpose, Replaced, Replay};
pub use save::{Difference, Saved, Standing, save};
pub use setting::Setting;
pub use types::find_type;

/// The pipeline that runs when none is named.
pub const DEFAULT: (&str, &str) =
    ("built-in plugins-2013.yaml", include_str!("../../../../examples/plugins-2013.yaml"));

/// Longer files are refused: a pipeline of a thousand nodes takes a tenth of it.
const MAX_BYTES: u64 = 1 << 20;

/// Reads and checks a pipeline file, or the default pipeline.
///
/// # Errors
/// Everything that is wrong with it. An unreadable file is one of these.
pub fn load(
    path: Option<&Path>,
    node_types: &[NodeType],
    settings: &[Setting],
) -> Result<Pipeline, Problems> {
    let (name, text) = named_text(path)?;
    parse(&name, &text, node_types, settings)
}

/// As [`load`], for the nodes of one host: see [`parse_host`].
///
/// # Errors
/// As [`parse_host`].
pub fn load_host(
    path: Option<&Path>,
    node_types: &[NodeType],
    settings: &[Setting],
    host: &str,
) -> Result<Pipeline, Problems> {
    let (name, text) = named_text(path)?;
    parse_host(&name, &text, node_types, settings, host)
}

/// As [`load`], for all hosts of the file: see [`parse_hosts`].
///
/// # Errors
/// As [`parse_hosts`].
pub fn load_hosts(
    path: Option<&Path>,
    node_types: &[NodeType],
    settings: &[Setting],
) -> Result<OverHosts, Problems> {
    let (name, text) = named_text(path)?;
    parse_hosts(&name, &text, node_types, settings)
}

/// Name and text of a file, or of the default pipeline.
fn named_text(path: Option<&Path>) -> Result<(String, Cow<'static, str>), Problems> {
    let Some(path) = path else { return Ok((DEFAULT.0.into(), DEFAULT.1.into())) };
    let name = path.display().to_string();
    match read_text(path) {
        Ok(text) => Ok((name, text.into())),
        Err(problem) => Err(Problems::new(&name, vec![problem])),
    }
}

/// Checks the text of a pipeline file called `name`.
///
/// ```
/// let text = "nodes:\n  sink: {type: nul, from: source}\n";
/// let problems = livetime_control::config::parse("p.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap_err();
/// assert_eq!(problems.to_string(), "p.yaml:2:16: unknown node type `nul`; did you mean `null`?");
/// ```
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse(
    name: &str,
    text: &str,
    node_types: &[NodeType],
    settings: &[Setting],
) -> Result<Pipeline, Problems> {
    let (file, mut problems) = file::read(text);
    let built = file.and_then(|file| {
        hosts::check(&file, &mut problems);
        build::build(&file, node_types, settings, &mut problems)
    });
    match built {
        Some(mut pipeline) => {
            pipeline.graph.text = text.into();
            Ok(pipeline)
        }
        None => Err(Problems::new(name, problems)),
    }
}

/// As [`parse`], for the nodes of one host of the file: edges from and to other hosts are led by links.
///
/// ```
/// let text = "hosts: {daq: , ana: }\nnodes:\n  cam: {type: sim_detector, host: daq}\n  end: {type: 'null', from: cam, host: ana}\n";
/// let nodes = [livetime_nodes::ALL, livetime_sim::ALL].concat();
/// let pipeline = livetime_control::config::parse_host("p.yaml", text, &nodes, &[], "ana")?;
/// let names: Vec<&str> = pipeline.graph.nodes().iter().map(|node| &*node.name).collect();
/// assert_eq!(names, ["cam-to-end", "end"]);
/// # Ok::<(), livetime_control::config::Problems>(())
/// ```
///
/// # Errors
/// Everything that is wrong with the file, and with the part of this host.
pub fn parse_host(
    name: &str,
    text: &str,
    node_types: &[NodeType],
    settings: &[Setting],
    host: &str,
) -> Result<Pipeline, Problems> {
    let mut problems = Vec::new();
    let built = hosts::parse_one(text, node_types, settings, host, &mut problems);
    let mut pipeline = built.ok_or_else(|| Problems::new(name, problems))?;
    pipeline.graph.text = text.into();
    Ok(pipeline)
}

/// As [`parse_host`], for all hosts of the file, with the cuts between them.
///
/// # Errors
/// Everything that is wrong with the file, and with the part of any host.
pub fn parse_hosts(
    name: &str,
    text: &str,
    node_types: &[NodeType],
    settings: &[Setting],
) -> Result<OverHosts, Problems> {
    let mut problems = Vec::new();
    let built = hosts::parse_all(text, node_types, settings, &mut problems);
    let mut over = built.ok_or_else(|| Problems::new(name, problems))?;
    over.hosts.iter_mut().for_each(|host| host.pipeline.graph.text = text.into());
    Ok(over)
}

/// The names of the types that the text of a pipeline file mentions, without repeats: for programs that must find some of them first. What
/// is wrong with the text is for [`parse`] to say.
///
/// ```
/// let text = "nodes:\n  cam: {type: sim_detector}\n  cut: {type: \"beamline:cut\", from: cam}\n";
/// assert_eq!(livetime_control::config::type_names(text), ["sim_detector", "beamline:cut"]);
/// ```
pub fn type_names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for node in file::read(text).0.into_iter().flat_map(|file| file.nodes) {
        names.extend(node.type_name.map(|name| name.text).filter(|name| !names.contains(name)));
    }
    names
}

/// As [`parse`], for a recorded run in place of a source.
///
/// # Errors
/// Everything that is wrong with it; also if it is not clear which source is meant.
pub fn parse_replay(
    name: &str,
    text: &str,
    node_types: &[NodeType],
    settings: &[Setting],
    replay: &Replay,
) -> Result<(Pipeline, Replaced), Problems> {
    let (file, mut problems) = file::read(text);
    let built = file.and_then(|mut file| {
        let replaced = replay::replace(&mut file, replay, node_types, &mut problems);
        let built = build::build(&file, node_types, settings, &mut problems);
        built.zip(replaced)
    });
    match built {
        Some((mut pipeline, replaced)) => {
            pipeline.graph.text = text.into();
            Ok((pipeline, replaced))
        }
        None => Err(Problems::new(name, problems)),
    }
}

/// The text of a pipeline file.
///
/// # Errors
/// If the system refuses, or it is too long, or no UTF-8.
pub fn read_text(path: &Path) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| {
        let (path, cause) = (path.to_owned(), Cause::new(Arc::new(error)));
        Problem::elsewhere(ProblemKind::Unreadable { path, cause })
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        let expected = Expected::new("a file of at most 1 MiB", "a longer one");
        return Err(Problem::new(At::START, ProblemKind::TooLarge(expected)));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = place_of(&e.as_bytes()[..e.utf8_error().valid_up_to()]);
        Problem::new(at, ProblemKind::NotUtf8(first_bad(&e)))
    })
}

fn first_bad(error: &std::string::FromUtf8Error) -> u8 {
    error.as_bytes().get(error.utf8_error().valid_up_to()).copied().unwrap_or(0)
}

/// The place behind `text`, which is valid UTF-8.
fn place_of(text: &[u8]) -> At {
    let line_start = text.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let line = 1 + text.iter().filter(|b| **b == b'\n').count();
    let is_character_start = |b: &&u8| **b & 0xc0 != 0x80;
    At { line, column: 1 + text[line_start..].iter().filter(is_character_start).count() }
}

#[cfg(test)]
mod codes_tests;
#[cfg(test)]
mod tests;
