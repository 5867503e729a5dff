//! `livetime import`: the start-up script of an areaDetector IOC as a pipeline file.

use std::path::{Path, PathBuf};

use clap::Args;
use livetime_control::WrongText;
use livetime_engine::NodeType;
use livetime_formats::file::GrowingFile;
use serde_json::{Value, json};

use super::count;
use crate::config;
use crate::output::{Exit, Failure, Output};
use crate::pvs::startup::{Fate, Imported, Line, import as read};
use crate::report::table::{Style, Table};

pub(crate) const IMPORT_HELP: &str = "\
Examples:
  livetime import st.cmd                                   # the pipeline file on stdout, open points on stderr
  livetime import st.cmd -o beamline.yaml --macro ADCORE=/opt/epics/areaDetector/ADCore
  livetime import st.cmd --all > /dev/null                 # what becomes of each line
  livetime import st.cmd --json
  livetime check beamline.yaml && livetime run beamline.yaml --ca

Every ND...Configure and driver command becomes a node with the name of its port; the macros of dbLoadRecords and the rows of
dbLoadTemplate give the names of its PVs and the sender of its frames, dbpf lines give parameters. Lines that need a look are told with the reason. Nothing is started.";

/// Arguments of `import`.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// The start-up script of an IOC, as st.cmd; the scripts that it includes are read, too.
    script: PathBuf,
    /// The pipeline file to write; nothing is overwritten. Without it the pipeline goes to stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// A value of the IOC's environment, as ADCORE=/opt/epics/ADCore; may be repeated.
    #[arg(long = "macro", value_name = "NAME=VALUE")]
    macros: Vec<Macro>,
    /// Tell every line of the script, not only the lines that a person should look at.
    #[arg(long)]
    all: bool,
    /// Print JSON on stdout: the pipeline, and the fate of every line.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug)]
struct Macro {
    name: String,
    value: String,
}

impl std::str::FromStr for Macro {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Macro, WrongText> {
        let split = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
        let (name, value) = split.ok_or_else(|| WrongText::new("NAME=VALUE", text))?;
        Ok(Macro { name: name.trim().into(), value: value.into() })
    }
}

pub(crate) fn import(args: &ImportArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let macros = args.macros.iter().map(|it| (it.name.clone(), it.value.clone())).collect();
    let imported = read(&args.script, &macros, nodes).map_err(|error| Failure::new(Exit::Failed, error))?;
    let name = args.output.clone().unwrap_or_else(|| "pipeline.yaml".into());
    // The pipeline of an odd script may need a look of a person before it runs.
    let problems = config::parse(&name.display().to_string(), &imported.pipeline, nodes, &[]).err();
    if let Some(file) = &args.output {
        written(file, &imported.pipeline)?;
    }
    if args.json {
        output.json(&as_json(
            &imported,
            problems.as_ref().map(config::Problems::json),
            args.output.as_deref(),
        ))?;
    } else {
        if args.output.is_none() {
            output.data(&imported.pipeline)?;
        }
        told(&imported, args, output);
        problems.iter().for_each(|problems| output.log(problems));
    }
    Ok(if problems.is_some() { Exit::Failed } else { Exit::Ok })
}

fn written(file: &Path, pipeline: &str) -> Result<(), Failure> {
    let made = GrowingFile::make(file).and_then(|mut made| {
        made.append(&[pipeline.as_bytes()])?;
        made.finish()
    });
    made.map(|_| ()).map_err(|error| Failure::of(&error))
}

fn as_json(imported: &Imported, problems: Option<Value>, output: Option<&Path>) -> Value {
    let line = |(line, fate): &(Line, Fate)| {
        json!({
            "file": line.file, "line": line.number, "text": line.text, "fate": fate.code(), "message": fate.to_string(),
        })
    };
    json!({
        "ok": problems.is_none(),
        "pipeline": imported.pipeline,
        "output": output,
        "nodes": imported.nodes,
        "saved": imported.saved,
        "lines": imported.lines.iter().map(line).collect::<Vec<_>>(),
        "errors": problems.unwrap_or_else(|| json!([])),
    })
}

/// The lines that need a look, a count of the others, and the next steps.
fn told(imported: &Imported, args: &ImportArgs, output: &mut Output) {
    let mut table = Table::new(&["line", "", "command", "fate"]);
    let shown = imported.lines.iter().filter(|(_, fate)| args.all || fate.is_open());
    for (line, fate) in shown {
        let file = line.file.file_name().unwrap_or_default().to_string_lossy();
        let command = line.text.split('(').next().unwrap_or_default();
        let command: String = command.chars().take(40).collect();
        table.row([format!("{file}:{}", line.number), fate.code().to_owned(), command, fate.to_string()]);
    }
    let taken = imported.lines.iter().filter(|(_, fate)| matches!(fate, Fate::Taken(_))).count();
    let open = imported.lines.iter().filter(|(_, fate)| fate.is_open()).count();
    if args.all || open > 0 {
        output.log(table.render(Style::default()).trim_end());
    }
    let (nodes, taken, open) = (count(imported.nodes, "node"), count(taken, "line"), count(open, "line"));
    output.log(format_args!("{nodes} out of {taken}; {open} to look at"));
    let name = args.output.as_deref().unwrap_or(Path::new("pipeline.yaml")).display();
    for saved in &imported.saved {
        output.log(format_args!("next: livetime settings import {} --pipeline {name}", saved.display()));
    }
    output.log(format_args!("next: livetime check {name} && livetime run {name} --ca"));
}
