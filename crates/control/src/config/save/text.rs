//! Values and edges as a pipeline file has them.

use livetime_engine::{EdgeOptions, Value};

use super::standing::EdgeNow;

/// A value as a file has it.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => number_text(*value),
        Value::Text(text) => quoted(text),
        Value::List(values) => {
            let numbers: Vec<String> = values.iter().map(|value| number_text(*value)).collect();
            format!("[{}]", numbers.join(", "))
        }
    }
}

fn number_text(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { value.to_string() } else { format!("{value:?}") }
}

/// A text without quotes where it can be nothing else; JSON's quoted texts are YAML's.
pub(super) fn quoted(text: &str) -> String {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c))
        && !text.eq_ignore_ascii_case("null");
    if is_word { text.into() } else { serde_json::Value::from(text).to_string() }
}

/// Edges as the value of `from`. `full`: with all options, because the node has some that they would take over.
pub(super) fn edges_text(edges: &[EdgeNow], full: bool) -> String {
    let texts: Vec<String> = edges.iter().map(|edge| edge_text(edge, full)).collect();
    if let [one] = &texts[..] { one.clone() } else { format!("[{}]", texts.join(", ")) }
}

/// An edge as an element of `from`, with all options or with those that are not the usual ones.
fn edge_text(edge: &EdgeNow, full: bool) -> String {
    let (usual, options) = (EdgeOptions::default(), &edge.options);
    let mut keys = Vec::new();
    let mut add = |is_needed: bool, text: String| {
        if is_needed {
            keys.push(text);
        }
    };
    add(!edge.to.is_empty(), format!("to: {}", edge.to));
    add(full || options.queue != usual.queue, format!("queue: {}", options.queue));
    add(full || options.when_full != usual.when_full, format!("when_full: {}", options.when_full.name()));
    add(full || options.every != usual.every, format!("every: {}", options.every));
    if let Some(hz) = options.max_rate_hz {
        add(true, format!("max_rate: {}", number_text(hz)));
    }
    match keys.is_empty() {
        true => edge.from.clone(),
        false => format!("{{node: {}, {}}}", edge.from, keys.join(", ")),
    }
}
