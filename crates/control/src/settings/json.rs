//! Settings as JSON.

use jiff::Timestamp;
use livetime_engine::Value;
use serde_json::{Map, Value as Json, json};

use super::error::SettingsError;
use super::file::{Kept, NodeSettings, SettingsFile};

/// The key that tells a settings file from other JSON, and its version.
const MARK: &str = "livetime_settings";
const VERSION: u64 = 1;
/// Numbers that JSON does not have. A parameter that is a number takes them back as texts.
const NO_NUMBERS: [(&str, f64); 3] = [("NaN", f64::NAN), ("inf", f64::INFINITY), ("-inf", f64::NEG_INFINITY)];

impl SettingsFile {
    /// Reads the text of a settings file.
    ///
    /// # Errors
    /// [`SettingsError::Content`] with the place of the first thing that is wrong: nothing of a damaged file is used.
    pub fn parse(text: &str) -> Result<SettingsFile, SettingsError> {
        parse(text)
    }

    /// The text of the file; the same values give the same text.
    pub fn text(&self) -> String {
        text(self)
    }
}

fn text(file: &SettingsFile) -> String {
    let nodes: Map<String, Json> = file
        .nodes
        .iter()
        .filter(|(_, node)| !node.values.is_empty())
        .map(|(name, node)| (name.clone(), node_json(node)))
        .collect();
    let whole = json!({ MARK: VERSION, "pipeline": file.pipeline, "nodes": nodes });
    format!("{whole:#}\n")
}

fn node_json(node: &NodeSettings) -> Json {
    let values: Map<String, Json> =
        node.values.iter().map(|(key, kept)| (key.clone(), kept_json(kept))).collect();
    json!({ "type": node.type_name, "values": values })
}

fn kept_json(kept: &Kept) -> Json {
    json!({
        "value": value_json(&kept.value),
        "file": kept.file.as_ref().map(value_json),
        "by": kept.by,
        "at": time_text(kept.at_ns),
    })
}

/// A time of day, ns since 1970, as a text that [`time_ns`] reads back exactly.
pub(crate) fn time_text(at_ns: i64) -> String {
    Timestamp::from_nanosecond(at_ns.into()).unwrap_or_default().to_string()
}

fn time_ns(text: &str) -> Option<i64> {
    i64::try_from(text.parse::<Timestamp>().ok()?.as_nanosecond()).ok()
}

/// A value in JSON, from which [`value_of`] makes it again.
pub(crate) fn value_json(value: &Value) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) => number_json(*value),
        Value::Text(text) => json!(text),
        Value::List(numbers) => numbers.iter().map(|number| number_json(*number)).collect(),
    }
}

fn number_json(number: f64) -> Json {
    // NaN does not equal itself.
    let is_it = |known: f64| known == number || (known.is_nan() && number.is_nan());
    let name = NO_NUMBERS.iter().find(|(_, known)| is_it(*known)).map(|(name, _)| *name);
    name.map_or_else(|| json!(number), |name| json!(name))
}

/// The number that a text stands for which JSON has no number for.
pub(super) fn no_number(text: &str) -> Option<f64> {
    NO_NUMBERS.iter().find(|(name, _)| *name == text).map(|(_, number)| *number)
}

fn value_of(json: &Json) -> Option<Value> {
    match json {
        Json::Bool(value) => Some(Value::Bool(*value)),
        // First as a whole number: a float would lose its last digits.
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Some(Value::Int(whole)),
            None => number.as_f64().map(Value::Float),
        },
        Json::String(text) => Some(Value::Text(text.clone())),
        Json::Array(numbers) => {
            let number = |json: &Json| json.as_f64().or_else(|| no_number(json.as_str()?));
            numbers.iter().map(number).collect::<Option<Vec<f64>>>().map(Value::List)
        }
        Json::Null | Json::Object(_) => None,
    }
}

// ---- Reading ----

fn parse(text: &str) -> Result<SettingsFile, SettingsError> {
    let json: Json = serde_json::from_str(text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        SettingsError::content(place, "a whole settings file", format!("{error}"))
    })?;
    match &json[MARK] {
        Json::Null => {
            return Err(SettingsError::content("", format!("a settings file, with `{MARK}`"), "none"));
        }
        version if version.as_u64() == Some(VERSION) => {}
        other => return Err(SettingsError::content(MARK, VERSION.to_string(), other.to_string())),
    }
    let pipeline = json["pipeline"].as_str().unwrap_or_default().to_owned();
    let nodes = object(&json["nodes"], "nodes")?.iter().map(|(name, node)| {
        let place = format!("node `{name}`");
        Ok((name.clone(), node_of(node, &place)?))
    });
    Ok(SettingsFile { pipeline, nodes: nodes.collect::<Result<_, _>>()? })
}

