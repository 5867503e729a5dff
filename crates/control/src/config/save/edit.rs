//! A pipeline file with some values replaced, and everything else as it was written.

use livetime_engine::Value;

use super::super::error::At;
use super::super::file::EDGE_KEYS;
use super::super::yaml::{Data, Item, Name};
use super::standing::{NodeNow, changed_values};
use super::text::{edges_text, value_text};

/// Text that takes the place of some other.
struct Edit {
    at: usize,
    length: usize,
    text: String,
}

/// `text` with what differs between `before`, which it says, and `wanted`. `None` where it is written in a way that this cannot edit.
pub(super) fn edited(text: &str, root: &Item, before: &[NodeNow], wanted: &[NodeNow]) -> Option<String> {
    let nodes = value_of(root, "nodes")?;
    let mut edits = Vec::new();
    for (before, wanted) in before.iter().zip(wanted) {
        // The text declares other nodes: it is written anew.
        if before.name != wanted.name || before.type_name != wanted.type_name {
            return None;
        }
        let place = value_of(nodes, &wanted.name)?;
        params(text, place, &changed_values(before, wanted), &mut edits)?;
        if before.edges != wanted.edges {
            edits.push(edges(text, place, wanted)?);
        }
    }
    // From the end, so that earlier places stay valid.
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.at));
    let mut text = text.to_owned();
    for edit in edits {
        text.replace_range(edit.at..edit.at + edit.length, &edit.text);
    }
    Some(text)
}

type Changed<'a> = (&'static str, Option<&'a Value>, &'a Value);

fn params(text: &str, node: &Item, changed: &[Changed<'_>], edits: &mut Vec<Edit>) -> Option<()> {
    let params = value_of(node, "params");
    let mut added = Vec::new();
    for (name, _, now) in changed {
        match params.and_then(|params| value_of(params, name)) {
            Some(item) => {
                let at = offset(text, item.at)?;
                edits.push(Edit { at, length: length(text, at, item)?, text: value_text(now) });
            }
            None => added.push(format!("{name}: {}", value_text(now))),
        }
    }
    if !added.is_empty() {
        edits.push(addition(text, node, params, &added)?);
    }
    Some(())
}

/// Further parameters: in front of those that are there, or behind the type of a node that has none.
fn addition(text: &str, node: &Item, params: Option<&Item>, added: &[String]) -> Option<Edit> {
    if let Some(params) = params {
        let (first, _) = entries(params)?.first()?;
        let at = offset(text, params.at)?;
        // A mapping in braces stays in its line.
        if text[at..].starts_with('{') {
            return Some(Edit { at: at + 1, length: 0, text: format!("{}, ", added.join(", ")) });
        }
        let at = offset(text, first.at)?;
        let indent = indent(text, at)?;
        let lines: String = added.iter().map(|line| format!("{line}\n{indent}")).collect();
        return Some(Edit { at, length: 0, text: lines });
    }
    let (key, kind) = entries(node)?.iter().find(|(key, _)| key.text == "type")?;
    let at = offset(text, kind.at)?;
    let end = at + length(text, at, kind)?;
    let params = format!("params: {{{}}}", added.join(", "));
    if text[offset(text, node.at)?..].starts_with('{') {
        return Some(Edit { at: end, length: 0, text: format!(", {params}") });
    }
    let indent = indent(text, offset(text, key.at)?)?;
    let end = text[end..].find('\n').map_or(text.len(), |line| end + line);
    Some(Edit { at: end, length: 0, text: format!("\n{indent}{params}") })
}

fn edges(text: &str, node: &Item, wanted: &NodeNow) -> Option<Edit> {
    let from = value_of(node, "from")?;
    let takes_over = entries(node)?.iter().any(|(key, _)| EDGE_KEYS.contains(&&*key.text));
    let at = offset(text, from.at)?;
    Some(Edit { at, length: length(text, at, from)?, text: edges_text(&wanted.edges, takes_over) })
}

// ---- Places in the text ----

fn entries(item: &Item) -> Option<&[(Name, Item)]> {
    if let Data::Map(entries) = &item.data { Some(entries) } else { None }
}

fn value_of<'a>(item: &'a Item, key: &str) -> Option<&'a Item> {
    entries(item)?.iter().find(|(name, _)| name.text == key).map(|(_, value)| value)
}

/// Byte of a place.
pub(super) fn offset(text: &str, at: At) -> Option<usize> {
    let start = match at.line {
        1 => 0,
        line => text.match_indices('\n').nth(line - 2)?.0 + 1,
    };
    let column = at.column.checked_sub(1)?;
    // The end of a line is a place, too.
    text[start..].char_indices().map(|(i, _)| i).chain([text.len() - start]).nth(column).map(|i| start + i)
}

/// The white space in front of a place, if there is nothing else in its line.
fn indent(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let before = &text[start..at];
    before.chars().all(|c| c == ' ').then_some(before)
}

/// Bytes of a value that begins at `at`; `None` for one that goes over lines without brackets or quotes.
fn length(text: &str, at: usize, item: &Item) -> Option<usize> {
    let rest = &text[at..];
    match rest.chars().next()? {
        '"' | '\'' => quoted(rest),
        '{' | '[' => bracketed(rest),
        _ => match &item.data {
            Data::Scalar(scalar) if scalar.plain && !scalar.text.is_empty() => {
                // A scalar over several lines differs from its text.
                rest.starts_with(&scalar.text).then_some(scalar.text.len())
            }
            _ => None,
        },
    }
}

/// Bytes of a text in quotes.
fn quoted(text: &str) -> Option<usize> {
    let quote = *text.as_bytes().first()?;
    let mut bytes = text.bytes().enumerate().skip(1).peekable();
    while let Some((i, byte)) = bytes.next() {
        // Only double quotes have escapes; a single quote is doubled.
        if byte == b'\\' && quote == b'"' {
            bytes.next();
        } else if byte == quote {
            let is_doubled = quote == b'\'' && bytes.peek().is_some_and(|(_, next)| *next == quote);
            if !is_doubled {
                return Some(i + 1);
            }
            bytes.next();
        }
    }
    None
}

/// Bytes up to the bracket that closes the first one.
fn bracketed(text: &str) -> Option<usize> {
    let (mut depth, mut i) = (0, 0);
    while let Some(byte) = text.as_bytes().get(i) {
        match byte {
            b'"' | b'\'' => {
                i += quoted(&text[i..])?;
                continue;
            }
            // A comment may contain brackets that close nothing.
            b'#' if text[..i].ends_with([' ', '\n']) => i += text[i..].find('\n')?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return Some(i + 1),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        i += 1;
    }
    None
}
