//! Checks that no compiler makes.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates that a crate may import (`ARCHITECTURE.md`). A crate that is not listed may import none of ours. Only
/// tests may import `livetime-testkit`, by `[dev-dependencies]`, which are not looked at here.
const ARROWS: &[(&str, &[&str])] = &[
    ("livetime-codecs", &["livetime-frame", "livetime-kernels"]),
    ("livetime-formats", &["livetime-frame", "livetime-codecs"]),
    ("livetime-recording", &["livetime-formats", "livetime-frame", "livetime-codecs", "livetime-runtime"]),
    ("livetime-ca", &["livetime-guests"]),
    ("livetime-pva", &["livetime-guests"]),
    ("livetime-runtime", &["livetime-frame"]),
    ("livetime-engine", &["livetime-runtime", "livetime-frame", "livetime-engine-derive"]),
    ("livetime-actors", &["livetime-runtime"]),
    ("livetime-link", &["livetime-runtime", "livetime-frame"]),
    ("livetime-link-zmq", &["livetime-link", "livetime-frame"]),
    ("livetime-link-kafka", &["livetime-link", "livetime-runtime", "livetime-frame"]),
    ("livetime-filing", &["livetime-engine", "livetime-formats"]),
    // For the one way to write a file.
    ("livetime-plot", &["livetime-formats"]),
    (
        "livetime-nodes",
        &[
            "livetime-engine",
            "livetime-actors",
            "livetime-runtime",
            "livetime-frame",
            "livetime-kernels",
            "livetime-codecs",
            "livetime-filing",
            "livetime-formats",
            "livetime-link",
            "livetime-link-zmq",
            "livetime-link-kafka",
            "livetime-recording",
            "livetime-pva",
        ],
    ),
    // `nodes` for what all detectors share: the states and the length of an acquisition.
    ("livetime-genicam", &["livetime-engine", "livetime-frame", "livetime-nodes"]),
    (
        "livetime-wire",
        &["livetime-engine", "livetime-filing", "livetime-formats", "livetime-kernels", "livetime-frame"],
    ),
    // `nodes` for what all detectors share, `recording` for runs that are made by many threads and written in order.
    (
        "livetime-sim",
        &[
            "livetime-engine",
            "livetime-formats",
            "livetime-frame",
            "livetime-kernels",
            "livetime-nodes",
            "livetime-recording",
            "livetime-runtime",
            "livetime-wire",
        ],
    ),
    // `pva` and `ca` because the block `pvaccess` of a pipeline file says how to serve, and for attributes of frames.
    (
        "livetime-control",
        &[
            "livetime-engine",
            "livetime-analysis",
            "livetime-formats",
            "livetime-recording",
            "livetime-frame",
            "livetime-pva",
            "livetime-ca",
        ],
    ),
    (
        "livetime-epics",
        &[
            "livetime-ca",
            "livetime-control",
            "livetime-engine",
            "livetime-frame",
            "livetime-nodes",
            "livetime-pva",
        ],
    ),
    // `actors` for the metrics of agents.
    (
        "livetime-web",
        &[
            "livetime-control",
            "livetime-engine",
            "livetime-actors",
            "livetime-recording",
            "livetime-runtime",
            "livetime-frame",
        ],
    ),
    // `formats` for the one way to write a file.
    (
        "livetime-analysis",
        &["livetime-recording", "livetime-formats", "livetime-kernels", "livetime-runtime", "livetime-frame"],
    ),
    // A store that a program brings: `recording` does not know it.
    ("livetime-objects", &["livetime-formats"]),
    // Says in the words of `control` what it measured.
    ("livetime-measure", &["livetime-control", "livetime-engine", "livetime-kernels", "livetime-frame"]),
    // All but `app` and `python`.
    (
        "livetime-bench",
        &[
            "livetime-measure",
            "livetime-analysis",
            "livetime-control",
            "livetime-epics",
            "livetime-web",
            "livetime-nodes",
            "livetime-objects",
            "livetime-plot",
            "livetime-sim",
            "livetime-wire",
            "livetime-engine",
            "livetime-actors",
            "livetime-runtime",
            "livetime-frame",
            "livetime-formats",
            "livetime-pva",
            "livetime-ca",
            "livetime-kernels",
            "livetime-codecs",
        ],
    ),
    // All but `bench`; `app` for the command `run`.
    (
        "livetime-python",
        &[
            "livetime",
            "livetime-analysis",
            "livetime-control",
            "livetime-epics",
            "livetime-web",
            "livetime-nodes",
            "livetime-wire",
            "livetime-engine",
            "livetime-frame",
            "livetime-recording",
            "livetime-codecs",
            "livetime-pva",
        ],
    ),
    // `app` uses kernels to analyse recorded runs and to simulate them.
    (
        "livetime",
        &[
            "livetime-analysis",
            "livetime-measure",
            "livetime-control",
            "livetime-epics",
            "livetime-web",
            "livetime-genicam",
            "livetime-nodes",
            "livetime-objects",
            "livetime-plot",
            "livetime-sim",
            "livetime-wire",
            "livetime-engine",
            "livetime-actors",
            "livetime-ca",
            "livetime-runtime",
            "livetime-frame",
            "livetime-formats",
            "livetime-recording",
            "livetime-pva",
            "livetime-ca",
            "livetime-kernels",
            "livetime-codecs",
        ],
    ),
];

