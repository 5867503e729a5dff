//! Helpers of commands that write the beginning of a node, codec or format.

use std::fs;
use std::path::Path;

/// Formats a package: the formatter keeps the `mod` lines in order.
pub(crate) fn sort_lists(root: &Path, package: &str) -> Result<(), String> {
    let mut format = std::process::Command::new("cargo");
    let status = format.current_dir(root).args(["fmt", "--package", package]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        other => Err(format!("`cargo fmt` failed ({other:?}); run it by hand")),
    }
}

/// Names of modules are in `snake_case`.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    if starts && name.chars().all(good) {
        return Ok(());
    }
    Err(format!("wanted a name in snake_case, found `{name}`"))
}

/// `subtract_dark` becomes `SubtractDark`.
pub(crate) fn type_name(name: &str) -> String {
    // Checked names are ASCII, so that a byte is a character.
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').filter(|w| !w.is_empty()).map(capital).collect()
}

/// Adds `line` after the last line that starts with the first of `prefixes` that occurs.
pub(crate) fn insert_line(file: &Path, prefixes: &[&str], line: &str) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut lines: Vec<&str> = text.lines().collect();
    let last = |prefix: &&str| lines.iter().rposition(|l| l.starts_with(prefix));
    let Some(place) = prefixes.iter().find_map(last) else {
        return Err(format!("{}: found no line to put `{}` behind", file.display(), line.trim()));
    };
    lines.insert(place + 1, line);
    write(file, &(lines.join("\n") + "\n"))
}

pub(crate) fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}
