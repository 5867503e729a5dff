//! `livetime settings import`: files of EPICS' autosave become the settings of a pipeline.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use livetime_control::in_a_line;
use livetime_control::settings::autosave::{Req, Sav, SavValue, parse_sav, read_req};
use livetime_control::settings::{SettingsFile, Store, file_beside, restore, same};
use livetime_engine::{NodeType, Value as ParamValue, time_of_day_ns};
use serde_json::{Value, json};

use crate::args::PipelineArgs;
use crate::commands::{count, load};
use crate::config::{Pipeline, checked_prefix};
use crate::output::{Exit, Failure, Output};
use crate::pvs::{Meaning, PvNames};
use crate::report::table::{Style, Table};

/// Longer files are refused: the save files of the largest IOCs have a few MB.
const MAX_BYTES: u64 = 64 << 20;

/// Arguments of `settings import`.
#[derive(Args, Debug)]
pub(super) struct ImportArgs {
    /// Save files (.sav, .savB …) and request files (.req).
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The pipeline file that gets the settings; without one, the built-in pipeline.
    #[arg(long, value_name = "FILE")]
    pipeline: Option<PathBuf>,
    /// Write to this settings file; by default to the one beside the pipeline file.
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// The names of the IOC's PVs begin with this text; by default the most frequent prefix of names that the pipeline has.
    #[arg(long, value_name = "TEXT", value_parser = checked_prefix)]
    prefix: Option<String>,
    /// Values of macros in request files, for example P=13SIM1:,R=cam1:
    #[arg(long, value_name = "NAME=VALUE,…", default_value = "")]
    macros: String,
    /// Look here for request files that others include, after the folder of the file itself; may be repeated.
    #[arg(long, value_name = "DIR")]
    req_path: Vec<PathBuf>,
    /// Report, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    json: bool,
    /// Run the command inside Python, so that the file may name nodes of Python as `module:name`.
    #[arg(long, requires = "pipeline")]
    python: bool,
}

impl ImportArgs {
    pub(super) fn pipeline(&mut self) -> (Option<&Path>, &mut bool) {
        (self.pipeline.as_deref(), &mut self.python)
    }
}

/// A line of a file, and what happened to it.
struct Line {
    file: String,
    line: usize,
    pv: String,
    value: Option<String>,
    fate: LineFate,
    /// `node.name` of the setting.
    setting: String,
    message: String,
}

/// The fate of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineFate {
    Written,
    AsInFile,
    Wanted,
    NotKept,
    Refused,
    Unknown,
    Disconnected,
}

impl LineFate {
    const ALL: [(LineFate, &'static str, &'static str); 7] = [
        (LineFate::Written, "written", "in the settings file"),
        (LineFate::AsInFile, "as_in_file", "as in the pipeline file"),
        (LineFate::Wanted, "kept", "kept by settings"),
        (LineFate::NotKept, "not_kept", "not kept by settings"),
        (LineFate::Refused, "refused", "refused"),
        (LineFate::Unknown, "unknown", "no such PV in the pipeline"),
        (LineFate::Disconnected, "disconnected", "without a value in the file"),
    ];

    fn code(self) -> &'static str {
        Self::ALL.iter().find(|(fate, ..)| *fate == self).map_or("", |(_, code, _)| code)
    }

    fn text(self) -> &'static str {
        Self::ALL.iter().find(|(fate, ..)| *fate == self).map_or("", |(.., text)| text)
    }
}

/// The content of a file.
enum Content {
    Sav(Sav),
    Req(Req),
}

pub(super) fn import(args: &ImportArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let pipeline_args =
        PipelineArgs { file: args.pipeline.clone(), json: args.json, ..PipelineArgs::default() };
    let pipeline = load(&pipeline_args, nodes, output)?;
    let contents = args.files.iter().map(|file| read(file, args)).collect::<Result<Vec<_>, _>>()?;
    let names = PvNames::new(&pipeline.graph, &pipeline.pvaccess.names);
    let all = contents.iter().flat_map(|(_, content)| names_in(content));
    // A prefix that was given is taken also if no PV has it, so that a mistake shows as unknown PVs.
    let prefix = match &args.prefix {
        Some(prefix) => prefix.clone(),
        None => names.prefix_of(all).unwrap_or(&pipeline.pvaccess.prefix).to_owned(),
    };
    let mut store = store(args)?;
    let mut settings = SettingsFile::default();
    let mut lines = Vec::new();
    for (file, content) in &contents {
        Importer { pipeline: &pipeline, names: &names, prefix: &prefix, file, lines: &mut lines }
            .take(content, &mut settings);
    }
    // Values are tried together at the end: some are refused only beside others.
    name_refused(&pipeline, &mut settings, &mut lines);
    let written = lines.iter().filter(|line| line.fate == LineFate::Written).count();
    // Without a value nothing is written, so that an empty import leaves no file.
    let is_written = !args.dry_run && written > 0;
    if is_written {
        write(&mut store, settings, &pipeline, args)?;
    }
    let report = Report { lines, prefix, file: store.path().to_owned(), is_written };
    report.print(args.json, output)?;
    // A file without a PV of this run belongs to another pipeline.
    Ok(if report.lines.iter().any(|line| line.fate != LineFate::Unknown) { Exit::Ok } else { Exit::Failed })
}