fn node_of(json: &Json, place: &str) -> Result<NodeSettings, SettingsError> {
    let type_name = string(&json["type"], place, "type")?;
    let values = object(&json["values"], place)?.iter().map(|(key, kept)| {
        let place = format!("{place}, `{key}`");
        Ok((key.clone(), kept_of(kept, &place)?))
    });
    Ok(NodeSettings { type_name, values: values.collect::<Result<_, _>>()? })
}

fn kept_of(json: &Json, place: &str) -> Result<Kept, SettingsError> {
    let wanted = |json: &Json| SettingsError::content(place, "`value`: a value", json.to_string());
    let value = value_of(&json["value"]).ok_or_else(|| wanted(&json["value"]))?;
    let file = match &json["file"] {
        Json::Null => None,
        file => Some(value_of(file).ok_or_else(|| wanted(file))?),
    };
    // A person who adds a value by hand need not say who and when.
    let by = json["by"].as_str().unwrap_or_default().to_owned();
    let at_ns = json["at"].as_str().and_then(time_ns).unwrap_or(0);
    Ok(Kept { value, file, by, at_ns })
}

fn object<'a>(json: &'a Json, place: &str) -> Result<&'a Map<String, Json>, SettingsError> {
    json.as_object().ok_or_else(|| SettingsError::content(place, "an object", json.to_string()))
}

fn string(json: &Json, place: &str, key: &str) -> Result<String, SettingsError> {
    let found = || SettingsError::content(place, format!("`{key}`: a text"), json.to_string());
    json.as_str().map(str::to_owned).ok_or_else(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        // A float without a fraction is read as a whole number, and a parameter that is a float takes it so.
        let float = any::<f64>().prop_filter("whole", |value| value.fract() != 0.0 && value.is_finite());
        prop_oneof![
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            float.prop_map(Value::Float),
            any::<String>().prop_map(Value::Text),
            prop::collection::vec(any::<f64>().prop_filter("nan", |value| !value.is_nan()), 0..5)
                .prop_map(Value::List),
        ]
    }

    fn kept() -> impl Strategy<Value = Kept> {
        let at_ns = 0..4_000_000_000_000_000_000i64;
        (value(), prop::option::of(value()), any::<String>(), at_ns)
            .prop_map(|(value, file, by, at_ns)| Kept { value, file, by, at_ns })
    }

    fn file() -> impl Strategy<Value = SettingsFile> {
        let node = (any::<String>(), prop::collection::btree_map(any::<String>(), kept(), 1..4))
            .prop_map(|(type_name, values)| NodeSettings { type_name, values });
        (any::<String>(), prop::collection::btree_map(any::<String>(), node, 0..4))
            .prop_map(|(pipeline, nodes)| SettingsFile { pipeline, nodes })
    }

    proptest! {
        #[test]
        fn settings_are_read_as_they_were_written(file in file()) {
            prop_assert_eq!(parse(&text(&file)).unwrap(), file);
        }

        #[test]
        fn a_file_that_was_cut_is_refused(file in file(), part in 0.0..1.0f64) {
            let text = text(&file);
            let whole = text.trim_end().len() as f64;
            let mut end = (part * whole) as usize;
            while !text.is_char_boundary(end) { end -= 1 }
            prop_assert!(parse(&text[..end]).is_err());
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = parse(&text);
        }
    }

    #[test]
    fn numbers_that_json_has_not_come_back() {
        for (name, number) in NO_NUMBERS {
            assert_eq!(value_json(&Value::Float(number)), json!(name));
            let list = value_of(&value_json(&Value::List(vec![number, 1.5])));
            let Some(Value::List(list)) = list else { panic!("{list:?}") };
            assert_eq!((list[0].to_bits(), list[1]), (number.to_bits(), 1.5));
        }
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        for (text, said) in [
            ("", "line 1"),
            ("{}", "`livetime_settings`"),
            ("{\"livetime_settings\": 2}", "wanted 1, found 2"),
            ("{\"livetime_settings\": 1}", "nodes: wanted an object"),
            (r#"{"livetime_settings": 1, "nodes": {"cam": {}}}"#, "node `cam`: wanted `type`"),
            (
                r#"{"livetime_settings": 1, "nodes": {"cam": {"type": "x", "values": {"gain": {"value": {}}}}}}"#,
                "node `cam`, `gain`: wanted `value`",
            ),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
