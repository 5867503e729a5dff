//! Limits of memory: each command refuses with the number, before it begins, and works with enough.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::common::{Pipeline, livetime, stderr, stdout};

const ENOUGH: &str = "1GiB";
const TOO_LITTLE: &str = "1KiB";

/// Runs the command with too little memory, which fails with what is needed and leaves nothing, and then with enough.
fn refuses_and_works(args: &[&str], output: Option<&str>) {
    let with = |memory| livetime(&[args, &["--memory", memory]].concat());
    let refused = with(TOO_LITTLE);
    let told = stderr(&refused);
    assert_eq!(refused.status.code(), Some(1), "{args:?}: {told}");
    assert!(told.contains("wanted at most 1 KiB of memory (as `--memory` says), found "), "{args:?}: {told}");
    let needed = told.split(", for which ").nth(1).and_then(|rest| rest.split(" are needed").next());
    let unit =
        needed.and_then(|needed| needed.split_once(' ')).map(|(number, unit)| (number.parse::<f64>(), unit));
    assert!(matches!(unit, Some((Ok(number), "KiB" | "MiB" | "GiB")) if number > 0.0), "{args:?}: {told}");
    let is_there = || output.map(std::path::Path::new).is_some_and(std::path::Path::exists);
    assert!(!is_there(), "{args:?}: {output:?} was written");
    let worked = with(ENOUGH);
    assert_eq!(worked.status.code(), Some(0), "{args:?}: {}", stderr(&worked));
    assert_eq!(is_there(), output.is_some(), "{args:?}");
}

/// A simulated run of three events, without damage.
fn run_in(folder: &tempfile::TempDir) -> String {
    let file = at(folder, "e1-r0001-s00-c00.xtc");
    assert_eq!(livetime(&["sim", "xtc", &file, "--count", "3"]).status.code(), Some(0));
    file
}

fn at(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

#[test]
fn an_analysis_and_its_parts_and_their_merge_say_what_they_need() {
    let folder = tempfile::tempdir().unwrap();
    let (run, plan, parts) = (run_in(&folder), at(&folder, "plan.json"), at(&folder, "parts"));
    refuses_and_works(&["analyze", &run, "-o", &at(&folder, "whole")], Some(&at(&folder, "whole")));
    // A plan reads no picture but the first.
    assert_eq!(livetime(&["analyze", &run, "--plan", &plan, "--parts", "2"]).status.code(), Some(0));
    let args = |number| ["analyze", "--plan", &plan, "--part", number, "-o", &parts];
    let with_events = ["0", "1"].map(|number| {
        let json = stdout(&livetime(&[&args(number)[..], &["--json", "--memory", ENOUGH]].concat()));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        (number, json["events"][0] != json["events"][1])
    });
    std::fs::remove_dir_all(&parts).unwrap();
    for (number, has_events) in with_events {
        if has_events {
            let file = at(&folder, &format!("parts/part-0000{number}.ltpart"));
            refuses_and_works(&args(number), Some(&file));
        } else {
            assert_eq!(livetime(&args(number)).status.code(), Some(0));
        }
    }
    let merged = at(&folder, "merged");
    refuses_and_works(&["analyze", "--plan", &plan, "--merge", &parts, "-o", &merged], Some(&merged));
}

#[test]
fn pictures_through_a_pipeline_say_what_they_need() {
    let folder = tempfile::tempdir().unwrap();
    let text = "nodes:\n  cam: {type: sim_detector}\n  s: {type: statistics, from: cam}\n  end: {type: 'null', from: s}\n";
    let (run, pipeline) = (run_in(&folder), Pipeline::new("memory", text));
    let through = ["analyze", &run, "--pipeline", pipeline.path()];
    refuses_and_works(&through, None);
    let out = at(&folder, "reduced");
    refuses_and_works(&[&through[..], &["--of", "s", "--with", "mean", "-o", &out]].concat(), Some(&out));
}

#[test]
fn a_conversion_says_what_it_needs_whatever_it_makes() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_in(&folder);
    for name in ["copy.xtc", "copy.h5"] {
        let out = at(&folder, name);
        refuses_and_works(&["convert", &run, "-o", &out], Some(&out));
    }
    let packed = at(&folder, "packed.xtc");
    refuses_and_works(&["convert", &run, "-o", &packed, "--codec", "hist16"], Some(&packed));
}

/// The pipeline file names the memory of the frames. More than the machine has is reported by `check` alone: no memory is taken before frames come.
#[test]
fn a_pipeline_whose_queues_do_not_fit_is_refused() {
    let text = |memory: &str| {
        format!(
            "memory: {memory}\nnodes:\n  cam: {{type: sim_detector, params: {{size_x: 512, size_y: 512, image_mode: multiple, num_images: 3, acquire_period: 0 ms}}}}\n  \
             s: {{type: statistics, from: {{node: cam, queue: 8, when_full: block}}}}\n  end: {{type: 'null', from: {{node: s, when_full: block}}}}\n"
        )
    };
    let (small, enough) = (Pipeline::new("small", &text("1 MiB")), Pipeline::new("enough", &text("64 MiB")));
    for command in [&["check"][..], &["run", "--no-pva"], &["verify", "--runs", "2", "--frames", "3"]] {
        let refused = livetime(&[command, &[small.path()]].concat());
        let told = stderr(&refused);
        assert_eq!(refused.status.code(), Some(2), "{command:?}: {told}");
        assert!(
            told.contains(":1:9: full queues and links would hold ") && told.contains("MiB"),
            "{command:?}: {told}"
        );
        let output = livetime(&[command, &[enough.path()]].concat());
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", stderr(&output));
    }
}
