//! The lines of documents about recorded runs, as a reader types them, in an empty folder.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use crate::common::{stderr, stdout};

/// The blocks of a document in this language, in order.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(livetime_testkit::repository().join(document)).unwrap();
    let begin = format!("```{language}\n");
    let parts = text.split(&begin).skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

/// Runs lines of a shell in `folder`; what they print. All must end well.
fn run(lines: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_livetime")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let script = format!("set -e\n{lines}");
    let output =
        Command::new("bash").args(["-c", &script]).env("PATH", path).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{lines}{}\n{}", stdout(&output), stderr(&output));
    stdout(&output)
}

/// Blocks about detectors whose runs the document does not make begin with other commands.
#[test]
fn select_and_correct() {
    let document = "docs/select-correct.md";
    let folder = tempfile::tempdir().unwrap();
    let own: Vec<String> =
        blocks(document, "sh").into_iter().filter(|lines| lines.contains("run-r0001")).collect();
    assert_eq!(own.len(), 2, "{own:?}");
    let said = run(&own[0], folder.path());
    assert!(!said.contains(" 0 of 10 events used"), "{said}");
    assert!(folder.path().join("lit/mean.npy").is_file());
    let said = run(&own[1], folder.path());
    let peaks = said.lines().find(|line| line.starts_with("peaks ")).unwrap();
    let rows: u32 = peaks.split(" rows").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    assert!((10..1000).contains(&rows), "{said}");
    // The graph finds peaks, too, in the events that it selects.
    std::fs::write(folder.path().join("peaks.yaml"), blocks(document, "yaml").remove(0)).unwrap();
    run("livetime run peaks.yaml", folder.path());
    let table = std::fs::read_to_string(folder.path().join("peaks.csv")).unwrap();
    assert!((2..=rows as usize + 1).contains(&table.lines().count()), "{table}");
}
