//! A test that failed beside all the others is run again, alone. A test that passes then is unsteady: it is no failure,
//! and the summary names it (`docs/decisions`, "Unsteady tests").

use std::path::Path;
use std::process::Stdio;

use super::counts::Counts;
use super::{Files, cargo};

/// With more failures than this at once, something is broken.
const MOST: usize = 2;
/// How often it must pass alone.
const TIMES: usize = 3;

/// The output of test programs, as far as it decides which tests are run again.
#[derive(Default)]
pub(super) struct Watch {
    failed: Vec<String>,
    begun: usize,
    ended: usize,
}

impl Watch {
    /// Reads one line of a test program.
    pub(super) fn add(&mut self, line: &str) {
        let name = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"));
        self.failed.extend(name.map(str::to_owned));
        self.begun += usize::from(line.starts_with("running ") && line.contains(" test"));
        self.ended += usize::from(line.starts_with("test result: "));
    }

    /// The failed tests, if each failure has a name, no test program crashed, and there are few enough.
    fn repeatable(&self, failed: u64) -> &[String] {
        let is_whole = self.begun == self.ended && self.failed.len() as u64 == failed;
        // Tests in documentation are built anew each time, and do nothing that a busy machine disturbs.
        let is_code = self.failed.iter().all(|name| !name.contains(" - "));
        if is_whole && is_code && self.failed.len() <= MOST { &self.failed } else { &[] }
    }
}

/// Runs the failed tests of `what` again; tests that pass count as passed from here on. Returns their names.
pub(super) fn run(
    root: &Path,
    files: &Files,
    what: &[&str],
    watch: &Watch,
    counts: &mut Counts,
) -> Vec<String> {
    let names = watch.repeatable(counts.failed).iter();
    let unsteady: Vec<String> = names.filter(|name| passes_alone(root, files, what, name)).cloned().collect();
    counts.failed -= unsteady.len() as u64;
    counts.passed += unsteady.len() as u64;
    unsteady
}

fn passes_alone(root: &Path, files: &Files, what: &[&str], name: &str) -> bool {
    (0..TIMES).all(|_| {
        let only = ["--lib", "--bins", "--tests", "--", "--exact", name];
        let mut command = cargo(root, &[&["test"], what, &only].concat());
        command
            .env("CARGO_TARGET_DIR", &files.target)
            .env("LIVETIME_SKIPPED", &files.skips)
            .stderr(Stdio::null());
        let Ok(output) = command.output() else { return false };
        let mut counts = Counts::default();
        String::from_utf8_lossy(&output.stdout).lines().for_each(|line| counts.add(line));
        // A name that no test has would pass without a test.
        let passes = output.status.success() && counts.passed > 0;
        println!("again, alone: {name} ... {}", if passes { "ok" } else { "FAILED" });
        passes
    })
}

#[cfg(test)]
mod checks {
    use std::fs;

    use super::*;

    fn watched(lines: &[&str]) -> Watch {
        let mut watch = Watch::default();
        lines.iter().for_each(|line| watch.add(line));
        watch
    }

    /// A crate with a test that fails when it runs for the first time, and one that fails always.
    const SAMPLE: &str = r#"
#[test]
fn fails_once() {
    let mark = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("mark");
    let is_second = mark.exists();
    std::fs::write(mark, "").unwrap();
    assert!(is_second);
}
#[test]
fn fails() {
    panic!();
}
"#;

    #[test]
    fn what_passes_alone_is_unsteady_and_what_fails_again_has_failed() {
        let root = std::env::temp_dir().join(format!("livetime-again-{}", std::process::id()));
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("Cargo.toml"), "[package]\nname = \"sample\"\nedition = \"2024\"\n[workspace]\n")
            .unwrap();
        fs::write(root.join("src/lib.rs"), SAMPLE).unwrap();
        let target = root.join("target");
        let files = Files { counts: root.join("c"), skips: root.join("s"), unsteady: root.join("u"), target };
        let mut first = cargo(&root, &["test", "--workspace"]);
        let output = first.env("CARGO_TARGET_DIR", &files.target).stderr(Stdio::null()).output().unwrap();
        let (mut watch, mut counts) = (Watch::default(), Counts::default());
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            watch.add(line);
            counts.add(line);
        }
        assert_eq!(run(&root, &files, &["--workspace"], &watch, &mut counts), ["fails_once"]);
        assert_eq!((counts.passed, counts.failed), (1, 1));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn few_failures_with_names_are_repeated() {
        let one = [
            "running 2 tests",
            "test a::b ... FAILED",
            "test c ... ok",
            "test result: FAILED. 1 passed; 1 failed;",
        ];
        assert_eq!(watched(&one).repeatable(1), ["a::b"]);
        assert!(watched(&one).repeatable(2).is_empty(), "one has no name");
        assert!(
            watched(&[&one[..], &["running 1 test"]].concat()).repeatable(1).is_empty(),
            "a program crashed"
        );
        let many = [
            "running 3 tests",
            "test a ... FAILED",
            "test b ... FAILED",
            "test c ... FAILED",
            "test result: FAILED.",
        ];
        assert!(watched(&many).repeatable(3).is_empty());
        let document = ["running 1 test", "test src/lib.rs - x (line 3) ... FAILED", "test result: FAILED."];
        assert!(watched(&document).repeatable(1).is_empty());
    }
}
