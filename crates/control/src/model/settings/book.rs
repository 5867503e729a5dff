//! The content of the settings file, the wanted content, and the restore point.

use std::path::PathBuf;
use std::sync::Arc;

use livetime_engine::{Event, Graph, time_of_day_ns};

use super::account::Status;
use super::keys::value;
use super::start::{Start, Wanted, note, origin};
use crate::line::in_a_line;
use crate::model::shared::Shared;
use crate::settings::{Fate, Kept, NotKept, Restored, SettingsError, SettingsFile, Store, same};

/// Needs of a model that keeps the settings of its run.
#[derive(Debug)]
pub struct Keeping {
    /// The name of the pipeline file, for the settings file.
    pub pipeline: String,
    /// The settings file; `Err` says why the run has none.
    pub store: Result<Store, NotKept>,
    /// The graph as the pipeline file and the command line have it, without settings.
    pub base: Graph,
    /// The fate of the settings at the start.
    pub restored: Restored,
}

pub(super) struct Book {
    store: Result<Store, NotKept>,
    path: Option<PathBuf>,
    restored: Arc<Restored>,
    /// The values that the file has.
    written: SettingsFile,
    /// The values that [`Book::restore_point`] goes back to: of the start, of the last wish to save, or of a file that
    /// another program has written since.
    point: SettingsFile,
    problem: Option<String>,
    saved_at_ns: Option<i64>,
}

impl Book {
    /// The book of a run that has just started; its nodes learn where their values come from.
    pub(super) fn new(
        start: &Start,
        model: &Shared,
        store: Result<Store, NotKept>,
        restored: Restored,
    ) -> Book {
        for tried in restored.tried.iter().filter(|tried| tried.fate == Fate::Restored) {
            if let Some((node, key)) = start.key(&tried.node, &tried.key) {
                note(model, node, key.name(), Some(origin(&tried.kept)));
            }
        }
        // The file is as it should be: restored values differ from the pipeline file, and the rest is kept.
        let mut written = start.file();
        for tried in restored.restored() {
            if let Some(key) = start.key(&tried.node, &tried.key) {
                start.put(&mut written, key, tried.kept.clone());
            }
        }
        keep(&mut written, &restored, |_, _| false);
        Book {
            path: store.as_ref().ok().map(|store| store.path().to_owned()),
            problem: store.as_ref().err().map(ToString::to_string),
            store,
            restored: Arc::new(restored),
            point: written.clone(),
            written,
            saved_at_ns: None,
        }
    }

    /// The state that faces show.
    pub(super) fn status(&self) -> Status {
        Status {
            file: self.path.clone(),
            problem: self.problem.clone(),
            saved_at_ns: self.saved_at_ns,
            restored: self.restored.clone(),
        }
    }

    /// The content that the file should have.
    fn wanted(&self, start: &Start, model: &Shared) -> SettingsFile {
        let rows = start.rows(&model.newest());
        let mut file = start.file();
        keep(&mut file, &self.restored, |node, key| {
            rows.iter().any(|(_, _, row)| row.node == node && row.key == key)
        });
        for (node, key, row) in rows {
            let (by, at_ns) = (row.origin.by(), row.origin.at_ns());
            start.put(&mut file, (node, key), Kept { value: row.value, file: None, by, at_ns });
        }
        file
    }

    // ---- Saving ----

    /// Whether the run has other values than the file, or the last ones could not be written.
    pub(super) fn has_changed(&self, start: &Start, model: &Shared) -> bool {
        self.store.is_ok() && (self.problem.is_some() || self.wanted(start, model) != self.written)
    }

    /// Writes the values of now, whether or not they have changed.
    pub(super) fn save(&mut self, start: &Start, model: &Shared) -> Result<(), SettingsError> {
        let file = self.wanted(start, model);
        let store = self.store.as_mut().map_err(|why| SettingsError::NotKept(*why))?;
        store.hold()?;
        if let Ok(Some(theirs)) = store.changed_by_others() {
            tell(
                model,
                false,
                "another program has changed the settings file: it is a copy now, and a restore takes its values",
            );
            self.point = theirs;
        }
        store.write(&file.text())?;
        (self.written, self.saved_at_ns) = (file, Some(time_of_day_ns()));
        Ok(())
    }

