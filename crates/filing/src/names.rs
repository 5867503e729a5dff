//! Names of files from a template, and the folders they lie in, with areaDetector's rules.

use std::path::{Path, PathBuf};

use rustix::fs::Access;

use crate::{Error, Result};

/// Fills in a template of C's `printf`, as areaDetector's FileTemplate: the first conversion takes `folder`
/// (a `/` is added where it has none at its end), the second `name`, the third `number`. Later conversions
/// may be absent: `%s%s.tif`.
///
/// Understood are `%s`, `%d`, `%i`, `%u`, `%x`, `%X` and `%o` with the flags `-`, `0`, `+` and space, width
/// and precision, and `%%`.
///
/// # Errors
/// [`Error::Template`] for any other conversion, or one that does not fit its value.
pub fn file_name(template: &str, folder: &str, name: &str, number: u64) -> Result<String> {
    let refused = |wanted| Error::Template { wanted, found: template.to_owned() };
    // Templates of areaDetector expect a folder that ends in a slash.
    let slash = if folder.is_empty() || folder.ends_with('/') { "" } else { "/" };
    let folder = format!("{folder}{slash}");
    // The order is areaDetector's: folder, name, number. A template may use fewer, but none twice.
    let mut values = [Item::Text(&folder), Item::Text(name), Item::Number(number)].into_iter();
    let (mut out, mut rest) = (String::new(), template);
    while let Some(at) = rest.find('%') {
        out += &rest[..at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let (conversion, after) =
            conversion(rest).ok_or_else(|| refused("conversions like %s and %3.3d in the template"))?;
        let value = values.next();
        out += &value
            .and_then(|value| conversion.apply(value))
            .ok_or_else(|| refused("%s for the folder, %s for the name, %d for the number"))?;
        rest = after;
    }
    Ok(out + rest)
}

/// `path` with a number before its ending, for series that usually have one file; the first file, 0, gets no number.
///
/// ```
/// use std::path::Path;
/// use livetime_filing::numbered;
///
/// assert_eq!(numbered(Path::new("run/ledger.json"), 0), Path::new("run/ledger.json"));
/// assert_eq!(numbered(Path::new("run/ledger.json"), 2), Path::new("run/ledger.2.json"));
/// assert_eq!(numbered(Path::new("run/ledger"), 2), Path::new("run/ledger.2"));
/// ```
pub fn numbered(path: &Path, number: u64) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let mut end = std::ffi::OsString::from(number.to_string());
    if let Some(extension) = path.extension() {
        end.push(".");
        end.push(extension);
    }
    path.with_extension(end)
}

enum Item<'a> {
    Text(&'a str),
    Number(u64),
}

struct Conversion {
    left: bool,
    zero: bool,
    sign: Option<char>,
    width: usize,
    precision: Option<usize>,
    kind: char,
}

/// The conversion after a `%`, and the text behind it.
fn conversion(text: &str) -> Option<(Conversion, &str)> {
    let flags = text.len() - text.trim_start_matches(['-', '0', '+', ' ']).len();
    let (flags, rest) = text.split_at(flags);
    let (width, rest) = digits(rest)?;
    let (precision, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest).map(|(precision, rest)| (Some(precision), rest))?,
        None => (None, rest),
    };
    let kind = rest.chars().next().filter(|c| "sdiuxXo".contains(*c))?;
    let has = |flag| flags.contains(flag);
    let sign = if has('+') { Some('+') } else { has(' ').then_some(' ') };
    let conversion = Conversion { left: has('-'), zero: has('0'), sign, width, precision, kind };
    Some((conversion, &rest[1..]))
}

/// A number of up to three digits, 0 without any: no file name is longer than that.
fn digits(text: &str) -> Option<(usize, &str)> {
    let (digits, rest) =
        text.split_at(text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len());
    match digits.len() {
        0 => Some((0, rest)),
        // At most three digits: a width of a billion would be a billion blanks.
        1..=3 => Some((digits.parse().ok()?, rest)),
        _ => None,
    }
}

impl Conversion {
    /// The value as text; `None` when it is of another kind.
    fn apply(&self, value: Item) -> Option<String> {
        let (text, zeros) = match (value, self.kind) {
            (Item::Text(text), 's') => {
                (text.chars().take(self.precision.unwrap_or(usize::MAX)).collect::<String>(), false)
            }
            (Item::Number(number), 'd' | 'i' | 'u' | 'x' | 'X' | 'o') => {
                // As in C, zeros do not pad a number that has a precision.
                (self.number(number), self.zero && self.precision.is_none())
            }
            _ => return None,
        };
        let (missing, width) = (self.width.saturating_sub(text.chars().count()), self.width);
        Some(match (self.left, zeros) {
            (true, _) => format!("{text:<width$}"),
            (false, true) => {
                // The sign stays in front of the zeros.
                let (sign, digits) = text.split_at(text.len() - text.trim_start_matches(['+', ' ']).len());
                format!("{sign}{}{digits}", "0".repeat(missing))
            }
            (false, false) => format!("{text:>width$}"),
        })
    }

