//! The record of skipped tests: one line for each, in a file that all test programs append to.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Records that the calling test skips a part, and prints that to stderr. `needed` is the missing thing, as `.ci/known`
/// names it: `data/…`, `peer/…`, `machine/…`. `reason` is for people.
/// The line goes to the file that `LIVETIME_SKIPPED` names, else to `skipped-tests` in the target folder:
/// program, test, `needed` and `reason` with tabs between.
#[allow(clippy::print_stderr, reason = "seen by those who run one test with --nocapture")]
pub fn skip(needed: &str, reason: &str) {
    eprintln!("SKIPPED: {reason}");
    let line = line(&program(), &test(), needed, reason);
    if let Err(error) = append(&file(), &line) {
        eprintln!("the skip could not be recorded in {}: {error}", file().display());
    }
}

fn line(program: &str, test: &str, needed: &str, reason: &str) -> String {
    let clean = |text: &str| text.replace(['\t', '\n', '\r'], " ");
    format!("{}\t{}\t{}\t{}\n", clean(program), clean(test), clean(needed), clean(reason))
}

/// One `write` of a short line in append mode: lines of several programs do not mix.
fn append(file: &Path, line: &str) -> io::Result<()> {
    let mut file: File = OpenOptions::new().create(true).append(true).open(file)?;
    file.write_all(line.as_bytes())
}

fn file() -> PathBuf {
    named(std::env::var_os("LIVETIME_SKIPPED"), std::env::current_exe().ok())
}

/// Test programs lie in `TARGET/PROFILE/deps`.
fn named(wanted: Option<OsString>, program: Option<PathBuf>) -> PathBuf {
    let target = program.as_deref().and_then(|p| p.ancestors().nth(3)).map(Path::to_path_buf);
    let beside = target.unwrap_or_else(std::env::temp_dir).join("skipped-tests");
    wanted.filter(|w| !w.is_empty()).map_or(beside, PathBuf::from)
}

/// The name of the test program, without the hash that cargo adds.
fn program() -> String {
    let program = std::env::current_exe().ok();
    let stem = program.as_deref().and_then(Path::file_stem).map(|s| s.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    stem.rsplit_once('-').map_or(stem.as_str(), |(name, _)| name).to_owned()
}

/// The test runner names the thread of a test after it.
fn test() -> String {
    std::thread::current().name().unwrap_or("unnamed thread").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_four_fields() {
        let line = line("golden", "reads\tall", "data/xtc1", "no\nfile");
        assert_eq!(line, "golden\treads all\tdata/xtc1\tno file\n");
    }

    #[test]
    fn a_skip_knows_its_test_and_program() {
        assert_eq!(test(), "skipped::tests::a_skip_knows_its_test_and_program");
        assert_eq!(program(), "livetime_testkit");
    }

    #[test]
    fn the_file_is_the_named_one_else_in_the_target_folder() {
        let program = Some(PathBuf::from("/t/target/debug/deps/golden-0123"));
        assert_eq!(named(Some("/x/y".into()), program.clone()), Path::new("/x/y"));
        assert_eq!(named(Some("".into()), program), Path::new("/t/target/skipped-tests"));
    }

    #[test]
    fn lines_are_appended() {
        let file = std::env::temp_dir().join(format!("livetime-testkit-{}", std::process::id()));
        append(&file, "a\n").and_then(|()| append(&file, "b\n")).unwrap_or_default();
        assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), "a\nb\n");
        std::fs::remove_file(file).unwrap_or_default();
    }
}
