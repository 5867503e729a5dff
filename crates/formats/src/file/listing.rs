//! Files by their names: which ones a pattern means, and in which order.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

/// The file `path`, or the files in the folder `path` whose names `is_wanted`, in natural order; `wanted` says in words which these are.
///
/// # Errors
/// Text naming the path, when it is not there, cannot be read, or no file is wanted.
pub fn list(path: &str, wanted: &str, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, String> {
    let failed = |e: std::io::Error| format!("`{path}`: wanted a file or a folder, found: {e}");
    if std::fs::metadata(path).map_err(failed)?.is_file() {
        return Ok(vec![path.into()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if is_wanted(&name_of(&file)) && file.is_file() {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(format!("`{path}`: wanted files `{wanted}`, found none"));
    }
    files.sort_by(|a, b| natural(&name_of(a), &name_of(b)).then_with(|| a.cmp(b)));
    Ok(files)
}

/// The last part of a path.
pub fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The files that `file` names: those that match a pattern, or one and the files of the same run beside it, which `files_of` finds; of
/// several lines just the file in each.
///
/// # Errors
/// Text naming the file.
pub fn files(
    file: &str,
    files_of: impl Fn(&Path) -> crate::Result<Vec<PathBuf>>,
) -> Result<Vec<PathBuf>, String> {
    if file.contains('\n') {
        return Ok(file.lines().map(PathBuf::from).collect());
    }
    let path = Path::new(file);
    let name = name_of(path);
    if !name.contains(['*', '?']) {
        let files = if path.is_file() { files_of(path).map_err(|e| e.to_string())? } else { Vec::new() };
        return if files.is_empty() {
            Err(format!("`{file}`: wanted a recorded file, found none"))
        } else {
            Ok(files)
        };
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    list(&folder.to_string_lossy(), &name, |file| matches(file, &name))
}

/// Whether all of these files are there.
///
/// # Errors
/// Text naming the first that is not.
pub fn there(files: &[PathBuf]) -> Result<(), String> {
    let missing = files.iter().find(|path| !path.is_file());
    missing.map_or(Ok(()), |path| Err(format!("`{}`: wanted a file, found none", path.display())))
}

/// Whether `pattern` matches a whole name: `*` stands for any text, `?` for any byte.
pub fn matches(name: &str, pattern: &str) -> bool {
    let (name, pattern) = (name.as_bytes(), pattern.as_bytes());
    // It goes back to the last star only, so the time is at most the product of both lengths.
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
            assert!(matches(name, pattern), "{name} {pattern}");
        }
        for (name, pattern) in [("a.png", "*.jpg"), ("ab", "?"), ("a", "a?"), ("abc", "*b")] {
            assert!(!matches(name, pattern), "{name} {pattern}");
        }
        assert!(!matches(&"a".repeat(5000), &("*a".repeat(2000) + "b")));
    }
}
