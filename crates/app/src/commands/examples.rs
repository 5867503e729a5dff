//! `livetime examples`: the pipeline files that the program brings, since an installed program has no files beside it.

use clap::Args;
use livetime_engine::nearest;
use serde_json::{Value, json};

use crate::output::{Exit, Failure, Output};
use crate::report::table::{Style, Table};

/// Arguments of `examples`.
#[derive(Args, Debug)]
pub(crate) struct ExamplesArgs {
    /// Print the pipeline file of this name; without a name, list all of them.
    name: Option<String>,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) const EXAMPLES_HELP: &str = "\
Examples:
  livetime examples
  livetime examples plugins-2013 > beamline.yaml      # the pipeline of `livetime run` without a file
  livetime examples replay-images > replay.yaml
  livetime run replay.yaml --set images.path=/data/images";

/// A pipeline file of `examples/`: its name without `.yaml`, and its text.
struct Example(&'static str, &'static str);

/// The first is the pipeline of `livetime run` without a file.
const ALL: &[Example] = &[
    Example("plugins-2013", include_str!("../../../../examples/plugins-2013.yaml")),
    Example("record-hdf5", include_str!("../../../../examples/record-hdf5.yaml")),
    Example("replay-hdf5", include_str!("../../../../examples/replay-hdf5.yaml")),
    Example("record-xtc", include_str!("../../../../examples/record-xtc.yaml")),
    Example("replay-xtc", include_str!("../../../../examples/replay-xtc.yaml")),
    Example("replay-images", include_str!("../../../../examples/replay-images.yaml")),
    Example("protodune-apa", include_str!("../../../../examples/protodune-apa.yaml")),
    Example("bluesky", include_str!("../../../../examples/bluesky/pipeline.yaml")),
    Example("camera", include_str!("../../../../examples/genicam/camera.yaml")),
    Example("01-one-node", include_str!("../../../../examples/ladder/01-one-node.yaml")),
    Example("02-an-edge", include_str!("../../../../examples/ladder/02-an-edge.yaml")),
    Example("03-parameters", include_str!("../../../../examples/ladder/03-parameters.yaml")),
    Example("04-fan-out", include_str!("../../../../examples/ladder/04-fan-out.yaml")),
    Example("05-full-queue", include_str!("../../../../examples/ladder/05-full-queue.yaml")),
    Example("06-region", include_str!("../../../../examples/ladder/06-region.yaml")),
    Example("07-placement", include_str!("../../../../examples/ladder/07-placement.yaml")),
    Example("08-record", include_str!("../../../../examples/ladder/08-record.yaml")),
    Example("09-replay", include_str!("../../../../examples/ladder/09-replay.yaml")),
    Example("11-split-and-join", include_str!("../../../../examples/ladder/11-split-and-join.yaml")),
    Example("12-two-detectors", include_str!("../../../../examples/ladder/12-two-detectors.yaml")),
];

impl Example {
    /// The first comment of the file.
    fn summary(&self) -> &'static str {
        self.1.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    fn as_json(&self) -> Value {
        json!({ "name": self.0, "summary": self.summary(), "text": self.1 })
    }
}

pub(crate) fn examples(args: &ExamplesArgs, output: &mut Output) -> Result<Exit, Failure> {
    match &args.name {
        Some(name) => print(find(name)?, args.json, output)?,
        None if args.json => output.json(&ALL.iter().map(Example::as_json).collect())?,
        None => output.data(&list())?,
    }
    Ok(Exit::Ok)
}

fn find(name: &str) -> Result<&'static Example, Failure> {
    let wanted = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".yaml");
    ALL.iter().find(|example| example.0 == wanted).ok_or_else(|| {
        let hint = nearest(wanted, ALL.iter().map(|example| example.0));
        Failure::new(
            Exit::Usage,
            format!("there is no example `{name}`{hint}; `livetime examples` lists them"),
        )
    })
}

fn print(example: &Example, as_json: bool, output: &mut Output) -> Result<(), Failure> {
    if as_json {
        return output.json(&example.as_json());
    }
    output.data(example.1)
}

fn list() -> String {
    let mut table = Table::new(&["name", "what it shows"]);
    for example in ALL {
        table.row([example.0.to_owned(), example.summary().to_owned()]);
    }
    format!("{}\n`livetime examples NAME > FILE.yaml` writes one.\n", table.render(Style::default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pipeline_file_of_the_examples_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
        let entries =
            [folder.to_owned(), format!("{folder}/ladder")].map(|of| std::fs::read_dir(of).unwrap());
        let stems = entries.into_iter().flatten().filter_map(|entry| {
            let path = entry.unwrap().path();
            let is_pipeline = path.extension().is_some_and(|extension| extension == "yaml");
            is_pipeline.then(|| path.file_stem().unwrap().to_string_lossy().into_owned())
        });
        let missing: Vec<_> = stems.filter(|stem| find(stem).is_err()).collect();
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn the_first_example_is_the_pipeline_without_a_file() {
        assert_eq!(ALL[0].1, crate::config::DEFAULT.1);
    }

    #[test]
    fn each_example_begins_with_a_sentence_about_it() {
        for example in ALL {
            assert!(example.1.starts_with("# ") && example.summary().len() > 20, "{}", example.0);
        }
    }

    #[test]
    fn a_name_may_be_a_path_and_a_wrong_one_gets_the_nearest() {
        assert_eq!(find("examples/replay-xtc.yaml").map(|example| example.0).ok(), Some("replay-xtc"));
        let Err(failure) = find("replay-xt") else { panic!("found replay-xt") };
        assert!(failure.message.contains("`replay-xtc`"), "{}", failure.message);
    }
}
