//! JSON for people and programs alike.

use serde_json::Value;

/// The text of a value: a line for each key, and for each object of a list; numbers of a list share a line. With a line for each number the
/// histograms of a large graph's report would take four times as much.
///
/// ```
/// let value = serde_json::json!({ "name": "roi", "sizes": [256, 128] });
/// assert_eq!(livetime_control::report::pretty::pretty(&value), "{\n  \"name\": \"roi\",\n  \"sizes\": [256,128]\n}");
/// ```
pub fn pretty(value: &Value) -> String {
    let mut text = String::new();
    write_json(value, 0, &mut text);
    text
}

fn write_json(value: &Value, depth: usize, text: &mut String) {
    let next_line = |depth: usize, text: &mut String| *text += &format!("\n{:1$}", "", 2 * depth);
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            text.push('{');
            for (place, (key, value)) in entries.iter().enumerate() {
                *text += if place > 0 { "," } else { "" };
                next_line(depth + 1, text);
                *text += &format!("{}: ", Value::from(&**key));
                write_json(value, depth + 1, text);
            }
            next_line(depth, text);
            text.push('}');
        }
        Value::Array(items) if items.iter().any(holds_object) => {
            text.push('[');
            for (place, item) in items.iter().enumerate() {
                *text += if place > 0 { "," } else { "" };
                next_line(depth + 1, text);
                write_json(item, depth + 1, text);
            }
            next_line(depth, text);
            text.push(']');
        }
        value => *text += &value.to_string(),
    }
}

fn holds_object(value: &Value) -> bool {
    value.is_object() || value.as_array().is_some_and(|items| items.iter().any(holds_object))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_whole_and_a_histogram_takes_one_line() {
        let buckets: Vec<_> = (0..100).map(|n| json!([n, n + 1, 7])).collect();
        let value = json!({ "a": "x\n\"", "b": [], "c": {}, "nodes": [{ "buckets": buckets }, [], {}, [{ "d": null }]] });
        let text = pretty(&value);
        assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(value));
        assert_eq!(text.lines().count(), 17, "{text}");
    }
}
