//! The next file of a numbered series.

use std::path::Path;

use livetime_formats::file::GrowingFile;

use super::file_name::file_name;

/// Numbers that are tried for one that is free.
const MOST_TAKEN: u64 = 10_000;

/// Name of the next file with [`file_name`]'s rules; `number` grows past those that are there already, whole or being written.
///
/// # Errors
/// Text, if the template is none, or there is no free number near.
pub(super) fn next_file(
    template: &str,
    folder: &str,
    name: &str,
    number: &mut u64,
) -> Result<String, String> {
    let first = file_name(template, folder, name, *number)?;
    for tried in *number..number.saturating_add(MOST_TAKEN) {
        let path = file_name(template, folder, name, tried)?;
        if !GrowingFile::is_taken(Path::new(&path)) {
            *number = tried;
            return Ok(path);
        }
    }
    Err(format!("`{first}`: wanted a name that is not taken, found none among {MOST_TAKEN} numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_numbers_are_passed_over() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().to_str().unwrap();
        std::fs::write(folder.path().join("a1"), "").unwrap();
        std::fs::write(folder.path().join("a2.inprogress"), "").unwrap();
        let mut number = 1;
        assert!(next_file("%s%s%d", path, "a", &mut number).unwrap().ends_with("/a3"));
        assert_eq!(number, 3);
        // A template without a number has one name only.
        std::fs::write(folder.path().join("b"), "").unwrap();
        assert!(next_file("%s%s", path, "b", &mut number).unwrap_err().contains("not taken"));
    }
}
