//! The lines of the README, as a stranger types them: in order, in a clone with nothing beside it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use crate::common::{stderr, stdout};

/// The lines of the block of commands that begins with `first`.
fn block(readme: &str, first: &str) -> String {
    let begin =
        readme.find(&format!("```sh\n{first}")).unwrap_or_else(|| panic!("no block begins with `{first}`"));
    let lines = readme[begin..].lines().skip(1).take_while(|line| *line != "```");
    lines.fold(String::new(), |text, line| text + line + "\n")
}

/// What is committed, or would be: files that git knows or does not ignore, at the top and in `examples`.
fn clone_into(folder: &Path) {
    let root = livetime_testkit::repository();
    let copy = "tar -c --exclude-vcs README.md examples | tar -x -C \"$0\"";
    let copied = Command::new("bash").args(["-c", copy]).arg(folder).current_dir(root).status().unwrap();
    assert!(copied.success());
}

#[test]
fn the_lines_of_the_readme_work_in_order() {
    let folder = tempfile::tempdir().unwrap();
    clone_into(folder.path());
    let readme = std::fs::read_to_string(folder.path().join("README.md")).unwrap();
    let lines = block(&readme, "mkdir");
    assert!(lines.lines().count() > 15, "{lines}");
    // Exit code 3 says that frames were lost, as may happen on a busy machine. Any other one is a broken promise.
    let script =
        format!("set -e\nlivetime() {{ command livetime \"$@\" || [ $? -eq 3 ]; }}\nset -v\n{lines}");
    let program = Path::new(env!("CARGO_BIN_EXE_livetime")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let output =
        Command::new("bash").args(["-c", &script]).env("PATH", path).current_dir(folder.path()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}\n{}", stdout(&output), stderr(&output));
    assert!(folder.path().join("out/analysis/mean.npy").is_file());
    let report = std::fs::read_to_string(folder.path().join("out/report.txt")).unwrap();
    assert!(report.contains("ledger closed"), "{report}");
}

#[test]
fn what_the_readme_points_to_is_there() {
    let root = livetime_testkit::repository();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let missing: Vec<_> = links.filter(|link| !link.contains("://") && !root.join(link).exists()).collect();
    assert_eq!(missing, Vec::<&str>::new());
}
