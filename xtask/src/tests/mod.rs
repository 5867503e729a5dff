//! `cargo xtask test`: every test, then what passed, failed, and was skipped for which reason.
//!
//! The test runner hides what a passing test prints, so tests record what they leave out in a file (`crates/testkit`).

mod again;
mod counts;
mod judge;
mod python;
mod skips;
mod web;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use counts::Counts;
use skips::Skips;

/// Runs every test and model; `Err` if one failed. Both end with the summary.
pub(crate) fn run(root: &Path) -> Result<String, String> {
    let files = Files::new(root);
    files.clear()?;
    let mut counts = Counts::default();
    let tests = cargo(root, &[&["test", "--no-fail-fast"], workspace()].concat());
    if workspace() != WITH_KAFKA {
        skips::append(&files.skips, "links over Kafka", "peer/c++", "no C++ compiler: apt-get install g++")?;
    }
    let ran = count(tests, &files, &mut counts)?;
    let unsteady = again::run(root, &files, workspace(), &ran.watch, &mut counts);
    unsteady.iter().try_for_each(|name| files.add_unsteady(name))?;
    let all_passed = [
        // Unsteady tests are no failure.
        ran.all_passed || (!unsteady.is_empty() && counts.failed == 0),
        python::run(root, &files, &mut counts)?,
        web::run(root, &files, &mut counts)?,
        models_into(root, &files, &mut counts)?,
    ];
    fs::write(&files.counts, counts.to_text()).map_err(|e| format!("{}: {e}", files.counts.display()))?;
    let summary = files.unsteady() + &summary(counts, &Skips::read(&files.skips)?);
    if all_passed == [true; 4] { Ok(summary) } else { Err(summary) }
}

/// Every interleaving of the lock-free parts, within the bound on preemptions.
pub(crate) fn models(root: &Path) -> Result<String, String> {
    let mut counts = Counts::default();
    let all_passed = models_into(root, &Files::new(root), &mut counts)?;
    let summary = summary(counts, &Skips::default());
    if all_passed { Ok(summary) } else { Err(summary) }
}

/// The summary of the last `test`, with what has been skipped since; `Err` if this machine is known to have what was
/// missing, or if fewer tests ran than must.
pub(crate) fn judge(root: &Path) -> Result<String, String> {
    let files = Files::new(root);
    let text = fs::read_to_string(&files.counts)
        .map_err(|e| format!("{}: {e}: run `make test` first", files.counts.display()))?;
    let (counts, skips) = (Counts::from_text(&text)?, Skips::read(&files.skips)?);
    let problems = judge::problems(root, counts, &skips)?;
    let summary = files.unsteady() + &summary(counts, &skips);
    if problems.is_empty() { Ok(summary) } else { Err(format!("{}\n{summary}", problems.join("\n"))) }
}

/// Records that a step outside of the tests was left out, for the summary.
pub(crate) fn record_skip(root: &Path, step: &str, needed: &str, reason: &str) -> Result<String, String> {
    let files = Files::new(root);
    skips::append(&files.skips, step, needed, reason)?;
    Ok(format!("SKIPPED: {step}: {reason}"))
}

fn summary(counts: Counts, skips: &Skips) -> String {
    let Counts { passed, failed, ignored } = counts;
    let skipped = skips.tests();
    let mut text = skips.reasons();
    if ignored > 0 {
        text += &format!(
            "skipped: {ignored} tests and examples that are marked `ignore` and that no other test runs\n"
        );
    }
    format!(
        "{text}{} passed, {failed} failed, {} skipped",
        // For their runner, skipped tests have passed.
        passed.saturating_sub(skipped),
        skips.all() + ignored
    )
}

/// Where a run of tests keeps what the summary needs: the target folder, which holds this program too.
struct Files {
    target: PathBuf,
    counts: PathBuf,
    skips: PathBuf,
    unsteady: PathBuf,
}

impl Files {
    fn new(root: &Path) -> Files {
        let program = std::env::current_exe().ok();
        // The program lies in `debug` or `release` of the target folder.
        let target = program.as_deref().and_then(|p| p.ancestors().nth(2)).map(Path::to_path_buf);
        let target = target.unwrap_or_else(|| root.join("target"));
        let [counts, skips, unsteady] =
            ["test-counts", "skipped-tests", "unsteady-tests"].map(|name| target.join(name));
        Files { counts, skips, unsteady, target }
    }

    fn add_unsteady(&self, name: &str) -> Result<(), String> {
        let file = fs::OpenOptions::new().create(true).append(true).open(&self.unsteady);
        let added = file.and_then(|mut file| writeln!(file, "{name}"));
        added.map_err(|e| format!("{}: {e}", self.unsteady.display()))
    }

