//! Where the values of a run come from, for faces to show.

use std::path::PathBuf;
use std::sync::Arc;

use livetime_engine::Value;
use serde_json::{Value as Json, json};

use crate::line::in_a_line;
use crate::model::origin::Origin;
use crate::settings::{Restored, time_text, value_json};

/// Where the values of a run come from that differ from its start, and how the settings file is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Account {
    /// The settings file; `None` if the run keeps no settings.
    pub file: Option<PathBuf>,
    /// Why the newest values are not in the file, if they are not.
    pub problem: Option<String>,
    /// When the file was written by this run last, ns since 1970.
    pub saved_at_ns: Option<i64>,
    /// Values with another origin than the pipeline file or the command line, in the order of nodes.
    pub rows: Vec<Row>,
    /// The fate of the settings at the start.
    pub restored: Arc<Restored>,
}

/// The state of the settings that faces show beside the values.
#[derive(Clone, Default)]
pub(super) struct Status {
    pub(super) file: Option<PathBuf>,
    pub(super) problem: Option<String>,
    pub(super) saved_at_ns: Option<i64>,
    pub(super) restored: Arc<Restored>,
}

/// A value with its origin.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Name of the node.
    pub node: String,
    /// Name of the parameter, or of a handling by the run as `run.enabled`.
    pub key: String,
    /// Its value now.
    pub value: Value,
    /// The value of the pipeline file, or of the command line.
    pub file: Option<Value>,
    /// Where it comes from.
    pub origin: Origin,
}

impl Account {
    /// The account as data. Keys are stable: new ones may be added.
    pub fn json(&self) -> Json {
        let row = |row: &Row| {
            json!({
                "node": row.node,
                "key": row.key,
                "value": value_json(&row.value),
                "file": row.file.as_ref().map(value_json),
                "source": row.origin.to_string(),
                "by": row.origin.by(),
                "at": time_text(row.origin.at_ns()),
            })
        };
        json!({
            "file": self.file.as_ref().map(|file| file.display().to_string()),
            "problem": self.problem,
            "saved_at": self.saved_at_ns.map(time_text),
            "values": self.rows.iter().map(row).collect::<Vec<_>>(),
            "not_restored": self.restored.not_restored_json(),
            "problems": self.restored.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }

    /// A line for each value: `cam.gain = 3 (settings; file: 1)`.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.rows.iter().map(|row| {
            let file = row.file.as_ref().map_or(String::new(), |file| format!("; file: {file}"));
            in_a_line(&format!("{}.{} = {} ({}{file})", row.node, row.key, row.value, row.origin))
        })
    }
}
