//! The tests of the Python package, by `tools/python.sh`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use super::counts::Counts;
use super::{Files, skips};

/// The exit code of the script when Python or a package of PyPI is missing.
const MISSING: i32 = 77;

/// Tests in another language, which a script runs.
pub(super) struct Suite {
    /// Ends with [`MISSING`] when something that it needs is not there.
    pub(super) script: &'static str,
    /// The name of what is needed, as `.ci/known` has it.
    pub(super) needed: &'static str,
    pub(super) reason: &'static str,
    /// The results in one line of its output.
    pub(super) results: fn(&str) -> Counts,
    /// The test that one line tells of which failed at first, and then passed.
    pub(super) unsteady: fn(&str) -> Option<String>,
}

/// Builds the package and runs its tests; without Python or PyPI they are skipped, on record. Returns whether all passed.
pub(super) fn run(root: &Path, files: &Files, counts: &mut Counts) -> Result<bool, String> {
    let suite = Suite {
        script: "tools/python.sh",
        needed: "peer/python",
        reason: "no Python from 3.11 on, or no packages from PyPI (tools/python.sh says which)",
        results,
        unsteady: |_| None,
    };
    suite.run(root, files, counts)
}

impl Suite {
    /// Runs the script, shows what it prints and adds up its results. Returns whether all passed or were skipped.
    pub(super) fn run(&self, root: &Path, files: &Files, counts: &mut Counts) -> Result<bool, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", self.script);
        let mut command = Command::new("bash");
        super::forget_this_program(&mut command);
        command.arg(self.script).current_dir(root);
        command.env("LIVETIME_SKIPPED", &files.skips).env("CARGO_TARGET_DIR", &files.target);
        // As the tests of the workspace have built it: alone it would be built with other features of its libraries.
        command.env("LIVETIME_PROGRAM", files.target.join("debug/livetime"));
        command.env("LIVETIME_WORKSPACE", super::workspace().join(" "));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let output = child.stdout.take().ok_or_else(|| format!("{}: no output", self.script))?;
        let failed_before = counts.failed;
        for line in BufReader::new(output).split(b'\n') {
            let line = String::from_utf8_lossy(&line.map_err(failed)?).into_owned();
            println!("{line}");
            let found = (self.results)(&line);
            counts.passed += found.passed;
            counts.failed += found.failed;
            counts.ignored += found.ignored;
            if let Some(name) = (self.unsteady)(&line) {
                files.add_unsteady(&name)?;
            }
        }
        let status = child.wait().map_err(failed)?;
        if status.code() == Some(MISSING) {
            skips::append(&files.skips, self.script, self.needed, self.reason)?;
            return Ok(true);
        }
        if !status.success() && counts.failed == failed_before {
            // No test failed, but something beside them: types, freshness, a size.
            println!("{}: FAILED, ended with {status}", self.script);
            counts.failed += 1;
        }
        Ok(status.success())
    }
}

/// Of pytest's last line, as `3 failed, 41 passed, 1 skipped in 2.10s`. A test that was skipped is counted as passed: its skip is on
/// record, and is taken off again.
fn results(line: &str) -> Counts {
    let mut counts = Counts::default();
    let Some((all, _)) = line.trim_matches(['=', ' ']).rsplit_once(" in ") else { return counts };
    for part in all.split(", ") {
        match part.split_once(' ').map(|(n, what)| (n.parse::<u64>(), what)) {
            Some((Ok(n), "passed" | "skipped")) => counts.passed += n,
            Some((Ok(n), "failed" | "error" | "errors")) => counts.failed += n,
            _ => {}
        }
    }
    counts
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn the_last_line_is_added_up() {
        let counts = |line| (results(line).passed, results(line).failed);
        assert_eq!(counts("3 failed, 41 passed, 1 skipped in 2.10s"), (42, 3));
        assert_eq!(counts("===== 2 passed, 1 error in 0.10s ====="), (2, 1));
        assert_eq!(counts("Success: no issues found in 14 source files"), (0, 0));
        assert_eq!(counts("....... [100%]"), (0, 0));
    }
}
