//! The lines of the README and of the tour, as a stranger types them: in order, in a clone with nothing beside it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use crate::common::{stderr, stdout};

/// The lines of the block of commands that begins with `first`.
fn block(text: &str, first: &str) -> String {
    let begin =
        text.find(&format!("```sh\n{first}")).unwrap_or_else(|| panic!("no block begins with `{first}`"));
    let lines = text[begin..].lines().skip(1).take_while(|line| *line != "```");
    lines.fold(String::new(), |block, line| block + line + "\n")
}

/// The part of a clone that the lines use.
fn clone_into(folder: &Path) {
    let root = livetime_testkit::repository();
    let copy = "tar -c --exclude-vcs examples | tar -x -C \"$0\"";
    let copied = Command::new("bash").args(["-c", copy]).arg(folder).current_dir(root).status().unwrap();
    assert!(copied.success());
}

/// Runs the commands of a document of this repository and returns the folder in which they ran.
fn run_lines(document: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    clone_into(folder.path());
    let text = std::fs::read_to_string(livetime_testkit::repository().join(document)).unwrap();
    let lines = block(&text, "mkdir");
    assert!(lines.lines().filter(|line| line.starts_with("livetime ")).count() > 5, "{lines}");
    // Exit code 3 says that frames were lost, as may happen on a busy machine. Any other one is a broken promise.
    let script =
        format!("set -e\nlivetime() {{ command livetime \"$@\" || [ $? -eq 3 ]; }}\nset -v\n{lines}");
    let program = Path::new(env!("CARGO_BIN_EXE_livetime")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let output =
        Command::new("bash").args(["-c", &script]).env("PATH", path).current_dir(folder.path()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}\n{}", stdout(&output), stderr(&output));
    folder
}

fn check_results(folder: &Path) {
    assert!(folder.join("out/analysis/mean.npy").is_file());
    assert!(folder.join("out/small.xtc").is_file());
    let report = std::fs::read_to_string(folder.join("out/report.txt")).unwrap();
    assert!(report.contains("ledger closed"), "{report}");
}

/// One test for both documents: each serves a run under the prefix that is chosen when no other run has it.
#[test]
fn the_lines_of_readme_and_tour_work_in_order() {
    check_results(run_lines("README.md").path());
    let tour = run_lines("docs/tour.md");
    check_results(tour.path());
    assert!(tour.path().join("out/saved.xtc").is_file());
}

#[test]
fn what_the_readme_points_to_is_there() {
    let root = livetime_testkit::repository();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let missing: Vec<_> = links.filter(|link| !link.contains("://") && !root.join(link).exists()).collect();
    assert_eq!(missing, Vec::<&str>::new());
}