fn names_in(content: &Content) -> Box<dyn Iterator<Item = &str> + '_> {
    match content {
        Content::Sav(sav) => Box::new(sav.lines.iter().map(|line| &*line.name)),
        Content::Req(req) => Box::new(req.names.iter().map(|name| &*name.name)),
    }
}

fn store(args: &ImportArgs) -> Result<Store, Failure> {
    let beside = args.pipeline.as_deref().map(file_beside);
    let path = args.settings.clone().or(beside);
    let missing = || Failure::new(Exit::Usage, "wanted --pipeline FILE or --settings FILE, found neither");
    Ok(Store::new(&path.ok_or_else(missing)?))
}

/// Adds `settings` to the file, whose other values stay.
fn write(
    store: &mut Store,
    settings: SettingsFile,
    pipeline: &Pipeline,
    args: &ImportArgs,
) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::new(Exit::Failed, error);
    // Before it is read: a run that goes on would write it again.
    store.hold().map_err(|error| failed(&error))?;
    let read = store.read();
    // A file that cannot be read must not be replaced by a new one.
    if let (None, Some(problem)) = (&read.file, read.problems.first()) {
        return Err(failed(problem));
    }
    let mut file = read.file.unwrap_or_default();
    if let Some(name) = args.pipeline.as_deref().and_then(Path::file_name) {
        file.pipeline = name.to_string_lossy().into_owned();
    }
    for (node, key, kept) in settings.values() {
        let type_name = &settings.nodes[node].type_name;
        file.set(node, type_name, key, kept.value.clone(), &kept.by, kept.at_ns);
        let number = pipeline.graph.node(node).ok();
        // The value of the pipeline file is kept beside the setting, so that a later run sees if the file
        // changed.
        let start = number.and_then(|number| pipeline.graph.nodes()[number].value(key));
        if let Some(kept) = file.nodes.get_mut(node).and_then(|node| node.values.get_mut(key)) {
            kept.file = start;
        }
    }
    store.write(&file.text()).map_err(|error| failed(&error))
}

fn read(file: &Path, args: &ImportArgs) -> Result<(String, Content), Failure> {
    let name = file.display().to_string();
    let failed = |error: &dyn std::fmt::Display| Failure::new(Exit::Failed, format!("{name}: {error}"));
    // Only the ending tells the formats apart: both are lines with names.
    if file.extension().is_some_and(|ending| ending == "req") {
        let folder = file.parent().map(Path::to_owned).unwrap_or_default();
        let folders: Vec<PathBuf> = std::iter::once(folder).chain(args.req_path.iter().cloned()).collect();
        let first = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let req = read_req(&first, &args.macros, &|wanted| find(&folders, wanted));
        // Problems in some lines leave the others usable.
        if req.names.is_empty() && !req.problems.is_empty() {
            return Err(failed(&req.problems.join("; ")));
        }
        return Ok((name.clone(), Content::Req(req)));
    }
    let bytes = bounded(file).map_err(|error| failed(&error))?;
    let sav = parse_sav(&bytes).map_err(|error| failed(&error))?;
    Ok((name.clone(), Content::Sav(sav)))
}

fn bounded(file: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    // One byte beyond the limit shows that the file is longer.
    std::fs::File::open(file)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(std::io::Error::other("wanted a file of at most 64 MiB, found a longer one")),
        false => Ok(bytes),
    }
}

