//! Files by their names: which ones a pattern means, and in which order.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use super::{Stores, address, folder_of};
use crate::Error;

/// Why a text names no files.
#[derive(Debug)]
pub enum ListError {
    /// The system refuses to look.
    Refused {
        /// Where.
        path: String,
        /// Why.
        why: io::Error,
    },
    /// No file of the folder is wanted.
    Empty {
        /// The folder.
        path: String,
        /// Files that are wanted, in words.
        wanted: String,
    },
    /// The text names no recorded file.
    Unrecorded {
        /// The text.
        text: String,
    },
    /// A file that is named is not there.
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The files of the same run cannot be told.
    Run(Error),
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListError::Refused { path, why } => {
                write!(f, "`{path}`: wanted a file or a folder, found: {why}")
            }
            ListError::Empty { path, wanted } => write!(f, "`{path}`: wanted files `{wanted}`, found none"),
            ListError::Unrecorded { text } => write!(f, "`{text}`: wanted a recorded file, found none"),
            ListError::Missing { path } => write!(f, "`{}`: wanted a file, found none", path.display()),
            ListError::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ListError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ListError::Refused { why, .. } => Some(why),
            ListError::Run(error) => Some(error),
            _ => None,
        }
    }
}

/// The file `path`, or the files in the folder `path` whose names `is_wanted`, in natural order; `wanted` says in words which these are.
///
/// # Errors
/// If the path is not there or cannot be read, or no file is wanted.
pub fn list(path: &str, wanted: &str, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, ListError> {
    let failed = |why| ListError::Refused { path: path.to_owned(), why };
    // A single file needs no pattern.
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
    sorted(files, path, wanted)
}

/// The files of a list in natural order, if there are any.
fn sorted(mut files: Vec<PathBuf>, path: &str, wanted: &str) -> Result<Vec<PathBuf>, ListError> {
    if files.is_empty() {
        return Err(ListError::Empty { path: path.to_owned(), wanted: wanted.to_owned() });
    }
    // Equal numbers with other zeros still need an order that is always the same.
    files.sort_by(|a, b| natural(&name_of(a), &name_of(b)).then_with(|| a.cmp(b)));
    Ok(files)
}

/// Replaces every address with a star in its last part by the objects that it means; a shell does so for paths alone.
///
/// # Errors
/// If there is no such object, or the store cannot list.
pub fn expanded(paths: Vec<PathBuf>, stores: &Stores) -> Result<Vec<PathBuf>, ListError> {
    // Without a pattern nothing is copied or asked.
    if !paths.iter().any(|path| is_pattern(path)) {
        return Ok(paths);
    }
    let mut all = Vec::new();
    for path in paths {
        match is_pattern(&path) {
            true => all.extend(matching(&path, stores)?),
            false => all.push(path),
        }
    }
    Ok(all)
}

fn is_pattern(path: &Path) -> bool {
    address(path).is_some() && name_of(path).contains('*')
}

/// The objects that an address with a pattern as its last part means.
fn matching(path: &Path, stores: &Stores) -> Result<Vec<PathBuf>, ListError> {
    let (folder, name) = (folder_of(path), name_of(path));
    let text = folder.to_string_lossy().into_owned();
    let listed = stores.list(folder).map_err(|why| ListError::Refused { path: text.clone(), why })?;
    sorted(listed.into_iter().filter(|file| matches(&name_of(file), &name)).collect(), &text, &name)
}

/// The last part of a path.
pub fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The files that `file` names: all files that match a pattern; or one file and the files of the same run beside it,
/// which `files_of` finds; or, for several lines, just the file in each.
///
/// # Errors
/// If there is no such file, or the others cannot be told.
pub fn files(
    file: &str,
    stores: &Stores,
    files_of: impl Fn(&Path) -> crate::Result<Vec<PathBuf>>,
) -> Result<Vec<PathBuf>, ListError> {
    // A text of several lines is a list that a user has given.
    if file.contains('\n') {
        return Ok(file.lines().map(PathBuf::from).collect());
    }
    let path = Path::new(file);
    let name = name_of(path);
    // A name with a star is a pattern, even if such a file is there.
    if !name.contains(['*', '?']) {
        let files = if stores.is_file(path) { files_of(path).map_err(ListError::Run)? } else { Vec::new() };
        return if files.is_empty() {
            Err(ListError::Unrecorded { text: file.to_owned() })
        } else {
            Ok(files)
        };
    }
    if address(path).is_some() {
        return matching(path, stores);
    }
    let folder = folder_of(path);
    list(&folder.to_string_lossy(), &name, |file| matches(file, &name))
}

/// Whether all of these files are there.
///
/// # Errors
/// The first that is not.
pub fn there(files: &[PathBuf]) -> Result<(), ListError> {
    let missing = files.iter().find(|path| !path.is_file());
    missing.map_or(Ok(()), |path| Err(ListError::Missing { path: path.clone() }))
}

/// Whether `pattern` matches a whole name: `*` stands for any text, `?` for any byte.
pub fn matches(name: &str, pattern: &str) -> bool {
    let (name, pattern) = (name.as_bytes(), pattern.as_bytes());
    // The search goes back to the last star only, so the time is at most the product of both lengths.
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
            // Without leading zeros the longer number is the larger one.
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
    fn a_text_that_names_no_file_is_refused_in_a_sentence() {
        let error = files("no.xtc", &Stores::default(), |path| Ok(vec![path.to_owned()])).unwrap_err();
        assert_eq!(error.to_string(), "`no.xtc`: wanted a recorded file, found none");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let error = list(path, "*.png", |_| true).unwrap_err();
        assert_eq!(error.to_string(), format!("`{path}`: wanted files `*.png`, found none"));
        let error = there(&["no.bin".into()]).unwrap_err();
        assert_eq!(error.to_string(), "`no.bin`: wanted a file, found none");
        let error = list("no/folder", "*", |_| true).unwrap_err();
        assert!(error.to_string().starts_with("`no/folder`: wanted a file or a folder, found: "), "{error}");
    }

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
