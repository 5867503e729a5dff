//! `livetime pv put`.

use livetime_pva::client::Put;
use livetime_pva::data::{Field, Value};
use serde_json::{Value as Json, json};

use super::args::PutArgs;
use super::client::{check_request, client, failure};
use super::{json, text};
use crate::output::{Exit, Failure, Output};

pub(super) fn put(args: &PutArgs, output: &mut Output) -> Result<Exit, Failure> {
    check_request(&args.asked.request)?;
    let what = parse(&args.values)?;
    let (client, time) = (client()?, args.asked.common.timeout);
    let channel = client.channel(&args.name);
    let before = channel.get().wait(time).map_err(failure)?;
    channel.put_with(&args.asked.request, what).wait(time).map_err(failure)?;
    let after = channel.get().wait(time).map_err(failure)?;
    show(args, &before, &after, output)
}

/// Prints the values before and after a put.
pub(super) fn show(
    args: &PutArgs,
    before: &Value,
    after: &Value,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if args.asked.common.json {
        let (old, new) = (json::value(before), json::value(after));
        output.json(&json!({ "name": args.name, "old": old, "new": new }))?;
    } else {
        let line = |value| text::line(&args.name, value, args.asked.clock());
        let (old, new) = (line(before), line(after));
        output.data(&format!("Old : {old}\nNew : {new}\n"))?;
    }
    Ok(Exit::Ok)
}

/// `FIELD=VALUE` each, or the value of `value`, or its elements.
fn parse(values: &[String]) -> Result<Put, Failure> {
    let fields: Option<Vec<_>> = values.iter().map(|text| assignment(text)).collect();
    let mut fields = match fields {
        Some(fields) => fields,
        None if values.len() == 1 => vec![("value", field(&values[0])?)],
        None => vec![("value", values.to_vec().into())],
    };
    let (first, value) = fields.remove(0);
    Ok(fields.into_iter().fold(Put::field(first, value), |put, (path, value)| put.and(path, value)))
}

fn assignment(text: &str) -> Option<(&str, Field)> {
    let (path, value) = text.split_once('=')?;
    let is_path = !path.is_empty() && path.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    is_path.then_some((path, field(value).ok()?))
}

/// A text, which the server's type decides about; in brackets a JSON array.
fn field(text: &str) -> Result<Field, Failure> {
    Ok(elements(text)?.map_or_else(|| text.into(), Field::from))
}

/// The elements of a JSON array; `None` for another text.
pub(super) fn elements(text: &str) -> Result<Option<Vec<String>>, Failure> {
    if !text.trim_start().starts_with('[') {
        return Ok(None);
    }
    let wrong = |error: serde_json::Error| Failure::new(Exit::Usage, format!("the array `{text}`: {error}"));
    let elements: Vec<Json> = serde_json::from_str(text).map_err(wrong)?;
    let as_text = |element: Json| element.as_str().map_or_else(|| element.to_string(), String::from);
    Ok(Some(elements.into_iter().map(as_text).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(values: &[&str]) -> Put {
        parse(&values.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap_or(Put::field("", ""))
    }

    #[test]
    fn values_are_numbers_texts_arrays_or_fields() {
        assert_eq!(parsed(&["4.2"]), Put::field("value", "4.2"));
        assert_eq!(parsed(&["-1"]), Put::field("value", "-1"));
        assert_eq!(parsed(&["1", "2"]), Put::field("value", vec!["1".to_string(), "2".into()]));
        assert_eq!(parsed(&["[1, \"x\"]"]), Put::field("value", vec!["1".to_string(), "x".into()]));
        assert_eq!(parsed(&["value=3", "a.b=x"]), Put::field("value", "3").and("a.b", "x"));
        assert_eq!(parsed(&["a b=3"]), Put::field("value", "a b=3"));
        assert_eq!(parse(&["[1,".into()]).map_err(|failure| failure.exit), Err(Exit::Usage));
    }
}