/// The text of a request file in the first of these folders that has it.
fn find(folders: &[PathBuf], name: &str) -> std::io::Result<String> {
    let paths = folders.iter().map(|folder| folder.join(name));
    let path = paths.filter(|path| path.is_file()).take(1).next();
    let path = path.ok_or_else(|| {
        let folders: Vec<String> = folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
        let found =
            format!("wanted a file in {}, found none (--req-path DIR adds a folder)", folders.join(", "));
        std::io::Error::new(std::io::ErrorKind::NotFound, found)
    })?;
    let bytes = bounded(&path)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads one file into settings, and notes what happened to each line.
struct Importer<'a> {
    pipeline: &'a Pipeline,
    names: &'a PvNames<'a>,
    prefix: &'a str,
    file: &'a str,
    lines: &'a mut Vec<Line>,
}

impl Importer<'_> {
    fn take(mut self, content: &Content, settings: &mut SettingsFile) {
        match content {
            Content::Sav(sav) => {
                for line in &sav.lines {
                    self.value((line.line, &line.name), &line.value, settings);
                }
                for (line, name) in &sav.disconnected {
                    // Comments begin with the same sign: names of PVs have a colon or a point.
                    if name.contains([':', '.']) {
                        self.note((*line, name), None, LineFate::Disconnected, String::new(), "");
                    }
                }
            }
            Content::Req(req) => {
                for name in &req.names {
                    self.name(&name.file, name.line, &name.name);
                }
                for problem in &req.problems {
                    self.note((0, problem), None, LineFate::Refused, String::new(), problem);
                }
            }
        }
    }

    fn note(
        &mut self,
        (line, pv): (usize, &str),
        value: Option<&SavValue>,
        fate: LineFate,
        setting: String,
        message: &str,
    ) {
        let value = value.map(|value| match value {
            SavValue::Text(text) => text.clone(),
            SavValue::Array(elements) => format!("{} elements", elements.len()),
        });
        let (file, pv, message) = (self.file.to_owned(), pv.to_owned(), message.to_owned());
        self.lines.push(Line { file, line, pv, value, fate, setting, message });
    }

    fn meaning(&self, pv: &str, value: &SavValue) -> Meaning {
        // PVs of other prefixes belong to other devices.
        pv.strip_prefix(self.prefix).map_or(Meaning::Unknown, |name| self.names.meaning(name, value))
    }

    fn value(&mut self, (line, pv): (usize, &str), value: &SavValue, settings: &mut SettingsFile) {
        let (fate, setting, message) = match self.meaning(pv, value) {
            Meaning::Setting { node, key, value } => {
                let decl = &self.pipeline.graph.nodes()[node];
                let setting = format!("{}.{key} = {value}", decl.name);
                // A value as in the pipeline file would only hide a later change of the file.
                if self.start(node, key).is_some_and(|start| same(&start, &value)) {
                    (LineFate::AsInFile, setting, String::new())
                } else {
                    let by = format!("{}:{line}", self.file.rsplit('/').next().unwrap_or_default());
                    let kind = decl.node_type.spec.name;
                    settings.set(&decl.name, kind, key, value, &by, time_of_day_ns());
                    (LineFate::Written, setting, String::new())
                }
            }
            Meaning::NotKept(why) => (LineFate::NotKept, String::new(), why.to_owned()),
            Meaning::Refused(why) => (LineFate::Refused, String::new(), why),
            Meaning::Unknown => (LineFate::Unknown, String::new(), String::new()),
        };
        self.note((line, pv), Some(value), fate, setting, &message);
    }

    /// A name of a request file: whether settings keep it does not depend on a value.
    fn name(&mut self, file: &str, line: usize, pv: &str) {
        // Any value will do: the answer depends on the name.
        let fate = match self.meaning(pv, &SavValue::Text("0".into())) {
            // A refused value still belongs to a setting.
            Meaning::Setting { .. } | Meaning::Refused(_) => (LineFate::Wanted, ""),
            Meaning::NotKept(why) => (LineFate::NotKept, why),
            Meaning::Unknown => (LineFate::Unknown, ""),
        };
        self.note((line, pv), None, fate.0, String::new(), fate.1);
        if let Some(last) = self.lines.last_mut() {
            last.file = file.to_owned();
        }
    }

    /// The value without settings.
    fn start(&self, node: usize, key: &str) -> Option<ParamValue> {
        match key {
            "run.enabled" | "run.sends" => Some(ParamValue::Bool(true)),
            "run.waits_for_nodes" => Some(ParamValue::Bool(false)),
            "run.attributes" | "run.macros" => Some(ParamValue::from("")),
            _ if key.starts_with("run.") => self.of_edge(node, key),
            _ => self.pipeline.graph.nodes()[node].value(key),
        }
    }

    /// A value of the first edge to the first input of the node.
    fn of_edge(&self, node: usize, key: &str) -> Option<ParamValue> {
        let graph = &self.pipeline.graph;
        // A node without an edge has no queue and no rate.
        let edge = graph.edges().iter().find(|edge| edge.to == (node, 0))?;
        let sender = &graph.nodes()[edge.from.0];
        match key {
            "run.input" => {
                let port = sender.node_type.spec.outputs.get(edge.from.1)?.name;
                Some(ParamValue::from(format!("{}.{port}", sender.name)))
            }
            "run.queue" => Some(ParamValue::Int(edge.options.queue as i64)),
            "run.max_rate_hz" => Some(ParamValue::Float(edge.options.max_rate_hz.unwrap_or(0.0))),
            "run.max_bytes_per_s" => Some(ParamValue::Float(edge.options.max_bytes_per_s.unwrap_or(0.0))),
            _ => None,
        }
    }
}