    /// Makes the values of now the ones that a restore goes back to.
    pub(super) fn set_point(&mut self) {
        self.point = self.written.clone();
    }

    /// Says once that the settings cannot be written, and once that they can again.
    pub(super) fn tell(&mut self, model: &Shared, problem: Option<SettingsError>) {
        let problem = problem.map(|problem| problem.to_string());
        if problem != self.problem {
            match &problem {
                Some(problem) => tell(model, true, &format!("settings are not saved: {problem}")),
                None => tell(model, false, "settings are saved again"),
            }
            self.problem = problem;
        }
    }

    /// Lets other programs have the file.
    pub(super) fn close(&mut self) {
        self.store = Err(NotKept::RunEnded);
    }

    // ---- Restoring ----

    /// The settings that the model gives the run after its start.
    pub(super) fn after_start(&self, start: &Start) -> Vec<Wanted> {
        let after = self.restored.tried.iter().filter(|tried| tried.fate == Fate::AfterStart);
        let wanted = after.filter_map(|tried| {
            let (node, key) = start.key(&tried.node, &tried.key)?;
            Some(Wanted { node, key, value: tried.kept.value.clone(), origin: Some(origin(&tried.kept)) })
        });
        wanted.collect()
    }

    /// A node has refused a value after the start: the file keeps it.
    pub(super) fn refused(&mut self, start: &Start, model: &Shared, wanted: &Wanted, why: String) {
        let (node, key) = (start.name(wanted), wanted.key.name());
        tell(model, true, &format!("setting not restored: {node}.{key}: {why}"));
        let mut tried = Arc::make_mut(&mut self.restored).tried.iter_mut();
        if let Some(tried) = tried.find(|tried| tried.node == node && tried.key == key) {
            tried.fate = Fate::Refused(why);
        }
    }

    /// The values that differ from the restore point.
    pub(super) fn restore_point(
        &mut self,
        start: &Start,
        model: &Shared,
    ) -> Result<Vec<Wanted>, SettingsError> {
        if let Ok(store) = &mut self.store
            && let Some(theirs) = store.changed_by_others()?
        {
            self.point = theirs;
        }
        let moment = model.newest();
        let mut wanted = Vec::new();
        for (node, key, kept) in self.point.values() {
            // The restore point may name nodes that this run does not have.
            let Some((node, key)) = start.key(node, key) else { continue };
            wanted.push(Wanted { node, key, value: kept.value.clone(), origin: Some(origin(kept)) });
        }
        // A value that the restore point lacks goes back to the pipeline file.
        for (node, key, row) in start.rows(&moment) {
            let is_known = self.point.nodes.get(&row.node).is_some_and(|n| n.values.contains_key(&row.key));
            if let Some(value) = row.file.filter(|_| !is_known) {
                wanted.push(Wanted { node, key, value, origin: None });
            }
        }
        let has_it = |wanted: &Wanted| {
            let now = moment.nodes.get(wanted.node).and_then(|node| value(wanted.key, node));
            let value = wanted.key.accept(&wanted.value);
            now.zip(value.ok()).is_some_and(|(now, value)| same(&now, &value))
        };
        // A node is not written to without a need.
        wanted.retain(|wanted| !has_it(wanted));
        wanted.sort_by_key(|wanted| wanted.key.order());
        Ok(wanted)
    }
}

/// Values that were not restored stay in the file, unless the run has written them since.
fn keep(file: &mut SettingsFile, restored: &Restored, is_written: impl Fn(&str, &str) -> bool) {
    for tried in restored.not_restored().filter(|tried| tried.fate.is_kept()) {
        if !is_written(&tried.node, &tried.key) {
            file.put(&tried.node, &tried.type_name, &tried.key, tried.kept.clone());
        }
    }
}

/// A line in the log of the run.
fn tell(model: &Shared, is_error: bool, message: &str) {
    let (node, message, cause) = (String::new(), in_a_line(message), None);
    let at_ns = u64::try_from(time_of_day_ns()).unwrap_or(0);
    model.log().event(&Event { at_ns, node, is_error, message, cause });
}
