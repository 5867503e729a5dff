//! The tests of the web page, by `tools/web.sh`.

use std::path::Path;

use super::counts::Counts;
use super::{Files, python::Suite};

/// Checks types and bundle, and runs the page's tests. Without npm or Chromium they are skipped, on record. Returns
/// whether all passed.
pub(super) fn run(root: &Path, files: &Files, counts: &mut Counts) -> Result<bool, String> {
    let suite = Suite {
        script: "tools/web.sh",
        needed: "peer/web",
        reason: "no Node from 20.19 on, no packages from npm, or no Chromium (tools/web.sh says which)",
        results,
        unsteady,
    };
    suite.run(root, files, counts)
}

/// Of vitest's line of results, as `Tests  3 failed | 41 passed | 1 skipped (45)`.
fn results(line: &str) -> Counts {
    let mut counts = Counts::default();
    let Some(all) = line.trim_start().strip_prefix("Tests ") else { return counts };
    let all = all.rsplit_once(" (").map_or(all, |(all, _)| all);
    for part in all.split(" | ") {
        match part.trim().split_once(' ').map(|(n, what)| (n.parse::<u64>(), what)) {
            Some((Ok(n), "passed")) => counts.passed += n,
            Some((Ok(n), "failed")) => counts.failed += n,
            Some((Ok(n), "skipped" | "todo")) => counts.ignored += n,
            _ => {}
        }
    }
    counts
}

/// A test that failed and passed when it was repeated, as `web/tools/unsteady.mjs` tells it.
fn unsteady(line: &str) -> Option<String> {
    line.strip_prefix("unsteady: ").map(str::to_owned)
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn the_line_of_results_is_added_up() {
        let counts = |line| (results(line).passed, results(line).failed, results(line).ignored);
        assert_eq!(counts("      Tests  3 failed | 41 passed | 1 skipped (45)"), (41, 3, 1));
        assert_eq!(counts("      Tests  65 passed (65)"), (65, 0, 0));
        assert_eq!(counts(" Test Files  8 passed (8)"), (0, 0, 0));
        assert_eq!(counts("Tests are run"), (0, 0, 0));
    }

    #[test]
    fn a_test_that_was_repeated_is_named() {
        let line = "unsteady: test/browser/page.test.ts > is shown: no picture";
        assert_eq!(unsteady(line).as_deref(), Some("test/browser/page.test.ts > is shown: no picture"));
        assert_eq!(unsteady(" ✓ test/browser/page.test.ts > is shown 34528ms (retry x1)"), None);
    }
}
