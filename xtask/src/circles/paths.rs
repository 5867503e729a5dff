//! The paths that a source names, groups in braces written out.

use crate::source::is_word;

/// One name that `use` brings into a module.
pub(super) struct Use {
    pub(super) at: usize,
    /// As it is called in the module; empty for `*`.
    pub(super) name: String,
    pub(super) path: Vec<String>,
    pub(super) is_public: bool,
}

/// Each path outside of `use` whose first word is a start, with its place.
pub(super) fn paths(code: &str, is_start: impl Fn(&str) -> bool) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((at, word)) = next_word(code, from) {
        from = at + word.len();
        // `pub(in crate::a)` names a room and takes nothing from it.
        let is_inside = code[..at].ends_with(['$', ':', '.']) || code[..at].ends_with("(in ");
        let begins = code[from..].starts_with("::") && !is_inside;
        if word == "use" || (begins && is_start(word)) {
            let start = if word == "use" { from + space(&code[from..]) } else { at };
            let (tree, length) = tree(&code[start..]);
            // `uses` reads the trees of `use`; here they are passed over.
            found.extend(tree.into_iter().filter(|_| word != "use").map(|(_, path)| (at, path)));
            from = from.max(start + length);
        }
    }
    found
}

/// The items that `use` brings into a module.
pub(super) fn uses(code: &str) -> Vec<Use> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((at, word)) = next_word(code, from) {
        from = at + word.len();
        if word == "use" {
            // The bracket closes `pub(crate)` and its like.
            let is_public = code[..at].trim_end().ends_with("pub") || code[..at].trim_end().ends_with(')');
            let start = from + space(&code[from..]);
            let (tree, length) = tree(&code[start..]);
            found.extend(tree.into_iter().map(|(name, path)| Use { at, name, path, is_public }));
            from = start + length;
        }
    }
    found
}

fn next_word(code: &str, from: usize) -> Option<(usize, &str)> {
    let bytes = code.as_bytes();
    let start = (from..bytes.len()).find(|at| is_word(bytes[*at]))?;
    let end = (start..bytes.len()).find(|at| !is_word(bytes[*at])).unwrap_or(bytes.len());
    Some((start, &code[start..end]))
}

/// A path, or a tree of paths with groups in braces, and its length in bytes.
fn tree(code: &str) -> (Vec<(String, Vec<String>)>, usize) {
    let mut path = Vec::new();
    let mut at = 0;
    loop {
        at += space(&code[at..]);
        let rest = &code[at..];
        if rest.starts_with('{') {
            let (leaves, length) = group(rest);
            let whole = leaves.into_iter().map(|(name, tail)| named(name, [&path[..], &tail].concat()));
            return (whole.collect(), at + length);
        }
        if rest.starts_with('*') {
            return (vec![(String::new(), path)], at + 1);
        }
        let Some((0, word)) = next_word(rest, 0) else { break };
        path.push(word.to_owned());
        at += word.len();
        let gap = space(&code[at..]);
        if !code[at + gap..].starts_with("::") {
            break;
        }
        at += gap + 2;
    }
    let (alias, length) = alias(&code[at..]);
    let name = alias.or_else(|| path.last().cloned()).unwrap_or_default();
    (vec![named(name, path)], at + length)
}

/// `{self}` is the path before it, under its own name.
fn named(name: String, mut path: Vec<String>) -> (String, Vec<String>) {
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = if name == "self" { path.last().cloned().unwrap_or_default() } else { name };
    (name, path)
}

/// The trees in a group of braces, and the length of the group.
fn group(code: &str) -> (Vec<(String, Vec<String>)>, usize) {
    let mut leaves = Vec::new();
    let mut at = 1;
    loop {
        at += space(&code[at..]);
        match code.as_bytes().get(at) {
            None => return (leaves, at),
            Some(b'}') => return (leaves, at + 1),
            Some(b',') => at += 1,
            Some(_) => {
                let (found, length) = tree(&code[at..]);
                leaves.extend(found.into_iter().filter(|(_, path)| !path.is_empty()));
                // Always further, so that the loop ends with any text.
                at += length.max(1);
            }
        }
    }
}

/// The name after `as`, and how long both are.
fn alias(code: &str) -> (Option<String>, usize) {
    let Some((start, "as")) = next_word(code, 0).filter(|(at, _)| code[..*at].trim().is_empty()) else {
        return (None, 0);
    };
    match next_word(code, start + 2) {
        Some((at, name)) => (Some(name.to_owned()), at + name.len()),
        None => (None, 0),
    }
}

fn space(code: &str) -> usize {
    code.len() - code.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str) -> Vec<String> {
        let is_start = |word: &str| ["crate", "super", "self", "child"].contains(&word);
        paths(code, is_start).into_iter().map(|(_, path)| path.join("::")).collect()
    }

    #[test]
    fn paths_are_found_in_code_and_in_groups() {
        assert_eq!(found("child::a(); child.b(x::child::c)"), ["child::a"]);
        assert_eq!(
            found("fn f(x: super::a::B<crate::C>) -> u8 { crate::d::e::<u8>(1) as u8 }"),
            ["super::a::B", "crate::C", "crate::d::e"]
        );
        assert!(found("pub(crate) use crate::y; $crate::z; self.w; pub(in crate::a) fn f()").is_empty());
    }

    #[test]
    fn uses_bring_names() {
        let uses: Vec<_> = uses("pub use a::{B as C, d::*, e::{self}};\nuse super::f;")
            .into_iter()
            .map(|u| format!("{}{}={}", if u.is_public { "pub " } else { "" }, u.name, u.path.join("::")))
            .collect();
        assert_eq!(uses, ["pub C=a::B", "pub =a::d", "pub e=a::e", "f=super::f"]);
    }
}
