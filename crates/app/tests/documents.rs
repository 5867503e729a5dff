//! The lines of documents about recorded runs, as a reader types them, in an empty folder.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use livetime_testkit::xtc2::{self, CONFIGURE, END_RUN, L1_ACCEPT, Names};

use crate::common::{stderr, stdout};

/// The blocks of a document in this language, in order.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(livetime_testkit::repository().join(document)).unwrap();
    let begin = format!("```{language}\n");
    let parts = text.split(&begin).skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

/// Runs lines of a shell in `folder`; returns their output. All must end well.
fn run(lines: &str, folder: &Path) -> String {
    run_with(lines, folder, None)
}

/// The same where `python3` is this one.
fn run_with(lines: &str, folder: &Path, python: Option<&Path>) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_livetime"));
    let places = [Some(program), python].into_iter().flatten().filter_map(Path::parent);
    let path = places.map(|place| format!("{}:", place.display())).collect::<String>();
    let path = path + &std::env::var("PATH").unwrap();
    let script = format!("set -e\n{lines}");
    let output =
        Command::new("bash").args(["-c", &script]).env("PATH", path).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{lines}{}\n{}", stdout(&output), stderr(&output));
    stdout(&output)
}

const SELECT: &str = "docs/select-correct.md";

/// The blocks of the document about the run that it makes itself, and those about a Jungfrau: no other is there.
fn blocks_of_select() -> [Vec<String>; 2] {
    let (own, others): (Vec<_>, Vec<_>) =
        blocks(SELECT, "sh").into_iter().partition(|lines| lines.contains("run-r0001"));
    assert_eq!((own.len(), others.len()), (2, 2), "{own:?} {others:?}");
    [own, others]
}

#[test]
fn select_and_correct() {
    let folder = tempfile::tempdir().unwrap();
    let [own, _] = blocks_of_select();
    let said = run(&own[0], folder.path());
    assert!(!said.contains(" 0 of 10 events used"), "{said}");
    assert!(folder.path().join("lit/mean.npy").is_file());
    let said = run(&own[1], folder.path());
    let peaks = said.lines().find(|line| line.starts_with("peaks ")).unwrap();
    let rows: u32 = peaks.split(" rows").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    assert!((10..1000).contains(&rows), "{said}");
    // The graph finds peaks, too, in the events that it selects.
    std::fs::write(folder.path().join("peaks.yaml"), blocks(SELECT, "yaml").remove(0)).unwrap();
    run("livetime run peaks.yaml", folder.path());
    let table = std::fs::read_to_string(folder.path().join("peaks.csv")).unwrap();
    assert!((2..=rows as usize + 1).contains(&table.lines().count()), "{table}");
}

/// Rows and columns: a corner of a Jungfrau's panel, so that the test is quick.
const SHAPE: [u32; 2] = [64, 128];

/// A run of four events of a Jungfrau, of which `pixel` gives each pixel by event and number.
fn write_jungfrau(path: &Path, pixel: impl Fn(u32, u32) -> u16) {
    let names = Names { id: 1, detector: "jungfrau", algorithm: "raw", segment: 0, fields: &[("raw", 1, 3)] };
    let event = |number: u32| {
        let pixels: Vec<u8> =
            (0..SHAPE[0] * SHAPE[1]).flat_map(|at| pixel(number, at).to_le_bytes()).collect();
        let ns = 1_000_000_000 + u64::from(number) * 10_000_000;
        xtc2::datagram(L1_ACCEPT, ns, 0, &[xtc2::record(names.id, 0, &[&[1, SHAPE[0], SHAPE[1]]], &pixels)])
    };
    let begin = xtc2::datagram(CONFIGURE, 1, 0, &[xtc2::names(&names)]);
    let end = xtc2::datagram(END_RUN, 2_000_000_000, 0, &[]);
    let events: Vec<Vec<u8>> = (0..4).map(event).collect();
    std::fs::write(path, [begin, events.concat(), end].concat()).unwrap();
}

/// The runs that the document takes as given: three dark runs, a run with light, gains and a mask.
fn write_runs(folder: &Path, python: &Path) {
    // Code and dark level of each stage.
    let dark = [(0, 2000), (1, 9000), (3, 8500)];
    for (stage, (code, level)) in dark.into_iter().enumerate() {
        let noise = |event: u32| (event % 2 * 2) as u16;
        let pixel = |event, _| code << 14 | (level - 1 + noise(event));
        write_jungfrau(&folder.join(format!("dark-g{stage}.xtc2")), pixel);
    }
    // Of a thousand pixels one has light in stage 0, and one in stage 1; another is bad.
    let light = |_, at: u32| match at % 1000 {
        1 => 2400,
        2 => 1 << 14 | 8910,
        3 => 16_000,
        _ => 2000,
    };
    write_jungfrau(&folder.join("run.xtc2"), light);
    let arrays = "import numpy as np
np.save('gain.npy', np.stack([np.full((1, 64, 128), factor) for factor in (0.025, -0.5, -2.0)]))
np.save('mask.npy', (np.arange(64 * 128) % 1000 != 3).reshape(1, 64, 128).astype(np.uint8))";
    run_with(&format!("python3 -c \"{arrays}\""), folder, Some(python));
}

#[test]
fn gain_stages() {
    let Some(python) = livetime_testkit::python("hdf5") else { return };
    let folder = tempfile::tempdir().unwrap();
    write_runs(folder.path(), &python);
    let [_, jungfrau] = blocks_of_select();
    let (light, dark) = (&jungfrau[0], &jungfrau[1]);
    let said = run_with(dark, folder.path(), Some(&python));
    let is_none = |line: &&str| line.starts_with("unknown-gain-codes") && line.ends_with(" 0.000000");
    assert_eq!(said.lines().filter(is_none).count(), 3, "{said}");
    run_with(light, folder.path(), Some(&python));
    let judge = "import numpy as np
pedestal, mean = np.load('pedestal.npy'), np.load('out/mean.npy').ravel()
assert pedestal.shape == (3, 1, 64, 128), pedestal.shape
assert [float(np.ptp(p)) for p in pedestal] == [0, 0, 0] and list(pedestal[:, 0, 0, 0]) == [2000, 9000, 8500]
assert abs(mean[:4] - [0, 10, 45, 0]).max() < 1e-5 and mean.shape == (64 * 128,), mean[:4]";
    run_with(&format!("python3 -c \"{judge}\""), folder.path(), Some(&python));
}