/// Folders and files that may hold `unsafe`.
const UNSAFE: &[&str] = &[
    "crates/kernels/",
    "crates/frame/src/pool/",
    "crates/runtime/src/frame_ring.rs",
    "crates/runtime/src/ring.rs",
    "crates/runtime/src/models.rs",
    // The maker of a queue promises which thread takes from it.
    "crates/engine/src/edge/mod.rs",
    "crates/actors/src/input.rs",
    "crates/actors/src/models.rs",
    "crates/actors/src/keyed.rs",
    // The interface of libaravis, a C library.
    "crates/genicam/src/aravis/",
    // The interfaces of numpy and of the interpreter.
    "python/src/array.rs",
    "python/src/attach.rs",
];

/// Where crates are.
const CRATES: [&str; 2] = ["crates", "python"];

/// Past this a file is asked whether it is still one thing.
const LONGEST_FILE: usize = 700;

/// Lines of documents are at most this long, so that they can be read beside code and compared line by line. Tables,
/// code and a single word (a link) may be longer.
const WIDEST_LINE: usize = 120;

const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "GLOSSARY.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "docs/areadetector.md",
    "docs/areadetector-plugins.md",
    "docs/areadetector-processing.md",
    "docs/add-a-codec.md",
    "docs/add-a-node.md",
    "docs/add-a-format.md",
    "docs/add-a-kernel.md",
    "docs/actors.md",
    "docs/performance.md",
    "docs/python.md",
    "docs/python-analysis.md",
    "docs/python-nodes.md",
    "docs/python-psana.md",
    "docs/performance-python.md",
    "docs/performance-codecs.md",
    "docs/embed.md",
    "examples/ladder/README.md",
    "docs/measurements.md",
    "docs/formats/blockpack.md",
    "docs/formats/trigger-records.md",
    "docs/formats/xtc-compression.md",
    "docs/operate.md",
    "docs/observe.md",
    "docs/pipeline-file.md",
    "docs/report-a-problem.md",
    "docs/spec/node.md",
    "docs/spec/web.md",
    "docs/spec/web-state.md",
    "docs/spec/web-data.md",
    "docs/formats/xtc.md",
    "docs/tour.md",
    "docs/trigger-primitives.md",
    "docs/xtc.md",
    "docs/web.md",
    "docs/web-serve.md",
    "docs/performance-web.md",
    "docs/analyze.md",
    "docs/recorded-runs.md",
];

pub(crate) fn run(root: &Path) -> Result<String, String> {
    let mut problems = Vec::new();
    check_arrows(root, &mut problems)?;
    let files = CRATES.map(|folder| rust_files(&root.join(folder)));
    let files = files.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    let sources = sources(root, &files)?;
    for (name, text) in &sources {
        check_file(name, text, &mut problems);
    }
    let compiled = crate::source::sources(&sources);
    let circles = crate::circles::check(&compiled, &mut problems);
    let shape = crate::shape::check(&compiled, &mut problems);
    check_test_lists(&files, &mut problems)?;
    crate::records::check(root, &mut problems)?;
    check_documents(root, &mut problems);
    check_widths(root, &mut problems)?;
    crate::documents::check(root, &mut problems)?;
    if problems.is_empty() {
        Ok(format!("tidy: {} files; {circles} circles between them; {shape}", files.len()))
    } else {
        Err(problems.join("\n"))
    }
}

/// Names below `root`, and texts.
fn sources(root: &Path, files: &[PathBuf]) -> Result<Vec<(String, String)>, String> {
    let read = |file: &PathBuf| {
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok((file.strip_prefix(root).unwrap_or(file).display().to_string(), text))
    };
    files.iter().map(read).collect()
}

