//! The common part of all measurements of recording.

use std::path::PathBuf;

use serde_json::Value;

use livetime_control::report::table::{Style, Table};

/// A table with one row.
pub(super) fn one_row(name: &str, row: &Value, columns: &[(&str, &str)]) -> String {
    let heads: Vec<&str> = std::iter::once("what").chain(columns.iter().map(|(head, _)| *head)).collect();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let values = columns.iter().map(|(_, key)| text(&row[key]));
    let mut table = Table::new(&heads).right(1..heads.len());
    table.row(std::iter::once(name.to_owned()).chain(values));
    format!("\n{}", table.render(Style::default()))
}

/// In memory if the system has such a folder.
pub(super) fn folder() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}
