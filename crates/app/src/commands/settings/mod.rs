//! `livetime settings`: the settings file of a pipeline, without a run.

mod import;

use clap::{Args, Subcommand};
use livetime_control::in_a_line;
use livetime_control::model::Keeping;
use livetime_control::settings::Tried;
use livetime_engine::NodeType;

use super::kept;
use crate::args::{KeptArgs, PipelineArgs};
use crate::output::{Exit, Failure, Output};
use crate::report::table::{Style, Table};
use import::ImportArgs;

pub(crate) const SETTINGS_HELP: &str = "\
Examples:
  livetime settings show beamline.yaml
  livetime settings diff beamline.yaml --json
  livetime settings import autosave/auto_settings.sav --pipeline beamline.yaml

A run keeps changed parameters in beamline.settings.json beside beamline.yaml; `livetime run --help`.";

const IMPORT_HELP: &str = "\
Examples:
  livetime settings import auto_settings.sav --pipeline beamline.yaml --dry-run
  livetime settings import auto_settings.sav --pipeline beamline.yaml --prefix 13SIM1: --json
  livetime settings import auto_settings.req --pipeline beamline.yaml --macros P=13SIM1: --req-path $ADCORE/ADApp/Db

Each line of a .sav file has a PV and its value. The PVs are looked up in the pipeline as a run would serve them, and values that differ
from the pipeline file are written to its settings file; every line is reported with what happened to it. A .req file has names alone:
it is reported which of them settings keep, and nothing is written.";

/// Arguments of `settings`.
#[derive(Args, Debug)]
pub(crate) struct SettingsArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Show each value of the settings file, and whether a run would have it.
    Show(FileArgs),
    /// Show how a run with settings differs from the pipeline file.
    Diff(FileArgs),
    /// Read save files and request files of EPICS' autosave, and write the settings file of a pipeline.
    #[command(after_help = IMPORT_HELP)]
    Import(ImportArgs),
}

#[derive(Args, Debug)]
struct FileArgs {
    #[command(flatten)]
    pipeline: PipelineArgs,
    #[command(flatten)]
    kept: KeptArgs,
}

impl SettingsArgs {
    pub(crate) fn pipeline(&mut self) -> (Option<&std::path::Path>, &mut bool) {
        let args = match &mut self.what {
            What::Show(args) | What::Diff(args) => &mut args.pipeline,
            What::Import(args) => return args.pipeline(),
        };
        (args.file.as_deref(), &mut args.python)
    }
}

pub(crate) fn settings(
    args: &SettingsArgs,
    nodes: &[NodeType],
    output: &mut Output,
) -> Result<Exit, Failure> {
    match &args.what {
        What::Show(args) => show(args, nodes, output),
        What::Diff(args) => diff(args, nodes, output),
        What::Import(args) => import::import(args, nodes, output),
    }
}

fn read(args: &FileArgs, nodes: &[NodeType], output: &mut Output) -> Result<Keeping, Failure> {
    let mut pipeline = super::load(&args.pipeline, nodes, output)?;
    let keeping = kept::read(&mut pipeline, &args.pipeline, &args.kept);
    // Without a settings file both commands have nothing to show.
    if let Err(why) = &keeping.store {
        return Err(Failure::new(Exit::Failed, format!("there is no settings file: {why}")));
    }
    Ok(keeping)
}

fn show(args: &FileArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let keeping = read(args, nodes, output)?;
    if args.pipeline.json {
        output.json(&kept::json(&keeping))?;
        return Ok(Exit::Ok);
    }
    let mut table = Table::new(&["node", "name", "value", "pipeline file", "written by", "a run has it"]);
    for tried in &keeping.restored.tried {
        let file = kept::start_value(&keeping, tried).map_or(String::new(), |value| value.to_string());
        let has_it = tried.fate.reason().map_or("yes".to_owned(), |why| format!("no: {why}"));
        let (value, by) = (tried.kept.value.to_string(), tried.kept.by.clone());
        let cells = [tried.node.clone(), tried.key.clone(), value, file, by, has_it];
        // A text may have line ends, which would break the table.
        table.row(cells.map(|cell| in_a_line(&cell)));
    }
    output.data(&(table.render(Style::default()) + "\n"))?;
    say_from(&keeping, output);
    Ok(Exit::Ok)
}

fn say_from(keeping: &Keeping, output: &mut Output) {
    keeping.restored.problems.iter().for_each(|problem| output.log(problem));
    match (&keeping.restored.from, &keeping.store) {
        (Some(from), _) => output.log(format_args!("read from {}", from.display())),
        (None, Ok(store)) => output.log(format_args!("{} is not there", store.path().display())),
        // `read` has refused this case.
        (None, Err(_)) => {}
    }
}

/// Values of a run that the pipeline file does not have, and values of the settings file that a run would not have.
fn diff(args: &FileArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let keeping = read(args, nodes, output)?;
    // A kept value may equal the file by now, because the file was edited since.
    let differs = |tried: &&Tried| kept::start_value(&keeping, tried).as_ref() != Some(&tried.kept.value);
    let changed: Vec<&Tried> = keeping.restored.restored().filter(differs).collect();
    if args.pipeline.json {
        let mut json = kept::json(&keeping);
        json["values"]
            .as_array_mut()
            .into_iter()
            .for_each(|values| values.retain(|one| one["value"] != one["file"]));
        output.json(&json)?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    for tried in changed {
        let file = kept::start_value(&keeping, tried);
        let name = format!("{}.{}", tried.node, tried.key);
        if let Some(file) = &file {
            text += &format!("- {}\n", in_a_line(&format!("{name} = {file}")));
        }
        text += &format!("+ {}\n", in_a_line(&format!("{name} = {}", tried.kept.value)));
        // A pipeline file that changed since may explain the difference.
        let then = tried.kept.file.as_ref().filter(|then| file.as_ref() != Some(then));
        if let Some(then) = then {
            text += &format!("  the pipeline file had {then} when that was written\n");
        }
    }
    keeping.restored.lines().for_each(|line| text += &format!("! {line}\n"));
    output.data(&text)?;
    say_from(&keeping, output);
    Ok(Exit::Ok)
}
