//! Settings of a run: written after changes, restored at the next start, saved and restored when asked.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use livetime_control::config;
use livetime_control::model::{Action, Answer, Caller, Change, Keeping, Model, Refused, Rewire};
use livetime_control::settings::{NotKept, SettingsError, SettingsFile, Store, restore};
use livetime_engine::{Graph, RunOptions, Value};
use livetime_testkit::{HANG, wait_until};
use tempfile::TempDir;

const TEXT: &str = "\
nodes:
  cam: {type: sim_detector, params: {max_size_x: 8, max_size_y: 8, acquire_period: 1 ms, gain: 2}}
  stats: {type: statistics, from: cam}
  roi: {type: roi, from: cam}
  more: {type: statistics, from: roi}
";

/// A folder with a settings file.
struct Place {
    folder: TempDir,
    file: PathBuf,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.settings.json");
        Place { folder, file }
    }

    fn content(&self) -> SettingsFile {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        if text.is_empty() { SettingsFile::default() } else { SettingsFile::parse(&text).unwrap() }
    }

    fn value(&self, node: &str, key: &str) -> Option<Value> {
        Some(self.content().nodes.get(node)?.values.get(key)?.value.clone())
    }

    fn start(&self) -> Model {
        start(&self.file)
    }
}

fn graph() -> Graph {
    config::parse("p.yaml", TEXT, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap().graph
}

/// A run with the settings of a file.
fn start(file: &Path) -> Model {
    let mut graph = graph();
    let base = graph.clone();
    let mut store = Store::new(file);
    let restored = store.read().file.map(|file| restore(&mut graph, &file, &[])).unwrap_or_default();
    let model = Model::run_graph(&graph, RunOptions::default()).unwrap();
    model.keep(Keeping { pipeline: "p.yaml".into(), store: Ok(store), base, restored }).unwrap();
    model
}

fn act(model: &Model, action: Action) -> Answer {
    model.act_and_wait(Caller { user: "ada".into(), ..Caller::program() }, action)
}

fn change(model: &Model, node: &str, change: Change) {
    let node = model.run().graph().node(node).unwrap();
    assert_eq!(act(model, Action::Change(node, change)).result, Ok(()));
}

fn value(model: &Model, node: &str, param: &str) -> Option<Value> {
    let moment = model.at_most_old(std::time::Duration::ZERO, HANG);
    Some(moment.node(node)?.1.value(param)?.clone())
}

#[test]
fn changes_are_written_by_themselves_and_the_next_run_has_them() {
    let place = Place::new();
    let model = place.start();
    model.set("cam", "offset", 7.5).unwrap();
    change(&model, "stats", Change::Enable(false));
    change(&model, "stats", Change::Rewire(Rewire { queue: Some(33), ..Rewire::default() }));
    change(&model, "more", Change::Rewire(Rewire { node: Some("cam".into()), ..Rewire::default() }));
    // An action is no setting, and neither is a value that is as in the pipeline file.
    model.set("cam", "acquire", false).unwrap();
    model.set("cam", "gain", 2.0).unwrap();
    wait_until("the settings are written", || place.value("more", "run.input").is_some());
    let names: Vec<String> = place.content().values().map(|(n, key, _)| format!("{n}.{key}")).collect();
    assert_eq!(names, ["cam.offset", "more.run.input", "stats.run.enabled", "stats.run.queue"]);
    assert_eq!(place.content().nodes["cam"].values["offset"].file, Some(0.0.into()));
    model.finish(HANG);
    // The second run restores the settings over the values of the pipeline file.
    let model = place.start();
    wait_until("all is restored", || {
        let moment = model.newest();
        let state = |node: &str| moment.node(node).unwrap().1.state.clone();
        let input = state("more").input.unwrap();
        !state("stats").is_enabled && state("stats").input.unwrap().options.queue == 33 && input.node == "cam"
    });
    assert_eq!(value(&model, "cam", "offset"), Some(7.5.into()));
    assert_eq!(value(&model, "cam", "acquire"), Some(true.into()));
    let account = model.settings().unwrap();
    let sources: Vec<String> = account.rows.iter().map(|row| row.origin.to_string()).collect();
    assert_eq!((sources, account.problem), (vec!["settings".to_owned(); 4], None));
    model.set("cam", "offset", 0.0).unwrap();
    model.finish(HANG);
    assert_eq!(place.value("cam", "offset"), None, "as in the pipeline file again");
    assert!(place.folder.path().join("p.settings.json.1").exists(), "of the first run");
}

#[test]
fn a_run_without_changes_writes_nothing() {
    let place = Place::new();
    let model = place.start();
    assert_eq!(model.settings().unwrap().rows, []);
    model.finish(HANG);
    assert_eq!(std::fs::read_dir(place.folder.path()).unwrap().count(), 0);
}

#[test]
fn a_restore_goes_back_to_the_start_to_the_last_save_or_to_a_file_that_others_wrote() {
    let place = Place::new();
    let model = place.start();
    model.set("cam", "offset", 7.5).unwrap();
    assert_eq!(act(&model, Action::RestoreSettings).result, Ok(()));
    assert_eq!(value(&model, "cam", "offset"), Some(0.0.into()));
    model.set("cam", "offset", 1.5).unwrap();
    assert_eq!(act(&model, Action::SaveSettings).result, Ok(()));
    assert_eq!(place.value("cam", "offset"), Some(1.5.into()));
    model.set("cam", "offset", 2.5).unwrap();
    model.set("cam", "gain", 5.0).unwrap();
    assert_eq!(act(&model, Action::RestoreSettings).result, Ok(()));
    assert_eq!(value(&model, "cam", "offset"), Some(1.5.into()));
    assert_eq!(value(&model, "cam", "gain"), Some(2.0.into()));
    // A person edits the file; one of two values is refused, and named.
    let mut theirs = place.content();
    theirs.set("cam", "sim_detector", "offset", 3.5.into(), "", 0);
    theirs.set("cam", "sim_detector", "acquire_period", (-3.5).into(), "", 0);
    std::fs::write(&place.file, theirs.text()).unwrap();
    let refused = act(&model, Action::RestoreSettings).result.unwrap_err();
    assert_eq!(refused.code(), "settings");
    assert!(refused.to_string().contains("cam.acquire_period: "), "{refused}");
    assert_eq!(value(&model, "cam", "offset"), Some(3.5.into()));
    model.finish(HANG);
}

#[test]
fn the_second_run_of_one_file_says_that_it_does_not_write_it() {
    let place = Place::new();
    let (first, second) = (place.start(), place.start());
    first.set("cam", "offset", 1.5).unwrap();
    assert_eq!(act(&first, Action::SaveSettings).result, Ok(()));
    second.set("cam", "offset", 2.5).unwrap();
    let refused = act(&second, Action::SaveSettings).result;
    assert!(matches!(refused, Err(Refused::Settings(SettingsError::Held { .. }))), "{refused:?}");
    wait_until("it says so", || {
        second.settings().unwrap().problem.is_some_and(|p| p.contains("another run"))
    });
    let told =
        |model: &Model| model.log_since(0).iter().any(|entry| entry.what.to_string().contains("another run"));
    assert!(told(&second) && !told(&first));
    assert_eq!(place.value("cam", "offset"), Some(1.5.into()));
    first.finish(HANG);
    // Now it is the only one: it writes, and the file of the other one is a copy.
    wait_until("it writes", || place.value("cam", "offset") == Some(2.5.into()));
    let copy = std::fs::read_to_string(place.folder.path().join("p.settings.json.1")).unwrap();
    assert_eq!(SettingsFile::parse(&copy).unwrap().nodes["cam"].values["offset"].value, 1.5.into());
    second.finish(HANG);
}

#[test]
fn values_of_nodes_that_are_gone_stay_in_the_file() {
    let place = Place::new();
    let mut file = SettingsFile::default();
    file.set("gone", "roi", "size_x", 7.into(), "ada", 5);
    file.set("cam", "sim_detector", "acquire_period", (-1.0).into(), "ada", 5);
    file.set("stats", "roi", "size_x", 7.into(), "ada", 5);
    std::fs::write(&place.file, file.text()).unwrap();
    let model = place.start();
    assert_eq!(model.settings().unwrap().restored.not_restored().count(), 3);
    model.set("cam", "offset", 1.5).unwrap();
    model.finish(HANG);
    let names: Vec<String> = place.content().values().map(|(n, key, _)| format!("{n}.{key}")).collect();
    assert_eq!(names, ["cam.acquire_period", "cam.offset", "gone.size_x"], "another type's value is dropped");
}

#[test]
fn a_run_that_keeps_no_settings_says_why() {
    let graph = graph();
    let model = Model::run_graph(&graph, RunOptions::default()).unwrap();
    let refused = act(&model, Action::SaveSettings).result.unwrap_err().to_string();
    assert!(refused.contains("keeps no settings"), "{refused}");
    let store = Err(NotKept::Unwanted);
    let keeping = Keeping { pipeline: String::new(), store, base: graph, restored: Default::default() };
    model.keep(keeping).unwrap();
    let refused = act(&model, Action::SaveSettings).result.unwrap_err().to_string();
    assert!(refused.contains("--no-settings"), "{refused}");
    model.set("cam", "offset", 1.5).unwrap();
    assert_eq!(act(&model, Action::RestoreSettings).result, Ok(()), "to the values of the start");
    assert_eq!(value(&model, "cam", "offset"), Some(0.0.into()));
    model.finish(HANG);
}
