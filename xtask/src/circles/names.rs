//! The modules of a crate, what each defines and re-exports, and where a path leads.

use std::collections::{BTreeMap, BTreeSet};

use super::paths;
use crate::source;

/// Re-exports of re-exports are followed so far.
const DEEPEST: usize = 8;

#[derive(Default)]
struct Module {
    defined: BTreeSet<String>,
    /// Name here, and the path behind it; `*` has no name.
    uses: Vec<(String, Vec<String>)>,
    is_folder: bool,
}

/// By their paths.
pub(super) struct Names(BTreeMap<Vec<String>, Module>);

impl Names {
    /// The modules of a crate and their code.
    pub(super) fn new(files: &[(Vec<String>, &str)]) -> Names {
        let mut modules: BTreeMap<Vec<String>, Module> = BTreeMap::new();
        for (path, code) in files {
            let module = modules.entry(path.clone()).or_default();
            module.defined.extend(definitions(code));
            module.uses.extend(paths::uses(code).into_iter().map(|u| (u.name, u.path)));
            // A module with others below it is a folder.
            for length in 0..path.len() {
                modules.entry(path[..length].to_vec()).or_default().is_folder = true;
            }
        }
        Names(modules)
    }

    /// The module and the name in it that `path`, written in `module`, leads to. `None` outside of this crate.
    pub(super) fn resolve(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        self.follow(module, path, DEEPEST)
    }

    fn follow(&self, module: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
        let (mut here, mut rest) = self.start(module, path)?;
        while let Some((name, further)) = rest.split_first() {
            let child = [&here[..], std::slice::from_ref(name)].concat();
            if self.0.contains_key(&child) {
                (here, rest) = (child, further);
                continue;
            }
            // A circle of re-exports must come to an end, too.
            let behind = depth.checked_sub(1).and_then(|depth| self.behind(&here, name, depth));
            return behind.unwrap_or(Some(child));
        }
        Some(here)
    }

    /// Where a name that `module` re-exports comes from, which may be outside of this crate; `None` for any other name.
    fn behind(&self, module: &[String], name: &str, depth: usize) -> Option<Option<Vec<String>>> {
        let known = self.0.get(module)?;
        if known.defined.contains(name) {
            return None;
        }
        if let Some((_, path)) = known.uses.iter().find(|(alias, _)| alias == name) {
            return Some(self.follow(module, path, depth));
        }
        // After the names, which go before globs in the language.
        let all = known.uses.iter().filter(|(alias, _)| alias.is_empty());
        let all = all.filter_map(|(_, path)| self.follow(module, path, depth));
        all.filter_map(|there| self.in_glob(&there, name, depth)).next().map(Some)
    }

    fn in_glob(&self, there: &[String], name: &str, depth: usize) -> Option<Vec<String>> {
        let whole = [there, &[name.to_owned()]].concat();
        let is_here = self.0.contains_key(&whole) || self.0.get(there)?.defined.contains(name);
        if is_here { Some(whole) } else { self.behind(there, name, depth.checked_sub(1)?).flatten() }
    }

    /// The module in which a path begins, and what is left of the path.
    fn start<'a>(&self, module: &[String], path: &'a [String]) -> Option<(Vec<String>, &'a [String])> {
        let (first, rest) = path.split_first()?;
        let ups = path.iter().take_while(|name| *name == "super").count();
        match first.as_str() {
            "crate" => Some((Vec::new(), rest)),
            "self" => Some((module.to_vec(), rest)),
            "super" => Some((module[..module.len().saturating_sub(ups)].to_vec(), &path[ups..])),
            _ if self.0.contains_key(&[module, std::slice::from_ref(first)].concat()) => {
                Some((module.to_vec(), path))
            }
            _ => None,
        }
    }

    /// The words with which paths of `module` begin: its modules, and the modules that `use` brings into it.
    pub(super) fn starts(&self, module: &[String]) -> BTreeSet<&str> {
        let below =
            self.0.keys().filter(|child| child.len() == module.len() + 1 && child.starts_with(module));
        let below = below.filter_map(|child| child.last());
        let uses = self.0.get(module).into_iter().flat_map(|module| &module.uses);
        let brought = uses.filter(|(_, path)| self.leads_to_module(module, path)).map(|(name, _)| name);
        let fixed = ["crate", "super", "self"];
        fixed.into_iter().chain(below.chain(brought).map(String::as_str)).collect()
    }

    /// Puts the whole path of a module that `use` brings into `module` in place of its name at the start of `path`.
    pub(super) fn write_out(&self, module: &[String], path: &mut Vec<String>) {
        let uses = self.0.get(module).into_iter().flat_map(|module| &module.uses);
        let brought = |(name, whole): &&(String, Vec<String>)| {
            Some(name) == path.first() && whole.len() > 1 && self.leads_to_module(module, whole)
        };
        if let Some((_, whole)) = uses.into_iter().find(brought) {
            path.splice(..1, whole.iter().cloned());
        }
    }

    pub(super) fn leads_to_module(&self, module: &[String], path: &[String]) -> bool {
        self.resolve(module, path).is_some_and(|target| self.0.contains_key(&target))
    }

    /// The module that defines what `target` leads to.
    pub(super) fn home<'a>(&self, target: &'a [String]) -> &'a [String] {
        let lengths = (0..=target.len()).rev();
        // The longest path that is a module; the rest are names in it.
        lengths.map(|length| &target[..length]).find(|path| self.0.contains_key(*path)).unwrap_or(target)
    }

    /// The innermost folder that holds both, and in which of its folders each lies; `None` if one lies in no folder of it,
    /// or both in the same.
    pub(super) fn siblings(&self, a: &[String], b: &[String]) -> Option<(String, String, String)> {
        let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let folder = |path: &[String]| {
            let child = path.get(..=common)?;
            self.0.get(child).is_some_and(|m| m.is_folder).then(|| child[common].clone())
        };
        Some((a[..common].join("/"), folder(a)?, folder(b)?))
    }
}

/// The names of a module's items. The names of methods come with them, which does no harm.
fn definitions(code: &str) -> impl Iterator<Item = String> {
    const KEYWORDS: &[&str] =
        &["struct", "enum", "union", "trait", "type", "fn", "const", "static", "mod", "macro_rules"];
    let mut before = "";
    source::words(code).filter_map(move |word| {
        let is_name = KEYWORDS.contains(&before) && !KEYWORDS.contains(&word);
        before = word;
        is_name.then(|| word.to_owned())
    })
}
