//! Which module of a crate imports what.

use std::collections::BTreeMap;

use super::names::Names;
use super::paths::{self, Use};
use crate::source::{self, Source, is_word};

/// One import: a path that the code of `module` names.
pub(super) struct Arrow {
    pub(super) file: String,
    line: usize,
    /// The file that defines the name.
    pub(super) home: String,
    pub(super) module: Vec<String>,
    /// The module that defines the name, and the name.
    pub(super) target: Vec<String>,
}

impl Arrow {
    pub(super) fn place(&self) -> String {
        format!("{}:{}: crate::{}", self.file, self.line, self.target.join("::"))
    }
}

/// The names and imports of the crate whose sources lie in `root`.
pub(super) fn of_crate(root: &str, sources: &[&Source]) -> (Names, Vec<Arrow>) {
    let module =
        |source: &Source| source.module[root.len()..].split('/').skip(1).map(str::to_owned).collect();
    let modules: Vec<(Vec<String>, &str)> = sources.iter().map(|s| (module(s), &*s.code)).collect();
    let names = Names::new(&modules);
    let files: BTreeMap<&[String], &str> =
        modules.iter().zip(sources).map(|((module, _), source)| (&module[..], &*source.name)).collect();
    let mut arrows = Vec::new();
    for (source, (module, code)) in sources.iter().zip(&modules) {
        for (at, path) in imported(&names, module, code) {
            // A path in an inline module begins there, so that its `super` is this file.
            let inner = [&module[..], &inline_modules(code, at)].concat();
            let Some(target) = names.resolve(&inner, &path) else { continue };
            let (file, line) = (source.name.clone(), source::line_of(code, at));
            let home = files.get(names.home(&target)).map_or_else(String::new, |file| (*file).to_owned());
            arrows.push(Arrow { file, line, home, module: module.clone(), target });
        }
    }
    (names, arrows)
}

/// The paths that a module imports, each with its place.
fn imported(names: &Names, module: &[String], code: &str) -> Vec<(usize, Vec<String>)> {
    let starts = names.starts(module);
    let mut found = paths::paths(code, |word| starts.contains(word));
    for (_, path) in &mut found {
        names.write_out(module, path);
    }
    let uses = paths::uses(code).into_iter().filter(|import| counts(names, module, code, import));
    found.extend(uses.map(|import| (import.at, import.path)));
    found
}

/// A face hands on names from below itself and uses none of them. A module that is only the first word of paths counts
/// where these paths lead.
fn counts(names: &Names, module: &[String], code: &str, import: &Use) -> bool {
    let Some(target) = names.resolve(module, &import.path) else { return false };
    let is_below = target.len() > module.len() && target.starts_with(module);
    let is_handed_on = import.is_public && is_below && !is_used(code, &import.name);
    let is_prefix =
        names.leads_to_module(module, &import.path) && code.contains(&format!("{}::", import.name));
    !is_handed_on && (import.name.is_empty() || !is_prefix)
}

/// Whether code outside of `use` holds this word, neither as a field or method nor as the end of a path.
fn is_used(code: &str, name: &str) -> bool {
    let uses = paths::uses(code).into_iter().map(|import| import.at);
    let uses: Vec<_> = uses.map(|at| at..at + source::item_length(&code[at..])).collect();
    let is_whole = |at: usize| {
        let before = code[..at].bytes().last().unwrap_or(b' ');
        let after = code[at + name.len()..].bytes().next().unwrap_or(b' ');
        let is_declaration = code[..at].trim_end().ends_with("mod");
        !is_word(before) && !is_word(after) && ![b'.', b':'].contains(&before) && !is_declaration
    };
    let mut places = code.match_indices(name).map(|(at, _)| at);
    !name.is_empty() && places.any(|at| is_whole(at) && !uses.iter().any(|import| import.contains(&at)))
}

/// The modules written out in the file whose blocks hold this place, outermost first.
fn inline_modules(code: &str, at: usize) -> Vec<String> {
    let mut found = Vec::new();
    for (start, _) in code[..at].match_indices("mod ") {
        let item = &code[start..start + source::item_length(&code[start..])];
        // The block must hold the place, and `mod` be a word of its own.
        if start + item.len() > at && !code[..start].bytes().last().is_some_and(is_word) {
            found.extend(source::words(item).nth(1).map(str::to_owned));
        }
    }
    found
}
