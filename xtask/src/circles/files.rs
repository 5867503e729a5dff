//! Circles of imports between the files of a crate, against the list of the circles that stay.

use super::arrows::Arrow;
use super::known::Known;
use super::{Import, circles};

/// Files that import each other.
pub(super) struct Knot {
    /// In order.
    files: Vec<String>,
    /// Each import that ties them.
    text: String,
}

/// The circles between the files of the crate whose sources lie in `root`.
pub(super) fn knots(root: &str, arrows: &[Arrow]) -> Vec<Knot> {
    let ties = arrows.iter().filter(|arrow| !arrow.home.is_empty() && arrow.home != arrow.file);
    let import =
        |arrow: &Arrow| Import { place: arrow.place(), from: arrow.file.clone(), to: arrow.home.clone() };
    let imports: Vec<Import> = ties.map(import).collect();
    let knot = |circle: super::Circle<'_>| Knot {
        files: circle.rooms.iter().map(|room| (*room).to_owned()).collect(),
        text: circle.text(root),
    };
    circles(&imports).into_iter().map(knot).collect()
}

/// The problems with these circles: circles that no entry of the list has, and entries that are larger than the rest of
/// their circle.
pub(super) fn judge(found: &[Knot], known: &[Known]) -> Vec<String> {
    let is_new = |knot: &&Knot| !known.iter().any(|known| known.covers(knot));
    let new = found.iter().filter(is_new).map(|knot| knot.text.clone());
    new.chain(known.iter().filter_map(|known| known.problem(found))).collect()
}

impl Known {
    fn covers(&self, knot: &Knot) -> bool {
        knot.files.iter().all(|file| self.files.contains(&&**file))
    }

    /// The change that this entry needs.
    fn problem(&self, found: &[Knot]) -> Option<String> {
        let left: Vec<&Knot> = found.iter().filter(|knot| self.covers(knot)).collect();
        let whole = |knot: &Knot| knot.files.len() == self.files.len();
        match left[..] {
            [] => {
                Some(format!("{LIST}: {} are no circle any more; take the entry out", self.files.join(", ")))
            }
            [one] if whole(one) => None,
            _ => {
                let left: Vec<String> = left.iter().map(|knot| knot.files.join(", ")).collect();
                let files = self.files.join(", ");
                Some(format!("{LIST}: of {files} ({}) only this is left: {}", self.reason, left.join("; ")))
            }
        }
    }
}

const LIST: &str = "xtask/src/circles/known.rs";

#[cfg(test)]
mod tests {
    use super::super::arrows;
    use super::*;
    use crate::source;

    fn knots_of(files: &[(&str, &str)]) -> Vec<Knot> {
        let named = |(name, text): &(&str, &str)| (format!("x/src/{name}"), (*text).to_owned());
        let sources = source::sources(&files.iter().map(named).collect::<Vec<_>>());
        let sources: Vec<_> = sources.iter().collect();
        let (_, arrows) = arrows::of_crate("x/src", &sources);
        knots("x/src", &arrows)
    }

    const FACE: (&str, &str) = ("lib.rs", "mod a; mod b; pub use b::Thing;");
    const A: (&str, &str) = ("a.rs", "use crate::Thing;\npub fn f(_: Thing) {}");
    const B: (&str, &str) = ("b.rs", "pub struct Thing;\nfn g() { crate::a::f(Thing) }");

    #[test]
    fn a_circle_through_a_re_export_is_found_with_its_lines() {
        let found = knots_of(&[FACE, A, B]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].files, ["x/src/a.rs", "x/src/b.rs"]);
        assert!(found[0].text.contains("x/src/a.rs:1: crate::b::Thing"), "{}", found[0].text);
        assert!(found[0].text.contains("x/src/b.rs:2: crate::a::f"), "{}", found[0].text);
        assert!(knots_of(&[FACE, A, ("b.rs", "pub struct Thing;")]).is_empty());
    }

    #[test]
    fn a_face_that_hands_names_on_is_in_no_circle_until_it_uses_one() {
        let below = ("a/below.rs", "pub struct Thing;\nfn f() { super::LIMIT }");
        let face = ("a/mod.rs", "mod below;\npub use below::Thing;\npub const LIMIT: usize = 1;");
        assert!(knots_of(&[face, below]).is_empty());
        let user = ("a/mod.rs", "mod below;\npub use below::Thing;\npub const LIMIT: Thing = 1;");
        assert_eq!(knots_of(&[user, below]).len(), 1);
    }

    #[test]
    fn names_behind_an_imported_module_count_where_they_are_defined() {
        let user = ("a.rs", "use crate::b;\nfn f() { b::deep::g() }\npub struct Thing;");
        let deep = ("b/deep.rs", "use crate::a::Thing;\npub fn g() {}");
        let found = knots_of(&[("b/mod.rs", "pub mod deep;"), user, deep]);
        assert_eq!(found[0].files, ["x/src/a.rs", "x/src/b/deep.rs"]);
    }

    #[test]
    fn inline_modules_and_other_crates_make_no_circle() {
        let inline = ("a.rs", "mod sealed { use super::Thing; }\npub struct Thing;\nuse crate::Other;");
        let face = ("lib.rs", "mod a;\npub use outside::Other;\nuse a::Thing;\nfn f(_: Thing) {}");
        assert!(knots_of(&[face, inline]).is_empty());
    }

    #[test]
    fn the_list_may_only_shrink() {
        let found = knots_of(&[FACE, A, B]);
        let known = |files| [Known { files, reason: "they are one thing" }];
        assert!(judge(&found, &known(&["x/src/a.rs", "x/src/b.rs"])).is_empty());
        assert!(judge(&found, &[])[0].contains("x/src/a.rs, x/src/b.rs import each other"));
        let larger = judge(&found, &known(&["x/src/a.rs", "x/src/b.rs", "x/src/c.rs"]));
        assert!(larger[0].ends_with("only this is left: x/src/a.rs, x/src/b.rs"), "{larger:?}");
        assert!(judge(&[], &known(&["x/src/a.rs", "x/src/b.rs"]))[0].contains("take the entry out"));
    }
}
