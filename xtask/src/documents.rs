//! Documents lead to each other: every page of `docs` is in its index, links lead to pages and headings, no page is long.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::tidy::files;

const INDEX: &str = "docs/README.md";

/// Half pages about choices; the index links their folder.
const DECISIONS: &str = "docs/decisions";

/// A page is read in ten minutes: 2,000 words, and a tenth more for the bars of its tables.
const MOST_WORDS: usize = 2_200;

/// It grows with every release.
const MAY_BE_LONG: &str = "CHANGELOG.md";

pub(crate) fn check(root: &Path, problems: &mut Vec<String>) -> Result<(), String> {
    let pages = pages(root)?;
    let texts = pages
        .iter()
        .map(|page| fs::read_to_string(root.join(page)).map_err(|e| format!("{}: {e}", page.display())));
    let texts = texts.collect::<Result<Vec<_>, _>>()?;
    let indexed =
        pages.iter().position(|page| page == Path::new(INDEX)).map(|at| targets(&pages[at], &texts[at]));
    let indexed = indexed.ok_or_else(|| format!("{INDEX} is missing"))?;
    for (page, text) in pages.iter().zip(&texts) {
        let is_page = page.starts_with("docs") && !page.starts_with(DECISIONS) && page != Path::new(INDEX);
        if is_page && !indexed.iter().any(|(target, _)| target == page) {
            problems.push(format!("{INDEX}: {} is not in it", page.display()));
        }
        let words = text.split_whitespace().count();
        if words > MOST_WORDS && page != Path::new(MAY_BE_LONG) {
            problems.push(format!(
                "{}: {words} words, wanted at most {MOST_WORDS}; divide it by its readers",
                page.display()
            ));
        }
        problems.extend(broken_links(root, page, text));
    }
    Ok(())
}

/// The documents at the top and in these folders, as paths below `root`.
fn pages(root: &Path) -> Result<Vec<PathBuf>, String> {
    let at_top = fs::read_dir(root).map_err(|e| format!("{}: {e}", root.display()))?;
    let mut found: Vec<PathBuf> = at_top.flatten().map(|entry| entry.path()).collect();
    for folder in ["docs", "crates", "examples", "testdata"] {
        found.extend(files(&root.join(folder))?);
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    Ok(found.iter().map(|path| path.strip_prefix(root).unwrap_or(path).to_owned()).collect())
}

/// Files and headings of this repository to which the text of a page links, but for code in it.
fn targets(page: &Path, text: &str) -> Vec<(PathBuf, Option<String>)> {
    let prose = outside_code(text).collect::<Vec<_>>().join("\n");
    let links = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    // Neither pages of the web, nor code that looks like a link.
    let inside = links.filter(|link| !link.contains("://") && !link.contains(char::is_whitespace));
    let folder = page.parent().unwrap_or(Path::new(""));
    let target = |link: &str| {
        let (file, heading) =
            link.split_once('#').map_or((link, None), |(file, heading)| (file, Some(heading)));
        let path = if file.is_empty() { page.to_owned() } else { normal(&folder.join(file)) };
        (path, heading.map(str::to_owned))
    };
    inside.map(target).collect()
}

fn broken_links(root: &Path, page: &Path, text: &str) -> Vec<String> {
    let is_broken = |(target, heading): &(PathBuf, Option<String>)| {
        let Some(heading) = heading else { return !root.join(target).exists() };
        let text = fs::read_to_string(root.join(target)).unwrap_or_default();
        !outside_code(&text).filter(|line| line.starts_with('#')).any(|line| anchor(line) == *heading)
    };
    let broken = targets(page, text).into_iter().filter(is_broken);
    let sentence = |(target, heading): (PathBuf, Option<String>)| {
        let heading = heading.map(|heading| format!("#{heading}")).unwrap_or_default();
        format!("{}: a link to {}{heading}, which is not there", page.display(), target.display())
    };
    broken.map(sentence).collect()
}

/// The lines of a document that are not in a block of code.
fn outside_code(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The anchor that a heading gets: its letters in lower case, with hyphens for blanks.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut whole, part| {
        match part {
            Component::ParentDir => _ = whole.pop(),
            Component::CurDir => {}
            other => whole.push(other),
        }
        whole
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository with these files.
    fn problems_of(given: &[(&str, &str)]) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        for folder in ["docs", "crates", "examples", "testdata"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for (name, text) in given {
            fs::write(root.path().join(name), text).unwrap();
        }
        let mut problems = Vec::new();
        check(root.path(), &mut problems).unwrap();
        problems
    }

    #[test]
    fn a_page_outside_the_index_is_found() {
        let index = ("docs/README.md", "[a](a.md)\n");
        assert!(problems_of(&[index, ("docs/a.md", "")]).is_empty());
        assert_eq!(problems_of(&[index, ("docs/a.md", ""), ("docs/b.md", "")]).len(), 1);
    }

    #[test]
    fn links_lead_to_files_and_headings() {
        let index = ("docs/README.md", "[a](a.md) [top](../README.md)\n");
        let found = |text: &str| problems_of(&[index, ("README.md", ""), ("docs/a.md", text)]).len();
        assert_eq!(
            found("# The `a` of it\n[here](#the-a-of-it) [there](../README.md) [web](https://a.b/c)\n"),
            0
        );
        assert_eq!(found("[nowhere](c.md)\n"), 1);
        assert_eq!(found("# One\n[two](#two)\n"), 1);
        assert_eq!(found("```\n[code](c.md)\n# Two\n```\n[two](#two)\n"), 1);
    }

    #[test]
    fn a_long_page_is_found() {
        let long = "word ".repeat(MOST_WORDS + 1);
        let index = ("docs/README.md", "[a](a.md)\n");
        assert_eq!(problems_of(&[index, ("docs/a.md", &long), ("CHANGELOG.md", &long)]).len(), 1);
    }
}
