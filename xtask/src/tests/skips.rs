//! The tests that were skipped: lines of program, test, missing thing, and the reason, with tabs between.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

#[derive(Default)]
pub(super) struct Skips(Vec<Skip>);

pub(super) struct Skip {
    pub(super) program: String,
    /// Empty for a step that is no test.
    pub(super) test: String,
    pub(super) needed: String,
    pub(super) reason: String,
}

/// At most this many tests are named for one reason; the file has all.
const NAMED: usize = 4;

impl Skips {
    pub(super) fn read(file: &Path) -> Result<Skips, String> {
        match fs::read_to_string(file) {
            Ok(text) => Ok(Skips::parse(&text)),
            Err(error) => Err(format!("{}: {error}: the record of skipped tests is gone", file.display())),
        }
    }

    pub(super) fn parse(text: &str) -> Skips {
        Skips(text.lines().filter_map(Skip::parse).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Skip> {
        self.0.iter()
    }

    /// Tests that left something out; one that did so twice is one.
    pub(super) fn tests(&self) -> u64 {
        self.distinct(|skip| !skip.test.is_empty())
    }

    /// Tests and other steps.
    pub(super) fn all(&self) -> u64 {
        self.distinct(|_| true)
    }

    fn distinct(&self, wanted: impl Fn(&Skip) -> bool) -> u64 {
        let names = self.iter().filter(|skip| wanted(skip)).map(|skip| (&skip.program, &skip.test));
        names.collect::<BTreeSet<_>>().len() as u64
    }

    /// A line for each reason, with the tests that gave it.
    pub(super) fn reasons(&self) -> String {
        let mut reasons: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for skip in self.iter() {
            reasons.entry(&skip.reason).or_default().insert(skip.name());
        }
        let line = |(reason, names): (&str, BTreeSet<String>)| {
            let more = names.len().saturating_sub(NAMED);
            let named: Vec<String> = names.into_iter().take(NAMED).collect();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("skipped: {reason}: {}{more}\n", named.join(", "))
        };
        reasons.into_iter().map(line).collect()
    }
}

impl Skip {
    fn parse(line: &str) -> Option<Skip> {
        let mut fields = line.split('\t').map(str::to_owned);
        Some(Skip {
            program: fields.next()?,
            test: fields.next()?,
            needed: fields.next()?,
            reason: fields.next()?,
        })
    }

    pub(super) fn name(&self) -> String {
        if self.test.is_empty() { self.program.clone() } else { format!("{}::{}", self.program, self.test) }
    }
}

/// Adds a step that is no test.
pub(super) fn append(file: &Path, step: &str, needed: &str, reason: &str) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", file.display());
    let mut file = OpenOptions::new().create(true).append(true).open(file).map_err(failed)?;
    file.write_all(format!("{step}\t\t{needed}\t{reason}\n").as_bytes()).map_err(failed)
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn a_test_is_skipped_once_and_a_reason_names_its_tests() {
        let line = |test: usize| format!("golden\tt{test}\tdata/x\tno x\n");
        let lines: String = [0, 1, 2, 3, 4, 5, 0].into_iter().map(line).collect();
        let skips = Skips::parse(&(lines + "half a line\n"));
        assert_eq!((skips.tests(), skips.all()), (6, 6));
        let expected = "skipped: no x: golden::t0, golden::t1, golden::t2, golden::t3 and 2 more\n";
        assert_eq!(skips.reasons(), expected);
    }
}