/// Takes values out again that the pipeline refuses, alone or together with the others.
fn name_refused(pipeline: &Pipeline, settings: &mut SettingsFile, lines: &mut [Line]) {
    // The graph is copied, because the trial sets values.
    let restored = restore(&mut pipeline.graph.clone(), settings, &[]);
    let mut refused = BTreeSet::new();
    for tried in restored.not_restored() {
        let setting = format!("{}.{} = ", tried.node, tried.key);
        let is_it = |line: &&mut Line| line.fate == LineFate::Written && line.setting.starts_with(&setting);
        for line in lines.iter_mut().filter(is_it) {
            (line.fate, line.message) =
                (LineFate::Refused, tried.fate.reason().unwrap_or_default().to_owned());
        }
        refused.insert((tried.node.clone(), tried.key.clone()));
    }
    for (node, key) in refused {
        if let Some(node) = settings.nodes.get_mut(&node) {
            node.values.remove(&key);
        }
    }
}

/// The result of an import.
struct Report {
    lines: Vec<Line>,
    prefix: String,
    file: PathBuf,
    is_written: bool,
}

impl Report {
    fn print(&self, as_json: bool, output: &mut Output) -> Result<(), Failure> {
        if as_json {
            return output.json(&self.json());
        }
        let mut table = Table::new(&["line", "PV", "value", "setting", "what happened"]);
        for line in &self.lines {
            let what = if line.message.is_empty() {
                line.fate.text().to_owned()
            } else {
                format!("{}: {}", line.fate.text(), line.message)
            };
            let place = format!("{}:{}", line.file.rsplit('/').next().unwrap_or_default(), line.line);
            let value = line.value.clone().unwrap_or_default();
            let cells = [place, line.pv.clone(), value, line.setting.clone(), what];
            table.row(cells.map(|cell| in_a_line(&cell)));
        }
        output.data(&(table.render(Style::default()) + "\n"))?;
        let counts: Vec<String> =
            self.counts().map(|(fate, found)| format!("{found} {}", fate.text())).collect();
        output.log(format_args!(
            "{} of PVs {}...: {}",
            count(self.lines.len(), "line"),
            self.prefix,
            counts.join(", ")
        ));
        if self.is_written {
            output.log(format_args!("written to {}", self.file.display()));
        }
        Ok(())
    }

    fn counts(&self) -> impl Iterator<Item = (LineFate, usize)> {
        let count = |fate| (fate, self.lines.iter().filter(|line| line.fate == fate).count());
        LineFate::ALL.into_iter().map(move |(fate, ..)| count(fate)).filter(|(_, found)| *found > 0)
    }

    fn json(&self) -> Value {
        let line = |line: &Line| {
            json!({
                "file": line.file,
                "line": line.line,
                "pv": line.pv,
                "value": line.value,
                "result": line.fate.code(),
                "setting": line.setting,
                "message": line.message,
            })
        };
        let counts: serde_json::Map<String, Value> =
            self.counts().map(|(fate, found)| (fate.code().to_owned(), json!(found))).collect();
        json!({
            "ok": true,
            "prefix": self.prefix,
            "settings": self.file.display().to_string(),
            "written": self.is_written,
            "counts": counts,
            "lines": self.lines.iter().map(line).collect::<Vec<_>>(),
        })
    }
}
