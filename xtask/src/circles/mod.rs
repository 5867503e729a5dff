//! Circles of imports between the folders and between the files of a crate.
//!
//! A folder is a module. An import counts between the two children of the innermost folder that holds both ends, so a
//! folder stands for all that lies below it, and what a parent and its child import from each other is no circle of
//! folders. Between files each import counts. Names that a module re-exports count where they are defined; a module that
//! only re-exports a name from below itself does not import it. Tests may import what they like.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Source;

mod arrows;
mod files;
mod known;
mod names;
mod paths;

use arrows::Arrow;
use names::Names;

/// One import across rooms: folders or files.
struct Import {
    /// File, line, and the path as it is resolved.
    place: String,
    from: String,
    to: String,
}

/// Adds what is wrong to `problems`. Returns how many circles between files there are.
pub(crate) fn check(sources: &[Source], problems: &mut Vec<String>) -> usize {
    let mut crates: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        // A crate is everything below one `src`.
        let end = source.name.find("/src/").map_or(0, |at| at + 4);
        crates.entry(&source.name[..end]).or_default().push(source);
    }
    let mut between_files = Vec::new();
    for (root, sources) in crates {
        let (names, arrows) = arrows::of_crate(root, &sources);
        problems.extend(between_folders(root, &names, &arrows));
        between_files.extend(files::knots(root, &arrows));
    }
    problems.extend(files::judge(&between_files, known::CIRCLES));
    between_files.len()
}

/// The circles of folders in the crate whose sources lie in `root`, as texts.
fn between_folders(root: &str, names: &Names, arrows: &[Arrow]) -> Vec<String> {
    let mut by_folder: BTreeMap<String, Vec<Import>> = BTreeMap::new();
    for arrow in arrows {
        let Some((parent, from, to)) = names.siblings(&arrow.module, &arrow.target) else { continue };
        by_folder.entry(parent).or_default().push(Import { place: arrow.place(), from, to });
    }
    let told = |(parent, imports): (&String, &Vec<Import>)| {
        let parent = format!("{root}/{parent}");
        circles(imports).into_iter().map(move |circle| circle.text(&parent)).collect::<Vec<_>>()
    };
    by_folder.iter().flat_map(told).collect()
}

/// Rooms that import each other, and the imports that tie them.
struct Circle<'a> {
    rooms: Vec<&'a str>,
    imports: Vec<&'a Import>,
}

impl Circle<'_> {
    fn text(&self, parent: &str) -> String {
        let lines = self.imports.iter().map(|i| format!("\n  {} -> {}: {}", i.from, i.to, i.place));
        format!(
            "{parent}: {} import each other; move what both need to where both can reach it{}",
            self.rooms.join(", "),
            lines.collect::<String>()
        )
    }
}

fn circles(imports: &[Import]) -> Vec<Circle<'_>> {
    let reach = reach(imports);
    let is_circle = |a: &str, b: &str| reaches(&reach, a, b) && reaches(&reach, b, a);
    let mut told = BTreeSet::new();
    let mut found = Vec::new();
    for room in reach.keys() {
        let rooms: Vec<&str> = reach.keys().copied().filter(|other| is_circle(room, other)).collect();
        // Each room of a circle leads to it: it is told once.
        if rooms.is_empty() || !told.insert(rooms.clone()) {
            continue;
        }
        let within = |i: &&Import| rooms.contains(&&*i.from) && rooms.contains(&&*i.to);
        let imports = imports.iter().filter(within).collect();
        found.push(Circle { rooms, imports });
    }
    found
}

fn reaches(reach: &BTreeMap<&str, BTreeSet<&str>>, from: &str, to: &str) -> bool {
    reach.get(from).is_some_and(|all| all.contains(to))
}

/// All that each room imports, directly or through others.
fn reach(imports: &[Import]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut reach: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for import in imports {
        reach.entry(&import.from).or_default().insert(&import.to);
    }
    // Until no room reaches a further one.
    loop {
        let before: usize = reach.values().map(BTreeSet::len).sum();
        let direct = reach.clone();
        for all in reach.values_mut() {
            let further: Vec<&str> = all.iter().filter_map(|to| direct.get(to)).flatten().copied().collect();
            all.extend(further);
        }
        if reach.values().map(BTreeSet::len).sum::<usize>() == before {
            return reach;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;

    const ROOT: (&str, &str) = ("lib.rs", "mod a; mod b; pub use b::deep::Thing;");

    /// A module that has further ones is a folder.
    const BELOW: [(&str, &str); 3] = [("a/below.rs", ""), ("b/below.rs", ""), ("c/below.rs", "")];

    /// The circles of folders; `files.rs` tests the circles of files.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = files
            .iter()
            .chain(&BELOW)
            .map(|(name, text)| (format!("x/src/{name}"), (*text).to_owned()))
            .collect();
        let sources = source::sources(&files);
        let (names, arrows) = arrows::of_crate("x/src", &sources.iter().collect::<Vec<_>>());
        between_folders("x/src", &names, &arrows)
    }

    #[test]
    fn a_circle_is_told_with_its_lines() {
        let a = ("a/mod.rs", "\nuse crate::b::deep::Thing;");
        let b = ("b/deep.rs", "pub struct Thing;\nfn f() { crate::a::g() }");
        let problems = found(&[ROOT, a, b]);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("x/src/: a, b import each other"), "{problems:?}");
        assert!(problems[0].contains("x/src/a/mod.rs:2: crate::b::deep::Thing"), "{problems:?}");
        assert!(problems[0].contains("x/src/b/deep.rs:2: crate::a::g"), "{problems:?}");
    }

    #[test]
    fn a_name_counts_where_it_is_defined() {
        let b = ("b/deep.rs", "use super::super::a; pub struct Thing;");
        assert_eq!(found(&[ROOT, ("a/mod.rs", "use crate::Thing;"), b]).len(), 1);
        let glob = ("a/mod.rs", "use crate::b::Thing;");
        assert_eq!(found(&[ROOT, glob, ("b/mod.rs", "mod deep; pub use deep::*;"), b]).len(), 1);
    }

    #[test]
    fn a_longer_circle_is_one() {
        let root = ("lib.rs", "mod a; mod b; mod c;");
        let [a, b, c] = [
            ("a/mod.rs", "use crate::b::in_b;"),
            ("b/mod.rs", "use crate::c::in_c;"),
            ("c/mod.rs", "use crate::a::in_a;"),
        ];
        assert_eq!(found(&[root, a, b, c]).len(), 1);
        assert!(found(&[root, a, b, ("c/mod.rs", "use crate::x;")]).is_empty());
    }

    #[test]
    fn tests_comments_and_parents_make_no_circle() {
        let b = ("b/deep.rs", "pub struct Thing;");
        let user = ("a/mod.rs", "use crate::Thing;");
        let tests = (
            "b/mod.rs",
            "mod deep;\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\nmod t { use crate::a::g; }\n// crate::a::g\n",
        );
        assert!(found(&[ROOT, user, b, tests, ("b/tests.rs", "use crate::a::g;")]).is_empty());
        assert!(
            found(&[
                ROOT,
                ("a/mod.rs", "mod c; use c::x;"),
                ("a/c/mod.rs", "use super::y; use crate::a::z;")
            ])
            .is_empty()
        );
    }
}