    fn number(&self, number: u64) -> String {
        let digits = match self.kind {
            'x' => format!("{number:x}"),
            'X' => format!("{number:X}"),
            'o' => format!("{number:o}"),
            _ => number.to_string(),
        };
        let sign = self.sign.filter(|_| "di".contains(self.kind)).map(String::from).unwrap_or_default();
        format!("{sign}{}{digits}", "0".repeat(self.precision.unwrap_or(0).saturating_sub(digits.len())))
    }
}

/// Makes sure that `folder` is there and that files can be created in it. `create` is areaDetector's CreateDirectory: 0 creates nothing, -n
/// at most n folders, n those below the first n, which must be there.
///
/// # Errors
/// [`Error::NoFolder`], or [`Error::Folder`] if the system refuses.
pub fn ensure_folder(folder: &str, create: i32) -> Result<()> {
    let path = Path::new(folder);
    if path.is_dir() {
        return may_write(path);
    }
    let levels = path.components().filter(|c| matches!(c, std::path::Component::Normal(_))).count();
    // Only missing levels are counted, from the end of the path.
    let ancestors = path.ancestors().filter(|a| a.file_name().is_some());
    let missing = ancestors.take_while(|a| !a.exists()).count();
    let allowed = match create {
        // A negative number allows this many levels to be created; a positive one says how many must exist.
        ..=0 => missing <= create.unsigned_abs() as usize,
        _ => levels - missing >= create as usize,
    };
    if folder.is_empty() || !allowed {
        return Err(Error::NoFolder { folder: folder.to_owned(), create });
    }
    std::fs::create_dir_all(path).map_err(|e| Error::folder(path, "to create a folder", e))
}

/// Checks that a file can have this name: the name is not empty, and is not the name of a folder.
///
/// # Errors
/// [`Error::Name`].
pub fn may_be_file(path: &Path) -> Result<()> {
    let refused = |found| Err(Error::name(path, "the name of a file", found));
    match path.file_name() {
        _ if path.is_dir() => refused("a folder"),
        None => refused("none"),
        Some(_) => Ok(()),
    }
}

/// Whether files can be created in a folder that is there.
///
/// # Errors
/// [`Error::Folder`].
pub fn may_write(folder: &Path) -> Result<()> {
    let wanted = Access::WRITE_OK | Access::EXEC_OK;
    rustix::fs::access(folder, wanted).map_err(|e| Error::folder(folder, "a folder to write to", e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        for (path, is_right) in [
            (folder.path().join("a"), true),
            (folder.path().into(), false),
            ("/".into(), false),
            ("".into(), false),
        ] {
            assert_eq!(may_be_file(&path).is_ok(), is_right, "{path:?}");
        }
    }

    #[test]
    fn templates() {
        for (template, expected) in [
            ("%s%s_%3.3d.tif", "/data/run_007.tif"),
            ("%s%s.h5", "/data/run.h5"),
            ("%s%s%d", "/data/run7"),
            ("%s%s_%05d%%", "/data/run_00007%"),
            ("%s%s_%5d|", "/data/run_    7|"),
            ("%s%s_%-5d|", "/data/run_7    |"),
            ("%s%s_%+05i|", "/data/run_+0007|"),
            ("%s%s_%05.2d|", "/data/run_   07|"),
            ("%s%6.2s_%x", "/data/    ru_7"),
            ("%s%-5s_%u.tif", "/data/run  _7.tif"),
            ("x", "x"),
        ] {
            assert_eq!(file_name(template, "/data", "run", 7).unwrap(), expected, "{template}");
        }
        assert_eq!(file_name("%s%s%X", "", "ü", u64::MAX).unwrap(), "üFFFFFFFFFFFFFFFF");
        assert_eq!(file_name("%s%s%3.3d", "a/", "b", 12345).unwrap(), "a/b12345");
        for template in ["%", "%s%s%f", "%d", "%s%d", "%s%s%d%d", "%s%s%4444d", "%s%s%3.ü", "%s%s%n"] {
            let error = file_name(template, "a", "b", 1).unwrap_err().to_string();
            assert!(error.contains("wanted") && error.ends_with(&format!("`{template}`")), "{error}");
        }
    }

    #[test]
    fn folders() {
        let root = tempfile::TempDir::new().unwrap();
        let folder = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
        let levels = root.path().components().count() as i32 - 1;
        assert!(ensure_folder(&folder(""), 0).is_ok());
        assert!(ensure_folder(&folder("a"), 0).is_err());
        assert!(ensure_folder(&folder("a/b"), -1).is_err());
        assert!(ensure_folder(&folder("a/b"), levels + 1).is_err());
        assert!(!root.path().join("a").exists());
        assert!(ensure_folder(&folder("a/b"), -2).is_ok());
        assert!(ensure_folder(&folder("c/d"), levels).is_ok());
        assert!(ensure_folder(&folder("c/d/e/f"), 1).is_ok());
        assert!(ensure_folder("", -5).is_err());
        std::fs::write(folder("file"), "x").unwrap();
        assert!(ensure_folder(&folder("file"), -5).is_err());
    }
}