fn check_arrows(root: &Path, problems: &mut Vec<String>) -> Result<(), String> {
    let found = CRATES.map(|folder| manifests(&root.join(folder)));
    for manifest in found.into_iter().collect::<Result<Vec<_>, _>>()?.concat() {
        let text = fs::read_to_string(&manifest).map_err(|e| format!("{}: {e}", manifest.display()))?;
        let table: toml::Table = text.parse().map_err(|e| format!("{}: {e}", manifest.display()))?;
        let name = table["package"]["name"].as_str().unwrap_or_default();
        let allowed = ARROWS.iter().find(|(from, _)| *from == name).map_or(&[][..], |(_, to)| to);
        let dependencies = table.get("dependencies").and_then(|d| d.as_table()).into_iter().flatten();
        for (to, _) in dependencies.filter(|(to, _)| to.starts_with("livetime")) {
            if !allowed.contains(&to.as_str()) {
                problems.push(format!("{name} must not import {to} (ARCHITECTURE.md, who may import whom)"));
            }
        }
    }
    Ok(())
}

fn manifests(folder: &Path) -> Result<Vec<PathBuf>, String> {
    Ok(files(folder)?.into_iter().filter(|f| f.file_name().is_some_and(|n| n == "Cargo.toml")).collect())
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    Ok(files(folder)?.into_iter().filter(|f| f.extension().is_some_and(|e| e == "rs")).collect())
}

pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn check_file(name: &str, text: &str, problems: &mut Vec<String>) {
    let lines = text.lines().count();
    if lines > LONGEST_FILE {
        problems.push(format!("{name}: {lines} lines; is it still one thing? The limit is {LONGEST_FILE}"));
    }
    let allowed = UNSAFE.iter().any(|place| name.starts_with(place)) || name.contains("/tests/");
    if !allowed && text.lines().any(holds_unsafe) {
        problems.push(format!("{name}: `unsafe` is allowed only in {}", UNSAFE.join(", ")));
    }
    if !text.trim_start().starts_with("//!") && name.contains("/src/") && !name.ends_with("tests.rs") {
        problems.push(format!("{name}: starts without a `//!` line that says what the file is"));
    }
    problems.extend(own_limits(name, text).map(|line| {
        format!("{name}:{line}: a test waits `livetime_testkit::HANG` for what must come; less fails on a busy machine")
    }));
    if name.ends_with("tests.rs") {
        return;
    }
    for (from, to) in [("sources", "process"), ("sources", "sinks"), ("process", "sinks")] {
        for (from, to) in [(from, to), (to, from)] {
            let is_node = ["nodes", "wire"].iter().any(|room| name.contains(&format!("{room}/src/{from}/")));
            if is_node && text.contains(&format!("crate::{to}::")) {
                problems.push(format!("{name}: {from} must not import {to}"));
            }
        }
    }
}

/// A file of tests that no test program lists would not run.
fn check_test_lists(files: &[PathBuf], problems: &mut Vec<String>) -> Result<(), String> {
    let is_list = |file: &&PathBuf| file.ends_with("tests/all.rs");
    for list in files.iter().filter(is_list) {
        let read = |path: &Path| fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
        let tests = list.parent().unwrap_or(list);
        let manifest = read(&tests.with_file_name("Cargo.toml"))?;
        let names = files.iter().filter(|file| file.parent() == Some(tests) && file != &list);
        let names = names.filter_map(|file| file.file_stem()?.to_str());
        problems.extend(unlisted(names, &read(list)?, &manifest).map(|name| {
            format!("{}: wanted `mod {name};`, without it {name}.rs does not run", list.display())
        }));
    }
    Ok(())
}

fn unlisted<'a>(
    names: impl Iterator<Item = &'a str>,
    list: &str,
    manifest: &str,
) -> impl Iterator<Item = &'a str> {
    names.filter(move |name| {
        let is_module = list.lines().any(|line| line == format!("mod {name};"));
        !is_module && !manifest.contains(&format!("[[test]]\nname = \"{name}\""))
    })
}

/// Lines of tests that give up after seconds of their own.
fn own_limits<'a>(name: &str, text: &'a str) -> impl Iterator<Item = usize> + use<'a> {
    const WAYS: [&str; 6] = [
        ".finish(",
        "recv_timeout(",
        "_timeout(Some(",
        "Instant::now() + ",
        "const LONG: Duration = ",
        "const LIMIT: Duration = ",
    ];
    let is_test = name.contains("/tests/") || name.ends_with("tests.rs");
    let begin = text.lines().position(|line| line == "mod tests {").unwrap_or(usize::MAX);
    let begin = if is_test { 0 } else { begin };
    let lines = text.lines().enumerate().skip(begin);
    let gives_up = |line: &str| {
        let line = line.replace("std::time::", "");
        !line.trim_start().starts_with("//")
            && WAYS.iter().any(|way| line.contains(&format!("{way}Duration::from_secs(")))
    };
    lines.filter(move |(_, line)| gives_up(line)).map(|(number, _)| number + 1)
}

