//! Passwords and certificates for a broker, in a file of their own.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the file in a folder of keys.
const FILE: &str = "kafka.properties";
/// Settings that the file may have begin with one of these. All others belong to the link: its account hangs on them.
const BEGINS: [&str; 3] = ["security.", "ssl.", "sasl."];

/// A file of properties that cannot be used.
#[derive(Debug)]
pub enum PropertiesError {
    /// It cannot be read.
    Io(PathBuf, io::Error),
    /// A line, by its number from 1, is none of a setting. The line itself may be a password, and is not shown.
    Line(PathBuf, usize),
    /// A setting that is not for users, and its line.
    Setting(PathBuf, usize, String),
}

impl fmt::Display for PropertiesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PropertiesError::Io(file, error) => write!(f, "{}: {error}", file.display()),
            PropertiesError::Line(file, line) => {
                write!(f, "{}:{line}: wanted name=value, found another line", file.display())
            }
            PropertiesError::Setting(file, line, name) => {
                let wanted = "wanted a setting that begins with `security.`, `ssl.` or `sasl.`";
                write!(f, "{}:{line}: {wanted}, found `{name}`", file.display())
            }
        }
    }
}

impl std::error::Error for PropertiesError {}

/// Reads `kafka.properties` in a folder of keys: lines `name=value` with the names of librdkafka, as
/// `security.protocol=sasl_ssl`; empty lines and comments, which begin with `#`, are passed over.
///
/// # Errors
/// [`PropertiesError`] for a file that cannot be read, another line, or a setting that is not about security.
pub fn read_properties(folder: &Path) -> Result<Vec<(String, String)>, PropertiesError> {
    let file = folder.join(FILE);
    let text = std::fs::read_to_string(&file).map_err(|e| PropertiesError::Io(file.clone(), e))?;
    let lines = text.lines().map(str::trim).zip(1..);
    lines
        .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
        .map(|(line, number)| {
            let (name, value) =
                line.split_once('=').ok_or_else(|| PropertiesError::Line(file.clone(), number))?;
            let (name, value) = (name.trim(), value.trim());
            if !BEGINS.iter().any(|begin| name.starts_with(begin)) {
                return Err(PropertiesError::Setting(file.clone(), number, name.to_owned()));
            }
            Ok((name.to_owned(), value.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, String)>, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        read_properties(folder.path()).map_err(|e| e.to_string())
    }

    #[test]
    fn lines_are_settings() {
        let found = read("# of the beam line\n\nsecurity.protocol = sasl_ssl\nsasl.password=a=b\n").unwrap();
        let wanted = [("security.protocol", "sasl_ssl"), ("sasl.password", "a=b")];
        assert_eq!(found, wanted.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn what_is_no_setting_of_security_is_named_and_a_password_is_not() {
        let error = read("sasl.username=me\nenable.idempotence=false").unwrap_err();
        assert!(
            error.contains("kafka.properties:2: wanted a setting") && error.contains("`enable.idempotence`")
        );
        let error = read("secret").unwrap_err();
        assert!(error.contains(":1: wanted name=value") && !error.contains("secret"), "{error}");
    }
}