    /// A line for each test that failed and passed when it was repeated.
    fn unsteady(&self) -> String {
        let names = fs::read_to_string(&self.unsteady).unwrap_or_default();
        names
            .lines()
            .map(|name| format!("unsteady: {name} failed, and passed when it was repeated\n"))
            .collect()
    }

    fn clear(&self) -> Result<(), String> {
        _ = fs::remove_file(&self.counts);
        _ = fs::remove_file(&self.unsteady);
        fs::write(&self.skips, "").map_err(|e| format!("{}: {e}", self.skips.display()))
    }
}

/// With links over Kafka, whose client is C++ in part.
const WITH_KAFKA: &[&str] = &["--workspace", "--features", "livetime/kafka,livetime-bench/kafka"];

/// The crates and features that this machine's compilers can build. All steps build the same ones, so that none builds them
/// again.
fn workspace() -> &'static [&'static str] {
    static HAS_COMPILER: LazyLock<bool> = LazyLock::new(|| {
        let found = Command::new("c++").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        found.is_ok_and(|status| status.success())
    });
    if *HAS_COMPILER { WITH_KAFKA } else { &["--workspace", "--exclude", "livetime-link-kafka"] }
}

fn cargo(root: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    forget_this_program(&mut command);
    command.current_dir(root).args(args);
    command
}

/// Takes out the variables that cargo set for this program: crates that look at them would be built again.
fn forget_this_program(command: &mut Command) {
    let is_ours = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    std::env::vars_os()
        .filter(|(name, _)| name.to_str().is_some_and(is_ours))
        .for_each(|(name, _)| _ = command.env_remove(name));
}

/// A second target folder, because `--cfg loom` changes every crate that is built with it.
fn models_into(root: &Path, files: &Files, counts: &mut Counts) -> Result<bool, String> {
    let mut all_passed = true;
    let crates = [
        ["livetime-frame", "--test", "all", ""],
        ["livetime-runtime", "--lib", "--", "models"],
        ["livetime-engine", "--lib", "--", "models"],
        ["livetime-actors", "--lib", "--", "models"],
    ];
    for what in crates {
        let args =
            ["test", "--profile", "models", "--package"].into_iter().chain(what).filter(|a| !a.is_empty());
        let mut command = cargo(root, &args.collect::<Vec<_>>());
        command.env("RUSTFLAGS", "--cfg loom").env("CARGO_TARGET_DIR", files.target.join("loom"));
        match std::env::var("LOOM_MAX_PREEMPTIONS") {
            Ok(bound) if bound.is_empty() => command.env_remove("LOOM_MAX_PREEMPTIONS"),
            Ok(bound) => command.env("LOOM_MAX_PREEMPTIONS", bound),
            Err(_) => command.env("LOOM_MAX_PREEMPTIONS", "2"),
        };
        all_passed &= count(command, files, counts)?.all_passed;
    }
    Ok(all_passed)
}

/// How a run of test programs ended.
struct Ran {
    all_passed: bool,
    watch: again::Watch,
}

/// Shows what the command prints, and adds up its results.
fn count(mut command: Command, files: &Files, counts: &mut Counts) -> Result<Ran, String> {
    let failed = |e: std::io::Error| format!("cargo test: {e}");
    command.env("LIVETIME_SKIPPED", &files.skips).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let output = child.stdout.take().ok_or("cargo test: no output")?;
    let mut watch = again::Watch::default();
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line.map_err(failed)?).into_owned();
        println!("{line}");
        counts.add(&line);
        watch.add(&line);
    }
    Ok(Ran { all_passed: child.wait().map_err(failed)?.success(), watch })
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn a_test_that_skipped_did_not_pass() {
        let skips = Skips::parse("golden\treads\tdata/xtc1\tno xtc1\nfuzz\t\tpeer/fuzz\tno cargo-fuzz\n");
        let text = summary(Counts { passed: 10, failed: 1, ignored: 0 }, &skips);
        assert_eq!(text.lines().last(), Some("9 passed, 1 failed, 2 skipped"), "{text}");
        assert!(
            text.contains("no xtc1") && text.contains("golden::reads") && text.contains("no cargo-fuzz"),
            "{text}"
        );
    }

    #[test]
    fn ignored_examples_are_skips() {
        let text = summary(Counts { passed: 3, failed: 0, ignored: 2 }, &Skips::default());
        assert!(
            text.contains("marked `ignore`") && text.ends_with("3 passed, 0 failed, 2 skipped"),
            "{text}"
        );
    }
}
