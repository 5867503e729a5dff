//! The tests that must not be skipped on a machine that is known to have their data, and how many tests must run at
//! least.

use std::fs;
use std::path::{Path, PathBuf};

use super::counts::Counts;
use super::skips::Skips;

/// Every skip that must not be, and a number of tests below the floor.
pub(super) fn problems(root: &Path, counts: Counts, skips: &Skips) -> Result<Vec<String>, String> {
    let known = std::env::var_os("LIVETIME_KNOWN").map_or_else(|| root.join(".ci/known"), PathBuf::from);
    let known = if known.as_os_str() == "none" { String::new() } else { read(&known)? };
    let floor = read(&root.join(".ci/floor"))?;
    let floor =
        lines(&floor).next().and_then(|n| n.parse().ok()).ok_or(".ci/floor: wanted a number of tests")?;
    let mut problems = missing(&known, skips);
    let ran = counts.passed + counts.failed;
    problems.extend((ran < floor).then(|| {
        format!("{ran} tests ran, wanted at least {floor} (.ci/floor): tests were removed, or a test program did not start")
    }));
    Ok(problems)
}

fn missing(known: &str, skips: &Skips) -> Vec<String> {
    let is_known = |needed: &str| lines(known).any(|k| needed == k || needed.starts_with(&format!("{k}/")));
    let told = |skip: &super::skips::Skip| {
        let (name, needed, reason) = (skip.name(), &skip.needed, &skip.reason);
        format!(
            "{name} was skipped: {reason}; `{needed}` is in .ci/known, what this machine must have \
             (elsewhere: LIVETIME_KNOWN=none)"
        )
    };
    skips.iter().filter(|skip| is_known(&skip.needed)).map(told).collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn what_the_machine_has_must_not_be_skipped() {
        let skips =
            Skips::parse("a\tt\tdata/xtc1/x\tno x\nb\tu\tpeer/java\tno Java\nc\tv\tdata/xtc10\tno xtc10\n");
        let problems = missing("# known\ndata/xtc1\n\npeer/pva\n", &skips);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].starts_with("a::t was skipped: no x; `data/xtc1/x` is in .ci/known"),
            "{problems:?}"
        );
    }

    #[test]
    fn fewer_tests_than_the_floor_are_a_problem() {
        let root = std::env::temp_dir().join(format!("livetime-judge-{}", std::process::id()));
        fs::create_dir_all(root.join(".ci")).unwrap();
        fs::write(root.join(".ci/known"), "").unwrap();
        fs::write(root.join(".ci/floor"), "# at least\n100\n").unwrap();
        let ran =
            |passed| problems(&root, Counts { passed, failed: 0, ignored: 9 }, &Skips::default()).unwrap();
        assert!(ran(100).is_empty());
        assert!(ran(99)[0].contains("wanted at least 100"));
        fs::remove_dir_all(root).unwrap();
    }
}
