//! The next file of a numbered series.

use std::path::{Path, PathBuf};

use crate::error::NEW;
use crate::names::file_name;
use crate::{Error, Result};

/// Most tries to create a file while other programs take the same numbers: afterwards an error is better than an
/// endless loop.
const MOST_TRIES: usize = 1000;

/// Names of a numbered series, with [`file_name`]'s rules.
pub struct Series<'a> {
    /// With C's conversions for folder, name and number.
    pub template: &'a str,
    /// Folder of the files.
    pub folder: &'a str,
    /// Name of the files.
    pub name: &'a str,
    /// Largest number.
    pub last: u64,
}

impl Series<'_> {
    /// The name with number `number`.
    ///
    /// # Errors
    /// If the template is none.
    pub fn path(&self, number: u64) -> Result<PathBuf> {
        file_name(self.template, self.folder, self.name, number).map(PathBuf::from)
    }

    /// Creates the first file from `number` on whose name is free; `number` is then the number of this file. `is_taken`
    /// returns whether a file of this name exists, whole or being written; `create` makes one, or returns `None` if
    /// another program was faster.
    ///
    /// The number found is free, and the one before it is not. The search checks few names, and not the whole folder.
    ///
    /// # Errors
    /// If the template is none, the operating system reports an error, or no number is free.
    pub fn create_next<T>(
        &self,
        number: &mut u64,
        is_taken: impl Fn(&Path) -> bool,
        mut create: impl FnMut(&Path) -> Result<Option<T>>,
    ) -> Result<T> {
        for _ in 0..MOST_TRIES {
            let next = first_free(*number, self.last, |n| self.path(n).map(|path| is_taken(&path)))?;
            let path = self.path(next.unwrap_or(*number))?;
            // All names of a template without a number are the same.
            let is_numbered = path != self.path(next.unwrap_or(*number).wrapping_add(1))?;
            let Some(next) = next.filter(|next| is_numbered || *next == *number) else {
                return Err(none_free(&path, is_numbered, self.last > *number));
            };
            if let Some(made) = create(&path)? {
                *number = next;
                return Ok(made);
            }
            if !is_numbered {
                return Err(none_free(&path, false, true));
            }
        }
        Err(Error::name(&self.path(*number)?, NEW, "that others create it all the time"))
    }
}

fn none_free(path: &Path, is_numbered: bool, may_go_on: bool) -> Error {
    let found = match (is_numbered, may_go_on) {
        (true, true) => "that all numbers behind it are taken",
        (true, false) => "one of this name",
        (false, _) => "one of this name, and no number in the template",
    };
    Error::name(path, NEW, found)
}

/// A number from `from` to `last` that is not taken while the one before it is; `from` itself if it is not taken, `None` if none is found.
fn first_free(from: u64, last: u64, is_taken: impl Fn(u64) -> Result<bool>) -> Result<Option<u64>> {
    if from > last {
        return Ok(None);
    }
    // The usual case, the next number is free, costs one check.
    if !is_taken(from)? {
        return Ok(Some(from));
    }
    // Doubling steps, then halving: a folder of a million files costs forty checks.
    let (mut taken, mut step) = (from, 1);
    let mut free = loop {
        // The search never passes the last number, however long the step.
        let next = taken.saturating_add(step).min(last);
        if next == taken {
            return Ok(None);
        }
        if !is_taken(next)? {
            break next;
        }
        (taken, step) = (next, step.saturating_mul(2));
    };
    while free - taken > 1 {
        let middle = taken + (free - taken) / 2;
        match is_taken(middle)? {
            true => taken = middle,
            false => free = middle,
        }
    }
    Ok(Some(free))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs::File;

    use livetime_formats::file::GrowingFile;

    use super::*;

    fn create(path: &Path) -> Result<Option<GrowingFile>> {
        Ok(GrowingFile::create_new(path)?)
    }

    #[test]
    fn taken_numbers_are_passed_over() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().to_str().unwrap();
        File::create(folder.path().join("a1")).unwrap();
        File::create(folder.path().join("a2.inprogress")).unwrap();
        let mut number = 1;
        let series = Series { template: "%s%s%d", folder: path, name: "a", last: 4 };
        let file = series.create_next(&mut number, GrowingFile::is_taken, create).unwrap();
        assert!(file.path().ends_with("a3"));
        assert_eq!(number, 3);
        let _last = series.create_next(&mut number, GrowingFile::is_taken, create).unwrap();
        number = 2;
        let none = series.create_next(&mut number, GrowingFile::is_taken, create).unwrap_err().to_string();
        assert!(
            none.ends_with("a2`: wanted a new file, found that all numbers behind it are taken"),
            "{none}"
        );
        number = 4;
        let none = series.create_next(&mut number, GrowingFile::is_taken, create).unwrap_err().to_string();
        assert!(none.ends_with("a4`: wanted a new file, found one of this name"), "{none}");
        // A template without a number has one name only.
        let series = Series { template: "%s%s", name: "b", ..series };
        let _next = series.create_next(&mut number, GrowingFile::is_taken, create).unwrap();
        let none = series.create_next(&mut number, GrowingFile::is_taken, create).unwrap_err().to_string();
        assert!(
            none.ends_with("/b`: wanted a new file, found one of this name, and no number in the template"),
            "{none}"
        );
    }

    #[test]
    fn a_series_of_a_million_files_is_continued_at_once() {
        let looks = Cell::new(0);
        let is_taken = |n: u64| {
            looks.set(looks.get() + 1);
            Ok(n <= 1_000_000)
        };
        assert_eq!(first_free(1, u64::MAX, is_taken).unwrap(), Some(1_000_001));
        assert!(looks.get() < 50, "{looks:?}");
        assert_eq!(first_free(2_000_000, u64::MAX, is_taken).unwrap(), Some(2_000_000));
        assert_eq!(first_free(5, 1_000_000, is_taken).unwrap(), None);
        assert_eq!(first_free(u64::MAX, u64::MAX, |_| Ok(true)).unwrap(), None);
    }

    #[test]
    fn who_is_slower_takes_the_next_number() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().to_str().unwrap();
        let series = Series { template: "%s%s%d", folder: path, name: "a", last: 9 };
        let mut number = 1;
        // Another program creates a file between the check and the creation.
        let mut is_first = true;
        let create = |path: &Path| {
            if std::mem::take(&mut is_first) {
                File::create(path).unwrap();
            }
            create(path)
        };
        let file = series.create_next(&mut number, GrowingFile::is_taken, create).unwrap();
        assert!(file.path().ends_with("a2"), "{file:?}");
    }
}