fn holds_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    ["unsafe {", "unsafe fn", "unsafe impl"].iter().any(|u| code.contains(u))
}

fn check_documents(root: &Path, problems: &mut Vec<String>) {
    for document in DOCUMENTS.iter().filter(|d| !root.join(d).exists()) {
        problems.push(format!("{document} is missing"));
    }
}

/// Looks at the documents at the top and in these folders; others may hold what was fetched or built.
fn check_widths(root: &Path, problems: &mut Vec<String>) -> Result<(), String> {
    let at_top = fs::read_dir(root).map_err(|e| format!("{}: {e}", root.display()))?;
    let mut documents: Vec<PathBuf> = at_top.flatten().map(|entry| entry.path()).collect();
    for folder in ["docs", "crates", "examples", "testdata"] {
        documents.extend(files(&root.join(folder))?);
    }
    for document in documents.iter().filter(|path| path.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(document).map_err(|e| format!("{}: {e}", document.display()))?;
        let name = document.strip_prefix(root).unwrap_or(document).display();
        let wide = wide_lines(&text);
        problems.extend(wide.map(|line| format!("{name}:{line}: longer than {WIDEST_LINE} characters")));
    }
    Ok(())
}

/// The numbers of the lines of a document that are to be wrapped.
fn wide_lines(text: &str) -> impl Iterator<Item = usize> {
    let mut is_code = false;
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        let line = line.trim();
        is_code ^= line.starts_with("```");
        let may_be_long = is_code || line.starts_with('|') || !line.contains(' ');
        (!may_be_long && line.chars().count() > WIDEST_LINE).then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems_of(name: &str, text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        check_file(name, text, &mut problems);
        problems
    }

    #[test]
    fn unsafe_is_found_where_it_must_not_be() {
        let text = "//! A node.\nfn f() { unsafe { g() } }\n";
        assert_eq!(problems_of("crates/nodes/src/process/x.rs", text).len(), 1);
        assert!(problems_of("crates/kernels/src/x.rs", text).is_empty());
        assert!(problems_of("crates/nodes/src/x.rs", "//! No\n// unsafe { in a comment\n").is_empty());
    }

    #[test]
    fn sideways_imports_are_found() {
        let text = "//! A node.\nuse crate::sinks::null::Null;\n";
        assert_eq!(problems_of("crates/nodes/src/process/x.rs", text).len(), 1);
        assert!(problems_of("crates/nodes/src/sinks/x.rs", text).is_empty());
    }

    #[test]
    fn limits_of_tests_are_found() {
        // In two parts, because this file is checked, too.
        let limit = ["Duration::from_", "secs(10)"].concat();
        let text = format!("//! x\nfn f() {{ run.finish({limit}); }}\n");
        assert_eq!(problems_of("crates/engine/tests/x.rs", &text).len(), 1);
        assert!(problems_of("crates/engine/src/x.rs", &text).is_empty());
        let inside = format!("//! x\nmod tests {{\n    let end = std::time::Instant::now() + {limit};\n}}\n");
        assert_eq!(problems_of("crates/engine/src/x.rs", &inside).len(), 1);
        assert!(problems_of("crates/engine/tests/x.rs", "//! x\nrun.finish(HANG);\n").is_empty());
    }

    #[test]
    fn tests_that_would_not_run_are_found() {
        let found =
            |list, manifest| unlisted(["runs", "pool"].into_iter(), list, manifest).collect::<Vec<_>>();
        assert_eq!(found("mod common;\nmod runs;\n", ""), ["pool"]);
        assert!(found("mod runs;\n", "[[test]]\nname = \"pool\"\n").is_empty());
    }

    #[test]
    fn long_and_nameless_files_are_found() {
        assert_eq!(problems_of("crates/nodes/src/x.rs", &"//! x\n".repeat(701)).len(), 1);
        assert_eq!(problems_of("crates/nodes/src/x.rs", "fn f() {}\n").len(), 1);
    }

    #[test]
    fn lines_of_documents_that_are_too_long_are_found() {
        let long = "word ".repeat(30);
        let text =
            format!("# Title\n{long}\n| {long} |\n```text\n{long}\n```\n{}\n{long}\n", "x".repeat(200));
        assert_eq!(wide_lines(&text).collect::<Vec<_>>(), [2, 8]);
    }
}
