//! Which files, and in which order.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

/// The file `path`, or the files in the folder `path` whose names match `pattern`, in natural order.
///
/// # Errors
/// Text naming the path, when it is not there, cannot be read, or no file matches.
pub(in crate::sources) fn list(path: &str, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let failed = |e: std::io::Error| format!("`{path}`: wanted a file or a folder, found: {e}");
    if std::fs::metadata(path).map_err(failed)?.is_file() {
        return Ok(vec![path.into()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if is_wanted(&name_of(&file), pattern) && file.is_file() {
            files.push(file);
        }
    }
    if files.is_empty() {
        let wanted = if pattern.is_empty() { ENDINGS.join(" or ") } else { pattern.into() };
        return Err(format!("`{path}`: wanted files `{wanted}`, found none"));
    }
    files.sort_by(|a, b| natural(&name_of(a), &name_of(b)).then_with(|| a.cmp(b)));
    Ok(files)
}

/// The last part of a path.
pub(in crate::sources) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

const ENDINGS: [&str; 5] = [".jpg", ".jpeg", ".png", ".tif", ".tiff"];

fn is_wanted(name: &str, pattern: &str) -> bool {
    if pattern.is_empty() {
        let name = name.to_ascii_lowercase();
        return !name.starts_with('.') && ENDINGS.iter().any(|ending| name.ends_with(ending));
    }
    matches(name.as_bytes(), pattern.as_bytes())
}

/// `*` stands for any text, `?` for any byte. Goes back to the last star only, so it is quick on any input.
fn matches(name: &[u8], pattern: &[u8]) -> bool {
    let (mut n, mut p, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == b'?' || *c == name[n] => (n, p) = (n + 1, p + 1),
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (n, p) = (from + 1, at + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

/// Numbers by their value, the rest by its characters: `a9` comes before `a10`.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let (Some(x), Some(y)) = (a.first(), b.first()) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (left, right) = (number(&mut a), number(&mut b));
            left.len().cmp(&right.len()).then_with(|| left.cmp(right))
        } else {
            (a, b) = (&a[1..], &b[1..]);
            x.cmp(y)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

/// Takes the digits off the front of `text` and returns them without leading zeros: any length is a number.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let zeros = digits.iter().position(|c| *c != b'0').unwrap_or(digits.len());
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_order() {
        let mut names =
            ["b1", "a10.png", "a9.png", "a", "a09.png", "a10", "a99999999999999999999999", "a1-2"];
        names.sort_by(|a, b| natural(a, b));
        let expected = ["a", "a1-2", "a9.png", "a09.png", "a10", "a10.png", "a99999999999999999999999", "b1"];
        assert_eq!(names, expected);
    }

    #[test]
    fn patterns() {
        for (name, pattern) in [("a.png", "*.png"), ("a.png", "?.p*g"), ("aab", "*ab"), ("", "*"), ("ü", "*")]
        {
            assert!(is_wanted(name, pattern), "{name} {pattern}");
        }
        for (name, pattern) in [("a.png", "*.jpg"), ("ab", "?"), ("a", "a?"), ("abc", "*b")] {
            assert!(!is_wanted(name, pattern), "{name} {pattern}");
        }
        assert!(is_wanted("A.JPG", "") && !is_wanted(".a.jpg", "") && !is_wanted("a.txt", ""));
        assert!(!matches(&[b'a'; 5000], &b"*a".repeat(2000).iter().chain(b"b").copied().collect::<Vec<_>>()));
    }
}
